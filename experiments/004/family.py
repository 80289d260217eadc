"""RR-TCP's family, and TD-FR, over two paths (no figure of paper 004): which of its parts does the work?

DSACK-R takes back the window after a false fast retransmit; DSACK-FA adds a threshold that follows the histogram,
DSACK-TA a ratio that follows the costs, and DSACK-TAES times what was sent again without need. TD-FR, with which the
original compares them, only delays the fast retransmit, by half a round trip or more. The expected values and
tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import Values, above, at_least, at_most, below, near, values
from photocol.experiment import Claim, Experiment, Form, Plot, grid

from ._lb import METRICS, NOTES, OverNetworks, measure, over, source

if TYPE_CHECKING:
    from photocol.experiment import Value

T, B = "transport.tcp.", "switching.balancing."
R, FA, TA, TAES, TDFR, SACK = "DSACK-R", "DSACK-FA", "DSACK-TA", "DSACK-TAES", "TD-FR", "SACK"
SENDERS: dict[str, dict[str, Value]] = {
    **{name: {T + "algorithm": "hs-rr-tcp", T + "rr_variant": name.lower()} for name in (R, FA, TA, TAES)},
    TDFR: {T + "algorithm": "highspeed", T + "recovery": "td-fr"},
    SACK: {T + "algorithm": "highspeed"},
}
SWITCH, SPRAY_5, SPRAY, LOSSY = "switch, 50 ms", "spray, 5 ms", "spray, 50 ms", "spray and loss 1e-3, 50 ms"
NETWORKS: dict[str, tuple[float, float, dict[str, Value]]] = {
    SWITCH: (50, 0.0, {}),
    SPRAY_5: (5, 0.0, {B + "policy": "random"}),
    SPRAY: (50, 0.0, {B + "policy": "random"}),
    LOSSY: (50, 1e-3, {B + "policy": "random"}),
}
STUDY = OverNetworks(NETWORKS, SENDERS)


def of_all(network: str) -> Values:
    """The times of all senders."""
    return values("completion_s", "sender", form=".1f", unit=" s", network=network)


SHORT = over(SACK, TDFR, SPRAY_5)


POINTS = grid(network=tuple(NETWORKS), sender=tuple(SENDERS))

experiment = Experiment(
    id="004/family",
    title="RR-TCP's family and TD-FR over two paths",
    source=source("none: the family of the original", "§3"),
    setup=STUDY.setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=POINTS,
        replications=1,
        settings={"traffic.0.size": "50 MB", "transport.tcp.initial_ssthresh": "500 packets"},
        note="50 MB a flow instead of 1 GB; slow start ends at 500 packets, so that no queue hides what follows",
    ),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="restore",
            text="to take back the window is not enough where bursts are sprayed: the threshold must follow",
            whose="ours",
            where="ours",
            expected="DSACK-R slower than DSACK-FA",
            tolerance="1.5 times at least at 50 ms; in shape: slower",
            check=at_least(over(FA, R, SPRAY), 1.5, in_shape=above(over(FA, R, SPRAY), 1)).telling(of_all(SPRAY)),
        ),
        Claim(
            id="alike",
            text="without loss the FA ratio need not move: DSACK-TA is as DSACK-FA",
            whose="ours",
            where="ours",
            expected="equal",
            tolerance="within 2 %; in shape: 10 %",
            check=near((over(FA, TA, SWITCH, SPRAY) - 1).told("+.1%"), 0, by=0.02, in_shape=0.1),
        ),
        Claim(
            id="delay-short",
            text="TD-FR helps where reordering is shorter than half a round trip",
            whose="ours",
            where="ours",
            expected="well below SACK's time at 5 ms",
            tolerance="half of it at most; in shape: less",
            check=at_most(SHORT, 0.5, in_shape=below(SHORT, 1)).telling(of_all(SPRAY_5)),
        ),
        Claim(
            id="delay-long",
            text="TD-FR is no remedy where reordering is longer",
            whose="ours",
            where="ours",
            expected="well above RR-TCP's time at 50 ms",
            tolerance="2 times at least; in shape: 1.2",
            check=at_least(over(TA, TDFR, SPRAY), 2, in_shape=1.2),
        ),
    ),
    plots=(Plot(name="times", draw=STUDY.draw),),
    notes=NOTES,
)
