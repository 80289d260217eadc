"""Paper 000, figures 11 and 12: goodput and extra edge buffer against the share of UDP, 500 ms.

Bursts every 10 s come every 20 round trips of 500 ms, at the same phase of the flows. So each point also has silences
within a tenth of 9.8 s, whose bursts come at drawn phases; a claim holds if it does under both.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Plot, Point, Setup, Source, grid

from . import _along as along
from . import _slots as slots
from ._slots import CONSTANT, HALVES, METRICS, PAPER, SCHEMES, SHARES_PERCENT, UNIFORM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome
    from photocol.verdict import Finding

AXIS, RTT_MS = "udp_percent", 500


def setup(point: Point) -> Setup:
    """A scheme with a share of UDP, and silences by a law."""
    return slots.setup(str(point["scheme"]), RTT_MS, float(point[AXIS]), silences=str(point["silences"]))


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 11."""
    slots.draw(axes, table.filter(pl.col("silences") == CONSTANT), AXIS, "goodput_mbps")
    axes.set_xlabel("UDP in a burst (% of the link)")
    axes.set_ylabel("goodput (Mb/s)")


def draw_drawn(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 11 with drawn phases."""
    slots.draw(axes, table.filter(pl.col("silences") == UNIFORM), AXIS, "goodput_mbps")
    axes.set_xlabel("UDP in a burst (% of the link), silences within a tenth")
    axes.set_ylabel("goodput (Mb/s)")


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 12."""
    slots.draw_extra(axes, table.filter(pl.col("silences") == CONSTANT), AXIS)
    axes.set_xlabel("UDP in a burst (% of the link)")


CHECKS: Mapping[str, Callable[[Outcome], Finding]] = {
    "better": partial(along.better, AXIS),
    "factor": partial(along.factor, AXIS),
    "trend": partial(along.goodput_falls, AXIS),
    "extra-buffer": partial(along.buffer_grows, AXIS),
    "ack-pacing": partial(along.beats_pacing, AXIS),
}


def under_both(claim: str) -> Callable[[Outcome], Finding]:
    """The check of a claim under both laws of silences."""
    return lambda outcome: slots.under_each(outcome, CHECKS[claim])


def describe(outcome: Outcome) -> list[str]:
    """The closed forms, which know no phase, beside the paper's silences."""
    paper = slots.where(outcome, pl.col("silences") == CONSTANT)
    return along.closed_forms(AXIS, paper, lambda share: (RTT_MS, share))


experiment = Experiment(
    id="000/udp-shares",
    title="DLCC: goodput and edge buffer against the share of UDP (simulation)",
    source=Source(paper=PAPER, figures="Figures 11 and 12", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(silences=(CONSTANT, UNIFORM), scheme=SCHEMES, udp_percent=(10, 40)),
        replications=1,
        settings=slots.QUICK,
        note="two of four shares, 100 s of 2577 s, one of six replications",
    ),
    full=Form(
        points=grid(silences=(CONSTANT, UNIFORM), scheme=SCHEMES, udp_percent=SHARES_PERCENT),
        replications=6,
        settings=slots.FULL,
    ),
    claims=(
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Fig. 11",
            expected="a ratio above 1 at every share",
            tolerance="above 1 at every share, under both laws of silences; in shape: at most shares",
            check=under_both("better"),
            reason=HALVES,
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="from 2 to 10 at every share, under both laws of silences; in shape: at one share",
            check=under_both("factor"),
            reason=HALVES,
        ),
        Claim(
            id="trend",
            text="goodput falls with the share of UDP, with DLCC and without",
            where="§VII, Fig. 11",
            expected="decreasing",
            tolerance="from every share to the next, under both laws of silences; in shape: from the first to the last",
            check=under_both("trend"),
        ),
        Claim(
            id="extra-buffer",
            text="the extra edge buffer grows with the share of UDP",
            where="§VII, Fig. 12",
            expected="increasing",
            tolerance="from every share to the next, under both laws of silences; in shape: from the first to the last",
            check=under_both("extra-buffer"),
            reason=slots.FROZEN_SHARES,
        ),
        Claim(
            id="ack-pacing",
            text="DLCC loses less and gains more goodput than ACK pacing",
            where="§VII",
            expected="at every share",
            tolerance="both at every share, under both laws of silences; in shape: at most shares",
            check=under_both("ack-pacing"),
            reason="it loses less, but ACK pacing makes no sender halve its window",
        ),
    ),
    describe=describe,
    readings=lambda outcome: slots.by_law(experiment.claims, outcome, CHECKS),
    plots=(
        Plot(name="figure-11", draw=draw_goodput),
        Plot(name="figure-11-drawn", draw=draw_drawn),
        Plot(name="figure-12", draw=draw_buffer),
    ),
    notes=("Network and readings as in 000/round-trips.", slots.LOTS),
)
