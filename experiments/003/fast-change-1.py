"""Paper 003, §5.7, fast change #1: 45 and 40 Mb/s by turns every 25 s; tables 5.7 and 5.8, figures 5.35 to 5.37.

Figure 5.35: `window`; 5.36: `windows`; 5.37: `utilization`. The expected values and tolerances below were committed
before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Point, Setup, Source
from photocol.verdict import Finding, judge

from . import _fast as fast
from ._aapn import MIXED_READINGS, OTHER_ROUND_TRIPS, PAPER, PHYSICAL, TOLD, XCP, XCP_CL, Trace, find, listed
from ._readings import NOTE, by_default, side_by_side

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
    windows = {
        f"window_{mbps}_{period + 1}": fast.window_at(trace, mbps, period, fast.SETTLE_S, EVERY_S)
        for mbps in (45, 40)
        for period in range(3)
    }
    return {**fast.common(trace, result, fast.SETTLE_S), **windows}


def row(outcome: Outcome, algorithm: str, step: str) -> dict[str, Any]:
    """The row of a combination."""
    return find(outcome.table, algorithm=algorithm, step=step)


def check_windows(outcome: Outcome) -> Finding:
    """The six windows, and the ratio of the rates in them."""
    found = row(outcome, XCP_CL, TOLD)
    ours = [found[f"window_{mbps}_{period}"] for period in (1, 2, 3) for mbps in (45, 40)]
    stated = [STATED[mbps][period] for period in range(3) for mbps in (45, 40)]
    shares = fast.ratios(found)
    return judge(
        agrees=all(abs(a / b - 1) <= 0.1 for a, b in zip(ours, stated, strict=True)),
        in_shape=all(abs(share - 45 / 40) <= 0.04 for share in shares),
        measured=f"{listed(ours, '.1f')} packets; ratios {listed(shares, '.3f')} (rates: 1.125)",
    )


def check_follows(outcome: Outcome) -> Finding:
    """Mean distance of the window from its expected value, both readings."""
    errors = {step: row(outcome, XCP_CL, step)["window_error"] for step in (TOLD, PHYSICAL)}
    return judge(
        agrees=max(errors.values()) <= 0.1,
        in_shape=errors[TOLD] <= 0.1,
        measured=f"{errors[TOLD]:.1%} away in the mean (told), {errors[PHYSICAL]:.1%} (physical)",
    )


def check_utilization(outcome: Outcome) -> Finding:
    """Mean utilization, both readings."""
    levels = {step: row(outcome, XCP_CL, step)["utilization"] for step in (TOLD, PHYSICAL)}
    return judge(
        agrees=min(levels.values()) >= 0.97,
        in_shape=levels[TOLD] >= 0.97,
        measured=f"{levels[TOLD]:.3f} (told), {levels[PHYSICAL]:.3f} (physical)",
    )


def check_worse(outcome: Outcome) -> Finding:
    """Original XCP against XCP-CL, both with the physical change."""
    xcp, real, told = row(outcome, XCP, PHYSICAL), row(outcome, XCP_CL, PHYSICAL), row(outcome, XCP_CL, TOLD)
    return judge(
        agrees=xcp["utilization"] < real["utilization"] - 0.02 and xcp["drops"] > real["drops"],
        in_shape=xcp["utilization"] < told["utilization"] - 0.02,
        measured=f"utilization {xcp['utilization']:.3f} and {xcp['drops']:.0f} drops; XCP-CL {real['utilization']:.3f} "
        f"and {real['drops']:.0f} (physical), {told['utilization']:.3f} and {told['drops']:.0f} (told)",
    )


WHERE = "§5.7, figures 5.35 to 5.37"

CLAIMS = (
    Claim(
        id="windows",
        text="the window of flow #1 alternates with the rate",
        where=WHERE,
        expected="17 and 15, 25 and 22, 19 and 17 packets in the three periods",
        tolerance='10 % each, in the reading "told"; in shape: in the ratio of the rates ± 0.04',
        check=check_windows,
        reason=OTHER_ROUND_TRIPS,
    ),
    Claim(
        id="follows",
        text="it follows its expected value but for the start and the changes of the delays",
        where=WHERE,
        expected="no number",
        tolerance='10 % away in the mean, in both readings; in shape: in the reading "told"',
        check=check_follows,
        reason=MIXED_READINGS,
    ),
    Claim(
        id="utilization",
        text="utilization stays 1 but for dips",
        where=WHERE,
        expected="1",
        tolerance='0.97 from 5 s on, dips included, in both readings; in shape: in the reading "told"',
        check=check_utilization,
        reason=MIXED_READINGS,
    ),
    Claim(
        id="worse",
        text="original XCP does worse",
        where=WHERE,
        expected="no number",
        tolerance='utilization 0.02 lower and more drops than XCP-CL, both physical; in shape: lower than "told"',
        check=check_worse,
        reason=MIXED_READINGS,
    ),
)

experiment = Experiment(
    id="003/fast-change-1",
    title="45 and 40 Mb/s by turns, every 25 s",
    source=Source(paper=PAPER, figures="Figures 5.35 to 5.37, tables 5.7 and 5.8", section="§5.7"),
    setup=setup,
    measure=measure,
    metrics=(
        *fast.COMMON_METRICS,
        *(
            Metric(
                name=f"window_{mbps}_{period}", label=f"window at {mbps} Mb/s, period {period} (packets)", form=".1f"
            )
            for mbps in (45, 40)
            for period in (1, 2, 3)
        ),
    ),
    curves=fast.traces,
    quick=Form(points=fast.QUICK_POINTS, replications=1, note="one replication instead of three"),
    full=Form(points=fast.POINTS, replications=3),
    claims=by_default(CLAIMS),
    plots=fast.PLOTS,
    describe=lambda outcome: side_by_side(CLAIMS, outcome),
    notes=(
        "The two readings of a change, the network and the senders are those of 003/case-1; one packet of buffer.",
        NOTE,
    ),
)
