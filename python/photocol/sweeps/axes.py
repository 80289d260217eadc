"""The axes of a sweep and the points they span: grid, zip, list, range, log-range, and a condition on the points."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from photocol.sweeps.campaign.study import Point, Value

MOST_POINTS = 1_000_000
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Axis:
    """A name, the keys of the scenario that have its value, and its values."""

    name: str
    keys: tuple[str, ...]
    values: tuple[Value, ...]


Group = tuple[Axis, ...]
"""Axes that go side by side; all have as many values."""


@dataclass(frozen=True)
class Plan:
    """The points of a sweep: every combination of its groups, the last fastest, where the condition holds."""

    groups: tuple[Group, ...]
    where: str | None = None
    """A condition on the axes in SQL, as in `buffer_kb < 100 AND transport <> 'reno'`."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All axes, in the order of the columns."""
        return tuple(itertools.chain.from_iterable(self.groups))

    def combinations(self) -> int:
        """How many there are before the condition."""
        return math.prod(len(group[0].values) for group in self.groups)

    def points(self) -> list[Point]:
        """All points. Raises InputError where they are too many, none, or the condition makes no sense."""
        count = self.combinations()
        if count > MOST_POINTS:
            lengths = " × ".join(f"{len(group[0].values)} ({group[0].name})" for group in self.groups)
            raise InputError(f"the sweep has {count:,} points: {lengths}; at most {MOST_POINTS:,} are carried out")
        points: list[Point] = [
            dict(itertools.chain.from_iterable(rows)) for rows in itertools.product(*map(_rows, self.groups))
        ]
        return _chosen(points, self.where) if self.where else points


def grouped(axes: Sequence[Axis]) -> Group:
    """Axes that go side by side. Raises InputError if one has more values than another, or all have theirs twice."""
    lengths = {len(axis.values) for axis in axes}
    if len(lengths) > 1:
        sizes = ", ".join(f"{axis.name} has {len(axis.values)}" for axis in axes)
        raise InputError(f"axes that go side by side have as many values each: {sizes}")
    rows = Counter(zip(*(axis.values for axis in axes), strict=True))
    ((twice, times),) = rows.most_common(1)
    if times > 1:
        said = ", ".join(f"{axis.name} = {value}" for axis, value in zip(axes, twice, strict=True))
        raise InputError(f"axes that go side by side have the same values twice: {said}")
    return tuple(axes)


def axis(name: str, keys: Sequence[str], values: Sequence[Value], *, may_repeat: bool = False) -> Axis:
    """An axis. Values of several kinds become text, so that its column has one; they differ unless they may repeat."""
    if not values:
        raise InputError(f"the axis {name} has no values")
    kinds = {type(value) for value in values}
    if not kinds <= {str, int, float, bool}:
        raise InputError(f"the axis {name}: values are texts, numbers, or true and false")
    if not all(math.isfinite(value) for value in values if isinstance(value, float)):
        raise InputError(f"the axis {name} has a value that is not a finite number")
    if kinds == {int, float}:
        values = [float(value) for value in values]
    elif len(kinds) > 1:
        values = [str(value) for value in values]
    twice = next((value for n, value in enumerate(values) if value in values[:n]), None) if len(values) < 1000 else None
    if not may_repeat and (twice is not None or len(set(values)) < len(values)):
        raise InputError(f"the axis {name} has a value twice: {twice}")
    return Axis(name, tuple(keys), tuple(values))


def steps(first: float, last: float, step: float, unit: str) -> list[Value]:
    """first, first + step, … up to last, which is among them if it is met to a billionth of a step."""
    if step == 0 or not all(map(math.isfinite, (first, last, step))) or (last - first) / step < 0:
        raise InputError(f"a range from {first:g} to {last:g} in steps of {step:g} has no values")
    count = math.floor((last - first) / step + 1e-9) + 1
    if count > MOST_POINTS:
        raise InputError(f"a range from {first:g} to {last:g} in steps of {step:g} has {count:,} values")
    return [_with_unit(first + n * step, unit) for n in range(count)]


def log_steps(first: float, last: float, points: int, unit: str) -> list[Value]:
    """`points` values from first to last, each the one before times the same factor."""
    if not (0 < first < math.inf and 0 < last < math.inf and 2 <= points <= MOST_POINTS):
        raise InputError(f"a log-range from {first:g} to {last:g} with {points} points: both ends above 0, 2 points")
    factor = (last / first) ** (1 / (points - 1))
    return [_with_unit(float(f"{first * factor**n:.6g}"), unit) for n in range(points)]


def _with_unit(value: float, unit: str) -> Value:
    rounded = float(f"{value:.12g}")
    if unit:
        return f"{rounded:.12g} {unit}"
    return int(rounded) if rounded.is_integer() else rounded


def _rows(group: Group) -> Iterator[list[tuple[str, Value]]]:
    for values in zip(*(axis.values for axis in group), strict=True):
        yield list(zip((axis.name for axis in group), values, strict=True))


def check_quotes(where: str, values: Mapping[str, Iterable[object]]) -> None:
    """Raise InputError if a condition has the name of an axis in single quotes, which is a text to SQL.

    `values` are those of each axis; a name that is one of them too may be meant so.
    """
    quoted = [found for found in _QUOTED.findall(where) if found in values]
    texts = {str(value) for one in values.values() for value in one} if quoted else ()
    for name in quoted:
        if name not in texts:
            raise InputError(f"where = {where!r}: '{name}' is a text; an axis stands in double quotes: \"{name}\"")


def _chosen(points: list[Point], where: str) -> list[Point]:
    import polars as pl

    check_quotes(where, {name: [point[name] for point in points] for name in points[0]})
    frame = pl.DataFrame(points).with_row_index("photocol point")
    try:
        chosen = frame.filter(pl.sql_expr(where))["photocol point"].to_list()
    except Exception as error:
        axes = ", ".join(f'"{name}"' if "." in name else name for name in points[0])
        raise InputError(f"where = {where!r}: {str(error).splitlines()[0]}; axes: {axes}") from error
    if not chosen:
        raise InputError(f"where = {where!r} leaves no point")
    return [points[index] for index in chosen]
