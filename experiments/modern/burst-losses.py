"""Paper 001's comparison under lost bursts, with senders of today: RACK-TLP, CUBIC, and undo on and off.

The paper compares TCP-ENG, which is told that a lost burst is no congestion, with Reno and SACK of its time (figure 5).
Here its rivals repair losses by RACK-TLP and PRR, open the window by CUBIC, and take needless reductions back. Forced
mode, as in 001/figure-5: nine segments in a row are a burst, lost with probability p; 20 flows, 80 ms, nothing queues.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import Any

from photocol.claims import above, at_least, at_most, below, most, near, values
from photocol.experiment import Claim, Experiment, Form, Plot, Point, Setup, Source, grid

from . import _burst_losses as lost_bursts
from ._burst_losses import gain, survives

QUICK_LOSSES = (1e-4, 1e-3, 1e-2, 1e-1)
LOSSES = tuple(10 ** (-5 + step / 2) for step in range(9))
ENG, SACK, RACK, CUBIC = "tcp-eng", "sack", "rack", "cubic"
LINUX, LINUX_NO_UNDO = "cubic-linux", "cubic-linux-no-undo"
SENDERS: dict[str, dict[str, Any]] = {
    ENG: {},
    SACK: {},
    RACK: {"algorithm": "sack", "recovery": "rack"},
    CUBIC: {},
    LINUX: {"algorithm": "cubic", "recovery": "linux"},
    LINUX_NO_UNDO: {"algorithm": "cubic", "recovery": "linux", "undo": "never"},
}
STYLES = {
    ENG: ("#D55E00", "o-"),
    SACK: ("#0072B2", "o-"),
    RACK: ("#56B4E9", "o-"),
    CUBIC: ("#009E73", "o-"),
    LINUX: ("#CC79A7", "o-"),
    LINUX_NO_UNDO: ("#E69F00", "o:"),
}


def setup(point: Point) -> Setup:
    """Twenty flows of one sender on a path without queues, for some hundred to a thousand lost bursts."""
    sender, loss = str(point["sender"]), float(point["loss"])
    return lost_bursts.setup(
        sender=sender,
        transport={**lost_bursts.from_the_usual_window(loss), **SENDERS[sender]},
        bursts={"loss": loss, "notify": True},
        lost=1000 if loss > 2e-3 else 300 if loss > 5e-4 else 100,
        least_s=40.0,
    )


TIMEOUTS = {sender: values("timeouts_per_flow", "loss", sender=sender) for sender in (RACK, SACK)}
SAVED = (TIMEOUTS[RACK] / TIMEOUTS[SACK]).among(lambda loss: loss > 0.9e-3).told(".2f", name="RACK-TLP's over SACK's")


experiment = Experiment(
    id="modern/burst-losses",
    title="lost bursts: TCP-ENG beside RACK-TLP, CUBIC and undo (forced)",
    source=Source(paper="ours, after paper 001 (TCP-ENG)", figures="001's figure 5", section="001's §IV.A"),
    setup=setup,
    measure=lost_bursts.measure,
    metrics=lost_bursts.METRICS,
    quick=Form(
        points=grid(sender=list(SENDERS), loss=QUICK_LOSSES), replications=1, note="4 of 9 losses, one replication"
    ),
    full=Form(points=grid(sender=list(SENDERS), loss=LOSSES), replications=3),
    claims=(
        Claim(
            id="over-rack",
            text="TCP-ENG significantly outperforms SACK, now with RACK-TLP",
            whose="ours",
            where="001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=survives(ENG, RACK),
        ),
        Claim(
            id="over-cubic",
            text="TCP-ENG significantly outperforms CUBIC",
            whose="ours",
            where="ours, after 001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=survives(ENG, CUBIC),
            reason="at p = 1e-4 CUBIC's window is as large as TCP-ENG's: 0.99 times",
        ),
        Claim(
            id="over-linux",
            text="TCP-ENG significantly outperforms CUBIC with recovery linux",
            whose="ours",
            where="ours, after 001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=survives(ENG, LINUX),
            reason="at p = 1e-4 CUBIC's window is as large as TCP-ENG's: 0.99 times",
        ),
        Claim(
            id="timeouts",
            text="RACK-TLP saves timeouts of lost bursts that are a whole window",
            whose="ours",
            where="ours; RFC 8985 §3",
            expected="fewer timeouts than SACK",
            tolerance="at most half from p = 1e-3 on; in shape: fewer",
            check=at_most(SAVED, 0.5, in_shape=below(SAVED, 1)),
            reason="at p = 1e-3 two timeouts of 20 flows in either: a repair that is lost again. Half a round trip in "
            "which nothing leaves, one after which RACK knows and the next make 200 ms, the least timeout",
        ),
        Claim(
            id="repair",
            text="RACK-TLP carries at least what RFC 6675 does",
            whose="ours",
            where="ours",
            expected="ratio 1 or more",
            tolerance="at least 0.98 at every p; in shape: more at some",
            check=at_least(gain(RACK, SACK), 0.98, in_shape=above(most(gain(RACK, SACK)), 1)),
        ),
        Claim(
            id="undo",
            text="undo changes nothing: lost bursts are lost, and no reduction is needless",
            whose="ours",
            where="ours",
            expected="ratio 1",
            tolerance="within 1 % at every p; in shape: within 5 %",
            check=near(gain(LINUX, LINUX_NO_UNDO), 1, by=0.01, in_shape=0.05),
        ),
    ),
    plots=(Plot(name="throughput", draw=lost_bursts.throughput(STYLES)),),
    notes=(
        "TCP-ENG with its default reading (ben-only): α of GAIMD in the round after a BEN, else 1; every lost burst "
        "brings one. 001/figure-5 has the other reading.",
        "All senders start at the square root's window, so that a start says little.",
    ),
)
