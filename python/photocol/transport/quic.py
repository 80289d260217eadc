"""QUIC's two ends, driven by hand: one packet and one ACK at a time, without a network.

    >>> from photocol.transport import QuicSender
    >>> sender = QuicSender("newreno", initial_window=4)
    >>> [packet.number for packet in sender.send(0.0, 4)]
    [0, 1, 2, 3]
    >>> sender.on_ack(0.1, [(3, 3)])
    []
    >>> sender.lost, sender.timer, sender.congestion_window
    ([0], ('loss', 0.1125), 2400)

Packets 1 and 2 are fewer than three behind packet 3, and lost when they are 9/8 of a round trip old (RFC 9002 §6.1).
Times `t` are seconds on an end's clock and never run backwards (ValueError). Sizes are bytes. There is one space of
packet numbers, and the handshake is confirmed. The simulator runs the same machines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, cast

from photocol import _core
from photocol._core import QuicError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.options import QuicReceiverOptions, QuicSenderOptions

__all__ = ["QuicAck", "QuicError", "QuicPacket", "QuicReceiver", "QuicSender", "ack_fields", "ack_ranges"]

Codepoint = Literal["not-ect", "ect0", "ect1", "ce"]


class QuicPacket(NamedTuple):
    """A packet that leaves; `stream`, `start` and `length` are None without data, of a datagram `stream` alone."""

    number: int
    size: int
    """Bytes of its UDP datagram."""
    stream: int | None
    start: int | None
    """The place in its stream of the first byte; of a datagram, among all bytes that were written."""
    length: int | None
    ack_eliciting: bool
    again: bool
    """Whether its bytes have left before."""
    probe: bool
    """Whether a PTO has sent it."""
    ecn: Codepoint


class QuicAck(NamedTuple):
    """An ACK frame, with the permission for more data that travels with it."""

    ranges: list[tuple[int, int]]
    """Numbers that have arrived, (lowest, highest) of each range, the highest range first."""
    delay: float
    """Seconds since the packet of the largest number arrived, as the field can say them."""
    ecn: tuple[int, int, int] | None
    """Packets that arrived with ECT(0), ECT(1) and CE; None before the first."""
    max_data: int | None
    """Bytes permitted on all streams together; None without a bound."""
    max_stream_data: list[int | None]
    """Bytes permitted on each stream that has begun."""


class QuicSender:
    """The sending end of a QUIC connection.

    `algorithm` is "newreno", which is RFC 9002 appendix B, or another window law of TCP's ("cubic", "bbr3", "copa", …)
    that no router tells; "quic-newreno" and its kin are names of the same. `options` are those of
    `photocol.options.QuicSenderOptions` and of the law. An option that is None is not given.
    Raises ValueError for an unknown algorithm or a value that cannot work; TypeError for an option that there is not.

    Each call returns the packets that leave, and does what its own event does: a timer that is overdue is served by
    `on_timer` and by no other call. `acked`, `lost`, `spurious` and `is_persistent` tell what the last call has found.
    The properties have the names of RFC 9002, appendices A.3 and B.2.
    """

    def __init__(self, algorithm: str = "newreno", **options: Unpack[QuicSenderOptions]) -> None:
        self._machine = _core.QuicSender(algorithm, **options)

    def write(self, size: int, *, t: float | None = None, stream: int | None = None) -> list[QuicPacket]:
        """The application writes `size` bytes at `t` seconds (by default the time of the last call).

        They are spread over all streams, or go to one. What window, peer and pacing permit leaves at once.
        """
        return _packets(self._machine.write(size, t, stream))

    def send(
        self, t: float, n: int = 1, *, kind: Literal["data", "padding", "ack"] = "data", size: int | None = None
    ) -> list[QuicPacket]:
        """Exactly `n` packets leave at `t` seconds, past window and pacing, without bytes of a stream.

        "data" asks for an ACK and is in flight; "padding" is in flight and asks for none; "ack" is neither. `size` is
        by default `max_datagram_size`.
        """
        return _packets(self._machine.send(t, n, kind, size))

    def skip(self, n: int = 1) -> None:
        """The next `n` packet numbers are never used; an ACK that names one is an error (RFC 9000 §21.4)."""
        self._machine.skip(n)

    def on_ack(
        self,
        t: float,
        ranges: Sequence[tuple[int, int]],
        *,
        delay: float = 0.0,
        ecn: tuple[int, int, int] | None = None,
        max_data: int | None = None,
        max_stream_data: Sequence[int | None] = (),
    ) -> list[QuicPacket]:
        """An ACK arrives at `t` seconds.

        `ranges` are (lowest, highest) numbers, the highest range first. `delay` is what its field says, in seconds.
        `ecn` counts packets that arrived with ECT(0), ECT(1) and CE. `max_data` and `max_stream_data` permit so many
        bytes on all streams and on each. Raises QuicError with the error's name in RFC 9000: FRAME_ENCODING_ERROR for
        ranges that cannot be, PROTOCOL_VIOLATION for packets that were never sent.
        """
        said = (list(ranges), delay, ecn, max_data, list(max_stream_data))
        return _packets(self._machine.on_ack(t, said))

    def on_timer(self, t: float) -> list[QuicPacket]:
        """The clock reaches `t` seconds: serves the timers that are due, if any, each once."""
        return _packets(self._machine.on_timer(t))

    def stop(self) -> None:
        """The application writes no more: what was never sent is forgotten."""
        self._machine.stop()

    @property
    def acked(self) -> list[int]:
        """Packets that the last call newly acknowledged."""
        return self._machine.news[0]

    @property
    def lost(self) -> list[int]:
        """Packets that the last call found lost."""
        return self._machine.news[1]

    @property
    def spurious(self) -> list[int]:
        """Packets that the last call acknowledged although they had been found lost before."""
        return self._machine.news[2]

    @property
    def is_persistent(self) -> bool:
        """Whether the losses of the last call were persistent congestion (RFC 9002 §7.6)."""
        return self._machine.news[3]

    @property
    def timer(self) -> tuple[Literal["loss", "pto"], float] | None:
        """loss_detection_timer: its kind, and when it is due in seconds; None while it does not run."""
        return cast("tuple[Literal['loss', 'pto'], float] | None", self._machine.loss_detection_timer)

    @property
    def loss_detection_timer(self) -> float | None:
        """When `timer` is due, in seconds."""
        timer = self.timer
        return timer[1] if timer else None

    @property
    def max_ack_delay(self) -> float | None:
        """The peer delays its ACKs by so many seconds at most."""
        return self._reading("max_ack_delay")

    @property
    def timers(self) -> dict[str, float]:
        """The timers that run ("loss" or "pto", and "pacing"), each with the time in seconds when it is due."""
        return dict(self._machine.timers)

    @property
    def next_timer(self) -> float | None:
        """When `on_timer` wants to be called next, in seconds; None when no timer runs."""
        return self._machine.next_timer

    @property
    def latest_rtt(self) -> float | None:
        """The newest sample in seconds; None before the first."""
        return self._reading("latest_rtt")

    @property
    def smoothed_rtt(self) -> float:
        """The smoothed round trip in seconds; kInitialRtt before the first sample."""
        return cast("float", self._reading("smoothed_rtt"))

    @property
    def rttvar(self) -> float:
        """The variation of the round trip in seconds; half of kInitialRtt before the first sample."""
        return cast("float", self._reading("rttvar"))

    @property
    def min_rtt(self) -> float | None:
        """The shortest round trip in seconds; None before the first sample."""
        return self._reading("min_rtt")

    @property
    def first_rtt_sample(self) -> float | None:
        """When the first sample was taken, in seconds."""
        return self._reading("first_rtt_sample")

    @property
    def pto_count(self) -> int:
        """PTOs since the last ACK of something new."""
        return self._count("pto_count")

    @property
    def time_of_last_ack_eliciting_packet(self) -> float | None:
        """When the last packet left that asks for an ACK, in seconds."""
        return self._reading("time_of_last_ack_eliciting_packet")

    @property
    def largest_acked_packet(self) -> int | None:
        """The largest number that was acknowledged; None before the first."""
        return cast("int | None", self._machine.reading("largest_acked_packet"))

    @property
    def loss_time(self) -> float | None:
        """When the next packet is lost for its age, in seconds; None if none waits."""
        return self._reading("loss_time")

    @property
    def sent_packets(self) -> list[int]:
        """Numbers of packets that are neither acknowledged nor lost."""
        return self._machine.sent_packets

    @property
    def ecn_ce_counters(self) -> int:
        """The peer's count of CE, as the last ACK had it that was validated."""
        return self._count("ecn_ce_counters")

    @property
    def bytes_in_flight(self) -> int:
        """Bytes of packets that are in flight."""
        return self._count("bytes_in_flight")

    @property
    def congestion_window(self) -> int:
        """Cwnd in bytes."""
        return self._count("congestion_window")

    @property
    def congestion_recovery_start_time(self) -> float | None:
        """When the window was last cut, in seconds; None before that, and after persistent congestion."""
        return self._reading("congestion_recovery_start_time")

    @property
    def ssthresh(self) -> float:
        """The slow-start threshold in bytes; infinite before the first cut."""
        bytes_ = self._reading("ssthresh")
        return float("inf") if bytes_ is None else bytes_

    @property
    def max_datagram_size(self) -> int:
        """Bytes of a full packet."""
        return self._count("max_datagram_size")

    @property
    def next_number(self) -> int:
        """The number of the next packet."""
        return self._count("next_number")

    @property
    def bytes_acked(self) -> int:
        """Bytes of streams and datagrams that were acknowledged, each once."""
        return self._count("bytes_acked")

    @property
    def bytes_dropped(self) -> int:
        """Bytes of datagrams that were never sent, since more than `datagram_queue` waited."""
        return self._count("bytes_dropped")

    @property
    def bytes_lost(self) -> int:
        """Bytes of packets that were found lost."""
        return self._count("bytes_lost")

    @property
    def packet_threshold(self) -> int:
        """kPacketThreshold, or what `threshold_rule` "adaptive" has made of it."""
        return self._count("packet_threshold")

    @property
    def time_threshold(self) -> float:
        """kTimeThreshold, or what `threshold_rule` "adaptive" has made of it."""
        return cast("float", self._reading("time_threshold"))

    @property
    def pacing_rate(self) -> float:
        """The rate in bits per second at which packets leave if they are paced."""
        return cast("float", self._reading("pacing_rate"))

    @property
    def is_complete(self) -> bool:
        """Whether all that was written has been acknowledged."""
        return self._machine.is_complete

    @property
    def uses_ecn(self) -> bool:
        """Whether packets are sent as capable of ECN; a failed validation ends that (RFC 9000 §13.4.2)."""
        return self._machine.uses_ecn

    @property
    def counters(self) -> dict[str, int]:
        """Counts so far: packets_sent, retransmissions, ptos, loss_events, mark_events, persistent_congestions."""
        return self._machine.counters

    @property
    def figures(self) -> dict[str, float]:
        """The figures that the law keeps besides the window and knows, by name."""
        return dict(self._machine.figures)

    def _reading(self, name: str) -> float | None:
        return cast("float | None", self._machine.reading(name))

    def _count(self, name: str) -> int:
        return cast("int", self._machine.reading(name))


class QuicReceiver:
    """The receiving end of a QUIC connection; the application reads in-order data at once.

    `options` are those of `photocol.options.QuicReceiverOptions`.
    """

    def __init__(self, **options: Unpack[QuicReceiverOptions]) -> None:
        self._machine = _core.QuicReceiver(**options)

    def on_packet(
        self,
        t: float,
        number: int,
        *,
        ack_eliciting: bool = True,
        ecn: Codepoint | None = None,
        data: tuple[int | None, int, int] | None = None,
    ) -> QuicAck | None:
        """A packet arrives at `t` seconds: its ACK, if one leaves at once.

        `data` is (stream, place of the first byte, bytes), with None for the stream of a datagram. Raises QuicError
        with the error's name in RFC 9000: FLOW_CONTROL_ERROR, STREAM_LIMIT_ERROR, and others for numbers of 2^62 and
        more.
        """
        return _ack(self._machine.on_packet(t, number, ack_eliciting, ecn, data))

    def on_timer(self, t: float) -> QuicAck | None:
        """The clock reaches `t` seconds: the delayed ACK if it is due."""
        return _ack(self._machine.on_timer(t))

    def ack(self, t: float) -> QuicAck | None:
        """An ACK that leaves at `t` seconds with data of this end's own; None before the first packet."""
        return _ack(self._machine.ack(t))

    @property
    def next_timer(self) -> float | None:
        """When `on_timer` wants to be called next, in seconds; None when no ACK waits."""
        return self._machine.next_timer

    @property
    def bytes_read(self) -> int:
        """Bytes read: on all streams, of each from its first on, and of datagrams."""
        return self._machine.bytes_read

    @property
    def bytes_arrived(self) -> int:
        """Bytes that have arrived, each once."""
        return self._machine.bytes_arrived

    @property
    def duplicates(self) -> int:
        """Packets that came twice, or whose numbers are not taken any more."""
        return self._machine.duplicates


def ack_ranges(largest: int, first: int, more: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """The ranges that the fields of an ACK frame say (RFC 9000 §19.3.1).

    `largest` is Largest Acknowledged, `first` First ACK Range, `more` pairs of Gap and ACK Range Length. Raises
    QuicError (FRAME_ENCODING_ERROR) where a number would be negative.

        >>> ack_ranges(10, 2, [(1, 0), (1, 2)])
        [(8, 10), (5, 5), (0, 2)]
    """
    return _core.quic_ack_ranges(largest, first, list(more))


def ack_fields(ranges: Sequence[tuple[int, int]]) -> tuple[int, int, list[tuple[int, int]]]:
    """The fields of `ack_ranges` for these ranges."""
    return _core.quic_ack_fields(list(ranges))


def _packets(raw: list[Any]) -> list[QuicPacket]:
    return [QuicPacket(*packet) for packet in raw]


def _ack(raw: tuple[Any, ...] | None) -> QuicAck | None:
    return None if raw is None else QuicAck(*raw)
