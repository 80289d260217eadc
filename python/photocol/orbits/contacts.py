"""A file of contacts: what the engine runs a constellation from (`crates/sim/src/topology/contacts/plan.rs` reads it).

It has the links that some route uses, each from its first use until it may be empty again, with the delay at each step
while it carries; and the routes of all pairs in both directions. Where a route changes, packets may be at nodes that
are none of the new one: it has their ways too, the shortest from there at that step, of nodes that were on a route
within the last ten seconds.

Comments at its end say where satellites are over time and which have lasers, for pictures: the engine needs no places.
`known.py` reads them.
"""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.earth import LIGHT_M_S, latitude_longitude

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from photocol.orbits.constellation import Constellation
    from photocol.orbits.routes import Nodes, Routes
    from photocol.orbits.sight import Links
    from photocol.orbits.window import Window

HEAD = "photocol-contacts,1"
UNDER_WAY_NS = 10_000_000_000
"""Packets that have been under way for longer are lost where the route has changed."""
PLACE = "# place"
"""A comment that begins so has a node, a time between places in picoseconds, and degrees north and east, from 0 on."""
LASERS = "# lasers"
"""The same with pairs of satellites, numbered from 0 on in the order of their places."""
_PLACES_S, _MOST_PLACES = 20.0, 240
_PS_IN_NS, _PS_PER_METRE = 1000, 1e12 / LIGHT_M_S
Ends = tuple[int, int]


@dataclass
class _Direction:
    """A pair in one direction: its route, and when the nodes on which packets may be were last on one."""

    source: int
    target: int
    now: Nodes | None = None
    seen: dict[int, int] = field(default_factory=dict)
    rows: list[tuple[int, Nodes, list[Nodes]]] = field(default_factory=list)
    """Step, route, other ways."""


@dataclass
class _Link:
    """A link: the last step at which it is needed, and its contacts, each a first step and delays in picoseconds."""

    until: int = -1
    contacts: list[tuple[int, list[int]]] = field(default_factory=list)


def contacts(made: Constellation, pairs: Iterable[Sequence[str]], duration_s: float) -> str:
    """The text of the file for these pairs of stations, from 0 to `duration_s`. Raises InputError as `routes` does.

    A pair has both directions, in whatever order it is given.
    """
    known: dict[frozenset[str], Sequence[str]] = {}
    for pair in pairs:
        known.setdefault(frozenset(pair), pair)
    return _Plan(made.routes(known.values(), duration_s)).text(made, duration_s)


class _Plan:
    """Contacts and routes, window by window."""

    def __init__(self, routes: Routes) -> None:
        self.routes, self.satellites = routes, routes.satellites
        self.wait = routes.clock.steps(UNDER_WAY_NS)
        nodes = [(routes.satellites + one, routes.satellites + other) for one, other in routes.pairs]
        self.directions = [[_Direction(one, other), _Direction(other, one)] for one, other in nodes]
        self.lasers = {(one, other): link for link, (one, other) in enumerate(routes.plan.sight.lasers.tolist())}
        self.links: dict[Ends, _Link] = {}
        for first, links, window in routes.windows():
            self._window(first, links, window)

    def _window(self, first: int, links: Links, window: Window) -> None:
        block = self.routes.block(links, window)
        last = first + len(links.times_s) - 1
        for directions, paths in zip(self.directions, block.nodes, strict=True):
            for direction in directions:
                is_there = direction is directions[0]
                for step, path in enumerate(paths):
                    nodes = path if is_there else path[::-1]
                    if nodes != direction.now:
                        self._change(direction, first + step, nodes, window)
                if direction.now:
                    self._use(direction.now, last)
        self._record(first, links, window)

    def _change(self, direction: _Direction, step: int, nodes: Nodes, window: Window) -> None:
        """A pair has another route from a step on."""
        before = direction.now or ()
        self._use(before, step)
        seen = {node: when for node, when in direction.seen.items() if step - when <= self.wait}
        seen |= dict.fromkeys(before[1:-1], step)
        direction.seen, others = dict(seen), []
        for node in sorted(seen.keys() - set(nodes)):
            way = window.way(node, direction.target, step)
            if way is not None and direction.source not in way:
                others.append(way)
                self._use(way, step)
                for one in way[:-1]:
                    direction.seen.setdefault(one, seen[node])
        direction.rows.append((step, nodes, others))
        direction.now = nodes
        self._use(nodes, step)

    def _use(self, nodes: Nodes, step: int) -> None:
        """Packets may be on these links for some time after a step."""
        for one, other in itertools.pairwise(nodes):
            link = self.links.setdefault((min(one, other), max(one, other)), _Link())
            link.until = max(link.until, step + self.wait)

    def _record(self, first: int, links: Links, window: Window) -> None:
        """The delays of a window, of links that are needed in it."""
        ground = {
            (satellite, self.satellites + station): place
            for place, (station, satellite) in enumerate(links.ground.tolist(), len(links.lasers))
        }
        for ends, link in self.links.items():
            column = self.lasers.get(ends, self.lasers.get(ends[::-1], ground.get(ends)))
            if link.until < first or column is None:
                continue
            for begin, delays in _runs(window.net.metres[:, column]):
                known = link.contacts[-1] if link.contacts else None
                if known is not None and known[0] + len(known[1]) == first + begin:
                    known[1].extend(delays)
                else:
                    link.contacts.append((first + begin, delays))

    def text(self, made: Constellation, duration_s: float) -> str:
        """The file: stations and the satellites that are used, contacts, routes, places."""
        stations = [self.satellites + number for number in range(len(made.stations))]
        order = [*stations, *sorted({node for ends in self.links for node in ends} - set(stations))]
        number = {node: place for place, node in enumerate(order)}
        step_ps = self.routes.clock.step_ns * _PS_IN_NS
        out = io.StringIO()
        out.write(HEAD + "\n")
        rows = csv.writer(out, lineterminator="\n")
        rows.writerows(self._nodes(made, order))
        for (one, other), link in sorted(self.links.items()):
            for begin, delays in link.contacts:
                rows.writerow(
                    ["contact", number[one], number[other], begin * step_ps, step_ps, " ".join(map(str, delays))]
                )
        for direction in (one for both in self.directions for one in both):
            ends = [number[direction.source], number[direction.target]]
            for step, nodes, others in direction.rows:
                rows.writerow(["route", step * step_ps, *ends, " ".join(str(number[node]) for node in nodes)])
                rows.writerows(["way", " ".join(str(number[node]) for node in way)] for way in others)
        rows.writerows(_places(made, number, duration_s))
        rows.writerow([LASERS, " ".join(f"{one} {other}" for one, other in self.lasers)])
        return out.getvalue()

    def _nodes(self, made: Constellation, order: list[int]) -> Iterator[list[object]]:
        taken = {station.name for station in made.stations}
        for node in order:
            if node >= self.satellites:
                station = made.stations[node - self.satellites]
                yield ["node", station.name, "station", station.latitude_deg, station.longitude_deg]
            else:
                name = made.satellites[node].replace("->", " ") or str(node)
                name = f"{name} ({node})" if name in taken else name
                taken.add(name)
                yield ["node", name, "satellite", "", ""]


def _places(made: Constellation, number: dict[int, int], duration_s: float) -> Iterator[list[object]]:
    """Where each satellite is over time, to a hundredth of a degree; those that no route uses have no number."""
    step_s = max(_PLACES_S, duration_s / _MOST_PLACES)
    north, east = latitude_longitude(made.positions(np.arange(0.0, duration_s + step_s, step_s)))
    degrees = np.stack([north, east], axis=-1)
    for node in range(len(made.satellites)):
        words = " ".join(f"{one:.2f}" for one in degrees[:, node].ravel().tolist())
        yield [PLACE, number.get(node, ""), round(step_s * 1e12), words]


def _runs(metres: NDArray[np.float64]) -> Iterator[tuple[int, list[int]]]:
    """Where a link carries without a break: the first place, and the delays in whole picoseconds."""
    there = np.concatenate([[False], np.isfinite(metres), [False]])
    edges = np.nonzero(there[1:] != there[:-1])[0]
    for begin, end in edges.reshape(-1, 2).tolist():
        yield begin, np.rint(metres[begin:end] * _PS_PER_METRE).astype(np.int64).tolist()
