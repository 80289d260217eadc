"""Paper 003, §5.7, fast change #1: 45 and 40 Mb/s by turns every 25 s; tables 5.7 and 5.8, figures 5.35 to 5.37.

Figure 5.35: `window`; 5.36: `windows`; 5.37: `utilization`. The expected values and tolerances below were committed
before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Metric, Outcome, Point, Setup
from photocol.verdict import Finding, judge

from . import _fast as fast
from ._aapn import XCP, XCP_CL, Trace, listed
from ._case_claims import ALIVE, UNTOUCHED
from ._fast import Stated, row
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


def check_windows(outcome: Outcome, step: str) -> Finding:
    """The six windows, and the ratio of the rates in them."""
    found = row(outcome, XCP_CL, step)
    ours = [found[f"window_{mbps}_{period}"] for period in (1, 2, 3) for mbps in (45, 40)]
    stated = [STATED[mbps][period] for period in range(3) for mbps in (45, 40)]
    shares = fast.ratios(found)
    follow = found["utilization"] >= ALIVE and all(abs(share - 45 / 40) <= 0.04 for share in shares)
    return judge(
        agrees=follow and all(abs(a / b - 1) <= 0.1 for a, b in zip(ours, stated, strict=True)),
        in_shape=follow,
        measured=f"{listed(ours, '.1f')} packets; ratios {listed(shares, '.3f')} (rates: 1.125)",
    )


def check_follows(outcome: Outcome, step: str) -> Finding:
    """Mean distance of the window from its expected value."""
    error = row(outcome, XCP_CL, step)["window_error"]
    return judge(agrees=error <= 0.1, in_shape=error <= 0.2, measured=f"{error:.1%} away in the mean")


def check_utilization(outcome: Outcome, step: str) -> Finding:
    """Mean utilization."""
    level = row(outcome, XCP_CL, step)["utilization"]
    return judge(agrees=level >= 0.97, in_shape=level >= 0.9, measured=f"{level:.3f}")


def check_worse(outcome: Outcome, step: str) -> Finding:
    """Original XCP against XCP-CL, under the same reading of the change."""
    xcp, ours = row(outcome, XCP, step), row(outcome, XCP_CL, step)
    return judge(
        agrees=xcp["utilization"] < ours["utilization"] - 0.02 and xcp["drops"] > ours["drops"],
        in_shape=xcp["utilization"] < ours["utilization"] or xcp["drops"] > ours["drops"],
        measured=f"utilization {xcp['utilization']:.3f} and {xcp['drops']:.0f} drops; XCP-CL {ours['utilization']:.3f} "
        f"and {ours['drops']:.0f}",
    )


WHERE = "§5.7, figures 5.35 to 5.37"

CLAIMS = fast.under_each(
    Stated(
        "windows",
        "the window of flow #1 alternates with the rate",
        "17 and 15, 25 and 22, 19 and 17 packets in the three periods",
        "10 % each, in the ratio of the rates ± 0.04, with a link at least 0.9 full; in shape: without the 10 %",
        check_windows,
    ),
    Stated(
        "follows",
        "it follows its expected value but for the start and the changes of the delays",
        "no number",
        "10 % away in the mean; in shape: 20 %",
        check_follows,
    ),
    Stated(
        "utilization",
        "utilization stays 1 but for dips",
        "1",
        "0.97 from 5 s on, dips included; in shape: 0.9",
        check_utilization,
    ),
    Stated(
        "worse",
        "original XCP does worse",
        "no number",
        "utilization 0.02 lower and more drops than XCP-CL; in shape: one of the two",
        check_worse,
        UNTOUCHED,
    ),
    where=WHERE,
)

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
    claims=CLAIMS,
)
