"""Results on disk: a directory is a whole run or is not there.

Everything is written under another name beside the target, flushed to the disk, and renamed. A directory that holds a
former run is replaced in one step; any other directory that holds something is refused.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

MARK = "manifest.json"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def check_target(target: Path) -> None:
    """Refuse (InputError) a target that exists and is neither an empty directory nor a run."""
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise InputError(f"{target} is not a directory")
    if any(target.iterdir()) and not (target / MARK).is_file():
        raise InputError(f"{target} holds something that is not a photocol run; it is left alone")


def write_directory(target: Path, fill: Callable[[Path], None]) -> None:
    """Make `target` with what `fill` writes into the directory it is given, whole or not at all."""
    target = target.absolute()
    check_target(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = unfinished_name(target)
    unfinished.mkdir()
    try:
        fill(unfinished)
        _flush(unfinished)
        _put_in_place(unfinished, target)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def unfinished_name(target: Path) -> Path:
    """A hidden name beside `target`, of this process only."""
    return target.with_name(f".{target.name}.{os.getpid()}.unfinished")


def _put_in_place(new: Path, target: Path) -> None:
    """Rename `new` to `target`; what was there before is under the name `new` afterwards, or gone."""
    if target.exists() and any(target.iterdir()):
        _exchange(new, target)
    else:
        new.rename(target)
    _flush_one(target.parent)


def _exchange(new: Path, target: Path) -> None:
    """Swap two directories in one step where the system can, else in two."""
    if _swapped_by_kernel(new, target):
        return
    former = new.with_suffix(".former")
    target.rename(former)
    new.rename(target)
    shutil.rmtree(former)


def _swapped_by_kernel(one: Path, other: Path) -> bool:
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(number, os.strerror(number), str(other))


def _flush(folder: Path) -> None:
    for place, _, files in os.walk(folder):
        for file in files:
            _flush_one(Path(place) / file)
        _flush_one(Path(place))


def _flush_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
