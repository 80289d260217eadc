"""DLCC with hosts of today: figures 11 and 12 again, the share of UDP at 500 ms.

Hosts, forms of artificial ACKs and judgements are those of 000/hosts-of-today. As in 000/udp-shares each point also has
silences within a tenth of 9.8 s, and a claim holds if it does under both laws.

The expected values and tolerances below were written before the first run.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from photocol.experiment import Claim, Plot, Point, Setup, grid

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import FORMS, HOSTS, STYLES
from ._slots import CONSTANT, SHARES_PERCENT, UNIFORM

AXIS, RTT_MS = "udp_percent", 500.0


def setup(point: Point) -> Setup:
    """Hosts of today with a share of UDP, and silences by a law."""
    return kinds.of_today(point, rtt_ms=RTT_MS, udp_percent=float(point[AXIS]), silences=str(point["silences"]))


CLAIMS = (
    Claim(
        id="deserves",
        text="one form of artificial ACKs loses less and carries no less than no control",
        whose="ours",
        where="ours, after §VII",
        expected="less loss, no less goodput",
        tolerance="one form with goodput at least 0.98 and less loss everywhere, under both laws; "
        "in shape: in most cases",
        check=reduce(or_, (kinds.harmless(form, "hosts", AXIS) for form in FORMS[2:])),
        reason=kinds.FROZEN,
    ),
    kinds.conclusion(AXIS, ", under both laws"),
)
PAPERS = {"axis": AXIS, "where": {"silences": CONSTANT}}

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
    claims=slots.under_both(CLAIMS),
    plots=(
        Plot(name="goodput", draw=kinds.picture("goodput_mbps", "goodput (Mb/s)", STYLES, **PAPERS)),
        Plot(name="extra-buffer", draw=kinds.extra_buffer(**PAPERS)),
    ),
    readings=lambda outcome: slots.by_law(CLAIMS, outcome),
    notes=(
        "Hosts and keys as in 000/hosts-of-today.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 4 shares, 2 laws of silences, 3 replications of 900 s: 360 runs.",
    ),
)
