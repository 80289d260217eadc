"""What the two fast-change experiments of paper 003 share: runs, windows against their expected values, pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.claims import Predicate, Values, at_least, values
from photocol.experiment import Experiment, Form, Metric, Plot, Point, Setup, Source

from ._aapn import (
    FLOWS,
    HEADER,
    HOPS,
    PACKET,
    PAPER,
    PHYSICAL,
    REPORTED,
    TOLD,
    XCP,
    XCP_CL,
    Trace,
    algorithm_steps,
    curves,
    scenario,
)
from ._case_claims import ALIVE, Said, under_steps
from ._courses import Courses
from ._packets import Acks, trace_of, traced
from ._readings import (
    AS_FORTH,
    CONSTANT,
    DELAYS_MS,
    GROUPS,
    KEPT,
    READINGS,
    by_default,
    note,
    side_by_side,
    with_readings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from photocol.experiment import RunResult

MBPS, ALLOCATED = 45.0, 40.0
COMBINATIONS = ((XCP_CL, TOLD), (XCP_CL, PHYSICAL), (XCP, PHYSICAL), (XCP, TOLD))
_POINTS: tuple[Point, ...] = tuple({"algorithm": algorithm, "step": step} for algorithm, step in COMBINATIONS)


def points(default: str) -> tuple[Point, ...]:
    """Every combination under the default reading of the network."""
    return with_readings(_POINTS, {}, default)


def quick_points(default: str) -> tuple[Point, ...]:
    """The same under the other readings too."""
    others = [reading for reading in (CONSTANT, GROUPS, KEPT, AS_FORTH) if reading != default]
    return with_readings(_POINTS, dict.fromkeys(others, _POINTS), default)


SETTLE_S = 20.0
"""Left out after each change of the delays when windows are compared."""


def setup(point: Point, changes: Sequence[tuple[float, float]], duration_s: float, sample_s: float) -> Setup:
    """45 Mb/s with changes (time, Mb/s) at the edge node."""
    steps, follows = algorithm_steps(str(point["algorithm"]), str(point["step"]), changes)
    reading = READINGS[str(point["reading"])]
    return Setup(
        scenario=scenario(
            mbps=MBPS,
            duration_s=duration_s,
            steps=steps,
            follows=follows,
            sample_s=sample_s,
            trace=traced([1], []),
            **reading,
        )
    )


def alternating(every_s: float, duration_s: float) -> list[tuple[float, float]]:
    """45 and 40 Mb/s by turns."""
    count = round(duration_s / every_s)
    return [(number * every_s, ALLOCATED if number % 2 else MBPS) for number in range(1, count)]


def expected_window(trace: Trace) -> NDArray[np.float64]:
    """Flow #1's share of the allocated rate times its empty round trip, in packets."""
    period = np.clip((trace.t - 1e-9) // trace.period_s, 0, 2).astype(int)
    rtt = np.array(DELAYS_MS[0])[period] / 1e3 + HOPS * PACKET * 8 / MBPS / 1e6 + trace.back(1)
    return trace.allocated * 1e6 / 8 / PACKET / FLOWS * rtt


@dataclass(frozen=True)
class Windows:
    """Flow #1's windows in packets, when ACKs reach it, and what goes with them."""

    t: NDArray[np.float64]
    window: NDArray[np.float64]
    expected: NDArray[np.float64]
    allocated: NDArray[np.float64]

    @classmethod
    def of(cls, result: RunResult, trace: Trace) -> Windows:
        """From the trace of events."""
        acks = Acks.of(trace_of(result), 1, PACKET - HEADER)
        sample = np.minimum(np.searchsorted(trace.t, acks.t), len(trace.t) - 1)
        window = acks.window / (PACKET - HEADER)
        return cls(t=acks.t, window=window, expected=expected_window(trace)[sample], allocated=trace.allocated[sample])

    def within(self, start: float, end: float) -> NDArray[np.float64]:
        """The windows of a time."""
        return self.window[(self.t > start) & (self.t <= end)]

    def error(self, period_s: float, settle_s: float) -> float:
        """Mean distance from the expected window, but for the beginning of each period."""
        inside = np.mod(self.t, period_s) > settle_s
        return float(np.mean(np.abs(self.window[inside] / self.expected[inside] - 1)))

    def at(self, mbps: float, start: float, end: float, every_s: float) -> float:
        """The mean in a time, in the second half of each interval at a rate; 0 if nobody is told this rate."""
        late = np.mod(self.t, every_s) > every_s / 2
        chosen = self.window[(self.t > start) & (self.t <= end) & late & (self.allocated == mbps)]
        return float(np.mean(chosen)) if len(chosen) else 0.0


def settled(trace: Trace, settle_s: float) -> NDArray[np.bool_]:
    """Samples that are not just after a change of the delays (or the start)."""
    inside = np.zeros(len(trace.t), dtype=bool)
    for period in range(3):
        start = period * trace.period_s
        inside |= trace.within(start + settle_s, start + trace.period_s)
    return inside


def common(trace: Trace, result: RunResult, windows: Windows, settle_s: float) -> dict[str, float]:
    """Figures of both experiments."""
    everything = trace.within(0, 3 * trace.period_s)
    return {
        "utilization": float(np.mean(trace.utilization()[trace.within(5, 3 * trace.period_s)])),
        "window_error": windows.error(trace.period_s, settle_s),
        "drops": trace.drops(everything),
        "queue": float(np.mean(trace.link("mean_queue"))),
        "queue_max": float(result.links.filter(pl.col("link") == "ri->rj")["max_queue"][0]),
        "dip_delays": trace.least_utilization(1, trace.after(1, SETTLE_S)),
    }


COMMON_METRICS = (
    Metric(name="utilization", label="utilization from 5 s on"),
    Metric(name="window_error", label="window of flow #1, mean distance from expected"),
    Metric(name="drops", label="drops", form=".0f"),
    Metric(name="queue", label="mean queue (packets)"),
    Metric(name="queue_max", label="greatest", form=".0f"),
    Metric(name="dip_delays", label="dip where the delays change first"),
)


def traces(result: RunResult) -> pl.DataFrame:
    """The common curves, and the expected window of flow #1."""
    return curves(result).with_columns(pl.Series("expected_1", expected_window(Trace.of(result))))


def plots(default: str) -> tuple[Plot, ...]:
    """Flow #1 beside its expected window, five flows, and the utilization, under a reading of the network."""
    runs = {one: {"algorithm": one[0], "step": one[1], "reading": default} for one in COMBINATIONS}
    told = runs[XCP_CL, TOLD]
    first = {f"{XCP_CL}, {step}": (runs[XCP_CL, step], "window_1") for step in (TOLD, PHYSICAL)}
    expected = {"expected": (told, "expected_1")}
    five = {f"#{flow}": (told, f"window_{flow}") for flow in REPORTED}
    full = {", ".join(one): (run, "utilization") for one, run in runs.items()}
    return (
        Courses(curves=first | expected, label="window of flow #1 (packets)", told="").plot("window"),
        Courses(curves=five, label="congestion window (packets), xcp-cl, told", told="").plot("windows"),
        Courses(curves=full, label="utilization of the allocated rate", told="").plot("utilization"),
    )


def figure(
    metric: str, step: str, algorithm: str = XCP_CL, form: str = ".3f", unit: str = "", name: str = ""
) -> Values:
    """A metric of a combination, under the one reading of the outcome."""
    return values(metric, algorithm=algorithm, step=step).told(form, unit, name)


def alive(step: str, metric: str) -> Predicate:
    """XCP-CL's windows are not what a collapse left of them."""
    return at_least(figure(metric, step, name="utilization"), ALIVE)


def fast_change(
    name: str,
    title: str,
    source: tuple[str, str],
    *,
    default: str,
    setup: Callable[[Point], Setup],
    measure: Callable[[RunResult], Mapping[str, float]],
    metrics: Sequence[Metric],
    stated: Sequence[Said],
    where: str,
) -> Experiment:
    """A fast change; `source` has figures and section, `default` is the reading of the network that claims rest on."""
    figures, section = source
    claims = tuple(claim for said in stated for claim in under_steps(said, where))
    return Experiment(
        id=name,
        title=title,
        source=Source(paper=PAPER, figures=figures, section=section),
        setup=setup,
        measure=measure,
        metrics=(*COMMON_METRICS, *metrics),
        curves=traces,
        quick=Form(points=quick_points(default), replications=1, note="one replication instead of three"),
        full=Form(points=points(default), replications=3),
        claims=by_default(claims, default),
        plots=plots(default),
        describe=lambda outcome: side_by_side(claims, outcome),
        notes=(
            "The two readings of a change, the network and the senders are those of 003/case-1; one packet of buffer.",
            note(default),
        ),
    )
