"""Numbers that claims are about: read off an outcome, each at its place along an axis, and what is computed of them.

`values("goodput_bps", "buffer_bytes", transport="cubic")` is a curve; `a / b` is one point by point;
`most(a)`, `spread(a)` and their like are single numbers, whose place is None. All of them know how they are told.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    import polars as pl

    from photocol.sweeps.campaign.table import Outcome

Found = Mapping[Hashable, float]
"""Place to number."""
Beside = Union["Values", Found, Callable[[Any], float], float]
"""What values are computed or compared with: others, numbers by place, a function of the place, or one number."""


@dataclass(frozen=True)
class Values:
    """Numbers by place, and the words for them."""

    read: Callable[[Outcome], Found]
    form: str = ".3g"
    unit: str = ""
    """Behind each number, with its blank."""
    name: str = ""
    """In front of all."""
    of: Values | None = None
    """What a single number was computed of: told in front of it."""

    def told(self, form: str = "", unit: str = "", name: str = "") -> Values:
        """The same numbers in other words."""
        return replace(self, form=form or self.form, unit=unit, name=name)

    def words(self, outcome: Outcome) -> str:
        """The numbers with their places: "80.2 s at 1, 81.0 s at 50", "reno 0.9 at 1; xcp 0.98 at 1"."""
        groups: dict[str, list[str]] = {}
        for at, value in self.read(outcome).items():
            head, place = (f"{at[0]} ", at[1:]) if isinstance(at, tuple) else ("", at)
            number = "nothing" if value is None else f"{value:{self.form}}{self.unit}"
            groups.setdefault(head, []).append(f"{number}{_place(place)}")
        numbers = "; ".join(head + ", ".join(parts) for head, parts in groups.items())
        inner = f"{self.of.words(outcome)}: " if self.of else ""
        return inner + (f"{self.name} {numbers}" if self.name else numbers)

    def at(self, *places: Hashable) -> Values:
        """Those at these places, in this order."""
        return replace(self, read=lambda outcome: {place: self.read(outcome)[place] for place in places})

    def among(self, test: Callable[[Any], bool]) -> Values:
        """Those at places that pass a test."""
        return replace(self, read=lambda outcome: {at: one for at, one in self.read(outcome).items() if test(at)})

    def renamed(self, name: Callable[[Any], Hashable]) -> Values:
        """The same at places by other names."""
        return replace(self, read=lambda outcome: {name(at): one for at, one in self.read(outcome).items()})

    def each(self, function: Callable[[float], float]) -> Values:
        """A function of each."""
        return replace(self, read=lambda outcome: {at: function(one) for at, one in self.read(outcome).items()})

    def __truediv__(self, other: Beside) -> Values:
        """A ratio, which has no unit: 1 where both are zero, infinite where the divisor alone is."""
        return self._with(_over, other).told(".2f")

    def __mul__(self, other: Beside) -> Values:
        return self._with(operator.mul, other)

    def __sub__(self, other: Beside) -> Values:
        return self._with(operator.sub, other)

    def __add__(self, other: Beside) -> Values:
        return self._with(operator.add, other)

    def _with(self, function: Callable[[float, float], float], other: Beside) -> Values:
        def read(outcome: Outcome) -> Found:
            beside = beside_of(other, outcome)
            return {at: function(one, beside(at)) for at, one in self.read(outcome).items()}

        return replace(self, read=read)


def beside_of(other: Beside, outcome: Outcome) -> Callable[[Any], float]:
    """Another number at each place: a single one is the same at all."""
    if isinstance(other, Values):
        other = other.read(outcome)
    if isinstance(other, Mapping):
        found, alone = other, next(iter(other.values())) if len(other) == 1 else None
        return lambda at: found[at] if alone is None else alone
    if callable(other):
        return other
    number = other
    return lambda _: number


def values(
    metric: str, along: str | Sequence[str] = (), *, form: str = ".3g", unit: str = "", **where: object
) -> Values:
    """A metric in the rows where other axes have these values, by its place along an axis, or along several.

    Places are ascending on an axis of numbers, on others as the table has them. Along no axis it is a single number.
    """
    axes = [along] if isinstance(along, str) else list(along)
    by = {*where, *axes}
    key = (along if isinstance(along, str) else tuple(axes), *((axis, type(one), one) for axis, one in where.items()))

    def rows(table: pl.DataFrame) -> dict[Hashable, int]:
        """The row of each place."""
        from photocol.experiments.drawn import INDEX

        table = table.with_row_index(INDEX)
        for axis, wanted in where.items():
            table = table.filter(table[axis] == wanted)
        if not axes:
            return {None: table[INDEX].item()}
        if all(table[axis].dtype.is_numeric() for axis in axes):
            table = table.sort(axes)
        places = table[axes[0]].to_list() if isinstance(along, str) else list(table.select(axes).iter_rows())
        if len(set(places)) < len(places):
            raise ValueError(f"{metric} has several rows at one place along {along}: name the other axes")
        return dict(zip(places, table[INDEX].to_list(), strict=True))

    def read(outcome: Outcome) -> Found:
        from photocol.experiments.drawn import found, numbers

        there = found(outcome.table, key, by, rows)
        column = numbers(outcome.table, metric)
        return {place: column[row] for place, row in there.items()}

    return Values(read, form=form, unit=unit)


def ratio(metric: str, *, of: Mapping[str, Any], to: Mapping[str, Any], along: str | Sequence[str] = ()) -> Values:
    """A metric in some rows over the same metric in others, place by place."""
    return values(metric, along, **of) / values(metric, along, **to)


def beside(named: Mapping[str, Values]) -> Values:
    """Several side by side, by name: places of curves have the name in front. Told as the first one is."""

    def read(outcome: Outcome) -> Found:
        return {_within(name, at): one for name, of in named.items() for at, one in of.read(outcome).items()}

    return replace(next(iter(named.values())), read=read, name="", of=None)


def highest(*curves: Values) -> Values:
    """The highest of several at each place."""
    return reduce(lambda one, other: one._with(max, other), curves)


def lowest(*curves: Values) -> Values:
    """The lowest of several at each place."""
    return reduce(lambda one, other: one._with(min, other), curves)


def single(function: Callable[[list[float]], float], name: str, of: Values, form: str = "") -> Values:
    """One number of all."""
    return Values(
        lambda outcome: {None: function(list(of.read(outcome).values()))}, form or of.form, of.unit, name, of=of
    )


def most(of: Values) -> Values:
    """The largest."""
    return single(max, "at most", of)


def least(of: Values) -> Values:
    """The smallest."""
    return single(min, "at least", of)


def mean(of: Values) -> Values:
    """The mean of all."""
    return single(lambda all_: sum(all_) / len(all_), "mean", of)


def spread(of: Values) -> Values:
    """The largest over the smallest, less one."""
    return replace(single(lambda all_: max(all_) / min(all_) - 1, "apart by", of, ".1%"), unit="")


def span(of: Values) -> Values:
    """The largest less the smallest."""
    return single(lambda all_: max(all_) - min(all_), "apart by", of)


def extremes(of: Values) -> Values:
    """The smallest and the largest."""
    return replace(beside({"least": least(of), "most": most(of)}), name=of.name)


def first(of: Values) -> Values:
    """That at the axis's beginning."""
    return single(lambda all_: all_[0], "at first", of)


def last(of: Values) -> Values:
    """That at the axis's end."""
    return single(lambda all_: all_[-1], "at the end", of)


def ends(of: Values) -> Values:
    """The first and the last of each curve."""

    def read(outcome: Outcome) -> Found:
        return dict(one for curve in _curves(of.read(outcome)) for one in (curve[0], curve[-1]))

    return replace(of, read=read)


def steps(of: Values) -> Values:
    """From each place to the next: the later less the earlier, at the later place; told as the values are."""

    def read(outcome: Outcome) -> Found:
        found = (step for curve in _curves(of.read(outcome)) for step in pairwise(curve))
        return {at: after - before for (_, before), (at, after) in found}

    return replace(of, read=read)


def growth(of: Values) -> Values:
    """From each place to the next: the later over the earlier, at the later place."""

    def read(outcome: Outcome) -> Found:
        found = (step for curve in _curves(of.read(outcome)) for step in pairwise(curve))
        return {at: _over(after, before) for (_, before), (at, after) in found}

    return replace(of, read=read).told(".2f")


def knee(of: Values, share: float = 0.95) -> Values:
    """The first place of the axis with this share of its last value."""

    def read(outcome: Outcome) -> Found:
        found = of.read(outcome)
        level = share * list(found.values())[-1]
        return {None: next(float(str(at)) for at, one in found.items() if one >= level)}

    return Values(read, form="g", name=f"{share:.0%} of the end from", of=of)


def _curves(found: Found) -> list[list[tuple[Hashable, float]]]:
    """Values along the last of their axes, a list for each place on the others."""
    curves: dict[Hashable, list[tuple[Hashable, float]]] = {}
    for at, one in found.items():
        curves.setdefault(at[:-1] if isinstance(at, tuple) else (), []).append((at, one))
    return list(curves.values())


def _over(above: float, below: float) -> float:
    if below:
        return above / below
    return math.copysign(math.inf, above) if above else 1.0


def _within(name: str, at: Hashable) -> Hashable:
    """A place of one of several values."""
    if at is None:
        return name
    return (name, *at) if isinstance(at, tuple) else (name, at)


def _place(at: Hashable) -> str:
    if isinstance(at, tuple) and len(at) == 1:
        [at] = at
    if at is None:
        return ""
    if isinstance(at, (int, float)):
        return f" at {at}" if isinstance(at, int) else f" at {at:.4g}"
    return f" ({', '.join(map(str, at)) if isinstance(at, tuple) else at})"
