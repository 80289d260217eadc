"""Paper 000: is it the bursts' period that decides, or the phase of slots? Round trips about 500 ms, three silences.

"Bursts of traffic occurred at intervals of 10 s" are bursts every 20 round trips of 500 ms, and every 20.4 of 490. ACKs
clock the flows, so that a burst may meet the same phase of theirs every time. Does that make the goodput? Here the
paper's silences stand beside silences within a tenth of 9.8 s and exponential ones of that mean. Each round trip is run
at three phases of slots (000/classical), and each point has a distribution, not only a mean.

The expected values and tolerances below were committed before the first run, except those of `phase`, which trials at
490 and 510 ms gave rise to.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.plot import looks
from photocol.verdict import Finding, judge

from . import _classical as classical
from . import _slots as slots
from ._classical import PHASES_US
from ._slots import CONSTANT, EXPONENTIAL, METRICS, NONE, PAPER, SILENCES, TWO, UNIFORM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

UDP_PERCENT = 30
CLASSICAL = "classical"
SCHEMES = (NONE, TWO, CLASSICAL)
NAMES = {NONE: "no control, TCP smoothed", TWO: "DLCC, TCP smoothed", CLASSICAL: "classical network"}
NEAR_MS = (480, 490, 500, 510, 520)
RTTS_MS = (60, 180, 280, 420, *NEAR_MS, 560)
TWO_STATES = (
    "it is not the period of the bursts: silences within a tenth show both states too, and over phases of slots no law "
    "has a jump. The part of a slot by which TCP's slots come after those of the core decides who loses"
)
"""Why drawn silences are as constant ones."""
Replications = dict[float, list[float]]
"""Goodput of each replication by round trip."""


def setup(point: Point) -> Setup:
    """A scheme with silences by a law; hosts as in 000/round-trips, in the classical network those of 2009."""
    law, rtt_ms, phase_us = str(point["silences"]), float(point["rtt_ms"]), int(point["phase_us"])
    if point["scheme"] != CLASSICAL:
        delays = slots.delays(rtt_ms, phase_us)
        return slots.setup(str(point["scheme"]), rtt_ms, UDP_PERCENT, delays, silences=law)
    change = classical.silence(law)
    edge, control = classical.CLASSICAL, classical.NONE
    return classical.setup(edge, control, rtt_ms, UDP_PERCENT, phase_us=phase_us, change=change)


def goodputs(outcome: Outcome, scheme: str, law: str) -> Replications:
    """The goodput of each replication and phase, by round trip."""
    rows = outcome.replications.filter(pl.col("scheme") == scheme, pl.col("silences") == law)
    return {
        rtt_ms: rows.filter(pl.col("rtt_ms") == rtt_ms)["goodput_mbps"].to_list()
        for rtt_ms in sorted(rows["rtt_ms"].unique().to_list())
    }


def medians(found: Replications) -> dict[float, float]:
    """The median at each round trip."""
    return {rtt_ms: classical.quartiles(values)[2] for rtt_ms, values in found.items()}


def jump(outcome: Outcome, law: str) -> float:
    """The largest median over the smallest between 480 and 520 ms, without control."""
    near = [median for rtt_ms, median in medians(goodputs(outcome, NONE, law)).items() if rtt_ms in NEAR_MS]
    return max(near) / min(near)


def apart(outcome: Outcome, law: str) -> float:
    """The largest goodput of a replication over the smallest at one round trip, without control."""
    return max(max(values) / min(values) for values in goodputs(outcome, NONE, law).values())


def check_resonance(outcome: Outcome) -> Finding:
    """With bursts every 10 s the goodput jumps between neighbouring round trips, with drawn silences it does not."""
    found = {law: jump(outcome, law) for law in SILENCES}
    drawn = max(found[UNIFORM], found[EXPONENTIAL])
    return judge(
        agrees=found[CONSTANT] >= 1.3 and drawn <= 1.1,
        in_shape=drawn < found[CONSTANT],
        measured=", ".join(f"{law} {ratio:.2f}" for law, ratio in found.items()),
    )


def check_states(outcome: Outcome) -> Finding:
    """With bursts every 10 s replications at one round trip are in two states, with drawn silences in one."""
    found = {law: apart(outcome, law) for law in SILENCES}
    drawn = max(found[UNIFORM], found[EXPONENTIAL])
    return judge(
        agrees=found[CONSTANT] >= 1.3 and drawn <= 1.15,
        in_shape=drawn < found[CONSTANT],
        measured=", ".join(f"{law} {ratio:.2f}" for law, ratio in found.items()),
    )


def check_phase(outcome: Outcome) -> Finding:
    """With drawn silences and one round trip a part of a slot decides between the two states."""
    found = {}
    for rtt_ms in (490, 510):
        rows = outcome.table.filter(pl.col("scheme") == NONE, pl.col("silences") == UNIFORM, pl.col("rtt_ms") == rtt_ms)
        found[rtt_ms] = rows.sort("phase_us")["goodput_mbps"].to_list()
    ratios = [max(values) / min(values) for values in found.values()]
    return judge(
        agrees=all(ratio >= 1.3 for ratio in ratios),
        in_shape=any(ratio >= 1.3 for ratio in ratios),
        measured="; ".join(f"{rtt_ms} ms {slots.listed(values, '.1f')} Mb/s" for rtt_ms, values in found.items()),
    )


def trend(outcome: Outcome, law: str) -> Finding:
    """The median falls with the round trip, without control and with."""
    both = [list(medians(goodputs(outcome, scheme, law)).values()) for scheme in (NONE, TWO)]
    return judge(
        agrees=all(all(b < a for a, b in itertools.pairwise(series)) for series in both),
        in_shape=all(series[-1] < series[0] for series in both),
        measured=f"without {slots.listed(both[0])}; with {slots.listed(both[1])} Mb/s",
    )


def better(outcome: Outcome, law: str, without: str = NONE) -> Finding:
    """The median with DLCC is above that without at every round trip."""
    pairs = zip(*(medians(goodputs(outcome, scheme, law)).values() for scheme in (TWO, without)), strict=True)
    ratios = [above / below for above, below in pairs]
    return judge(
        agrees=all(ratio > 1 for ratio in ratios),
        in_shape=sum(ratio > 1 for ratio in ratios) > len(ratios) / 2,
        measured=f"ratios {slots.listed(ratios)}",
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """The paper's claims under each law of silences."""

    def under(claim: str, check: Callable[[Outcome, str], Finding]) -> UnderReadings:
        findings = {f"silences {law}": check(outcome, law) for law in SILENCES}
        return UnderReadings(claim=claim, where="§VII, Fig. 8", findings=findings)

    return [
        under("goodput falls with the round trip, with DLCC and without", trend),
        under("the goodput without control is always poorer", better),
        under("that of the classical network is", lambda found, law: better(found, law, CLASSICAL)),
    ]


def describe(outcome: Outcome) -> list[str]:
    """Least goodput, quartiles and greatest of the replications and phases of each point."""
    return [
        f"{NAMES[scheme]}, silences {law} (Mb/s; least | quartiles | greatest): "
        + "; ".join(f"{rtt_ms:g} ms {classical.spread(values)}" for rtt_ms, values in found.items())
        + "."
        for scheme in SCHEMES
        for law in SILENCES
        if (found := goodputs(outcome, scheme, law))
    ]


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Mean goodput over phases without control along the round trips, a line for a law of silences."""
    _draw(axes, table, {NONE: "-"})


def draw_all(axes: Axes, table: pl.DataFrame) -> None:
    """The same of DLCC and of the classical network."""
    _draw(axes, table, {TWO: "-", CLASSICAL: "--"})


def _draw(axes: Axes, table: pl.DataFrame, schemes: Mapping[str, str]) -> None:
    for scheme, line in schemes.items():
        for look, law in zip(looks(len(SILENCES)), SILENCES, strict=True):
            rows = (
                classical.averaged(table).filter(pl.col("scheme") == scheme, pl.col("silences") == law).sort("rtt_ms")
            )
            label = f"{NAMES[scheme]}, silences {law}"
            axes.plot(
                rows["rtt_ms"],
                rows["goodput_mbps"],
                line,
                color=look.colour,
                marker=look.marker,
                markersize=4,
                label=label,
            )
    axes.set_ylim(0, slots.LINK_MBPS + 2)
    axes.set_xlabel("round-trip time (ms), UDP 30 %")
    axes.set_ylabel("goodput (Mb/s)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="lower left", frameon=False, fontsize=7)


experiment = Experiment(
    id="000/bursts",
    title="DLCC: bursts at a fixed period and at drawn times, and phases of slots (simulation)",
    source=Source(paper=PAPER, figures="Figure 8", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(scheme=SCHEMES, silences=tuple(SILENCES), rtt_ms=(280, 490, 510), phase_us=PHASES_US),
        replications=1,
        settings=slots.QUICK,
        note="three of ten round trips, 100 s of 900 s, one of three replications",
    ),
    full=Form(
        points=grid(scheme=SCHEMES, silences=tuple(SILENCES), rtt_ms=RTTS_MS, phase_us=PHASES_US),
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
            tolerance="largest median over smallest from 480 to 520 ms at least 1.3 with constant silences, at most "
            "1.1 with each of the others; in shape: more than with each of the others",
            check=check_resonance,
            reason=TWO_STATES,
        ),
        Claim(
            id="states",
            text="with a fixed period replications at one round trip are in one of two states",
            whose="ours",
            where="ours",
            expected="far apart with constant silences, together with drawn ones",
            tolerance="largest replication over smallest at one round trip at least 1.3 with constant silences, at "
            "most 1.15 with each of the others; in shape: more than with each of the others",
            check=check_states,
            reason=TWO_STATES,
        ),
        Claim(
            id="phase",
            text="a part of a slot decides between the two states",
            whose="ours",
            where="ours",
            expected="another goodput at another phase of slots",
            tolerance="largest over smallest of three phases at least 1.3 at 490 and at 510 ms, no control, silences "
            "within a tenth; in shape: at one of them",
            check=check_phase,
            reason="three phases of a slot may miss one of the states",
        ),
        Claim(
            id="trend",
            text="goodput falls with the round trip, with DLCC and without",
            where="§VII, Fig. 8",
            expected="decreasing",
            tolerance="exponential silences, medians: from every round trip to the next; in shape: from the first to "
            "the last",
            check=lambda outcome: trend(outcome, EXPONENTIAL),
            reason="beyond 180 ms the phase of slots decides more than the round trip",
        ),
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Fig. 8",
            expected="a ratio above 1 at every round trip",
            tolerance="exponential silences, TCP smoothed in both, medians: above 1 at every round trip; in shape: at "
            "most of them",
            check=lambda outcome: better(outcome, EXPONENTIAL),
            reason=slots.HALVES,
        ),
    ),
    plots=(Plot(name="no-control", draw=draw), Plot(name="others", draw=draw_all)),
    describe=describe,
    readings=side_by_side,
    notes=(
        "No control and DLCC as in 000/round-trips; the classical network and its hosts as in 000/classical.",
        "Where replications are in two states a mean with its interval describes neither; the report has quartiles.",
    ),
)
