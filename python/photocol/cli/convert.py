"""The command `photocol convert`: a scenario from other people's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from photocol.cli import DONE, say
from photocol.cli.arguments import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

_TEXTS = (
    ("format", "NAME", "Of all inputs; by default found by their endings and contents."),
    ("capacity", "RATE", "Of links without one.  [10 Gbps]"),
    ("delay", "TIME", "Of links without delay, length and coordinates.  [1 ms; Opera 500 ns; OpenOptics, a star 1 us]"),
    ("buffer", "ROOM", "Waiting room of every link, as in '340 packets'; by default that of scenarios."),
    ("capacity-unit", "UNIT", "What the number 1 means as a capacity or demand, as in Mbps."),
    ("delay-unit", "UNIT", "What the number 1 means as a delay, as in ms."),
    ("time-unit", "UNIT", "What the number 1 means as the start of a flow or contact, as in ns."),
    (
        "duplicates",
        "first|keep|error",
        "Links between nodes that are linked already: the first counts, all, none.  [first]",
    ),
    ("transport", "NAME", "How flows are sent; demands are datagrams.  [cubic]"),
    ("duration", "TIME", "Of the run; by default to the end of what the files say."),
    ("slice", "TIME", "Of a schedule that does not say it."),
    ("guard", "TIME", "Dark time at the start of a slice, likewise."),
    ("between", "down|pause", "What waits for a link that is away is dropped or kept.  [plans down, circuits pause]"),
    ("handover-every", "TIME", "OrbCC: the link is down from each multiple of this until the values change."),
)
_NUMBERS = (
    ("size-unit", int, "BYTES", "What the number 1 means in a distribution of sizes.  [1; with three columns 1460]"),
    ("scale", float, "X", "Multiply demands.  [1]"),
    ("load", float, "SHARE", "Load of flows whose sizes are drawn, of the busiest link.  [0.3]"),
    ("cycles", int, "N", "How often a schedule is repeated.  [1]"),
)


def _with_choices(command: Any) -> Any:
    """The command with an option for each choice."""
    for name, kind, metavar, what in reversed(_NUMBERS):
        command = click.option(f"--{name}", type=kind, metavar=metavar, help=what)(command)
    for name, metavar, what in reversed(_TEXTS):
        command = click.option(f"--{name}", metavar=metavar, help=what)(command)
    return command


@click.command()
@click.argument("inputs", nargs=-1, required=True, type=FOLDER, metavar="INPUT...")
@click.option("--to", type=FOLDER, required=True, metavar="NAME.toml", help="The scenario; flows go beside it.")
@click.option("--as", "as_", metavar="links|demands", help="What tables of from, to and rate are.")
@click.option("--directed/--undirected", default=None, help="Whether a link is one direction; by default as files say.")
@_with_choices
@click.option("--force", is_flag=True, help="Replace files that are there already.")
@click.option("--quiet/--no-quiet", help="Do not say what was left out or filled in.")
def convert(*, inputs: tuple[Path, ...], to: Path, force: bool, quiet: bool, **choices: Any) -> int:
    """Make a scenario from files of others.

    Networks (GraphML, GML, SNDlib, REPETITA, CSV), traffic matrices, lists of flows (HPCC, htsim, CSV), distributions
    of sizes, contact plans, schedules of circuits (Opera, OpenOptics), graphs of work (GOAL, htsim's triggers, Chakra).
    """
    from photocol.conversions.convert import convert as make

    given = {name: value for name, value in choices.items() if value is not None}
    made = make(*inputs, to=to, force=force, **given)
    for warning in () if quiet else made.warnings:
        say(f"{to}: warning: {warning}")
    click.echo(f"{made.title}\nwritten to {to}; photocol run {to}")
    return DONE
