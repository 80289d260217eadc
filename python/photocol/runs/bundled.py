"""The ready-made scenarios and experiments: those of the checkout, or those that came with the installed package."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

_PLACES = (Path(__file__).resolve().parents[1] / "ready_made", Path(__file__).resolve().parents[3])
"""In an installed package; in a checkout that is installed in place. Either has the folders of `place`."""


def place() -> Path | None:
    """The folder that has `scenarios` and `experiments`, if there is one."""
    return next(
        (one for one in reversed(_PLACES) if all((one / name).is_dir() for name in ("scenarios", "experiments"))), None
    )


def found(path: str | PathLike[str]) -> Path:
    """The file of this path; if there is none, the ready-made scenario `NAME`, `NAME.toml` or `scenarios/NAME.toml`.

    A folder is no file: where one is called like a ready-made scenario, it is the scenario. A path that is neither
    stays as it is, for who reads it to complain about.
    """
    given, folder = Path(path), place()
    if (given.exists() and not given.is_dir()) or given.is_absolute() or folder is None:
        return given
    parts = given.parts[1:] if given.parts[:1] == ("scenarios",) else given.parts
    named = folder.joinpath("scenarios", *parts)
    ready = named if named.suffix == ".toml" else named.with_name(f"{named.name}.toml")
    return ready if ".." not in parts and ready.is_file() else given


def nearest(name: str) -> str | None:
    """The ready-made scenario whose name is most like this one, if any is."""
    folder = place()
    names = [file.stem for file in (folder / "scenarios").glob("*.toml")] if folder is not None else []
    return next(iter(difflib.get_close_matches(Path(name).stem, sorted(names), n=1)), None)


def scenarios() -> list[tuple[str, str]]:
    """Name and first sentence of each ready-made scenario that can be run."""
    folder = place()
    files = sorted((folder / "scenarios").glob("*.toml"), key=lambda file: file.stem) if folder is not None else []
    return [(file.stem, _first_sentence(file.read_text(encoding="utf-8"))) for file in files]


def _first_sentence(text: str) -> str:
    """That of the comment at the head of a file, or its name."""
    comment = []
    for line in text.splitlines():
        if line.startswith("#:"):
            continue
        if not line.strip("# "):
            break
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    words = " ".join(comment).strip()
    if not words:
        return str(tomllib.loads(text).get("run", {}).get("name", ""))
    sentence = re.split(r"(?<=[.?!]) ", words)[0]
    return sentence if sentence[-1] in ".?!" else f"{sentence}."
