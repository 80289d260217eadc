"""Paper 000, figure 7: loss during one congestion period against the number of flows (analysis).

The caption says "with control", but the controlled formula of §V.F does not depend on the number of flows; the shape
described is that of the formula without control. Both are drawn.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Outcome, Plot, Point, Source, grid
from photocol.verdict import Finding, judge

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


def check_rtt(outcome: Outcome) -> Finding:
    """More is lost the longer the round trip, in all situations."""
    without, with_ = (
        [curve(outcome.table, rtt, f"loss_per_congestion{name}_packets", share) for share in SHARES for rtt in RTTS_MS]
        for name in ("", "_dlcc")
    )
    steps = len(RTTS_MS)
    rising = [
        all(b > a for a, b in zip(low, high, strict=True))
        for group in (without, with_)
        for first in range(0, len(group), steps)
        for low, high in zip(group[first : first + steps], group[first + 1 : first + steps], strict=False)
    ]
    return judge(
        agrees=all(rising),
        in_shape=sum(rising) > len(rising) / 2,
        measured=f"larger in {sum(rising)} of {len(rising)} steps of the round-trip time, at every number of flows",
    )


def check_convergence(outcome: Outcome) -> Finding:
    """Curves of successive round-trip times come closer."""
    last = [curve(outcome.table, rtt, "loss_per_congestion_packets")[-1] for rtt in RTTS_MS]
    gaps = [b - a for a, b in itertools.pairwise(last)]
    ratios = [b / a for a, b in itertools.pairwise(last)]
    return judge(
        agrees=all(b < a for a, b in itertools.pairwise(gaps)),
        in_shape=ratios[-1] < ratios[0],
        measured="at 10 000 flows successive curves differ by "
        + ", ".join(f"{gap:.0f} packets (× {ratio:.2f})" for gap, ratio in zip(gaps, ratios, strict=True)),
    )


def check_flows(outcome: Outcome) -> Finding:
    """The loss falls with the number of flows, ever more slowly."""
    losses = curve(outcome.table, 280, "loss_per_congestion_packets")
    with_ = curve(outcome.table, 280, "loss_per_congestion_dlcc_packets")
    falls = [a - b for a, b in itertools.pairwise(losses)]
    per_flow = [fall / (b - a) for fall, a, b in zip(falls, FLOWS, FLOWS[1:], strict=False)]
    slower = all(fall > 0 for fall in falls) and all(b < a for a, b in itertools.pairwise(per_flow))
    return judge(
        agrees=slower and with_[0] > with_[-1],
        in_shape=slower,
        measured=f"at 280 ms without control {losses[0]:.0f} packets with 100 flows, {losses[-1]:.0f} with 10 000, "
        f"{'ever more slowly' if slower else 'not ever more slowly'}; with control {with_[0]:.0f} and {with_[-1]:.0f}",
    )


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
            check=check_rtt,
        ),
        Claim(
            id="converges",
            text="the curves converge with increasing round-trip time",
            where="§VI, Fig. 7",
            expected="gaps that shrink",
            tolerance="the gaps at 10 000 flows shrink from step to step; in shape: successive ratios shrink",
            check=check_convergence,
            reason="the loss is linear and quadratic in the round-trip time; only ratios over the paper's grid shrink",
        ),
        Claim(
            id="falls-with-flows",
            text="the loss falls as the flows grow in number, and this slows down with very many",
            where="§VI, Fig. 7 (caption: with control)",
            expected="decreasing, convex",
            tolerance="so with and without control; in shape: so without control",
            check=check_flows,
            reason="the controlled formula of §V.F, r 2T1, has no N; the described shape is that without control",
        ),
    ),
    plots=(Plot(name="figure-7", draw=draw),),
    notes=("R is not stated for this figure: 0.3 is drawn, 0.1 and 0.4 are in the table.",),
)
