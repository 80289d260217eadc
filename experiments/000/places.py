"""Paper 000: how many places the core needs, with DLCC and without.

The abstract's first claim is that DLCC "further reduces the core optical buffering requirement"; §VI explains that the
network without it has only the core's buffers, and §VIII that with 20 places the loss is lower. Here the core has 5 to
1000 places. Without DLCC a port of an edge node has as many as the core (the classical network), or 0.5 s of memory.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import Any

from photocol.claims import SOMEWHERE, Predicate, Values, above, at_least, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.plot import Lines

from . import _classical as classical
from . import _slots as slots
from ._classical import ALL, BOTH, CLASSICAL, MEMORY, MEMORY_500, NONE, PLACES, TCP
from ._slots import METRICS, PAPER

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


def needed(found: dict[int, float], least: float) -> float:
    """The fewest places that have at least so much, infinitely many where none has."""
    return min((places for places, value in found.items() if value >= least), default=float("inf"))


def fewest(of: Values, least: Values) -> Values:
    """By round trip the fewest places that have at least so much."""

    def read(outcome: Outcome) -> dict[Any, float]:
        found = of.read(outcome).items()
        return {
            rtt_ms: needed({at[1]: value for at, value in found if at[0] == rtt_ms}, wanted)
            for rtt_ms, wanted in least.read(outcome).items()
        }

    return Values(read, ".0f", " places", f"without (inf: more than {SWEEP[-1]})")


def curve(scheme: str, metric: str = "goodput_mbps") -> Values:
    """A metric of a scheme by round trip and places."""
    return values(metric, ("rtt_ms", "places"), scheme=scheme)


def usual(scheme: str, metric: str = "goodput_mbps") -> Values:
    """A metric of a scheme by round trip with 20 places."""
    return values(metric, "rtt_ms", scheme=scheme, places=PLACES)


def for_goodput(without: str, both: str) -> Predicate:
    """More than 20 places without DLCC have 0.98 of the goodput with DLCC and 20 places."""
    return above(fewest(curve(without), usual(both) * 0.98), PLACES, in_shape=SOMEWHERE)


def for_loss(without: str, both: str) -> Predicate:
    """More than 20 places without DLCC lose no more than with DLCC and 20 places."""
    lost = fewest(curve(without, "loss_mbps") * -1, usual(both, "loss_mbps") * -1)
    return above(lost, PLACES, in_shape=SOMEWHERE)


MOST = Values(lambda outcome: {rtt: one for (rtt, _), one in curve(ALL_BOTH).read(outcome).items()})
"""The goodput with the most places by round trip: the last one of each."""
ENOUGH = (usual(ALL_BOTH) / MOST).told(".2f", name="goodput over that of most places")


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Places needed for the goodput and for the loss, under each reading of "without DLCC"."""
    return [
        UnderReadings(
            claim=claim,
            where="abstract, §I, §VIII",
            findings={name: check(*pair)(outcome) for name, pair in PAIRS.items()},
        )
        for claim, check in (
            ("fewer places of the core are needed for the goodput", for_goodput),
            ("fewer places of the core are needed for the loss", for_loss),
        )
    ]


def describe(outcome: Outcome) -> list[str]:
    """Goodput and loss of each scheme by round trip and places."""
    return [
        f"{LABELS[scheme]}, Mb/s by round trip and places: {curve(scheme).told('.1f').words(outcome)}. "
        f"Lost: {curve(scheme, 'loss_mbps').told('.3f').words(outcome)}."
        for scheme in SCHEMES
    ]


COLOURS = ("#000000", "#999999", "#56B4E9", "#0072B2", "#E69F00", "#D55E00")
LOOKS = dict(zip(SCHEMES, zip(COLOURS, ("-o", "-s", "--D", "--^", "-v", ":o"), strict=True), strict=True))


def picture(metric: str, label: str) -> Lines:
    """A metric by places at the longest round trip."""
    labels = (f"places of the core, round trip {RTTS_MS[-1]} ms, UDP {UDP_PERCENT} %", label)
    longest = {"rtt_ms": RTTS_MS[-1]}
    lines = list(SCHEMES)
    return Lines("places", metric, labels, "scheme", lines, longest, LOOKS, LABELS, scales="x", low=0)


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
            check=for_goodput(CLASSIC, ALL_BOTH),
        ),
        Claim(
            id="loss",
            text="DLCC reduces the core's buffer that a loss rate requires",
            where="abstract, §VIII",
            expected="more places without than the 20 with",
            tolerance="the classical network needs more than 20 places to lose no more than with DLCC, all smoothed, "
            "at every round trip; in shape: at one",
            check=for_loss(CLASSIC, ALL_BOTH),
        ),
        Claim(
            id="enough",
            text="20 places are enough for efficient operation with DLCC",
            where="abstract, §I",
            expected="the goodput of a larger buffer",
            tolerance="at least 0.95 of that with the most places at every round trip; in shape: 0.8",
            check=at_least(ENOUGH, 0.95, in_shape=0.8),
        ),
        Claim(
            id="alone",
            text="it is DLCC's control that reduces the core's buffer further than smoothing does",
            where="abstract: over existing proposals",
            expected="more places with smoothing alone than the 20 with DLCC",
            tolerance="with TCP smoothed in both: more than 20 places for the loss at every round trip; "
            "in shape: at one",
            check=for_loss(SMOOTHED, TCP_BOTH),
        ),
        Claim(
            id="existing",
            text="DLCC reduces the core's buffer further than smoothing of all traffic, the existing proposal [5]",
            where="abstract: over existing proposals",
            expected="more places with smoothing alone than the 20 with DLCC",
            tolerance="with all smoothed in both: more than 20 places for the goodput at every round trip; in shape: "
            "at one. Written when the reading's 5, 5, 5 places were known",
            check=for_goodput(ALL_SMOOTHED, ALL_BOTH),
            reason="where all traffic is smoothed the core loses nothing, and five places are enough with the controls "
            "and without",
        ),
    ),
    plots=(
        Plot(name="goodput", draw=picture("goodput_mbps", "goodput (Mb/s)")),
        Plot(name="loss", draw=picture("loss_mbps", "loss rate (Mb/s)")),
    ),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Places are shared by all outputs of the core switch, and count waiting slots, as in 000/round-trips.",
        slots.LOTS,
        "Hosts of 2009 as in 000/classical.",
    ),
)
