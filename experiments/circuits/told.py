"""Senders and controllers that are told of a circuit late, now or ahead: whose is the circuit?

Our own study: nothing of it is published. The first five expectations, with their tolerances, were written before the
first run; those of the drained queue and of the room were written after trials that looked for their reasons.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, above, at_least, at_most, below, beside, least, most, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame

from . import _etalon as etalon
from ._etalon import FULL_WEEKS, LINUX, QUICK_WEEKS, RATIO, SEEDS, WEEK_MS, network, told, weeks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

ROUND_TRIP_US = 25
"""Between the hosts of the pair by the packet switch, with empty queues."""
LATE_US, DRAINED_US, NOW, AHEAD_US = -25, -14, 0, 25
"""A clock, or a schedule, that is a round trip late; so late that the circuit has drained 16 packets, which takes 14.4
µs; now; and a round trip ahead."""
LEADS_US = (LATE_US, DRAINED_US, NOW, AHEAD_US, 100, 250, 1250)
CLAIMED_US = (NOW, AHEAD_US, 250, 1250)
"""Those for which the first expectations were written: 0, 1, 10 and 50 round trips."""
SMALL, LARGE, GROWS = "16", "50", "16-50"
"""Packets that may wait at the pair's queue; the last has 50 from the lead before the day until its end."""
CIRCUIT_PER_PACKET = 8.0
POINTS = 5.0
MOST = 0.75
TOLD = ("retcp", "tdtcp", "xcp-cl")
COLOURS = {"xcp": "#999999", "retcp": "#E69F00", "tdtcp": "#009E73", "xcp-cl": "#0072B2"}
METRICS = (
    *etalon.METRICS,
    Metric(name="day_drops", label="packets lost in the circuit's day, a week", form=".1f"),
    Metric(name="other_drops", label="packets lost at other times, a week", form=".1f"),
)


def points(leads: Sequence[int], queues: Sequence[str]) -> tuple[Point, ...]:
    """Original XCP, which nobody tells, and the others with each lead."""
    alone: list[Point] = [{"law": "xcp", "queue": queue, "lead_us": NOW} for queue in queues if queue != GROWS]
    others: list[Point] = [
        {"law": law, "queue": queue, "lead_us": lead} for law in TOLD for queue in queues for lead in leads
    ]
    return (*alone, *others)


def setup(point: Point) -> Setup:
    """A law, told so long before each change of the pair's circuit, with one of the queues."""
    law, queue, lead_us = str(point["law"]), str(point["queue"]), int(point["lead_us"])
    places, *resized = queue.split("-")
    switching = {"resized_buffer": f"{resized[0]} packets", "lead": f"{max(lead_us, 0)} us"} if resized else {}
    hosts = {} if law.startswith("xcp") else LINUX
    made = network(int(places), {**hosts, "algorithm": law.split("-")[0]}, **switching)
    if law.startswith("xcp"):
        more: dict[str, Any] = {"link_defaults.xcp": controller(follows=law == "xcp-cl")}
        if law == "xcp-cl":
            # A week repeats: late is a week less that ahead.
            more["switching.xcp_lead"] = f"{lead_us if lead_us >= 0 else 1000 * WEEK_MS + lead_us:g} us"
        return Setup(scenario=made.scenario, settings={**made.settings, **more})
    late = lead_us < 0
    news = told("message" if late else "schedule", "day", **{"delay" if late else "lead": f"{abs(lead_us)} us"})
    return Setup(scenario=made.scenario, settings={**made.settings, **news})


def controller(*, follows: bool) -> str:
    """XCP's, which decides once in a round trip."""
    span = f'"{ROUND_TRIP_US} us"'
    return f"{{ interval = {span}, queue_interval = {span}, follows = {str(follows).lower()} }}"


def measure(result: RunResult) -> dict[str, float]:
    """Utilization, latencies and losses of one run."""
    found = {name: figure.value for name, figure in result.summary.items()}
    measured = 1000 * found["measured_time"] / WEEK_MS
    others = found["other_day_drops"] + found["night_drops"]
    return {**etalon.measure(result), "day_drops": found["day_drops"] / measured, "other_drops": others / measured}


def used(lead: int, queue: str = SMALL, metric: str = "utilization_percent") -> Values:
    """What each law uses of the circuit, told so long ahead."""
    return values(metric, "law", form=".1f", unit=" %", lead_us=lead, queue=queue)


def gains_ahead(law: str) -> Predicate:
    """A round trip ahead beside now."""
    now, ahead = (used(lead).at(law) for lead in (NOW, AHEAD_US))
    before, after = (used(lead, metric="p99_us").at(law).told(".0f", " µs") for lead in (NOW, AHEAD_US))
    more = above(ahead, now)
    return (more & at_most(after, before * (1 + RATIO))).in_shape(more).telling(now, before)


def along(law: str) -> Values:
    """What a law uses along the leads that the claims are about."""
    rows = values("utilization_percent", "lead_us", form=".1f", unit=" %", law=law, queue=SMALL)
    return rows.among(lambda lead: lead in CLAIMED_US)


LOST = (used(NOW).at(*TOLD) - used(LATE_US)).told("+.1f", " points")
BEST = beside({law: most(along(law)) for law in TOLD})
DRAINED, LATER = ((used(lead) - used(NOW)).at(*TOLD[:2]).told("+.1f", " points") for lead in (DRAINED_US, LATE_US))
ROOM = (used(AHEAD_US, GROWS) - used(LATE_US, GROWS)).at(*TOLD[:2]).told("+.1f", " points")


def of(outcome: Outcome, metric: str, law: str, lead: int, queue: str = SMALL) -> float:
    """A metric at one point."""
    is_it = (pl.col("law") == law) & (pl.col("lead_us") == lead) & (pl.col("queue") == queue)
    return float(outcome.table.filter(is_it)[metric][0])


def best(outcome: Outcome) -> list[str]:
    """For each queue the law that uses most of the circuit, and at what latency."""
    sentences = []
    for queue in (SMALL, GROWS, LARGE):
        rows = outcome.table.filter(pl.col("queue") == queue).sort("utilization_percent", descending=True)
        if not rows.is_empty():
            row = rows.row(0, named=True)
            sentences.append(
                f"With a queue of {queue} packets {row['law']}, told {row['lead_us']} µs ahead, uses most: "
                f"{row['utilization_percent']:.1f} % with a 99 % latency of {row['p99_us']:.0f} µs."
            )
    return sentences


def draw(queue: str, axes: Axes, table: pl.DataFrame) -> None:
    """Utilization against the 99 % latency, a line for each law along its leads."""
    for law, colour in COLOURS.items():
        rows = table.filter((table["law"] == law) & (table["queue"] == queue)).sort("lead_us")
        axes.plot(rows["p99_us"], rows["utilization_percent"], "o-", color=colour, label=law)
        for lead, x, y in zip(rows["lead_us"], rows["p99_us"], rows["utilization_percent"], strict=True):
            axes.annotate(f"{lead:+d}", (x, y), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.set_xlabel("99 % latency (µs)")
    axes.set_ylabel("utilization of the circuit (%)")
    axes.set_title(f"{queue.replace('-', ' to ')} packets; labels: told so many µs ahead", fontsize=9)
    axes.legend(frameon=False)
    frame(axes)


def draw_leads(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization against the lead, with a queue of 16 and one that grows."""
    for law in TOLD:
        for queue, style in ((SMALL, "o-"), (GROWS, "s--")):
            rows = table.filter((table["law"] == law) & (table["queue"] == queue)).sort("lead_us")
            axes.plot(rows["lead_us"], rows["utilization_percent"], style, color=COLOURS[law], label=f"{law}, {queue}")
    axes.set_xscale("symlog", linthresh=25)
    axes.set_xlabel("told so long before the circuit (µs)")
    axes.set_ylabel("utilization of the circuit (%)")
    axes.legend(frameon=False, fontsize=7)
    frame(axes)


EARLY = (
    "a window that opens before the day overflows the queue of 16 packets, and is cut again before the circuit comes. "
    "With a queue that grows with the news it is as expected: that was tried, and is a claim of its own"
)
REASONS: Mapping[str, str] = {
    "untold": "sixteen flows have a packet in flight at least: 16 times 72 kb in a round trip of 63 µs are 18 of 80 "
    "Gb/s. And 16 packets wait as the day begins, 8 % of it. With four flows it is 11.6 %",
    "ahead-retcp": EARLY,
    "ahead-tdtcp": EARLY,
    "late": "the windows of reTCP and TDTCP open when the circuit has drained the queue, and what they send finds room",
    "winner": "a controller gives out 0.4 of the spare capacity in a round trip, and a day is three of them. With all "
    "of it (alpha = 1), told 25 µs ahead, it is 66 % instead of 47; a shorter interval changes nothing. Told 100 µs "
    "ahead, which the claim leaves out, it is before reTCP told now",
}

experiment = Experiment(
    id="circuits/told",
    title="who deserves the circuit: reTCP, TDTCP and XCP-CL told late, now and up to 1.25 ms ahead, and XCP",
    source=Source(paper="ours; the network of Mukerjee et al., NSDI 2020", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points(LEADS_US[:-1], (SMALL, GROWS)),
        replications=1,
        settings=weeks(*QUICK_WEEKS),
        note="no queue of 50 packets, at most ten round trips ahead, 60 of 600 weeks, one of five seeds",
    ),
    full=Form(points=points(LEADS_US, (SMALL, GROWS, LARGE)), replications=SEEDS, settings=weeks(*FULL_WEEKS)),
    claims=(
        Claim(
            id="untold",
            text="XCP that nobody tells uses of the circuit what the packet switch carries",
            where="arithmetic: 10 of 80 Gb/s, and what waits as the day begins",
            expected=f"{100 / CIRCUIT_PER_PACKET:g} %",
            tolerance=f"at most {2 * POINTS:g} points more; in shape: less than anybody who is told",
            check=(
                at_most(
                    used(NOW).at("xcp"),
                    100 / CIRCUIT_PER_PACKET + 2 * POINTS,
                    below(used(NOW).at("xcp"), least(used(NOW).at(*TOLD))),
                )
            ),
            whose="ours",
            reason=REASONS.get("untold", ""),
        ),
        *(
            Claim(
                id=f"ahead-{law}",
                text=f"{law} that is told a round trip ahead uses more of the circuit at hardly more latency",
                where="ours",
                expected="more",
                tolerance=f"more, and the 99 % latency within {100 * RATIO:g} %; in shape: more",
                check=gains_ahead(law),
                whose="ours",
                reason=REASONS.get(f"ahead-{law}", ""),
            )
            for law in TOLD
        ),
        Claim(
            id="late",
            text="a clock that is a round trip late costs each of them utilization",
            where="ours",
            expected="less than told now",
            tolerance="with each; in shape: with one at least",
            check=above(LOST, 0, in_shape=above(most(LOST), 0)),
            whose="ours",
            reason=REASONS.get("late", ""),
        ),
        Claim(
            id="winner",
            text="XCP-CL, whose controller knows the capacity, fills the circuit best",
            where="ours",
            expected="XCP-CL before reTCP and TDTCP, each at its best lead",
            tolerance=f"the most; in shape: within {POINTS:g} points of the most",
            check=at_least(BEST.at("xcp-cl"), most(BEST), in_shape=most(BEST) - POINTS).telling(BEST),
            whose="ours",
            reason=REASONS.get("winner", ""),
        ),
        Claim(
            id="drained",
            text="what reTCP and TDTCP gain by being told late they gain while the circuit drains the queue",
            where="ours, after trials; arithmetic: 16 packets of 0.9 µs are 14.4 µs",
            expected=f"told {-DRAINED_US} µs late at least {MOST:g} of the gain of {-LATE_US} µs",
            tolerance="with both; in shape: more than told now",
            check=(at_least(DRAINED, LATER * MOST) & above(DRAINED, 0)).in_shape(above(DRAINED, 0)).telling(LATER),
            whose="ours",
        ),
        Claim(
            id="room",
            text="with a queue that grows with the news, told a round trip ahead is better than a round trip late",
            where="ours, after trials",
            expected="more",
            tolerance="with reTCP and with TDTCP; in shape: with one",
            check=above(ROOM, 0, in_shape=above(most(ROOM), 0)),
            whose="ours",
        ),
    ),
    describe=best,
    plots=(
        *(
            Plot(name=f"k{queue}", draw=partial(draw, queue), where=pl.col("queue") == queue)
            for queue in (SMALL, GROWS, LARGE)
        ),
        Plot(name="leads", draw=draw_leads),
    ),
    notes=(
        f"A round trip is {ROUND_TRIP_US} µs; the longest leads are 10 and 50 of them. Ahead and late are of both "
        "changes, as the circuit comes and as it goes.",
        "XCP's controllers stand at the rack's queues and decide once in a round trip, not once in a millisecond.",
        "Hosts of reTCP and TDTCP are Linux; XCP repairs losses by SACK.",
    ),
)
