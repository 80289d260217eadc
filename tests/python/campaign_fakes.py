"""Studies without an engine; a module, so that worker processes can import it."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from photocol.sweeps.campaign.study import Setup, Study


@dataclass
class Figure:
    value: float
    unit: str = "1"


@dataclass
class Result:
    summary: dict[str, Figure]
    manifest: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """The origin of a study whose runs depend on the setting `level` only."""

    def study(self) -> Study:
        return Study(
            setup=lambda point: Setup(scenario="none", settings=dict(point)),
            measure=lambda result: {name: figure.value for name, figure in result.summary.items()},
            metrics=None,
        )


def leave_mark(settings: dict[str, object], seed: int) -> int:
    """Count this call among those with the same level and seed, in the folder that MARKS names."""
    folder = Path(os.environ["MARKS"])
    mark = folder / f"{settings['level']}-{seed}-{time.monotonic_ns()}"
    mark.touch()
    return sum(1 for path in folder.iterdir() if path.name.startswith(f"{settings['level']}-{seed}-"))


def counted(scenario, *, seed, settings):
    leave_mark(settings, seed)
    return Result({"level": Figure(settings["level"] + seed / 1000)})


def dies_once(scenario, *, seed, settings):
    """Level 2 is killed in its first attempt."""
    if leave_mark(settings, seed) == 1 and settings["level"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return Result({"level": Figure(settings["level"] + seed / 1000)})


def fails(scenario, *, seed, settings):
    """Level 2 raises."""
    leave_mark(settings, seed)
    if settings["level"] == 2:
        raise ValueError("level 2")
    return Result({"level": Figure(settings["level"] + seed / 1000)})


def dies(scenario, *, seed, settings):
    """Level 2 is killed in every attempt."""
    leave_mark(settings, seed)
    if settings["level"] == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return Result({"level": Figure(settings["level"] + seed / 1000)})


def greedy(scenario, *, seed, settings):
    """Holds 200 MB for half a second."""
    leave_mark(settings, seed)
    block = bytearray(200_000_000)
    block[::4096] = b"x" * len(block[::4096])
    time.sleep(0.5)
    return Result({"level": Figure(float(len(block)))})
