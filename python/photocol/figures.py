"""The figures and tables of the papers, by name: `experiments/figures.toml` says what becomes of each."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIST = "figures.toml"
_KINDS = {"figure": "Figure", "figures": "Figure", "table": "Table", "tables": "Table"}
_PART = re.compile(r"(?P<kind>\b[Ff]igures?|\b[Tt]ables?)|(?P<to>\bto\b)|(?P<number>\b(?:[A-E]\.|\d+\.)?\d+\b)")


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


def _between(kind: str, first: str, last: str) -> list[str]:
    """What follows `first` up to `last`, of one chapter."""
    chapter, _, start = first.rpartition(".")
    end = last.rpartition(".")[2]
    dot = "." if chapter else ""
    return [f"{kind} {chapter}{dot}{number}" for number in range(int(start) + 1, int(end) + 1)]
