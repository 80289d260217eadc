"""The network and the axes of 003/closed-loop: XCP-CL over AAPN's own signalling (paper 003, §4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.experiment import Setup, grid

from . import _aapn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Point, RunResult

XCP_CL, XCP, SACK = "XCP-CL", "XCP", "SACK"
SENDERS = (XCP_CL, XCP, SACK)
RULES = ("queue", "last-frame", "smoothed", "predicted")
SHORT_MS, CHAPTER_MS, LONG_MS = 1.0, 10.0, 30.0
STATIC, FILES = "static", "files"
"""Greedy flows of three pairs that share nothing; files of six pairs, two at each sender, that come at random."""

RING, ACKS, TRICKLES, UNEQUAL, WEIGHTS = "ring", "ACKs", "trickles", "unequal", "weights"
OUT_OF_BAND, CORES, WAVELENGTHS, HOSTS = "out of band", "two cores", "three wavelengths", "hosts"
PATTERNS = (RING, ACKS, TRICKLES, UNEQUAL, WEIGHTS, OUT_OF_BAND, CORES, WAVELENGTHS, HOSTS)
"""Three nodes that send in a ring; small files that come to a greedy sender; two senders of 200 kb/s beside it; two of
4 and 8 Mb/s beside four greedy pairs; two greedy pairs of one sender, of weights 4 and 1. The ring with messages beside
the light; over two core nodes; over three wavelengths, by the schedule that all know, as messages have no wavelengths.
The 100 hosts of chapter 5, whose delays change, behind two edge nodes over fibres of 10 ms."""

LETTER, USING, ASKING, ALL, FLOOR, RATE, PROBE = "letter", "using", "asking", "all", "floor", "rate", "probe"
REMEDIES: Mapping[str, Mapping[str, Any]] = {
    LETTER: {"spare_slots": "idle"},
    USING: {"spare_slots": "using"},
    ASKING: {"spare_slots": "asking"},
    ALL: {"spare_slots": "all"},
    FLOOR: {"spare_slots": "idle", "floor": 4},
    RATE: {"spare_slots": "idle", "request_means": "rate"},
    PROBE: {"spare_slots": "idle", "probe": 0.5},
}
"""What the master grants. `using` is the default of queues that follow their slots; the letter is the thesis's: what
is asked for and nothing else."""

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


RINGS = (RING, OUT_OF_BAND, CORES, WAVELENGTHS)
SWITCHED: Mapping[str, Mapping[str, Any]] = {
    OUT_OF_BAND: {"signalling": "out-of-band"},
    WAVELENGTHS: {"protocol": "known", "wavelengths": 3},
}


def axes(
    senders: Sequence[str], rules: Sequence[str], demands: Sequence[str], remedies: Sequence[str]
) -> tuple[Point, ...]:
    """All combinations, over short and long fibres."""
    return tuple(grid(sender=senders, request=rules, delay_ms=(SHORT_MS, LONG_MS), demand=demands, remedy=remedies))


def pattern_points() -> tuple[Point, ...]:
    """Every sender and pattern, with spare slots by use and evenly."""
    among = [pattern for pattern in PATTERNS if pattern != HOSTS]
    behind = grid(sender=SENDERS, request=("queue",), delay_ms=(CHAPTER_MS,), demand=(HOSTS,), remedy=(USING, ASKING))
    return (*axes(SENDERS, ("queue",), among, (USING, ASKING)), *behind)


def delay_ms(pattern: str) -> float:
    """Of the shorter fibres of a pattern."""
    return CHAPTER_MS if pattern == HOSTS else SHORT_MS


def setup(point: Point) -> Setup:
    """A sender over the simulated protocol."""
    return Setup(scenario=scenario(point))


def scenario(point: Point) -> dict[str, Any]:
    """The thesis's frame (figure 3.8 and chapter 5): 18 slots of 200 us, six for signalling, six nodes, 45 Mb/s."""
    star = among_edges(point)
    return behind_edges(point, star) if point["demand"] == HOSTS else star


def behind_edges(point: Point, star: Mapping[str, Any]) -> dict[str, Any]:
    """Chapter 5's hosts and routers: its link ri -> rj is a queue of edge node ri. The other routers have no slots."""
    follows = {"follows": point["sender"] == XCP_CL}
    chapter = _aapn.scenario(mbps=MBPS, duration_s=DURATION_S, steps=(), follows=False, buffer=100)
    links = [link for link in chapter["link"] if {link["from"], link["to"]} != {"ri", "rj"}]
    queue = {"via": "core", "duplex": False, "buffer": "100 packets", "xcp": follows}
    links += [{"from": "ri", "to": "rj", **queue}, {"from": "rj", "to": "ri", **queue}]
    links += [{"from": node, "to": "core", "delay": f"{float(point['delay_ms']):g} ms"} for node in ("ri", "rj")]
    transport = chapter["transport"]
    if point["sender"] == SACK:
        links = [{key: value for key, value in link.items() if key != "xcp"} for link in links]
        transport = {"sack": {"packet_size": PACKET}}
    flows = [
        {**flow, "name": f"greedy{number}", "transport": next(iter(transport))}
        for number, flow in enumerate(chapter["traffic"])
    ]
    rest = {key: chapter[key] for key in ("link_defaults", "event")}
    return {
        **rest,
        "run": star["run"],
        "switching": star["switching"],
        "link": links,
        "transport": transport,
        "traffic": flows,
    }


def among_edges(point: Point) -> dict[str, Any]:
    """All flows run between edge nodes."""
    sender = str(point["sender"])
    transport = "sack" if sender == SACK else "xcp"
    edge = {} if sender == SACK else {"edge": {"xcp": {"follows": sender == XCP_CL}}}
    return {
        "run": {"duration": f"{DURATION_S:g} s", "warm_up": f"{WARM_UP_S:g} s"},
        "topology": {
            "kind": "aapn-star",
            "edges": 3 if point["demand"] in RINGS else EDGES,
            "cores": 2 if point["demand"] == CORES else 1,
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
            **({"weight": [{"from": "e0", "to": "e1", "weight": 4}]} if point["demand"] == WEIGHTS else {}),
            **SWITCHED.get(str(point["demand"]), {}),
        },
        "link_defaults": {"capacity": f"{MBPS:g} Mbps", **edge},
        "transport": {transport: {"packet_size": PACKET}},
        "traffic": traffics(str(point["demand"]), transport),
    }


def traffics(demand: str, transport: str) -> list[dict[str, Any]]:
    """The greedy flows of a pattern, named so, and what else is sent; or one kind of traffic."""
    if demand not in PATTERNS:
        return [traffic(demand, transport)]
    greedy = {
        **dict.fromkeys(RINGS, (("e0", "e1"), ("e1", "e2"), ("e2", "e0"))),
        UNEQUAL: (("e0", "e1"), ("e0", "e2"), ("e3", "e1"), ("e4", "e5")),
        WEIGHTS: (("e0", "e1"), ("e0", "e2")),
    }.get(demand, (("e0", "e1"),))
    pairs = [list(pair) for pair in greedy]
    flows = {"name": "greedy", "transport": transport, "pairs": pairs, "flows": FLOWS_A_PAIR * len(pairs)}
    light = {
        TRICKLES: (("e0", "e2", "200 kbps"), ("e0", "e3", "200 kbps")),
        UNEQUAL: (("e0", "e3", "4 Mbps"), ("e3", "e4", "8 Mbps")),
    }.get(demand, ())
    others = [{"transport": "udp", "from": source, "to": to, "rate": rate} for source, to, rate in light]
    if demand == ACKS:
        uploads = [[f"e{node}", "e0"] for node in range(2, EDGES)]
        others = [
            {"transport": transport, "pairs": uploads, "arrivals": "poisson", "mean_gap": "100 ms", "size": "10 kB"}
        ]
    return [{**flows, "spread": "1 s"}, *others]


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
    greedy = result.flows.filter(result.flows["traffic"].str.starts_with("greedy"))
    times = (done["end_s"] - done["start_s"]).to_list()
    return {
        "goodput_mbps": value["goodput"] / 1e6,
        "greedy_mbps": float(greedy["goodput_bps"].sum()) / 1e6,
        "max_queue": value["max_queue"],
        "drop_share": value["drop_rate"],
        "timeouts": value["timeouts"],
        "file_s": sum(times) / len(times) if times else 0.0,
        "rtt_ms": 1e3 * float(result.flows["mean_rtt_s"].drop_nulls().mean() or 0.0),  # type: ignore[arg-type]
    }
