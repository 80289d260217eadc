"""The network and the axes of 003/closed-loop: XCP-CL over AAPN's own signalling (paper 003, §4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.experiment import Setup, grid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Point, RunResult

XCP_CL, XCP, SACK = "XCP-CL", "XCP", "SACK"
SENDERS = (XCP_CL, XCP, SACK)
RULES = ("queue", "last-frame", "smoothed", "predicted")
SHORT_MS, LONG_MS = 1.0, 30.0
STATIC, FILES = "static", "files"
"""Greedy flows of three pairs that share nothing; files of six pairs, two at each sender, that come at random."""

LETTER, ASKING, ALL, FLOOR, RATE, PROBE = "letter", "asking", "all", "floor", "rate", "probe"
REMEDIES: Mapping[str, Mapping[str, Any]] = {
    LETTER: {"spare_slots": "idle"},
    ASKING: {},
    ALL: {"spare_slots": "all"},
    FLOOR: {"spare_slots": "idle", "floor": 4},
    RATE: {"spare_slots": "idle", "request_means": "rate"},
    PROBE: {"spare_slots": "idle", "probe": 0.5},
}
"""What the master grants. `asking` is the default; the letter is the thesis's: what is asked for and nothing else."""

EDGES, FRAME_SLOTS, DATA_SLOTS = 6, 18, 12
SLOT_S, GUARD_S, MBPS = 200e-6, 20e-6, 45.0
FLOWS_A_PAIR, PACKET, HEADERS = 10, 1000, 60
DISJOINT = (("e0", "e1"), ("e2", "e3"), ("e4", "e5"))
CROSSED = (("e0", "e3"), ("e2", "e5"), ("e4", "e1"))
FILE_KB, GAP_MS = 200, 40.0
OFFERED_MBPS = FILE_KB * 8 / GAP_MS
DURATION_S, WARM_UP_S = 60.0, 30.0
SLOT_MBPS = MBPS * (1 - GUARD_S / SLOT_S) / FRAME_SLOTS
MOST_MBPS = len(DISJOINT) * DATA_SLOTS * SLOT_MBPS * (1 - HEADERS / PACKET)
"""What all data slots of the three pairs deliver: 76.1 Mb/s of 81."""


def axes(
    senders: Sequence[str], rules: Sequence[str], demands: Sequence[str], remedies: Sequence[str]
) -> tuple[Point, ...]:
    """All combinations, over short and long fibres."""
    return tuple(grid(sender=senders, request=rules, delay_ms=(SHORT_MS, LONG_MS), demand=demands, remedy=remedies))


def setup(point: Point) -> Setup:
    """A sender over the simulated protocol."""
    return Setup(scenario=scenario(point))


def scenario(point: Point) -> dict[str, Any]:
    """The thesis's frame (figure 3.8 and chapter 5): 18 slots of 200 us, six for signalling, six nodes, 45 Mb/s."""
    sender = str(point["sender"])
    transport = "sack" if sender == SACK else "xcp"
    edge = {} if sender == SACK else {"edge": {"xcp": {"follows": sender == XCP_CL}}}
    return {
        "run": {"duration": f"{DURATION_S:g} s", "warm_up": f"{WARM_UP_S:g} s"},
        "topology": {
            "kind": "aapn-star",
            "edges": EDGES,
            "capacity": f"{MBPS:g} Mbps",
            "delay": f"{float(point['delay_ms']):g} ms",
            "buffer": "100 packets",
        },
        "switching": {
            "kind": "aapn",
            "slots": FRAME_SLOTS,
            "slot_time": "200 us",
            "guard": "20 us",
            "scheduler": "bvn",
            "protocol": "simulated",
            "request": str(point["request"]),
            "signal": {"frames": 10},
            **REMEDIES[str(point["remedy"])],
        },
        "link_defaults": {"capacity": f"{MBPS:g} Mbps", **edge},
        "transport": {transport: {"packet_size": PACKET}},
        "traffic": [traffic(str(point["demand"]), transport)],
    }


def traffic(demand: str, transport: str) -> dict[str, Any]:
    """Ten greedy flows a pair, or files of 200 kB that come at random, 40 Mb/s in all."""
    if demand == STATIC:
        flows = FLOWS_A_PAIR * len(DISJOINT)
        return {"transport": transport, "pairs": [list(pair) for pair in DISJOINT], "flows": flows, "spread": "1 s"}
    pairs = [list(pair) for pair in DISJOINT + CROSSED]
    files = {"arrivals": "poisson", "mean_gap": f"{GAP_MS:g} ms", "size": f"{FILE_KB} kB"}
    return {"transport": transport, "pairs": pairs, **files}


def measure(result: RunResult) -> Mapping[str, float]:
    """Of the second half of the run."""
    value = {name: figure.value for name, figure in result.summary.items()}
    done = result.flows.filter(result.flows["completed"])
    times = (done["end_s"] - done["start_s"]).to_list()
    return {
        "goodput_mbps": value["goodput"] / 1e6,
        "max_queue": value["max_queue"],
        "drop_share": value["drop_rate"],
        "timeouts": value["timeouts"],
        "file_s": sum(times) / len(times) if times else 0.0,
        "rtt_ms": 1e3 * float(result.flows["mean_rtt_s"].drop_nulls().mean() or 0.0),  # type: ignore[arg-type]
    }
