"""What a sweep leaves in its directory, and what can be said of it without running anything.

`manifest.json` says what the sweep is (its description, its scenario, the version), `runs/` has one directory a run,
`table.parquet` and `table.csv` one row a point (means, half widths, n), `replications.parquet` one row a run.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import content, record
from photocol.runs import digests, laws, storage
from photocol.runs.free_names import free_neighbour
from photocol.runs.scenario import ScenarioText
from photocol.runs.signals import deferred
from photocol.sweeps import schemes
from photocol.sweeps.campaign.job import Job, cell_name, jobs_of
from photocol.sweeps.campaign.store import Store, campaign_files, rows_in
from photocol.sweeps.campaign.table import by_metric
from photocol.sweeps.spec import Sweep, checked
from photocol.sweeps.study import SweptScenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from photocol._core import ScenarioError
    from photocol.sweeps.campaign.job import Row
    from photocol.sweeps.campaign.study import Point
    from photocol.sweeps.schemes import Layered

KIND = "sweep"
RUNS = storage.RUNS
MOST_RUNS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Described:
    """A sweep with its scenario: everything that its runs depend on."""

    said: Mapping[str, Any]
    """As in `sweep.toml`."""
    scenario: ScenarioText
    first_seed: int
    sweep: Sweep
    layered: tuple[Layered, ...]
    """The schemes over the scenario."""
    source: str
    """What messages call it."""

    @classmethod
    def of(cls, said: Mapping[str, Any], scenario: ScenarioText, first_seed: int, source: str) -> Described:
        """Checked. Raises InputError."""
        sweep = checked(said, source)
        first = first_seed if sweep.first_seed is None else sweep.first_seed
        try:
            layered = tuple(schemes.over(one, scenario) for one in sweep.schemes)
            _check_apart(layered, sweep)
        except InputError as error:
            raise InputError(f"{source}: {error}") from error
        return cls(said=said, scenario=scenario, first_seed=first, sweep=sweep, layered=layered, source=source)

    @property
    def origin(self) -> SweptScenario:
        """Where the jobs find their study."""
        return SweptScenario(
            scenario=self.scenario,
            keys=tuple((axis.name, axis.keys) for axis in self.sweep.plan.axes),
            warm_up=self.sweep.warm_up,
            tables=self.sweep.tables,
            first_seed=self.first_seed,
            schemes=self.layered,
        )

    def explain(self, error: ScenarioError, point: Point) -> None:
        """Let the error of a point's scenario say of which axis or scheme it is."""
        keys = [key for axis in self.sweep.plan.axes for key in axis.keys]
        if error.file == "--set" and any(f"{key}.".startswith(f"{error.key}.") for key in keys):
            error.args = (f"axis {error.key}: {error.message}",)
        elif self.layered:
            what = f"{error.key}: {error.message}" if error.file == "--set" else str(error)
            error.args = (f"{self.source}: scheme {point[schemes.AXIS]!r}: {what}",)

    def jobs(self, points: Sequence[Point]) -> list[Job]:
        """The jobs of the first replications of these points. Raises InputError if they are too many."""
        seeds = self.sweep.seeds if self.sweep.precision is None else min(self.sweep.seeds, self.sweep.precision.most)
        if len(points) * seeds > MOST_RUNS:
            raise InputError(f"{len(points):,} points × {seeds:,} seeds: at most {MOST_RUNS:,} runs are carried out")
        return self.jobs_with(points, range(self.first_seed, self.first_seed + seeds))

    def jobs_with(self, points: Sequence[Point], seeds: Sequence[int]) -> list[Job]:
        """The jobs of these points and seeds."""
        return jobs_of(self.origin, points, seeds=seeds, settings=self.sweep.settings)

    def manifest(self, **more: object) -> dict[str, Any]:
        """What `manifest.json` says."""
        from photocol import __version__
        from photocol.runs import builds, machine

        return {
            "photocol": KIND,
            "version": __version__,
            "build": builds.this_build(),
            "command": "photocol sweep resume DIR",
            "sweep": {key: value for key, value in self.said.items() if key != "scenario"},
            "first_seed": self.first_seed,
            "settling": None if self.sweep.warm_up is None else vars(self.sweep.warm_up),
            "host": machine.described(),
            **more,
            "scenario_name": self.scenario.name,
            "scenario_folder": self.scenario.folder,
            "scenario": self.scenario.text,
        }


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """What the manifest of a sweep says; None if there is nothing. Raises InputError if something else is there."""
    storage.check_target(folder)
    file = folder / storage.MARK
    if not file.is_file():
        return None
    try:
        manifest = record(content(file, storage.MOST_OF_A_RECORD))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("photocol") != KIND:
        beside = free_neighbour(folder)
        raise InputError(f"{folder} holds a finished run, not a sweep; write beside it with --out {beside}")
    return manifest


def permitted(folder: Path) -> dict[str, str]:
    """The files of laws that the sweep in a directory may execute, with their digests."""
    return laws.permitted_by(read_manifest(folder) or {})


def load(folder: Path) -> Described:
    """The sweep that a directory holds. Raises InputError."""
    manifest = read_manifest(folder)
    if manifest is None:
        raise InputError(f"{folder} is not a sweep of photocol: it has no {storage.MARK}")
    try:
        scenario = ScenarioText(manifest["scenario"], manifest["scenario_folder"], manifest["scenario_name"])
        return Described.of(manifest["sweep"], scenario, manifest["first_seed"], str(folder))
    except (KeyError, TypeError) as error:
        raise InputError(f"{folder} is a damaged sweep: {error}") from error


def open_folder(folder: Path, described: Described, *, resume: bool, force: bool) -> None:
    """Make the directory ready. Raises InputError if something of value would be lost or mixed."""
    former = read_manifest(folder)
    runs = folder / RUNS
    if former is not None and force and not resume:
        shutil.rmtree(runs, ignore_errors=True)
    elif former is not None and resume:
        _check_same(folder, former, described)
    elif former is not None and runs.is_dir() and any(runs.iterdir()):
        raise InputError(
            f"{folder} holds a sweep already; write beside it with --out {free_neighbour(folder)}, "
            "go on with it by --resume, or remove its runs by --force"
        )
    folder.mkdir(parents=True, exist_ok=True)


def write_manifest(folder: Path, described: Described, files: Mapping[str, str], **more: object) -> None:
    """Replace `manifest.json`; `files` are the digests of what lies beside it."""
    text = digests.with_files(described.manifest(**more), files)
    storage.replace(folder / storage.MARK, lambda file: file.write_text(text, encoding="utf-8"))


def open_manifest(folder: Path, described: Described, **more: object) -> None:
    """Replace `manifest.json` when a sweep begins; tables of an earlier one keep the digests that they had."""
    former = read_manifest(folder) or {}
    files = former.get(digests.FILES)
    kept = files if isinstance(files, dict) and (folder / RUNS).is_dir() else {}
    write_manifest(folder, described, kept, **more)


def close_manifest(folder: Path, described: Described, rows: Sequence[Row], **more: object) -> None:
    """Replace `manifest.json` when the tables are there, with the digests of all files and of the runs' manifests."""
    files = campaign_files(folder, (folder / RUNS / row.name for row in rows), read_manifest(folder))
    write_manifest(folder, described, files, **more)


def write_tables(folder: Path, table: pl.DataFrame, replications: pl.DataFrame) -> None:
    """Replace the tables; each is whole or what it was."""
    with deferred():
        storage.replace(folder / "table.parquet", table.write_parquet)
        storage.replace(folder / "table.csv", table.write_csv)
        storage.replace(folder / "replications.parquet", replications.write_parquet)


def finished(folder: Path, points: Sequence[Point], seeds: Sequence[int]) -> int:
    """How many of these runs are there, without reading them."""
    runs = folder / RUNS
    there = {place.name for place in runs.iterdir()} if runs.is_dir() else set()
    return sum(cell_name(point, seed) in there for seed in seeds for point in points)


def exported(folder: Path, described: Described) -> pl.DataFrame:
    """One row a finished run: the axes, the seed, every figure, and what the run was and cost."""
    import polars as pl

    order = {tuple(point.values()): index for index, point in enumerate(described.sweep.plan.points())}
    most = described.sweep.seeds if described.sweep.precision is None else described.sweep.precision.most
    seeds = range(described.first_seed, described.first_seed + max(most, described.sweep.seeds))
    rows = [row for row in rows_in(folder / RUNS) if tuple(row.point.values()) in order and row.seed in seeds]
    rows.sort(key=lambda row: (order[tuple(row.point.values())], row.seed))
    costs = ("fingerprint", "scenario_sha256", "version", "events", "packet_hops", "wall_s", "cpu_s")
    names = names_of(rows)
    columns: dict[str, Any] = {axis.name: [row.point[axis.name] for row in rows] for axis in described.sweep.plan.axes}
    columns["seed"] = [row.seed for row in rows]
    for name, values in by_metric(names, rows).items():
        columns[name] = pl.Series(values, dtype=pl.Float64)
    for name in costs:
        columns[name if name not in columns else f"run_{name}"] = [row.manifest.get(name) for row in rows]
    return pl.DataFrame(columns)


def names_of(rows: Sequence[Row]) -> list[str]:
    """Every figure that some row has, in the order of their first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row.metrics))


def write_export(frame: pl.DataFrame, file: Path) -> None:
    """One Parquet file, whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    storage.replace(file, frame.write_parquet)


def store_of(folder: Path) -> Store:
    """Where the rows are."""
    return Store(folder / RUNS)


def _check_apart(layered: Sequence[Layered], sweep: Sweep) -> None:
    """Raise InputError where an axis or `set` would replace what a scheme gives, so that schemes were alike."""
    others = {key: f"the axis {axis.name}" for axis in sweep.plan.axes for key in axis.keys}
    others |= dict.fromkeys(sweep.settings, "set")
    for scheme in layered:
        for path, _ in scheme.settings:
            for key, other in others.items():
                if f"{path}.".startswith(f"{key}."):
                    raise InputError(f"scheme {scheme.name!r} and {other} both give {path}")


def _settings_of(said: object) -> object:
    """What is the same at every point."""
    known = said if isinstance(said, dict) else {}
    return known.get("set") or {}, known.get("warm_up")


def _check_same(folder: Path, former: Mapping[str, Any], described: Described) -> None:
    """Refuse what would not go with the runs that are there; axes, seeds and metrics may grow."""
    now = described.manifest()
    pairs = {
        "version": (former.get("version"), now["version"]),
        "scenario": (former.get("scenario"), now["scenario"]),
        "settling": (former.get("settling"), now["settling"]),
        "set": (_settings_of(former.get("sweep")), _settings_of(now["sweep"])),
        "tables": (former.get("sweep", {}).get("tables", []), now["sweep"].get("tables", [])),
    }
    other = [name for name, (then, here) in pairs.items() if then != here]
    if other:
        was = f" (version {former.get('version')})" if "version" in other else ""
        raise InputError(
            f"{folder} holds a sweep of another {' and '.join(other)}{was}; its runs would not go with new ones. "
            f"Write beside it with --out {free_neighbour(folder)}, or start anew with --force"
        )
