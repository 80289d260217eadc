"""Paper 000, figures 11 and 12: goodput and extra edge buffer against the share of UDP, 500 ms.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from photocol.experiment import Claim, Experiment, Form, Plot, Point, Setup, Source, grid

from . import _along as along
from . import _slots as slots
from ._slots import METRICS, PAPER, SCHEMES, SHARES_PERCENT, TIMID

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

AXIS, RTT_MS = "udp_percent", 500


def setup(point: Point) -> Setup:
    """A scheme with a share of UDP."""
    return slots.setup(str(point["scheme"]), RTT_MS, float(point[AXIS]))


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 11."""
    slots.draw(axes, table, AXIS, "goodput_mbps")
    axes.set_xlabel("UDP in a burst (% of the link)")
    axes.set_ylabel("goodput (Mb/s)")


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 12."""
    slots.draw_extra(axes, table, AXIS)
    axes.set_xlabel("UDP in a burst (% of the link)")


experiment = Experiment(
    id="000/udp-shares",
    title="DLCC: goodput and edge buffer against the share of UDP (simulation)",
    source=Source(paper=PAPER, figures="Figures 11 and 12", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(scheme=SCHEMES, udp_percent=(10, 40)),
        replications=2,
        settings=slots.QUICK,
        note="two of four shares, 100 s of 2577 s, two of six replications",
    ),
    full=Form(
        points=grid(scheme=SCHEMES, udp_percent=SHARES_PERCENT),
        replications=6,
        settings=slots.FULL,
    ),
    claims=(
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Fig. 11",
            expected="a ratio above 1 at every share",
            tolerance="above 1 at every share; in shape: at most of them",
            check=partial(along.better, AXIS),
            reason=TIMID,
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="from 2 to 10 at every share; in shape: at one of them",
            check=partial(along.factor, AXIS),
            reason=TIMID,
        ),
        Claim(
            id="trend",
            text="goodput falls with the share of UDP, with DLCC and without",
            where="§VII, Fig. 11",
            expected="decreasing",
            tolerance="from every share to the next; in shape: from the first to the last",
            check=partial(along.goodput_falls, AXIS),
        ),
        Claim(
            id="extra-buffer",
            text="the extra edge buffer grows with the share of UDP",
            where="§VII, Fig. 12",
            expected="increasing",
            tolerance="from every share to the next; in shape: from the first to the last",
            check=partial(along.buffer_grows, AXIS),
            reason="the difference of two large buffers, whose mean is that of TCP's own queue at the edge node",
        ),
        Claim(
            id="ack-pacing",
            text="DLCC loses less and gains more goodput than ACK pacing",
            where="§VII",
            expected="at every share",
            tolerance="both at every share; in shape: at most of them",
            check=partial(along.beats_pacing, AXIS),
            reason="it loses less, but ACK pacing makes no sender halve its window",
        ),
    ),
    describe=lambda outcome: along.closed_forms(AXIS, outcome, lambda share: (RTT_MS, share)),
    plots=(Plot(name="figure-11", draw=draw_goodput), Plot(name="figure-12", draw=draw_buffer)),
    notes=("Network and readings as in 000/round-trips.",),
)
