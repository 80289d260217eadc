"""Which satellites a station may use: all in sight, or one that serves it until a handover.

`nearest` takes the nearest satellite at each step, `longest` keeps one until it sets and then takes the one that stays
in sight longest, which the orbits tell. With a period a station chooses at its multiples only, and has no link from the
setting of its satellite until then. A new link carries nothing while it is acquired; links at the start of a run have
been made before. The old link ends when the new one is begun: a station has one terminal.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from photocol.orbits.propagation import Moving
    from photocol.orbits.sight import Links, Sight

NOBODY = -1
_COARSE_NS = 10_000_000_000
"""Passes last minutes: in steps of 10 s none is missed, and its end is looked for in one of them."""
_LOOKS = 60
"""Coarse steps that are looked at together."""
_MOST_LOOKS = 12
"""After two hours, satellites that have not set count alike."""
_LONG_AGO = 1 << 40


class Choice(StrEnum):
    """The satellites that serve a station."""

    ALL = "all"
    NEAREST = "nearest"
    LONGEST = "longest"


@dataclass(frozen=True)
class Serving:
    """A rule: what is chosen, at which multiples of a period behind an offset (0: whenever it is needed)."""

    choice: Choice = Choice.ALL
    period_ns: int = 0
    offset_ns: int = 0
    acquisition_ns: int = 0


@dataclass(frozen=True)
class Clock:
    """Steps of a run: their length in nanoseconds."""

    step_ns: int

    def seconds(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Steps as seconds after the start."""
        whole, part = np.divmod(steps * self.step_ns, 1_000_000_000)
        return whole + part / 1e9

    def steps(self, nanoseconds: int) -> int:
        """How many steps last at least as long."""
        return -(-nanoseconds // self.step_ns)


class Settled:
    """Links that come and go, and carry only when they have been in sight for so many steps."""

    def __init__(self, shape: tuple[int, ...], wait: int) -> None:
        self.wait = wait
        self.steps = np.full(shape, _LONG_AGO, dtype=np.int64)

    def usable(self, in_sight: NDArray[np.bool_], *links: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of these links carry, of shape (instants, links); those that are not named are out of sight.

        `links` are their places in the shape, an array for each of its axes.
        """
        if self.wait == 0:
            return in_sight
        count = self.steps[links]
        usable = np.empty_like(in_sight)
        for instant, seen in enumerate(in_sight):
            count = np.where(seen, count + 1, 0)
            usable[instant] = count > self.wait
        self.steps[:] = 0
        self.steps[links] = count
        return usable


class Server:
    """The stations of a run under a rule, told one window of steps after the other."""

    def __init__(self, rule: Serving, sight: Sight, moving: Moving, clock: Clock, satellites: int) -> None:
        self.rule, self.sight, self.moving, self.clock = rule, sight, moving, clock
        self.wait = clock.steps(rule.acquisition_ns)
        stations = len(sight.places)
        self.all = Settled((stations, satellites) if rule.choice is Choice.ALL and self.wait else (0, 0), self.wait)
        self.serving = [NOBODY] * stations
        self.ready = [0] * stations
        self.log: list[list[tuple[int, int]]] = [[] for _ in range(stations)]

    def usable(self, first: int, links: Links) -> NDArray[np.bool_]:
        """Which ground links carry, of shape (instants, ground links); the window begins with step `first`."""
        if self.rule.choice is Choice.ALL:
            return self.all.usable(links.ground_in_sight, links.ground[:, 0], links.ground[:, 1])
        usable = np.zeros_like(links.ground_in_sight)
        bounds = np.searchsorted(links.ground[:, 0], np.arange(len(self.serving) + 1))
        for station in range(len(self.serving)):
            part = slice(int(bounds[station]), int(bounds[station + 1]))
            self._station(station, first, links, part, usable[:, part])
        return usable

    def _station(self, station: int, first: int, links: Links, part: slice, usable: NDArray[np.bool_]) -> None:
        """Marks what one station uses, in its columns of the links."""
        numbers = links.ground[part, 1]
        in_sight, metres = links.ground_in_sight[:, part], links.ground_m[:, part]
        place = {int(number): column for column, number in enumerate(numbers)}
        nearest = np.argmin(np.where(in_sight, metres, np.inf), axis=1) if len(numbers) else None
        anybody: NDArray[np.bool_] = np.logical_or.reduce(in_sight, axis=1)
        for instant in range(len(in_sight)):
            step = first + instant
            column = place.get(self.serving[station], NOBODY)
            is_seen = column != NOBODY and bool(in_sight[instant, column])
            if self._is_choosing(step, is_seen=is_seen):
                chosen = NOBODY
                if nearest is not None and anybody[instant]:
                    if self.rule.choice is Choice.NEAREST:
                        chosen = int(numbers[nearest[instant]])
                    else:
                        chosen = self.longest(station, step, numbers[in_sight[instant]])
                if chosen != self.serving[station]:
                    self.log[station].append((step, chosen))
                    self.serving[station] = chosen
                    self.ready[station] = step + self.wait if step else 0
                column, is_seen = place.get(chosen, NOBODY), chosen != NOBODY
            if is_seen and step >= self.ready[station]:
                usable[instant, column] = True

    def _is_choosing(self, step: int, *, is_seen: bool) -> bool:
        """Whether a station chooses a satellite at a step."""
        if self.rule.period_ns and step:
            since = step * self.clock.step_ns - self.rule.offset_ns
            return since // self.rule.period_ns > (since - self.clock.step_ns) // self.rule.period_ns
        return step == 0 or self.rule.choice is Choice.NEAREST or not is_seen

    def longest(self, station: int, step: int, satellites: NDArray[np.intp]) -> int:
        """The satellite of those in sight that sets last; of several the one with the lowest number."""
        if len(satellites) == 1:
            return int(satellites[0])
        stride = max(_COARSE_NS // self.clock.step_ns, 1)
        left = satellites
        for look in range(_MOST_LOOKS):
            begin = step + look * _LOOKS * stride
            seen = self._seen(station, left, begin + stride * np.arange(1, _LOOKS + 1))
            sets = np.argmin(seen, axis=0)
            stays = seen.all(axis=0)
            if not stays.any():
                last = int(sets.max())
                left = left[sets == last]
                if len(left) == 1 or stride == 1:
                    return int(left[0])
                fine = self._seen(station, left, begin + last * stride + np.arange(1, stride + 1))
                return int(left[np.argmax(np.argmin(fine, axis=0))])
            left = left[stays]
            if len(left) == 1:
                break
        return int(left[0])

    def _seen(self, station: int, satellites: NDArray[np.intp], steps: NDArray[np.int64]) -> NDArray[np.bool_]:
        places = self.moving.some(satellites).places(self.clock.seconds(steps))
        return self.sight.of_station(station, places)[1]


def handovers(log: Iterable[tuple[int, int]]) -> int:
    """How often the satellite of a station is followed by another, gaps between them or not."""
    seen = [satellite for _, satellite in log if satellite != NOBODY]
    return sum(one != other for one, other in itertools.pairwise(seen))
