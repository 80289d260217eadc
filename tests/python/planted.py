"""Accidents planted in a trace: one row is another than it was, one is missing, or one is there twice."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from photocol.errors import InputError
from photocol.runs.replay import RULES, Replayed, timed

if TYPE_CHECKING:
    from collections.abc import Iterator

MADE = ("row", "begins", "ends", "arrives", "source", "target")
LATE = (1 << 63) - 1
"""Some 106 days in picoseconds."""
COLUMNS: dict[str, tuple[str, ...]] = {
    "t_ps": ("less", "more", "far"),
    "wait_ps": ("zero", "half", "twice", "more", "far"),
    "lasts_ps": ("zero", "half", "twice", "more"),
    "flight_ps": ("zero", "half", "twice", "more"),
    "unit": ("zero", "other", "more", "far"),
    "bytes": ("zero", "half", "twice"),
    "flow": ("other", "none"),
    "channel": ("other", "none"),
    "place": ("other",),
    "class": ("other",),
    "event": ("other",),
    "cause": ("other", "none"),
    "value": ("half", "twice", "none"),
}
ROWS = ("missing", "doubled")


def raw(run: Replayed) -> pl.DataFrame:
    """The trace as it lies in the file."""
    return run.trace.drop(*MADE)


def again(run: Replayed, trace: pl.DataFrame) -> Replayed:
    """The run with another trace, its rows in the order of time."""
    return replace(run, trace=timed(trace.sort("t_ps", maintain_order=True)))


def is_found(run: Replayed) -> bool:
    """Whether any rule is broken, or the trace cannot be read."""
    return any(next(iter(rule(run)), None) for rule in RULES)


def accidents(run: Replayed, seed: int) -> Iterator[tuple[str, pl.DataFrame]]:
    """A name (event, column, what is done) and a trace, for each kind of event that the run has and each column."""
    chance, trace = random.Random(seed), raw(run).with_row_index("row")
    for event in sorted(trace["event"].unique()):
        rows = trace.filter(pl.col("event") == event)
        for column, ways in COLUMNS.items():
            for way in ways:
                changed = _changed(chance, trace, rows, column, way)
                if changed is not None:
                    yield f"{event} {column} {way}", changed.drop("row")
        row = chance.choice(rows["row"])
        yield f"{event} missing", trace.filter(pl.col("row") != row).drop("row")
        yield f"{event} doubled", pl.concat([trace, trace.filter(pl.col("row") == row)]).drop("row")
        yield f"{event} all missing", trace.filter(pl.col("event") != event).drop("row")


def _changed(
    chance: random.Random, trace: pl.DataFrame, rows: pl.DataFrame, column: str, way: str
) -> pl.DataFrame | None:
    """The trace with one value changed; None where that changes nothing."""
    rows = rows.filter(pl.col(column).is_not_null())
    if rows.is_empty():
        return None
    row = chance.choice(rows["row"])
    now = rows.filter(pl.col("row") == row)[column][0]
    value = _value(chance, trace, column, way, now)
    if value == now or value is SAME:
        return None
    new = pl.lit(value, trace.schema[column])
    return trace.with_columns(pl.when(pl.col("row") == row).then(new).otherwise(column).alias(column))


SAME = object()


def _value(chance: random.Random, trace: pl.DataFrame, column: str, way: str, now: object) -> object:
    if way == "none":
        return None
    if way == "other":
        others = [
            one for one in trace[column].unique().sort() if one is not None and _kind(one) == _kind(now) and one != now
        ]
        return chance.choice(others) if others else SAME
    assert isinstance(now, int)
    ways = {
        "zero": 0,
        "half": now // 2,
        "twice": 2 * now,
        "more": now + 10**6,
        "less": max(now - 10**6, 0),
        "far": LATE,
    }
    return ways[way]


def _kind(value: object) -> bool:
    """Whether a place is a link."""
    return isinstance(value, str) and "->" in value


def tried(run: Replayed, seed: int) -> Iterator[tuple[str, bool]]:
    """Which accidents are found."""
    for name, trace in accidents(run, seed):
        try:
            yield name, is_found(again(run, trace))
        except InputError:
            yield name, True
