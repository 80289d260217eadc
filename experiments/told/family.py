"""Nine laws and two of reference over one bottleneck: at rest, as flows join, and as the capacity halves and doubles.

The expected values are the closed forms of the laws at rest; they and the tolerances were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, Values, above, at_least, at_most, below, beside, most, near, values
from photocol.experiment import Experiment, Form, Metric, Plot, Setup, Source
from photocol.plot import frame

from . import _laws as laws
from ._course import BOTTLENECK, DOUBLE_MS, END_MS, HALF_MS, JOIN_MS, REST_MS, SAMPLE_MS, course, measure
from ._laws import ABC, COLOURS, COPA, FAMILY, HPCC, LAWS, POWER, RCP, SWIFT, THETA, XCP, XCP_CL, at_rest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Point

PATH = laws.Path(gbps=10.0, rtt_us=106.0)
BUFFER = 4000
FEW, SOME, MANY = 2, 16, 64
FLOWS, CROWDS = (FEW, SOME, MANY), (256, 1000)
QUEUE_PART, POINTS, LEAST_JAIN = 0.25, 2.0, 0.95
DOUBLED_MS = {XCP_CL: 0.8, RCP: 0.8, POWER: 0.6, HPCC: 1.2}
"""XCP and RCP give out 0.4 of the spare capacity in a round trip, 90 % of the double in 3.2 of them; PowerTCP needs
two or three; HPCC adds for five, then jumps. With a round trip until the first news, and a sample more."""


def points(of_laws: Sequence[str], flows: Sequence[int], crowds: Sequence[int]) -> tuple[Point, ...]:
    """Each law with each number of flows, and crowds for Swift alone."""
    some: list[Point] = [{"law": law, "flows": count} for law in of_laws for count in flows]
    crowd: list[Point] = [{"law": SWIFT, "flows": count} for count in crowds]
    return (*some, *crowd)


def setup(point: Point) -> Setup:
    """A dumbbell whose bottleneck halves and doubles."""
    law, flows = str(point["law"]), int(point["flows"])
    first = {"initial_window": 1} if flows in CROWDS else {}
    groups = [("first", range(flows // 2), 0.0), ("others", range(flows // 2, flows), JOIN_MS)]
    probed = {} if flows in CROWDS else {"flows": "all"}
    return Setup(
        scenario={
            "run": {"duration": f"{END_MS:g} ms", "warm_up": f"{REST_MS:g} ms"},
            "topology": {
                "kind": "dumbbell",
                "pairs": flows,
                "bottleneck_capacity": f"{PATH.gbps:g} Gbps",
                "bottleneck_delay": "50 us",
                "bottleneck_buffer": f"{BUFFER} packets",
                "access_capacity": f"{4 * PATH.gbps:g} Gbps",
                "access_delay": "1 us",
                "access_buffer": "unlimited",
            },
            "link": [{"from": "left", "to": "right", "duplex": False, **laws.port(law, PATH)}],
            "transport": {"law": laws.transport(law, PATH) | first},
            "traffic": [
                {
                    "name": name,
                    "transport": "law",
                    "pairs": [[f"l{i}", f"r{i}"] for i in members],
                    "start": f"{start_ms:g} ms",
                    "spread": "1 ms",
                }
                for name, members, start_ms in groups
            ],
            "event": [
                {"at": f"{HALF_MS:g} ms", "link": BOTTLENECK, "capacity": f"{PATH.gbps / 2:g} Gbps"},
                {"at": f"{DOUBLE_MS:g} ms", "link": BOTTLENECK, "capacity": f"{PATH.gbps:g} Gbps"},
            ],
            "probe": {"interval": f"{SAMPLE_MS} ms", "links": [BOTTLENECK], **probed},
        }
    )


def swift_us(flows: int) -> float:
    """Swift's round trip by its closed form."""
    return PATH.rtt_us + PATH.queue_us(at_rest(SWIFT, PATH, flows)["queue"])


def targeted(crowds: bool) -> Predicate:
    """Swift's round trip with few flows or crowds beside its target."""
    queue = values("queue_packets", "flows", law=SWIFT).among(lambda flows: (flows in CROWDS) == crowds)
    found = queue.each(lambda packets: PATH.rtt_us + PATH.queue_us(packets)).told(".0f", " µs")
    return near(found, swift_us, lambda flows: 0.15 * swift_us(flows), lambda flows: 0.5 * swift_us(flows))


def at_rest_now(metric: str, law: str) -> Values:
    """A metric by the number of flows that every law was run with."""
    return values(metric, "flows", form=".1f", law=law).among(lambda flows: flows not in CROWDS)


def holds_closed_form(law: str) -> Predicate:
    """The queue at rest beside the closed form."""
    found, part = at_rest_now("queue_packets", law), 0.4 if law == COPA else QUEUE_PART

    def model(flows: int) -> float:
        return at_rest(law, PATH, flows)["queue"]

    shape = near(found, model, by=lambda flows: 2 * part * model(flows) + 5)
    return near(found, model, lambda flows: part * model(flows) + 1).in_shape(
        shape & at_most(found, lambda flows: 2 * model(flows) + 5)
    )


JOINED, MOST, REST = (
    values(metric, "law", form=".0f", unit=unit, flows=SOME)
    for metric, unit in (("join_ms", " ms"), ("half_most", " packets"), ("queue_packets", " packets"))
)
TOLD, MORE = (XCP_CL, HPCC, POWER, RCP), MOST.at(XCP, XCP_CL, HPCC, POWER, RCP) - REST


EVEN = beside({law: at_rest_now("jain", law).told(".2f") for law in FAMILY})


def draw_rest(axes: Axes, table: pl.DataFrame) -> None:
    """The queue at rest against the number of flows; dashed: closed forms."""
    for law, colour in COLOURS.items():
        rows = table.filter((pl.col("law") == law) & (pl.col("flows") <= MANY)).sort("flows")
        if rows.is_empty():
            continue
        axes.plot(rows["flows"], rows["queue_packets"] + 0.1, "o-", color=colour, label=law, markersize=4)
        if law in (POWER, THETA, SWIFT, ABC, COPA):
            model = [at_rest(law, PATH, count)["queue"] + 0.1 for count in rows["flows"]]
            axes.plot(rows["flows"], model, "--", color=colour, linewidth=0.9)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("flows")
    axes.set_ylabel("queue at rest (packets, and 0.1)")
    frame(axes)


def draw_course(column: str, axes: Axes, curves: pl.DataFrame) -> None:
    """A column over the two steps with 16 flows."""
    for law in (XCP_CL, HPCC, POWER, SWIFT, RCP, ABC, COPA):
        rows = curves.filter((pl.col("law") == law) & (pl.col("flows") == SOME)).sort("t_ms")
        rows = rows.filter(pl.col("t_ms").is_between(HALF_MS - 2, DOUBLE_MS + 6))
        axes.plot(rows["t_ms"], rows[column], color=COLOURS[law], label=law, linewidth=0.9)
    axes.set_xlabel("time (ms)")
    axes.set_ylabel("packets that wait" if column == "queue" else "part of the capacity that is used")
    frame(axes)


REASONS: Mapping[str, str] = {
    f"rest-{POWER}": "with 64 flows, whose windows are few packets, the queue swings at γ = 0.9; with 0.5 it is 78 "
    "packets and the flows are equal. Packets of 500 B or first windows of one segment change nothing",
    f"rest-{THETA}": "undisturbed it rests: with ten segments and no step 16 flows hold 15.6 packets. After a start at "
    "a bandwidth-delay product, or after the halving, the queue swings over more than a thousand packets for good",
    f"rest-{COPA}": "who starts while a queue stands takes it for the empty path. Where all start at once with a "
    "segment 16 flows hold 34.6 packets and 64 hold 133, with a Jain's index of 1.00 and 0.98",
    "rest-crowd": "windows below a segment move by whole segments (`swift_ai`). With packets of 300 B 256 flows, a "
    "window of 2 packets, use 100 % and are equal; with packets of 1500 B 87 %",
    f"rest-{XCP_CL}": "a window of few packets is no whole number of them: with packets of 500 B 64 flows use 99.6 % "
    "and 3.6 wait",
    "fair": "HPCC's difference shrinks by 0.8 % in a round trip, and with `hpcc_flows = 16` instead of 100 the "
    "index is 1.00. Copa and θ-PowerTCP as above: where nobody disturbs them both have 1.00 with 16 flows",
    "join": "who joins begins with a bandwidth-delay product each; with ten segments PowerTCP needs 1 ms",
    "half": "XCP goes on giving out: 3896 packets wait after 160 ms. PowerTCP's queue overshoots where hosts send four "
    "times faster than the bottleneck: with links of hosts at 10 Gb/s it is 45 packets at most. Told a round "
    "trip ahead it is 16, HPCC's 3",
}
LATER: Mapping[str, str] = {
    POWER: "the queue holds β for each flow (powertcp-rest)",
    THETA: "the queue holds a segment for each flow (powertcp-rest with β of a segment)",
    ABC: "the queue takes back what its flows add (abc-rest)",
    COPA: "the queue holds 1.25/δ packets for each flow in the mean (copa-rest)",
}

rest = laws.expectation(REASONS, where="closed form")
step = laws.expectation(REASONS)

experiment = Experiment(
    id="told/family",
    title="nine laws that are told of a bottleneck, or time it: at rest, joined by others, halved and doubled",
    source=Source(paper="ours; closed forms of each law's paper", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="used_percent", label="utilization at rest (%)", form=".1f"),
        Metric(name="queue_packets", label="queue at rest (packets)", form=".1f"),
        Metric(name="jain", label="Jain's index at rest", form=".3f"),
        Metric(name="join_ms", label="until joined flows are equal (ms)", form=".0f"),
        Metric(name="half_most", label="longest queue as the capacity halves (packets)", form=".0f"),
        Metric(name="half_ms", label="until it is back (ms)", form=".1f"),
        Metric(name="half_used_percent", label="utilization of the half (%)", form=".1f"),
        Metric(name="double_ms", label="until 90 % of the double are used (ms)", form=".1f"),
    ),
    curves=course,
    quick=Form(points=points(LAWS, FLOWS[1:], CROWDS[:1]), replications=1, note="no two flows, no 1000, one seed"),
    full=Form(points=points(LAWS, FLOWS, CROWDS), replications=5),
    claims=(
        rest(
            f"rest-{HPCC}",
            "HPCC loads the link by η and what its additive increase adds, with a nearly empty queue",
            "hpcc-rest: 95.1, 95.8 and 98.2 % with 2, 16 and 64 flows; no queue",
            f"within {POINTS:g} points and 3 packets; in shape: {2 * POINTS:g} and 10",
            (
                near(
                    at_rest_now("used_percent", HPCC),
                    lambda n: at_rest(HPCC, PATH, n)["used"],
                    by=POINTS,
                    in_shape=2 * POINTS,
                )
                & at_most(at_rest_now("queue_packets", HPCC), 3, in_shape=10)
            ),
        ),
        *(
            rest(
                f"rest-{law}",
                text,
                "the closed form at each number of flows",
                f"within {100 * (0.4 if law == COPA else QUEUE_PART):g} % and a packet; "
                "in shape: twice that and 5 packets",
                holds_closed_form(law),
            )
            for law, text in LATER.items()
        ),
        rest(
            f"rest-{SWIFT}",
            "Swift holds the target of its window, with windows above a segment",
            "swift-rest: the round trip with 2, 16 and 64 flows",
            "within 15 %; in shape: 50 %",
            targeted(False),
        ),
        rest(
            "rest-crowd",
            "Swift holds it with windows below a segment",
            "swift-rest: the round trip with 256 and 1000 flows",
            "within 15 %; in shape: 50 %",
            targeted(True),
        ),
        *(
            rest(
                f"rest-{law}",
                f"{law} fills the link with next to no queue",
                "100 %, no queue",
                "at least 96 % and at most 5 packets; in shape: 90 % and 20 packets",
                (
                    at_least(at_rest_now("used_percent", law), 96, in_shape=90)
                    & at_most(at_rest_now("queue_packets", law), 5, in_shape=20)
                ),
            )
            for law in (XCP_CL, RCP)
        ),
        step(
            "fair",
            "flows of each of the nine are equal at rest, 10 ms after half of them have come",
            "Jain's index of 1",
            f"at least {LEAST_JAIN:g}; in shape: 0.8",
            at_least(EVEN, LEAST_JAIN, in_shape=0.8),
        ),
        step(
            "join",
            "16 flows of PowerTCP and RCP are equal within 2 ms, and HPCC's take longer",
            "τ/γ is 0.12 ms, RCP's interval 0.11 ms; HPCC's difference shrinks by η/U = 0.992 in a round trip",
            "at most 2 ms, and HPCC at least five times PowerTCP's; in shape: HPCC longer than both",
            (
                (at_most(JOINED.at(POWER, RCP), 2) & at_least(JOINED.at(HPCC), JOINED.at(POWER) * 5)).in_shape(
                    above(JOINED.at(HPCC), most(JOINED.at(POWER, RCP)))
                )
            ),
        ),
        step(
            "half",
            "who is told of the half builds less than a bandwidth-delay product; XCP that is not fills the buffer",
            f"at most {PATH.bdp_packets:.0f} packets beyond those at rest; ten times as many",
            "so for XCP-CL, HPCC, PowerTCP and RCP; in shape: XCP more than twice each of them",
            (
                (at_most(MORE.at(*TOLD), PATH.bdp_packets) & at_least(MORE.at(XCP), 10 * PATH.bdp_packets)).in_shape(
                    below(most(MORE.at(*TOLD)) * 2, MORE.at(XCP))
                )
            ),
        ),
        step(
            "double",
            "90 % of the double are used after the round trips that each law's arithmetic gives",
            ", ".join(f"{law} {most:g} ms" for law, most in DOUBLED_MS.items()),
            "at most that; in shape: twice",
            (
                at_most(
                    values("double_ms", "law", form=".1f", unit=" ms", flows=SOME).at(*DOUBLED_MS),
                    lambda law: DOUBLED_MS[law] + 1e-9,
                    in_shape=lambda law: 2 * DOUBLED_MS[law],
                )
            ),
        ),
    ),
    plots=(
        Plot(name="rest", draw=draw_rest),
        Plot(name="queue", draw=partial(draw_course, "queue"), of="curves"),
        Plot(name="used", draw=partial(draw_course, "used"), of="curves"),
    ),
    notes=(
        f"{PATH.gbps:g} Gb/s, an empty round trip of {PATH.rtt_us:g} µs, {PATH.bdp_packets:.0f} packets on the way; "
        f"{BUFFER} packets of buffer.",
        "XCP goes on believing the first capacity, XCP-CL follows it. CUBIC and DCTCP are references.",
        "Half of the flows start at 0, the others at 20 ms, each within 1 ms. The capacity "
        "halves at 40 ms, and is whole again at 60 ms.",
    ),
)
