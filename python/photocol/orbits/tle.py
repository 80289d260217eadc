"""Satellites of a file with two-line elements, with or without names.

The form is that of CelesTrak and Space-Track: two lines of 69 columns, each with a checksum at its end (the sum of its
digits, a minus counts 1), and maybe a line with the name above. A first line of two whole numbers, as Hypatia's files
have it, says planes and satellites per plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from photocol.conversions.source import cleaned, read, shown
from photocol.orbits.elements import MOST_SATELLITES, RADIUS_M, Elements, motion_of_revolutions, radius_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from photocol.conversions.source import Source

_COLUMNS = 69
_FIRST_YEAR = 57
"""Two digits of a year from here on are of the last century."""
_LEAST_REVOLUTIONS, _MOST_REVOLUTIONS = Decimal("0.05"), Decimal(18)
_JULIAN_OF_YEAR_1 = 1_721_424.5


@dataclass(frozen=True)
class _Line:
    """A line that is not empty, and its number."""

    number: int
    text: str


@dataclass(frozen=True)
class Catalogue:
    """The satellites of a file, and how they stand in planes if its first line says it, else 0 and 0."""

    elements: Elements
    planes: int
    per_plane: int


def read_tle(path: Path) -> Catalogue:
    """The satellites of a file. Raises InputError with file and line, and OSError if it cannot be read."""
    source = read(path)
    lines = list(_lines(source))
    planes, per_plane = _grid(source, lines)
    rows: list[list[float]] = []
    names: list[str] = []
    name = ""
    while lines:
        line = lines.pop(0)
        if not line.text.startswith("1 "):
            name = cleaned(line.text.removeprefix("0 "))
            if not lines or not lines[0].text.startswith("1 "):
                allowed = "line 1 of a satellite, or its name above line 1"
                source.wrong(line.number, f"found {shown(line.text)}; allowed: {allowed}")
            continue
        if not lines:
            source.wrong(line.number, "the file ends behind line 1 of a satellite; allowed: line 2 below it")
        if len(rows) == MOST_SATELLITES:
            source.wrong(line.number, f"too many satellites; allowed: {MOST_SATELLITES}")
        rows.append(_row(source, line, lines.pop(0)))
        names.append(name or line.text[2:7].strip())
        name = ""
    if not rows:
        source.wrong(1, "there are no satellites; allowed: at least one")
    if planes and planes * per_plane != len(rows):
        source.wrong(1, f"found {planes} planes of {per_plane} and {len(rows)} satellites; allowed: as many as that")
    return Catalogue(Elements(tuple(names), *np.array(rows).T), planes, per_plane)


def _lines(source: Source) -> Iterator[_Line]:
    for number, line in enumerate(source.text.split("\n"), 1):
        if line.strip():
            yield _Line(number, line.rstrip())


def _grid(source: Source, lines: list[_Line]) -> tuple[int, int]:
    """Planes and satellites per plane of the first line, which is taken off."""
    words = lines[0].text.split() if lines else []
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return 0, 0
    number = lines.pop(0).number
    counts = [source.whole(number, "planes and satellites", word, 1, MOST_SATELLITES) for word in words]
    return counts[0], counts[1]


def _row(source: Source, first: _Line, second: _Line) -> list[float]:
    """The elements of two lines, in the order of `Elements`."""
    _checked(source, first, "1")
    _checked(source, second, "2")
    one, upper, two, lower = first.number, first.text, second.number, second.text
    if upper[2:7] != lower[2:7]:
        source.wrong(two, f"line 2 is of satellite {shown(lower[2:7])}; allowed: {shown(upper[2:7])}, as in line 1")

    def angle(what: str, text: str, most: int = 360) -> float:
        return float(np.radians(float(source.number(two, what, text, Decimal(0), Decimal(most)))))

    day, fraction = _epoch(source, one, upper[18:32])
    eccentricity = float(source.number(two, "eccentricity", f"0.{lower[26:33].strip()}", Decimal(0), Decimal("0.95")))
    turns = source.number(two, "revolutions a day", lower[52:63], _LEAST_REVOLUTIONS, _MOST_REVOLUTIONS)
    motion = motion_of_revolutions(float(turns))
    lowest_km = (radius_of(motion) * (1 - eccentricity) - RADIUS_M) / 1000
    if lowest_km < 0:
        source.wrong(two, f"the satellite's lowest altitude is {lowest_km:.0f} km; allowed: above the ground")
    return [
        day,
        fraction,
        angle("inclination", lower[8:16], 180),
        angle("right ascension", lower[17:25]),
        angle("argument of perigee", lower[34:42]),
        angle("mean anomaly", lower[43:51]),
        eccentricity,
        motion,
        _power(source, one, upper[53:61]),
    ]


def _checked(source: Source, line: _Line, kind: str) -> None:
    """Refuse a line that is no line 1 or 2, or whose checksum is another."""
    number, text = line.number, line.text
    if not text.startswith(f"{kind} ") or len(text) != _COLUMNS or not text.isascii():
        allowed = f"line {kind} of a satellite, {_COLUMNS} columns"
        source.wrong(number, f"found {shown(text)}, {len(text)} columns; allowed: {allowed}")
    total = sum(int(letter) if letter.isdecimal() else letter == "-" for letter in text[:-1]) % 10
    if text[-1] != str(total):
        source.wrong(
            number, f"the checksum is {shown(text[-1])}; allowed: {total}, by the other {_COLUMNS - 1} columns"
        )


def _epoch(source: Source, number: int, text: str) -> tuple[float, float]:
    """`24123.50000000` as a Julian date in two parts: day 123.5 of 2024, where 1.0 is the first midnight."""
    year = source.whole(number, "year of the epoch", text[:2], 0, 99)
    day = source.number(number, "day of the epoch", text[2:], Decimal(1), Decimal(367))
    full = year + (1900 if year >= _FIRST_YEAR else 2000)
    before = (full - 1) * 365 + (full - 1) // 4 - (full - 1) // 100 + (full - 1) // 400
    return _JULIAN_OF_YEAR_1 + before + int(day), float(day % 1)


def _power(source: Source, number: int, text: str) -> float:
    """` 12345-4` as 0.12345e-4; of the drag term."""
    mantissa, power = text[:6].strip(), text[6:].strip() or "0"
    sign, digits = (mantissa[:1], mantissa[1:]) if mantissa[:1] in "+-" else ("", mantissa)
    return float(source.number(number, "drag term", f"{sign}0.{digits}e{power}", Decimal(-10), Decimal(10)))
