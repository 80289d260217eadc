"""Paper 004, figure 12: HS-RR-TCP and HS-TCP-SACK against τ, the time after which the path may change.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import Values, at_least, at_most, falls_with, most, spread, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Point, Setup, grid

from ._lb import (
    METRICS,
    NOTES,
    RR,
    SACK,
    SMALL,
    SMALL_NOTE,
    curve,
    measure,
    picture,
    sender_of,
    setup,
    source,
)

SENDERS = (RR, SACK)
LABEL = "τ (ms)"


def make(point: Point) -> Setup:
    """A τ and a sender."""
    return setup(sender_of(point), {"switching.balancing.interval": f"{point['tau_ms']} ms"})


def along(sender: str, metric: str = "completion_s", form: str = ".1f") -> Values:
    """A metric along τ."""
    return values(metric, "tau_ms", form=form, sender=sender)


def over(outcome: Outcome, sender: str, metric: str = "completion_s") -> dict[float, float]:
    """A metric along τ."""
    return curve(outcome, "tau_ms", metric, sender=sender)


experiment = Experiment(
    id="004/interval",
    title="HS-RR-TCP and HS-TCP-SACK against τ",
    source=source("Figure 12", "§5.2.5"),
    setup=make,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(sender=SENDERS, tau_ms=(50, 500)), replications=1, settings=SMALL, note=SMALL_NOTE + ", two τ"
    ),
    full=Form(points=grid(sender=SENDERS, tau_ms=(50, 100, 200, 500, 1000)), replications=1),
    claims=(
        Claim(
            id="small",
            text="at small τ HS-RR-TCP is over 400 % faster",
            where="§5.2.5, Fig. 12 (a)",
            expected="more than 4 times",
            tolerance="the largest ratio is at least 4; in shape: at least 2",
            check=at_least(most(along(SACK) / along(RR)), 4, in_shape=2),
        ),
        Claim(
            id="falling",
            text="HS-TCP-SACK takes longer with smaller τ",
            where="§5.2.5, Fig. 12 (a)",
            expected="falling with τ",
            tolerance="at every step; in shape: from end to end",
            check=falls_with(along(SACK)),
        ),
        Claim(
            id="unaffected",
            text="HS-RR-TCP is unaffected by τ",
            where="§5.2.5, Fig. 12 (a)",
            expected="flat",
            tolerance="within 5 %; in shape: 15 %",
            check=at_most(spread(along(RR)), 0.05, in_shape=0.15),
        ),
        Claim(
            id="retransmits",
            text="smaller τ causes more fast retransmits of HS-TCP-SACK",
            where="§5.2.5, Fig. 12 (b)",
            expected="falling with τ",
            tolerance="at every step; in shape: from end to end",
            check=falls_with(along(SACK, "false_fast_retransmits", ".0f")),
        ),
    ),
    plots=(
        picture("times", SENDERS, "tau_ms", "completion_s", (LABEL, "mean time of a flow (s)")),
        picture("fast-retransmits", SENDERS, "tau_ms", "fast_retransmits", (LABEL, "fast retransmits")),
    ),
    notes=(*NOTES, "The paper's values of τ are not stated, but for 500 ms."),
)
