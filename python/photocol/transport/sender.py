"""TCP's two ends, driven by hand: one input at a time, without a network.

    >>> from photocol.transport import Sender
    >>> sender = Sender("newreno", mss=1000, initial_window=2)
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

from typing import TYPE_CHECKING, Literal, NamedTuple, Unpack, cast

from photocol import _core
from photocol.transport.segments import Control, Segment, SegmentEcn, with_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.options import SenderOptions
    from photocol.transport.segments import ControlKind, Hop
    from photocol.transport.xcp import Header

    class SenderNames(SenderOptions, total=False):
        """The options, some of them under the names of the machine as well."""

        initial_cwnd: int | Literal["rfc3390", "rfc6928"]
        max_cwnd: int
        initial_peer_window: int
        loss: Literal["tcp", "repair-only"]


__all__ = ["Connection", "Phase", "Sender", "Timer"]

_SENDER_NAMES = {
    "initial_cwnd": "initial_window",
    "max_cwnd": "max_window",
    "initial_peer_window": "receiver_window",
    "loss": "loss_reaction",
}

Phase = Literal["slow_start", "congestion_avoidance", "fast_recovery"]
Timer = Literal["rto", "rack", "tlp", "pacing", "td-fr", "marks", "control"]


class _Acknowledgement(NamedTuple):
    """What an ACK brings to a sender."""

    ack: int
    sack: list[tuple[int, int]]
    window: int | None
    feedback: int
    ece: bool
    ace: int | None
    timestamp: float | None
    telemetry: list[Hop]
    offered: float | None


class Sender:
    """The sending end of one TCP flow.

    `algorithm` is one of `photocol list transports` ("reno", "cubic", "xcp", …), or a class under `@photocol.law`
    (`photocol.laws`); `options` are those of
    `photocol.options.SenderOptions`, which are the keys of `[transport.NAME]` in a scenario, with the same defaults.
    Only `min_rto` differs: 1 s here, as RFC 6298 says; 0.2 s in a scenario, as in ns-2 and Linux, because runs are
    compared with those and 1 s would rule them where round trips are milliseconds. An option that is None is not given.
    Raises ValueError for an unknown algorithm, an option that it does not have, or a value that cannot work; TypeError
    for an option that there is not. `initial_cwnd`, `max_cwnd`, `initial_peer_window` and `loss` are other names of
    `initial_window`, `max_window`, `receiver_window` and `loss_reaction`.

    `line_rate`, in bits per second, and `wire_header`, the bytes of a segment besides its payload, are what its host
    knows: "theta-powertcp" sends no more in a round trip than the host's link, and to laws that ports tell of bytes on
    the wire ("hpcc", "powertcp", "rcp") a window is the payload of so many.
    """

    def __init__(
        self,
        algorithm: str | type,
        *,
        line_rate: float | None = None,
        wire_header: int = 0,
        **options: Unpack[SenderNames],
    ) -> None:
        if not isinstance(self, Connection) and (options.get("handshake") or options.get("teardown")):
            raise ValueError("handshake and teardown are for a Connection, which a Sender is a part of")
        given = with_keys(dict(options), _SENDER_NAMES)
        if not isinstance(self, Connection):
            given["handshake"] = given["teardown"] = False
        self._machine = _core.Sender(algorithm, **given)
        self._machine.tell_host(line_rate, wire_header)

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
        ece: bool = False,
        ace: int | None = None,
        timestamp: float | None = None,
        telemetry: Sequence[Hop] = (),
        offered: float | None = None,
    ) -> list[Segment]:
        """An ACK of every byte before `ack` arrives at `t` seconds.

        `sack` lists blocks (start, end) in bytes as they travel, a D-SACK block first. `window` is the advertised
        window in bytes; without it the former one stands. An ACK of what was never sent is ignored. `feedback` is the
        change of throughput that the ACK's congestion header brings, in bytes per second; only "xcp" reads it. `ece`:
        the ACK echoes a congestion mark (RFC 3168), which needs a sender with `ecn=True`; to laws that count marks
        ("dctcp", "prague") all that it newly covers was marked. `ace`: the three bits in which it counts marked packets
        (RFC 9768), from 5 on, for a sender with `ecn_feedback="accurate"`.
        `timestamp`: the timestamp that the ACK echoes, in seconds on this end's clock; `timestamps` and
        `undo` "eifel" read it.
        `telemetry`: what each port of the way measured of the newest data packet that has arrived, in the order of the
        way, at most eight; "hpcc" and "powertcp" read it. `offered`: the rate in bits per second that RCP's ports say;
        "rcp" reads it.
        """
        told = (list(telemetry), offered)
        acknowledgement = _Acknowledgement(ack, list(sack), window, feedback, ece, ace, timestamp, *told)
        return _segments(self._machine.on_ack(t, acknowledgement))

    def on_burst_report(
        self, t: float, report: Literal["assembled", "lost", "contention"], segments: Sequence[tuple[int, int]]
    ) -> list[Segment]:
        """An edge node of a network that switches bursts tells of one with these `segments` (start, end) in bytes.

        "contention": it was dropped although its path is not congested (the BEN that "tcp-eng" listens to); "lost": it
        was dropped ("btcp" with detector "bnak"); "assembled": it is on its way ("btcp" with "back"). Others ignore it.
        """
        return _segments(self._machine.on_burst_report(t, report, list(segments)))

    def on_news(
        self,
        t: float,
        turn: Literal["up", "down", "same"],
        *,
        way: Literal["mark", "message", "schedule"] = "message",
        division: int | None = None,
        capacity: float | None = None,
        at: float | None = None,
        base_rtt: float | None = None,
    ) -> list[Segment]:
        """The path changes, or will: a circuit comes ("up") or goes ("down"), or another way is as wide ("same").

        `way` is how the sender hears of it; `division` the number of what begins, 0 for the path as it was first and
        None for a path that is down; `capacity` in bit/s; `at` when in seconds, by default now; `base_rtt` the round
        trip of the empty path in seconds from then on. Laws that do not listen hear nothing. A mark in an ACK is `ece`
        of `on_ack`, for a sender with `path_marks=True`.
        """
        return _segments(self._machine.on_news(t, (turn, way, division, capacity, at, base_rtt)))

    def on_timer(self, t: float, *, timer: Timer | None = None) -> list[Segment]:
        """The clock reaches `t` seconds: serves the timers that are due, if any.

        With `timer` only that one is served, if it is due; others wait for a later call, although they are due.
        "rto": retransmission and persist timer (RFC 6298); "rack", "tlp": reordering and tail loss probe (RFC 8985);
        "pacing": the next paced segment; "td-fr": that recovery's wait; "marks": what marks hold back at the least
        window; "control": a SYN or a FIN of a `Connection`.
        """
        return _segments(self._machine.on_timer(t, timer))

    @property
    def timers(self) -> dict[Timer, float]:
        """The timers that run, each with the time in seconds when it is due."""
        return cast("dict[Timer, float]", dict(self._machine.timers))

    def ecn_of(self, segment: Segment) -> SegmentEcn | None:
        """What a segment that the last call sent says about congestion; None without ECN."""
        raw = self._machine.ecn_of(*segment)
        return None if raw is None else SegmentEcn(*raw)

    @property
    def header(self) -> Header | None:
        """The congestion header of what the last call sent; None unless the algorithm is "xcp"."""
        from photocol.transport.xcp import Header

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
    def pacing_rate(self) -> float | None:
        """The rate in bits per second at which segments leave; None if they are not paced, or before there is one."""
        return self._machine.pacing_rate

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
    def lost(self) -> int:
        """Bytes thought lost: with recovery "rack" those that wait to be sent again, else all that SACK shows."""
        return self._machine.lost

    @property
    def reordering_window(self) -> float | None:
        """Seconds for which RACK waits for what may only be late (RFC 8985); None with another recovery."""
        return self._machine.reordering_window

    @property
    def probe_timer(self) -> float | None:
        """When the tail loss probe is due in seconds (RFC 8985); None while none is scheduled."""
        return self._machine.probe_timer

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
        """Duplicate ACKs that show a loss; what RR-TCP has learned if the recovery is "rr-tcp"."""
        return self._machine.dupthresh

    @property
    def fa_ratio(self) -> float | None:
        """The share of reorderings that are to cause no false fast retransmit (RR-TCP); None with another recovery."""
        return self._machine.fa_ratio

    @property
    def histogram(self) -> dict[int, int] | None:
        """How often each reordering length, in segments, has been seen (RR-TCP); None with another recovery."""
        return self._machine.histogram

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
    def figures(self) -> dict[str, float]:
        """What the law keeps besides the window and knows by now, by name, as the load of "hpcc"."""
        return dict(self._machine.figures)

    @property
    def alpha(self) -> float | None:
        """The share of marked bytes as "dctcp" and "prague" have averaged it, from 0 to 1; None with another law."""
        return self.figures.get("alpha")

    @property
    def w_max(self) -> float | None:
        """CUBIC's W_max in bytes (RFC 9438); None before a loss, and with another law."""
        return self.figures.get("w_max")

    @property
    def k(self) -> float | None:
        """CUBIC's K in seconds (RFC 9438 §4.2); None outside of congestion avoidance, and with another law."""
        return self.figures.get("k")

    @property
    def max_bandwidth(self) -> float | None:
        """The bandwidth that "bbr" and "bbr3" have found, in bits per second; None with another law."""
        return self.figures.get("max_bandwidth")

    @property
    def min_rtt(self) -> float | None:
        """The shortest round trip that "bbr" and "bbr3" go by, in seconds; None before it is known, and with others."""
        return self.figures.get("min_rtt")

    @property
    def bandwidth_shortterm(self) -> float | None:
        """BBRv3's short-term bound of the rate in bits per second; None while there is none."""
        return self.figures.get("bandwidth_shortterm")

    @property
    def inflight_longterm(self) -> float | None:
        """BBRv3's long-term bound of what is in flight, in bytes; None while there is none."""
        return self.figures.get("inflight_longterm")

    @property
    def inflight_shortterm(self) -> float | None:
        """BBRv3's short-term bound of what is in flight, in bytes; None while there is none."""
        return self.figures.get("inflight_shortterm")

    @property
    def rounds(self) -> int | None:
        """Round trips that "bbr" and "bbr3" have counted; None with another law."""
        rounds = self.figures.get("rounds")
        return None if rounds is None else int(rounds)

    @property
    def hystart_stage(self) -> Literal["slow_start", "conservative"] | None:
        """The stage of HyStart++ (RFC 9406); None without `hystart`, with another rule, and after the first loss."""
        is_conservative = self.figures.get("is_conservative")
        return None if is_conservative is None else "conservative" if is_conservative else "slow_start"

    @property
    def rttvar(self) -> float | None:
        """RTTVAR of RFC 6298 in seconds, None before the first sample."""
        return self._machine.rttvar

    @property
    def reordering_seen(self) -> bool | None:
        """Whether RACK has seen reordering (RFC 8985); None with another recovery."""
        return self._machine.reordering_seen

    @property
    def counters(self) -> dict[str, int]:
        """Segments sent, retransmissions, fast retransmits, timeouts and the false ones, as in the table `flows`."""
        return self._machine.counters

    def __repr__(self) -> str:
        threshold = self.ssthresh if self.ssthresh == float("inf") else int(self.ssthresh)
        return f"<Sender {self.phase}, cwnd {self.cwnd} B, ssthresh {threshold} B, pipe {self.pipe} B>"


class Connection(Sender):
    """The sending end of a connection: a `Sender` with a handshake before it and a teardown behind it.

    It takes the options of a Sender, and `handshake` and `teardown`. The first `write` sends a SYN, whose answer lets
    data leave; after `end` a FIN follows the last ACK. Each call returns the segments that leave, as a Sender's does;
    what leaves without payload is in `controls`. The other end is a `Receiver`.
    """

    def on_control(self, t: float, control: Control) -> list[Segment]:
        """An answer to a SYN or a FIN arrives at `t` seconds; others are ignored."""
        return _segments(self._machine.on_control(t, control))

    def end(self, t: float) -> list[Segment]:
        """The application writes nothing more."""
        return _segments(self._machine.end(t))

    @property
    def controls(self) -> list[Control]:
        """The packets without payload that the last call sent, behind its segments."""
        return [Control(cast("ControlKind", kind), ecn, stamp) for kind, ecn, stamp in self._machine.controls]

    @property
    def state(self) -> Literal["closed", "opening", "open", "closing", "done"]:
        """How far the connection is."""
        return cast('Literal["closed", "opening", "open", "closing", "done"]', self._machine.state)

    @property
    def is_complete(self) -> bool:
        """Whether all that was written is acknowledged."""
        return self._machine.is_complete

    @property
    def uses_ecn(self) -> bool:
        """Whether segments may be marked: `ecn`, and the peer has not refused it."""
        return self._machine.uses_ecn

    def __repr__(self) -> str:
        return f"<Connection {self.state}, cwnd {self.cwnd} B, acknowledged {self.bytes_acked} B>"


def _segments(raw: list[tuple[int, int, bool]]) -> list[Segment]:
    return [Segment(*one) for one in raw]
