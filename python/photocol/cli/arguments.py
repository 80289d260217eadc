"""Arguments and options that several commands share."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from photocol.errors import InputError, did_you_mean
from photocol.runs.free_names import claim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.shell_completion import CompletionItem

FLOWS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
"""Flow numbers, as in `0,3-5`."""
_MOST_FLOWS = 1_000_000

COMPLETE = "_PHOTOCOL_COMPLETE"
"""With this variable set, the command tells a shell what may come next and does nothing else."""


def offered(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """What `photocol.cli.completion` offers of a kind, imported when a shell asks."""

    def offer(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from photocol.cli import completion

        found: list[CompletionItem] = getattr(completion, kind)(context, parameter, begun)
        return found

    return offer


class Words(click.Choice[str]):
    """One of some words; another one is told the nearest."""

    def get_invalid_choice_message(self, value: object, ctx: click.Context | None) -> str:  # noqa: ARG002 (click's)
        """What was found, the nearest of the words, and all of them."""
        names = [str(choice) for choice in self.choices]
        return f"{value!r} is none of the words here; {did_you_mean(str(value), names)}allowed: {', '.join(names)}"


FOLDER = click.Path(path_type=Path)
scenario_argument = click.argument("scenario", metavar="SCENARIO", shell_complete=offered("scenarios"))
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    shell_complete=offered("settings"),
    help="Replace a value, as in link_defaults.buffer='20 packets'.",
)
force_option = click.option("--force", is_flag=True, help="Replace a finished run of another scenario in DIR.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print numbers for programs.")
jobs_option = click.option("--jobs", type=int, metavar="N", help="Processes; by default one a core.")
dask_option = click.option(
    "--dask", metavar="ADDRESS", help="On the Dask cluster at ADDRESS; `local` makes one with --jobs workers."
)
code_option = click.option(
    "--allow-code", is_flag=True, help="Execute laws in Python that you have not run before as DIR records them."
)
quiet_option = click.option("--quiet/--no-quiet", help="No progress, no tables.")
_SWEPT_OPTIONS = (
    click.option("--x", metavar="AXIS", shell_complete=offered("axes"), help="Of a sweep: along this axis."),
    click.option(
        "--by", multiple=True, metavar="AXIS", shell_complete=offered("axes"), help="A curve for each of its values."
    ),
    click.option("--panels", metavar="AXIS", shell_complete=offered("axes"), help="A small picture for each."),
    click.option(
        "--log",
        type=Words(["x", "y", "xy", "none"]),
        help="Logarithmic; by default x if it spans a factor of 30.",
    ),
    click.option("--map", "is_map", is_flag=True, help="Colours over two axes, --x and --by."),
    click.option("--where", metavar="SQL", help="Points to draw, as in \"buffer_kb <> '10 kB'\"."),
    click.option(
        "--over",
        multiple=True,
        metavar="WHAT",
        shell_complete=offered("overlays"),
        help="Lay it over: 'erlang-b(servers=16)', a CSV file of points, the directory of a run or a sweep.",
    ),
    click.option(
        "--label", "labels", multiple=True, metavar="TEXT", help="The name of an --over in the legend, in their order."
    ),
)


def swept_options(command: Callable[..., object]) -> Callable[..., object]:
    """The options of pictures of sweeps."""
    for option in reversed(_SWEPT_OPTIONS):
        command = option(command)
    return command


AUTO = Path("auto")
"""As `--out`: the next free name, which is printed last."""


@contextlib.contextmanager
def place_of(out: Path | None, first: Path) -> Iterator[Path | None]:
    """The directory that `--out` says; of `auto` the first name that is free, made and kept if something comes into it.

    An absolute path that ends so is a directory of that name.
    """
    if out != AUTO:
        yield out
        return
    place = claim(first)
    try:
        yield place
    finally:
        with contextlib.suppress(OSError):
            place.rmdir()


def flow_numbers(option: str, text: str) -> list[int]:
    """`0,3-5` as numbers. Raises InputError, which names the option."""
    if not FLOWS.fullmatch(text):
        raise InputError(f"{option} {text!r}: must be flow numbers, as in 0,3-5")
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        if not low <= high < low + _MOST_FLOWS:
            raise InputError(f"{option} {text}: {part} is not a range of flow numbers")
        numbers.extend(range(low, high + 1))
    return numbers
