"""DLCC with hosts of today: figures 11 and 12 again, the share of UDP at 500 ms.

Hosts, forms of artificial ACKs and judgements are those of 000/hosts-of-today. As in 000/udp-shares each point also has
silences within a tenth of 9.8 s, and a claim holds if it does under both laws.

The expected values and tolerances below were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Outcome, Plot, Point, Setup, grid
from photocol.verdict import Finding, judge

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import FORM_NAMES, FORMS, HOSTS, STYLES
from ._slots import CONSTANT, SHARES_PERCENT, UNIFORM

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

AXIS, RTT_MS = "udp_percent", 500.0


def setup(point: Point) -> Setup:
    """Hosts of today with a share of UDP, and silences by a law."""
    return kinds.of_today(point, rtt_ms=RTT_MS, udp_percent=float(point[AXIS]), silences=str(point["silences"]))


def check_deserves(outcome: Outcome) -> Finding:
    """A form that loses less and carries no less than no control."""
    found = {form: kinds.harmless(outcome, form, AXIS) for form in FORMS[2:]}
    return judge(
        agrees=any(all(cases) for _, _, cases in found.values()),
        in_shape=any(sum(cases) > len(cases) / 2 for _, _, cases in found.values()),
        measured="; ".join(
            f"{FORM_NAMES[form]}: goodput {slots.listed(more)}, loss {slots.listed(less)}"
            for form, (more, less, _) in found.items()
        ),
    )


CHECKS = {"deserves": check_deserves, "conclusion": partial(kinds.check_conclusion, AXIS)}


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


experiment = kinds.study(
    "000/hosts-udp-shares",
    "DLCC with SACK, CUBIC and RACK against the share of UDP (simulation)",
    "as Figures 11 and 12",
    setup=setup,
    quick=(
        grid(silences=(CONSTANT, UNIFORM), hosts=("sack", "rack"), form=FORMS, udp_percent=(10, 40)),
        "two of four shares",
    ),
    full=grid(silences=(CONSTANT, UNIFORM), hosts=tuple(HOSTS), form=FORMS, udp_percent=SHARES_PERCENT),
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
        kinds.conclusion(under_both("conclusion"), ", under both laws"),
    ),
    plots=(Plot(name="goodput", draw=draw_goodput), Plot(name="extra-buffer", draw=draw_buffer)),
    readings=lambda outcome: slots.by_law(experiment.claims, outcome, CHECKS),
    notes=(
        "Hosts and keys as in 000/hosts-of-today.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 4 shares, 2 laws of silences, 3 replications of 900 s: 360 runs.",
    ),
)
