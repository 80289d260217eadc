"""A flow over satellites that hand it over every 5 s: CUBIC, BBR, BBRv3 and XCP-CL, with hard and with soft handovers.

The schedules and the queue are OrbCC's; what its senders reached is not at hand. So the expectations are our own, those
of CUBIC and BBR after earlier runs of this project over the first two schedules. All were written before the first run
of this file.
"""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import MOSTLY, Values, above, at_least, below, least, most, near
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid
from photocol.plot import frame

from ._handovers import COLOURS, HARD, KEPT, LAWS, SOFT, course, mean_capacity_mbps, scenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

LASTS_S = 300
QUICK_RUNS, FULL_RUNS = (1, 2), tuple(range(1, 6))
KINDS = (HARD, KEPT, SOFT)
EXPECTED = {"cubic": 48.0, "bbr": 71.0, "bbr3": 72.0}
"""Goodput over capacity in per cent, hard: 37.6 and 36.3, 55.0 and 54.1, 55.0 and 56.1 of 75.6 and 78.3 Mb/s."""
POINTS = 10.0
SHOWN_RUN, SHOWN_S, STEP_S = 1, 45, 0.5
METRICS = (
    Metric(name="goodput_mbps", label="goodput (Mb/s)", form=".1f"),
    Metric(name="mean_queue", label="mean queue (packets)", form=".1f"),
    Metric(name="timeouts", label="timeouts", form=".0f"),
    Metric(name="retransmissions", label="segments sent again", form=".0f"),
)


def setup(point: Point) -> Setup:
    """A law over one of OrbCC's schedules."""
    return Setup(scenario=scenario(str(point["law"]), course(int(point["run"]), LASTS_S), LASTS_S, str(point["kind"])))


def measure(result: RunResult) -> dict[str, float]:
    """What the flow had, and how many of its packets waited."""
    queues = result.links.filter(pl.col("link").cast(pl.String) == "router1->router2")["mean_queue"]
    found = {name: figure.value for name, figure in result.summary.items()}
    return {
        "goodput_mbps": found["goodput"] / 1e6,
        "mean_queue": float(queues[0]),
        "timeouts": found["timeouts"],
        "retransmissions": found["retransmissions"],
    }


def course_of_goodput(result: RunResult) -> pl.DataFrame:
    """Goodput over the first handovers."""
    acked = result.series.filter(pl.col("quantity").cast(pl.String) == "acked", pl.col("t_s") <= SHOWN_S).sort("t_s")
    steps = acked.filter((pl.col("t_s") / STEP_S - (pl.col("t_s") / STEP_S).round()).abs() < 1e-6)
    rates = steps.with_columns((8e-6 * pl.col("value").diff() / pl.col("t_s").diff()).alias("goodput_mbps"))
    return rates.drop_nulls("goodput_mbps").select("t_s", "goodput_mbps")


def mean_of(table: pl.DataFrame, metric: str, law: str, kind: str) -> float:
    """A metric in the mean over the schedules."""
    rows = table.filter((pl.col("law") == law) & (pl.col("kind") == kind))
    return mean(rows[metric].to_list())


def used(table: pl.DataFrame, law: str, kind: str) -> float:
    """Goodput over what the path could carry, in per cent, in the mean over the schedules."""
    rows = table.filter((pl.col("law") == law) & (pl.col("kind") == kind))
    pairs = zip(rows["run"].to_list(), rows["goodput_mbps"].to_list(), strict=True)
    return 100 * mean(value / mean_capacity_mbps(course(run, LASTS_S), LASTS_S, kind) for run, value in pairs)


def by_law(table: pl.DataFrame, kind: str) -> dict[str, float]:
    """What each law uses."""
    return {law: used(table, law, kind) for law in LAWS}


def by_kind(kind: str) -> Values:
    """What each law uses."""
    return Values(lambda outcome: by_law(outcome.table, kind), ".1f", " %")


def queues(outcome: Outcome) -> dict[str, float]:
    """How many packets wait with each law, hard."""
    return {law: mean_of(outcome.table, "mean_queue", law, HARD) for law in LAWS}


USED = {kind: by_kind(kind) for kind in KINDS}
RIVALS = tuple(law for law in LAWS if law != "xcp-cl")
OWN, OTHERS = USED[HARD].at("xcp-cl"), USED[HARD].at(*RIVALS)
GAIN, KEPT_GAIN = ((USED[kind] - USED[HARD]).told("+.1f", " points") for kind in (SOFT, KEPT))
KEPT_GAIN = KEPT_GAIN.at("cubic")
QUEUE = Values(queues, ".1f", " packets")


def draw_used(axes: Axes, table: pl.DataFrame) -> None:
    """Bars by law and kind of handover."""
    for shift, (kind, alpha) in enumerate(zip(KINDS, (1.0, 0.6, 0.3), strict=True)):
        places = [number + 0.27 * (shift - 1) for number in range(len(LAWS))]
        colours = [COLOURS[law] for law in LAWS]
        axes.bar(places, list(by_law(table, kind).values()), 0.25, color=colours, alpha=alpha)
    axes.set_xticks(range(len(LAWS)), list(LAWS))
    axes.set_ylabel("goodput over capacity (%)")
    axes.set_title("from left to right: hard, queue kept, soft", fontsize=9)
    frame(axes)


def draw_course(axes: Axes, table: pl.DataFrame) -> None:
    """Goodput over time along the first schedule, under its capacity."""
    legs = [leg for leg in course(SHOWN_RUN, LASTS_S) if leg.begins_s < SHOWN_S]
    times, values = [leg.from_ms / 1000 for leg in legs], [leg.capacity_mbps for leg in legs]
    axes.step([*times, SHOWN_S], [*values, values[-1]], where="post", color="#999999", label="capacity")
    for law, colour in COLOURS.items():
        own = table.filter((pl.col("law") == law) & (pl.col("kind") == HARD) & (pl.col("run") == SHOWN_RUN)).sort("t_s")
        axes.plot(own["t_s"], own["goodput_mbps"], color=colour, label=law, linewidth=1.2)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("Mb/s")
    axes.legend(frameon=False, fontsize=8)
    frame(axes)


OURS = "ours, after earlier runs of this project"

experiment = Experiment(
    id="circuits/handover",
    title="goodput of CUBIC, BBR, BBRv3 and XCP-CL over satellites with hard and soft handovers",
    source=Source(
        paper="OrbCC's schedules (Avian688/orbtcpExperiments, experiment 1); the expectations are ours",
        figures="none",
        section="none",
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=course_of_goodput,
    quick=Form(
        points=grid(law=tuple(LAWS), kind=KINDS, run=QUICK_RUNS),
        replications=1,
        note="two of five schedules",
    ),
    full=Form(points=grid(law=tuple(LAWS), kind=KINDS, run=FULL_RUNS), replications=1),
    claims=(
        *(
            Claim(
                id=law,
                text=f"with hard handovers {law} uses {'half' if law == 'cubic' else '71 to 72 %'} of the path",
                where=OURS,
                expected=f"{value:g} %",
                tolerance=f"within {POINTS:g} points; in shape: BBR and BBRv3 use more than CUBIC",
                check=near(
                    USED[HARD].at(law),
                    value,
                    by=POINTS,
                    in_shape=above(USED[HARD].at("bbr", "bbr3"), USED[HARD].at("cubic")),
                ),
                whose="ours",
            )
            for law, value in EXPECTED.items()
        ),
        Claim(
            id="told",
            text="XCP-CL, whose controller knows each capacity as it comes, uses most of the path",
            where="ours",
            expected="more than each of the others, hard",
            tolerance=f"more; in shape: within {POINTS / 2:g} points of the best",
            check=above(OWN, most(OTHERS), in_shape=at_least(OWN, most(OTHERS) - POINTS / 2)).telling(OTHERS),
            whose="ours",
        ),
        Claim(
            id="soft",
            text="a handover that takes no time and drops nothing gives each law more of what there is",
            where="ours",
            expected="more",
            tolerance="with each; in shape: with all but one",
            check=above(GAIN, 0, in_shape=MOSTLY),
            whose="ours",
        ),
        Claim(
            id="kept",
            text="what CUBIC loses in a hard handover is the queue more than the time",
            where="ours",
            expected="a handover that keeps the queue gives at least half of what a soft one gives",
            tolerance="half; in shape: more than a hard one",
            check=(
                at_least(KEPT_GAIN, GAIN * 0.5, in_shape=above(KEPT_GAIN, 0)).telling(
                    *(USED[kind].at("cubic").told(".1f", " %", kind) for kind in KINDS)
                )
            ),
            whose="ours",
        ),
        Claim(
            id="queue",
            text="XCP-CL has the shortest queue",
            where="ours",
            expected="less than with each of the others, hard",
            tolerance="less; in shape: less than CUBIC's",
            check=(
                below(
                    QUEUE.at("xcp-cl"), least(QUEUE.at(*RIVALS)), in_shape=below(QUEUE.at("xcp-cl"), QUEUE.at("cubic"))
                ).telling(QUEUE)
            ),
            whose="ours",
        ),
    ),
    plots=(
        Plot(name="used", draw=draw_used),
        Plot(name="course", draw=draw_course, of="curves"),
    ),
    notes=(
        "Hard: the link goes down and drops what waits. Kept: it has no capacity meanwhile. Soft: it changes at once.",
        "The round trip is shared by three links, as in OrbCC's script; a greedy flow of packets of 1500 B.",
        "CUBIC's host is Linux, BBR and BBRv3 repair by RACK-TLP, XCP by SACK. OrbCC's are models of OMNeT++.",
    ),
)
