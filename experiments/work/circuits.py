"""Circuits set for collectives: an example of SWOT (arXiv 2510.19322), when a turn is worth it, and what a transport
makes of the fluid answer.

- **swot**: 32 MB among eight ranks by halving and doubling, over two switches that take 200 us for a turn. All turn
  between steps, the first setting free or not; or by a plan.
- **one plane, two planes**: four equal steps of 8 MB with partners of their own. One switch of 800 Gb/s turns
  between them; two of 400 Gb/s take turns, and one turns while the other sends.
- **ring, halving**: an all-reduce among sixteen ranks over one switch, of 1 and 64 MB. A ring never turns.

The expected values and tolerances below were committed before the first run. A trial had shown the first case: 1480.2
us by UDP, 2383 by DCTCP without marks, 2166 by linux-cubic and 2752 by quic-cubic. After the first run nodes mark for
DCTCP. Expectations for transports with windows are by arithmetic: a new pair begins with ten packets, 80 kB, and needs
five round trips of 40 us until a window holds 2 MB. That is some 200 us for each of three or four pairs, and at half
the rate a round trip less. UDP at the rate of the circuits has no such start, and is the fluid model but for whole
packets.

Rows of NDP, reTCP and a window that is told its rate, with the last four claims, came later; their expectations were
committed before their first run. NDP sends a round trip blindly, and its receivers pull at the rate of the circuits.
The told window is a round trip of the rate that its pair has, as soon as the policy has decided. So neither has a slow
start: by arithmetic they take the times of UDP, 1.008 and 1.005 of them where light is full, by their headers of 64 and
40 B, and decide as the fluid model does. reTCP hears that a circuit comes, and doubles its window: of five or six round
trips of a slow start it saves one, 40 us.

HPCC, PowerTCP, RCP and XCP are no rows: light passes the switches without a stop, so that nothing measures behind the
hosts. Nor is TDTCP: without a circuit nothing leaves, so that all its data belong to one division.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import TYPE_CHECKING, Any

import photocol
from photocol.claims import Predicate, Values, above, at_least, below, everywhere, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Source, Trial, grid
from photocol.plot import Lines

from ._optical import (
    FILLING,
    LOOKS,
    NDP,
    PACKET_US,
    RETCP,
    SWOT_MB,
    SWOT_TURN_US,
    TOLD,
    UDP,
    WINDOWS,
    Planned,
    halving_us,
    network,
    one_plane_us,
    ring_us,
    swot_us,
    two_planes_us,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from photocol.experiment import Point, RunResult

COLD, WARM, PLANNED = "swot, cold", "swot, warm", "swot, planned"
ONE, TWO = "one plane", "two planes"
SMALL_KB, LARGE_KB = 1000, 64_000
RING = {SMALL_KB: "ring, 1 MB", LARGE_KB: "ring, 64 MB"}
HALVING = {SMALL_KB: "halving, 1 MB", LARGE_KB: "halving, 64 MB"}
PLANE_TURNS_US = (50, 100, 113, 200)
TURNS_US = (10, 50, 100, 500)
TRANSPORTS = (UDP, NDP, TOLD, RETCP, *WINDOWS)
PLANES_DECIDE_US, HALVING_DECIDES_US = 107, 73
"""Turns from which on two planes are quicker than one, and a ring than halving and doubling, by arithmetic."""
LABELS = ("a turn (µs)", "time (µs)")


def setup(point: Point) -> Trial:
    """One collective."""
    return Trial(function=run, arguments=dict(point))


def run(*, seed: int, transport: str, case: str, turn_us: int) -> dict[str, float]:
    """A run of the case."""
    result = photocol.run(scenario(transport, case, turn_us), set={"run.seed": seed})
    return {
        "time_us": 1e6 * float(result.summary["work_time"]),
        "dark_us": 1e6 * float(result.summary["reconfiguration_time"]),
        "again": float(result.flows["retransmissions"].sum()),
    }


def scenario(transport: str, case: str, turn_us: int) -> dict[str, Any]:
    """The network of a case with its policy and its work."""
    if case in (COLD, WARM, PLANNED):
        made = network(transport, hosts=8, switches=2, turn_us=turn_us)
        policies = {PLANNED: {"policy": "python", "class": Planned}, COLD: {"start": "cold"}}
        made["switching"].update(policies.get(case, {}))
        work: dict[str, Any] = {"collective": "all-reduce", "algorithm": "halving-doubling", "size": f"{SWOT_MB} MB"}
    elif case in (ONE, TWO):
        plane = {"switches": 1, "gbps": 800} if case == ONE else {"switches": 2}
        made = network(transport, hosts=5, turn_us=turn_us, **plane)
        made["switching"]["policy"] = "per-step" if case == ONE else "overlap"
        if transport == UDP:
            # Each step has one of the planes.
            made["traffic"][0]["rate"] = "800 Gbps" if case == ONE else "400 Gbps"
        work = {"collective": "all-to-all", "algorithm": "pairwise", "size": "40 MB", "order": "steps"}
    else:
        made = network(transport, hosts=16, switches=1, turn_us=turn_us)
        algorithm = "ring" if case in RING.values() else "halving-doubling"
        size = next(size for of in (RING, HALVING) for size, name in of.items() if name == case)
        work = {"collective": "all-reduce", "algorithm": algorithm, "size": f"{size} kB"}
    made["traffic"][0]["work"] = work
    return made


def measure(result: RunResult) -> Mapping[str, float]:
    """The figures of the trial."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


def time(transport: str, case: str) -> Values:
    """The time of a case in microseconds, by the time of a turn."""
    return values("time_us", "turn_us", form=".0f", transport=transport, case=case).told(
        ".0f", " µs", f"{transport}, {case}"
    )


def over(transport: str, case: str, other: str) -> Values:
    """The time of a case over that of another one."""
    return (time(transport, case) / time(transport, other)).told(".2f", name=f"{transport}, {case} over {other}")


def over_udp(transport: str, case: str) -> Values:
    """The time of a case over that of UDP."""
    return (time(transport, case) / time(UDP, case)).told(".3f", name=f"{transport}, {case}")


def decides(transport: str, case: str, other: str, turn_us: float) -> Predicate:
    """A case is quicker than another one where a turn is shorter than this, and slower where it is longer.

    In shape where that is so at the shortest and the longest turn.
    """
    found = (over(transport, case, other) - 1) * (lambda turn: -1 if float(turn) < turn_us else 1)
    turns = PLANE_TURNS_US if case == ONE else TURNS_US
    return above(found, 0, in_shape=above(found.at(turns[0], turns[-1]), 0))


def each(parts: Iterable[Predicate]) -> Predicate:
    """All of them, each at its own places."""
    return reduce(operator.and_, parts)


def fluid(case: str, expected: float, turns: int) -> Any:
    """UDP's time is the fluid one, but for the packets that whole packets last longer in each step."""
    return near(time(UDP, case), expected, by=turns * PACKET_US)


def in_steps(size: int) -> Callable[[Any], float]:
    """What arithmetic says of halving and doubling, by the time of a turn."""
    return lambda turn: halving_us(size, float(turn))


METRICS = (
    Metric(name="time_us", label="time of the collective (µs)", form=".1f"),
    Metric(name="dark_us", label="time in reconfiguration, a switch (µs)", form=".1f"),
    Metric(name="again", label="packets sent again", form=".1f"),
)
POINTS = (
    *grid(transport=TRANSPORTS, case=(COLD, WARM, PLANNED), turn_us=(SWOT_TURN_US,)),
    *grid(transport=TRANSPORTS, case=(ONE, TWO), turn_us=PLANE_TURNS_US),
    *grid(transport=TRANSPORTS, case=(*RING.values(), *HALVING.values()), turn_us=TURNS_US),
)
FORM = Form(points=POINTS, replications=1, note="one replication: nothing is drawn")
FILLED = [over_udp(one, case) for one in FILLING for case in (COLD, WARM, ONE, TWO, *RING.values(), *HALVING.values())]
DECISIONS = [
    *(decides(one, ONE, TWO, PLANES_DECIDE_US) for one in FILLING),
    *(decides(one, HALVING[size], RING[size], HALVING_DECIDES_US) for one in FILLING for size in RING),
]
FILLED_PLANS = [over(one, PLANNED, WARM) for one in FILLING]

experiment = Experiment(
    id="work/circuits",
    title="circuits set for collectives: turns, planes and plans, by UDP and by transports with windows",
    source=Source(paper="SWOT, arXiv 2510.19322", figures="the README's example", section="README"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=FORM,
    full=FORM,
    claims=(
        Claim(
            id="swot",
            text="the example takes 1480 us where all switches turn between steps, and 1680 if the first turn counts",
            whose="the paper's",
            where="README of SWOT's code, and the code as it stands",
            expected="1480 and 1680 us by UDP",
            tolerance="six packets of 0.16 us",
            check=everywhere(fluid(WARM, swot_us(4), 6), fluid(COLD, swot_us(5), 6)),
        ),
        Claim(
            id="plan",
            text="by the plan of a linear programme, in which a switch turns once its part is sent, it takes 1140 us",
            whose="the paper's",
            where="README of SWOT's code",
            expected="1140 us by UDP",
            tolerance="six packets of 0.16 us",
            check=fluid(PLANNED, 1140, 6),
        ),
        Claim(
            id="planes",
            text="two planes of half the rate beat one where a turn takes longer than K S/(K − 1)",
            whose="ours",
            where="arithmetic: 107 us, with four steps of 80 us",
            expected="the times of arithmetic by UDP, two planes slower up to 100 us and faster from 113 us on",
            tolerance="four packets of 0.16 us; the order at each turn",
            check=everywhere(
                near(time(UDP, ONE), lambda turn: one_plane_us(float(turn)), by=4 * PACKET_US),
                near(time(UDP, TWO), lambda turn: two_planes_us(float(turn)), by=4 * PACKET_US),
                decides(UDP, ONE, TWO, PLANES_DECIDE_US),
            ),
        ),
        Claim(
            id="size",
            text="whether halving and doubling beats the ring does not depend on the size: a turn of 73 us decides",
            whose="ours",
            where="arithmetic: (N − 1 − log2 N) d/(log2 N − 1), with N = 16",
            expected="the times of arithmetic by UDP with 1 and 64 MB; quicker with turns of 10 and 50 us, slower with "
            "100 and 500",
            tolerance="30 packets of 0.16 us; the order at each turn",
            check=everywhere(
                *(near(time(UDP, RING[size]), ring_us(size), by=30 * PACKET_US) for size in RING),
                *(
                    near(
                        time(UDP, HALVING[size]),
                        in_steps(size),
                        by=30 * PACKET_US,
                    )
                    for size in RING
                ),
                *(decides(UDP, HALVING[size], RING[size], HALVING_DECIDES_US) for size in RING),
            ),
        ),
        Claim(
            id="size-windows",
            text="with windows it does: each of four pairs begins slowly; with 64 MB the ring is quicker at any turn",
            whose="ours",
            where="arithmetic: some 200 us a pair, beside 440 us that fewer delays and turns of 10 us save",
            expected="halving over ring above 1 with 64 MB and a turn of 10 us by DCTCP, linux-cubic and quic-cubic, "
            "and below 1 with 1 MB",
            tolerance="the order, by each",
            check=everywhere(
                *(above(over(one, HALVING[LARGE_KB], RING[LARGE_KB]).at(10), 1) for one in WINDOWS),
                *(below(over(one, HALVING[SMALL_KB], RING[SMALL_KB]).at(10), 1) for one in WINDOWS),
            ),
            reason="a window of TCP begins with 14 600 B (RFC 6928), two packets of 8 kB and not ten: so the ring is "
            "quicker with 1 MB too, but with windows of ten packets DCTCP takes 575 us beside 656. With 64 MB marks "
            "of packets that wait end DCTCP's slow start early; without marks it is at 1.11 (trials)",
        ),
        Claim(
            id="planes-windows",
            text="with windows two planes lose nothing at a turn of 50 us; by arithmetic one is 1.31 times as fast",
            whose="ours",
            where="arithmetic: four slow starts, which take a round trip less at half the rate",
            expected="1.0 of the time of one plane",
            tolerance="0.9 to 1.15 by each; in shape: below 1.31",
            check=everywhere(
                *(within(over(one, TWO, ONE).at(50), 0.9, 1.15) for one in WINDOWS),
                in_shape=everywhere(*(below(over(one, TWO, ONE).at(50), 1.31) for one in WINDOWS)),
            ),
        ),
        Claim(
            id="plan-windows",
            text="a plan of times that a fluid model computed is no gain for transports with windows",
            whose="ours",
            where="arithmetic: its first turn comes 90 us after the start, in the second round trip of a slow start",
            expected="1 of the time without a plan, or more; 0.77 by the fluid model",
            tolerance="at least 1 by each; in shape: at least 0.9",
            check=everywhere(
                *(at_least(over(one, PLANNED, WARM), 1) for one in WINDOWS),
                in_shape=everywhere(*(at_least(over(one, PLANNED, WARM), 0.9) for one in WINDOWS)),
            ),
        ),
        Claim(
            id="filled",
            text="whoever can fill a circuit at once takes the fluid times: NDP, and a window that is told its rate",
            whose="ours",
            where="arithmetic: headers of 64 and 40 B, and no slow start",
            expected="1 to 1.01 of UDP's time without a plan",
            tolerance="1 to 1.06; in shape: 0.99 to 1.15",
            check=each(within(one, 1, 1.06, in_shape=(0.99, 1.15)) for one in FILLED),
        ),
        Claim(
            id="filled-decide",
            text="so their answers are those of the fluid model at each turn: one plane or two, halving or a ring",
            whose="ours",
            where="arithmetic: both sides of a decision take 1.01 at most",
            expected="two planes from 113 us on, and a ring from 100 us on, with 1 and 64 MB",
            tolerance="the order at each turn; in shape: at the shortest and the longest",
            check=each(DECISIONS),
        ),
        Claim(
            id="filled-plan",
            text="and a plan of times is a gain for them",
            whose="ours",
            where="arithmetic: 1 % more bytes find room in the 40 us of light on its way before a turn",
            expected="0.77 to 0.80 of the time without a plan",
            tolerance="0.76 to 0.85; in shape: below 1",
            check=each(within(one, 0.76, 0.85, in_shape=(0.7, 1)) for one in FILLED_PLANS),
        ),
        Claim(
            id="told-jump",
            text="to hear that a circuit comes, and not of its rate, is not enough: reTCP doubles two packets",
            whose="ours",
            where="arithmetic: five round trips of a slow start are left of six, for each of four pairs",
            expected="halving over ring above 1 with 64 MB and a turn of 10 us, and a plan no gain, as with windows",
            tolerance="the order; in shape: a plan at least 0.9",
            check=above(over(RETCP, HALVING[LARGE_KB], RING[LARGE_KB]).at(10), 1)
            & at_least(over(RETCP, PLANNED, WARM), 1, in_shape=0.9),
        ),
    ),
    plots=[
        Plot(
            name="halving",
            draw=Lines(
                "turn_us",
                "time_us",
                LABELS,
                by="transport",
                where={"case": HALVING[LARGE_KB]},
                looks=LOOKS,
                expected={"ring, fluid": lambda _: ring_us(LARGE_KB)},
                scales="xy",
            ),
        ),
        Plot(
            name="planes",
            draw=Lines("turn_us", "time_us", LABELS, by="transport", where={"case": TWO}, looks=LOOKS),
        ),
    ],
    notes=(
        "UDP sends at the rate of the circuits, and its bytes are those on the wire.",
        "The classes of the policy and of the told law are in experiments/work/_optical.py.",
    ),
)
