"""DLCC with hosts of today: figures 8 to 10 again with SACK, CUBIC and RACK, and three forms of artificial ACKs.

Measured on Linux, the paper's bare ACKs are ignored by senders with SACK, and to discard the receiver's duplicates then
turns a fast retransmit into a timeout. ACKs with SACK blocks above the hole work, and so does one ACK with ECE. Which
form still deserves the paper's conclusion?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import ECE_FORM, FORM_NAMES, ROUND_TRIPS, SACK_FORM
from ._slots import METRICS, NONE, ONE, PAPER, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

FORMS = (NONE, ONE, TWO, SACK_FORM, ECE_FORM)
HOSTS: Mapping[str, Mapping[str, Value]] = {
    "sack": {"transport.reno.algorithm": "sack"},
    "cubic": {"transport.reno.algorithm": "cubic"},
    "rack": kinds.LINUX_CUBIC,
}
STYLES = {"sack": "-o", "cubic": "--s", "rack": ":^"}


def setup(point: Point) -> Setup:
    """A form of artificial ACKs with hosts of a kind, all of which use ECN."""
    return kinds.setup(point, {**HOSTS[str(point["hosts"])], "transport.reno.ecn": True})


def ratios(outcome: Outcome, form: str, metric: str) -> list[float]:
    """A metric with a form over that without control, at every kind of host and round trip."""
    return kinds.over_none(outcome.table, form, metric)


def check_sack(outcome: Outcome) -> Finding:
    """ACKs with blocks: less loss without less goodput than without control."""
    more, less = ratios(outcome, SACK_FORM, "goodput_mbps"), ratios(outcome, SACK_FORM, "loss_mbps")
    each = [gain >= 0.98 and loss < 1 for gain, loss in zip(more, less, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"goodput over that without control {slots.listed(more)}; loss {slots.listed(less)}",
    )


def check_ece(outcome: Outcome) -> Finding:
    """One ACK with ECE: the same."""
    more, less = ratios(outcome, ECE_FORM, "goodput_mbps"), ratios(outcome, ECE_FORM, "loss_mbps")
    each = [gain >= 0.98 and loss < 1 for gain, loss in zip(more, less, strict=True)]
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"goodput over that without control {slots.listed(more)}; loss {slots.listed(less)}",
    )


def check_paper(outcome: Outcome) -> Finding:
    """The paper's form does harm: less goodput than no control, or holes."""
    more = ratios(outcome, TWO, "goodput_mbps")
    holes = outcome.table.filter(pl.col("form") == TWO)["holes"].to_list()
    harmed = [gain < 1 or count > 0 for gain, count in zip(more, holes, strict=True)]
    return judge(
        agrees=all(harmed),
        in_shape=sum(harmed) > len(harmed) / 2,
        measured=f"goodput over that without control {slots.listed(more)}; holes {slots.listed(holes, '.0f')}",
    )


def check_conclusion(outcome: Outcome) -> Finding:
    """A form has twice the goodput."""
    best = {form: max(ratios(outcome, form, "goodput_mbps")) for form in (ONE, TWO, SACK_FORM, ECE_FORM)}
    return judge(
        agrees=any(ratio >= 2 for ratio in best.values()),
        in_shape=any(ratio >= 1.2 for ratio in best.values()),
        measured="; ".join(f"{FORM_NAMES[form]} at most {ratio:.2f}" for form, ratio in best.items()),
    )


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 8."""
    kinds.draw(axes, table, "goodput_mbps", label="goodput (Mb/s)", forms=FORMS, styles=STYLES)


def draw_loss(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 9."""
    kinds.draw(axes, table, "loss_mbps", label="loss rate (Mb/s)", forms=FORMS, styles=STYLES)


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 10."""
    kinds.draw_extra(axes, table, styles=STYLES)


experiment = Experiment(
    id="000/hosts-of-today",
    title="DLCC with SACK, CUBIC and RACK, and three forms of artificial ACKs (simulation)",
    source=Source(paper=PAPER, figures="as Figures 8 to 10", section="what the paper does not ask"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(hosts=("sack", "rack"), form=FORMS, rtt_ms=(60, 420)),
        replications=1,
        settings=kinds.QUICK,
        note="two of three kinds of hosts, two of six round trips, 50 s, one of three replications",
    ),
    full=Form(
        points=grid(hosts=tuple(HOSTS), form=FORMS, rtt_ms=ROUND_TRIPS),
        replications=3,
        settings=kinds.FULL_RUN,
    ),
    claims=(
        Claim(
            id="sack",
            text="artificial ACKs with SACK blocks lose less and carry no less than no control",
            whose="ours",
            where="measured on Linux: B2s",
            expected="less loss, no less goodput",
            tolerance="goodput at least 0.98 and less loss everywhere; in shape: in most cases",
            check=check_sack,
            reason=kinds.FROZEN,
        ),
        Claim(
            id="ece",
            text="one ACK with ECE loses less and carries no less than no control",
            whose="ours",
            where="measured on Linux: E1, E2",
            expected="less loss, no less goodput",
            tolerance="goodput at least 0.98 and less loss everywhere; in shape: in most cases",
            check=check_ece,
            reason=kinds.FROZEN,
        ),
        Claim(
            id="paper",
            text="the paper's form does harm to hosts with SACK",
            whose="ours",
            where="measured on Linux: A1, B1s",
            expected="less goodput than without control, or holes",
            tolerance="in every case; in shape: in most cases",
            check=check_paper,
        ),
        Claim(
            id="conclusion",
            text="DLCC yields between 2 and 10 times the goodput",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="one form has twice the goodput of no control somewhere; in shape: 1.2 times",
            check=check_conclusion,
            reason=kinds.FULL,
        ),
    ),
    plots=(
        Plot(name="goodput", draw=draw_goodput),
        Plot(name="loss", draw=draw_loss),
        Plot(name="extra-buffer", draw=draw_buffer),
    ),
    describe=kinds.fullest,
    notes=(
        "All hosts use ECN, so that the forms differ in nothing else; core nodes mark nothing here.",
        "Minimum RTO 0.2 s, as Linux.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 6 round trips, 3 replications of 900 s: 270 runs.",
    ),
)
