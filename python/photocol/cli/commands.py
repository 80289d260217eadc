"""The commands of `photocol`: what each takes, does and prints.

Modules are imported by the command that needs them, so that `photocol check` and `--help` start at once.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import click

from photocol import InputError, __version__
from photocol.cli import DONE, FAILED, WRONG_INPUT, complain, say
from photocol.cli.arguments import (
    COMPLETE,
    FLOWS,
    FOLDER,
    flow_numbers,
    force_option,
    json_option,
    offered,
    scenario_argument,
    settings_option,
)
from photocol.cli.campaign_commands import export, reproduce, sweep, verify
from photocol.errors import exit_status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from photocol._core import Scenario
    from photocol.runs.capture import Capture
    from photocol.runs.results import Result
    from photocol.runs.runner import Execution


_MOST_SAMPLES = 8
"""Lines of samples under a summary; `photocol plot --text` has more."""


class Kind(StrEnum):
    """What `photocol list` can list."""

    TOPOLOGIES = "topologies"
    TRANSPORTS = "transports"
    SWITCHES = "switches"
    QUEUES = "queues"
    SCHEDULERS = "schedulers"
    RESERVATIONS = "reservations"
    MODELS = "models"
    EXPERIMENTS = "experiments"
    SCENARIOS = "scenarios"


def carry_out(arguments: Sequence[str] | None) -> int:
    """Carry out a command line; returns the exit status. Raises what commands raise."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if COMPLETE in os.environ:
        from photocol.cli.completion import answer

        return answer(app, os.environ[COMPLETE])
    try:
        # Not `app.main`, which makes an exception of its own of Ctrl-C and writes an empty line.
        with app.make_context("photocol", words) as context:
            status: int | None = app.invoke(context)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        return _misused(error)
    return status or DONE


def _misused(error: click.ClickException) -> int:
    """What is wrong with a command line, and under it how the command is used."""
    context, message = getattr(error, "ctx", None), error.format_message().rstrip(".?")
    if context is None or context.command is app:
        return complain(f"photocol: {message}; see photocol --help", WRONG_INPUT)
    return complain(f"{context.command_path}: {message}\n\n{context.get_help()}", WRONG_INPUT)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, help="Print the version and leave.")
@click.pass_context
def app(context: click.Context, *, version: bool) -> None:
    """A deterministic, fast packet simulator for transport over optical networks."""
    if version:
        click.echo(f"photocol {__version__}")
    elif context.invoked_subcommand is None:
        click.echo(context.get_help())
    else:
        return
    context.exit(DONE)


@app.command()
@scenario_argument
@settings_option
@click.option("--seed", type=int, help="Instead of the scenario's.")
@click.option("--runs", type=int, metavar="K", help="Replications 0 … K-1 of the seed.")
@click.option(
    "--threads", type=int, default=1, metavar="N", help="At most this many; results are the same for any N.  [1]"
)
@click.option("--out", type=FOLDER, metavar="DIR", help="Write manifest, summary and tables there.")
@force_option
@click.option(
    "--pcap",
    multiple=True,
    metavar="FILE|FLOWS|links=…",
    help="Write packets to a pcapng FILE (by default DIR/capture.pcapng), of these FLOWS (0,3-5; or all), at their "
    "hosts or at links (links=a->b,c-d).",
)
@click.option(
    "--trace",
    "traced",
    is_flag=False,
    flag_value="",
    metavar="FILTER",
    help="Write what happened, event by event, to DIR/trace.parquet; FILTER as in 'flows=0,3-5;links=a->b;from=1 s'.",
)
@click.option("--json", "as_json", is_flag=True, help="Print summary.json and nothing else.")
@click.option("--quiet/--no-quiet", help="No progress, no table.")
@click.option(
    "--shuffle-ties",
    type=int,
    metavar="K",
    help="Permute simultaneous events, to see how much their order matters.",
)
def run(
    *,
    scenario: str,
    settings: Sequence[str],
    seed: int | None,
    runs: int | None,
    threads: int,
    out: Path | None,
    force: bool,
    pcap: Sequence[str],
    traced: str | None,
    as_json: bool,
    quiet: bool,
    shuffle_ties: int | None,
) -> int:
    """Run a scenario file (TOML or JSON); progress on a terminal, a summary at the end."""
    from photocol.runs.runner import Execution
    from photocol.runs.scenario import digest_without, parse_setting
    from photocol.runs.trace import parse_filter

    asked = [] if traced is None else parse_filter(traced)
    if asked and out is None:
        raise InputError("--trace needs a directory to write into: --out DIR")
    loaded = _load(scenario, [*settings, *(f"{key}={value}" for key, value in asked)])
    if threads < 1:
        raise InputError(f"--threads {threads}: at least one")
    _announce(loaded)
    execution = Execution(
        loaded,
        seed=seed,
        runs=runs,
        threads=threads,
        shuffle_ties=shuffle_ties,
        capture=_capture(pcap),
        out=out,
        force=force,
        settings=dict([*(parse_setting(one) for one in settings), *asked]),
        unset_sha256=None if out is None else digest_without(scenario, [*settings, *asked]),
    )
    try:
        result = _completed(execution, show=not (quiet or as_json))
    except KeyboardInterrupt as stop:
        return _interrupted(execution, stop, as_json=as_json)
    if execution.idle_threads:
        say(f"photocol: {execution.idle_threads}")
    for name, cost in execution.python_laws.items():
        say(f"photocol: the law {name}: {cost['calls']} calls, {cost['seconds']:.2f} s in Python")
    _report(result, out, as_json=as_json, quiet=quiet)
    return DONE


@app.command()
@scenario_argument
@settings_option
@click.option("--explain", is_flag=True, help="Print the resolved scenario with every default.")
@json_option
def check(*, scenario: str, settings: Sequence[str], explain: bool, as_json: bool) -> int:
    """Validate a scenario file (TOML or JSON) without running it."""
    from photocol._core import ScenarioError
    from photocol.runs.scenario import check_report

    try:
        loaded = _load(scenario, settings, is_quiet=as_json)
    except ScenarioError as error:
        if as_json:
            click.echo(check_report(scenario, error))
        raise
    if as_json:
        click.echo(check_report(scenario, loaded))
    else:
        notes = "".join(f"\nnote: {note}" for note in loaded.notes)
        click.echo(loaded.explain().rstrip("\n") if explain else f"{scenario}: valid{notes}")
    return DONE


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scenario."""
    from photocol import _core

    click.echo(_core.schema().rstrip("\n"))


@app.command("list")
@click.argument("kind", required=False, type=click.Choice([kind.value for kind in Kind]))
@json_option
def list_(*, kind: str | None, as_json: bool) -> int:
    """List what there is, one sentence and source each; by default of all kinds."""
    status, kinds = DONE, {}
    for one in [Kind(kind)] if kind else list(Kind):
        kinds[one], broken = _entries(one)
        for message in broken:
            status = complain(f"photocol: not listed: {message}", FAILED)
    if as_json:
        click.echo(_listed_json(kinds))
    else:
        click.echo("\n".join(_listed(one, entries) for one, entries in kinds.items() if entries or kind))
    return status


@app.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> None:
    """Print the script by which a shell completes `photocol`; its first line says where it goes."""
    from photocol.cli.completion import WHERE, script

    text = script(app, shell)
    head, _, rest = text.partition("\n") if text.startswith("#compdef") else ("", "", text)
    click.echo(f"{head}\n# {WHERE[shell]}\n{rest.strip()}".strip())


@app.command()
@click.argument("name", metavar="NAME", shell_complete=offered("models"))
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Give an input a value, as in rtt='60 ms'.")
@json_option
def model(*, name: str, settings: Sequence[str], as_json: bool) -> None:
    """Evaluate a closed-form model (NAME of `photocol list models`).

    Prints inputs and outputs with their units and the equations' source.
    """
    from photocol.runs.models import Answer
    from photocol.runs.scenario import parse_setting

    answer = Answer.of(name, dict(parse_setting(one) for one in settings))
    click.echo(answer.to_json() if as_json else repr(answer))


@app.command()
@click.argument("requests", type=FOLDER, metavar="REQUESTS.json")
@click.option("--frame", type=int, required=True, metavar="F", help="Slots of the frame.")
@click.option("--algorithm", default="bvn", metavar="NAME", help="One of `photocol list schedulers`.  [bvn]")
@click.option("--json", "as_json", is_flag=True, help="Print the whole schedule for programs.")
def schedule(*, requests: Path, frame: int, algorithm: str, as_json: bool) -> None:
    """Schedule a frame of a bufferless switch for an integer request matrix.

    REQUESTS.json has rows of whole numbers: slots from each input to each output.
    """
    import json

    from photocol.transport.control import Scheduler, read_requests

    plan = Scheduler(algorithm).schedule(read_requests(requests), frame)
    click.echo(json.dumps(plan.to_dict()) if as_json else plan.to_text())


@app.command()
@click.argument("directories", nargs=-1, required=True, type=FOLDER, metavar="DIR...")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(["png", "svg", "pdf"]),
    help="Of the files; several times for several.  [png]",
)
@click.option("--width", metavar="INCHES", help="Or `column` (3.5) or `page` (7.16); by default for a screen.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=offered("pictures"),
    help="This picture, as in goodput or series_cwnd; by default all.",
)
@click.option("--flows", metavar="FLOWS", help="Only these, as in 0,3-5.")
@click.option("--link", "links", multiple=True, metavar="LINK", help="Only this, as in 'left->right'.")
@click.option(
    "--together", "is_overlay", is_flag=True, help="Several runs in one picture; their directories name them."
)
@click.option("--out", type=FOLDER, metavar="DIR", help="By default DIR/plots; with --together out/plots.")
@click.option("--text", "as_text", is_flag=True, help="Lines of text on the terminal instead of files.")
def plot(*, directories: Sequence[Path], **options: Any) -> None:
    """Draw pictures of finished runs (what `run --out` wrote).

    Over several replications there are means with 95 % intervals.
    """
    from photocol.cli.plot import draw

    for line in draw(directories, **options):
        click.echo(line)


@app.command()
@click.argument("directory", type=FOLDER, metavar="DIR")
@click.option("-o", "--output", type=FOLDER, metavar="FILE.html", help="By default DIR/report.html.")
@click.option("--open", "shown", is_flag=True, help="Show it in the browser.")
def report(*, directory: Path, output: Path | None, shown: bool) -> None:
    """Write one self-contained HTML page about a finished run, figure or sweep."""
    from photocol.report import write

    file = write(directory, output)
    click.echo(file)
    if shown:
        click.launch(str(file))


@app.command()
@click.argument("directory", type=FOLDER, metavar="DIR")
@click.option("--perfetto", type=FOLDER, metavar="FILE", help="Write it for ui.perfetto.dev.")
@click.option("--bursts", type=FOLDER, metavar="FILE.csv", help="Write what became of bursts, by source and path.")
def trace(*, directory: Path, perfetto: Path | None, bursts: Path | None) -> None:
    """Export the trace of a finished run."""
    from photocol.report.perfetto import export
    from photocol.runs import storage
    from photocol.runs.results import Result
    from photocol.runs.trace import NO_EVENTS

    if perfetto is None and bursts is None:
        raise InputError("trace: say what to write: --perfetto FILE, --bursts FILE.csv")
    result = Result.load(directory)
    if result.trace is None:
        raise InputError(f"{directory}: {NO_EVENTS}")
    if perfetto is not None:
        export(result.trace, perfetto)
        click.echo(perfetto)
    if bursts is not None:
        table = result.bursts
        storage.replace(bursts, table.write_csv)
        click.echo(bursts)


@app.command()
@json_option
@click.option("--large", is_flag=True, help="Also 10^5 links with 10^6 flows.")
@click.option("--threads", type=click.IntRange(2), metavar="N", help="What N threads gain by the clock instead.")
def bench(*, as_json: bool, large: bool, threads: int | None) -> None:
    """Measure packet-hops and events per CPU second, and memory per flow, on standard scenarios."""
    from photocol.cli.bench import needs, threads_report
    from photocol.cli.bench import report as measured

    for sentence in needs(large=large):
        click.echo(sentence, err=True)
    if threads is not None:
        click.echo(threads_report(threads, as_json=as_json, large=large))
    else:
        click.echo(measured(as_json=as_json, large=large))


for command in (sweep, verify, export, reproduce):
    app.add_command(command)


def _load(path: str, settings: Sequence[str], *, is_quiet: bool = False) -> Scenario:
    """The scenario, its warnings told."""
    from photocol.runs.scenario import of_file, parse_setting

    loaded = of_file(path, [parse_setting(one) for one in settings])
    for warning in () if is_quiet else loaded.warnings:
        say(f"{path}: warning: {warning}")
    return loaded


def _announce(loaded: Scenario) -> None:
    """Say which files a run is about to execute."""
    if loaded.laws:
        from photocol.runs.laws import announce

        announce(loaded.laws)


def _completed(execution: Execution, *, show: bool) -> Result:
    if not (show and sys.stderr.isatty()):
        return execution.complete()
    from photocol.runs.progress import terminal

    with terminal() as told:
        return execution.complete(told)


def _interrupted(execution: Execution, stop: KeyboardInterrupt, *, as_json: bool) -> int:
    """What is finished is shown as far as it goes; `execution` has written it, or could not."""
    kept = f"{len(execution.finished)} of {execution.runs} replications are finished"
    where = f" and in {execution.out}" if execution.is_saved else ""
    say(f"photocol: interrupted; {kept}{where}")
    if execution.finished:
        _report(execution.result(), None, as_json=as_json, quiet=False)
    return exit_status(stop)


def _report(result: Result, out: Path | None, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        click.echo(result.summary.to_json(), nl=False)
        return
    if quiet:
        return
    manifest = result.manifest
    click.echo(repr(result.summary))
    if sys.stdout.isatty():
        _show_samples(result)
    hops, cpu_s = manifest["packet_hops"], max(manifest["cpu_s"], 1e-9)
    click.echo(
        f"\nseed {manifest['seed']}, fingerprint {result.fingerprint}; {hops:,} packet-hops in {cpu_s:.2f} CPU seconds "
        f"({hops / cpu_s / 1e6:.1f} million a second), peak memory {manifest['peak_memory_bytes'] / 1e6:.0f} MB"
    )
    if "trace" in manifest:
        from photocol.runs.trace import sentence

        click.echo(sentence(manifest["trace"]))
    if out is not None:
        click.echo(f"written to {out}; photocol plot {out} draws it")


def _show_samples(result: Result) -> None:
    """What was sampled, as far as it fits under a summary."""
    if result.series.is_empty():
        return
    from photocol.cli.plot import levels
    from photocol.plot.sparkline import sparklines

    click.echo(f"\n{sparklines(result.series, levels=levels(), width=40, most=_MOST_SAMPLES)}")


def _capture(values: Sequence[str]) -> Capture | None:
    """A value made of flow numbers, or `all`, chooses flows; `links=…` chooses links; any other is the file."""
    if not values:
        return None
    from photocol.runs.capture import Capture

    chosen = [value for value in values if FLOWS.fullmatch(value)]
    places = [value for value in values if value.startswith("links=")]
    links = [link.strip() for value in places for link in value.removeprefix("links=").split(",")]
    files = [value for value in values if value not in (*chosen, *places, "all")]
    if len(files) > 1:
        raise InputError(f"--pcap: one file, not {len(files)} ({', '.join(files)})")
    flows = [flow for value in chosen for flow in flow_numbers("--pcap", value)]
    return Capture(files[0] if files else None, tuple(sorted(set(flows))), tuple(filter(None, links)))


def _entries(kind: Kind) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Name, sentence and source of each, and what is wrong with those that cannot be loaded."""
    if kind is Kind.EXPERIMENTS:
        return _experiments()
    if kind is Kind.SCENARIOS:
        from photocol.runs import bundled

        return [(name, sentence, f"scenarios/{name}.toml") for name, sentence in bundled.scenarios()], []
    return _core_entries(kind), []


def _listed_json(kinds: Mapping[Kind, Sequence[tuple[str, str, str]]]) -> str:
    import json

    keys = ("name", "summary", "source")
    lists = {kind.value: [dict(zip(keys, entry, strict=True)) for entry in entries] for kind, entries in kinds.items()}
    return json.dumps(lists, indent=1, ensure_ascii=False)


def _core_entries(kind: Kind) -> list[tuple[str, str, str]]:
    """Name, one sentence, source."""
    from photocol import _core

    return _core.catalogue(kind.value)


def _experiments() -> tuple[list[tuple[str, str, str]], list[str]]:
    """The same of the experiments, and what is wrong with those that cannot be loaded."""
    from photocol.experiments.catalogue import (
        ExperimentError,
        came_with_photocol,
        experiments_folder,
        find_experiments,
        load_experiment,
        summary_of,
    )

    entries, broken = [], []
    try:
        found = find_experiments(experiments_folder())
        is_ours = came_with_photocol()
    except ExperimentError:
        return [], []
    for name, file in found.items():
        try:
            if not is_ours:
                entries.append((name, summary_of(file), f"experiments/{name}.py"))
                continue
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
