"""What no Rust source outside tests may have, read from its text. Clippy says the same, but takes minutes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BANNED = {
    "unwrap": r"\.unwrap\(\)",
    "a hash map, whose order is random": r"\bHash(Map|Set)\b",
    "a clock": r"\b(Instant::now|SystemTime)\b",
    "a sleep": r"\bthread::sleep\b",
    "something left over": r"\b(todo!|unimplemented!|dbg!|TODO|FIXME)",
}
TUPLE_ARGUMENTS = 0
"""Functions that hide arguments in a tuple: a struct says what its parts are."""


def sources() -> list[Path]:
    """Every Rust file of the crates that is no test, example or test helper."""
    files = sorted((ROOT / "crates").glob("*/src/**/*.rs"))
    return [file for file in files if "tests" not in file.parts and not file.stem.endswith("tests")]


def code(file: Path) -> str:
    """A file without its unit tests and its comments; line numbers are kept."""
    text = re.split(r"#\[cfg\(test\)\]\n(?:pub\((?:crate|super)\) )?mod ", file.read_text())[0]
    return re.sub(r"//.*", "", text)


def places(file: Path, pattern: str) -> list[str]:
    text = code(file)
    line = (text.count("\n", 0, found.start()) + 1 for found in re.finditer(pattern, text))
    return [f"{file.relative_to(ROOT)}:{number}" for number in line]


@pytest.mark.parametrize("what", BANNED)
def test_no_source_has(what: str) -> None:
    assert [place for file in sources() for place in places(file, BANNED[what])] == []


def arguments(text: str) -> Iterator[tuple[int, list[str]]]:
    """Of each function its line and the texts of its arguments."""
    for head in re.finditer(r"\bfn\s+\w+(<[^(]*>)?\(", text):
        yield text.count("\n", 0, head.start()) + 1, split(text, head.end())


def split(text: str, start: int) -> list[str]:
    """What stands between commas from `start` to the closing bracket."""
    depth, parts = 0, [""]
    for character in text[start:]:
        if character in "([{<":
            depth += 1
        elif character in ")]}>" and not (character == ">" and parts[-1].endswith("-")):
            if depth == 0:
                break
            depth -= 1
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def test_the_reader_of_arguments_finds_tuples() -> None:
    text = (
        "fn plain(a: (u32, u32), f: impl Fn(u8) -> u8) {}\nfn hides<T: A>(\n    x: u8,\n    (a, b): (T, Vec<u8>),\n) {}"
    )
    assert [(line, hidden(parts)) for line, parts in arguments(text)] == [(1, False), (2, True)]


def hidden(parts: list[str]) -> bool:
    return any(part.startswith("(") for part in parts)


def test_no_function_more_hides_its_arguments_in_a_tuple() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in sources()
        for line, parts in arguments(code(file))
        if hidden(parts)
    ]
    assert len(found) <= TUPLE_ARGUMENTS, found
