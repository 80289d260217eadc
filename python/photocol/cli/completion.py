"""Completion in bash, zsh and fish: the scripts, and what is offered for an argument."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from photocol.cli.arguments import COMPLETE
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

SHELLS = ("bash", "zsh", "fish")
_DEEPEST = 5
"""Dots of a key at most."""
WHERE = {
    "bash": "photocol completion bash > ~/.local/share/bash-completion/completions/photocol",
    "zsh": "photocol completion zsh > a folder of $fpath, as _photocol",
    "fish": "photocol completion fish > ~/.config/fish/completions/photocol.fish",
}


def answer(app: click.Command, instruction: str) -> int:
    """Print what the shell asks for; the exit status."""
    return shell_complete(app, {}, "photocol", COMPLETE, instruction)


def script(app: click.Command, shell: str) -> str:
    """What the shell has to read to complete `photocol`."""
    kind = get_completion_class(shell)
    if kind is None:
        raise InputError(f"no completion for {shell!r}; there is for {', '.join(SHELLS)}")
    completed = kind(app, {}, "photocol", COMPLETE)
    return completed.source_template % completed.source_vars()


def scenarios(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Ready-made scenarios by name; with a / or a . in it, or where none fits, files."""
    from photocol.runs import bundled

    fitting = [CompletionItem(name, help=told) for name, told in bundled.scenarios() if name.startswith(begun)]
    if not fitting or "/" in begun or begun.startswith("."):
        return [CompletionItem(begun, type="file")]
    return fitting


def settings(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Keys that the scenario on the command line may have, as they are written for `--set`."""
    from photocol import ScenarioError, _core
    from photocol.runs.scenario import load

    named = context.params.get("scenario") or next(iter(context.params.get("what") or ()), None)
    path = named or next(iter(context.args), None)  # The first before a whole option.
    try:
        said = tomllib.loads(load(_scenario_of(path)).text) if path else {}
    except (ScenarioError, InputError, OSError):
        said = {}
    schema = json.loads(_core.schema())
    keys = dict.fromkeys(_keys(schema, schema["$defs"], said))
    return [CompletionItem(f"{key}=") for key in keys if key.startswith(begun)]


def _scenario_of(path: str) -> str:
    """The scenario of a `sweep.toml`; any other path as it is."""
    from photocol.sweeps.spec import read_file

    try:
        said = read_file(Path(path)).get("scenario")
    except InputError:
        return path
    return said if isinstance(said, str) else path


def _keys(part: Mapping[str, Any], known: Mapping[str, Any], said: object, before: str = "") -> Iterator[str]:
    """Paths to the values of this part of the schema; of lists, and of tables with names of one's own, what is said."""
    if before.count(".") > _DEEPEST:
        return
    for one in _alternatives(part, known, said):
        inner = dict(one.get("properties", {}))
        if isinstance(said, Mapping) and isinstance(one.get("additionalProperties"), dict):
            inner = dict.fromkeys(said, one["additionalProperties"])
        if isinstance(said, list) and isinstance(one.get("items"), dict):
            inner = {str(place): one["items"] for place in range(len(said))}
        if not inner and before and one.get("type") not in ("object", "array"):
            yield before
        for name, value in inner.items():
            there = said[int(name)] if isinstance(said, list) else said.get(name) if isinstance(said, Mapping) else None
            yield from _keys(value, known, there, f"{before}.{name}" if before else name)


def _alternatives(part: Mapping[str, Any], known: Mapping[str, Any], said: object) -> Iterator[Mapping[str, Any]]:
    """The part without references and choices; of kinds of a table, the one that is said."""
    if "$ref" in part:
        part = known[part["$ref"].rpartition("/")[2]]
    choices = [*part.get("anyOf", ()), *part.get("oneOf", ())]
    for choice in choices if "properties" not in part else ():
        kind = choice.get("properties", {}).get("kind", {}).get("const")
        if kind is None or not isinstance(said, Mapping) or said.get("kind") == kind:
            yield from _alternatives(choice, known, said)
    if "properties" in part or not (choices or part.get("type") == "null"):
        yield part


def pictures(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Pictures of the runs that the command line names, figures of its sweeps."""
    from photocol.plot import sweep_sizes
    from photocol.plot.files import pictures_of
    from photocol.runs.results import Result
    from photocol.sweeps.swept import SweepTable, is_campaign

    found: dict[str, None] = {}
    try:
        for folder in _directories(context):
            of_sweep = [*SweepTable.load(folder).metrics, sweep_sizes.NAME] if is_campaign(folder) else None
            there = pictures_of({"": Result.load(folder)}) if of_sweep is None else of_sweep
            found |= dict.fromkeys(there)
    except (InputError, OSError):
        return []
    return [CompletionItem(name) for name in found if name.startswith(begun)]


def axes(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Axes of the sweeps that the command line names."""
    from photocol.sweeps.swept import SweepTable, is_campaign

    try:
        swept = [SweepTable.load(folder) for folder in _directories(context) if is_campaign(folder)]
    except (InputError, OSError):
        return []
    found = dict.fromkeys(name for table in swept for name in table.axes)
    return [CompletionItem(name) for name in found if name.startswith(begun)]


def _directories(context: click.Context) -> list[Path]:
    """Those on the command line; before a whole option they are not read yet."""
    return [Path(folder) for folder in context.params.get("directories") or context.args]


def models(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Closed-form models by name."""
    from photocol import _core

    return [CompletionItem(one["name"], help=one["summary"]) for one in _core.models() if one["name"].startswith(begun)]


def overlays(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """What is laid over pictures: a model by name; where none fits, a file or a folder."""
    return models(context, parameter, begun) or [CompletionItem(begun, type="file")]


def inputs(context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Inputs of the model that the command line names."""
    from photocol import _core

    wanted = context.params.get("name") or next(iter(context.args), None)
    known = [one for model in _core.models() if model["name"] == wanted for one in model["inputs"]]
    fitting = [one for one in known if f"{one['name']}=".startswith(begun)]
    return [CompletionItem(f"{one['name']}=", help=one["meaning"]) for one in fitting]


def tables(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Tables of a run."""
    from photocol.runs.results import TABLES

    return [CompletionItem(name) for name in TABLES if name.startswith(begun)]


def experiments(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Experiments and papers by id."""
    from photocol.experiments.catalogue import ExperimentError, experiments_folder, find_experiments

    try:
        found = find_experiments(experiments_folder())
    except ExperimentError:
        return []
    papers = dict.fromkeys(name.split("/")[0] for name in found)
    return [CompletionItem(name) for name in [*papers, *found] if name.startswith(begun)]


def cities(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The cities whose names begin so."""
    from photocol.orbits.cities import cities as known

    return [CompletionItem(name) for name in known() if name.lower().startswith(begun.lower())]


def training_models(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Ready-made models of training; where none fits, a file."""
    from photocol.training import model_names

    fitting = [CompletionItem(name) for name in model_names() if name.startswith(begun)]
    return fitting or [CompletionItem(begun, type="file")]
