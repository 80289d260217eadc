"""Paper 002's buffer figure with senders that measure: BBR, BBR version 3, and DCTCP over queues that mark.

Utilization and drop rate of NSFNET's core outputs against the optical RAM per output, as 002/baseline has them for Reno
and paced Reno: which of the paper's claims outlive laws that do not wait for losses?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import MOSTLY, at_least, at_most, below, values
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

BBR, BBR3, DCTCP = "bbr", "bbr3", "dctcp"
SENDERS = {
    **AS_IN_002,
    BBR: Sender(keys={"algorithm": "bbr"}, colour="#009E73", style="o-"),
    BBR3: Sender(keys={"algorithm": "bbr3"}, colour="#CC79A7", style="s-"),
    DCTCP: Sender(keys={"algorithm": "dctcp"}, colour="#E69F00", style="^-", marks=True),
}
TWENTY_PACKETS = 30_000
QUICK_POINTS = (
    *grid(sender=(RENO, DCTCP), buffer_bytes=(1_500, SIX_PACKETS, TWENTY_PACKETS, 1_000_000)),
    *grid(sender=(PACED_RENO, BBR, BBR3), buffer_bytes=(SIX_PACKETS, 1_000_000)),
)
"""What the claims look at."""
BUFFERS = (1_500, 3_000, 4_500, 6_000, SIX_PACKETS, 15_000, TWENTY_PACKETS, 60_000, 150_000, 300_000, 1_000_000)


DROPS = values("drop_rate", "sender", form=".1e", buffer_bytes=SIX_PACKETS).at(RENO, PACED_RENO, BBR, BBR3)
RENO_DROPS = DROPS.at(RENO)
CARRIED = along(DCTCP) / along(RENO)


MARKED, DROPPED = (along(sender, "drop_rate", ".1e").at(TWENTY_PACKETS).told(name=sender) for sender in (DCTCP, RENO))


experiment = study(
    "modern/bbr-buffers",
    "buffer size at core outputs: BBR, BBR version 3 and DCTCP on NSFNET",
    SENDERS,
    quick=Form(
        points=QUICK_POINTS,
        replications=1,
        settings=QUICK,
        note="4 of 11 buffers, of paced senders 2; 1 of 5 replications, and 7 of 40 seconds, as 002/baseline.",
    ),
    buffers=BUFFERS,
    claims=(
        plateau(list(SENDERS), 5, 15),
        Claim(
            id="knee",
            text="a paced sender has high utilization with six packets, BBR too",
            whose="ours",
            where="ours, after 002 §3.2, Fig. 3",
            expected="BBR's share of its plateau is paced Reno's",
            tolerance="at most 3 points less and at least 75 %, for both versions; in shape: at least 75 %",
            check=as_paced_reno(BBR, BBR3),
        ),
        Claim(
            id="drops",
            text="a paced sender drops less, BBR too",
            whose="ours",
            where="ours, after 002 §3.2, Fig. 4",
            expected="no more than Reno at 9 kB",
            tolerance="both versions; in shape: version 3",
            check=at_most(DROPS.at(BBR, BBR3), RENO_DROPS, at_most(DROPS.at(BBR3), RENO_DROPS)).telling(DROPS),
            reason="BBR's rate does not answer drops, and version 3's only those of more than 2 % of a round trip's "
            "packets",
        ),
        Claim(
            id="marks",
            text="where queues mark, DCTCP hardly drops",
            whose="ours",
            where="ours; RFC 8257 §1",
            expected="a tenth of Reno's drop rate at 30 kB",
            tolerance="at most a tenth; in shape: less",
            check=at_most(MARKED / DROPPED, 0.1, in_shape=below(MARKED / DROPPED, 1)).saying(DROPPED, MARKED),
            reason="windows that leave in bursts overflow the ten packets above the threshold before a mark can be "
            "answered: with pacing, DCTCP drops a tenth of what Reno does (2.4e-4 of 2.6e-3, 7 s). Slow start is not "
            "why",
        ),
        Claim(
            id="dctcp-carries",
            text="DCTCP carries what Reno does with less buffer",
            whose="ours",
            where="ours; RFC 8257 §1",
            expected="ratio 1 or more at every buffer",
            tolerance="at least 0.97 everywhere; in shape: at more than half of the buffers",
            check=at_least(CARRIED, 0.97, in_shape=MOSTLY),
        ),
    ),
    notes=(
        "All but the sender is that of 002/baseline, the greatest window of 20 packets and the initial window of 2 "
        "included.",
        "DCTCP's queues mark from half of the buffer on (step). BBR has no answer to marks; its queues are drop-tail.",
    ),
)
