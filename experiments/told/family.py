"""Nine laws and two of reference over one bottleneck: at rest, as flows join, and as the capacity halves and doubles.

The expected values are the closed forms of the laws at rest; they and the tolerances were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source
from photocol.plot import frame
from photocol.verdict import judge

from . import _laws as laws
from ._course import BOTTLENECK, DOUBLE_MS, END_MS, HALF_MS, JOIN_MS, REST_MS, SAMPLE_MS, course, measure
from ._laws import ABC, COLOURS, COPA, FAMILY, HPCC, LAWS, POWER, RCP, SWIFT, THETA, XCP, XCP_CL, at_rest, of, ran

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Point
    from photocol.verdict import Finding

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


def check_queue(law: str, outcome: Outcome) -> Finding:
    """The queue at rest beside the closed form."""
    rows = [(of(outcome, "queue_packets", law=law, flows=n), at_rest(law, PATH, n)["queue"]) for n in flows(outcome)]
    part = 0.4 if law == COPA else QUEUE_PART
    return judge(
        agrees=all(abs(found - model) <= part * model + 1 for found, model in rows),
        in_shape=all(found <= 2 * model + 5 for found, model in rows)
        and all(abs(found - model) <= 2 * part * model + 5 for found, model in rows),
        measured=", ".join(f"{found:.1f} packets (closed form {model:.1f})" for found, model in rows),
    )


def flows(outcome: Outcome) -> list[int]:
    """The numbers of flows that every law was run with."""
    return [count for count in ran(outcome, "flows") if count not in CROWDS]


def check_hpcc(outcome: Outcome) -> Finding:
    """Utilization beside the closed form, and the queue."""
    rows = [(of(outcome, "used_percent", law=HPCC, flows=n), at_rest(HPCC, PATH, n)["used"]) for n in flows(outcome)]
    queues = [of(outcome, "queue_packets", law=HPCC, flows=n) for n in flows(outcome)]
    near = all(abs(found - model) <= POINTS for found, model in rows)
    return judge(
        agrees=near and max(queues) <= 3,
        in_shape=all(abs(found - model) <= 2 * POINTS for found, model in rows) and max(queues) <= 10,
        measured="; ".join(
            f"{found:.1f} % (closed form {model:.1f}), {queue:.1f} packets"
            for (found, model), queue in zip(rows, queues, strict=True)
        ),
    )


def check_full(law: str, outcome: Outcome) -> Finding:
    """A full link and next to no queue."""
    rows = [
        (of(outcome, "used_percent", law=law, flows=n), of(outcome, "queue_packets", law=law, flows=n))
        for n in flows(outcome)
    ]
    return judge(
        agrees=all(used >= 96 and queue <= 5 for used, queue in rows),
        in_shape=all(used >= 90 and queue <= 20 for used, queue in rows),
        measured="; ".join(f"{used:.1f} %, {queue:.1f} packets" for used, queue in rows),
    )


def round_trip_us(outcome: Outcome, count: int) -> tuple[float, float]:
    """Swift's round trip with this number of flows, and the closed form."""
    queue, model = of(outcome, "queue_packets", law=SWIFT, flows=count), at_rest(SWIFT, PATH, count)["queue"]
    return PATH.rtt_us + PATH.queue_us(queue), PATH.rtt_us + PATH.queue_us(model)


def check_swift(crowds: bool, outcome: Outcome) -> Finding:
    """The round trip beside the target."""
    counts = [count for count in ran(outcome, "flows", law=SWIFT) if (count in CROWDS) == crowds]
    rows = [round_trip_us(outcome, count) for count in counts]
    return judge(
        agrees=all(abs(found / model - 1) <= 0.15 for found, model in rows),
        in_shape=all(abs(found / model - 1) <= 0.5 for found, model in rows),
        measured=", ".join(
            f"{count} flows {found:.0f} µs (closed form {model:.0f})"
            for count, (found, model) in zip(counts, rows, strict=True)
        ),
    )


def check_fair(outcome: Outcome) -> Finding:
    """Jain's index at rest."""
    found = {
        (law, count): of(outcome, "jain", law=law, flows=count)
        for law in FAMILY
        if law in ran(outcome)
        for count in flows(outcome)
    }
    low = {f"{law}, {count} flows: {value:.2f}" for (law, count), value in found.items() if value < LEAST_JAIN}
    return judge(
        agrees=not low,
        in_shape=min(found.values()) >= 0.8,
        measured="below " + f"{LEAST_JAIN}: " + ("; ".join(sorted(low)) if low else "none"),
    )


def check_join(outcome: Outcome) -> Finding:
    """How soon flows are equal after as many have joined."""
    found = {law: of(outcome, "join_ms", law=law, flows=SOME) for law in (POWER, RCP, HPCC)}
    return judge(
        agrees=found[POWER] <= 2 and found[RCP] <= 2 and found[HPCC] >= 5 * found[POWER],
        in_shape=found[HPCC] > max(found[POWER], found[RCP]),
        measured=", ".join(f"{law} {value:.0f} ms" for law, value in found.items()),
    )


def check_half(outcome: Outcome) -> Finding:
    """The longest queue as the capacity halves."""
    bdp = PATH.bdp_packets
    rows = {law: of(outcome, "half_most", law=law, flows=SOME) for law in (XCP, XCP_CL, HPCC, POWER, RCP)}
    rest = {law: of(outcome, "queue_packets", law=law, flows=SOME) for law in rows}
    over = {law: value - rest[law] for law, value in rows.items()}
    told = [over[law] for law in rows if law != XCP]
    return judge(
        agrees=max(told) <= bdp and over[XCP] >= 10 * bdp,
        in_shape=2 * max(told) < over[XCP],
        measured=", ".join(f"{law} {value:.0f} packets" for law, value in over.items())
        + f"; {bdp:.0f} are a bandwidth-delay product",
    )


def check_double(outcome: Outcome) -> Finding:
    """How soon the capacity that came back is used."""
    found = {law: of(outcome, "double_ms", law=law, flows=SOME) for law in DOUBLED_MS}
    return judge(
        agrees=all(found[law] <= most + 1e-9 for law, most in DOUBLED_MS.items()),
        in_shape=all(found[law] <= 2 * most for law, most in DOUBLED_MS.items()),
        measured=", ".join(f"{law} {value:.1f} ms" for law, value in found.items()),
    )


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


def rest_claim(law: str, text: str, expected: str, tolerance: str, check: Any, reason: str = "") -> Claim:
    """What a closed form says of a law at rest."""
    return Claim(
        id=f"rest-{law}",
        text=text,
        where="closed form",
        expected=expected,
        tolerance=tolerance,
        check=check,
        whose="ours",
        reason=reason,
    )


def step_claim(id_: str, text: str, expected: str, tolerance: str, check: Any, reason: str = "") -> Claim:
    """What follows from a law's arithmetic when something changes."""
    where = "ours; arithmetic"
    return Claim(
        id=id_, text=text, where=where, expected=expected, tolerance=tolerance, check=check, whose="ours", reason=reason
    )


REASONS: Mapping[str, str] = {
    POWER: "with 64 flows, whose windows are few packets, the queue swings at γ = 0.9; with 0.5 it is 78 packets "
    "and the flows are equal. Packets of 500 B or first windows of one segment change nothing",
    THETA: "undisturbed it rests: with ten segments and no step 16 flows hold 15.6 packets. After a start at a "
    "bandwidth-delay product, or after the halving, the queue swings over more than a thousand packets for good",
    COPA: "who starts while a queue stands takes it for the empty path. Where all start at once with a segment "
    "16 flows hold 34.6 packets and 64 hold 133, with a Jain's index of 1.00 and 0.98",
    "crowd": "windows below a segment move by whole segments (`swift_ai`). With packets of 300 B 256 flows, a window "
    "of 2 packets, use 100 % and are equal; with packets of 1500 B 87 %",
    XCP_CL: "a window of few packets is no whole number of them: with packets of 500 B 64 flows use 99.6 % and "
    "3.6 wait",
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
        rest_claim(
            HPCC,
            "HPCC loads the link by η and what its additive increase adds, with a nearly empty queue",
            "hpcc-rest: 95.1, 95.8 and 98.2 % with 2, 16 and 64 flows; no queue",
            f"within {POINTS:g} points and 3 packets; in shape: {2 * POINTS:g} and 10",
            check_hpcc,
            REASONS.get(HPCC, ""),
        ),
        *(
            rest_claim(
                law,
                text,
                "the closed form at each number of flows",
                f"within {100 * (0.4 if law == COPA else QUEUE_PART):g} % and a packet; "
                "in shape: twice that and 5 packets",
                partial(check_queue, law),
                REASONS.get(law, ""),
            )
            for law, text in LATER.items()
        ),
        rest_claim(
            SWIFT,
            "Swift holds the target of its window, with windows above a segment",
            "swift-rest: the round trip with 2, 16 and 64 flows",
            "within 15 %; in shape: 50 %",
            partial(check_swift, False),
            REASONS.get(SWIFT, ""),
        ),
        rest_claim(
            "crowd",
            "Swift holds it with windows below a segment",
            "swift-rest: the round trip with 256 and 1000 flows",
            "within 15 %; in shape: 50 %",
            partial(check_swift, True),
            REASONS.get("crowd", ""),
        ),
        *(
            rest_claim(
                law,
                f"{law} fills the link with next to no queue",
                "100 %, no queue",
                "at least 96 % and at most 5 packets; in shape: 90 % and 20 packets",
                partial(check_full, law),
                REASONS.get(law, ""),
            )
            for law in (XCP_CL, RCP)
        ),
        step_claim(
            "fair",
            "flows of each of the nine are equal at rest, 10 ms after half of them have come",
            "Jain's index of 1",
            f"at least {LEAST_JAIN:g}; in shape: 0.8",
            check_fair,
            REASONS.get("fair", ""),
        ),
        step_claim(
            "join",
            "16 flows of PowerTCP and RCP are equal within 2 ms, and HPCC's take longer",
            "τ/γ is 0.12 ms, RCP's interval 0.11 ms; HPCC's difference shrinks by η/U = 0.992 in a round trip",
            "at most 2 ms, and HPCC at least five times PowerTCP's; in shape: HPCC longer than both",
            check_join,
            REASONS.get("join", ""),
        ),
        step_claim(
            "half",
            "who is told of the half builds less than a bandwidth-delay product; XCP that is not fills the buffer",
            f"at most {PATH.bdp_packets:.0f} packets beyond those at rest; ten times as many",
            "so for XCP-CL, HPCC, PowerTCP and RCP; in shape: XCP more than twice each of them",
            check_half,
            REASONS.get("half", ""),
        ),
        step_claim(
            "double",
            "90 % of the double are used after the round trips that each law's arithmetic gives",
            ", ".join(f"{law} {most:g} ms" for law, most in DOUBLED_MS.items()),
            "at most that; in shape: twice",
            check_double,
            REASONS.get("double", ""),
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
