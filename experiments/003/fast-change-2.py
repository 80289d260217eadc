"""Paper 003, §5.8, fast change #2: every second, and 30 Mb/s from 90 to 91 s; tables 5.9, 5.10, figures 5.38, 5.39.

Figure 5.38: `windows` (and `window` for flow #1 alone); 5.39: `utilization`. The expected values and tolerances below
were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from photocol.claims import Predicate, above, at_least, at_most, below, beside, near, rises
from photocol.experiment import Metric, Point, Setup

from . import _fast as fast
from ._aapn import XCP, XCP_CL, Trace
from ._case_claims import ALIVE, Said
from ._fast import figure
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


def alive(step: str) -> Predicate:
    """As elsewhere, of the time without changes of the delays."""
    return fast.alive(step, "utilization_settled")


def windows(step: str) -> Predicate:
    """Where the window of flow #1 ends in the three periods."""
    ours = beside({n: figure(f"window_{n}", step, form=".1f", unit=" packets") for n in (1, 2, 3)})
    ripple, off = (
        figure("ripple", step, form=".1%", name="ripple"),
        figure("window_error", step, form=".1%", unit=" off"),
    )
    calm = at_most(off, 0.15) & at_most(ripple, 0.1)
    stands = alive(step) & near(ours / {1: 15, 2: 19, 3: 19}, 1, by=0.1)
    return stands.in_shape(alive(step) & calm).saying(ours, ripple, off)


def dips(step: str) -> Predicate:
    """Where the delays change, and where 30 Mb/s come."""
    both = beside({name: figure(name, step, form=".2f") for name in ("dip_delays", "utilization_at_90")})
    deeper = alive(step) & rises(both) & below(figure("utilization_at_90", step), 0.95)
    stated = {"dip_delays": 0.62, "utilization_at_90": 0.81}
    return (alive(step) & near(both, stated, by=0.1)).in_shape(deeper).saying(both)


def window_dip(step: str) -> Predicate:
    """Flow #1's window after 90 s over its mean before."""
    share = (figure("window_at_90", step) / figure("window_3", step)).told(".2f", " of the mean before")
    return (alive(step) & near(share, 17 / 19, by=0.05)).in_shape(alive(step) & below(share, 1)).saying(share)


def drops(step: str) -> Predicate:
    """Some packets are dropped, a tenth fewer than with original XCP at least."""
    ours, xcp = (figure("drops", step, one, ".0f", name=one) for one in (XCP_CL, XCP))
    return (above(ours, 0) & at_most(ours, xcp * 0.9)).in_shape(above(ours, 0) & below(ours, xcp)).saying(ours, xcp)


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
    where="§5.8, figures 5.38 and 5.39",
    stated=(
        Said(
            "windows",
            "the window of flow #1 finds its level in each period, with a small ripple",
            "15, 19, 19 packets",
            "10 % each, with a link that is at least 0.9 full; in shape: 15 % from share times round trip, ripple 10 %",
            windows,
            "no reading of the ways back gives 15, 19, 19: `constant` 15, 18, 16; `groups`, which fits the other "
            "figures, 15, 26, 17",
        ),
        Said(
            "full",
            "utilization is 1 but for dips",
            "1",
            "0.95 without the 15 s after changes of the delays; in shape: 0.9",
            lambda step: at_least(figure("utilization_settled", step), 0.95, in_shape=ALIVE),
        ),
        Said(
            "dips",
            "utilization dips where the delays change (33.3 s) and where 30 Mb/s come (90 s)",
            "0.62, 0.81",
            "±0.1 each, with a link that is at least 0.9 full; in shape: both below 0.95, the first deeper",
            dips,
            "by samples of 0.1 s instead of means over the longest round trip the dips are 0.64 and 0.75, within 0.1 "
            "of both",
        ),
        Said(
            "window-dip",
            "the second at 30 Mb/s makes a dip in flow #1's window",
            "from 19 to 17 packets: 0.89",
            "±0.05, with a link that is at least 0.9 full; in shape: below 1",
            window_dip,
            "the least window at any ACK of 3 s; the paper's figure may not show a dip so short",
        ),
        Said(
            "drops",
            "some packets are dropped, fewer than with original XCP",
            "some",
            "some, and at most 0.9 of original XCP's; in shape: some, and fewer",
            drops,
            "while the rate itself does not change, nothing waits for it",
        ),
    ),
)
