"""NSFNET with load balancing as paper 004, §5.2.8 has it, and the readings of what it does not say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIRS = ((0, 4), (1, 5), (3, 9), (5, 7), (6, 13), (1, 12), (8, 0), (12, 8))
FLOWS = 5
DATAGRAMS = 182
NONE, LB, RR, ORDERED = "HS-TCP, one path", "HS-TCP, two paths", "HS-RR-TCP, two paths", "HS-TCP, source ordering"
KINDS = (NONE, LB, RR, ORDERED)
LIMIT_S = 1000
"""The end of a run. Until then nearly all flows end; what does not counts with this time."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the paper's words are read."""

    balancing: Mapping[str, Any]
    queues: str = "class"
    acks: str = "assembled"
    spread: str = "1 s"
    access: str = "1 Gbps"
    baseline: str = ""
    """The reading whose runs on one path are like these, if not this one."""


SECTION_1 = {"choice": "least-congested", "comparison": "at-least", "traffic": "data"}
LEAST, SHARED, CHOSEN = "§1, least congested", "§1, shared bursts", "§1, eight pairs, all traffic"
ABOVE, OLD, SLOW, DELAY = (
    "§2, switch above ρ_max",
    "§2, ACKs and bursts shared",
    "§1, access of 100 Mb/s",
    "§1, ties by delay",
)
BESIDE, BESIDE_ABOVE = "§1, no ACK is lost", "§2, no ACK is lost"
READINGS = {
    LEAST: Reading(balancing=SECTION_1),
    SHARED: Reading(balancing=SECTION_1, queues="egress"),
    CHOSEN: Reading(
        balancing={**SECTION_1, "traffic": "all", "pairs": [[str(one), str(other)] for one, other in PAIRS]},
        queues="egress",
        baseline=SHARED,
    ),
    ABOVE: Reading(balancing={"traffic": "data"}, baseline=LEAST),
    OLD: Reading(balancing={"traffic": "tcp"}, queues="egress", spread="0 s"),
    BESIDE: Reading(balancing=SECTION_1, acks="beside"),
    BESIDE_ABOVE: Reading(balancing={"traffic": "data"}, acks="beside", baseline=BESIDE),
    SLOW: Reading(balancing=SECTION_1, access="100 Mbps"),
    DELAY: Reading(balancing={**SECTION_1, "ties": "delay"}, baseline=LEAST),
}
"""The first one is the one that the claims are judged under."""


def scenario(kind: str, reading: Reading) -> dict[str, Any]:
    """Two channels of 1 Gb/s, 100 kB or 2 ms, τ = 300 ms, ρ_max = 5 %, 15 Mb/s of datagrams between all nodes."""
    hosts = [(f"h{place}-{number}", *pair) for place, pair in enumerate(PAIRS) for number in range(FLOWS)]
    ordering = "drain" if kind == ORDERED else "off"
    balancing = {"interval": "300 ms", "threshold": 0.05, "ordering": ordering, **reading.balancing}
    return {
        "run": {"name": "nsfnet-load-balanced", "duration": f"{LIMIT_S} s"},
        "topology": {"kind": "nsfnet"},
        "link_defaults": {"capacity": "1 Gbps"},
        "node": [{"name": name, "role": "host"} for name, _, _ in hosts],
        "link": [
            {"from": name, "to": str(start), "capacity": reading.access, "delay": "10 us", "buffer": "unlimited"}
            for name, start, _ in hosts
        ],
        "switching": {
            "kind": "obs",
            "wavelengths": 2,
            "processing": "10 us",
            "switching_time": "10 us",
            "assembly": {"timer": "2 ms", "length": "100 kB", "queues": reading.queues, "acks": reading.acks},
            **({} if kind == NONE else {"balancing": balancing}),
        },
        "transport": {
            "tcp": {
                "algorithm": "hs-rr-tcp" if kind == RR else "highspeed",
                "packet_size": "1000 B",
                "header": "0 B",
            },
            "datagrams": {"algorithm": "udp", "packet_size": "1000 B"},
        },
        "traffic": [
            {
                "name": "datagrams",
                "transport": "datagrams",
                "pairs": [[str(one), str(other)] for one in range(14) for other in range(14) if one != other],
                "flows": DATAGRAMS,
                "load": "on-off",
                "rate": "30 Mbps",
                "on": {"law": "pareto", "mean": "10 ms", "hurst": 0.75},
                "off": {"law": "pareto", "mean": "10 ms", "hurst": 0.75},
            },
            *(
                {
                    "name": name,
                    "transport": "tcp",
                    "from": name,
                    "to": str(end),
                    "size": "100 MB",
                    "spread": reading.spread,
                }
                for name, _, end in hosts
            ),
        ],
        "probe": {"interval": "1 s", "flows": list(range(DATAGRAMS, DATAGRAMS + len(hosts)))},
    }
