"""The jobs of an experiment and how they are carried out.

A job is one replication of one point. Jobs are independent: each is described by plain values, does its own run and
leaves its own directory, written under another name and renamed, so that a directory is either a whole row or not
there. An executor turns jobs into rows in any order; the one here uses the cores of this machine.
"""

from __future__ import annotations

import inspect
import json
import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import quote

from photocol import storage
from photocol.catalogue import load_experiment, scenario_path
from photocol.experiment import Evaluation, Trial

if TYPE_CHECKING:
    import polars as pl

    from photocol.experiment import Experiment, Form, Point, RunResult, Setup, Value

# A signal may be delivered to any thread; the main thread acts on it only when it wakes.
_NOTICE_INTERRUPTS_S = 0.2


class JobError(Exception):
    """A job failed; the message names it and the cause."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One replication of one point, self-contained: it can be sent to another process or machine."""

    experiment_file: str
    point: Point
    settings: Mapping[str, Value]
    """The form's settings; the point's own come from the experiment's `setup`."""
    seed: int

    @property
    def name(self) -> str:
        """The job's directory: axis=value,…,seed=n; different jobs of a form have different names."""
        parts = {**self.point, "seed": self.seed}
        return ",".join(f"{axis}={quote(str(value), safe='')}" for axis, value in parts.items())


@dataclass(frozen=True, kw_only=True)
class Row:
    """What one job measured."""

    point: Point
    seed: int
    metrics: Mapping[str, float]
    manifest: Mapping[str, object]
    """The run's own record: version, fingerprint, cost, the command that repeats it."""
    curves: pl.DataFrame | None = None
    """Its time series, if it is the first replication and the experiment asks for them."""


class Runner(Protocol):
    """What runs a scenario once; `engine` is one."""

    def __call__(
        self, scenario: str | Path | Mapping[str, object], *, seed: int, settings: Mapping[str, Value]
    ) -> RunResult:
        """Run it with these keys changed."""
        ...


Executor = Callable[[Iterable[Job]], Generator[Row]]
"""Carries jobs out and yields their rows as they finish, in any order; closing it ends what is under way."""


def engine(scenario: str | Path | Mapping[str, object], *, seed: int, settings: Mapping[str, Value]) -> RunResult:
    """The simulator, imported when it is first needed."""
    import photocol

    return photocol.run(scenario, seed=seed, set=dict(settings))


def evaluated(model: str, inputs: Mapping[str, Value]) -> RunResult:
    """A model's outputs as the summary of a result that has no tables."""
    from photocol.models import result

    return result(model, inputs)


def tried(trial: Trial, *, seed: int, settings: Mapping[str, Value]) -> RunResult:
    """A trial's figures as the summary of a result that has no tables."""
    from photocol import __version__
    from photocol.results import Figure, Result, Summary

    arguments = {**trial.arguments, **settings}
    figures = {name: Figure(value, "") for name, value in trial.function(seed=seed, **arguments).items()}
    manifest = {"trial": trial.function.__name__, "arguments": arguments, "seed": seed, "version": __version__}

    def no_table(table: str) -> pl.DataFrame:
        raise ValueError(f"a trial has no table {table}")

    return Result(summary=Summary(figures), manifest=manifest, table=no_table)


def jobs_of(experiment: Experiment, form: Form, file: Path) -> list[Job]:
    """All jobs, replication by replication, so that an interrupted campaign has every point of the first ones."""
    return [
        Job(experiment_file=str(file), point=point, settings=form.settings, seed=experiment.first_seed + replication)
        for replication in range(form.replications)
        for point in form.points
    ]


@dataclass(frozen=True, kw_only=True)
class Worker:
    """Carries out one job and stores its row in `folder`."""

    folder: Path
    run: Runner = engine

    def __call__(self, job: Job) -> Row:
        """The row of the job."""
        try:
            row = perform(job, run=self.run)
        except Exception as error:
            raise JobError(f"{job.name}: {type(error).__name__}: {error}") from error
        store(row, self.folder / job.name)
        return row


def perform(job: Job, *, run: Runner) -> Row:
    """Run the job's scenario, or ask its model, or carry out its trial, and measure it."""
    file = Path(job.experiment_file)
    experiment = load_experiment(file)
    setup = experiment.setup(job.point)
    if isinstance(setup, Evaluation):
        result = evaluated(setup.model, {**setup.inputs, **job.settings})
    elif isinstance(setup, Trial):
        result = tried(setup, seed=job.seed, settings=job.settings)
    else:
        result = run(_scenario(setup, file), seed=job.seed, settings={**setup.settings, **job.settings})
    metrics = {name: float(value) for name, value in experiment.measure(result).items()}
    _check_metrics(experiment, metrics)
    wanted = experiment.curves if job.seed == experiment.first_seed else None
    curves = None if wanted is None else wanted(result)
    return Row(point=job.point, seed=job.seed, metrics=metrics, manifest=result.manifest, curves=curves)


def faults(experiment: Experiment, file: Path) -> list[str]:
    """What is wrong with the points of both forms, each with its experiment, form, point and key; nothing is run.

    Scenarios are read, resolved and checked, models asked, which is as quick; trials must take their arguments.
    """
    found = []
    for name in ("quick", "full"):
        form = experiment.form(name)
        for point in form.points:
            try:
                _plan(experiment, file, point, form.settings)
            except Exception as error:
                where = ", ".join(f"{axis}={value}" for axis, value in point.items())
                found.append(f"{experiment.id}, {name} form, point {where}: {type(error).__name__}: {error}")
    return found


def _plan(experiment: Experiment, file: Path, point: Point, settings: Mapping[str, Value]) -> None:
    from photocol.scenario import load

    setup = experiment.setup(point)
    if isinstance(setup, Evaluation):
        evaluated(setup.model, {**setup.inputs, **settings})
    elif isinstance(setup, Trial):
        inspect.signature(setup.function).bind(seed=experiment.first_seed, **{**setup.arguments, **settings})
    else:
        load(_scenario(setup, file), {**setup.settings, **settings})


def store(row: Row, target: Path) -> None:
    """Write the row as `target/row.json` beside its run's `manifest.json`, and its curves if it has some.

    `target` appears whole or not at all.
    """
    measured = {"point": dict(row.point), "seed": row.seed, "metrics": dict(row.metrics)}

    def fill(folder: Path) -> None:
        for name, content in (("row.json", measured), (storage.MARK, dict(row.manifest))):
            (folder / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        if row.curves is not None:
            row.curves.write_parquet(folder / "curves.parquet")

    storage.write_directory(target, fill)


def kept(job: Job, folder: Path) -> Row | None:
    """The row that an earlier campaign left in `folder`, if its run was this job's to the last key of the scenario.

    Models and trials are asked again: they have no scenario to compare.
    """
    from photocol import __version__
    from photocol.scenario import digest, load

    source, file = folder / job.name, Path(job.experiment_file)
    try:
        measured = json.loads((source / "row.json").read_text(encoding="utf-8"))
        manifest = json.loads((source / storage.MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    experiment = load_experiment(file)
    setup = experiment.setup(job.point)
    if isinstance(setup, Evaluation | Trial):
        return None
    scenario = load(_scenario(setup, file), {**setup.settings, **job.settings})
    found = [manifest.get(key) for key in ("version", "seed", "scenario_sha256")]
    if found != [__version__, job.seed, digest(scenario.explain())]:
        return None
    if set(measured["metrics"]) != {metric.name for metric in experiment.metrics}:
        return None
    curves = source / "curves.parquet"
    has_curves = experiment.curves is not None and job.seed == experiment.first_seed
    if has_curves != curves.exists():
        return None
    table = _parquet(curves) if has_curves else None
    return Row(point=job.point, seed=job.seed, metrics=measured["metrics"], manifest=manifest, curves=table)


def _parquet(file: Path) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(file)


def remove_unfinished(folder: Path) -> None:
    """Remove what jobs that were killed while writing have left in `folder`."""
    storage.remove_leftovers(folder)


def on_this_machine(work: Callable[[Job], Row], *, workers: int) -> Executor:
    """An executor on this many processes; with one, the jobs run in this process."""
    if workers == 1:
        return lambda jobs: (work(job) for job in jobs)
    return lambda jobs: _in_processes(work, jobs, workers)


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _in_processes(work: Callable[[Job], Row], jobs: Iterable[Job], workers: int) -> Generator[Row]:
    """Fresh processes (a forked one would inherit threads and locks).

    After a failed job no new one starts and those under way finish; if the caller stops listening, all end at once.
    """
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_depend_on_the_parent)
    try:
        pending = {pool.submit(work, job) for job in jobs}
        while pending:
            finished, pending = wait(pending, timeout=_NOTICE_INTERRUPTS_S, return_when=FIRST_COMPLETED)
            for future in finished:
                yield _row(future)
    except JobError:
        pool.shutdown(cancel_futures=True)
        raise
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
            process.join()
        raise
    pool.shutdown()


def _row(future: Future[Row]) -> Row:
    try:
        return future.result()
    except BrokenProcessPool as error:
        raise JobError("a worker process died; was the memory exhausted?") from error


def _depend_on_the_parent() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the parent; end by SIGTERM, and when it dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    """Without this, the worker of a parent that was killed would wait for jobs for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _scenario(setup: Setup, file: Path) -> str | Path | Mapping[str, object]:
    if isinstance(setup.scenario, Mapping):
        return setup.scenario
    return scenario_path(setup.scenario, file)


def _check_metrics(experiment: Experiment, metrics: Mapping[str, float]) -> None:
    expected = [metric.name for metric in experiment.metrics]
    if set(metrics) != set(expected):
        raise ValueError(f"`measure` gives {sorted(metrics)}, the experiment declares {sorted(expected)}")
    for name, value in metrics.items():
        if not math.isfinite(value):
            raise ValueError(f"the metric {name} is {value}")
