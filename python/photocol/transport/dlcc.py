"""The machines of dual-layer congestion control (paper 000), driven by hand.

    >>> from photocol.dlcc import Book, Estimator, Reaction, Reservations
    >>> estimator = Estimator(1000, unit_s=0.05, nu=0.5)   # 1000 slots/s at first; tau is a unit
    >>> estimator.on_arrival(20)                           # 400 slots/s for a unit
    >>> estimator.on_timer(0.05, backlog=10)               # 10 slots wait: 200 slots/s more within tau
    >>> estimator.take_mean()                              # 1000/2 + (400 + 200)/2
    800.0
    >>> reaction = Reaction()
    >>> reaction.on_loss(300, backlog=10)
    >>> reaction.rate(800.0), reaction.on_decision(backlog=12), reaction.on_decision(backlog=11)
    (500.0, False, True)
    >>> Reservations(1000, begun={1: 0, 2: 300}).ask(1, 800)
    Answer(rate=700.0, promised=True)
    >>> book = Book()
    >>> book.on_data(0.0, 0, 536)
    >>> book.on_loss(0.01, 0).acks                         # four ACKs name the first byte that was lost
    [Ack(number=0, sack=(), ece=False), Ack(number=0, sack=(), ece=False), Ack(number=0, sack=(), ece=False), \
Ack(number=0, sack=(), ece=False)]

Times are seconds from 0 and never run backwards (ValueError), rates slots per second to a thousandth, backlogs slots,
sequence numbers bytes from 0. Parameters are the keys of `[switching.dlcc]`, with their defaults.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from photocol import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Ack", "Answer", "Book", "Estimator", "Heard", "Reaction", "Reservations"]


class Estimator:
    """The moving average of eq. (1), by which an edge node knows the rate to ask for.

    After every `unit_s` R becomes nu·R + (1 - nu)·(U + B/tau): U is the rate at which slots came in the unit, B the
    backlog at its end. `first_rate` is the R of the beginning, `tau_s` a unit if it is None. `nu_rule` says what
    determines the weight nu: nothing, the service rate S (nu·min(U, S)/max(U, S)), or also the available capacity.
    """

    def __init__(
        self,
        first_rate: float,
        *,
        unit_s: float = 0.05,
        nu_rule: Literal["constant", "service", "available"] = "constant",
        nu: float = 0.5,
        tau_s: float | None = None,
    ) -> None:
        self._machine = _core.DlccEstimate(first_rate, unit_s, nu_rule, nu, unit_s if tau_s is None else tau_s)

    def on_rate(self, service: float, available: float) -> None:
        """From now on what comes is served at a rate, and the network has a capacity for it.

        At first these are `first_rate` and no bound.
        """
        self._machine.on_rate(service, available)

    def on_arrival(self, slots: int = 1) -> None:
        """Slots come into the buffer in the unit that has begun."""
        self._machine.on_arrival(slots)

    def on_timer(self, t: float, backlog: int) -> None:
        """All units end that end by `t` (at most ten million); the buffer holds `backlog` slots."""
        self._machine.on_timer(t, backlog)

    def take_mean(self) -> float | None:
        """Return the mean of R over the units since the last call, the rate to ask for; None if none has ended."""
        return self._machine.take_mean()

    @property
    def smoothed(self) -> float:
        """R after the last unit that has ended."""
        return self._machine.smoothed

    @property
    def next_timer(self) -> float:
        """When the unit ends."""
        return self._machine.next_timer


class Answer(NamedTuple):
    """What an output of a core node says to a request."""

    rate: float
    """The rate that the flow may use."""
    promised: bool
    """False if the request was refused, so that the old rate stays."""


class Reservations:
    """The rates that an output of a core node has promised, of `capacity` at most.

    `begun` are the rates that flows begin with, by their numbers. A request beyond what is left is "lowered" to it, or
    "refused" (the paper's word).
    """

    def __init__(
        self,
        capacity: float,
        *,
        beyond: Literal["lowered", "refused"] = "lowered",
        begun: Mapping[int, float] | None = None,
    ) -> None:
        self._machine = _core.DlccReservations(capacity, beyond, dict(begun or {}))

    def ask(self, flow: int, rate: float) -> Answer:
        """A flow asks for a rate; less than it has is never refused."""
        return Answer(*self._machine.ask(flow, rate))


class Reaction:
    """What an edge node does with its optical rate when it hears of losses (§III.C).

    `loss_mean` says what is taken off when several notifications have come; `floor` is the part of the scheduled rate
    that stays.
    """

    def __init__(
        self,
        *,
        loss_mean: Literal["running", "printed", "since-decision", "largest"] = "running",
        floor: float = 0.1,
    ) -> None:
        self._machine = _core.DlccReaction(loss_mean, floor)

    def on_loss(self, rate: float, backlog: int) -> None:
        """A notification with a loss rate comes, and the buffer holds `backlog` slots."""
        self._machine.on_loss(rate, backlog)

    def on_decision(self, backlog: int) -> bool:
        """A decision about the rate is due; return whether another rate may be asked for: the buffer holds less."""
        return self._machine.on_decision(backlog)

    def rate(self, scheduled: float) -> float:
        """Return the rate to send at, of a scheduled one."""
        return self._machine.rate(scheduled)


class Ack(NamedTuple):
    """An artificial ACK."""

    number: int
    """The next byte that the receiver is said to expect."""
    sack: tuple[tuple[int, int], ...] = ()
    """The blocks that it is said to hold, each from its first byte to the one behind it."""
    ece: bool = False
    """Whether it echoes a congestion mark."""


class Heard(NamedTuple):
    """What a report of a lost slot was worth."""

    worth: Literal["new", "unknown", "repeated"]
    """The first of this transmission; of a segment that is not in the book; or one too many."""
    acks: list[Ack]
    """What the source is told now."""


class Book:
    """What an ingress edge node remembers of a TCP flow, and the artificial ACKs that follow from it (§III.C, §IV).

    `discard` and `guard` are None for what `ops_acks` has by itself: "all" and False for "dlcc-paper", "safe" and True
    for the others. `acks_per` belongs to "dlcc-paper": each lost segment is named, or one in a round trip.

    No report comes sooner than `soonest_report_s` after a slot has left; a slot that was not reported
    after `report_time_s` has arrived.
    """

    def __init__(
        self,
        ops_acks: Literal["dlcc-paper", "dlcc-sack", "dlcc-ece"] = "dlcc-paper",
        *,
        discard: Literal["all", "safe", "none"] | None = None,
        guard: bool | None = None,
        artificial_acks: int = 4,
        acks_per: Literal["segment", "round-trip"] = "segment",
        record_s: float = 1.0,
        soonest_report_s: float = 0.0,
        report_time_s: float = 0.0,
    ) -> None:
        paper = ops_acks == "dlcc-paper"
        self._machine = _core.DlccBook(
            ops_acks,
            discard or ("all" if paper else "safe"),
            (not paper) if guard is None else guard,
            artificial_acks,
            acks_per,
            (record_s, soonest_report_s, report_time_s),
        )

    def on_data(self, t: float, seq: int, end: int) -> None:
        """A segment from `seq` to before `end` enters the core."""
        self._machine.on_data(t, seq, end)

    def on_loss(self, t: float, seq: int) -> Heard:
        """The slot of the segment that begins at `seq` is reported lost."""
        worth, acks = self._machine.on_loss(t, seq)
        return Heard(worth, _acks(acks))

    def on_timer(self, t: float) -> list[Ack]:
        """Return what the source can be told by `t`; due at `next_timer`."""
        return _acks(self._machine.on_timer(t))

    def on_ack(
        self,
        t: float,
        number: int,
        *,
        sack: Sequence[tuple[int, int]] = (),
        window: int | None = None,
        marks: bool = False,
    ) -> bool:
        """An ACK of the receiver comes by; return whether it goes on to the source.

        `window` is what it offers, in bytes, and `marks` whether it says something of congestion marks.
        """
        return self._machine.on_ack(t, number, list(sack), window, marks)

    @property
    def next_timer(self) -> float | None:
        """When it may have something to tell; None if it waits for nothing."""
        return self._machine.next_timer

    @property
    def holes(self) -> int:
        """How many lost segments the source was told to forget that have not been seen again."""
        return self._machine.holes[0]

    @property
    def stuck(self) -> bool:
        """Whether the receiver has asked for such a segment for more than `record_s`."""
        return self._machine.holes[1]


def _acks(raw: list[tuple[int, list[tuple[int, int]], bool]]) -> list[Ack]:
    return [Ack(number, tuple(sack), ece) for number, sack, ece in raw]
