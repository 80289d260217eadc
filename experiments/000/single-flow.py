"""Paper 000, figures 2 and 5: one TCP flow, or flows that halve together, beside UDP whose rate jumps (analysis).

Loss rate, loss per change and edge buffer from the equations of §V.D and §V.E, in the printed and the corrected
reading.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Outcome, Plot, Point, Source
from photocol.plot import frame, looks
from photocol.verdict import Finding, judge

from . import _dlcc as dlcc
from ._dlcc import CORRECTED, PAPER, POINTS, PRINTED, SHARES, curves

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult


def setup(point: Point) -> Evaluation:
    """One flow at 10 Gb/s with packets of 2000 bytes."""
    inputs = {"udp_max": point["udp_max"], "rtt": f"{point['rtt_ms']} ms", "reading": point["reading"]}
    return Evaluation(model="dlcc-synchronized", inputs=inputs)


def measure(result: RunResult) -> Mapping[str, float]:
    """The outputs that the figures show."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


def check_factor(outcome: Outcome) -> Finding:
    """Without control six times as much is lost as with it."""
    ratios = (outcome.table["loss_rate"] / outcome.table["loss_rate_dlcc"]).to_list()
    return judge(
        agrees=all(abs(ratio - 6) < 1e-9 for ratio in ratios),
        in_shape=all(ratio > 1 for ratio in ratios),
        measured=f"{min(ratios):.6f} to {max(ratios):.6f} at all points and in both readings",
    )


def check_rtt(outcome: Outcome) -> Finding:
    """The loss rate grows with the round-trip time."""
    rates = curves(outcome.table, CORRECTED, "loss_rate")[0.3]
    losses = curves(outcome.table, CORRECTED, "loss_per_change_packets")[0.3]
    return judge(
        agrees=rates[-1] > 1.05 * rates[0],
        in_shape=all(b > a for a, b in itertools.pairwise(losses)),
        measured=f"R = 0.3, from 60 to 560 ms: P_L {rates[0]:.5f} to {rates[-1]:.5f}, "
        f"loss per change {losses[0]:.0f} to {losses[-1]:.0f} packets (× {losses[-1] / losses[0]:.2f})",
    )


def check_share(outcome: Outcome) -> Finding:
    """The loss rate grows with UDP's largest share."""
    rates = [one[0] for one in curves(outcome.table, CORRECTED, "loss_rate").values()]
    return judge(
        agrees=all(b > 1.5 * a for a, b in itertools.pairwise(rates)),
        in_shape=rates[-1] > rates[0],
        measured=", ".join(f"{rate:.5f} at R = {share}" for share, rate in zip(SHARES, rates, strict=True)),
    )


def check_buffer(outcome: Outcome) -> Finding:
    """Two controls need less edge buffer than one."""
    one, two = (outcome.table[f"edge_buffer_{name}_packets"] for name in ("one_control", "two_controls"))
    ratios = (two / one).to_list()
    return judge(
        agrees=all(abs(ratio - 0.4) < 1e-9 for ratio in ratios),
        in_shape=all(ratio < 1 for ratio in ratios),
        measured=f"two controls need {min(ratios):.6f} to {max(ratios):.6f} of the buffer of one",
    )


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


def draw_loss(axes: Axes, table: pl.DataFrame) -> None:
    """What does grow with the round-trip time: the loss per change of UDP's rate."""
    dlcc.draw(axes, table, {"loss_per_change_packets": "-", "loss_per_change_dlcc_packets": "--"})
    axes.set_ylabel("lost optical packets per UDP change")
    axes.set_title("solid: without DLCC, dashed: with; thin: as printed", fontsize=9, color="0.3", loc="left")


def draw_buffer(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 5: the extra edge buffer."""
    dlcc.draw(axes, table, {"edge_buffer_one_control_packets": "-", "edge_buffer_two_controls_packets": "--"})
    axes.set_ylabel("extra edge buffer (packets)")
    axes.set_title("solid: 1 control, dashed: 2 controls; thin: as printed", fontsize=9, color="0.3", loc="left")


METRICS = (
    Metric(name="loss_rate", label="P_L without DLCC", form=".5f"),
    Metric(name="loss_rate_dlcc", label="P_L with DLCC", form=".6f"),
    Metric(name="loss_per_change_packets", label="loss per change without (packets)", form=".1f"),
    Metric(name="loss_per_change_dlcc_packets", label="with DLCC (packets)", form=".1f"),
    Metric(name="edge_buffer_one_control_packets", label="edge buffer, 1 control (packets)", form=".1f"),
    Metric(name="edge_buffer_two_controls_packets", label="2 controls (packets)", form=".1f"),
)

experiment = Experiment(
    id="000/single-flow",
    title="DLCC with one flow or synchronized flows: loss and edge buffer (analysis)",
    source=Source(paper=PAPER, figures="Figures 2 and 5", section="§VI"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="factor-six",
            text="control divides the loss by up to six",
            where="abstract, Fig. 2",
            expected="6",
            tolerance="exactly 6 (to 1e-9) at every point; in shape: less is lost with control",
            check=check_factor,
        ),
        Claim(
            id="grows-with-rtt",
            text="the loss rate grows with the round-trip time",
            where="§VI, Fig. 2",
            expected="increasing",
            tolerance="P_L grows by more than 5 % over the grid; in shape: the loss per change does",
            check=check_rtt,
            reason="every reading of (2) divides a loss proportional to 2T by 2T; the loss itself grows with it",
        ),
        Claim(
            id="grows-with-r",
            text="the loss rate degrades clearly as R grows",
            where="§VI, Fig. 2",
            expected="increasing",
            tolerance="at least half as much again per step of 0.1; in shape: larger at 0.4 than at 0.1",
            check=check_share,
        ),
        Claim(
            id="edge-buffer",
            text="dual-layer control reduces the edge buffer",
            where="§VI, Fig. 5",
            expected="0.4, that is T0/(T − T1) with T0 = T/3, T1 = T/6",
            tolerance="exactly 0.4 (to 1e-9); in shape: less",
            check=check_buffer,
        ),
    ),
    plots=(
        Plot(name="figure-2", draw=draw_rate),
        Plot(name="figure-2-loss", draw=draw_loss),
        Plot(name="figure-5", draw=draw_buffer),
    ),
    describe=describe,
    notes=(
        "T0 = T3 is assumed, so T0 = T/3 and T1 = T/6; the paper states only their ratios, this choice gives its six.",
        "The figures' axes are not in the text: P_L of (2) and, beside it, the loss per change are drawn.",
        "docs/reference/corrections.md lists what the readings change.",
    ),
)
