"""What paper 000 claims of figures 8 to 12, judged against each reading of "without DLCC"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Outcome, UnderReadings
from photocol.verdict import Finding, judge

from . import _classical as classical
from . import _slots as slots
from ._classical import (
    ALL,
    ALL_AT_ONCE,
    BOTH,
    CLASSICAL,
    GUARDED,
    MEMORY_5,
    MEMORY_50,
    MEMORY_500,
    NONE,
    ONCE,
    ONE,
    PACING,
    TCP,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A network without DLCC, and those that it is compared with; names of schemes."""

    without: str
    smoothed: str
    """Smoothing and memory as with DLCC, no control."""
    one: str
    both: str


def _reading(baseline: str, edge: str, control: str = BOTH) -> Reading:
    name = classical.name
    return Reading(
        without=name(baseline, NONE), smoothed=name(edge, NONE), one=name(edge, ONE), both=name(edge, control)
    )


LITERAL, HALF, TODAY = "classical, DLCC smooths all", "classical, DLCC smooths TCP", "TCP smoothed in both"
READINGS = {
    LITERAL: _reading(CLASSICAL, ALL),
    "5 ms of memory, DLCC smooths all": _reading(MEMORY_5, ALL),
    "50 ms of memory, DLCC smooths all": _reading(MEMORY_50, ALL),
    "500 ms of memory, DLCC smooths all": _reading(MEMORY_500, ALL),
    "classical, DLCC smooths all, tau a unit": _reading(CLASSICAL, ALL_AT_ONCE),
    "all smoothed in both": _reading(ALL, ALL),
    HALF: _reading(CLASSICAL, TCP),
    f"{HALF}, guarded": _reading(CLASSICAL, TCP, GUARDED),
    f"{HALF}, ACKs once": _reading(CLASSICAL, TCP, ONCE),
    TODAY: _reading(TCP, TCP),
    f"{TODAY}, guarded": _reading(TCP, TCP, GUARDED),
    f"{TODAY}, ACKs once": _reading(TCP, TCP, ONCE),
}
"""The first is the paper's words; `TODAY` is the baseline of 000/round-trips, 000/udp-shares and 000/sensitivity."""
PLACE = ["rtt_ms", "udp_percent"]
NOTHING = (
    "where all traffic is smoothed the core loses no slot, nothing is notified, and no buffer grows after a "
    "notification; "
    f"where TCP alone is smoothed, {slots.FROZEN_SHARES}"
)
"""Why the extra edge buffer does not grow along an axis."""


def places(outcome: Outcome) -> list[tuple[float, float]]:
    """Round trips and shares of UDP, sorted."""
    return sorted(outcome.table.select(PLACE).unique().rows())


def values(outcome: Outcome, scheme: str, metric: str) -> list[float]:
    """A metric of a scheme at all places."""
    return outcome.table.filter(pl.col("scheme") == scheme).sort(PLACE)[metric].to_list()


def ratios(outcome: Outcome, metric: str, over: str, under: str) -> list[float]:
    """A metric of one scheme over that of another, at all places."""
    pairs = zip(values(outcome, over, metric), values(outcome, under, metric), strict=True)
    return [above / below if below else float("inf") for above, below in pairs]


def along_round_trips(outcome: Outcome) -> Outcome:
    """The places of figures 8 to 10."""
    return slots.where(outcome, pl.col("udp_percent") == 30)


def along_shares(outcome: Outcome) -> Outcome:
    """The places of figures 11 and 12."""
    return slots.where(outcome, pl.col("rtt_ms") == 500)


def better(outcome: Outcome, reading: Reading) -> Finding:
    """More goodput with DLCC at every place."""
    found = ratios(outcome, "goodput_mbps", reading.both, reading.without)
    return judge(
        agrees=all(ratio > 1 for ratio in found),
        in_shape=sum(ratio > 1 for ratio in found) > len(found) / 2,
        measured=f"ratios {slots.listed(found)}",
    )


def factor(outcome: Outcome, reading: Reading) -> Finding:
    """2 to 10 times the goodput."""
    found = ratios(outcome, "goodput_mbps", reading.both, reading.without)
    own = ratios(outcome, "tcp_goodput_mbps", reading.both, reading.without)
    within = sum(2 <= ratio <= 10 for ratio in found)
    return judge(
        agrees=within == len(found),
        in_shape=within > 0,
        measured=f"from {min(found):.2f} to {max(found):.2f}, at {within} of {len(found)} points from 2 to 10; "
        f"of TCP's own {min(own):.2f} to {max(own):.2f}",
    )


def falls(outcome: Outcome, reading: Reading) -> Finding:
    """Goodput falls along an axis, with DLCC and without."""
    both = [values(outcome, scheme, "goodput_mbps") for scheme in (reading.without, reading.both)]
    return judge(
        agrees=all(slots.rises(list(reversed(series))) for series in both),
        in_shape=all(series[-1] < series[0] for series in both),
        measured=f"without {slots.listed(both[0])}; with {slots.listed(both[1])} Mb/s",
    )


def flat(outcome: Outcome, reading: Reading) -> Finding:
    """The loss rate with DLCC hardly changes, without it it changes much."""
    without, both = (values(outcome, scheme, "loss_mbps") for scheme in (reading.without, reading.both))
    spreads = [max(series) / max(min(series), 1e-9) if max(series) else 1.0 for series in (without, both)]
    return judge(
        agrees=spreads[1] <= 1.5 and spreads[0] >= 3,
        in_shape=spreads[1] < spreads[0],
        measured=f"largest over smallest {spreads[0]:.2f} without, {spreads[1]:.2f} with",
    )


def less_loss(outcome: Outcome, reading: Reading) -> Finding:
    """A lower loss rate with DLCC."""
    without, both = (values(outcome, scheme, "loss_mbps") for scheme in (reading.without, reading.both))
    each = [lower < higher for lower, higher in zip(both, without, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"without {slots.listed(without, '.4f')}; with {slots.listed(both, '.4f')} Mb/s",
    )


def buffer_grows(outcome: Outcome, reading: Reading) -> Finding:
    """The extra edge buffer without artificial ACKs, after a notification, grows along an axis."""
    extra = values(outcome, reading.one, "extra_buffer_kbit")
    median = slots.medians(outcome, reading.one, PLACE, "extra_buffer_kbit")
    return judge(
        agrees=slots.rises(extra),
        in_shape=extra[-1] > extra[0],
        measured=f"{slots.listed(extra, '.0f')} kbit; in the median run {slots.listed(median, '.1f')}",
    )


def beats_pacing(outcome: Outcome, reading: Reading) -> Finding:
    """Less loss and more goodput than ACK pacing in the classical network."""
    paced = classical.name(CLASSICAL, PACING)
    more = ratios(outcome, "goodput_mbps", reading.both, paced)
    without, both = (values(outcome, scheme, "loss_mbps") for scheme in (paced, reading.both))
    each = [gain > 1 and lower < higher for gain, lower, higher in zip(more, both, without, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"goodput over that of ACK pacing {slots.listed(more)}; its loss {slots.listed(without, '.4f')}, "
        f"that with DLCC {slots.listed(both, '.4f')} Mb/s",
    )


def everywhere(outcome: Outcome) -> Outcome:
    """All places."""
    return outcome


def spares_udp(outcome: Outcome, reading: Reading) -> Finding:
    """UDP loses no larger share with DLCC than without, and as much of it arrives."""
    without, both = (values(outcome, scheme, "udp_loss_percent") for scheme in (reading.without, reading.both))
    arrived = ratios(outcome, "udp_goodput_mbps", reading.both, reading.without)
    each = [lower <= higher and ratio >= 0.8 for lower, higher, ratio in zip(both, without, arrived, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"lost without {slots.listed(without, '.1f')}, with {slots.listed(both, '.1f')} %; its goodput over "
        f"that without {slots.listed(arrived)}",
    )


@dataclass(frozen=True, kw_only=True)
class _Said:
    """A claim of the paper, and how it is judged under a reading."""

    text: str
    where: str
    expected: str
    tolerance: str
    check: Callable[[Outcome, Reading], Finding]
    at: Callable[[Outcome], Outcome] = everywhere
    """Which places."""
    reason: str = ""


_FULL = (
    "with all traffic smoothed the goodput with DLCC is the line's rate at every point, and the core loses not a slot"
)
_GROWS = "from every one to the next; in shape: from the first to the last"
SAID = {
    "better": _Said(
        text="the goodput without DLCC is always poorer",
        where="§VII, Figs 8 and 11",
        expected="a ratio above 1 at every point",
        tolerance="above 1 at every point; in shape: at most of them",
        check=better,
    ),
    "factor": _Said(
        text="DLCC yields between 2 and 10 times the goodput",
        where="abstract, §VIII",
        expected="2 to 10",
        tolerance="from 2 to 10 at every point; in shape: at one of them",
        check=factor,
        reason="at short round trips a window that was halved is whole again after seconds, so that even a classical "
        "network fills most of the link",
    ),
    "trend": _Said(
        text="goodput falls with the round trip, with DLCC and without",
        where="§VII, Fig. 8",
        expected="decreasing",
        tolerance=_GROWS,
        check=falls,
        at=along_round_trips,
        reason=_FULL,
    ),
    "trend-shares": _Said(
        text="goodput falls with the share of UDP, with DLCC and without",
        where="§VII, Fig. 11",
        expected="decreasing",
        tolerance=_GROWS,
        check=falls,
        at=along_shares,
        reason=_FULL,
    ),
    "flat-loss": _Said(
        text="the loss rate with DLCC changes only slightly with the round trip, without it dramatically (core)",
        where="§VII, Fig. 9",
        expected="no number given",
        tolerance="largest over smallest at most 1.5 with (1 where nothing is lost), at least 3 without; "
        "in shape: less with than without",
        check=flat,
        at=along_round_trips,
    ),
    "less-loss": _Said(
        text="the loss rate is lower with DLCC (core)",
        where="§VII, Fig. 9",
        expected="lower at every point",
        tolerance="at every point; in shape: at most of them",
        check=less_loss,
    ),
    "extra-buffer": _Said(
        text="the extra edge buffer grows with the round trip",
        where="§VII, Fig. 10",
        expected="increasing",
        tolerance=_GROWS,
        check=buffer_grows,
        at=along_round_trips,
        reason=NOTHING,
    ),
    "extra-buffer-shares": _Said(
        text="the extra edge buffer grows with the share of UDP",
        where="§VII, Fig. 12",
        expected="increasing",
        tolerance=_GROWS,
        check=buffer_grows,
        at=along_shares,
        reason=NOTHING,
    ),
    "ack-pacing": _Said(
        text="DLCC loses less and gains more goodput over a classical network than ACK pacing",
        where="§VII",
        expected="at every point",
        tolerance="both at every point; in shape: at most of them",
        check=beats_pacing,
    ),
    "udp": _Said(
        text="the interaction between TCP and UDP is favourable to what arrives of UDP (its delay: 000/price)",
        where="§I, §V.A",
        expected="UDP loses no larger share of its datagrams with DLCC than without, and as many arrive",
        tolerance="no larger share lost, and at least 0.8 of its goodput without, at every point; in shape: at most "
        "of them. Written after a quick run with a tau of a unit",
        check=spares_udp,
    ),
}


def _judge(said: _Said, reading: Reading) -> Callable[[Outcome], Finding]:
    return lambda outcome: said.check(said.at(outcome), reading)


def claims() -> Sequence[Claim]:
    """All of them against the classical network, where DLCC smooths all: the paper's words."""
    return [
        Claim(
            id=key,
            text=said.text,
            where=said.where,
            expected=said.expected,
            tolerance=said.tolerance,
            check=_judge(said, READINGS[LITERAL]),
            reason=said.reason,
        )
        for key, said in SAID.items()
    ]


def under(claim: str, where: str, outcome: Outcome, check: Callable[[Outcome, Reading], Finding]) -> UnderReadings:
    """A claim under each reading."""
    return UnderReadings(
        claim=claim, where=where, findings={name: check(outcome, reading) for name, reading in READINGS.items()}
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Every claim under each reading."""
    return [under(said.text, said.where, said.at(outcome), said.check) for said in SAID.values()]
