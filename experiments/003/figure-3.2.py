"""Paper 003, figure 3.2: signalling in every slot, eq. (3.2): overhead against the slot's length.

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

OVERHEAD_BYTES = 60
TARGET = 0.05
POINTS = grid(slot_bytes=[100, 200, 300, 400, 600, 800, 1000, 1100, 1200, 1300, 1500, 2000, 2500, 3000])


def setup(point: Point) -> Evaluation:
    """60 octets of signalling in a slot of this length."""
    inputs = {"overhead": OVERHEAD_BYTES, "slot_size": point["slot_bytes"]}
    return Evaluation(model="aapn-signalling", inputs=inputs)


def measure(result: RunResult) -> Mapping[str, float]:
    """The share of a slot that signals."""
    return {"overhead": result.summary["slot_overhead"].value}


def check_target(outcome: Outcome) -> Finding:
    """The shortest slot of the sweep with an overhead of at most 0.05."""
    enough = outcome.table.filter(outcome.table["overhead"] <= TARGET * (1 + 1e-12))["slot_bytes"]
    shortest = int(enough.min()) if len(enough) else 0  # type: ignore[arg-type]
    return judge(agrees=shortest == 1200, in_shape=1000 <= shortest <= 1500, measured=f"{shortest} B")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """The overhead, and the target."""
    axes.plot(table["slot_bytes"], table["overhead"], "o-", color="#0072B2")
    axes.axhline(TARGET, color="0.45", linestyle=":", linewidth=1)
    axes.axvline(1200, color="0.45", linestyle=":", linewidth=1)
    axes.set_xlabel("slot length (B)")
    axes.set_ylabel("signalling overhead")
    axes.set_ylim(bottom=0)
    axes.set_title("60 B of signalling in every slot; delay: one slot", fontsize=9, color="0.3", loc="left")


experiment = Experiment(
    id="003/figure-3.2",
    title="signalling in every slot: overhead (analysis)",
    source=Source(paper="AAPN signalling and XCP-CL, a thesis (paper 003)", figures="Figure 3.2", section="§3.1.2"),
    setup=setup,
    measure=measure,
    metrics=(Metric(name="overhead", label="signalling overhead", form=".3f"),),
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="shortest-slot",
            text="an overhead of at most 0.05 needs slots of 1200 octets or more",
            where="§3.1.2",
            expected="1200 B",
            tolerance="exactly, on the sweep's grid; in shape: 1000 to 1500 B",
            check=check_target,
        ),
    ),
    plots=(Plot(name="figure-3.2", draw=draw),),
)
