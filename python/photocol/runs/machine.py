"""The machine that a run is made on: what it is, and the memory that this process takes of it."""

from __future__ import annotations

import functools
import os
import platform
import sys
from pathlib import Path

from photocol import _core


@functools.cache
def described() -> dict[str, str | int | None]:
    """What a run was made on: the host's name, its system and architecture, its processors, the Python."""
    return {
        "name": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def peak_memory_bytes() -> int:
    """The largest resident set of this process so far; 0 on Windows, which has another way to ask."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class MemoryWatch:
    """Ends a run that takes more memory than its scenario allows."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._before = _memory_bytes()

    def check(self, now_s: float) -> None:
        """Raise RunError if this process has grown by more than is allowed."""
        taken = _memory_bytes() - self._before
        if taken > self._allowed:
            raise _core.RunError(
                f"it has taken {taken / 1e9:.1f} GB of memory by {now_s:.6g} s of simulated time; allowed: "
                f"{self._allowed / 1e9:g} GB, see run.memory"
            )


def _memory_bytes() -> int:
    """The resident set of this process; where the system does not say, the largest so far."""
    if sys.platform == "win32":
        return peak_memory_bytes()
    import resource

    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak_memory_bytes()
    return pages * resource.getpagesize()
