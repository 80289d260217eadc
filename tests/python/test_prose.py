"""Hand-written pages are in plain English: a mean sentence of at most 22 words on each page, and none of more than 45.

Tables, code, headings, pictures and the targets of links do not count; generated pages are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEAN, LONGEST = 22, 45
FEWEST = 4
"""Words of a sentence; less is a caption or a label."""
GENERATED = re.compile(r"\bgenerated (?:by|from)\b", re.IGNORECASE)
TO_BE_REWRITTEN: list[str] = []
"""Pages that are not yet so. The list only shrinks: a page that has become plain fails here until its line is gone."""


def is_generated(text: str) -> bool:
    """Whether a page says in its first lines that a program writes it."""
    return GENERATED.search(text[:400]) is not None


def hand_written() -> list[Path]:
    others = ("*.md", "bench/*.md", "experiments/*/discussion.md", "examples/*/*.md", "crates/*/*.md", "paper/*.md")
    pages = {*(ROOT / "docs").rglob("*.md"), *(page for pattern in others for page in ROOT.glob(pattern))}
    return sorted(page for page in pages if not is_generated(page.read_text()))


def sentences(text: str) -> list[list[str]]:
    """The sentences of a page as words. An item of a list begins a sentence; a piece of code is one word."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = (line for line in text.splitlines() if not re.match(r"\s*(?:\||#|<|!\[)", line))
    text = re.sub(r"`[^`]*`", "code", "\n".join(lines))
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*]|\d+\.)\s", "\n\n", text, flags=re.MULTILINE)
    parts = re.split(r"(?<=[.!?])[*_)\"]*\s+|\n\s*\n", text)
    return [words for part in parts if len(words := part.split()) >= FEWEST]


def faults(text: str) -> list[str]:
    """Everything on a page that is not plain, as lines for its author."""
    found = sentences(text)
    if not found:
        return []
    mean = sum(map(len, found)) / len(found)
    long = [f"{len(words)} words: {' '.join(words[:12])} …" for words in found if len(words) > LONGEST]
    return [f"mean sentence {mean:.1f} words", *long] if mean > MEAN else long


PAGES = hand_written()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_english(page: Path) -> None:
    found = faults(page.read_text())
    if page.relative_to(ROOT).as_posix() in TO_BE_REWRITTEN:
        assert found, "it is plain now: take it off the list TO_BE_REWRITTEN"
    else:
        assert found == []


DIARY = re.compile(
    r"\b(?:(?:since|until|before) 20\d\d-\d\d-\d\d|that (?:morning|afternoon)|stood here|the day before|until now)\b",
    re.IGNORECASE,
)
"""Phrases of somebody who tells how a thing came about. The changelog may, and decisions have their status."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_no_diary(page: Path) -> None:
    if page.name != "CHANGELOG.md" and page.parent.name != "decisions":
        assert DIARY.findall(page.read_text()) == []


def test_a_diary_is_found() -> None:
    text = "Until 2026-11-26 it took 5 s. Twice the rate of that morning. The figure that stood here was wrong."
    assert len(DIARY.findall(text)) == 3


def test_the_list_names_pages_that_exist() -> None:
    assert sorted(set(TO_BE_REWRITTEN) - {page.relative_to(ROOT).as_posix() for page in PAGES}) == []


def test_sentences_are_those_that_a_reader_sees() -> None:
    text = (
        "# A heading with many words does not count\n\n"
        "One two `a b c` [four five](a/long/target.md). Six seven eight nine!\n"
        "- an item of a\n  list in two lines\n\n"
        "| a | table | does | not | count |\n"
        "```\ncode does not count either\n```\n"
        "![nor does](a-picture.png)\n"
    )
    assert [len(words) for words in sentences(text)] == [5, 4, 8]


def test_a_long_sentence_and_a_long_mean_are_found() -> None:
    assert faults(f"{'word ' * 45}end.") == ["mean sentence 46.0 words", f"46 words: {'word ' * 12}…"]
    assert faults(f"{'word ' * 22}end. {'word ' * 20}end.") == []
    assert faults(f"{'word ' * 22}end. {'word ' * 21}end.") == ["mean sentence 22.5 words"]
    assert is_generated("# Models\n\nGenerated from the models' descriptions by a program; do not edit.")
    assert not is_generated("# Frames\n\nFrames are generated in turn.")
