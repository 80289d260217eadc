"""reTCP with static queues and with queues resized ahead of the day: utilization and latency, and the abstract's trade.

The expected values and tolerances below were written before the first run of reTCP over racks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.claims import Predicate, Values, above, near, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, UnderReadings
from photocol.plot import Lines

from ._etalon import (
    FULL_WEEKS,
    LINUX,
    METRICS,
    QUICK_WEEKS,
    RATIO,
    SEEDS,
    against,
    listed,
    measure,
    network,
    source,
    told,
    tolerance,
    weeks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


PLACES = (4, 8, 16, 32, 64, 128)
LEADS_US = (0, 50, 100, 150, 200, 250, 300)
BASE, RESIZED, TRADED_US = 16, 50, 150
STATIC, AHEAD = "static", "resized"
PUBLISHED: Mapping[str, Mapping[str, Sequence[float]]] = {
    STATIC: {
        "utilization_percent": (23.97, 33.88, 52.66, 83.22, 99.82, 99.90),
        "p99_us": (52, 81, 139, 254, 484, 945),
    },
    AHEAD: {
        "utilization_percent": (79.70, 87.27, 91.09, 92.72, 93.88, 92.77, 93.26),
        "p50_us": (122, 114, 114, 121, 122, 116, 116),
        "p99_us": (139, 139, 139, 147, 177, 199, 237),
    },
}
AXES = {STATIC: ("K", PLACES, "packets"), AHEAD: ("a lead", LEADS_US, "µs")}
TRADE = (1.91, 1.20)
"""Utilization and latency of reTCP with a lead of 150 µs over those of CUBIC with 16 static packets. The latencies are
its 99 % one, 147 µs, and CUBIC's median, 123 µs."""
MARK, MESSAGE, SACK = "mark", "message", "mark-sack"
WAYS: Mapping[str, tuple[Mapping[str, Any], str, Mapping[str, str]]] = {
    MARK: (LINUX, "mark", {}),
    MESSAGE: (LINUX, "message", {"delay": "1 us"}),
    SACK: ({}, "mark", {}),
}
"""Readings: the hosts, and how they are told. Data that leave in the day are marked and ACKs echo it, or the sender's
rack marks ACKs that pass, as a message does. Hosts are the testbed's, or repair losses by SACK alone."""
FULL_QUEUE = (
    "a full queue of K packets and the one behind it take 7.2 µs each and the way 5 µs; the testbed has 10 µs more"
)
REASONS: Mapping[str, str] = {
    "trade": "CUBIC has more than in the testbed and reTCP less; a full queue of 16 packets takes 127 µs, there 139",
    "static utilization_percent": "RACK repairs at once what a doubled window loses in a small queue. With SACK alone "
    "it is 27.6, 39.1, 59.0, 81.6, 98.5 and 100 %, at most 6.3 points off",
    "static p99_us": FULL_QUEUE,
    "resized utilization_percent": "at most 6.2 points less. A message, which waits for no ACK, makes it 94 to 98 %, "
    "SACK alone 58 to 68: the testbed lies between",
    "resized p99_us": FULL_QUEUE + ", and up to 36 µs with long leads",
}


def points(ways: Sequence[str], places: Sequence[int], leads: Sequence[int]) -> tuple[Point, ...]:
    """CUBIC with 16 packets, and reTCP with each K and each lead, under each reading."""
    cases = [("cubic", STATIC, BASE)]
    cases += [("retcp", STATIC, value) for value in places] + [("retcp", AHEAD, value) for value in leads]
    return tuple(
        {"law": law, "told": way, "queue": queue, "value": value} for way in ways for law, queue, value in cases
    )


def setup(point: Point) -> Setup:
    """A static queue of K packets, or 16, and 50 from the lead before the day until its end."""
    value, is_static = int(point["value"]), point["queue"] == STATIC
    hosts, way, more = WAYS[str(point["told"])]
    resized = {} if is_static else {"resized_buffer": f"{RESIZED} packets", "lead": f"{value} us"}
    made = network(value if is_static else BASE, {**hosts, "algorithm": str(point["law"])}, **resized)
    if point["law"] == "cubic":
        return made
    news = told(way, "day" if is_static else "resize", **more)
    return Setup(scenario=made.scenario, settings={**made.settings, **news})


def check(queue: str, metric: str, way: str = "mark") -> Predicate:
    """A metric against what is published."""
    found = values(metric, "value", form=".1f", law="retcp", told=way, queue=queue)
    return against(metric, found, dict(zip(AXES[queue][1], PUBLISHED[queue][metric], strict=True)))


def traded(metric: str, way: str, name: str = "") -> Values:
    """The metric of reTCP, resized ahead, over CUBIC's with a static queue."""
    after = values(metric, law="retcp", queue=AHEAD, told=way, value=TRADED_US)
    return (after / before(name or metric, way)).told(".2f", " times")


def before(metric: str, way: str) -> Values:
    """A metric of CUBIC."""
    return values(metric, law="cubic", queue=STATIC, told=way, value=BASE)


def trade(way: str = "mark") -> Predicate:
    """Both ratios of the abstract."""
    used, longer = traded("utilization_percent", way), traded("p99_us", way, "p50_us")
    both = near(used, TRADE[0], by=RATIO * TRADE[0]) & near(longer, TRADE[1], by=RATIO * TRADE[1])
    tail = traded("p99_us", way).told(".2f", " times", "99 % to 99 %:")
    return both.in_shape(above(used, longer)).telling(tail)


def claim(queue: str, metric: str, text: str, unit: str) -> Claim:
    """A row of the published tables."""
    name, axis, of = AXES[queue]
    return Claim(
        id=f"{queue}-{metric.replace('_', '-')}",
        text=text,
        where="§5; result log of February 2020",
        expected=f"{listed(PUBLISHED[queue][metric], 'g')} {unit} with {name} of {listed(axis, 'g')} {of}",
        tolerance=f"each within {tolerance(metric)}; in shape: it rises",
        check=check(queue, metric),
        reason=REASONS.get(f"{queue} {metric}", ""),
    )


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim by each way to tell senders that was run."""
    ran = [way for way in WAYS if way in set(outcome.table["told"].to_list())]
    checks = [(queue, metric) for queue, metrics in PUBLISHED.items() for metric in metrics]
    rows = [
        UnderReadings(
            claim=each.text,
            where=each.where,
            findings={way: check(queue, metric, way)(outcome) for way in ran},
        )
        for (queue, metric), each in zip(checks, CLAIMS[1:], strict=True)
    ]
    both = UnderReadings(
        claim=CLAIMS[0].text, where=CLAIMS[0].where, findings={way: trade(way)(outcome) for way in ran}
    )
    return [both, *rows]


def picture(queue: str) -> Lines:
    """Utilization against K or the lead."""
    axis = "K, packets that may wait" if queue == STATIC else "resized before the day (µs)"
    return Lines(
        "value",
        "utilization_percent",
        (axis, "utilization of the circuit (%)"),
        by="told",
        of=list(WAYS),
        where={"law": "retcp", "queue": queue},
        expected={"published": dict(zip(AXES[queue][1], PUBLISHED[queue]["utilization_percent"], strict=True))},
        scales="2" if queue == STATIC else "",
    )


CLAIMS = (
    Claim(
        id="trade",
        text="reTCP with a queue resized 150 µs ahead uses 1.91 times as much of the circuit as CUBIC with 16 packets, "
        "for 1.20 times the latency",
        where="abstract; calcs of the result log: 92.72 over 48.67 %, 147 over 123 µs",
        expected=f"{TRADE[0]} times and {TRADE[1]:.2f} times",
        tolerance=f"each within {100 * RATIO:g} %; in shape: the first is larger than the second",
        check=trade(),
        reason=REASONS.get("trade", ""),
    ),
    claim(STATIC, "utilization_percent", "with static queues reTCP uses the circuit the more the larger they are", "%"),
    claim(STATIC, "p99_us", "with static queues the 99 % latency is that of the queue", "µs"),
    claim(AHEAD, "utilization_percent", "with a queue resized ahead reTCP fills the circuit at once", "%"),
    claim(AHEAD, "p50_us", "the median latency does not grow with the lead", "µs"),
    claim(AHEAD, "p99_us", "the 99 % latency grows beyond 100 µs of lead", "µs"),
)

experiment = Experiment(
    id="circuits/retcp",
    title="utilization of a circuit and latency with reTCP, static queues and queues resized ahead of the day",
    source=source("reTCP", "§4–5"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points((MARK,), (4, 16, 64), (0, 150, 300)),
        replications=1,
        settings=weeks(*QUICK_WEEKS),
        note="three of six K, three of seven leads, marks alone, 60 of 600 weeks, one of five seeds",
    ),
    full=Form(points=points(tuple(WAYS), PLACES, LEADS_US), replications=SEEDS, settings=weeks(*FULL_WEEKS)),
    claims=CLAIMS,
    readings=side_by_side,
    plots=tuple(Plot(name=queue, draw=picture(queue)) for queue in AXES),
    notes=(
        "With static queues senders are told of the day, with resized ones of the resizing.",
        "mark: data that leave then are marked, and ACKs echo it. message: the rack tells the sender itself, 1 µs "
        "later, as if it marked all ACKs that pass. mark-sack: as mark, with hosts that repair losses by SACK alone.",
    ),
)
