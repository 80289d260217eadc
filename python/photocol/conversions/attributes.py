"""What nodes and links of GML, GraphML and CSV are called, whoever wrote the file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from photocol.conversions.found import MOST, Found, Link, Node
from photocol.conversions.source import DELAY, LENGTH, RATE, cleaned, plain, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

LATITUDES = ("latitude", "lat")
LONGITUDES = ("longitude", "lon", "lng", "long")
_RATES = ("rate", "datarate", "data_rate", "bitrate", "bit_rate", "speed")
CAPACITIES = ("linkspeedraw", "capacity", "cap", "bandwidth", "bw", *_RATES)
DELAYS = ("delay", "latency")
LENGTHS = ("length", "distance", "dist", "km")
_SPEED_UNITS = {"": "bps", "k": "kbps", "m": "Mbps", "g": "Gbps", "t": "Tbps"}
_LETTER = re.compile(r"[\d.]{1,20}\s*[kKMGT]")
"""A speed as it is spoken: 10G."""
_SLOW = 1_000_000
"""Links of fewer bit/s are rather ones whose unit nobody has written."""
_SHORT = 90
_MISSING = {"", "nan", "_nan", "none", "null", "na", "n/a", "-", "inf", "+inf", "-inf", "unlimited"}


@dataclass
class Graph:
    """A graph while it is read: nodes by the file's own names for them, their labels made unique."""

    source: Source
    choices: Choices
    found: Found
    names: dict[str, str] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    """Names, and how often each was wanted."""
    units: set[str] = field(default_factory=set)
    """Kinds of numbers that were read without a unit, which is said once."""
    on_earth: bool = True
    """Whether coordinates are degrees."""

    def node(self, line: int, key: str, label: str, known: Mapping[str, str]) -> None:
        """A node; one with the label of another is called `label (key)`."""
        if key in self.names:
            self.source.wrong(line, f"found a second node with the id {shown(key)}")
        if len(self.names) >= MOST:
            self.source.wrong(line, f"too many nodes; allowed: {MOST}")
        self.names[key] = name = self._unique(cleaned(label) or cleaned(key) or "node", key)
        latitude, longitude = self._position(line, name, known)
        self.found.nodes.append(Node(name=name, latitude=latitude, longitude=longitude))

    def _position(self, line: int, name: str, known: Mapping[str, str]) -> tuple[float | None, float | None]:
        """Latitude and longitude of a node, if the coordinates of the file are degrees.

        That is one decision: where one node's are no place on earth, all are those of a drawing.
        """
        latitude, longitude = (plain(first(known, names)[1]) for names in (LATITUDES, LONGITUDES))
        if latitude is None or longitude is None or not self.on_earth:
            return None, None
        if abs(latitude) > 90 or abs(longitude) > 360:
            self.found.warnings.append(
                f"coordinates are not degrees, as those of {name} in line {line} ({longitude}, {latitude}): all are "
                "left out"
            )
            self.draw()
            return None, None
        return float(latitude), float(longitude)

    def draw(self) -> None:
        """The coordinates of this file are those of a drawing."""
        self.on_earth = False
        for node in self.found.nodes:
            node.latitude = node.longitude = None

    def _unique(self, label: str, key: str) -> str:
        """The label, with the key behind it if it is taken, and with a number if that is taken too."""
        if label not in self.taken:
            self.taken[label] = 1
            return label
        base = name = cleaned(f"{label[:_SHORT]} ({key[:_SHORT]})")
        while name in self.taken:
            self.taken[base] += 1
            name = f"{base[:_SHORT]} #{self.taken[base]}"
        self.taken[name] = 1
        self.found.renamed.append(name)
        return name

    def ends(self, line: int, source: str, target: str) -> tuple[str, str]:
        """The names of the nodes at the ends of a link."""
        for what, key in (("source", source), ("target", target)):
            if key not in self.names:
                self.source.wrong(line, f"{what}: there is no node {shown(key)}; allowed: the nodes of the file")
        return self.names[source], self.names[target]

    def link(self, line: int, ends: tuple[str, str], known: Mapping[str, str], *, two_way: bool) -> None:
        """A link between two nodes that are known by their names in the scenario."""
        if len(self.found.links) >= MOST:
            self.source.wrong(line, f"too many links; allowed: {MOST}")
        self.found.links.append(
            Link(
                source=ends[0],
                target=ends[1],
                bps=self._capacity(line, known),
                delay_ps=self._delay(line, known),
                metres=self._length(line, known),
                two_way=two_way if self.choices.directed is None else not self.choices.directed,
                line=line,
            )
        )

    def _capacity(self, line: int, known: Mapping[str, str]) -> int | None:
        name, text = first(known, CAPACITIES)
        speed, unit = known.get("linkspeed", ""), known.get("linkspeedunits", "").strip().lower()
        if not text and plain(speed) is not None and unit in _SPEED_UNITS:
            name, text = "LinkSpeed", f"{speed.strip()} {_SPEED_UNITS[unit]}"
        if not text or plain(text) == 0:
            return None
        if _LETTER.fullmatch(text.strip()):
            text = f"{text.strip()}bps"
        said = self.choices.capacity_unit or known.get(f"{name} unit")
        if (number := plain(text)) is not None and not said and number < _SLOW and "capacity" not in self.units:
            self.units.add("capacity")
            self.found.warnings.append(
                f"capacities are numbers without a unit: taken as bit/s, as the {number:f} in line {line} "
                "(capacity_unit says another)"
            )
        unit = self.choices.unit("capacity_unit", known.get(f"{name} unit", "bps"))
        return self.source.quantity(line, name, text, unit, RATE)

    def _delay(self, line: int, known: Mapping[str, str]) -> int | None:
        name, text = first(known, DELAYS)
        if not text:
            return None
        said = known.get(f"{name} unit", "")
        if plain(text) is not None and not said and self.choices.delay_unit is None and "delay" not in self.units:
            self.units.add("delay")
            self.found.warnings.append("delays are numbers without a unit: taken as ms (delay_unit says another)")
        return self.source.quantity(line, name, text, self.choices.unit("delay_unit", said or "ms"), DELAY) or None

    def _length(self, line: int, known: Mapping[str, str]) -> int | None:
        name, text = first(known, LENGTHS)
        if not text:
            return None
        return self.source.quantity(line, name, text, known.get(f"{name} unit", "km"), LENGTH) or None


def first(known: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str]:
    """The first of these that has a value, and the value; NaN and the like are none."""
    for name in names:
        text = known.get(name, "").strip()
        if text.lower() not in _MISSING:
            return name, text
    return names[0], ""
