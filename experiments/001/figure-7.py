"""Paper 001, figure 7: Jain's index of competing flows, without burst retransmission.

In the forced mode: twenty flows of one transport between the same two nodes, each with losses of its own. The index
is over their goodputs in one run, whose length is the same for all transports. Figure 8, with burst retransmission,
needs the network.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Experiment, Outcome, Plot
from photocol.verdict import Finding, judge

from ._compare import (
    BAIMD,
    METRICS,
    NOTES,
    RENO,
    SACK,
    curve,
    draw_curves,
    forms,
    listed,
    measure,
    setup,
    source,
)
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, both

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

TRANSPORTS = (ENG, BAIMD, SACK, RENO)
QUICK, FULL = forms(TRANSPORTS)


def check_fairest(outcome: Outcome, reading: str) -> Finding:
    """TCP-ENG has a much better index than the others."""
    index = {name: curve(outcome, name, "jain", reading) for name in TRANSPORTS}
    leads = {loss: index[ENG][loss] - max(index[name][loss] for name in TRANSPORTS[1:]) for loss in index[ENG]}
    return judge(
        agrees=min(leads.values()) >= 0.02,
        in_shape=min(leads.values()) >= -0.005 and max(leads.values()) > 0.005,
        measured=f"TCP-ENG less the best other: {listed(leads, '+.3f')}",
    )


def check_fair(outcome: Outcome) -> Finding:
    """Flows that differ in nothing but their losses share equally in the long run."""
    least = {name: min(curve(outcome, name, "jain", BEN_ONLY).values()) for name in TRANSPORTS}
    least[f"{ENG}, {LARGE_WINDOW}"] = min(curve(outcome, ENG, "jain", LARGE_WINDOW).values())
    words = ", ".join(f"{value:.3f} ({name})" for name, value in least.items())
    return judge(agrees=min(least.values()) >= 0.95, in_shape=min(least.values()) >= 0.8, measured=f"at least {words}")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Jain's index against loss."""
    draw_curves(axes, table, "jain", TRANSPORTS)
    axes.set_ylabel("Jain's index of 20 flows")


experiment = Experiment(
    id="001/figure-7",
    title="Jain's index of TCP-ENG, BAIMD, SACK and Reno against burst loss (forced)",
    source=source(7, "§IV.B"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=QUICK,
    full=FULL,
    claims=(
        *both(
            claim="fairest",
            text="TCP-ENG has a much better index than BAIMD, Reno and SACK",
            where="§IV.B, Fig. 7",
            expected="the highest; no number",
            tolerance="by 0.02 at every p; in shape: nowhere 0.005 below the best other, somewhere more above it",
            check=check_fairest,
            reasons=dict.fromkeys(
                (BEN_ONLY, LARGE_WINDOW),
                "equal flows with losses of their own share alike under every law; the paper's unfairness must "
                "come from its network (assembly, different paths), which the forced mode leaves out",
            ),
        ),
        Claim(
            id="fair",
            text="equal flows share equally in the long run",
            whose="ours",
            where="definition of the index",
            expected="1",
            tolerance="at least 0.95 for all at every p; in shape: 0.8",
            check=check_fair,
        ),
    ),
    plots=(Plot(name="figure-7", draw=draw),),
    notes=(
        *NOTES,
        "The index of equal flows falls with the spread of their goodputs over the run: longer runs are fairer.",
    ),
)
