"""Paper 001's comparison under lost bursts with BBR, which takes no loss for congestion without being told.

TCP-ENG is told that a lost burst is no congestion. BBR needs no telling: version 1 does not answer losses, version 3
bears up to 2 % of them. Forced mode, as in 001/figure-5: nine segments in a row are a burst, lost with probability p;
20 flows, 80 ms, nothing queues.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import Any

from photocol.claims import Predicate, above, at_least, at_most, falls
from photocol.experiment import Claim, Experiment, Form, Plot, Point, Setup, Source, grid

from . import _burst_losses as lost_bursts
from ._burst_losses import gain, is_much, survives, throughput_of

RARE, SOME, MANY, MOST = 1e-4, 1e-3, 1e-2, 1e-1
LOSSES = (RARE, SOME, MANY, MOST)
ENG, SACK, BBR, BBR3 = "tcp-eng", "sack", "bbr", "bbr3"
SENDERS = (ENG, SACK, BBR, BBR3)
STYLES = {ENG: ("#D55E00", "o-"), SACK: ("#0072B2", "o-"), BBR: ("#009E73", "o-"), BBR3: ("#CC79A7", "o-")}


def setup(point: Point) -> Setup:
    """Twenty flows of one sender on a path without queues, for as long as the square root's window needs."""
    sender, loss = str(point["sender"]), float(point["loss"])
    transport: dict[str, Any] = lost_bursts.from_the_usual_window(loss) if sender in (ENG, SACK) else {}
    bursts = {"loss": loss, "notify": sender == ENG}
    lost = 300 if loss > 2e-3 else 100
    return lost_bursts.setup(sender=sender, transport=transport, bursts=bursts, lost=lost, least_s=20.0)


THIRD = gain(BBR3, BBR)


def doubles(sender: str) -> Predicate:
    """Twice of what SACK carries at every loss of 1e-3 or more; in shape: more."""
    much = gain(sender, SACK).among(is_much)
    return at_least(much, 2, in_shape=above(much, 1))


experiment = Experiment(
    id="modern/bbr-burst-losses",
    title="lost bursts: TCP-ENG beside BBR and BBR version 3 (forced)",
    source=Source(paper="ours, after paper 001 (TCP-ENG)", figures="001's figure 5", section="001's §IV.A"),
    setup=setup,
    measure=lost_bursts.measure,
    metrics=lost_bursts.METRICS,
    quick=Form(points=grid(sender=SENDERS, loss=LOSSES), replications=1, note="one replication of three"),
    full=Form(points=grid(sender=SENDERS, loss=LOSSES), replications=3),
    claims=(
        Claim(
            id="over-bbr",
            text="TCP-ENG significantly outperforms what is there, now BBR",
            whose="ours",
            where="001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=survives(ENG, BBR),
            reason="nothing queues, and BBR takes no loss for congestion; TCP-ENG gives way to some of them",
        ),
        Claim(
            id="flat",
            text="BBR carries the same whether bursts are lost or not",
            whose="ours",
            where="ours; draft-cardwell-iccrg-bbr-congestion-control-00 §1",
            expected="as much at p = 1e-2 as at 1e-4",
            tolerance="at least 0.8 of it; in shape: half",
            check=at_least(throughput_of(BBR).at(RARE, SOME, MANY) / throughput_of(BBR).at(RARE), 0.8, in_shape=0.5),
        ),
        Claim(
            id="threshold",
            text="BBR version 3 gives way beyond 2 % of losses",
            whose="ours",
            where="ours; draft-ietf-ccwg-bbr-06 §5.5.10",
            expected="as version 1 at p = 1e-2, less at 1e-1",
            tolerance="at least 0.7 and at most 0.5 of version 1; in shape: less at 1e-1 than at 1e-2",
            check=(at_least(THIRD.at(MANY), 0.7) & at_most(THIRD.at(MOST), 0.5)).in_shape(falls(THIRD.at(MANY, MOST))),
        ),
        Claim(
            id="over-sack",
            text="both versions carry more than SACK",
            whose="ours",
            where="ours",
            expected="twice at p = 1e-3 or more",
            tolerance="at least 2 everywhere; in shape: more",
            check=doubles(BBR) & doubles(BBR3),
        ),
    ),
    plots=(Plot(name="throughput", draw=lost_bursts.throughput(STYLES)),),
    notes=(
        "Nothing queues and nothing is slower than the hosts: the greatest window of 1000 packets is all that bounds "
        "BBR's rate, 100 Mb/s at 80 ms.",
        "TCP-ENG with its default reading (ben-only), as in modern/burst-losses.",
    ),
)
