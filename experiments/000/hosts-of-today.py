"""DLCC with hosts of today: figures 8 to 10 again with SACK, CUBIC and RACK, and three forms of artificial ACKs.

Measured on Linux, the paper's bare ACKs are ignored by senders with SACK, and to discard the receiver's duplicates then
turns a fast retransmit into a timeout. ACKs with SACK blocks above the hole work, and so does one ACK with ECE. Which
form still deserves the paper's conclusion?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import polars as pl

from photocol.claims import MOSTLY, Values, below, lowest, values
from photocol.experiment import Claim, Plot, grid

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import ECE_FORM, FORMS, HOSTS, ROUND_TRIPS, SACK_FORM, STYLES
from ._slots import TWO

AXIS = "rtt_ms"


MORE = kinds.over_none(TWO, "goodput_mbps", "hosts", AXIS).told(".2f", name="goodput over that without control")
HOLES = Values(
    lambda outcome: values("holes", ("hosts", AXIS)).read(slots.where(outcome, pl.col("form") == TWO)), ".0f"
)
WHOLE = HOLES.each(lambda holes: 0 if holes > 0 else 1)

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
            check=kinds.harmless(SACK_FORM, "hosts", AXIS),
            reason=kinds.FROZEN,
        ),
        Claim(
            id="ece",
            text="one ACK with ECE loses less and carries no less than no control",
            whose="ours",
            where="measured on Linux: E1, E2",
            expected="less loss, no less goodput",
            tolerance="goodput at least 0.98 and less loss everywhere; in shape: in most cases",
            check=kinds.harmless(ECE_FORM, "hosts", AXIS),
            reason=kinds.FROZEN,
        ),
        Claim(
            id="paper",
            text="the paper's form does harm to hosts with SACK",
            whose="ours",
            where="measured on Linux: A1, B1s",
            expected="less goodput than without control, or holes",
            tolerance="in every case; in shape: in most cases",
            check=below(lowest(MORE, WHOLE), 1, in_shape=MOSTLY).saying(MORE, HOLES.told(".0f", name="holes")),
        ),
        kinds.conclusion(AXIS),
    ),
    plots=(
        Plot(name="goodput", draw=kinds.picture("goodput_mbps", "goodput (Mb/s)", STYLES)),
        Plot(name="loss", draw=kinds.picture("loss_mbps", "loss rate (Mb/s)", STYLES)),
        Plot(name="extra-buffer", draw=kinds.extra_buffer()),
    ),
    notes=(
        "All hosts use ECN, so that the forms differ in nothing else; core nodes mark nothing here.",
        "Minimum RTO 0.2 s, as Linux.",
        slots.LOTS,
        "Full form: 3 kinds of hosts, 5 forms, 6 round trips, 3 replications of 900 s: 270 runs.",
    ),
)
