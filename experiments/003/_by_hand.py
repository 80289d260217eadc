"""A star of `photocol.control.Node` and `Core` in true time: fibres between them, and what is counted of what they say.

All clocks are right. The master stands at the core, as in figure 3.8; the slaves are one fibre away from it. Slots are
chapter 5's: 200 µs at 45 Mb/s.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from typing import Any

import numpy as np

from photocol.control import Action, Core, Network, Node, decode

KEY = b"a key of an experiment"
SIGNALLING, DATA = 0, 1
EVERYBODY, CORE = 65535, 65534
MASTER = 0
JOINING_FRAMES = 2000
SLAVES, SLOT_US, GUARD_US, SWITCHING_US, TURNAROUND_US, MBPS = 6, 200, 20, 10, 20, 45
IN_BAND = "Slots"
"""The protocol's word for signalling in slots of the frame."""


def network(frame_slots: int, signalling_slots: int, fibre_us: int = 0, *, carriage: str = IN_BAND) -> Network:
    """Six slaves and a master, at ports of their own."""
    us = 10**6
    return Network(
        ports={node: node for node in range(SLAVES + 1)},
        frame_slots=frame_slots,
        signalling_slots=signalling_slots,
        slot_ps=SLOT_US * us,
        guard_ps=GUARD_US * us,
        switching_ps=SWITCHING_US * us,
        longest_ps=fibre_us * us,
        turnaround_ps=TURNAROUND_US * us,
        carriage=carriage,  # type: ignore[arg-type]
    )


class Star:
    """The machines, what is under way between them, and the counts."""

    def __init__(self, network: Network, *, fibre_ps: int, seed: int) -> None:
        self.network = network
        self.now = 0
        self.core = Core(network, key=KEY)
        numbers = sorted(network.ports)
        self.nodes = [Node(n, key=KEY, network=network if n == MASTER else None) for n in numbers]
        self.fibres = [0 if n == MASTER else fibre_ps for n in numbers]
        self.random = np.random.default_rng(seed)
        self.events: list[tuple[int, int, str, int, Any]] = []
        self.order = 0
        self.counts = Counts()

    def join(self) -> None:
        """Runs until all others are slaves."""
        frame = self.network.frame_slots * self.network.slot_ps
        for _ in range(JOINING_FRAMES):
            self.run(frame)
            if [node.part for node in self.nodes] == ["master", *["slave"] * (len(self.nodes) - 1)]:
                # What was asked while nodes joined has been planned by then.
                self.run(40 * frame)
                return
        raise RuntimeError(f"not all nodes have joined: {[node.part for node in self.nodes]}")

    def talk(self, seconds: float, *, load: float) -> Counts:
        """Payloads of one slot each come at random, so many for each slave and slot. What was counted meanwhile."""
        self.counts = Counts()
        slaves = len(self.nodes) - 1
        end = self.now + round(seconds * 1e12)
        while self.now < end:
            node = 1 + int(self.random.integers(slaves))
            to = 1 + (node - 1 + int(self.random.integers(1, slaves))) % slaves
            if self.nodes[node].waiting(to) < 100:
                self.nodes[node].enqueue(to, [("management", {"topic": 1, "bytes": b"payload"})])
                self.counts.came[node, to].append(self.now)
            self.run(int(self.random.exponential(self.network.slot_ps / load / slaves)))
        return self.counts

    def run(self, span_ps: int) -> None:
        """Everything that happens within a span."""
        until = self.now + span_ps
        while True:
            machine, due = self._next_timer()
            if self.events and self.events[0][0] <= due:
                at, _, kind, node, data = heapq.heappop(self.events)
                if at > until:
                    self._push(at, kind, node, data)
                    break
                self.now = at
                self._happens(kind, node, data)
            elif due <= until:
                self.now = due
                self._timer(machine)
            else:
                break
        self.now = until

    def _next_timer(self) -> tuple[int, int]:
        """Whose timer is next, -1 is the core's, and when; a reading shows a moment after it."""
        dues = [(self.core.next_timeout, -1)] + [(node.next_timeout, n) for n, node in enumerate(self.nodes)]
        due, machine = min((max(due, self.now + 1), machine) for due, machine in dues if due is not None)
        return machine, due

    def _timer(self, machine: int) -> None:
        if machine < 0:
            self._done_by_core(self.core.on_timer(self.now))
        else:
            self._done_by(machine, self.nodes[machine].on_timer(self.now))

    def _happens(self, kind: str, node: int, data: Any) -> None:
        if kind == "to-core":
            self._done_by_core(self.core.on_message(self.now, data))
        elif kind == "at-core":
            self._passes(node, data)
        else:
            stamp, sent = data
            self._heard(node, sent)
            hear = self.nodes[node].on_light if kind == "light" else self.nodes[node].on_message
            self._done_by(node, hear(self.now, sent, stamp_ps=stamp))

    def _passes(self, node: int, data: bytes) -> None:
        length = self.network.slot_ps - self.network.guard_ps
        output = self.core.route(self.now, self.network.ports[node], length_ps=length)
        if output is None:
            self.counts.lost += 1
            return
        if data[3] == DATA:
            frame = int.from_bytes(data[8:16], "little")
            planned = self.counts.planned.get(frame, {}).get(node)
            if planned is not None:
                self.counts.age_used.append(self.now - planned)
        for other, port in self.network.ports.items():
            if port == output:
                stamp = self.now + self.fibres[other]
                self._push(stamp + length, "light", other, (stamp, data))

    def _done_by(self, node: int, actions: list[Action]) -> None:
        for action in actions:
            if action.kind == "light":
                at, data = action.fields["at_ps"], action.fields["data"]
                self._sent(node, at, data)
                self._push(at + self.fibres[node], "at-core", node, data)
            elif action.kind == "message":
                to, data = action.fields["to"], action.fields["data"]
                self._sent(node, self.now, data)
                if to == CORE:
                    self._push(self.now + self.fibres[node], "to-core", node, data)
                else:
                    self._beside(to, self.now + self.fibres[node], data)

    def _done_by_core(self, actions: list[Action]) -> None:
        for action in actions:
            if action.kind == "message":
                self._beside(action.fields["to"], self.now, action.fields["data"])

    def _beside(self, to: int, at_core: int, data: bytes) -> None:
        for other in range(len(self.nodes)):
            if to in (EVERYBODY, other):
                at = at_core + self.fibres[other]
                self._push(at, "beside", other, (at, data))

    def _push(self, at: int, kind: str, node: int, data: Any) -> None:
        self.order += 1
        heapq.heappush(self.events, (at, self.order, kind, node, data))

    def _sent(self, node: int, at: int, data: bytes) -> None:
        """Counts what a node says."""
        counts = self.counts
        if data[3] == DATA:
            waiting = counts.came[node, int.from_bytes(data[6:8], "little")]
            if waiting:
                counts.waits.append(at - waiting.popleft())
        elif data[3] == SIGNALLING:
            (counts.down if node == MASTER else counts.up).append(len(data))
            if node != MASTER:
                counts.sent_at[data] = at
        else:
            for name, block in decode(data, key=KEY)[1]:
                if name == "plan":
                    counts.planned[block["frame"]] = dict(counts.latest)
                    counts.ages.extend(self.now - sent for sent in counts.latest.values())

    def _heard(self, node: int, data: bytes) -> None:
        """The master hears a request: what is known of that slave now."""
        sent = self.counts.sent_at.pop(data, None)
        if node == MASTER and sent is not None:
            self.counts.latest[int.from_bytes(data[4:6], "little")] = sent


class Counts:
    """What is counted. Times are picoseconds."""

    def __init__(self) -> None:
        self.up: list[int] = []
        self.down: list[int] = []
        self.lost = 0
        self.sent_at: dict[bytes, int] = {}
        self.latest: dict[int, int] = {}
        """By slave: when the request left that the master has heard last."""
        self.planned: dict[int, dict[int, int]] = {}
        """By frame: the same when it was planned."""
        self.ages: list[int] = []
        self.age_used: list[int] = []
        self.waits: list[int] = []
        self.came: defaultdict[tuple[int, int], deque[int]] = defaultdict(deque)
