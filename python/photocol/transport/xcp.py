"""XCP, driven by hand: the congestion header, a router's controller, the receiver's part.

The sender is TCP's with the algorithm "xcp"; `header` is what its segments carry and `feedback` what an ACK brings.

    >>> from photocol.transport import Sender
    >>> from photocol.xcp import Receiver, Router
    >>> router, receiver = Router("10 Mbps"), Receiver()
    >>> sender = Sender("xcp", mss=1000, initial_window=2)
    >>> sent = sender.write(1000)
    >>> for rtt in range(1, 4):                                # round trips of 0.1 s
    ...     for segment in sent:
    ...         receiver.on_header(router.on_packet(0.1 * rtt - 0.05, sender.header, segment.length + 60))
    ...     router.on_timer(0.1 * rtt - 0.04)
    ...     feedback = receiver.acknowledge().reverse_feedback
    ...     sent = sender.on_ack(0.1 * rtt, sent[-1].seq + sent[-1].length, feedback=feedback)
    >>> sender.cwnd > 30_000, router.figures.feedback > 0
    (True, True)

Times are seconds and never run backwards (ValueError), sizes bytes, capacities bits per second or text such as
"45 Mbps"; what headers and pools hold is bytes per second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from photocol import _core

if TYPE_CHECKING:
    from photocol.options import RouterOptions

__all__ = ["Figures", "Header", "Receiver", "Router"]

TCP = 6


class Header(NamedTuple):
    """A congestion header, 20 bytes on the wire. Times have steps of 2^-28 s and end below 16 s."""

    rtt: float
    """The sender's smoothed round-trip time in seconds; 0 while it has none."""
    x: float
    """Seconds between two packets of the flow."""
    delta_throughput: int = 2**31 - 1
    """The change the sender wants, cut by routers, in bytes per second."""
    reverse_feedback: int = 0
    """The change that reached the receiver, in bytes per second."""
    protocol: int = TCP
    """The protocol behind the header."""
    minimal: bool = False
    """Whether only `reverse_feedback` means something: an ACK."""

    def encode(self) -> bytes:
        """Return the bytes on the wire; ValueError or OverflowError for a value that no field holds."""
        return bytes(_core.xcp_encode(self))

    @staticmethod
    def decode(data: bytes) -> Header:
        """Return the header at the front of `data`; ValueError with the reason if there is none."""
        return Header(*_core.xcp_decode(data))


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a router found in a control interval and decided at its end. Rates are bytes per second."""

    end_s: float
    """When the interval ended."""
    interval_s: float
    """How long it was."""
    capacity_bps: int
    """The capacity that the decision is based on, in bits per second."""
    input_bytes: int
    """Bytes that arrived, of all packets."""
    mean_rtt_s: float
    """Mean RTT of the flows, each counted once."""
    queue_bytes: int
    """The persistent queue."""
    feedback: float
    """F, the change of the aggregate."""
    shuffled: float
    """h, what is taken from all flows and given back."""
    unspent_positive: float
    """What the interval that ended did not give away."""
    unspent_negative: float
    """What it did not take."""


class Router:
    """XCP's controller of one output.

    `capacity` is what the router believes the output carries, in bits per second or as text; it can be set later.
    `options` are those of `photocol.options.RouterOptions`, of which `weights` may be the first: alpha, beta and gamma.
    """

    def __init__(self, capacity: float | str, *weights: float, **options: Unpack[RouterOptions]) -> None:
        named = dict(zip(("alpha", "beta", "gamma"), weights, strict=False))
        self._machine = _core.XcpRouter(capacity, **named, **options)

    def on_packet(
        self, t: float, header: Header | None, size: int, *, queue: int = 0, dropped: bool = False
    ) -> Header | None:
        """A packet of `size` bytes arrives at `t` and finds `queue` bytes waiting; returns its header as it leaves.

        None as header is a packet without one; None is returned for it, and for one that is `dropped`.
        """
        leaves = self._machine.on_packet(t, header, size, queue, dropped)
        return None if leaves is None else Header(*leaves)

    def on_timer(self, t: float, *, queue: int = 0) -> None:
        """The clock reaches `t` with `queue` bytes waiting: decides if a control interval is over."""
        self._machine.on_timer(t, queue)

    @property
    def next_timer(self) -> float:
        """When `on_timer` wants to be called next, in seconds."""
        return self._machine.next_timer

    @property
    def capacity(self) -> int:
        """Bits per second that the output is believed to carry; may be set, in effect from the next decision on."""
        return self._machine.capacity

    @capacity.setter
    def capacity(self, capacity: float | str) -> None:
        self._machine.set_capacity(capacity)

    @property
    def figures(self) -> Figures | None:
        """What the last control interval found and decided; None before the first has ended."""
        raw = self._machine.figures
        return None if raw is None else Figures(**_without_units(raw))

    @property
    def violations(self) -> int:
        """Packets with a header that cannot be; they were treated as the nearest one that can."""
        return self._machine.violations


class Receiver:
    """The feedback of one flow that waits for its next ACK."""

    def __init__(self) -> None:
        self._machine = _core.XcpReceiver()

    def on_header(self, header: Header | None) -> None:
        """A data segment arrives with `header` (None: it carries none)."""
        if header is not None:
            self._machine.on_header(header)

    def acknowledge(self) -> Header:
        """Return the header of the ACK that leaves now: the sum of what has arrived since the last one."""
        return Header(*self._machine.acknowledge())


def _without_units(raw: dict[str, float]) -> dict[str, Any]:
    return {name.removesuffix("_byte_rate"): value for name, value in raw.items()}
