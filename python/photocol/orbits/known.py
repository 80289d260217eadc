"""What a file of contacts knows, for pictures of a run: where satellites are, routes of pairs, and their round trips.

The engine reads the same file (`contacts.py` says what is in it), so a picture shows the routes that packets had.
"""

from __future__ import annotations

import csv
import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from photocol.conversions.source import FileError, read
from photocol.orbits.contacts import HEAD, LASERS, PLACE

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_PS_IN_S, _PS_IN_MS = 1e12, 1e9
_MOST_FIELDS = 6
_NEAR_S = 1e-9
"""Times are whole picoseconds; as numbers of seconds they may be off by less than that."""


@dataclass(frozen=True)
class Turn:
    """A route of a pair from a time on, as numbers of nodes; empty while it is cut off."""

    time_s: float
    nodes: tuple[int, ...]


@dataclass
class Known:
    """A file of contacts. Nodes have numbers from 0 on, stations and satellites."""

    names: list[str] = field(default_factory=list)
    stations: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Degrees north and east."""
    turns: dict[tuple[int, int], list[Turn]] = field(default_factory=dict)
    """By source and destination."""
    contacts: dict[tuple[int, int], list[tuple[int, int, str]]] = field(default_factory=dict)
    """By the two nodes, the lower number first: begin and step in picoseconds, and delays."""
    places: list[tuple[int | None, int, str]] = field(default_factory=list)
    """Of satellites: number if a route uses it, step in picoseconds, degrees."""
    lasers: list[tuple[int, int]] = field(default_factory=list)
    """Between satellites in the order of their places."""
    _read: dict[tuple[int, int], list[tuple[NDArray[np.float64], NDArray[np.float64], float]]] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def number(self) -> dict[str, int]:
        """By name."""
        return {name: place for place, name in enumerate(self.names)}

    def degrees(self, times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Degrees north and east of all satellites, shape (instants, satellites, 2), of which places are known.

        Between the times of the file in a straight line; east is from -180 to 180.
        """
        found = np.empty((len(times_s), len(self.places), 2))
        for column, (_, step, text) in enumerate(self.places):
            given = np.array(text.split(), dtype=float).reshape(-1, 2)
            at = np.arange(len(given)) * step / _PS_IN_S
            found[:, column, 0] = np.interp(times_s, at, given[:, 0])
            found[:, column, 1] = np.interp(times_s, at, np.unwrap(given[:, 1], period=360))
        found[..., 1] = (found[..., 1] + 180) % 360 - 180
        return found

    def steps_s(self, pair: tuple[int, int], end_s: float) -> NDArray[np.float64]:
        """The times before the end at which the delays of a pair's routes are said."""
        links = {(min(link), max(link)) for turn in self.turns[pair] for link in itertools.pairwise(turn.nodes)}
        step = min((step for link in links for _, step, _ in self.contacts.get(link, [])), default=0)
        return np.arange(0, end_s * _PS_IN_S, step or end_s * _PS_IN_S) / _PS_IN_S

    def round_trips_ms(self, pair: tuple[int, int], times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Twice the delay of the pair's route at each of these times; NaN while it is cut off."""
        found = np.full(len(times_s), np.nan)
        turns = self.turns[pair]
        ends = [turn.time_s for turn in turns[1:]] + [np.inf]
        for turn, end in zip(turns, ends, strict=True):
            part = (times_s >= turn.time_s - _NEAR_S) & (times_s < end - _NEAR_S)
            if turn.nodes and part.any():
                ways = [self._delays_ms(link, times_s[part]) for link in itertools.pairwise(turn.nodes)]
                found[part] = 2 * np.sum(ways, axis=0)
        return found

    def _delays_ms(self, link: tuple[int, int], times_s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of one link; NaN where it has no contact."""
        found = np.full(len(times_s), np.nan)
        for at, delays, step_s in self._contact((min(link), max(link))):
            part = (times_s >= at[0] - _NEAR_S) & (times_s < at[-1] + step_s - _NEAR_S)
            found[part] = np.interp(times_s[part], at, delays)
        return found

    def _contact(self, link: tuple[int, int]) -> list[tuple[NDArray[np.float64], NDArray[np.float64], float]]:
        """Times, delays in milliseconds and step of each contact of a link, read once."""
        if link not in self._read:
            self._read[link] = []
            for begin, step, text in self.contacts.get(link, []):
                delays = np.array(text.split(), dtype=float) / _PS_IN_MS
                self._read[link].append(((begin + step * np.arange(len(delays))) / _PS_IN_S, delays, step / _PS_IN_S))
        return self._read[link]


def read_known(path: Path) -> Known:
    """Read a file. Raises InputError with file and line, and OSError."""
    source, known = read(path), Known()
    lines = source.text.split("\n")
    if lines[0].strip() != HEAD:
        source.wrong(1, f'allowed: "{HEAD}" as the first line')
    for number, line in enumerate(lines[1:], 2):
        try:
            _add(known, line.split(",", _MOST_FIELDS - 1), line)
        except (ValueError, IndexError) as error:
            raise FileError(source.name, number, "no row of a file of contacts") from error
    return known


def _add(known: Known, fields: list[str], line: str) -> None:
    """A row; what pictures do not need is passed over."""
    if fields[0] == "contact":
        _, one, other, begin, step, delays = fields
        ends = sorted((int(one), int(other)))
        known.contacts.setdefault((ends[0], ends[1]), []).append((int(begin), int(step), delays))
    elif fields[0] == "route":
        _, time, source, target, nodes = fields
        turn = Turn(int(time) / _PS_IN_S, tuple(map(int, nodes.split())))
        known.turns.setdefault((int(source), int(target)), []).append(turn)
    elif fields[0] == "node":
        _, name, kind, north, east = next(csv.reader([line]))
        if kind == "station" and north and east:
            known.stations[len(known.names)] = (float(north), float(east))
        known.names.append(name)
    elif fields[0] == PLACE:
        _, node, step, degrees = fields
        known.places.append((int(node) if node else None, int(step), degrees))
    elif fields[0] == LASERS:
        ends = [int(end) for end in fields[1].split()]
        known.lasers = list(zip(ends[::2], ends[1::2], strict=True))
