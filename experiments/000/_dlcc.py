"""What the closed forms of paper 000 share: the grid, the two readings, claims on both models, curves and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Values, above, below, extremes, first, growth, last, near, values
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Plot, Source, grid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point, RunResult, Value

PAPER = "Lu and Hunter, Dual-layer congestion control (paper 000), 2009"
RTTS_MS = (60, 100, 180, 280, 420, 560)
SHARES = (0.1, 0.2, 0.3, 0.4)
CORRECTED, PRINTED = "corrected", "as_printed"
COLOURS = dict(zip(SHARES, ("#009E73", "#0072B2", "#E69F00", "#D55E00"), strict=True))
POINTS = grid(reading=[CORRECTED, PRINTED], udp_max=SHARES, rtt_ms=RTTS_MS)


def curves(table: pl.DataFrame, reading: str, column: str) -> dict[float, list[float]]:
    """R to the metric along the round-trip times."""
    rows = table.filter(pl.col("reading") == reading).sort("rtt_ms")
    return {share: rows.filter(pl.col("udp_max") == share)[column].to_list() for share in SHARES}


def draw(axes: Axes, table: pl.DataFrame, columns: Mapping[str, str]) -> None:
    """Metrics with their line styles along the round-trip times, a colour for each share; the printed reading thin."""
    for reading, width in ((CORRECTED, 1.7), (PRINTED, 0.6)):
        for column, style in columns.items():
            for share, found in curves(table, reading, column).items():
                named = reading == CORRECTED and style == "-"
                label = f"R = {share}" if named else None
                axes.plot(RTTS_MS, found, style, color=COLOURS[share], linewidth=width, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("round-trip time (ms)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def lines(columns: Mapping[str, str], label: str, title: str) -> Callable[[Axes, pl.DataFrame], None]:
    """A picture of metrics along the round-trip times."""

    def draw_it(axes: Axes, table: pl.DataFrame) -> None:
        draw(axes, table, columns)
        axes.set_ylabel(label)
        axes.set_title(title, fontsize=9, color="0.3", loc="left")

    return draw_it


CONTROLS = "solid: without DLCC, dashed: with; thin: as printed"
BUFFERS = {"edge_buffer_one_control_packets": "-", "edge_buffer_two_controls_packets": "--"}


ALL = ("reading", "udp_max", "rtt_ms")
BUFFER = values("edge_buffer_two_controls_packets", ALL) / values("edge_buffer_one_control_packets", ALL)


def along(metric: str, share: float = 0.3, form: str = ".3g") -> Values:
    """A metric in the corrected reading along the round trips."""
    return values(metric, "rtt_ms", form=form, reading=CORRECTED, udp_max=share)


def edge_buffer(figure: str) -> Claim:
    """Both models' claim on the edge buffer."""
    return Claim(
        id="edge-buffer",
        text="dual-layer control reduces the edge buffer",
        where=f"§VI, {figure}",
        expected="0.4, that is T0/(T − T1) with T0 = T/3, T1 = T/6",
        tolerance="exactly 0.4 (to 1e-9); in shape: less",
        check=near(BUFFER, 0.4, by=1e-9, in_shape=below(BUFFER, 1)).saying(
            extremes(BUFFER.told(".6f", name="two controls over one"))
        ),
    )


def grows_with_r(figure: str, metric: str, step: float, digits: str, tolerance: str) -> Claim:
    """Both models' claim on the share of UDP: at least `step` times the loss rate at the next share."""
    rates = values(metric, "udp_max", form=digits, reading=CORRECTED, rtt_ms=RTTS_MS[0])
    return Claim(
        id="grows-with-r",
        text="the loss rate degrades clearly as R grows",
        where=f"§VI, {figure}",
        expected="increasing",
        tolerance=f"{tolerance} per step of 0.1; in shape: larger at 0.4 than at 0.1",
        check=above(growth(rates), step, in_shape=above(last(rates), first(rates))).saying(rates),
    )


def analysis(
    name: str,
    title: str,
    figures: str,
    *,
    model: str,
    inputs: Mapping[str, Value],
    metrics: Sequence[Metric],
    claims: Sequence[Claim],
    plots: Sequence[Plot],
    describe: Callable[[Outcome], list[str]],
    notes: Sequence[str],
) -> Experiment:
    """A closed form of §V on the grid of §VI, 10 Gb/s and packets of 2000 bytes."""

    def setup(point: Point) -> Evaluation:
        axes = {"udp_max": point["udp_max"], "rtt": f"{point['rtt_ms']} ms", "reading": point["reading"]}
        return Evaluation(model=model, inputs={**axes, **inputs})

    def measure(result: RunResult) -> Mapping[str, float]:
        return {metric.name: result.summary[metric.name].value for metric in metrics}

    return Experiment(
        id=name,
        title=title,
        source=Source(paper=PAPER, figures=figures, section="§VI"),
        setup=setup,
        measure=measure,
        metrics=metrics,
        quick=Form(points=POINTS, replications=1),
        full=Form(points=POINTS, replications=1),
        claims=claims,
        plots=plots,
        describe=describe,
        notes=(*notes, "docs/reference/corrections.md lists what the readings change."),
    )
