"""What the experiments on 002's buffer figure with other senders share: figures of a run, curves, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Metric
from photocol.plot import frame, logarithmic_with_zero

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, RunResult, Value

SIX_PACKETS = 9_000
METRICS = (
    Metric(name="utilization", label="utilization, 56 core outputs"),
    Metric(name="drop_rate", label="drop rate at core outputs", form=".2e"),
)
QUICK: Mapping[str, Value] = {"run.duration": "7 s", "run.warm_up": "6.125 s", "traffic.0.over": "7 s"}
"""7 of 40 seconds, as the quick form of 002/baseline."""


def measure(result: RunResult) -> Mapping[str, float]:
    """Figures of the run over its last eighth."""
    return {
        "utilization": result.summary["mean_core_output_utilization"].value,
        "drop_rate": result.summary["core_drop_rate"].value,
    }


def curve(outcome: Outcome, sender: str, column: str = "utilization") -> dict[int, float]:
    """Buffer in bytes to a metric's mean, ascending."""
    rows = outcome.table.filter(pl.col("sender") == sender).sort("buffer_bytes")
    return dict(zip(rows["buffer_bytes"].to_list(), rows[column].to_list(), strict=True))


def share(outcome: Outcome, sender: str) -> float:
    """The utilization with six packets over that with the greatest buffer."""
    levels = curve(outcome, sender)
    return levels[SIX_PACKETS] / levels[max(levels)]


def utilization(axes: Axes, table: pl.DataFrame, styles: Mapping[str, tuple[str, str]]) -> None:
    """002's figure 3 with other senders."""
    _draw(axes, table, styles, "utilization")
    axes.set_ylim(0, 1)
    axes.set_ylabel("mean utilization of core outputs")
    frame(axes)


def drop_rate(axes: Axes, table: pl.DataFrame, styles: Mapping[str, tuple[str, str]]) -> None:
    """002's figure 4 with other senders."""
    _draw(axes, table, styles, "drop_rate")
    logarithmic_with_zero(axes)
    axes.set_ylabel("packet drop rate at core outputs")
    frame(axes)


def _draw(axes: Axes, table: pl.DataFrame, styles: Mapping[str, tuple[str, str]], column: str) -> None:
    for sender, (colour, style) in styles.items():
        rows = table.filter(pl.col("sender") == sender).sort("buffer_bytes")
        axes.plot(rows["buffer_bytes"] / 1000, rows[column], style, color=colour, label=sender, markersize=4)
    axes.set_xscale("log")
    axes.set_xlabel("buffer per core output (kB)")
    axes.xaxis.set_major_formatter("{x:g}")
