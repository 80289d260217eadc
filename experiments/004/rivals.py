"""Is RR-TCP still needed? Its rivals of today where bursts have two paths (no figure of paper 004).

RACK-TLP (RFC 8985) waits a part of a round trip for what is late and adapts that by D-SACKs; Linux also takes back cuts
that D-SACKs disprove. CUBIC is what is mostly run. The questions and the answers that count were written before the
first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import MOSTLY, Values, at_least, at_most, most, within
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, grid

from ._lb import METRICS, NOTES, OverNetworks, measure, over, source, times

if TYPE_CHECKING:
    from photocol.experiment import Value

T, B = "transport.tcp.", "switching.balancing."
RR, SACK, UNDO, RACK, LINUX = "HS-RR-TCP", "HS-SACK", "HS-SACK, D-SACK undo", "HS-RACK-TLP", "HS-Linux"
CUBIC, CUBIC_LINUX, CUBIC_RR = "CUBIC-SACK", "CUBIC-Linux", "CUBIC on RR-TCP"
SENDERS: dict[str, dict[str, Value]] = {
    RR: {T + "algorithm": "hs-rr-tcp"},
    SACK: {T + "algorithm": "highspeed"},
    UNDO: {T + "algorithm": "highspeed", T + "undo": "dsack"},
    RACK: {T + "algorithm": "highspeed", T + "recovery": "rack"},
    LINUX: {T + "algorithm": "highspeed", T + "recovery": "linux"},
    CUBIC: {T + "algorithm": "cubic"},
    CUBIC_LINUX: {T + "algorithm": "cubic", T + "recovery": "linux"},
    CUBIC_RR: {T + "algorithm": "cubic", T + "recovery": "rr-tcp"},
}
NETWORKS: dict[str, tuple[float, float, dict[str, Value]]] = {
    "switch, 5 ms": (5, 0.0, {}),
    "switch, 50 ms": (50, 0.0, {}),
    "often, 50 ms": (50, 0.0, {B + "interval": "50 ms"}),
    "seldom, 50 ms": (50, 0.0, {B + "interval": "5 s"}),
    "spray, 5 ms": (5, 0.0, {B + "policy": "random"}),
    "spray, 50 ms": (50, 0.0, {B + "policy": "random"}),
    "flowlets, 50 ms": (50, 0.0, {B + "policy": "flowlet", B + "gap": "5 ms"}),
    "switch and loss 1e-4, 50 ms": (50, 1e-4, {}),
    "spray and loss 1e-4, 5 ms": (5, 1e-4, {B + "policy": "random"}),
    "spray and loss 1e-3, 50 ms": (50, 1e-3, {B + "policy": "random"}),
}
STUDY = OverNetworks(NETWORKS, SENDERS)
SHORT = ("switch, 5 ms", "spray, 5 ms")
LONG = ("switch, 50 ms", "often, 50 ms", "spray, 50 ms")
LOSSY = tuple(name for name in NETWORKS if "loss" in name)


def gained(outcome: Outcome) -> dict[str, float]:
    """Undo's share of RR-TCP's gain; all of it where there is none."""
    found = {}
    for network in (*SHORT, *LONG):
        seconds = times(outcome, network)
        room = seconds[SACK] - seconds[RR]
        found[network] = (seconds[SACK] - seconds[UNDO]) / room if room > 0.02 * seconds[RR] else 1.0
    return found


SHARE = Values(gained, ".2f", name="share of RR-TCP's gain")
CUBIC_NEEDS = over(CUBIC_RR, CUBIC_LINUX, *SHORT, *LONG)
NEEDS = over(RR, LINUX, *SHORT, *LONG)
SAME = CUBIC_NEEDS.each(lambda ratio: ratio > 1.1) - NEEDS.each(lambda ratio: ratio > 1.1)
"""0 where RR-TCP helps both laws, or neither."""


def describe(outcome: Outcome) -> list[str]:
    """A sentence for each network."""
    lines = []
    for network in NETWORKS:
        seconds = times(outcome, network)
        order = sorted(seconds, key=lambda sender: seconds[sender])
        lines.append(f"{network}: " + ", ".join(f"{sender} {seconds[sender]:.1f} s" for sender in order) + ".")
    return lines


experiment = Experiment(
    id="004/rivals",
    title="is RR-TCP still needed? RACK-TLP, D-SACK undo and CUBIC over two paths",
    source=source("none: questions of today", "§6"),
    setup=STUDY.setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(network=tuple(NETWORKS), sender=tuple(SENDERS)),
        replications=1,
        settings={"traffic.0.size": "100 MB", "transport.tcp.initial_ssthresh": "500 packets"},
        note="100 MB a flow instead of 1 GB; slow start ends at 500 packets, so that no queue hides what follows",
    ),
    full=Form(points=grid(network=tuple(NETWORKS), sender=tuple(SENDERS)), replications=1),
    claims=(
        Claim(
            id="short",
            text="where reordering is shorter than a round trip RACK-TLP with undo does as well",
            whose="ours",
            where="RFC 8985 §6.2",
            expected="equal",
            tolerance="at most 1.1 times the time; in shape: 1.3",
            check=at_most(over(RR, LINUX, *SHORT), 1.1, in_shape=1.3),
        ),
        Claim(
            id="long",
            text="where it is longer RR-TCP is better: RACK's window ends at a round trip",
            whose="ours",
            where="RFC 8985 §6.2",
            expected="faster",
            tolerance="at least 1.2 times in all three networks; in shape: in one",
            check=at_least(over(RR, LINUX, *LONG), 1.2, in_shape=at_least(most(over(RR, LINUX, *LONG)), 1.2)),
            reason=(
                "RACK-TLP has to learn its patience at the beginning of a flow, and then keeps up: with 100 MB a "
                "flow, where that weighs ten times as much, it takes up to 1.6 times as long"
            ),
        ),
        Claim(
            id="undo",
            text="D-SACK undo alone, without any patience, gives most of RR-TCP's gain",
            whose="ours",
            where="RFC 3708",
            expected="most",
            tolerance="at least 80 % in every network; in shape: 50 %",
            check=at_least(SHARE, 0.8, in_shape=0.5),
            reason=(
                "a cut is taken back a round trip after it was made. Where bursts are sprayed the next one has "
                "come by then: without memory a flow has 900 to 1800 false fast retransmits, with RR-TCP one to "
                "seven (100 MB a flow)"
            ),
        ),
        Claim(
            id="loss",
            text="with loss beside reordering RACK-TLP is as good: time tells what a threshold cannot",
            whose="ours",
            where="RFC 8985 §3",
            expected="equal or better",
            tolerance="at most 1.05 times the time; in shape: 1.3",
            check=at_most(over(RR, LINUX, *LOSSY), 1.05, in_shape=1.3),
            reason="as where reordering is longer: what is to be learnt weighs less in 1 GB than in 100 MB",
        ),
        Claim(
            id="cubic",
            text="for CUBIC's window the answers are the same",
            whose="ours",
            where="RFC 9438",
            expected="the same",
            tolerance="more than 1.1 times or not, in every network; in shape: in most",
            check=within(SAME, 0, 0, in_shape=MOSTLY).saying(CUBIC_NEEDS),
            reason="its ratios are within 13 % of those of HighSpeed's window, and the question is decided at 10 %",
        ),
    ),
    plots=(Plot(name="times", draw=STUDY.draw),),
    describe=describe,
    notes=NOTES,
)
