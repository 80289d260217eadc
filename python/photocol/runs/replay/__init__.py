"""A second opinion on a run: its trace is replayed by plain rules of what fibres, queues, slots and ACKs can do.

It reads what lies in the directory of a run: the events, the network as the scenario describes it, and the tables; and
the files that the scenario names. It shares no code with the engine. Times are picoseconds, as in the trace.

A rule is declared where it stands (`rules.rule`), with the kinds of switching, hosts and links (`traits`) of which it
can say nothing. There it is not checked, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from photocol.errors import InputError
from photocol.runs.replay import coverage
from photocol.runs.replay.fibres import delays, order, overlaps, rates, waits
from photocol.runs.replay.form import form
from photocol.runs.replay.hosts import acks, answers, heard, marks, repeats, sacks, sends
from photocol.runs.replay.network import picoseconds
from photocol.runs.replay.packets import begun, kept, losses, packets, relays, sizes
from photocol.runs.replay.queues import queues
from photocol.runs.replay.replayed import Replayed, load, timed
from photocol.runs.replay.rules import RULES, Rule
from photocol.runs.replay.switches import bursts, headers, shared, slots, within
from photocol.runs.replay.tables import drops, flows, offered

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "RULES", "Replayed", "Rule", "Verdict", "acks", "answers", "begun", "bursts", "delays", "drops", "flows",
    "form", "headers", "heard", "kept", "load", "losses", "marks", "offered", "order", "overlaps", "packets",
    "picoseconds", "queues", "rates", "relays", "repeats", "replay", "sacks", "sends", "shared", "sizes", "slots",
    "timed", "waits", "within",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a replay says."""

    events: int
    checked: list[str]
    """The rules that were checked, with how many links or flows each was."""
    breaches: list[str]
    """A sentence for each breach of a rule."""
    unchecked: list[str]
    """A sentence for each rule that says nothing about a part of the run, and why."""


def replay(folder: Path) -> Verdict:
    """Replay the trace of a run. Raises InputError if it cannot be read."""
    run = load(folder)
    breaches = []
    for rule in RULES:
        try:
            breaches += list(rule(run))
        except pl.exceptions.PolarsError as error:
            what = str(error).partition("\n")[0]
            raise InputError(f"{folder / 'trace.parquet'} cannot be replayed ({rule.name}): {what}") from error
    checked = [sentence for rule in RULES if (sentence := rule.checked(run))]
    unchecked = [sentence for rule in RULES for sentence in rule.unchecked(run)]
    unchecked = [*unchecked, coverage.UNSEEN]
    return Verdict(events=run.trace.height, checked=checked, breaches=breaches, unchecked=unchecked)
