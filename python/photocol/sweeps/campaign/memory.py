"""How much memory the jobs of a campaign may take together.

Before the first job the estimate is what a process holds that has done nothing, and what the scenarios say for sure
(flows, samples, tables). More is not known before: it depends on the queues that build up. So the processes are looked
at while they work. The largest that was seen is the estimate from then on; no new one starts that would not fit, and
where those under way outgrow what there is, the youngest is put back. What one job may take is its `run.memory`.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.sweeps.campaign.job import Job

_MOST_LOOKED_AT = 100
"""Points whose scenarios are read for the estimate, spread over all."""
_SHARE = 0.9
"""Of the memory that is free at the start."""
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@dataclass
class Budget:
    """What the jobs may take, and what they have been seen to take."""

    allowed: int | None = None
    """Bytes; None where the system does not say."""
    estimate: int = 0
    """What one process is expected to hold, or the most that one was seen to hold, if that is more."""

    def see(self, held: Sequence[int]) -> bool:
        """Take note of what the processes hold; whether it is too much, though not of one alone."""
        self.estimate = max(self.estimate, *held, 0)
        return self.allowed is not None and len(held) > 1 and sum(held) > self.allowed

    def admits(self, running: int) -> bool:
        """Whether one more job than these is expected to fit; one alone always may try."""
        return running == 0 or self.allowed is None or (running + 1) * self.estimate <= self.allowed


def expected_bytes(jobs: Sequence[Job]) -> int:
    """What the process of one of these jobs holds at least, as far as their scenarios say so beforehand."""
    from photocol.runs.scenario import load
    from photocol.sweeps.campaign.study import Setup

    needed = 0
    # Replications of a point, which share it, hold the same.
    points = list({id(job.point): job for job in jobs}.values())
    for job in points[:: -(-len(points) // _MOST_LOOKED_AT)]:
        # What is wrong with a job is said when it is done, with its name.
        with contextlib.suppress(Exception):
            setup = job.origin.study().setup(job.point)
            if isinstance(setup, Setup):
                scenario = load(setup.scenario, {**setup.settings, **job.settings})
                needed = max(needed, scenario.least_memory_bytes)
    return resident_bytes(os.getpid()) + needed


def available_bytes() -> int | None:
    """What this machine, or the limit that this process lives under, has left for a campaign."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    return int(min([free, *_limits()]) * _SHARE)


def resident_bytes(process: int) -> int:
    """What a process holds; 0 if it is gone or nobody knows."""
    try:
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return 0
    return 0


def _limits() -> list[int]:
    found = []
    for file in _LIMITS:
        try:
            found.append(int(file.read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return found
