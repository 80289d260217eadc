"""A page as one file: the HTML, its style and script, and the data as JSON that no name in it can break out of."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE = "report.html"
# In an order in which each knows only those before it.
MODULES = (
    "data",
    "words",
    "save",
    "placing",
    "view",
    "levels",
    "trace",
    "light",
    "topology",
    "trips",
    "globe",
    "tables",
    "summary",
    "gantt",
    "sequence",
    "space",
    "bands",
    "series",
    "circuits",
    "main",
)
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
_LISTED = re.compile(r"^export \{ ([^}]*) \};$", re.MULTILINE)


def write(folder: Path, file: Path | None = None) -> Path:
    """Write the page of a finished run or campaign, by default into its directory. Raises InputError."""
    target = folder / FILE if file is None else file
    text = document(page_of(folder))
    storage.write_text(target, text)
    return target


def page_of(folder: Path) -> dict[str, Any]:
    """What is on the page of a directory."""
    from photocol.report import campaign_page, run_page

    if (folder / "summary.json").is_file() and (folder / storage.MARK).is_file():
        return run_page.page(folder)
    if (folder / "table.parquet").is_file():
        return campaign_page.page(folder)
    raise InputError(
        f"{folder} is neither a run nor a campaign of photocol: no summary.json and no table.parquet in it"
    )


def document(page: Mapping[str, Any]) -> str:
    """The whole file."""
    parts = {"style": _text("style.css").strip(), "script": script(), "page": _json(page)}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def script() -> str:
    """All modules in one: each is a function that gives what it exports, for inlined modules cannot import others."""
    return "\n".join(_scoped(name, _text(f"{name}.js")) for name in MODULES)


def _scoped(name: str, text: str) -> str:
    listed = [word for found in _LISTED.findall(text) for word in found.split(", ")]
    exports = [*_EXPORT.findall(text), *listed]
    body = _LISTED.sub("", _IMPORT.sub(r"const \1 = module_\2;", text))
    body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
    return f"const module_{name} = (() => {{\n{body.strip()}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _text(name: str) -> str:
    return files("photocol.report").joinpath("page", name).read_text(encoding="utf-8")


def _json(page: Mapping[str, Any]) -> str:
    """Without a `<`, so that no text ends the element that holds it."""
    text = json.dumps(page, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
