"""Numbers in verdict lines and discussions are those of the records that they name.

A line of `experiments/verdicts.toml` names its claims, and they are its records. A paragraph or table of a discussion
names its records in a comment on the line behind it, `<!-- numbers: 003/case-1, 003/case-2 -->`. A number is of a
record if a text of its claims has it, or, from three digits on, a cell of its table, rounded to as many. Integers of
one digit are left out, and so is what `elsewhere` of a line or `besides` of a comment gives: the paper's, arithmetic,
trials.
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
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOLDER = ROOT / "experiments"
FOUND = find_experiments(experiments_folder(start=ROOT))
PAGES = sorted(FOLDER.glob("*/discussion.md"))
LINES = tomllib.loads((FOLDER / "verdicts.toml").read_text(encoding="utf-8"))
TEXTS = ("claim", "where", "expected", "measured", "tolerance", "reason")
Named = tuple[str, str, tuple[str, ...]]
"""A record, a reading of it or none, and claims; all of them where none is named."""
COMMENT = re.compile(r"<!-- numbers: (?P<records>[^;>]+?)(?:; besides (?P<besides>[^>]+?))? -->")
NAMES = re.compile(
    r"`[^`]*`|\[[^\]]*\]\([^)]*\)|\b00\d(?:/[\w.-]+)?|(?:circuits|modern|orbit|quic|rotor|told|work)/[\w.-]+|#\d+|"
    r"§[\w.,§ –-]*\d|"
    r"\b(?:[Ff]igures?|[Tt]ables?|[Cc]ases?|[Cc]hapter|[Pp]eriods?|RFC|Appendix|appendix|[Pp]aper|version) "
    r"[A-Z]?\.?[\d.]+(?:(?:,| and| to|–) [A-Z]?\.?\d[\d.]*)*"
)
NUMBER = re.compile(r"(?<![\w.,])[-−+±]?(\d+(?: \d{3})+|\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w]|\.\d)( ?%)?")


def numbers_in(text: str) -> list[tuple[str, bool]]:
    """The numbers of a text as they are written, and whether per cent follows; names of figures are none."""
    found = [(one[1].replace(" ", ""), bool(one[2])) for one in NUMBER.finditer(NAMES.sub(" ", text))]
    return [(number, is_percent) for number, is_percent in found if len(number) > 1]


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
    return (*counts, *(float(number) for value in values for number, _ in numbers_in(f" {value} ".replace("-", " "))))


@functools.cache
def under_readings(record: str, reading: str) -> frozenset[tuple[str, bool]]:
    """Numbers of what is measured under a reading."""
    experiment = load_experiment(FOUND[record])
    claims = experiment.readings(recorded_outcome(RESULTS, experiment))
    found = [one.findings[reading].measured for one in claims if reading in one.findings]
    return frozenset(number for text in found for number in numbers_in(text))


@functools.cache
def cells(record: str) -> tuple[float, ...]:
    """All numbers of a record's table."""
    table = pl.read_csv(RESULTS / record / TABLE, infer_schema_length=None)
    found = [value for column in table.get_columns() if column.dtype.is_numeric() for value in column.to_list()]
    return tuple(float(value) for value in found if value is not None and math.isfinite(value))


@functools.cache
def said(record: str, claims: tuple[str, ...] = ()) -> frozenset[tuple[str, bool]]:
    """Numbers of the texts of claims, or of all claims of a record."""
    known = read(RESULTS, record)
    assert known is not None, f"no record of {record}"
    chosen = [one for one in known.claims if not claims or one["id"] in claims]
    return frozenset(number for one in chosen for text in TEXTS for number in numbers_in(one.get(text, "")))


def is_of(number: str, is_percent: bool, named: Named) -> bool:
    """Whether the texts have a number, or the table one of three digits; in units, per cent or thousands of them."""
    value, half = float(number), digits_of(number) * (1 + 1e-9)
    scales = (1, 100) if is_percent else (1, 1000, 1e-3)
    record, reading, claims = named
    texts = under_readings(record, reading) if reading else said(record, claims)
    spoken = [*(float(text) for text, _ in texts), *axes(record)]
    is_long = len(re.sub(r"e.*|\.", "", number).lstrip("0")) > 2
    known = (*spoken, *cells(record)) if is_long else spoken
    return any(abs(abs(one) * scale - value) <= half for one in known for scale in scales)


def strange(text: str, records: Sequence[Named], besides: str) -> list[str]:
    """Numbers of a text that none of the records has."""
    others = {number for number, _ in numbers_in(besides)}
    return [
        number
        for number, is_percent in numbers_in(text)
        if number not in others and not any(is_of(number, is_percent, named) for named in records)
    ]


def records_of(line: Mapping[str, Any]) -> list[Named]:
    """The experiments that a verdict line names, with its claims."""
    found: list[Named] = []
    for one in (one for key in ("agree", "disagree", "untold") for one in line.get(key, ())):
        place, _, claims = one.partition(": ")
        record, _, reading = place.partition(" @ ")
        found.append((record, reading, tuple(claims.split(", "))))
    return found


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """The blocks of a discussion that name their records: text, records, what is besides."""
    parts = page.read_text(encoding="utf-8").split("\n\n")
    named = [(COMMENT.search(part), part) for part in parts]
    return [(COMMENT.sub("", part), one["records"], one["besides"] or "") for one, part in named if one]


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
    for text, records, besides in blocks(page):
        if unknown := strange(text, [(one.strip(), "", ()) for one in records.split(",")], besides):
            found[text.strip()[:60]] = unknown
    assert found == {}
