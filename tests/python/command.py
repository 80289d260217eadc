"""Running the command `photocol` as a user does, and the scenarios that the tests share."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SMALL = """
[run]
name = "small"
duration = "2 s"
seed = 7

[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "20 packets"
access_delay = "1 ms"

[[traffic]]
transport = "sack"
pairs = [["l0", "r0"], ["l1", "r1"]]
flows = 4
spread = "0.5 s"

[probe]
interval = "0.1 s"
flows = [0, 1]
links = ["left->right"]
"""

LONG = SMALL.replace('"2 s"', '"10000 s"').replace("10 Mbps", "1 Gbps")
"""Minutes of wall-clock time, to be interrupted."""


def arguments(*words: str | Path) -> list[str]:
    """The command line of this interpreter's photocol."""
    return [sys.executable, "-c", "import sys; from photocol.cli import main; sys.exit(main())", *map(str, words)]


@dataclass(frozen=True)
class Done:
    """What a command line did."""

    returncode: int
    stdout: str
    stderr: str


def photocol(*words: str | Path, cwd: Path | None = None) -> Done:
    """Carry out a command line in this process, which spares the start of another; not on a terminal."""
    stdout, stderr = io.StringIO(), io.StringIO()
    place = contextlib.chdir(cwd) if cwd else contextlib.nullcontext()
    with place, contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        status = main([str(word) for word in words])
    return Done(status, stdout.getvalue(), stderr.getvalue())


def photocol_process(*words: str | Path) -> Done:
    """The same in a process of its own."""
    done = subprocess.run(
        arguments(*words), capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL
    )
    return Done(done.returncode, done.stdout, done.stderr)


def environment(**extra: str) -> dict[str, str]:
    """This environment and more."""
    return {**os.environ, **extra}
