"""Sixteen ranks on a star and on a fat tree, the transports that carry their transfers, and their closed forms.

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
STAR, TREE = "star", "fat tree"
NDP, DCTCP, CUBIC = "NDP", "DCTCP", "linux-cubic"
HEADERS = {NDP: 64, DCTCP: 40, CUBIC: 40}
ANSWERS = {NDP: 128, DCTCP: 40, CUBIC: 40}
"""Bytes that go back for a packet at most: NDP's ACK and pull, TCP's ACK."""
_BUFFER = "1 MB"
"""Of a switch's port: 250 packets, 80 us."""
LINKS: dict[str, dict[str, Any]] = {
    NDP: {
        "core": {"buffer": "64 kB", "queue": {"kind": "ndp"}},
        "host": {"buffer": "unlimited", "queue": {"kind": "ndp", "data": "10000 packets"}},
    },
    DCTCP: {
        "core": {"buffer": _BUFFER, "queue": {"kind": "step", "threshold": "30 packets"}},
        "host": {"buffer": "unlimited"},
    },
    CUBIC: {"core": {"buffer": _BUFFER}, "host": {"buffer": "unlimited"}},
}
SENDERS: dict[str, dict[str, Any]] = {
    NDP: {"algorithm": "ndp", "first_window": 64},
    DCTCP: {"algorithm": "dctcp", "min_rto": "10 ms"},
    CUBIC: {"algorithm": "linux-cubic"},
}
"""64 packets are more than a round trip over the core holds, 44. Linux's timeout is 200 ms at least."""
LOOKS = {NDP: ("#0072B2", "-o"), DCTCP: ("#009E73", "--s"), CUBIC: ("#D55E00", ":D")}


def scenario(network: str, transport: str, work: Mapping[str, Any]) -> dict[str, Any]:
    """One collective among sixteen ranks. On the fat tree NDP sprays its packets, and the others are hashed."""
    links = {"capacity": f"{RATE_GBPS} Gbps", "delay": f"{DELAY_US} us"}
    tree = {**links, "kind": "fat-tree", "k": PODS, "host_delay": f"{DELAY_US} us"}
    topology = {"kind": "star", "leaves": RANKS}
    if network == TREE:
        topology = {**tree, "routing": "spray" if transport == NDP else "ecmp"}
    return {
        "run": {"duration": "60 s"},
        "topology": topology,
        "link_defaults": {**({} if network == TREE else links), **LINKS[transport]},
        "transport": {"carrier": {"packet_size": PACKET, **SENDERS[transport]}},
        "traffic": [{"name": "sum", "transport": "carrier", "work": {"collective": "all-reduce", **work}}],
    }


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
