"""Results on disk: a directory holds a whole run if and only if it has `manifest.json`.

Everything is written under another name, flushed to the disk, and renamed. A directory that is not there is written
beside its place. One that is there (empty, a mount point, named by a link) is written inside of it, and its files are
renamed into it, `manifest.json` last; a former run in it is replaced in one step where the system can. Any other
directory that holds something is refused. The other names are hidden and contain the number of the process; what a
killed process has left under one is removed by the next that writes there, and with it the files that it had renamed.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import content, record
from photocol.runs.free_names import free_neighbour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MARK = "manifest.json"
DIGEST, UNSET_DIGEST = "scenario_sha256", "unset_scenario_sha256"
"""What a manifest calls the digest of the resolved scenario, and of the same before any `set`."""
MOST_OF_A_RECORD = 1 << 28
"""Bytes of a manifest: a million runs have 130 MB of digests."""
RUNS = "runs"
ROW = "row.json"
"""What a run of a campaign says of its point and its figures."""
"""The folder of a campaign that has a directory a run."""
_LATER = re.compile(r"report\.html|runs\.parquet|plots|sweep\.sbatch|slurm-.*\.log")
"""What `report`, `sweep export`, `plot` and Slurm put into a finished directory; it is made from the rest."""
CAMPAIGNS = {"sweep": "a sweep", "reproduction": "a reproduced figure"}
"""What manifests of campaigns call themselves, in words."""
_FORMER = "former-manifest.json"
"""Where the mark of a run goes that is being replaced by files: what it says were its files may be removed."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_LEFTOVER = re.compile(r"\.(?P<name>.+)\.(?P<process>\d+)(\.[a-z0-9_]{8})?\.(unfinished|pcapng|former)")
_OF_A_FILE_SYSTEM = "lost+found"
"""In the root of a file system of its own, which holds nothing else."""
_DEVICES = (Path("/dev"), Path("/proc"))


def check_target(target: Path) -> None:
    """Refuse (InputError) a target that is neither absent nor empty nor a run, or where nothing can be written."""
    if os.path.lexists(target):
        if not target.is_dir():
            raise InputError(f"{target} is not a directory")
        _check_contents(target)
    _check_place(target.absolute())


def check_replaceable(target: Path, digests: Callable[[], Mapping[str, Any]]) -> None:
    """Refuse (InputError) a target that holds a finished run of another scenario than the one with these digests.

    Scenarios are the same if they are with their settings or without them.
    """
    try:
        manifest = record(content(target / MARK, MOST_OF_A_RECORD))
    except (OSError, ValueError):
        return
    if not isinstance(manifest, dict) or not _digests(manifest):
        return
    if _digests(manifest).isdisjoint(_digests(digests())):
        runs = manifest.get("runs", ())
        held = f"{len(runs)} replications" if len(runs) > 1 else "a run"
        raise InputError(
            f"{target} holds {held} of another scenario, {manifest.get('name')!r} with seed {manifest.get('seed')}; "
            f"write beside it with --out {free_neighbour(target)}, or replace it with --force (force=True)"
        )


def check_no_campaign(target: Path) -> None:
    """Refuse (InputError) a target that holds a sweep or a reproduced figure: no run replaces its runs."""
    try:
        manifest = record(content(target / MARK, MOST_OF_A_RECORD))
    except (OSError, ValueError):
        manifest = {}
    kind = manifest.get("photocol") if isinstance(manifest, dict) else None
    if kind in CAMPAIGNS or (target / RUNS).is_dir():
        raise InputError(
            f"{target} holds {CAMPAIGNS.get(str(kind), 'the runs of a campaign')}, which a run does not replace; "
            f"write beside it with --out {free_neighbour(target)}"
        )


def _digests(manifest: Mapping[str, Any]) -> set[str]:
    """What tells the scenario of a run from others."""
    return {str(manifest[key]) for key in (DIGEST, UNSET_DIGEST) if manifest.get(key) is not None}


def write_directory(target: Path, fill: Callable[[Path], None]) -> None:
    """Make `target` with what `fill` writes into the directory it is given, whole or not at all.

    OSError names the file of `target` that could not be written.
    """
    target = target.absolute()
    check_target(target)
    with _unfinished(target) as new:
        fill(new)
        _flush(new)
        _put_in_place(new, target)
        _flush_one(target.parent)


def write_quickly(target: Path, fill: Callable[[Path], None]) -> None:
    """The same for one of very many directories: nothing is flushed to the disk.

    A process that is killed leaves it whole or absent all the same; after a failure of the power a file may be empty,
    which the reader has to notice.
    """
    target = target.absolute()
    if target.exists():
        _check_contents(target)
    with _unfinished(target) as new:
        fill(new)
        _put_in_place(new, target)


@contextlib.contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """A new directory beside `target`, gone after the block; errors name the files as they would be in `target`."""
    unfinished = unfinished_name(target)
    try:
        with naming(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # A dead process may have had this number too, as in a container.
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            yield unfinished
    except OSError as error:
        name = str(error.filename).replace(str(unfinished), str(target))
        raise OSError(error.errno, error.strerror, name) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


_MOST_FOOTER = 1 << 16
"""With less room than that a table's last part may be what the disk did not take."""


@contextlib.contextmanager
def naming(file: Path) -> Iterator[None]:
    """Any failure to write in the block is an OSError that names a file: its own, or this one."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(file)) from error
    except Exception as error:
        # polars tells of the system's errors in words only, and of those at the end of a file in no words of its own.
        found = re.search(r"\(os error (?P<number>\d+)\)", str(error))
        if found is None and "transport error" not in str(error):
            raise
        is_full = shutil.disk_usage(file.absolute().parent).free < _MOST_FOOTER
        number = int(found["number"]) if found else errno.ENOSPC if is_full else errno.EIO
        raise OSError(number, os.strerror(number), str(file)) from error


def unfinished_name(target: Path) -> Path:
    """A hidden name of this process only, on the file system of `target`: inside of a directory, else beside it."""
    place = target if target.is_dir() else target.parent
    return place / f".{target.name}.{os.getpid()}.unfinished"


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove what dead processes have left in `folder` under hidden names, of the target `name` or of any.

    What cannot be removed stays: it is in nobody's way.
    """
    if name is not None and (folder / name).is_dir():
        _remove_half(folder / name)
        remove_leftovers(folder / name)
    with contextlib.suppress(OSError):
        for path in list(folder.iterdir()):
            found = _LEFTOVER.fullmatch(path.name)
            if found is None or (name is not None and found["name"] != name) or _is_alive(int(found["process"])):
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _remove_half(folder: Path) -> None:
    """Remove the files of a run that a killed process was renaming into `folder`, or was removing there."""
    with contextlib.suppress(OSError):
        for name in _half(folder):
            _remove(folder / name)


def _half(folder: Path) -> set[str]:
    """The names in `folder` of files that belong to a run of which not all were renamed.

    The process was killed; its unfinished directory is there still, with the manifests of the new run and of the one
    before.
    """
    if (folder / MARK).is_file():
        return set()
    there = [(path, _LEFTOVER.fullmatch(path.name)) for path in folder.iterdir()]
    left = [path for path, found in there if found and not _is_another(int(found["process"]))]
    known = {name for path in left for mark in (MARK, _FORMER) for name in _files_named(path / mark)}
    return {path.name for path, _ in there if path.name in known or (known and _LATER.fullmatch(path.name))}


def _is_another(process: int) -> bool:
    """Whether another process that is alive has this number; in a container every run may have this one's."""
    return process != os.getpid() and _is_alive(process)


def _files_named(manifest: Path) -> set[str]:
    """The first parts of the names of all files that a manifest says were written with it."""
    try:
        said = record(content(manifest, MOST_OF_A_RECORD))
        return {str(name).partition("/")[0] for name in said["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def replace(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name and put it in place; it is whole or what it was.

    The other name is in a folder that nobody else can look into. A link is replaced, not followed; a device is written.
    """
    if any(file.absolute().is_relative_to(place) for place in _DEVICES):
        with naming(file):
            write(file)
        return
    with naming(file):
        beginning = f".{file.name}.{os.getpid()}."
        private = Path(tempfile.mkdtemp(prefix=beginning, suffix=".unfinished", dir=file.absolute().parent))
    try:
        with naming(file):
            write(private / file.name)
            (private / file.name).replace(file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(file)) from error
    finally:
        shutil.rmtree(private, ignore_errors=True)


def write_text(file: Path, text: str) -> None:
    """The same with a text."""
    replace(file, lambda new: new.write_text(text, encoding="utf-8"))


def is_extra(name: str) -> bool:
    """Whether an entry of a directory is none of its results: runs, what was made of it later, what a process left."""
    return name in (MARK, RUNS) or _LATER.fullmatch(name) is not None or _LEFTOVER.fullmatch(name) is not None


def _is_alive(process: int) -> bool:
    """Whether a process has this number. Windows is not asked: there this call would interrupt the process."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _check_contents(target: Path) -> None:
    """Refuse (InputError) a directory that holds something other than a run."""
    # In this order: another process may put the mark and then more into it at this moment.
    found = {one.name for one in _contents(target)}
    if found and not (target / MARK).is_file() and found - _half(target):
        raise InputError(f"{target} holds something that is not a photocol run; it is left alone")


def _contents(target: Path) -> list[Path]:
    """What a directory holds, without what is being written and what belongs to its file system."""
    return [one for one in target.iterdir() if one.name != _OF_A_FILE_SYSTEM and not _LEFTOVER.fullmatch(one.name)]


def _check_place(target: Path) -> None:
    """Refuse a target in whose place nothing can be written, before hours of work go into it."""
    place = target if target.is_dir() else next(folder for folder in target.parents if os.path.lexists(folder))
    trial = place / f".{target.name}.{os.getpid()}.unfinished"
    try:
        trial.mkdir()
        trial.rmdir()
    except FileExistsError:
        return
    except OSError as error:
        raise InputError(f"{target} cannot be written: {place}: {error.strerror}") from error


def _put_in_place(new: Path, target: Path) -> None:
    """Rename `new` to `target`, or what it holds into `target`; a run that was there before is gone."""
    if not target.is_dir():
        new.rename(target)
    elif not (target / MARK).is_file() or not _replaced(new, target.resolve()):
        _fill_in(new, target)


def _replaced(new: Path, target: Path) -> bool:
    """Whether the run in a directory, which is not a link, could be replaced by `new` in one step."""
    beside = target.with_name(new.name)
    try:
        new.rename(beside)
    except OSError:
        # A file system of its own, or a folder in which nothing may be written.
        return False
    try:
        _exchange(beside, target)
    except OSError:
        beside.rename(new)
        return False
    shutil.rmtree(beside, ignore_errors=True)
    return True


def _fill_in(new: Path, target: Path) -> None:
    """Rename what `new` holds into `target`, the mark last; a former run goes first, beginning with its mark."""
    written = sorted(new.iterdir(), key=lambda file: file.name == MARK)
    if (target / MARK).is_file():
        (target / MARK).replace(new / _FORMER)
    for former in _contents(target):
        _remove(former)
    for file in written:
        file.rename(target / file.name)
    _flush_one(target)


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
    if sys.platform == "win32":  # flushes neither folders nor files that are open to read
        return
    with naming(path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
