"""What paper 000 claims both of the round trip (figures 8 to 10) and of the share of UDP (figures 11 and 12)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import sub
from typing import TYPE_CHECKING

from photocol import model
from photocol.claims import MOSTLY, SOMEWHERE, above, below, beside, highest, rises_with, within
from photocol.experiment import Claim

from . import _slots as slots
from ._slots import BURST_S, DATAGRAM_BITS, GUARDED, LINK_MBPS, NONE, ONE, PACING, TWO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from photocol.experiment import Outcome


def closed_forms(axis: str, outcome: Outcome, at: Callable[[float], tuple[float, float]]) -> list[str]:
    """§V beside the simulation, with residuals; `at` gives a place's round trip in ms and share in per cent."""
    extra = slots.curve(ONE, axis, "episode_buffer_kbit").read(outcome)
    places = list(extra)
    return [
        *(_lost(axis, outcome, scheme, [at(place) for place in places]) for scheme in (NONE, TWO)),
        _residuals(
            "Extra edge buffer of an episode in kbit, one control, and B1c of §V.F (UDP jumps uniform up to a share)",
            places,
            list(extra.values()),
            [_model(*at(place))["buffer"] * DATAGRAM_BITS / 1e3 for place in places],
        ),
    ]


def _lost(axis: str, outcome: Outcome, scheme: str, ends: list[tuple[float, float]]) -> str:
    found = slots.curve(scheme, axis, "lost_per_burst_packets").read(outcome)
    places, lost = list(found), list(found.values())
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


def claims(words: Words) -> dict[str, Claim]:
    """The five claims that the paper has of both axes, by id."""
    axis, every, under = words.axis, f"every {words.point}", words.condition
    steps = f"from {every} to the next{under}; in shape: from the first to the last"
    more, guarded = slots.gain(TWO, NONE, axis), slots.gain(GUARDED, NONE, axis).told(".2f", name="guarded")
    extra, median = (slots.curve(ONE, axis, "extra_buffer_kbit", ".0f"), slots.medians(ONE, axis, "extra_buffer_kbit"))
    buffers = (slots.curve(scheme, axis, "edge_buffer_kbit") for scheme in (ONE, TWO))
    less = reduce(sub, buffers).told(".0f", " kbit", "the mean buffer with one control less that with two")
    paced = {metric: slots.gain(TWO, PACING, axis, f"{metric}_mbps") for metric in ("loss", "goodput")}
    found = (
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where=f"§VII, {words.goodput}",
            expected=f"a ratio above 1 at {every}",
            tolerance=f"above 1 at {every}{under}; in shape: at {words.most}",
            check=above(more, 1, in_shape=MOSTLY).telling(guarded),
            reason=words.reasons.get("better", ""),
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance=f"from 2 to 10 at {every}{under}; in shape: at {words.one}",
            check=within(more, 2, 10, in_shape=SOMEWHERE),
            reason=words.reasons.get("factor", ""),
        ),
        Claim(
            id="trend",
            text=f"goodput falls with the {words.name}, with DLCC and without",
            where=f"§VII, {words.goodput}",
            expected="decreasing",
            tolerance=steps,
            check=slots.both_fall(axis),
            reason=words.reasons.get("trend", ""),
        ),
        Claim(
            id="extra-buffer",
            text=f"the extra edge buffer grows with the {words.name}",
            where=f"§VII, {words.buffer}",
            expected="increasing",
            tolerance=steps,
            check=rises_with(extra.told(unit=" kbit")).telling(median, less),
            reason=words.reasons.get("extra-buffer", ""),
        ),
        Claim(
            id="ack-pacing",
            text="DLCC loses less and gains more goodput than ACK pacing",
            where="§VII",
            expected=f"at {every}",
            tolerance=f"both at {every}{under}; in shape: at {words.most}",
            check=below(highest(paced["loss"], slots.gain(PACING, TWO, axis)), 1, in_shape=MOSTLY).saying(
                beside(paced)
            ),
            reason=words.reasons.get("ack-pacing", ""),
        ),
    )
    return {claim.id: claim for claim in found}


NO_HALVING = "it loses less, but ACK pacing makes no sender halve its window"
"""Why DLCC does not gain more than ACK pacing."""
