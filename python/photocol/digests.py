"""SHA-256 digests of what results are made of: the files of a directory, and a manifest's own text."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def of_file(file: Path) -> str:
    """The digest of a file's bytes."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
