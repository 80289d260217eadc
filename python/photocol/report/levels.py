"""Levels of detail: what the rows of a trace's picture show where single events cannot be told apart.

Time is cut into equal parts, so many on the finest level that all rows together have about a million; each next level
has a quarter of them. A part of a row has the share of the time that is taken, whose it is, and how many were lost.
They are of the whole trace, also where a page has only its first events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.report.columns import packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Parts = dict[str, NDArray[Any]]

CELLS = 1 << 20
"""About so many parts has the finest level of all rows."""
FEWEST, MOST = 1 << 9, 1 << 15
"""Parts of a row: on the coarsest level, and at most."""
FOLD = 4
MOST_ROWS = 1024
"""The rows with most events have levels; the pictures show 40 at a time."""
WHOLE = 65535
"""A share of one."""
MISSED = 0x80
"""A slot that misses its switch, beside its class."""
_KINDS = {"reserve": "wavelength", "slot": "slots", "pass": "packets"}
_LOST = ("drop", "vanish")


def levels(events: pl.DataFrame, until_ps: int) -> dict[str, Any]:
    """The levels of a trace up to a time, as JSON can hold them."""
    found = sorted(_rows(events), key=lambda row: -len(row.begins))
    rows = sorted(found[:MOST_ROWS], key=lambda row: (row.place, row.kind, row.channel))
    count = parts(len(rows))
    fine = _stacked([row.cut(until_ps, count) for row in rows])
    return {
        "until_s": until_ps / 1e12,
        "left_out": max(0, len(found) - MOST_ROWS),
        "rows": [
            {"kind": row.kind, "place": row.place, "channel": row.channel, "count": len(row.begins)} for row in rows
        ],
        "levels": [_held(level) for level in _coarser(fine)],
    }


def parts(rows: int) -> int:
    """How many parts the finest level of so many rows has: a power of four times the coarsest's."""
    count = FEWEST
    while count * FOLD <= MOST and count * FOLD * rows <= CELLS:
        count *= FOLD
    return count


@dataclass(frozen=True)
class _Row:
    """What is sent in a row, in the order of its beginning, and when something was lost there."""

    kind: str
    place: int
    channel: int
    begins: NDArray[np.uint64]
    ends: NDArray[np.uint64]
    flow: NDArray[np.uint32]
    """One more than its number; 0 where there is none."""
    kinds: NDArray[np.uint8]
    """One more than the class; with MISSED."""
    lost: NDArray[np.uint64]

    def cut(self, until_ps: int, count: int) -> Parts:
        """Its parts on the finest level."""
        edges = np.array([until_ps * k // count for k in range(count + 1)], dtype=np.uint64)
        widths = np.maximum(np.diff(edges), 1)
        taken = np.diff(_taken_before(edges, self.begins, np.sort(self.ends)))
        share = np.minimum(np.ceil(taken / widths * WHOLE), WHOLE).astype(np.uint16)
        first = np.searchsorted(self.begins, edges[:-1])
        # Where none begins it is the one that began before.
        owner = np.where(first < np.searchsorted(self.begins, edges[1:]), first, first - 1).clip(min=0)
        is_taken = share > 0
        places = np.searchsorted(np.sort(self.lost), edges)
        return {
            "share": share,
            "flow": np.where(is_taken, self.flow[owner], 0).astype(np.uint32),
            "class": np.where(is_taken, self.kinds[owner], 0).astype(np.uint8),
            "lost": np.diff(places).astype(np.uint32),
        }


def _taken_before(at: NDArray[np.uint64], begins: NDArray[np.uint64], ends: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The time that bars take before each instant. Sums that overflow come right again in the difference."""

    def since(sorted_times: NDArray[np.uint64]) -> NDArray[np.uint64]:
        place = np.searchsorted(sorted_times, at)
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(sorted_times, dtype=np.uint64)])
        times: NDArray[np.uint64] = place.astype(np.uint64) * at - sums[place]
        return times

    return since(begins) - since(ends)


def _rows(events: pl.DataFrame) -> Iterator[_Row]:
    """A row for each wavelength, for each queue's slots, and for each line's packets."""
    numbered = events.select(
        pl.col("event").cast(pl.String),
        pl.col("place").to_physical().cast(pl.UInt32),
        pl.when(pl.col("event").cast(pl.String) == "reserve").then(pl.col("channel")).fill_null(0).alias("channel"),
        (pl.col("t_ps") + pl.col("wait_ps")).alias("begins"),
        (pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")).alias("ends"),
        (pl.col("flow") + 1).fill_null(0).cast(pl.UInt32).alias("flow"),
        (pl.col("class").to_physical().cast(pl.UInt8) + 1 + MISSED * pl.col("cause").is_not_null().cast(pl.UInt8))
        .cast(pl.UInt8)
        .alias("kinds"),
    )
    lost = _lost(numbered)
    shown = numbered.filter(pl.col("event").is_in(list(_KINDS))).sort("begins", maintain_order=True)
    parted = shown.partition_by("event", "place", "channel", as_dict=True, maintain_order=True)
    with_slots = {place for event, place, _ in parted if event == "slot"}
    none = np.empty(0, np.uint64)
    for (event, place, channel), rows in parted.items():
        # Losses stand in one kind of row of each place.
        is_theirs = event != "pass" or place not in with_slots
        yield _Row(
            kind=_KINDS[event],
            place=place,
            channel=channel,
            begins=rows["begins"].to_numpy(),
            ends=rows["ends"].to_numpy(),
            flow=rows["flow"].to_numpy(),
            kinds=rows["kinds"].to_numpy(),
            lost=lost.get(place, none) if is_theirs else none,
        )


def _lost(numbered: pl.DataFrame) -> Mapping[int, NDArray[np.uint64]]:
    """When something was lost, by place."""
    lost = numbered.filter(pl.col("event").is_in(list(_LOST)))
    parted = lost.partition_by("place", as_dict=True, maintain_order=True)
    return {place: rows["begins"].to_numpy() for (place,), rows in parted.items()}


def _stacked(rows: Sequence[Parts]) -> Parts:
    """All rows, one behind the other."""
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


def _coarser(level: Parts) -> Iterator[Parts]:
    """The level, and those above it."""
    while level:
        yield level
        if level["share"].shape[1] <= FEWEST:
            return
        level = {name: _FOLDS[name](values.reshape(len(values), -1, FOLD)) for name, values in level.items()}


def _mean(values: NDArray[Any]) -> NDArray[Any]:
    means: NDArray[Any] = np.ceil(values.mean(axis=2)).astype(np.uint16)
    return means


def _first(values: NDArray[Any]) -> NDArray[Any]:
    """The first that is not zero."""
    place = (values != 0).argmax(axis=2)
    firsts: NDArray[Any] = np.take_along_axis(values, place[..., None], axis=2)[..., 0]
    return firsts


def _sum(values: NDArray[Any]) -> NDArray[Any]:
    sums: NDArray[Any] = values.sum(axis=2)
    return sums


_FOLDS = {"share": _mean, "flow": _first, "class": _first, "lost": _sum}


def _held(level: Parts) -> dict[str, Any]:
    return {
        "parts": int(level["share"].shape[1]),
        "columns": {name: packed(values.reshape(-1)) for name, values in level.items()},
    }
