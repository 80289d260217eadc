"""Paper 000: where DLCC gains over a classical network, with other numbers of flows and another growth of the window.

The abstract says that the scheme "does not depend for its operation on having a certain number of TCP flows". Beside a
network without control that smooths as DLCC does there is no gain whose number of flows could matter (000/sensitivity).
Here the baseline is the classical network of 000/classical, at places where DLCC that smooths all has twice its
goodput. How §VII's Reno adds to its window the paper does not say; `increase = "per-ack"` is RFC 5681's eq. (3), with
which a window grows half as fast under delayed ACKs.

The expected values and tolerances below were committed before the first run of the experiment, except that gains of 5,
10, 40 and 200 flows had been seen in a trial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import SOMEWHERE, Values, above, at_most, ratio, values, within
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source

from . import _classical as classical
from . import _slots as slots
from ._classical import ALL, BOTH, CLASSICAL, NONE, TCP
from ._slots import METRICS, PAPER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from photocol.experiment import Value

SCHEMES = {
    classical.name(edge, control): (edge, control)
    for edge, control in ((CLASSICAL, NONE), (ALL, NONE), (ALL, BOTH), (TCP, BOTH))
}
CLASSIC, SMOOTHED, DLCC, DLCC_TCP = SCHEMES
PER_ROUND_TRIP, PER_ACK = "per round trip", "per ACK"
GROWTH: Mapping[str, Mapping[str, Value]] = {
    PER_ROUND_TRIP: {},
    PER_ACK: {"transport.reno.increase": "per-ack"},
}
"""A segment in a round trip, the default; or a part of one for each ACK, half a segment where ACKs are delayed."""
FLOWS, USUAL = (5, 10, 40, 200), 40
PLACES = ((280, 30), (560, 40))
"""Round trips in ms and UDP in per cent at which 000/classical has at least twice the goodput with DLCC."""
AT_ROUND_TRIPS = tuple((rtt_ms, 30) for rtt_ms in slots.RTTS_MS)


def points(
    numbers: Sequence[int], places: Sequence[tuple[int, int]], along: Sequence[tuple[int, int]]
) -> tuple[Point, ...]:
    """Numbers of flows at these places, and the growth per ACK along the round trips; forty flows with both growths."""
    where = [(flows, PER_ROUND_TRIP, *place) for flows in numbers for place in places]
    where += [(USUAL, growth, *place) for growth in GROWTH for place in along]
    return tuple(
        {"scheme": scheme, "flows": flows, "growth": growth, "rtt_ms": rtt_ms, "udp_percent": share}
        for flows, growth, rtt_ms, share in dict.fromkeys(where)
        for scheme in SCHEMES
    )


def flows_of(count: int) -> Callable[[dict[str, Any]], None]:
    """A change of `dlcc.toml`: as many TCP flows."""

    def change(scenario: dict[str, Any]) -> None:
        scenario["traffic"][0]["flows"] = count

    return change


def setup(point: Point) -> Setup:
    """A scheme at a place, with a number of flows and a growth of their windows."""
    edge, control = SCHEMES[str(point["scheme"])]
    place = float(point["rtt_ms"]), float(point["udp_percent"])
    change, more = flows_of(int(point["flows"])), GROWTH[str(point["growth"])]
    return classical.setup(edge, control, *place, change=change, more=more)


def by_place(scheme: str, metric: str = "goodput_mbps", form: str = ".2f") -> Values:
    """A metric of a scheme by number of flows, at each place with several."""

    def read(outcome: Outcome) -> dict[tuple[str, int], float]:
        rows = slots.where(outcome, pl.col("growth") == PER_ROUND_TRIP)
        found = values(metric, ("rtt_ms", "udp_percent", "flows"), scheme=scheme).read(rows)
        several = {at[:2] for at in found if at[2] != USUAL}  # type: ignore[index]
        return {(f"{at[0]} ms, {at[1]} % UDP", at[2]): one for at, one in found.items() if at[:2] in several}  # type: ignore[index]

    return Values(read, form)


def gains(scheme: str) -> Values:
    """Goodput of a scheme over the classical network's, at each place by number of flows."""
    return by_place(scheme) / by_place(CLASSIC)


def alike(of: Values) -> Values:
    """At each place the largest over the smallest."""

    def read(outcome: Outcome) -> dict[str, float]:
        series: dict[str, list[float]] = {}
        for (place, _), one in of.read(outcome).items():  # type: ignore[misc]
            series.setdefault(place, []).append(one)
        return {place: max(all_) / min(all_) for place, all_ in series.items()}

    return Values(read)


def along(growth: str, scheme: str) -> Values:
    """Goodput over the classical network's along the round trips, forty flows."""
    rows = {"growth": growth, "flows": USUAL, "udp_percent": 30}
    return ratio("goodput_mbps", of={"scheme": scheme, **rows}, to={"scheme": CLASSIC, **rows}, along="rtt_ms")


def claims(scheme: str) -> tuple[Claim, ...]:
    """All of them, of a scheme."""
    goodput, gain, per_ack = by_place(scheme).told(".2f", " Mb/s"), gains(scheme), along(PER_ACK, scheme)
    return (
        Claim(
            id="operation",
            text="DLCC does not depend for its operation on a certain number of TCP flows",
            where="abstract, §I",
            expected="the same goodput with any number",
            tolerance="all smoothed: largest at most 1.05 times the smallest at every place; in shape: 1.2 times",
            check=at_most(alike(goodput), 1.05, in_shape=1.2).saying(goodput),
        ),
        Claim(
            id="benefit",
            text="nor does its gain over a classical network",
            where="abstract, §I: our reading of the same sentence",
            expected="the same gain with any number",
            tolerance="a gain with each, the largest at most 1.2 times the smallest at every place, as in "
            "000/sensitivity; in shape: a gain with each",
            check=(at_most(alike(gain), 1.2) & above(gain, 1)).in_shape(above(gain, 1)).saying(gain),
            reason="the classical network needs flows: a burst halves a window whose growth takes minutes, and the "
            "more flows there are the shorter that takes. With DLCC the line is full with any number",
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput with any number of flows",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="with each number at every place; in shape: once",
            check=within(gain, 2, 10, in_shape=SOMEWHERE),
            reason="as for the gain: few flows leave a classical network nearly empty, many fill it",
        ),
        Claim(
            id="growth",
            text="DLCC yields between 2 and 10 times the goodput if windows grow per ACK",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="at every round trip; in shape: at one",
            check=within(per_ack, 2, 10, in_shape=SOMEWHERE),
            reason="at short round trips even windows that grow half as fast are whole again before the next burst",
        ),
    )


READINGS = {"DLCC smooths all": DLCC, "DLCC smooths TCP": DLCC_TCP, "all smoothed, no control": SMOOTHED}
"""By what is smoothed, with the controls and without."""


def describe(outcome: Outcome) -> list[str]:
    """The gain by growth, and the price of each gain: UDP's delay, TCP's round trip, drops at edge nodes."""
    sentences = [
        f"Goodput over the classical network's, windows that grow {growth}: {along(growth, DLCC).words(outcome)}."
        for growth in GROWTH
    ]
    for metric in slots.PRICE:
        parts = [
            f"{words} {by_place(scheme, metric.name, metric.form).words(outcome)}"
            for words, scheme in {"classical network": CLASSIC, "DLCC, all smoothed": DLCC}.items()
        ]
        sentences.append(f"{metric.label}, by number of flows: {'. '.join(parts)}.")
    return sentences


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """The gain by number of flows, a line for each place."""
    series: dict[str, list[tuple[int, float]]] = {}
    for (place, flows), gain in gains(DLCC).read(Outcome(table=table, replications=table)).items():  # type: ignore[misc]
        series.setdefault(place, []).append((flows, gain))
    for place, points in series.items():
        axes.plot(*zip(*points, strict=True), "-o", markersize=4, label=place)
    axes.axhspan(2, 10, color="#E69F00", alpha=0.2, label="2 to 10 times")
    axes.axhline(1, color="0.3", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("TCP flows")
    axes.set_ylabel("goodput, DLCC over classical network")
    axes.legend(frameon=False, fontsize=8)


experiment = Experiment(
    id="000/gain",
    title="DLCC over a classical network with 5 to 200 flows, and with windows that grow per ACK (simulation)",
    source=Source(paper=PAPER, figures="Figure 8", section="abstract, §III, §VII"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=points((10, 40, 200), PLACES[:1], ((180, 30),)),
        replications=1,
        settings={"run.duration": "400 s", "run.warm_up": "250 s"},
        note="one of two places, three of four numbers of flows, 150 s of 700 s, one of two replications",
    ),
    full=Form(
        points=points(FLOWS, PLACES, AT_ROUND_TRIPS),
        replications=2,
        settings={"run.duration": "1200 s", "run.warm_up": "500 s"},
    ),
    claims=claims(DLCC),
    plots=(Plot(name="flows", draw=draw),),
    describe=describe,
    readings=lambda outcome: slots.under(claims, READINGS, outcome),
    notes=(
        "Hosts of 2009 as in 000/classical.",
        slots.LOTS,
        "500 s are left out: five flows need minutes until their windows fill 560 ms of the line.",
    ),
)
