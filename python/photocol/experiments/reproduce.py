"""`photocol reproduce`: run experiments on the cores of this machine, show the tables, check the claims.

Exit status: 0 done and no claim disagrees; 1 a run failed or a claim disagrees; 2 the request is wrong; 130 and 143
after Ctrl-C and SIGTERM (what had finished is kept and written). An experiment of which a run fails does not keep the
others from being run.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from photocol import ScenarioError, __version__
from photocol.errors import InputError, exit_status, failure, shown
from photocol.experiments import baselines
from photocol.experiments.catalogue import (
    ExperimentError,
    ExperimentFile,
    experiments_folder,
    find_experiments,
    load_experiment,
    select,
)
from photocol.experiments.record import Judged, Record, by_whose, cell, drawable, reason, record_of, tallied, write
from photocol.experiments.verdict import Verdict
from photocol.runs import builds, digests, known_code, machine, storage
from photocol.runs.laws import announce
from photocol.sweeps.campaign.job import JobError, Runner, check_plan, engine, jobs_of
from photocol.sweeps.campaign.local import available_cores
from photocol.sweeps.campaign.progress import Progress, duration
from photocol.sweeps.campaign.run_campaign import Campaign, Resources, resources, run_campaign
from photocol.sweeps.campaign.store import Store, campaign_files, read_manifest, rows_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from photocol.experiments.experiment import Experiment, FormName
    from photocol.sweeps.campaign.job import Job, Row

DONE, FAILED, WRONG_INPUT = 0, 1, 2
DEFAULT_OUT = Path("out") / "reproduce"
_COLOURS = {
    Verdict.AGREES: "green",
    Verdict.IN_SHAPE: "yellow",
    Verdict.CANNOT_BE_TOLD: "cyan",
    Verdict.DISAGREES: "red",
    Verdict.NOT_RUN: "magenta",
}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be reproduced, and how."""

    form_name: FormName
    resources: Resources
    out: Path
    results: Path
    """What the repository has recorded."""
    record: bool = False
    """Whether what is found is recorded there."""
    flows: Sequence[Path] = ()
    """Published lists of flows that a full form is judged with."""


def reproduce(
    targets: Sequence[str] = (),
    *,
    quick: bool = True,
    jobs: int | None = None,
    out: str | Path | None = None,
    quiet: bool = False,
    run: Runner = engine,
    resume: bool = False,
    dask: str | None = None,
    record: bool = False,
    flows: str | Path | Sequence[str | Path] = (),
) -> int:
    """Regenerate the figures that `targets` name (`PAPER` or `PAPER/FIGURE`; none: all) and return the exit status.

    With `resume` the runs that an interrupted campaign has left in `out` are kept; `dask` is the address of a
    scheduler; with `record` what a full form finds goes into the repository's `results/`; `flows` are published lists
    of flows, without which full forms that are judged with them are not run.
    """
    console = _console(quiet=quiet)
    try:
        if record and quick:
            raise ExperimentError("--record is for full forms: give --full too")
        experiments = [(load_experiment(file), file) for file in _files(targets)]
        request = Request(
            form_name="quick" if quick else "full",
            resources=resources(workers=_workers(jobs), resume=resume, dask=dask, run=run),
            out=Path(out or DEFAULT_OUT),
            results=experiments_folder().parent / "results",
            record=record,
            flows=[Path(file).absolute() for file in ([flows] if isinstance(flows, str | Path) else flows)],
        )
        _check_flows(request, [experiment for experiment, _ in experiments])
        return _all(experiments, request, console)
    except InputError as error:
        return _complain(error, WRONG_INPUT)
    except OSError as error:
        return _complain(failure(error), FAILED)


def _check_flows(request: Request, experiments: Sequence[Experiment]) -> None:
    """An error where lists of flows were given that nobody would read."""
    if not request.flows:
        return
    if request.form_name == "quick":
        raise ExperimentError("--flows is for full forms, and quick ones need no list: give --full too")
    if all(experiment.listed is None for experiment in experiments):
        raise ExperimentError("--flows: none of these experiments is judged with a list of flows")


def _all(experiments: Sequence[tuple[Experiment, Path]], request: Request, console: Console) -> int:
    """One experiment after another; the worst status, an interruption ends it."""
    worst = DONE
    for experiment, file in experiments:
        try:
            status, interrupted = _one(experiment, file, request, console)
        except JobError as error:
            status, interrupted = _complain(error, FAILED), False
        if interrupted:
            return status
        worst = max(worst, status)
    return worst


def _one(experiment: Experiment, file: Path, request: Request, console: Console) -> tuple[int, bool]:
    """Run, record and show one experiment: the status, and whether somebody has stopped it."""
    if experiment.listed is not None and request.form_name == "full" and not request.flows:
        console.print(f"[bold]{experiment.id}[/bold] not run: it needs --flows FILE, a list that is published:")
        console.print(escape(experiment.list_from), soft_wrap=True)
        return DONE, False
    jobs = _jobs(experiment, request, file)
    folder = request.out / experiment.id
    _announce(experiment, request, len(jobs), console)
    with contextlib.suppress(InputError, ScenarioError):  # A job that is wrong is told by its name when it is done.
        announce(check_plan(jobs[0]))
    started, clock = datetime.now(UTC), time.monotonic()
    store, progress = Store(folder / "runs" / request.form_name), Progress(is_quiet=console.quiet)
    campaign = run_campaign(lambda _: jobs, store, request.resources, progress)
    rows = list(campaign.rows.values())
    if campaign.stop is not None and not rows:
        console.print("Interrupted before the first run had finished: nothing is written.")
        return exit_status(campaign.stop), True
    record = record_of(experiment, request.form_name, rows, jobs=len(jobs))
    write(record, folder)
    seconds = time.monotonic() - clock
    about = _about(record, rows, started=started.isoformat(timespec="seconds"), seconds=seconds, kept=campaign.kept)
    code = {"file": str(file.absolute()), "sha256": digests.of_file(file)}
    known_code.remember({code["file"]: code["sha256"]})
    about["code"] = {experiment.id: code}
    files = campaign_files(folder, (store.folder / row.name for row in rows), read_manifest(folder))
    storage.write_text(folder / storage.MARK, digests.with_files(about, files))
    _show(record, folder, console)
    _compare(record, request, folder, console)
    console.print(f"{_counted(campaign, len(jobs), seconds)}{_speed(rows)}\n")
    if campaign.stop is not None:
        return exit_status(campaign.stop), True
    return FAILED if record.disagrees else DONE, False


def _about(record: Record, rows: Sequence[Row], **measured: object) -> dict[str, object]:
    """What made the record: the command, the version, the machine, the cost."""
    name = record.experiment.id
    costs = [cost for row in rows if isinstance(cost := row.manifest.get("cpu_s"), int | float)]
    return {
        "photocol": "reproduction",
        "experiment": name,
        "form": record.form_name,
        "version": __version__,
        "build": builds.this_build(),
        "command": f"photocol reproduce {name} --{record.form_name}",
        "runs": len(rows),
        "jobs_missing": record.jobs_missing,
        **measured,
        "cpu_s": sum(costs),
        "host": machine.described(),
        "pictures": [f"{plot.name}.png" for plot, _ in drawable(record)],
    }


def file_of(manifest: Mapping[str, object]) -> Path | None:
    """The file of the experiment that made a figure, if it is there."""
    try:
        return find_experiments(experiments_folder()).get(str(manifest.get("experiment")))
    except ExperimentError:
        return None


def table_of(folder: Path, manifest: Mapping[str, object]) -> pl.DataFrame:
    """The table as it follows from the runs in the directory of a figure. Raises InputError."""
    experiment = load_experiment(_files([str(manifest["experiment"])])[0])
    form_name: FormName = "full" if manifest["form"] == "full" else "quick"
    rows = list(rows_in(folder / "runs" / form_name))
    return record_of(experiment, form_name, rows, jobs=len(rows) + 1).outcome.table


def _compare(record: Record, request: Request, folder: Path, console: Console) -> None:
    """Say which verdicts have moved against what is recorded; then record, if that is wanted."""
    name = record.experiment.id
    if record.jobs_missing:
        return
    former = baselines.read(request.results, name)
    if former is not None:
        for sentence in baselines.moved(former, record.judged):
            console.print(escape(f"verdict moved: {sentence}"), soft_wrap=True)
    if request.record:
        console.print(escape(f"recorded in {baselines.keep(folder, request.results, name)}"), soft_wrap=True)


def _jobs(experiment: Experiment, request: Request, file: Path) -> list[Job]:
    form = experiment.form(request.form_name)
    seeds = range(experiment.first_seed, experiment.first_seed + form.replications)
    origin = ExperimentFile(str(file))
    if experiment.listed is None or request.form_name == "quick":
        return jobs_of(origin, form.points, seeds=seeds, settings=form.settings)
    lists = [(point, experiment.listed(point, request.flows)) for point in form.points]
    jobs = [
        job
        for seed in seeds
        for point, settings in lists
        if settings is not None
        for job in jobs_of(origin, [point], seeds=[seed], settings={**form.settings, **settings})
    ]
    if not jobs:
        raise ExperimentError(f"--flows: none of these is a list that {experiment.id} needs: {experiment.list_from}")
    return jobs


def _counted(campaign: Campaign, jobs: int, seconds: float) -> str:
    interrupted = "Interrupted. " if campaign.stop is not None else ""
    kept = f", {campaign.kept} of them kept," if campaign.kept else ""
    return f"{interrupted}{len(campaign.rows)} of {jobs} runs{kept} in {duration(seconds)}."


def _files(targets: Sequence[str]) -> list[Path]:
    available = find_experiments(experiments_folder())
    return [available[id_] for id_ in select(targets, available)]


def _workers(jobs: int | None) -> int:
    if jobs is not None and jobs < 1:
        raise ExperimentError(f"--jobs {jobs}: at least 1 process")
    return jobs or available_cores()


def _complain(error: Exception | str, status: int) -> int:
    message = shown(f"photocol reproduce: {error}")
    Console(stderr=True, highlight=False, soft_wrap=True).print(message, markup=False)
    return status


def _console(*, quiet: bool) -> Console:
    """Standard output; wide enough for the tables where it is not a terminal."""
    console = Console(quiet=quiet, highlight=False)
    return console if console.is_terminal else Console(quiet=quiet, highlight=False, width=140)


def _announce(experiment: Experiment, request: Request, jobs: int, console: Console) -> None:
    source = experiment.source
    console.print(f"[bold]{experiment.id}[/bold] {escape(experiment.title)}")
    console.print(escape(f"{source.paper}; {source.figures}, {source.section}"), soft_wrap=True)
    processes = min(request.resources.workers, jobs)
    console.print(f"{request.form_name} form: {jobs} runs, {processes} at a time")


def _show(record: Record, folder: Path, console: Console) -> None:
    lines = [] if record.jobs_missing else [escape(sentence) for sentence in record.experiment.describe(record.outcome)]
    for heading, theirs in by_whose(record.judged).items():
        lines.append(f"[bold]{heading.capitalize()}[/bold]: {tallied(theirs)}")
        lines += [line for judged in theirs for line in _claim_lines(judged)]
    pictures = (f"{plot.name}.png" for plot, _ in drawable(record))
    files = ", ".join(("report.md", "table.csv", "table.parquet", "claims.json", *pictures))
    lines.append(f"Files: {escape(str(folder))}/ ({files})")
    console.print(_table(record))
    console.print("\n".join(lines), soft_wrap=True)


def _table(record: Record) -> Table:
    table = Table()
    for axis in record.experiment.axes:
        table.add_column(axis, justify="right")
    for metric in record.experiment.metrics:
        table.add_column(metric.label, justify="right")
    for row in record.outcome.table.iter_rows(named=True):
        axes = [str(row[axis]) for axis in record.experiment.axes]
        table.add_row(*axes, *(cell(metric, row) for metric in record.experiment.metrics))
    return table


def _claim_lines(judged: Judged) -> list[str]:
    claim, finding = judged.claim, judged.finding
    colour = _COLOURS[finding.verdict]
    lines = [
        f"[{colour}]{finding.verdict}[/{colour}]: {escape(claim.text)} ({escape(claim.where)})",
        f"  expected {escape(claim.expected)}; measured {escape(finding.measured)}",
    ]
    return [*lines, f"  reason: {escape(reason(judged))}"] if reason(judged) else lines


def _speed(rows: Sequence[Row]) -> str:
    """Packet-hops per CPU second over all runs, where their manifests say."""
    costs = [(row.manifest.get("packet_hops"), row.manifest.get("cpu_s")) for row in rows]
    known = [(hops, cpu) for hops, cpu in costs if isinstance(hops, int | float) and isinstance(cpu, int | float)]
    seconds = sum(cpu for _, cpu in known)
    if len(known) < len(rows) or seconds <= 0:
        return ""
    return f" {sum(hops for hops, _ in known) / seconds / 1e6:.1f} million packet-hops per CPU second."
