"""Laws that are told of a schedule now or ahead: granted slots, a circuit's day, a rotor's slices, and whole networks.

Links with phases tell their next capacity to whoever looks ahead. Whole networks of slots, circuits and rotors write no
telemetry: there XCP-CL is told by their own means, and the others time their round trips. The expected values and
tolerances were written before the first run, but those of the steps, after trials.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import (
    MOSTLY,
    SOMEWHERE,
    Predicate,
    Values,
    above,
    at_least,
    at_most,
    below,
    everywhere,
    most,
    near,
    values,
)
from photocol.experiment import Experiment, Form, Metric, Plot, Setup, Source
from photocol.plot import frame
from photocol.verdict import Finding, judge

from . import _laws as laws
from . import _schedules as schedules
from ._laws import (
    ABC,
    BY_DELAY,
    COLOURS,
    CUBIC,
    DCTCP,
    HPCC,
    POWER,
    RCP,
    SWIFT,
    THETA,
    XCP,
    XCP_CL,
    ran,
)
from ._schedules import CIRCUIT, PATHS, PHASED, RACKS, RACKS_RTT_US, ROTOR, SLICES, SLOTS, STAR, STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point, RunResult

LOOK = (XCP_CL, HPCC, POWER, RCP)
"""Laws that can look ahead."""
NOW, LEADS = 0, (0, 1, 6)
"""Round trips before a change; HPCC adds for five before it jumps."""
UNTOLD = (*BY_DELAY, CUBIC, DCTCP)
LINKS = (*PHASED, STEPS)
PUBLISHED_PERCENT, POINTS = 85.0, 5.0
LEAST, HALF = 1.0, 0.5


def points(networks: Sequence[str], leads: Sequence[int]) -> tuple[Point, ...]:
    """Each law now, and those that can ahead."""
    found: list[Point] = []
    for network in networks:
        for law in laws_of(network):
            told = (NOW,) if law not in LOOK else leads if network in LINKS else leads[:2]
            found += [{"network": network, "law": law, "lead": lead} for lead in told]
    return tuple(found)


def settings(form: str) -> dict[str, Any]:
    """How long a form runs; the first quarter is not measured."""
    lasts = schedules.RUN_MS[form]
    return {"run.duration": f"{lasts} ms", "run.warm_up": f"{lasts // 4} ms"}


def laws_of(network: str) -> tuple[str, ...]:
    """Who can be run there."""
    if network in LINKS:
        return (XCP, *LOOK, ABC, *UNTOLD)
    marking = () if network == STAR else (DCTCP,)
    told = {STAR: (XCP, XCP_CL), RACKS: (XCP, *LOOK), ROTOR: ()}[network]
    return (*told, *BY_DELAY, CUBIC, *marking)


def setup(point: Point) -> Setup:
    """A law in a network, told so many round trips ahead."""
    network, law = str(point["network"]), str(point["law"])
    if network in LINKS:
        return schedules.phased(network, law, int(point["lead"]) * PATHS[network].rtt_us)
    rtt_us = RACKS_RTT_US if network == RACKS else schedules.STAR_PATH.rtt_us
    return schedules.whole(network, law, int(point["lead"]) * rtt_us)


def measure(result: RunResult) -> Mapping[str, float]:
    """The part of the schedule that is used, and the queue."""
    network = str(result.manifest["name"])
    found = (schedules.over_phases if network in LINKS else schedules.over_whole)(result, network)
    return {**found, "timeouts": float(result.summary["timeouts"].value)}


def over(law: str, lead: int = NOW, networks: Sequence[str] = PHASED, metric: str = "used_percent") -> Values:
    """A metric of a law in networks, of which the quick form has not all."""
    found = values(metric, "network", law=law, lead=lead).among(lambda network: network in networks)
    return found.told(".1f", " %", f"{law} {'ahead' if lead else 'now'}")


def day(network: str, lead: int = NOW) -> Values:
    """What laws use of the best phases."""
    return values("best_percent", "law", network=network, lead=lead).told(".1f", " %", "ahead" if lead else "now")


def queue(network: str, lead: int = NOW) -> Values:
    """99 % of the queue."""
    return values("queue_p99", "law", network=network, lead=lead).told(".0f", " packets", "ahead" if lead else "now")


SHORTER = (XCP_CL, HPCC, POWER)
FALLS, STEPPED = queue(CIRCUIT, 1).at(*SHORTER), queue(STEPS, 1).at(*LOOK)
STAGED = day(CIRCUIT, 6).at(HPCC)
BLIND = most(day(CIRCUIT).at(SWIFT, THETA))
IN_SLOTS = {"network": SLOTS, "law": HPCC, "lead": NOW}
SLOT_SHARE = values("used_percent", form=".1f", unit=" % of the slots", **IN_SLOTS)


XCP_NOW, CL_NOW, CL_AHEAD = (over(*who, (STAR, RACKS)) for who in ((XCP, NOW), (XCP_CL, NOW), (XCP_CL, 1)))
TOLD_NOW, TOLD_AHEAD = (
    values("used_percent", "law", network=RACKS, lead=lead).at(HPCC, POWER, RCP).told(".1f", " %", name)
    for lead, name in ((NOW, "now"), (1, "ahead"))
)
OF_LINK, OF_ROTOR = (
    values("used_percent", "law", network=network, lead=NOW).at(SWIFT, THETA, CUBIC).told(".1f", " %", name)
    for network, name in ((SLICES, "link"), (ROTOR, "rotor"))
)


def ahead(law: str) -> Predicate:
    """A round trip ahead as much is used as now, with no longer a queue."""
    queues, later = (over(law, lead, metric="queue_p99").told(".0f", " packets") for lead in (NOW, 1))
    much = at_least(over(law, 1), over(law) - LEAST)
    return everywhere(much, at_most(later, queues + 2), in_shape=MOSTLY).telling(over(law), queues)


def in_full(network: str, predicate: Predicate, outcome: Outcome) -> Finding:
    """A predicate about a network that the quick form has not."""
    if network not in ran(outcome, "network"):
        return judge(agrees=False, in_shape=True, measured=f"no {network} in this form")
    return predicate(outcome)


def draw(network: str, axes: Axes, table: pl.DataFrame) -> None:
    """What is used of the best phases against the 99 % queue; a line joins now and ahead."""
    for law, colour in COLOURS.items():
        rows = table.filter((pl.col("law") == law) & (pl.col("network") == network)).sort("lead")
        if rows.is_empty():
            continue
        axes.plot(rows["queue_p99"], rows["best_percent"], "o-", color=colour, label=law, markersize=5, linewidth=0.9)
        for lead, x, y in zip(rows["lead"], rows["queue_p99"], rows["best_percent"], strict=True):
            if law in LOOK:
                axes.annotate(f"{lead}", (x, y), fontsize=7, xytext=(3, 3), textcoords="offset points")
    axes.set_xscale("symlog", linthresh=10)
    axes.set_xlabel("99 % of the queue (packets); labels: told so many round trips ahead")
    axes.set_ylabel("used of the best phases (%)")
    frame(axes)


PAUSE = (
    "a pause that is told ahead counts as no capacity, and windows fall to a segment for the last round trip before "
    "it. Without pauses it is as expected (the claim of the steps)"
)
REASONS: Mapping[str, str] = {
    f"ahead-{HPCC}": PAUSE + ". A slot is shorter than a round trip, so what comes next is always a pause: told 20 µs "
    "ahead HPCC uses 7.5 % of the slots",
    f"ahead-{POWER}": PAUSE + ". Told 20 µs ahead of slots PowerTCP uses 50 % of them",
    f"ahead-{XCP_CL}": "slots and slices, which pauses part; over the circuit it has more of the day and a "
    "shorter queue",
    "falls": "PowerTCP's queue grows in the nights, told ahead or not. Without nights 99 % of it are 31 packets "
    "instead of 158",
    "stages": "it is told of both changes: 150 µs before its end the day of 225 µs is over for HPCC. Of a day of 2.25 "
    "ms it has 90.0 % either way",
    "whole": "in slots XCP, which is told nothing, fills all of them with 640 packets in the queue; XCP-CL has 8",
    "racks": "sixteen windows of HPCC are a segment each, now and ahead, and a round trip over a circuit is 65 µs, not "
    "25. With four flows, that round trip, no stages and additive parts for a thousand flows HPCC has 30.8 and 79.6 %, "
    "and RCP that looks every 25 µs 14.9 and 31.5 %",
    "link": "ACKs have circuits of their own over a rotor. With the slices of ACKs half a cycle later the link gives "
    "Swift 0.6 %, θ-PowerTCP 5 % and CUBIC 100 %",
}


claim = laws.expectation(REASONS, where="ours")

experiment = Experiment(
    id="told/schedule",
    title="told now or ahead of granted slots, a circuit's day and a rotor's slices",
    source=Source(paper="ours; Addanki et al., PowerTCP, NSDI 2022", figures="none", section="abstract"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="used_percent", label="used of the schedule (%)", form=".1f"),
        Metric(name="best_percent", label="used of its best phases (%)", form=".1f"),
        Metric(name="queue_packets", label="mean queue (packets)", form=".1f"),
        Metric(name="queue_p99", label="99 % of the queue (packets)", form=".0f"),
        Metric(name="timeouts", label="timeouts", form=".1f"),
    ),
    quick=Form(
        points=points((*LINKS, STAR), LEADS),
        replications=1,
        settings=settings("quick"),
        note="no racks and no rotor, 24 ms instead of 96, one of two seeds",
    ),
    full=Form(points=points((*LINKS, STAR, RACKS, ROTOR), LEADS), replications=2, settings=settings("full")),
    claims=(
        *(
            claim(
                f"ahead-{law}",
                f"{law} that is told a round trip ahead uses as much of each schedule, with no longer a queue",
                "more, and a shorter queue",
                f"at most {LEAST:g} point less and 2 packets more, over each link; in shape: two of three",
                ahead(law),
            )
            for law in LOOK
        ),
        claim(
            "falls",
            "told a round trip ahead of the day's end, XCP-CL, HPCC and PowerTCP have half of the queue",
            "next to none: their windows are those of the next capacity",
            f"at most {HALF:g} of the 99 % queue told now; in shape: less",
            (
                at_most(FALLS, queue(CIRCUIT) * HALF, in_shape=below(FALLS, queue(CIRCUIT))).telling(
                    queue(CIRCUIT).at(*SHORTER)
                )
            ),
        ),
        claim(
            "steps",
            "the same circuit without nights: told a round trip ahead, XCP-CL, HPCC and RCP use more of the day, and "
            "HPCC, PowerTCP and RCP have half of the queue",
            "a pause is no capacity to aim at; without one what is told ahead is what comes",
            f"more of the day, at most {HALF:g} of the 99 % queue, XCP-CL's no longer; in shape: all queues shorter",
            (
                (
                    above(day(STEPS, 1).at(XCP_CL, HPCC, RCP), day(STEPS))
                    & at_most(STEPPED.at(XCP_CL), queue(STEPS))
                    & at_most(STEPPED.at(HPCC, POWER, RCP), queue(STEPS) * HALF)
                )
                .in_shape(below(STEPPED, queue(STEPS)))
                .telling(day(STEPS).at(*LOOK), queue(STEPS).at(*LOOK), day(STEPS, 1).at(POWER))
            ),
            "ours, after trials with one seed",
        ),
        claim(
            "published",
            "PowerTCP uses 85 % of the circuit",
            f"{PUBLISHED_PERCENT:g} %",
            f"within {POINTS:g} points; in shape: {PUBLISHED_PERCENT - 2 * POINTS:g} % at least",
            (
                near(
                    day(CIRCUIT).at(POWER),
                    PUBLISHED_PERCENT,
                    by=POINTS,
                    in_shape=at_least(day(CIRCUIT).at(POWER), PUBLISHED_PERCENT - 2 * POINTS),
                ).telling(queue(CIRCUIT).at(POWER))
            ),
            "Addanki et al., abstract; the network is recalled",
        ),
        claim(
            "stages",
            "HPCC adds for five round trips before it jumps: told six ahead it has more of the day than told one",
            "the five round trips are over as the day begins",
            f"at least {POINTS:g} points more; in shape: more",
            (
                at_least(STAGED, day(CIRCUIT, 1) + POINTS, in_shape=above(STAGED, day(CIRCUIT, 1))).telling(
                    day(CIRCUIT, 1).at(HPCC)
                )
            ),
        ),
        claim(
            "blind",
            "PowerTCP, which is told now, uses more of the day than Swift and θ-PowerTCP, which time round trips",
            "more",
            "more than both; in shape: the best who is told now does",
            (
                above(day(CIRCUIT).at(POWER), BLIND, in_shape=above(most(day(CIRCUIT).at(*LOOK)), BLIND)).telling(
                    day(CIRCUIT).at(*LOOK, SWIFT, THETA, CUBIC)
                )
            ),
        ),
        claim(
            "gate",
            "slots of half a round trip: HPCC fills them with a queue that bridges the gaps",
            "all slots, and η less the duty of a half, of a bandwidth-delay product: 40 packets",
            f"95 % and at most {PATHS[SLOTS].bdp_packets / 2:.0f} packets; in shape: 90 %",
            (
                (
                    at_least(SLOT_SHARE, 95)
                    & at_most(
                        values("queue_packets", form=".0f", unit=" packets", **IN_SLOTS), PATHS[SLOTS].bdp_packets / 2
                    )
                ).in_shape(at_least(SLOT_SHARE, 90))
            ),
        ),
        claim(
            "whole",
            "in networks of slots and of racks XCP-CL, told a round trip ahead, uses as much as now and more than XCP",
            "more",
            f"at most {LEAST:g} point less than now, and more than XCP, in both; in shape: in one",
            everywhere(at_least(CL_AHEAD, CL_NOW - LEAST), above(CL_AHEAD, XCP_NOW), in_shape=SOMEWHERE).saying(
                CL_AHEAD, CL_NOW, XCP_NOW
            ),
        ),
        claim(
            "racks",
            "at racks, whose queues tell their rate and the next one, HPCC, PowerTCP and RCP told a round trip ahead "
            "use more of the circuits",
            "more",
            f"at least {LEAST:g} point more, each; in shape: two of three",
            partial(in_full, RACKS, at_least(TOLD_AHEAD, TOLD_NOW + LEAST, in_shape=MOSTLY).telling(TOLD_NOW)),
        ),
        claim(
            "link",
            "a link with the slices of a rotor is to Swift, θ-PowerTCP and CUBIC as the rotor is",
            "the same part is used",
            f"within {2 * POINTS:g} points for each; in shape: for one",
            partial(
                in_full,
                ROTOR,
                at_most((OF_LINK - OF_ROTOR).each(abs), 2 * POINTS, in_shape=SOMEWHERE).saying(OF_LINK, OF_ROTOR),
            ),
        ),
    ),
    plots=tuple(
        Plot(name=network, draw=partial(draw, network), where=pl.col("network") == network) for network in LINKS
    ),
    notes=(
        "Slots: 10 Gb/s for 50 of 100 µs, after 4 ms for 80 of 100 µs, and so on; a round trip of 106 µs. Circuit: "
        "100 Gb/s for 225 µs, then 20 µs of nothing, then 25 Gb/s for 23 times 245 µs; 25 µs. Steps: the "
        "same without the 20 µs. Slices: 10 Gb/s for "
        "90 of 700 µs; 13 µs. Four flows.",
        "The star is a network of slots with a plan that changes as that of the link; racks are those of "
        "circuits/told. No ports measure in the star and the rotor, so HPCC, PowerTCP and RCP are not run there.",
        "In whole networks the best phases are not told apart, and no 99 % of the queue is taken.",
    ),
)
