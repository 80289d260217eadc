"""A rule of what can be in a trace, with the kinds of switching, hosts and links of which it can say nothing.

What a rule does not check stands beside it, as the reason in words. The list for users and the output of
`photocol verify --trace` are made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl

from photocol.runs.replay.kinds import hidden_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from photocol.runs.replay.replayed import Replayed
    from photocol.runs.replay.trait import Trait

Scope = Literal["links", "flows", "run"]
_SHOWN = 3
_EXAMPLES = 2


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What must be so."""

    name: str
    says: str
    """As a sentence."""
    scope: Scope
    """What it is checked of, one by one."""
    find: Callable[[Replayed, pl.DataFrame], Iterator[str]] = field(repr=False)
    """A sentence for each breach in the events that it is given: those of the links or flows that it knows."""
    blind: Mapping[Trait, str]
    """Of what it is not checked, and why."""
    only: Trait | None = None
    """The kind of switching that has what it is about; None for all."""

    def __call__(self, run: Replayed) -> Iterator[str]:
        """A sentence for each breach."""
        hidden = self.hidden(run)
        if hidden is None or not self.concerns(run):
            return
        column = {"links": "place", "flows": "flow"}.get(self.scope)
        events = run.trace
        if column is not None and hidden:
            events = events.filter(~pl.col(column).is_in(sorted(hidden, key=str)).fill_null(value=False))
        yield from self.find(run, events)

    def concerns(self, run: Replayed) -> bool:
        """Whether the run has what it is about."""
        return self.only is None or bool(self.only.of(run))

    def hidden(self, run: Replayed) -> set[object] | None:
        """The places or flows that are not checked; None where nothing is."""
        found: set[object] = set()
        for trait in self.blind:
            having = trait.of(run)
            if having and (trait.group == "switching" or self.scope == "run"):
                return None
            found |= set(having)
        return found

    def checked(self, run: Replayed) -> str:
        """Of how much it is checked; empty where of nothing."""
        hidden = self.hidden(run)
        if hidden is None or not self.concerns(run):
            return ""
        having = {"links": set(run.network.links), "flows": set(run.flows["flow"])}.get(self.scope)
        if having is None:
            return self.name
        count = len(having - hidden)
        return f"{self.name} ({count} of {len(having)} {self.scope})" if count else ""

    def unchecked(self, run: Replayed) -> Iterator[str]:
        """A sentence for each kind that this run has and that is not checked."""
        for trait, reason in self.blind.items() if self.concerns(run) else ():
            having = sorted(trait.of(run), key=lambda one: (isinstance(one, str), one))
            if having:
                where = (
                    "" if trait.group == "switching" or self.scope == "run" else f" at {_listed(having, self.scope)}"
                )
                yield f"not checked: {self.name}{where} ({trait.name}): {reason}"


def _listed(having: Collection[object], scope: Scope) -> str:
    shown = [f"flow {one}" if scope == "flows" else str(one) for one in list(having)[:_EXAMPLES]]
    more = len(having) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


RULES: list[Rule] = []
"""All, in the order in which they are declared."""


def rule(
    name: str, says: str, *, of: Scope, only: Trait | None = None, blind: Mapping[Trait, str] | None = None
) -> Callable[[Callable[[Replayed, pl.DataFrame], Iterator[str]]], Rule]:
    """Declare a function as a rule. Of which kinds of host it is not checked, `kinds` says."""

    def declared(find: Callable[[Replayed, pl.DataFrame], Iterator[str]]) -> Rule:
        made = Rule(name=name, says=says, scope=of, find=find, blind={**(blind or {}), **hidden_of(name)}, only=only)
        RULES.append(made)
        return made

    return declared


def said(broken: pl.DataFrame, what: str, at: str = "place") -> Iterator[str]:
    """A sentence for each of the first rows, and how many there are."""
    for row in broken.head(_SHOWN).iter_rows(named=True):
        flow = "" if row.get("flow") is None else f" of flow {row['flow']}"
        time = "an unknown time" if row["t_ps"] is None else f"{row['t_ps'] / 1e12:.9f} s"
        yield f"{row[at]} at {time}: {row['class']} {row['unit']}{flow} {what}"
    if broken.height > _SHOWN:
        yield f"… and {broken.height - _SHOWN} more: {what}"
