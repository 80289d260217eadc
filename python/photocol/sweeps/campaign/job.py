"""One job of a campaign: one replication of one point.

Jobs are independent. Each is described by plain values, finds its study by its origin, does its own run and gives
a row.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import math
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from photocol.sweeps.campaign.study import Evaluation, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from photocol.runs.scenario import ScenarioText
    from photocol.sweeps.campaign.study import Origin, Point, RunResult, Setup, Value

_LONGEST_NAME = 200
"""Bytes of a directory's name; file systems take 255."""


class JobError(Exception):
    """A job failed; the message names it and the cause."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One replication of one point, self-contained: it can be sent to another process or machine."""

    origin: Origin
    point: Point
    settings: Mapping[str, Value]
    """Keys set at every point; the point's own come from the study's `setup`."""
    seed: int

    @functools.cached_property
    def name(self) -> str:
        """The job's directory; different jobs of a campaign have different names."""
        return cell_name(self.point, self.seed)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one job measured."""

    point: Point
    seed: int
    metrics: Mapping[str, float]
    manifest: Mapping[str, object]
    """The run's own record: version, fingerprint, cost, the command that repeats it."""
    curves: pl.DataFrame | None = None
    """Its time series, if it is the first replication and the study asks for them."""
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """The run's tables that the study keeps."""

    @functools.cached_property
    def name(self) -> str:
        """The name of the job that gave it."""
        return cell_name(self.point, self.seed)


class Runner(Protocol):
    """What runs a scenario once; `engine` is one."""

    def __call__(
        self,
        scenario: str | Path | Mapping[str, object] | ScenarioText,
        *,
        seed: int,
        settings: Mapping[str, Value],
    ) -> RunResult:
        """Run it with these keys changed."""
        ...


def cell_name(point: Point, seed: int) -> str:
    """axis=value,…,seed=n; where that is too long for a name, its beginning and a hash."""
    parts = {**point, "seed": seed}
    name = ",".join(f"{_quoted(axis)}={_quoted(str(value))}" for axis, value in parts.items())
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[:100]}…{hashlib.sha256(name.encode()).hexdigest()[:16]},seed={seed}"


@functools.lru_cache(maxsize=1 << 16)
def _quoted(text: str) -> str:
    """As part of a name. Axes and values come again and again."""
    return quote(text, safe="")


def jobs_of(
    origin: Origin,
    points: Iterable[Point],
    *,
    seeds: Sequence[int],
    settings: Mapping[str, Value] | None = None,
) -> list[Job]:
    """All jobs, replication by replication, so that an interrupted campaign has every point of the first ones.

    Every point has the same seeds: points share their random numbers, and differ by what is different about them.
    """
    points = list(points)
    return [Job(origin=origin, point=point, settings=settings or {}, seed=seed) for seed in seeds for point in points]


def engine(
    scenario: str | Path | Mapping[str, object] | ScenarioText,
    *,
    seed: int,
    settings: Mapping[str, Value],
    threads: int = 1,
) -> RunResult:
    """The simulator, imported when it is first needed. A scenario's warnings are shown when the jobs are planned."""
    from photocol.runs.runner import Execution
    from photocol.runs.scenario import load

    return Execution(load(scenario, settings), seed=seed, threads=threads, settings=settings).complete()


def perform(job: Job, *, run: Runner = engine) -> Row:
    """Run the job's scenario, or ask its model, or carry out its trial, and measure it."""
    study = job.origin.study()
    setup = study.setup(job.point)
    job, settled = _settled(setup, job, run)
    result = _result(setup, job, run)
    metrics = settled | {name: float(value) for name, value in study.measure(result).items()}
    if study.metrics is None:
        metrics = {name: value for name, value in metrics.items() if math.isfinite(value)}
    else:
        _check_metrics(study.metrics, metrics)
    wanted = study.curves if job.seed == study.first_seed else None
    return Row(
        point=job.point,
        seed=job.seed,
        metrics=metrics,
        manifest={**_with_layers(result), "units": _units(result, metrics)},
        curves=None if wanted is None else wanted(result),
        tables={name: getattr(result, name) for name in study.tables},
    )


def _units(result: RunResult, metrics: Mapping[str, float]) -> dict[str, str]:
    """Of the metrics that are figures of the summary and have a unit."""
    figures = ((name, figure) for name, figure in result.summary.items() if name in metrics)
    return {name: figure.unit for name, figure in figures if figure.unit != "1"}


def check_plan(job: Job) -> Sequence[str]:
    """Raise what `perform` would raise about the job's description; nothing is run. Gives the laws in Python it names.

    Scenarios are read, resolved and checked, models asked, which is as quick; trials must take their arguments.
    """
    from photocol.runs.scenario import load

    setup = job.origin.study().setup(job.point)
    if isinstance(setup, Evaluation):
        evaluated(setup.model, {**setup.inputs, **job.settings})
    elif isinstance(setup, Trial):
        inspect.signature(setup.function).bind(seed=job.seed, **{**setup.arguments, **job.settings})
    else:
        return load(setup.scenario, {**setup.settings, **job.settings}).laws
    return ()


def evaluated(model: str, inputs: Mapping[str, Value]) -> RunResult:
    """A model's outputs as the summary of a result that has no tables."""
    from photocol.runs.models import result

    return result(model, inputs)


def tried(trial: Trial, *, seed: int, settings: Mapping[str, Value]) -> RunResult:
    """A trial's figures as the summary of a result that has no tables, but for the series that the trial gives."""
    from photocol import __version__
    from photocol.runs.results import Figure, Result, Summary

    arguments = {**trial.arguments, **settings}
    found = trial.function(seed=seed, **arguments)
    values, series = found if isinstance(found, tuple) else (found, None)
    figures = {name: Figure(value, "") for name, value in values.items()}
    manifest = {"trial": trial.function.__name__, "arguments": arguments, "seed": seed, "version": __version__}

    def only_series(table: str) -> pl.DataFrame:
        if table == "series" and series is not None:
            return series
        raise ValueError(f"a trial has no table {table}")

    return Result(summary=Summary(figures), manifest=manifest, table=only_series)


def _with_layers(result: RunResult) -> Mapping[str, object]:
    """The manifest with the fingerprints, where the result has some."""
    layers = getattr(result, "fingerprints", {})
    return {**result.manifest, "fingerprints": dict(layers)} if layers else result.manifest


def _result(setup: Setup | Evaluation | Trial, job: Job, run: Runner) -> RunResult:
    if isinstance(setup, Evaluation):
        return evaluated(setup.model, {**setup.inputs, **job.settings})
    if isinstance(setup, Trial):
        return tried(setup, seed=job.seed, settings=job.settings)
    settings = {**setup.settings, **job.settings}
    if setup.captured:
        return captured(setup, seed=job.seed, settings=settings)
    return run(setup.scenario, seed=job.seed, settings=settings)


def captured(setup: Setup, *, seed: int, settings: Mapping[str, Value]) -> RunResult:
    """A run whose packets are read before the file is removed."""
    from photocol.runs.capture import CAPTURE_NAME, Capture
    from photocol.runs.runner import Execution
    from photocol.runs.scenario import load

    with tempfile.TemporaryDirectory() as folder:
        capture = Capture(Path(folder) / CAPTURE_NAME, setup.captured)
        scenario = load(setup.scenario, settings)
        result = Execution(scenario, seed=seed, settings=settings, capture=capture).complete()
        assert result.packets is not None, "a captured run has packets"
        return result


def _settled(setup: Setup | Evaluation | Trial, job: Job, run: Runner) -> tuple[Job, dict[str, float]]:
    """The job with the warm-up that a pilot run has found, and that figure, where the set-up asks for it."""
    if isinstance(setup, Evaluation | Trial) or setup.warm_up is None:
        return job, {}
    from photocol.sweeps.campaign.warm_up import warm_up_s

    found = warm_up_s(setup, {**setup.settings, **job.settings}, seed=job.seed, run=run)
    return replace(job, settings={**job.settings, "run.warm_up": f"{found:.12g} s"}), {"warm_up_s": found}


def _check_metrics(expected: frozenset[str], metrics: Mapping[str, float]) -> None:
    if set(metrics) != expected:
        raise ValueError(f"`measure` gives {sorted(metrics)}, the experiment declares {sorted(expected)}")
    for name, value in metrics.items():
        if not math.isfinite(value):
            raise ValueError(f"the metric {name} is {value}")
