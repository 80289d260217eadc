"""The command `photocol emulate`: real hosts on a simulated network."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from photocol.cli import DONE, FAILED, say
from photocol.cli.arguments import (
    FOLDER,
    force_option,
    json_option,
    place_of,
    quiet_option,
    scenario_argument,
    settings_option,
)
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol import _core
    from photocol.emulation import Emulated

_LINES = 12
"""Lines of a command's output that are printed."""


@click.command()
@scenario_argument
@settings_option
@click.option("--real", metavar="HOST,HOST…", help="The nodes that are real; by default those of [external].")
@click.option("--run", "runs", multiple=True, metavar="'HOST: COMMAND'", help="Start a command; {HOST} is an address.")
@click.option("--law", metavar="NAME", help="The window law of the kernels, as they name it, such as cubic.")
@click.option("--slower", type=click.FloatRange(1.0, 1e6), default=1.0, metavar="K", help="Stretch time by K.  [1]")
@click.option("--mtu", metavar="SIZE", help="The longest packet of the hosts.  [1500 B]")
@click.option("--spin", is_flag=True, help="Never sleep: wake up sooner, for a core.")
@click.option("--max-lag", type=float, default=1.0, metavar="SECONDS", help="End when so far behind.  [1]")
@click.option("--strict", is_flag=True, help="Refuse flows of the scenario from or to real hosts.")
@click.option("--record", is_flag=True, help="Keep what enters, and replay.toml, which repeats the run.")
@click.option("--seed", type=int, help="Instead of the scenario's.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Write results there; `auto`: to the next free name.")
@force_option
@click.option(
    "--capture",
    multiple=True,
    metavar="FILE|FLOWS|links=…",
    help="Write packets to a pcapng FILE, as `photocol run --pcap` does; `all` is all.",
)
@json_option
@quiet_option
def emulate(*, scenario: str, settings: Sequence[str], out: Path | None, as_json: bool, **options: Any) -> int:
    """Run a scenario in real time with real hosts: network namespaces whose packets it carries.

    It ends with the last command, at the scenario's duration, or with Ctrl-C.
    """
    from photocol.cli.run import asked_capture, loaded_scenario
    from photocol.emulation.execution import EmulatedExecution, Settings, carry_out, commands_of
    from photocol.runs.scenario import digest_without, parse_setting

    if not sys.platform.startswith("linux"):
        raise InputError("photocol emulate needs Linux")
    if options["record"] and out is None:
        raise InputError("--record needs a directory to write into: --out DIR")
    _in_a_user_namespace()
    settings = [*settings, *_settings(options)]
    loaded = loaded_scenario(scenario, settings)
    commands = commands_of(loaded, options["runs"])
    how = Settings(
        law=options["law"],
        slower=options["slower"],
        spins=options["spin"],
        most_lag_s=options["max_lag"],
        is_strict=options["strict"],
        records=options["record"],
    )
    with place_of(out, Path("out") / Path(scenario).stem) as place:
        execution = EmulatedExecution(
            loaded,
            commands,
            how=how,
            announce=None if commands or options["quiet"] else _announce,
            seed=options["seed"],
            capture=asked_capture(options["capture"], "--capture"),
            out=place,
            force=options["force"],
            settings=dict(parse_setting(one) for one in settings),
            unset_sha256=None if place is None else digest_without(scenario, settings),
        )
        result, found = carry_out(execution)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False))
    elif not options["quiet"]:
        click.echo(repr(result.summary))
        for line in _lines(found):
            click.echo(line)
    _complain(found)
    failed = found.gave_up or any(one.status != 0 for one in found.commands)
    return FAILED if failed else DONE


def _in_a_user_namespace() -> None:
    """Start again as the root of a user namespace, if this is nobody's root and that is possible."""
    if Path("/proc/self").stat().st_uid == 0:
        return
    from photocol import children

    mark = "PHOTOCOL_USER_NAMESPACE"
    if mark in os.environ:
        raise InputError("photocol emulate needs root, or user namespaces that map one")
    words = ["unshare", "--user", "--map-root-user", "--net", *children.command("photocol", *sys.argv[1:])]
    try:
        os.execvpe(words[0], words, {**children.environment(), mark: "1"})
    except OSError as error:
        raise InputError(f"photocol emulate needs root, or the program unshare: {error}") from error


def _settings(options: dict[str, Any]) -> list[str]:
    """What the options say of `[external]`."""
    settings = []
    if options["real"] is not None:
        names = [name.strip() for name in options["real"].split(",")]
        settings.append(f"external.hosts={json.dumps(names, ensure_ascii=False)}")
    if options["mtu"] is not None:
        settings.append(f"external.mtu={options['mtu']}")
    return settings


def _announce(emulation: _core.Emulation) -> None:
    """How to start programs at the hosts."""
    for name, v4, v6, network in emulation.hosts:
        say(f"{name} is {v4} and {v6}: nsenter --net={network} COMMAND")
    say("photocol: until Ctrl-C")


def _lines(found: Emulated) -> list[str]:
    """What is printed under the summary."""
    columns = ("sent", "received", "marked", "elsewhere", "too_long", "overflowed", "refused", "not_taken")
    times = ("p50_us", "p99_us", "worst_us")
    lines = [f"{'host':<12}{'address':<14}" + "".join(f"{name:>11}" for name in (*columns, *times))]
    for host in found.hosts:
        cells = [*(f"{host[name]:>11}" for name in columns), *(f"{host['lateness'][name]:>11.0f}" for name in times)]
        lines.append(f"{host['host']:<12}{host['address']:<14}" + "".join(cells))
    for one in found.commands:
        lines.append(f"{one.command.host}: {one.command.words}: status {one.status}")
        lines += [f"    {line}" for line in one.output.splitlines()[-_LINES:]]
    return lines


def _complain(found: Emulated) -> None:
    """What a user must not overlook."""
    if found.left_out:
        say(f"photocol: {found.left_out} flows of the scenario begin or end at a real host and are left out")
    for host in found.hosts:
        if lost := host["overflowed"] + host["refused"] + host["too_long"]:
            say(f"photocol: {lost} packets of {host['host']} were dropped before they entered the network")
    if found.gave_up:
        say(f"photocol: ended: {found.why}")
    say(f"photocol: {found.verdict()}")
