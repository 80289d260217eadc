"""Routes of pairs of stations over a run, window by window, and what they come to for a pair.

Times are those of steps: a route holds from its step to the next. All positions are those of the step's instant, so a
round trip is twice the length by the speed of light.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.bounds import Bounds, Relaxation, sagged
from photocol.orbits.earth import LIGHT_M_S
from photocol.orbits.search import UNREACHED_M, Neighbours, Net
from photocol.orbits.serving import Server, Serving, Settled
from photocol.orbits.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from photocol.orbits.propagation import Moving
    from photocol.orbits.serving import Clock
    from photocol.orbits.sight import Links, Sight

_WINDOW_NS = 4_000_000_000
"""Lengths of links bend by metres within 4 s, so that bounds are close."""
_MOST_STEPS = 256
"""Of a window, which is held in memory."""
Nodes = tuple[int, ...]
"""Satellites by number between two stations, which stand behind all satellites; empty where a pair is cut off."""


@dataclass(frozen=True)
class Block:
    """Some steps of a run: their times, the lengths of the routes and the nodes of each.

    `metres` has shape (steps, pairs), infinite where a pair is cut off. `nodes` has a list for each pair.
    """

    times_s: NDArray[np.float64]
    metres: NDArray[np.float64]
    nodes: list[list[Nodes]]


@dataclass(frozen=True)
class Change:
    """From this time on a pair has this route, which is empty while it is cut off; `step` counts from the start."""

    step: int
    time_s: float
    nodes: Nodes


@dataclass(frozen=True)
class Route:
    """A pair over a whole run: round trips in milliseconds at each step, not a number where it is cut off.

    `changes` begins with the route at the start.
    """

    source: str
    target: str
    times_s: NDArray[np.float64]
    round_trip_ms: NDArray[np.float64]
    changes: tuple[Change, ...]

    @property
    def cut_offs(self) -> list[tuple[float, float]]:
        """From when to when the pair has no route, in seconds; to the last step if it has none there."""
        ends = [change.time_s for change in self.changes[1:]] + [float(self.times_s[-1])]
        return [(one.time_s, end) for one, end in zip(self.changes, ends, strict=True) if not one.nodes]


@dataclass(frozen=True)
class Plan:
    """What routes are made of: satellites that move, links in sight, the rule of serving, time to acquire a laser."""

    moving: Moving
    sight: Sight
    serving: Serving
    laser_acquisition_ns: int
    has_lasers: bool


class Routes:
    """Routes of pairs, given as numbers of stations, over `count` steps. Iterating yields blocks in order."""

    def __init__(self, plan: Plan, names: Sequence[str], pairs: Sequence[tuple[int, int]], clock: Clock, count: int):
        self.plan, self.names, self.pairs, self.clock, self.count = plan, names, list(pairs), clock, count
        self.satellites = len(plan.moving)
        stations = sorted({station for pair in pairs for station in pair})
        self.column = {self.satellites + station: column for column, station in enumerate(stations)}
        self.neighbours: list[Neighbours] = [[] for _ in range(self.satellites)]
        for link, (one, other) in enumerate(plan.sight.lasers.tolist()):
            self.neighbours[one].append((other, link))
            self.neighbours[other].append((one, link))
        self.between_lasers = Relaxation(self.satellites, plan.sight.lasers)

    def __iter__(self) -> Iterator[Block]:
        """The blocks, each of some seconds; they are computed when they are asked for."""
        for _, links, window in self.windows():
            yield self.block(links, window)

    def windows(self) -> Iterator[tuple[int, Links, Window]]:
        """The first step of each block, its links, and where their paths are looked for."""
        plan = self.plan
        server = Server(plan.serving, plan.sight, plan.moving, self.clock, self.satellites)
        lasers = Settled((len(plan.sight.lasers),), self.clock.steps(plan.laser_acquisition_ns))
        every = np.arange(len(plan.sight.lasers))
        length = int(np.clip(_WINDOW_NS // self.clock.step_ns, 1, _MOST_STEPS))
        for first in range(0, self.count, length):
            times = self.clock.seconds(np.arange(first, min(first + length, self.count)))
            links = plan.sight.links(times, plan.moving.places(times))
            parts = [lasers.usable(links.laser_in_sight, every), server.usable(first, links)]
            usable = np.concatenate(parts, axis=1)
            net = Net(links, usable, self.neighbours, self.satellites)
            bounds = self._bounds(links, usable)
            yield first, links, Window(net, bounds, self.column, first, has_lasers=plan.has_lasers)

    def tables(self) -> list[Route]:
        """All of it by pair."""
        times, metres = [], []
        changes: list[list[Change]] = [[] for _ in self.pairs]
        step = 0
        for block in self:
            times.append(block.times_s)
            metres.append(block.metres)
            for known, nodes in zip(changes, block.nodes, strict=True):
                for place, now in enumerate(nodes):
                    if not known or known[-1].nodes != now:
                        known.append(Change(step + place, float(block.times_s[place]), now))
            step += len(block.times_s)
        all_times, lengths = np.concatenate(times), np.concatenate(metres)
        trips = np.where(np.isfinite(lengths), 2e3 * lengths / LIGHT_M_S, np.nan)
        return [
            Route(self.names[one], self.names[other], all_times, trips[:, place], tuple(changes[place]))
            for place, (one, other) in enumerate(self.pairs)
        ]

    def block(self, links: Links, window: Window) -> Block:
        """The paths of all pairs in a window."""
        metres, nodes = [], []
        for one, other in self.pairs:
            steps = window.steps(self.satellites + min(one, other), self.satellites + max(one, other))
            metres.append(steps.metres)
            found = [path or () for path in steps.paths]
            nodes.append(found if one < other else [path[::-1] for path in found])
        return Block(links.times_s, np.stack(metres, axis=1), nodes)

    def _bounds(self, links: Links, usable: NDArray[np.bool_]) -> Bounds:
        """Over all links that carry something in the window."""
        carries: NDArray[np.bool_] = np.logical_or.reduce(usable, axis=0)
        lasers = carries[: len(links.lasers)]
        ground = carries[len(links.lasers) :]
        ends = [
            self._reach(
                np.where(lasers, laser, UNREACHED_M), links.ground[ground], np.minimum(way[ground], UNREACHED_M)
            )
            for laser, way in zip(sagged(links.laser_m), sagged(links.ground_m), strict=True)
        ]
        return Bounds(*ends)

    def _reach(
        self, laser_m: NDArray[np.float64], ground: NDArray[np.intp], ground_m: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The shortest lengths from the stations of the pairs to all nodes, of shape (nodes, stations)."""
        nodes = self.satellites + len(self.names)
        found = np.full((nodes, len(self.column)), UNREACHED_M)
        for node, column in self.column.items():
            found[node, column] = 0.0
        if self.plan.has_lasers:
            for link, (station, satellite) in enumerate(ground.tolist()):
                node = self.satellites + station
                if node in self.column:
                    found[satellite, self.column[node]] = ground_m[link]
            found[: self.satellites] = self.between_lasers.lengths(laser_m, found[: self.satellites])
        else:
            both = np.stack([self.satellites + ground[:, 0], ground[:, 1]], axis=1)
            found = Relaxation(nodes, both).lengths(ground_m, found)
        bounded: NDArray[np.float64] = np.minimum(found, UNREACHED_M)
        return bounded
