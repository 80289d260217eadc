"""The command `photocol training`: a step of training as a graph of work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from photocol.cli import DONE, say
from photocol.cli.arguments import FOLDER, Words, json_option, offered
from photocol.quantity import readable

if TYPE_CHECKING:
    from pathlib import Path

_COUNTS = (
    ("data", 1, "Ranks that share micro-batches."),
    ("tensor", 1, "Ranks that share each layer."),
    ("pipeline", 1, "Stages, each with a part of the layers."),
    ("expert", 1, "Ranks of --data that share the experts of a layer."),
    ("microbatches", 8, "Of a step, in each pipeline."),
    ("iterations", 1, "Steps, one after the other."),
    ("buckets", 4, "Of the gradients of a stage, each summed up when it is there."),
)


def _with_counts(command: Any) -> Any:
    """The command with an option for each number."""
    for name, usual, what in reversed(_COUNTS):
        command = click.option(f"--{name}", type=int, default=usual, metavar="N", help=f"{what}  [{usual}]")(command)
    return command


@click.command()
@click.argument("model", metavar="MODEL|FILE", shell_complete=offered("training_models"))
@_with_counts
@click.option("--chunks", type=int, default=0, metavar="N", help="Of the layers of a stage; by default a layer each.")
@click.option("--sharded", is_flag=True, help="Ranks of --data have a part of the weights each (FSDP).")
@click.option(
    "--schedule", type=Words(["gpipe", "1f1b"]), default="1f1b", help="The order of passes of a stage.  [1f1b]"
)
@click.option("--out", type=FOLDER, metavar="FILE.csv", help="Write the tasks, for work = { file = … } of a scenario.")
@json_option
def training(*, model: str, microbatches: int, out: Path | None, as_json: bool, **options: Any) -> int:
    """Make a graph of work of training: computations of ranks, and what they send.

    MODEL is dense-7b, dense-70b or moe-8x7b; FILE is a model of your own, TOML or CSV (docs/guide/training.md).
    """
    from photocol.runs import storage
    from photocol.training import Parallelism, read_model, training_graph

    read = read_model(model)
    graph = training_graph(read, Parallelism(micro_batches=microbatches, **options))
    busy_s, least_s = max(graph.compute_s()), max(end for _, end in graph.times_s().values())
    if as_json:
        times = {"computing_s": busy_s, "least_s": least_s, "sent_bytes": graph.sent_bytes}
        found = {"model": read.name, "ranks": graph.ranks, "tasks": len(graph.tasks), **times}
        click.echo(json.dumps(found, indent=1))
    else:
        sent = ", ".join(f"{name} {readable(size, 'B')}" for name, size in graph.sent_bytes.items())
        click.echo(f"{read.name}: {graph.ranks} ranks, {len(graph.tasks)} tasks")
        share = max(1 - busy_s / least_s, 0.0) if least_s else 0.0
        click.echo(f"with free communication {least_s:.4g} s, of which the busiest rank waits for {share:.1%}")
        click.echo(f"sent: {sent or 'nothing'}")
    if out is not None:
        storage.write_text(out, graph.text)
        (say if as_json else click.echo)(str(out))
    return DONE
