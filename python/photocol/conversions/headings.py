"""Names of columns and attributes, and the units in them: `capacity_mbps`, `delay (ms)`, `linkCapacityGbps`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.conversions.source import DELAY, DEMAND, LENGTH, RATE, SIZE, TIME, shown
from photocol.conversions.units import is_like_a_unit, scale

if TYPE_CHECKING:
    from photocol.conversions.source import Range, Source

_SYNONYMS = {
    "source": ("source", "src", "from", "node1", "node_1", "start_node", "node_a"),
    "target": ("target", "to", "dst", "dest", "destination", "node2", "node_2", "end_node", "node_b"),
    "start": ("start", "start_time", "begin", "time", "at"),
    "end": ("end", "end_time", "stop"),
    "size": ("size", "bytes", "flow_size"),
    "capacity": ("capacity", "cap", "bandwidth", "bw", "rate", "datarate", "data_rate", "bitrate", "bit_rate", "speed"),
    "delay": ("delay", "latency", "owlt", "light_time", "one_way_light_time"),
    "length": ("length", "distance", "dist", "km"),
    "demand": ("demand", "traffic", "offered_load", "volume"),
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
    "demand": DEMAND,
}
"""Columns that are numbers with units."""
_OF_LINKS = ("capacity", "delay", "length")
_ZOO = {"linkspeed", "linkspeedraw", "linkspeedunits"}
"""Names of the Topology Zoo, which mean together what one of them does not."""
_PREFIXES = re.compile(r"^(?:link|edge|fibre|fiber|propagation|prop|max|total)_+(?=.)", re.IGNORECASE)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PER_SECOND = re.compile(r"(?<=[bBtTsS])_(?:per_)?s(?:ec|econd)?$")
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
    if unit or name.lower() in _ZOO:
        return (known, unit) if unit else (name.lower(), "")
    return _NAMES.get(_plain(name), name.lower()), ""


def is_title(text: str) -> bool:
    """Whether a word is the name of a column that readers know."""
    name = "_".join(text.split())
    return bool(_parted(name)[0]) or _plain(name) in _NAMES


def attribute(text: str) -> tuple[str, str]:
    """The same of an attribute in a graph, whose name stays, in small letters, if there is no unit in it.

    A name in one word, or with a word such as "link" before it, is that of the quantity: `linkCapacity`, `prop_delay`.
    """
    known, unit, _ = _parted("_".join(text.split()))
    if unit:
        return known, unit
    plain = _plain(text)
    is_quantity = _NAMES.get(plain, "") in _OF_LINKS and text.lower() not in _ZOO
    return (plain if is_quantity else text.lower()), ""


def _plain(text: str) -> str:
    """Small letters, `_` between words, without a word before them that says of what a quantity is."""
    words = _HUMP.sub("_", "_".join(text.replace("-", "_").split())).lower()
    if words in _NAMES:
        return words
    return _PREFIXES.sub("", words)


def _parted(text: str) -> tuple[str, str, str]:
    """The quantity that is named, its unit, and a word in place of a unit that is none."""
    found = _split(text)
    if found[1] or found[2] or len(text) > _LONGEST_TITLE:
        return found
    # The same in other people's spelling: capacityGbps, link-capacity-gbps, bandwidth_Gbit_s, delay_in_ms.
    spelt = _PER_SECOND.sub("/s", _HUMP.sub("_", text.replace("-", "_")).replace("_in_", "_"))
    for name in (spelt, _PREFIXES.sub("", spelt)):
        other = _split(name)
        if other[1]:
            return other
    return found


def _split(name: str) -> tuple[str, str, str]:
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
