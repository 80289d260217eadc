"""The commands of `photocol`: what each takes, does and prints.

Modules are imported by the command that needs them, so that `photocol check` and `--help` start at once.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from photocol import InputError, __version__
from photocol.cli import DONE, WRONG_INPUT, complain, say
from photocol.cli.arguments import (
    COMPLETE,
    FOLDER,
    Words,
    json_option,
    offered,
    scenario_argument,
    settings_option,
    swept_options,
)
from photocol.cli.campaign_commands import export, reproduce, sweep, verify
from photocol.cli.convert import convert
from photocol.cli.emulate import emulate
from photocol.cli.gravity import gravity
from photocol.cli.lab import lab
from photocol.cli.listing import list_
from photocol.cli.new import new
from photocol.cli.orbits import orbits
from photocol.cli.run import loaded_scenario, run
from photocol.cli.schedule import schedule
from photocol.cli.training import training

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from photocol.runs.results import Result


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


class Careful(click.Group):
    """A group none of whose commands takes the name of one of its options for the value of another."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command, whose words are looked through."""
        name, command, rest = super().resolve_command(ctx, args)
        options = [one for one in command.params if isinstance(one, click.Option)] if command is not None else []
        names = {name for one in options for name in (*one.opts, *one.secondary_opts)}
        # One that has a value of its own, as `--trace` has, may stand alone.
        alone = {one.name for one in options if one.is_flag or one.count or isinstance(one.flag_value, str)}
        hungry = {name for one in options if one.name not in alone for name in one.opts}
        for word, following in itertools.pairwise(itertools.takewhile("--".__ne__, rest)):
            if word in hungry and following.partition("=")[0] in names:
                raise click.UsageError(f"Option {word!r} requires an argument; found {following!r}.", ctx)
        return name, command, rest


@click.group(cls=Careful, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
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
@click.option("--explain", is_flag=True, help="Print the resolved scenario with every default.")
@json_option
def check(*, scenario: str, settings: Sequence[str], explain: bool, as_json: bool) -> int:
    """Validate a scenario file (TOML or JSON), or each point of a sweep's file, without running it."""
    from photocol._core import ScenarioError
    from photocol.cli.sweep_options import is_sweep
    from photocol.runs import bundled
    from photocol.runs.scenario import check_report

    if is_sweep(bundled.found(scenario)):
        if explain:
            raise InputError(f"{scenario} is a sweep: --explain goes with a scenario")
        return _check_sweep(scenario, settings, as_json=as_json)
    try:
        loaded = loaded_scenario(scenario, settings, is_quiet=as_json)
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


def _check_sweep(source: str, settings: Sequence[str], *, as_json: bool) -> int:
    """Say that a sweep is valid, how many runs it has, and what there is to warn of."""
    from photocol.cli.sweep_options import SweepOptions, described_by
    from photocol.sweeps.run import checked

    try:
        described, _ = described_by(source, SweepOptions(settings=settings))
        found = checked(described)
    except ValueError as error:
        if as_json:
            click.echo(json.dumps({"sweep": source, "valid": False, "error": {"message": str(error)}}, indent=1))
        raise
    if as_json:
        click.echo(json.dumps({"sweep": source, "valid": True, **vars(found)}, indent=1, ensure_ascii=False))
        return DONE
    click.echo(
        f"{source}: valid: {found.points} points along {', '.join(found.axes)}; {found.runs} runs of {found.scenario}"
    )
    for warning, where in found.warnings.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        say(f"{source}: warning: {warning} ({where[0]}{more})")
    return DONE


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scenario."""
    from photocol import _core

    click.echo(_core.schema().rstrip("\n"))


@app.command()
@click.argument("shell", type=Words(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> None:
    """Print the script by which a shell completes `photocol`; its first line says where it goes."""
    from photocol.cli.completion import WHERE, script

    text = script(app, shell)
    head, _, rest = text.partition("\n") if text.startswith("#compdef") else ("", "", text)
    click.echo(f"{head}\n# {WHERE[shell]}\n{rest.strip()}".strip())


@app.command()
@click.argument("name", metavar="NAME", shell_complete=offered("models"))
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=offered("inputs"),
    help="Give an input a value, as in rtt='60 ms'.",
)
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
@click.argument("directories", nargs=-1, required=True, type=FOLDER, metavar="DIR...")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=Words(["png", "svg", "pdf", "csv"]),
    help="Of the files, csv for the numbers; several times for several.  [png]",
)
@click.option("--width", metavar="INCHES", help="Or `column` (3.5) or `page` (7.16); by default for a screen.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=offered("pictures"),
    help="This picture, as in goodput or series_cwnd; by default all of a run, some of a sweep.",
)
@click.option("--flows", metavar="FLOWS", help="Only these, as in 0,3-5.")
@click.option("--link", "links", multiple=True, metavar="LINK", help="Only this, as in 'left->right'.")
@click.option("--from", "from_s", type=float, metavar="SECONDS", help="Of samples over time, those from then on.")
@click.option("--to", "to_s", type=float, metavar="SECONDS", help="Those up to then.")
@click.option(
    "--together", "is_overlay", is_flag=True, help="Several runs in one picture; their directories name them."
)
@click.option(
    "--percentile",
    "percentiles",
    multiple=True,
    type=Words(["50", "95", "99"]),
    help="Of the slowdown by size.  [50, 95]",
)
@click.option(
    "--bins",
    default="decades",
    metavar="BINS",
    help="Of sizes: `decades` (half ones), N with as many flows each, or `law`: tenths of all flows.  [decades]",
)
@click.option(
    "--names",
    type=Words(["above", "lines"]),
    default="above",
    help="Names of curves: above the axes, or at the ends of the lines.  [above]",
)
@click.option("--out", type=FOLDER, metavar="DIR", help="By default DIR/plots; with --together out/plots.")
@click.option("--text", "as_text", is_flag=True, help="Lines of text on the terminal instead of files.")
@swept_options
def plot(*, directories: Sequence[Path], **options: Any) -> None:
    """Draw pictures of finished runs (what `run --out` wrote), or of sweeps and reproduced figures.

    Over several replications there are means with 95 % intervals. Of a sweep each figure is drawn along an axis, with
    a curve for each value of another: `--only goodput --x AXIS --by AXIS`.
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
@click.option("--delays", type=FOLDER, metavar="FILE.csv", help="Write one-way delay, jitter and losses of each flow.")
@click.option("--qlog", type=FOLDER, metavar="FOLDER", help="Write what senders of QUIC did, a qlog file a flow.")
def trace(
    *, directory: Path, perfetto: Path | None, bursts: Path | None, delays: Path | None, qlog: Path | None
) -> None:
    """Export the trace of a finished run."""
    from photocol.report import qlog as recovery
    from photocol.runs.results import Result

    files = {"perfetto": perfetto, "bursts": bursts, "delays": delays}
    wanted = {name: file for name, file in files.items() if file is not None}
    if not wanted and qlog is None:
        raise InputError(
            "trace: say what to write: --perfetto FILE, --bursts FILE.csv, --delays FILE.csv, --qlog FOLDER"
        )
    result = Result.load(directory)
    for name, file in wanted.items():
        _export(result, directory, name, file)
        click.echo(file)
    if qlog is not None:
        try:
            click.echo("\n".join(map(str, recovery.export(result, qlog))))
        except InputError as error:
            raise InputError(f"{directory}: {error}") from error


def _export(result: Result, directory: Path, name: str, file: Path) -> None:
    from photocol.plot.trace_delays import flow_delays
    from photocol.report.perfetto import export
    from photocol.runs import storage
    from photocol.runs.trace import NO_EVENTS

    if result.trace is None:
        raise InputError(f"{directory}: {NO_EVENTS}")
    if name == "perfetto":
        export(result.trace, file)
    elif name == "bursts":
        storage.replace(file, result.bursts.write_csv)
    else:
        table = flow_delays(result)
        if table.is_empty():
            raise InputError(f"{directory}: no packet of the trace reaches a receiver by itself: there are no delays")
        storage.replace(file, table.write_csv)


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


for command in (
    run,
    convert,
    emulate,
    gravity,
    lab,
    list_,
    new,
    orbits,
    schedule,
    sweep,
    training,
    verify,
    export,
    reproduce,
):
    app.add_command(command)
