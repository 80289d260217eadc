"""What `photocol sweep` is given: its options, and the sweep that they and a file describe."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol import files
from photocol.cli.run import say_if_ready_made
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.sweeps.campaign.study import Value
    from photocol.sweeps.folder import Described


_SCENARIO = re.compile(r"^\s*[\"']?scenario[\"']?\s*=", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """The options of `photocol sweep`, as they are given."""

    grid: Sequence[str] = ()
    side: Sequence[str] = ()
    """--zip."""
    schemes: Sequence[str] = ()
    where: str | None = None
    settings: Sequence[str] = ()
    seeds: int | None = None
    metrics: Sequence[str] = ()
    tables: Sequence[str] = ()
    out: Path | None = None
    resume: bool = False
    force: bool = False
    jobs: int | None = None
    dask: str | None = None
    part: str | None = None
    allow_code: bool = False
    slurm: int | None = None
    quiet: bool = False


def described_by(source: str, options: SweepOptions) -> tuple[Described, Path]:
    """The sweep of a file and the options, and where it goes by default."""
    from photocol.runs import bundled
    from photocol.sweeps.run import describe
    from photocol.sweeps.spec import read_file

    say_if_ready_made(source)
    file = bundled.found(source)
    said: dict[str, Any] = read_file(file) if is_sweep(file) else {"scenario": str(file)}
    for key, words in (("grid", options.grid), ("zip", options.side)):
        if words:
            said[key] = {**_former(said, key), **dict(_axis(f"--{key}", one) for one in words)}
    if options.schemes:
        from photocol.sweeps.schemes import parse

        said["scheme"] = [*said.get("scheme", ()), *map(parse, options.schemes)]
    if options.settings:
        from photocol.runs.scenario import parse_setting

        said["set"] = {**said.get("set", {}), **dict(parse_setting(one) for one in options.settings)}
    said |= {key: value for key, value in (("seeds", options.seeds), ("where", options.where)) if value is not None}
    said |= {key: list(names) for key, names in (("metrics", options.metrics), ("tables", options.tables)) if names}
    described = describe(said, said["scenario"], source)
    return described, Path("out") / "sweep" / Path(source).stem


def _former(said: dict[str, Any], key: str) -> dict[str, Any]:
    former = said.get(key, {})
    if not isinstance(former, dict):
        raise InputError(f"--{key} does not go with several [[{key}]] in the file")
    return former


def is_sweep(file: Path) -> bool:
    """Whether a file is a sweep.toml; what cannot be read is left to those who read scenarios.

    Raises InputError for a device, a pipe, and what is too large.
    """
    try:
        text = files.text(file)
        # A scenario may be large, and takes long to parse.
        return _SCENARIO.search(text) is not None and isinstance(tomllib.loads(text).get("scenario"), str)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False


def _axis(option: str, text: str) -> tuple[str, list[Value]]:
    key, equals, values = text.partition("=")
    if not equals or not key.strip() or not values:
        raise InputError(f"{option} {text!r}: must be KEY=A,B, as in traffic.0.flows=2,4,8")
    return key.strip(), [_value(value.strip()) for value in values.split(",")]


def _value(text: str) -> Value:
    """A number where it is one, so that its column is one of numbers."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
