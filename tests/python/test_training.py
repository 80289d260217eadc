"""Graphs of training: volumes by arithmetic, bubbles by their formula, micro-batches in flight, and waiting."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import photocol
from photocol.conversions.collectives import Tasks, all_gather, all_reduce, all_to_all, reduce_scatter
from photocol.training import (
    Layer,
    Model,
    Parallelism,
    TrainingGraph,
    bubble_share,
    model_names,
    read_model,
    training_graph,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MS = 10**9
"""A millisecond in picoseconds."""
EVEN = Layer(name="even", forward_ps=MS, backward_ps=2 * MS, parameter_bytes=1, activation_bytes=1)


def even(layers: int, **more: int) -> Model:
    return Model(name="even", layers=(replace(EVEN, **more),) * layers)


@st.composite
def spread(draw: st.DrawFn, **fixed: Any) -> Parallelism:
    """Some parallelism of at most 64 ranks, an expert group of which divides the data ranks."""
    expert, replicas = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    drawn = {
        "data": expert * replicas,
        "expert": expert,
        "tensor": draw(st.integers(1, 3)),
        "pipeline": draw(st.integers(1, 3)),
        "sharded": draw(st.booleans()),
        "schedule": draw(st.sampled_from(["gpipe", "1f1b"])),
        "micro_batches": draw(st.integers(1, 4)),
        "iterations": draw(st.integers(1, 2)),
        "chunks": draw(st.integers(0, 3)),
        "buckets": draw(st.integers(1, 3)),
    }
    return Parallelism(**(drawn | fixed))


SIZES = st.integers(1, 10_000)
LAYERS = st.builds(
    Layer,
    name=st.just("one"),
    forward_ps=st.integers(1, MS),
    backward_ps=st.integers(1, MS),
    parameter_bytes=SIZES,
    activation_bytes=SIZES,
    expert_parameter_bytes=SIZES,
    exchanged_bytes=SIZES,
)
MODELS = st.lists(LAYERS, min_size=3, max_size=7).map(lambda layers: Model(name="drawn", layers=tuple(layers)))


def boundaries(model: Model, stages: int) -> list[int]:
    """Bytes of activations between stages of as many layers as can be, the first ones longer."""
    each, more = divmod(len(model.layers), stages)
    ends = [each * (one + 1) + min(one + 1, more) for one in range(stages - 1)]
    return [model.layers[end - 1].activation_bytes for end in ends]


def volumes(model: Model, how: Parallelism) -> dict[str, int]:
    """Bytes of all ranks by arithmetic: a ring's reduce-scatter or all-gather of S among n ranks sends (n − 1) S."""
    steps, passes = how.iterations, how.iterations * how.micro_batches
    weights = (how.data - 1) * sum(layer.parameter_bytes for layer in model.layers)
    weights += (how.data // how.expert - 1) * sum(layer.expert_parameter_bytes for layer in model.layers)
    summed = sum(layer.activation_bytes for layer in model.layers)
    exchanged = sum(layer.exchanged_bytes for layer in model.layers)
    found = {
        "pipeline": 2 * passes * how.data * sum(boundaries(model, how.pipeline)),
        "tensor": 4 * passes * how.data * 2 * (how.tensor - 1) * summed,
        "experts": 4 * passes * how.data // how.expert * (how.expert - 1) * exchanged,
        "parameters": 2 * passes * weights if how.sharded else 0,
        "gradients": passes * weights if how.sharded else 2 * steps * weights,
    }
    return {name: size for name, size in found.items() if size}


@settings(max_examples=60, deadline=None)
@given(MODELS, spread())
def test_the_bytes_of_a_graph_are_those_of_arithmetic(model: Model, how: Parallelism) -> None:
    graph = training_graph(model, how)
    sums: dict[str, int] = {}
    for task in graph.tasks:
        if task.kind == "transfer":
            name = task.name.partition(".")[0]
            sums[name] = sums.get(name, 0) + (task.size or 0)
    assert {name: size for name, size in sums.items() if size} == volumes(model, how)
    assert sums == graph.sent_bytes


def sent_by(graph: TrainingGraph) -> list[int]:
    found = [0] * graph.ranks
    for task in graph.tasks:
        found[task.rank] += task.size or 0
    return found


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
def test_each_rank_sends_as_much_as_the_textbook_says(ranks: int) -> None:
    size = 120_000
    model = Model(name="one", layers=(replace(EVEN, parameter_bytes=size, activation_bytes=size),))
    plain = sent_by(training_graph(model, Parallelism(data=ranks, micro_batches=1)))
    assert plain == [2 * (ranks - 1) * size // ranks] * ranks
    sharded = sent_by(training_graph(model, Parallelism(data=ranks, micro_batches=1, sharded=True)))
    assert sharded == [3 * (ranks - 1) * size // ranks] * ranks
    tensor = sent_by(training_graph(model, Parallelism(tensor=ranks, micro_batches=1)))
    assert tensor == [4 * 2 * (ranks - 1) * size // ranks] * ranks


def random_times(graph: TrainingGraph, seed: int) -> dict[str, tuple[float, float]]:
    """Beginnings and ends if each transfer takes a time that is drawn, up to four forward passes."""
    dice = random.Random(seed)
    return graph.times_s(lambda _: dice.uniform(0, 4e-3))


def computations(graph: TrainingGraph) -> Iterator[tuple[int, list[str]]]:
    """The names of the computations of each rank."""
    found: dict[int, list[str]] = {}
    for task in graph.tasks:
        if task.kind == "compute":
            found.setdefault(task.rank, []).append(task.name)
    return iter(found.items())


@settings(max_examples=15, deadline=None)
@given(MODELS, spread(), st.integers(0, 1000))
def test_no_rank_computes_two_things_at_once(model: Model, how: Parallelism, seed: int) -> None:
    graph = training_graph(model, how)
    times = random_times(graph, seed)
    for _, names in computations(graph):
        spans = sorted(times[name] for name in names)
        assert all(before[1] <= after[0] + 1e-12 for before, after in itertools.pairwise(spans))


def span(times: dict[str, tuple[float, float]], head: str, rank: int) -> tuple[float, float]:
    """From the first beginning to the last end of the computations whose names begin so, at a rank."""
    found = [one for name, one in times.items() if name.startswith(head) and name.endswith(f".r{rank}")]
    return min(begin for begin, _ in found), max(end for _, end in found)


@settings(max_examples=30, deadline=None)
@given(MODELS, spread(), st.integers(0, 1000))
def test_a_micro_batch_goes_through_the_stages_and_back(model: Model, how: Parallelism, seed: int) -> None:
    times = random_times(training_graph(model, how), seed)
    for iteration in range(how.iterations):
        for number in range(how.micro_batches):
            head = f"compute.i{iteration}.m{number}"
            ranks = [how.rank(stage, 0, 0) for stage in range(how.pipeline)]
            there = [span(times, f"{head}.forward", rank) for rank in ranks]
            back = [span(times, f"{head}.backward", rank) for rank in ranks[::-1]]
            way = there + back
            assert all(before[1] <= after[0] + 1e-12 for before, after in itertools.pairwise(way))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 12), st.sampled_from(["gpipe", "1f1b"]), st.integers(1, 2))
def test_bubbles_are_those_of_the_formula(stages: int, micro_batches: int, schedule: str, iterations: int) -> None:
    how = Parallelism(pipeline=stages, micro_batches=micro_batches, schedule=schedule, iterations=iterations)
    graph = training_graph(even(2 * stages), how)
    least = max(end for _, end in graph.times_s().values())
    if iterations == 1:
        # m + p − 1 times two layers of 1 ms and 2 ms.
        assert least == pytest.approx((micro_batches + stages - 1) * 6e-3, rel=1e-12)
        assert 1 - graph.compute_s()[0] / least == pytest.approx(bubble_share(stages, micro_batches), abs=1e-12)
    else:
        # A stage begins its next step without waiting for others, so two steps are no longer than twice one.
        assert least <= 2 * (micro_batches + stages - 1) * 6e-3 * (1 + 1e-12)


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b"])
@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 4), (4, 8), (4, 2), (6, 6)])
def test_1f1b_keeps_as_many_micro_batches_as_there_are_stages(schedule: str, stages: int, micro_batches: int) -> None:
    graph = training_graph(even(stages), Parallelism(pipeline=stages, micro_batches=micro_batches, schedule=schedule))
    times = graph.times_s()
    for rank, names in computations(graph):
        events = [(times[name][0], 1) if ".forward." in name else (times[name][1], -1) for name in names]
        level, most = 0, 0
        for _, change in sorted(events):
            level += change
            most = max(most, level)
        assert level == 0
        expected = micro_batches if schedule == "gpipe" else min(micro_batches, stages - rank)
        assert most == expected, rank


def test_buckets_are_summed_up_while_the_backward_pass_goes_on() -> None:
    graph = training_graph(even(6), Parallelism(data=2, micro_batches=2, chunks=6, buckets=3))
    times = graph.times_s()
    begins = sorted({begin for name, (begin, _) in times.items() if name.startswith("gradients.")})
    # Two micro-batches of 6 ms, one backward pass of 12 ms and two, four and six chunks of 2 ms of the other one.
    assert begins == pytest.approx([0.028, 0.032, 0.036])
    assert max(end for name, (_, end) in times.items() if name.startswith("compute.")) == pytest.approx(0.036)


def test_weights_are_gathered_while_the_chunk_before_computes() -> None:
    graph = training_graph(even(3), Parallelism(data=2, micro_batches=1, sharded=True, schedule="gpipe"))
    times = graph.times_s()
    begins = [times[f"parameters.i0.m0.forward.c{chunk}.dense.0.r0"][0] for chunk in range(3)]
    assert begins == pytest.approx([0, 0, 1e-3])
    back = [times[f"parameters.i0.m0.backward.c{chunk}.dense.0.r0"][0] for chunk in (2, 1, 0)]
    assert back == pytest.approx([2e-3, 3e-3, 5e-3])


COLLECTIVES = {
    "all_reduce": all_reduce,
    "reduce_scatter": reduce_scatter,
    "all_gather": all_gather,
    "all_to_all": all_to_all,
}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(COLLECTIVES)), st.integers(2, 7), st.data())
def test_nobody_has_the_result_before_the_last_one_is_ready(name: str, ranks: int, data: st.DataObject) -> None:
    late = data.draw(st.integers(0, ranks - 1))
    tasks = Tasks()
    ready = {rank: [tasks.compute(f"own.{rank}", rank, MS if rank == late else 0, [])] for rank in range(ranks)}
    done = COLLECTIVES[name](tasks, "it", range(ranks), 100, ready)
    times = TrainingGraph(ranks=ranks, tasks=tasks.list, sent_bytes={}).times_s()
    for rank in range(ranks):
        assert max(times[one][1] for one in done[rank]) == pytest.approx(1e-3)


def test_a_block_goes_around_a_ring_twice() -> None:
    """Of a byte there is the first block alone: it passes all ranks, which add their own, and then passes all again."""
    tasks = Tasks()
    all_reduce(tasks, "it", range(5), 1, {rank: [] for rank in range(5)})
    way = [(task.rank, task.peer) for task in tasks.list if task.size]
    assert way == [(1, 2), (2, 3), (3, 4), (4, 0), (0, 1), (1, 2), (2, 3), (3, 4)]
    sends = [task for task in tasks.list if task.size]
    assert all(before.name in after.after for before, after in itertools.pairwise(sends))


STAR = {
    "run": {"duration": "10 s"},
    "link_defaults": {"capacity": "100 Gbps", "delay": "1 ns", "buffer": "unlimited"},
    "transport": {"it": {"algorithm": "quic-newreno", "paced": False, "initial_window": 1000}},
}


@pytest.mark.parametrize("schedule", ["gpipe", "1f1b"])
def test_the_engine_finds_the_bubbles_too(schedule: str, tmp_path: Path) -> None:
    stages, micro_batches = 4, 6
    graph = training_graph(even(stages), Parallelism(pipeline=stages, micro_batches=micro_batches, schedule=schedule))
    (tmp_path / "tasks.csv").write_text(graph.text)
    traffic = {"transport": "it", "work": {"file": str(tmp_path / "tasks.csv")}}
    result = photocol.run({**STAR, "topology": {"kind": "star", "leaves": stages}, "traffic": [traffic]})
    # Transfers of a byte take some ten nanoseconds.
    assert result.summary["work_time"] == pytest.approx((micro_batches + stages - 1) * 3e-3, rel=1e-4)
    (row,) = photocol.work.work_by_traffic(result).rows(named=True)
    assert row["undone"] == 0
    assert row["exposed_s"] / row["work_time_s"] == pytest.approx(bubble_share(stages, micro_batches), rel=1e-3)


def test_the_engine_takes_all_of_it_at_once(tmp_path: Path) -> None:
    """Every kind of parallelism together; gradients of one chunk are summed up beside the computation of the next."""
    layer = {"parameter_bytes": 3000, "activation_bytes": 2000, "expert_parameter_bytes": 4000, "exchanged_bytes": 2000}
    how = Parallelism(data=4, tensor=2, pipeline=2, expert=2, micro_batches=2, iterations=2, buckets=2)
    graph = training_graph(even(4, **layer), how)
    (tmp_path / "tasks.csv").write_text(graph.text)
    traffic = {"transport": "it", "work": {"file": str(tmp_path / "tasks.csv")}}
    result = photocol.run({**STAR, "topology": {"kind": "star", "leaves": 16}, "traffic": [traffic]})
    table = photocol.work.tasks(result)
    assert table["end_s"].null_count() == 0
    assert table.height == len(graph.tasks)
    least = max(end for _, end in graph.times_s().values())
    assert least < result.summary["work_time"] < 1.01 * least


PUBLISHED = {"dense-7b": (6.74e9, 4096), "dense-70b": (68.98e9, 8192), "moe-8x7b": (46.7e9, 4096)}
"""Weights of Llama 2 7B and 70B and of Mixtral 8x7B, and their widths."""


@pytest.mark.parametrize("name", model_names())
def test_a_ready_made_model_has_the_published_weights(name: str) -> None:
    published, hidden = PUBLISHED[name]
    layers = read_model(name).layers
    weights = sum(layer.parameter_bytes + layer.expert_parameter_bytes for layer in layers) / 2
    # Two embeddings of 32000 tokens are left out.
    assert weights + 2 * 32_000 * hidden == pytest.approx(published, rel=2e-3)


def test_times_are_operations_over_a_rate() -> None:
    layer = read_model("dense-7b").layers[0]
    weights = 4 * 4096 * 4096 + 3 * 4096 * 11008
    flops = 4096 * (2 * weights + 4 * 4096 * 4096)
    assert layer.forward_ps / 1e12 == pytest.approx(flops / 4e14, rel=1e-9)
    assert layer.backward_ps == 2 * layer.forward_ps
    assert layer.activation_bytes == 4096 * 4096 * 2
    experts = read_model("moe-8x7b").layers[0]
    assert experts.exchanged_bytes == 2 * experts.activation_bytes
    assert experts.expert_parameter_bytes == 8 * 3 * 4096 * 14336 * 2
