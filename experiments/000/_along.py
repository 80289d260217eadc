"""What paper 000 claims both of the round trip (figures 8 to 10) and of the share of UDP (figures 11 and 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.verdict import Finding, judge

from . import _slots as slots
from ._slots import GUARDED, NONE, PACING, TWO

if TYPE_CHECKING:
    from photocol.experiment import Outcome

AXES = {"rtt_ms": "round trips", "udp_percent": "shares"}
"""What the points of an axis are."""


def better(axis: str, outcome: Outcome) -> Finding:
    """DLCC has more goodput than no control."""
    ratios = slots.ratios(outcome, axis, "goodput_mbps", TWO, NONE)
    guarded = slots.ratios(outcome, axis, "goodput_mbps", GUARDED, NONE)
    return judge(
        agrees=all(ratio > 1 for ratio in ratios),
        in_shape=sum(ratio > 1 for ratio in ratios) > len(ratios) / 2,
        measured=f"ratios along the {AXES[axis]} {slots.listed(ratios)}; guarded {slots.listed(guarded)}",
    )


def factor(axis: str, outcome: Outcome) -> Finding:
    """Between 2 and 10 times."""
    ratios = slots.ratios(outcome, axis, "goodput_mbps", TWO, NONE)
    return judge(
        agrees=all(2 <= ratio <= 10 for ratio in ratios),
        in_shape=any(2 <= ratio <= 10 for ratio in ratios),
        measured=f"from {min(ratios):.2f} to {max(ratios):.2f}",
    )


def goodput_falls(axis: str, outcome: Outcome) -> Finding:
    """Goodput falls along the axis, with DLCC and without."""
    both = [slots.values(outcome, scheme, axis, "goodput_mbps") for scheme in (NONE, TWO)]
    return judge(
        agrees=all(slots.rises(list(reversed(series))) for series in both),
        in_shape=all(series[-1] < series[0] for series in both),
        measured=f"without {slots.listed(both[0])}; with {slots.listed(both[1])} Mb/s",
    )


def buffer_grows(axis: str, outcome: Outcome) -> Finding:
    """The extra edge buffer grows along the axis."""
    extra = slots.extra_buffer(outcome, axis)
    means = [mean for mean, _ in extra]
    return judge(
        agrees=slots.rises(means),
        in_shape=means[-1] > means[0],
        measured=", ".join(f"{mean:.0f} ± {half:.0f}" for mean, half in extra) + " kbit",
    )


def beats_pacing(axis: str, outcome: Outcome) -> Finding:
    """DLCC loses less and gains more than ACK pacing."""
    less = slots.ratios(outcome, axis, "loss_mbps", TWO, PACING)
    more = slots.ratios(outcome, axis, "goodput_mbps", TWO, PACING)
    each = [loss < 1 and gain > 1 for loss, gain in zip(less, more, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"loss over that of ACK pacing {slots.listed(less)}; goodput {slots.listed(more)}",
    )
