"""Files that a user names, read up to a bound and without waiting for anybody."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 1 << 26
AS_BYTES = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened: without waiting for the writer of a pipe; on Windows, without another end of lines."""


def text(file: Path, most_bytes: int = MOST_BYTES) -> str:
    """The same as text in UTF-8, without the byte-order mark that some editors put first. Raises UnicodeError too."""
    return content(file, most_bytes).decode("utf-8-sig")


def content(file: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """The bytes of a file. Raises InputError if it is a device, a pipe or too large, OSError if it cannot be read."""
    # A pipe without a writer would be waited for.
    descriptor = os.open(file, AS_BYTES)
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(file))
    with open(descriptor, "rb") as opened:  # noqa: PTH123
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode):
            raise InputError(f"{file} is not a file but a device or a pipe")
        read = opened.read(most_bytes + 1) if known.st_size <= most_bytes else None
    if read is None or len(read) > most_bytes:
        raise InputError(f"{file} has more than {most_bytes >> 20} MiB; allowed: up to that")
    return read


def record(raw: str | bytes) -> Any:
    """What a record in JSON says. Raises ValueError, also where tables in tables have no end."""
    try:
        return json.loads(raw)
    except RecursionError:
        raise ValueError("it has too many tables in tables") from None
