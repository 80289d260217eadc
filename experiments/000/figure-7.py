"""Paper 000, figure 7: loss during one congestion period against the number of flows (analysis).

The caption says "with control", but the controlled formula of §V.F does not depend on the number of flows; the shape
described is that of the formula without control. Both are drawn.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from photocol.claims import MOSTLY, Values, above, below, beside, ends, falls, first, growth, last, lowest, rises, steps
from photocol.claims import values as values_of
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Plot, Point, Source, grid
from photocol.plot import Lines

from ._dlcc import PAPER, RTTS_MS

if TYPE_CHECKING:
    from collections.abc import Mapping

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


COLUMNS = {"loss_per_congestion_packets": "o-", "loss_per_congestion_dlcc_packets": "--"}
LINES = {(rtt, column): (COLOURS[rtt], style) for rtt in RTTS_MS for column, style in COLUMNS.items()}
FIGURE_7 = Lines(
    "flows",
    list(COLUMNS),
    ("flows that halve one by one", "lost optical packets per congestion period"),
    by="rtt_ms",
    of=RTTS_MS,
    where={"udp_max": MAIN},
    looks=LINES,
    names={(rtt, column): f"{rtt} ms, DLCC" if "dlcc" in column else f"{rtt} ms" for rtt, column in LINES},
    scales="xy",
)


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
    plots=(Plot(name="figure-7", draw=FIGURE_7),),
    notes=("R is not stated for this figure: 0.3 is drawn, 0.1 and 0.4 are in the table.",),
)
