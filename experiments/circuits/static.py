"""Static queues, CUBIC: how much of its circuit a pair of racks uses, and how long packets take, against K.

The expected values and tolerances below were written before the first run of this kind of switching.
"""

from __future__ import annotations

from photocol.claims import Predicate, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, UnderReadings, grid
from photocol.plot import Lines

from ._etalon import (
    FULL_WEEKS,
    LINUX,
    METRICS,
    QUICK_WEEKS,
    SEEDS,
    against,
    listed,
    measure,
    network,
    source,
    tolerance,
    weeks,
)

PLACES = (4, 8, 16, 32, 64, 128)
PUBLISHED = {
    "utilization_percent": (21.25, 31.09, 48.67, 76.74, 99.89, 99.91),
    "p50_us": (42, 69, 123, 236, 453, 884),
    "p99_us": (52, 81, 139, 254, 484, 943),
    "circuit_p50_us": (31, 32, 33, 34, 48, 286),
    "packet_p50_us": (42, 71, 127, 238, 461, 906),
}
HOSTS = {"linux": {**LINUX}, "default": {}}
"""The testbed's hosts are Linux; the default recovery stands beside it."""


FULL_QUEUE = (
    "a queue that is full takes K times 7.2 µs, and a packet behind it 12.2 µs more: at most 41 µs with K = 4, 70 with "
    "8 and 128 with 16 by packet switch. The testbed emulates its switch in software and has some 10 µs more"
)
REASONS = {
    "utilization_percent": "RACK repairs fast what a small queue loses: with recovery by SACK alone all six agree. The "
    "hosts' own delay counts too, and is not stated: at 3 µs instead of 1 µs RACK has 51.4 and 75.3 % with 16 and 32",
    "p50_us": "with K = 4 the median is that of a full queue, 4 µs less than the testbed's",
    "p99_us": FULL_QUEUE,
    "circuit_p50_us": "with 64 packets and more the median by circuit is that of the queue which the day finds: 12 to "
    "16 % shorter than the testbed's with 128, and a tenth longer with 64",
    "packet_p50_us": FULL_QUEUE,
}


def setup(point: Point) -> Setup:
    """K packets at the queue."""
    return network(int(point["places"]), HOSTS[str(point["hosts"])])


def check(metric: str, hosts: str = "linux") -> Predicate:
    """A metric against what is published, with the testbed's hosts unless said."""
    found = values(metric, "places", form=".1f", hosts=hosts)
    return against(metric, found, dict(zip(PLACES, PUBLISHED[metric], strict=True)))


def claim(metric: str, text: str, unit: str) -> Claim:
    """A row of the published table."""
    return Claim(
        id=metric.replace("_", "-"),
        text=text,
        where="§5; result log of February 2020",
        expected=f"{listed(PUBLISHED[metric], 'g')} {unit} with K = {listed(PLACES, 'g')}",
        tolerance=f"each within {tolerance(metric)}; in shape: it rises with K",
        check=check(metric),
        reason=REASONS[metric],
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim with the hosts that were run."""
    ran = [hosts for hosts in HOSTS if hosts in set(outcome.table["hosts"].to_list())]
    return [
        UnderReadings(
            claim=claim.text,
            where=claim.where,
            findings={hosts: check(metric, hosts)(outcome) for hosts in ran},
        )
        for metric, claim in zip(PUBLISHED, CLAIMS, strict=True)
    ]


UTILIZATION = Lines(
    "places",
    "utilization_percent",
    ("K, packets that may wait", "utilization of the circuit (%)"),
    by="hosts",
    of=list(HOSTS),
    expected={"published": dict(zip(PLACES, PUBLISHED["utilization_percent"], strict=True))},
    scales="2",
)


CLAIMS = (
    claim("utilization_percent", "a pair's circuit is used the more the larger its static queue", "%"),
    claim("p50_us", "the median latency of all packets grows with K", "µs"),
    claim("p99_us", "the 99 % latency of all packets grows with K", "µs"),
    claim("circuit_p50_us", "packets by circuit hardly wait up to 64 packets", "µs"),
    claim("packet_p50_us", "packets by packet switch wait for the queue", "µs"),
)

experiment = Experiment(
    id="circuits/static",
    title="utilization of a circuit and latency against the static queue of a rack pair, CUBIC",
    source=source("static buffers", "§5"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(hosts=("linux",), places=(4, 16, 64)),
        replications=1,
        settings=weeks(*QUICK_WEEKS),
        note="three of six K, 60 of 600 weeks, one of five seeds",
    ),
    full=Form(points=grid(hosts=tuple(HOSTS), places=PLACES), replications=SEEDS, settings=weeks(*FULL_WEEKS)),
    claims=CLAIMS,
    readings=side_by_side,
    plots=(Plot(name="utilization", draw=UTILIZATION),),
    notes=(
        "Latencies are from the rack's queue to the last bit at the other rack; the testbed's tap is at its switch.",
        "Time in the testbed runs 20 times slower, so Linux's minimum RTO of 200 ms is 10 ms of network time.",
    ),
)
