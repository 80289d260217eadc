"""Paper 003, §5.7, fast change #1: 45 and 40 Mb/s by turns every 25 s; tables 5.7 and 5.8, figures 5.35 to 5.37.

Figure 5.35: `window`; 5.36: `windows`; 5.37: `utilization`. The expected values and tolerances below were committed
before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import Predicate, above, at_least, at_most, below, beside, near
from photocol.experiment import Metric, Point, Setup

from . import _fast as fast
from ._aapn import XCP, XCP_CL, Trace
from ._case_claims import UNTOUCHED, Said
from ._fast import figure
from ._readings import GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

EVERY_S, DURATION_S = 25.0, 600.0
STATED = {45: (17, 25, 19), 40: (15, 22, 17)}
"""Windows of flow #1 at 45 and 40 Mb/s in the three periods. After 400 s the text says "17 and 19"."""


def setup(point: Point) -> Setup:
    """A change every 25 s."""
    return fast.setup(point, fast.alternating(EVERY_S, DURATION_S), DURATION_S, 0.3)


def measure(result: RunResult) -> Mapping[str, float]:
    """Windows are means over the second halves of the intervals, from 20 s after a change of the delays on."""
    trace = Trace.of(result)
    windows = fast.Windows.of(result, trace)
    starts = [(period * trace.period_s + fast.SETTLE_S, (period + 1) * trace.period_s) for period in range(3)]
    levels = {
        f"window_{mbps}_{number}": windows.at(mbps, start, end, EVERY_S)
        for mbps in (45, 40)
        for number, (start, end) in enumerate(starts, 1)
    }
    return {**fast.common(trace, result, windows, fast.SETTLE_S), **levels}


def windows(step: str) -> Predicate:
    """The six windows, and the ratio of the rates in them."""
    places = {(mbps, n): f"window_{mbps}_{n}" for n in (1, 2, 3) for mbps in (45, 40)}
    ours = beside({f"{mbps} Mb/s, {n}": figure(name, step, form=".1f") for (mbps, n), name in places.items()})
    stated = {f"{mbps} Mb/s, {n}": float(STATED[mbps][n - 1]) for mbps, n in places}
    shares = beside({n: figure(f"window_45_{n}", step) / figure(f"window_40_{n}", step) for n in (1, 2, 3)})
    follow = fast.alive(step, "utilization") & near(shares, 45 / 40, by=0.04)
    return (follow & near(ours / stated, 1, by=0.1)).in_shape(follow).saying(ours, shares.told(".3f", name="ratios"))


def worse(step: str) -> Predicate:
    """Original XCP against XCP-CL, under the same reading of the change."""
    (level, drops), (own, few) = (
        (figure("utilization", step, one, name=f"{one} utilization"), figure("drops", step, one, ".0f", " drops"))
        for one in (XCP, XCP_CL)
    )
    found = below(level, own - 0.02) & above(drops, few)
    return found.in_shape(below(level, own) | above(drops, few)).saying(level, drops, own, few)


experiment = fast.fast_change(
    "003/fast-change-1",
    "45 and 40 Mb/s by turns, every 25 s",
    ("Figures 5.35 to 5.37, tables 5.7 and 5.8", "§5.7"),
    default=GROUPS,
    setup=setup,
    measure=measure,
    metrics=[
        Metric(name=f"window_{mbps}_{period}", label=f"window at {mbps} Mb/s, period {period} (packets)", form=".1f")
        for mbps in (45, 40)
        for period in (1, 2, 3)
    ],
    where="§5.7, figures 5.35 to 5.37",
    stated=(
        Said(
            "windows",
            "the window of flow #1 alternates with the rate",
            "17 and 15, 25 and 22, 19 and 17 packets in the three periods",
            "10 % each, in the ratio of the rates ± 0.04, with a link at least 0.9 full; in shape: without the 10 %",
            windows,
        ),
        Said(
            "follows",
            "it follows its expected value but for the start and the changes of the delays",
            "no number",
            "10 % away in the mean; in shape: 20 %",
            lambda step: at_most(figure("window_error", step, form=".1%", unit=" away in the mean"), 0.1, in_shape=0.2),
        ),
        Said(
            "utilization",
            "utilization stays 1 but for dips",
            "1",
            "0.97 from 5 s on, dips included; in shape: 0.9",
            lambda step: at_least(figure("utilization", step), 0.97, in_shape=0.9),
        ),
        Said(
            "worse",
            "original XCP does worse",
            "no number",
            "utilization 0.02 lower and more drops than XCP-CL; in shape: one of the two",
            worse,
            UNTOUCHED,
        ),
    ),
)
