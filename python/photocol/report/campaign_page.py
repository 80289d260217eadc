"""What is on the page of a campaign: a reproduced figure or a sweep."""

from __future__ import annotations

import base64
import json
import shlex
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import content, record
from photocol.plot.sweeps import as_svg
from photocol.report import columns
from photocol.runs import storage
from photocol.runs.results import read_table
from photocol.sweeps.swept import SPREAD, SweepTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl

_FACTS = ("version", "form", "jobs_missing", "started", "fingerprint")
_AXES, _OPTIONS, _REPEATED = ("grid", "zip"), ("where", "seeds"), {"metrics": "--metric", "tables": "--keep"}
"""What a sweep says, as options of the command."""
_TABLES = (
    ("table", "Points: means and half widths of 95 % intervals"),
    ("curves", "Curves"),
    ("replications", "Replications"),
)


def page(folder: Path) -> dict[str, Any]:
    """Everything, as JSON can hold it. Raises InputError for a damaged campaign."""
    judged, manifest = _json(folder / "claims.json"), _json(folder / "manifest.json")
    name = str(judged.get("experiment") or manifest.get("name") or folder.name)
    missing = judged.get("jobs_missing")
    table = SweepTable.load(folder)
    pictures, gone = _pictures(folder, table)
    interrupted = f"Interrupted: {missing} runs are missing, and no claim is judged." if missing else ""
    return {
        "kind": "campaign",
        "name": name,
        "subtitle": _title(folder) or f"a campaign of photocol {manifest.get('version', '')}",
        "note": " ".join(filter(None, (interrupted, *gone))) or None,
        "claims": judged.get("claims", []),
        "pictures": pictures,
        "tables": _tables(folder, table),
        "command": _command(judged, manifest),
        "facts": [[key, said[key]] for said in [{**manifest, **judged}] for key in _FACTS if said.get(key) is not None],
        "scenario": str(manifest.get("scenario") or ""),
    }


def _json(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        said = record(content(file, storage.MOST_OF_A_RECORD))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is damaged: {error}") from error
    return said if isinstance(said, dict) else {}


def _title(folder: Path) -> str:
    """The first line of `report.md`, which has the figure's title."""
    file = folder / "report.md"
    if not file.is_file():
        return ""
    return file.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ").strip()


def _command(judged: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    if manifest.get("photocol") == "sweep":
        return f"{_sweep(manifest)}\n# In its directory, to do what is missing:\nphotocol sweep resume ."
    if manifest.get("command"):
        return str(manifest["command"])
    if judged.get("experiment"):
        return f"photocol reproduce {judged['experiment']} --{judged.get('form', 'quick')}"
    return "photocol sweep resume ."


def _sweep(manifest: Mapping[str, Any]) -> str:
    """The command that makes a sweep; where it takes a file, what has to be in it."""
    said = manifest.get("sweep")
    said = said if isinstance(said, dict) else {}
    words = ["photocol", "sweep", str(manifest.get("scenario_name") or "scenario.toml")]
    if not set(said) <= {*_AXES, "set", *_OPTIONS, *_REPEATED} or not isinstance(said.get("zip", {}), dict):
        file = json.dumps({"scenario": words[-1], **said}, indent=1, ensure_ascii=False)
        commented = "\n".join(f"# {line}" for line in file.splitlines())
        return f"photocol sweep sweep.toml\n# A file of TOML that says:\n{commented}"
    for key in _AXES:
        for name, values in said.get(key, {}).items():
            words += [f"--{key}", f"{name}={','.join(map(str, values))}"]
    words += [word for name, value in said.get("set", {}).items() for word in ("--set", f"{name}={value}")]
    words += [word for key in _OPTIONS if key in said for word in (f"--{key}", str(said[key]))]
    words += [word for key, option in _REPEATED.items() for name in said.get(key, ()) for word in (option, str(name))]
    return shlex.join(words)


def _pictures(folder: Path, table: SweepTable) -> tuple[list[dict[str, str]], list[str]]:
    """Pictures as they are, drawn once by `photocol reproduce`; of a sweep its own, drawn now, and why one is gone."""
    drawn, gone = {file.stem: file.read_bytes() for file in sorted(folder.glob("*.svg"))}, list[str]()
    if not drawn:
        own, gone = as_svg(table, folder)
        drawn = {name: text.encode() for name, text in own}
    drawn |= {file.stem: file.read_bytes() for file in sorted(folder.glob("plots/*.svg"))}
    return [
        {"name": name, "data": f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"}
        for name, svg in drawn.items()
    ], gone


def _tables(folder: Path, table: SweepTable) -> list[dict[str, Any]]:
    found = [(name, title, folder / f"{name}.parquet") for name, title in _TABLES]
    units = {name: table.unit(name) for name in table.metrics}
    units |= {f"{name}{SPREAD}": unit for name, unit in units.items()}
    first = [*table.axes, *table.main_metrics()]
    return [
        columns.with_spreads(columns.rows(title, name, _beginning_with(first, read_table(file)), units=units))
        for name, title, file in found
        if file.is_file()
    ]


def _beginning_with(first: list[str], frame: pl.DataFrame) -> pl.DataFrame:
    """With these columns first, as far as it has them."""
    there = [name for name in first if name in frame.columns]
    return frame.select(*there, *(name for name in frame.columns if name not in there))
