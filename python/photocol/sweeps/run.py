"""A sweep from its description to its tables."""

from __future__ import annotations

import functools
import importlib
import re
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol._core import ScenarioError
from photocol.errors import InputError, did_you_mean
from photocol.runs import laws
from photocol.runs.meanings import COUNTED, is_of_completions
from photocol.runs.scenario import ScenarioText, load
from photocol.sweeps import folder as folders
from photocol.sweeps import plots
from photocol.sweeps.campaign.job import check_plan
from photocol.sweeps.campaign.progress import Progress
from photocol.sweeps.campaign.run_campaign import Campaign, JobPlanner, Resources, resources, run_campaign
from photocol.sweeps.campaign.store import rows_in
from photocol.sweeps.campaign.study import Setup
from photocol.sweeps.campaign.table import grouped, outcome_of
from photocol.sweeps.folder import Described

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    import polars as pl

    from photocol.runs.scenario import ScenarioLike
    from photocol.sweeps.campaign.job import Job, Row
    from photocol.sweeps.campaign.store import Store
    from photocol.sweeps.campaign.study import Point, Value
    from photocol.sweeps.precision import Precision
    from photocol.sweeps.swept import SweepTable

_PERCENTILE = re.compile(r"_p\d+$")


@dataclass(frozen=True, kw_only=True)
class Part:
    """One of several parts into which the jobs are dealt, for machines that do not know of each other."""

    number: int = 1
    of: int = 1

    def share(self, jobs: Sequence[Job]) -> Sequence[Job]:
        """Its jobs."""
        return jobs[self.number - 1 :: self.of]


@dataclass(frozen=True, kw_only=True)
class Finished:
    """What a sweep has come to."""

    table: SweepTable
    replications: pl.DataFrame
    campaign: Campaign
    remarks: Sequence[str] = field(default=())
    """What a reader of the tables has to know."""


def describe(said: Mapping[str, Any], scenario: ScenarioLike, source: str = "sweep") -> Described:
    """The sweep with its scenario read. Raises InputError, ScenarioError."""
    base = load(scenario)
    place = Path(scenario).absolute() if isinstance(scenario, str) and "\n" not in scenario else None
    text = ScenarioText(base.text, str(place.parent if place else Path.cwd()), str(scenario) if place else base.name)
    return Described.of(said, text, base.seed, source)


def carry_out(
    described: Described,
    folder: Path,
    by: Resources,
    progress: Progress,
    *,
    force: bool = False,
    part: Part | None = None,
    permitted: Mapping[str, str] | None = None,
) -> Finished:
    """Have the runs done and the tables written. Raises InputError, ScenarioError, JobError.

    With `permitted`, real path to digest, only these files of laws in Python are executed.
    """
    points = described.sweep.plan.points()
    first = described.jobs(points)
    plots.check(described.sweep)
    store = folders.store_of(folder)
    named = _check_points(described, first[: len(points)], store if by.resume else None)
    if permitted is not None:
        laws.check_permitted(named, permitted)
    laws.announce(named)
    about = {"laws": laws.recorded(named)} if named else {}
    # Parts of one sweep begin in any order, and one may find what another has done.
    folders.open_folder(folder, described, resume=by.resume or part is not None, force=force)
    started, clock = datetime.now(UTC), time.monotonic()
    if part is None or folders.read_manifest(folder) is None:
        folders.open_manifest(
            folder, described, started=started.isoformat(timespec="seconds"), finished_runs=0, **about
        )
    planner: JobPlanner = functools.partial(_planned, described, points, first)
    if part is not None:
        by, share = replace(by, alone=False), part.share(first)
        planner = lambda _: share  # noqa: E731
    look = functools.partial(_look_at_first, described, progress, by) if len(first) > 1 else None
    with laws.only(permitted):
        campaign = run_campaign(planner, store, by, progress, look=look)
    rows = _ordered(points, campaign.rows.values())
    if part is not None or not rows:
        return _without_tables(campaign)
    metrics = chosen_metrics(described, rows)
    outcome = outcome_of(metrics, points, rows)
    folders.write_tables(folder, outcome.table, outcome.replications)
    from photocol.sweeps.swept import SweepTable

    table = SweepTable.of(
        outcome.table, units=units_of(rows), drawings=described.sweep.plots, asked=described.sweep.metrics
    )
    of_plots = plots.save(table.drawings, table, folder)
    folders.close_manifest(
        folder,
        described,
        rows,
        **about,
        started=started.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - clock, 3),
        finished_runs=len(rows),
        peak_memory_bytes=max(_bytes(row) for row in rows),
    )
    remarks = [*_remarks(described, points, rows), *of_plots] if campaign.stop is None else []
    return Finished(table=table, replications=outcome.replications, campaign=campaign, remarks=remarks)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A valid sweep: what a check finds of it."""

    scenario: str
    axes: Sequence[str]
    points: int
    runs: int
    """At least; a precision may ask for more."""
    warnings: Mapping[str, Sequence[str]]
    """Each with the points that have it, by the names of their directories."""


def checked(described: Described) -> Checked:
    """Look at every point without running any. Raises InputError, ScenarioError."""
    points = described.sweep.plan.points()
    jobs, axes = described.jobs(points), [axis.name for axis in described.sweep.plan.axes]
    plots.check(described.sweep)
    study, warnings = described.origin.study(), dict[str, list[str]]()
    for job in jobs[: len(points)]:
        setup = study.setup(job.point)
        assert isinstance(setup, Setup), "a sweep runs scenarios"
        try:
            loaded = load(setup.scenario, {**setup.settings, **job.settings})
        except ScenarioError as error:
            described.explain(error, job.point)
            raise
        for warning in loaded.warnings:
            warnings.setdefault(warning, []).append(job.name.rpartition(",seed=")[0])
    return Checked(scenario=described.scenario.name, axes=axes, points=len(points), runs=len(jobs), warnings=warnings)


def prepare(described: Described, folder: Path, *, resume: bool, force: bool) -> None:
    """Make the directory of a sweep that others carry out. Raises InputError, ScenarioError."""
    points = described.sweep.plan.points()
    named = _check_points(described, described.jobs(points)[: len(points)])
    folders.open_folder(folder, described, resume=resume, force=force)
    # Those who carry it out execute what the user has named here.
    laws.remember(named)
    folders.open_manifest(folder, described, finished_runs=0, **({"laws": laws.recorded(named)} if named else {}))


def sweep(
    scenario: ScenarioLike,
    *,
    grid: Mapping[str, Sequence[Value]] | None = None,
    zip: Mapping[str, Sequence[Value]] | None = None,  # noqa: A002
    axes: Sequence[Mapping[str, Any]] = (),
    schemes: Sequence[Mapping[str, Any]] = (),
    where: str | None = None,
    set: Mapping[str, Value] | None = None,  # noqa: A002
    seeds: int = 1,
    first_seed: int | None = None,
    metrics: Sequence[str] = (),
    warm_up: str | Mapping[str, str] | None = None,
    precision: Mapping[str, Any] | None = None,
    tables: Sequence[str] = (),
    jobs: int | None = None,
    dask: str | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool = False,
) -> SweepTable:
    """Run a scenario at every point of some axes and return a table: means with 95 % intervals.

    One row a point: the axes; per figure its mean and `<figure>_half_width`; `n` replications. All points share their
    seeds, so that differences between them are estimated better than each of them. The table is a polars frame that
    draws itself: `table.plot("goodput")`.

    Arguments:
        scenario: a path, TOML text, or the same thing as a dict.
        grid: key → values; every combination.
        zip: keys whose values go side by side.
        axes: as `[[axis]]` in a sweep.toml: name, key or keys, and a list, a range or a log-range.
        schemes: as `[[scheme]]` in a sweep.toml: a name, keys of the scenario, and `drop`; together an axis.
        where: a condition on the axes in SQL.
        set: keys that are the same at every point.
        seeds: replications of each point.
        first_seed: the first of them; by default the scenario's seed.
        metrics: figures of the summary; by default all of them.
        warm_up: "2 s", or {"mser5": "left->right", "quantity": "utilization"}: found by a pilot of each run.
        precision: {"metric": "goodput", "half_width": "1 %", "most": 100}: more seeds until the interval is narrow.
        tables: of the run, kept beside each row in `out`: "flows", "links", "series", "drops".
        jobs: processes at a time; by default one a core.
        dask: the address of a Dask scheduler, or "local" for a cluster of `jobs` workers.
        out: a directory for everything.
        resume: keep the runs that are in `out`.
        force: remove them.
        progress: whether it says how far it is.

    Raises InputError, ScenarioError, and JobError if a run fails. On Ctrl-C finished runs stay in `out`.
    """
    given: dict[str, Any] = {"grid": grid, "zip": zip, "axis": list(axes), "scheme": list(schemes)}
    given |= {"where": where, "set": set, "first_seed": first_seed, "metrics": list(metrics), "tables": list(tables)}
    given |= {"warm_up": warm_up, "precision": precision}
    said = {"seeds": seeds, **{key: value for key, value in given.items() if value}}
    described = describe(said, scenario)
    by = resources(workers=_checked_workers(jobs), resume=resume, dask=dask)
    with tempfile.TemporaryDirectory(prefix="photocol-sweep-") as temporary:
        folder = Path(temporary) / "sweep" if out is None else Path(out)
        done = carry_out(described, folder, by, Progress(is_quiet=not progress), force=force)
    if done.campaign.stop is not None:
        raise done.campaign.stop
    return done.table


def chosen_metrics(described: Described, rows: Sequence[Row]) -> list[str]:
    """The columns of the tables. Raises InputError if one that was asked for is no figure of any run."""
    there = folders.names_of(rows)
    for name in described.sweep.metrics:
        if name not in there:
            stem = _PERCENTILE.sub("_p", name)
            is_known = stem != name and any(other.startswith(stem) for other in there)
            few = " (too few values for that percentile)" if is_known else ""
            raise InputError(
                f"metrics: no run has a figure {name!r}{few}; {did_you_mean(name, there)}there are: {', '.join(there)}"
            )
    if not described.sweep.metrics:
        return there
    found = list(described.sweep.metrics)
    # What belongs to them: the warm-up that was found, and how many flows have no completion time.
    beside = ["warm_up_s", *(COUNTED if any(map(is_of_completions, found)) else ())]
    return [*found, *(name for name in beside if name in there and name not in found)]


def table_of(folder: Path) -> pl.DataFrame:
    """The table of means as it follows from the runs in a directory. Raises InputError."""
    described = folders.load(folder)
    points = described.sweep.plan.points()
    known = {tuple(point.values()) for point in points}
    rows = [row for row in rows_in(folder / folders.RUNS) if tuple(row.point.values()) in known]
    wanted = {job.name for job in _planned(described, points, described.jobs(points), rows)}
    rows = _ordered(points, (row for row in rows if row.name in wanted))
    return outcome_of(chosen_metrics(described, rows), points, rows).table


def units_of(rows: Sequence[Row]) -> dict[str, str]:
    """The unit of each figure that has one."""
    units: dict[str, str] = {}
    for row in rows:
        said = row.manifest.get("units")
        units |= said if isinstance(said, dict) else {}
    return units


def _look_at_first(described: Described, progress: Progress, by: Resources, row: Row) -> None:
    """What can be done when the first row is there and others still work."""
    _look_for_metrics(described, progress, row)
    if by.workers > 1:
        # The tables will need it, and nobody works while it is loaded then.
        threading.Thread(target=importlib.import_module, args=("polars",)).start()


def _look_for_metrics(described: Described, progress: Progress, row: Row) -> None:
    """Say at the first run, not at the last, that a figure is not there; other runs may have it."""
    precision = described.sweep.precision
    asked = [*described.sweep.metrics, *([] if precision is None else [precision.metric])]
    for name in dict.fromkeys(asked):
        if name not in row.metrics:
            hint = did_you_mean(name, row.metrics).rstrip()
            progress.say(f"the first run has no figure {name!r}" + (f"; {hint}" if hint else ""))


def _checked_workers(jobs: int | None) -> int | None:
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs is {jobs}: at least 1 process")
    return jobs


def _planned(described: Described, points: Sequence[Point], first: Sequence[Job], rows: Sequence[Row]) -> Sequence[Job]:
    """The first replications of every point, and those that its precision asks for."""
    precision = described.sweep.precision
    if precision is None or not rows:
        return first
    jobs = list(first)
    metrics = {
        group[0].name.rpartition(",seed=")[0]: {row.seed: row.metrics for row in group}
        for group in grouped(points, rows)
    }
    for job in jobs[: len(points)]:
        count = precision.wanted(
            described.sweep.seeds, metrics.get(job.name.rpartition(",seed=")[0], {}), described.first_seed
        )
        more = range(described.first_seed + described.sweep.seeds, described.first_seed + count)
        jobs += described.jobs_with([job.point], more)
    return jobs


def _check_points(described: Described, jobs: Sequence[Job], kept: Store | None = None) -> list[str]:
    """Raise what is wrong with a point before hours of work go into the others; the laws in Python of all."""
    named: list[str] = []
    for job in jobs:
        try:
            named += check_plan(job) if kept is None else kept.prepare([job])
        except ScenarioError as error:
            described.explain(error, job.point)
            raise
    return named


def _ordered(points: Sequence[Point], rows: Iterable[Row]) -> list[Row]:
    """The rows by point and seed, not as they finished: figures that only some have become columns in this order."""
    order = {tuple(point.values()): number for number, point in enumerate(points)}
    return sorted(rows, key=lambda row: (order[tuple(row.point.values())], row.seed))


def _without_tables(campaign: Campaign) -> Finished:
    import polars as pl

    from photocol.sweeps.swept import SweepTable

    return Finished(table=SweepTable(), replications=pl.DataFrame(), campaign=campaign)


def _remarks(described: Described, points: Sequence[Point], rows: Sequence[Row]) -> list[str]:
    remarks = []
    precision = described.sweep.precision
    if precision is not None:
        if not any(precision.metric in row.metrics for row in rows):
            raise InputError(f"precision: no run has a figure {precision.metric!r}")
        wide = _wide(precision, points, rows)
        if wide:
            remarks.append(
                f"{wide} of {len(points)} points have wider intervals than asked after {precision.most} runs"
            )
    unsettled = sum(row.metrics.get("warm_up_s", 0.0) >= 0.49 * row.metrics.get("duration", 0.0) > 0 for row in rows)
    if unsettled:
        remarks.append(
            f"{unsettled} runs had not settled by their middle, where MSER-5 stops looking: they are too short"
        )
    return remarks


def _wide(precision: Precision, points: Sequence[Point], rows: Sequence[Row]) -> int:
    return sum(
        not precision.is_met([row.metrics[precision.metric] for row in group if precision.metric in row.metrics])
        for group in grouped(points, rows)
    )


def _bytes(row: Row) -> int:
    held = row.manifest.get("peak_memory_bytes", 0)
    return held if isinstance(held, int) else 0
