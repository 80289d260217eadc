"""Slices of 1 to 300 µs: where does TCP break over rotor switches, and by what, by reordering or by waiting?

One flow from each of eight racks, by the direct circuit or by detours over any rack, with three ways to take packets
that are missing: three duplicate ACKs (SACK), RACK, and not at all. The last bears any order, so that what it loses is
due to waiting. The expectations are ours, and were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Values, above, at_least, at_most, below, beside, last, least, most, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, RunResult, Setup, Source, grid
from photocol.plot import frame

from . import _rounds as rounds
from ._rounds import HOST_GBPS, MOST_PACKETS, PAYLOAD, payload_gbps, waiting_us

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

SLICES_US = (1, 3, 10, 30, 100, 300)
DIRECT, DETOURS = "direct", "vlb"
DEAF = "any-order"
REPAIRS: Mapping[str, str] = {
    "sack": "",
    "rack": ', recovery = "linux"',
    DEAF: ", dupthresh = 4000000000, limited_transmit = false",
}
COLOURS = {"sack": "#D55E00", "rack": "#0072B2", DEAF: "#999999"}
FULL_SHARE, KEEPS, BREAKS = 0.9, 0.8, 0.5
REORDERED = 0.1
BROKEN_FROM_US = 3
"""A cycle of seven slices then lasts 25 packets of a host, and three overtake one surely."""


def setup(point: Point) -> Setup:
    """A flow from each rack to the one at another's place."""
    window = f'max_window = "{MOST_PACKETS * PAYLOAD} B"'
    transport = f'{{ hosts = {{ algorithm = "cubic", {window}{REPAIRS[str(point["repair"])]} }} }}'
    traffic = f'[{{ name = "long", transport = "hosts", flows = {rounds.RACKS}, pairs = "permutation" }}]'
    settings: dict[str, Any] = rounds.network(float(point["slice_us"]), str(point["routes"])) | {
        "transport": transport,
        "traffic": traffic,
        "probe.reordering": True,
        "probe.lost_throughput": True,
    }
    return Setup(scenario="rotornet.toml", settings=settings)


def measure(result: RunResult) -> dict[str, float]:
    """Goodput of a flow, the order of packets, and what is lost to which cause."""
    of = {name: figure.value for name, figure in result.summary.items()}
    drops = result.drops.filter(pl.col("class").cast(pl.String) == "data")
    waiting = float(drops.filter(pl.col("cause").cast(pl.String) == "waiting for a circuit")["units"].sum())
    return {
        "goodput_gbps": 1e-9 * of["goodput"] / rounds.RACKS,
        "reordered_percent": 100 * of["reordered_ratio"],
        "max_extent": of["max_extent"],
        "drops": float(drops["units"].sum()),
        "waiting_drops": waiting,
        "false_repairs": of["false_fast_retransmits"],
        "timeouts": of["timeouts"],
        "by_reordering_percent": 100 * of["lost_to_reordering"],
        "by_waiting_percent": 100 * of["lost_to_nights"],
    }


def of(routes: str, repair: str, metric: str) -> Values:
    """A metric by slice."""
    return values(metric, "slice_us", routes=routes, repair=repair)


def share(routes: str, repair: str) -> Values:
    """Goodput over that of a host's link, by slice."""
    return of(routes, repair, "goodput_gbps") / payload_gbps(HOST_GBPS)


def is_bridged(slice_us: int) -> bool:
    """Whether a rack's buffer bridges the nights."""
    return slice_us <= waiting_us()


def is_broken(slice_us: int) -> bool:
    """Whether a slice is so long that three packets overtake one."""
    return slice_us >= BROKEN_FROM_US


def beside_deaf(repair: str) -> Values:
    """Goodput by detours over that of a sender that bears any order."""
    return of(DETOURS, repair, "goodput_gbps") / of(DETOURS, DEAF, "goodput_gbps")


DIRECTLY = beside({repair: most(of(DIRECT, repair, "reordered_percent")) for repair in REPAIRS})
RACK = share(DIRECT, "rack").told(".2f", name="goodput")
BRIDGED = RACK.among(is_bridged)
WAITED = of(DIRECT, "rack", "waiting_drops").told(".0f", name="drops while waiting")
BY_ORDER, BY_WAITING = (
    of(DETOURS, "sack", f"by_{cause}_percent").told(".0f", " %", f"by {cause}") for cause in ("reordering", "waiting")
)
BY_ORDER = BY_ORDER.among(is_bridged).among(is_broken)


def bridged(slices: dict[int, float]) -> dict[int, float]:
    """Those whose nights a rack's buffer bridges."""
    return {slice_us: value for slice_us, value in slices.items() if slice_us <= waiting_us()}


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput against the slice, solid by the direct circuit and dashed by detours."""
    for repair, colour in COLOURS.items():
        for routes, style in ((DIRECT, "o-"), (DETOURS, "s--")):
            rows = table.filter((pl.col("repair") == repair) & (pl.col("routes") == routes)).sort("slice_us")
            axes.plot(rows["slice_us"], rows["goodput_gbps"], style, color=colour, label=f"{repair}, {routes}")
    axes.axvline(waiting_us(), color="0.6", linewidth=0.9)
    axes.set_xscale("log")
    axes.set_xlabel("slice (µs)")
    axes.set_ylabel("goodput of a flow (Gb/s)")
    axes.legend(frameon=False, fontsize=7)
    frame(axes)


METRICS = (
    Metric(name="goodput_gbps", label="goodput of a flow (Gb/s)", form=".3f"),
    Metric(name="reordered_percent", label="reordered packets (%)", form=".2f"),
    Metric(name="max_extent", label="largest extent (packets)", form=".0f"),
    Metric(name="drops", label="data packets dropped", form=".0f"),
    Metric(name="waiting_drops", label="data packets dropped that waited for a circuit", form=".0f"),
    Metric(name="false_repairs", label="repairs of what was not lost", form=".0f"),
    Metric(name="timeouts", label="timeouts", form=".0f"),
    Metric(name="by_reordering_percent", label="of the lost throughput, by reordering (%)", form=".0f"),
    Metric(name="by_waiting_percent", label="of the lost throughput, by nights (%)", form=".0f"),
)
OURS = "ours"


def claim(id_: str, text: str, expected: str, tolerance: str, **more: Any) -> Claim:
    """One of our expectations."""
    return Claim(id=id_, text=text, where=OURS, expected=expected, tolerance=tolerance, whose="ours", **more)


experiment = Experiment(
    id="rotor/slices",
    title="TCP against the slice of a rotor switch: by the direct circuit and by detours, with three ways of repair",
    source=Source(paper="ours; the network of Mellette et al., SIGCOMM 2017", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(slice_us=(3, 30, 300), routes=(DIRECT, DETOURS), repair=tuple(REPAIRS)),
        replications=1,
        settings={"run.duration": "40 ms", "run.warm_up": "20 ms"},
        note="three of six slices, 20 ms instead of 100, one of two seeds",
    ),
    full=Form(
        points=grid(slice_us=SLICES_US, routes=(DIRECT, DETOURS), repair=tuple(REPAIRS)),
        replications=2,
        settings={"run.duration": "200 ms", "run.warm_up": "100 ms"},
    ),
    claims=(
        claim(
            "order",
            "by the direct circuit packets keep their order: a pair has one queue and one circuit a cycle",
            "none reordered, at any slice",
            "none; in shape: less than 1 %",
            check=at_most(DIRECTLY, 0, in_shape=below(DIRECTLY, 1)),
        ),
        claim(
            "direct",
            "by the direct circuit TCP has its host's link, whatever the repair, while the buffer bridges the nights",
            f"{FULL_SHARE:g} of the link's payload up to {waiting_us():.0f} µs (1000 packets in 6.1 slices at 10 Gb/s)",
            f"at least {FULL_SHARE:g}; in shape: {KEEPS * FULL_SHARE:.2f}",
            check=(
                at_least(
                    beside({repair: least(share(DIRECT, repair).among(is_bridged)) for repair in REPAIRS}),
                    FULL_SHARE,
                    KEEPS * FULL_SHARE,
                )
            ),
        ),
        claim(
            "waiting",
            "with longer slices the buffer overflows in the night, and TCP breaks by waiting",
            "goodput down, and drops for waiting that shorter slices do not have",
            f"less than {FULL_SHARE:g} of the goodput at the longest slice that is bridged, where no packet is dropped "
            "for waiting; in shape: less",
            check=(
                (
                    below(last(RACK), last(BRIDGED) * FULL_SHARE)
                    & above(last(WAITED), 0)
                    & at_most(last(WAITED.among(is_bridged)), 0)
                ).in_shape(below(last(RACK), last(BRIDGED)))
            ),
        ),
        claim(
            "reorders",
            "detours change the order from the shortest slices on",
            f"more than {100 * REORDERED:g} % reordered from {BROKEN_FROM_US} µs on",
            f"more than {100 * REORDERED:g} %; in shape: 1 %",
            check=above((of(DETOURS, DEAF, "reordered_percent") / 100).among(is_broken), REORDERED, in_shape=0.01),
        ),
        claim(
            "bears",
            "a sender that bears any order has its host's link by detours too: waiting alone does not break it",
            f"{FULL_SHARE:g} of the link's payload up to {waiting_us():.0f} µs",
            f"at least {FULL_SHARE:g}; in shape: {KEEPS * FULL_SHARE:.2f}",
            check=at_least(share(DETOURS, DEAF).among(is_bridged), FULL_SHARE, in_shape=KEEPS * FULL_SHARE),
        ),
        claim(
            "sack",
            "three duplicate ACKs break TCP by detours, at every slice but the shortest",
            f"less than {BREAKS:g} of the goodput of a sender that bears any order, from {BROKEN_FROM_US} µs on",
            f"less than {BREAKS:g}; in shape: {KEEPS:g}",
            check=below(beside_deaf("sack").among(is_broken), BREAKS, in_shape=KEEPS),
        ),
        claim(
            "rack",
            "RACK bears detours: its window of reordering grows with them",
            f"at least {KEEPS:g} of the goodput of a sender that bears any order, up to {waiting_us():.0f} µs",
            f"at least {KEEPS:g}; in shape: {BREAKS:g}",
            check=at_least(beside_deaf("rack").among(is_bridged), KEEPS, in_shape=BREAKS),
            reason="it waits a quarter of the shortest round trip, which is a lucky detour's; in a trial with 100 µs "
            "between a host and its rack, and so a long shortest one, nothing was repaired in vain",
        ),
        claim(
            "blame",
            "the attribution of lost throughput says so: SACK by detours loses by reordering",
            "most of what is lost, and more than by nights, where the buffer bridges them",
            "at least 50 %; in shape: more than by nights",
            check=(
                (above(BY_ORDER, BY_WAITING) & at_least(BY_ORDER, 50))
                .in_shape(above(BY_ORDER, BY_WAITING))
                .telling(BY_WAITING)
            ),
        ),
    ),
    plots=(Plot(name="slices", draw=draw),),
    notes=(
        "A tenth of each slice is dark. The circuit has 100 Gb/s and a host 10, so that a slice of 1 µs holds seven "
        "packets, and the direct circuit carries d/7 · 100 Gb/s, 1.3 times a host's link.",
        f"Windows end at {MOST_PACKETS} packets, so that a host's own queue does not grow without end.",
        "A sender that bears any order takes nothing for lost before a timeout.",
    ),
)
