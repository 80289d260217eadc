"""Paper 002 with other distances, which it does not give: the claims of 002/macroflows, network beside network.

The schemes, metrics, claims and tolerances are those of 002/macroflows, its runs are short. Claims about the least RAM
are left out: packets meet there whatever the distances are.

The readings were written down before the first run; single runs with fibres of 2.5 ms were known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import values
from photocol.experiment import Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid

from ._claims import CLAIMS
from ._curves import PAPER, bars, finish, plateau, shortened
from ._schemes import FULL_TARGET, METRICS, NAMES, PACED, PLAIN, SCHEMES, curve, measure
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

MAP, HALF, DOUBLE, SHORT, EQUAL = "map", "half-map", "double-map", "2.5-ms", "7.5-ms"
KEYS: Mapping[str, Mapping[str, Value]] = {
    MAP: {},
    HALF: {"link_defaults.delay_per_km": "2.5 us"},
    DOUBLE: {"link_defaults.delay_per_km": "10 us"},
    SHORT: {"topology.core_delay": "2.5 ms"},
    EQUAL: {"topology.core_delay": "7.5 ms"},
}
MEANINGS = {
    MAP: "the distances of the map at 5 µs/km, a longest round trip of 45 ms (the default)",
    HALF: "half of them, 23 ms",
    DOUBLE: "twice them, 90 ms, which the control period of 50 ms does not cover",
    SHORT: "2.5 ms a fibre, 15 ms",
    EQUAL: "7.5 ms a fibre, 45 ms",
}
RAM = (3_000, 9_000, 1_000_000)
JUDGED = tuple(claim for claim in CLAIMS if not claim.id.startswith(("no-packet", "one-packet")))


def setup(point: Point) -> Setup:
    """A scheme of 002/macroflows over these distances."""
    return scheme_setup(str(point["scheme"]), point["ram_bytes"], KEYS[str(point["distances"])])


def under(outcome: Outcome, distances: str) -> Outcome:
    """What 002/macroflows would have measured over these."""
    rows = pl.col("distances") == distances
    return Outcome(table=outcome.table.filter(rows), replications=outcome.replications)


def run_with(outcome: Outcome) -> list[str]:
    """The distances that were run, in order."""
    run = set(outcome.table["distances"])
    return [distances for distances in KEYS if distances in run]


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim of the paper over all distances."""
    seen = {distances: under(outcome, distances) for distances in run_with(outcome)}
    return [
        UnderReadings(
            id=claim.id,
            claim=claim.text,
            where=claim.where,
            findings={distances: claim.check(one) for distances, one in seen.items()},
        )
        for claim in JUDGED
    ]


def describe(outcome: Outcome) -> list[str]:
    """What the distances are, and where the schemes level off."""
    sentences = []
    for distances in run_with(outcome):
        ends = {
            scheme: plateau(curve(under(outcome, distances).table, scheme, "utilization"))
            for scheme in (PLAIN, PACED, *FULL_TARGET)
        }
        said = ", ".join(f"{end:.3f} ({NAMES[scheme]})" for scheme, end in ends.items())
        sentences.append(f"`{distances}`: {MEANINGS[distances]}. With 1 MB {said}.")
    return sentences


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization with the most RAM, a group of bars a network."""
    outcome = Outcome(table=table, replications=table)
    series = {
        NAMES[scheme]: values("utilization", "distances", scheme=scheme, ram_bytes=max(RAM)).read(outcome)
        for scheme in (PLAIN, PACED, *FULL_TARGET)
    }
    bars(axes, series, {name: name for name in run_with(outcome)})
    axes.axhline(0.70, color="0.45", linestyle=":", linewidth=1)
    axes.set_ylabel("mean utilization of core outputs with 1 MB")
    finish(axes, table)


NOTES = (
    "The paper gives no distance between core nodes. It says that the control period of 50 ms takes extra delays "
    "in the routers into account, and that it is the longest round trip: 45 ms of propagation fit, 15 and 23 ms leave "
    "more than half unused, 90 ms do not fit.",
    "Three sizes of RAM and runs of 5 instead of 40 s: claims about a size between 9 kB and 1 MB are judged coarsely.",
)

experiment = Experiment(
    id="002/distances",
    title="the claims of figures 3, 4 and 5 over other distances",
    source=Source(paper=PAPER, figures="Figures 3, 4 and 5", section="§3.1, §3.2"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(distances=(SHORT,), scheme=SCHEMES, ram_bytes=RAM),
        replications=1,
        settings=shortened(5),
        note="1 of 5 networks, 1 of 3 replications, 5 of 40 seconds.",
    ),
    full=Form(
        points=grid(distances=tuple(KEYS), scheme=SCHEMES, ram_bytes=RAM),
        replications=3,
        settings=shortened(5),
        note="5 of 40 seconds.",
    ),
    plots=(Plot(name="plateaus", draw=draw),),
    describe=describe,
    readings=side_by_side,
    notes=NOTES,
)
