"""Senders and controllers that are told of a circuit late, now or ahead: whose is the circuit?

Our own study: nothing of it is published. The first five expectations, with their tolerances, were written before the
first run; those of the drained queue and of the room were written after trials that looked for their reasons.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame
from photocol.verdict import judge

from . import _etalon as etalon
from ._etalon import FULL_WEEKS, LINUX, QUICK_WEEKS, RATIO, SEEDS, WEEK_MS, network, told, weeks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult
    from photocol.verdict import Finding

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


def of(outcome: Outcome, metric: str, law: str, lead: int, queue: str = SMALL) -> float:
    """A metric at one point."""
    is_it = (pl.col("law") == law) & (pl.col("lead_us") == lead) & (pl.col("queue") == queue)
    return float(outcome.table.filter(is_it)[metric][0])


def used(outcome: Outcome, law: str, lead: int, queue: str = SMALL) -> float:
    """Utilization at one point."""
    return of(outcome, "utilization_percent", law, lead, queue)


def check_untold(outcome: Outcome) -> Finding:
    """Original XCP."""
    found, expected = used(outcome, "xcp", NOW), 100 / CIRCUIT_PER_PACKET
    return judge(
        agrees=found <= expected + 2 * POINTS,
        in_shape=all(found < used(outcome, law, NOW) for law in TOLD),
        measured=f"{found:.1f} %",
    )


def check_ahead(law: str, outcome: Outcome) -> Finding:
    """A round trip ahead beside now."""
    now, ahead = (used(outcome, law, lead) for lead in (NOW, AHEAD_US))
    before, after = (of(outcome, "p99_us", law, lead) for lead in (NOW, AHEAD_US))
    return judge(
        agrees=ahead > now and after <= (1 + RATIO) * before,
        in_shape=ahead > now,
        measured=f"{now:.1f} and {ahead:.1f} %; 99 % latency {before:.0f} and {after:.0f} µs",
    )


def check_late(outcome: Outcome) -> Finding:
    """What an error of a round trip costs, late."""
    lost = {law: used(outcome, law, NOW) - used(outcome, law, LATE_US) for law in TOLD}
    return judge(
        agrees=all(value > 0 for value in lost.values()),
        in_shape=max(lost.values()) > 0,
        measured=", ".join(f"{law} {value:+.1f} points" for law, value in lost.items()),
    )


def check_winner(outcome: Outcome) -> Finding:
    """Most of the circuit among those told."""
    leads = [lead for lead in ran(outcome) if lead in CLAIMED_US]
    best = {law: max(used(outcome, law, lead) for lead in leads) for law in TOLD}
    winner = max(best, key=best.__getitem__)
    return judge(
        agrees=winner == "xcp-cl",
        in_shape=winner == "xcp-cl" or best["xcp-cl"] >= best[winner] - POINTS,
        measured=", ".join(f"{law} {value:.1f} %" for law, value in best.items()),
    )


def check_drained(outcome: Outcome) -> Finding:
    """How much of what a late message gains it gains while the circuit drains the queue."""
    rows = {law: [used(outcome, law, lead) for lead in (NOW, DRAINED_US, LATE_US)] for law in TOLD[:2]}
    gains = [drained - now >= MOST * (late - now) and drained > now for now, drained, late in rows.values()]
    return judge(
        agrees=all(gains),
        in_shape=all(drained > now for now, drained, _ in rows.values()),
        measured="; ".join(
            f"{law} {now:.1f}, {drained:.1f} and {late:.1f} %" for law, (now, drained, late) in rows.items()
        ),
    )


def check_room(outcome: Outcome) -> Finding:
    """A round trip ahead beside a round trip late, where the queue grows with the news."""
    rows = {law: [used(outcome, law, lead, GROWS) for lead in (LATE_US, AHEAD_US)] for law in TOLD[:2]}
    gains = [ahead > late for late, ahead in rows.values()]
    return judge(
        agrees=all(gains),
        in_shape=any(gains),
        measured="; ".join(f"{law} {late:.1f} and {ahead:.1f} %" for law, (late, ahead) in rows.items()),
    )


def ran(outcome: Outcome) -> list[int]:
    """The leads that were run."""
    return sorted({int(lead) for lead in outcome.table["lead_us"].to_list()})


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
            check=check_untold,
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
                check=partial(check_ahead, law),
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
            check=check_late,
            whose="ours",
            reason=REASONS.get("late", ""),
        ),
        Claim(
            id="winner",
            text="XCP-CL, whose controller knows the capacity, fills the circuit best",
            where="ours",
            expected="XCP-CL before reTCP and TDTCP, each at its best lead",
            tolerance=f"the most; in shape: within {POINTS:g} points of the most",
            check=check_winner,
            whose="ours",
            reason=REASONS.get("winner", ""),
        ),
        Claim(
            id="drained",
            text="what reTCP and TDTCP gain by being told late they gain while the circuit drains the queue",
            where="ours, after trials; arithmetic: 16 packets of 0.9 µs are 14.4 µs",
            expected=f"told {-DRAINED_US} µs late at least {MOST:g} of the gain of {-LATE_US} µs",
            tolerance="with both; in shape: more than told now",
            check=check_drained,
            whose="ours",
        ),
        Claim(
            id="room",
            text="with a queue that grows with the news, told a round trip ahead is better than a round trip late",
            where="ours, after trials",
            expected="more",
            tolerance="with reTCP and with TDTCP; in shape: with one",
            check=check_room,
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
