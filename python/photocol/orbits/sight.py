"""Lengths of lasers and ground links at instants, and which of them are in sight.

Lengths are whole multiples of 2^-20 m, about a micrometre: sums of them are exact, so two paths are equally long or are
not, in whatever order they are added up. Satellites at one place, as where polar planes cross, are a millimetre apart:
light takes some picoseconds for any link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from photocol.orbits.earth import EQUATOR_M, POLE_M

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from photocol.orbits.stations import Station

_STEPS_OF_METRE = 2.0**20
_LEAST_M = 2.0**-10
_FROM_NORMAL_DEG = 0.25
"""The ellipsoid's normal is up to 0.2 degrees from the radius."""


@dataclass(frozen=True)
class Rules:
    """What may be a link.

    A laser stays above a sphere of radius `clear_m`, and is no longer than `laser_m` if that is given. A satellite
    stands at least `elevation_deg` over the horizon, or, if `range_m` is given, is at most that far away.
    """

    clear_m: float
    elevation_deg: float
    laser_m: float | None = None
    range_m: float | None = None


@dataclass(frozen=True)
class Links:
    """Links at instants: lengths in metres and whether each is in sight, of shape (instants, links).

    `lasers` has shape (lasers, 2), numbers of satellites. `ground` has shape (ground links, 2), number of the station
    and of the satellite, for all that are in sight at one of the instants or nearly so.
    """

    times_s: NDArray[np.float64]
    lasers: NDArray[np.intp]
    laser_m: NDArray[np.float64]
    laser_in_sight: NDArray[np.bool_]
    ground: NDArray[np.intp]
    ground_m: NDArray[np.float64]
    ground_in_sight: NDArray[np.bool_]


class Sight:
    """The links of stations and lasers under these rules."""

    def __init__(self, stations: Sequence[Station], lasers: NDArray[np.intp], rules: Rules) -> None:
        self.lasers, self.rules = lasers, rules
        self.places = [station.place for station in stations]
        self.ups = [station.up for station in stations]
        self.sine = float(np.sin(np.radians(rules.elevation_deg)))

    def links(self, times_s: NDArray[np.float64], places: NDArray[np.float64]) -> Links:
        """The links among satellites at these Earth-fixed places, of shape (instants, satellites, 3)."""
        laser_m, laser_in_sight = self._lasers(places)
        pairs, lengths, seen = [], [], []
        for number, near in enumerate(self._near(places)):
            pairs.append(np.stack([np.full_like(near, number), near], axis=1))
            one, other = self.of_station(number, places[:, near])
            lengths.append(one)
            seen.append(other)
        return Links(
            times_s,
            self.lasers,
            laser_m,
            laser_in_sight,
            np.concatenate(pairs) if pairs else np.empty((0, 2), dtype=np.intp),
            np.concatenate(lengths, axis=1) if pairs else np.empty((len(times_s), 0)),
            np.concatenate(seen, axis=1) if pairs else np.empty((len(times_s), 0), dtype=bool),
        )

    def of_station(self, number: int, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Distances of satellites (instants, satellites, 3) from a station in metres, and which are in sight."""
        away = places - self.places[number]
        metres = _rounded(np.sqrt(np.einsum("tsi,tsi->ts", away, away)))
        if self.rules.range_m is not None:
            return metres, metres <= self.rules.range_m
        return metres, away @ self.ups[number] >= self.sine * metres

    def _lasers(self, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        one, other = self.lasers[:, 0], self.lasers[:, 1]
        # Coordinate by coordinate: gathering rows of three is slower.
        squares = np.zeros((len(places), len(one)))
        for axis in range(3):
            along = np.ascontiguousarray(places[..., axis])
            squares += (along[:, one] - along[:, other]) ** 2
        metres = _rounded(np.sqrt(squares))
        radii = np.einsum("tsi,tsi->ts", places, places)
        clear = np.sqrt(np.maximum(radii - self.rules.clear_m**2, 0.0))
        in_sight = metres <= clear[:, one] + clear[:, other]
        if self.rules.laser_m is not None:
            in_sight &= metres <= self.rules.laser_m
        return metres, in_sight

    def _near(self, places: NDArray[np.float64]) -> list[NDArray[np.intp]]:
        """For each station the satellites that may come into sight at one of the instants, and a few more."""
        middle = places[len(places) // 2]
        moved = np.sqrt(np.max(np.einsum("tsi,tsi->ts", places - middle, places - middle), axis=0))
        if self.rules.range_m is not None:
            reach = self.rules.range_m + moved
        else:
            # The longest range over a sphere is that over the smaller one, at an elevation by the radius.
            low = POLE_M * np.sin(np.radians(self.rules.elevation_deg - _FROM_NORMAL_DEG))
            highest = np.linalg.norm(middle, axis=1) + moved
            reach = np.sqrt(low**2 + np.maximum(highest**2 - POLE_M**2, 0.0)) - low + moved + (EQUATOR_M - POLE_M)
        found = []
        for place in self.places:
            away = middle - place
            found.append(np.nonzero(np.einsum("si,si->s", away, away) <= reach**2)[0])
        return found


def _rounded(metres: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(np.rint(metres * _STEPS_OF_METRE) / _STEPS_OF_METRE, _LEAST_M)
