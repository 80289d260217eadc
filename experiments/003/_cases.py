"""Cases 1 to 3 of paper 003, which differ in the rate alone: what they run, measure, claim and draw.

The paper mixes two readings of the step, so each claim on XCP-CL is judged twice: if only what the controller is told
changes, and if the rate really does. Windows, rates and utilization are measured as chapter 5 says (`_packets`). The
claims in this form, and their tolerances, were committed before the first run of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source

from ._aapn import (
    HEADER,
    ONE_WAY,
    PACKET,
    PAPER,
    REPORTED,
    Trace,
    algorithm_steps,
    curves,
    listed,
    scenario,
)
from ._case_claims import claims
from ._courses import Courses
from ._packets import Acks, trace_of, traced
from ._readings import AS_FORTH, CONSTANT, GROUPS, READINGS, by_default, note, side_by_side, under, with_readings
from ._stated import COMBINATIONS, JUDGED, row_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from photocol.experiment import RunResult

    from ._stated import Stated

DIP_S, EARLY_S = 20.0, 30.0
FULL_PERIOD_S = 200
SAMPLE_S = 0.1
"""Utilization is averaged over a period's longest round trip, which is 3 or 4 of these."""


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
    Metric(name="smoothed_dip", label="the former by smoothed round trips", form=".1f"),
    Metric(name="smoothed_peak", label="the latter", form=".1f"),
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
    acks = Acks.of(trace_of(result), 1, PACKET - HEADER)
    late = [trace.late(period) for period in range(3)]
    utilization = trace.utilization()
    wide = trace.whole(1)
    smoothed = trace.rate()
    return {
        "full_after_s": trace.full_after(),
        "dip_1_to_2": trace.least_utilization(1, trace.after(1, DIP_S)),
        "dip_2_to_3": trace.least_utilization(2, trace.after(2, DIP_S)),
        **_at_acks(acks, trace.period_s),
        "smoothed_dip": float(smoothed[trace.after(1, DIP_S)].min()),
        "smoothed_peak": float(smoothed[trace.after(2, DIP_S)].max()),
        "unfairness_2": trace.spread_of_goodputs(late[1]),
        "queue_1": float(np.mean(trace.link("mean_queue")[late[0]])),
        "queue_2": float(np.mean(trace.link("mean_queue")[wide])),
        "queue_max": float(result.links.filter(pl.col("link") == "ri->rj")["max_queue"][0]),
        "first_queue_1": float(np.mean(trace.link("mean_queue", "rs->ri")[late[0]])),
        **{f"utilization_{n + 1}": float(np.mean(utilization[late[n]])) for n in range(3)},
        **{f"drops_{n + 1}": trace.drops(trace.within(n * trace.period_s, (n + 1) * trace.period_s)) for n in range(3)},
        **{f"interval_{n + 1}_s": float(np.mean(trace.link("mean_rtt")[late[n]])) for n in range(3)},
    }


def _at_acks(acks: Acks, period_s: float) -> dict[str, float]:
    """Flow #1's windows in packets and its rates in kB/s, when ACKs reach it; nothing is 0 if none does."""
    window = acks.window / (PACKET - HEADER)
    timed = ~np.isnan(acks.rtt)
    rate = np.where(timed, window * PACKET / 1e3 / np.where(timed, acks.rtt, 1), np.nan)
    figures: dict[str, float] = {}
    for number in range(3):
        start, end = number * period_s, (number + 1) * period_s
        late = acks.within(start + period_s / 2, end)
        level = float(np.mean(window[late])) if late.any() else 0.0
        away = acks.within(start, end) & (np.abs(window - level) > 0.1 * level)
        band = measured(rate[late])
        low, high = np.quantile(band, [0.025, 0.975])
        figures |= {
            f"window_{number + 1}": level,
            f"rate_{number + 1}": float(np.mean(band)),
            f"ripple_{number + 1}": float(high - low) / 2,
        }
        if number > 0:
            figures[f"settles_{number + 1}_s"] = float(acks.t[away].max()) - start if away.any() else 0.0
    wide = acks.within(1.1 * period_s, 2 * period_s)
    span = min(DIP_S, period_s / 2)
    beginning = [measured(rate[acks.within(number * period_s, number * period_s + span)]) for number in (1, 2)]
    early = acks.within(0, EARLY_S)
    peak = int(np.argmax(np.where(early, window, 0)))
    return {
        **figures,
        "window_2_least": float(window[wide].min()) if wide.any() else 0.0,
        "window_2_greatest": float(window[wide].max()) if wide.any() else 0.0,
        "rate_2_least": float(measured(rate[wide]).min()),
        "rate_2_greatest": float(measured(rate[wide]).max()),
        "rate_dip": float(beginning[0].min()),
        "rate_peak": float(beginning[1].max()),
        "early_peak_at_s": float(acks.t[peak]),
        "early_peak": float(window[peak]) / max(figures["window_1"], 1e-9),
    }


def measured(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """Those whose round trip is known; a flow without any waits for its timer: 0."""
    known = rate[~np.isnan(rate)]
    return known if len(known) else np.zeros(1)


def case(
    stated: Stated,
    *,
    quick_period_s: int,
    reasons: Mapping[str, str],
    more_claims: Sequence[Claim] = (),
    readings: Sequence[str] = (CONSTANT, AS_FORTH),
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
        claims=by_default(plain, GROUPS),
        plots=_plots(stated),
        describe=lambda outcome: [*_describe(stated, under(outcome, GROUPS)), *side_by_side(plain, outcome)],
        notes=NOTES,
    )


NOTES = (
    'Two readings of the step: "physical", the edge node\'s output really gets slower; "told", only its controller is '
    'told another figure. Original XCP in the reading "told" is a control: nobody is told, so nothing happens.',
    'Utilization in the reading "told" is relative to the rate that is told.',
    note(GROUPS),
    "Windows are read when ACKs of new data reach flow #1, and its rate is the window over the round trip of the "
    "segment acknowledged; utilization is a mean over the longest round trip of a period (0.3 or 0.4 s).",
    "Senders repair losses as Reno does, without limited transmit, and obey the feedback of ACKs of new data only. "
    "ns-2's own one-way XCP has limited transmit, a minimum RTO of 0.2 s and a round trip timed by every ACK "
    "(docs/validation/xcp.md has both side by side). With photocol's own senders (SACK, feedback of all ACKs), the "
    "last rows of the table, the physical step leaves 0.64 instead of 0.38 of 45 Mb/s; no claim is judged by them.",
    "A timeout takes at least 1 s, as RFC 2988 says. With 0.2 s and delays back as forth, the longer delays at the "
    "first step make 79 flows time out for nothing.",
    "One packet of buffer at the edge node beside the one in transmission; 300 ms elsewhere.",
)


def _points(period_s: int, readings: Sequence[str] = (), combinations: int = len(COMBINATIONS)) -> tuple[Point, ...]:
    """So many combinations under the default reading, those that claims judge by under others."""
    points = tuple(
        {"algorithm": name, "step": step, "sender": sender, "period_s": period_s}
        for name, step, sender in COMBINATIONS[:combinations]
    )
    return with_readings(points, dict.fromkeys(readings, points[:JUDGED]), GROUPS)


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
            sample_s=SAMPLE_S,
            trace=traced([1], []),
            **READINGS[str(point["reading"])],
        )
    )


def _run(algorithm: str, step: str) -> dict[str, str]:
    return {"algorithm": algorithm, "step": step, "sender": ONE_WAY, "reading": GROUPS}


def _flows(name: str, column: str, label: str) -> list[Plot]:
    """Five flows, a picture for each combination that the paper shows."""
    return [
        Courses(
            curves={f"flow #{flow}": (_run(algorithm, step), f"{column}_{flow}") for flow in REPORTED},
            label=label,
            told=f"{algorithm}, {step} step; means and ranges of spans",
        ).plot(f"{name}-{algorithm}-{step}")
        for algorithm, step, _ in COMBINATIONS[:3]
    ]


def _combinations(name: str, column: str, label: str) -> Plot:
    """A curve for each combination that the paper shows."""
    runs = {f"{algorithm}, {step}": (_run(algorithm, step), column) for algorithm, step, _ in COMBINATIONS[:3]}
    return Courses(curves=runs, label=label).plot(name)


def _plots(stated: Stated) -> tuple[Plot, ...]:
    pictures = [
        *_flows("windows", "window", "congestion window (packets)"),
        _combinations("utilization", "utilization", "utilization of the allocated rate"),
    ]
    if stated.number == 1:
        pictures += _flows("rates", "rate", "window / round trip (kB/s)")
        pictures.append(_combinations("rate", "rate_1", "window / round trip of flow #1 (kB/s)"))
        pictures.append(_combinations("queue", "mean_queue", "mean queue at the edge node (packets)"))
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
