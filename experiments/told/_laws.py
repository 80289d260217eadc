"""The laws of this folder with their parameters, in multiples of the bandwidth-delay product, and their closed forms.

What a paper gives for paths of its own is scaled by the round trip: ABC's δ, target and interval by 100 ms. HPCC,
PowerTCP and θ-PowerTCP begin with a bandwidth-delay product and know the round trip of the empty path, as their papers
have it. The others begin with ten segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

import photocol
from photocol.experiment import Claim

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from photocol.experiment import Outcome
    from photocol.verdict import Finding

XCP, XCP_CL, HPCC, POWER, THETA = "xcp", "xcp-cl", "hpcc", "powertcp", "theta-powertcp"
SWIFT, RCP, ABC, COPA, CUBIC, DCTCP = "swift", "rcp", "abc", "copa", "cubic", "dctcp"
TOLD = (XCP_CL, HPCC, POWER, RCP, ABC)
"""Those that ports tell something, and who follow a capacity that changes."""
BY_DELAY = (THETA, SWIFT, COPA)
LAWS = (XCP, *TOLD, *BY_DELAY, CUBIC, DCTCP)
FAMILY = (*TOLD, *BY_DELAY)
PACKET = 1500
MARK_PACKETS_AT_10_GBPS = 65
"""DCTCP's threshold at 10 Gb/s (Alizadeh et al., SIGCOMM 2010, §3.5)."""
TARGET_OF_RTT = 1.2
"""Swift's base target over the empty round trip."""
COLOURS = {
    XCP: "#BBBBBB",
    XCP_CL: "#0072B2",
    HPCC: "#D55E00",
    POWER: "#009E73",
    THETA: "#7BC8A4",
    SWIFT: "#CC79A7",
    RCP: "#56B4E9",
    ABC: "#E69F00",
    COPA: "#8C564B",
    CUBIC: "#000000",
    DCTCP: "#777777",
}


@dataclass(frozen=True)
class Path:
    """A bottleneck and its empty round trip, by which parameters are scaled."""

    gbps: float
    rtt_us: float
    hops: int = 3

    @property
    def bdp_packets(self) -> float:
        """Packets on the way at the bottleneck's rate."""
        return self.gbps * self.rtt_us * 1e3 / 8 / PACKET

    def queue_us(self, packets: float) -> float:
        """How long this number of packets waits."""
        return packets * PACKET * 8e-3 / self.gbps


def transport(law: str, path: Path, ahead_us: float = 0.0) -> dict[str, Any]:
    """The table `[transport.law]`; timers as in data centres."""
    timers = {"min_rto": f"{max(1000.0, 20 * path.rtt_us):g} us", "clock_granularity": "100 us"}
    ahead = {"ahead": f"{ahead_us:g} us"} if ahead_us and law in (HPCC, POWER, RCP) else {}
    return {"algorithm": XCP if law == XCP_CL else law, **_own(law, path), **timers, **ahead}


def _own(law: str, path: Path) -> dict[str, Any]:
    if law in (HPCC, POWER, THETA):
        return {"base_rtt": f"{path.rtt_us:g} us", "initial_window": max(2, round(path.bdp_packets))}
    if law == SWIFT:
        return {"base_target": f"{TARGET_OF_RTT * path.rtt_us:g} us", "swift_hops": path.hops}
    return {"recovery": "linux"} if law in (CUBIC, DCTCP) else {}


def port(law: str, path: Path, ahead_us: float = 0.0) -> dict[str, Any]:
    """What a port needs for the law: keys of a link."""
    if law in (XCP, XCP_CL):
        span = f"{path.rtt_us:g} us"
        ahead = {"ahead": f"{ahead_us:g} us"} if ahead_us and law == XCP_CL else {}
        return {"xcp": {"interval": span, "queue_interval": span, "follows": law == XCP_CL, **ahead}}
    if law == ABC:
        spans = {"delta": 1.33, "target": 0.2, "interval": 0.4}
        return {"queue": {"kind": "abc", **{key: f"{of * path.rtt_us:g} us" for key, of in spans.items()}}}
    if law == DCTCP:
        marks = max(5, round(MARK_PACKETS_AT_10_GBPS * path.gbps / 10))
        return {"queue": {"kind": "step", "threshold": f"{marks} packets"}}
    return {}


def at_rest(law: str, path: Path, flows: int) -> dict[str, float]:
    """Queue in packets and utilization in per cent by the law's closed form."""
    bps, rtt = path.gbps * 1e9, path.rtt_us * 1e-6
    if law == HPCC:
        found = photocol.model("hpcc-rest", capacity=bps, rtt=rtt, flows=flows)
        return {"queue": 0.0, "used": 100 * float(found["utilization"])}
    if law in (POWER, THETA):
        expected = 100 if law == POWER else round(path.bdp_packets)
        found = photocol.model("powertcp-rest", capacity=bps, rtt=rtt, flows=flows, expected=expected)
        return {"queue": float(found["queue_bytes"]) / PACKET, "used": 100.0}
    if law == SWIFT:
        target = TARGET_OF_RTT * rtt
        found = photocol.model("swift-rest", capacity=bps, packet=PACKET, flows=flows, base=target, hops=path.hops)
        return {"queue": (float(found["delay_s"]) - rtt) * bps / 8 / PACKET, "used": 100.0}
    if law == ABC:
        delta, least = 1.33 * rtt, 0.2 * rtt
        found = photocol.model("abc-rest", capacity=bps, packet=PACKET, rtt=rtt, flows=flows, delta=delta, target=least)
        return {"queue": float(found["queue_delay_s"]) * bps / 8 / PACKET, "used": 100 * float(found["utilization"])}
    if law == COPA:
        found = photocol.model("copa-rest", capacity=bps, packet=PACKET, rtt=rtt, flows=flows)
        return {"queue": float(found["mean_queue_packets"]), "used": 100.0}
    return {"queue": 0.0, "used": 100.0}


def expectation(reasons: Mapping[str, str], where: str = "ours; arithmetic") -> Callable[..., Claim]:
    """How an experiment writes its expectations, whose reasons are known by id."""

    def claim(
        id_: str, text: str, expected: str, tolerance: str, check: Callable[[Outcome], Finding], where: str = where
    ) -> Claim:
        return Claim(
            id=id_,
            text=text,
            where=where,
            expected=expected,
            tolerance=tolerance,
            check=check,
            whose="ours",
            reason=reasons.get(id_, ""),
        )

    return claim


def of(outcome: Outcome, metric: str, **point: Any) -> float:
    """A metric at one point."""
    is_it = pl.all_horizontal(pl.col(axis) == value for axis, value in point.items())
    return float(outcome.table.filter(is_it)[metric][0])


def ran(outcome: Outcome, axis: str = "law", **point: Any) -> list[Any]:
    """The values of an axis that were run, in their order."""
    rows = outcome.table
    for key, value in point.items():
        rows = rows.filter(pl.col(key) == value)
    return list(dict.fromkeys(rows[axis].to_list()))
