"""Sixteen ranks on a star, a ring and a fat tree, the transports that carry their transfers, and their closed forms.

All links have 100 Gb/s and 1 us, and packets 4096 B. A transfer of B bytes over h links takes S + (h − 1) s + h d if it
is alone. S is the time of its packets on a link, s that of one packet, and d the delay of a link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.work import Packets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

RANKS, PODS, HOSTS_OF_A_SWITCH = 16, 4, 2
RATE_GBPS, DELAY_US, PACKET = 100, 1, 4096
STAR, CIRCLE, TREE = "star", "ring", "fat tree"
"""Of the ring each rank has a switch, joined to the switches of the ranks before and behind it."""
NDP, DCTCP, CUBIC, UDP, HPCC = "NDP", "DCTCP", "linux-cubic", "UDP", "HPCC"
HEADERS = {NDP: 64, DCTCP: 40, CUBIC: 40, UDP: 0, HPCC: 82}
"""Bytes of a packet that are not of the transfer; all of UDP's are. HPCC's record of telemetry has 42."""
ANSWERS = {NDP: 128, DCTCP: 40, CUBIC: 40, UDP: 0, HPCC: 82}
"""Bytes that go back for a packet at most: NDP's ACK and pull, TCP's ACK."""
_BUFFER = "1 MB"
"""Of a switch's port: 250 packets, 80 us."""
_HOST: dict[str, Any] = {"buffer": "unlimited", "queue": {"kind": "drop-tail"}}
"""A host's link is first in, first out, on the fat tree too."""
LINKS: dict[str, dict[str, Any]] = {
    NDP: {
        "core": {"buffer": "64 kB", "queue": {"kind": "ndp"}},
        "host": {"buffer": "unlimited", "queue": {"kind": "ndp", "data": "10000 packets"}},
    },
    DCTCP: {
        "core": {"buffer": _BUFFER, "queue": {"kind": "step", "threshold": "30 packets"}},
        "host": _HOST,
    },
    CUBIC: {"core": {"buffer": _BUFFER}, "host": _HOST},
    UDP: {"buffer": "unlimited", "host": _HOST},
    HPCC: {"core": {"buffer": _BUFFER}, "host": _HOST},
}
"""UDP has room for all, since nobody sends again what is lost."""
SENDERS: dict[str, dict[str, Any]] = {
    NDP: {"algorithm": "ndp", "first_window": 64},
    DCTCP: {"algorithm": "dctcp", "min_rto": "10 ms"},
    CUBIC: {"algorithm": "linux-cubic"},
}
"""64 packets are more than a round trip over the core holds, 44. Linux's timeout is 200 ms at least."""
CARRIERS: dict[str, dict[str, Any]] = {
    **SENDERS,
    UDP: {"algorithm": "udp"},
    HPCC: {"algorithm": "hpcc", "hpcc_flows": RANKS, "base_rtt": "14.4 us", "initial_window": 44, "min_rto": "10 ms"},
}
"""The same, a constant rate, and a law that is told the state of ports: it begins with a round trip over the core."""
_OF_TRAFFIC: dict[str, dict[str, Any]] = {UDP: {"rate": f"{RATE_GBPS} Gbps"}}
_OF_WORK: dict[str, dict[str, Any]] = {HPCC: {"connections": "each"}}
LOOKS = {
    NDP: ("#0072B2", "-o"),
    DCTCP: ("#009E73", "--s"),
    CUBIC: ("#D55E00", ":D"),
    UDP: ("#000000", "-."),
    HPCC: ("#CC79A7", "-^"),
}


def scenario(network: str, transport: str, work: Mapping[str, Any]) -> dict[str, Any]:
    """One collective among sixteen ranks. On the fat tree NDP sprays its packets, and the others are hashed."""
    links = {"capacity": f"{RATE_GBPS} Gbps", "delay": f"{DELAY_US} us"}
    tree = {**links, "kind": "fat-tree", "k": PODS, "host_delay": f"{DELAY_US} us"}
    kinds: dict[str, dict[str, Any]] = {STAR: {"topology": {"kind": "star", "leaves": RANKS}}, CIRCLE: _ring()}
    kinds[TREE] = {"topology": {**tree, "routing": "spray" if transport == NDP else "ecmp"}}
    done = {"collective": "all-reduce", **work, **_OF_WORK.get(transport, {})}
    return {
        "run": {"duration": "60 s"},
        **kinds[network],
        "link_defaults": {**({} if network == TREE else links), **LINKS[transport]},
        "transport": {"carrier": {"packet_size": PACKET, **CARRIERS[transport]}},
        "traffic": [{"name": "sum", "transport": "carrier", "work": done, **_OF_TRAFFIC.get(transport, {})}],
    }


def _ring() -> dict[str, Any]:
    """Where two ways are equally long, the first is taken. HPCC's record has room for eight of their nine ports."""
    hosts, switches = ([f"{kind}{rank}" for rank in range(RANKS)] for kind in "hs")
    nodes = [{"name": name} for name in hosts] + [{"name": name, "role": "core"} for name in switches]
    links = [
        {"from": here, "to": there, "duplex": True, "telemetry": False}
        for here, there in zip(hosts, switches, strict=True)
    ]
    pairs = zip(switches, switches[1:] + switches[:1], strict=True)
    links += [{"from": here, "to": there, "duplex": True} for here, there in pairs]
    return {"topology": {"kind": "custom"}, "node": nodes, "link": links}


def packets(transport: str, links: int = 2) -> Packets:
    """The path of a transfer, whose packets carry what a transport's header leaves."""
    header = HEADERS[transport]
    return Packets(
        rate_bps=RATE_GBPS * 1e9,
        delay_s=DELAY_US * 1e-6,
        payload_bytes=PACKET - header,
        header_bytes=header,
        links=links,
    )


def with_answers(transport: str) -> float:
    """How much longer packets last on a link that as many ACKs and pulls of the other direction share."""
    return (PACKET + ANSWERS[transport]) / PACKET


def ring_on_the_ring_s(transport: str, size_bytes: int) -> float:
    """30 transfers in a row over three links each, of which no two share one."""
    return 2 * (RANKS - 1) * packets(transport, 3).transfer_s(-(-size_bytes // RANKS))


def ring_on_the_tree_s(transport: str, size_bytes: int) -> float:
    """The longest 30 transfers in a row along the ring, whose ranks fill one switch after the other.

    Two links within a switch, four within a pod and six between pods; no two transfers of a step share a link.
    """
    part = -(-size_bytes // RANKS)
    links = [_links_to_the_next(rank) for rank in range(RANKS)]
    times = [packets(transport, one).transfer_s(part) for one in links]
    steps = 2 * (RANKS - 1)
    return max(sum(times[(first + step) % RANKS] for step in range(steps)) for first in range(RANKS))


def _links_to_the_next(rank: int) -> int:
    if (rank + 1) % (RANKS // PODS) == 0:
        return 6
    return 4 if (rank + 1) % HOSTS_OF_A_SWITCH == 0 else 2


def measure(result: RunResult) -> Mapping[str, float]:
    """The time of the collective, and what its connections sent again."""
    flows = result.flows
    return {
        "time_us": 1e6 * float(result.summary["work_time"]),
        "again": float(flows["retransmissions"].sum()),
        "timeouts": float(flows["timeouts"].sum()),
    }
