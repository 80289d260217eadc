"""Paper 000, §V.F as packets: thousands of TCP flows on 10 Gb/s, and UDP whose rate jumps, beside the closed forms.

The paper's analysis has 10 Gb/s, packets of 2000 B, up to 10 000 flows and UDP whose share is uniform up to R; its
simulation has 55 Mb/s and 40 flows. Here the analysis' own scenario runs: UDP takes thirteen drawn shares of up to
30 %, each for a sawtooth of TCP or a second, and eight of its twelve jumps are rises. Losses in the time that the
closed form gives to a congestion are compared with it.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, Values, above, at_least, below, falls_with, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid

from . import _classical as classical
from . import _section5 as section5
from . import _slots as slots
from ._classical import BOTH, CLASSICAL, NONE, ONE, TCP
from ._section5 import Network
from ._slots import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OFTEN = ", decided every round trip"
SCHEMES = {
    classical.name(edge, control) + often: (edge, control)
    for edge, control, often in (
        (CLASSICAL, NONE, ""),
        (TCP, NONE, ""),
        (TCP, ONE, ""),
        (TCP, BOTH, ""),
        (TCP, ONE, OFTEN),
        (TCP, BOTH, OFTEN),
    )
}
"""The last two decide about the rate every round trip, not once a second: whether that moves the edge's backlog."""
CLASSIC, SMOOTHED, ONE_CONTROL, TWO_CONTROLS, ONE_OFTEN, TWO_OFTEN = SCHEMES
LABELS = {
    CLASSIC: "classical network",
    SMOOTHED: "TCP smoothed, no control",
    ONE_CONTROL: "DLCC, 1 control",
    TWO_CONTROLS: "DLCC, 2 controls",
    ONE_OFTEN: "DLCC, 1 control" + OFTEN,
    TWO_OFTEN: "DLCC, 2 controls" + OFTEN,
}
FLOWS, RTTS_MS = (1000, 4000, 10_000), (60, 180)


def network(flows: float, rtt_ms: float, capacity_gbps: float) -> Network:
    """At a tenth of the capacity there is a tenth of the flows."""
    return Network(int(flows), rtt_ms / 1000, capacity_gbps * 1e9)


def setup(point: Point) -> Setup:
    """A scheme in a network."""
    place = network(float(point["flows"]), float(point["rtt_ms"]), float(point["capacity_gbps"]))
    edge, control = SCHEMES[str(point["scheme"])]
    keys = {**classical.EDGES[edge], **classical.CONTROLS[control]}
    if control == BOTH:
        keys["switching.dlcc.record"] = f"{1000 * place.rtt_s + 600:.0f} ms"
    if str(point["scheme"]).endswith(OFTEN):
        keys["switching.dlcc.negotiation"] = f"{1000 * place.rtt_s:.0f} ms"
    return Setup(scenario=section5.scenario(place), settings={**section5.settings(place), **keys})


def rows(outcome: Outcome, scheme: str, metric: str) -> list[tuple[Network, float]]:
    """A metric of a scheme in each network."""
    table = outcome.table.filter(pl.col("scheme") == scheme).sort("rtt_ms", "flows")
    places = table.select("flows", "rtt_ms", "capacity_gbps").rows()
    return [(network(*place), value) for place, value in zip(places, table[metric].to_list(), strict=True)]


def said(place: Network) -> tuple[float, float]:
    """The closed form's mean loss over the rises, without control and with."""
    jumps = [(before, after) for _, before, after in place.jumps]
    return (
        section5.mean([place.lost(*jump) for jump in jumps]),
        section5.mean([place.lost_with_control(*jump) for jump in jumps]),
    )


def first(place: Network) -> float:
    """The closed form's mean loss in the first round trip after a rise, without control."""
    return section5.mean([place.lost_in_round_trip(before, after) for _, before, after in place.jumps])


def along(scheme: str, metric: str, form: str = ".2f") -> Values:
    """A metric of a scheme by capacity, round trip and number of flows."""
    return values(metric, ("capacity_gbps", "rtt_ms", "flows"), form=form, scheme=scheme)


def told(of: Values, form: str = ".2f", unit: str = "") -> Values:
    """By the networks in words."""
    return of.told(form, unit).renamed(lambda at: f"{at[2]} at {at[1]} ms")


def compared(scheme: str, form: int) -> Predicate:
    """The losses that a rise adds, over those of the closed form."""
    found = along(scheme, "more_per_rise_packets") / (lambda at: said(network(at[2], at[1], at[0]))[form])
    return within(told(found), 0.75, 1.25, in_shape=(0.5, 2))


CONTROL = along(CLASSIC, "lost_per_rise_packets") / along(TWO_CONTROLS, "lost_per_rise_packets")
FEWER = along(CLASSIC, "more_per_rise_packets", ".0f")
BUFFER = told(along(TWO_CONTROLS, "buffer_per_rise_packets") / along(ONE_CONTROL, "buffer_per_rise_packets"))
IN_USE = told(along(CLASSIC, "full_percent"), ".1f", " %")


def describe(outcome: Outcome) -> list[str]:
    """Measured loss and closed form in each network."""
    return [
        f"{place.flows} flows, {1000 * place.rtt_s:.0f} ms, largest window {place.largest_window:.1f} packets: "
        f"{LABELS[scheme]} {more:.0f} packets more a rise, by the closed form {said(place)[form]:.0f}"
        + (f", of which {first(place):.0f} in the first round trip." if form == 0 else ".")
        for scheme, form in ((CLASSIC, 0), (SMOOTHED, 0), (ONE_CONTROL, 1), (TWO_CONTROLS, 1))
        for place, more in rows(outcome, scheme, "more_per_rise_packets")
    ] + backlogs(outcome)


def backlogs(outcome: Outcome) -> list[str]:
    """The edge's backlog after a rise and between rises: by how much it grows without one."""
    metrics = ("buffer_per_rise_packets", "quiet_buffer_packets")
    return [
        f"{place.flows} flows, {1000 * place.rtt_s:.0f} ms, {LABELS[scheme]}: the edge's backlog grows by {rise:.0f} "
        f"packets at a rise, and by {quiet:.0f} in as long a time without one; by the closed form by "
        f"{section5.mean([place.buffered(*jump, artificial_acks=acks) for _, *jump in place.jumps]):.0f}."
        for scheme, acks in ((ONE_CONTROL, False), (TWO_CONTROLS, True), (ONE_OFTEN, False), (TWO_OFTEN, True))
        for (place, rise), (_, quiet) in zip(*(rows(outcome, scheme, name) for name in metrics), strict=True)
    ]


COLOURS = dict(zip(SCHEMES, ("#000000", "#999999", "#56B4E9", "#D55E00"), strict=False))
"""Of the schemes that are drawn."""


def draw(axes: Axes, table: pl.DataFrame, rtt_ms: float) -> None:
    """As figure 7, at a round trip."""
    outcome = Outcome(table=table.filter(pl.col("rtt_ms") == rtt_ms), replications=table)
    for scheme, colour in COLOURS.items():
        found = rows(outcome, scheme, "lost_per_rise_packets")
        flows = [place.flows for place, _ in found]
        axes.plot(flows, [value for _, value in found], "-o", color=colour, markersize=4, label=LABELS[scheme])
    places = [place for place, _ in rows(outcome, CLASSIC, "lost_per_rise_packets")]
    for form, (line, words) in enumerate((("--", "§V.F without control"), (":", "§V.F with"))):
        axes.plot(
            [place.flows for place in places], [said(place)[form] for place in places], line, color="0.4", label=words
        )
    axes.set_xscale("log")
    axes.plot([place.flows for place in places], [first(place) for place in places], "-.", color="0.6", label="r·2T")
    axes.set_yscale("symlog", linthresh=10)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"TCP flows, round trip {rtt_ms} ms")
    axes.set_ylabel("packets lost at a rise of UDP")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(frameon=False, fontsize=7)


METRICS = (
    Metric(name="lost_per_rise_packets", label="lost at a rise (packets)", form=".0f"),
    Metric(name="more_per_rise_packets", label="of these more than between rises (packets)", form=".0f"),
    Metric(name="quiet_loss_percent", label="lost between rises (% of the link)", form=".3f"),
    Metric(name="buffer_per_rise_packets", label="the edge's backlog grows by (packets)", form=".0f"),
    Metric(name="quiet_buffer_packets", label="as long without a rise (packets)", form=".0f"),
    Metric(name="full_percent", label="link in use before a rise (%)", form=".1f"),
    Metric(name="timeouts_per_flow", label="timeouts a flow", form=".2f"),
    Metric(name="tcp_share_percent", label="TCP's goodput (% of the link)", form=".1f"),
    *slots.PRICE,
)

experiment = Experiment(
    id="000/section-5",
    title="DLCC with thousands of flows at 10 Gb/s, beside the closed forms (simulation)",
    source=Source(paper=PAPER, figures="Figures 4, 6 and 7", section="§V.F, §VI"),
    setup=setup,
    measure=section5.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(capacity_gbps=(1,), scheme=tuple(SCHEMES), flows=(100, 1000), rtt_ms=RTTS_MS),
        replications=1,
        note="a tenth of the capacity and of the flows, two of three numbers of flows, one of two replications",
    ),
    full=Form(
        points=grid(capacity_gbps=(10,), scheme=tuple(SCHEMES), flows=FLOWS, rtt_ms=RTTS_MS),
        replications=2,
    ),
    claims=(
        Claim(
            id="full",
            text="many flows fill the link",
            where="§V.F, an assumption",
            expected="TCP takes what UDP leaves",
            tolerance="the classical network's link in use for at least 95 % before the rises; in shape: 80 %",
            check=at_least(IN_USE, 95, in_shape=80),
            reason="windows of a hundred packets that are halved together leave the link idle: the core has 20 places",
        ),
        Claim(
            id="loss",
            text="without control a rise of UDP loses r·2T and what is over while flows halve",
            where="§V.F 1)",
            expected="the closed form",
            tolerance="0.75 to 1.25 of it in every network, less what is lost between rises; in shape: 0.5 to 2",
            check=compared(CLASSIC, 0),
            reason="in the first round trip a rise loses more packets than flows would have to halve, so that more of "
            "them halve at once and none one by one: what is lost stays below r·2T",
        ),
        Claim(
            id="loss-dlcc",
            text="with DLCC a rise of UDP loses r·2T1",
            where="§V.F 2)",
            expected="the closed form",
            tolerance="0.75 to 1.25 of it in every network, less what is lost between rises; in shape: 0.5 to 2",
            check=compared(TWO_CONTROLS, 1),
            reason="with DLCC the link is not full before a rise, which then finds room",
        ),
        Claim(
            id="six",
            text="control divides the loss by six and more",
            where="abstract, §VI, Fig. 4",
            expected="at least 6 with many flows",
            tolerance="at least 6 in every network; in shape: less is lost with control",
            check=at_least(CONTROL, 6, in_shape=above(CONTROL, 1)).saying(told(CONTROL)),
            reason="with windows of four packets both networks lose most between rises, by TCP's own probing",
        ),
        Claim(
            id="flows",
            text="the loss falls with the number of flows",
            where="§VI, Fig. 7",
            expected="decreasing",
            tolerance="from every number to the next, at both round trips; in shape: from the first to the last",
            check=falls_with(FEWER).saying(told(FEWER, ".0f")),
            reason="the closed form falls by what is lost while flows halve one by one, which they do not",
        ),
        Claim(
            id="buffer",
            text="two controls need less edge buffer than one",
            where="§VI, Fig. 6",
            expected="0.4 of it",
            tolerance="the edge's backlog grows by 0.2 to 0.6 as much; in shape: by less",
            check=within(BUFFER, 0.2, 0.6, in_shape=below(BUFFER, 1)),
            reason="TCP's own queue at the edge node moves without a rise too: in as long a time 0.5 to 1.6 times as "
            "much with one control, 0.2 to 1.6 with two, 0.4 to 0.9 with two that decide every round trip",
        ),
    ),
    plots=(
        Plot(name="losses-60", draw=partial(draw, rtt_ms=60)),
        Plot(name="losses-180", draw=partial(draw, rtt_ms=180)),
    ),
    describe=describe,
    notes=(
        "TCP acknowledges every segment, as the paper's sawtooth assumes; the other keys are those of 000/round-trips.",
        "A period of UDP lasts a sawtooth, at least a second; the warm-up three sawteeth, at least five seconds.",
        slots.LOTS,
        "The closed form of a jump is that of `dlcc-unsynchronized`, corrected: the overload falls while flows halve.",
    ),
)
