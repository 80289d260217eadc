"""Paper 004's reordering with BBR: load-balanced bursts over two paths whose delays differ.

HS-RR-TCP learns how much reordering is normal; HS-TCP-SACK takes it for losses and halves. BBR finds losses by time
(RACK) and does not halve for them. Does it need the paper's remedy?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import Values, at_least, at_most, last, most, spread, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, grid
from photocol.plot import Lines

from ._lb import LOOKS as LOOKS_OF
from ._lb import (
    METRICS,
    NOTES,
    RR,
    SACK,
    SENDERS,
    curve,
    measure,
    sender_of,
    setup,
)
from ._lb import source as source_of

BBR, BBR3 = "BBR", "BBRv3"
WHO = (RR, SACK, BBR, BBR3)
LEAST, MOST = 1, 50
ALGORITHMS = {BBR: "bbr", BBR3: "bbr3"}
SIZE = {"traffic.0.size": "100 MB"}


def make(point: Point) -> Setup:
    """A difference of delays and a sender."""
    sender = sender_of(point)
    if sender in SENDERS:
        return setup(sender, delta_ms=float(point["delta_ms"]))
    return setup(SACK, {"transport.tcp.algorithm": ALGORITHMS[sender]}, delta_ms=float(point["delta_ms"]))


def times(sender: str, over: str | None = None) -> Values:
    """Of a sender along δ, or how many times another sender's they are."""
    own = values("completion_s", "delta_ms", form=".1f", unit=" s", sender=sender)
    return own if over is None else (own / times(over)).told(".2f", name=f"{sender} over {over}")


def over(outcome: Outcome, sender: str, metric: str = "completion_s") -> dict[float, float]:
    """A metric of a sender along δ."""
    return curve(outcome, "delta_ms", metric, sender=sender)


LOOKS = LOOKS_OF | {BBR: ("#CC79A7", "-^"), BBR3: ("#E69F00", "--v")}
LABELS = ("difference of the paths' delays δ (ms)", "time of a flow (s)")
COMPLETION = Lines("delta_ms", "completion_s", LABELS, by="sender", of=WHO, looks=LOOKS, low=0)

experiment = Experiment(
    id="004/bbr",
    title="reordering by load balancing: BBR beside HS-RR-TCP and HS-TCP-SACK",
    source=source_of("as figures 6 and 11", "what the paper does not ask"),
    setup=make,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(sender=WHO, delta_ms=(LEAST, MOST)),
        replications=1,
        settings=SIZE,
        note="two of four δ, 100 MB a flow",
    ),
    full=Form(points=grid(sender=WHO, delta_ms=(LEAST, 10, 25, MOST)), replications=1),
    claims=(
        Claim(
            id="flat",
            text="BBR takes the same time whatever δ is",
            whose="ours",
            where="ours, after §5.2.1",
            expected="one time",
            tolerance="10 % apart; in shape: 30 %",
            check=at_most(spread(times(BBR)), 0.1, in_shape=0.3),
            reason="at δ = 50 ms RACK takes late segments for lost, six times a flow; in the round trip after that "
            "version 1 lets out only what arrives, and takes nothing back",
        ),
        Claim(
            id="as-rr",
            text="BBR needs no threshold that learns",
            whose="ours",
            where="ours, after §5.2.1",
            expected="the time of HS-RR-TCP",
            tolerance="at most 1.1 times; in shape: 1.5",
            check=at_most(most(times(BBR, over=RR)), 1.1, in_shape=1.5),
            reason="as for flat: false recoveries at δ = 50 ms",
        ),
        Claim(
            id="over-sack",
            text="BBR is quicker than HS-TCP-SACK where paths differ by 50 ms",
            whose="ours",
            where="ours",
            expected="quicker",
            tolerance="HS-TCP-SACK takes at least 1.2 times as long; in shape: not less",
            check=at_least(last(times(SACK, over=BBR)), 1.2, in_shape=1),
            reason="as for flat; and HighSpeed TCP gives up little of a large window for a false fast retransmit",
        ),
        Claim(
            id="third",
            text="version 3 suffers more from reordering than version 1",
            whose="ours",
            where="ours; draft-ietf-ccwg-bbr-06 §5.5.10",
            expected="longer at δ = 50 ms",
            tolerance="not less; in shape: at some δ",
            check=at_least(last(times(BBR3, over=BBR)), 1, in_shape=at_least(most(times(BBR3, over=BBR)), 1)),
            reason="version 3 takes back what a false recovery has done to its model, version 1 does not",
        ),
    ),
    plots=(Plot(name="completion", draw=COMPLETION),),
    notes=(*NOTES, "BBR repairs by RACK-TLP, whose reordering window follows D-SACKs; it has no undo here."),
)
