"""What made a result: the digests of the engine's and the package's sources, the compiler and the target."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from photocol import _core

if TYPE_CHECKING:
    from collections.abc import Mapping

_MEANINGS = {
    "engine": "the engine's sources",
    "package": "the Python package",
    "compiler": "the compiler",
    "target": "the target",
}


def this_build() -> dict[str, str]:
    """Part to what it is, as manifests have it under `build`."""
    return {**dict(_core.build_parts()), "package": _package()}


def difference(then: Mapping[str, str] | None) -> str:
    """In words in what another build differs from this one; empty where it is this one."""
    if not isinstance(then, dict):
        return "made by a build that did not say what it was"
    now = this_build()
    other = [meaning for part, meaning in _MEANINGS.items() if then.get(part) != now[part]]
    return f"made by another build: differs in {_listed(other)}" if other else ""


def _listed(words: list[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[:-1] else []), *words[-1:]])


@functools.cache
def _package() -> str:
    """16 hexadecimal digits over the names and bytes of the package's modules."""
    folder = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for name in sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*.py")):
        if not name.startswith("ready_made/"):
            content = (folder / name).read_bytes()
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]
