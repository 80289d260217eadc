"""Is being told worth more than being sprayed? Senders over rotor switches that guess, that reckon by round trips, and
that are told what their circuits carry, by the direct circuit and by detours.

Told the mean is XCP: the controller at a host's link believes what the routes carry of a rack's uplink on average. Told
when their circuit comes and goes are reTCP and TDTCP (`[[news]]`). Laws that read telemetry (hpcc, powertcp, rcp) are
refused over rotor switches. The expectations are ours, and were written before the first run; the senders that bear
any order, and the claim about them, came after a trial in which the others carried an eighth of what detours can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, above, at_least, at_most, below, beside, highest, least, most, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, RunResult, Setup, Source, grid
from photocol.plot import frame
from photocol.verdict import Finding, not_run

from . import _rounds as rounds
from ._rounds import DARK, HOST_GBPS, MOST_PACKETS, PAYLOAD, RACKS, payload_gbps

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

SLICE_US = 100
CIRCUIT_GBPS = 10.0
MARK_FROM = 65
"""Packets for one rack: what a circuit carries in a slice is 75."""
PATTERNS = ("permutation", "uniform")
ROUTES = ("direct", "vlb", "rotorlb")
TOLD, UNTOLD, ANY_ORDER, TOLD_ANY_ORDER = "xcp-told", "cubic", "any-order", "xcp-any-order"
NOTHING_LOST = "dupthresh = 4000000000, limited_transmit = false"
"""A sender that takes nothing for lost before a timeout."""
ORDERED_PACKETS = 900
"""What the flows of a rack that bears any order have on the way at most: the rack's buffer holds them, whose overflow
nothing but a timeout would repair."""
LAWS: Mapping[str, str] = {
    UNTOLD: 'algorithm = "cubic", recovery = "linux"',
    ANY_ORDER: f'algorithm = "cubic", {NOTHING_LOST}',
    "dctcp": 'algorithm = "dctcp", recovery = "linux"',
    "theta-powertcp": 'algorithm = "theta-powertcp", recovery = "linux"',
    TOLD: 'algorithm = "xcp"',
    TOLD_ANY_ORDER: f'algorithm = "xcp", {NOTHING_LOST}',
    "retcp": 'algorithm = "retcp", recovery = "linux"',
    "tdtcp": 'algorithm = "tdtcp", recovery = "linux"',
}
HEAR = ("retcp", "tdtcp")
"""Laws that hear when their circuit comes and goes."""
COLOURS = {
    UNTOLD: "#999999",
    ANY_ORDER: "#000000",
    "dctcp": "#E69F00",
    "theta-powertcp": "#009E73",
    TOLD: "#0072B2",
    TOLD_ANY_ORDER: "#56B4E9",
    "retcp": "#CC79A7",
    "tdtcp": "#D55E00",
}
MARKS = dict(zip(ROUTES, "osD", strict=True))
SPRAYED, DIRECT_WINS, OF_BOUND, NEAR, BORNE, HALF = 2.0, 1.5, 1.02, 0.9, 0.8, 0.5


def bound(pattern: str, routes: str) -> float:
    """The part of a rack's uplink that the routes carry at most."""
    duty = 1 - DARK
    if routes == "direct":
        return duty if pattern == "uniform" else duty / (RACKS - 1)
    if routes == "vlb":
        return duty * (RACKS - 1) / (2 * RACKS - 3) if pattern == "uniform" else duty / 2
    return duty if pattern == "uniform" else duty * RACKS / (2 * (RACKS - 1))


def setup(point: Point) -> Setup:
    """Long flows, one from each rack or one from each to each."""
    law, routes, pattern = str(point["law"]), str(point["routes"]), str(point["pattern"])
    partners = RACKS - 1 if pattern == "uniform" else 1
    packets = ORDERED_PACKETS // partners if law.endswith(ANY_ORDER) else MOST_PACKETS
    window = f'max_window = "{packets * PAYLOAD} B"'
    pairs = "all" if pattern == "uniform" else "permutation"
    settings: dict[str, Any] = rounds.network(SLICE_US, routes, CIRCUIT_GBPS) | {
        "transport": f"{{ hosts = {{ {LAWS[law]}, {window} }} }}",
        "traffic": f'[{{ name = "long", transport = "hosts", pairs = "{pairs}", flows = {RACKS * partners} }}]',
    }
    if law in HEAR:
        settings["news"] = '[{ circuit = "all", way = "message" }]'
    if law == "dctcp":
        settings["switching.mark_from"] = MARK_FROM
    if law in (TOLD, TOLD_ANY_ORDER):
        believes = bound(pattern, routes) * CIRCUIT_GBPS
        settings["link_defaults"] = (
            f'{{ host = {{ queue = {{ kind = "drop-tail" }}, xcp = {{ capacity = "{believes:.6f} Gbps" }} }} }}'
        )
    return Setup(scenario="rotornet.toml", settings=settings)


def measure(result: RunResult) -> dict[str, float]:
    """Goodput of a rack over its uplink's payload, and what waits at a rack and its host."""
    of = {name: figure.value for name, figure in result.summary.items()}
    names = pl.col("link").cast(pl.String)
    queues = [
        float(result.links.filter(names.str.contains(pattern))["mean_queue"].sum()) / RACKS
        for pattern in (r"^t\d+->r0$", r"^t\d+h0->t\d+$")
    ]
    return {
        "used_percent": 100 * 1e-9 * of["goodput"] / RACKS / payload_gbps(HOST_GBPS),
        "rack_queue": queues[0],
        "host_queue": queues[1],
        "retransmissions": of["retransmissions"],
    }


def best_by(pattern: str, routes: str) -> Values:
    """The law that uses most."""
    return most(values("used_percent", "law", pattern=pattern, routes=routes).told(".1f", " %", f"by {routes}"))


def by_detours() -> Predicate:
    """The best by detours beside the best by the direct circuit, where each rack has one partner."""
    direct, detours = (best_by("permutation", routes) for routes in ("direct", "vlb"))
    return at_least(detours, direct * SPRAYED, in_shape=above(detours, direct)).telling(direct)


def directly() -> Predicate:
    """The same where each rack has all others as partners."""
    direct, detours = (best_by("uniform", routes) for routes in ("direct", "vlb"))
    return at_least(direct, detours * DIRECT_WINS, in_shape=above(direct, detours)).telling(detours)


def by_route(routes: str, law: str, metric: str = "used_percent") -> Values:
    """A metric of a law, by pattern."""
    return values(metric, "pattern", form=".0f", routes=routes, law=law)


GOODPUT = by_route("direct", TOLD) / by_route("direct", UNTOLD)
WAITS = by_route("direct", TOLD, "rack_queue") / by_route("direct", UNTOLD, "rack_queue")
WAITING = [by_route("direct", law, "rack_queue").told(".0f", " packets", law) for law in (TOLD, UNTOLD)]
WORTH = by_route("direct", TOLD) / by_route("rotorlb", UNTOLD)
PARTS = values("used_percent", "law", pattern="permutation", routes="vlb") / (100 * bound("permutation", "vlb"))
BEARS, OTHERS = PARTS.among(lambda law: law.endswith(ANY_ORDER)), PARTS.among(lambda law: not law.endswith(ANY_ORDER))


def ran(outcome: Outcome) -> list[str]:
    """The senders that were run."""
    found = set(outcome.table["law"].to_list())
    return [law for law in LAWS if law in found]


ALL = values("used_percent", ("law", "pattern", "routes"))
OF_BOUNDS = (ALL * 0.01 / (lambda at: bound(at[1], at[2]))).told(".3f")


def news() -> Predicate:
    """Those that hear of their circuit beside CUBIC, by the direct circuit."""
    goodputs, queues = (
        beside({law: by_route("direct", law, metric) / by_route("direct", UNTOLD, metric) for law in HEAR})
        for metric in ("used_percent", "rack_queue")
    )
    goodputs, queues = goodputs.told(".2f", name="of the goodput"), queues.told(".2f", name="of the queue")
    return (at_least(goodputs, NEAR) & below(queues, 1)).in_shape(at_least(goodputs, HALF)).saying(goodputs, queues)


def of_all(outcome: Outcome) -> Finding:
    """Judged where all these senders were run."""
    return (
        news()(outcome)
        if set(HEAR) <= set(ran(outcome))
        else not_run("judged in the full form, which has these senders")
    )


def draw(pattern: str, axes: Axes, table: pl.DataFrame) -> None:
    """What is used against what waits at a rack; a colour for each sender, a mark for each kind of route."""
    for law, colour in COLOURS.items():
        for routes, mark in MARKS.items():
            is_it = (pl.col("law") == law) & (pl.col("routes") == routes) & (pl.col("pattern") == pattern)
            rows = table.filter(is_it)
            label = law if routes == ROUTES[0] else None
            axes.plot(rows["rack_queue"], rows["used_percent"], mark, color=colour, label=label)
    for routes, mark in MARKS.items():
        axes.plot([], [], mark, color="0.3", fillstyle="none", label=routes)
    axes.set_xscale("symlog", linthresh=10)
    axes.set_xlabel("packets at a rack")
    axes.set_ylabel(f"{pattern}: goodput over the uplinks' (%)")
    axes.legend(frameon=False, fontsize=7)
    frame(axes)


def plot(pattern: str) -> Plot:
    """The picture of a pattern."""
    return Plot(name=pattern, draw=lambda axes, table: draw(pattern, axes, table), where=pl.col("pattern") == pattern)


def claim(id_: str, text: str, expected: str, tolerance: str, **more: Any) -> Claim:
    """One of our expectations."""
    return Claim(
        id=id_, text=text, where="ours; arithmetic", expected=expected, tolerance=tolerance, whose="ours", **more
    )


POINTS = grid(law=tuple(LAWS), routes=ROUTES, pattern=PATTERNS)

experiment = Experiment(
    id="rotor/fresh",
    title="told or sprayed: eight senders over rotor switches, by the direct circuit, by detours and by RotorLB",
    source=Source(paper="ours; the network of Mellette et al., SIGCOMM 2017", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="used_percent", label="goodput over the uplinks' (%)", form=".2f"),
        Metric(name="rack_queue", label="packets that wait at a rack", form=".0f"),
        Metric(name="host_queue", label="packets that wait at a host's link", form=".0f"),
        Metric(name="retransmissions", label="segments sent again", form=".0f"),
    ),
    quick=Form(
        points=grid(law=(UNTOLD, ANY_ORDER, TOLD), routes=ROUTES, pattern=PATTERNS),
        replications=1,
        settings={"run.duration": "120 ms", "run.warm_up": "60 ms"},
        note="three of eight senders, 60 ms instead of 200, one of two seeds",
    ),
    full=Form(points=POINTS, replications=2, settings={"run.duration": "400 ms", "run.warm_up": "200 ms"}),
    claims=(
        claim(
            "permutation",
            "where each rack has one partner, being sprayed is worth more than anything that can be told",
            f"d/2 of the uplinks by detours, {RACKS - 1}/2 times d/{RACKS - 1} by the direct circuit",
            f"the best by detours at least {SPRAYED:g} times the best by the direct circuit; in shape: more",
            check=by_detours(),
        ),
        claim(
            "uniform",
            "where each rack has all others as partners, detours cost half",
            f"{bound('uniform', 'direct') / bound('uniform', 'vlb'):.2f} times as much by the direct circuit",
            f"the best by the direct circuit at least {DIRECT_WINS:g} times the best by detours; in shape: more",
            check=directly(),
        ),
        claim(
            "bound",
            "nobody carries more than the routes can",
            "at most the bounds of docs/guide/rotor.md, of which goodput is a part",
            f"at most {OF_BOUND:g} of them; in shape: 1.1",
            check=at_most(OF_BOUNDS, OF_BOUND, in_shape=1.1),
        ),
        claim(
            "told",
            "by the direct circuit a sender that is told has CUBIC's goodput with a short queue at its rack",
            f"{NEAR:g} of CUBIC's goodput, and {HALF:g} of its queue",
            f"at least {NEAR:g} and at most {HALF:g}, with both patterns; in shape: the queue",
            check=(at_least(GOODPUT, NEAR) & at_most(WAITS, HALF)).in_shape(at_most(WAITS, HALF)).telling(*WAITING),
        ),
        claim(
            "news",
            "by the direct circuit senders that hear when it comes have CUBIC's goodput with a shorter queue",
            f"{NEAR:g} of CUBIC's goodput, and less than its queue",
            f"at least {NEAR:g}, and less, by reTCP and TDTCP with both patterns; in shape: {HALF:g} of the goodput",
            check=of_all,
        ),
        claim(
            "order",
            "it is their order that detours cost: senders that bear any carry what detours can, others less than half",
            f"{BORNE:g} of the bound of a permutation by detours",
            f"at least {BORNE:g}, and all others less than {HALF:g}; in shape: more than all others",
            check=(
                (at_least(least(BEARS), BORNE) & below(most(OTHERS), HALF)).in_shape(above(least(BEARS), most(OTHERS)))
            ),
            reason="the window of CUBIC's RACK grows with what D-SACKs show to have been repaired in vain: it has 0.11 "
            "of the bound 60 to 120 ms after the start, and 0.67 from 200 ms on",
        ),
        claim(
            "rotorlb",
            "RotorLB gives CUBIC, which nobody tells, the better of both",
            f"{NEAR:g} of the better of the direct circuit and detours",
            f"at least {NEAR:g} with both patterns; in shape: {HALF:g}",
            check=(
                at_least(
                    by_route("rotorlb", UNTOLD) / highest(by_route("direct", UNTOLD), by_route("vlb", UNTOLD)),
                    NEAR,
                    HALF,
                )
            ),
        ),
        claim(
            "worth",
            "being told is worth less than being sprayed where a rack has one partner, and not less where it has all",
            "XCP told by the direct circuit beside CUBIC with RotorLB",
            f"less than {HALF:g} of its goodput with one partner, and as much with all; in shape: less, and {NEAR:g}",
            check=(
                (below(WORTH.at("permutation"), HALF) & at_least(WORTH.at("uniform"), 1)).in_shape(
                    below(WORTH.at("permutation"), 1) & at_least(WORTH.at("uniform"), NEAR)
                )
            ),
        ),
    ),
    plots=tuple(plot(pattern) for pattern in PATTERNS),
    notes=(
        "Bounds are parts of a rack's uplink: d = 0.9, eight racks, first hops over any other rack. For RotorLB it is "
        "the best mixture.",
        "XCP's controller at a host's link believes its bound: it is told the mean, not the slices.",
        "Queues count ACKs too.",
    ),
)
