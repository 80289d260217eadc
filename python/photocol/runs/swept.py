"""The directory of one run of a sweep: its figures stand in `row.json`, and it has the tables that the sweep keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import content, record
from photocol.runs import storage

if TYPE_CHECKING:
    from pathlib import Path


def is_one(folder: Path) -> bool:
    """Whether this is the directory of such a run."""
    return not (folder / "summary.json").exists() and (folder / storage.ROW).is_file()


def figures(folder: Path) -> dict[str, dict[str, Any]]:
    """The figures as summary.json has them. Raises what reading a damaged file raises."""
    row = record(content(folder / storage.ROW, storage.MOST_OF_A_RECORD))
    units = row.get("run", {}).get("units", {})
    return {name: {"value": value, "unit": units.get(name, "1")} for name, value in row["metrics"].items()}


def has(folder: Path, name: str) -> bool:
    """Whether the sweep has kept this table."""
    return (folder / f"{name}.parquet").is_file()


def kept(folder: Path, name: str) -> Path:
    """The file of a table. Raises InputError, which says how a sweep keeps it."""
    if not has(folder, name):
        raise InputError(
            f"{folder}: the sweep has not kept the {name} of its runs; `--keep {name}`, or `tables` in its file, does"
        )
    return folder / f"{name}.parquet"
