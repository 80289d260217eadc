"""`photocol export --ro-crate`: a finished run or campaign as one archive that says what it is.

The archive is an RO-Crate 1.1 after the profile Process Run Crate 0.5: every file with its SHA-256, the program with
its version, and one action that made the results out of the scenario, with its times. Equal directories give equal
bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import content, record
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

METADATA = "ro-crate-metadata.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
_HOME = "#photocol"
_TYPES = {
    ".json": "application/json",
    ".toml": "application/toml",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".parquet": "application/vnd.apache.parquet",
    ".pcapng": "application/octet-stream",
}


def write(folder: Path, target: Path, say: Callable[[str], None] = lambda _: None) -> int:
    """Write the archive; returns how many files it holds besides its metadata. Raises InputError.

    `say` is told of each link that leads out of the directory; what is there is not packed.
    """
    manifest = _manifest(folder)
    files, left_out = _files(folder, target)
    for path in left_out:
        say(f"{path} is left out: it is outside of {folder} ({_real(path)})")
    with storage.naming(target):
        target.parent.mkdir(parents=True, exist_ok=True)

    def pack(new: Path) -> None:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
            entities = [_packed(archive, file, file.relative_to(folder).as_posix()) for file in files]
            text = json.dumps(metadata(manifest, entities), indent=1, ensure_ascii=False) + "\n"
            archive.writestr(zipfile.ZipInfo(METADATA, _EPOCH), text)

    storage.replace(target, pack)
    return len(files)


def metadata(manifest: dict[str, Any], files: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The contents of ro-crate-metadata.json."""
    names = [{"@id": file["@id"]} for file in files]
    inputs = [file for file in names if file["@id"].endswith("scenario.toml")] or [{"@id": storage.MARK}]
    results = [file for file in names if file not in inputs]
    title = str(manifest.get("name") or manifest.get("scenario_name") or manifest.get("experiment") or "results")
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [
            {
                "@id": METADATA,
                "@type": "CreativeWork",
                "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
                "about": {"@id": "./"},
            },
            {
                "@id": "./",
                "@type": "Dataset",
                "name": f"photocol: {title}",
                "description": f"What {manifest.get('command', 'photocol')} left.",
                "datePublished": str(manifest.get("started", "")),
                "conformsTo": {"@id": _PROFILE},
                "hasPart": names,
                "mentions": {"@id": "#action"},
            },
            {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
            {
                "@id": _HOME,
                "@type": "SoftwareApplication",
                "name": "photocol",
                "softwareVersion": str(manifest.get("version", "")),
            },
            _action(manifest, inputs, results),
            *files,
        ],
    }


def _action(manifest: dict[str, Any], inputs: Sequence[Any], results: Sequence[Any]) -> dict[str, Any]:
    action: dict[str, Any] = {
        "@id": "#action",
        "@type": "CreateAction",
        "name": str(manifest.get("command", "photocol")),
        "instrument": {"@id": _HOME},
        "object": list(inputs),
        "result": list(results),
        "actionStatus": {"@id": "http://schema.org/CompletedActionStatus"},
    }
    started, seconds = manifest.get("started"), manifest.get("seconds", manifest.get("wall_s"))
    if isinstance(started, str):
        action["startTime"] = started
        if isinstance(seconds, int | float):
            action["endTime"] = _later(started, seconds)
    return action


def _later(started: str, seconds: float) -> str:
    try:
        return (datetime.fromisoformat(started) + timedelta(seconds=seconds)).isoformat()
    except (ValueError, OverflowError) as error:
        said = f"started is {started!r} and seconds are {seconds}"
        raise InputError(f"{storage.MARK}: {said}; allowed: a date and time in ISO 8601, and a time") from error


def _packed(archive: zipfile.ZipFile, file: Path, name: str) -> dict[str, Any]:
    raw = file.read_bytes()
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, raw)
    return {
        "@id": name,
        "@type": "File",
        "name": file.name,
        "contentSize": str(len(raw)),
        "encodingFormat": _TYPES.get(file.suffix, "application/octet-stream"),
        "sha256": hashlib.sha256(raw).hexdigest(),
    }


def _files(folder: Path, target: Path) -> tuple[list[Path], list[Path]]:
    """What belongs to it: nothing hidden, nothing that is being written, and not the archive itself.

    Then what is not in the directory but only linked to: the run did not leave it, and it may be somebody's secret.
    """
    home = folder.resolve()
    found = sorted(path for path in folder.rglob("*") if _is_open(path.relative_to(folder)))
    outside = [path for path in found if path.is_symlink() and not _is_within(_real(path), home)]
    files = [path for path in found if path.is_file() and path.absolute() != target.absolute()]
    return [path for path in files if _is_within(_real(path), home)], outside


def _real(path: Path) -> Path:
    """Without links; unlike `resolve` of a link that leads to itself too."""
    return Path(os.path.realpath(path))


def _is_within(path: Path, home: Path) -> bool:
    return path.is_relative_to(home) and _is_open(path.relative_to(home))


def _is_open(path: Path) -> bool:
    """Whether no part of it is hidden."""
    return not any(part.startswith(".") for part in path.parts)


def _manifest(folder: Path) -> dict[str, Any]:
    for file in (folder / storage.MARK, folder / "claims.json"):
        try:
            manifest = record(content(file, storage.MOST_OF_A_RECORD))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise InputError(f"{file} cannot be read: {error}") from error
        if isinstance(manifest, dict):
            return manifest
    raise InputError(f"{folder} is neither a run nor a campaign of photocol: it has no {storage.MARK}")
