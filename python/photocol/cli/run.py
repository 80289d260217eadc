"""The command `photocol run`: a scenario, its progress, its summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from photocol.cli import DONE, say
from photocol.cli.arguments import (
    AUTO,
    FLOWS,
    FOLDER,
    flow_numbers,
    force_option,
    place_of,
    scenario_argument,
    settings_option,
)
from photocol.errors import InputError, exit_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol._core import Results, Scenario
    from photocol.runs.capture import Capture
    from photocol.runs.results import Result
    from photocol.runs.runner import Execution

_MOST_SAMPLES = 8
"""Lines of samples under a summary; `photocol plot --text` has more."""


@click.command()
@scenario_argument
@settings_option
@click.option("--seed", type=int, help="Instead of the scenario's.")
@click.option("--runs", type=int, metavar="K", help="Replications 0 … K-1 of the seed.")
@click.option(
    "--threads", type=int, default=1, metavar="N", help="At most this many; results are the same for any N.  [1]"
)
@click.option(
    "--out", type=FOLDER, metavar="DIR", help="Write manifest, summary and tables there; `auto`: to the next free name."
)
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
    help="Write what happened, event by event, to DIR/trace.parquet; "
    "FILTER as in 'flows=0,3-5;links=a->b;from=1 s'; without `from` it begins at the end of the warm-up.",
)
@click.option("--json", "as_json", is_flag=True, help="Print summary.json and nothing else.")
@click.option("--explain", is_flag=True, help="Print every figure, zeros too, with a sentence on it.")
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
    explain: bool,
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
    loaded = loaded_scenario(scenario, [*settings, *(f"{key}={value}" for key, value in asked)])
    if threads < 1:
        raise InputError(f"--threads {threads}: at least one")
    _announce(loaded)
    with place_of(out, Path("out") / Path(scenario).stem) as place:
        execution = Execution(
            loaded,
            seed=seed,
            runs=runs,
            threads=threads,
            shuffle_ties=shuffle_ties,
            capture=asked_capture(pcap),
            out=place,
            force=force,
            settings=dict([*(parse_setting(one) for one in settings), *asked]),
            unset_sha256=None if place is None else digest_without(scenario, [*settings, *asked]),
        )
        try:
            result = _completed(execution, show=not (quiet or as_json))
        except KeyboardInterrupt as stop:
            return _interrupted(execution, stop, as_json=as_json)
    _tell(execution, result, place, as_json=as_json, explain=explain, quiet=quiet)
    if out == AUTO:
        click.echo(place, err=as_json)
    return DONE


def _tell(
    execution: Execution, result: Result, place: Path | None, *, as_json: bool, explain: bool, quiet: bool
) -> None:
    """What a finished run says of itself."""
    if execution.idle_threads:
        say(f"photocol: {execution.idle_threads}")
    for name, cost in execution.python_laws.items():
        say(f"photocol: {name}: {cost['calls']} calls, {cost['seconds']:.2f} s in Python")
    if "unfinished_tasks" in result.summary:
        from photocol.runs.work import standing_still

        for sentence in standing_still(result):
            say(f"photocol: {sentence}")
    for remark in next((run.results.remarks for run in execution.finished if run.results.remarks), ()):
        say(f"photocol: {remark}")
    one = execution.finished[0].results if len(execution.finished) == 1 else None
    _report(result, place, one, as_json=as_json, quiet=quiet, explain=explain)


def loaded_scenario(path: str, settings: Sequence[str], *, is_quiet: bool = False) -> Scenario:
    """The scenario, its warnings told."""
    from photocol.runs.scenario import of_file, parse_setting

    say_if_ready_made(path)
    loaded = of_file(path, [parse_setting(one) for one in settings])
    for warning in () if is_quiet else loaded.warnings:
        say(f"{path}: warning: {warning}")
    return loaded


def say_if_ready_made(path: str) -> None:
    """Say that a ready-made scenario is taken where a folder of the same name lies here."""
    from photocol.runs import bundled

    if Path(path).is_dir() and bundled.found(path) != Path(path):
        say(f"photocol: {path} is a folder here; the ready-made scenario of that name is taken")


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
        _report(execution.result(), None, None, as_json=as_json, quiet=False)
    return exit_status(stop)


def _report(
    result: Result, out: Path | None, one: Results | None, *, as_json: bool, quiet: bool, explain: bool = False
) -> None:
    """What a run says; `one` is its only replication, whose percentiles have intervals over flows."""
    if as_json:
        click.echo(result.summary.to_json(), nl=False)
        return
    if quiet:
        return
    from photocol.runs import quantiles

    manifest = result.manifest
    beside = quantiles.in_words(result.summary, one) if one is not None else {}
    summary = result.summary.with_words(beside)
    click.echo(summary.explain() if explain else repr(summary))
    if beside:
        click.echo(quantiles.NOTE)
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


def asked_capture(values: Sequence[str], option: str = "--pcap") -> Capture | None:
    """A value made of flow numbers, or `all`, chooses flows; `links=…` chooses links; any other is the file."""
    if not values:
        return None
    from photocol.runs.capture import Capture

    chosen = [value for value in values if FLOWS.fullmatch(value)]
    places = [value for value in values if value.startswith("links=")]
    links = [link.strip() for value in places for link in value.removeprefix("links=").split(",")]
    files = [value for value in values if value not in (*chosen, *places, "all")]
    if len(files) > 1:
        raise InputError(f"{option}: one file, not {len(files)} ({', '.join(files)})")
    flows = [flow for value in chosen for flow in flow_numbers(option, value)]
    return Capture(files[0] if files else None, tuple(sorted(set(flows))), tuple(filter(None, links)))
