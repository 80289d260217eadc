"""The shortest path of a pair of stations at one step, by A* (Hart, Nilsson, Raphael, 1968) with the window's bounds.

Nodes are satellites by number, and behind them stations. With lasers no station stands in the middle of a path;
without them (`relay = "ground"`) satellites and stations take turns. Of several paths of exactly the same length that
one counts whose nodes have the lower numbers, compared from the station with the lower number on.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.bounds import MARGIN_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from photocol.orbits.sight import Links

INFINITE = float("inf")
UNREACHED_M = 1e18
"""In the place of infinity in bounds, of which differences are taken."""
Neighbours = list[tuple[int, int]]
"""Other node and number of the link."""


@dataclass(frozen=True)
class Path:
    """Nodes from one station to the other, and the links between them by their numbers in the window."""

    nodes: tuple[int, ...]
    links: tuple[int, ...]


@dataclass(frozen=True)
class Target:
    """A station that is to be reached: its bounds at both ends of the window, by node."""

    node: int
    first: Sequence[float]
    last: Sequence[float]
    doors: dict[int, int]
    """The satellites that may reach it, and by which link."""


class Net:
    """The links of a window of steps: lasers, and behind them ground links."""

    def __init__(self, links: Links, usable: NDArray[np.bool_], lasers: list[Neighbours], satellites: int) -> None:
        """`usable` has shape (instants, lasers and ground links), `lasers` each satellite's neighbours by laser."""
        self.lasers, self.satellites = lasers, satellites
        self.metres = np.where(usable, np.concatenate([links.laser_m, links.ground_m], axis=1), INFINITE)
        self.rows: dict[int, list[float]] = {}
        self.up: dict[int, Neighbours] = {}
        self.down: dict[int, Neighbours] = {}
        for link, (station, satellite) in enumerate(links.ground.tolist(), len(links.lasers)):
            self.up.setdefault(satellites + station, []).append((satellite, link))
            self.down.setdefault(satellite, []).append((satellites + station, link))

    def row(self, instant: int) -> list[float]:
        """The lengths of all links at an instant, infinite where one carries nothing."""
        if instant not in self.rows:
            self.rows[instant] = self.metres[instant].tolist()
        return self.rows[instant]

    def near(self, node: int, *, has_lasers: bool) -> Neighbours:
        """The neighbours that may stand behind a node in the middle of a path, or behind its first."""
        if node >= self.satellites:
            return self.up.get(node, [])
        return self.lasers[node] if has_lasers else self.down.get(node, [])

    def doors(self, station: int) -> dict[int, int]:
        """The satellites of a station, each with the number of the link."""
        return dict(self.up.get(station, ()))

    def along(self, path: Path) -> NDArray[np.float64]:
        """The length of a path at each instant, infinite where one of its links carries nothing."""
        length: NDArray[np.float64] = self.metres[:, list(path.links)].sum(axis=1)
        return length


class Search:
    """Searches in a window; `has_lasers` tells lasers from ground stations that relay."""

    def __init__(self, net: Net, *, has_lasers: bool) -> None:
        self.net, self.has_lasers = net, has_lasers

    def shortest(self, source: int, target: Target, instant: int, share: float) -> Path | None:
        """The shortest path at an instant, which is this share of the way through the window."""
        row, doors = self.net.row(instant), target.doors if self.has_lasers else {}
        lengths: dict[int, float] = {source: 0.0}
        before: dict[int, Neighbours] = {}
        expanded: dict[int, float] = {}
        heap, best = [(0.0, source)], INFINITE
        while heap:
            bound, node = heappop(heap)
            if bound > best + MARGIN_M:
                break
            length = lengths[node]
            if expanded.get(node) == length:
                continue
            expanded[node] = length
            if node == target.node:
                best = length
                continue
            near = self.net.near(node, has_lasers=self.has_lasers)
            if node in doors:
                near = [*near, (target.node, doors[node])]
            for other, link in near:
                way = length + row[link]
                known = lengths.get(other, INFINITE)
                if way < known:
                    rest = (1 - share) * target.first[other] + share * target.last[other]
                    if rest < UNREACHED_M / 2:
                        lengths[other], before[other] = way, [(node, link)]
                        heappush(heap, (way + rest - MARGIN_M, other))
                elif way == known < INFINITE and (node, link) not in before[other]:
                    before[other].append((node, link))
        return None if best == INFINITE else _first_of(before, source, target.node)


def _first_of(before: dict[int, Neighbours], source: int, target: int) -> Path:
    """The path with the lower numbers, of all that lead from source to target."""
    behind: dict[int, Neighbours] = {}
    left = [target]
    while left:
        node = left.pop()
        for earlier, link in before.get(node, ()):
            if earlier not in behind and earlier != source:
                left.append(earlier)
            behind.setdefault(earlier, []).append((node, link))
    nodes, links = [source], list[int]()
    while nodes[-1] != target:
        node, link = min(behind[nodes[-1]])
        nodes.append(node)
        links.append(link)
    return Path(tuple(nodes), tuple(links))
