"""Paper 000, figure 7: loss during one congestion period against the number of flows (analysis).

The caption says "with control", but the controlled formula of §V.F does not depend on the number of flows; the shape
described is that of the formula without control. Both are drawn.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import MOSTLY, Values, above, below, beside, ends, falls, first, growth, last, lowest, rises, steps
from photocol.claims import values as values_of
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Plot, Point, Source, grid

from ._dlcc import PAPER, RTTS_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

FLOWS = (100, 200, 400, 1000, 4000, 10_000)
SHARES = (0.1, 0.3, 0.4)
MAIN = 0.3
COLOURS = dict(zip(RTTS_MS, ("#009E73", "#56B4E9", "#0072B2", "#E69F00", "#D55E00", "#CC79A7"), strict=True))
POINTS = grid(udp_max=SHARES, rtt_ms=RTTS_MS, flows=FLOWS)


def setup(point: Point) -> Evaluation:
    """So many flows at 10 Gb/s with packets of 2000 bytes."""
    inputs = {"udp_max": point["udp_max"], "rtt": f"{point['rtt_ms']} ms", "flows": point["flows"]}
    return Evaluation(model="dlcc-unsynchronized", inputs=inputs)


def measure(result: RunResult) -> Mapping[str, float]:
    """Loss given that UDP's rate rises."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


def curve(table: pl.DataFrame, rtt_ms: int, column: str, share: float = MAIN) -> list[float]:
    """The metric along the numbers of flows."""
    rows = table.filter((pl.col("rtt_ms") == rtt_ms) & (pl.col("udp_max") == share)).sort("flows")
    return rows[column].to_list()


def lost(along: str, control: str = "", **where: float) -> Values:
    """Packets in a congestion period along an axis."""
    return values_of(f"loss_per_congestion{control}_packets", along, form=".0f", **where)


LONGER = beside(
    {
        f"R = {share}, {words}": lowest(
            *(growth(lost("rtt_ms", control, udp_max=share, flows=flows)) for flows in FLOWS)
        )
        for words, control in {"without": "", "with": "_dlcc"}.items()
        for share in SHARES
    }
)
"""At a round trip over that at the one before: the least of all numbers of flows."""
MANY = lost("rtt_ms", udp_max=MAIN, flows=FLOWS[-1])
APART, RATIOS = steps(MANY).told(".0f", " packets", "at 10 000 flows"), growth(MANY).told(".2f", name="times")
PLAIN, CONTROLLED = (lost("flows", control, udp_max=MAIN, rtt_ms=280) for control in ("", "_dlcc"))
SLOPE = steps(PLAIN) / {more: more - fewer for fewer, more in pairwise(FLOWS)}
SLOWER = falls(PLAIN) & rises(SLOPE)


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Loss per congestion period against the number of flows, R = 0.3."""
    for rtt in RTTS_MS:
        for name, style in (("", "-o"), ("_dlcc", "--")):
            values = curve(table, rtt, f"loss_per_congestion{name}_packets")
            label = None if name else f"{rtt} ms"
            axes.plot(FLOWS, values, style, color=COLOURS[rtt], markersize=3, linewidth=1.4, label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flows that halve one by one")
    axes.set_ylabel("lost optical packets per congestion period")
    axes.set_title("R = 0.3; solid: without DLCC, dashed: with", fontsize=9, color="0.3", loc="left")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(title="round trip", loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


METRICS = (
    Metric(name="loss_per_congestion_packets", label="loss per congestion period without (packets)", form=".0f"),
    Metric(name="loss_per_congestion_dlcc_packets", label="with DLCC (packets)", form=".0f"),
    Metric(name="congestion_s", label="duration without (s)", form=".3f"),
)

experiment = Experiment(
    id="000/figure-7",
    title="DLCC: loss during a congestion period against the number of flows (analysis)",
    source=Source(paper=PAPER, figures="Figure 7", section="§VI"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="worse-with-rtt",
            text="longer round trips lose more in all situations",
            where="§VI, Fig. 7",
            expected="increasing",
            tolerance="at every R, number of flows and step, with and without control; in shape: at most of them",
            check=above(LONGER, 1, in_shape=MOSTLY),
        ),
        Claim(
            id="converges",
            text="the curves converge with increasing round-trip time",
            where="§VI, Fig. 7",
            expected="gaps that shrink",
            tolerance="the gaps at 10 000 flows shrink from step to step; in shape: successive ratios shrink",
            check=falls(APART, in_shape=below(last(RATIOS), first(RATIOS))).telling(RATIOS),
            reason="the loss is linear and quadratic in the round-trip time; only ratios over the paper's grid shrink",
        ),
        Claim(
            id="falls-with-flows",
            text="the loss falls as the flows grow in number, and this slows down with very many",
            where="§VI, Fig. 7 (caption: with control)",
            expected="decreasing, convex",
            tolerance="so with and without control; in shape: so without control",
            check=(SLOWER & below(last(CONTROLLED), first(CONTROLLED)))
            .in_shape(SLOWER)
            .saying(PLAIN.told(".0f", name="at 280 ms without control"), ends(CONTROLLED).told(".0f", name="with")),
            reason="the controlled formula of §V.F, r 2T1, has no N; the described shape is that without control",
        ),
    ),
    plots=(Plot(name="figure-7", draw=draw),),
    notes=("R is not stated for this figure: 0.3 is drawn, 0.1 and 0.4 are in the table.",),
)
