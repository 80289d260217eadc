"""A graph of work, run from a file of its own: a scenario names the file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import photocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from photocol.training import TrainingGraph


def run_graph(graph: TrainingGraph, scenario: Callable[[str], Mapping[str, Any]], *, seed: int) -> photocol.Result:
    """Run the scenario that is made for the path of the graph's file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tasks.csv"
        file.write_text(graph.text)
        return photocol.run(scenario(str(file)), set={"run.seed": seed})
