"""Graphs of tasks in other people's forms, as photocol's own CSV: htsim's matrix with triggers, GOAL, Chakra."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from photocol.conversions.found import Found, Work
from photocol.conversions.source import FileError

if TYPE_CHECKING:
    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

COLUMNS = (
    *("task", "kind", "rank", "peer", "bytes", "time_s", "tag", "processor", "after", "begun", "needs"),
    *("collective", "round", "step", "line"),
)
_PS = 10**12
_MOST_RANKS = 4096
"""The engine takes no more."""


@dataclass(kw_only=True)
class Task:
    """A row of the CSV."""

    name: str
    kind: str
    rank: int
    line: int
    peer: int | None = None
    size: int | None = None
    """Bytes of a transfer."""
    time_ps: int | None = None
    tag: int | None = None
    processor: int | None = None
    after: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    needs: int | None = None
    collective: str = ""
    """The name of the collective to which it belongs."""
    round: int = 0
    step: int = 0

    def row(self) -> list[Any]:
        """Its fields in the order of the columns."""
        time_s = None if self.time_ps is None else f"{self.time_ps // _PS}.{self.time_ps % _PS:012d}"
        waits = [" ".join(self.after), " ".join(self.begun)]
        fields = [self.name, self.kind, self.rank, self.peer, self.size, time_s, self.tag, self.processor]
        where = [self.collective, self.round or None, self.step or None]
        return ["" if one is None else one for one in [*fields, *waits, self.needs, *where, self.line]]


@dataclass(kw_only=True)
class Graph:
    """What a file has, as the engine takes it."""

    tasks: list[Task]
    ranks: int = 0
    """How many the file says that there are."""
    warnings: list[str] = field(default_factory=list)
    done: str | None = None
    """When a transfer is done: "arrived" or "acknowledged", as the file's own simulator has it."""
    last_first: bool = False
    """Whether of tasks that may go at the same instant the last one goes first."""

    @property
    def text(self) -> str:
        """The CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(task.row() for task in self.tasks)
        return out.getvalue()


def read(source: Source, _: Choices) -> Found:
    """A graph as work of a scenario, which names its file. Raises as `read_graph` does."""
    if source.ending == ".toml" and re.search(r"^\s*\[+(run|topology|traffic)\b", source.text, re.MULTILINE):
        source.wrong(1, "found a scenario; allowed: a .toml that is an index of Chakra's traces")
    graph = read_graph(source)
    named = 1 + max((rank for task in graph.tasks for rank in (task.rank, task.peer or 0)), default=-1)
    ranks = max(named, graph.ranks if graph.tasks else 0)
    if ranks > _MOST_RANKS:
        source.wrong(1, f"found {ranks} ranks; allowed: at most {_MOST_RANKS}")
    work = Work(file=str(source.path.resolve()), ranks=ranks)
    return Found(file=source.name, format="work", work=work, warnings=graph.warnings)


def waits(source: Source) -> bool:
    """Whether flows of a connection matrix wait for others, all have an end, and no link of it fails."""
    lines = [text.split() for _, text in source.lines()]
    flows = [line[1:] for line in lines if "->" in line[0]]
    endless = any("size" not in flow or ("size", "0") in pairwise(flow) for flow in flows)
    fails = any(line[0] == "failure" for line in lines)
    return any("trigger" in flow for flow in flows) and not endless and not fails


def read_graph(source: Source) -> Graph:
    """The graph of a file: an index of Chakra's traces, GOAL if it begins with num_ranks, or a connection matrix.

    Raises FileError, and InputError without the package that a form needs.
    """
    from photocol.conversions import chakra, goal, htsim_triggers

    if source.ending == ".toml":
        return chakra.read_index(source)
    _, first = next(iter(source.lines()), (1, ""))
    if source.ending == ".goal" or "num_ranks" in source.text[:4096]:
        return goal.read(source)
    if first.split()[:1] in (["Nodes"], ["Connections"], ["Triggers"]):
        return htsim_triggers.read(source)
    raise FileError(
        source.name, 1, "found neither num_ranks of GOAL nor Nodes of htsim; allowed: one of them, or .toml"
    )
