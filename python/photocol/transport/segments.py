"""What travels between the two ends of a flow, as the machines driven by hand take and give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ControlKind = Literal["syn", "syn-ack", "fin", "fin-ack"]


class Segment(NamedTuple):
    """A data segment that leaves: bytes [seq, seq + length)."""

    seq: int
    length: int
    retransmission: bool
    """Whether some of these bytes have been sent before."""


class Control(NamedTuple):
    """A packet without payload that opens or closes a connection."""

    kind: ControlKind
    ecn: bool = False
    """A SYN asks for ECN (ECE and CWR), or its answer agrees (ECE): RFC 3168."""
    timestamp: float | None = None
    """With `timestamps` when it left, in seconds on the sender's clock; an answer echoes it."""


class SegmentEcn(NamedTuple):
    """What a segment says about congestion: RFC 3168."""

    capable: bool
    """ECT: a queue may mark it instead of dropping it."""
    window_reduced: bool
    """CWR: the window has been reduced."""
    codepoint: Literal["not-ect", "ect0", "ect1"]
    """The ECN field of its IP header; "ect1" says that its law is one for low-latency queues (RFC 9331)."""


class Hop(NamedTuple):
    """What an egress port says of a data packet that it begins to send: in-band telemetry, as HPCC reads it."""

    port: int
    """Which port: the same number for the same port."""
    t: float
    """When, in seconds on the clock of the port's node."""
    queue: int
    """Bytes that wait behind the packet."""
    sent: int
    """Bytes that the port had sent before it."""
    rate: float
    """The port's rate in bits per second."""
    next_at: float | None = None
    """When the rate will change, in seconds on the same clock; None where nobody knows."""
    next_rate: float | None = None
    """The rate then, in bits per second; 0 if the port will stand still."""


class Block(NamedTuple):
    """Bytes [start, end) of a SACK or D-SACK block."""

    start: int
    end: int


@dataclass(frozen=True)
class Ack:
    """An acknowledgement that leaves."""

    ack: int
    """The next byte expected."""
    window: int
    """Advertised window in bytes from `ack`."""
    sack: list[Block]
    """Blocks in the order in which they travel; a D-SACK block comes first."""
    ece: bool = False
    """Whether it echoes a congestion mark: one that the sender has not answered, or with `ecn_feedback="dctcp"` one of
    what it covers."""
    timestamp: float | None = None
    """The timestamp that it echoes, in seconds on the sender's clock."""
    ace: int | None = None
    """With `ecn_feedback="accurate"` the number of marked packets modulo 8, from 5 on (RFC 9768)."""


def with_keys(options: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The options under the names of the scenario's keys; one that is given under both names is an error."""
    for name, key in names.items():
        if options.get(name) is not None and options.get(key) is not None:
            raise TypeError(f"{name} and {key} are one option; give one of them")
    return {names.get(name, name): value for name, value in options.items() if name not in names or value is not None}
