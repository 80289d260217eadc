"""Walker's shells: planes of satellites at even distances, delta or star, and those that have a name.

J. G. Walker, *Circular orbit patterns providing continuous whole earth coverage*, RAE TR 70211, 1970. Satellite `s` of
plane `p` has the number `p * per_plane + s`. Kuiper, Starlink and Telesat have the parameters of Hypatia's paper and
program (S. Kassing et al., *Exploring the "Internet from space" with Hypatia*, IMC 2020) with phases that alternate;
OneWeb and Iridium those of their filings, with planes at even distances.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

import numpy as np

from photocol.orbits.elements import (
    RADIUS_M,
    Elements,
    julian,
    motion_of,
    motion_of_revolutions,
    radius_of,
    revolutions,
)

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""That of a shell which does not say it."""
SHELL_ECCENTRICITY = 1e-7
"""SGP4 cannot have a plain 0; this is below a metre."""


class Pattern(StrEnum):
    """Over how much of the equator the planes are spread: all of it, or half, which leaves a seam."""

    DELTA = "delta"
    STAR = "star"


class Phases(StrEnum):
    """How much further the satellites of the next plane are.

    By Walker's phasing from plane to plane, or by half a slot in every other plane.
    """

    ADDING = "adding"
    ALTERNATING = "alternating"


@dataclass(frozen=True)
class Shell:
    """Planes of one altitude and inclination; angles in degrees, mean motion in revolutions a day.

    `phasing` is Walker's F, in units of 360 degrees by the number of satellites. It counts where phases add up.
    """

    name: str
    planes: int
    per_plane: int
    inclination_deg: float
    revolutions_per_day: float
    pattern: Pattern = Pattern.DELTA
    phases: Phases = Phases.ADDING
    phasing: int = 0
    epoch: datetime = EPOCH

    def __len__(self) -> int:
        """How many satellites."""
        return self.planes * self.per_plane

    @property
    def radius_m(self) -> float:
        """The semi-major axis in metres."""
        return radius_of(motion_of_revolutions(self.revolutions_per_day))

    def elements(self) -> Elements:
        """The satellites' elements, by number."""
        plane, slot = np.divmod(np.arange(len(self)), self.per_plane)
        spread = 360.0 if self.pattern is Pattern.DELTA else 180.0
        if self.phases is Phases.ADDING:
            shift = plane * (self.phasing / len(self))
        else:
            shift = (plane % 2) * (0.5 / self.per_plane)
        day, fraction = julian(self.epoch)

        def same(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            return np.full(len(self), value)

        return Elements(
            names=tuple(f"{self.name} {number}" for number in range(len(self))),
            epoch_day=same(day),
            epoch_fraction=same(fraction),
            inclination=same(np.radians(self.inclination_deg)),
            node=np.radians(plane * (spread / self.planes)),
            perigee=same(0.0),
            anomaly=np.mod(2 * np.pi * (slot / self.per_plane + shift), 2 * np.pi),
            eccentricity=same(SHELL_ECCENTRICITY),
            motion=same(motion_of_revolutions(self.revolutions_per_day)),
            bstar=same(0.0),
        )


def revolutions_at(altitude_m: float) -> float:
    """Revolutions a day at an altitude over the equatorial radius of WGS72."""
    return revolutions(motion_of(RADIUS_M + altitude_m))


_KUIPER = Shell("Kuiper-630", 34, 34, 51.9, 14.80, phases=Phases.ALTERNATING)
NAMED: dict[str, Shell] = {
    "kuiper-630": _KUIPER,
    "starlink-550": replace(
        _KUIPER, name="Starlink-550", planes=72, per_plane=22, inclination_deg=53.0, revolutions_per_day=15.19
    ),
    "telesat-1015": replace(
        _KUIPER, name="Telesat-1015", planes=27, per_plane=13, inclination_deg=98.98, revolutions_per_day=13.66
    ),
    "oneweb": Shell(
        "OneWeb", 18, 36, 87.9, revolutions_at(1_200_000.0), pattern=Pattern.STAR, phases=Phases.ALTERNATING
    ),
    "iridium": Shell(
        "Iridium", 6, 11, 86.4, revolutions_at(780_000.0), pattern=Pattern.STAR, phases=Phases.ALTERNATING
    ),
}
"""Shells by name, in small letters. Starlink-550 goes round 15.19 times a day, as Hypatia has it: that is 509 km."""

_SOURCES = {"oneweb": "its filing", "iridium": "its filing"}


def described() -> list[tuple[str, str, str]]:
    """Name, one sentence and source of each named shell."""
    return [
        (
            name,
            f"{one.planes} planes of {one.per_plane}, {one.inclination_deg:g} degrees, "
            f"{(one.radius_m - RADIUS_M) / 1000:.0f} km, a {one.pattern}.",
            _SOURCES.get(name, "Hypatia, IMC 2020"),
        )
        for name, one in NAMED.items()
    ]


ELEVATIONS = {"kuiper-630": 30.0, "telesat-1015": 10.0, "iridium": 8.2}
"""The least elevation in degrees that their filings have, where it is not 25 degrees."""
