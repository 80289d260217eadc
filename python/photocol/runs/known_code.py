"""The files of code that this user has run, each by its real path and its SHA-256.

They are in the user's folder of state (XDG Base Directory Specification 0.8: $XDG_STATE_HOME, else ~/.local/state), a
small file each, which its owner alone can read and write. Another's manifest cannot add to them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.errors import InputError, shown
from photocol.files import content

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST = 2000
"""Files that are kept; beyond that the oldest go."""
_MOST_BYTES = 1 << 16


def remember(files: Mapping[str, str]) -> None:
    """Keep these files, path to digest. Where the folder cannot be written, nothing is kept."""
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for file, digest in files.items():
            said = _entry(real(file), digest)
            _write(folder / _name(said), said)
        _prune(folder)


def is_known(file: str, digest: str) -> bool:
    """Whether the user has run this file as it was with this digest."""
    try:
        said = _entry(real(file), digest)
        place = _folder() / _name(said)
        owner = place.stat()
        user = getattr(os, "geteuid", None)
        is_own = user is None or (owner.st_uid == user() and not owner.st_mode & 0o022)
        if is_own and content(place, _MOST_BYTES) == said:
            return True
    except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError):
        return False
    except (OSError, InputError) as error:
        sys.stderr.write(shown(f"photocol: what is kept of {file} cannot be read: {error}\n"))
        return False
    why = "damaged" if is_own else "another user's, or can be written by others"
    sys.stderr.write(shown(f"photocol: {place} is ignored: it is {why}\n"))
    return False


def real(file: str) -> str:
    """The path without links. Raises ValueError, RuntimeError or OSError if there can be none."""
    if not Path(file).is_absolute():
        raise ValueError(f"{file} is no absolute path")
    return str(Path(file).resolve())


def _folder() -> Path:
    named = os.environ.get("XDG_STATE_HOME", "")
    state = Path(named) if Path(named).is_absolute() else Path.home() / ".local" / "state"
    return state / "photocol" / "code"


def _entry(file: str, digest: str) -> bytes:
    return json.dumps({"file": file, "sha256": digest}).encode()


def _name(said: bytes) -> str:
    return f"{hashlib.sha256(said).hexdigest()}.json"


def _write(place: Path, said: bytes) -> None:
    """Whole or not at all; the temporary file is the owner's alone, and so is what it becomes."""
    descriptor, new = tempfile.mkstemp(dir=place.parent, prefix=".")
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(said)
        Path(new).replace(place)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise


def _prune(folder: Path) -> None:
    files = list(folder.iterdir())
    if len(files) > _MOST:
        for file in sorted(files, key=lambda file: file.stat().st_mtime)[: len(files) - _MOST]:
            file.unlink(missing_ok=True)
