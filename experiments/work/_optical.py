"""Hosts at optical circuit switches, and what a fluid model says of their collectives.

A circuit has 400 Gb/s and 20 us from host to host; a packet network of 25 Gb/s carries ACKs. In microseconds S is the
time of a transfer at the rate of all of a host's circuits, d the 20, and r a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import photocol

if TYPE_CHECKING:
    from photocol.laws import Event, View, Window

GBPS, DELAY_US, PACKET = 400, 20, 8000
PACKET_US = PACKET * 8 / GBPS / 1000
UDP, DCTCP, CUBIC, QUIC = "UDP", "DCTCP", "linux-cubic", "quic-cubic"
NDP, TOLD, RETCP = "NDP", "told rate", "reTCP"
WINDOWS = (DCTCP, CUBIC, QUIC)
"""Those that begin slowly with each new pair."""
FILLING = (NDP, TOLD)
"""Those that send what a circuit carries in a round trip at once: NDP blindly, the other as it is told."""
HEARING = (TOLD, RETCP)
"""Those that hear of circuits, as soon as the policy has decided: reTCP that one comes, the other of its rate."""
ROUND_TRIP_US = 42
"""40 of light and of the packet network, and the time of packets and ACKs."""
LOOKS = {
    UDP: ("black", "-o"),
    NDP: ("#CC79A7", "--v"),
    TOLD: ("#56B4E9", "-x"),
    RETCP: ("#E69F00", "-.P"),
    DCTCP: ("#009E73", "--s"),
    CUBIC: ("#D55E00", ":D"),
    QUIC: ("#0072B2", "-.^"),
}
MARK_FROM = 100
"""Packets that wait at a host for another one: 0.8 MB, two fifths of a round trip of 40 us."""
SWOT_MB, SWOT_TURN_US = 32, 200
PLAN_US = ((90.0, "o0", 2), (270.0, "o1", 1), (670.0, "o1", 4), (850.0, "o0", 4))
"""When a switch turns, and to which partners: rank xor so many. It begins with partners at a distance of 4.

The times are those of the linear programmes of `tests/python/test_ocs.py`, whose optimum is 1140 us.
"""


@photocol.law
class ToldRate:
    """A window of a round trip at the rate that its pair has, as it is told; nothing else moves it."""

    def on_ack(self, window: Window, event: Event) -> None:
        """Nothing."""

    def on_news(self, window: Window, news: Any) -> None:
        """Circuits come or go."""
        window.cwnd = max(window.mss, int((news.capacity or 0.0) * ROUND_TRIP_US / 8e6))


_SENDERS: dict[str, dict[str, Any]] = {
    UDP: {"algorithm": "udp"},
    NDP: {"algorithm": "ndp"},
    TOLD: {"law": ToldRate, "min_rto": "10 ms"},
    RETCP: {"algorithm": "retcp", "min_rto": "10 ms"},
    DCTCP: {"algorithm": "dctcp", "min_rto": "10 ms"},
    CUBIC: {"algorithm": "linux-cubic"},
    QUIC: {"algorithm": "quic-cubic"},
}


def network(transport: str, *, hosts: int, switches: int, turn_us: int, gbps: int = GBPS) -> dict[str, Any]:
    """Hosts with a port at each switch; a traffic and a policy are to be added."""
    marks = {"mark_from": MARK_FROM} if transport == DCTCP else {}
    sender = _SENDERS[transport]
    if transport == NDP:
        # A round trip over all circuits.
        sender = sender | {"first_window": -(-gbps * switches * 1000 * ROUND_TRIP_US // (8 * PACKET))}
    news = {"news": [{"circuit": "all", "way": "schedule", "lead": f"{turn_us} us"}]} if transport in HEARING else {}
    return news | {
        "run": {"duration": "10 s"},
        "topology": {
            "kind": "ocs",
            "hosts": hosts,
            "switches": switches,
            "capacity": f"{gbps} Gbps",
            "delay": f"{DELAY_US} us",
            "packet_capacity": "25 Gbps",
        },
        "switching": {
            "kind": "ocs",
            "policy": "per-step",
            "start": "warm",
            "reconfiguration": f"{turn_us} us",
            **marks,
        },
        "transport": {"carrier": {"packet_size": PACKET, **sender}},
        "traffic": [{"transport": "carrier", **({"rate": f"{gbps * switches} Gbps"} if transport == UDP else {})}],
    }


@photocol.policy
class Planned:
    """Turns switches at the times of a plan; if the work is late, it goes on step by step."""

    def __init__(self) -> None:
        self.left = list(PLAN_US)
        self.step = 0

    def decide(self, view: View) -> dict[str, dict[str, str]] | None:
        """What is due."""
        if view.now == 0.0:
            return {switch: _partners(4) for switch in view.switches}
        due = [one for one in self.left if one[0] * 1e-6 <= view.now + 1e-12]
        self.left = self.left[len(due) :]
        is_late = view.now > PLAN_US[-1][0] * 1e-6 + 1e-9
        if is_late and view.step != self.step and not _served(view):
            self.step = view.step
            return {switch: {from_: to for from_, to, *_ in view.transfers} for switch in view.switches}
        return {switch: _partners(distance) for _, switch, distance in due}

    def next_s(self) -> float | None:
        """When something is due."""
        return self.left[0][0] * 1e-6 if self.left else None


def _partners(distance: int) -> dict[str, str]:
    return {f"n{rank}": f"n{rank ^ distance}" for rank in range(8)}


def _served(view: View) -> bool:
    """Whether some switch has the circuits of the step."""
    return any(
        all(circuits.get(from_) == to for from_, to, *_ in view.transfers) for circuits in view.circuits.values()
    )


def swot_us(turns: int) -> float:
    """Six steps of the example: 56 MB over two circuits, six delays, and so many turns."""
    return (16 + 8 + 4 + 4 + 8 + 16) * 8000 / (2 * GBPS) + 6 * DELAY_US + turns * SWOT_TURN_US


def one_plane_us(turn_us: float) -> float:
    """Four steps of 8 MB at 800 Gb/s, and three turns."""
    return 4 * (80 + DELAY_US) + 3 * turn_us


def two_planes_us(turn_us: float) -> float:
    """Four steps at 400 Gb/s; of turns longer than a step, the second pair of steps shows the rest."""
    step = 160 + DELAY_US
    return 4 * step + max(0.0, turn_us - step)


def ring_us(size_kb: int) -> float:
    """Thirty steps among sixteen ranks over one circuit."""
    return 30 * (8 * size_kb / 16 / GBPS + DELAY_US)


def halving_us(size_kb: int, turn_us: float) -> float:
    """Eight steps and six turns; as many bytes."""
    return 30 * 8 * size_kb / 16 / GBPS + 8 * DELAY_US + 6 * turn_us
