"""Delays of links by a file of contacts: what `docs/guide/constellations.md` says of them, read from the file again."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from photocol.errors import InputError
from photocol.files import text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_HEAD = "photocol-contacts,1"


@dataclass(frozen=True)
class Law:
    """The delay of a link over time, in picoseconds: that of the last time before, or on the line to the next."""

    times: NDArray[np.int64]
    delays: NDArray[np.int64]
    """0 from where there is no link on."""
    is_linear: bool

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """The delays of packets whose last bit leaves then, rounded down; 0 where there is no link."""
        place = np.searchsorted(self.times, times, side="right") - 1
        here = self.delays[place]
        if not self.is_linear:
            return here
        behind = np.minimum(place + 1, len(self.times) - 1)
        there = np.where(self.delays[behind] > 0, self.delays[behind], here)
        span = np.maximum(self.times[behind] - self.times[place], 1)
        # Products are beyond 64 bits.
        risen = (there - here).astype(object) * (times - self.times[place]).astype(object) // span.astype(object)
        found: NDArray[np.int64] = np.where(here > 0, here + risen.astype(np.int64), 0)
        return found


def laws(topology: Mapping[str, Any]) -> dict[str, Law]:
    """Of each direction of each link, by its place. Raises InputError, OSError or ValueError where there is no file."""
    head, *rows = text(Path(topology["path"])).splitlines()
    if head.strip() != _HEAD:
        raise InputError(f"{topology['path']}: no file of contacts")
    nodes = [next(csv.reader([row]))[1] for row in rows if row.startswith("node,")]
    contacts: dict[tuple[int, int], list[tuple[int, int, list[int]]]] = {}
    last = 0
    for row in rows:
        if row.startswith("contact,"):
            _, one, other, start, step, said = row.split(",")
            contact = (int(start), int(step), [int(delay) for delay in said.split()])
            contacts.setdefault((int(one), int(other)), []).append(contact)
            last = max(last, _end(contact))
    is_linear, is_lost = topology.get("delay_law") == "linear", topology.get("gone") == "lost"
    found: dict[str, Law] = {}
    for (first, second), known in contacts.items():
        law = _law(sorted(known), last, is_linear=is_linear, is_lost=is_lost)
        found |= {f"{nodes[one]}->{nodes[other]}": law for one, other in ((first, second), (second, first))}
    return found


def _end(contact: tuple[int, int, list[int]]) -> int:
    start, step, delays = contact
    return start + step * len(delays)


def _law(known: list[tuple[int, int, list[int]]], last: int, *, is_linear: bool, is_lost: bool) -> Law:
    """A contact lasts a step longer than to its last time. Then the link is gone, or its last delay stays."""
    times, delays, over = list[int](), list[int](), 0
    for contact in known:
        start, step, own = contact
        if start > over:
            times += [over if delays else 0]
            delays += [0 if is_lost else delays[-1] if delays else own[0]]
        if start > over and delays and not is_lost:
            times += [start - 1]
            delays += [delays[-1]]
        times += range(start, _end(contact), step)
        delays += own
        over = _end(contact)
    if over < last and is_lost:
        times, delays = [*times, over], [*delays, 0]
    return Law(np.array(times, dtype=np.int64), np.array(delays, dtype=np.int64), is_linear)
