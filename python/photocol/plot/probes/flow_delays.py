"""One-way delays of each flow, where `[probe] flow_delays` asks for them: columns of the table of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.completion import draw_times
from photocol.plot.probes.probe import PageTable, Picture, Probe
from photocol.plot.tables import class_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.runs.results import Result

_MEASURED = "delay_p99_s"


def measured_delays(result: Result) -> pl.DataFrame:
    """The flows of which the engine measured delays: run, flow, class, delay_p99_s (null: fewer than 100 packets).

    Empty where `[probe] flow_delays` does not ask.
    """
    flows = result.flows
    if _MEASURED not in flows.columns:
        return pl.DataFrame(schema={"run": pl.UInt64, "flow": pl.UInt64, "class": pl.String, _MEASURED: pl.Float64})
    seen = flows.filter(pl.col("delays") > 0)
    return seen.select("run", "flow", class_of(seen).alias("class"), _MEASURED)


def delays_by_class(result: Result) -> pl.DataFrame:
    """A row a class of flows of which the engine measured delays: flows, packets that arrived, the median over flows of
    the median and of the 99th percentile, the greatest delay, the mean jitter of flows, lost packets and their ratio.
    """
    flows = result.flows
    if _MEASURED not in flows.columns:
        return pl.DataFrame()
    seen = flows.filter(pl.col("delays") > 0).with_columns(class_of(flows).alias("class"))
    lost, arrived = pl.col("lost_packets").sum(), pl.col("delays").sum()
    table = seen.group_by("class").agg(
        pl.len().alias("flows"),
        arrived.alias("packets"),
        *(pl.col(name).median().alias(f"median_{name}") for name in ("delay_p50_s", _MEASURED)),
        pl.col("delay_max_s").max(),
        pl.col("jitter_mean_s").mean(),
        lost.alias("lost_packets"),
        (lost / (lost + arrived)).alias("loss_ratio"),
    )
    return table.sort("class")


def delay_percentiles(axes: Axes, flows: pl.DataFrame) -> None:
    """Share of the flows whose 99th percentile of the one-way delay is at most x, a curve a class.

    `flows` is what `measured_delays` gives. All replications count together.
    """
    draw_times(axes, flows, _MEASURED)
    axes.set_ylabel("share of flows with 99th percentile ≤ x")
    axes.set_xlabel(f"99th percentile of one-way delays x ({axes.get_xlabel()})")


PROBE = Probe(
    name="flow_delays",
    picture=Picture(
        name="delay_percentiles",
        draw=delay_percentiles,
        table=measured_delays,
        value=_MEASURED,
        missing="no flow has a 99th percentile of its delays: [probe] flow_delays, and 100 packets of it",
    ),
    page_table=PageTable(
        title="One-way delays of flows by class",
        name="delays-by-class",
        table=delays_by_class,
    ),
)
