"""What chance leaves of a verdict: a claim is judged again with tables that lie within the intervals of replications.

A table is drawn two hundred times. Each mean moves within its 95 % interval, as Student's t has it with the number of
its replications; means and intervals that are equal to the last digit are of the same runs and move together. A verdict
stands if 97.5 % of these tables bear it out. For the order of two means this asks that the interval of their difference
does not contain zero. Means move independently of one another, though replications share their seeds: the interval of a
difference is not made narrower than the printed ones. A single run has no interval: its verdict rests on its numbers.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from photocol.experiments.verdict import Finding, Verdict
from photocol.stats import student_t_quantile
from photocol.sweeps.campaign.table import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl

    from photocol.experiments.experiment import Experiment, UnderReadings
    from photocol.sweeps.campaign.table import Outcome

TABLES = 200
BORNE_OUT = 0.5 + CONFIDENCE / 2
"""The part of the tables that a verdict needs."""
LEAST = 0.01
"""A mean that counts something stays above this part of itself: where something was counted, none is no possibility."""

Name = TypeVar("Name")


def findings_told(
    found: Mapping[Name, Finding],
    judge: Callable[[Outcome], Mapping[Name, Finding]],
    outcome: Outcome,
    metrics: Sequence[str],
) -> dict[Name, Finding]:
    """What was found of an outcome, each verdict as chance leaves it; the judge judges the other tables."""
    from photocol.experiments.drawn import Drawn, Picks

    drawn: dict[Name, Counter[Verdict]] = {name: Counter() for name in found}
    kept = Drawn(outcome.replications, Picks(outcome.replications.columns))
    for table in tables_within(outcome.table, metrics):
        with contextlib.suppress(Exception):  # A table that cannot be judged says nothing.
            for name, finding in judge(replace(outcome, table=table, replications=kept)).items():
                drawn[name][finding.verdict] += 1
    return {name: told(finding, drawn[name]) for name, finding in found.items()}


def readings_told(experiment: Experiment, outcome: Outcome) -> list[UnderReadings]:
    """The experiment's claims under each reading, each verdict as chance leaves it."""

    def judge(one: Outcome) -> dict[tuple[int, str], Finding]:
        claims = enumerate(experiment.readings(one))
        return {(place, reading): found for place, claim in claims for reading, found in claim.findings.items()}

    claims = list(experiment.readings(outcome))
    if not claims:
        return []
    found = findings_told(judge(outcome), judge, outcome, [metric.name for metric in experiment.metrics])
    return [
        replace(claim, findings={reading: found[place, reading] for reading in claim.findings})
        for place, claim in enumerate(claims)
    ]


def told(finding: Finding, drawn: Mapping[Verdict, int]) -> Finding:
    """The finding, or a weaker one, or that it cannot be told, by how many tables have which verdict."""
    tables = sum(drawn.values())
    verdict = _borne_out(finding.verdict, {one: drawn.get(one, 0) / tables for one in Verdict}) if tables else None
    if verdict in (None, finding.verdict):
        return finding
    parts = [f"{drawn[one]} × {one}" for one in Verdict if drawn.get(one)]
    return replace(finding, verdict=verdict, chance=f"of {tables} tables within the intervals: {', '.join(parts)}")


def _borne_out(verdict: Verdict, share: Mapping[Verdict, float]) -> Verdict:
    agrees = share[Verdict.AGREES]
    holds = agrees + share[Verdict.IN_SHAPE]
    if verdict is Verdict.NOT_RUN or (verdict is Verdict.AGREES and agrees >= BORNE_OUT):
        return verdict
    if verdict is Verdict.DISAGREES:
        return verdict if 1 - holds >= BORNE_OUT else Verdict.CANNOT_BE_TOLD
    return Verdict.IN_SHAPE if holds >= BORNE_OUT else Verdict.CANNOT_BE_TOLD


def tables_within(table: pl.DataFrame, metrics: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Tables whose means lie within the intervals of this one; none where there is no interval."""
    import polars as pl

    from photocol.experiments.drawn import Drawn, Picks

    moved = {metric: _moved(table, metric) for metric in metrics}
    columns = {metric: column for metric, column in moved.items() if any(isinstance(one, list) for one in column)}
    picks = Picks({*table.columns} - columns.keys())
    for turn in range(TABLES if columns else 0):
        drawn = table.with_columns(
            pl.Series(metric, [one[turn] if isinstance(one, list) else one for one in column], dtype=pl.Float64)
            for metric, column in columns.items()
        )
        yield Drawn(drawn, picks)


def _moved(table: pl.DataFrame, metric: str) -> list[list[float] | float | None]:
    """Of each row all values of a metric, or its mean where that has no interval."""
    if not {metric, f"{metric}_half_width", "n"} <= set(table.columns):
        return []
    rows = list(table.select(metric, f"{metric}_half_width", "n").iter_rows())
    counts = all(mean is None or not mean < 0 for mean, _, _ in rows)
    return [
        _within(mean, half_width, n, LEAST * mean if counts else -math.inf)
        if mean is not None and half_width is not None and n > 1 and 0 < half_width < math.inf
        else mean
        for mean, half_width, n in rows
    ]


def _within(mean: float, half_width: float, n: int, least: float) -> list[float]:
    """Values within the interval of a mean, the same for the same interval wherever it stands."""
    draw = random.Random(f"{mean!r} ± {half_width!r}")
    bound = student_t_quantile(BORNE_OUT, n - 1)
    parts = [max(-1.0, min(1.0, value / bound)) for value in _students(draw, n - 1)]
    return [max(least, mean + half_width * part) for part in parts]


def _students(draw: random.Random, degrees: int) -> Iterator[float]:
    """Values of Student's distribution, one a table."""
    normals = _normals(draw, TABLES * (degrees + 1))
    for start in range(0, len(normals), degrees + 1):
        *others, normal = normals[start : start + degrees + 1]
        yield normal / math.sqrt(math.fsum([one * one for one in others]) / degrees)


def _normals(draw: random.Random, count: int) -> list[float]:
    """Those that `draw.gauss(0, 1)` would give one by one, in a third of the time."""
    found: list[float] = []
    for _ in range(0, count, 2):
        angle = draw.random() * math.tau
        radius = math.sqrt(-2.0 * math.log(1.0 - draw.random()))
        found += (math.cos(angle) * radius, math.sin(angle) * radius)
    return found[:count]
