"""Paper 001, figure 7: Jain's index of competing flows, without burst retransmission.

In the forced mode: twenty flows of one transport between the same two nodes, each with losses of its own. The index
is over their goodputs in one run, whose length is the same for all transports. Figure 8, with burst retransmission,
needs the network.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import Predicate, Values, at_least, beside, highest, least
from photocol.experiment import Claim, Experiment, Plot

from ._compare import (
    BAIMD,
    METRICS,
    NOTES,
    RENO,
    SACK,
    along,
    fairest,
    forms,
    measure,
    picture,
    setup,
    source,
)
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, both

TRANSPORTS = (ENG, BAIMD, SACK, RENO)
QUICK, FULL = forms(TRANSPORTS)


def fairest_of_all(reading: str) -> Predicate:
    """TCP-ENG has a much better index than the others."""
    return fairest(index(ENG, reading) - highest(*(index(name, reading) for name in TRANSPORTS[1:])))


def index(transport: str, reading: str = BEN_ONLY) -> Values:
    """Jain's index by loss."""
    return along(transport, "jain", reading)


ALL = {name: index(name) for name in TRANSPORTS} | {f"{ENG}, {LARGE_WINDOW}": index(ENG, LARGE_WINDOW)}
LEAST = beside({name: least(of.told(".3f")) for name, of in ALL.items()})


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
            check=fairest_of_all,
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
            check=at_least(LEAST, 0.95, in_shape=0.8),
        ),
    ),
    plots=(Plot(name="figure-7", draw=picture("jain", "Jain's index of twenty flows", TRANSPORTS)),),
    notes=(
        *NOTES,
        "The index of equal flows falls with the spread of their goodputs over the run: longer runs are fairer.",
    ),
)
