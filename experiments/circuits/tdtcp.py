"""TDTCP beside CUBIC, DCTCP and reTCP: goodput of a pair of racks, and how far its flows come in a week.

The expected values and tolerances below were written before the first run of TDTCP over racks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, UnderReadings, grid
from photocol.plot import frame
from photocol.verdict import judge

from ._etalon import LINUX, METRICS, RATIO, SEEDS, TDTCP_HOSTS, column, measure, network, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult
    from photocol.verdict import Finding

PLACES, MARKS_FROM, RESIZED, LEAD_US = 16, 10, 50, 150
MESSAGE_US = 1
DAY_MS = 0.2
"""A night and a day."""
RACKS = (25, 8)
"""Weeks of 24 matchings, reTCP's, and of seven: six packet days to one of the circuit."""
GAIN_PERCENT = (24.0, 41.0)
POINTS = 5.0
FLOWS, SAMPLES = (0, 5, 10, 15), 120
"""Those whose sequence numbers are sampled, so often a week."""
SENDERS = 16
COLOURS = {
    "cubic": "#0072B2",
    "dctcp": "#56B4E9",
    "retcp": "#E69F00",
    "retcp-resized": "#D55E00",
    "tdtcp": "#009E73",
}


def week_ms(racks: int) -> float:
    """How long a week lasts."""
    return (racks - 1) * DAY_MS


def setup(point: Point) -> Setup:
    """A law with a queue of 16 packets; the pair's senders hear of their circuit from their rack."""
    law, racks = str(point["law"]), int(point["racks"])
    switching: dict[str, Any] = {"mark_from": MARKS_FROM} if law == "dctcp" else {}
    if law == "retcp-resized":
        switching |= {"resized_buffer": f"{RESIZED} packets", "lead": f"{LEAD_US} us"}
    hosts = TDTCP_HOSTS if law == "tdtcp" else LINUX
    made = network(PLACES, {**hosts, "algorithm": law.removesuffix("-resized")}, **switching)
    before, measured = int(point["weeks"]) // 6, int(point["weeks"])
    more: dict[str, Any] = {
        "topology.racks": racks,
        "traffic.0.spread": f"{week_ms(racks):.1f} ms",
        "run.warm_up": f"{before * week_ms(racks):.1f} ms",
        "run.duration": f"{(before + measured) * week_ms(racks):.1f} ms",
        "probe.flows": str(list(FLOWS)),
        "probe.interval": f"{1e6 * week_ms(racks) / SAMPLES:.0f} ns",
    }
    if law.startswith(("retcp", "tdtcp")):
        more |= told("message", "resize" if law == "retcp-resized" else "day", delay=f"{MESSAGE_US} us")
    return Setup(scenario=made.scenario, settings={**made.settings, **more})


def sequence(result: RunResult) -> pl.DataFrame:
    """What the pair's flows have had acknowledged since a week began, in the mean of the weeks that are measured."""
    end = float(str(result.summary["duration"].value))
    series = result.series.filter(pl.col("quantity").cast(pl.String) == "acked")
    times = series["t_s"].unique().sort()
    interval = float(times[1] - times[0])
    week = SAMPLES * interval
    weeks = round(end / week)
    first = weeks // 7 + 1
    placed = series.with_columns((pl.col("t_s") / interval).round().cast(pl.Int64).alias("sample"))
    placed = placed.with_columns(
        (pl.col("sample") // SAMPLES).alias("week"), (pl.col("sample") % SAMPLES).alias("place")
    ).filter(pl.col("week") >= first, pl.col("week") < weeks)
    since = pl.col("value") - pl.col("value").sort_by("sample").first().over("entity", "week")
    return (
        placed.with_columns(since.alias("since"))
        .group_by("place")
        .agg(pl.col("since").mean())
        .sort("place")
        .select(
            (pl.col("place") * interval * 1e6).alias("t_us"),
            (pl.col("since") * SENDERS / 1e6).alias("sequence_mb"),
        )
    )


def gains(outcome: Outcome, racks: int) -> dict[str, float]:
    """TDTCP's goodput over that of the others, in per cent."""
    found = {str(law): value for law, value in column(outcome, "law", "goodput_gbps", racks=racks).items()}
    return {law: 100 * (found["tdtcp"] / value - 1) for law, value in found.items() if law != "tdtcp"}


def check_gain(outcome: Outcome, racks: int = RACKS[0]) -> Finding:
    """Over CUBIC and DCTCP."""
    found = gains(outcome, racks)
    values = [found["cubic"], found["dctcp"]]
    agrees = all(GAIN_PERCENT[0] - POINTS <= value <= GAIN_PERCENT[1] + POINTS for value in values)
    return judge(
        agrees=agrees,
        in_shape=agrees or min(values) > 0,
        measured=f"{values[0]:+.1f} % over CUBIC, {values[1]:+.1f} % over DCTCP",
    )


def check_close(outcome: Outcome, racks: int = RACKS[0]) -> Finding:
    """ReTCP with a queue that is resized."""
    found = gains(outcome, racks)
    agrees = abs(found["retcp-resized"]) <= 100 * RATIO
    return judge(
        agrees=agrees,
        in_shape=agrees or abs(found["retcp-resized"]) < found["cubic"],
        measured=f"{found['retcp-resized']:+.1f} % over reTCP with a resized queue, "
        f"{found['retcp']:+.1f} % over reTCP with a static one",
    )


CHECKS = {"gain": check_gain, "close": check_close}


def side_by_side(outcome: Outcome) -> list[UnderReadings]:
    """Each claim with each week that was run."""
    ran = [racks for racks in RACKS if racks in set(outcome.table["racks"].to_list())]
    return [
        UnderReadings(
            claim=claim.text,
            where=claim.where,
            findings={f"{racks} racks": CHECKS[claim.id](outcome, racks) for racks in ran},
        )
        for claim in experiment.claims
    ]


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """How far the pair's flows come in a week, the circuit's day shaded."""
    axes.axvspan(20, 200, color="#F0E442", alpha=0.4, label="the circuit's day")
    rows = table.filter(pl.col("racks") == RACKS[-1])
    for law, colour in COLOURS.items():
        own = rows.filter(pl.col("law") == law).sort("t_us")
        axes.plot(own["t_us"], own["sequence_mb"], color=colour, label=law)
    axes.set_xlabel("time in the week (µs)")
    axes.set_ylabel("acknowledged in the week (MB)")
    axes.legend(frameon=False, fontsize=8)
    frame(axes)


def points(weeks: int, racks: tuple[int, ...]) -> tuple[Point, ...]:
    """Each law with each week."""
    return grid(racks=racks, law=tuple(COLOURS), weeks=(weeks,))


REASONS: Mapping[str, str] = {
    "gain": "with 24 matchings a full circuit is 13 % more than half of one, so more is not possible. With seven, six "
    "packet days to one of the circuit, TDTCP gains too, but less than half of what is published; why was not tested",
    "close": "a queue of 50 packets carries reTCP over the beginning of the day",
}

experiment = Experiment(
    id="circuits/tdtcp",
    title="goodput of a pair of racks with TDTCP, and sequence numbers over a week",
    source=Source(
        paper="Chen et al., Time-Division TCP for Reconfigurable Data Center Networks, SIGCOMM 2022",
        figures="figures 2 and 7",
        section="§5",
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=sequence,
    quick=Form(
        points=points(60, RACKS),
        replications=1,
        note="60 of 600 weeks, one of five seeds",
    ),
    full=Form(points=points(600, RACKS), replications=SEEDS),
    claims=(
        Claim(
            id="gain",
            text="TDTCP has 24 to 41 % more throughput than CUBIC and DCTCP",
            where="abstract, which has MPTCP beside them",
            expected=f"{GAIN_PERCENT[0]:g} to {GAIN_PERCENT[1]:g} %",
            tolerance=f"both within {POINTS:g} points of that range; in shape: both gain",
            check=check_gain,
            reason=REASONS.get("gain", ""),
        ),
        Claim(
            id="close",
            text="reTCP with a queue that is resized ahead is close to TDTCP",
            where="§5",
            expected="close",
            tolerance=f"within {100 * RATIO:g} %; in shape: nearer to it than CUBIC",
            check=check_close,
            reason=REASONS.get("close", ""),
        ),
    ),
    readings=side_by_side,
    plots=(Plot(name="sequence", draw=draw, of="curves"),),
    notes=(
        "A queue of 16 packets; DCTCP's marks from 10 packets on; reTCP's queue has 50 from 150 µs before the day.",
        "The week of seven matchings, six packet days to one of the circuit, is recalled, not read.",
        "Racks tell senders 1 µs later. MPTCP does not exist here. TDTCP's hosts undo no window that was cut in vain.",
    ),
)
