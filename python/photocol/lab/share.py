"""A run as a file to give away: its scenario, what was changed, its report page and the command that repeats it."""

from __future__ import annotations

import base64
import difflib
import io
import re
import shlex
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.lab.toml_text import literal, quoted
from photocol.report.build import document, page_of
from photocol.runs.scenario import ScenarioText, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.results import Result

_GONE = object()


def packed(result: Result, text: str, base: str, name: str) -> dict[str, str]:
    """A ZIP file with all of it."""
    stem = re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
    with tempfile.TemporaryDirectory(prefix="photocol-lab-share-") as folder:
        page = document(page_of(result.save(Path(folder) / stem)))
    parts = {
        "scenario.toml": text,
        "difference.diff": difference(base, text),
        "report.html": page,
        "README.txt": f"photocol run scenario.toml --runs 1\n\nfingerprint {result.fingerprint}\n",
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, contents in parts.items():
            archive.writestr(f"{stem}/{part}", contents)
    return {"name": f"{stem}.zip", "data": base64.b64encode(data.getvalue()).decode("ascii")}


def difference(base: str, text: str) -> str:
    """What was changed, line by line."""
    lines = difflib.unified_diff(
        base.splitlines(keepends=True), text.splitlines(keepends=True), "original.toml", "scenario.toml"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def command(source: str | None, folder: str, base: str, text: str) -> str:
    """The command that makes this very run: of the file with `--set`, or with the whole text before it."""
    settings = None if source is None else _settings(folder, base, text)
    if source is None or settings is None:
        end = "END_OF_SCENARIO"
        return f"cat > lab.toml <<'{end}'\n{text.rstrip()}\n{end}\nphotocol run lab.toml --runs 1\n"
    words = ["photocol", "run", source, *(word for one in settings for word in ("--set", one)), "--runs", "1"]
    return f"{shlex.join(words)}\n"


def _settings(folder: str, base: str, text: str) -> list[str] | None:
    """What makes the original this one; None if settings do not."""
    try:
        changes = list(_changes(tomllib.loads(base), tomllib.loads(text), ""))
        if any(value is _GONE for _, value in changes):
            return None
        pairs = {path: value if isinstance(value, str) else literal(value) for path, value in changes}
        same = (
            load(ScenarioText(base, folder, "original"), pairs).explain()
            == load(ScenarioText(text, folder, "original")).explain()
        )
    except (InputError, ValueError):
        return None
    return [f"{path}={value}" for path, value in pairs.items()] if same else None


def _changes(base: Any, text: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Paths of what differs, and the values there."""
    if isinstance(base, dict) and isinstance(text, dict):
        for key in [*base, *(key for key in text if key not in base)]:
            here = f"{path}.{quoted(key)}".lstrip(".")
            if key not in text:
                yield here, _GONE
            elif key not in base and isinstance(text[key], dict):
                yield from _changes({}, text[key], here)
            elif key not in base:
                yield here, text[key]
            else:
                yield from _changes(base[key], text[key], here)
    elif isinstance(base, list) and isinstance(text, list) and len(base) == len(text) and _of_tables(text):
        for number, (one, other) in enumerate(zip(base, text, strict=True)):
            yield from _changes(one, other, f"{path}.{number}")
    elif base != text:
        yield path, text


def _of_tables(values: list[Any]) -> bool:
    return all(isinstance(one, dict) for one in values)
