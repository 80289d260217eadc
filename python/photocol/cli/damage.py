"""What a command was given that is no longer as it was written: why reading it ended as nobody foresaw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def sentence(arguments: Sequence[str], error: BaseException) -> str | None:
    """Which directory of these arguments is damaged, and how; None where all are as they were written.

    Then the fault is this program's.
    """
    for folder in _folders(arguments):
        damage = _first_of(folder)
        if damage is not None:
            return f"{folder} is damaged: {damage}; reading it ended with: {_words(error)}"
    return None


def _folders(arguments: Sequence[str]) -> Iterator[Path]:
    from photocol.runs import storage

    for argument in arguments:
        folder = Path(argument.rpartition("=")[2] if argument.startswith("-") else argument)
        try:
            is_one = (folder / storage.MARK).is_file() or (folder / storage.RUNS).is_dir()
        except (OSError, ValueError):
            continue
        if is_one:
            yield folder


def _first_of(folder: Path) -> str | None:
    from photocol.experiments.verify import check_files
    from photocol.files import content
    from photocol.runs import digests, storage

    try:
        for file in (folder / storage.MARK, *folder.glob(f"{storage.RUNS}/**/{storage.MARK}")):
            if not digests.is_sealed(content(file, storage.MOST_OF_A_RECORD)):
                return f"{file.relative_to(folder)}: not as it was written"
        return next(iter(check_files(folder)), None)
    except Exception as error:
        return f"{storage.MARK}: {_words(error)}"


def _words(error: BaseException) -> str:
    said = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {said[:200]}" if said else type(error).__name__
