"""Steps of training as graphs of work: computations of ranks, and the transfers by which they share a model.

`model` is what is trained, layer by layer; `parallelism` says how ranks share it, `schedule` in which order a stage
computes, and `step` puts all of it together, with the collectives of `conversions`. `training_graph` gives what
`work = { file = "tasks.csv" }` of a scenario takes.
"""

from __future__ import annotations

from photocol.training.model import Layer, Model, model_names, read_model
from photocol.training.parallelism import Parallelism
from photocol.training.schedule import bubble_share, compute_order
from photocol.training.step import TrainingGraph, training_graph

__all__ = [
    "Layer",
    "Model",
    "Parallelism",
    "TrainingGraph",
    "bubble_share",
    "compute_order",
    "model_names",
    "read_model",
    "training_graph",
]
