"""What the ranks of a group send, as tasks of a graph: rings, and all to all at once.

A file of tasks names no collective, so they are spelt out: rings as of `algorithm = "ring"`, exchanges as of `"direct"`
(docs/guide/collectives.md), with blocks cut in the same way. What a rank adds to a sum it waits for, in each step.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.conversions.graphs import Task
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_TASKS = 1_000_000
Waits = dict[int, list[str]]
"""Names of tasks by rank, all of which are done before something goes there."""


class Tasks:
    """Takes tasks with their names, and counts the bytes that are sent, by purpose."""

    def __init__(self) -> None:
        self.list: list[Task] = []
        self.sent: Counter[str] = Counter()
        self.round = 0
        """Of all tasks that follow."""

    def compute(self, name: str, rank: int, time_ps: int, after: Sequence[str]) -> str:
        """A computation."""
        return self.add(Task(name=name, kind="compute", rank=rank, line=0, time_ps=time_ps, after=list(after)))

    def join(self, name: str, rank: int, after: Sequence[str]) -> str:
        """What waits for several tasks; one of them itself if there is no other."""
        if len(after) == 1:
            return after[0]
        return self.add(Task(name=name, kind="join", rank=rank, line=0, after=list(after)))

    def send(self, name: str, ends: tuple[int, int], size: int, after: Sequence[str]) -> str:
        """A transfer of so many bytes; the name begins with its purpose, as far as the first dot."""
        return self.transfer(
            Task(name=name, kind="transfer", rank=ends[0], peer=ends[1], line=0, size=size, after=list(after))
        )

    def transfer(self, task: Task) -> str:
        """A transfer, which is counted."""
        self.sent[task.name.partition(".")[0]] += task.size or 0
        return self.add(task)

    def add(self, task: Task) -> str:
        """Any task."""
        if len(self.list) == MOST_TASKS:
            raise InputError(
                f"there are more than {MOST_TASKS} tasks; allowed: up to that, with fewer chunks, micro-batches, "
                "iterations or ranks"
            )
        task.round = self.round
        self.list.append(task)
        return task.name


@dataclass(frozen=True, kw_only=True)
class _Collective:
    """One that is being spelt out, among the ranks of a group."""

    tasks: Tasks
    name: str
    group: Sequence[int]

    def send(self, name: str, step: int, ends: tuple[int, int], size: int, after: Sequence[str]) -> str:
        """A transfer of a step. All steps have the collective's name and its first rank, since groups share a name."""
        rank, peer = ends
        called = f"{name}.r{rank}"
        collective = f"{self.name}.r{self.group[0]}"
        return self.tasks.transfer(
            Task(
                name=called,
                kind="transfer",
                rank=rank,
                peer=peer,
                line=0,
                size=size,
                after=list(after),
                collective=collective,
                step=step,
            )
        )

    def reduce_scatter(self, size: int, ready: Waits) -> Waits:
        """As the function of that name, if there is something to send."""
        n = len(self.group)
        own = {rank: [self.tasks.join(f"{self.name}.own.r{rank}", rank, ready[rank])] for rank in self.group}
        came: Waits = {rank: [] for rank in self.group}
        for step in range(n - 1):
            sizes = [share(size, (place - step - 1) % n, n) for place in range(n)]
            after = {rank: came[rank] + own[rank] for rank in self.group}
            came = self._ring_step(f"{self.name}.{step}", step, sizes, after)
        return {rank: came[rank] + own[rank] for rank in self.group}

    def all_gather(self, size: int, ready: Waits, *, name: str = "", first: int = 0) -> Waits:
        """As the function of that name, if there is something to send; with the number of its first step."""
        n = len(self.group)
        came, all_came = ready, {rank: list(ready[rank]) for rank in self.group}
        for step in range(n - 1):
            sizes = [share(size, (place - step) % n, n) for place in range(n)]
            came = self._ring_step(f"{name or self.name}.{step}", first + step, sizes, came)
            for rank in self.group:
                all_came[rank] += came[rank]
        return all_came

    def _ring_step(self, name: str, step: int, sizes: Sequence[int], after: Waits) -> Waits:
        came: Waits = {}
        for place, rank in enumerate(self.group):
            following = self.group[(place + 1) % len(self.group)]
            came[following] = [self.send(name, step, (rank, following), sizes[place], after[rank])]
        return came


def reduce_scatter(tasks: Tasks, name: str, group: Sequence[int], size: int, ready: Waits) -> Waits:
    """Each rank gets the sum of its part, the one at its place in the group."""
    if len(group) == 1 or size == 0:
        return ready
    return _Collective(tasks=tasks, name=name, group=group).reduce_scatter(size, ready)


def all_gather(tasks: Tasks, name: str, group: Sequence[int], size: int, ready: Waits) -> Waits:
    """Each rank gets the parts of all; at the beginning it has its own."""
    if len(group) == 1 or size == 0:
        return ready
    return _Collective(tasks=tasks, name=name, group=group).all_gather(size, ready)


def all_reduce(tasks: Tasks, name: str, group: Sequence[int], size: int, ready: Waits) -> Waits:
    """Each rank gets the sum: a reduce-scatter and an all-gather."""
    if len(group) == 1 or size == 0:
        return ready
    collective = _Collective(tasks=tasks, name=name, group=group)
    scattered = collective.reduce_scatter(size, ready)
    return collective.all_gather(size, scattered, name=f"{name}.sum", first=len(group) - 1)


def all_to_all(tasks: Tasks, name: str, group: Sequence[int], size: int, ready: Waits) -> Waits:
    """Each rank has as much for each, itself too; all send at once, to the next rank first."""
    n = len(group)
    if n == 1 or size == 0:
        return ready
    collective = _Collective(tasks=tasks, name=name, group=group)
    came = {rank: list(ready[rank]) for rank in group}
    for place, rank in enumerate(group):
        for ahead in range(1, n):
            other = (place + ahead) % n
            sent = collective.send(f"{name}.{ahead}", 0, (rank, group[other]), share(size, other, n), ready[rank])
            came[group[other]].append(sent)
    return came


def share(total: int, place: int, count: int) -> int:
    """The part at a place of a total that is cut into parts as equal as they can be."""
    return total // count + (place < total % count)
