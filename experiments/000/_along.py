"""What paper 000 claims both of the round trip (figures 8 to 10) and of the share of UDP (figures 11 and 12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from photocol import model
from photocol.experiment import Claim
from photocol.verdict import Finding, judge

from . import _slots as slots
from ._slots import BURST_S, DATAGRAM_BITS, GUARDED, LINK_MBPS, NONE, ONE, PACING, TWO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import Outcome

AXES = {"rtt_ms": "round trips", "udp_percent": "shares"}
"""What the points of an axis are."""
LABELS = {"goodput_mbps": "goodput (Mb/s)", "loss_mbps": "loss rate (Mb/s)"}


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
    """The extra edge buffer without artificial ACKs, after a notification, grows along the axis."""
    extra = slots.values(outcome, ONE, axis, "extra_buffer_kbit")
    means = (slots.values(outcome, scheme, axis, "edge_buffer_kbit") for scheme in (ONE, TWO))
    less = [one - two for one, two in zip(*means, strict=True)]
    median = slots.medians(outcome, ONE, [axis], "extra_buffer_kbit")
    return judge(
        agrees=slots.rises(extra),
        in_shape=extra[-1] > extra[0],
        measured=f"{slots.listed(extra, '.0f')} kbit; in the median run {slots.listed(median, '.1f')}; the mean buffer "
        f"with one control less that with two {slots.listed(less, '.0f')} kbit",
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


def closed_forms(axis: str, outcome: Outcome, at: Callable[[float], tuple[float, float]]) -> list[str]:
    """§V beside the simulation, with residuals; `at` gives a place's round trip in ms and share in per cent."""
    places = slots.places(outcome, axis)
    extra = slots.values(outcome, ONE, axis, "episode_buffer_kbit")
    return [
        *(_lost(axis, outcome, scheme, [at(place) for place in places]) for scheme in (NONE, TWO)),
        _residuals(
            "Extra edge buffer of an episode in kbit, one control, and B1c of §V.F (UDP jumps uniform up to a share)",
            places,
            extra,
            [_model(*at(place))["buffer"] * DATAGRAM_BITS / 1e3 for place in places],
        ),
    ]


def _lost(axis: str, outcome: Outcome, scheme: str, ends: list[tuple[float, float]]) -> str:
    places, lost = slots.places(outcome, axis), slots.values(outcome, scheme, axis, "lost_per_burst_packets")
    factor, words = (1.0, "2T") if scheme == NONE else (1 / 6, "2T1")
    burst = [LINK_MBPS * 1e6 * share / 100 / DATAGRAM_BITS for _, share in ends]
    bound = [rate * min(factor * rtt / 1000, BURST_S) for rate, (rtt, _) in zip(burst, ends, strict=True)]
    means = [_model(*end)[scheme] for end in ends]
    name = slots.NAMES[scheme]
    first = _residuals(
        f"Slots lost per burst with {name}, and r·{words} of §V.F, at most the burst", places, lost, bound
    )
    second = _residuals("and its mean over jumps uniform up to the share", places, lost, means)
    return f"{first[:-1]}; {second}"


def _model(rtt_ms: float, share_percent: float) -> dict[str, float]:
    """Lost packets per congestion without control and with, and one control's edge buffer."""
    said = model(
        "dlcc-unsynchronized",
        rtt=rtt_ms / 1000,
        udp_max=share_percent / 100,
        flows=40,
        capacity=LINK_MBPS * 1e6,
        packet=DATAGRAM_BITS / 8,
    )
    return {
        NONE: said["loss_per_congestion_packets"],
        TWO: said["loss_per_congestion_dlcc_packets"],
        "buffer": said["edge_buffer_one_control_packets"],
    }


def _residuals(what: str, places: Sequence[float], found: Sequence[float], said: Sequence[float]) -> str:
    triples = zip(places, found, said, strict=True)
    parts = [f"at {place:g} {got:.0f} against {form:.0f} ({got - form:+.0f})" for place, got, form in triples]
    return f"{what}: {', '.join(parts)}."


@dataclass(frozen=True, kw_only=True)
class Words:
    """How the claims that both experiments judge speak of an axis."""

    axis: str
    name: str
    """As in "goodput falls with the …"."""
    point: str
    """A point of it."""
    most: str
    """Most of its points, after "in shape: at"."""
    one: str
    goodput: str
    buffer: str
    """The paper's figures."""
    reasons: Mapping[str, str]
    condition: str = ""
    """What every tolerance adds."""
    judged: Callable[[str, Callable[[Outcome], Finding]], Callable[[Outcome], Finding]] = field(
        default=lambda _, check: check
    )
    """A claim's check, given its id and the check along the axis."""


def claims(words: Words) -> dict[str, Claim]:
    """The five claims that the paper has of both axes, by id."""
    every, under = f"every {words.point}", words.condition
    steps = f"from {every} to the next{under}; in shape: from the first to the last"

    def claim(name: str, check: Callable[[str, Outcome], Finding], text: str, where: str, *judgement: str) -> Claim:
        expected, tolerance = judgement
        return Claim(
            id=name,
            text=text,
            where=where,
            expected=expected,
            tolerance=tolerance,
            check=words.judged(name, partial(check, words.axis)),
            reason=words.reasons.get(name, ""),
        )

    found = (
        claim(
            "better",
            better,
            "the goodput without DLCC is always poorer",
            f"§VII, {words.goodput}",
            f"a ratio above 1 at {every}",
            f"above 1 at {every}{under}; in shape: at {words.most}",
        ),
        claim(
            "factor",
            factor,
            "DLCC yields between 2 and 10 times the goodput",
            "abstract, §VIII",
            "2 to 10",
            f"from 2 to 10 at {every}{under}; in shape: at {words.one}",
        ),
        claim(
            "trend",
            goodput_falls,
            f"goodput falls with the {words.name}, with DLCC and without",
            f"§VII, {words.goodput}",
            "decreasing",
            steps,
        ),
        claim(
            "extra-buffer",
            buffer_grows,
            f"the extra edge buffer grows with the {words.name}",
            f"§VII, {words.buffer}",
            "increasing",
            steps,
        ),
        claim(
            "ack-pacing",
            beats_pacing,
            "DLCC loses less and gains more goodput than ACK pacing",
            "§VII",
            f"at {every}",
            f"both at {every}{under}; in shape: at {words.most}",
        ),
    )
    return {one.id: one for one in found}


NO_HALVING = "it loses less, but ACK pacing makes no sender halve its window"
"""Why DLCC does not gain more than ACK pacing."""


def picture(
    axis: str, metric: str, label: str, chosen: Callable[[pl.DataFrame], pl.DataFrame] = lambda table: table
) -> Callable[[Axes, pl.DataFrame], None]:
    """A metric, or the extra edge buffer, along an axis."""

    def draw_it(axes: Axes, table: pl.DataFrame) -> None:
        if metric in LABELS:
            slots.draw(axes, chosen(table), axis, metric)
            axes.set_ylabel(LABELS[metric])
        else:
            slots.draw_extra(axes, chosen(table), axis)
        axes.set_xlabel(label)

    return draw_it
