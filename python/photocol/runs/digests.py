"""SHA-256 digests of what results are made of: the files of a directory, and a record's own text.

A manifest has `files`, name to digest of everything that was written with it, and as its last key `sha256`, the digest
of its own text with zeros in that place. So a change of any byte in the directory is noticed. It is no signature:
whoever changes a file and computes all digests anew is not found out by them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

FILES, SEAL = "files", "sha256"
_ZEROS = "0" * 64
_END = re.compile(rb'"sha256": "([^"\n]{64})"\n\}\n\Z')


def of_file(file: Path) -> str:
    """The digest of a file's bytes."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def sealed(content: Mapping[str, Any]) -> str:
    """A record as JSON, with the digest of its own text as the last key."""
    fields = {key: value for key, value in content.items() if key != SEAL}
    text = json.dumps({**fields, SEAL: _ZEROS}, indent=1, ensure_ascii=False) + "\n"
    head, _, tail = text.rpartition(_ZEROS)
    return head + hashlib.sha256(text.encode()).hexdigest() + tail


def is_sealed(raw: bytes) -> bool | None:
    """Whether a record's bytes have the digest that they say; None where they say none."""
    end = _END.search(raw, max(0, len(raw) - 128))
    if end is None:
        return None
    digest = hashlib.sha256(raw[: end.start(1)])
    digest.update(_ZEROS.encode() + raw[end.end(1) :])
    return digest.hexdigest().encode() == end[1]


def with_files(content: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """A manifest, sealed, with the digests of what is written beside it."""
    fields = {key: value for key, value in content.items() if key != FILES}
    return sealed({**fields, FILES: dict(sorted(files.items()))})


def of_folder(folder: Path, leave: Callable[[str], bool] = lambda _: False) -> dict[str, str]:
    """Name to digest of every file below a folder; `leave` names entries of the folder that are passed over.

    What is no file, as a pipe, has an empty digest.
    """
    found = {}
    for path in _below(folder, leave):
        found[path.relative_to(folder).as_posix()] = of_file(path) if path.is_file() else ""
    return dict(sorted(found.items()))


def changes(there: Mapping[str, str], recorded: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Each file that is not as it is recorded: its name, and in a word what is the matter."""
    for name in sorted({*there, *recorded}):
        if name not in there:
            yield name, "missing"
        elif name not in recorded:
            yield name, "additional: it was not written with the rest"
        elif there[name] != recorded[name]:
            yield name, "changed"


def _below(folder: Path, leave: Callable[[str], bool]) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        if Path(place) == folder:
            folders[:] = [name for name in folders if not leave(name)]
            files = [name for name in files if not leave(name)]
        links: Collection[str] = [name for name in folders if (Path(place) / name).is_symlink()]
        yield from (Path(place) / name for name in (*files, *links))
