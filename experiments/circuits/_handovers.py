"""OrbCC's schedule of handovers over satellites, and a path that follows it: what experiments about handovers share.

The draws are those of OrbCC's script (`Avian688/orbtcpExperiments`, experiment 1): run n has `random.Random(n)`. At
every multiple of 5 s the path is gone for 45 to 120 ms; then it has 50 to 100 Mb/s and a round trip of 1 to 100 ms,
which three links share. Its queue has room for 340 packets.
"""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EVERY_S = 5
CAPACITY_MBPS, ROUND_TRIP_MS, AWAY_MS = (50, 100), (1, 100), (45, 120)
QUEUE = 340
NODES = ("client", "router1", "router2", "server")
MIDDLE = "router1-router2"
ALL = ["client-router1", MIDDLE, "router2-server"]
HARD, KEPT, SOFT = "hard", "kept", "soft"
"""A handover drops what waits, or keeps it, or takes no time."""
PACKET = 1500
HOSTS: Mapping[str, Any] = {"timestamps": True, "packet_size": PACKET}
LAWS: Mapping[str, Mapping[str, Any]] = {
    "cubic": {"algorithm": "cubic", "recovery": "linux", **HOSTS},
    "bbr": {"algorithm": "bbr", **HOSTS},
    "bbr3": {"algorithm": "bbr3", **HOSTS},
    "xcp-cl": {"algorithm": "xcp", "packet_size": PACKET},
}
COLOURS = {"cubic": "#0072B2", "bbr": "#E69F00", "bbr3": "#D55E00", "xcp-cl": "#009E73"}


class Leg(NamedTuple):
    """The path between two handovers."""

    begins_s: int
    """The handover before it begins then."""
    from_ms: int
    """It is there from then on."""
    capacity_mbps: int
    round_trip_ms: int


def course(run: int, lasts_s: int) -> list[Leg]:
    """The schedule of a run of OrbCC's."""
    drawn = random.Random(run)

    def leg(begins_s: int, away_ms: int) -> Leg:
        found = Leg(begins_s, 1000 * begins_s + away_ms, drawn.randint(*CAPACITY_MBPS), drawn.randint(*ROUND_TRIP_MS))
        # Their script draws a loss here, and does not use it.
        drawn.uniform(0, 0.01)
        return found

    return [leg(0, 0), *(leg(begins_s, drawn.randint(*AWAY_MS)) for begins_s in range(EVERY_S, lasts_s, EVERY_S))]


def mean_capacity_mbps(legs: Sequence[Leg], lasts_s: int, kind: str) -> float:
    """What the path could carry in all this time, over the time."""
    begins = [0.001 * leg.from_ms if kind != SOFT else leg.begins_s for leg in legs]
    ends = [*(leg.begins_s for leg in legs[1:]), lasts_s]
    return sum(leg.capacity_mbps * (end - begin) for leg, begin, end in zip(legs, begins, ends, strict=True)) / lasts_s


def scenario(law: str, legs: Sequence[Leg], lasts_s: int, kind: str) -> dict[str, Any]:
    """One greedy flow over the path. XCP's controllers follow the capacity of each leg as it begins."""
    first = legs[0]
    delay = {"delay": _one_way(first)}
    access = {"capacity": "10 Gbps", "buffer": "unlimited", **delay}
    middle: dict[str, Any] = {"capacity": f"{first.capacity_mbps} Mbps", "buffer": f"{QUEUE} packets", **delay}
    if law == "xcp-cl":
        middle["xcp"] = {}
    return {
        "run": {"name": "handover", "duration": f"{lasts_s} s"},
        "node": [{"name": name, "role": "core" if name.startswith("router") else "host"} for name in NODES],
        "link": [{"from": a, "to": b, **(middle if f"{a}-{b}" == MIDDLE else access)} for a, b in pairwise(NODES)],
        "transport": {"flow": LAWS[law]},
        "traffic": [{"transport": "flow", "from": NODES[0], "to": NODES[-1]}],
        "event": [event for leg in legs[1:] for event in _handover(leg, kind)],
        "probe": {"interval": "100 ms", "flows": [0]},
    }


def _one_way(leg: Leg) -> str:
    return f"{leg.round_trip_ms * 1_000_000 // 6} ns"


def _handover(leg: Leg, kind: str) -> list[dict[str, Any]]:
    begins, comes = f"{leg.begins_s} s", f"{leg.from_ms} ms"
    capacity = {"capacity": f"{leg.capacity_mbps} Mbps"}
    if kind == SOFT:
        return [{"at": begins, "link": MIDDLE, **capacity}, {"at": begins, "link": ALL, "delay": _one_way(leg)}]
    goes: dict[str, Any] = {"state": "down"} if kind == HARD else {"capacity": "0 bps"}
    up: dict[str, Any] = {"state": "up"} if kind == HARD else {}
    return [
        {"at": begins, "link": MIDDLE, **goes},
        {"at": comes, "link": MIDDLE, **capacity, **up},
        {"at": comes, "link": ALL, "delay": _one_way(leg)},
    ]
