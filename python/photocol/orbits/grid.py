"""Which satellites have lasers to one another: the +grid of a shell, or a list.

In the +grid a satellite has two lasers in its plane and one to each neighbouring plane, fixed for life. Where the
planes close, the last to the first, two readings exist. Going once round a delta whose phases add up shifts by F slots,
so `phase` links satellite s of the last plane to s + F of the first. `index` links it to s, as Hypatia does; its phases
alternate, and there both are the same.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from photocol.conversions.source import read
from photocol.conversions.table import records
from photocol.orbits.shells import Phases

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from photocol.orbits.shells import Shell

MOST_LASERS = 8
"""Lasers that a satellite of a list may have."""


class Wrap(StrEnum):
    """To which satellite of the first plane one of the last is linked: where the phase puts it, or of its index."""

    PHASE = "phase"
    INDEX = "index"


class Seam(StrEnum):
    """Whether the last plane has lasers to the first."""

    OPEN = "open"
    CLOSED = "closed"


def plus_grid(planes: int, per_plane: int, seam: Seam, shift: int = 0) -> list[tuple[int, int]]:
    """Pairs of satellites in order, none twice, whatever the planes and satellites; `shift` slots at the wrap."""
    pairs: set[tuple[int, int]] = set()
    for plane in range(planes):
        first, after = plane * per_plane, (plane + 1) % planes
        is_wrap = after == 0
        for slot in range(per_plane):
            here = first + slot
            _link(pairs, here, first + (slot + 1) % per_plane)
            if not is_wrap:
                _link(pairs, here, after * per_plane + slot)
            elif seam is Seam.CLOSED and planes > 1:
                _link(pairs, here, (slot + shift) % per_plane)
    return sorted(pairs)


def grid_of(shell: Shell, seam: Seam, wrap: Wrap) -> list[tuple[int, int]]:
    """The +grid of a shell."""
    is_shifted = wrap is Wrap.PHASE and shell.phases is Phases.ADDING
    return plus_grid(shell.planes, shell.per_plane, seam, shell.phasing if is_shifted else 0)


def as_array(pairs: Iterable[tuple[int, int]]) -> NDArray[np.intp]:
    """The pairs as an array of shape (lasers, 2)."""
    return np.array(list(pairs), dtype=np.intp).reshape(-1, 2)


def read_lasers(path: Path, satellites: int) -> list[tuple[int, int]]:
    """Pairs of numbers of satellites, two a line, with a line of titles or without.

    Raises InputError with file and line where a number is none, a pair is there twice or a satellite has too many.
    """
    source = read(path)
    listed = LaserList(satellites)
    for place, (line, fields) in enumerate(records(source)):
        if place == 0 and not all(field.isdecimal() for field in fields):
            continue
        if len(fields) != 2:
            source.wrong(line, f"found {len(fields)} columns; allowed: the numbers of two satellites")
        one, other = (source.whole(line, "satellite", field, 0, satellites - 1) for field in fields)
        reason = listed.add(one, other)
        if reason:
            source.wrong(line, reason)
    return sorted(listed.pairs)


class LaserList:
    """Pairs of satellites that are given one by one."""

    def __init__(self, satellites: int) -> None:
        self.pairs: set[tuple[int, int]] = set()
        self.degrees = [0] * satellites

    def add(self, one: int, other: int) -> str:
        """Add a pair of satellites; the reason why it cannot be, if there is one."""
        pair = (min(one, other), max(one, other))
        if one == other or pair in self.pairs:
            return f"found {one} and {other}; allowed: two satellites, each pair once"
        self.pairs.add(pair)
        self.degrees[one] += 1
        self.degrees[other] += 1
        if max(self.degrees[one], self.degrees[other]) > MOST_LASERS:
            return f"found more than {MOST_LASERS} lasers at a satellite; allowed: up to {MOST_LASERS}"
        return ""


def _link(pairs: set[tuple[int, int]], one: int, other: int) -> None:
    if one != other:
        pairs.add((min(one, other), max(one, other)))
