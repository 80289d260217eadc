"""The declared form of an experiment: one figure or table of a paper, what it claims, and how it is repeated.

A file `experiments/<paper>/<figure>.py` defines one `Experiment`. It is found by its place, nothing is registered. It
says what to run, or which closed-form model to ask (points of a sweep, replications), what to read off it (metrics),
what the paper claims (with the expected value and the tolerance, written down before the run) and how to draw it. It
does not say how jobs are carried out, stored or shown: that is `photocol.sweeps.campaign`, and `record` and `reproduce`
beside this file.
`docs/guide/add-an-experiment.md` has a complete example.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from photocol.sweeps.campaign.study import Evaluation, Point, RunResult, Setup, SummaryFigure, Trial, Value
from photocol.sweeps.campaign.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiments.verdict import Finding, Whose

__all__ = [
    "Claim",
    "Evaluation",
    "Experiment",
    "Form",
    "FormName",
    "Metric",
    "Outcome",
    "Plot",
    "Point",
    "RunResult",
    "Setup",
    "Source",
    "SummaryFigure",
    "Trial",
    "UnderReadings",
    "Value",
    "grid",
    "zipped",
]

FormName = Literal["quick", "full"]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the figure is printed."""

    paper: str
    """Authors, title, year."""
    figures: str
    """For example "Figures 3 and 4"."""
    section: str
    """The section that discusses them."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A column of the table: one number per replication."""

    name: str
    """Column name, with its unit unless it is a ratio."""
    label: str
    """For table heads and axes, with the unit."""
    form: str = ".3f"
    """How a value is printed, as in `format(value, form)`."""


@dataclass(frozen=True, kw_only=True)
class Form:
    """The quick or the full way to run an experiment."""

    points: Sequence[Point]
    """The points of the sweep."""
    replications: int
    """Independent runs per point. Replication r uses the same seed at every point (common random numbers)."""
    settings: Mapping[str, Value] = field(default_factory=dict)
    """Keys set at every point, for example a shorter duration; for a model, inputs; for a trial, arguments."""
    note: str = ""
    """What this form leaves out, in words."""

    def __post_init__(self) -> None:
        _check_form(self)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of the source that the run can contradict."""

    id: str
    """Short and unique in the experiment, for example "paced-knee"."""
    text: str
    """The statement, in our words."""
    where: str
    """Where the source says it, for example "§3.2, Fig. 3"."""
    expected: str
    """The source's number or shape."""
    tolerance: str
    """What counts as agreement and what as agreement in shape. Written before the run, never tuned to it."""
    check: Callable[[Outcome], Finding]
    """The same as code."""
    whose: Whose = "paper"
    """Whether the experiment's source says it, or we expect it ourselves, perhaps after another source."""
    reason: str = ""
    """Why it does not agree, once known. Printed with a verdict that is not "agrees"; it changes no verdict."""
    reading_of: str = ""
    """The claim of which this is another reading. Such readings are counted apart from claims."""


@dataclass(frozen=True, kw_only=True)
class UnderReadings:
    """A claim of the source under each reading of its words, side by side."""

    claim: str
    where: str
    id: str = ""
    """That of the claim, where the experiment or another one has it."""
    findings: Mapping[str, Finding]
    """By reading, the default one first."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A picture: a function that draws a table on an `Axes`."""

    name: str
    """File name without suffix."""
    draw: Callable[[Axes, pl.DataFrame], None]
    """Draws and returns nothing."""
    of: Literal["table", "curves"] = "table"
    """Which frame of the outcome it draws."""
    where: pl.Expr | None = None
    """Which rows of it; a form without any has no such picture."""


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One reproduced figure or table."""

    id: str
    """`<paper>/<figure>`, equal to the file's place."""
    title: str
    source: Source
    setup: Callable[[Point], Setup | Evaluation | Trial]
    """What a point runs, or which model it asks, or its trial; outputs and figures are the summary of the result."""
    measure: Callable[[RunResult], Mapping[str, float]]
    """Metric name to number; pure."""
    metrics: Sequence[Metric]
    quick: Form
    """At most a minute on two cores, the shape visible."""
    full: Form
    """The source's sweep with enough replications for its intervals."""
    curves: Callable[[RunResult], pl.DataFrame] | None = None
    """Time series that pictures need, of the first replication of each point; the same columns at all points."""
    claims: Sequence[Claim] = ()
    plots: Sequence[Plot] = ()
    describe: Callable[[Outcome], Sequence[str]] = lambda _: ()
    """The shape in words: sentences computed from the outcome."""
    readings: Callable[[Outcome], Sequence[UnderReadings]] = lambda _: ()
    """The source's claims under each reading of its words, where the readings are an axis."""
    notes: Sequence[str] = ()
    """What a reader must know to compare with the source: readings, assumptions, deviations."""
    listed: Callable[[Point, Sequence[Path]], Mapping[str, Value] | None] | None = None
    """Settings of a point of the full form that take a file of `--flows`, where it is judged with lists that others
    own; None if none of the files is the point's."""
    list_from: str = ""
    """Where these lists are published."""
    first_seed: int = 1
    """Replication r (from 0) runs with seed `first_seed + r`."""

    def __post_init__(self) -> None:
        _check_experiment(self)

    def form(self, name: FormName) -> Form:
        """The quick or the full form."""
        return self.quick if name == "quick" else self.full

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the sweep's axes, in the order of the table."""
        return tuple(self.full.points[0])


def grid(**axes: Sequence[Value]) -> tuple[Point, ...]:
    """Every combination of the axes' values, the last axis fastest."""
    return tuple(dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))


def zipped(**axes: Sequence[Value]) -> tuple[Point, ...]:
    """The axes' values side by side; all axes have the same length."""
    return tuple(dict(zip(axes, values, strict=True)) for values in zip(*axes.values(), strict=True))


def _check_form(form: Form) -> None:
    if form.replications < 1:
        raise ValueError(f"a form has at least 1 replication, not {form.replications}")
    if not form.points or not form.points[0]:
        raise ValueError("a form has at least one point with at least one axis")
    names = list(form.points[0])
    for point in form.points:
        if list(point) != names:
            raise ValueError(f"all points have the same axes in the same order: {names} and {list(point)}")
        if not all(math.isfinite(value) for value in point.values() if isinstance(value, float)):
            raise ValueError(f"a value of the point {dict(point)} is not a finite number")
    if len({tuple(point.values()) for point in form.points}) < len(form.points):
        raise ValueError("two points of the sweep are the same")


def _check_experiment(experiment: Experiment) -> None:
    if list(experiment.quick.points[0]) != list(experiment.full.points[0]):
        raise ValueError(f"{experiment.id}: the quick and the full form have different axes")
    if experiment.curves is None and any(plot.of == "curves" for plot in experiment.plots):
        raise ValueError(f"{experiment.id}: a plot draws curves, and there is no `curves`")
    if not experiment.metrics:
        raise ValueError(f"{experiment.id}: no metrics")
    for kind, names in (
        ("claims", [claim.id for claim in experiment.claims]),
        ("plots", [plot.name for plot in experiment.plots]),
        ("columns", [*experiment.axes, *(metric.name for metric in experiment.metrics)]),
    ):
        if len(set(names)) < len(names):
            raise ValueError(f"{experiment.id}: two {kind} have the same name: {sorted(names)}")
