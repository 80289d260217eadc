"""Paper 003, figure 3.1: signalling once a frame, eq. (3.1): overhead and scheduling delay against the frame size.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Outcome, Plot, Point, Source, grid
from photocol.verdict import Finding, judge

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


def at(table: pl.DataFrame, column: str, multiple: float) -> float:
    """The value at one frame size."""
    return float(table.filter(table["frame_over_nodes"] == multiple)[column][0])


def check_fall(outcome: Outcome) -> Finding:
    """From 1.25 (just above 1, where nothing is left for data) to 5, and from 5 to 20."""
    overhead = {multiple: at(outcome.table, "overhead", multiple) for multiple in (1.25, 5.0, 20.0)}
    early, late = overhead[1.25] - overhead[5.0], overhead[5.0] - overhead[20.0]
    return judge(
        agrees=early >= 3 * late > 0,
        in_shape=early > late > 0,
        measured=f"{early:.2f} from 1.25 to 5 times the nodes, {late:.2f} from 5 to 20 times",
    )


def check_choice(outcome: Outcome) -> Finding:
    """Frames of 5 to 10 times the nodes."""
    low, high = (at(outcome.table, "overhead", multiple) for multiple in (5.0, 10.0))
    delays = [at(outcome.table, "delay_slots", multiple) for multiple in (5.0, 10.0)]
    return judge(
        agrees=delays == [500, 1000],
        in_shape=delays[0] < delays[1],
        measured=f"{delays[0]:.0f} to {delays[1]:.0f} slots, overhead {low:.2f} to {high:.2f}",
    )


def check_linear(outcome: Outcome) -> Finding:
    """The delay over the frame size is one constant."""
    ratios = outcome.table["delay_slots"] / outcome.table["frame_over_nodes"]
    spread = (ratios.max() - ratios.min()) / ratios.mean()  # type: ignore[operator]
    return judge(agrees=spread < 1e-9, in_shape=spread < 0.1, measured=f"spread {spread:.1e}")


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
            check=check_fall,
        ),
        Claim(
            id="choice",
            text="5 to 10 times the nodes is a good choice: 500 to 1000 slots for 100 nodes",
            where="§3.1.1",
            expected="500 to 1000 slots",
            tolerance="exactly; in shape: an interval",
            check=check_choice,
        ),
        Claim(
            id="linear",
            text="the scheduling delay is proportional to the frame size",
            where="§3.1.1, Fig. 3.1",
            expected="a straight line through the origin",
            tolerance="1e-9 of the slope; in shape: 10 %",
            check=check_linear,
        ),
    ),
    plots=(Plot(name="figure-3.1", draw=draw),),
    notes=(
        "(3.1) is overhead over the whole, nodeSize/frameSize, although the text calls it payload over the whole.",
        "At a frame of one slot per node nothing is left for data; the sweep begins at 1.25.",
        "The schedule of a frame is used in the next: the delay is a frame.",
    ),
)
