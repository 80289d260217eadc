"""What the experiments on DLCC with other hosts share: forms of artificial ACKs, ratios to no control, the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import MOSTLY, Predicate, Values, at_least, below, beside, everywhere, most, values
from photocol.experiment import Claim, Experiment, Form, Source
from photocol.plot import Lines

from . import _slots as slots
from ._slots import METRICS, NONE, ONE, PAPER, RTTS_MS, TWO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from photocol.experiment import Outcome, Plot, Point, Setup, UnderReadings, Value

SACK_FORM, ECE_FORM = "dlcc-sack", "dlcc-ece"
FORM_KEYS: Mapping[str, Mapping[str, Value]] = {
    SACK_FORM: {"switching.dlcc.ops_acks": "dlcc-sack"},
    ECE_FORM: {"switching.dlcc.ops_acks": "dlcc-ece"},
}
FORM_NAMES = {NONE: "no control", ONE: "1 control", TWO: "dlcc-paper", SACK_FORM: "dlcc-sack", ECE_FORM: "dlcc-ece"}
COLOURS = {NONE: "#000000", ONE: "#56B4E9", TWO: "#D55E00", SACK_FORM: "#009E73", ECE_FORM: "#CC79A7"}
LINUX_CUBIC: Mapping[str, Value] = {"transport.reno.algorithm": "cubic", "transport.reno.recovery": "linux"}
QUICK: Mapping[str, Value] = {"run.duration": "100 s", "run.warm_up": "50 s"}
FULL_RUN: Mapping[str, Value] = {"run.duration": "1000 s", "run.warm_up": "100 s"}
"""900 s measured, 90 bursts of UDP; the paper's 44 min 37 s are for its own figures."""
FROZEN = (
    "the first control alone carries less than no control by about as much (1 control): a burst lasts 0.2 s, and the "
    "lower optical rate at least until the next decision, up to 1 s later; what is saved is losses"
)
"""Why forms that do no harm carry less than no control."""
FULL = (
    "without control the link is more than half full with these hosts, so that not even a full link would have twice "
    "the goodput; the report says what it would have"
)
"""Why no form has twice the goodput."""
AXES = {"rtt_ms": "round-trip time (ms)", "udp_percent": "UDP in a burst (% of the link)"}
FORMS = (NONE, ONE, TWO, SACK_FORM, ECE_FORM)
HOSTS: Mapping[str, Mapping[str, Value]] = {
    "sack": {"transport.reno.algorithm": "sack"},
    "cubic": {"transport.reno.algorithm": "cubic"},
    "rack": LINUX_CUBIC,
}
"""Hosts of today."""
STYLES = {"sack": "-o", "cubic": "--s", "rack": ":^"}
UDP_PERCENT, ROUND_TRIPS = 30, tuple(rtt for rtt in RTTS_MS if rtt != 500)


def setup(
    point: Point,
    keys: Mapping[str, Value],
    *,
    rtt_ms: float | None = None,
    udp_percent: float = UDP_PERCENT,
    silences: str = slots.CONSTANT,
) -> Setup:
    """The form of artificial ACKs of a point, with hosts of these keys and Linux's least timeout."""
    form = str(point["form"])
    more = {**keys, "transport.reno.min_rto": "0.2 s", **FORM_KEYS.get(form, {})}
    rtt_ms = float(point["rtt_ms"]) if rtt_ms is None else rtt_ms
    return slots.setup(form if form in (NONE, ONE) else TWO, rtt_ms, udp_percent, more, silences=silences)


def of_today(point: Point, **more: float | str) -> Setup:
    """The same with hosts of today, all of which use ECN."""
    return setup(point, {**HOSTS[str(point["hosts"])], "transport.reno.ecn": True}, **more)  # type: ignore[arg-type]


def over_none(form: str, metric: str, *along: str) -> Values:
    """A metric with a form over that without control, at every kind of host and place of an axis, or along others."""

    def of(name: str) -> Values:
        return Values(lambda outcome: values(metric, along).read(slots.where(outcome, pl.col("form") == name)))

    return of(form) / of(NONE)


def harmless(form: str, *along: str) -> Predicate:
    """Less loss without less goodput than without control."""
    more, less = (over_none(form, f"{metric}_mbps", *along) for metric in ("goodput", "loss"))
    more, less = more.told(".2f", name=f"{FORM_NAMES[form]}: goodput"), less.told(".2f", name="loss")
    return everywhere(at_least(more, 0.98), below(less, 1), in_shape=MOSTLY)


def best(forms: Sequence[str], *along: str) -> Values:
    """The most that each form has of the goodput without control."""
    return beside({FORM_NAMES[form]: most(over_none(form, "goodput_mbps", *along)) for form in forms})


def conclusion(axis: str, condition: str = "") -> Claim:
    """The paper's conclusion, of hosts of today."""
    found = best(FORMS[1:], "hosts", axis)
    return Claim(
        id="conclusion",
        text="DLCC yields between 2 and 10 times the goodput",
        where="abstract, §VIII",
        expected="2 to 10",
        tolerance=f"one form has twice the goodput of no control somewhere{condition}; in shape: 1.2 times",
        check=at_least(most(found), 2, in_shape=1.2).saying(found.told(".2f", name="at most")),
        reason=FULL,
    )


def study(
    name: str,
    title: str,
    figures: str,
    *,
    setup: Callable[[Point], Setup],
    quick: tuple[Sequence[Point], str],
    full: Sequence[Point],
    claims: Sequence[Claim],
    plots: Sequence[Plot],
    notes: Sequence[str],
    readings: Callable[[Outcome], Sequence[UnderReadings]] = lambda _: (),
) -> Experiment:
    """Hosts of today along one axis of the paper's figures; `quick` has points and which they are."""
    points, which = quick
    return Experiment(
        id=name,
        title=title,
        source=Source(paper=PAPER, figures=figures, section="what the paper does not ask"),
        setup=setup,
        measure=slots.measure,
        metrics=METRICS,
        quick=Form(
            points=points,
            replications=1,
            settings=QUICK,
            note=f"two of three kinds of hosts, {which}, 50 s, one of three replications",
        ),
        full=Form(points=full, replications=3, settings=FULL_RUN),
        claims=claims,
        plots=plots,
        describe=fullest,
        readings=readings,
        notes=notes,
    )


def fullest(outcome: Outcome) -> list[str]:
    """How many times the goodput without control a link that is always full would have: no control can do better."""
    without = outcome.table.filter(pl.col("form") == NONE)["goodput_mbps"].to_list()
    most = [slots.LINK_MBPS / goodput if goodput else float("inf") for goodput in without]
    return [
        f"A link that is always full would have {min(most):.2f} to {max(most):.2f} times the goodput without control; "
        f"at {sum(ratio >= 2 for ratio in most)} of {len(most)} points that is twice or more."
    ]


def picture(
    metric: str, label: str, styles: Mapping[str, str], forms: Sequence[str] = FORMS, axis: str = "rtt_ms", **more: Any
) -> Lines:
    """A metric along an axis, a line for a form with hosts of a kind in their style."""
    looks = {(form, hosts): (COLOURS[form], styles[hosts]) for form in forms for hosts in styles}
    return Lines(
        axis, metric, (AXES[axis], label), by=("form", "hosts"), of=list(looks), looks=looks, names=FORM_NAMES, **more
    )


def extra_buffer(**more: Any) -> Lines:
    """§VII's extra edge buffer: what waits more than when a notification came, with one control and with two."""
    return picture("extra_buffer_kbit", "extra edge buffer (kbit)", STYLES, FORMS[1:], **more)
