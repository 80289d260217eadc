"""Every Python that photocol starts: none takes modules from the working directory.

A child that is started with `-m` or `-c` has the working directory first on its path, so that a `queue.py` beside a
scenario would be executed. The option `-P` and, for what a child starts in turn, PYTHONSAFEPATH keep it off (Python
3.11, "Command line and environment"). What the user's own PYTHONPATH names stays.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SAFE_PATH = "PYTHONSAFEPATH"


def command(module: str, *words: str) -> list[str]:
    """The command line of a module of photocol in a process of its own."""
    flags = {"-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    return [sys.executable, "-P", *(flag for flag, is_set in flags.items() if is_set), "-m", module, *words]


def environment() -> dict[str, str]:
    """The environment of a child."""
    return {**os.environ, SAFE_PATH: "1"}


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """Whatever is started in the block has it, as have the processes that `multiprocessing` starts."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before
