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

from photocol.experiment import Experiment, Form, Outcome, Plot, Point, Setup, Source
from photocol.plot import Lines

from . import _baselines as baselines
from . import _classical as classical
from . import _slots as slots
from ._baselines import LITERAL, READINGS, ROUND_TRIPS, SHARES
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
    from collections.abc import Mapping, Sequence

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


def describe(outcome: Outcome) -> list[str]:
    """Whose the gain is at each place."""
    sentences = []
    for reading in (READINGS[LITERAL], READINGS[baselines.HALF]):
        plain = classical.name(CLASSICAL, NONE)
        schemes = (plain, reading.smoothed, reading.both)
        columns = [baselines.column(outcome, scheme, "goodput_mbps") for scheme in schemes]
        for (rtt_ms, share), *row in zip(baselines.places(outcome), *columns, strict=True):
            found = classical.parts(*row)
            sentences.append(f"{reading.both}, {rtt_ms:g} ms, {share:g} % UDP: from the classical network {found}.")
    return sentences


LINES = {
    classical.name(CLASSICAL, NONE): ("#000000", "o-"),
    classical.name(TCP, NONE): ("#000000", "s--"),
    classical.name(ALL, NONE): ("#0072B2", "D-"),
    classical.name(ALL, BOTH): ("#D55E00", "o:"),
    classical.name(TCP, BOTH): ("#D55E00", "s--"),
    classical.name(CLASSICAL, PACING): ("#CC79A7", "^-."),
}
"""Solid or dotted in the first reading, dashed in today's."""
LABELS = {
    classical.name(CLASSICAL, NONE): "classical network: no smoothing, 20 places",
    classical.name(TCP, NONE): "no control, TCP smoothed, 0.5 s",
    classical.name(ALL, NONE): "smoothing of all traffic alone",
    classical.name(ALL, BOTH): "DLCC, all smoothed",
    classical.name(TCP, BOTH): "DLCC, TCP smoothed",
    classical.name(CLASSICAL, PACING): "ACK pacing in the classical network",
}
EXTRA = {
    classical.name(edge, control): (colour, f"o{line}")
    for edge, line in {ALL: "-", TCP: "--"}.items()
    for control, colour in {ONE: "#56B4E9", BOTH: "#D55E00"}.items()
}
"""One control and two, where all is smoothed and where TCP is."""
AXES = {"rtt_ms": "round-trip time (ms), UDP 30 %", "udp_percent": "UDP in a burst (% of the link), round trip 500 ms"}


def picture(figure: int, at: baselines.At, metric: str, label: str, looks: Mapping[str, tuple[str, str]]) -> Plot:
    """A metric along an axis, a line for a scheme."""
    axis, where = str(at[0]), at[1]
    low = 0 if looks is LINES else None
    labels = (AXES[axis], label)
    lines = Lines(axis, metric, labels, by="scheme", of=list(looks), looks=looks, names=LABELS, where=where, low=low)
    return Plot(name=f"figure-{figure}", draw=lines)


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
    claims=baselines.claims(READINGS[LITERAL]),
    plots=(
        picture(8, ROUND_TRIPS, "goodput_mbps", "goodput (Mb/s)", LINES),
        picture(9, ROUND_TRIPS, "loss_mbps", "loss rate (Mb/s)", LINES),
        picture(10, ROUND_TRIPS, "extra_buffer_kbit", "extra edge buffer (kbit)", EXTRA),
        picture(11, SHARES, "goodput_mbps", "goodput (Mb/s)", LINES),
        picture(12, SHARES, "extra_buffer_kbit", "extra edge buffer (kbit)", EXTRA),
    ),
    describe=describe,
    readings=lambda outcome: slots.under(baselines.claims, READINGS, outcome),
    notes=(
        "Hosts of 2009 in all networks: delayed ACKs of 200 ms, initial window 2, no limited transmit, least RTO 1 s.",
        slots.LOTS,
        "Networks with DLCC have 0.5 s of memory at edge nodes, as in 000/round-trips.",
        "000/ablation has each element alone, hosts of today, several sources of UDP and silences by other laws.",
    ),
)
