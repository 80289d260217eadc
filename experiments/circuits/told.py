"""Senders and controllers that are told of a circuit now, late, or so many round trips ahead: whose is the circuit?

Our own study: nothing of it is published. The expectations and tolerances below were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame
from photocol.verdict import judge

from ._etalon import (
    FULL_WEEKS,
    LINUX,
    METRICS,
    QUICK_WEEKS,
    RATIO,
    SEEDS,
    WEEK_MS,
    measure,
    network,
    told,
    weeks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.verdict import Finding

ROUND_TRIP_US = 25
"""Between the hosts of the pair by the packet switch, with empty queues."""
NOW, AHEAD = 0, (1, 10, 50)
LATE = -1
"""A clock, or a schedule, that is a round trip late."""
LEADS = (LATE, NOW, *AHEAD)
PLACES = (16, 50)
CIRCUIT_PER_PACKET = 8.0
POINTS = 5.0
TOLD = ("retcp", "xcp-cl")
COLOURS = {"xcp": "#999999", "retcp": "#E69F00", "xcp-cl": "#0072B2"}


def points(leads: Sequence[int], places: Sequence[int]) -> tuple[Point, ...]:
    """Original XCP, which nobody tells, and the others with each lead."""
    alone: list[Point] = [{"law": "xcp", "places": place, "lead_rtt": NOW} for place in places]
    others: list[Point] = [
        {"law": law, "places": place, "lead_rtt": lead} for law in TOLD for place in places for lead in leads
    ]
    return (*alone, *others)


def setup(point: Point) -> Setup:
    """A law with a static queue, told so many round trips before each change of the pair's circuit."""
    law, lead_us = str(point["law"]), int(point["lead_rtt"]) * ROUND_TRIP_US
    places = int(point["places"])
    if law.startswith("xcp"):
        made = network(places, {"algorithm": "xcp"})
        more: dict[str, Any] = {"link_defaults.xcp": controller(follows=law == "xcp-cl")}
        if law == "xcp-cl":
            # A week repeats: late is a week less that ahead.
            more["switching.xcp_lead"] = f"{lead_us if lead_us >= 0 else 1000 * WEEK_MS + lead_us:g} us"
        return Setup(scenario=made.scenario, settings={**made.settings, **more})
    made = network(places, {**LINUX, "algorithm": law})
    late = lead_us < 0
    news = told("message" if late else "schedule", "day", **{"delay" if late else "lead": f"{abs(lead_us)} us"})
    return Setup(scenario=made.scenario, settings={**made.settings, **news})


def controller(*, follows: bool) -> str:
    """XCP's, which decides once in a round trip."""
    span = f'"{ROUND_TRIP_US} us"'
    return f"{{ interval = {span}, queue_interval = {span}, follows = {str(follows).lower()} }}"


def of(outcome: Outcome, metric: str, law: str, lead: int, places: int = PLACES[0]) -> float:
    """A metric at one point."""
    is_it = (pl.col("law") == law) & (pl.col("lead_rtt") == lead) & (pl.col("places") == places)
    return float(outcome.table.filter(is_it)[metric][0])


def check_untold(outcome: Outcome) -> Finding:
    """Original XCP."""
    found, expected = of(outcome, "utilization_percent", "xcp", NOW), 100 / CIRCUIT_PER_PACKET
    return judge(
        agrees=found <= expected + 2 * POINTS,
        in_shape=all(found < of(outcome, "utilization_percent", law, NOW) for law in TOLD),
        measured=f"{found:.1f} %",
    )


def check_ahead(law: str, outcome: Outcome) -> Finding:
    """A round trip ahead beside now."""
    now, ahead = (of(outcome, "utilization_percent", law, lead) for lead in (NOW, AHEAD[0]))
    before, after = (of(outcome, "p99_us", law, lead) for lead in (NOW, AHEAD[0]))
    return judge(
        agrees=ahead > now and after <= (1 + RATIO) * before,
        in_shape=ahead > now,
        measured=f"{now:.1f} and {ahead:.1f} %; 99 % latency {before:.0f} and {after:.0f} µs",
    )


def check_late(outcome: Outcome) -> Finding:
    """What an error of a round trip costs, late."""
    lost = {
        law: of(outcome, "utilization_percent", law, NOW) - of(outcome, "utilization_percent", law, LATE)
        for law in TOLD
    }
    return judge(
        agrees=all(value > 0 for value in lost.values()),
        in_shape=max(lost.values()) > 0,
        measured=", ".join(f"{law} {value:+.1f} points" for law, value in lost.items()),
    )


def check_winner(outcome: Outcome) -> Finding:
    """Most of the circuit among those told."""
    best = {law: max(of(outcome, "utilization_percent", law, lead) for lead in ran(outcome)) for law in TOLD}
    winner = max(best, key=best.__getitem__)
    return judge(
        agrees=winner == "xcp-cl",
        in_shape=winner == "xcp-cl" or best["xcp-cl"] >= best[winner] - POINTS,
        measured=", ".join(f"{law} {value:.1f} %" for law, value in best.items()),
    )


def ran(outcome: Outcome) -> list[int]:
    """The leads that were run, late ones left out."""
    return sorted({int(lead) for lead in outcome.table["lead_rtt"].to_list() if lead >= NOW})


def draw(places: int, axes: Axes, table: pl.DataFrame) -> None:
    """Utilization against the 99 % latency, a line for each law along its leads."""
    for law, colour in COLOURS.items():
        rows = table.filter((table["law"] == law) & (table["places"] == places)).sort("lead_rtt")
        axes.plot(rows["p99_us"], rows["utilization_percent"], "o-", color=colour, label=law)
        for lead, x, y in zip(rows["lead_rtt"], rows["p99_us"], rows["utilization_percent"], strict=True):
            axes.annotate(f"{lead:+d}", (x, y), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.set_xlabel("99 % latency (µs)")
    axes.set_ylabel("utilization of the circuit (%)")
    axes.set_title(f"{places} packets; labels: round trips ahead", fontsize=9)
    axes.legend(frameon=False)
    frame(axes)


EARLY = (
    "a window that opens before the day overflows the queue of 16 packets, and is cut again before the circuit comes"
)
REASONS: Mapping[str, str] = {
    "untold": "sixteen flows have a packet in flight at least: 16 times 72 kb in a round trip of 63 µs are 18 of 80 "
    "Gb/s. And 16 packets wait as the day begins, 8 % of it",
    "ahead-retcp": EARLY,
    "late": "the window of reTCP opens when the circuit has drained the queue, and what it sends finds room",
    "winner": "a day is three round trips by the circuit, in each of which a controller decides once: it comes too "
    "late for most of the day. reTCP's jump is made at once",
}

experiment = Experiment(
    id="circuits/told",
    title="who deserves the circuit: reTCP and XCP-CL told late, now and 1 to 50 round trips ahead, and XCP",
    source=Source(paper="ours; the network of Mukerjee et al., NSDI 2020", figures="none", section="none"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points((LATE, NOW, AHEAD[0], AHEAD[1]), PLACES[:1]),
        replications=1,
        settings=weeks(*QUICK_WEEKS),
        note="16 packets alone, at most ten round trips ahead, 60 of 600 weeks, one of five seeds",
    ),
    full=Form(points=points(LEADS, PLACES), replications=SEEDS, settings=weeks(*FULL_WEEKS)),
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
            expected="XCP-CL before reTCP, each at its best lead",
            tolerance=f"the most; in shape: within {POINTS:g} points of the most",
            check=check_winner,
            whose="ours",
            reason=REASONS.get("winner", ""),
        ),
    ),
    plots=tuple(
        Plot(name=f"k{places}", draw=partial(draw, places), where=pl.col("places") == places) for places in PLACES
    ),
    notes=(
        f"A round trip is {ROUND_TRIP_US} µs. Ahead and late are of both changes, as the circuit comes and as it goes.",
        "XCP's controllers stand at the rack's queues and decide once in a round trip, not once in a millisecond.",
        "Hosts of reTCP are Linux; XCP repairs losses by SACK.",
    ),
)
