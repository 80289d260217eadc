"""How much memory the jobs of a campaign may take together.

Nobody knows before how much a run will take: it depends on the queues that build up. So the processes are looked at
while they work. The largest that was seen is the estimate for every job; no new one starts that would not fit, and
where those under way outgrow what there is, the youngest is put back.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHARE = 0.9
"""Of the memory that is free at the start."""
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


@dataclass
class Budget:
    """What the jobs may take, and what they have been seen to take."""

    allowed: int | None = None
    """Bytes; None where the system does not say."""
    estimate: int = 0
    """The most that one process was seen to hold."""

    def see(self, held: Sequence[int]) -> bool:
        """Take note of what the processes hold; whether it is too much, though not of one alone."""
        self.estimate = max(self.estimate, *held, 0)
        return self.allowed is not None and len(held) > 1 and sum(held) > self.allowed

    def admits(self, running: int) -> bool:
        """Whether one more job than these is expected to fit; one alone always may try."""
        return running == 0 or self.allowed is None or (running + 1) * self.estimate <= self.allowed


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
