"""What the experiments on lost bursts share: 001's forced path, figures of a run, curves, the picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, at_least, values
from photocol.experiment import Metric, Setup
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Outcome, RunResult

FLOWS, SEGMENTS, WINDOW_MAX, MSS, RTT_S = 20, 9, 1000, 1000, 0.08
TRANSPORT: dict[str, Any] = {"mss": MSS, "max_window": f"{WINDOW_MAX} packets"}
METRICS = (
    Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
    Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".1f"),
)


def usual_window(loss: float) -> float:
    """The window of a sender that is friendly to TCP, by the square root."""
    return min(math.sqrt(1.5 * SEGMENTS / loss), WINDOW_MAX)


def from_the_usual_window(loss: float) -> dict[str, str]:
    """Slow start ends at the square root's window, so that a start says little."""
    return {"initial_ssthresh": f"{max(2, round(usual_window(loss)))} packets"}


def setup(*, sender: str, transport: Mapping[str, Any], bursts: Mapping[str, Any], lost: int, least_s: float) -> Setup:
    """Twenty flows of one sender on a path without queues, until about so many bursts are lost, and for `least_s`."""
    loss = float(bursts["loss"])
    counted = max(least_s, lost / FLOWS * SEGMENTS / loss / usual_window(loss) * RTT_S)
    fast = "100 Gbps"
    return Setup(
        scenario={
            "run": {"name": "bursts", "duration": f"{1.25 * counted:.3f} s", "warm_up": f"{0.25 * counted:.3f} s"},
            "topology": {
                "kind": "dumbbell",
                "bottleneck_capacity": fast,
                "bottleneck_delay": "38 ms",
                "bottleneck_buffer": "unlimited",
                "access_capacity": fast,
                "access_delay": "1 ms",
                "access_buffer": "unlimited",
            },
            "transport": {sender: {**TRANSPORT, **transport}},
            "traffic": [
                {
                    "transport": sender,
                    "flows": FLOWS,
                    "spread": "1 s",
                    "bursts": {"segments": SEGMENTS, **bursts},
                }
            ],
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Throughput and timeouts of a flow."""
    return {
        "throughput_mbps": result.summary["goodput"].value / FLOWS / 1e6,
        "timeouts_per_flow": result.summary["timeouts"].value / FLOWS,
    }


def throughput_of(sender: str) -> Values:
    """Along the loss."""
    return values("throughput_mbps", "loss", form=".2f", sender=sender)


def gain(above: str, below: str) -> Values:
    """The first sender's throughput over the second's by loss."""
    return (throughput_of(above) / throughput_of(below)).told(".2f", name=f"{above} over {below}")


def survives(above: str, below: str) -> Predicate:
    """The first has a tenth more at every loss; in shape: no less where many bursts are lost."""
    return at_least(gain(above, below), 1.1, in_shape=at_least(gain(above, below).among(is_much), 1))


def is_much(loss: float) -> bool:
    """One burst in a thousand at least."""
    return loss > 0.9e-3


def curve(outcome: Outcome, sender: str, metric: str = "throughput_mbps") -> dict[float, float]:
    """Loss to a metric's mean, ascending."""
    rows = outcome.table.filter(pl.col("sender") == sender).sort("loss")
    return dict(zip(rows["loss"].to_list(), rows[metric].to_list(), strict=True))


def throughput(styles: Mapping[str, tuple[str, str]]) -> Lines:
    """Throughput against the loss, one curve a sender in its colour and style."""
    labels = (f"burst loss probability p; S = {SEGMENTS}, RTT 80 ms, forced losses", "throughput of a flow (Mb/s)")
    return Lines("loss", "throughput_mbps", labels, by="sender", of=list(styles), looks=styles, scales="xy")
