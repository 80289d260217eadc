"""Beyond paper 003: how old, early, coarse or lossy the capacity signal may be, for changes every 0.2 to 25 s.

The edge node's output gets 12 to 18 of 18 slots of 45 Mb/s (30 to 45 Mb/s), a new random number every interval; its
controller is told each of them an age later, or earlier (schedule-ahead). `told`: rightly; `slots-6`: rounded to six
slots; `lost-50`: half of the messages are lost; `never`: original XCP. §6.4 of the paper says that the control interval
(0.25 s here) has to be shorter than the interval of changes.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame, looks
from photocol.verdict import Finding, judge

from ._aapn import FIRST, PAPER, Trace, find, listed, scenario
from ._readings import AS_FORTH, READINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

    from ._aapn import Step

MBPS, FRAME = 45.0, 18
SLOTS = (12, 18)
BUFFER = 100
DURATION_S, WARM_UP_S = 200.0, 20.0
INTERVALS_S = (0.2, 0.5, 1.0, 5.0, 25.0)
AGES_S = (-1.0, -0.5, -0.25, 0.0, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
QUICK_INTERVALS_S = (0.2, 1.0, 5.0)
QUICK_AGES_S = (-0.5, -0.25, 0.0, 0.1, 0.5, 1.0)


def points(intervals: Sequence[float], ages: Sequence[float]) -> tuple[Point, ...]:
    """Every age of a right signal, and the other signals at age 0."""
    told = [{"interval_s": i, "signal": "told", "age_s": a} for i in intervals for a in ages]
    others = ("slots-3", "slots-6", "lost-50", "lost-90", "never")
    return (*told, *({"interval_s": i, "signal": s, "age_s": 0.0} for i in intervals for s in others))


def setup(point: Point) -> Setup:
    """Capacities drawn for the interval, the same for every signal."""
    interval, signal, age = float(point["interval_s"]), str(point["signal"]), float(point["age_s"])
    random = np.random.default_rng(round(1000 * interval))
    times = np.arange(5.0, DURATION_S, interval)
    slots = random.integers(SLOTS[0], SLOTS[1] + 1, size=len(times))
    kept = random.random(len(times))
    steps: list[Step] = [(t, MBPS * n / FRAME, "capacity") for t, n in zip(times, slots, strict=True)]
    for t, n, luck in zip(times, slots, kept, strict=True):
        figure = said(signal, int(n), float(luck))
        if figure is not None and 0 < t + age < DURATION_S:
            steps.append((t + age, MBPS * figure / FRAME, "told_capacity"))
    network = scenario(
        mbps=MBPS,
        duration_s=DURATION_S,
        steps=steps,
        follows=False,
        buffer=BUFFER,
        sample_s=0.1,
        moving=False,
        **READINGS[AS_FORTH],
    )
    return Setup(scenario=network)


def said(signal: str, slots: int, luck: float) -> float | None:
    """The slots that the controller is told; None if it is told nothing."""
    kind, _, number = signal.partition("-")
    if kind == "slots":
        return round(slots / int(number)) * int(number)
    if kind == "never" or (kind == "lost" and luck < int(number) / 100):
        return None
    return slots


def measure(result: RunResult) -> Mapping[str, float]:
    """From 20 s on."""
    trace = Trace.of(result)
    late = trace.within(WARM_UP_S, DURATION_S)
    carried = trace.utilization() * trace.allocated
    return {
        "carried": float(np.sum(carried[late]) / np.sum(trace.allocated[late])),
        "drop_share": trace.drop_share(late),
        "queue": float(np.mean(trace.link("mean_queue")[late])),
        "queue_99": float(np.quantile(trace.link("queue")[late], 0.99)),
        "first_queue": float(np.mean(trace.link("mean_queue", FIRST)[late])),
        "interval_s_measured": float(np.mean(trace.link("mean_rtt")[late])),
    }


def row(outcome: Outcome, interval: float, age: float = 0.0, signal: str = "told") -> dict[str, Any]:
    """The row of a point."""
    return find(outcome.table, interval_s=interval, signal=signal, age_s=age)


def axis(outcome: Outcome, name: str) -> list[float]:
    """Values of an axis among the right signals."""
    return sorted(outcome.table.filter(pl.col("signal") == "told")[name].unique().to_list())


def check_limit(outcome: Outcome) -> Finding:
    """What is carried at age 0, against the interval of changes."""
    intervals = axis(outcome, "interval_s")
    carried = [row(outcome, interval)["carried"] for interval in intervals]
    return judge(
        agrees=carried[-1] >= 0.95 and carried[0] <= carried[-1] - 0.1,
        in_shape=carried[0] < carried[-1] - 0.02,
        measured=f"{listed(carried, '.3f')} of the capacity with changes every {listed(intervals, 'g')} s",
    )


def check_age(outcome: Outcome) -> Finding:
    """The age at which the signal has lost half of its use: carried between age 0 and never, changes every second."""
    interval = 1.0
    fresh, never = row(outcome, interval)["carried"], row(outcome, interval, signal="never")["carried"]
    ages = [age for age in axis(outcome, "age_s") if age >= 0]
    carried = [row(outcome, interval, age)["carried"] for age in ages]
    lost = [age for age, one in zip(ages, carried, strict=True) if one <= (fresh + never) / 2]
    return judge(
        agrees=fresh >= never + 0.02 and bool(lost) and lost[0] <= interval,
        in_shape=fresh >= never + 0.02 and carried[-1] < fresh - 0.02,
        measured=f"{listed(carried, '.3f')} at ages of {listed(ages, 'g')} s (never: {never:.3f}); half is lost "
        + (f"at {lost[0]:g} s" if lost else "at none of them"),
    )


def check_ahead(outcome: Outcome) -> Finding:
    """Drops with the signal two control intervals ahead, against none ahead."""
    intervals = axis(outcome, "interval_s")
    now = [row(outcome, interval)["drop_share"] for interval in intervals]
    ahead = [row(outcome, interval, -0.5)["drop_share"] for interval in intervals]
    slow = [number for number, interval in enumerate(intervals) if interval >= 1]
    return judge(
        agrees=all(ahead[number] <= now[number] / 2 for number in slow),
        in_shape=all(ahead[number] < now[number] for number in slow),
        measured=f"{listed(ahead, '.2g')} instead of {listed(now, '.2g')} of the packets dropped, with changes every "
        f"{listed(intervals, 'g')} s",
    )


def check_moves(outcome: Outcome) -> Finding:
    """How far schedule-ahead moves the limit: intervals at which 0.95 is carried, with the best lead and with none."""
    intervals, ages = axis(outcome, "interval_s"), [age for age in axis(outcome, "age_s") if age < 0]
    now = {interval: row(outcome, interval)["carried"] for interval in intervals}
    best = {interval: max(row(outcome, interval, age)["carried"] for age in ages) for interval in intervals}
    gains = [best[interval] - now[interval] for interval in intervals]
    return judge(
        agrees=min(gains) >= 0 and max(gains) >= 0.02,
        in_shape=max(gains) > 0.005,
        measured=f"{listed([*best.values()], '.3f')} with the best lead, {listed([*now.values()], '.3f')} with none",
    )


def check_coarse(outcome: Outcome) -> Finding:
    """Rounding to three and to six slots, losing half and nine tenths, changes every 5 s."""
    kinds = ("told", "slots-3", "slots-6", "lost-50", "lost-90", "never")
    carried = [row(outcome, 5.0, signal=kind)["carried"] for kind in kinds]
    return judge(
        agrees=carried[0] - carried[1] <= 0.05 and carried[0] >= carried[3] >= carried[4],
        in_shape=carried[0] == max(carried),
        measured="; ".join(f"{kind} {one:.3f}" for kind, one in zip(kinds, carried, strict=True)),
    )


def draw(axes: Axes, table: pl.DataFrame, name: str, label: str) -> None:
    """A metric against the age, a line for each interval."""
    told = table.filter(pl.col("signal") == "told")
    intervals = sorted(told["interval_s"].unique().to_list())
    for look, interval in zip(looks(len(intervals)), intervals, strict=True):
        rows = told.filter(pl.col("interval_s") == interval).sort("age_s")
        style = {"color": look.colour, "linestyle": look.line, "marker": look.marker, "markersize": 4}
        axes.plot(rows["age_s"], rows[name], label=f"every {interval:g} s", **style)
        never = find(table, interval_s=interval, signal="never", age_s=0.0)[name]
        axes.axhline(never, color=look.colour, linestyle=":", linewidth=0.8)
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.set_xscale("symlog", linthresh=0.1)
    # The greatest age stands within the picture, not on its edge.
    axes.set_xlim(1.3 * told["age_s"].min(), 1.3 * told["age_s"].max())
    axes.set_xlabel("age of the signal (s); negative: told ahead; dotted: never told")
    axes.set_ylabel(label)
    frame(axes)


METRICS = (
    Metric(name="carried", label="carried, of the capacity"),
    Metric(name="drop_share", label="share of packets dropped", form=".5f"),
    Metric(name="queue", label="mean queue (packets)", form=".1f"),
    Metric(name="queue_99", label="99th percentile of the queue", form=".0f"),
    Metric(name="first_queue", label="mean queue at the first router", form=".1f"),
    Metric(name="interval_s_measured", label="control interval (s)"),
)

experiment = Experiment(
    id="003/staleness",
    title="an old, early, coarse or lossy capacity signal",
    source=Source(paper=PAPER, figures="beyond figures 5.35 to 5.39", section="§6.4"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points(QUICK_INTERVALS_S, QUICK_AGES_S),
        replications=1,
        note="three of five intervals, six of eleven ages, one replication instead of three",
    ),
    full=Form(points=points(INTERVALS_S, AGES_S), replications=3),
    claims=(
        Claim(
            id="limit",
            text="XCP-CL suffers greatly when the capacity changes faster than its control interval (0.25 s here)",
            where="§6.4",
            expected="no number; 25 s are acceptable",
            tolerance="0.95 carried at the longest interval and 0.1 less at 0.2 s; in shape: 0.02 less",
            check=check_limit,
        ),
        Claim(
            id="age",
            text="a signal as old as the interval of changes is of no use",
            whose="ours",
            where="ours",
            expected="half of its use is lost at an age of at most the interval, 1 s",
            tolerance="the same, and there is use to lose: the fresh signal carries 0.02 more than none (added after "
            "the first run, which passed without any); in shape: the oldest carries 0.02 less than the fresh one",
            check=check_age,
            reason="with changes every second even a fresh signal is no better than none: senders follow half a second "
            "later. Every 5 s it is, and then 1 s of age costs a quarter of it. What helps is a lead (claim `ahead`)",
        ),
        Claim(
            id="ahead",
            text="being told two control intervals ahead (0.5 s) avoids the drops of a capacity that falls",
            whose="ours",
            where="ours",
            expected="half as many drops or fewer, where changes come every second or more rarely",
            tolerance="half at every such interval; in shape: fewer",
            check=check_ahead,
        ),
        Claim(
            id="moves",
            text="schedule-ahead signalling moves the limit: more is carried at short intervals",
            whose="ours",
            where="ours",
            expected="no loss at any interval, 0.02 of the capacity more at one",
            tolerance="the same, with the best lead; in shape: 0.005 more at one",
            check=check_moves,
        ),
        Claim(
            id="coarse",
            text="a coarse signal costs little, a lossy one the more the more is lost (changes every 5 s)",
            whose="ours",
            where="ours",
            expected="three slots: at most 0.05 less carried; a right signal before half before nine tenths lost",
            tolerance="the same; in shape: the right signal carries most",
            check=check_coarse,
        ),
    ),
    plots=(
        Plot(name="carried", draw=lambda axes, table: draw(axes, table, "carried", "carried, of the capacity")),
        Plot(name="drops", draw=lambda axes, table: draw(axes, table, "drop_share", "share of packets dropped")),
        Plot(name="queue", draw=lambda axes, table: draw(axes, table, "queue", "mean queue (packets)")),
    ),
    notes=(
        "Network and senders are those of 003/case-1, with the delays of its first period, back as forth; the capacity "
        f"changes; {BUFFER} packets of buffer, because one is not enough for that (003/physical-step).",
        "Rounding is to the nearest multiple, so a coarse signal is sometimes too high. A lost message leaves what was "
        "told before.",
    ),
)
