"""Steps of training as one graph: who computes when, who sends what, and what waits for it.

A rank computes its passes in the order of the schedule, one chunk after the other. It waits for sums among its tensor
group (Megatron's four a layer; M. Shoeybi et al., 2019, §3) and for exchanges with experts (four a layer; D. Lepikhin
et al., *GShard*, ICLR 2021) before it goes on. Between stages a rank sends its part of the activations, as with
sequence parallelism (V. Korthikanti et al., MLSys 2023). Gradients are summed up bucket by bucket behind the last
micro-batch, beside the computations that are left (S. Li et al., *PyTorch distributed*, VLDB 2020, §3.2). Sharded
weights are gathered before each pass, while the chunk before computes, and gradients are scattered after it (Y. Zhao et
al., *PyTorch FSDP*, VLDB 2023, §3). Tokens go to all experts alike. A rank's next step waits for its own gradients.

Left out: the optimizer's time, recomputation, embeddings, communication that overlaps with computation within a layer.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from photocol.conversions.collectives import Tasks, Waits, all_gather, all_reduce, all_to_all, reduce_scatter, share
from photocol.conversions.graphs import COLUMNS
from photocol.training.parallelism import Chunk, Parallelism, Stage, stages
from photocol.training.schedule import Pass, Way, compute_order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from photocol.conversions.graphs import Task
    from photocol.training.model import Model

    Collective = Callable[[Tasks, str, Sequence[int], int, Waits], Waits]

_AHEAD = 2
"""A chunk's weights are gathered when the chunk so many before it is done."""


@dataclass(frozen=True, kw_only=True)
class TrainingGraph:
    """Tasks of all ranks, and sums over them."""

    ranks: int
    tasks: list[Task]
    sent_bytes: Mapping[str, int]
    """By purpose: pipeline, tensor, experts, parameters, gradients."""

    @property
    def text(self) -> str:
        """The CSV that `work = { file = … }` takes."""
        used = [place for place, name in enumerate(COLUMNS) if name in _COLUMNS]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in (COLUMNS, *(task.row() for task in self.tasks)):
            writer.writerow([row[place] for place in used])
        return out.getvalue()

    def compute_s(self) -> list[float]:
        """For how long each rank computes, in seconds."""
        sums = [0] * self.ranks
        for task in self.tasks:
            sums[task.rank] += task.time_ps or 0
        return [one / 1e12 for one in sums]

    def times_s(self, transfer_s: Callable[[Task], float] = lambda _: 0.0) -> dict[str, tuple[float, float]]:
        """When each task begins and ends if transfers share nothing: each takes as long as is said, by default no time.

        The latest end is the least time of all of it, with free communication by default.
        """
        after = {task.name: task.after for task in self.tasks}
        lasts = {
            task.name: transfer_s(task) if task.kind == "transfer" else (task.time_ps or 0) / 1e12
            for task in self.tasks
        }
        found: dict[str, tuple[float, float]] = {}
        for name in TopologicalSorter(after).static_order():
            begin = max((found[other][1] for other in after[name]), default=0.0)
            found[name] = (begin, begin + lasts[name])
        return found


_COLUMNS = ("task", "kind", "rank", "peer", "bytes", "time_s", "after", "collective", "round", "step")


def training_graph(model: Model, parallelism: Parallelism) -> TrainingGraph:
    """The graph of all iterations. Raises InputError if the two do not fit, or if there are too many tasks."""
    tasks = Tasks()
    for number, stage in enumerate(stages(model, parallelism)):
        _StageSteps(parallelism, tasks, stage, number).add()
    return TrainingGraph(ranks=parallelism.ranks, tasks=tasks.list, sent_bytes=dict(sorted(tasks.sent.items())))


class _StageSteps:
    """Adds all that the ranks of one stage do. Tasks of other stages are known by their names."""

    def __init__(self, parallelism: Parallelism, tasks: Tasks, stage: Stage, number: int) -> None:
        self.spread, self.tasks, self.stage, self.number = parallelism, tasks, stage, number
        self.ranks = parallelism.of_stage(number)
        self.now: Waits = {rank: [] for rank in self.ranks}
        """What the next computation of each rank waits for."""
        self.ends: list[Waits] = []
        """The same behind each chunk of this iteration."""
        self.pending: Waits = {}
        """The last transfers of gradients to each rank."""

    def add(self) -> None:
        order = compute_order(self.spread.schedule, self.number, self.spread.pipeline, self.spread.micro_batches)
        last = next(one for one in reversed(order) if one.way is Way.BACKWARD)
        for iteration in range(self.spread.iterations):
            self.tasks.round = iteration
            self.pending = {rank: [] for rank in self.ranks}
            self.ends = [self.now] * _AHEAD
            for one in order:
                self._pass(iteration, one, is_last=one == last)
            self.now = {
                rank: [self.tasks.join(f"step.i{iteration}.r{rank}", rank, self._all(rank))] for rank in self.ranks
            }

    def _all(self, rank: int) -> list[str]:
        return list(dict.fromkeys(self.now[rank] + self.pending[rank]))

    def _pass(self, iteration: int, one: Pass, *, is_last: bool) -> None:
        """All chunks of a micro-batch, with the transfers from the stage before and to the next one."""
        name = f"i{iteration}.m{one.micro_batch}.{one.way}"
        ahead = 1 if one.way is Way.FORWARD else -1
        width = ahead * len(self.ranks)
        if 0 <= self.number - ahead < self.spread.pipeline:
            came = {rank: f"pipeline.{name}.r{rank - width}" for rank in self.ranks}
            self.now = {rank: [*self.now[rank], came[rank]] for rank in self.ranks}
        bucket: list[Chunk] = []
        chunks = list(enumerate(self.stage.chunks))[::ahead]
        for place, (number, chunk) in enumerate(chunks):
            self._chunk(f"{name}.c{number}", chunk, one.way)
            if is_last and not self.spread.sharded:
                bucket.append(chunk)
                if self._closes(place):
                    self._keep(self._each(all_reduce, f"gradients.{name}.c{number}", bucket, self.now))
                    bucket = []
        if 0 <= self.number + ahead < self.spread.pipeline:
            size = self.stage.output_bytes if one.way is Way.FORWARD else self.stage.input_bytes
            for rank in self.ranks:
                ends = (rank, rank + width)
                self.tasks.send(f"pipeline.{name}.r{rank}", ends, self._part(size, rank), self.now[rank])

    def _closes(self, place: int) -> bool:
        """Whether a bucket ends behind the chunk at this place: buckets have as many chunks each as can be."""
        chunks = len(self.stage.chunks)
        buckets = min(self.spread.buckets, chunks)
        return (place + 1) * buckets // chunks > place * buckets // chunks

    def _chunk(self, name: str, chunk: Chunk, way: Way) -> None:
        """The computations of a chunk, and what its ranks send meanwhile."""
        if self.spread.sharded:
            weights = self._each(all_gather, f"parameters.{name}", [chunk], self.ends[-_AHEAD])
            self.now = {rank: list(dict.fromkeys(self.now[rank] + weights[rank])) for rank in self.ranks}
        time_ps = (chunk.forward_ps if way is Way.FORWARD else chunk.backward_ps) // self.spread.tensor
        is_summed = self.spread.tensor > 1 and chunk.summed_bytes > 0
        if is_summed or (self.spread.expert > 1 and chunk.exchanged_bytes > 0):
            self._halves(name, chunk, way, time_ps)
        else:
            self._compute(name, time_ps)
        self.ends.append(self.now)
        if self.spread.sharded and way is Way.BACKWARD:
            self._keep(self._each(reduce_scatter, f"gradients.{name}", [chunk], self.now))

    def _halves(self, name: str, chunk: Chunk, way: Way, time_ps: int) -> None:
        """Attention and, behind it, the experts, half of the time each; on the way back the other way round."""
        attention, rest = time_ps // 2, time_ps - time_ps // 2
        if way is Way.FORWARD:
            self._compute(f"{name}.attention", attention)
            self._sum(f"tensor.{name}.attention", chunk)
        self._exchange(f"experts.{name}.there", chunk)
        self._compute(f"{name}.rest", rest)
        self._exchange(f"experts.{name}.back", chunk)
        self._sum(f"tensor.{name}.rest", chunk)
        if way is Way.BACKWARD:
            self._compute(f"{name}.attention", attention)
            self._sum(f"tensor.{name}.attention", chunk)

    def _compute(self, name: str, time_ps: int) -> None:
        self.now = {
            rank: [self.tasks.compute(f"compute.{name}.r{rank}", rank, time_ps, self.now[rank])] for rank in self.ranks
        }

    def _sum(self, name: str, chunk: Chunk) -> None:
        """Activations, or their gradients, summed up by the ranks of each tensor group."""
        found: Waits = {}
        for group in self.spread.tensor_groups(self.number):
            found |= all_reduce(self.tasks, name, group, chunk.summed_bytes, {rank: self.now[rank] for rank in group})
        self.now = found

    def _exchange(self, name: str, chunk: Chunk) -> None:
        """Tokens to the ranks of their experts, or back."""
        found: Waits = {}
        for group in self.spread.expert_groups(self.number):
            size = self._part(chunk.exchanged_bytes, group[0])
            found |= all_to_all(self.tasks, name, group, size, {rank: self.now[rank] for rank in group})
        self.now = found

    def _each(self, collective: Collective, name: str, chunks: Sequence[Chunk], ready: Waits) -> Waits:
        """A collective over the weights of chunks: those that all ranks have, and those of experts."""
        dense, experts = (
            sum(chunk.parameter_bytes for chunk in chunks),
            sum(one.expert_parameter_bytes for one in chunks),
        )
        found: Waits = {rank: [] for rank in self.ranks}
        parts = [(group, "dense", self._part(dense, group[0])) for group in self.spread.data_groups(self.number)]
        for group in self.spread.replica_groups(self.number):
            own = share(experts, self.spread.expert_index(group[0]), self.spread.expert)
            parts.append((group, "experts", self._part(own, group[0])))
        for group, kind, size in parts:
            if len(group) == 1 or size == 0:
                continue
            done = collective(self.tasks, f"{name}.{kind}", group, size, {rank: ready[rank] for rank in group})
            for rank in group:
                found[rank] += done[rank]
        return found

    def _keep(self, found: Waits) -> None:
        """Transfers that are awaited at the end of the step."""
        for rank in self.ranks:
            self.pending[rank] += found[rank]

    def _part(self, size: int, rank: int) -> int:
        """What a rank of a tensor group has of so many bytes."""
        return share(size, self.spread.tensor_index(rank), self.spread.tensor)
