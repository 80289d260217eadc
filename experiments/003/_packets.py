"""Chapter 5's measures at their own instants, from the trace of a run: windows at ACKs, rates, delays of packets.

"We … measure the congestion window size when an end system receives an ACK"; a flow's rate, "window size divided by
RTT", is "measured each time when a packet of a flow departs"; an end-to-end delay "each time when a packet is received
by the receiver".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from photocol.experiment import RunResult

    Delays = tuple[NDArray[np.float64], NDArray[np.float64]]

PS = 1e12
LEAST_DELAY_PS = 100_000_000_000
"""Less than every propagation delay of the paper's flows."""
LIMIT = 10_000_000


def traced(flows: list[int], links: list[str]) -> dict[str, Any]:
    """The table `[trace]` of a scenario: what the hosts of these flows do, and their packets at these links."""
    return {"flows": flows, "links": links, "limit": LIMIT}


def trace_of(result: RunResult) -> pl.DataFrame:
    """The trace of a run whose scenario asks for one."""
    assert result.trace is not None, "the scenario asks for a trace"
    return result.trace


def of_flow(trace: pl.DataFrame, flow: int) -> pl.DataFrame:
    """The events of a flow in the order of time, their kinds as words."""
    return trace.filter(pl.col("flow") == flow).with_columns(pl.col("event").cast(pl.String)).sort("t_ps")


@dataclass(frozen=True)
class Acks:
    """What a sender knows just after each ACK of new data."""

    t: NDArray[np.float64]
    window: NDArray[np.float64]
    """Bytes, without the inflation of a fast recovery."""
    rtt: NDArray[np.float64]
    """Of the segment that the ACK acknowledges last, in seconds; not a number if that was sent twice."""

    @classmethod
    def of(cls, trace: pl.DataFrame, flow: int, payload: int) -> Acks:
        """From the events of a flow's sender.

        An `ack` event has the window before it, so the window after an ACK is that of the next one. If a timer has
        expired between the two, the window in between is not known, and the ACK is left out. ACKs of no new data are
        left out too: what they add to a window is inflation, which ns-2's `cwnd_` has not.
        """
        here = of_flow(trace, flow)
        acks = here.filter(pl.col("event") == "ack").select("t_ps", "unit", "value")
        t, unit, value = (acks[name].to_numpy().astype(np.float64) for name in acks.columns)
        resent = here.filter(pl.col("event") == "resend").select("t_ps", "unit")
        advances = np.diff(np.maximum.accumulate(unit), prepend=0.0) > 0
        timers = np.setdiff1d(resent["t_ps"].to_numpy().astype(np.float64), t)
        known = np.zeros(len(t), dtype=bool)
        known[:-1] = np.searchsorted(timers, t[:-1]) == np.searchsorted(timers, t[1:])
        use = np.flatnonzero(advances & known)
        sends = here.filter(pl.col("event") == "send").select("t_ps", "unit")
        twice = set(resent["unit"].to_list())
        sent = {start + payload: at for at, start in sends.iter_rows() if start not in twice}
        rtts = [(t[number] - sent.get(int(unit[number]), np.nan)) / PS for number in use]
        return cls(t=t[use] / PS, window=value[use + 1], rtt=np.array(rtts))

    def within(self, start: float, end: float) -> NDArray[np.bool_]:
        """Which ACKs came in (start, end]."""
        return (self.t > start) & (self.t <= end)


def last_link(flow: int) -> str:
    """To the flow's receiver."""
    return f"rd->d{flow}"


def within(packets: Delays, start: float, end: float) -> NDArray[np.float64]:
    """The delays of the packets that arrive in (start, end]."""
    arrived, delay = packets
    return delay[(arrived > start) & (arrived <= end)]


def delays_of(result: RunResult, flow: int) -> Delays:
    """When each packet of a flow is all at its receiver, and how long after it was sent, in seconds.

    A packet that is sent twice is matched with the later sending that can have brought it.
    """
    here = of_flow(trace_of(result), flow).with_columns(pl.col("class", "place").cast(pl.String))
    integers = pl.col("t_ps", "unit").cast(pl.Int64)
    sends = here.filter(pl.col("event").is_in(["send", "resend"])).select(integers)
    sends = sends.with_columns(sent=pl.col("t_ps")).sort("t_ps")
    flight = sum((pl.col(name).cast(pl.Int64) for name in ("wait_ps", "lasts_ps", "flight_ps")), pl.lit(0))
    passes = here.filter(pl.col("event") == "pass", pl.col("class") == "data", pl.col("place") == last_link(flow))
    arrivals = passes.select(pl.col("unit").cast(pl.Int64), arrived=pl.col("t_ps").cast(pl.Int64) + flight)
    arrivals = arrivals.with_columns(t_ps=pl.col("arrived") - LEAST_DELAY_PS).sort("t_ps")
    matched = arrivals.join_asof(sends, on="t_ps", by="unit", strategy="backward", check_sortedness=False).drop_nulls(
        "sent"
    )
    arrived, sent = (matched[name].to_numpy().astype(np.float64) / PS for name in ("arrived", "sent"))
    return arrived, arrived - sent
