"""Paper 000: how many places the core needs, with DLCC and without.

The abstract's first claim is that DLCC "further reduces the core optical buffering requirement"; §VI explains that the
network without it has only the core's buffers, and §VIII that with 20 places the loss is lower. Here the core has 5 to
1000 places. Without DLCC a port of an edge node has as many as the core (the classical network), or 0.5 s of memory.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.verdict import Finding, judge

from . import _classical as classical
from . import _slots as slots
from ._classical import ALL, BOTH, CLASSICAL, MEMORY, MEMORY_500, NONE, PLACES, TCP
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

UDP_PERCENT = 30
RTTS_MS = (60, 280, 560)
SWEEP = (5, 10, 20, 50, 100, 200, 500, 1000)
SCHEMES = {
    classical.name(edge, control): (edge, control)
    for edge, control in ((CLASSICAL, NONE), (MEMORY_500, NONE), (TCP, NONE), (ALL, NONE), (TCP, BOTH), (ALL, BOTH))
}
CLASSIC, MEMORY_ALONE, SMOOTHED, ALL_SMOOTHED, TCP_BOTH, ALL_BOTH = SCHEMES
LABELS = {
    CLASSIC: "classical network: ports with the core's places",
    MEMORY_ALONE: "0.5 s of memory, unsmoothed",
    SMOOTHED: "no control, TCP smoothed",
    ALL_SMOOTHED: "no control, all smoothed",
    TCP_BOTH: "DLCC, TCP smoothed",
    ALL_BOTH: "DLCC, all smoothed",
}
PAIRS = {
    "classical, DLCC smooths all": (CLASSIC, ALL_BOTH),
    "0.5 s of memory, DLCC smooths all": (MEMORY_ALONE, ALL_BOTH),
    "all smoothed in both": (ALL_SMOOTHED, ALL_BOTH),
    "classical, DLCC smooths TCP": (CLASSIC, TCP_BOTH),
    "TCP smoothed in both": (SMOOTHED, TCP_BOTH),
}
"""Readings of "without DLCC" and with, the paper's words first."""


def setup(point: Point) -> Setup:
    """A scheme with so many places in the core."""
    edge, control = SCHEMES[str(point["scheme"])]
    places = int(point["places"])
    more = {"switching.slot_buffer.places": places}
    ports = {MEMORY: f"{places} packets"} if edge == CLASSICAL else {}
    return classical.setup(edge, control, float(point["rtt_ms"]), UDP_PERCENT, more={**more, **ports})


def along(outcome: Outcome, scheme: str, rtt_ms: float, metric: str) -> dict[int, float]:
    """A metric of a scheme by places."""
    rows = outcome.table.filter(pl.col("scheme") == scheme, pl.col("rtt_ms") == rtt_ms).sort("places")
    return dict(zip(rows["places"].to_list(), rows[metric].to_list(), strict=True))


def round_trips(outcome: Outcome) -> list[float]:
    """Those of the table."""
    return sorted(outcome.table["rtt_ms"].unique().to_list())


def needed(found: dict[int, float], least: float) -> float:
    """The fewest places that have at least so much, infinitely many where none has."""
    return min((places for places, value in found.items() if value >= least), default=float("inf"))


def for_goodput(outcome: Outcome, without: str, both: str) -> list[float]:
    """Places without DLCC that have 0.98 of the goodput with DLCC and 20 places, by round trip."""
    return [
        needed(
            along(outcome, without, rtt_ms, "goodput_mbps"),
            0.98 * along(outcome, both, rtt_ms, "goodput_mbps")[PLACES],
        )
        for rtt_ms in round_trips(outcome)
    ]


def for_loss(outcome: Outcome, without: str, both: str) -> list[float]:
    """Places without DLCC that lose no more than with DLCC and 20 places, by round trip."""
    return [
        needed(
            {places: -lost for places, lost in along(outcome, without, rtt_ms, "loss_mbps").items()},
            -along(outcome, both, rtt_ms, "loss_mbps")[PLACES],
        )
        for rtt_ms in round_trips(outcome)
    ]


def words(found: Sequence[float]) -> str:
    """Numbers of places; beyond the sweep in words."""
    return ", ".join(f"{places:.0f}" if places < float("inf") else f"more than {SWEEP[-1]}" for places in found)


def judged(found: Sequence[float]) -> Finding:
    """More than 20 places are needed without DLCC."""
    return judge(
        agrees=all(places > PLACES for places in found),
        in_shape=any(places > PLACES for places in found),
        measured=f"by round trip {words(found)} places without, {PLACES} with",
    )


def check_enough(outcome: Outcome) -> Finding:
    """With DLCC 20 places carry nearly what 1000 do."""
    ratios = []
    for rtt_ms in round_trips(outcome):
        found = along(outcome, ALL_BOTH, rtt_ms, "goodput_mbps")
        ratios.append(found[PLACES] / found[max(found)])
    return judge(
        agrees=all(ratio >= 0.95 for ratio in ratios),
        in_shape=all(ratio >= 0.8 for ratio in ratios),
        measured=f"goodput over that of most places {slots.listed(ratios)}",
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Places needed for the goodput and for the loss, under each reading of "without DLCC"."""
    return [
        UnderReadings(
            claim=claim,
            where="abstract, §I, §VIII",
            findings={name: judged(count(outcome, *pair)) for name, pair in PAIRS.items()},
        )
        for claim, count in (
            ("fewer places of the core are needed for the goodput", for_goodput),
            ("fewer places of the core are needed for the loss", for_loss),
        )
    ]


def describe(outcome: Outcome) -> list[str]:
    """Goodput and loss of each scheme by places."""
    return [
        f"{LABELS[scheme]}, {rtt_ms:g} ms, by places: "
        + "; ".join(
            f"{places}: {goodput:.1f} and {along(outcome, scheme, rtt_ms, 'loss_mbps')[places]:.3f} Mb/s lost"
            for places, goodput in along(outcome, scheme, rtt_ms, "goodput_mbps").items()
        )
        + "."
        for scheme in SCHEMES
        for rtt_ms in round_trips(outcome)
    ]


COLOURS = dict(zip(SCHEMES, ("#000000", "#999999", "#56B4E9", "#0072B2", "#E69F00", "#D55E00"), strict=True))
STYLES = dict(zip(SCHEMES, ("-o", "-s", "--D", "--^", "-v", ":o"), strict=True))


def _draw(axes: Axes, table: pl.DataFrame, metric: str) -> None:
    longest = table["rtt_ms"].max()
    for scheme, style in STYLES.items():
        rows = table.filter(pl.col("scheme") == scheme, pl.col("rtt_ms") == longest).sort("places")
        label = LABELS[scheme]
        axes.plot(rows["places"], rows[metric], style, color=COLOURS[scheme], markersize=4, linewidth=1.2, label=label)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"places of the core, round trip {longest} ms, UDP {UDP_PERCENT} %")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, fontsize=7)


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput by places at the longest round trip."""
    _draw(axes, table, "goodput_mbps")
    axes.set_ylabel("goodput (Mb/s)")


def draw_loss(axes: Axes, table: pl.DataFrame) -> None:
    """Loss by places at the longest round trip."""
    _draw(axes, table, "loss_mbps")
    axes.set_ylabel("loss rate (Mb/s)")


experiment = Experiment(
    id="000/places",
    title="DLCC: places of the core that a goodput and a loss need (simulation)",
    source=Source(paper=PAPER, figures="Figures 8 and 9, three points", section="abstract, §I, §VI, §VIII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(scheme=tuple(SCHEMES), rtt_ms=(560,), places=(5, 20, 100, 1000)),
        replications=1,
        settings=slots.QUICK,
        note="one of three round trips, four of eight numbers of places, 100 s of 900 s, one of four replications",
    ),
    full=Form(
        points=grid(scheme=tuple(SCHEMES), rtt_ms=RTTS_MS, places=SWEEP),
        replications=4,
        settings=classical.FULL,
    ),
    claims=(
        Claim(
            id="goodput",
            text="DLCC reduces the core's buffer that a goodput requires",
            where="abstract, §I, §VIII",
            expected="more places without than the 20 with",
            tolerance="the classical network needs more than 20 places for 0.98 of the goodput with DLCC, all "
            "smoothed, at every round trip; in shape: at one",
            check=lambda outcome: judged(for_goodput(outcome, CLASSIC, ALL_BOTH)),
        ),
        Claim(
            id="loss",
            text="DLCC reduces the core's buffer that a loss rate requires",
            where="abstract, §VIII",
            expected="more places without than the 20 with",
            tolerance="the classical network needs more than 20 places to lose no more than with DLCC, all smoothed, "
            "at every round trip; in shape: at one",
            check=lambda outcome: judged(for_loss(outcome, CLASSIC, ALL_BOTH)),
        ),
        Claim(
            id="enough",
            text="20 places are enough for efficient operation with DLCC",
            where="abstract, §I",
            expected="the goodput of a larger buffer",
            tolerance="at least 0.95 of that with the most places at every round trip; in shape: 0.8",
            check=check_enough,
        ),
        Claim(
            id="alone",
            text="it is DLCC's control that reduces the core's buffer further than smoothing does",
            where="abstract: over existing proposals",
            expected="more places with smoothing alone than the 20 with DLCC",
            tolerance="with TCP smoothed in both: more than 20 places for the loss at every round trip; "
            "in shape: at one",
            check=lambda outcome: judged(for_loss(outcome, SMOOTHED, TCP_BOTH)),
        ),
        Claim(
            id="existing",
            text="DLCC reduces the core's buffer further than smoothing of all traffic, the existing proposal [5]",
            where="abstract: over existing proposals",
            expected="more places with smoothing alone than the 20 with DLCC",
            tolerance="with all smoothed in both: more than 20 places for the goodput at every round trip; in shape: "
            "at one. Written when the reading's 5, 5, 5 places were known",
            check=lambda outcome: judged(for_goodput(outcome, ALL_SMOOTHED, ALL_BOTH)),
            reason="where all traffic is smoothed the core loses nothing, and five places are enough with the controls "
            "and without",
        ),
    ),
    plots=(Plot(name="goodput", draw=draw_goodput), Plot(name="loss", draw=draw_loss)),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Places are shared by all outputs of the core switch, and count waiting slots, as in 000/round-trips.",
        slots.LOTS,
        "Hosts of 2009 as in 000/classical.",
    ),
)
