"""Where satellites are: by SGP4, or on plain circles.

SGP4 is the program of D. Vallado et al., *Revisiting Spacetrack Report #3*, AIAA 2006-6753, by the package `sgp4`, with
the constants of WGS72. A circle has the radius of Kepler's third law, a plane that stands still and an even speed: it
is 12 to 16 km off SGP4 from the first instant on.
"""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, Self

import numpy as np

from photocol.errors import InputError
from photocol.orbits.earth import fixed, sidereal_angle
from photocol.orbits.elements import MU_M3_S2, SECONDS_OF_DAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from photocol.orbits.elements import Elements

_DAY_OF_1950 = 2_433_281.5
_SECONDS_OF_MINUTE = 60.0
MOST_ROUND = 0.02
"""The largest eccentricity that is taken for a circle."""


class Propagator(Protocol):
    """Satellites that move."""

    def inertial(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places in TEME in metres, of shape (instants, satellites, 3), at seconds after the start."""

    def some(self, numbers: NDArray[np.intp]) -> Self:
        """These satellites alone."""

    def __len__(self) -> int:
        """How many satellites."""


class Circles:
    """Each satellite on its circle; two bodies, nothing else.

    At t seconds after its epoch a satellite has gone the angle `perigee + anomaly + motion * t` from its node.
    """

    def __init__(self, elements: Elements, day: float, fraction: float) -> None:
        """`day` and `fraction` are the Julian date of the start. Raises InputError if an orbit is not round."""
        worst = int(np.argmax(elements.eccentricity))
        if elements.eccentricity[worst] > MOST_ROUND:
            raise InputError(
                f'orbit "circular": {elements.names[worst]} has an eccentricity of {elements.eccentricity[worst]:g}; '
                f'allowed: up to {MOST_ROUND:g}, or orbit = "sgp4"'
            )
        since = ((day - elements.epoch_day) + (fraction - elements.epoch_fraction)) * SECONDS_OF_DAY
        self.motion = elements.motion
        self.angle = elements.perigee + elements.anomaly + elements.motion * since
        radius = np.cbrt(MU_M3_S2 / elements.motion**2)
        cos_node, sin_node = np.cos(elements.node), np.sin(elements.node)
        cos_tilt, sin_tilt = np.cos(elements.inclination), np.sin(elements.inclination)
        self.along = radius[:, None] * np.stack([cos_node, sin_node, np.zeros_like(radius)], axis=1)
        self.across = radius[:, None] * np.stack([-sin_node * cos_tilt, cos_node * cos_tilt, sin_tilt], axis=1)

    def inertial(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places in TEME in metres, (instants, satellites, 3)."""
        angle = self.angle + self.motion * times_s[:, None]
        places: NDArray[np.float64] = np.cos(angle)[..., None] * self.along + np.sin(angle)[..., None] * self.across
        return places

    def some(self, numbers: NDArray[np.intp]) -> Self:
        """These satellites alone."""
        part = copy.copy(self)
        part.motion, part.angle = self.motion[numbers], self.angle[numbers]
        part.along, part.across = self.along[numbers], self.across[numbers]
        return part

    def __len__(self) -> int:
        """How many satellites."""
        return len(self.motion)


class Sgp4:
    """Satellites by the package `sgp4`."""

    def __init__(self, elements: Elements, day: float, fraction: float) -> None:
        """`day` and `fraction` are the Julian date of the start. Raises InputError without the package."""
        api = _package()
        self.names, self.day, self.errors = elements.names, day, api.SGP4_ERRORS
        records = [_record(api, elements, number) for number in range(len(elements))]
        self.records, self.array = records, api.SatrecArray
        self.satellites = api.SatrecArray(records)
        # The package rounds an epoch to 1e-8 of a day, in which a satellite goes 7 m.
        exact = elements.epoch_day + elements.epoch_fraction - _DAY_OF_1950
        same = bool(np.all(exact == exact[0]))
        first = records[0]
        moved = (first.jdsatepoch - elements.epoch_day[0]) + (first.jdsatepochF - elements.epoch_fraction[0])
        self.fraction = fraction + (float(moved) if same else 0.0)

    def inertial(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Places in TEME in metres, (instants, satellites, 3). Raises InputError where SGP4 has no answer."""
        fractions = self.fraction + times_s / SECONDS_OF_DAY
        errors, places, _ = self.satellites.sgp4(np.full(len(times_s), self.day), np.ascontiguousarray(fractions))
        if errors.any():
            self._refuse(errors, times_s)
        metres: NDArray[np.float64] = np.ascontiguousarray(places.transpose(1, 0, 2)) * 1000.0
        return metres

    def some(self, numbers: NDArray[np.intp]) -> Self:
        """These satellites alone."""
        part = copy.copy(self)
        part.names = tuple(self.names[number] for number in numbers)
        part.records = [self.records[number] for number in numbers]
        part.satellites = self.array(part.records)
        return part

    def __len__(self) -> int:
        """How many satellites."""
        return len(self.records)

    def _refuse(self, errors: NDArray[np.uint8], times_s: NDArray[np.float64]) -> NoReturn:
        satellite, instant = (int(one[0]) for one in np.nonzero(errors))
        reason = self.errors.get(int(errors[satellite, instant]), "no answer")
        raise InputError(f"{self.names[satellite]}: SGP4 at {times_s[instant]:g} s: {reason}")


class Moving:
    """Groups of satellites behind one another, in the Earth-fixed frame."""

    def __init__(self, groups: Sequence[Propagator], day: float, fraction: float) -> None:
        """`day` and `fraction` are the Julian date of the start."""
        self.groups, self.day, self.fraction = groups, day, fraction

    def some(self, numbers: NDArray[np.intp]) -> Moving:
        """These satellites alone; the numbers rise."""
        parts, first = list[Propagator](), 0
        for group in self.groups:
            mine = numbers[(numbers >= first) & (numbers < first + len(group))]
            if len(mine):
                parts.append(group.some(mine - first))
            first += len(group)
        return Moving(parts, self.day, self.fraction)

    def __len__(self) -> int:
        """How many satellites."""
        return sum(len(group) for group in self.groups)

    def places(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Earth-fixed places in metres, (instants, satellites, 3), at seconds after the start."""
        parts = [group.inertial(times_s) for group in self.groups]
        inertial = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return fixed(inertial, sidereal_angle(self.day, self.fraction * SECONDS_OF_DAY + times_s))


def _record(api: Any, elements: Elements, number: int) -> Any:
    record = api.Satrec()
    record.sgp4init(
        api.WGS72,
        "i",
        min(number, 99_999),
        float(elements.epoch_day[number] - _DAY_OF_1950 + elements.epoch_fraction[number]),
        float(elements.bstar[number]),
        0.0,
        0.0,
        float(elements.eccentricity[number]),
        float(elements.perigee[number]),
        float(elements.inclination[number]),
        float(elements.anomaly[number]),
        float(elements.motion[number] * _SECONDS_OF_MINUTE),
        float(elements.node[number]),
    )
    return record


def _package() -> Any:
    try:
        return importlib.import_module("sgp4.api")
    except ImportError as error:
        raise InputError("orbit \"sgp4\" needs the package sgp4: pip install 'photocol[orbits]'") from error
