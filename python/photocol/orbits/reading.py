"""The keys of `[topology] kind = "constellation"`, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from photocol.conversions.keys import length_range, time_range
from photocol.conversions.source import LENGTH, measured
from photocol.orbits.earth import EQUATOR_M
from photocol.orbits.elements import J1970_DAY, MU_M3_S2, julian
from photocol.orbits.grid import LaserList, Seam, Wrap, as_array, grid_of, plus_grid, read_lasers
from photocol.orbits.propagation import Circles, Moving, Propagator, Sgp4
from photocol.orbits.routes import Plan
from photocol.orbits.serving import Choice, Serving
from photocol.orbits.shell_keys import instant_of, shells_of
from photocol.orbits.shells import ELEVATIONS, EPOCH, NAMED, Pattern
from photocol.orbits.sight import Rules, Sight
from photocol.orbits.stations import Station, chosen, known_cities, read_stations
from photocol.orbits.tle import read_tle

if TYPE_CHECKING:
    from pathlib import Path

    from photocol.conversions.keys import Keys
    from photocol.orbits.elements import Elements
    from photocol.orbits.shells import Shell
    from photocol.orbits.tle import Catalogue

KIND = "constellation"
OF_RUNS = (
    "cache", "laser_capacity", "ground_capacity", "delay_law", "under_way", "gone",
    "reroute_after", "routing", "flowlet_gap", "hash_seed", "weights",
)  # fmt: skip
"""Keys of the same table that say nothing about orbits; the engine reads them."""
_ELEVATION_DEG = 25.0
_OLD_DAYS = 14.0
_CLEARANCE = length_range("0", "1000")
_PERIOD, _OFFSET, _GAP, _STEP = (
    time_range("0.001", "86400"),
    time_range("0", "86400"),
    time_range("0", "60"),
    time_range("0.001", "3600"),
)
_NANO = 1e9


@dataclass(frozen=True)
class Group:
    """Satellites that belong together: a shell, or a file."""

    elements: Elements
    shell: Shell | None
    planes: int
    per_plane: int


@dataclass(frozen=True)
class Read:
    """A constellation as its keys have it; `notes` are sentences that a user should know."""

    plan: Plan
    groups: list[Group]
    stations: list[Station]
    start: datetime
    step_ns: int
    notes: list[str]


def read_constellation(keys: Keys, folder: Path) -> Read:
    """Read a table; files stand beside `folder`. Raises InputError, and OSError where a file cannot be read."""
    keys.word("kind", [KIND])
    for name in OF_RUNS:
        keys.has(name)
    notes: list[str] = []
    groups, start = _groups(keys, folder, notes)
    moving = _moving(keys, groups, start, notes)
    has_lasers = keys.word("relay", ["lasers", "ground"], "lasers") == "lasers"
    lasers = _lasers(keys, groups, folder, has_lasers=has_lasers)
    known = read_stations(keys.file("cities", folder)) if keys.has("cities") else known_cities()
    stations = chosen(keys, known) if keys.has("stations") or not keys.has("cities") else known
    rules = _rules(keys, groups)
    plan = Plan(
        moving,
        Sight(stations, as_array(lasers), rules),
        _serving(keys),
        _nanoseconds(keys.quantity("laser_acquisition", _GAP, "0 s")),
        has_lasers,
    )
    step_ns = _nanoseconds(keys.quantity("step", _STEP, "100 ms"))
    longest = longest_pass_s(groups, rules)
    if step_ns > longest * _NANO:
        keys.wrong("step", f"found {step_ns / _NANO:g} s; allowed: up to {longest:.0f} s, the longest pass")
    keys.finish()
    return Read(plan, groups, stations, start, step_ns, notes)


def longest_pass_s(groups: list[Group], rules: Rules) -> float:
    """How long a satellite is at most in sight of a station, in seconds; infinite for one that stands still.

    On a sphere and a circle of the apogee's radius; the Earth's turning lengthens a pass.
    """
    longest = 0.0
    for elements in (group.elements for group in groups):
        radius = np.cbrt(MU_M3_S2 / elements.motion**2) * (1 + elements.eccentricity)
        if rules.range_m is not None:
            cosine = (radius**2 + EQUATOR_M**2 - rules.range_m**2) / (2 * radius * EQUATOR_M)
            half = np.arccos(np.clip(cosine, -1, 1))
        else:
            elevation = np.radians(rules.elevation_deg)
            half = np.arccos(np.clip(EQUATOR_M * np.cos(elevation) / radius, -1, 1)) - elevation
        slow = elements.motion * np.sqrt(1 - elements.eccentricity**2) * (1 - elements.eccentricity) ** 2
        turning = np.abs(slow - 2 * np.pi / 86_164.1 * np.cos(elements.inclination))
        longest = max(longest, float(np.max(2 * half / np.maximum(turning, 1e-9))))
    return longest


def _groups(keys: Keys, folder: Path, notes: list[str]) -> tuple[list[Group], datetime]:
    groups: list[Group] = []
    catalogue: Catalogue | None = None
    begin = EPOCH
    if keys.has("tle"):
        catalogue = read_tle(keys.file("tle", folder))
        ages = catalogue.elements.epoch_day + catalogue.elements.epoch_fraction
        begin = _instant(float(ages.max()))
    elif not keys.has("shell"):
        keys.wrong("shell", f"is missing; allowed: {', '.join(NAMED)}, a table with planes, or tle = a file")
    start = instant_of(keys, "start", begin)
    if keys.has("shell"):
        groups += [Group(one.elements(), one, one.planes, one.per_plane) for one in shells_of(keys, start)]
        if catalogue is None and not keys.has("start"):
            start = groups[0].shell.epoch if groups[0].shell is not None else start
    if catalogue is not None:
        groups.append(Group(catalogue.elements, None, *_planes(keys, catalogue)))
        day, fraction = julian(start)
        oldest = float(np.max(np.abs(ages - day - fraction)))
        if oldest > _OLD_DAYS:
            notes.append(f"elements are up to {oldest:.0f} days from the start; SGP4 is off by 1 to 3 km a day")
    return groups, start


def _planes(keys: Keys, catalogue: Catalogue) -> tuple[int, int]:
    """Planes and satellites per plane of a file: by its first line, or by the key `planes`."""
    satellites = len(catalogue.elements)
    if not keys.has("planes"):
        return catalogue.planes, catalogue.per_plane
    planes = keys.whole("planes", 1, satellites)
    if satellites % planes:
        keys.wrong("planes", f"found {planes}; allowed: a divisor of {satellites}, the satellites of the file")
    return planes, satellites // planes


def _moving(keys: Keys, groups: list[Group], start: datetime, notes: list[str]) -> Moving:
    is_known = all(group.shell is None or group.shell.name.lower() in NAMED for group in groups)
    orbit = keys.word("orbit", ["sgp4", "circular"], "sgp4" if is_known else "circular")
    day, fraction = julian(start)
    make: type[Circles | Sgp4] = Sgp4 if orbit == "sgp4" else Circles
    parts: list[Propagator] = [make(group.elements, day, fraction) for group in groups]
    if orbit == "circular" and is_known:
        notes.append("plain circles are 12 to 16 km off SGP4, and round trips 0.3 %")
    return Moving(parts, day, fraction)


def _lasers(keys: Keys, groups: list[Group], folder: Path, *, has_lasers: bool) -> list[tuple[int, int]]:
    satellites = sum(len(group.elements) for group in groups)
    given = keys.raw("lasers")
    wrap = Wrap(keys.word("wrap", list(Wrap), str(Wrap.PHASE)))
    seam = keys.word("seam", list(Seam), "") if keys.has("seam") else ""
    if not has_lasers:
        if given not in (None, "none"):
            keys.refuse("lasers", given, '"none" with relay = "ground"')
        return []
    if given is None or given == "+grid":
        return _grids(keys, groups, seam, wrap)
    if given == "none":
        return []
    if isinstance(given, str):
        return read_lasers(keys.file("lasers", folder), satellites)
    if not isinstance(given, list):
        keys.refuse("lasers", given, '"+grid", "none", a file, or a list of pairs of satellites')
    listed = LaserList(satellites)
    for place, pair in enumerate(given):
        name = f"lasers[{place}]"
        if not (isinstance(pair, list) and len(pair) == 2 and all(_is_number(one, satellites) for one in pair)):
            keys.refuse(name, pair, f"two numbers of satellites from 0 to {satellites - 1}")
        reason = listed.add(*pair)
        if reason:
            keys.wrong(name, reason)
    return sorted(listed.pairs)


def _grids(keys: Keys, groups: list[Group], seam: str, wrap: Wrap) -> list[tuple[int, int]]:
    """The +grid of each group; none leads from one to another."""
    pairs: list[tuple[int, int]] = []
    first = 0
    for group in groups:
        is_star = group.shell is not None and group.shell.pattern is Pattern.STAR
        ends = Seam(seam) if seam else Seam.OPEN if is_star else Seam.CLOSED
        if group.shell is not None:
            found = grid_of(group.shell, ends, wrap)
        elif group.planes:
            found = plus_grid(group.planes, group.per_plane, ends)
        else:
            keys.wrong(
                "lasers",
                '"+grid" needs the planes of the file; allowed: planes = a number, a first line of the file with '
                'planes and satellites per plane, "none", or a list',
            )
        pairs += [(first + one, first + other) for one, other in found]
        first += len(group.elements)
    return pairs


def _rules(keys: Keys, groups: list[Group]) -> Rules:
    names = [group.shell.name.lower() for group in groups if group.shell is not None]
    usual = max((ELEVATIONS.get(name, _ELEVATION_DEG) for name in names), default=_ELEVATION_DEG)
    is_range = keys.word("ground_limit", ["elevation", "range"], "elevation") == "range"
    for name, goes in (("min_elevation", not is_range), ("ground_range", is_range)):
        if keys.has(name) and not goes:
            keys.wrong(name, f'does not go with ground_limit = "{"range" if is_range else "elevation"}"')
    clear_m = EQUATOR_M + 1000 * keys.quantity("clearance", _CLEARANCE, "80 km")
    laser_m = 1000 * keys.quantity("laser_length", LENGTH) if keys.has("laser_length") else None
    if is_range:
        return Rules(clear_m, 0.0, laser_m, _ground_range(keys))
    return Rules(clear_m, keys.real("min_elevation", 0, 89, usual, unit=" degrees"), laser_m)


def _ground_range(keys: Keys) -> float:
    """A range with a unit, or as a number of metres."""
    if isinstance(keys.raw("ground_range"), (int, float)):
        return keys.real("ground_range", 1e5, 1e8, unit=" metres")
    return 1000 * keys.quantity("ground_range", length_range("100", "100000"))


def _serving(keys: Keys) -> Serving:
    words = [*Choice, "every 15 s"]
    gap = _nanoseconds(keys.quantity("acquisition", _GAP, "0 s"))
    given = keys.raw("serving")
    if not (isinstance(given, str) and given.startswith("every ")):
        for name in ("serving_choice", "serving_offset"):
            if keys.has(name):
                keys.wrong(name, 'goes with serving = "every …"')
        return Serving(Choice(keys.word("serving", words[:-1], str(Choice.ALL))), acquisition_ns=gap)
    period = measured(given.removeprefix("every "), "", _PERIOD)
    if period is None or not _PERIOD.low <= period <= _PERIOD.high:
        keys.refuse("serving", given, f"every {_PERIOD.words}, with a unit")
    choice = Choice(keys.word("serving_choice", [Choice.NEAREST, Choice.LONGEST], str(Choice.NEAREST)))
    offset = keys.quantity("serving_offset", _OFFSET, "0 s")
    return Serving(choice, _nanoseconds(float(period)), _nanoseconds(offset), gap)


def _instant(day: float) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day - J1970_DAY)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * _NANO)


def _is_number(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < most
