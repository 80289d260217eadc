"""One-way delay, its variation and losses of the packets of each flow, read from a trace.

Delays are of packets that were sent once, so that an arrival belongs to one departure, from the moment at which the
host sends to the arrival of the last bit at the receiver. The jitter is the mean change of the delay from one such
arrival to the next, as in ns-3's flow monitor. Of runs that switch packets; a trace has flows and links that the
scenario asks for, no others. `[probe] flow_delays` measures them of all packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from photocol.runs.results import Result

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
