"""Names of columns and attributes, and the units in them: `capacity_mbps`, `delay (ms)`, `length [km]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.conversions.source import DELAY, LENGTH, RATE, SIZE, TIME, shown
from photocol.conversions.units import is_like_a_unit, scale

if TYPE_CHECKING:
    from photocol.conversions.source import Range, Source

_SYNONYMS = {
    "source": ("source", "src", "from", "node1", "node_1", "start_node", "node_a"),
    "target": ("target", "to", "dst", "dest", "destination", "node2", "node_2", "end_node", "node_b"),
    "start": ("start", "start_time", "begin", "time", "at"),
    "end": ("end", "end_time", "stop"),
    "size": ("size", "bytes", "flow_size"),
    "capacity": ("capacity", "bandwidth", "bw", "rate", "datarate", "data_rate", "speed"),
    "delay": ("delay", "latency", "owlt", "light_time", "one_way_light_time"),
    "length": ("length", "distance", "dist", "km"),
    "slice": ("time_slice", "slice", "timeslice"),
}
_NAMES = {name: known for known, names in _SYNONYMS.items() for name in names}
QUANTITIES: dict[str, Range] = {
    "start": TIME,
    "end": TIME,
    "size": SIZE,
    "capacity": RATE,
    "delay": DELAY,
    "length": LENGTH,
}
"""Columns that are numbers with units."""
_LONGEST_TITLE = 100
_IN_BRACKETS = re.compile(r"(.+?)_?[\[(]_?([^\])]+?)_?[\])]")
_BEHIND = re.compile(r"(.+)_([^_]+)")


def title(source: Source, line: int, text: str) -> tuple[str, str]:
    """A column's name as readers know it, and its unit. A quantity in a unit that is none is refused."""
    name = "_".join(text.split())
    known, unit, wrong = _parted(name)
    if wrong:
        kind = QUANTITIES[known]
        source.wrong(line, f"the column {shown(text)}: {shown(wrong)} is no unit; allowed: {_units_of(kind)}")
    return (known, unit) if unit else (_NAMES.get(name.lower(), name.lower()), "")


def attribute(text: str) -> tuple[str, str]:
    """The same of an attribute in a graph, whose name stays, in small letters, if there is no unit in it."""
    known, unit, _ = _parted("_".join(text.split()))
    return (known, unit) if unit else (text.lower(), "")


def _parted(name: str) -> tuple[str, str, str]:
    """The quantity that is named, its unit, and a word in place of a unit that is none."""
    in_brackets = _IN_BRACKETS.fullmatch(name) if len(name) <= _LONGEST_TITLE else None
    match = in_brackets or (_BEHIND.fullmatch(name) if len(name) <= _LONGEST_TITLE else None)
    known = _NAMES.get(match[1].lower(), "") if match else ""
    if match is None or known not in QUANTITIES:
        return "", "", ""
    if scale(match[2], QUANTITIES[known].base) is not None:
        return known, match[2], ""
    return known, "", match[2] if in_brackets or is_like_a_unit(match[2]) else ""


def _units_of(kind: Range) -> str:
    return {
        "bps": "such as Mbps, Gb/s, kbit/s for bits, MBps, GB/s, KiB/s for bytes",
        "B": "such as B, kB, MiB, kbit",
        "s": "such as s, ms, us, ns",
        "km": "km, m",
    }[kind.base]
