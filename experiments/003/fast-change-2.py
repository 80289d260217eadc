"""Paper 003, §5.8, fast change #2: every second, and 30 Mb/s from 90 to 91 s; tables 5.9, 5.10, figures 5.38, 5.39.

Figure 5.38: `windows` (and `window` for flow #1 alone); 5.39: `utilization`. The expected values and tolerances below
were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from photocol.experiment import Metric, Outcome, Point, Setup
from photocol.verdict import Finding, judge

from . import _fast as fast
from ._aapn import XCP, XCP_CL, Trace, listed
from ._case_claims import ALIVE
from ._fast import Stated, row
from ._readings import CONSTANT

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
    windows, level = fast.Windows.of(result, trace), trace.utilization()
    spans = [((period + 1) * trace.period_s - 10, (period + 1) * trace.period_s) for period in range(3)]
    spans[2] = (80, 90)
    ends = [windows.within(*span) for span in spans]
    return {
        **fast.common(trace, result, windows, SETTLE_S),
        **{f"window_{number}": float(np.mean(end)) for number, end in enumerate(ends, 1)},
        "ripple": max(float(np.std(end) / np.mean(end)) for end in ends),
        "window_at_90": float(windows.within(90, 93).min(initial=windows.window.max())),
        "utilization_at_90": trace.least_utilization(2, trace.within(90, 93)),
        "utilization_settled": float(np.mean(level[fast.settled(trace, SETTLE_S)])),
    }


def check_windows(outcome: Outcome, step: str) -> Finding:
    """Where the window of flow #1 ends in the three periods."""
    one = row(outcome, XCP_CL, step)
    ours, alive = [one[f"window_{period}"] for period in (1, 2, 3)], one["utilization_settled"] >= ALIVE
    return judge(
        agrees=alive and all(abs(a / b - 1) <= 0.1 for a, b in zip(ours, (15, 19, 19), strict=True)),
        in_shape=alive and one["window_error"] <= 0.15 and one["ripple"] <= 0.1,
        measured=f"{listed(ours, '.1f')} packets, ripple {one['ripple']:.1%}, {one['window_error']:.1%} off",
    )


def check_full(outcome: Outcome, step: str) -> Finding:
    """Utilization apart from the dips."""
    level = row(outcome, XCP_CL, step)["utilization_settled"]
    return judge(agrees=level >= 0.95, in_shape=level >= ALIVE, measured=f"{level:.3f}")


def check_dips(outcome: Outcome, step: str) -> Finding:
    """Where the delays change, and where 30 Mb/s come."""
    one = row(outcome, XCP_CL, step)
    first, second, alive = one["dip_delays"], one["utilization_at_90"], one["utilization_settled"] >= ALIVE
    return judge(
        agrees=alive and abs(first - 0.62) <= 0.1 and abs(second - 0.81) <= 0.1,
        in_shape=alive and first < second < 0.95,
        measured=f"{first:.2f}, {second:.2f}",
    )


def check_window_dip(outcome: Outcome, step: str) -> Finding:
    """Flow #1's window after 90 s over its mean before."""
    one = row(outcome, XCP_CL, step)
    share, alive = one["window_at_90"] / one["window_3"], one["utilization_settled"] >= ALIVE
    return judge(
        agrees=alive and abs(share - 17 / 19) <= 0.05,
        in_shape=alive and share < 1,
        measured=f"{share:.2f} of the mean before",
    )


def check_drops(outcome: Outcome, step: str) -> Finding:
    """Some packets are dropped, a tenth fewer than with original XCP at least."""
    drops, xcp = row(outcome, XCP_CL, step)["drops"], row(outcome, XCP, step)["drops"]
    return judge(
        agrees=0 < drops <= 0.9 * xcp,
        in_shape=0 < drops < xcp,
        measured=f"{drops:.0f}; original XCP {xcp:.0f}",
    )


WHERE = "§5.8, figures 5.38 and 5.39"

CLAIMS = fast.under_each(
    Stated(
        "windows",
        "the window of flow #1 finds its level in each period, with a small ripple",
        "15, 19, 19 packets",
        "10 % each, with a link that is at least 0.9 full; in shape: 15 % from share times round trip, ripple 10 %",
        check_windows,
        "no reading of the ways back gives 15, 19, 19: `constant` 15, 18, 16; `groups`, which fits the other figures, "
        "15, 26, 17",
    ),
    Stated(
        "full",
        "utilization is 1 but for dips",
        "1",
        "0.95 without the 15 s after changes of the delays; in shape: 0.9",
        check_full,
    ),
    Stated(
        "dips",
        "utilization dips where the delays change (33.3 s) and where 30 Mb/s come (90 s)",
        "0.62, 0.81",
        "±0.1 each, with a link that is at least 0.9 full; in shape: both below 0.95, the first deeper",
        check_dips,
        "by samples of 0.1 s instead of means over the longest round trip the dips are 0.64 and 0.75, within 0.1 of "
        "both",
    ),
    Stated(
        "window-dip",
        "the second at 30 Mb/s makes a dip in flow #1's window",
        "from 19 to 17 packets: 0.89",
        "±0.05, with a link that is at least 0.9 full; in shape: below 1",
        check_window_dip,
        "the least window at any ACK of 3 s; the paper's figure may not show a dip so short",
    ),
    Stated(
        "drops",
        "some packets are dropped, fewer than with original XCP",
        "some",
        "some, and at most 0.9 of original XCP's; in shape: some, and fewer",
        check_drops,
        "while the rate itself does not change, nothing waits for it",
    ),
    where=WHERE,
)

experiment = fast.fast_change(
    "003/fast-change-2",
    "45 and 40 Mb/s by turns, every second, and 30 Mb/s for one",
    ("Figures 5.38 and 5.39, tables 5.9 and 5.10", "§5.8"),
    default=CONSTANT,
    setup=setup,
    measure=measure,
    metrics=(
        *(
            Metric(name=f"window_{n}", label=f"window of flow #1 at the end of period {n} (packets)", form=".1f")
            for n in (1, 2, 3)
        ),
        Metric(name="ripple", label="greatest standard deviation over mean there"),
        Metric(name="window_at_90", label="least window from 90 to 93 s (packets)", form=".1f"),
        Metric(name="utilization_at_90", label="least utilization there"),
        Metric(name="utilization_settled", label="utilization without 15 s after changes of delays"),
    ),
    claims=CLAIMS,
)
