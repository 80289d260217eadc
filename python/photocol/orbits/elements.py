"""Orbits as mean elements, a row for each satellite, and what mean motion and altitude have to do with one another.

Constants are those of WGS72, with which the elements of TLE files are made (Hoots, Roehrich, *Spacetrack Report No. 3*,
1980).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from datetime import datetime

    from numpy.typing import NDArray

RADIUS_M = 6_378_135.0
"""The equatorial radius of WGS72."""
MU_M3_S2 = 3.986008e14
"""The Earth's gravity of WGS72, in cubic metres by square seconds."""
SECONDS_OF_DAY = 86_400.0
MOST_SATELLITES = 20_000
"""Of a constellation: the places of one instant and the lengths to all stations stay within some hundred MB."""
J1970_DAY = 2_440_587.5
"""Midnight of 1970-01-01, as a Julian date."""
_JULIAN_OF_ORDINAL = 1_721_424.5


@dataclass(frozen=True)
class Elements:
    """Mean elements of satellites, arrays of shape (satellites,).

    Angles are radians, `motion` is Kozai's mean motion in radians a second, `bstar` the drag term of a TLE. The epoch
    is a Julian date in two parts, the second below a day.
    """

    names: tuple[str, ...]
    epoch_day: NDArray[np.float64]
    epoch_fraction: NDArray[np.float64]
    inclination: NDArray[np.float64]
    node: NDArray[np.float64]
    perigee: NDArray[np.float64]
    anomaly: NDArray[np.float64]
    eccentricity: NDArray[np.float64]
    motion: NDArray[np.float64]
    bstar: NDArray[np.float64]

    def __len__(self) -> int:
        """How many satellites."""
        return len(self.names)


def radius_of(motion: float) -> float:
    """Semi-major axis in metres of a mean motion in radians a second, by Kepler's third law."""
    return float((MU_M3_S2 / motion**2) ** (1 / 3))


def motion_of(radius_m: float) -> float:
    """Mean motion in radians a second of a semi-major axis in metres."""
    return float(np.sqrt(MU_M3_S2 / radius_m**3))


def revolutions(motion: float) -> float:
    """Revolutions a day of a mean motion in radians a second."""
    return motion * SECONDS_OF_DAY / (2 * np.pi)


def motion_of_revolutions(per_day: float) -> float:
    """Mean motion in radians a second of revolutions a day."""
    return per_day * 2 * np.pi / SECONDS_OF_DAY


def julian(instant: datetime) -> tuple[float, float]:
    """A UTC instant as the Julian date of its midnight and the part of the day since."""
    seconds = instant.hour * 3600 + instant.minute * 60 + instant.second + instant.microsecond / 1e6
    return instant.toordinal() + _JULIAN_OF_ORDINAL, seconds / SECONDS_OF_DAY
