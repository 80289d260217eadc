"""Files of contacts that are made once: the engine asks for them by the keys of a constellation (`crates/py`)."""

from __future__ import annotations

import hashlib
import itertools
import os
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.conversions.source import FileError
from photocol.errors import InputError, failure
from photocol.orbits.constellation import Constellation
from photocol.orbits.contacts import HEAD
from photocol.orbits.contacts import contacts as text_of
from photocol.orbits.reading import KIND

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_PAIRS = 500
_FILES = ("tle", "cities", "lasers")
_METHOD = "2"
"""Another number where the same keys come to another file."""
_PS = 1e12


def contacts(keys: str, pairs: Sequence[Sequence[str]] | None, duration_ps: int, folder: str) -> str:
    """The path of the file for the keys of a table, as TOML; without pairs those of all stations.

    It is kept in `folder`, or in the system's folder for such files where that cannot be written. Its name has a digest
    of all that it depends on. Raises InputError with the key that is wrong, or the file and its line, and OSError if it
    cannot be written.
    """
    table = {"kind": KIND, **tomllib.loads(keys)}
    name = f"contacts-{_digest(table, pairs, duration_ps)}.csv"
    places = [Path(folder), Path(tempfile.gettempdir())]
    known = next((place / name for place in places if (place / name).is_file()), None)
    if known is not None:
        return str(known)
    try:
        made = Constellation.from_toml(table, folder=folder)
    except FileError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(failure(error)) from error
    text = text_of(made, all_pairs(made) if pairs is None else pairs, duration_ps / _PS)
    try:
        return str(_write(places[0] / name, text))
    except OSError:
        return str(_write(places[1] / name, text))


def all_pairs(made: Constellation) -> list[tuple[str, str]]:
    """Those of all stations, if they are not too many to be meant."""
    pairs = list(itertools.combinations([station.name for station in made.stations], 2))
    if len(pairs) > _MOST_PAIRS:
        raise InputError(
            f"there are {len(pairs)} pairs of stations; allowed: {_MOST_PAIRS}, or traffic that names its pairs"
        )
    return pairs


def _digest(table: dict[str, Any], pairs: Sequence[Sequence[str]] | None, duration_ps: int) -> str:
    found = {key: value for key, value in table.items() if key not in _FILES or not _is_file(value)}
    files = {key: hashlib.sha256(Path(table[key]).read_bytes()).hexdigest() for key in table.keys() - found.keys()}
    try:
        propagator = version("sgp4")
    except PackageNotFoundError:
        propagator = ""
    parts = (HEAD, _METHOD, propagator, sorted(found.items()), sorted(files.items()), pairs, duration_ps)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _is_file(value: object) -> bool:
    return isinstance(value, str) and Path(value).is_file()


def _write(path: Path, text: str) -> Path:
    """All of it or nothing: others may ask for the same file meanwhile."""
    half = path.with_name(f".{path.name}-{os.getpid()}")
    half.write_text(text, encoding="utf-8")
    half.replace(path)
    return path
