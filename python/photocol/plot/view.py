"""Which part of a sweep's table stands where in a picture: along an axis, as curves, as small multiples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.plot.labels import axis_title, metric_title, names, places, unit_in
from photocol.quantity import scale_of
from photocol.runs.meanings import COUNTED, is_of_completions
from photocol.sweeps.axes import check_quotes
from photocol.sweeps.swept import SPREAD, SweepTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.plot.labels import Places

LOGS = ("x", "y", "xy", "none")
_FAR_APART = 30.0
"""Values of an axis that differ by more than this factor stand on a logarithmic axis."""
_MOST_PANELS = 12
_MOST_CURVES = 24
_PLAIN_LEAST, _PLAIN_MOST = 1e-4, 1e6
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a user says of a picture; what is None is chosen."""

    x: str | None = None
    by: str | Sequence[str] | None = None
    panels: str | None = None
    log: str | None = None
    is_map: bool = False
    where: str | None = None


@dataclass(frozen=True, kw_only=True)
class View:
    """A figure of a sweep and the axes along which it is shown. Its table has rows with a value only."""

    table: SweepTable
    metric: str
    x: str
    by: tuple[str, ...]
    panels: str | None
    log: str
    remarks: tuple[str, ...] = ()
    """What a reader has to know: what is not shown."""

    @property
    def x_places(self) -> Places:
        """Where the rows stand along x."""
        return places(self.table.get_column(self.x).to_list())

    @property
    def scale(self) -> tuple[float, str]:
        """What values are divided by, and their unit then; very large and small ones without a prefix by a power."""
        values = self.table.get_column(self.metric).to_numpy()
        most = float(np.abs(values).max()) if len(values) else 0.0
        divisor, unit = scale_of(most, self.table.unit(self.metric))
        if self.is_log_y or most == 0 or _PLAIN_LEAST <= most / divisor < _PLAIN_MOST:
            return divisor, unit
        power = 3 * math.floor(math.log10(most / divisor) / 3)
        return divisor * 10.0**power, f"10{str(power).translate(_RAISED)} {unit}".strip()

    @property
    def y_title(self) -> str:
        """The title of the figure with its unit."""
        unit = self.scale[1]
        if self.table.unit(self.metric) == "1":
            unit = f"{unit} {unit_in(self.metric)}".strip()
        return f"{metric_title(self.metric)} ({unit})" if unit else metric_title(self.metric)

    def title(self, axis: str, unit: str = "") -> str:
        """That of an axis."""
        return axis_title(axis, self.table.axes, unit)

    def parts(self, table: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
        """The rows of each curve, with its name."""
        if not self.by:
            return [("", table)]
        groups = table.partition_by(*self.by, as_dict=True, maintain_order=True)
        named = [self._names(axis) for axis in self.by]
        return [(", ".join(_each(named, key)), part) for key, part in groups.items()]

    def multiples(self) -> list[tuple[str, pl.DataFrame]]:
        """The rows of each of the small multiples, with its title; one without a title if there are none."""
        if self.panels is None:
            return [("", self.table)]
        groups = self.table.partition_by(self.panels, as_dict=True, maintain_order=True)
        named = self._names(self.panels)
        return [(f"{self.title(self.panels)}: {named[str(key[0])]}", part) for key, part in groups.items()]

    def _names(self, axis: str) -> dict[str, str]:
        """Those of all values of an axis, whatever is shown of them."""
        return names(self.table.get_column(axis).to_list())

    @property
    def is_log_x(self) -> bool:
        """Whether x is logarithmic."""
        return "x" in self.log

    @property
    def is_log_y(self) -> bool:
        """Whether the figure is."""
        return "y" in self.log


def _each(named: Sequence[Mapping[str, str]], key: Sequence[object]) -> list[str]:
    return [names[str(value)] for names, value in zip(named, key, strict=True)]


def view_of(table: SweepTable, metric: str, asked: Asked) -> View:
    """What a picture of this figure shows. Raises InputError for a name that is not there."""
    table.known(metric)
    if asked.log is not None and asked.log not in LOGS:
        raise InputError(f"log = {asked.log!r}: one of {', '.join(LOGS)}")
    if not table.axes:
        raise InputError("a table without axes has no picture")
    kept = _where(table, asked.where)
    x, by, panels = _roles(kept, asked)
    rows = kept.filter(pl.col(metric).is_not_null() & pl.col(metric).is_finite())
    if rows.is_empty():
        raise InputError(f"no point of the sweep has a {metric}: there is nothing to draw")
    remarks = []
    if len(rows) < len(kept):
        remarks.append(f"{len(kept) - len(rows):,} of {len(kept):,} points have no value")
    remarks += _unfinished(rows, metric)
    # A map has all values of its two axes; of many curves or panels some are shown.
    if not asked.is_map and by:
        rows, said = _some(rows, by, _MOST_CURVES, "curves")
        remarks += said
    if panels is not None:
        rows, said = _some(rows, (panels,), _MOST_PANELS, "panels")
        remarks += said
    log = asked.log if asked.log is not None else "x" if _is_far_apart(rows, x) else "none"
    rows, said = _above_zero(rows, x if "x" in log else None, metric if "y" in log else None)
    made = SweepTable.of(rows, units=table.units)
    remarks += said
    return View(table=made, metric=metric, x=x, by=by, panels=panels, log=log, remarks=tuple(remarks))


def _unfinished(rows: pl.DataFrame, metric: str) -> list[str]:
    """Of completion times: of how many flows there are none, at the point that has most of them."""
    completed, left = COUNTED
    if not is_of_completions(metric) or not set(COUNTED) <= set(rows.columns):
        return []
    counts = rows.select(completed, left).fill_null(0).sort(left, descending=True)
    done, most = counts.row(0)
    return [f"up to {math.ceil(most):,} of {math.ceil(done + most):,} flows did not complete"] if most else []


def kept_points(table: SweepTable, condition: str | None) -> pl.DataFrame:
    """The axes of the points that a condition in SQL keeps, all without one. Raises InputError."""
    return pl.DataFrame(_where(table, condition)).select(table.axes)


def _where(table: SweepTable, condition: str | None) -> SweepTable:
    if condition is None:
        return table
    check_quotes(condition, {axis: table.get_column(axis) for axis in table.axes})
    try:
        rows = table.filter(pl.sql_expr(condition))
    except Exception as error:
        why = str(error).splitlines()[0]
        raise InputError(f"where = {condition!r}: {why}; axes: {', '.join(table.axes)}") from error
    if rows.is_empty():
        raise InputError(f"where = {condition!r} leaves no point")
    return SweepTable.of(rows, units=table.units, drawings=table.drawings, asked=table.asked)


def _roles(table: SweepTable, asked: Asked) -> tuple[str, tuple[str, ...], str | None]:
    """x, the axes of curves, and that of small multiples; what is not asked for is chosen.

    Of the axes that are left the one with the fewest values makes small multiples, and the others the curves.
    """
    named = [asked.by] if isinstance(asked.by, str) else list(asked.by or ())
    by = [table.known_axis(name) for name in named]
    panels = None if asked.panels is None else table.known_axis(asked.panels)
    x = None if asked.x is None else table.known_axis(asked.x)
    taken = [one for one in (x, *by, panels) if one is not None]
    twice = next((one for place, one in enumerate(taken) if one in taken[:place]), None)
    if twice is not None:
        raise InputError(f"the axis {twice!r} is asked for twice: x, by and panels are different axes")
    counts = {name: table.get_column(name).n_unique() for name in table.axes}
    left = [name for name in table.axes if name not in taken]
    if x is None:
        if not left:
            raise InputError(f"no axis is left for x; the sweep has: {', '.join(table.axes)}")
        x = max(left, key=lambda name: (counts[name] > 1, _is_number(table, name), counts[name]))
    # An axis that goes side by side with x varies along it.
    free = [name for name in left if name != x and counts[name] > 1]
    free = [name for name in free if table.select(name, x).n_unique() > counts[x]]
    free.sort(key=lambda name: counts[name])
    if asked.is_map:
        return x, _other_of_map(table, by or free[-1:], free[:-1] if not by else free, panels), panels
    if panels is None and len(free) > (0 if by else 1):
        panels = free.pop(0)
    return x, (*by, *(name for name in table.axes if name in free)), panels


def _other_of_map(table: SweepTable, by: Sequence[str], free: Sequence[str], panels: str | None) -> tuple[str, ...]:
    rest = [name for name in free if name != panels]
    if len(by) != 1 or rest:
        fixed = f"; fix {', '.join([*by[1:], *rest])} by a condition (where)" if rest or len(by) > 1 else ""
        raise InputError(f"a map has two axes, x and by; the sweep has: {', '.join(table.axes)}{fixed}")
    return tuple(by)


def _is_number(table: SweepTable, name: str) -> bool:
    return places(table.get_column(name).unique().to_list()).names is None


def _some(rows: pl.DataFrame, keys: Sequence[str], most: int, what: str) -> tuple[pl.DataFrame, list[str]]:
    """The rows of at most so many values, evenly chosen from the first to the last, and what is said of the others."""
    values = rows.select(keys).unique(maintain_order=True)
    if len(values) <= most:
        return rows, []
    chosen = values[np.linspace(0, len(values) - 1, most).round().astype(int).tolist()]
    return rows.join(chosen, on=list(keys), how="semi", maintain_order="left"), [
        f"{most} of {len(values):,} {what} are shown"
    ]


def _above_zero(rows: pl.DataFrame, x: str | None, metric: str | None) -> tuple[pl.DataFrame, list[str]]:
    """The rows that a logarithmic axis can show, zeros of the figure among them, and what is said of the others."""
    kept = rows
    if x is not None:
        spots = places(rows.get_column(x).to_list())
        kept = kept if spots.names is not None else kept.filter(pl.Series([at > 0 for at in spots.at]))
    if metric is not None:
        kept = kept.filter(pl.col(metric) >= 0)
    if kept.is_empty() or (metric is not None and not (kept.get_column(metric) > 0).any()):
        raise InputError("nothing is above zero, and nothing else is on a logarithmic axis")
    gone = len(rows) - len(kept)
    return kept, [f"{gone:,} points below zero or at it are not on the logarithmic axis"] if gone else []


def _is_far_apart(table: pl.DataFrame, x: str) -> bool:
    at, _, names = places(table.get_column(x).to_list())
    return names is None and min(at) > 0 and max(at) > _FAR_APART * min(at)


def spread_of(rows: pl.DataFrame, metric: str) -> np.ndarray:
    """Half widths; zero where there is none."""
    return rows.get_column(f"{metric}{SPREAD}").cast(pl.Float64).fill_nan(0.0).fill_null(0.0).to_numpy()
