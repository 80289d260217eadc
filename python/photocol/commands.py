"""The commands of `photocol`: what each takes, does and prints.

Modules are imported by the command that needs them, so that `photocol check` and `--help` start at once.
"""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from photocol import InputError, __version__
from photocol.cli import DONE, FAILED, WRONG_INPUT, complain, say
from photocol.errors import exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol._core import Scenario
    from photocol.results import Result
    from photocol.runner import Capture, Job

_FLOWS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
_MAX_CAPTURED = 1_000_000

app = typer.Typer(
    help="A deterministic, fast packet simulator for transport over optical networks.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Kind(StrEnum):
    """What `photocol list` can list."""

    TOPOLOGIES = "topologies"
    TRANSPORTS = "transports"
    SWITCHES = "switches"
    SCHEDULERS = "schedulers"
    RESERVATIONS = "reservations"
    MODELS = "models"
    EXPERIMENTS = "experiments"


ScenarioPath = Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario file (TOML or JSON).")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Replace a value, as in link_defaults.buffer='20 packets'."),
]


def carry_out(arguments: Sequence[str] | None) -> int:
    """Carry out a command line; returns the exit status. Raises what commands raise."""
    try:
        status = typer.main.get_command(app).main(arguments, prog_name="photocol", standalone_mode=False)
    except typer.TyperException as error:
        return complain(f"photocol: {error.format_message().rstrip('.')}; see photocol --help", WRONG_INPUT)
    return status or DONE


@app.callback(invoke_without_command=True)
def _photocol(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> int:
    if version:
        typer.echo(f"photocol {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())
    else:
        return DONE
    raise typer.Exit(DONE)


@app.command()
def run(
    scenario: ScenarioPath,
    settings: Settings = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the scenario's.")] = None,
    runs: Annotated[int | None, typer.Option(metavar="K", help="Replications 0 … K-1 of the seed.")] = None,
    threads: Annotated[int, typer.Option(metavar="N", help="At most this many; results are the same for any N.")] = 1,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Write manifest, summary and tables there.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a finished run of another scenario in DIR.")] = False,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|FLOWS",
            help="Write packets to a pcapng FILE (by default DIR/capture.pcapng), of these FLOWS (0,3-5; or all).",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print summary.json and nothing else.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress, no table.")] = False,
    shuffle_ties: Annotated[
        int | None, typer.Option(metavar="K", help="Permute simultaneous events, to see how much their order matters.")
    ] = None,
) -> int:
    """Run a scenario; progress on a terminal, a summary at the end."""
    from photocol.runner import Job

    loaded = _load(scenario, settings)
    if threads < 1:
        raise InputError(f"--threads {threads}: at least one")
    capture = _capture(pcap or [])
    job = Job(
        loaded,
        seed=seed,
        runs=runs,
        threads=threads,
        shuffle_ties=shuffle_ties,
        capture=capture,
        out=out,
        force=force,
    )
    try:
        result = _completed(job, show=not (quiet or as_json))
    except KeyboardInterrupt as stop:
        return _interrupted(job, stop, as_json=as_json)
    if job.idle_threads:
        say(f"photocol: {job.idle_threads}")
    _report(result, out, as_json=as_json, quiet=quiet)
    return DONE


@app.command()
def check(
    scenario: ScenarioPath,
    settings: Settings = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print the resolved scenario with every default.")] = False,
) -> None:
    """Validate a scenario without running it."""
    loaded = _load(scenario, settings)
    typer.echo(loaded.explain().rstrip("\n") if explain else f"{scenario}: valid")


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scenario."""
    from photocol import _core

    typer.echo(_core.schema().rstrip("\n"))


@app.command("list")
def list_(kind: Annotated[Kind | None, typer.Argument(help="By default all.")] = None) -> int:
    """List what there is, one sentence and source each."""
    status = DONE
    for one in [kind] if kind else list(Kind):
        entries, broken = _experiments() if one is Kind.EXPERIMENTS else (_core_entries(one), [])
        if entries or kind:
            typer.echo(_listed(one, entries))
        for message in broken:
            status = complain(f"photocol: not listed: {message}", FAILED)
    return status


@app.command()
def model(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of `photocol list models`.")],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Give an input a value, as in rtt='60 ms'."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print numbers for programs.")] = False,
) -> None:
    """Evaluate a closed-form model; inputs and outputs with their units and the equations' source."""
    from photocol.models import Answer
    from photocol.scenario import parse_setting

    answer = Answer.of(name, dict(parse_setting(one) for one in settings or []))
    typer.echo(answer.to_json() if as_json else repr(answer))


@app.command()
def schedule(
    requests: Annotated[
        Path,
        typer.Argument(metavar="REQUESTS.json", help="Rows of whole numbers: slots from each input to each output."),
    ],
    frame: Annotated[int, typer.Option(metavar="F", help="Slots of the frame.")],
    algorithm: Annotated[str, typer.Option(metavar="NAME", help="One of `photocol list schedulers`.")] = "bvn",
    as_json: Annotated[bool, typer.Option("--json", help="Print the whole schedule for programs.")] = False,
) -> None:
    """Schedule a frame of a bufferless switch for an integer request matrix."""
    import json

    from photocol.control import Scheduler, read_requests

    plan = Scheduler(algorithm).schedule(read_requests(requests), frame)
    typer.echo(json.dumps(plan.to_dict()) if as_json else plan.to_text())


@app.command()
def plot(
    directories: Annotated[list[Path], typer.Argument(metavar="DIR...", help="What `run --out` wrote.")],
) -> None:
    """Draw pictures of finished runs into DIR/plots."""
    from photocol.results import Result

    results = [(folder, Result.load(folder)) for folder in directories]
    from photocol.plot import save_all

    for folder, result in results:
        for file in save_all(result, folder / "plots"):
            typer.echo(file)


@app.command()
def bench(
    as_json: Annotated[bool, typer.Option("--json", help="Print numbers for programs.")] = False,
    large: Annotated[bool, typer.Option("--large", help="Also 10^5 links with 10^6 flows.")] = False,
) -> None:
    """Measure packet-hops and events per CPU second, and memory per flow, on standard scenarios."""
    from photocol.bench import needs, report

    for sentence in needs(large=large):
        typer.echo(sentence, err=True)
    typer.echo(report(as_json=as_json, large=large))


@app.command()
def reproduce(
    targets: Annotated[list[str] | None, typer.Argument(metavar="[PAPER[/FIGURE]...]", help="By default all.")] = None,
    full: Annotated[bool, typer.Option("--full/--quick", help="The paper's form, or a quick one.")] = False,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Processes; by default one a core.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="By default out/reproduce.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep the runs of an interrupted campaign in DIR.")] = False,
    quiet: Annotated[bool, typer.Option(help="No progress, no tables.")] = False,
) -> int:
    """Regenerate figures and tables of the papers, with the claims checked."""
    from photocol.reproduce import reproduce as carry_out

    return carry_out(targets or [], quick=not full, jobs=jobs, out=out, quiet=quiet, resume=resume)


def _load(path: str, settings: Sequence[str] | None) -> Scenario:
    """The scenario, its warnings told."""
    from photocol._core import Scenario
    from photocol.scenario import parse_setting

    loaded = Scenario.load(path, [parse_setting(one) for one in settings or []])
    for warning in loaded.warnings:
        say(f"{path}: warning: {warning}")
    return loaded


def _completed(job: Job, *, show: bool) -> Result:
    if not (show and sys.stderr.isatty()):
        return job.complete()
    from photocol.progress import terminal

    with terminal() as told:
        return job.complete(told)


def _interrupted(job: Job, stop: KeyboardInterrupt, *, as_json: bool) -> int:
    """What is finished is shown as far as it goes; `job` has written it, or could not."""
    kept = f"{len(job.finished)} of {job.runs} replications are finished"
    where = f" and in {job.out}" if job.is_saved else ""
    say(f"photocol: interrupted; {kept}{where}")
    if job.finished:
        _report(job.result(), None, as_json=as_json, quiet=False)
    return exit_status(stop)


def _report(result: Result, out: Path | None, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        typer.echo(result.summary.to_json(), nl=False)
        return
    if quiet:
        return
    manifest = result.manifest
    typer.echo(repr(result.summary))
    hops, cpu_s = manifest["packet_hops"], max(manifest["cpu_s"], 1e-9)
    typer.echo(
        f"\nseed {manifest['seed']}, fingerprint {result.fingerprint}; {hops:,} packet-hops in {cpu_s:.2f} CPU seconds "
        f"({hops / cpu_s / 1e6:.1f} million a second), peak memory {manifest['peak_memory_bytes'] / 1e6:.0f} MB"
    )
    if out is not None:
        typer.echo(f"written to {out}; photocol plot {out} draws it")


def _capture(values: Sequence[str]) -> Capture | None:
    """A value made of flow numbers, or `all`, chooses flows; any other is the file."""
    if not values:
        return None
    from photocol.runner import Capture

    chosen = [value for value in values if _FLOWS.fullmatch(value)]
    files = [value for value in values if value not in chosen and value != "all"]
    if len(files) > 1:
        raise InputError(f"--pcap: one file, not {len(files)} ({', '.join(files)})")
    flows = [flow for value in chosen for flow in _flow_numbers(value)]
    return Capture(files[0] if files else None, tuple(sorted(set(flows))))


def _flow_numbers(text: str) -> list[int]:
    """`0,3-5` as numbers."""
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not low <= high < low + _MAX_CAPTURED:
            raise InputError(f"--pcap {text}: {part} is not a range of flow numbers")
        numbers.extend(range(low, high + 1))
    return numbers


def _core_entries(kind: Kind) -> list[tuple[str, str, str]]:
    """Name, one sentence, source."""
    from photocol import _core

    return _core.catalogue(kind.value)


def _experiments() -> tuple[list[tuple[str, str, str]], list[str]]:
    """The same of the experiments, and what is wrong with those that cannot be loaded."""
    from photocol.catalogue import ExperimentError, experiments_folder, find_experiments, load_experiment

    entries, broken = [], []
    try:
        found = find_experiments(experiments_folder())
    except ExperimentError:
        return [], []
    for name, file in found.items():
        try:
            one = load_experiment(file)
        except ExperimentError as error:
            broken.append(str(error))
        else:
            entries.append((name, f"{one.title}.", f"{one.source.paper}, {one.source.figures}"))
    return entries, broken


def _listed(kind: Kind, entries: Sequence[tuple[str, str, str]]) -> str:
    width = max((len(name) for name, _, _ in entries), default=0)
    lines = [f"  {name:<{width}}  {sentence} [{source}]" for name, sentence, source in entries]
    return "\n".join([f"{kind}:", *(lines or ["  none in this version"])])
