"""Paper 003, figure 3.1: signalling once a frame, eq. (3.1): overhead and scheduling delay against the frame size.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import above, at_least, below, least, mean, most, near, rises, values
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Plot, Point, Source, grid

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

NODES = 100
SLOT_S = 250e-6
MULTIPLES = (1.25, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20)
POINTS = grid(frame_over_nodes=[float(multiple) for multiple in MULTIPLES])


def setup(point: Point) -> Evaluation:
    """A star of 100 nodes; the frame is a multiple of that."""
    frame = round(NODES * float(point["frame_over_nodes"]))
    return Evaluation(model="aapn-signalling", inputs={"nodes": NODES, "frame": frame, "slot": SLOT_S})


def measure(result: RunResult) -> Mapping[str, float]:
    """Overhead, and the frame that passes between a request and its slots, in slots."""
    return {
        "overhead": result.summary["frame_overhead"].value,
        "delay_slots": result.summary["frame_s"].value / SLOT_S,
        "scheduler_slots": result.summary["scheduling_time_s"].value / SLOT_S,
    }


OVERHEAD, DELAY = values("overhead", "frame_over_nodes"), values("delay_slots", "frame_over_nodes")
EARLY = (OVERHEAD.at(1.25) - OVERHEAD.at(5.0).renamed(lambda _: 1.25)).told(
    ".2f", name="from 1.25 to 5 times the nodes"
)
LATE = (OVERHEAD.at(5.0) - OVERHEAD.at(20.0).renamed(lambda _: 5.0)).told(".2f", name="from 5 to 20 times")
"""1.25 is just above 1, where nothing is left for data."""
CHOICE = DELAY.at(5.0, 10.0).told(".0f", " slots")
SLOPE = DELAY / (lambda multiple: multiple)
SPREAD = ((most(SLOPE) - least(SLOPE)) / mean(SLOPE)).told(".1e", name="spread")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Overhead on the left axis, delay on the right one."""
    axes.plot(table["frame_over_nodes"], table["overhead"], "o-", color="#0072B2", label="overhead")
    axes.set_xlabel("frame size / number of nodes")
    axes.set_ylabel("signalling overhead")
    axes.set_ylim(0, 1)
    right = axes.twinx()
    right.plot(table["frame_over_nodes"], table["delay_slots"], "s--", color="#D55E00", label="delay")
    right.set_ylabel("scheduling delay (slots)")
    axes.axvspan(5, 10, color="0.93", zorder=0)
    axes.set_title("100 nodes; shaded: the paper's choice", fontsize=9, color="0.3", loc="left")
    axes.legend(loc="upper center", frameon=False)
    right.legend(loc="center right", frameon=False)


experiment = Experiment(
    id="003/figure-3.1",
    title="signalling once a frame: overhead and delay (analysis)",
    source=Source(paper="AAPN signalling and XCP-CL, a thesis (paper 003)", figures="Figure 3.1", section="§3.1.1"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="overhead", label="signalling overhead", form=".3f"),
        Metric(name="delay_slots", label="scheduling delay (slots)", form=".0f"),
        Metric(name="scheduler_slots", label="time for the scheduler (slots)", form=".0f"),
    ),
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="falls",
            text="the overhead falls fast up to 5 times the nodes and slowly after",
            where="§3.1.1, Fig. 3.1",
            expected="most of the fall before 5",
            tolerance="three times as much before 5 as from there to 20; in shape: more",
            check=(at_least(EARLY, LATE * 3) & above(LATE, 0))
            .in_shape(above(EARLY, LATE) & above(LATE, 0))
            .saying(EARLY, LATE),
        ),
        Claim(
            id="choice",
            text="5 to 10 times the nodes is a good choice: 500 to 1000 slots for 100 nodes",
            where="§3.1.1",
            expected="500 to 1000 slots",
            tolerance="exactly; in shape: an interval",
            check=near(CHOICE, {5.0: 500, 10.0: 1000}, by=0, in_shape=rises(CHOICE)).saying(
                CHOICE, OVERHEAD.at(5.0, 10.0).told(".2f", name="overhead")
            ),
        ),
        Claim(
            id="linear",
            text="the scheduling delay is proportional to the frame size",
            where="§3.1.1, Fig. 3.1",
            expected="a straight line through the origin",
            tolerance="1e-9 of the slope; in shape: 10 %",
            check=below(SPREAD, 1e-9, in_shape=0.1),
        ),
    ),
    plots=(Plot(name="figure-3.1", draw=draw),),
    notes=(
        "(3.1) is overhead over the whole, nodeSize/frameSize, although the text calls it payload over the whole.",
        "At a frame of one slot per node nothing is left for data; the sweep begins at 1.25.",
        "The schedule of a frame is used in the next: the delay is a frame.",
    ),
)
