"""Numbers in verdict lines and discussions are those of the records that they name.

A line of `experiments/verdicts.toml` names its claims, and they are its records. A discussion names its records in
comments, `<!-- numbers: 003/case-1, 003/case-2 -->`: one covers all that stands between it and the heading or comment
before. A number is of a record if a text of its claims has it, or a cell of its table, rounded to as many digits: three
at least, or two with a point in the unit of the table; what follows ± is of a half width. Integers of one digit are
left out, and so is what `elsewhere` of a line or `besides` of a comment gives: the paper's, arithmetic, trials.
`<!-- numbers of trials -->` covers text whose numbers have no record at all.
"""

from __future__ import annotations

import functools
import math
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from photocol.experiments.baselines import TABLE, read, recorded_outcome
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOLDER = ROOT / "experiments"
FOUND = find_experiments(experiments_folder(start=ROOT))
PAGES = sorted(FOLDER.glob("*/discussion.md"))
LINES = tomllib.loads((FOLDER / "verdicts.toml").read_text(encoding="utf-8"))
TEXTS = ("claim", "where", "expected", "measured", "tolerance", "reason")
Named = tuple[str, str, tuple[str, ...]]
"""A record, a reading of it or none, and claims; all of them where none is named."""
COMMENT = re.compile(r"<!-- numbers(?:: (?P<records>[^;>]+?)(?:; besides (?P<besides>[^>]+?))?| of trials) -->")
HEADING = re.compile(r"^#.*$", re.MULTILINE)
NAMES = re.compile(
    r"`[^`]*`|\[[^\]]*\]\([^)]*\)|(?<![\w.])00\d\b(?:/[\w.-]+)?|(?:circuits|modern|orbit|quic|rotor|told|work)/[\w.-]+|#\d+|"
    r"§[\w.,§ –-]*\d|"
    r"\b(?:[Ff]igures?|[Tt]ables?|[Cc]ases?|[Cc]hapter|[Pp]eriods?|RFC|Appendix|appendix|[Pp]aper|version) "
    r"[A-Z]?\.?[\d.]+(?:(?:,| and| to|–) [A-Z]?\.?\d[\d.]*)*"
)
NUMBER = re.compile(r"(?<![\w.,])[-−+]?((?:±\s?)?(?:\d+(?: \d{3})+|\d+(?:\.\d+)?(?:e-?\d+)?))(?![\w]|\.\d)( ?%)?")


def numbers_in(text: str) -> list[tuple[str, bool]]:
    """The numbers of a text as they are written, ± too, and whether per cent follows; names of figures are none."""
    found = [(re.sub(r"\s", "", one[1]), bool(one[2])) for one in NUMBER.finditer(NAMES.sub(" ", text))]
    return [(number, is_percent) for number, is_percent in found if len(number.lstrip("±")) > 1]


def digits_of(number: str) -> float:
    """Half of what the last digit of a number is worth."""
    mantissa, _, exponent = number.partition("e")
    places = len(mantissa.partition(".")[2])
    return 0.5 * 10 ** (int(exponent or 0) - places)


@functools.cache
def axes(record: str) -> tuple[float, ...]:
    """Numbers of a record's axes, in words too, and how many points and runs it has."""
    table = recorded_outcome(RESULTS, load_experiment(FOUND[record])).table
    names = [name for name in load_experiment(FOUND[record]).axes if name in table.columns]
    values = {value for name in names for value in table[name].to_list()}
    known = read(RESULTS, record)
    counts = (len(table), known.manifest["runs"] if known else 0)
    words = (f" {value} ".replace("-", " ") for value in values)
    return (*counts, *(float(number.lstrip("±")) for word in words for number, _ in numbers_in(word)))


@functools.cache
def under_readings(record: str, reading: str) -> frozenset[tuple[str, bool]]:
    """Numbers of what is measured under a reading."""
    experiment = load_experiment(FOUND[record])
    claims = experiment.readings(recorded_outcome(RESULTS, experiment))
    found = [one.findings[reading].measured for one in claims if reading in one.findings]
    return frozenset(number for text in found for number in numbers_in(text))


@functools.cache
def cells(record: str, *, widths: bool = False) -> tuple[float, ...]:
    """All numbers of a record's table, or the half widths of its intervals."""
    table = pl.read_csv(RESULTS / record / TABLE, infer_schema_length=None)
    columns = [one for one in table.get_columns() if one.name.endswith("_half_width") == widths]
    found = [value for column in columns if column.dtype.is_numeric() for value in column.to_list()]
    return tuple(float(value) for value in found if value is not None and math.isfinite(value))


@functools.cache
def said(record: str, claims: tuple[str, ...] = ()) -> frozenset[tuple[str, bool]]:
    """Numbers of the texts of claims, or of all claims of a record."""
    known = read(RESULTS, record)
    assert known is not None, f"no record of {record}"
    chosen = [one for one in known.claims if not claims or one["id"] in claims]
    return frozenset(number for one in chosen for text in TEXTS for number in numbers_in(one.get(text, "")))


def is_of(number: str, is_percent: bool, named: Named) -> bool:
    """Whether the texts or the table have a number; the texts and long numbers also in thousands and per cent."""
    record, reading, claims = named
    value, half = float(number.lstrip("±")), digits_of(number.lstrip("±")) * (1 + 1e-9)
    digits = len(re.sub(r"e.*|\.|±", "", number).lstrip("0"))

    def has(known: Iterable[float], scales: tuple[float, ...]) -> bool:
        return any(abs(abs(one) * scale - value) <= half for one in known for scale in scales)

    plain = (1, 100) if is_percent else (1,)
    scales = (1, 100) if is_percent else (1, 1000, 1e-3)
    texts = under_readings(record, reading) if reading else said(record, claims)
    if has([*(float(text.lstrip("±")) for text, _ in texts), *axes(record)], scales):
        return True
    if number.startswith("±"):
        return has(cells(record, widths=True), scales)
    return (digits > 2 and has(cells(record), scales)) or (digits == 2 and "." in number and has(cells(record), plain))


def strange(text: str, records: Sequence[Named], besides: str) -> list[str]:
    """Numbers of a text that none of the records has."""
    others = {number.lstrip("±") for number, _ in numbers_in(besides)}
    return [
        number
        for number, is_percent in numbers_in(text)
        if number.lstrip("±") not in others and not any(is_of(number, is_percent, named) for named in records)
    ]


def records_of(line: Mapping[str, Any]) -> list[Named]:
    """The experiments that a verdict line names, with its claims."""
    found: list[Named] = []
    for one in (one for key in ("agree", "disagree", "untold") for one in line.get(key, ())):
        place, _, claims = one.partition(": ")
        record, _, reading = place.partition(" @ ")
        found.append((record, reading, tuple(claims.split(", "))))
    return found


def covered(page: str) -> list[tuple[str, re.Match[str] | None]]:
    """The texts of a discussion, each with the comment that covers it, or none."""
    found: list[tuple[str, re.Match[str] | None]] = []
    for section in HEADING.split(page):
        start = 0
        for comment in COMMENT.finditer(section):
            found.append((section[start : comment.start()], comment))
            start = comment.end()
        found.append((section[start:], None))
    return found


@pytest.mark.parametrize("paper", sorted(LINES))
def test_numbers_of_verdict_lines_are_those_of_their_records(paper: str) -> None:
    found = {}
    for name, line in LINES[paper].items():
        text = " ".join(str(line.get(key, "")) for key in ("holds", "fails", "chance"))
        if unknown := strange(text, records_of(line), str(line.get("elsewhere", ""))):
            found[name] = unknown
    assert found == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_numbers_of_discussions_are_those_of_their_records(page: Path) -> None:
    found = {}
    for text, comment in covered(page.read_text(encoding="utf-8")):
        if comment is None or comment["records"] is None:
            continue
        named: list[Named] = [(one.strip(), "", ()) for one in comment["records"].split(",")]
        if unknown := strange(text, named, comment["besides"] or ""):
            found[text.strip()[:60]] = unknown
    assert found == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_all_numbers_of_discussions_are_compared(page: Path) -> None:
    texts = covered(page.read_text(encoding="utf-8"))
    assert [text.strip()[:60] for text, comment in texts if comment is None and numbers_in(text)] == []


def test_a_comment_covers_what_stands_before_it_up_to_the_heading() -> None:
    page = (
        "# 1.2\n\n3.4\n\n5.6\n\n<!-- numbers: 003/a; besides 5.6 -->\n\n7.8\n## b\n9.1\n\n<!-- numbers of trials -->\n"
    )
    found = [
        (numbers_in(text), comment and (comment["records"], comment["besides"])) for text, comment in covered(page)
    ]
    assert [one for one in found if one[0]] == [
        ([("3.4", False), ("5.6", False)], ("003/a", "5.6")),
        ([("7.8", False)], None),
        ([("9.1", False)], (None, None)),
    ]
