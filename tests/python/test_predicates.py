"""Claims as predicates: what they find of small tables, by arithmetic; in shape is never harder than agreeing."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import polars as pl
import pytest

from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    below,
    beside,
    ends,
    everywhere,
    extremes,
    falls,
    falls_with,
    first,
    growth,
    highest,
    knee,
    last,
    least,
    lowest,
    mean,
    most,
    near,
    ordered,
    ratio,
    rises,
    rises_with,
    some_of,
    span,
    spread,
    steps,
    values,
    within,
)
from photocol.experiments.chance import findings_told
from photocol.experiments.drawn import Drawn, Picks
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Finding, Verdict

BUFFERS = (10, 20, 40)
TABLE = pl.DataFrame(
    {
        "law": ["plain"] * 3 + ["paced"] * 3,
        "buffer": [40, 20, 10, 10, 20, 40],
        "carried": [0.8, 0.6, 0.2, 0.4, 0.75, 0.8],
    }
)
OUTCOME = Outcome(table=TABLE, replications=TABLE.clear())
PLAIN, PACED = (values("carried", "buffer", law=law) for law in ("plain", "paced"))


def found(predicate: Predicate) -> Finding:
    return predicate(OUTCOME)


def one(of: Values) -> float:
    [number] = of.read(OUTCOME).values()
    return number


def test_values_are_read_along_an_axis_in_its_order() -> None:
    assert PLAIN.read(OUTCOME) == {10: 0.2, 20: 0.6, 40: 0.8}
    assert values("carried", "law", buffer=10).read(OUTCOME) == {"plain": 0.2, "paced": 0.4}
    assert values("carried", ("law", "buffer")).read(OUTCOME)["paced", 20] == 0.75
    assert values("carried", law="paced", buffer=40).read(OUTCOME) == {None: 0.8}


def test_values_with_an_axis_too_few_are_an_error() -> None:
    with pytest.raises(ValueError, match="several rows at one place along buffer"):
        values("carried", "buffer").read(OUTCOME)


def test_values_are_compared_place_by_place() -> None:
    over = ratio("carried", of={"law": "paced"}, to={"law": "plain"}, along="buffer")
    assert over.read(OUTCOME) == pytest.approx({10: 2, 20: 1.25, 40: 1})
    assert (PACED - PLAIN).read(OUTCOME) == pytest.approx({10: 0.2, 20: 0.15, 40: 0})
    assert (PLAIN / last(PLAIN)).read(OUTCOME) == pytest.approx({10: 0.25, 20: 0.75, 40: 1})
    assert (PLAIN * {10: 5, 20: 5, 40: 5}).read(OUTCOME) == pytest.approx({10: 1, 20: 3, 40: 4})
    assert (PLAIN + 1).at(40).read(OUTCOME) == pytest.approx({40: 1.8})
    assert PLAIN.among(lambda buffer: buffer > 10).read(OUTCOME) == {20: 0.6, 40: 0.8}
    assert PLAIN.renamed(str).at("10").read(OUTCOME) == {"10": 0.2}
    assert PLAIN.each(lambda share: 100 * share).read(OUTCOME)[20] == 60


def test_a_ratio_of_nothing_to_nothing_is_one() -> None:
    nothing = PLAIN * {10: 0, 20: 1, 40: 0}
    assert (nothing / (nothing * {10: 1, 20: 2, 40: 1})).read(OUTCOME) == {10: 1, 20: 0.5, 40: 1}
    assert (PLAIN / nothing).read(OUTCOME) == {10: math.inf, 20: 1, 40: math.inf}


def test_single_numbers_are_those_of_arithmetic() -> None:
    assert (one(most(PLAIN)), one(least(PLAIN)), one(first(PLAIN)), one(last(PLAIN))) == (0.8, 0.2, 0.2, 0.8)
    assert one(mean(PLAIN)) == pytest.approx(1.6 / 3)
    assert one(spread(PLAIN)) == pytest.approx(3)
    assert one(span(PLAIN)) == pytest.approx(0.6)
    # 95 % of 0.8 are 0.76: with 40, and 90 % are 0.72: with 20.
    assert (one(knee(PACED)), one(knee(PACED, share=0.9))) == (40, 20)
    assert extremes(PLAIN).words(OUTCOME) == "0.2 (least), 0.8 (most)"
    assert growth(PLAIN).read(OUTCOME) == pytest.approx({20: 3, 40: 4 / 3})
    assert ends(PLAIN).read(OUTCOME) == {10: 0.2, 40: 0.8}
    assert beside({"a": most(PLAIN), "b": least(PLAIN)}).read(OUTCOME) == {"a": 0.8, "b": 0.2}
    both = beside({"a": PLAIN.at(10), "b": PACED})
    assert both.read(OUTCOME) == {("a", 10): 0.2, ("b", 10): 0.4, ("b", 20): 0.75, ("b", 40): 0.8}
    assert steps(both).read(OUTCOME) == pytest.approx({("b", 20): 0.35, ("b", 40): 0.05})
    assert growth(both).read(OUTCOME) == pytest.approx({("b", 20): 0.75 / 0.4, ("b", 40): 0.8 / 0.75})
    assert list(ends(both).read(OUTCOME)) == [("a", 10), ("b", 10), ("b", 40)]
    assert both.words(OUTCOME) == "a 0.2 at 10; b 0.4 at 10, 0.75 at 20, 0.8 at 40"
    assert lowest(PLAIN * 1.1, PACED).read(OUTCOME) == pytest.approx({10: 0.22, 20: 0.66, 40: 0.8})
    assert highest(PLAIN * 1.1, PACED).read(OUTCOME) == pytest.approx({10: 0.4, 20: 0.75, 40: 0.88})


@pytest.mark.parametrize(
    ("predicate", "verdict"),
    [
        (at_least(PLAIN, 0.2), "agrees"),
        (at_least(PLAIN, 0.3, in_shape=0.1), "agrees in shape"),
        (at_least(PLAIN, 0.3, in_shape=MOSTLY), "agrees in shape"),
        (at_least(PLAIN, 0.7, in_shape=MOSTLY), "disagrees"),
        (at_least(PLAIN, 0.7, in_shape=SOMEWHERE), "agrees in shape"),
        (above(PLAIN, 0.8, in_shape=SOMEWHERE), "disagrees"),
        (above(PLAIN, 0.8, in_shape=MOSTLY(0.5)), "agrees in shape"),
        (within(PLAIN, 0.6, 0.7, in_shape=SOMEWHERE), "agrees in shape"),
        (within(PLAIN, 0.6, 0.7, in_shape=MOSTLY), "disagrees"),
        (near(PLAIN, 0.7, by=0.101, in_shape=MOSTLY), "agrees in shape"),
        (above(PLAIN, 0.2), "disagrees"),
        (at_most(PLAIN, PACED), "agrees"),
        (below(PLAIN, PACED), "disagrees"),
        (below(PLAIN, 0.8, in_shape=0.81), "agrees in shape"),
        (at_most(PLAIN, {10: 0.2, 20: 0.6, 40: 0.8}), "agrees"),
        (within(PLAIN, 0.2, 0.8), "agrees"),
        (within(PLAIN, 0.3, 0.8, in_shape=(0.1, 0.9)), "agrees in shape"),
        (within(knee(PACED), 20, 40), "agrees"),
        (near(PLAIN, {10: 0.25, 20: 0.55, 40: 0.75}, by=0.0501), "agrees"),
        (near(PLAIN, lambda buffer: buffer / 40, by=0.2, in_shape=lambda buffer: buffer / 80), "agrees"),
        (near(PLAIN, lambda buffer: buffer / 40, by=0.1, in_shape=lambda buffer: buffer / 80), "agrees in shape"),
        (near(PLAIN, 0.5, by=0.2, in_shape=0.31), "agrees in shape"),
        (near(PLAIN, 0.5, by=0.1, in_shape=0.2), "disagrees"),
        # 0.2, 0.6, 0.8 beside 0.4, 0.75, 0.8: both hold at 10 and 20, at 20 and 40, at 20 alone.
        (everywhere(at_least(PLAIN, 0.2), at_most(PACED, 0.8)), "agrees"),
        (everywhere(below(PLAIN, 0.8), below(PACED, 0.8)), "disagrees"),
        (everywhere(below(PLAIN, 0.8), below(PACED, 0.8), in_shape=MOSTLY), "agrees in shape"),
        (everywhere(below(PLAIN, 0.8), above(PACED, 0.4), in_shape=MOSTLY), "disagrees"),
        (everywhere(below(PLAIN, 0.8), above(PACED, 0.4), in_shape=SOMEWHERE), "agrees in shape"),
        (everywhere(below(PLAIN, 0.8), above(PACED, 0.4), in_shape=rises(PLAIN)), "agrees in shape"),
        (everywhere(below(PLAIN, 0.8, in_shape=0.9), above(PACED, 0.4, in_shape=0.3)), "agrees in shape"),
        (everywhere(below(PLAIN, 0.8, in_shape=0.9), above(PACED, 0.4)), "disagrees"),
        (some_of(2, rises(PLAIN), falls(PLAIN), rises(PACED)), "agrees"),
        (some_of(3, rises(PLAIN), falls(PLAIN), rises(PACED)), "disagrees"),
        (
            everywhere(below(PLAIN, 0.8), below(PACED, 0.9), in_shape=some_of(1, falls(PLAIN), rises(PLAIN))),
            "agrees in shape",
        ),
        (ordered("plain < paced", values("carried", "law", buffer=10)), "agrees"),
        (ordered("plain < paced", values("carried", "law", buffer=40)), "disagrees"),
        (rises(PLAIN), "agrees"),
        (falls(PLAIN), "disagrees"),
        (rises_with(PACED / PLAIN), "disagrees"),
        (falls_with(PACED / PLAIN), "agrees"),
        (rises(PLAIN) & falls(PACED / PLAIN), "agrees"),
        (rises(PLAIN) & falls(PLAIN), "disagrees"),
        (rises(PLAIN) | falls(PLAIN), "agrees"),
        (at_least(PLAIN, 0.3, in_shape=0.1) & rises(PLAIN), "agrees in shape"),
        ((falls(PLAIN) & rises(PACED)).in_shape(rises(PLAIN)), "agrees in shape"),
    ],
)
def test_a_predicate_judges_the_table(predicate: Predicate, verdict: str) -> None:
    assert found(predicate).verdict == verdict


def test_what_was_measured_has_the_numbers_with_their_places() -> None:
    assert found(at_least(PLAIN, 0)).measured == "0.2 at 10, 0.6 at 20, 0.8 at 40"
    told = PLAIN.told(".0%", name="plain")
    assert found(at_most(most(told), 1)).measured == "plain 20% at 10, 60% at 20, 80% at 40: at most 80%"
    by_law = values("carried", "law", form=".2f", unit=" of it", buffer=10)
    assert (
        found(near(by_law, 0, 1).telling(PACED.at(10))).measured == "0.20 of it (plain), 0.40 of it (paced); 0.4 at 10"
    )
    assert found(near(PLAIN.at(10), {10: 0.25}, 1)).measured == "0.2 at 10; expected 0.25 at 10"
    assert found(rises(PLAIN) & rises(PLAIN)).measured == "0.2 at 10, 0.6 at 20, 0.8 at 40"
    absent = PACED.among(lambda buffer: buffer > 40)
    assert found(above(PACED.at(10), 0).telling(absent)).measured == "0.4 at 10"


def test_a_number_is_no_part_of_the_places() -> None:
    with pytest.raises(TypeError, match=r"in_shape=1: a part of the places, or a predicate"):
        everywhere(rises(PLAIN), in_shape=1)  # type: ignore[arg-type]


def test_a_predicate_is_no_boolean() -> None:
    with pytest.raises(TypeError, match="true or false of an outcome"):
        assert rises(PLAIN) and falls(PLAIN)


def test_a_predicate_whose_interval_crosses_the_bound_cannot_be_told() -> None:
    table = pl.DataFrame({"x": [1.0], "x_half_width": [0.2], "n": [5]})
    outcome = Outcome(table=table, replications=table.clear())

    def verdict(bound: float) -> Verdict:
        check = at_least(values("x"), bound)
        return findings_told({"x": check(outcome)}, lambda one: {"x": check(one)}, outcome, ["x"])["x"].verdict

    assert [verdict(bound) for bound in (0.7, 0.95, 1.05, 1.3)] == ["agrees", *2 * ["cannot be told"], "disagrees"]


def drawn(draw: random.Random, depth: int = 0) -> Predicate:
    """Any predicate, with any other one in shape: also stricter ones and ones that contradict it."""
    of = draw.choice([PLAIN, PACED, PACED / PLAIN, PACED - PLAIN])
    bounds = [draw.uniform(-1, 3), draw.uniform(-1, 3)]
    shape = drawn(draw, depth + 1) if depth < 3 and draw.random() < 0.7 else None
    kind = draw.randrange(8 if depth < 3 else 6)
    if kind < 4:
        return (at_least, at_most, above, below)[kind](
            of, bounds[0], draw.choice([bounds[1], MOSTLY, SOMEWHERE, MOSTLY(bounds[1])]) if shape is None else shape
        )
    if kind == 4:
        return near(of, bounds[0], abs(bounds[1]), shape)
    if kind == 5:
        return draw.choice([rises, falls])(of, shape)
    one, other = drawn(draw, depth + 1), drawn(draw, depth + 1)
    joined = one & other if kind == 6 else one | other
    return joined if shape is None else joined.in_shape(shape)


def test_whatever_is_written_in_shape_it_is_no_harder_than_agreeing() -> None:
    """Also of a conjunction: where both parts agree, or agree in shape, it agrees in shape at least.

    The table is one of many, whose curves are looked up once.
    """
    draw, seen = random.Random(1), set()
    outcome = replace(OUTCOME, table=Drawn(TABLE, Picks(TABLE.columns)))
    for _ in range(2000):
        one, other = drawn(draw), drawn(draw)
        for predicate in (one, other, one & other, one | other):
            holds = predicate.holds(outcome)
            assert predicate.nearly(outcome) or not holds
            assert (predicate(outcome).verdict is Verdict.AGREES) == holds
            seen.add(predicate(outcome).verdict)
        assert (one & other).nearly(outcome) == (one.nearly(outcome) and other.nearly(outcome))
    assert seen == {Verdict.AGREES, Verdict.IN_SHAPE, Verdict.DISAGREES}
