"""A path on which bursts meet others: what 001/contention and 001/sensitivity share.

A hundred flows from one edge node to another, four fibres away. Each of the two fibres between core nodes also has
Poisson bursts of its own, 0.1 ms on average, that are dropped where no wavelength is free: the fibre is Erlang's
group of 8, and its loss known. So many flows, because Δt and the threshold need bursts to count: 1 % of less than a
hundred is less than one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol import model
from photocol.experiment import Metric

from . import _network
from ._bursts import usual_window
from ._compare import BETA
from ._network import METERED, Network
from ._readings import NEITHER, push

if TYPE_CHECKING:
    from photocol.experiment import RunResult

PATH = ("e0", "e3")
FIBRES = ("0->1", "1->3")
FLOWS = 100
WAVELENGTHS = 8
RATE_BPS = 10e9
SHARE = 2
"""Segments of a flow in a burst, roughly, where a hundred flows fill it."""

METRICS = (
    Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
    Metric(name="jain", label="Jain's index", form=".4f"),
    Metric(name="burst_loss", label="share of bursts lost on the path", form=".2e"),
    Metric(name="erlang_loss", label="by Erlang's formula", form=".2e"),
    Metric(name="segment_loss", label="share of segments lost", form=".2e"),
    Metric(name="segments_per_burst", label="segments of a flow in a burst", form=".2f"),
    Metric(name="rtt_ms", label="round trip (ms)", form=".1f"),
    Metric(name="silent_share", label="share of losses without BEN", form=".2f"),
    Metric(name="notices_per_s", label="messages about lost bursts a second", form=".3g"),
    Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".1f"),
    Metric(name="false_cuts_per_flow", label="false retransmissions and timeouts of a flow", form=".1f"),
)


def erlang(load: float) -> float:
    """Loss of a path of two fibres, each offered so many erlang."""
    return 1 - (1 - float(model("erlang-b", load=load, servers=WAVELENGTHS)["blocking"])) ** len(FIBRES)


def scenario(
    sender: str, load: float, *, duration_s: float, reading: str = NEITHER, beta: float = BETA, **other: Any
) -> dict[str, Any]:
    """A hundred flows of one sender beside so many erlang of bursts on either fibre."""
    again = other.get("mode", _network.BARE) != _network.BARE
    usual = push(sender, reading, 0.5 if sender == METERED else beta) * usual_window(SHARE, erlang(load))
    start = _network.start_window(0.0, retransmission=True) if again else round(usual)
    background = {"name": "others", "pairs": [["0", "1"], ["1", "3"]], "load": load, "mean": "0.1 ms"}
    found = _network.scenario(
        Network(
            sender=sender,
            reading=reading,
            flows=FLOWS,
            paths=(PATH,),
            background=(background,),
            start_window=max(2, start),
            duration_s=duration_s,
            **other,
        )
    )
    found["switching"]["ingress"] = "drop"
    return found


def measure(result: RunResult) -> dict[str, float]:
    """What the flows did, the loss of the path, and what Erlang's formula says of its offered load."""
    fibres = result.links.filter((pl.col("class") == "burst") & pl.col("link").is_in(FIBRES))
    passed = calculated = 1.0
    seconds = result.summary["measured_time"].value
    for offered, dropped, bits in fibres.select("offered_units", "dropped_units", "offered_bits").iter_rows():
        passed *= 1 - dropped / max(1, offered)
        load = bits / RATE_BPS / seconds
        calculated *= 1 - float(model("erlang-b", load=load, servers=WAVELENGTHS)["blocking"])
    found = _network.measure(result)
    del found["utilization"]
    return found | {"burst_loss": 1 - passed, "erlang_loss": 1 - calculated}
