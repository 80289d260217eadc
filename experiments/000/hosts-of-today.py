"""DLCC with hosts of today: figures 8 to 10 again with SACK, CUBIC and RACK, and three forms of artificial ACKs.

Measured on Linux, the paper's bare ACKs are ignored by senders with SACK, and to discard the receiver's duplicates then
turns a fast retransmit into a timeout. ACKs with SACK blocks above the hole work, and so does one ACK with ECE. Which
form still deserves the paper's conclusion?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Outcome, Plot, grid
from photocol.verdict import Finding, judge

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import ECE_FORM, FORMS, HOSTS, ROUND_TRIPS, SACK_FORM, STYLES
from ._slots import TWO

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AXIS = "rtt_ms"


def check_form(form: str, outcome: Outcome) -> Finding:
    """Less loss without less goodput than without control."""
    more, less, each = kinds.harmless(outcome, form, AXIS)
    return judge(
        agrees=all(each),
        in_shape=sum(each) > len(each) / 2,
        measured=f"goodput over that without control {slots.listed(more)}; loss {slots.listed(less)}",
    )


def check_paper(outcome: Outcome) -> Finding:
    """The paper's form does harm: less goodput than no control, or holes."""
    more = kinds.over_none(outcome.table, TWO, "goodput_mbps")
    holes = outcome.table.filter(pl.col("form") == TWO)["holes"].to_list()
    harmed = [gain < 1 or count > 0 for gain, count in zip(more, holes, strict=True)]
    return judge(
        agrees=all(harmed),
        in_shape=sum(harmed) > len(harmed) / 2,
        measured=f"goodput over that without control {slots.listed(more)}; holes {slots.listed(holes, '.0f')}",
    )


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 8."""
    kinds.draw(axes, table, "goodput_mbps", label="goodput (Mb/s)", forms=FORMS, styles=STYLES)


def draw_loss(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 9."""
    kinds.draw(axes, table, "loss_mbps", label="loss rate (Mb/s)", forms=FORMS, styles=STYLES)


experiment = kinds.study(
    "000/hosts-of-today",
    "DLCC with SACK, CUBIC and RACK, and three forms of artificial ACKs (simulation)",
    "as Figures 8 to 10",
    setup=kinds.of_today,
    quick=(grid(hosts=("sack", "rack"), form=FORMS, rtt_ms=(60, 420)), "two of six round trips"),
    full=grid(hosts=tuple(HOSTS), form=FORMS, rtt_ms=ROUND_TRIPS),
    claims=(
        Claim(
            id="sack",
            text="artificial ACKs with SACK blocks lose less and carry no less than no control",
            whose="ours",
            where="measured on Linux: B2s",
            expected="less loss, no less goodput",
            tolerance="goodput at least 0.98 and less loss everywhere; in shape: in most cases",
            check=partial(check_form, SACK_FORM),
            reason=kinds.FROZEN,
        ),
        Claim(
            id="ece",
            text="one ACK with ECE loses less and carries no less than no control",
            whose="ours",
            where="measured on Linux: E1, E2",
            expected="less loss, no less goodput",
            tolerance="goodput at least 0.98 and less loss everywhere; in shape: in most cases",
            check=partial(check_form, ECE_FORM),
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
        kinds.conclusion(partial(kinds.check_conclusion, AXIS)),
    ),
    plots=(
        Plot(name="goodput", draw=draw_goodput),
        Plot(name="loss", draw=draw_loss),
        Plot(name="extra-buffer", draw=partial(kinds.draw_extra, styles=STYLES)),
    ),
    notes=(
        "All hosts use ECN, so that the forms differ in nothing else; core nodes mark nothing here.",
        "Minimum RTO 0.2 s, as Linux.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 6 round trips, 3 replications of 900 s: 270 runs.",
    ),
)
