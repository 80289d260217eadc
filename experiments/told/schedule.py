"""Laws that are told of a schedule now or ahead: granted slots, a circuit's day, a rotor's slices, and whole networks.

Links with phases tell their next capacity to whoever looks ahead. Whole networks of slots, circuits and rotors write no
telemetry: there XCP-CL is told by their own means, and the others time their round trips. The expected values and
tolerances were written before the first run, but those of the steps, after trials.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source
from photocol.plot import frame
from photocol.verdict import judge

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
    of,
    ran,
)
from ._schedules import CIRCUIT, PATHS, PHASED, RACKS, RACKS_RTT_US, ROTOR, SLICES, SLOTS, STAR, STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point, RunResult
    from photocol.verdict import Finding

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


def used(outcome: Outcome, network: str, law: str, lead: int = NOW, metric: str = "used_percent") -> float:
    """A metric of a law in a network."""
    return of(outcome, metric, network=network, law=law, lead=lead)


def check_ahead(law: str, outcome: Outcome) -> Finding:
    """A round trip ahead beside now, over each link with phases."""
    rows = {network: [used(outcome, network, law, lead) for lead in (0, 1)] for network in PHASED}
    queues = {network: [used(outcome, network, law, lead, "queue_p99") for lead in (0, 1)] for network in PHASED}
    more = [after >= now - LEAST for now, after in rows.values()]
    short = [after <= now + 2 for now, after in queues.values()]
    return judge(
        agrees=all(more) and all(short),
        in_shape=sum(m and s for m, s in zip(more, short, strict=True)) >= 2,
        measured="; ".join(
            f"{network} {now:.1f} and {after:.1f} %, {queues[network][0]:.0f} and {queues[network][1]:.0f} packets"
            for network, (now, after) in rows.items()
        ),
    )


def check_falls(outcome: Outcome) -> Finding:
    """The 99 % queue over the circuit's link, a round trip ahead beside now."""
    rows = {law: [used(outcome, CIRCUIT, law, lead, "queue_p99") for lead in (0, 1)] for law in (XCP_CL, HPCC, POWER)}
    return judge(
        agrees=all(after <= HALF * now for now, after in rows.values()),
        in_shape=all(after < now for now, after in rows.values()),
        measured=", ".join(f"{law} {now:.0f} and {after:.0f} packets" for law, (now, after) in rows.items()),
    )


def check_steps(outcome: Outcome) -> Finding:
    """The day without nights, a round trip ahead beside now."""
    days = {law: [used(outcome, STEPS, law, lead, "best_percent") for lead in (0, 1)] for law in LOOK}
    queues = {law: [used(outcome, STEPS, law, lead, "queue_p99") for lead in (0, 1)] for law in LOOK}
    more = [after > now for law, (now, after) in days.items() if law != POWER]
    short = {law: after <= (1.0 if law == XCP_CL else HALF) * now for law, (now, after) in queues.items()}
    return judge(
        agrees=all(more) and all(short.values()),
        in_shape=all(after < now for now, after in queues.values()),
        measured="; ".join(
            f"{law} {now:.1f} and {after:.1f} %, {queues[law][0]:.0f} and {queues[law][1]:.0f} packets"
            for law, (now, after) in days.items()
        ),
    )


def check_published(outcome: Outcome) -> Finding:
    """PowerTCP's part of the circuit's day."""
    found = used(outcome, CIRCUIT, POWER, metric="best_percent")
    queue = used(outcome, CIRCUIT, POWER, metric="queue_p99")
    return judge(
        agrees=abs(found - PUBLISHED_PERCENT) <= POINTS,
        in_shape=found >= PUBLISHED_PERCENT - 2 * POINTS,
        measured=f"{found:.1f} % of the day; 99 % of the queue {queue:.0f} packets",
    )


def check_stages(outcome: Outcome) -> Finding:
    """HPCC six round trips ahead."""
    one, six = (used(outcome, CIRCUIT, HPCC, lead, "best_percent") for lead in (1, 6))
    return judge(
        agrees=six >= one + POINTS,
        in_shape=six > one,
        measured=f"{one:.1f} % of the day told one round trip ahead, {six:.1f} % told six",
    )


def check_blind(outcome: Outcome) -> Finding:
    """Of the day: the best that is told now, and those who time round trips."""
    told = {law: used(outcome, CIRCUIT, law, metric="best_percent") for law in (XCP_CL, HPCC, POWER, RCP)}
    blind = {law: used(outcome, CIRCUIT, law, metric="best_percent") for law in (SWIFT, THETA, CUBIC)}
    return judge(
        agrees=told[POWER] > max(blind[SWIFT], blind[THETA]),
        in_shape=max(told.values()) > max(blind[SWIFT], blind[THETA]),
        measured=", ".join(f"{law} {value:.1f} %" for law, value in (told | blind).items()),
    )


def check_gate(outcome: Outcome) -> Finding:
    """Slots that are shorter than a round trip: HPCC told now."""
    share, queue = used(outcome, SLOTS, HPCC), used(outcome, SLOTS, HPCC, metric="queue_packets")
    return judge(
        agrees=share >= 95 and queue <= PATHS[SLOTS].bdp_packets / 2,
        in_shape=share >= 90,
        measured=f"{share:.1f} % of the slots with {queue:.0f} packets",
    )


def check_whole(outcome: Outcome) -> Finding:
    """XCP-CL told ahead by the networks' own means, beside now and XCP."""
    networks = [network for network in (STAR, RACKS) if network in ran(outcome, "network")]
    rows = {
        network: [used(outcome, network, XCP), used(outcome, network, XCP_CL), used(outcome, network, XCP_CL, 1)]
        for network in networks
    }
    return judge(
        agrees=all(ahead >= now - LEAST and ahead > xcp for xcp, now, ahead in rows.values()),
        in_shape=any(ahead >= now - LEAST and ahead > xcp for xcp, now, ahead in rows.values()),
        measured="; ".join(
            f"{network} XCP {xcp:.1f}, XCP-CL now {now:.1f} and ahead {ahead:.1f} %"
            for network, (xcp, now, ahead) in rows.items()
        ),
    )


def check_racks(outcome: Outcome) -> Finding:
    """Laws that read what ports say, where the queues of racks do."""
    if RACKS not in ran(outcome, "network"):
        return judge(agrees=False, in_shape=True, measured="no racks in this form")
    rows = {law: [used(outcome, RACKS, law, lead) for lead in (0, 1)] for law in (HPCC, POWER, RCP)}
    more = [ahead >= now + LEAST for now, ahead in rows.values()]
    return judge(
        agrees=all(more),
        in_shape=sum(more) >= 2,
        measured=", ".join(f"{law} {now:.1f} and {ahead:.1f} %" for law, (now, ahead) in rows.items()),
    )


def check_link(outcome: Outcome) -> Finding:
    """Swift, θ-PowerTCP and CUBIC: a rotor, and a link with its slices."""
    if ROTOR not in ran(outcome, "network"):
        return judge(agrees=False, in_shape=True, measured="no rotor in this form")
    rows = {law: (used(outcome, SLICES, law), used(outcome, ROTOR, law)) for law in (SWIFT, THETA, CUBIC)}
    apart = {law: abs(link - rotor) for law, (link, rotor) in rows.items()}
    return judge(
        agrees=max(apart.values()) <= 2 * POINTS,
        in_shape=min(apart.values()) <= 2 * POINTS,
        measured=", ".join(f"{law} {link:.1f} and {rotor:.1f} %" for law, (link, rotor) in rows.items()),
    )


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


def claim(id_: str, text: str, expected: str, tolerance: str, check: Any, where: str = "ours") -> Claim:
    """An expectation, ours unless it stands elsewhere."""
    return Claim(
        id=id_,
        text=text,
        where=where,
        expected=expected,
        tolerance=tolerance,
        check=check,
        whose="ours",
        reason=REASONS.get(id_, ""),
    )


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
                partial(check_ahead, law),
            )
            for law in LOOK
        ),
        claim(
            "falls",
            "told a round trip ahead of the day's end, XCP-CL, HPCC and PowerTCP have half of the queue",
            "next to none: their windows are those of the next capacity",
            f"at most {HALF:g} of the 99 % queue told now; in shape: less",
            check_falls,
        ),
        claim(
            "steps",
            "the same circuit without nights: told a round trip ahead, XCP-CL, HPCC and RCP use more of the day, and "
            "HPCC, PowerTCP and RCP have half of the queue",
            "a pause is no capacity to aim at; without one what is told ahead is what comes",
            f"more of the day, at most {HALF:g} of the 99 % queue, XCP-CL's no longer; in shape: all queues shorter",
            check_steps,
            "ours, after trials with one seed",
        ),
        claim(
            "published",
            "PowerTCP uses 85 % of the circuit",
            f"{PUBLISHED_PERCENT:g} %",
            f"within {POINTS:g} points; in shape: {PUBLISHED_PERCENT - 2 * POINTS:g} % at least",
            check_published,
            "Addanki et al., abstract; the network is recalled",
        ),
        claim(
            "stages",
            "HPCC adds for five round trips before it jumps: told six ahead it has more of the day than told one",
            "the five round trips are over as the day begins",
            f"at least {POINTS:g} points more; in shape: more",
            check_stages,
        ),
        claim(
            "blind",
            "PowerTCP, which is told now, uses more of the day than Swift and θ-PowerTCP, which time round trips",
            "more",
            "more than both; in shape: the best who is told now does",
            check_blind,
        ),
        claim(
            "gate",
            "slots of half a round trip: HPCC fills them with a queue that bridges the gaps",
            "all slots, and η less the duty of a half, of a bandwidth-delay product: 40 packets",
            f"95 % and at most {PATHS[SLOTS].bdp_packets / 2:.0f} packets; in shape: 90 %",
            check_gate,
        ),
        claim(
            "whole",
            "in networks of slots and of racks XCP-CL, told a round trip ahead, uses as much as now and more than XCP",
            "more",
            f"at most {LEAST:g} point less than now, and more than XCP, in both; in shape: in one",
            check_whole,
        ),
        claim(
            "racks",
            "at racks, whose queues tell their rate and the next one, HPCC, PowerTCP and RCP told a round trip ahead "
            "use more of the circuits",
            "more",
            f"at least {LEAST:g} point more, each; in shape: two of three",
            check_racks,
        ),
        claim(
            "link",
            "a link with the slices of a rotor is to Swift, θ-PowerTCP and CUBIC as the rotor is",
            "the same part is used",
            f"within {2 * POINTS:g} points for each; in shape: for one",
            check_link,
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
