"""What paper 000 claims of figures 8 to 12, judged against each reading of "without DLCC"."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    below,
    everywhere,
    extremes,
    falls_with,
    rises_with,
    values,
    within,
)
from photocol.experiment import Claim

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
    from photocol.experiment import Outcome


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
PLACE = ("rtt_ms", "udp_percent")
NOTHING = (
    "where all traffic is smoothed the core loses no slot, nothing is notified, and no buffer grows after a "
    "notification; "
    f"where TCP alone is smoothed, {slots.FROZEN_SHARES}"
)
"""Why the extra edge buffer does not grow along an axis."""
At = tuple[str | tuple[str, ...], dict[str, float]]
"""Axes, and values of others."""
ALL: At = (PLACE, {})
ROUND_TRIPS: At = ("rtt_ms", {"udp_percent": 30})
"""The places of figures 8 to 10."""
SHARES: At = ("udp_percent", {"rtt_ms": 500})
"""The places of figures 11 and 12."""
WITHOUT, WITH = "without", "with"


def curve(scheme: str, metric: str = "goodput_mbps", at: At = ALL, form: str = ".2f", name: str = "") -> Values:
    """A metric of a scheme at some places."""
    along, where = at
    found = values(metric, along, form=form, scheme=scheme, **where).told(name=name)
    if at is not ALL:
        return found

    def read(outcome: Outcome) -> dict[str, float]:
        return {f"{rtt_ms:g} ms, {share:g} %": one for (rtt_ms, share), one in found.read(outcome).items()}  # type: ignore[misc]

    return replace(found, read=read)


def places(outcome: Outcome) -> list[tuple[float, float]]:
    """Round trips and shares of UDP, sorted."""
    return sorted(outcome.table.select(PLACE).unique().rows())


def column(outcome: Outcome, scheme: str, metric: str) -> list[float]:
    """A metric of a scheme at all places."""
    return list(curve(scheme, metric).read(outcome).values())


def ratio(metric: str, over: str, under: str) -> Values:
    """A metric of one scheme over that of another, at all places."""
    return curve(over, metric) / curve(under, metric)


def falls(reading: Reading, at: At) -> Predicate:
    """Goodput falls along an axis, with DLCC and without."""
    without, both = (curve(reading.without, at=at, name=WITHOUT), curve(reading.both, at=at, name=WITH))
    return falls_with(without) & falls_with(both)


def buffer_grows(reading: Reading, at: At) -> Predicate:
    """The extra edge buffer without artificial ACKs, after a notification, grows along an axis."""
    metric, (along, where) = "extra_buffer_kbit", at
    extra = curve(reading.one, metric, at, ".0f").told(unit=" kbit")
    return rises_with(extra).telling(slots.medians(reading.one, str(along), metric, **where))


def less_loss(reading: Reading) -> Predicate:
    """A lower loss rate with DLCC."""
    without, both = (
        curve(reading.without, "loss_mbps", ALL, ".4f", WITHOUT),
        curve(reading.both, "loss_mbps", ALL, ".4f", WITH),
    )
    return below(both, without, in_shape=MOSTLY).saying(without, both)


def beats_pacing(reading: Reading) -> Predicate:
    """Less loss and more goodput than ACK pacing in the classical network."""
    paced = classical.name(CLASSICAL, PACING)
    more = ratio("goodput_mbps", reading.both, paced).told(".2f", name="goodput over that of ACK pacing")
    lost, both = curve(paced, "loss_mbps", ALL, ".4f", "its loss"), curve(reading.both, "loss_mbps", ALL, ".4f", WITH)
    return everywhere(above(more, 1), below(both, lost), in_shape=MOSTLY).saying(more, lost, both)


def spares_udp(reading: Reading, *more: Predicate) -> Predicate:
    """UDP loses no larger share with DLCC than without, and as much of it arrives."""
    without, both = (
        curve(scheme, "udp_loss_percent", ALL, ".1f", f"lost {name}").told(unit=" %", name=f"lost {name}")
        for scheme, name in ((reading.without, WITHOUT), (reading.both, WITH))
    )
    arrived = ratio("udp_goodput_mbps", reading.both, reading.without).told(".2f", name="its goodput over that without")
    spared = everywhere(at_most(both, without), at_least(arrived, 0.8), *more, in_shape=MOSTLY)
    return spared.saying(without, both, arrived, *more)


def controls(reading: Reading) -> Values:
    """The part of the gain over the classical network that the two controls have, on top of memory and smoothing."""
    plain, smoothed, both = (
        curve(scheme) for scheme in (classical.name(CLASSICAL, NONE), reading.smoothed, reading.both)
    )
    gain = (both - plain).each(lambda gain: gain if gain > 0 else math.inf)
    return ((both - smoothed) / gain).told(".2f", name="shares of the controls")


_FULL = (
    "with all traffic smoothed the goodput with DLCC is the line's rate at every point, and the core loses not a slot"
)
_GROWS = "from every one to the next; in shape: from the first to the last"
WHOSE = "it is DLCC that improves the goodput over that of a classical network"


def claims(reading: Reading) -> tuple[Claim, ...]:
    """All of them under a reading."""
    gain, own = (
        ratio(metric, reading.both, reading.without).told(".2f", name=name)
        for metric, name in (("goodput_mbps", ""), ("tcp_goodput_mbps", "of TCP's own"))
    )
    lost = (curve(scheme, "loss_mbps", ROUND_TRIPS, ".4f") for scheme in (reading.both, reading.without))
    return (
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Figs 8 and 11",
            expected="a ratio above 1 at every point",
            tolerance="above 1 at every point; in shape: at most of them",
            check=above(gain, 1, in_shape=MOSTLY),
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="from 2 to 10 at every point; in shape: at one of them",
            check=within(gain, 2, 10, in_shape=SOMEWHERE).telling(extremes(own)),
            reason="at short round trips a window that was halved is whole again after seconds, so that even a "
            "classical network fills most of the link",
        ),
        Claim(
            id="trend",
            text="goodput falls with the round trip, with DLCC and without",
            where="§VII, Fig. 8",
            expected="decreasing",
            tolerance=_GROWS,
            check=falls(reading, ROUND_TRIPS),
            reason=_FULL,
        ),
        Claim(
            id="trend-shares",
            text="goodput falls with the share of UDP, with DLCC and without",
            where="§VII, Fig. 11",
            expected="decreasing",
            tolerance=_GROWS,
            check=falls(reading, SHARES),
            reason=_FULL,
        ),
        Claim(
            id="flat-loss",
            text="the loss rate with DLCC changes only slightly with the round trip, without it dramatically (core)",
            where="§VII, Fig. 9",
            expected="no number given",
            tolerance="largest over smallest at most 1.5 with (1 where nothing is lost), at least 3 without; "
            "in shape: less with than without",
            check=slots.flatter(*lost),
        ),
        Claim(
            id="less-loss",
            text="the loss rate is lower with DLCC (core)",
            where="§VII, Fig. 9",
            expected="lower at every point",
            tolerance="at every point; in shape: at most of them",
            check=less_loss(reading),
        ),
        Claim(
            id="extra-buffer",
            text="the extra edge buffer grows with the round trip",
            where="§VII, Fig. 10",
            expected="increasing",
            tolerance=_GROWS,
            check=buffer_grows(reading, ROUND_TRIPS),
            reason=NOTHING,
        ),
        Claim(
            id="extra-buffer-shares",
            text="the extra edge buffer grows with the share of UDP",
            where="§VII, Fig. 12",
            expected="increasing",
            tolerance=_GROWS,
            check=buffer_grows(reading, SHARES),
            reason=NOTHING,
        ),
        Claim(
            id="ack-pacing",
            text="DLCC loses less and gains more goodput over a classical network than ACK pacing",
            where="§VII",
            expected="at every point",
            tolerance="both at every point; in shape: at most of them",
            check=beats_pacing(reading),
        ),
        Claim(
            id="udp",
            text="the interaction between TCP and UDP is favourable to what arrives of UDP (its delay: 000/price)",
            where="§I, §V.A",
            expected="UDP loses no larger share of its datagrams with DLCC than without, and as many arrive",
            tolerance="no larger share lost, and at least 0.8 of its goodput without, at every point; in shape: at "
            "most of them. Written after a quick run with a tau of a unit",
            check=spares_udp(reading),
            reason="where all is smoothed the core drops nothing, but UDP waits at the edge for 27 to 33 s from 500 ms "
            "on, and more of it is dropped there, with 40 % UDP, than in the core of the classical network",
        ),
        Claim(
            id="whose",
            text=WHOSE,
            where="abstract, §VII, §VIII",
            expected="the gain is that of the control",
            tolerance="the two controls have at least half of the gain over the classical network at every point, "
            "the rest being memory's and smoothing's; in shape: at one",
            check=at_least(controls(reading), 0.5, in_shape=SOMEWHERE),
            reason="where all traffic is smoothed the core loses no slot, so that no switch has anything to notify",
        ),
    )
