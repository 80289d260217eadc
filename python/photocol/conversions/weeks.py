"""A week of circuits as a table of start, end, from and to, and the schedule for `[switching]` that is the same.

A circuit is one direction. Ports are numbers, or names that end in them: `3`, `t3`, `tor3`. A switch joins each input
to one output, so circuits that share an end at one time are of several switches, which a column `switch` tells apart.
A `-` in place of a port is no circuit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from photocol.conversions.source import TIME, read, shown
from photocol.conversions.table import Table
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from photocol.conversions.source import Source

_PORT = re.compile(r"(?P<name>[^\d\s]*(?:.*\D)?)(?P<number>\d{1,5})")
_MOST_PORTS, _MOST_SWITCHES = 4096, 1024
_MOST_ROWS = 1_000_000
_MOST_OUTPUTS = 1 << 26
_US = 10**6
_LONGEST_PS = 60 * 10**12
"""Weeks are not longer."""
_NONE = "-"
Row = tuple[int, int, int, list[int]]
"""Switch, start and length in picoseconds, and the output of each input, -1 for none."""


@dataclass(frozen=True)
class Week:
    """A week as schedules have it."""

    ports: int
    week_ps: int
    holds: list[Row]


@dataclass(frozen=True)
class _Circuit:
    switch: int
    start: int
    end: int
    source: int
    target: int
    line: int


def is_week(file: Path) -> bool:
    """Whether a file is such a table."""
    source = read(file)
    if source.text.lstrip()[:1] in ("{", "["):
        return False
    return {"start", "end", "source", "target"} <= set(Table(source).columns)


def read_week(
    file: Path,
    *,
    week: str | None = None,
    reconfiguration: str = "0 s",
    ports: int | None = None,
    both_ways: bool = False,
    time_unit: str = "s",
) -> Week:
    """The schedule of a table with the columns start, end, from, to and perhaps switch.

    Arguments:
        file: the table; a unit in a title, as in `start_ms`, or in a field holds before `time_unit`.
        week: after which time the circuits come again; by default at the last end.
        reconfiguration: how long a switch is dark before it joins others.
        ports: how many there are; by default as many as the largest number says.
        both_ways: whether a row is a circuit back too.
        time_unit: of numbers without a unit.

    Raises InputError with the line.
    """
    source = read(file)
    circuits = _circuits(source, time_unit, both_ways=both_ways)
    last = max((one.end for one in circuits), default=0)
    week_ps = last if week is None else _length(source, "week", week)
    dark_ps = _length(source, "reconfiguration", reconfiguration)
    if last == 0:
        source.wrong(1, "there are no circuits; allowed: at least one")
    if last > _LONGEST_PS:
        late = next(one for one in circuits if one.end > _LONGEST_PS)
        source.wrong(
            late.line,
            f"the circuit ends after {late.end / 10**12:g} s; allowed: at most 60 s. A title names the unit, as in "
            "start_us and end_us; without one, times are seconds",
        )
    if week_ps < last:
        late = next(one for one in circuits if one.end > week_ps)
        source.wrong(late.line, f"the circuit ends behind the week of {week}; allowed: up to that")
    named = 1 + max(max(one.source, one.target) for one in circuits)
    count = named if ports is None else ports
    if not named <= count <= _MOST_PORTS:
        raise InputError(f"{file}: ports is {count}; allowed: {named} to {_MOST_PORTS}, for the table has that many")
    return Week(count, week_ps, list(_holds(source, circuits, count, dark_ps)))


def _length(source: Source, name: str, span: str) -> int:
    try:
        return source.quantity(0, name, span, "s", TIME)
    except InputError as error:
        raise InputError(str(error).replace(f"{source.name}:0: ", "")) from None


def _circuits(source: Source, time_unit: str, *, both_ways: bool) -> list[_Circuit]:
    table = Table(source)
    if not {"start", "end", "source", "target"} <= set(table.columns):
        source.wrong(table.line, f"found the titles {shown(', '.join(table.columns))}; allowed: start, end, from, to")
    found: list[_Circuit] = []
    names: dict[str, int] = {}
    for line, known in table.known():
        begin, end, source_, target = table.needed(line, known, "start", "end", "source", "target")
        unit = known.get("start unit", time_unit)
        start_ps = source.quantity(line, "start", begin, unit, TIME)
        end_ps = source.quantity(line, "end", end, known.get("end unit", unit), TIME)
        if end_ps <= start_ps:
            source.wrong(line, "the circuit ends before it starts; allowed: an end after the start")
        if _NONE in (source_, target):
            continue
        switch = source.whole(line, "switch", known.get("switch") or "0", 0, _MOST_SWITCHES - 1)
        ends = (_port(source, line, source_, names), _port(source, line, target, names))
        if ends[0] == ends[1]:
            source.wrong(line, f"found a circuit from {shown(source_)} to itself; allowed: two ports")
        found += [_Circuit(switch, start_ps, end_ps, *ends, line)]
        found += [_Circuit(switch, start_ps, end_ps, *ends[::-1], line)] if both_ways else []
        if len(found) > _MOST_ROWS:
            source.wrong(line, f"too many circuits; allowed: {_MOST_ROWS}")
    return found


def _port(source: Source, line: int, name: str, names: dict[str, int]) -> int:
    """The number of a port; the words before the numbers are the same everywhere."""
    match = _PORT.fullmatch(name)
    if match is None or (names and match["name"] not in names):
        how = f"numbers behind {shown(next(iter(names)))}, as in line {next(iter(names.values()))}" if names else ""
        source.wrong(line, f"found the port {shown(name)}; allowed: {how or 'a number, or a name that ends in one'}")
    names.setdefault(match["name"], line)
    return source.whole(line, "port", match["number"], 0, _MOST_PORTS - 1)


def _holds(source: Source, circuits: Iterable[_Circuit], ports: int, dark_ps: int) -> Iterator[Row]:
    """The matchings: from each time at which a switch changes to the next one, dark for so long before it."""
    of_switch: dict[int, list[_Circuit]] = {}
    for one in circuits:
        of_switch.setdefault(one.switch, []).append(one)
    outputs = 0
    for switch in range(max(of_switch) + 1):
        own = sorted(of_switch.get(switch, ()), key=lambda one: (one.start, one.line))
        edges = sorted({edge for one in own for edge in (one.start, one.end)})
        up: list[_Circuit] = []
        last: tuple[int, list[int]] | None = None
        place = 0
        for start, end in pairwise(edges):
            up = [one for one in up if one.end > start]
            while place < len(own) and own[place].start <= start:
                up.append(own[place])
                place += 1
            if not up:
                continue
            outputs += ports
            if outputs > _MOST_OUTPUTS:
                source.wrong(up[0].line, "the week has too many matchings of so many ports; allowed: a shorter one")
            joined = _matching(source, up, ports)
            if last is not None and start - last[0] < dark_ps and joined != last[1]:
                one = next((one for one in up if one.start == start), up[0])
                at, after, dark = (f"{time / _US:g} us" for time in (start, start - last[0], dark_ps))
                source.wrong(
                    one.line,
                    f"switch {switch} joins other ports at {at}, {after} after the last ones; allowed: at least "
                    f"{dark}, the reconfiguration. Circuits of one switch begin and end together; a column `switch` "
                    "tells several apart",
                )
            last = end, joined
            yield switch, start, end - start, joined


def _matching(source: Source, up: Iterable[_Circuit], ports: int) -> list[int]:
    """The output of each input; each end once."""
    joined = [-1] * ports
    line_of: dict[int, int] = {}
    for one in up:
        if joined[one.source] == one.target:
            source.wrong(one.line, f"the circuit overlaps the same one of line {line_of[one.target]}; allowed: once")
        if joined[one.source] >= 0 or one.target in line_of:
            other = line_of.get(one.target, line_of.get(joined[one.source], one.line))
            source.wrong(
                one.line,
                f"an end of this circuit has the one of line {other} at the same time; allowed: one for each switch, "
                "of which a column `switch` has the number",
            )
        joined[one.source] = one.target
        line_of[one.target] = one.line
    return joined
