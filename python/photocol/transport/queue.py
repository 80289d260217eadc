"""Queue disciplines, driven by hand: packets go in and come out when the caller says so.

    >>> from photocol.queue import Queue
    >>> queue = Queue("codel", target=0.005, interval=0.1)
    >>> for number in range(400):                          # a packet every 0.5 ms comes, one a millisecond leaves
    ...     dropped = queue.enqueue(0.0005 * number, flow=1, size=1500, ecn="ect0")
    ...     if number % 2:
    ...         packet = queue.dequeue(0.0005 * number)
    ...         if packet.marked:
    ...             print(f"{1000 * packet.arrived_s:.1f} ms: packet {packet.number} is marked")
    54.5 ms: packet 109 is marked
    >>> queue.packets, queue.bytes, queue.figures["count"]
    (200, 300000, 1.0)

Times are seconds and never run backwards (ValueError), sizes bytes; buffers and thresholds are text such as
"20 packets", "30 kB" or "5 ms" (of `capacity`). A queue holds what waits: what is being transmitted has left it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack

from photocol import _core

if TYPE_CHECKING:
    from photocol.options import QueueOptions

__all__ = ["Ecn", "Packet", "Queue", "disciplines"]

Ecn = Literal["not-ect", "ect0", "ect1", "ce"]
"""What a packet says of congestion (RFC 3168, RFC 9331)."""


class Packet(NamedTuple):
    """A packet that has left a queue, or was dropped by it."""

    number: int
    """The how many-th that came, from 0."""
    flow: int
    """Its flow."""
    size: int
    """Bytes."""
    ecn: Ecn
    """What it says of congestion now; "ce" if the queue marked it."""
    priority: int
    """Its band."""
    arrived_s: float
    """When it came, in seconds."""
    dropped: Literal["", "early", "congestion"] = ""
    """Why it was dropped: to tell its sender ("early") or for want of room ("congestion"); "" if it left."""

    @property
    def marked(self) -> bool:
        """Whether it says that there was congestion."""
        return self.ecn == "ce"


class Queue:
    """A queue with a discipline: "drop-tail", "red", "codel" … (`disciplines()` has them all).

    `buffer` is how much may wait, `capacity` the rate by which times in it and in thresholds are bytes, and by which
    RED knows how long it was idle; ABC, which shares out what the link carries, may be told of another one later.
    `seed` is for disciplines that draw lots. `options` are those of `photocol.options.QueueOptions`.
    """

    def __init__(
        self,
        discipline: str = "drop-tail",
        *,
        buffer: str = "unlimited",
        capacity: float | str = "10 Mbps",
        seed: int = 1,
        **options: Unpack[QueueOptions],
    ) -> None:
        self._machine = _core.Queue(discipline, buffer, capacity, seed, **options)
        self._dropped: list[Packet] = []
        self._capacity = capacity

    def enqueue(self, t: float, flow: int, size: int, *, ecn: Ecn = "not-ect", priority: int = 0) -> list[Packet]:
        """A packet of `size` bytes comes at `t`; return the packets that are dropped for it, perhaps itself."""
        self._dropped = [Packet(*raw) for raw in self._machine.enqueue(t, flow, size, ecn, priority)]
        return self._dropped

    def dequeue(self, t: float) -> Packet | None:
        """The transmitter is free at `t`; return the packet that it sends, None if nothing waits. See `dropped`."""
        packet, dropped = self._machine.dequeue(t)
        self._dropped = [Packet(*raw) for raw in dropped]
        return None if packet is None else Packet(*packet)

    @property
    def capacity(self) -> float | str:
        """What the link carries, as it was given; may be set, for disciplines that reckon with the rate of now."""
        return self._capacity

    @capacity.setter
    def capacity(self, capacity: float | str) -> None:
        self._machine.set_capacity(capacity)
        self._capacity = capacity

    @property
    def dropped(self) -> list[Packet]:
        """What the last call dropped."""
        return self._dropped

    @property
    def packets(self) -> int:
        """How many wait."""
        return self._machine.held[0]

    @property
    def bytes(self) -> int:
        """The bytes of those that wait."""
        return self._machine.held[1]

    @property
    def figures(self) -> dict[str, float]:
        """What the discipline knows of congestion after the last call: a probability, an averaged queue, a state."""
        return dict(self._machine.figures)


def disciplines() -> list[str]:
    """Return the names of all disciplines."""
    return [name for name, _, _ in _core.catalogue("queues")]
