"""Noise gives no verdict: orders and gains whose intervals contain none cannot be told, in every record."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from photocol.claims import values
from photocol.experiments.baselines import baselines_in, judged_again, read, reading_replications, recorded_outcome
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.experiments.chance import LEAST, TABLES, _normals, findings_told, tables_within, told
from photocol.stats import student_t_quantile
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Finding, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOUND = find_experiments(experiments_folder(start=ROOT))

BY_REPLICATIONS = {
    "000/bursts": ["better", "lots", "resonance", "states", "trend"],
    "000/classical": ["extra-buffer", "extra-buffer-shares"],
    "000/round-trips": ["extra-buffer"],
    "000/udp-shares": ["extra-buffer"],
    "002/baseline": ["half-at-six-packets"],
    "003/closed-loop": ["target"],
    "004/loss": [
        *("edge", "edge-access", "low", "low-access", "never-slower", "never-slower-access"),
        *("ordering", "ordering-always", "ordering-always-data", "ordering-shift", "where"),
        *("worse", "worse-always", "worse-always-data", "worse-shift"),
    ],
}
"""Claims that need single replications, which records do not keep: medians, paired differences, all runs."""


def outcome(values: Sequence[float], half_widths: Sequence[float], *, n: int = 3) -> Outcome:
    columns = {"x": [float(value) for value in values], "x_half_width": [float(width) for width in half_widths]}
    table = pl.DataFrame({**columns, "n": [n] * len(values)})
    return Outcome(table=table, replications=pl.DataFrame())


def verdict_of(values: Sequence[float], half_widths: Sequence[float], *, n: int = 3) -> Verdict:
    """Of the claim that the values fall, by a fifth in each step or at all."""

    def check(one: Outcome) -> dict[str, Finding]:
        steps = [after / before for before, after in zip(one.table["x"], one.table["x"][1:], strict=False)]
        falls, by_a_fifth = all(step < 1 for step in steps), all(0.75 <= step <= 0.85 for step in steps)
        return {"falls": judge(agrees=by_a_fifth, in_shape=falls, measured="")}

    one = outcome(values, half_widths, n=n)
    return findings_told(check(one), check, one, ["x"])["falls"].verdict


def test_an_order_within_the_intervals_cannot_be_told_either_way() -> None:
    assert verdict_of([228.8, 227.4], [5.8, 2.9]) is Verdict.CANNOT_BE_TOLD
    assert verdict_of([227.4, 228.8], [5.8, 2.9]) is Verdict.CANNOT_BE_TOLD
    assert verdict_of([54.79, 54.77], [0.03, 0.03]) is Verdict.CANNOT_BE_TOLD


def test_an_order_beyond_the_intervals_stands_either_way() -> None:
    assert verdict_of([228.8, 217.4], [5.8, 2.9]) is Verdict.IN_SHAPE
    assert verdict_of([217.4, 228.8], [5.8, 2.9]) is Verdict.DISAGREES
    assert verdict_of([100, 80], [1, 1]) is Verdict.AGREES


def test_an_order_is_told_where_the_interval_of_the_difference_excludes_none() -> None:
    # Two means of many replications with half widths 3 and 4: the half width of their difference is 5.
    assert verdict_of([100, 93.5], [3, 4], n=100) is Verdict.IN_SHAPE
    assert verdict_of([100, 96.5], [3, 4], n=100) is Verdict.CANNOT_BE_TOLD


def test_a_number_that_chance_puts_within_its_tolerance_is_in_shape() -> None:
    assert verdict_of([100, 84], [3, 3]) is Verdict.IN_SHAPE


def test_one_step_of_many_that_chance_turns_is_no_disagreement() -> None:
    assert verdict_of([100, 90, 90.1, 80, 70], [1] * 5) is Verdict.CANNOT_BE_TOLD
    assert verdict_of([100, 90, 95, 80, 70], [1] * 5) is Verdict.DISAGREES


def test_a_single_run_is_judged_by_its_numbers() -> None:
    assert verdict_of([54.79, 54.77], [math.nan, math.nan], n=1) is Verdict.IN_SHAPE


def test_equal_figures_move_together() -> None:
    assert verdict_of([100, 100], [9, 9]) is Verdict.DISAGREES
    for table in tables_within(outcome([100, 100], [9, 9]).table, ["x"]):
        assert table["x"][0] == table["x"][1]


def test_tables_lie_within_the_intervals_and_as_student_s_t_has_them() -> None:
    drawn = [table["x"][0] for table in tables_within(outcome([10, 20], [2, 2], n=5).table, ["x"])]
    assert len(drawn) == TABLES
    assert min(drawn) >= 8
    assert max(drawn) <= 12
    # Half of Student's distribution lies within its quartiles: 0.741 of 2.776 with four degrees of freedom.
    quartile = 2 * student_t_quantile(0.75, 4) / student_t_quantile(0.975, 4)
    within = sum(abs(value - 10) < quartile for value in drawn)
    assert abs(within - TABLES / 2) < 3 * math.sqrt(TABLES) / 2


ASKED: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "a value": lambda table: table.filter(pl.col("law") == "b"),
    "several": lambda table: table.filter(pl.col("law") == "b", pl.col("size") > 1),
    "by name": lambda table: table.filter(law="a", size=2),
    "a mask": lambda table: table.filter(table["law"] == "b"),
    "a mask of numbers": lambda table: table.filter(table["x"] > 15),
    "numbers": lambda table: table.filter(pl.col("x") > 15),
    "numbers by name": lambda table: table.filter(x=table["x"][0]),
    "both": lambda table: table.filter((pl.col("x") > 15) & (pl.col("law") == "a")),
    "all columns": lambda table: table.filter(pl.any_horizontal(pl.all().cast(pl.String).str.starts_with("15."))),
    "by a pattern": lambda table: table.filter(pl.all_horizontal(pl.col("^x.*$") > 3.5, pl.col("^x$") > 15)),
    "by kind": lambda table: table.filter(pl.any_horizontal(pl.col(pl.Float64) > 15)),
    "a long list": lambda table: table.filter(pl.col("size").is_in([*range(100), 3])),
    "another long list": lambda table: table.filter(pl.col("size").is_in([*range(3), *range(50, 150)])),
    "none": lambda table: table.filter(pl.col("law") == "c").sort("size"),
    "an order": lambda table: table.sort("law", "size", descending=[True, False]),
    "the other order": lambda table: table.sort(["law", "size"], descending=[False, True]),
    "an order of numbers": lambda table: table.sort("x"),
    "an order by an expression": lambda table: table.sort(pl.col("x").neg()),
    "steps": lambda table: table.filter(pl.col("law") == "a").sort("size", descending=True).filter(size=2),
    "other steps": lambda table: table.filter(pl.col("law") == "b").sort("size", descending=True).filter(size=2),
    "means": lambda table: table.sort("size").group_by("law", maintain_order=True).agg(pl.col("x").mean()),
    "rows": lambda table: table.filter(law="b")[[1, 0]],
    "columns": lambda table: table.filter(law="b").select("x", "law"),
    "a column": lambda table: table.select("x"),
    "computed columns": lambda table: table.select("law", pl.col("x") * 2, size="n"),
    "columns by a pattern": lambda table: table.select("^x.*$"),
}
"""What a claim may ask of a table."""


def test_a_table_drawn_answers_as_any_other() -> None:
    rows = {"law": ["a", "b", "a", "b", "a"], "size": [3, 1, 2, 2, 1], "x": [10.0, 20.0, 15.0, 16.0, 14.0]}
    table = pl.DataFrame({**rows, "x_half_width": [4.0] * 5, "n": [3] * 5})
    drawn = list(tables_within(table, ["x"]))[:20]
    for name, ask in ASKED.items():
        for one in [*drawn, *drawn]:
            assert ask(one).equals(ask(pl.DataFrame(one.to_dict()))), name


CURVES = [
    values("x", "size", law="a"),
    values("x", "size", law="b"),
    values("x", ["size"], law="b"),
    values("x", ("law", "size")),
    values("x", "law", size=1),
    values("x", "size", x=14.0),
    values("x", "size", exact=1),
    values("x", "size", exact=True),
    values("x", size=3),
    values("x", size=2, law="b"),
    values("n", "size", law="a"),
    values("x_half_width", "size", law="a"),
]
"""Curves, of which one depends on a column that moves."""


def test_a_curve_of_a_table_drawn_is_that_of_any_other() -> None:
    rows = {"law": ["a", "b", "a", "b", "a"], "size": [3, 1, 2, 2, 1], "x": [10.0, 20.0, 15.0, 16.0, 14.0]}
    exact = [1, 0, 1, 2, 0]
    table = pl.DataFrame({**rows, "exact": exact, "x_half_width": [4.0, 4.0, 4.0, 4.0, 0.0], "n": [3] * 5})
    drawn = list(tables_within(table, ["x"]))[:20]
    for curve in CURVES:
        for one in [*drawn, *drawn]:
            plain = Outcome(table=pl.DataFrame(one.to_dict()), replications=table.clear())
            found = curve.read(replace(plain, table=one))
            assert list(found.items()) == list(curve.read(plain).items())
    assert len({tuple(CURVES[0].read(replace(plain, table=one)).values()) for one in drawn}) == 20
    for table in (drawn[0], plain.table):
        with pytest.raises(ValueError, match="x has several rows at one place along law: name the other axes"):
            values("x", "law").read(replace(plain, table=table))
        with pytest.raises(pl.exceptions.ColumnNotFoundError):
            values("y", "size", law="a").read(replace(plain, table=table))
        with pytest.raises(ValueError, match="length 1"):
            values("x", law="a").read(replace(plain, table=table))


def test_numbers_are_those_of_the_generator_s_gauss() -> None:
    one_by_one = random.Random("a")
    assert _normals(random.Random("a"), 7) == [one_by_one.gauss(0, 1) for _ in range(7)]


def test_what_was_counted_does_not_become_none() -> None:
    least = min(table["x"][0] for table in tables_within(outcome([1.0], [4.3]).table, ["x"]))
    assert least == LEAST
    assert min(table["x"][0] for table in tables_within(outcome([1.0, -1.0], [4.3, 1.0]).table, ["x"])) < 0


def test_a_finding_says_what_the_intervals_leave_open() -> None:
    found = told(Finding(verdict=Verdict.AGREES, measured="1"), {Verdict.AGREES: 150, Verdict.DISAGREES: 50})
    assert found.verdict is Verdict.CANNOT_BE_TOLD
    assert found.chance == "of 200 tables within the intervals: 150 × agrees, 50 × disagrees"
    assert told(Finding(verdict=Verdict.NOT_RUN, measured=""), {Verdict.NOT_RUN: 200}).verdict is Verdict.NOT_RUN
    assert told(Finding(verdict=Verdict.AGREES, measured="1"), {}).verdict is Verdict.AGREES


def test_a_table_that_cannot_be_judged_says_nothing() -> None:
    def check(one: Outcome) -> dict[str, Finding]:
        if one.table["x"][0] > 10:
            raise ValueError("too large")
        return {"a": judge(agrees=True, in_shape=True, measured="")}

    one = outcome([10.0], [1.0])
    assert findings_told(check(one), check, one, ["x"])["a"].verdict is Verdict.AGREES


@pytest.mark.parametrize("name", [one.experiment for one in baselines_in(RESULTS)])
def test_a_record_has_the_verdicts_that_its_table_gives(name: str) -> None:
    """`tools/judge-records` writes them."""
    recorded = read(RESULTS, name)
    assert recorded is not None
    assert [dict(one) for one in recorded.claims] == judged_again(RESULTS, load_experiment(FOUND[name]))


def test_only_claims_that_need_replications_are_not_judged_again() -> None:
    kept = {
        name: reading_replications(experiment, recorded_outcome(RESULTS, experiment))
        for name, experiment in (
            (one.experiment, load_experiment(FOUND[one.experiment])) for one in baselines_in(RESULTS)
        )
    }
    assert {name: sorted(claims) for name, claims in kept.items() if claims} == BY_REPLICATIONS
