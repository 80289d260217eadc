"""Paper 000, figures 2 and 5: one TCP flow, or flows that halve together, beside UDP whose rate jumps (analysis).

Loss rate, loss per change and edge buffer from the equations of §V.D and §V.E, in the printed and the corrected
reading.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import above, ends, extremes, first, growth, last, near, rises, values
from photocol.experiment import Claim, Metric, Outcome, Plot
from photocol.plot import frame, looks

from . import _dlcc as dlcc
from ._dlcc import CONTROLS, CORRECTED, PRINTED, curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FACTOR = values("loss_rate", dlcc.ALL) / values("loss_rate_dlcc", dlcc.ALL)
RATES = dlcc.along("loss_rate", form=".5f").told(".5f", name="P_L")
LOSSES = dlcc.along("loss_per_change_packets").told(".0f", " packets", "loss per change")


def describe(outcome: Outcome) -> list[str]:
    """How far the readings are apart."""
    corrected, printed = (curves(outcome.table, reading, "loss_rate")[0.3][0] for reading in (CORRECTED, PRINTED))
    return [f"As printed, P_L at R = 0.3 is {printed / corrected:.2f} of the corrected value ({printed:.5f})."]


def draw_rate(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 2's loss rate: the points of all round-trip times fall together, so it is drawn against UDP's share."""
    kinds = [(name, column) for name, column in (("without", "loss_rate"), ("with", "loss_rate_dlcc"))]
    lines = [(reading, *kind) for reading in (CORRECTED, PRINTED) for kind in kinds]
    for look, (reading, name, column) in zip(looks(len(lines)), lines, strict=True):
        rows = table.filter(pl.col("reading") == reading).sort("udp_max", "rtt_ms")
        label = f"{name} DLCC, {'corrected' if reading == CORRECTED else 'as printed'}"
        axes.plot(
            rows["udp_max"], rows[column], color=look.colour, linestyle=look.line, marker=look.marker, label=label
        )
    axes.set_yscale("log")
    axes.set_xlabel("UDP's largest share R; at round-trip times from 60 to 560 ms alike")
    axes.set_ylabel("congestion loss rate P_L (lost / sent)")
    frame(axes)


METRICS = (
    Metric(name="loss_rate", label="P_L without DLCC", form=".5f"),
    Metric(name="loss_rate_dlcc", label="P_L with DLCC", form=".6f"),
    Metric(name="loss_per_change_packets", label="loss per change without (packets)", form=".1f"),
    Metric(name="loss_per_change_dlcc_packets", label="with DLCC (packets)", form=".1f"),
    Metric(name="edge_buffer_one_control_packets", label="edge buffer, 1 control (packets)", form=".1f"),
    Metric(name="edge_buffer_two_controls_packets", label="2 controls (packets)", form=".1f"),
)

experiment = dlcc.analysis(
    "000/single-flow",
    "DLCC with one flow or synchronized flows: loss and edge buffer (analysis)",
    "Figures 2 and 5",
    model="dlcc-synchronized",
    inputs={},
    metrics=METRICS,
    claims=(
        Claim(
            id="factor-six",
            text="control divides the loss by up to six",
            where="abstract, Fig. 2",
            expected="6",
            tolerance="exactly 6 (to 1e-9) at every point; in shape: less is lost with control",
            check=near(FACTOR, 6, by=1e-9, in_shape=above(FACTOR, 1)).saying(extremes(FACTOR.told(".6f"))),
        ),
        Claim(
            id="grows-with-rtt",
            text="the loss rate grows with the round-trip time",
            where="§VI, Fig. 2",
            expected="increasing",
            tolerance="P_L grows by more than 5 % over the grid; in shape: the loss per change does",
            check=above(last(RATES), first(RATES) * 1.05, in_shape=rises(LOSSES)).saying(
                ends(RATES), ends(LOSSES), growth(ends(LOSSES)).told(".2f", name="times")
            ),
            reason="every reading of (2) divides a loss proportional to 2T by 2T; the loss itself grows with it",
        ),
        dlcc.grows_with_r("Fig. 2", "loss_rate", 1.5, ".5f", "at least half as much again"),
        dlcc.edge_buffer("Fig. 5"),
    ),
    plots=(
        Plot(name="figure-2", draw=draw_rate),
        Plot(
            name="figure-2-loss",
            draw=dlcc.lines(
                {"loss_per_change_packets": "-", "loss_per_change_dlcc_packets": "--"},
                "lost optical packets per UDP change",
                CONTROLS,
            ),
        ),
        Plot(
            name="figure-5",
            draw=dlcc.lines(
                dlcc.BUFFERS, "extra edge buffer (packets)", "solid: 1 control, dashed: 2 controls; thin: as printed"
            ),
        ),
    ),
    describe=describe,
    notes=(
        "T0 = T3 is assumed, so T0 = T/3 and T1 = T/6; the paper states only their ratios, this choice gives its six.",
        "The figures' axes are not in the text: P_L of (2) and, beside it, the loss per change are drawn.",
    ),
)
