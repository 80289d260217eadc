"""Paper 000, §V.E and §V.F: how many TCP flows halve their windows at once, when a burst of UDP makes the core lose.

§V.E computes N synchronized flows, all of which halve at a loss, and says that "optical core switches can only have
very small buffers, so TCP global synchronization is unlikely"; §V.F computes flows that halve one by one until the rest
fits. Here the ssthresh of forty flows is sampled every 50 ms: it changes when a window is halved, or after a timeout.
Counted are the flows that do so from a burst's beginning at the core to one round trip after its end.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import MOSTLY, Values, at_least, at_most, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid
from photocol.plot import Lines

from . import _classical as classical
from . import _slots as slots
from ._classical import BOTH, CLASSICAL, NONE, ONCE, TCP
from ._section5 import Series
from ._slots import PAPER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult, Value

UDP_PERCENT, WATCHED, SAMPLE_S = 30, 40, 0.05
QUIET_S = 5.0
"""Between two bursts; as long after a burst flows are counted once more, for what they do without one."""
NEEDED = 2 * UDP_PERCENT / 100
"""K/N of §V.F: each halving frees C/(2N), so that flows of 2R must halve for a burst of R."""
SCHEMES = {
    classical.name(edge, control): (edge, control)
    for edge, control in ((CLASSICAL, NONE), (TCP, NONE), (TCP, BOTH), (TCP, ONCE))
}
CLASSIC, SMOOTHED, DLCC, ONCE_A_TRIP = SCHEMES
FULL: Mapping[str, Value] = {"run.duration": "500 s", "run.warm_up": "100 s"}
CORE_SHARE = 1 / 12
"""The delay between an edge node and the core over the round trip."""


def setup(point: Point) -> Setup:
    """A scheme whose flows and links are sampled."""
    edge, control = SCHEMES[str(point["scheme"])]
    rtt_ms, flows = int(point["rtt_ms"]), int(point["flows"])

    def sampled(scenario: dict[str, Any]) -> None:
        scenario["traffic"][0]["flows"] = flows
        watched, links = list(range(WATCHED)), ["x->ec", "eb->x"]
        scenario["probe"] = {"interval": f"{SAMPLE_S * 1000:.0f} ms", "flows": watched, "links": links}

    name = {"run.name": f"halvings-{rtt_ms}"}
    return classical.setup(edge, control, rtt_ms, UDP_PERCENT, change=sampled, more=name)


def begins(offered: Series) -> list[float]:
    """When bursts begin: something is offered after QUIET_S without."""
    found, last = [], -QUIET_S
    for (_, before), (time, count) in zip(offered.samples, offered.samples[1:], strict=False):
        if count > before:
            if time - last >= QUIET_S:
                found.append(time)
            last = time
    return found


def changes(result: RunResult) -> dict[str, list[float]]:
    """When the ssthresh of each flow has changed."""
    rows = result.series.filter(pl.col("quantity") == "ssthresh").sort("entity", "t_s")
    changed = rows.filter(
        (pl.col("value") != pl.col("value").shift(1)) & (pl.col("entity") == pl.col("entity").shift(1))
    )
    return {str(entity): times["t_s"].to_list() for (entity,), times in changed.group_by("entity")}


def halving(times: Mapping[str, list[float]], begin: float, end: float) -> float:
    """Per cent of the flows that change their ssthresh in a span."""
    return 100 * sum(any(begin < time <= end for time in series) for series in times.values()) / WATCHED


def measure(result: RunResult) -> Mapping[str, float]:
    """Shares of flows that halve at bursts that lose something, and as long after these."""
    rtt_s = int(str(result.manifest["name"]).rsplit("-", 1)[1]) / 1000
    dropped, offered = Series.of(result, "x->ec", "dropped"), Series.of(result, "eb->x", "offered")
    times, end = changes(result), dropped.samples[-1][0]
    span = slots.BURST_S + (1 + CORE_SHARE) * rtt_s + SAMPLE_S
    start = end - result.summary["measured_time"].value
    bursts = [begin for begin in begins(offered) if begin > start and begin + QUIET_S + span <= end]
    lost = [dropped.grown(begin - SAMPLE_S, begin + span - rtt_s + SAMPLE_S) for begin in bursts]
    hit = [begin for begin, count in zip(bursts, lost, strict=True) if count]
    halved = [halving(times, begin - SAMPLE_S, begin + span) for begin in hit]
    quiet = [halving(times, begin - SAMPLE_S + QUIET_S, begin + span + QUIET_S) for begin in hit]
    return {
        "halving_percent": mean(halved),
        "most_halving_percent": max(halved, default=0.0),
        "quiet_percent": mean(quiet),
        "hit_percent": 100 * len(hit) / max(len(bursts), 1),
        "lost_packets": mean([count for count in lost if count]),
        **slots.price(result),
    }


def mean(values: list[float]) -> float:
    """The mean, nothing of nothing."""
    return sum(values) / len(values) if values else 0.0


def shares(scheme: str, metric: str = "halving_percent") -> Values:
    """Shares of flows by round trip and number of flows."""
    found = values(metric, ("rtt_ms", "flows"), form=".2f", scheme=scheme) * 0.01
    return found.renamed(lambda at: f"{at[0]} ms with {at[1]}")


FOUND, QUIET = shares(CLASSIC).told(unit=" of the flows"), shares(CLASSIC, "quiet_percent")
WITHOUT = shares(CLASSIC).told(name="without")
HALVINGS = Lines(
    "rtt_ms",
    "halving_percent",
    ("round-trip time (ms), UDP 30 %", "flows that halve at a burst (%)"),
    by="scheme",
    of=list(SCHEMES),
    where={"flows": WATCHED},
    expected={"§V.E: all": 100, "§V.F: as many as needed": 100 * NEEDED},
    low=0,
)

experiment = Experiment(
    id="000/halvings",
    title="DLCC: how many flows halve at once (simulation)",
    source=Source(paper=PAPER, figures="none; an assumption of Figures 2 to 7", section="§V.E, §V.F"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="halving_percent", label="flows that halve at a burst (%)", form=".1f"),
        Metric(name="most_halving_percent", label="at one burst at most (%)", form=".1f"),
        Metric(name="quiet_percent", label="as long, 5 s later (%)", form=".1f"),
        Metric(name="hit_percent", label="bursts that lose something (%)", form=".0f"),
        Metric(name="lost_packets", label="lost at such a burst (packets)", form=".0f"),
        *slots.PRICE,
    ),
    quick=Form(
        points=grid(scheme=tuple(SCHEMES), rtt_ms=(60, 560), flows=(40,)),
        replications=1,
        settings=slots.QUICK,
        note="two of three round trips, one of two numbers of flows, 100 s of 400 s, one of four replications",
    ),
    full=Form(
        points=grid(scheme=tuple(SCHEMES), rtt_ms=(60, 280, 560), flows=(40, 200)), replications=4, settings=FULL
    ),
    claims=(
        Claim(
            id="rare",
            text="with very small optical buffers TCP global synchronization is unlikely",
            where="§V.E",
            expected="few flows halve together",
            tolerance="classical network: at most 0.25 of the flows halve at a burst that loses something, at every "
            "round trip; in shape: at most 0.5",
            check=at_most(FOUND, 0.25, in_shape=0.5),
            reason="a burst of 30 % needs room that 0.6 of the flows can make, and in a full link about as many lose "
            "something within the burst and halve a round trip later",
        ),
        Claim(
            id="synchronous",
            text="all flows halve together",
            where="§V.E, an assumption of equations (7) to (10)",
            expected="all",
            tolerance="classical network: at least 0.9 of the flows at every round trip; in shape: 0.5",
            check=at_least(FOUND, 0.9, in_shape=0.5).telling(QUIET.told(name="as long after a burst")),
            reason="some hundred packets are lost at a burst, and many flows lose none of them",
        ),
        Claim(
            id="needed",
            text="as many flows halve as a rise of UDP needs room",
            where="§V.F, an assumption",
            expected="a share of 2R, 0.6",
            tolerance="classical network: 0.45 to 0.75 of the flows at every round trip; in shape: 0.3 to 0.9",
            check=within(FOUND, 0.75 * NEEDED, 1.25 * NEEDED, in_shape=(0.5 * NEEDED, 1.5 * NEEDED)),
            reason="at long round trips the link is less than half full when most bursts come, so that fewer need to",
        ),
        Claim(
            id="dlcc",
            text="artificial ACKs make no more flows halve together than halve without DLCC",
            whose="ours",
            where="ours, after §III.C",
            expected="no more",
            tolerance="at most 1.1 times as many as in the classical network at every round trip; in shape: at most of "
            "them",
            check=at_most(shares(DLCC).told(name="with"), WITHOUT * 1.1, in_shape=MOSTLY).telling(WITHOUT),
            reason="the link is fuller where TCP is smoothed, so that a burst loses more: as many halve there without "
            "any control",
        ),
    ),
    plots=(Plot(name="halvings", draw=HALVINGS),),
    notes=(
        "Hosts of 2009 and edge nodes as in 000/classical; DLCC smooths TCP, so that the core loses something.",
        "A flow that halves twice at a burst counts once; so does one that falls back after a timeout.",
        slots.LOTS,
    ),
)
