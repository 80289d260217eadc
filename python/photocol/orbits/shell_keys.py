"""The keys of a shell: by name, by Walker's parameters, or a name with some of them changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from photocol.conversions.keys import Keys, length_range
from photocol.errors import did_you_mean
from photocol.orbits.elements import (
    MOST_SATELLITES,
    RADIUS_M,
    motion_of,
    motion_of_revolutions,
    radius_of,
    revolutions,
)
from photocol.orbits.shells import NAMED, Pattern, Phases, Shell, revolutions_at

LOWEST_M, HIGHEST_M = 100_000.0, 100_000_000.0
_ALTITUDE = length_range("100", "100000")
_CLOSE_M = 10_000.0
"""Altitudes of a shell's name are rounded, and SGP4's mean altitude is some km off Kepler's."""
_EARLIEST, _LATEST = datetime(1957, 1, 1, tzinfo=UTC), datetime(2057, 1, 1, tzinfo=UTC)
_PLACEHOLDER = Shell("shell", 1, 1, 0.0, 15.0)


def shells_of(keys: Keys, epoch: datetime) -> list[Shell]:
    """The shells of the key `shell`: a name, a table, or several of both. Raises InputError."""
    given = keys.raw("shell")
    listed = given if isinstance(given, list) else [given]
    if not listed:
        keys.refuse("shell", given, "at least one")
    shells = [
        _shell(keys, f"shell[{place}]" if isinstance(given, list) else "shell", one, epoch)
        for place, one in enumerate(listed)
    ]
    satellites = sum(map(len, shells))
    if satellites > MOST_SATELLITES:
        keys.wrong("shell", f"found {satellites} satellites; allowed: at most {MOST_SATELLITES} in all")
    return shells


def instant_of(keys: Keys, name: str, default: datetime) -> datetime:
    """A date and time of UTC, as TOML writes it or as a text."""
    value = keys.raw(name)
    if value is None:
        return default
    found = _read_instant(value)
    if found is None or not _EARLIEST <= found < _LATEST:
        keys.refuse(name, value, "a date and time from 1957 to 2056, as 2000-01-01T00:00:00Z")
    return found


def _read_instant(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _shell(keys: Keys, name: str, given: Any, epoch: datetime) -> Shell:
    if isinstance(given, str):
        if given.lower() not in NAMED:
            names = ", ".join(f'"{one}"' for one in NAMED)
            near = did_you_mean(given.lower(), NAMED)
            keys.refuse(name, given, f"{near}{names}, or a table with planes, satellites_per_plane, inclination")
        return replace(NAMED[given.lower()], epoch=epoch)
    if not isinstance(given, dict):
        keys.refuse(name, given, "the name of a shell or a table")
    return _table(Keys(given, f"{keys.path}.{name}", keys.places), epoch)


def _table(keys: Keys, epoch: datetime) -> Shell:
    name = keys.text("name", "a name", "shell")
    known = NAMED.get(name.lower())
    base = known or replace(_PLACEHOLDER, name=name)

    def default(value: Any) -> dict[str, Any]:
        return {} if known is None else {"default": value}

    phases = Phases(keys.word("phases", list(Phases), str(base.phases)))
    planes = keys.whole("planes", 1, MOST_SATELLITES, **default(base.planes))
    per_plane = keys.whole("satellites_per_plane", 1, MOST_SATELLITES, **default(base.per_plane))
    if planes * per_plane > MOST_SATELLITES:
        keys.wrong("planes", f"found {planes} x {per_plane} satellites; allowed: at most {MOST_SATELLITES} in all")
    phasing = keys.whole("phasing", 0, max(planes - 1, 0), 0)
    if phasing and phases is Phases.ALTERNATING:
        keys.wrong("phasing", 'goes with phases = "adding"; alternating ones are half a slot apart')
    shell = Shell(
        name=base.name,
        planes=planes,
        per_plane=per_plane,
        inclination_deg=keys.real("inclination", 0, 180, unit=" degrees", **default(base.inclination_deg)),
        revolutions_per_day=_revolutions(keys, base.revolutions_per_day if known else None),
        pattern=Pattern(keys.word("pattern", list(Pattern), str(base.pattern))),
        phases=phases,
        phasing=phasing,
        epoch=instant_of(keys, "epoch", epoch),
    )
    keys.finish()
    return shell


def _revolutions(keys: Keys, known: float | None) -> float:
    """Revolutions a day, from themselves or the altitude; both may be there if they agree within 10 km."""
    least, most = (revolutions(motion_of(RADIUS_M + altitude)) for altitude in (HIGHEST_M, LOWEST_M))
    is_counted, is_high = keys.has("revolutions_per_day"), keys.has("altitude")
    if not is_counted and not is_high:
        if known is None:
            keys.wrong("altitude", 'is missing; allowed: an altitude, as "550 km", or revolutions_per_day')
        return known
    altitude_m = 1000 * keys.quantity("altitude", _ALTITUDE) if is_high else 0.0
    if not is_counted:
        return revolutions_at(altitude_m)
    counted = keys.real("revolutions_per_day", 0, 100)
    counted_m = radius_of(motion_of_revolutions(max(counted, 1e-6))) - RADIUS_M
    if not LOWEST_M <= counted_m <= HIGHEST_M:
        allowed = f"{least:.3f} to {most:.3f}, which is {HIGHEST_M / 1000:.0f} to {LOWEST_M / 1000:.0f} km"
        place = f"{abs(counted_m) / 1000:.0f} km {'under' if counted_m < 0 else 'over'} the ground"
        keys.wrong("revolutions_per_day", f"found {counted:g}, which is {place}; allowed: {allowed}")
    if is_high and abs(counted_m - altitude_m) > _CLOSE_M:
        keys.wrong(
            "altitude",
            f"{altitude_m / 1000:g} km is {revolutions_at(altitude_m):.3f} revolutions a day, and "
            f"revolutions_per_day = {counted:g} is {counted_m / 1000:.1f} km; allowed: one of them, or two that agree",
        )
    return counted
