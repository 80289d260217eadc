"""From files of others to a scenario: read, put together, checked, written."""

from __future__ import annotations

import os.path
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol import ScenarioError
from photocol.conversions.choices import chosen
from photocol.conversions.formats import read_all
from photocol.conversions.scenario import Conversion
from photocol.conversions.source import read
from photocol.conversions.writer import flow_table, seconds, toml
from photocol.errors import InputError
from photocol.runs import storage
from photocol.runs.scenario import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from photocol.conversions.found import Flow


@dataclass(frozen=True, repr=False)
class Converted:
    """A scenario made of other people's files."""

    tables: Mapping[str, Any]
    """The scenario without the flows of its list."""
    flows: tuple[Flow, ...]
    formats: Mapping[str, str]
    """File to format."""
    warnings: tuple[str, ...]
    """What was left out, and which gaps were filled how."""
    written: Path | None = field(default=None, compare=False)
    """The scenario's file, if it was written."""

    def to_dict(self) -> dict[str, Any]:
        """The scenario as `photocol.run` takes it."""
        return self._with({"list": [_listed(flow) for flow in self.flows]})

    def to_toml(self, flows: str = "flows.csv", folder: str | PathLike[str] | None = None) -> str:
        """The same as TOML; a list of flows is in a file of this name beside it.

        Files of work are named as seen from a folder, if one is given.
        """
        made = "Made by photocol convert from " + ", ".join(f"{file} ({kind})" for file, kind in self.formats.items())
        tables = self._with({"file": flows})
        if folder is not None:
            tables["traffic"] = [_seen_from(Path(folder).resolve(), table) for table in tables["traffic"]]
        return toml([made, *self.warnings], tables)

    def _with(self, flows: dict[str, Any]) -> dict[str, Any]:
        traffic = [
            {key: value for key, value in table.items() if key != "list"} | (flows if "list" in table else {})
            for table in self.tables["traffic"]
        ]
        return {**self.tables, "traffic": traffic}

    @property
    def title(self) -> str:
        """What it is made of, and how large it is."""
        names = ("node", "link", "event")
        counts = [f"{name}s {len(self.tables[name])}" for name in names if name in self.tables]
        counts += [f"flows {len(self.flows)}"] if self.flows else []
        return f"scenario from {', '.join(self.formats.values())}: {', '.join(counts)}"

    def __repr__(self) -> str:
        return "\n".join([f"<photocol {self.title}>", *(f"warning: {warning}" for warning in self.warnings)])


def convert(
    *inputs: str | PathLike[str], to: str | PathLike[str] | None = None, force: bool = False, **choices: Any
) -> Converted:
    """Make a scenario from networks, traffic, contact plans and schedules in other people's formats.

    Arguments:
        inputs: the files, in any order: a network and its traffic are put together.
        to: the scenario's file, `NAME.toml`; a list of flows goes to `NAME.flows.csv` beside it.
        force: replace files that are there already.
        choices: how gaps are filled and numbers are read; `photocol convert --help` lists them.

    The scenario is checked before anything is written. Raises InputError, which says file, line and what is allowed.
    """
    made = chosen(choices)
    if not inputs:
        raise InputError("convert needs at least one file")
    found = read_all([read(Path(one)) for one in inputs], made)
    conversion = Conversion(found, made)
    formats = {one.file: one.format for one in found}
    converted = Converted(conversion.scenario, tuple(conversion.flows), formats, tuple(conversion.warnings))
    try:
        load(converted.to_dict())
    except ScenarioError as error:
        raise InputError(f"{', '.join(formats)}: what is found makes no valid scenario: {error}") from error
    if to is None:
        return converted
    for one in inputs:
        if Path(one).resolve() in (Path(to).resolve(), Path(to).with_suffix(".flows.csv").resolve()):
            raise InputError(f"{one} is read and would be written over; allowed: another name for the scenario")
    return _written(converted, Path(to), force=force)


def _written(converted: Converted, file: Path, *, force: bool) -> Converted:
    if file.suffix != ".toml":
        raise InputError(f"{file}: a scenario is written as NAME.toml")
    flows = file.with_suffix(".flows.csv")
    for there in (file, *([flows] if converted.flows else [])):
        if there.exists() and not force:
            raise InputError(f"{there} is there already; allowed: another name, or force (--force)")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")
    text = converted.to_toml(flows.name, file.parent)
    if converted.flows:
        storage.write_text(flows, flow_table(converted.flows))
    storage.write_text(file, text)
    parts = (converted.tables, converted.flows, converted.formats, converted.warnings)
    return Converted(*parts, written=file)


def _seen_from(folder: Path, table: dict[str, Any]) -> dict[str, Any]:
    """A traffic whose file of work is named relative to a folder."""
    if "work" not in table:
        return table
    file = Path(table["work"]["file"])
    # On another drive of Windows there is no way from one to the other.
    name = os.path.relpath(file, folder) if file.drive == folder.drive else file
    return table | {"work": {"file": Path(name).as_posix()}}


def _listed(flow: Flow) -> dict[str, Any]:
    size = {} if flow.size is None else {"size": f"{flow.size} B"}
    return {"start": f"{seconds(flow.start_ps)} s", "source": flow.source, "destination": flow.target, **size}
