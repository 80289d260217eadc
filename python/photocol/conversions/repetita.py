"""REPETITA (Gay, Schaus, Vissicchio 2017): networks (`.graph`) and traffic matrices (`.demands`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import MOST, Demand, Found
from photocol.conversions.source import DEMAND, cleaned, plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_RATE_UNIT = "kbps"
_DELAY_UNIT = "us"
_HIGHEST_COST = 2**32 - 1


def read_graph(source: Source, choices: Choices) -> Found:
    """Nodes by number, links of one direction with weight, kbit/s and microseconds."""
    found = Found(file=source.name, format="repetita")
    graph = Graph(source, choices, found)
    lines = source.lines()
    for number, (line, fields) in enumerate(_section(source, lines, "NODES", 3)):
        label, longitude, latitude = fields
        graph.node(line, str(number), label, {"longitude": longitude, "latitude": latitude})
    for line, fields in _section(source, lines, "EDGES", 6):
        _, start, end, weight, capacity, delay = fields
        ends = graph.ends(line, _key(start), _key(end))
        known = {"capacity": capacity, "capacity unit": _RATE_UNIT, "delay": delay, "delay unit": _DELAY_UNIT}
        graph.link(line, ends, known, two_way=False)
        found.links[-1].cost = source.whole(line, "weight", weight, 0, _HIGHEST_COST)
    return _with_rest(found, lines, "EDGES")


def read_demands(source: Source, choices: Choices) -> Found:
    """Rates in kbit/s between nodes that are named by their number in the `.graph`."""
    found = Found(file=source.name, format="repetita-demands", by_place=True)
    unit = choices.unit("capacity_unit", _RATE_UNIT)
    lines = source.lines()
    for line, (label, start, end, rate) in _section(source, lines, "DEMANDS", 4):
        bps = source.quantity(line, "bw", rate, unit, DEMAND)
        ends = (_key(start), _key(end))
        found.demands.append(Demand(name=cleaned(label), source=ends[0], target=ends[1], bps=bps, line=line))
    return _with_rest(found, lines, "DEMANDS")


def _with_rest(found: Found, lines: Iterator[tuple[int, str]], head: str) -> Found:
    """The same, with a word about rows that are more than the head of their section says."""
    if more := sum(1 for _ in lines):
        found.warnings.append(f"left out, lines behind those that {head} counts: {more}")
    return found


def _key(text: str) -> str:
    """The number of a node; a name stays what it is."""
    number = plain(text)
    is_number = number is not None and abs(number) < MOST and number == number.to_integral_value()
    return str(int(number)) if number is not None and is_number else cleaned(text)


def _section(
    source: Source, lines: Iterator[tuple[int, str]], head: str, columns: int
) -> Iterator[tuple[int, list[str]]]:
    """The rows of a section: `HEAD n`, a line of titles, n rows of so many columns."""
    line, text = next(lines, (1, ""))
    words = text.split()
    if len(words) != 2 or words[0].upper() != head:
        source.wrong(line, f"found {shown(text)}; allowed: {head} and how many")
    count = source.whole(line, head, words[1], 0, MOST)
    next(lines, None)
    for number in range(count):
        row, text = next(lines, (line, ""))
        fields = text.split()
        if not fields:
            source.wrong(line, f"{head} says {count}, the file has {number}: it is cut off")
        if len(fields) != columns:
            source.wrong(row, f"found {len(fields)} columns; allowed: {columns}")
        yield row, fields
