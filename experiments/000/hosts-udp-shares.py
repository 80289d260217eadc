"""DLCC with hosts of today: figures 11 and 12 again, the share of UDP at 500 ms.

Hosts, forms of artificial ACKs and judgements are those of 000/hosts-of-today. As in 000/udp-shares each point also has
silences within a tenth of 9.8 s, and a claim holds if it does under both laws.

The expected values and tolerances below were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import ECE_FORM, FORM_NAMES, SACK_FORM
from ._slots import CONSTANT, METRICS, NONE, ONE, PAPER, SHARES_PERCENT, TWO, UNIFORM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

AXIS, RTT_MS = "udp_percent", 500.0
FORMS = (NONE, ONE, TWO, SACK_FORM, ECE_FORM)
HOSTS: Mapping[str, Mapping[str, Value]] = {
    "sack": {"transport.reno.algorithm": "sack"},
    "cubic": {"transport.reno.algorithm": "cubic"},
    "rack": kinds.LINUX_CUBIC,
}
STYLES = {"sack": "-o", "cubic": "--s", "rack": ":^"}


def setup(point: Point) -> Setup:
    """A form of artificial ACKs with hosts of a kind, all of which use ECN, and a share of UDP."""
    keys = {**HOSTS[str(point["hosts"])], "transport.reno.ecn": True}
    law = str(point["silences"])
    return kinds.setup(point, keys, rtt_ms=RTT_MS, udp_percent=float(point[AXIS]), silences=law)


def ratios(outcome: Outcome, form: str, metric: str) -> list[float]:
    """A metric with a form over that without control, at every kind of host and share."""
    return kinds.over_none(outcome.table, form, metric, AXIS)


def check_deserves(outcome: Outcome) -> Finding:
    """A form that loses less and carries no less than no control."""
    found = {form: (ratios(outcome, form, "goodput_mbps"), ratios(outcome, form, "loss_mbps")) for form in FORMS[2:]}
    each = {
        form: [gain >= 0.98 and loss < 1 for gain, loss in zip(more, less, strict=True)]
        for form, (more, less) in found.items()
    }
    return judge(
        agrees=any(all(cases) for cases in each.values()),
        in_shape=any(sum(cases) > len(cases) / 2 for cases in each.values()),
        measured="; ".join(
            f"{FORM_NAMES[form]}: goodput {slots.listed(more)}, loss {slots.listed(less)}"
            for form, (more, less) in found.items()
        ),
    )


def check_conclusion(outcome: Outcome) -> Finding:
    """A form has twice the goodput."""
    best = {form: max(ratios(outcome, form, "goodput_mbps")) for form in FORMS[1:]}
    return judge(
        agrees=any(ratio >= 2 for ratio in best.values()),
        in_shape=any(ratio >= 1.2 for ratio in best.values()),
        measured="; ".join(f"{FORM_NAMES[form]} at most {ratio:.2f}" for form, ratio in best.items()),
    )


CHECKS = {"deserves": check_deserves, "conclusion": check_conclusion}


def under_both(claim: str) -> Callable[[Outcome], Finding]:
    """The check of a claim under both laws of silences."""
    return lambda outcome: slots.under_each(outcome, CHECKS[claim])


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 11."""
    table = table.filter(pl.col("silences") == CONSTANT)
    kinds.draw(axes, table, "goodput_mbps", label="goodput (Mb/s)", forms=FORMS, styles=STYLES, axis=AXIS)


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 12."""
    table = table.filter(pl.col("silences") == CONSTANT)
    kinds.draw_extra(axes, table, styles=STYLES, axis=AXIS)


experiment = Experiment(
    id="000/hosts-udp-shares",
    title="DLCC with SACK, CUBIC and RACK against the share of UDP (simulation)",
    source=Source(paper=PAPER, figures="as Figures 11 and 12", section="what the paper does not ask"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(silences=(CONSTANT, UNIFORM), hosts=("sack", "rack"), form=FORMS, udp_percent=(10, 40)),
        replications=1,
        settings=kinds.QUICK,
        note="two of three kinds of hosts, two of four shares, 50 s, one of three replications",
    ),
    full=Form(
        points=grid(silences=(CONSTANT, UNIFORM), hosts=tuple(HOSTS), form=FORMS, udp_percent=SHARES_PERCENT),
        replications=3,
        settings=kinds.FULL_RUN,
    ),
    claims=(
        Claim(
            id="deserves",
            text="one form of artificial ACKs loses less and carries no less than no control",
            whose="ours",
            where="ours, after §VII",
            expected="less loss, no less goodput",
            tolerance="one form with goodput at least 0.98 and less loss everywhere, under both laws; "
            "in shape: in most cases",
            check=under_both("deserves"),
            reason=kinds.FROZEN,
        ),
        Claim(
            id="conclusion",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="one form has twice the goodput of no control somewhere, under both laws; in shape: 1.2 times",
            check=under_both("conclusion"),
            reason=kinds.FULL,
        ),
    ),
    plots=(Plot(name="goodput", draw=draw_goodput), Plot(name="extra-buffer", draw=draw_buffer)),
    describe=kinds.fullest,
    readings=lambda outcome: slots.by_law(experiment.claims, outcome, CHECKS),
    notes=(
        "Hosts and keys as in 000/hosts-of-today.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 4 shares, 2 laws of silences, 3 replications of 900 s: 360 runs.",
    ),
)
