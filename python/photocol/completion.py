"""Completion in bash, zsh and fish: the scripts, and what is offered for an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from photocol.arguments import COMPLETE
from photocol.errors import InputError

if TYPE_CHECKING:
    import click

SHELLS = ("bash", "zsh", "fish")
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
    from photocol import ready

    fitting = [CompletionItem(name, help=told) for name, told in ready.scenarios() if name.startswith(begun)]
    if not fitting or "/" in begun or begun.startswith("."):
        return [CompletionItem(begun, type="file")]
    return fitting


def models(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Closed-form models by name."""
    from photocol import _core

    return [CompletionItem(one["name"], help=one["summary"]) for one in _core.models() if one["name"].startswith(begun)]


def experiments(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Experiments and papers by id."""
    from photocol.catalogue import ExperimentError, experiments_folder, find_experiments

    try:
        found = find_experiments(experiments_folder())
    except ExperimentError:
        return []
    papers = dict.fromkeys(name.split("/")[0] for name in found)
    return [CompletionItem(name) for name in [*papers, *found] if name.startswith(begun)]
