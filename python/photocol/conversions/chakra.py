"""Chakra execution traces, a file a rank, as a graph of tasks (mlcommons/chakra 21585d8).

A small table of TOML, the index, names the traces and says what they leave open:

    traces = "step.*.et"            # * is the rank, from 0
    all_gather_size = "part"        # comm_size of an all-gather: of one rank, as in ASTRA-sim; or "whole"
    dependencies = "data"           # what a node waits for: data_deps, as in Chakra's feeder; or "all"
    flops_per_second = 1e14         # for computations with num_ops and without a duration
    [groups]
    tensor-0 = [0, 1]               # the ranks of each pg_name; without a name all take part

Computations last as long as in the trace, those with `is_cpu_op` on a processor of their own; loads and stores wait so
long. A send is done when its receive has taken it. The n-th collectives of a group at each of its ranks are one: rings,
and an exchange at once for all-to-all and barrier. Their durations in the trace are left out, since the network has its
own. Without a `pg_name`, an `involved_dim` that leaves a dimension out is refused.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from photocol.conversions.chakra_messages import Node, NodeType, read_nodes
from photocol.conversions.collectives import (
    MOST_TASKS,
    Tasks,
    Waits,
    all_gather,
    all_reduce,
    all_to_all,
    reduce_scatter,
)
from photocol.conversions.graphs import Graph, Task
from photocol.conversions.keys import Keys, Places
from photocol.conversions.source import FileError, Source, read, shown
from photocol.errors import InputError, failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COLLECTIVES = {0: "all-reduce", 2: "all-gather", 6: "all-to-all", 7: "reduce-scatter", 9: "barrier"}
_MOST_RANKS = 4096
_LONGEST_US = 213 * 86_400 * 10**6
_MOST_BYTES = 1 << 60
_PS_PER_US = 10**6
_TAGS = 2**32 - 1
_CPU = 1
"""The processor of computations with `is_cpu_op`."""


@dataclass(kw_only=True)
class Index:
    """Which traces there are, and what they leave open."""

    source: Source
    traces: str
    is_part: bool = True
    """Whether the size of an all-gather is one rank's part."""
    waits_for_control: bool = False
    flops_per_second: float | None = None
    groups: dict[str, list[int]] = field(default_factory=dict)


def read_index(source: Source) -> Graph:
    """The graph of the traces that an index names. Raises FileError and InputError, which name the trace and node."""
    try:
        table = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source.name}: {error}") from error
    places = Places(source.name, source.text)
    keys = Keys(table, "", places)
    index = Index(
        source=source,
        traces=keys.text("traces", 'the names of the traces, with * for the rank, as in "step.*.et"'),
        is_part=keys.word("all_gather_size", ("part", "whole"), "part") == "part",
        waits_for_control=keys.word("dependencies", ("data", "all"), "data") == "all",
        flops_per_second=keys.real("flops_per_second", 1e6, 1e21) if keys.has("flops_per_second") else None,
    )
    groups = keys.raw("groups") or {}
    if not isinstance(groups, dict):
        keys.refuse("groups", groups, "a table of lists of ranks")
    for name, ranks in groups.items():
        if not isinstance(ranks, list) or not ranks or not all(type(one) is int for one in ranks):
            keys.refuse(f"groups.{name}", ranks, "a list of ranks")
        index.groups[name] = ranks
    keys.finish()
    return read_traces(index)


def read_traces(index: Index) -> Graph:
    """The graph of all traces of an index."""
    reader = _Reader(index)
    for rank, file in enumerate(_files(index)):
        reader.take(rank, file)
    return reader.done()


def _files(index: Index) -> list[Path]:
    """The traces in the order of their ranks, which are all there."""
    pattern = index.source.path.parent / index.traces
    head, star, tail = pattern.name.partition("*")
    if not star or "*" in tail or "*" in str(pattern.parent):
        index.source.wrong(
            1, f'traces: found {shown(index.traces)}; allowed: a file name with one *, as in "step.*.et"'
        )
    named = re.compile(rf"{re.escape(head)}(\d{{1,6}}){re.escape(tail)}")
    try:
        found = {int(match[1]): file for file in pattern.parent.iterdir() if (match := named.fullmatch(file.name))}
    except OSError as error:
        index.source.wrong(1, f"traces: {failure(error)}")
    if not 2 <= len(found) <= _MOST_RANKS:
        told = f"traces: {shown(index.traces)} names {len(found)} files; allowed: 2 to {_MOST_RANKS}, one a rank"
        index.source.wrong(1, told)
    missing = next((rank for rank in range(len(found)) if rank not in found), None)
    if missing is not None:
        name = f"{head}{missing}{tail}"
        index.source.wrong(1, f"traces: there is no {name}; allowed: all ranks from 0 to {len(found) - 1}")
    return [found[rank] for rank in range(len(found))]


@dataclass(kw_only=True)
class _Call:
    """A collective at one rank."""

    rank: int
    node: Node
    kind: str
    size: int
    after: list[str]


class _Reader:
    """Takes traces, one rank after the other."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.files: list[Path] = []
        self.tasks = Tasks()
        self.calls: dict[str, dict[int, list[_Call]]] = {}
        """By group and rank."""
        self.open: Counter[tuple[int, int, int]] = Counter()
        """Messages less receives, by sender, receiver and tag."""
        self.places: dict[tuple[int, int, int], tuple[int, Node]] = {}
        self.control = 0

    def take(self, rank: int, file: Path) -> None:
        """The trace of a rank."""
        self.files.append(file)
        nodes = {}
        try:
            for count, node in enumerate(read_nodes(read(file))):
                if node.id in nodes:
                    self._wrong(rank, node, "is there twice; allowed: each id once")
                if count == MOST_TASKS:
                    self._wrong(rank, node, f"is one too many; allowed: up to {MOST_TASKS} nodes")
                nodes[node.id] = node
        except FileError as error:
            if error.args[0] == self.index.source.name:
                raise
            self.index.source.wrong(1, f"{file.name}: {error.reason}")
        except OSError as error:
            self.index.source.wrong(1, f"{file.name}: cannot be read: {failure(error)}")
        for node in nodes.values():
            waits = node.data_deps + (node.ctrl_deps if self.index.waits_for_control else [])
            self.control += 0 if self.index.waits_for_control else len(set(node.ctrl_deps) - set(node.data_deps))
            missing = next((other for other in waits if other not in nodes), None)
            if missing is not None:
                self._wrong(rank, node, f"waits for node {missing}, which is not there")
            self._node(rank, node, [f"r{rank}.n{other}" for other in dict.fromkeys(waits)])

    def _wrong(self, rank: int, node: Node, why: str) -> NoReturn:
        self.index.source.wrong(1, f"{self.files[rank].name}: node {node.id}: {why}")

    def _whole(self, rank: int, node: Node, name: str, most: int) -> int:
        value = node.numbers.get(name)
        if value is None or not 0 <= value <= most:
            found = "nothing" if value is None else value
            self._wrong(rank, node, f"{name}: found {found}; allowed: a whole number from 0 to {most}")
        return value

    def _node(self, rank: int, node: Node, after: list[str]) -> None:
        task = Task(name=f"r{rank}.n{node.id}", kind="join", rank=rank, line=1, after=after)
        if node.type in (NodeType.LOAD, NodeType.STORE):
            task.kind, task.time_ps = "wait", self._duration_ps(rank, node)
        elif node.type is NodeType.COMPUTATION:
            task.kind, task.time_ps = "compute", self._duration_ps(rank, node)
            task.processor = _CPU if node.numbers.get("is_cpu_op") else 0
        elif node.type in (NodeType.SEND, NodeType.RECEIVE):
            self._message(rank, node, task)
        elif node.type is NodeType.COLLECTIVE:
            return self._call(rank, node, after)
        self.tasks.add(task)
        return None

    def _duration_ps(self, rank: int, node: Node) -> int:
        if node.duration_us > _LONGEST_US:
            self._wrong(rank, node, f"duration_micros: found {node.duration_us}; allowed: up to 213 days")
        operations = node.numbers.get("num_ops", 0)
        if node.type is not NodeType.COMPUTATION or node.duration_us or operations <= 0:
            return node.duration_us * _PS_PER_US
        if self.index.flops_per_second is None:
            self._wrong(rank, node, f"has {operations} num_ops and no duration; allowed with flops_per_second")
        time_ps = round(operations * 10**12 / self.index.flops_per_second)
        if time_ps > _LONGEST_US * _PS_PER_US:
            self._wrong(rank, node, f"num_ops: found {operations}, longer than 213 days; allowed: up to that")
        return time_ps

    def _message(self, rank: int, node: Node, task: Task) -> None:
        """A send or a receive, which meet in the order of their ranks' traces."""
        is_send = node.type is NodeType.SEND
        own, other = ("comm_src", "comm_dst") if is_send else ("comm_dst", "comm_src")
        if node.numbers.get(own, rank) != rank:
            self._wrong(rank, node, f"{own}: found {node.numbers[own]}; allowed: {rank}, the rank of the trace")
        task.peer = self._whole(rank, node, other, _MOST_RANKS - 1)
        task.tag = self._whole(rank, node, "comm_tag", _TAGS) if "comm_tag" in node.numbers else 0
        task.kind = "transfer" if is_send else "receive"
        if is_send:
            task.size = self._whole(rank, node, "comm_size", _MOST_BYTES)
        key = (rank, task.peer, task.tag) if is_send else (task.peer, rank, task.tag)
        self.open[key] += 1 if is_send else -1
        self.places[key] = (rank, node)

    def _call(self, rank: int, node: Node, after: list[str]) -> None:
        kind = _COLLECTIVES.get(self._whole(rank, node, "comm_type", 2**31 - 1))
        if kind is None:
            known = ", ".join(f"{number} {name}" for number, name in _COLLECTIVES.items())
            self._wrong(rank, node, f"comm_type: found {node.numbers['comm_type']}; allowed: {known}")
        group = node.texts.get("pg_name", "")
        if not group and not all(node.lists.get("involved_dim", [])):
            self._wrong(
                rank, node, "involved_dim leaves a dimension out; allowed: a pg_name, and its ranks in [groups]"
            )
        if group and group not in self.index.groups:
            known = ", ".join(self.index.groups) or "none"
            self._wrong(
                rank, node, f"pg_name: found {shown(group)}; allowed: those of [groups], which are {known[:200]}"
            )
        size = 0 if kind == "barrier" else self._whole(rank, node, "comm_size", _MOST_BYTES // _MOST_RANKS)
        if size == 0 and kind != "barrier":
            self._wrong(rank, node, "comm_size: found 0; allowed: at least 1")
        call = _Call(rank=rank, node=node, kind=kind, size=size, after=after)
        self.calls.setdefault(group, {}).setdefault(rank, []).append(call)

    def done(self) -> Graph:
        """All of it."""
        for group, calls in self.calls.items():
            ranks = self.index.groups.get(group, list(range(len(self.files))))
            for number, together in enumerate(self._together(group, ranks, calls)):
                self._spell_out(f"{together[0].kind}.{len(self.tasks.list)}.{number}", ranks, together)
        for (sender, receiver, tag), count in self.open.items():
            if count:
                rank, node = self.places[sender, receiver, tag]
                what = f"{abs(count)} {'messages' if count > 0 else 'receives'} more"
                self._wrong(rank, node, f"from rank {sender} to {receiver} with tag {tag} there are {what}")
        told = f"control dependencies that nothing waits for, as in Chakra's feeder: {self.control}"
        return Graph(tasks=self.tasks.list, warnings=[told] if self.control else [], done="arrived")

    def _together(self, group: str, ranks: list[int], calls: dict[int, list[_Call]]) -> Iterator[list[_Call]]:
        """The n-th collectives of all ranks of a group, for each n."""
        name = f"the group {shown(group)}" if group else "all ranks"
        if len(set(ranks)) < len(ranks) or not set(ranks) <= set(range(len(self.files))):
            self.index.source.wrong(
                1, f"groups: {name} has {str(ranks)[:200]}; allowed: ranks that are there, once each"
            )
        stranger = next((rank for rank in calls if rank not in ranks), None)
        if stranger is not None:
            self._wrong(stranger, calls[stranger][0].node, f"is a collective of {name}, without this rank")
        for number in range(max(map(len, calls.values()))):
            together = [calls.get(rank, [])[number : number + 1] for rank in ranks]
            first = next(one[0] for one in together if one)
            for rank, found in zip(ranks, together, strict=True):
                if not found:
                    self._wrong(first.rank, first.node, f"{self.files[rank].name} has no such collective of {name}")
                if (found[0].kind, found[0].size) != (first.kind, first.size):
                    here, there = (f"{one.kind} of {one.size} B" for one in (found[0], first))
                    where = f"in {self.files[first.rank].name}, node {first.node.id}"
                    self._wrong(rank, found[0].node, f"is {here}; {where}, it is {there}")
            yield [one[0] for one in together]

    def _spell_out(self, name: str, ranks: list[int], calls: list[_Call]) -> None:
        ready: Waits = {call.rank: call.after for call in calls}
        kind, size = calls[0].kind, calls[0].size
        if kind == "all-reduce":
            done = all_reduce(self.tasks, name, ranks, size, ready)
        elif kind == "reduce-scatter":
            done = reduce_scatter(self.tasks, name, ranks, size, ready)
        elif kind == "all-gather":
            done = all_gather(self.tasks, name, ranks, size * (len(ranks) if self.index.is_part else 1), ready)
        else:
            done = all_to_all(self.tasks, name, ranks, size if kind == "all-to-all" else len(ranks), ready)
        for call in calls:
            after = done[call.rank]
            self.tasks.add(Task(name=f"r{call.rank}.n{call.node.id}", kind="join", rank=call.rank, line=1, after=after))
