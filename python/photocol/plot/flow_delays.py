"""What the packets of each flow went through: one-way delay, its variation, losses.

Where `[probe] flow_delays` asks, the table of flows has them of all packets, and a picture shows their distribution.
A trace has them of the packets that it shows (`flow_delays`): delays there are of packets that were sent once, so that
an arrival belongs to one departure, from the moment at which the host sends to the arrival of the last bit at the
receiver. The jitter is the mean change of the delay from one such arrival to the next, as in ns-3's flow monitor. Of
runs that switch packets; a trace has flows and links that the scenario asks for, no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.completion import draw_times
from photocol.plot.tables import class_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.runs.results import Result

MEASURED = "delay_p99_s"
_QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def flow_delays(result: Result) -> pl.DataFrame:
    """A row a flow of the trace: sent, resent, dropped, delays (how many), mean, percentiles and max of the delay,
    jitter, in seconds. Empty without a trace, and where no packet reaches a receiver by itself.
    """
    trace = result.trace
    if trace is None or "destination" not in result.flows.columns:
        return pl.DataFrame(schema={"flow": pl.UInt64})
    flows = result.flows
    flows = flows.filter(pl.col("run") == 0) if "run" in flows.columns else flows
    packets = trace.filter(pl.col("class").is_in(["data", "datagram"]) & pl.col("flow").is_not_null())
    packets = packets.with_columns(pl.col("event").cast(pl.String), pl.col("place").cast(pl.String))
    counts = packets.group_by("flow").agg(
        (pl.col("event") == "send").sum().alias("sent"),
        (pl.col("event") == "resend").sum().alias("resent"),
        pl.col("event").is_in(["drop", "vanish"]).sum().alias("dropped"),
    )
    end_ps = float(result.summary["duration"]) * 1e12
    delays = _delays(packets, flows.select(pl.col("flow").cast(packets.schema["flow"]), "destination"))
    delays = delays.filter(pl.col("arrival") < end_ps)
    delay = pl.col("delay_s")
    told = delays.group_by("flow").agg(
        pl.len().alias("delays"),
        delay.mean().alias("delay_mean_s"),
        *(delay.quantile(share, "equiprobable").alias(f"delay_{name}_s") for name, share in _QUANTILES.items()),
        delay.max().alias("delay_max_s"),
        delay.sort_by("arrival").diff().abs().mean().alias("jitter_mean_s"),
    )
    return counts.join(told, on="flow", how="inner").sort("flow")


def measured_delays(result: Result) -> pl.DataFrame:
    """The flows of which the engine measured delays: run, flow, class, delay_p99_s (null: fewer than 100 packets).

    Empty where `[probe] flow_delays` does not ask.
    """
    flows = result.flows
    if MEASURED not in flows.columns:
        return pl.DataFrame(schema={"run": pl.UInt64, "flow": pl.UInt64, "class": pl.String, MEASURED: pl.Float64})
    seen = flows.filter(pl.col("delays") > 0)
    return seen.select("run", "flow", class_of(seen).alias("class"), MEASURED)


def delays_by_class(result: Result) -> pl.DataFrame:
    """A row a class of flows of which the engine measured delays: flows, packets that arrived, the median over flows of
    the median and of the 99th percentile, the greatest delay, the mean jitter of flows, lost packets and their ratio.
    """
    flows = result.flows
    if MEASURED not in flows.columns:
        return pl.DataFrame()
    seen = flows.filter(pl.col("delays") > 0).with_columns(class_of(flows).alias("class"))
    lost, arrived = pl.col("lost_packets").sum(), pl.col("delays").sum()
    table = seen.group_by("class").agg(
        pl.len().alias("flows"),
        arrived.alias("packets"),
        *(pl.col(name).median().alias(f"median_{name}") for name in ("delay_p50_s", MEASURED)),
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
    draw_times(axes, flows, MEASURED)
    axes.set_ylabel("share of flows with 99th percentile ≤ x")
    axes.set_xlabel(f"99th percentile of one-way delays x ({axes.get_xlabel()})")


def _delays(packets: pl.DataFrame, ends: pl.DataFrame) -> pl.DataFrame:
    """Flow, arrival in picoseconds and delay in seconds of each packet that was sent once and arrived once."""
    key = ["flow", "unit"]
    sent = packets.filter(pl.col("event").is_in(["send", "resend"]))
    once = sent.filter(pl.len().over(key) == 1).select(*key, pl.col("t_ps").alias("sent_ps"))
    last = packets.filter(pl.col("event") == "pass").join(ends, on="flow", how="inner")
    # "a->b" or, of several beside each other, "a->b#2".
    last = last.filter(pl.col("place").str.replace(r"#\d+$", "").str.split("->").list.last() == pl.col("destination"))
    arrived = last.select(*key, pl.sum_horizontal("t_ps", "wait_ps", "lasts_ps", "flight_ps").alias("arrival"))
    arrived = arrived.filter(pl.len().over(key) == 1)
    gone = packets.filter(pl.col("event") == "vanish").select(key).unique()
    both = once.join(arrived, on=key, how="inner").join(gone, on=key, how="anti")
    return both.select(
        "flow", "arrival", ((pl.col("arrival") - pl.col("sent_ps")).cast(pl.Float64) / 1e12).alias("delay_s")
    )
