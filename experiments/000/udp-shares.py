"""Paper 000, figures 11 and 12: goodput and extra edge buffer against the share of UDP, 500 ms.

Bursts every 10 s come every 20 round trips of 500 ms, at the same phase of the flows. So each point also has silences
within a tenth of 9.8 s, whose bursts come at drawn phases; a claim holds if it does under both.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Experiment, Form, Plot, Point, Setup, Source, grid

from . import _along as along
from . import _slots as slots
from ._slots import CONSTANT, HALVES, METRICS, PAPER, SCHEMES, SHARES_PERCENT, UNIFORM

if TYPE_CHECKING:
    from photocol.experiment import Outcome
    from photocol.plot import Lines

AXIS, RTT_MS = "udp_percent", 500


def setup(point: Point) -> Setup:
    """A scheme with a share of UDP, and silences by a law."""
    return slots.setup(str(point["scheme"]), RTT_MS, float(point[AXIS]), silences=str(point["silences"]))


def describe(outcome: Outcome) -> list[str]:
    """The closed forms, which know no phase, beside the paper's silences."""
    paper = slots.where(outcome, pl.col("silences") == CONSTANT)
    return along.closed_forms(AXIS, paper, lambda share: (RTT_MS, share))


CLAIMS = along.claims(
    along.Words(
        axis=AXIS,
        name="share of UDP",
        point="share",
        most="most shares",
        one="one share",
        goodput="Fig. 11",
        buffer="Fig. 12",
        reasons={
            "better": HALVES,
            "factor": HALVES,
            "extra-buffer": slots.FROZEN_SHARES,
            "ack-pacing": along.NO_HALVING,
        },
        condition=", under both laws of silences",
    )
).values()


def goodput(label: str, law: str) -> Lines:
    """Figure 11 with silences by a law."""
    return slots.picture(AXIS, "goodput_mbps", (label, "goodput (Mb/s)"), where={"silences": law})


LABEL = "UDP in a burst (% of the link)"

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
    claims=slots.under_both(CLAIMS),
    describe=describe,
    readings=lambda outcome: slots.by_law(CLAIMS, outcome),
    plots=(
        Plot(name="figure-11", draw=goodput(LABEL, CONSTANT)),
        Plot(name="figure-11-drawn", draw=goodput(f"{LABEL}, silences within a tenth", UNIFORM)),
        Plot(name="figure-12", draw=slots.extra_buffer(AXIS, LABEL, where={"silences": CONSTANT})),
    ),
    notes=("Network and readings as in 000/round-trips.", slots.LOTS),
)
