"""Paper 000, figures 8 to 12, against a classical network: no smoothing, and ports of edge nodes with 20 places.

§VII compares DLCC with "a classical network with no additional congestion control mechanisms", and §VI says that "the
noncontrolled scheme assumes only core optical buffering". In 000/round-trips the network without control also smooths
TCP, and its edge nodes have as much electronic memory as with DLCC. Both readings stand side by side here, with hosts
of 2009, and between them a little memory at the edge. §II smooths "each incoming edge-to-edge traffic flow", so that
the first reading of DLCC smooths datagrams too, with a τ of 5 s; with the default, a unit, UDP hardly gets anything.

What the gain costs, in drops at edge nodes and in waiting, is 000/price.

The expected values and tolerances below were committed before the first run, except those of `udp`, which a quick run
with the default τ gave rise to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings
from photocol.verdict import Finding, judge

from . import _baselines as baselines
from . import _classical as classical
from . import _slots as slots
from ._baselines import LITERAL, READINGS, Reading
from ._classical import (
    ALL,
    ALL_AT_ONCE,
    BOTH,
    CLASSICAL,
    GUARDED,
    MEMORY_5,
    MEMORY_50,
    MEMORY_500,
    NONE,
    ONCE,
    ONE,
    PACING,
    TCP,
)
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

SCHEMES = {
    classical.name(edge, control): (edge, control)
    for edge, control in (
        (CLASSICAL, NONE),
        (MEMORY_5, NONE),
        (MEMORY_50, NONE),
        (MEMORY_500, NONE),
        (TCP, NONE),
        (ALL, NONE),
        (CLASSICAL, PACING),
        (TCP, ONE),
        (TCP, BOTH),
        (TCP, GUARDED),
        (TCP, ONCE),
        (ALL, ONE),
        (ALL, BOTH),
        (ALL_AT_ONCE, NONE),
        (ALL_AT_ONCE, ONE),
        (ALL_AT_ONCE, BOTH),
    )
}
"""Edge nodes and controls by the scheme's name."""
WHOSE = "it is DLCC that improves the goodput over that of a classical network"
PAPERS = (
    *((rtt, 30) for rtt in slots.RTTS_MS),
    *((500, share) for share in (10, 20, 40)),
    (560, 40),
)
"""The paper's ten points (round trip in ms, UDP in per cent), and the longest round trip with the largest share."""


def points(places: Sequence[tuple[int, int]]) -> tuple[Point, ...]:
    """Every scheme at these places."""
    return tuple(
        {"scheme": scheme, "rtt_ms": rtt_ms, "udp_percent": share} for scheme in SCHEMES for rtt_ms, share in places
    )


def setup(point: Point) -> Setup:
    """A scheme at a place."""
    edge, control = SCHEMES[str(point["scheme"])]
    place = float(point["rtt_ms"]), float(point["udp_percent"])
    return classical.setup(edge, control, *place)


def share_of_controls(outcome: Outcome, reading: Reading) -> Finding:
    """How much of the gain over the classical network the two controls have, on top of memory and smoothing."""
    series = [
        baselines.values(outcome, scheme, "goodput_mbps")
        for scheme in (classical.name(CLASSICAL, NONE), reading.smoothed, reading.both)
    ]
    shares = [
        (both - smoothed) / (both - plain) if both > plain else 0.0
        for plain, smoothed, both in zip(*series, strict=True)
    ]
    return judge(
        agrees=all(share >= 0.5 for share in shares),
        in_shape=any(share >= 0.5 for share in shares),
        measured=f"shares of the controls {slots.listed(shares)}",
    )


def describe(outcome: Outcome) -> list[str]:
    """Whose the gain is at each place."""
    sentences = []
    for reading in (READINGS[LITERAL], READINGS[baselines.HALF]):
        plain = classical.name(CLASSICAL, NONE)
        columns = [
            baselines.values(outcome, scheme, "goodput_mbps") for scheme in (plain, reading.smoothed, reading.both)
        ]
        for (rtt_ms, share), *row in zip(baselines.places(outcome), *columns, strict=True):
            found = classical.parts(*row)
            sentences.append(f"{reading.both}, {rtt_ms:g} ms, {share:g} % UDP: from the classical network {found}.")
    return sentences


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Every claim under each reading."""
    whose = baselines.under(WHOSE, "abstract, §VII, §VIII", outcome, share_of_controls)
    return [*baselines.side_by_side(outcome), whose]


LINES = {
    classical.name(CLASSICAL, NONE): ("#000000", "-", "o"),
    classical.name(TCP, NONE): ("#000000", "--", "s"),
    classical.name(ALL, NONE): ("#0072B2", "-", "D"),
    classical.name(ALL, BOTH): ("#D55E00", ":", "o"),
    classical.name(TCP, BOTH): ("#D55E00", "--", "s"),
    classical.name(CLASSICAL, PACING): ("#CC79A7", "-.", "^"),
}
"""Colour, line and marker: solid or dotted in the first reading, dashed in today's."""
LABELS = {
    classical.name(CLASSICAL, NONE): "classical network: no smoothing, 20 places",
    classical.name(TCP, NONE): "no control, TCP smoothed, 0.5 s",
    classical.name(ALL, NONE): "smoothing of all traffic alone",
    classical.name(ALL, BOTH): "DLCC, all smoothed",
    classical.name(TCP, BOTH): "DLCC, TCP smoothed",
    classical.name(CLASSICAL, PACING): "ACK pacing in the classical network",
}


def draw(axes: Axes, table: pl.DataFrame, metric: str, rows: pl.Expr, axis: str) -> None:
    """A metric along an axis, a line for a scheme; 95 % intervals."""
    for scheme, (colour, line, marker) in LINES.items():
        one = table.filter(rows, pl.col("scheme") == scheme).sort(axis)
        hollow = "none" if line != "-" else colour
        axes.errorbar(
            one[axis],
            one[metric],
            yerr=slots.half_width(one, metric),
            color=colour,
            linestyle=line,
            marker=marker,
            markersize=5,
            markerfacecolor=hollow,
            capsize=2,
            linewidth=1.2,
            label=LABELS[scheme],
        )
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=7)


def draw_extra(axes: Axes, table: pl.DataFrame, rows: pl.Expr, axis: str) -> None:
    """The extra edge buffer after a notification, one control and two, where all is smoothed and where TCP is."""
    for edge, line in {ALL: "-", TCP: "--"}.items():
        for control, colour in {ONE: "#56B4E9", BOTH: "#D55E00"}.items():
            scheme = classical.name(edge, control)
            one = table.filter(rows, pl.col("scheme") == scheme).sort(axis)
            axes.plot(one[axis], one["extra_buffer_kbit"], line, color=colour, marker="o", markersize=4, label=scheme)
    axes.axhline(0, color="0.7", linewidth=0.8)
    axes.set_ylabel("extra edge buffer (kbit)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)


ROUND_TRIPS, SHARES = pl.col("udp_percent") == 30, pl.col("rtt_ms") == 500


def draw_figure_8(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput along the round trips."""
    draw(axes, table, "goodput_mbps", ROUND_TRIPS, "rtt_ms")
    axes.set_xlabel("round-trip time (ms), UDP 30 %")
    axes.set_ylabel("goodput (Mb/s)")


def draw_figure_9(axes: Axes, table: pl.DataFrame) -> None:
    """Loss along the round trips."""
    draw(axes, table, "loss_mbps", ROUND_TRIPS, "rtt_ms")
    axes.set_xlabel("round-trip time (ms), UDP 30 %")
    axes.set_ylabel("loss rate (Mb/s)")


def draw_figure_10(axes: Axes, table: pl.DataFrame) -> None:
    """Extra edge buffer along the round trips."""
    draw_extra(axes, table, ROUND_TRIPS, "rtt_ms")
    axes.set_xlabel("round-trip time (ms), UDP 30 %")


def draw_figure_11(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput along the shares."""
    draw(axes, table, "goodput_mbps", SHARES, "udp_percent")
    axes.set_xlabel("UDP in a burst (% of the link), round trip 500 ms")
    axes.set_ylabel("goodput (Mb/s)")


def draw_figure_12(axes: Axes, table: pl.DataFrame) -> None:
    """Extra edge buffer along the shares."""
    draw_extra(axes, table, SHARES, "udp_percent")
    axes.set_xlabel("UDP in a burst (% of the link), round trip 500 ms")


experiment = Experiment(
    id="000/classical",
    title="DLCC against a classical network: figures 8 to 12 under two readings of the baseline (simulation)",
    source=Source(paper=PAPER, figures="Figures 8 to 12", section="§VI, §VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=points(((60, 30), (280, 30), (560, 30), (500, 30), (500, 10))),
        replications=1,
        settings=slots.QUICK,
        note="five of eleven places, 100 s of 900 s, one of six replications",
    ),
    full=Form(points=points(PAPERS), replications=6, settings=classical.FULL),
    claims=(
        *baselines.claims(),
        Claim(
            id="whose",
            text=WHOSE,
            where="abstract, §VII, §VIII",
            expected="the gain is that of the control",
            tolerance="the two controls have at least half of the gain over the classical network at every point, "
            "the rest being memory's and smoothing's; in shape: at one",
            check=lambda outcome: share_of_controls(outcome, READINGS[LITERAL]),
            reason="where all traffic is smoothed the core loses no slot, so that no switch has anything to notify",
        ),
    ),
    plots=(
        Plot(name="figure-8", draw=draw_figure_8),
        Plot(name="figure-9", draw=draw_figure_9),
        Plot(name="figure-10", draw=draw_figure_10),
        Plot(name="figure-11", draw=draw_figure_11),
        Plot(name="figure-12", draw=draw_figure_12),
    ),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Hosts of 2009 in all networks: delayed ACKs of 200 ms, initial window 2, no limited transmit, least RTO 1 s.",
        slots.LOTS,
        "Networks with DLCC have 0.5 s of memory at edge nodes, as in 000/round-trips.",
        "000/ablation has each element alone, hosts of today, several sources of UDP and silences by other laws.",
    ),
)
