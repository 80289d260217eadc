"""The optical network of paper 001: what its figures 5 to 8 share when bursts are assembled, reserved and lost in it.

NSFNET with an edge node at each core node, 8 wavelengths of 10 Gb/s, LAUC-VF with full conversion, headers worked on
for 1 µs, bursts of 1 ms or 50 kB, packets of 1 kB. The paper's "10 ms between adjacent nodes" holds for every fibre,
edge fibres too, and its "four hops" are edge, core, core, core, edge: 40 ms one way. Each flow has a host of its own
with an access of 100 Mb/s, at which a millisecond holds twelve segments; the paper has one to nine in a burst.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.stats import jain_index

from ._bursts import WINDOW_MAX, usual_window
from ._compare import BAIMD, BETA, BTCP, COLOURS, RENO, RENO_NS2, SACK, SEGMENTS, SETTINGS
from ._readings import BEN_ONLY, ENG, NEITHER, law, of, push

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Outcome, RunResult

PATHS = (("e0", "e3"), ("e2", "e4"), ("e6", "e8"), ("e9", "e13"))
"""Four paths of two fibres between core nodes that have no fibre in common."""
CORE_HOPS = 3
"""Fibres of a path that leave a core node. At the first, the edge node's, bursts wait and are not lost."""
BARE, AGAIN = "bare", "retransmission"
ORDERED, TOLD = "retransmission in order", "retransmission, BEN at a drop"
"""Retransmission in its two other readings: TCP is unaware of it (§IV.B), and a BEN at every dropping event (§II)."""
WORDS = {AGAIN: "", ORDERED: ", in order at the egress node", TOLD: ", with a BEN at every drop"}
"""Behind "burst retransmission"."""
TRIED = {"attempts": 3, "extra_delay": "80 ms"}
AGAIN_RULES = {AGAIN: TRIED, ORDERED: TRIED | {"ordering": "egress"}, TOLD: TRIED}
METERED = "tcp-eng-metered"
"""TCP-ENG with the defaults of the reference: told while less than 1 % was lost in 100 ms."""
NEAR_1 = "tcp-eng-near-1"
"""TCP-ENG with β = 31/32, told of every loss."""
SENDERS = (ENG, METERED, NEAR_1, SACK, RENO, RENO_NS2, BAIMD, *BTCP)
LISTENERS = (ENG, METERED, NEAR_1, BTCP[2])
"""Who hears of lost bursts; the mode `TOLD` is run for no others, whose curves are those of `AGAIN`."""
SHADES = {**COLOURS, METERED: "#000000", NEAR_1: "#8B4513"}
KINDS: dict[str, dict[str, Any]] = {
    **SETTINGS,
    METERED: {"algorithm": ENG},
    NEAR_1: {"algorithm": ENG, "beta": 0.96875},
}


@dataclass(frozen=True, kw_only=True)
class Network:
    """What differs between the points."""

    sender: str
    reading: str = NEITHER
    """Of TCP-ENG's α."""
    mode: str = BARE
    """Whether lost bursts are sent again, and under which reading."""
    flows: int = 5
    """On each path."""
    paths: tuple[tuple[str, str], ...] = PATHS
    loss: float = 0.0
    """Probability that a burst is lost on its path, by nobody's contention."""
    background: tuple[Mapping[str, Any], ...] = ()
    """Sources of bursts beside the flows."""
    window: str | None = None
    """Δt. Default 100 ms; 10 s for who is told of every loss, because one lost of one sent in Δt is not below 1."""
    threshold: float | None = None
    """Below this dropping rate senders are told. Default: 1, every loss; 1 % for the metered sender."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the sender."""
    start_window: int = WINDOW_MAX
    """Slow start ends here at first."""
    access: str = "100 Mbps"
    capacity: str = "10 Gbps"
    """Of a wavelength."""
    conversion: str = "full"
    """Of wavelengths."""
    duration_s: float = 40.0
    """The first third is left out of the count."""


def scenario(network: Network) -> dict[str, Any]:
    """The scenario of a point."""
    hosts = [
        (f"{source}-{number}", source, target) for source, target in network.paths for number in range(network.flows)
    ]
    transport = {
        "algorithm": network.sender,
        "packet_size": "1 kB",
        "max_window": f"{WINDOW_MAX} packets",
        "initial_ssthresh": f"{network.start_window} packets",
    }
    access = {"capacity": network.access, "delay": "10 us", "buffer": "unlimited"}
    core = {"loss": 1 - (1 - network.loss) ** (1 / CORE_HOPS)} if network.loss else {}
    return {
        "run": {
            "name": "obs-network",
            "duration": f"{network.duration_s:g} s",
            "warm_up": f"{network.duration_s / 3:.3f} s",
        },
        "topology": {"kind": "nsfnet-edge", "core_delay": "10 ms", "edge_delay": "10 ms"},
        "link_defaults": {"capacity": network.capacity, "core": core},
        "node": [{"name": host, "role": "host"} for host, _, _ in hosts],
        "link": [{"from": host, "to": edge, **access} for host, edge, _ in hosts],
        "switching": _switching(network),
        "transport": {
            "sender": transport | KINDS.get(network.sender, {}) | law(network.reading) | dict(network.settings)
        },
        "traffic": [
            {"name": host, "transport": "sender", "from": host, "to": target, "spread": "1 s"}
            for host, _, target in hosts
        ],
    }


def _switching(network: Network) -> dict[str, Any]:
    is_told = network.sender in (ENG, NEAR_1) and network.threshold is None
    window = network.window or ("10 s" if is_told else "100 ms")
    usual = 1.0 if is_told else 0.01
    threshold = usual if network.threshold is None else network.threshold
    again: dict[str, Any] = {} if network.mode == BARE else {"retransmission": AGAIN_RULES[network.mode]}
    when = {"when": "drop"} if network.mode == TOLD else {}
    return {
        "kind": "obs",
        "wavelengths": 8,
        "reservation": "lauc-vf",
        "conversion": network.conversion,
        "processing": "1 us",
        "assembly": {"timer": "1 ms", "length": "50 kB"},
        "notification": {"window": window, "threshold": threshold, **when},
        "burst": [dict(source) for source in network.background],
        **again,
    }


def start_window(loss: float, *, retransmission: bool, sender: str = SACK, reading: str = NEITHER) -> int:
    """Where windows usually are without retransmission. With it nobody knows; from above a few losses lead there."""
    if retransmission:
        return WINDOW_MAX
    beta = {METERED: 0.5, NEAR_1: 0.96875}.get(sender, BETA)
    return max(2, min(WINDOW_MAX, round(push(sender, reading, beta) * usual_window(SEGMENTS, loss))))


def measure(result: RunResult) -> dict[str, float]:
    """Per flow: throughput, timeouts, cuts for nothing; and what the network did."""
    value = {name: figure.value for name, figure in result.summary.items()}
    flows = result.flows.with_columns(path=pl.col("source").str.split("-").list.first())
    shares = [jain_index(path["goodput_bps"].to_list()) for _, path in flows.group_by("path", maintain_order=True)]
    lost = float(result.drops.filter(pl.col("class") == "data")["units"].sum())
    delivered = value["goodput"] * value["measured_time"] / (8 * PAYLOAD)
    asked = value["burst_losses_told"] + value["burst_losses_silent"]
    return {
        "throughput_mbps": value["goodput"] / len(flows) / 1e6,
        "jain": sum(shares) / len(shares),
        "segment_loss": lost / max(1.0, lost + delivered),
        "segments_per_burst": float(flows["segments_per_burst"].mean()),
        "rtt_ms": 1e3 * float(flows["mean_rtt_s"].mean()),
        "silent_share": value["burst_losses_silent"] / max(1.0, asked),
        "notices_per_s": value["burst_losses_told"] / value["measured_time"],
        "utilization": _utilization(result),
        "timeouts_per_flow": value["timeouts"] / len(flows),
        "false_cuts_per_flow": (value["false_fast_retransmits"] + value["false_timeouts"]) / len(flows),
    }


def _utilization(result: RunResult) -> float:
    """The mean over the last fibres of the paths: what arrives, copies included."""
    ends = result.flows["destination"].unique()
    fibres = result.links.filter((pl.col("class") == "burst") & pl.col("to").is_in(ends.implode()))
    return float(fibres["utilization"].mean()) if fibres.height else 0.0


PAYLOAD = 960
"""Bytes of a packet of 1 kB beside its headers."""


def curve(
    outcome: Outcome, sender: str, mode: str, metric: str = "throughput_mbps", *, reading: str = BEN_ONLY
) -> dict[float, float]:
    """Loss to a metric's mean, ascending."""
    mode = AGAIN if mode == TOLD and sender not in LISTENERS else mode
    rows = outcome.table.filter(of("sender", sender, reading) & (pl.col("mode") == mode)).sort("loss")
    return dict(zip(rows["loss"].to_list(), rows[metric].to_list(), strict=True))


def gains(outcome: Outcome, rival: str, mode: str, sender: str = ENG, *, reading: str = BEN_ONLY) -> dict[float, float]:
    """A sender's throughput over a rival's by loss."""
    ours, theirs = (curve(outcome, name, mode, reading=reading) for name in (sender, rival))
    return {loss: ours[loss] / theirs[loss] for loss in ours}
