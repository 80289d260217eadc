"""Rows become tables: per point means with Student-t intervals, and the replications one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.stats import mean_ci

if TYPE_CHECKING:
    import polars as pl

    from photocol.sweeps.campaign.job import Row
    from photocol.sweeps.campaign.study import Point

    Column = Sequence[object] | pl.Series

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a campaign measured, for claims and plots."""

    table: pl.DataFrame
    """One row a point: the axes, per metric its mean and `<metric>_half_width`, and `n`."""
    replications: pl.DataFrame
    """One row a (point, replication): the axes, `seed`, the metrics. For paired comparisons."""
    curves: pl.DataFrame | None = None
    """What the study's `curves` gave for the first replication of each point, the axes in front; None without it."""


def outcome_of(metrics: Sequence[str], points: Sequence[Point], rows: Sequence[Row]) -> Outcome:
    """The tables of the rows, in the order of the points. They do not depend on the order of the rows.

    A figure that some replication of a point lacks has no mean there.
    """
    import polars as pl

    groups = grouped(points, rows)
    ordered = [row for group in groups for row in group]
    measured = by_metric(metrics, ordered)
    curves = [_with_axes(row.point, row.curves) for row in ordered if row.curves is not None]
    return Outcome(
        table=pl.DataFrame(_means(measured, groups)),
        replications=pl.DataFrame(_single(measured, ordered)),
        curves=pl.concat(curves) if curves else None,
    )


def grouped(points: Sequence[Point], rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each point that has some, by seed."""
    by_point: dict[tuple[object, ...], list[Row]] = {tuple(point.values()): [] for point in points}
    for row in sorted(rows, key=lambda row: row.seed):
        by_point[tuple(row.point.values())].append(row)
    return [group for group in by_point.values() if group]


Measured = Mapping[str, Sequence[float | None]]
"""Metric to its value in each row; None where a row has none."""


def by_metric(metrics: Sequence[str], rows: Sequence[Row]) -> Measured:
    """Read row by row: there may be very many of them, all over the memory."""
    lines = [[row.metrics.get(metric) for metric in metrics] for row in rows]
    columns = zip(*lines, strict=True) if lines else ([] for _ in metrics)
    return dict(zip(metrics, columns, strict=True))


def _means(measured: Measured, groups: Sequence[Sequence[Row]]) -> dict[str, Column]:
    """`measured` has the rows of the groups, one group after the other."""
    columns = _axes([group[0].point for group in groups])
    ends = list(itertools.accumulate(map(len, groups)))
    for metric, values in measured.items():
        intervals = [_mean(values[end - len(group) : end]) for group, end in zip(groups, ends, strict=True)]
        columns[metric] = _numbers([mean for mean, _ in intervals])
        columns[f"{metric}_half_width"] = _numbers([half_width for _, half_width in intervals])
    columns["n"] = [len(group) for group in groups]
    return columns


def _mean(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None, None
    if len(known) == 1:
        return known[0], math.nan
    interval = mean_ci(known, confidence=CONFIDENCE)
    return interval.mean, interval.half_width


def _single(measured: Measured, rows: Sequence[Row]) -> dict[str, Column]:
    columns = _axes([row.point for row in rows])
    columns["seed"] = [row.seed for row in rows]
    for metric, values in measured.items():
        columns[metric] = _numbers(values)
    return columns


def _axes(points: Sequence[Point]) -> dict[str, Column]:
    names: Mapping[str, object] = points[0] if points else {}
    return {name: [point[name] for point in points] for name in names}


def _numbers(values: Sequence[float | None]) -> pl.Series:
    import polars as pl

    return pl.Series(values, dtype=pl.Float64)


def _with_axes(point: Point, curves: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return curves.select(*(pl.lit(value).alias(axis) for axis, value in point.items()), pl.all())
