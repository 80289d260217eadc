"""Paper 000: is it the bursts' period that decides, or who gets the last place of a slot? Round trips about 500 ms.

"Bursts of traffic occurred at intervals of 10 s" are bursts every 20 round trips of 500 ms, and every 20.4 of 490. ACKs
clock the flows, so that a burst may meet the same phase of theirs every time. Does that make the goodput? Here the
paper's silences stand beside silences within a tenth of 9.8 s and exponential ones of that mean.

Slots of several inputs come to the core at any time of its slots, and the paper does not say which gets the last place.
In the order of arrival the same input gets it for as long as its phase lasts, so that each round trip is run at three
phases: thirds of a slot by which T1 and T2 are longer. Where the place is drawn in each slot, as in the other
experiments, a phase should not matter.

The expected values and tolerances below were committed before the first run, except those of `phase` and `lots`, which
trials at 490, 500 and 510 ms gave rise to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    below,
    beside,
    falls_with,
    highest,
    least,
    most,
    values,
)
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.plot import looks
from photocol.verdict import not_run

from . import _classical as classical
from . import _slots as slots
from ._slots import ARBITRATION, CONSTANT, EXPONENTIAL, FIRST_COME, METRICS, NONE, PAPER, RANDOM, SILENCES, TWO, UNIFORM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

UDP_PERCENT = 30
CLASSICAL = "classical"
SCHEMES = (NONE, TWO, CLASSICAL)
PHASES_US = (0, 28, 56)
"""Thirds of a slot of 83.79 µs."""
NAMES = {NONE: "no control, TCP smoothed", TWO: "DLCC, TCP smoothed", CLASSICAL: "classical network"}
WORDS = {FIRST_COME: "places in order of arrival", RANDOM: "places drawn"}
NEAR_MS = (480, 490, 500, 510, 520)
RTTS_MS = (60, 180, 280, 420, *NEAR_MS, 560)
TWO_STATES = (
    "it is not the period of the bursts: silences within a tenth show both states too, and over phases of slots no law "
    "has a jump. In the order of arrival the part of a slot by which TCP's slots come after those of the core decides "
    "who loses"
)
"""Why drawn silences are as constant ones."""
Replications = dict[float, list[float]]
"""Goodput of each replication by round trip."""


def points(rtts: Sequence[int], drawn_us: Sequence[int] = PHASES_US) -> tuple[Point, ...]:
    """No control at phases of slots, under both arbitrations; DLCC in order of arrival where its claims are judged."""
    laws = tuple(SILENCES)
    return (
        *grid(arbitration=(FIRST_COME,), scheme=(NONE,), silences=laws, rtt_ms=rtts, phase_us=PHASES_US),
        *grid(arbitration=(RANDOM,), scheme=(NONE,), silences=laws, rtt_ms=rtts, phase_us=drawn_us),
        *grid(arbitration=(FIRST_COME,), scheme=(TWO,), silences=(EXPONENTIAL,), rtt_ms=rtts, phase_us=PHASES_US),
        *grid(arbitration=(RANDOM,), scheme=(TWO, CLASSICAL), silences=laws, rtt_ms=rtts, phase_us=(0,)),
    )


def setup(point: Point) -> Setup:
    """A scheme with silences by a law; hosts as in 000/round-trips, in the classical network those of 2009."""
    law, rtt_ms = str(point["silences"]), float(point["rtt_ms"])
    keys = {**slots.delays(rtt_ms, int(point["phase_us"])), ARBITRATION: str(point["arbitration"])}
    if point["scheme"] != CLASSICAL:
        return slots.setup(str(point["scheme"]), rtt_ms, UDP_PERCENT, keys, silences=law)
    change = classical.silence(law)
    return classical.setup(classical.CLASSICAL, classical.NONE, rtt_ms, UDP_PERCENT, change=change, more=keys)


def goodputs(outcome: Outcome, scheme: str, law: str, rule: str) -> Replications:
    """The goodput of each replication and phase, by round trip."""
    rows = outcome.replications.filter(
        pl.col("scheme") == scheme, pl.col("silences") == law, pl.col("arbitration") == rule
    )
    return {
        rtt_ms: rows.filter(pl.col("rtt_ms") == rtt_ms)["goodput_mbps"].to_list()
        for rtt_ms in sorted(rows["rtt_ms"].unique().to_list())
    }


def medians(scheme: str, law: str, rule: str, name: str = "") -> Values:
    """The median of replications and phases along the round trips."""

    def read(outcome: Outcome) -> dict[Any, float]:
        return {at: classical.quartiles(all_)[2] for at, all_ in goodputs(outcome, scheme, law, rule).items()}

    return Values(read, ".2f", name=name)


def jump(law: str, rule: str = FIRST_COME) -> Values:
    """The largest median over the smallest between 480 and 520 ms, without control."""
    near = medians(NONE, law, rule).among(lambda rtt_ms: rtt_ms in NEAR_MS)
    return most(near) / least(near)


def apart(law: str) -> Values:
    """The largest goodput of a replication and phase over the smallest at one round trip, without control."""
    return Values(
        lambda outcome: {None: max(max(all_) / min(all_) for all_ in goodputs(outcome, NONE, law, FIRST_COME).values())}
    )


def fixed_alone(found: Mapping[str, Values], most_drawn: float) -> Predicate:
    """Far apart with bursts at a fixed period, together with drawn silences."""
    drawn = highest(found[UNIFORM], found[EXPONENTIAL])
    alone = at_least(found[CONSTANT], 1.3) & at_most(drawn, most_drawn)
    return alone.in_shape(below(drawn, found[CONSTANT])).saying(beside(found).told(".2f"))


def by_phase(law: str, rule: str) -> Values:
    """The mean goodput by round trip and phase, without control."""
    return values("goodput_mbps", ("rtt_ms", "phase_us"), form=".1f", arbitration=rule, scheme=NONE, silences=law)


def over_phases(law: str, rule: str) -> Values:
    """The largest over the smallest of the phases at each round trip."""

    def read(outcome: Outcome) -> dict[Any, float]:
        phases: dict[float, list[float]] = {}
        for (rtt_ms, _), one in by_phase(law, rule).read(outcome).items():
            phases.setdefault(rtt_ms, []).append(one)
        return {rtt_ms: max(all_) / min(all_) for rtt_ms, all_ in phases.items()}

    return Values(read)


def states(rule: str) -> Values:
    """The most by which phases at a round trip are apart, or medians near 500 ms, under any law."""
    return highest(*(of for law in SILENCES for of in (most(over_phases(law, rule)), jump(law, rule))))


PHASES = by_phase(UNIFORM, FIRST_COME).among(lambda at: at[0] in (490, 510))
DRAWN, ARRIVAL = states(RANDOM), states(FIRST_COME)


def trend(law: str, rule: str = RANDOM) -> Predicate:
    """The median falls with the round trip, without control and with."""
    return falls_with(medians(NONE, law, rule, "without")) & falls_with(medians(TWO, law, rule, "with"))


def better(law: str, without: str = NONE, rule: str = RANDOM) -> Predicate:
    """The median with DLCC is above that without at every round trip."""
    return above(medians(TWO, law, rule) / medians(without, law, rule), 1, in_shape=MOSTLY)


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """The paper's claims under each law of silences, and with exponential ones in order of arrival."""

    def under(claim: str, check: Callable[..., Predicate], *, either: bool = True) -> UnderReadings:
        findings = {f"silences {law}, {WORDS[RANDOM]}": check(law)(outcome) for law in SILENCES}
        findings[f"silences {EXPONENTIAL}, {WORDS[FIRST_COME]}"] = (
            check(EXPONENTIAL, rule=FIRST_COME)(outcome) if either else not_run("the classical network runs drawn only")
        )
        return UnderReadings(claim=claim, where="§VII, Fig. 8", findings=findings)

    return [
        under("goodput falls with the round trip, with DLCC and without", trend),
        under("the goodput without control is always poorer", better),
        under("that of the classical network is", lambda law: better(law, CLASSICAL), either=False),
    ]


def describe(outcome: Outcome) -> list[str]:
    """Least goodput, quartiles and greatest of the replications and phases of each point."""
    return [
        f"{NAMES[scheme]}, silences {law}, {WORDS[rule]} (Mb/s; least | quartiles | greatest): "
        + "; ".join(f"{rtt_ms:g} ms {classical.spread(values)}" for rtt_ms, values in found.items())
        + "."
        for rule in (FIRST_COME, RANDOM)
        for scheme in SCHEMES
        for law in SILENCES
        if (found := goodputs(outcome, scheme, law, rule))
    ]


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput without control along the round trips, a mark for each phase; in order of arrival and drawn."""
    rows = table.filter(pl.col("scheme") == NONE)
    for rule, line in {FIRST_COME: ":", RANDOM: "-"}.items():
        _draw(axes, rows.filter(pl.col("arbitration") == rule), line, WORDS[rule], hollow=rule == FIRST_COME)
    _dress(axes)


def draw_all(axes: Axes, table: pl.DataFrame) -> None:
    """The same of DLCC and of the classical network, drawn."""
    rows = table.filter(pl.col("arbitration") == RANDOM)
    for scheme, line in {TWO: "-", CLASSICAL: "--"}.items():
        _draw(axes, rows.filter(pl.col("scheme") == scheme), line, NAMES[scheme], hollow=scheme == CLASSICAL)
    _dress(axes)


def _draw(axes: Axes, table: pl.DataFrame, line: str, words: str, *, hollow: bool) -> None:
    for look, law in zip(looks(len(SILENCES)), SILENCES, strict=True):
        rows = table.filter(pl.col("silences") == law).sort("rtt_ms")
        mean = rows.group_by("rtt_ms", maintain_order=True).agg(pl.col("goodput_mbps").mean())
        axes.plot(mean["rtt_ms"], mean["goodput_mbps"], line, color=look.colour, linewidth=1)
        axes.plot(
            rows["rtt_ms"],
            rows["goodput_mbps"],
            linestyle="none",
            color=look.colour,
            marker=look.marker,
            markerfacecolor="none" if hollow else look.colour,
            markersize=4,
            label=f"{words}, silences {law}",
        )


def _dress(axes: Axes) -> None:
    axes.set_ylim(0, slots.LINK_MBPS + 2)
    axes.set_xlabel("round-trip time (ms), UDP 30 %")
    axes.set_ylabel("goodput (Mb/s)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="lower left", frameon=False, fontsize=7)


experiment = Experiment(
    id="000/bursts",
    title="DLCC: bursts at a fixed period and at drawn times, and who gets the last place (simulation)",
    source=Source(paper=PAPER, figures="Figure 8", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=points((280, 490, 510), PHASES_US[:2]),
        replications=1,
        settings=slots.QUICK,
        note="three of ten round trips, two of three phases where places are drawn, 100 s of 900 s, one of three "
        "replications",
    ),
    full=Form(
        points=points(RTTS_MS),
        replications=3,
        settings=classical.FULL,
    ),
    claims=(
        Claim(
            id="resonance",
            text="bursts at a fixed period make the goodput without control jump between neighbouring round trips",
            whose="ours",
            where="ours, after §VII's bursts every 10 s",
            expected="a jump with constant silences, none with drawn ones",
            tolerance="places in order of arrival: largest median over smallest from 480 to 520 ms at least "
            "1.3 with constant silences, at most "
            "1.1 with each of the others; in shape: more than with each of the others",
            check=fixed_alone({law: jump(law) for law in SILENCES}, 1.1),
            reason=TWO_STATES,
        ),
        Claim(
            id="states",
            text="with a fixed period replications at one round trip are in one of two states",
            whose="ours",
            where="ours",
            expected="far apart with constant silences, together with drawn ones",
            tolerance="places in order of arrival: largest replication over smallest at one round trip at "
            "least 1.3 with constant silences, at "
            "most 1.15 with each of the others; in shape: more than with each of the others",
            check=fixed_alone({law: apart(law) for law in SILENCES}, 1.15),
            reason=TWO_STATES,
        ),
        Claim(
            id="phase",
            text="a part of a slot decides between the two states",
            whose="ours",
            where="ours",
            expected="another goodput at another phase of slots",
            tolerance="places in order of arrival: largest over smallest of three phases at least 1.3 at 490 "
            "and at 510 ms, no control, silences "
            "within a tenth; in shape: at one of them",
            check=at_least(over_phases(UNIFORM, FIRST_COME).at(490, 510), 1.3, in_shape=SOMEWHERE).saying(PHASES),
            reason="three phases of a slot may miss one of the states",
        ),
        Claim(
            id="lots",
            text="where the last place is drawn there is one state, whatever the phase of slots",
            whose="ours",
            where="ours",
            expected="the same goodput at every phase, and no jump about 500 ms",
            tolerance="places drawn, no control, each law: largest over smallest of the phases at a round trip, and "
            "of medians from 480 to 520 ms, at most 1.15; in shape: less than in order of arrival",
            check=at_most(DRAWN, 1.15, in_shape=below(DRAWN, ARRIVAL)).saying(
                beside({WORDS[FIRST_COME]: ARRIVAL, WORDS[RANDOM]: DRAWN}).told(".2f")
            ),
        ),
        Claim(
            id="trend",
            text="goodput falls with the round trip, with DLCC and without",
            where="§VII, Fig. 8",
            expected="decreasing",
            tolerance="places drawn, exponential silences, medians: from every round trip to the next; in "
            "shape: from the first to "
            "the last",
            check=trend(EXPONENTIAL),
            reason="round trips 10 ms apart differ by less than replications at one of them do",
        ),
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Fig. 8",
            expected="a ratio above 1 at every round trip",
            tolerance="places drawn, exponential silences, TCP smoothed in both, medians: above 1 at every "
            "round trip; in shape: at "
            "most of them",
            check=better(EXPONENTIAL),
            reason=slots.HALVES,
        ),
    ),
    plots=(Plot(name="no-control", draw=draw), Plot(name="others", draw=draw_all)),
    describe=describe,
    readings=side_by_side,
    notes=(
        "No control and DLCC as in 000/round-trips; the classical network and its hosts as in 000/classical.",
        "In the order of arrival a mean with its interval describes neither of two states; the report has quartiles.",
    ),
)
