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

from photocol.claims import Values, above, at_least, at_most, below, first, last, least, most, steps, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import frame, looks

from ._aapn import FIRST, PAPER, Trace, find, scenario
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


def of(metric: str = "carried", form: str = ".3f", **where: Any) -> Values:
    """A metric of a right signal by interval, or by another axis of it."""
    along = "interval_s" if "age_s" in where else "age_s"
    return values(metric, along, form=form, **{"signal": "told", **where})


NOW, AHEAD = of(age_s=0.0), of("drop_share", ".2g", age_s=-0.5).told(".2g", name="ahead")
NOW_DROPPED = of("drop_share", ".2g", age_s=0.0).told(".2g", name="instead of")
SLOW_AHEAD, SLOW_NOW = (found.among(lambda interval: interval >= 1) for found in (AHEAD, NOW_DROPPED))
"""Changes every second or more rarely."""
BY_AGE = of(interval_s=1.0).among(lambda age: age >= 0).told(".3f", name="carried at ages")
FRESH, NEVER = BY_AGE.at(0.0), of(interval_s=1.0, signal="never").at(0.0).told(".3f", name="never")
USEFUL = at_least(FRESH, NEVER + 0.02)
HALF_LOST = at_most(least(BY_AGE.among(lambda age: age <= 1.0)), (FRESH + NEVER) * 0.5)


def best(outcome: Outcome) -> dict[Any, float]:
    """By interval what is carried with the best lead."""
    found: dict[Any, float] = {}
    for (interval, age), one in values("carried", ("interval_s", "age_s"), signal="told").read(outcome).items():
        if age < 0:
            found[interval] = max(one, found.get(interval, 0.0))
    return found


BEST = Values(best, ".3f", name="with the best lead")
GAINS = BEST - NOW
KINDS = ("told", "slots-3", "slots-6", "lost-50", "lost-90", "never")
COARSE = values("carried", "signal", form=".3f", interval_s=5.0, age_s=0.0).at(*KINDS)


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
            check=(at_least(last(NOW), 0.95) & at_most(first(NOW), last(NOW) - 0.1))
            .in_shape(below(first(NOW), last(NOW) - 0.02))
            .saying(NOW),
        ),
        Claim(
            id="age",
            text="a signal as old as the interval of changes is of no use",
            whose="ours",
            where="ours",
            expected="half of its use is lost at an age of at most the interval, 1 s",
            tolerance="the same, and there is use to lose: the fresh signal carries 0.02 more than none (added after "
            "the first run, which passed without any); in shape: the oldest carries 0.02 less than the fresh one",
            check=(USEFUL & HALF_LOST).in_shape(USEFUL & below(last(BY_AGE), FRESH - 0.02)).saying(BY_AGE, NEVER),
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
            check=at_most(SLOW_AHEAD, SLOW_NOW * 0.5, in_shape=below(SLOW_AHEAD, SLOW_NOW)).saying(AHEAD, NOW_DROPPED),
        ),
        Claim(
            id="moves",
            text="schedule-ahead signalling moves the limit: more is carried at short intervals",
            whose="ours",
            where="ours",
            expected="no loss at any interval, 0.02 of the capacity more at one",
            tolerance="the same, with the best lead; in shape: 0.005 more at one",
            check=(at_least(GAINS, 0) & at_least(most(GAINS), 0.02))
            .in_shape(above(most(GAINS), 0.005))
            .saying(BEST, NOW),
        ),
        Claim(
            id="coarse",
            text="a coarse signal costs little, a lossy one the more the more is lost (changes every 5 s)",
            whose="ours",
            where="ours",
            expected="three slots: at most 0.05 less carried; a right signal before half before nine tenths lost",
            tolerance="the same; in shape: the right signal carries most",
            check=(
                at_most(COARSE.at("told") - COARSE.at("slots-3"), 0.05)
                & at_most(steps(COARSE.at("told", "lost-50", "lost-90")), 0)
            )
            .in_shape(at_least(COARSE.at("told"), most(COARSE)))
            .saying(COARSE),
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
