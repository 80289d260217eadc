"""The figures and tables of the papers, by name: `experiments/figures.toml` says what becomes of each.

`experiments/verdicts.toml` has a line of each that is judged: what of it holds, fails and cannot be judged.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LIST, VERDICTS = "figures.toml", "verdicts.toml"
_LISTS = ("agree", "disagree", "untold")
_KINDS = {"figure": "Figure", "figures": "Figure", "table": "Table", "tables": "Table"}
_PART = re.compile(r"(?P<kind>\b[Ff]igures?|\b[Tt]ables?)|(?P<to>\bto\b)|(?P<number>\b(?:[A-E]\.|\d+\.)?\d+\b)")


@dataclass(frozen=True, kw_only=True)
class Line:
    """What a reader should know of a figure, in one line written by hand, with the claims that it rests on."""

    holds: str = ""
    """What holds, and under which reading."""
    fails: str = ""
    chance: str = ""
    """What the intervals of the replications leave open."""
    elsewhere: str = ""
    """Where numbers of the line come from that the records of its claims do not have."""
    unjudged: str = ""
    """Why something cannot be judged."""
    agree: Sequence[Judged] = ()
    """Claims that agree, or agree in shape, and give what holds."""
    disagree: Sequence[Judged] = ()
    untold: Sequence[Judged] = ()
    """Claims that cannot be told, and are what chance decides."""

    @property
    def text(self) -> str:
        """The line."""
        parts = (
            ("holds", self.holds),
            ("fails", self.fails),
            ("cannot be told", self.chance),
            ("cannot be judged", self.unjudged),
        )
        return "; ".join(f"**{what}** {text}" for what, text in parts if text)


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A claim of an experiment, perhaps under a reading that the experiment has as an axis."""

    experiment: str
    claim: str
    reading: str = ""


def named(text: str) -> list[str]:
    """The single figures and tables that a text names: "Figures 5.1 to 5.3, table 5.3" are four."""
    found: list[str] = []
    kind, is_range = "", False
    for part in _PART.finditer(text):
        if part["kind"]:
            kind = _KINDS[part["kind"].lower()]
        elif part["to"]:
            is_range = True
        elif kind:
            number = part["number"]
            found += _between(kind, found[-1].split()[1], number) if is_range else [f"{kind} {number}"]
            is_range = False
    return found or [text]


def listed(experiments: Path) -> dict[str, dict[str, list[str] | str]]:
    """Paper to what the list says of its figures, in the list's order: the experiments, or why there are none."""
    papers: Mapping[str, Mapping[str, list[str] | str]] = tomllib.loads(
        (experiments / LIST).read_text(encoding="utf-8")
    )
    return {paper: dict(figures) for paper, figures in papers.items()}


def lines(experiments: Path) -> dict[str, dict[str, Line]]:
    """Paper to figure to its line; empty where there is no such file."""
    file = experiments / VERDICTS
    if not file.is_file():
        return {}
    papers = tomllib.loads(file.read_text(encoding="utf-8"))
    return {paper: {name: _line(said) for name, said in figures.items()} for paper, figures in papers.items()}


def _line(said: Mapping[str, str | Sequence[str]]) -> Line:
    lists = {key: [one for text in said.get(key, ()) for one in _judged(text)] for key in _LISTS}
    return Line(**{**said, **lists})  # type: ignore[arg-type]


def _judged(text: str) -> list[Judged]:
    """`paper/experiment: claim, claim`, or `paper/experiment @ reading: claim`."""
    place, _, claims = text.partition(": ")
    experiment, _, reading = place.partition(" @ ")
    return [Judged(experiment=experiment, claim=claim, reading=reading) for claim in claims.split(", ")]


def _between(kind: str, first: str, last: str) -> list[str]:
    """What follows `first` up to `last`, of one chapter."""
    chapter, _, start = first.rpartition(".")
    end = last.rpartition(".")[2]
    dot = "." if chapter else ""
    return [f"{kind} {chapter}{dot}{number}" for number in range(int(start) + 1, int(end) + 1)]
