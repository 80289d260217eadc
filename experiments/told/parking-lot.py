"""One flow over several bottlenecks, each with a flow of its own: the shares that ports, or round trips, give out.

The expected shares follow from each law's arithmetic; they and the tolerances were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Values, above, at_least, at_most, below, beside, least, mean, most, near, values
from photocol.experiment import Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines

from . import _laws as laws
from ._laws import ABC, COLOURS, COPA, CUBIC, DCTCP, HPCC, LAWS, POWER, RCP, SWIFT, THETA, XCP, XCP_CL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import Point, RunResult

GBPS, DELAY_US, BUFFER = 10.0, 20.0, 2000
HOPS = (1, 2, 4)
CROSS = 1
"""Flows over each bottleneck alone."""
FAIR = 0.5
NEAR, WIDE = 0.05, 0.15
MAX_MIN = (XCP_CL, RCP, HPCC, POWER)
"""Laws of the most loaded hop, or of the least that a port gives: half for the long flow, however many hops."""
ABC_SHARES: Mapping[int, float] = {1: 0.5, 2: 1 / 3, 4: 1 / 5}
"""A segment brakes where any hop marks it: with hops that mark by themselves the long flow brakes as often as all."""


def round_trip_us(hops: int) -> float:
    """Of the long flow: the chain, its two links at the ends, and a packet over each."""
    return 2 * (hops * DELAY_US + 2) + (hops + 2) * laws.PACKET * 8e-3 / GBPS


def setup(point: Point) -> Setup:
    """A parking lot whose parameters go by the round trip over one hop, and whose telemetry counts its own."""
    law, hops = str(point["law"]), int(point["hops"])
    short = laws.Path(gbps=GBPS, rtt_us=round_trip_us(1), hops=3)
    long = laws.Path(gbps=GBPS, rtt_us=round_trip_us(hops), hops=hops + 2)
    return Setup(
        scenario={
            "run": {"name": f"hops-{hops}", "duration": "120 ms", "warm_up": "60 ms"},
            "topology": {
                "kind": "parking-lot",
                "hops": hops,
                "bottleneck_capacity": f"{GBPS:g} Gbps",
                "bottleneck_delay": f"{DELAY_US:g} us",
                "bottleneck_buffer": f"{BUFFER} packets",
                "access_capacity": f"{GBPS:g} Gbps",
                "access_delay": "1 us",
                "access_buffer": "unlimited",
            },
            "link": [
                {"from": f"{hop}", "to": f"{hop + 1}", "duplex": False, **laws.port(law, long)} for hop in range(hops)
            ],
            "transport": {"long": own(law, long), "cross": own(law, short)},
            "traffic": [
                {"name": "long", "transport": "long", "from": "source", "to": "sink"},
                {
                    "name": "cross",
                    "transport": "cross",
                    "pairs": [[f"c{hop}", f"d{hop}"] for hop in range(hops)],
                    "flows": CROSS * hops,
                    "spread": "1 ms",
                },
            ],
        }
    )


def own(law: str, path: laws.Path) -> dict[str, Any]:
    """The law with ten segments at first: nobody is to be disturbed by a start."""
    table = laws.transport(law, path)
    return table | {"initial_window": 10} if "initial_window" in table else table


def measure(result: RunResult) -> Mapping[str, float]:
    """The long flow's share, and the bottlenecks in the mean."""
    hops = int(str(result.manifest["name"]).rsplit("-", 1)[1])
    names = [f"{hop}->{hop + 1}" for hop in range(hops)]
    links = result.links.filter(pl.col("link").cast(pl.String).is_in(names))
    traffic = pl.col("traffic").cast(pl.String)
    long = float(result.flows.filter(traffic == "long")["goodput_bps"][0])
    cross = float(result.flows.filter(traffic == "cross")["goodput_bps"].mean())  # type: ignore[arg-type]
    return {
        "long_share": long / (long + cross),
        "used_percent": 100 * float(links["utilization"].min()),  # type: ignore[arg-type]
        "queue_packets": float(links["mean_queue"].mean()),  # type: ignore[arg-type]
        "dropped": float(links["dropped_units"].sum()),
    }


def shares(law: str) -> Values:
    """The long flow's share by the number of hops."""
    return values("long_share", "hops", form=".3f", law=law).told(".3f", name=law)


def used(*of_laws: str) -> Values:
    """The least used bottleneck with any number of hops."""
    return beside({law: least(values("used_percent", "hops", form=".1f", unit=" %", law=law)) for law in of_laws})


OVER_ONE, OVER_MOST = (values("long_share", "law", form=".3f", hops=hops) for hops in (min(HOPS), max(HOPS)))
DELAY = (SWIFT, THETA)
TOLD, OTHERS = OVER_MOST.at(*MAX_MIN), OVER_MOST.at(SWIFT, COPA, CUBIC, DCTCP)
USED = used(XCP_CL, RCP, POWER)


SHARES = Lines(
    "hops",
    "long_share",
    ("bottlenecks of the long flow", "its share of them"),
    by="law",
    of=[law for law in COLOURS if law != XCP],
    looks={law: (colour, "o-") for law, colour in COLOURS.items()},
    expected={"max-min": FAIR, "1/(hops + 1)": lambda hops: 1 / (hops + 1)},
)


MOST_LOADED = (
    "the most loaded of several hops that waver is above each of them, and the additive part is too small to give it "
    "back. "
)
REASONS: Mapping[str, str] = {
    HPCC: MOST_LOADED
    + "With `hpcc_flows = 2` instead of 100 the shares are 0.474 and 0.451 over 2 and 4 hops, and with "
    "10 over one hop 0.499",
    POWER: MOST_LOADED + "With `powertcp_flows = 2` instead of 100 the shares are 0.454 and 0.459 over 2 and 4 hops",
    ABC: "half of all segments brake at each hop, whatever others do: over h hops a part of 2^-h accelerates, and a "
    "window rests at 1/(1 - 2^(1-h)) segments, 2 and 1.1",
    "order": "HPCC and PowerTCP as above: with additive parts for two flows they have 0.451 and 0.459 over four hops",
    "full": "PowerTCP's additive part is small beside what the hops waver: with `powertcp_flows = 2` it uses 100 %",
}


claim = laws.expectation(REASONS)

WITHIN = f"within {NEAR:g} with each number of hops; in shape: {WIDE:g}"

experiment = Experiment(
    id="told/parking-lot",
    title="the share of a flow over 1, 2 and 4 bottlenecks, each with one other flow",
    source=Source(paper="ours; arithmetic of each law", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="long_share", label="share of the long flow", form=".3f"),
        Metric(name="used_percent", label="least used bottleneck (%)", form=".1f"),
        Metric(name="queue_packets", label="queue at a bottleneck (packets)", form=".1f"),
        Metric(name="dropped", label="packets lost", form=".0f"),
    ),
    quick=Form(
        points=grid(law=LAWS, hops=HOPS),
        replications=1,
        settings={"run.duration": "40 ms", "run.warm_up": "20 ms"},
        note="40 ms instead of 120, one of five seeds",
    ),
    full=Form(points=grid(law=LAWS, hops=HOPS), replications=5),
    claims=(
        *(
            claim(
                law,
                f"with {law} the long flow has half of each bottleneck, however many there are",
                "half: the law goes by the port that gives least",
                WITHIN,
                near(shares(law), FAIR, by=NEAR, in_shape=WIDE),
            )
            for law in MAX_MIN
        ),
        claim(
            COPA,
            "with Copa the long flow pays for the queue of each hop",
            "one of hops + 1: rates are the inverse of the delay",
            WITHIN,
            near(shares(COPA), lambda hops: 1 / (hops + 1), by=NEAR, in_shape=WIDE),
        ),
        claim(
            ABC,
            "with ABC it brakes where any hop says so",
            "one of hops + 1",
            WITHIN,
            near(shares(ABC), ABC_SHARES, by=NEAR, in_shape=WIDE),
        ),
        claim(
            "delay",
            "with Swift and θ-PowerTCP it pays for each hop too",
            "one of hops + 1 at most, over most hops",
            "so with both; in shape: less over most hops than over one",
            (
                at_most(OVER_MOST.at(*DELAY), 1 / (max(HOPS) + 1), below(OVER_MOST.at(*DELAY), OVER_ONE)).telling(
                    *map(shares, DELAY)
                )
            ),
        ),
        claim(
            "order",
            "over most hops those who are told by ports give the long flow more than those who time or lose",
            "half, and less",
            "XCP-CL, RCP, HPCC and PowerTCP each more than Swift, Copa, CUBIC and DCTCP; in shape: in the mean",
            above(least(TOLD), most(OTHERS), in_shape=above(mean(TOLD), mean(OTHERS))).telling(OTHERS),
        ),
        claim(
            "full",
            "and they use every bottleneck",
            "100 %, HPCC 95 %",
            "at least 97 %, HPCC 94; in shape: 90 %",
            (at_least(USED, 97) & at_least(used(HPCC), 94)).in_shape(at_least(USED, 90) & at_least(used(HPCC), 90)),
        ),
    ),
    plots=(Plot(name="share", draw=SHARES),),
    notes=(
        f"{GBPS:g} Gb/s and {DELAY_US:g} µs a hop; the long flow's round trip is 48 µs over one hop and 171 over four. "
        "All begin with ten segments.",
        "The empty round trip that HPCC, PowerTCP and θ-PowerTCP know, and Swift's target, are of its own path.",
        "Ports' parameters go by the long flow's round trip.",
    ),
)
