"""The shortest paths of pairs at every step of a window, of which few are searched.

At two steps the path is searched. If it is the same at both, and no other path can be as short at any step between, by
the bounds, it is that of all of them. Otherwise the step in the middle is searched, and both halves are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.bounds import MARGIN_M
from photocol.orbits.search import INFINITE, Path, Search, Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from photocol.orbits.bounds import Bounds
    from photocol.orbits.search import Net


@dataclass(frozen=True)
class Steps:
    """A pair's path at each step of a window, None where it is cut off, and its length in metres, infinite there."""

    paths: list[tuple[int, ...] | None]
    metres: NDArray[np.float64]


class Window:
    """A window of steps."""

    def __init__(self, net: Net, bounds: Bounds, column: dict[int, int], begin: int, *, has_lasers: bool) -> None:
        """`column` is that of a station's node in the bounds; `begin` is the number of the first step."""
        self.net, self.bounds, self.column, self.has_lasers = net, bounds, column, has_lasers
        self.begin = begin
        self.search = Search(net, has_lasers=has_lasers)
        self.instants = len(net.metres)
        self.share = np.linspace(0.0, 1.0, self.instants)
        self.targets: dict[int, Target] = {}
        self.linked: dict[int, NDArray[np.bool_]] = {}

    def steps(self, source: int, target: int) -> Steps:
        """The paths between two stations, given as nodes."""
        pair = _Pair(self, source, self._target(target))
        pair.search(0)
        pair.search(self.instants - 1)
        pair.between(0, self.instants - 1)
        return pair.steps()

    def way(self, node: int, target: int, step: int) -> tuple[int, ...] | None:
        """The nodes from any node to a station at one step, None if none lead there."""
        instant = step - self.begin
        path = self.search.shortest(node, self._target(target), instant, float(self.share[instant]))
        return None if path is None else path.nodes

    def is_linked(self, station: int) -> NDArray[np.bool_]:
        """At which instants a station has any link that carries."""
        if station not in self.linked:
            links = list(self.net.doors(station).values())
            self.linked[station] = np.logical_or.reduce(np.isfinite(self.net.metres[:, links]), axis=1)
        return self.linked[station]

    def _target(self, node: int) -> Target:
        if node not in self.targets:
            column = self.column[node]
            first, last = self.bounds.first[:, column].tolist(), self.bounds.last[:, column].tolist()
            self.targets[node] = Target(node, first, last, self.net.doors(node))
        return self.targets[node]


class _Pair:
    """What is known of a pair in a window."""

    def __init__(self, window: Window, source: int, target: Target) -> None:
        self.window, self.source, self.target = window, source, target
        self.found: list[Path | None] = [None] * window.instants
        self.along: dict[tuple[int, ...], NDArray[np.float64]] = {}
        one, other, bounds = window.column[source], window.column[target.node], window.bounds
        self.first = bounds.first[:, one] + bounds.first[:, other]
        self.last = bounds.last[:, one] + bounds.last[:, other]
        self.linked = window.is_linked(source) & window.is_linked(target.node)

    def search(self, instant: int) -> None:
        """Find the path of an instant."""
        if self.linked[instant]:
            share = float(self.window.share[instant])
            self.found[instant] = self.window.search.shortest(self.source, self.target, instant, share)

    def between(self, begin: int, end: int) -> None:
        """Find those of the instants between two of which it is known."""
        if end - begin < 2:
            return
        path = self.found[begin]
        if _same(path, self.found[end]) and self._is_sure(path, begin, end):
            self.found[begin + 1 : end] = [path] * (end - begin - 1)
            return
        middle = (begin + end) // 2
        self.search(middle)
        self.between(begin, middle)
        self.between(middle, end)

    def steps(self) -> Steps:
        """All of them, when all are known."""
        metres = np.full(self.window.instants, INFINITE)
        for instant, path in enumerate(self.found):
            if path is not None:
                metres[instant] = self._along(path)[instant]
        return Steps([None if path is None else path.nodes for path in self.found], metres)

    def _along(self, path: Path) -> NDArray[np.float64]:
        if path.nodes not in self.along:
            self.along[path.nodes] = self.window.net.along(path)
        return self.along[path.nodes]

    def _is_sure(self, path: Path | None, begin: int, end: int) -> bool:
        """Whether no other path can be as short between two instants."""
        if path is None:
            return not self.linked[begin : end + 1].any()
        metres = self._along(path)[begin : end + 1]
        if not np.isfinite(metres).all():
            return False
        line = np.linspace(metres[0], metres[-1], len(metres))
        above = float(np.max(metres - line)) + MARGIN_M
        near = self._bound(begin) <= metres[0] + above
        near |= self._bound(end) <= metres[-1] + above
        return set(np.nonzero(near)[0].tolist()) <= set(path.nodes) and not self._has_chord(path, begin, end)

    def _bound(self, instant: int) -> NDArray[np.float64]:
        """For each node the length in metres that no path through it can be below."""
        share = self.window.share[instant]
        bound: NDArray[np.float64] = (1 - share) * self.first + share * self.last
        return bound

    def _has_chord(self, path: Path, begin: int, end: int) -> bool:
        """Whether a link between two nodes of the path, that is none of its own, carries in between."""
        nodes, own, net = set(path.nodes), set(path.links), self.window.net
        links = [
            link
            for node in path.nodes
            for other, link in net.near(node, has_lasers=self.window.has_lasers)
            if other in nodes and link not in own
        ]
        return bool(links) and bool(np.isfinite(net.metres[begin : end + 1, links]).any())


def _same(one: Path | None, other: Path | None) -> bool:
    return one is other if one is None or other is None else one.nodes == other.nodes
