"""OrbCC's JSON: the bandwidth or the base round trip of a path over time, `{"0": 53, "5.118": 60, …}`.

Seconds to Mb/s, or seconds to milliseconds of round trip. The path is a client, two routers and a server: three links
that share the round trip, the middle one with the bandwidth, the others with 10 Gb/s.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from photocol.conversions.contacts import checked
from photocol.conversions.found import Contact, Found, Node
from photocol.conversions.source import DELAY, RATE, TIME, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

PATH = ("client", "router1", "router2", "server")
_ACCESS_BPS = 10_000_000_000
_ONE_WAYS = 6
"""One-way delays of links in a round trip."""
_STEADY = 20_000_000_000
"""The round trip in ps where no file says it: 20 ms."""
_MOST_DIGITS = 60
_KEY = re.compile(r'"([^"\\]*)"\s*:')


def parsed(source: Source) -> Any:
    """JSON with its numbers as texts, each key once."""
    try:
        return json.loads(
            source.text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_Once(source).table
        )
    except json.JSONDecodeError as error:
        source.wrong(error.lineno, f"not JSON: {error.msg}")
    except RecursionError:
        source.wrong(1, "too many lists within lists; allowed: some hundred")


class _Once:
    """Refuses a key that is there twice."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def table(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for key, value in pairs:
            if key in known:
                self.source.wrong(line_of(self.source, key), f"the key {shown(key)} is there twice")
            known[key] = value
        return known


def line_of(source: Source, key: str) -> int:
    """The line where a key is first written; 1 where it is written otherwise."""
    return lines_of(source).get(key, 1)


def lines_of(source: Source) -> dict[str, int]:
    """Keys to the lines where they are first written."""
    lines: dict[str, int] = {}
    for number, line in enumerate(source.text.split("\n"), 1):
        for match in _KEY.finditer(line):
            lines.setdefault(match[1], number)
    return lines


def is_round_trip(source: Source) -> bool:
    """Which of the two a file is, by the names of the file and its folders: they are not told apart inside."""
    return "rtt" in "/".join(source.path.parts[-3:]).lower()


def read(sources: Sequence[Source], choices: Choices) -> Found:
    """One run from one or both of its files."""
    courses = {is_round_trip(source): _course(source, choices) for source in sources}
    if len(courses) < len(sources):
        sources[-1].wrong(1, 'two files of one kind; allowed: one with bandwidths, one with "rtt" in its path')
    main = sources[0]
    found = Found(file=main.name, format="orbcc", ends=(PATH[0], PATH[-1]))
    found.nodes = [
        Node(name=name, role=role) for name, role in zip(PATH, ("host", "core", "core", "host"), strict=True)
    ]
    ends = list(pairwise(PATH))
    rates, trips = courses.get(False, {}), courses.get(True, {})
    times = sorted({*rates, *trips})
    if len(times) < 2:
        main.wrong(1, "there are fewer than two times; allowed: at least two, the last is the end")
    missing = choices.quantity("delay") or _STEADY // _ONE_WAYS
    period = choices.quantity("handover_every")
    rate, trip = None, None
    for start, end in pairwise(times):
        rate, trip = rates.get(start, rate), trips.get(start, trip)
        delay = missing if trip is None else max(1, trip // _ONE_WAYS)
        for a, b in ends:
            middle = (a, b) == ends[1]
            stop = _handover(start, end, period) if middle else end
            bps = rate if middle else _ACCESS_BPS
            found.contacts.append(
                Contact(source=a, target=b, start_ps=start, end_ps=stop, bps=bps, delay_ps=delay, two_way=True, line=1)
            )
    return checked(main, found)


def _handover(start: int, end: int, period: int | None) -> int:
    """When the link goes down before its values change: at the last multiple of the period that is not later."""
    if period is None:
        return end
    down = end // period * period
    return down if down > start else end


def _course(source: Source, choices: Choices) -> dict[int, int]:
    """Time to value, both in our units."""
    table = parsed(source)
    if not isinstance(table, dict):
        source.wrong(1, 'found no table; allowed: times and values, such as {"0": 53, "15": 60}')
    round_trip = is_round_trip(source)
    course: dict[int, int] = {}
    lines = lines_of(source)
    for key, value in table.items():
        line = lines.get(key, 1)
        time = source.quantity(line, "time", key, choices.unit("time_unit", "s"), TIME)
        if not isinstance(value, str) or len(value) > _MOST_DIGITS:
            source.wrong(line, "found no number; allowed: a number")
        if time in course:
            source.wrong(line, f"the time {shown(key)} is there twice")
        unit = choices.unit("delay_unit", "ms") if round_trip else choices.unit("capacity_unit", "Mbps")
        course[time] = source.quantity(line, "value", value, unit, DELAY if round_trip else RATE)
    if 0 not in course:
        source.wrong(1, "there is no value at 0; allowed: a table that begins with it")
    return course
