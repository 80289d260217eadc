"""Files that a user names, read up to a bound and without waiting for anybody."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from photocol.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 1 << 26


def content(file: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a file. Raises InputError if it is a device, a pipe or too large, OSError if it cannot be read."""
    # A pipe without a writer would be waited for.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb") as opened:  # noqa: PTH123
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise InputError(f"{file} is not a file but a device or a pipe")
        read = opened.read(most_bytes + 1)
    if len(read) > most_bytes:
        raise InputError(f"{file} has more than {most_bytes >> 20} MiB; allowed: up to that")
    return read
