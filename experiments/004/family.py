"""RR-TCP's family, and TD-FR, over two paths (no figure of paper 004): which of its parts does the work?

DSACK-R takes back the window after a false fast retransmit; DSACK-FA adds a threshold that follows the histogram,
DSACK-TA a ratio that follows the costs, and DSACK-TAES times what was sent again without need. TD-FR, with which the
original compares them, only delays the fast retransmit, by half a round trip or more. The expected values and
tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, grid
from photocol.verdict import Finding, judge

from ._lb import METRICS, NOTES, measure, over_network, source, times

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
"""Name → δ in ms, loss of a burst, keys. The round trip over the short path is 24 ms and some for assembly."""


def make(point: Point) -> Setup:
    """A sender and a network."""
    return over_network(NETWORKS[str(point["network"])], SENDERS[str(point["sender"])])


def told(seconds: dict[str, float]) -> str:
    """All senders."""
    return ", ".join(f"{sender} {one:.1f} s" for sender, one in seconds.items())


def check_restore(outcome: Outcome) -> Finding:
    """The window alone is not enough where bursts are sprayed."""
    found = times(outcome, SPRAY)
    ratio = found[R] / found[FA]
    return judge(agrees=ratio >= 1.5, in_shape=ratio > 1, measured=f"{ratio:.2f} times DSACK-FA's: {told(found)}")


def check_alike(outcome: Outcome) -> Finding:
    """Without loss the ratio need not move."""
    apart = {network: times(outcome, network)[TA] / times(outcome, network)[FA] - 1 for network in (SWITCH, SPRAY)}
    worst = max(abs(one) for one in apart.values())
    return judge(
        agrees=worst <= 0.02,
        in_shape=worst <= 0.1,
        measured="; ".join(f"{network} {one:+.1%}" for network, one in apart.items()),
    )


def check_delay_short(outcome: Outcome) -> Finding:
    """TD-FR helps where reordering is shorter than half a round trip."""
    found = times(outcome, SPRAY_5)
    ratio = found[TDFR] / found[SACK]
    return judge(agrees=ratio <= 0.5, in_shape=ratio < 1, measured=f"{ratio:.2f} of SACK's: {told(found)}")


def check_delay_long(outcome: Outcome) -> Finding:
    """And not where it is longer."""
    found = times(outcome, SPRAY)
    ratio = found[TDFR] / found[TA]
    return judge(agrees=ratio >= 2, in_shape=ratio >= 1.2, measured=f"{ratio:.2f} times DSACK-TA's")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Times by network, a dot for each sender."""
    for sender in SENDERS:
        rows = dict(table.filter(pl.col("sender") == sender).select("network", "completion_s").iter_rows())
        axes.plot([rows[name] for name in NETWORKS], range(len(NETWORKS)), "o", markersize=5, label=sender)
    axes.set_yticks(range(len(NETWORKS)), list(NETWORKS), fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("mean time of a flow (s)")
    axes.legend(frameon=False, fontsize=7)


POINTS = grid(network=tuple(NETWORKS), sender=tuple(SENDERS))

experiment = Experiment(
    id="004/family",
    title="RR-TCP's family and TD-FR over two paths",
    source=source("none: the family of the original", "§3"),
    setup=make,
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
            check=check_restore,
        ),
        Claim(
            id="alike",
            text="without loss the FA ratio need not move: DSACK-TA is as DSACK-FA",
            whose="ours",
            where="ours",
            expected="equal",
            tolerance="within 2 %; in shape: 10 %",
            check=check_alike,
        ),
        Claim(
            id="delay-short",
            text="TD-FR helps where reordering is shorter than half a round trip",
            whose="ours",
            where="ours",
            expected="well below SACK's time at 5 ms",
            tolerance="half of it at most; in shape: less",
            check=check_delay_short,
        ),
        Claim(
            id="delay-long",
            text="TD-FR is no remedy where reordering is longer",
            whose="ours",
            where="ours",
            expected="well above RR-TCP's time at 50 ms",
            tolerance="2 times at least; in shape: 1.2",
            check=check_delay_long,
        ),
    ),
    plots=(Plot(name="times", draw=draw),),
    notes=NOTES,
)
