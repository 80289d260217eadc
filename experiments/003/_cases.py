"""Cases 1 to 3 of paper 003, which differ in the rate alone: what they run, measure, claim and draw.

The expected values and tolerances below were committed before the first run. After it, the senders by which the claims
are judged became those of the paper's simulator (`ONE_WAY`), with timeouts of at least 1 s; the notes say why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source
from photocol.plot import course, looks
from photocol.plot import frame as frame_of

from ._aapn import (
    ONE_WAY,
    PAPER,
    PHYSICAL,
    REPORTED,
    TOLD,
    XCP,
    XCP_CL,
    Trace,
    algorithm_steps,
    curves,
    listed,
    scenario,
)
from ._case_claims import claims
from ._readings import AS_FORTH, DEFAULT, GROUPS, NOTE, READINGS, by_default, side_by_side, under, with_readings
from ._stated import COMBINATIONS, JUDGED, row_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.experiment import RunResult

    from ._stated import Stated

DIP_S, EARLY_S = 20.0, 30.0
FULL_PERIOD_S = 200


METRICS = (
    Metric(name="utilization_1", label="utilization, period 1"),
    Metric(name="utilization_2", label="period 2"),
    Metric(name="utilization_3", label="period 3"),
    Metric(name="full_after_s", label="full after (s)", form=".1f"),
    Metric(name="dip_1_to_2", label="dip at the first step"),
    Metric(name="dip_2_to_3", label="dip at the second"),
    Metric(name="window_1", label="window of flow #1 (packets), period 1", form=".1f"),
    Metric(name="window_2", label="period 2", form=".1f"),
    Metric(name="window_3", label="period 3", form=".1f"),
    Metric(name="window_2_least", label="least in period 2", form=".0f"),
    Metric(name="window_2_greatest", label="greatest", form=".0f"),
    Metric(name="settles_2_s", label="settles in period 2 after (s)", form=".1f"),
    Metric(name="settles_3_s", label="in period 3 (s)", form=".1f"),
    Metric(name="rate_1", label="rate of flow #1 (kB/s), period 1", form=".1f"),
    Metric(name="rate_2", label="period 2", form=".1f"),
    Metric(name="rate_3", label="period 3", form=".1f"),
    Metric(name="rate_2_least", label="least in period 2", form=".1f"),
    Metric(name="rate_2_greatest", label="greatest", form=".1f"),
    Metric(name="rate_dip", label="least in 20 s from the first step on", form=".1f"),
    Metric(name="rate_peak", label="greatest in 20 s from the second on", form=".1f"),
    Metric(name="unsmoothed_dip", label="the former by measured round trips", form=".1f"),
    Metric(name="unsmoothed_peak", label="the latter", form=".1f"),
    Metric(name="ripple_1", label="ripple of the rate (kB/s), period 1", form=".2f"),
    Metric(name="ripple_2", label="period 2", form=".2f"),
    Metric(name="ripple_3", label="period 3", form=".2f"),
    Metric(name="early_peak_at_s", label="greatest window of the first 30 s at (s)", form=".1f"),
    Metric(name="early_peak", label="over the mean of period 1", form=".3f"),
    Metric(name="unfairness_2", label="spread of five flows' goodputs, period 2"),
    Metric(name="queue_1", label="mean queue at the edge (packets), period 1"),
    Metric(name="queue_2", label="period 2"),
    Metric(name="queue_max", label="greatest (run)", form=".0f"),
    Metric(name="first_queue_1", label="mean queue at the first router, period 1", form=".1f"),
    Metric(name="drops_1", label="drops, period 1", form=".0f"),
    Metric(name="drops_2", label="period 2", form=".0f"),
    Metric(name="drops_3", label="period 3", form=".0f"),
    Metric(name="interval_1_s", label="control interval (s), period 1"),
    Metric(name="interval_2_s", label="period 2"),
    Metric(name="interval_3_s", label="period 3"),
)


def measure(result: RunResult) -> Mapping[str, float]:
    """Means are over the second half of a period, extremes over all of it but its first tenth."""
    trace = Trace.of(result)
    late = [trace.late(period) for period in range(3)]
    utilization, window, rate = trace.utilization(), trace.window(), trace.rate()
    wide = trace.whole(1)
    figures: dict[str, float] = {
        "full_after_s": trace.full_after(),
        "dip_1_to_2": float(utilization[trace.after(1, DIP_S)].min()),
        "dip_2_to_3": float(utilization[trace.after(2, DIP_S)].min()),
        "window_2_least": float(window[wide].min()),
        "window_2_greatest": float(window[wide].max()),
        "settles_2_s": trace.settled_after(1),
        "settles_3_s": trace.settled_after(2),
        "rate_2_least": float(rate[wide].min()),
        "rate_2_greatest": float(rate[wide].max()),
        "rate_dip": float(rate[trace.after(1, DIP_S)].min()),
        "rate_peak": float(rate[trace.after(2, DIP_S)].max()),
        "unsmoothed_dip": float(measured(trace.unsmoothed_rate()[trace.after(1, DIP_S)]).min()),
        "unsmoothed_peak": float(measured(trace.unsmoothed_rate()[trace.after(2, DIP_S)]).max()),
        **_early_peak(trace),
        "unfairness_2": trace.spread_of_goodputs(late[1]),
        "queue_1": float(np.mean(trace.link("mean_queue")[late[0]])),
        "queue_2": float(np.mean(trace.link("mean_queue")[wide])),
        "queue_max": float(result.links.filter(pl.col("link") == "ri->rj")["max_queue"][0]),
        "first_queue_1": float(np.mean(trace.link("mean_queue", "rs->ri")[late[0]])),
    }
    for period in range(3):
        number = period + 1
        inside = trace.within(period * trace.period_s, number * trace.period_s)
        figures |= {
            f"utilization_{number}": float(np.mean(utilization[late[period]])),
            f"window_{number}": float(np.mean(window[late[period]])),
            f"rate_{number}": float(np.mean(rate[late[period]])),
            f"ripple_{number}": _ripple(rate[late[period]]),
            f"drops_{number}": trace.drops(inside),
            f"interval_{number}_s": float(np.mean(trace.link("mean_rtt")[late[period]])),
        }
    return figures


def measured(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """The samples that have a measured round trip; without one a flow waits for its timer: 0."""
    known = rate[~np.isnan(rate)]
    return known if len(known) else np.zeros(1)


def _ripple(rate: NDArray[np.float64]) -> float:
    """Half of the band that holds 95 % of the samples."""
    low, high = np.quantile(rate, [0.025, 0.975])
    return float(high - low) / 2


def _early_peak(trace: Trace) -> dict[str, float]:
    """Where and how high above its later mean flow #1's window is greatest in 30 s after the start."""
    early = trace.within(0, EARLY_S)
    peak = int(np.argmax(np.where(early, trace.window(), 0)))
    level = float(np.mean(trace.window()[trace.late(0)]))
    return {"early_peak_at_s": float(trace.t[peak]), "early_peak": float(trace.window()[peak]) / level}


def case(
    stated: Stated,
    *,
    quick_period_s: int,
    reasons: Mapping[str, str],
    more_claims: Sequence[Claim] = (),
    readings: Sequence[str] = (GROUPS, AS_FORTH),
    combinations: int = len(COMBINATIONS),
) -> Experiment:
    """The experiment of a case.

    Its quick form has these readings of the network beside the default one, and so many of the combinations.
    """
    plain = (*claims(stated, reasons), *more_claims)
    fewer = "" if combinations == len(COMBINATIONS) else f"; {combinations} of {len(COMBINATIONS)} combinations"
    return Experiment(
        id=f"003/case-{stated.number}",
        title=f"XCP and XCP-CL at {stated.mbps:g} Mb/s, {stated.allocated_mbps:g} in the middle third",
        source=Source(paper=PAPER, figures=stated.figures, section=stated.section),
        setup=lambda point: _setup(stated, point),
        measure=measure,
        metrics=METRICS,
        curves=curves,
        quick=Form(
            points=_points(quick_period_s, readings, combinations),
            replications=1,
            note=f"one replication, {3 * quick_period_s} s instead of 600 s{fewer}"
            if quick_period_s < FULL_PERIOD_S
            else "one replication instead of three",
        ),
        full=Form(points=_points(FULL_PERIOD_S), replications=3),
        claims=by_default(plain),
        plots=_plots(stated),
        describe=lambda outcome: [*_describe(stated, under(outcome, DEFAULT)), *side_by_side(plain, outcome)],
        notes=NOTES,
    )


NOTES = (
    'Two readings of the step: "physical", the edge node\'s output really gets slower; "told", only its controller is '
    'told another figure. Original XCP in the reading "told" is a control: nobody is told, so nothing happens.',
    'Utilization in the reading "told" is relative to the rate that is told.',
    NOTE,
    "Senders are those of ns-2 2.29, the paper's simulator: Reno's repair without limited transmit, feedback of ACKs "
    "of new data only. The first run of these cases was made with photocol's own (SACK, feedback of all ACKs), "
    "the last rows of the table; no claim is judged by them. With them the physical step leaves 0.64 instead of 0.38 "
    "of 45 Mb/s to original XCP. docs/validation/xcp.md has the same in ns-2.",
    "A timeout takes at least 1 s, as RFC 2988 says. The first run had 0.2 s, delays back as forth: then the longer "
    "delays at the first step make 79 flows time out for nothing, and utilization dips to 0.2 and less instead of 0.7. "
    "Expected values and tolerances are those from before that run.",
    "One packet of buffer at the edge node beside the one in transmission; 300 ms elsewhere.",
)


def _points(period_s: int, readings: Sequence[str] = (), combinations: int = len(COMBINATIONS)) -> tuple[Point, ...]:
    """So many combinations under the default reading, those that claims judge by under others."""
    points = tuple(
        {"algorithm": name, "step": step, "sender": sender, "period_s": period_s}
        for name, step, sender in COMBINATIONS[:combinations]
    )
    return with_readings(points, dict.fromkeys(readings, points[:JUDGED]))


def _setup(stated: Stated, point: Point) -> Setup:
    period_s = float(point["period_s"])
    changes = [(period_s, stated.allocated_mbps), (2 * period_s, stated.mbps)]
    steps, follows = algorithm_steps(str(point["algorithm"]), str(point["step"]), changes)
    return Setup(
        scenario=scenario(
            mbps=stated.mbps,
            duration_s=3 * period_s,
            steps=steps,
            follows=follows,
            sender=str(point["sender"]),
            **READINGS[str(point["reading"])],
        )
    )


def _chosen(frame: pl.DataFrame, algorithm: str, step: str) -> pl.DataFrame:
    here = {"algorithm": algorithm, "step": step, "sender": ONE_WAY, "reading": DEFAULT}
    return frame.filter(*(pl.col(axis) == value for axis, value in here.items()))


def _draw_windows(axes: Axes, frame: pl.DataFrame, algorithm: str, step: str) -> None:
    chosen = _chosen(frame, algorithm, step)
    for look, flow in zip(looks(len(REPORTED)), REPORTED, strict=True):
        course(axes, chosen["t_s"], chosen[f"window_{flow}"], look, f"flow #{flow}")
    axes.set_xlabel(f"time (s); {algorithm}, {step} step; means and ranges of spans")
    axes.set_ylabel("congestion window (packets)")
    axes.set_ylim(0, None)
    frame_of(axes)


def _draw_lines(axes: Axes, frame: pl.DataFrame, column: str, label: str) -> None:
    for look, (algorithm, step, _) in zip(looks(3), COMBINATIONS[:3], strict=True):
        chosen = _chosen(frame, algorithm, step)
        course(axes, chosen["t_s"], chosen[column], look, f"{algorithm}, {step}")
    axes.set_xlabel("time (s); means and ranges of spans")
    axes.set_ylabel(label)
    axes.set_ylim(0, None)
    frame_of(axes)


def _plots(stated: Stated) -> tuple[Plot, ...]:
    def windows(algorithm: str, step: str) -> Plot:
        return Plot(
            name=f"windows-{algorithm}-{step}",
            draw=lambda axes, frame: _draw_windows(axes, frame, algorithm, step),
            of="curves",
        )

    def lines(name: str, column: str, label: str) -> Plot:
        return Plot(name=name, draw=lambda axes, frame: _draw_lines(axes, frame, column, label), of="curves")

    pictures = [
        windows(XCP, PHYSICAL),
        windows(XCP_CL, PHYSICAL),
        windows(XCP_CL, TOLD),
        lines("utilization", "utilization", "utilization of the allocated rate"),
    ]
    if stated.number == 1:
        pictures.append(lines("rate", "rate_1", "window / round trip of flow #1 (kB/s)"))
        pictures.append(lines("queue", "mean_queue", "mean queue at the edge node (packets)"))
    return tuple(pictures)


def _describe(stated: Stated, outcome: Outcome) -> list[str]:
    sentences = []
    for algorithm, step, sender in COMBINATIONS[: len(outcome.table)]:
        row = row_of(outcome, algorithm, step, sender)
        level, window, drops = ([row[f"{name}_{n}"] for n in (1, 2, 3)] for name in ("utilization", "window", "drops"))
        sentences.append(
            f"{algorithm}, {step}, {sender} senders: utilization {listed(level, '.3f')}; windows "
            f"{listed(window, '.1f')} packets; drops {listed(drops, '.0f')}."
        )
    return [
        f"Paper: XCP {stated.xcp_windows[0]:g}, {stated.xcp_swing[0]:g} to {stated.xcp_swing[1]:g}, "
        f"{stated.xcp_windows[1]:g} packets, utilization {stated.xcp_utilization:g} in the step; XCP-CL "
        f"{listed(stated.cl_windows, 'g')} packets, utilization 1, no queue, no drop.",
        *sentences,
    ]
