"""The commands that carry out many runs: `sweep` and `reproduce`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from photocol import __version__
from photocol.cli import DONE, FAILED, complain, say
from photocol.cli.arguments import (
    AUTO,
    FOLDER,
    code_option,
    dask_option,
    force_option,
    jobs_option,
    offered,
    place_of,
    quiet_option,
    settings_option,
)
from photocol.cli.sweep_options import SweepOptions, described_by
from photocol.errors import InputError, exit_status, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from photocol.experiments.verify import Checked
    from photocol.runs.replay import Verdict
    from photocol.sweeps.campaign.run_campaign import Resources
    from photocol.sweeps.folder import Described
    from photocol.sweeps.run import Finished, Part

ACTIONS = ("status", "resume", "export")
_MOST_LINES = 100


@click.command()
@click.argument("targets", nargs=-1, metavar="[PAPER[/FIGURE]...]", shell_complete=offered("experiments"))
@click.option("--full/--quick", help="The paper's form, or a quick one (the default).")
@jobs_option
@dask_option
@click.option("--out", type=FOLDER, metavar="DIR", help="By default out/reproduce.")
@click.option("--resume", is_flag=True, help="Keep the runs of an interrupted campaign in DIR.")
@click.option("--record", is_flag=True, help="Put what a full form finds into the repository's results/.")
@click.option("--flows", type=FOLDER, multiple=True, metavar="FILE", help="A published list that some full forms need.")
@quiet_option
def reproduce(
    *,
    targets: Sequence[str],
    full: bool,
    jobs: int | None,
    dask: str | None,
    out: Path | None,
    resume: bool,
    record: bool,
    flows: Sequence[Path],
    quiet: bool,
) -> int:
    """Regenerate figures and tables of the papers (by default all), with the claims checked."""
    from photocol.experiments.reproduce import reproduce as carry_out

    return carry_out(
        targets,
        quick=not full,
        jobs=jobs,
        dask=dask,
        out=out,
        resume=resume,
        record=record,
        flows=flows,
        quiet=quiet,
    )


@click.command()
@click.argument(
    "what",
    nargs=-1,
    required=True,
    metavar="SWEEP.toml|SCENARIO | status|resume|export DIR",
    shell_complete=offered("scenarios"),
)
@click.option(
    "--grid",
    multiple=True,
    metavar="KEY=A,B",
    shell_complete=offered("settings"),
    help="An axis; several make every combination.",
)
@click.option(
    "--zip",
    "side",
    multiple=True,
    metavar="KEY=A,B",
    shell_complete=offered("settings"),
    help="Axes that go side by side.",
)
@click.option(
    "--scheme",
    "schemes",
    multiple=True,
    metavar="'NAME: KEY=VALUE; …'",
    help="A value of the axis scheme: a name, and keys of the scenario that it sets, or takes away by drop=KEY.",
)
@click.option("--where", metavar="SQL", help="Points to keep, as in '\"traffic.0.flows\" < 10'.")
@settings_option
@click.option("--seeds", type=int, metavar="N", help="Replications of each point; all points share their seeds.  [1]")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Columns of the table; by default all.")
@click.option(
    "--keep",
    "tables",
    multiple=True,
    metavar="TABLE",
    shell_complete=offered("tables"),
    help="Keep this table of every run, as in flows.",
)
@click.option("--out", type=FOLDER, metavar="DIR|FILE", help="By default out/sweep/NAME; `auto`: the next free name.")
@click.option("--resume", is_flag=True, help="Keep the runs that are in DIR.")
@force_option
@jobs_option
@dask_option
@click.option("--part", metavar="I/N", help="Only the I-th of N parts of the runs, and no tables.")
@code_option
@click.option("--slurm", type=click.IntRange(1), metavar="N", help="Write a script for N tasks, and run nothing.")
@quiet_option
def sweep(*, what: Sequence[str], **given: Any) -> int:
    """Run a scenario at every point of some axes; a table of means with 95 % intervals.

    `sweep status DIR` says how far one is, `sweep resume DIR` goes on with it, `sweep export DIR` writes every run into
    one Parquet file.
    """
    options = SweepOptions(**given)
    if what[0] in ACTIONS and len(what) == 2:
        return _act(what[0], Path(what[1]), options)
    if len(what) != 1:
        raise InputError(f"sweep: one file, or one of {', '.join(ACTIONS)} with a directory, not {' '.join(what)!r}")
    described, folder = described_by(what[0], options)
    with place_of(options.out, folder) as place:
        target = place or folder
        if options.slurm is not None:
            status = _prepare(described, target, options, options.slurm)
        else:
            status = _carry_out(described, target, options, resume=options.resume)
    if options.out == AUTO:
        click.echo(target)
    return status


@click.command()
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option("--cell", "cells", multiple=True, metavar="NAME", help="A directory in DIR/runs; by default all.")
@click.option("--threads", type=click.IntRange(1), default=1, metavar="N", help="In each run; the bits are the same.")
@click.option("--trace", "is_traced", is_flag=True, help="Replay the run's trace too, by a second, plain program.")
@jobs_option
@code_option
@quiet_option
def verify(
    *,
    folder: Path,
    cells: Sequence[str],
    threads: int,
    is_traced: bool,
    jobs: int | None,
    allow_code: bool,
    quiet: bool,
) -> int:
    """Check the files of a finished run or campaign by their digests, and repeat its runs: same bits, or what differs.

    A build that is not this one is named; other bits of the same build are a fault.
    """
    from photocol.experiments.verify import check_files, table
    from photocol.experiments.verify import verify as repeated
    from photocol.runs.replay import replay
    from photocol.sweeps.campaign.job import JobError

    told = (lambda _: None) if quiet else click.echo
    try:
        damaged = check_files(folder, cells)
        for sentence in damaged:
            click.echo(shown(sentence))
        every = _repeated(repeated(folder, cells, threads=threads, workers=jobs, allow_code=allow_code))
        tabled = None if cells else table(folder, allow_code=allow_code)
        replayed = replay(folder) if is_traced else None
    except JobError as error:
        return complain(f"photocol verify: {error}", FAILED)
    _conclude(every, told)
    if tabled is not None and tabled.difference:
        click.echo(f"{tabled.cell}: {tabled.difference}")
    elif tabled is not None:
        told(f"{tabled.cell} follows from the runs")
    breaches = [] if replayed is None else _tell_of_trace(replayed, told)
    if damaged:
        told("not everything is as it was written: see above")
    failed = damaged or breaches or any(one.difference for one in every) or (tabled is not None and tabled.difference)
    return FAILED if failed else DONE


def _tell_of_trace(replayed: Verdict, told: Callable[[str], object]) -> list[str]:
    """Say what a replay has found, what it has checked, and what not."""
    for sentence in replayed.breaches:
        click.echo(f"trace: {shown(sentence)}")
    told(f"trace: checked: {'; '.join(replayed.checked)}")
    for sentence in replayed.unchecked:
        told(f"trace: {shown(sentence)}")
    if not replayed.breaches:
        told(f"trace: {replayed.events:,} events, no rule is broken")
    return replayed.breaches


def _repeated(repetitions: Iterable[Checked]) -> list[Checked]:
    """All of them; of each that has other bits is said what differs and who made it."""
    every = []
    for checked in repetitions:
        every.append(checked)
        if checked.difference:
            version = f"made by version {checked.version}" if checked.version != __version__ else ""
            made = "; ".join(filter(None, (version, checked.build))) or "made by this build"
            click.echo(f"{checked.cell}: {checked.difference} ({made})")
    return every


def _conclude(every: Sequence[Checked], told: Callable[[str], object]) -> None:
    """Say how many runs have the same bits, and which of them another build made."""
    runs = [one for one in every if one.was_run]
    same = [one for one in runs if not one.difference]
    passed = len(every) - len(runs)
    told(
        f"{len(same)} of {len(runs)} runs: same bits"
        + (f"; {passed} cannot be repeated and were passed over" if passed else "")
    )
    for build, count in Counter(one.build for one in same if one.build).items():
        told(f"{count} of them {'was' if count == 1 else 'were'} {build}")


@click.command()
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option("--ro-crate", "is_crate", is_flag=True, required=True, help="As a Process Run Crate.")
@click.option("--out", type=FOLDER, metavar="FILE.zip", help="By default DIR.zip.")
def export(*, folder: Path, is_crate: bool, out: Path | None) -> None:  # noqa: ARG001 (there is one kind so far)
    """Pack a finished run or campaign: inputs, versions, digests and results in one archive."""
    from photocol.report.ro_crate import write

    target = out or folder.with_name(f"{folder.name}.zip")
    click.echo(f"{write(folder, target, say)} files packed into {target}")


def _act(action: str, folder: Path, options: SweepOptions) -> int:
    from photocol.sweeps import folder as folders

    described = folders.load(folder)
    if action == "resume":
        permitted = None if options.allow_code else folders.permitted(folder)
        return _carry_out(described, folder, options, resume=True, permitted=permitted)
    if action == "export":
        file = options.out or folder / "runs.parquet"
        frame = folders.exported(folder, described)
        folders.write_export(frame, file)
        click.echo(f"{len(frame)} runs written to {file}")
        return DONE
    points, sweep = described.sweep.plan.points(), described.sweep
    seeds = range(described.first_seed, described.first_seed + sweep.seeds)
    done = folders.finished(folder, points, seeds)
    click.echo(f"{folder}: {done} of {len(points) * len(seeds)} runs of {described.scenario.name} are finished")
    click.echo(
        f"{len(points)} points along {', '.join(axis.name for axis in sweep.plan.axes)}; {len(seeds)} seeds each"
    )
    if sweep.precision is not None:
        click.echo(f"more seeds, up to {sweep.precision.most}, where the interval of {sweep.precision.metric} is wide")
    return DONE


def _prepare(described: Described, folder: Path, options: SweepOptions, parts: int) -> int:
    from photocol.sweeps import slurm
    from photocol.sweeps.run import prepare

    prepare(described, folder, resume=options.resume, force=options.force)
    file = slurm.write(folder, parts=parts, name=Path(described.scenario.name).stem)
    click.echo(f"{file} is written; sbatch sends it, and says in its first lines how the tables are made")
    return DONE


def _carry_out(
    described: Described,
    folder: Path,
    options: SweepOptions,
    *,
    resume: bool,
    permitted: Mapping[str, str] | None = None,
) -> int:
    from photocol.sweeps.campaign.job import JobError
    from photocol.sweeps.campaign.progress import Progress
    from photocol.sweeps.run import carry_out

    try:
        progress = Progress(is_quiet=options.quiet)
        done = carry_out(
            described,
            folder,
            _resources(options, resume=resume),
            progress,
            force=options.force,
            part=_part(options),
            permitted=permitted,
        )
    except JobError as error:
        return complain(f"photocol sweep: {error}; what is finished is in {folder}", FAILED)
    for remark in done.remarks:
        say(f"photocol sweep: {remark}")
    if not options.quiet:
        _show(done, folder)
    return DONE if done.campaign.stop is None else exit_status(done.campaign.stop)


def _resources(options: SweepOptions, *, resume: bool) -> Resources:
    from photocol.sweeps.campaign.run_campaign import resources

    jobs = options.jobs
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs}: at least 1 process")
    return resources(workers=jobs, resume=resume, dask=options.dask)


def _part(options: SweepOptions) -> Part | None:
    from photocol.sweeps.run import Part

    if options.part is None:
        return None
    number, _, of = options.part.partition("/")
    if not (number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise InputError(f"--part {options.part}: must be I/N, as in 3/100")
    return Part(number=int(number), of=int(of))


def _show(done: Finished, folder: Path) -> None:
    campaign = done.campaign
    if not done.table.is_empty():
        click.echo(done.table.text(most=_MOST_LINES))
    stopped = "interrupted; " if campaign.stop is not None else ""
    kept = f" ({campaign.kept} of them were there)" if campaign.kept else ""
    click.echo(f"{stopped}{len(campaign.rows)} runs{kept} in {folder}/")
    for number in range(1, len(done.table.drawings) + 1):
        if (drawn := folder / f"plot-{number}.png").is_file():
            click.echo(drawn)
    if not done.table.is_empty():
        click.echo(f"photocol plot {folder} draws it")
