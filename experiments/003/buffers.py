"""Paper 003, §5.5 and appendix D: the edge node's buffer, 1 to 1000 packets, in case 1 (45 Mb/s, 40 from 200 to 400 s).

Tables 5.4 and 5.5; figures 5.27 and D.1, D.6, D.11, D.16 (queue: `queue-*`), 5.28 and D.2, D.7, D.12, D.17 (queuing
delay: a column, queue over 40 Mb/s), D.3, D.4, D.8, D.9, D.13, D.14, D.18, D.19 (drops per control interval and their
share: columns), 5.29, D.5, D.10, D.15, D.20 (utilization: `utilization-xcp`).

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.verdict import Finding, judge

from ._aapn import (
    MIXED_READINGS,
    ONE_WAY,
    PACKET,
    PAPER,
    PHYSICAL,
    SACK,
    TOLD,
    XCP,
    XCP_CL,
    Trace,
    algorithm_steps,
    curves,
    find,
    listed,
    scenario,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

MBPS, ALLOCATED = 45.0, 40.0
BUFFERS = (1, 10, 100, 1000)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
QUEUES = (0.10, 2.5, 20.0, 700.0)
DROPS = (50.0, 40.0, 40.0, 10.0)
UTILIZATIONS = (0.39, 0.70, 0.80, 1.0)
"""Table 5.4 by buffer: packets, packets in a control interval, share of the link."""
COMBINATIONS = (
    (XCP, PHYSICAL, ONE_WAY),
    (XCP_CL, PHYSICAL, ONE_WAY),
    (XCP_CL, TOLD, ONE_WAY),
    (XCP, PHYSICAL, SACK),
)
POINTS: tuple[Point, ...] = tuple(
    {"algorithm": algorithm, "step": step, "sender": sender, "buffer_packets": buffer}
    for algorithm, step, sender in COMBINATIONS
    for buffer in BUFFERS
)


def setup(point: Point) -> Setup:
    """Case 1 with another buffer."""
    steps, follows = algorithm_steps(str(point["algorithm"]), str(point["step"]), [(200, ALLOCATED), (400, MBPS)])
    buffer = int(point["buffer_packets"])
    return Setup(
        scenario=scenario(
            mbps=MBPS,
            duration_s=600,
            steps=steps,
            follows=follows,
            buffer=buffer,
            sender=str(point["sender"]),
        )
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """During the step without its first 20 s, and what is left of it afterwards."""
    trace = Trace.of(result)
    step, after = trace.whole(1), trace.within(400, 600)
    queue = trace.link("mean_queue")
    busy = np.flatnonzero(after & (queue > 10))
    return {
        "queue": float(np.mean(queue[step])),
        "queue_max": float(result.links.filter(pl.col("link") == "ri->rj")["max_queue"][0]),
        "queuing_ms": float(np.mean(queue[step])) * PACKET * 8 / ALLOCATED / 1e3,
        "drops": trace.drops_per_interval(step),
        "drop_share": trace.drop_share(step),
        "utilization": float(np.mean(trace.utilization()[step])),
        "queue_after": float(np.mean(queue[after])),
        "drains_s": float(trace.t[busy[-1]] - 400) if len(busy) else 0.0,
        "drops_outside": trace.drops(trace.within(0, 200)) + trace.drops(trace.within(420, 600)),
        "unfairness": trace.spread_of_goodputs(trace.late(1)),
    }


def column(outcome: Outcome, algorithm: str, step: str, name: str, sender: str = ONE_WAY) -> list[float]:
    """A metric along the buffers."""
    here = {"algorithm": algorithm, "step": step, "sender": sender}
    return [find(outcome.table, **here, buffer_packets=buffer)[name] for buffer in BUFFERS]


def within_factor(values: list[float], expected: tuple[float, ...], factor: float) -> bool:
    """Whether each value is near its expected one."""
    return all(want / factor <= value <= want * factor for value, want in zip(values, expected, strict=True))


def rising(values: list[float], slack: float = 0.0) -> bool:
    """Whether they never fall by more than the slack."""
    return all(b >= a - slack for a, b in pairwise(values))


def check_queue(outcome: Outcome) -> Finding:
    """Table 5.4, first row."""
    queues = column(outcome, XCP, PHYSICAL, "queue")
    return judge(
        agrees=within_factor(queues, QUEUES, 2),
        in_shape=rising(queues) and queues[3] > 10 * queues[2],
        measured=f"{listed(queues, '.3g')} packets",
    )


def check_drops(outcome: Outcome) -> Finding:
    """Table 5.4, third row."""
    drops = column(outcome, XCP, PHYSICAL, "drops")
    return judge(
        agrees=within_factor(drops, DROPS, 2),
        in_shape=drops[3] < min(drops[:3]) and drops[0] >= 0.8 * max(drops),
        measured=f"{listed(drops, '.3g')} in a control interval "
        f"({listed([100 * one for one in column(outcome, XCP, PHYSICAL, 'drop_share')], '.2g')} %)",
    )


def check_utilization(outcome: Outcome) -> Finding:
    """Table 5.4, last row."""
    levels = column(outcome, XCP, PHYSICAL, "utilization")
    return judge(
        agrees=all(abs(a - b) <= 0.1 for a, b in zip(levels, UTILIZATIONS, strict=True)),
        in_shape=rising(levels, 0.02) and levels[3] >= 0.97,
        measured=listed(levels, ".3f"),
    )


def check_zero(outcome: Outcome) -> Finding:
    """Table 5.5."""
    found = {}
    for step in (PHYSICAL, TOLD):
        queues, drops, levels = (column(outcome, XCP_CL, step, name) for name in ("queue", "drops", "utilization"))
        found[step] = (queues, drops, levels)
    good = {step: max(q) < 0.005 and max(d) == 0 and min(u) >= 0.97 for step, (q, d, u) in found.items()}
    return judge(
        agrees=good[PHYSICAL],
        in_shape=good[TOLD],
        measured="; ".join(
            f"{step}: queue {listed(q, '.2g')}, drops {listed(d, '.2g')} an interval, utilization {listed(u, '.3f')}"
            for step, (q, d, u) in found.items()
        ),
    )


def standing_queue(rtt_s: float) -> float:
    """α/β · (C' − C) · d packets with d = rtt + Q/C: what balances a capacity believed to be C' instead of C."""
    gain, per_s = 0.4 / 0.226 * (MBPS - ALLOCATED) * 1e6 / 8 / PACKET, ALLOCATED * 1e6 / 8 / PACKET
    return gain * rtt_s / (1 - gain / per_s)


EMPTY_RTT_S = 0.42
"""Twice the mean of table 4.1's delays in the second period."""


def check_theory(outcome: Outcome) -> Finding:
    """The standing queue that 1000 packets of buffer have room for."""
    found, expected = column(outcome, XCP, PHYSICAL, "queue")[3], standing_queue(EMPTY_RTT_S)
    drops = column(outcome, XCP, PHYSICAL, "drops")[3]
    return judge(
        agrees=abs(found / expected - 1) <= 0.15,
        in_shape=abs(found / expected - 1) <= 0.4,
        measured=f"{found:.0f} packets, theory {expected:.0f}; {drops:.2g} drops in a control interval",
    )


def check_drain(outcome: Outcome) -> Finding:
    """Figure D.16 after 400 s, and table E.4's 70 ms there."""
    row = find(outcome.table, algorithm=XCP, step=PHYSICAL, sender=ONE_WAY, buffer_packets=1000)
    return judge(
        agrees=row["queue_after"] >= 100,
        in_shape=row["drains_s"] >= 5,
        measured=f"gone after {row['drains_s']:.1f} s; {row['queue_after']:.1f} packets in the mean of 200 s",
    )


def draw(axes: Axes, frame: pl.DataFrame, algorithm: str, step: str, what: tuple[str, str]) -> None:
    """A time series with a line for each buffer."""
    name, label = what
    for colour, buffer in zip(COLOURS, BUFFERS, strict=True):
        here = {"algorithm": algorithm, "step": step, "sender": ONE_WAY, "buffer_packets": buffer}
        chosen = frame.filter(*(pl.col(axis) == value for axis, value in here.items()))
        axes.plot(chosen["t_s"], chosen[name], color=colour, linewidth=0.7, label=f"buffer {buffer}")
    axes.set_xlabel("time (s)")
    axes.set_ylabel(label)
    axes.set_title(f"{algorithm}, {step} step", fontsize=9)
    if name == "mean_queue":
        axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(0, None)
    axes.legend(frameon=False, fontsize=7, ncols=4, loc="upper center")


def plot(name: str, algorithm: str, step: str, *what: str) -> Plot:
    """A picture of one algorithm."""
    return Plot(name=name, draw=lambda axes, frame: draw(axes, frame, algorithm, step, (what[0], what[1])), of="curves")


def describe(outcome: Outcome) -> list[str]:
    """The two tables."""
    lines = [
        f"Paper, XCP: queue {listed(QUEUES, 'g')} packets, drops {listed(DROPS, 'g')} an interval, utilization "
        f"{listed(UTILIZATIONS, 'g')}; XCP-CL: 0, 0, 1."
    ]
    for algorithm, step, sender in COMBINATIONS:
        queue, drops, level = (
            column(outcome, algorithm, step, name, sender) for name in ("queue", "drops", "utilization")
        )
        lines.append(
            f"{algorithm}, {step}, {sender} senders: queue {listed(queue, '.3g')}, drops {listed(drops, '.3g')}, "
            f"utilization {listed(level, '.3f')}."
        )
    return lines


WHERE: Any = "§5.5, tables 5.4 and 5.5, appendix D"

experiment = Experiment(
    id="003/buffers",
    title="the edge node's buffer, from 1 to 1000 packets",
    source=Source(
        paper=PAPER,
        figures="Tables 5.4 and 5.5, figures 5.27 to 5.29, D.1 to D.20",
        section="§5.5, appendix D",
    ),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="queue", label="mean queue (packets)"),
        Metric(name="queue_max", label="greatest (run)", form=".0f"),
        Metric(name="queuing_ms", label="queuing delay (ms)"),
        Metric(name="drops", label="drops in a control interval", form=".1f"),
        Metric(name="drop_share", label="of the packets", form=".4f"),
        Metric(name="utilization", label="utilization"),
        Metric(name="queue_after", label="mean queue after 400 s", form=".2f"),
        Metric(name="drains_s", label="gone after (s)", form=".1f"),
        Metric(name="drops_outside", label="drops before 200 and after 420 s", form=".0f"),
        Metric(name="unfairness", label="spread of five flows' goodputs"),
    ),
    curves=curves,
    quick=Form(points=POINTS, replications=1, note="one replication instead of three"),
    full=Form(points=POINTS, replications=3),
    claims=(
        Claim(
            id="queue",
            text="original XCP's mean queue in the step",
            where=WHERE,
            expected="0.10, 2.5, 20, 700 packets",
            tolerance="each within a factor of 2; in shape: rising, the last more than ten times the one before",
            check=check_queue,
        ),
        Claim(
            id="drops",
            text="original XCP's drops in a control interval",
            where=WHERE,
            expected="50, 40, 40, 10 packets",
            tolerance="each within a factor of 2; in shape: fewest with 1000, and with 1 at least 0.8 of the most",
            check=check_drops,
            reason="1000 packets have room for the standing queue, so nothing has to be dropped (claim `theory`); with "
            "100 fewer are dropped here and the link is used better",
        ),
        Claim(
            id="utilization",
            text="original XCP's utilization in the step",
            where=WHERE,
            expected="0.39, 0.70, 0.80, 1.0",
            tolerance="±0.1 each; in shape: rising (0.02 of slack) to 0.97",
            check=check_utilization,
        ),
        Claim(
            id="zero",
            text="XCP-CL has no queue, no drop and utilization 1 with any buffer",
            where=WHERE,
            expected="0, 0, 1 for all four buffers",
            tolerance='queue below 0.005, no drop, 0.97, when the step is physical; in shape: in the reading "told"',
            check=check_zero,
            reason=MIXED_READINGS,
        ),
        Claim(
            id="theory",
            text="with room for it, a capacity believed too high leaves a queue that balances it (theory)",
            where="α(C' − C) = βQ/d",
            expected=f"{standing_queue(EMPTY_RTT_S):.0f} packets for 1000 of buffer, no drops (the paper: 700 and 10)",
            tolerance="15 %; in shape: 40 %",
            check=check_theory,
        ),
        Claim(
            id="drain",
            text="after 400 s the queue in 1000 packets of buffer takes a long time to go",
            where="appendix D, Fig. D.16; table E.4",
            expected="70 ms of queue in the mean of 400 to 600 s, that is some 390 packets",
            tolerance="at least 100 packets in that mean; in shape: not gone within 5 s",
            check=check_drain,
            reason="the controller, told right again or not, sees the queue and takes it down within 9 s",
        ),
    ),
    plots=(
        *(
            plot(f"{name}-{label}", algorithm, PHYSICAL, series, text)
            for algorithm, label in ((XCP, "xcp"), (XCP_CL, "xcp-cl-physical"))
            for name, series, text in (
                ("queue", "mean_queue", "mean queue (packets)"),
                ("utilization", "utilization", "utilization of the allocated rate"),
            )
        ),
    ),
    describe=describe,
    notes=(
        "Claims are judged by senders like those of the paper's simulator (`one-way`); see 003/case-1.",
        "The readings of the step are those of 003/case-1. The packet in transmission does not count in the buffer.",
        "Drops in a control interval: all of 220 to 400 s, times the mean round trip that the controller measured.",
        "The paper's percentages of drops for 100 and 1000 packets contradict its numbers of drops (errata 3.17): the "
        "numbers are compared.",
    ),
)
