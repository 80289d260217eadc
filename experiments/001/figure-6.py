"""Paper 001, figure 6: throughput of TCP-ENG, BAIMD and BTCP against burst loss, without burst retransmission.

In the forced mode, in which losses are those of the analysis; the curves with burst retransmission need the network.
BTCP with each of its three detectors.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Experiment, Outcome, Plot
from photocol.verdict import Finding, judge

from ._compare import (
    BAIMD,
    BAIMD_PACKETS,
    BTCP,
    MEDIUM_LOSS,
    METRICS,
    NOTES,
    curve,
    draw_throughput,
    forms,
    gains,
    listed,
    measure,
    setup,
    source,
)
from ._readings import ENG, LARGE_WINDOW, both

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

TRANSPORTS = (ENG, BAIMD, BAIMD_PACKETS, *BTCP)
QUICK, FULL = forms(TRANSPORTS)


def check_higher(outcome: Outcome, rivals: tuple[str, ...], reading: str) -> Finding:
    """TCP-ENG is higher than each rival at every loss."""
    found = {rival: gains(outcome, rival, reading) for rival in rivals}
    every = [gain for one in found.values() for gain in one.values()]
    many = [gain for one in found.values() for loss, gain in one.items() if loss >= MEDIUM_LOSS]
    return judge(
        agrees=min(every) > 1.0,
        in_shape=min(many) > 1.0,
        measured="; ".join(f"over {rival} {listed(one)}" for rival, one in found.items()),
    )


def check_detectors(outcome: Outcome) -> Finding:
    """Who is told at once does not do worse than who guesses."""
    ble, back, bnak = (curve(outcome, name, "throughput_mbps") for name in BTCP)
    worst = min(min(bnak[loss] / ble[loss], bnak[loss] / back[loss]) for loss in ble)
    return judge(agrees=worst >= 0.98, in_shape=worst >= 0.9, measured=f"BNAK has at least {worst:.2f} of the others")


def check_packets(outcome: Outcome) -> Finding:
    """BAIMD that grows by whole packets never reaches α, and more so at much loss."""
    whole, bytewise = (curve(outcome, name, "throughput_mbps") for name in (BAIMD_PACKETS, BAIMD))
    found = {loss: whole[loss] / bytewise[loss] for loss in whole}
    first, last = found[min(found)], found[max(found)]
    return judge(
        agrees=max(found.values()) <= 1.01 and last <= 0.95 and last < first,
        in_shape=last < 1,
        measured=f"of its throughput byte by byte {listed(found)}",
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Throughput against loss."""
    draw_throughput(axes, table, TRANSPORTS)


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
            check=lambda outcome, reading: check_higher(outcome, (BAIMD,), reading),
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
            check=check_packets,
            reason="up to 3e-2 it is so, 0.90; at p = 0.1 a flow has a timeout every 22 round trips, and then slow "
            "start, which knows no α",
        ),
        *both(
            claim="btcp",
            text="TCP-ENG achieves a higher throughput than BTCP",
            where="§IV.A, Fig. 6",
            expected="more at every loss; no number",
            tolerance="more than each detector's at every p; in shape: from 1e-3 on",
            check=lambda outcome, reading: check_higher(outcome, BTCP, reading),
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
            check=check_detectors,
        ),
    ),
    plots=(Plot(name="figure-6", draw=draw),),
    notes=(*NOTES, "BTCP's rules are reconstructed: docs/deviations.md."),
)
