"""The turning Earth: sidereal time, places on the ellipsoid WGS84, and its normal.

Sidereal time is GMST 1982 (Aoki et al., *Astronomy and Astrophysics* 105, 1982), which belongs to SGP4's frame TEME.
UTC is taken for UT1: they differ by less than a second, which turns the Earth below 0.005 degrees. Polar motion, some
metres, is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIGHT_M_S = 299_792_458.0
"""Light in vacuum, in metres a second."""
EQUATOR_M = 6_378_137.0
"""The equatorial radius of WGS84."""
POLE_M = EQUATOR_M * (1 - 1 / 298.257223563)
"""The polar radius of WGS84."""
J2000_DAY = 2_451_545.0
"""Noon of 2000-01-01, as a Julian date."""
_DAYS_OF_CENTURY = 36_525.0
_SECONDS_OF_DAY = 86_400.0
_SQUARED_ECCENTRICITY = 1 - (POLE_M / EQUATOR_M) ** 2
_GMST = (67_310.54841, 876_600 * 3600 + 8_640_184.812866, 0.093104, -6.2e-6)
"""Seconds of time, by powers of Julian centuries of UT1 since J2000."""


def sidereal_angle(day: float, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """GMST 1982 in radians, at so many seconds after a Julian date."""
    centuries = ((day - J2000_DAY) + seconds / _SECONDS_OF_DAY) / _DAYS_OF_CENTURY
    # The first power has whole turns, which are taken off before digits are lost.
    turns = np.mod((day - J2000_DAY) % 1.0 + seconds / _SECONDS_OF_DAY, 1.0)
    slow = _GMST[0] + (_GMST[1] - 876_600 * 3600) * centuries + _GMST[2] * centuries**2 + _GMST[3] * centuries**3
    angle: NDArray[np.float64] = np.mod(2 * np.pi * (turns + slow / _SECONDS_OF_DAY), 2 * np.pi)
    return angle


def fixed(inertial: NDArray[np.float64], angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places of shape (instants, satellites, 3) in TEME, turned to the Earth-fixed frame."""
    cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = np.empty_like(inertial)
    turned[..., 0] = cosine * inertial[..., 0] + sine * inertial[..., 1]
    turned[..., 1] = cosine * inertial[..., 1] - sine * inertial[..., 0]
    turned[..., 2] = inertial[..., 2]
    return turned


def normal(latitude_deg: float, longitude_deg: float) -> NDArray[np.float64]:
    """The unit vector upwards: the ellipsoid's normal at a geodetic latitude and a longitude."""
    latitude, longitude = np.radians(latitude_deg), np.radians(longitude_deg)
    cosine = np.cos(latitude)
    return np.array([cosine * np.cos(longitude), cosine * np.sin(longitude), np.sin(latitude)])


def on_ground(latitude_deg: float, longitude_deg: float) -> NDArray[np.float64]:
    """The Earth-fixed place at height 0 over WGS84, in metres."""
    up = normal(latitude_deg, longitude_deg)
    radius = EQUATOR_M / np.sqrt(1 - _SQUARED_ECCENTRICITY * up[2] ** 2)
    place: NDArray[np.float64] = up * radius * np.array([1.0, 1.0, 1 - _SQUARED_ECCENTRICITY])
    return place


def latitude_longitude(place: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Geocentric latitude and longitude in degrees of Earth-fixed places (…, 3); good enough for a map."""
    x, y, z = place[..., 0], place[..., 1], place[..., 2]
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))
