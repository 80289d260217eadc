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

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings
from photocol.verdict import Finding, judge

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


def values(outcome: Outcome, scheme: str, metric: str, condition: pl.Expr) -> list[float]:
    """A metric of a scheme in the rows of a condition, by place and number of flows."""
    rows = outcome.table.filter(pl.col("scheme") == scheme, condition)
    return rows.sort("rtt_ms", "udp_percent", "flows")[metric].to_list()


def by_place(outcome: Outcome, scheme: str, metric: str = "goodput_mbps") -> dict[tuple[float, float], list[float]]:
    """A metric of a scheme at each place with several numbers of flows, by number."""
    rows = outcome.table.filter(pl.col("growth") == PER_ROUND_TRIP)
    places = rows.filter(pl.col("flows") != USUAL).select("rtt_ms", "udp_percent").unique().sort(pl.all()).rows()
    return {
        (rtt_ms, share): values(
            outcome,
            scheme,
            metric,
            (pl.col("growth") == PER_ROUND_TRIP) & (pl.col("rtt_ms") == rtt_ms) & (pl.col("udp_percent") == share),
        )
        for rtt_ms, share in places
    }


def gains(outcome: Outcome, scheme: str) -> dict[tuple[float, float], list[float]]:
    """Goodput of a scheme over the classical network's, at each place by number of flows."""
    without = by_place(outcome, CLASSIC)
    return {
        place: [above / below if below else float("inf") for above, below in zip(series, without[place], strict=True)]
        for place, series in by_place(outcome, scheme).items()
    }


def at_places(found: Mapping[tuple[float, float], Sequence[float]], form: str = ".2f") -> str:
    """Series by place in words."""
    return "; ".join(
        f"{rtt_ms:g} ms, {share:g} % UDP: {slots.listed(series, form)}" for (rtt_ms, share), series in found.items()
    )


def check_operation(outcome: Outcome, scheme: str = DLCC) -> Finding:
    """The goodput with DLCC is the same with any number of flows."""
    found = by_place(outcome, scheme)
    spreads = [max(series) / min(series) for series in found.values()]
    return judge(
        agrees=all(spread <= 1.05 for spread in spreads),
        in_shape=all(spread <= 1.2 for spread in spreads),
        measured=f"{at_places(found)} Mb/s",
    )


def check_benefit(outcome: Outcome, scheme: str = DLCC) -> Finding:
    """The gain is the same with any number of flows."""
    found = gains(outcome, scheme)
    each = [ratio for series in found.values() for ratio in series]
    return judge(
        agrees=all(max(series) <= 1.2 * min(series) for series in found.values()) and all(ratio > 1 for ratio in each),
        in_shape=all(ratio > 1 for ratio in each),
        measured=f"{at_places(found)} times",
    )


def check_factor(outcome: Outcome, scheme: str = DLCC) -> Finding:
    """2 to 10 times the goodput with any number of flows."""
    found = gains(outcome, scheme)
    each = [2 <= ratio <= 10 for series in found.values() for ratio in series]
    return judge(agrees=all(each), in_shape=any(each), measured=f"{at_places(found)} times")


def along(outcome: Outcome, growth: str, scheme: str) -> dict[float, float]:
    """Goodput over the classical network's along the round trips, forty flows."""
    rows = (pl.col("growth") == growth) & (pl.col("flows") == USUAL) & (pl.col("udp_percent") == 30)
    places = values(outcome, scheme, "rtt_ms", rows)
    pairs = zip(*(values(outcome, name, "goodput_mbps", rows) for name in (scheme, CLASSIC)), strict=True)
    return dict(zip(places, (above / below if below else float("inf") for above, below in pairs), strict=True))


def told(found: Mapping[float, float]) -> str:
    """Ratios with their round trips."""
    return ", ".join(f"{ratio:.2f} at {rtt_ms:g} ms" for rtt_ms, ratio in found.items())


def check_growth(outcome: Outcome, scheme: str = DLCC) -> Finding:
    """2 to 10 times the goodput at every round trip."""
    found = along(outcome, PER_ACK, scheme)
    within = [2 <= ratio <= 10 for ratio in found.values()]
    return judge(agrees=all(within), in_shape=any(within), measured=f"{told(found)}, forty flows")


CHECKS = {"operation": check_operation, "benefit": check_benefit, "factor": check_factor, "growth": check_growth}
READINGS = {"DLCC smooths all": DLCC, "DLCC smooths TCP": DLCC_TCP, "all smoothed, no control": SMOOTHED}


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim by what is smoothed, with the controls and without."""
    return slots.claims_under(experiment.claims, READINGS, lambda claim, scheme: CHECKS[claim](outcome, scheme))


def describe(outcome: Outcome) -> list[str]:
    """The gain by growth, and the price of each gain: UDP's delay, TCP's round trip, drops at edge nodes."""
    sentences = [
        f"Goodput over the classical network's, windows that grow {growth}: {told(along(outcome, growth, DLCC))}."
        for growth in GROWTH
    ]
    for metric in slots.PRICE:
        parts = [
            f"{words} {at_places(by_place(outcome, scheme, metric.name), metric.form)}"
            for words, scheme in {"classical network": CLASSIC, "DLCC, all smoothed": DLCC}.items()
        ]
        sentences.append(f"{metric.label}, by number of flows: {'. '.join(parts)}.")
    return sentences


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """The gain by number of flows, a line for each place."""
    outcome = Outcome(table=table, replications=table)
    rows = table.filter(pl.col("growth") == PER_ROUND_TRIP, pl.col("flows") != USUAL)
    numbers = sorted({*rows["flows"].to_list(), USUAL})
    for (rtt_ms, share), series in gains(outcome, DLCC).items():
        axes.plot(numbers, series, "-o", markersize=4, label=f"{rtt_ms:g} ms, {share:g} % UDP")
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
    claims=(
        Claim(
            id="operation",
            text="DLCC does not depend for its operation on a certain number of TCP flows",
            where="abstract, §I",
            expected="the same goodput with any number",
            tolerance="all smoothed: largest at most 1.05 times the smallest at every place; in shape: 1.2 times",
            check=check_operation,
        ),
        Claim(
            id="benefit",
            text="nor does its gain over a classical network",
            where="abstract, §I: our reading of the same sentence",
            expected="the same gain with any number",
            tolerance="a gain with each, the largest at most 1.2 times the smallest at every place, as in "
            "000/sensitivity; in shape: a gain with each",
            check=check_benefit,
            reason="the classical network needs flows: a burst halves a window whose growth takes minutes, and the "
            "more flows there are the shorter that takes. With DLCC the line is full with any number",
        ),
        Claim(
            id="factor",
            text="DLCC yields between 2 and 10 times the goodput with any number of flows",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="with each number at every place; in shape: once",
            check=check_factor,
            reason="as for the gain: few flows leave a classical network nearly empty, many fill it",
        ),
        Claim(
            id="growth",
            text="DLCC yields between 2 and 10 times the goodput if windows grow per ACK",
            where="abstract, §VIII",
            expected="2 to 10",
            tolerance="at every round trip; in shape: at one",
            check=check_growth,
            reason="at short round trips even windows that grow half as fast are whole again before the next burst",
        ),
    ),
    plots=(Plot(name="flows", draw=draw),),
    describe=describe,
    readings=side_by_side,
    notes=(
        "Hosts of 2009 as in 000/classical.",
        slots.LOTS,
        "500 s are left out: five flows need minutes until their windows fill 560 ms of the line.",
    ),
)
