"""Paper 002's buffer figure with senders of today: CUBIC and paced CUBIC, with RFC 6675 and with what Linux repairs by.

Utilization and drop rate of NSFNET's core outputs against the optical RAM per output, as 002/baseline has them for Reno
and paced Reno: which of the paper's claims about pacing outlive CUBIC?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import MOSTLY, Values, at_most, below, beside, near
from photocol.experiment import Claim, Form, grid

from ._buffers import (
    AS_IN_002,
    PACED_RENO,
    QUICK,
    RENO,
    SIX_PACKETS,
    Sender,
    along,
    as_paced_reno,
    plateau,
    study,
)

CUBIC, PACED_CUBIC, LINUX, PACED_LINUX = "cubic", "paced-cubic", "cubic-linux", "paced-cubic-linux"
LINUX_KEYS = {"algorithm": "cubic", "recovery": "linux"}
SENDERS = {
    **AS_IN_002,
    CUBIC: Sender(keys={"algorithm": "cubic"}, colour="#0072B2", style="o-"),
    PACED_CUBIC: Sender(keys={"algorithm": "cubic", "paced": True}, colour="#D55E00", style="s-"),
    LINUX: Sender(keys=LINUX_KEYS, colour="#56B4E9", style="^:"),
    PACED_LINUX: Sender(keys={**LINUX_KEYS, "paced": True}, colour="#E69F00", style="v:"),
}
QUICK_BUFFERS = (1_500, 9_000, 30_000, 1_000_000)
BUFFERS = (1_500, 3_000, 4_500, 6_000, 9_000, 15_000, 30_000, 60_000, 150_000, 300_000, 600_000, 1_000_000)


def half(plain: str, paced: str) -> Values:
    """With six packets the utilization over that of the sender that paces."""
    return (along(plain) / along(paced)).at(SIX_PACKETS).told(".2f", name=plain)


HALVES = beside({CUBIC: half(CUBIC, PACED_CUBIC), LINUX: half(LINUX, PACED_LINUX)}).told(".2f")


BETWEEN = (along(PACED_CUBIC, "drop_rate") / along(CUBIC, "drop_rate")).among(lambda buffer: 1_500 < buffer <= 200_000)
FEWER = below(BETWEEN.renamed(lambda buffer: buffer / 1000).told(".2f", name="by kB"), 1, in_shape=MOSTLY)


experiment = study(
    "modern/buffers",
    "buffer size at core outputs: CUBIC and paced CUBIC on NSFNET",
    SENDERS,
    quick=Form(
        points=grid(sender=list(SENDERS), buffer_bytes=QUICK_BUFFERS),
        replications=1,
        settings=QUICK,
        note="4 of 12 buffers, 1 of 5 replications, and 7 of 40 seconds, as 002/baseline.",
    ),
    buffers=BUFFERS,
    claims=(
        plateau(list(SENDERS), 3, 10),
        Claim(
            id="paced-knee",
            text="a paced sender has high utilization with six packets",
            whose="ours",
            where="002 §3.2, Fig. 3",
            expected="paced CUBIC's share of its plateau is paced Reno's",
            tolerance="at most 3 points less and at least 75 %, with either recovery; in shape: at least 75 %",
            check=as_paced_reno(PACED_CUBIC, PACED_LINUX),
        ),
        Claim(
            id="half-at-six-packets",
            text="at 9 kB a sender that does not pace has only half the utilization",
            whose="ours",
            where="002 §3.2, Fig. 5",
            expected="0.5",
            tolerance="ratio within 0.1 of 0.5 for CUBIC with either recovery; in shape: at most 0.8",
            check=near(HALVES, 0.5, by=0.1, in_shape=at_most(HALVES, 0.8)).telling(half(RENO, PACED_RENO)),
            reason="SACK repairs what Reno's timeouts wait for: SACK's Reno has 0.384 at 9 kB instead of 0.271; CUBIC "
            "keeps 0.7 of the window besides",
        ),
        Claim(
            id="drops-between",
            text="with more than 1 kB the paced sender drops less",
            whose="ours",
            where="002 §3.2, Fig. 4",
            expected="ratio below 1 up to 200 kB",
            tolerance="below 1 at every buffer; in shape: at more than half of them",
            check=FEWER,
        ),
        Claim(
            id="as-reno",
            text="CUBIC acts as Reno here: windows are at most 20 packets and round trips short",
            whose="ours",
            where="ours; RFC 9438 §4.3",
            expected="ratio 1 at every buffer",
            tolerance="within 10 %; in shape: within 25 %",
            check=near(along(CUBIC) / along(RENO), 1, by=0.1, in_shape=0.25),
            reason="the Reno of 002 has no SACK; SACK's Reno has 0.384 at 9 kB (1.42 times), with beta 0.7 "
            "(GAIMD) 0.425 (1.57 times)",
        ),
    ),
    notes=(
        "All but the sender is that of 002/baseline, the greatest window of 20 packets and the initial window of "
        "2 included: a sender of today would have larger ones.",
        "cubic: RFC 9438 with RFC 6675; cubic-linux: with RACK-TLP, PRR and D-SACK undo. Without HyStart++.",
    ),
)
