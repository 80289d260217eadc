"""Answers of 16 and of 64 hosts at once through one port of 25 and of 100 Gb/s, by the laws that are told and others.

The expected values and tolerances were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Values, at_least, at_most, below, beside, least, most, near, values
from photocol.experiment import Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import frame

from . import _laws as laws
from ._laws import (
    ABC,
    COLOURS,
    CUBIC,
    DCTCP,
    HPCC,
    LAWS,
    PACKET,
    POWER,
    RCP,
    SWIFT,
    TOLD,
    XCP,
    XCP_CL,
    at_rest,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Point, RunResult

PORT = "hub->n0"
BYTES, PAYLOAD = 300_000, 1460
SENDERS, GBPS = (16, 64), (25, 100)
ROUND_TRIP_US = {25: 9.0, 100: 8.3}
"""Four links of 2 µs, a packet over two of them, and an ACK."""
REQUESTS, PAUSE = 3, 2.5
"""So many, and from one to the next in times that a request lasts at least."""
BUFFER_MB = 16
FIRST, LASTED, EQUAL, NEAR_EMPTY = 0.15, 1.15, 0.9, 10.0
SMALLEST = (ABC, CUBIC, DCTCP)
"""Laws whose window is a segment at least."""
BELOW = (HPCC, POWER, RCP)
"""Paced laws that may send less than a packet in a round trip."""


def path(gbps: int) -> laws.Path:
    """The way to the host that asks."""
    return laws.Path(gbps=float(gbps), rtt_us=ROUND_TRIP_US[gbps], hops=2)


def least_ms(gbps: int, senders: int) -> float:
    """All answers at the rate of the port, and an empty round trip."""
    bits = 8 * senders * BYTES * PACKET / PAYLOAD
    return bits / gbps * 1e-6 + 1e-3 * ROUND_TRIP_US[gbps]


def setup(point: Point) -> Setup:
    """A star whose first host asks all others."""
    law, gbps, senders = str(point["law"]), int(point["gbps"]), int(point["senders"])
    lasts = least_ms(gbps, senders)
    every = PAUSE * lasts
    return Setup(
        scenario={
            "run": {"duration": f"{REQUESTS * every:.4f} ms"},
            "topology": {"kind": "star", "leaves": senders + 1},
            "link_defaults": {
                "capacity": f"{gbps} Gbps",
                "delay": "2 us",
                "buffer": "unlimited",
                "core": {"buffer": f"{BUFFER_MB} MB", **laws.port(law, path(gbps))},
            },
            "transport": {"law": laws.transport(law, path(gbps))},
            "traffic": [
                {
                    "transport": "law",
                    "arrivals": "incast",
                    "to": "n0",
                    "senders": senders,
                    "every": f"{every:.4f} ms",
                    "requests": REQUESTS,
                    "spread": "2 us",
                    "size": f"{BYTES} B",
                }
            ],
            "probe": {"interval": f"{lasts / 20:.5f} ms", "links": [PORT]},
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Times of requests, the longest queue and the one in the second half of an answer."""
    gbps, senders = gbps_and_senders(result)
    least = least_ms(gbps, senders)
    flows = result.flows.filter(pl.col("end_s").is_not_null())
    requests = (
        flows.with_columns(request=(1e3 * pl.col("start_s") / (PAUSE * least) + 0.01).floor())
        .group_by("request")
        .agg(
            lasted=1e3 * (pl.col("end_s").max() - pl.col("start_s").min()),
            mean=1e3 * (pl.col("end_s") - pl.col("start_s")).mean(),
        )
    )
    link = result.links.filter(pl.col("link").cast(pl.String) == PORT)
    return {
        "request_ratio": float(requests["lasted"].mean()) / least,  # type: ignore[arg-type]
        "mean_ratio": float((requests["mean"] / requests["lasted"]).mean()),  # type: ignore[arg-type]
        "most_queue": float(link["max_queue"][0]),
        "late_queue": late_queue(result, least),
        "dropped": float(link["dropped_units"][0]),
        "timeouts": float(result.summary["timeouts"].value),
        "unfinished": float((~result.flows["completed"]).sum()),
    }


def gbps_and_senders(result: RunResult) -> tuple[int, int]:
    """The point of a run, from its flows and its port."""
    senders = result.flows["source"].n_unique()
    link = result.links.filter(pl.col("link").cast(pl.String) == PORT)
    busy_s = float(link["utilization"][0]) * float(result.summary["measured_time"].value)
    rate = float(link["carried_bits"][0]) / busy_s * 1e-9
    return min(GBPS, key=lambda gbps: abs(gbps - rate)), senders


def late_queue(result: RunResult, least: float) -> float:
    """The mean queue from half to nine tenths of the least time of each request."""
    rows = result.series.filter(pl.col("quantity").cast(pl.String) == "mean_queue")
    since = (1e3 * pl.col("t_s")) % (PAUSE * least) / least
    return float(rows.filter(since.is_between(0.5, 0.9))["value"].mean())  # type: ignore[arg-type]


def first_packets(gbps: int, senders: int) -> float:
    """The windows of all senders but one: the port sends as much as one while all arrive."""
    return (senders - 1) * round(path(gbps).bdp_packets)


def along(metric: str, law: str, form: str = ".1f") -> Values:
    """A metric of a law at each rate and number of senders."""
    return values(metric, ("gbps", "senders"), form=form, law=law)


def first(place: tuple[str, int, int]) -> float:
    """The first windows at a place of a law."""
    return first_packets(*place[1:])


def rest(place: tuple[int, int]) -> float:
    """PowerTCP's queue by its closed form."""
    return at_rest(POWER, path(place[0]), place[1])["queue"]


FIRSTS = beside({law: along("most_queue", law, ".0f") for law in (HPCC, POWER)})
EVEN = beside({law: least(along("mean_ratio", law, ".2f")) for law in (POWER, RCP, XCP_CL, CUBIC)})
LOST, LATE = (beside({law: most(along(metric, law, ".0f")) for law in TOLD}) for metric in ("dropped", "timeouts"))
HELD = values("late_queue", "law", form=".0f", unit=" packets", gbps=min(GBPS), senders=max(SENDERS))
KEPT = max(SENDERS) - path(min(GBPS)).bdp_packets
"""Packets that wait where each sender has a packet on the way."""


def target_us(place: tuple[int, int]) -> float:
    """Swift's round trip by its closed form."""
    one = path(place[0])
    return one.rtt_us + one.queue_us(at_rest(SWIFT, one, place[1])["queue"])


WAITING_US = along("late_queue", SWIFT, ".2f") * (lambda place: path(place[0]).queue_us(1))
TARGETED = ((WAITING_US + (lambda place: path(place[0]).rtt_us)) / target_us).told(".2f", name="times the target")
TARGETED = TARGETED.renamed(lambda place: f"{place[1]} at {place[0]} Gb/s")


def draw(metric: str, label: str, axes: Axes, table: pl.DataFrame) -> None:
    """A metric of each law, a group of bars a place."""
    spots = [(gbps, senders) for gbps in GBPS for senders in SENDERS]
    of_laws = [law for law in LAWS if law != XCP and law in set(table["law"].to_list())]
    for shift, law in enumerate(of_laws):
        heights = []
        for gbps, senders in spots:
            rows = table.filter((pl.col("law") == law) & (pl.col("gbps") == gbps) & (pl.col("senders") == senders))
            heights.append(float(rows[metric][0]) if len(rows) else 0.0)
        offset = 0.8 * ((shift + 0.5) / len(of_laws) - 0.5)
        axes.bar(
            [place + offset for place in range(len(spots))], heights, 0.8 / len(of_laws), color=COLOURS[law], label=law
        )
    axes.set_xticks(range(len(spots)), [f"{senders} at {gbps} Gb/s" for gbps, senders in spots])
    if metric.endswith("queue"):
        axes.set_yscale("log")
    axes.set_ylabel(label)
    frame(axes)


SEGMENT = "HPCC and PowerTCP have a segment in flight at least, and of 64 segments 45 wait"
REASONS: Mapping[str, str] = {
    "time": "RCP's ports offer an idle port whole to all who come, and then halve their rate in each interval until it "
    "is far too low: with `rcp_least_factor` of 0.9 instead of 0.5 it is 1.03 to 1.19 times. HPCC's slowest sender "
    "is last: with `hpcc_flows = 16` it is 1.10",
    "empty": SEGMENT + ". With packets of 300 B, of which 94 are on the way, it is 5 packets",
    "power": SEGMENT + ". At 100 Gb/s first windows of many bandwidth-delay products make its queue swing: with ten "
    "segments 16 senders hold 10.8 packets",
    "equal": "PowerTCP at 25 Gb/s: a window of a packet or two is no whole number of them. RCP as with its time: with "
    "a factor of 0.9 it is 0.89 to 0.97",
    "below": SEGMENT + ". RCP sends less, but swings: with a factor of 0.9 its queue is 15 packets",
    "loss": "RCP's rate falls to a hundredth of a packet in a round trip, and its timer expires before the "
    "next packet: with `rcp_least` of 0.1 instead of 0.01, or `min_rto` of 10 ms, no timer does",
}


claim = laws.expectation(REASONS)

experiment = Experiment(
    id="told/incast",
    title="16 and 64 answers at once through a port of 25 and of 100 Gb/s",
    source=Source(paper="ours; closed forms of each law's paper", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="request_ratio", label="time of a request over the least", form=".2f"),
        Metric(name="mean_ratio", label="mean time of an answer over the last's", form=".2f"),
        Metric(name="most_queue", label="longest queue (packets)", form=".0f"),
        Metric(name="late_queue", label="queue in the second half (packets)", form=".1f"),
        Metric(name="dropped", label="packets lost", form=".0f"),
        Metric(name="timeouts", label="timeouts", form=".1f"),
        Metric(name="unfinished", label="answers that did not end", form=".1f"),
    ),
    quick=Form(points=grid(law=LAWS, gbps=GBPS, senders=SENDERS), replications=1, note="one of five seeds"),
    full=Form(points=grid(law=LAWS, gbps=GBPS, senders=SENDERS), replications=5),
    claims=(
        claim(
            "first",
            "the longest queue of HPCC and PowerTCP is the first windows of all senders but one",
            "(N − 1) bandwidth-delay products",
            f"within {100 * FIRST:g} % everywhere; in shape: 40 %",
            near(FIRSTS, first, by=lambda place: FIRST * first(place), in_shape=lambda place: 0.4 * first(place)),
        ),
        claim(
            "time",
            "with each law that is told a request lasts hardly longer than its bytes at the rate of the port",
            "HPCC needs 1/0.95 and 3 % of headers",
            f"at most {LASTED:g} times, everywhere; in shape: {2 * LASTED - 1:g}",
            (
                at_most(
                    beside({law: most(along("request_ratio", law, ".2f")) for law in TOLD}),
                    LASTED,
                    in_shape=2 * LASTED - 1,
                )
            ),
        ),
        claim(
            "empty",
            "HPCC's queue is nearly empty in the second half of an answer",
            "no queue (hpcc-rest)",
            f"at most {NEAR_EMPTY:g} packets everywhere; in shape: a packet a sender",
            at_most(along("late_queue", HPCC), NEAR_EMPTY, in_shape=lambda place: place[1]),
        ),
        claim(
            "power",
            "PowerTCP's queue is then that of its closed form",
            "N β (powertcp-rest)",
            "within 25 % and 2 packets; in shape: 100 % and 5 packets",
            near(along("late_queue", POWER), rest, lambda place: 0.25 * rest(place) + 2, lambda place: rest(place) + 5),
        ),
        claim(
            "swift",
            "Swift's round trip is then its target",
            "swift-rest",
            "within 30 %; in shape: 60 %",
            near(TARGETED, 1, by=0.3, in_shape=0.6),
        ),
        claim(
            "equal",
            "with PowerTCP, RCP and XCP-CL all answers take the same time",
            "the mean over the last: 1",
            f"at least {EQUAL:g} everywhere; in shape: not less than CUBIC",
            (
                at_least(
                    EVEN.at(POWER, RCP, XCP_CL), EQUAL, in_shape=at_least(EVEN.at(POWER, RCP, XCP_CL), EVEN.at(CUBIC))
                ).telling(EVEN)
            ),
        ),
        claim(
            "below",
            "64 at 25 Gb/s: HPCC, PowerTCP and RCP send less than a packet in a round trip; with a segment at least "
            "a queue stands",
            "64 packets less a bandwidth-delay product wait with ABC, CUBIC and DCTCP",
            "nine tenths of that at least, and less with the three; in shape: more than with the three",
            (
                (below(HELD.at(*BELOW), 0.9 * KEPT) & at_least(HELD.at(*SMALLEST), 0.9 * KEPT)).in_shape(
                    below(most(HELD.at(*BELOW)), least(HELD.at(*SMALLEST)))
                )
            ),
        ),
        claim(
            "loss",
            "nobody who is told loses a packet or waits for a timer",
            "none",
            "none; in shape: no loss",
            (at_most(LOST, 0) & at_most(LATE, 0)).in_shape(at_most(LOST, 0)),
        ),
    ),
    plots=(
        Plot(name="longest", draw=partial(draw, "most_queue", "longest queue (packets)")),
        Plot(name="late", draw=partial(draw, "late_queue", "queue in the second half (packets)")),
        Plot(name="time", draw=partial(draw, "request_ratio", "time of a request over the least")),
    ),
    notes=(
        f"A star of links of 2 µs; {BUFFER_MB} MB at its ports. Each host answers with {BYTES // 1000} kB, within 2 µs "
        "of the others; three requests.",
        "HPCC, PowerTCP and θ-PowerTCP begin with a bandwidth-delay product, 19 packets at 25 Gb/s and 69 at 100. "
        "The others begin with ten.",
    ),
)
