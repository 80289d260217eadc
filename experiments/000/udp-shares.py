"""Paper 000, figures 11 and 12: goodput and extra edge buffer against the share of UDP, 500 ms.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from . import _slots as slots
from ._slots import GUARDED, METRICS, NONE, PACING, PAPER, SCHEMES, SHARES_PERCENT, TIMID, TWO

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

AXIS, RTT_MS = "udp_percent", 500


def setup(point: Point) -> Setup:
    """A scheme with a share of UDP."""
    return slots.setup(str(point["scheme"]), RTT_MS, float(point[AXIS]))


def check_better(outcome: Outcome) -> Finding:
    """DLCC has more goodput than no control."""
    ratios = slots.ratios(outcome, AXIS, "goodput_mbps", TWO, NONE)
    guarded = slots.ratios(outcome, AXIS, "goodput_mbps", GUARDED, NONE)
    return judge(
        agrees=all(ratio > 1 for ratio in ratios),
        in_shape=sum(ratio > 1 for ratio in ratios) > len(ratios) / 2,
        measured=f"ratios along the shares {slots.listed(ratios)}; guarded {slots.listed(guarded)}",
    )


def check_factor(outcome: Outcome) -> Finding:
    """Between 2 and 10 times."""
    ratios = slots.ratios(outcome, AXIS, "goodput_mbps", TWO, NONE)
    return judge(
        agrees=all(2 <= ratio <= 10 for ratio in ratios),
        in_shape=any(2 <= ratio <= 10 for ratio in ratios),
        measured=f"from {min(ratios):.2f} to {max(ratios):.2f}",
    )


def check_trend(outcome: Outcome) -> Finding:
    """Goodput falls with the share of UDP."""
    both = [slots.values(outcome, scheme, AXIS, "goodput_mbps") for scheme in (NONE, TWO)]
    return judge(
        agrees=all(slots.rises(list(reversed(series))) for series in both),
        in_shape=all(series[-1] < series[0] for series in both),
        measured=f"without {slots.listed(both[0])}; with {slots.listed(both[1])} Mb/s",
    )


def check_buffer(outcome: Outcome) -> Finding:
    """The extra edge buffer grows with the share of UDP."""
    extra = slots.extra_buffer(outcome, AXIS)
    means = [mean for mean, _ in extra]
    return judge(
        agrees=slots.rises(means),
        in_shape=means[-1] > means[0],
        measured=", ".join(f"{mean:.0f} ± {half:.0f}" for mean, half in extra) + " kbit",
    )


def check_pacing(outcome: Outcome) -> Finding:
    """DLCC loses less and gains more than ACK pacing."""
    less = slots.ratios(outcome, AXIS, "loss_mbps", TWO, PACING)
    more = slots.ratios(outcome, AXIS, "goodput_mbps", TWO, PACING)
    each = [loss < 1 and gain > 1 for loss, gain in zip(less, more, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"loss over that of ACK pacing {slots.listed(less)}; goodput {slots.listed(more)}",
    )


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 11."""
    slots.draw(axes, table, AXIS, "goodput_mbps")
    axes.set_xlabel("UDP in a burst (% of the link)")
    axes.set_ylabel("goodput (Mb/s)")


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 12."""
    slots.draw_extra(axes, table, AXIS)
    axes.set_xlabel("UDP in a burst (% of the link)")


experiment = Experiment(
    id="000/udp-shares",
    title="DLCC: goodput and edge buffer against the share of UDP (simulation)",
    source=Source(paper=PAPER, figures="Figures 11 and 12", section="§VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(scheme=SCHEMES, udp_percent=(10, 40)),
        replications=2,
        settings={"run.duration": "150 s", "run.warm_up": "50 s"},
        note="two of four shares, 100 s of 2577 s, two of six replications",
    ),
    full=Form(
        points=grid(scheme=SCHEMES, udp_percent=SHARES_PERCENT),
        replications=6,
        settings={"run.duration": "2677 s", "run.warm_up": "100 s"},
    ),
    claims=(
        Claim(
            id="better",
            text="the goodput without DLCC is always poorer",
            where="§VII, Fig. 11",
            expected="a ratio above 1 at every share",
            tolerance="above 1 at every share; in shape: at most of them",
            check=check_better,
            reason=TIMID,
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="from 2 to 10 at every share; in shape: at one of them",
            check=check_factor,
            reason=TIMID,
        ),
        Claim(
            id="trend",
            text="goodput falls with the share of UDP, with DLCC and without",
            where="§VII, Fig. 11",
            expected="decreasing",
            tolerance="from every share to the next; in shape: from the first to the last",
            check=check_trend,
        ),
        Claim(
            id="extra-buffer",
            text="the extra edge buffer grows with the share of UDP",
            where="§VII, Fig. 12",
            expected="increasing",
            tolerance="from every share to the next; in shape: from the first to the last",
            check=check_buffer,
            reason="the difference of two large buffers, whose mean is that of TCP's own queue at the edge node",
        ),
        Claim(
            id="ack-pacing",
            text="DLCC loses less and gains more goodput than ACK pacing",
            where="§VII",
            expected="at every share",
            tolerance="both at every share; in shape: at most of them",
            check=check_pacing,
            reason="it loses less, but ACK pacing makes no sender halve its window",
        ),
    ),
    plots=(Plot(name="figure-11", draw=draw_goodput), Plot(name="figure-12", draw=draw_buffer)),
    notes=("Network and readings as in 000/round-trips.",),
)
