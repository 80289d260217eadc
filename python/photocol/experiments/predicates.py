"""Claims as predicates: what must hold for a claim to agree, and what is enough to agree in shape.

A predicate is a claim's `check`: `at_least(ratio("goodput_bps", of={"law": "a"}, to={"law": "b"}), 1.25, in_shape=1)`.
A claim that agrees agrees in shape by construction: its weaker predicate is asked only where the strict one fails.
Chance is no matter of predicates: `photocol.experiments.chance` asks them again within the intervals.
"""

from __future__ import annotations

import functools
import itertools
import operator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from photocol.experiments.readings import (
    Beside,
    Values,
    beside,
    beside_of,
    ends,
    extremes,
    first,
    growth,
    highest,
    knee,
    last,
    least,
    lowest,
    mean,
    most,
    ratio,
    span,
    spread,
    steps,
    values,
)
from photocol.experiments.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from photocol.experiments.verdict import Finding
    from photocol.sweeps.campaign.table import Outcome


__all__ = [
    "MOSTLY",
    "SOMEWHERE",
    "Predicate",
    "Values",
    "above",
    "at_least",
    "at_most",
    "below",
    "beside",
    "ends",
    "everywhere",
    "extremes",
    "falls",
    "falls_with",
    "first",
    "growth",
    "highest",
    "knee",
    "last",
    "least",
    "lowest",
    "mean",
    "most",
    "near",
    "ordered",
    "ratio",
    "rises",
    "rises_with",
    "some_of",
    "span",
    "spread",
    "steps",
    "values",
    "within",
]


@dataclass(frozen=True)
class Predicate:
    """What must hold, and the words for what was measured."""

    holds: Callable[[Outcome], bool]
    words: Callable[[Outcome], str]
    weaker: Predicate | None = None
    passed: Callable[[Outcome], Mapping[Hashable, bool]] = lambda _: {}
    """Of a comparison: at which places it holds."""

    def __call__(self, outcome: Outcome) -> Finding:
        """The finding; of a table that chance draws the verdict alone."""
        from photocol.experiments.drawn import Drawn

        agrees = self.holds(outcome)
        in_shape = agrees or self._in_shape(outcome)
        measured = "" if isinstance(outcome.table, Drawn) else self.words(outcome)
        return judge(agrees=agrees, in_shape=in_shape, measured=measured)

    def nearly(self, outcome: Outcome) -> bool:
        """Whether it holds, or its weaker predicate does."""
        return self.holds(outcome) or self._in_shape(outcome)

    def _in_shape(self, outcome: Outcome) -> bool:
        return self.weaker is not None and self.weaker.nearly(outcome)

    def in_shape(self, weaker: Predicate) -> Predicate:
        """The same, in shape where a weaker one holds."""
        return replace(self, weaker=weaker)

    def saying(self, *instead: Values | Predicate) -> Predicate:
        """The same, with these numbers as what was measured; those that a form does not have are left out."""
        return replace(self, words=lambda outcome: "; ".join(filter(None, (one.words(outcome) for one in instead))))

    def telling(self, *more: Values) -> Predicate:
        """The same, with more numbers in what was measured."""
        return self.saying(self, *more)

    def __and__(self, other: Predicate) -> Predicate:
        return self._joined(other, operator.and_)

    def __or__(self, other: Predicate) -> Predicate:
        return self._joined(other, operator.or_)

    def __bool__(self) -> bool:
        raise TypeError("a predicate is true or false of an outcome: join two with & or |")

    def _joined(self, other: Predicate, function: Callable[[bool, bool], bool]) -> Predicate:
        """Both or either; in shape if so of what each is in shape."""

        def words(outcome: Outcome) -> str:
            return "; ".join(dict.fromkeys((self.words(outcome), other.words(outcome))))

        weaker = Predicate(lambda outcome: function(self.nearly(outcome), other.nearly(outcome)), words)
        return Predicate(lambda outcome: function(self.holds(outcome), other.holds(outcome)), words, weaker)


@dataclass(frozen=True)
class Part:
    """In shape: the same at more than this part of the places, or a test with weaker bounds: `MOSTLY(1.5)`."""

    share: float
    bounds: tuple[Beside, ...] = ()

    def __call__(self, *bounds: Beside) -> Part:
        """The same with these bounds."""
        return replace(self, bounds=bounds)


MOSTLY, SOMEWHERE = Part(0.5), Part(0)
Weaker = Predicate | Part | Beside | tuple[Beside, Beside] | None
"""What is enough to agree in shape: another predicate, a part of the places, or weaker bounds."""


def compared(
    of: Values, test: Callable[..., bool], bounds: tuple[Beside, ...], in_shape: Weaker, part: Part | None = None
) -> Predicate:
    """A test of each value with its bounds: at all places, or at more than a part of them."""

    def passed(outcome: Outcome) -> dict[Hashable, bool]:
        beside = [beside_of(bound, outcome) for bound in bounds]
        return {at: test(one, *(bound(at) for bound in beside)) for at, one in of.read(outcome).items()}

    if isinstance(in_shape, Part):
        in_shape = compared(of, test, in_shape.bounds or bounds, None, in_shape)
    elif in_shape is not None and not isinstance(in_shape, Predicate):
        in_shape = compared(of, test, in_shape if isinstance(in_shape, tuple) else (in_shape,), None)
    return at_places(passed, of.words, in_shape, part)


def at_places(
    passed: Callable[[Outcome], Mapping[Hashable, bool]],
    words: Callable[[Outcome], str],
    in_shape: Predicate | None,
    part: Part | None,
) -> Predicate:
    """What passes at all places, or at more than a part of them."""

    def holds(outcome: Outcome) -> bool:
        found = passed(outcome).values()
        return all(found) if part is None else sum(found) > part.share * len(found)

    return Predicate(holds, words, in_shape, passed)


def everywhere(*parts: Predicate, in_shape: Part | Predicate | None = None) -> Predicate:
    """All of these comparisons at each place, the same for all.

    In shape where each of them holds or is in shape; with `in_shape`, where all hold at so many places, or where
    another predicate does.
    """

    def passed(outcome: Outcome) -> dict[Hashable, bool]:
        found = [one.passed(outcome) for one in parts]
        return {at: all(one[at] for one in found) for at in found[0]}

    words = parts[0].saying(*parts).words
    if in_shape is None:
        in_shape = Predicate(lambda outcome: all(one.nearly(outcome) for one in parts), words)
    elif isinstance(in_shape, Part):
        in_shape = at_places(passed, words, None, in_shape)
    elif not isinstance(in_shape, Predicate):
        raise TypeError(f"in_shape={in_shape!r}: a part of the places, or a predicate")
    return at_places(passed, words, in_shape, None)


def some_of(least: int, *parts: Predicate) -> Predicate:
    """So many of these at least hold, each at all its places."""
    chosen = itertools.combinations(parts, least)
    return functools.reduce(operator.or_, (functools.reduce(operator.and_, each) for each in chosen))


def at_least(of: Values, bound: Beside, in_shape: Weaker = None) -> Predicate:
    """Nowhere less than the bound."""
    return compared(of, operator.ge, (bound,), in_shape)


def at_most(of: Values, bound: Beside, in_shape: Weaker = None) -> Predicate:
    """Nowhere more than the bound."""
    return compared(of, operator.le, (bound,), in_shape)


def above(of: Values, bound: Beside, in_shape: Weaker = None) -> Predicate:
    """More than the bound everywhere."""
    return compared(of, operator.gt, (bound,), in_shape)


def below(of: Values, bound: Beside, in_shape: Weaker = None) -> Predicate:
    """Less than the bound everywhere."""
    return compared(of, operator.lt, (bound,), in_shape)


def within(of: Values, low: Beside, high: Beside, in_shape: Weaker = None) -> Predicate:
    """From one bound to the other, everywhere."""
    return compared(of, lambda one, least, most: least <= one <= most, (low, high), in_shape)


def near(of: Values, expected: Beside, by: Beside, in_shape: Weaker = None) -> Predicate:
    """No farther than this from the expected number, at every place."""

    def words(outcome: Outcome) -> str:
        beside = beside_of(expected, outcome)
        wanted = replace(of, read=lambda _: {at: beside(at) for at in of.read(outcome)}, of=None, name="expected")
        return of.words(outcome) + ("" if isinstance(expected, (int, float)) else f"; {wanted.words(outcome)}")

    return replace(at_most((of - expected).each(abs), by, in_shape), words=words)


def ordered(order: str, of: Values, in_shape: Predicate | None = None) -> Predicate:
    """Values in an order of their places, as "plain < paced < xcp"."""
    return rises(of.at(*order.split(" < ")), in_shape)


def rises(of: Values, in_shape: Predicate | None = None) -> Predicate:
    """More at each place than at the one before."""
    return above(steps(of), 0, in_shape).saying(of)


def falls(of: Values, in_shape: Predicate | None = None) -> Predicate:
    """Less at each place than at the one before."""
    return below(steps(of), 0, in_shape).saying(of)


def rises_with(of: Values) -> Predicate:
    """Rises along its axis at each step; in shape: from end to end."""
    return rises(of, rises(ends(of)))


def falls_with(of: Values) -> Predicate:
    """Falls along its axis at each step; in shape: from end to end."""
    return falls(of, falls(ends(of)))
