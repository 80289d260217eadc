"""A constellation: satellites that move, their lasers, stations below them, and routes between these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from photocol.conversions.keys import NOWHERE, Keys, Places
from photocol.errors import InputError, did_you_mean
from photocol.orbits.reading import Read, longest_pass_s, read_constellation
from photocol.orbits.routes import Routes
from photocol.orbits.serving import Clock, Server, handovers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from photocol.orbits.sight import Links
    from photocol.orbits.stations import Station

_NANO = 1e9
_LEAST_STEP_S = 1e-3
_MOST_STEPS = 10_000_000
_WINDOW = 64
"""Steps that are looked at together where no route is searched."""


@dataclass(frozen=True)
class Service:
    """A station over a run: how often its satellite was followed by another, and the share of steps with a link."""

    station: str
    handovers: int
    share: float


class Constellation:
    """Satellites, their lasers and ground stations; made by `from_toml`.

    Times are seconds after `start`, a UTC instant. Satellites have numbers from 0, plane by plane and shell by shell;
    stations stand behind them in the order in which they were given.
    """

    def __init__(self, read: Read) -> None:
        """Users call `from_toml`."""
        self._read, self._plan = read, read.plan
        self.stations: tuple[Station, ...] = tuple(read.stations)
        self.satellites: tuple[str, ...] = tuple(name for group in read.groups for name in group.elements.names)
        self.start = read.start
        self.step_s = read.step_ns / _NANO
        self.notes: tuple[str, ...] = tuple(read.notes)
        """Sentences about orbits that are far from their elements, or are plain circles."""

    @classmethod
    def from_toml(
        cls, table: Mapping[str, Any], *, folder: Path | str = ".", places: Places = NOWHERE
    ) -> Constellation:
        """The constellation of a `[topology]` table, whose files stand in `folder`.

        Raises InputError with the key and its range, and with file and line if `places` has them.
        """
        return cls(read_constellation(Keys(table, "topology", places), Path(folder)))

    def positions(self, times_s: ArrayLike) -> NDArray[np.float64]:
        """Earth-fixed places in metres, of shape (instants, satellites, 3)."""
        return self._plan.moving.places(_times(times_s))

    def links(self, times_s: ArrayLike) -> Links:
        """Lengths of lasers and ground links at instants, and which are in sight; without rules of serving."""
        times = _times(times_s)
        return self._plan.sight.links(times, self._plan.moving.places(times))

    def routes(self, pairs: Iterable[Sequence[str]], duration_s: float, step_s: float | None = None) -> Routes:
        """The shortest routes of pairs of stations at each step from 0 to before `duration_s`.

        Iterating gives blocks of some seconds and holds one at a time; `.tables()` has all of it by pair. Raises
        InputError for a station that is not there, two that are one, and a step longer than a pass.
        """
        numbers = {station.name: number for number, station in enumerate(self.stations)}
        ends = []
        for pair in pairs:
            if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
                raise InputError(f"found {pair!r}; allowed: two names of stations that differ")
            unknown = next((name for name in pair if name not in numbers), None)
            if unknown is not None:
                near = did_you_mean(unknown, numbers)
                raise InputError(f"there is no station {unknown!r}; {near}allowed: {', '.join(list(numbers)[:10])}")
            ends.append((numbers[pair[0]], numbers[pair[1]]))
        if not ends:
            raise InputError("there are no pairs of stations; allowed: at least one")
        clock, count = self._steps(duration_s, step_s)
        return Routes(self._plan, [station.name for station in self.stations], ends, clock, count)

    def service(self, duration_s: float, step_s: float | None = None) -> list[Service]:
        """Handovers and the share of time connected of each station, under its rule of serving.

        Where all satellites serve, nothing is handed over.
        """
        clock, count = self._steps(duration_s, step_s)
        server = Server(self._plan.serving, self._plan.sight, self._plan.moving, clock, len(self.satellites))
        linked = np.zeros(len(self.stations))
        for first in range(0, count, _WINDOW):
            links = self.links(clock.seconds(np.arange(first, min(first + _WINDOW, count))))
            usable = server.usable(first, links)
            for station in range(len(self.stations)):
                linked[station] += usable[:, links.ground[:, 0] == station].any(axis=1).sum()
        return [
            Service(station.name, handovers(server.log[number]), float(linked[number] / count))
            for number, station in enumerate(self.stations)
        ]

    def _steps(self, duration_s: float, step_s: float | None) -> tuple[Clock, int]:
        step_s = self.step_s if step_s is None else step_s
        longest = min(longest_pass_s(self._read.groups, self._plan.sight.rules), 3600.0)
        if not _LEAST_STEP_S <= step_s <= longest:
            raise InputError(
                f"step: found {step_s:g} s; allowed: {_LEAST_STEP_S:g} to {longest:.0f} s, the longest pass"
            )
        if not step_s <= duration_s <= _MOST_STEPS * step_s:
            raise InputError(f"duration: found {duration_s:g} s; allowed: 1 to {_MOST_STEPS} steps of {step_s:g} s")
        step_ns = round(step_s * _NANO)
        return Clock(step_ns), math.ceil(round(duration_s * _NANO) / step_ns)


def _times(times_s: ArrayLike) -> NDArray[np.float64]:
    times = np.atleast_1d(np.asarray(times_s, dtype=np.float64))
    if times.ndim != 1 or not np.isfinite(times).all():
        raise InputError("times are seconds after the start, one or a row of them")
    return times
