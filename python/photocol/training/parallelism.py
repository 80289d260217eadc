"""How ranks share a model and its micro-batches: data, tensor, pipeline and expert parallelism, and full sharding.

Ranks of a tensor group stand side by side, then those of data parallelism, then the stages of the pipeline, as Megatron
places them. An expert group is so many ranks of data parallelism in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.errors import InputError, did_you_mean, whole_number
from photocol.training.schedule import Schedule

if TYPE_CHECKING:
    from photocol.training.model import Layer, Model

MOST_RANKS = 4096
_MOST = {"micro_batches": 4096, "iterations": 1000, "chunks": 1000, "buckets": 1000}


@dataclass(frozen=True, kw_only=True)
class Parallelism:
    """Over how many ranks what is spread, and how a step goes. Raises InputError, which names what is wrong."""

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    """Ranks of data parallelism that share the experts of a layer."""
    sharded: bool = False
    """Whether ranks of data parallelism have a part of the weights each, and gather a layer before they use it."""
    schedule: str = "1f1b"
    micro_batches: int = 8
    """Of a step, for each pipeline."""
    iterations: int = 1
    chunks: int = 0
    """Into how many the layers of a stage are put, each of which computes and sends as one; 0: each layer is one."""
    buckets: int = 4
    """Into how many the gradients of a stage are put, each of which is summed up as soon as it is there."""

    def __post_init__(self) -> None:
        for name in ("data", "tensor", "pipeline", "expert"):
            whole_number(name, getattr(self, name), 1, MOST_RANKS)
        for name, most in _MOST.items():
            whole_number(name, getattr(self, name), 0 if name == "chunks" else 1, most)
        if self.ranks > MOST_RANKS:
            raise InputError(f"data x tensor x pipeline are {self.ranks} ranks; allowed: up to {MOST_RANKS}")
        if self.data % self.expert:
            raise InputError(f"expert is {self.expert}; allowed: what divides data, which is {self.data}")
        names = [str(one) for one in Schedule]
        if self.schedule not in names:
            near = did_you_mean(self.schedule, names)
            raise InputError(f"schedule is {self.schedule!r}; {near}allowed: {', '.join(names)}")

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return self.data * self.tensor * self.pipeline

    def rank(self, stage: int, data: int, tensor: int) -> int:
        """The number of a rank."""
        return tensor + self.tensor * (data + self.data * stage)

    def tensor_index(self, rank: int) -> int:
        """The place of a rank in its tensor group."""
        return rank % self.tensor

    def expert_index(self, rank: int) -> int:
        """The place of a rank in its expert group."""
        return rank // self.tensor % self.data % self.expert

    def of_stage(self, stage: int) -> range:
        """The ranks of a stage."""
        width = self.data * self.tensor
        return range(stage * width, (stage + 1) * width)

    def tensor_groups(self, stage: int) -> list[list[int]]:
        """Ranks that share layers."""
        return [[self.rank(stage, data, place) for place in range(self.tensor)] for data in range(self.data)]

    def data_groups(self, stage: int) -> list[list[int]]:
        """Ranks that have the same weights."""
        return [[self.rank(stage, data, place) for data in range(self.data)] for place in range(self.tensor)]

    def expert_groups(self, stage: int) -> list[list[int]]:
        """Ranks that share the experts of a layer."""
        starts = range(0, self.data, self.expert)
        groups = [range(start, start + self.expert) for start in starts]
        return [[self.rank(stage, data, place) for data in group] for group in groups for place in range(self.tensor)]

    def replica_groups(self, stage: int) -> list[list[int]]:
        """Ranks that have the same experts."""
        groups = [range(first, self.data, self.expert) for first in range(self.expert)]
        return [[self.rank(stage, data, place) for data in group] for group in groups for place in range(self.tensor)]


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Layers in a row that compute and send as one; sizes are sums."""

    forward_ps: int
    backward_ps: int
    parameter_bytes: int
    expert_parameter_bytes: int
    summed_bytes: int
    """Of each sum among the ranks of a tensor group."""
    exchanged_bytes: int


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The layers of some ranks."""

    chunks: tuple[Chunk, ...]
    input_bytes: int
    """What a micro-batch gets from the stage before; 0 of the first one."""
    output_bytes: int
    """What it hands to the next one."""


def stages(model: Model, parallelism: Parallelism) -> list[Stage]:
    """The stages of a model. Raises InputError if it has fewer layers than stages, or no experts to be shared."""
    if len(model.layers) < parallelism.pipeline:
        raise InputError(
            f"pipeline is {parallelism.pipeline}; allowed for {model.name}: up to {len(model.layers)}, its layers"
        )
    if parallelism.expert > 1 and not model.has_experts():
        raise InputError(f"expert is {parallelism.expert}, and the model has no experts; allowed: 1")
    found: list[Stage] = []
    for layers in parts_of(model.layers, parallelism.pipeline):
        chunks = parts_of(layers, min(parallelism.chunks or len(layers), len(layers)))
        before = found[-1].output_bytes if found else 0
        output = layers[-1].activation_bytes
        found.append(Stage(chunks=tuple(map(_chunk, chunks)), input_bytes=before, output_bytes=output))
    return found


def _chunk(layers: tuple[Layer, ...]) -> Chunk:
    return Chunk(
        forward_ps=sum(layer.forward_ps for layer in layers),
        backward_ps=sum(layer.backward_ps for layer in layers),
        parameter_bytes=sum(layer.parameter_bytes for layer in layers),
        expert_parameter_bytes=sum(layer.expert_parameter_bytes for layer in layers),
        summed_bytes=sum(layer.activation_bytes for layer in layers),
        exchanged_bytes=sum(layer.exchanged_bytes for layer in layers),
    )


def parts_of(layers: tuple[Layer, ...], count: int) -> list[tuple[Layer, ...]]:
    """Layers in so many runs of equal lengths, the first ones longer by one where they do not fit."""
    each, more = divmod(len(layers), count)
    ends = [each * (place + 1) + min(place + 1, more) for place in range(count)]
    return [layers[end - each - (place < more) : end] for place, end in enumerate(ends)]
