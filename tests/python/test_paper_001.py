"""The pictures of paper 001 that have panels: a person can tell their curves apart."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from matplotlib.figure import Figure

from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axis import Axis

    from photocol.experiment import Experiment

FOUND = find_experiments(experiments_folder(start=Path(__file__).resolve().parents[2]))
MOST_CURVES = 6


def drawn(experiment: Experiment, name: str) -> Figure:
    """A picture of the full form's points, with a metric that differs from point to point."""
    points = pl.DataFrame(list(experiment.full.points))
    falling = [1 / (row + 1) for row in range(points.height)]
    table = points.with_columns(pl.Series(metric.name, falling) for metric in experiment.metrics)
    (plot,) = [one for one in experiment.plots if one.name == name]
    figure = Figure(layout="constrained")
    plot.draw(figure.add_subplot(), table)
    return figure


@pytest.mark.parametrize(
    ("experiment", "name", "panels"),
    [
        ("001/fast-flows", "fast-flows", 2),
        ("001/network", "figure-5", 4),
        ("001/network", "figure-6", 4),
        ("001/network", "figure-7", 2),
        ("001/network", "figure-8", 3),
        ("001/network", "notification", 2),
        ("001/flows", "flows", 2),
        ("001/populations", "figure-7", 4),
        ("001/populations", "figure-8", 4),
    ],
)
def test_every_panel_has_few_curves_and_all_have_one_legend(experiment: str, name: str, panels: int) -> None:
    figure = drawn(load_experiment(FOUND[experiment]), name)
    assert len(figure.axes) == panels
    assert all(panel.get_title(loc="left") for panel in figure.axes)
    curves = [[line for line in panel.lines if len(line.get_xdata()) > 0] for panel in figure.axes]
    assert all(1 < len(one) <= MOST_CURVES for one in curves)
    assert all(panel.get_legend() is None for panel in figure.axes)
    (legend,) = figure.legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert set(labels) == {line.get_label() for one in curves for line in one}
    assert len(set(labels)) == len(labels)


def test_an_order_that_fails_at_some_losses_is_no_agreement_in_shape() -> None:
    """Paper 001 §III: SACK "has shown the best throughput performance over OBS networks". 0.8 times Reno's is not."""
    sack = next(claim for claim in load_experiment(FOUND["001/figure-5"]).claims if claim.id == "sack")
    rates = {1e-4: (0.8, 1.0), 1e-2: (1.3, 1.0)}
    rows = [
        {"transport": name, "reading": "none", "loss": loss, "throughput_mbps": rate}
        for loss, pair in rates.items()
        for name, rate in zip(("sack", "reno"), pair, strict=True)
    ]
    outcome = Outcome(table=pl.DataFrame(rows), replications=pl.DataFrame())
    assert sack.check(outcome).verdict is Verdict.DISAGREES
    better = outcome.table.with_columns(pl.lit(1.0).alias("throughput_mbps"))
    assert sack.check(Outcome(table=better, replications=better)).verdict is Verdict.AGREES


def test_an_axis_of_less_than_two_decades_has_numbers_at_1_2_and_5() -> None:
    flows = load_experiment(FOUND["001/flows"])
    few_labels = sys.modules[flows.setup.__module__].few_labels
    axes = Figure().add_subplot()
    axes.set(xscale="log", yscale="log", xlim=(14, 500), ylim=(1e-5, 1e-1))
    few_labels(axes)
    assert shown(axes.xaxis, 14, 500) == {20: "20", 50: "50", 100: "100", 200: "200", 500: "500"}
    assert list(shown(axes.yaxis, 0.9e-5, 1.1e-1)) == pytest.approx([1e-5, 1e-4, 1e-3, 1e-2, 1e-1])


def shown(axis: Axis, low: float, high: float) -> dict[float, str]:
    """The labelled ticks of an axis between two values."""
    ticks = [float(tick) for tick in axis.get_major_locator().tick_values(low, high) if low <= tick <= high]
    return dict(zip(ticks, axis.get_major_formatter().format_ticks(ticks), strict=True))
