"""Paper 001, figure 6: throughput of TCP-ENG, BAIMD and BTCP against burst loss, without burst retransmission.

In the forced mode, in which losses are those of the analysis; the curves with burst retransmission need the network.
BTCP with each of its three detectors.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from photocol.claims import Predicate, above, at_least, at_most, below, beside, first, last, least
from photocol.experiment import Claim, Experiment, Plot

from ._compare import (
    BAIMD,
    BAIMD_PACKETS,
    BTCP,
    MEDIUM_LOSS,
    METRICS,
    NOTES,
    along,
    forms,
    gain,
    measure,
    setup,
    source,
    throughput,
)
from ._readings import ENG, LARGE_WINDOW, both

TRANSPORTS = (ENG, BAIMD, BAIMD_PACKETS, *BTCP)
QUICK, FULL = forms(TRANSPORTS)


def higher(rivals: tuple[str, ...], reading: str) -> Predicate:
    """TCP-ENG is higher than each rival at every loss; in shape: from 1e-3 on."""
    every = beside({f"over {rival}": gain(rival, reading) for rival in rivals})
    return above(every, 1, in_shape=above(every.among(lambda place: place[1] >= MEDIUM_LOSS), 1))


WHOLE = (along(BAIMD_PACKETS) / along(BAIMD)).told(".2f", name="of its throughput byte by byte")
TOLD = beside({name: along(BTCP[2]) / along(name) for name in BTCP[:2]})


experiment = Experiment(
    id="001/figure-6",
    title="throughput of TCP-ENG, BAIMD and BTCP against burst loss (forced)",
    source=source(6, "§IV.A"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=QUICK,
    full=FULL,
    claims=(
        *both(
            claim="baimd",
            text="TCP-ENG achieves a higher throughput than BAIMD",
            where="§IV.A, Fig. 6",
            expected="more at every loss; no number",
            tolerance="more at every p; in shape: from 1e-3 on",
            check=lambda reading: higher((BAIMD,), reading),
            reasons={
                LARGE_WINDOW: "with the same (α, β) and losses that SACK repairs the two are one law; TCP-ENG gains "
                "where "
                "α = 1 at small windows and repair at the BEN matter, at p = 0.1"
            },
        ),
        Claim(
            id="whole-packets",
            text="BAIMD's window grows by one packet in every 1/α round trips: with losses between it never reaches α",
            where="§II",
            expected="less than α, less the more is lost; no number",
            tolerance="nowhere more than byte by byte, at most 0.95 of it at p = 0.1, and less there than at the least "
            "loss; in shape: less at p = 0.1. Of 1e-3 and 0.1 −1 and −10 % were known",
            check=(
                (at_most(WHOLE, 1.01) & at_most(last(WHOLE), 0.95) & below(last(WHOLE), first(WHOLE))).in_shape(
                    below(last(WHOLE), 1)
                )
            ),
            reason="up to 3e-2 it is so, 0.90; at p = 0.1 a flow has a timeout every 22 round trips, and then slow "
            "start, which knows no α",
        ),
        *both(
            claim="btcp",
            text="TCP-ENG achieves a higher throughput than BTCP",
            where="§IV.A, Fig. 6",
            expected="more at every loss; no number",
            tolerance="more than each detector's at every p; in shape: from 1e-3 on",
            check=lambda reading: higher(BTCP, reading),
            reasons={
                LARGE_WINDOW: "(2) makes TCP-ENG as aggressive as a law that halves, so there is nothing to gain where "
                "there are no false timeouts"
            },
        ),
        Claim(
            id="detectors",
            text="BTCP: to be told is at least as good as to guess",
            whose="ours",
            where="Yu, Qiao and Liu 2004 (BTCP)",
            expected="BNAK ≥ BACK, BLE",
            tolerance="at least 0.98 of the others at every p; in shape: 0.9",
            check=at_least(least(TOLD), 0.98, in_shape=0.9),
        ),
    ),
    plots=(Plot(name="figure-6", draw=throughput(TRANSPORTS)),),
    notes=(*NOTES, "BTCP's rules are reconstructed: docs/deviations.md."),
)
