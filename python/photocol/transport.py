"""TCP's two ends, driven by hand: one input at a time, without a network.

    >>> from photocol.transport import Sender
    >>> sender = Sender("newreno", mss=1000, initial_cwnd=2)
    >>> [segment.seq for segment in sender.write(10)]
    [0, 1000]
    >>> [segment.seq for segment in sender.on_ack(0.1, 1000)]
    [2000, 3000]
    >>> sender.cwnd_segments, sender.phase
    (3.0, 'slow_start')

Times `t` are seconds on the end host's clock and never run backwards (ValueError). Sequence numbers are byte offsets
in the flow, from 0, and never wrap. Sizes and windows are bytes of payload. The simulator runs the same machines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from photocol import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.xcp import Header

__all__ = ["Ack", "Block", "Phase", "Receiver", "Segment", "Sender"]

Phase = Literal["slow_start", "congestion_avoidance", "fast_recovery"]


class Segment(NamedTuple):
    """A data segment that leaves: bytes [seq, seq + length)."""

    seq: int
    length: int
    retransmission: bool
    """Whether some of these bytes have been sent before."""


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


class Sender:
    """The sending end of one TCP flow.

    `algorithm` is one of `photocol list transports` ("reno", "newreno", "sack", "highspeed", "xcp", "gaimd", "baimd",
    "btcp", "tcp-eng", "cubic"); `paced` makes it send one segment every SRTT/cwnd. What is not given has the default of
    the scenario language, except `min_rto`: 1 s here, as RFC 6298 says; 0.2 s in a scenario, as in ns-2 and Linux,
    because runs are compared with those and 1 s would rule them where round trips are milliseconds. Raises
    ValueError for an unknown algorithm or a value that cannot work.

    Arguments:
        mss: payload bytes of a full-sized segment.
        initial_cwnd: segments, or "rfc3390" (2 to 4 segments) or "rfc6928" (up to 10 segments).
        initial_ssthresh: bytes; by default arbitrarily high.
        max_cwnd: upper bound of the congestion window in bytes; by default none.
        initial_peer_window: the peer's advertised window in bytes before its first ACK.
        dupthresh: duplicate ACKs, or SACKed segments above a hole, that show a loss.
        min_rto, max_rto, initial_rto: the retransmission timeout's bounds and first value in seconds; by default 1, 60
            and 1 (RFC 6298).
        clock_granularity: G of RFC 6298 in seconds, the least of 4 RTTVAR; by default 1 ms.
        increase: congestion avoidance of "reno", "newreno" and "sack": "byte-counting" (by default) or "per-ack" (as in
            ns-2).
        fast_retransmit_guard: with recovery "reno" and "newreno", after what a further fast retransmit is refused until
            all that had been sent then is acknowledged: "timeout" (Reno's default) or "recovery" (a timeout or a fast
            retransmit: NewReno's default, RFC 6582, and ns-2's bugFix_).
        partial_ack_timer: with recovery "newreno", which partial ACKs restart the timer: "impatient", the first (by
            default), or "slow-but-steady", each (RFC 6582 §4).
        sack_after_timeout: what a timeout does to SACK information: "discard" (by default, RFC 2018 §8) or "keep"
            (RFC 6675 §5.1).
        limited_transmit: new segments on the first duplicate ACKs (RFC 3042).
        rescue_retransmission: the rescue of RFC 6675.
        idle_restart: cwnd falls back to the initial window after an idle RTO (RFC 5681 §4.1).
        recovery: how losses are repaired: "reno", "newreno" or "sack"; by default the algorithm's own way.
        loss: with "xcp", what a loss does to the window: "tcp" (as TCP's) or "repair-only" (only timeouts count).
        duplicate_acks: with "xcp", whether feedback counts that comes with an ACK of nothing new: "obey" (as ns-2's
            full TCP) or "ignore" (as its one-way Reno).
        beta: with "gaimd", "baimd" and "tcp-eng", the share of the window that is kept at a loss.
        alpha: the segments by which their window grows in a round trip; by default from `beta` by `relation`.
        relation: "triple-duplicate", 3(1 - beta)/(1 + beta), or "timeout", 4(1 - beta^2)/3.
        alpha_applies: with "tcp-eng", when `alpha` holds and not 1: "ben-only" (in the round after a notification),
            "large-window" (then, and always from 1/(1 - beta) segments on) or "ben-period" (from it to the next loss).
        congestion_beta: with "tcp-eng", the share that is kept at a loss without a notification.
        detector: with "btcp", how a false timeout is told: "ble", "back" or "bnak".
    """

    def __init__(
        self,
        algorithm: str,
        *,
        paced: bool = False,
        mss: int = 1460,
        initial_cwnd: int | Literal["rfc3390", "rfc6928"] | None = None,
        initial_ssthresh: int | None = None,
        max_cwnd: int | None = None,
        initial_peer_window: int | None = None,
        dupthresh: int = 3,
        min_rto: float | None = None,
        max_rto: float | None = None,
        initial_rto: float | None = None,
        clock_granularity: float | None = None,
        increase: Literal["byte-counting", "per-ack"] | None = None,
        fast_retransmit_guard: Literal["timeout", "recovery"] | None = None,
        partial_ack_timer: Literal["impatient", "slow-but-steady"] | None = None,
        sack_after_timeout: Literal["discard", "keep"] | None = None,
        limited_transmit: bool | None = None,
        rescue_retransmission: bool | None = None,
        idle_restart: bool | None = None,
        recovery: Literal["reno", "newreno", "sack"] | None = None,
        loss: Literal["tcp", "repair-only"] | None = None,
        duplicate_acks: Literal["obey", "ignore"] | None = None,
        beta: float | None = None,
        alpha: float | None = None,
        relation: Literal["triple-duplicate", "timeout"] | None = None,
        alpha_applies: Literal["ben-only", "large-window", "ben-period"] | None = None,
        congestion_beta: float | None = None,
        detector: Literal["ble", "back", "bnak"] | None = None,
    ) -> None:
        self._machine = _core.Sender(
            algorithm,
            paced=paced,
            mss=mss,
            initial_cwnd=initial_cwnd,
            initial_ssthresh=initial_ssthresh,
            max_cwnd=max_cwnd,
            initial_peer_window=initial_peer_window,
            dupthresh=dupthresh,
            min_rto=min_rto,
            max_rto=max_rto,
            initial_rto=initial_rto,
            clock_granularity=clock_granularity,
            increase=increase,
            fast_retransmit_guard=fast_retransmit_guard,
            partial_ack_timer=partial_ack_timer,
            sack_after_timeout=sack_after_timeout,
            limited_transmit=limited_transmit,
            rescue_retransmission=rescue_retransmission,
            idle_restart=idle_restart,
            recovery=recovery,
            loss=loss,
            duplicate_acks=duplicate_acks,
            beta=beta,
            alpha=alpha,
            relation=relation,
            alpha_applies=alpha_applies,
            congestion_beta=congestion_beta,
            detector=detector,
        )

    def write(self, n_segments: int, *, t: float | None = None) -> list[Segment]:
        """The application writes `n_segments` full segments at `t` seconds (by default the time of the last call)."""
        return _segments(self._machine.write(n_segments, t))

    def on_ack(
        self,
        t: float,
        ack: int,
        sack: Sequence[tuple[int, int]] = (),
        window: int | None = None,
        *,
        feedback: int = 0,
    ) -> list[Segment]:
        """An ACK of every byte before `ack` arrives at `t` seconds.

        `sack` lists blocks (start, end) in bytes as they travel, a D-SACK block first. `window` is the advertised
        window in bytes; without it the former one stands. An ACK of what was never sent is ignored. `feedback` is the
        change of throughput that the ACK's congestion header brings, in bytes per second; only "xcp" reads it.
        """
        return _segments(self._machine.on_ack(t, ack, list(sack), window, feedback))

    def on_burst_report(
        self, t: float, report: Literal["assembled", "lost", "contention"], segments: Sequence[tuple[int, int]]
    ) -> list[Segment]:
        """An edge node of a network that switches bursts tells of one with these `segments` (start, end) in bytes.

        "contention": it was dropped although its path is not congested (the BEN that "tcp-eng" listens to); "lost": it
        was dropped ("btcp" with detector "bnak"); "assembled": it is on its way ("btcp" with "back"). Others ignore it.
        """
        return _segments(self._machine.on_burst_report(t, report, list(segments)))

    def on_timer(self, t: float) -> list[Segment]:
        """The clock reaches `t` seconds: expires the retransmission or pacing timer if it is due, else does nothing."""
        return _segments(self._machine.on_timer(t))

    @property
    def header(self) -> Header | None:
        """The congestion header of what the last call sent; None unless the algorithm is "xcp"."""
        from photocol.xcp import Header

        raw = self._machine.header
        return None if raw is None else Header(*raw)

    @property
    def next_timer(self) -> float | None:
        """When `on_timer` wants to be called next, in seconds; None when no timer runs."""
        return self._machine.next_timer

    @property
    def mss(self) -> int:
        """Payload bytes of a full-sized segment."""
        return self._machine.mss

    @property
    def cwnd(self) -> int:
        """Congestion window in bytes."""
        return self._machine.cwnd

    @property
    def cwnd_segments(self) -> float:
        """Congestion window in full-sized segments."""
        return self._machine.cwnd / self._machine.mss

    @property
    def ssthresh(self) -> float:
        """Slow-start threshold in bytes; infinite until a loss or `initial_ssthresh` sets it."""
        bytes_ = self._machine.ssthresh
        return float("inf") if bytes_ is None else bytes_

    @property
    def pipe(self) -> int:
        """Estimate of the bytes in the network (RFC 6675)."""
        return self._machine.pipe

    @property
    def flight_size(self) -> int:
        """Bytes sent and not cumulatively acknowledged."""
        return self._machine.flight_size

    @property
    def bytes_acked(self) -> int:
        """Bytes cumulatively acknowledged."""
        return self._machine.bytes_acked

    @property
    def dupthresh(self) -> int:
        """Duplicate ACKs that show a loss."""
        return self._machine.dupthresh

    @property
    def phase(self) -> Phase:
        """What the sender is doing."""
        return cast("Phase", self._machine.phase)

    @property
    def rto(self) -> float:
        """Retransmission timeout in seconds, backed off if it is."""
        return self._machine.rto

    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time in seconds, None before the first sample."""
        return self._machine.srtt

    @property
    def counters(self) -> dict[str, int]:
        """Segments sent, retransmissions, fast retransmits, timeouts and the false ones, as in the table `flows`."""
        return self._machine.counters

    def __repr__(self) -> str:
        threshold = self.ssthresh if self.ssthresh == float("inf") else int(self.ssthresh)
        return f"<Sender {self.phase}, cwnd {self.cwnd} B, ssthresh {threshold} B, pipe {self.pipe} B>"


class Receiver:
    """The receiving end of one TCP flow; the application takes in-order data at once.

    Arguments:
        delayed_ack: None: every segment is acknowledged at once; seconds (at most 0.5): every second full-sized
            segment, or after that time (RFC 5681 §4.2).
        mss: payload bytes of a full-sized segment.
        sack: whether ACKs carry SACK blocks (RFC 2018).
        dsack: whether duplicates are reported in a first block (RFC 2883).
        window: the advertised window in bytes.
    """

    def __init__(
        self,
        *,
        delayed_ack: float | None = None,
        mss: int = 1460,
        sack: bool = True,
        dsack: bool = True,
        window: int | None = None,
    ) -> None:
        self._machine = _core.Receiver(delayed_ack=delayed_ack, mss=mss, sack=sack, dsack=dsack, window=window)

    def on_segment(self, t: float, seq: int, length: int) -> Ack | None:
        """Bytes [seq, seq + length) arrive at `t` seconds; None while the acknowledgement is delayed."""
        return _ack(self._machine.on_segment(t, seq, length))

    def on_timer(self, t: float) -> Ack | None:
        """The clock reaches `t` seconds: the delayed acknowledgement if it is due."""
        return _ack(self._machine.on_timer(t))

    @property
    def next_timer(self) -> float | None:
        """When `on_timer` wants to be called next, in seconds; None when no acknowledgement waits."""
        return self._machine.next_timer

    @property
    def bytes_received(self) -> int:
        """Bytes delivered in order to the application."""
        return self._machine.bytes_received

    @property
    def duplicates(self) -> int:
        """Segments all of whose bytes had arrived before."""
        return self._machine.duplicates


def _segments(raw: list[tuple[int, int, bool]]) -> list[Segment]:
    return [Segment(*one) for one in raw]


def _ack(raw: tuple[int, int, list[tuple[int, int]]] | None) -> Ack | None:
    if raw is None:
        return None
    ack, window, blocks = raw
    return Ack(ack, window, [Block(*block) for block in blocks])
