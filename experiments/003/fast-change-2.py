"""Paper 003, §5.8, fast change #2: every second, and 30 Mb/s from 90 to 91 s; tables 5.9, 5.10, figures 5.38, 5.39.

Figure 5.38: `windows` (and `window` for flow #1 alone); 5.39: `utilization`. The expected values and tolerances below
were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Point, Setup, Source
from photocol.verdict import Finding, judge

from . import _fast as fast
from ._aapn import MIXED_READINGS, OTHER_ROUND_TRIPS, PAPER, PHYSICAL, TOLD, XCP, XCP_CL, Trace, find, listed
from ._readings import NOTE, by_default, side_by_side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

EVERY_S, DURATION_S = 1.0, 100.0
LOW_AT_S, LOW_MBPS = 90.0, 30.0
SETTLE_S = 15.0


def setup(point: Point) -> Setup:
    """45 in even seconds, 40 in odd ones, 30 in second 90."""
    changes = [(at, LOW_MBPS if at == LOW_AT_S else mbps) for at, mbps in fast.alternating(EVERY_S, DURATION_S)]
    return fast.setup(point, changes, DURATION_S, 0.1)


def measure(result: RunResult) -> Mapping[str, float]:
    """Windows of flow #1 at the end of each period (its last 10 s), and around 90 s."""
    trace = Trace.of(result)
    window, level = trace.window(), trace.utilization()
    ends = [trace.within((period + 1) * trace.period_s - 10, (period + 1) * trace.period_s) for period in range(3)]
    ends[2] = trace.within(80, 90)
    ripple = [float(np.std(window[end]) / np.mean(window[end])) for end in ends]
    return {
        **fast.common(trace, result, SETTLE_S),
        **{f"window_{period + 1}": float(np.mean(window[end])) for period, end in enumerate(ends)},
        "ripple": max(ripple),
        "window_at_90": float(window[trace.within(90, 93)].min()),
        "utilization_at_90": float(level[trace.within(90, 93)].min()),
        "utilization_settled": float(np.mean(level[fast.settled(trace, SETTLE_S)])),
    }


def row(outcome: Outcome, algorithm: str, step: str) -> dict[str, Any]:
    """The row of a combination."""
    return find(outcome.table, algorithm=algorithm, step=step)


def check_windows(outcome: Outcome) -> Finding:
    """Where the window of flow #1 ends in the three periods."""
    rows = [row(outcome, XCP_CL, step) for step in (TOLD, PHYSICAL)]
    ours = [[one[f"window_{period}"] for period in (1, 2, 3)] for one in rows]
    return judge(
        agrees=all(abs(a / b - 1) <= 0.1 for a, b in zip(ours[0], (15, 19, 19), strict=True)),
        in_shape=rows[0]["window_error"] <= 0.15 and rows[0]["ripple"] <= 0.1,
        measured="; ".join(
            f"{step}: {listed(mine, '.1f')} packets, ripple {one['ripple']:.1%}, {one['window_error']:.1%} off"
            for step, mine, one in zip((TOLD, PHYSICAL), ours, rows, strict=True)
        ),
    )


def check_full(outcome: Outcome) -> Finding:
    """Utilization apart from the dips."""
    levels = {step: row(outcome, XCP_CL, step)["utilization_settled"] for step in (TOLD, PHYSICAL)}
    return judge(
        agrees=min(levels.values()) >= 0.95,
        in_shape=levels[TOLD] >= 0.95,
        measured=f"{levels[TOLD]:.3f} (told), {levels[PHYSICAL]:.3f} (physical)",
    )


def check_dips(outcome: Outcome) -> Finding:
    """Where the delays change, and where 30 Mb/s come."""
    found = {step: row(outcome, XCP_CL, step) for step in (TOLD, PHYSICAL)}
    dips = {step: (one["dip_delays"], one["utilization_at_90"]) for step, one in found.items()}
    near = [abs(first - 0.62) <= 0.1 and abs(second - 0.81) <= 0.1 for first, second in dips.values()]
    return judge(
        agrees=any(near),
        in_shape=any(first < second < 0.95 for first, second in dips.values()),
        measured="; ".join(f"{step}: {listed(one, '.2f')}" for step, one in dips.items()),
    )


def check_window_dip(outcome: Outcome) -> Finding:
    """Flow #1's window after 90 s over its mean before."""
    shares = {}
    for step in (TOLD, PHYSICAL):
        one = row(outcome, XCP_CL, step)
        shares[step] = one["window_at_90"] / one["window_3"]
    return judge(
        agrees=abs(shares[TOLD] - 17 / 19) <= 0.05,
        in_shape=shares[TOLD] < 1,
        measured=f"{shares[TOLD]:.2f} of the mean before (told), {shares[PHYSICAL]:.2f} (physical)",
    )


def check_drops(outcome: Outcome) -> Finding:
    """Some packets are dropped."""
    drops = {step: row(outcome, XCP_CL, step)["drops"] for step in (TOLD, PHYSICAL)}
    xcp = row(outcome, XCP, PHYSICAL)["drops"]
    return judge(
        agrees=0 < drops[PHYSICAL] < xcp,
        in_shape=max(drops.values()) > 0,
        measured=f"{drops[TOLD]:.0f} (told), {drops[PHYSICAL]:.0f} (physical); original XCP {xcp:.0f}",
    )


WHERE = "§5.8, figures 5.38 and 5.39"

CLAIMS = (
    Claim(
        id="windows",
        text="the window of flow #1 finds its level in each period, with a small ripple",
        where=WHERE,
        expected="15, 19, 19 packets",
        tolerance='10 % each, in the reading "told"; in shape: 15 % from share times round trip, ripple 10 %',
        check=check_windows,
        reason=OTHER_ROUND_TRIPS,
    ),
    Claim(
        id="full",
        text="utilization is 1 but for dips",
        where=WHERE,
        expected="1",
        tolerance='0.95 without the 15 s after changes of the delays, in both readings; in shape: "told"',
        check=check_full,
        reason=MIXED_READINGS,
    ),
    Claim(
        id="dips",
        text="utilization dips where the delays change (33.3 s) and where 30 Mb/s come (90 s)",
        where=WHERE,
        expected="0.62, 0.81",
        tolerance="±0.1 in one reading; in shape: both below 0.95, the first deeper",
        check=check_dips,
        reason="samples of 0.1 s see deeper than the paper's of a round trip",
    ),
    Claim(
        id="window-dip",
        text="the second at 30 Mb/s makes a dip in flow #1's window",
        where=WHERE,
        expected="from 19 to 17 packets: 0.89",
        tolerance='±0.05 in the reading "told"; in shape: below 1',
        check=check_window_dip,
        reason="the least sample of 3 s, every 0.1 s; the paper's figure may not show a dip so short",
    ),
    Claim(
        id="drops",
        text="some packets are dropped, fewer than with original XCP",
        where=WHERE,
        expected="some",
        tolerance="more than none and fewer than original XCP, when the change is physical; in shape: some at all",
        check=check_drops,
    ),
)

experiment = Experiment(
    id="003/fast-change-2",
    title="45 and 40 Mb/s by turns, every second, and 30 Mb/s for one",
    source=Source(paper=PAPER, figures="Figures 5.38 and 5.39, tables 5.9 and 5.10", section="§5.8"),
    setup=setup,
    measure=measure,
    metrics=(
        *fast.COMMON_METRICS,
        *(
            Metric(name=f"window_{n}", label=f"window of flow #1 at the end of period {n} (packets)", form=".1f")
            for n in (1, 2, 3)
        ),
        Metric(name="ripple", label="greatest standard deviation over mean there"),
        Metric(name="window_at_90", label="least window from 90 to 93 s (packets)", form=".1f"),
        Metric(name="utilization_at_90", label="least utilization there"),
        Metric(name="utilization_settled", label="utilization without 15 s after changes of delays"),
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
