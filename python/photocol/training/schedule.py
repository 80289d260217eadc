"""In which order a stage of a pipeline computes: all forward passes first, or one backward pass after each.

Y. Huang et al., *GPipe*, NeurIPS 2019, §2.3 and figure 2: forward passes of all micro-batches, then backward passes
from the last one to the first. D. Narayanan et al., *PipeDream*, SOSP 2019, and *Efficient large-scale language model
training*, SC 2021, §2.2.1: 1F1B with a flush. Interleaved stages are left out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Schedule(StrEnum):
    """The order of a stage."""

    GPIPE = "gpipe"
    ONE_F_ONE_B = "1f1b"


class Way(StrEnum):
    """Through the layers, or back."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Pass(NamedTuple):
    """A micro-batch on its way through a stage."""

    way: Way
    micro_batch: int


def compute_order(schedule: Schedule | str, stage: int, stages: int, micro_batches: int) -> list[Pass]:
    """The passes of a stage, one after the other.

    Under 1F1B a stage has at most `stages - stage` micro-batches between their forward and their backward pass.
    """
    forward = [Pass(Way.FORWARD, number) for number in range(micro_batches)]
    backward = [Pass(Way.BACKWARD, number) for number in range(micro_batches)]
    if Schedule(schedule) is Schedule.GPIPE:
        return forward + backward[::-1]
    first = min(stages - 1 - stage, micro_batches)
    turns = [one for pair in zip(forward[first:], backward, strict=False) for one in pair]
    return forward[:first] + turns + backward[micro_batches - first :]


def bubble_share(stages: int, micro_batches: int) -> float:
    """The share of the time in which a stage does nothing: (p − 1)/(m + p − 1), for both schedules.

    All stages take equally long, and transfers take no time (GPipe, §2.3).
    """
    return (stages - 1) / (micro_batches + stages - 1)
