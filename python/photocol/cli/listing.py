"""The command `photocol list`: what there is, a sentence and a source each."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import click

from photocol.cli import DONE, FAILED, complain
from photocol.cli.arguments import Words, json_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Kind(StrEnum):
    """What `photocol list` can list."""

    TOPOLOGIES = "topologies"
    TRANSPORTS = "transports"
    SWITCHING = "switching"
    QUEUES = "queues"
    SCHEDULERS = "schedulers"
    CIRCUIT_SCHEDULES = "circuit-schedules"
    RESERVATIONS = "reservations"
    PROBES = "probes"
    SHELLS = "shells"
    MODELS = "models"
    EXPERIMENTS = "experiments"
    SCENARIOS = "scenarios"


@click.command("list")
@click.argument("kind", required=False, metavar="[KIND]", type=Words([kind.value for kind in Kind]))
@json_option
def list_(*, kind: str | None, as_json: bool) -> int:
    r"""List what there is, one sentence and source each; by default of all kinds.

    \b
    KIND: topologies, transports, switching, queues, schedulers, circuit-schedules,
    reservations, probes, shells, models, experiments or scenarios.
    """
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


def _entries(kind: Kind) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Name, sentence and source of each, and what is wrong with those that cannot be loaded."""
    if kind is Kind.EXPERIMENTS:
        return _experiments()
    if kind is Kind.SCENARIOS:
        from photocol.runs import bundled

        return [(name, sentence, f"scenarios/{name}.toml") for name, sentence in bundled.scenarios()], []
    if kind is Kind.SHELLS:
        from photocol.orbits.shells import described

        return described(), []
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
