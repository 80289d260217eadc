"""Ground stations: by name from a list of cities, from a table of others, or by latitude and longitude."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from photocol.conversions.keys import Keys
from photocol.conversions.source import cleaned, read, shown
from photocol.conversions.table import records
from photocol.errors import did_you_mean
from photocol.orbits.cities import cities
from photocol.orbits.earth import normal, on_ground

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from photocol.conversions.source import Source

MOST_STATIONS = 1000
_COLUMNS = ("name", "latitude", "longitude")
_TITLES = {"lat": "latitude", "lon": "longitude", "lng": "longitude", "city": "name", "station": "name"}


@dataclass(frozen=True)
class Station:
    """A place on the ellipsoid WGS84 at height 0: degrees north and east, inhabitants in millions if they are known."""

    name: str
    latitude_deg: float
    longitude_deg: float
    population_m: float | None = None
    where: str = field(default="", compare=False, repr=False)
    """Where it stands in a file, for messages."""

    @property
    def place(self) -> NDArray[np.float64]:
        """Earth-fixed, in metres."""
        return on_ground(self.latitude_deg, self.longitude_deg)

    @property
    def up(self) -> NDArray[np.float64]:
        """The ellipsoid's normal."""
        return normal(self.latitude_deg, self.longitude_deg)


def known_cities() -> list[Station]:
    """The list of cities that photocol has."""
    return [Station(name, *rest) for name, rest in cities().items()]


def read_stations(path: Path) -> list[Station]:
    """The rows of a table with the columns name, latitude and longitude, and perhaps population in millions.

    Raises InputError with file and line, and OSError if it cannot be read.
    """
    source = read(path)
    rows = records(source)
    line, titles = next(rows, (1, []))
    columns = [_TITLES.get(title.strip().lower(), title.strip().lower()) for title in titles]
    missing = [name for name in _COLUMNS if name not in columns]
    if missing:
        source.wrong(line, f'there is no column "{missing[0]}"; allowed: a first line with {", ".join(_COLUMNS)}')
    found: dict[str, Station] = {}
    for number, fields in rows:
        if len(fields) != len(columns):
            source.wrong(number, f"found {len(fields)} columns; allowed: {len(columns)}, as in the titles")
        one = _station(source, number, dict(zip(columns, fields, strict=True)))
        if len(found) == MOST_STATIONS:
            source.wrong(number, f"too many stations; allowed: {MOST_STATIONS}")
        if _plain(one.name) in found:
            source.wrong(number, f"the station {shown(one.name)} is there twice")
        found[_plain(one.name)] = one
    if not found:
        source.wrong(line, "there are no stations; allowed: at least one")
    return list(found.values())


def _station(source: Source, line: int, fields: Mapping[str, str]) -> Station:
    name = cleaned(fields["name"])
    if not name:
        source.wrong(line, "the name is empty; allowed: a name in each line")
    millions = fields.get("population", "").strip()
    return Station(
        name,
        float(source.number(line, "latitude", fields["latitude"], Decimal(-90), Decimal(90))),
        float(source.number(line, "longitude", fields["longitude"], Decimal(-180), Decimal(360))),
        float(source.number(line, "population in millions", millions, Decimal(0), Decimal(100))) if millions else None,
        f"{source.name}:{line}",
    )


def chosen(keys: Keys, known: Iterable[Station]) -> list[Station]:
    """The stations of the key `stations`: names from a list, or tables with a name and a place."""
    listed = {_plain(one.name): one for one in known}
    found: dict[str, Station] = {}
    given = keys.raw("stations")
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_STATIONS:
        keys.wrong(
            "stations", f"allowed: a list of 1 to {MOST_STATIONS} names or tables with name, latitude, longitude"
        )
    for number, one in enumerate(given):
        place = f"stations[{number}]"
        if isinstance(one, dict):
            station = _in_place(Keys(one, f"{keys.path}.{place}", keys.places))
        else:
            station = _by_name(keys, place, one, listed)
        if _plain(station.name) in found:
            keys.wrong(place, f"the station {shown(station.name)} is there twice")
        found[_plain(station.name)] = station
    return list(found.values())


def _in_place(keys: Keys) -> Station:
    station = Station(
        cleaned(keys.text("name", "a name")),
        keys.real("latitude", -90, 90, unit=" degrees"),
        keys.real("longitude", -180, 360, unit=" degrees"),
        keys.real("population", 0, 100, unit=" millions") if keys.has("population") else None,
        f"{keys.places.of(keys.path)}{keys.path}",
    )
    keys.finish()
    return station


def _by_name(keys: Keys, place: str, name: Any, listed: Mapping[str, Station]) -> Station:
    station = listed.get(_plain(name)) if isinstance(name, str) else None
    if station is None:
        names = [one.name for one in listed.values()]
        near = did_you_mean(name.title(), names) if isinstance(name, str) else ""
        some = ", ".join(names[:3])
        keys.refuse(
            place, name, f"{near}one of {len(names)} names, as {some}, or a table with name, latitude, longitude"
        )
    return station


def _plain(name: str) -> str:
    """A name without accents, hyphens and capitals."""
    letters = unicodedata.normalize("NFKD", name)
    return " ".join("".join(one for one in letters if not unicodedata.combining(one)).lower().replace("-", " ").split())
