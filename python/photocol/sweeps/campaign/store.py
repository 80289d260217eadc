"""The rows of a campaign on disk: one directory a job, whole or absent.

There is no other record of what is finished, so nothing can contradict it. A row's directory has `row.json` (the point,
the seed, the metrics, and what the run was: version, digest of its scenario, fingerprint, cost), the run's
`manifest.json`, and its curves and tables if the study keeps some.
"""

from __future__ import annotations

import math
import os
import stat
from dataclasses import dataclass, field, replace
from os import fspath
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.files import AS_BYTES, record
from photocol.runs import digests, storage
from photocol.sweeps.campaign.job import Row
from photocol.sweeps.campaign.study import Evaluation, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from os import PathLike
    from pathlib import Path

    import polars as pl

    from photocol.sweeps.campaign.job import Job
    from photocol.sweeps.campaign.study import Study

ROW, CURVES = storage.ROW, "curves.parquet"
_PROVENANCE = (
    "version",
    "scenario_sha256",
    "fingerprint",
    "fingerprints",
    "wall_s",
    "cpu_s",
    "events",
    "packet_hops",
    "peak_memory_bytes",
    "units",
    "laws",
)


class DamagedRowError(InputError):
    """A row is not as it was written; the message names the file."""


@dataclass(frozen=True)
class _Expected:
    """What the rows of a point must be like; its replications share it."""

    study: Study
    digest: str | None
    """Of the resolved scenario, which has no warm-up yet if a pilot run finds it; None for a model or a trial."""
    settles: bool
    """Whether a pilot run finds the warm-up."""
    laws: tuple[str, ...] = ()
    """Those in Python, by the names that the scenario has for them."""


@dataclass(frozen=True)
class Store:
    """The rows in `folder`."""

    folder: Path
    _points: dict[tuple[object, ...], _Expected] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[type[Store], tuple[Path]]:
        """What it has learned of points stays here: a worker only puts rows, and a study need not go to one."""
        return Store, (self.folder,)

    def put(self, row: Row) -> None:
        """Write the row; its directory appears whole or not at all, and replaces an older one."""
        storage.write_quickly(self.folder / row.name, lambda folder: _fill(folder, row))

    def find(self, job: Job, say: Callable[[str], None] = lambda _: None) -> Row | None:
        """The row that an earlier campaign left, if its run was this job's to the last key of the scenario.

        Models and trials are asked again: they have no scenario to compare. `say` is told of a row that has changed
        since it was written, which is none.
        """
        try:
            written = read(f"{self.folder}/{job.name}")
        except DamagedRowError as damage:
            say(f"{damage}; it is run again")
            return None
        if written is None:
            return None
        row, manifest = written
        expected = self._expected(job)
        digest = scenario_digest(_as_run(job, row)) if expected.settles else expected.digest
        if digest is None or manifest.get("version") != _version() or row["seed"] != job.seed:
            return None
        if manifest.get("scenario_sha256") != digest or not _has_laws(manifest, expected.laws):
            return None
        if expected.study.tables or expected.study.curves is not None:
            for name, fault in faults(self.folder / job.name):
                say(f"{self.folder / job.name / name} is {fault}; it is run again")
                return None
        return self._whole(job, expected.study, row, manifest)

    def prepare(self, jobs: Iterable[Job]) -> list[str]:
        """Resolve the jobs' scenarios, which `find` will need; their laws. Raises what is wrong with one."""
        return [law for job in jobs for law in self._expected(job).laws]

    def remove_unfinished(self) -> None:
        """Remove what jobs that were killed while writing have left."""
        storage.remove_leftovers(self.folder)

    def _whole(self, job: Job, study: Study, row: Mapping[str, object], manifest: Mapping[str, object]) -> Row | None:
        """The row, unless the study asks for more than it has."""
        metrics = row["metrics"]
        if not isinstance(metrics, dict) or (study.metrics is not None and set(metrics) != study.metrics):
            return None
        curves = None
        if study.curves is not None and job.seed == study.first_seed:
            file = self.folder / job.name / CURVES
            if not file.exists():
                return None
            curves = _parquet(file)
        if not all((self.folder / job.name / f"{name}.parquet").exists() for name in study.tables):
            return None
        return Row(point=job.point, seed=job.seed, metrics=metrics, manifest=manifest, curves=curves)

    def _expected(self, job: Job) -> _Expected:
        key = (job.origin, *job.point.values(), *job.settings.items())
        if key not in self._points:
            self._points[key] = _expected_of(job)
        return self._points[key]


def _expected_of(job: Job) -> _Expected:
    study = job.origin.study()
    setup = study.setup(job.point)
    if isinstance(setup, Evaluation | Trial):
        return _Expected(study=study, digest=None, settles=False)
    from photocol.runs.scenario import digest, load

    loaded = load(setup.scenario, {**setup.settings, **job.settings})
    settles = setup.warm_up is not None
    return _Expected(study=study, digest=digest(loaded.explain()), settles=settles, laws=tuple(loaded.laws))


def _has_laws(manifest: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Whether the files of these laws are what the run has read."""
    if not names:
        return True
    from photocol.runs import laws

    said = manifest.get("laws")
    then = said if isinstance(said, dict) else {}
    return all(then.get(name, {}).get("sha256") == law["sha256"] for name, law in laws.recorded(names).items())


def _as_run(job: Job, row: Mapping[str, Any]) -> Job:
    """The job with the warm-up that its pilot run has found."""
    found = row["metrics"].get("warm_up_s", math.nan)
    return replace(job, settings={**job.settings, "run.warm_up": f"{found:.12g} s"}) if math.isfinite(found) else job


def scenario_digest(job: Job) -> str | None:
    """The digest of the job's scenario with every key resolved; None for a model or a trial."""
    from photocol.runs.scenario import digest, load

    setup = job.origin.study().setup(job.point)
    if isinstance(setup, Evaluation | Trial):
        return None
    return digest(load(setup.scenario, {**setup.settings, **job.settings}).explain())


def read(place: str | PathLike[str]) -> tuple[dict[str, object], Mapping[str, object]] | None:
    """What a row's directory says, and what its run was; None if there is no whole row.

    Raises DamagedRowError if it has changed since it was written.
    """
    file = f"{fspath(place)}/{ROW}"
    try:
        raw = _bytes(file)
        row = record(raw.decode())
        if not isinstance(row, dict) or not {"point", "seed", "metrics"} <= set(row):
            return None
        is_whole, run = digests.is_sealed(raw), row.get("run")
        manifest = {} if is_whole and isinstance(run, dict) else _json(place)
    except (OSError, ValueError):
        return None
    # Rows whose manifest has no digests are of versions that wrote none.
    if not is_whole and (is_whole is False or digests.FILES in manifest):
        raise DamagedRowError(f"{file} has changed since it was written")
    _check_values(file, row)
    return row, run if isinstance(run, dict) else manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """What a manifest says; empty where there is none that can be read."""
    try:
        return _json(folder)
    except (OSError, ValueError):
        return {}


def _json(place: str | PathLike[str]) -> dict[str, Any]:
    manifest = record(_bytes(f"{fspath(place)}/{storage.MARK}").decode())
    return manifest if isinstance(manifest, dict) else {}


def read_run(place: Path) -> dict[str, Any]:
    """What a row says of its run and its seed; empty where there is no row."""
    try:
        row = record(_bytes(f"{fspath(place)}/{ROW}"))
        return {**row["run"], "seed": row["seed"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def faults(folder: Path) -> Iterator[tuple[str, str]]:
    """What is not as it was written in the directory of a run or a campaign: name and fault; nothing below `runs`.

    Nothing is known of a directory whose manifest has no digests. Raises OSError, ValueError.
    """
    raw = _bytes(f"{fspath(folder)}/{storage.MARK}")
    manifest, is_whole = _json(folder), digests.is_sealed(raw)
    recorded = manifest.get(digests.FILES)
    if is_whole is None and recorded is None and "build" not in manifest:
        return
    if not is_whole:
        yield storage.MARK, "changed"
    if isinstance(recorded, dict):
        own = {name: digest for name, digest in recorded.items() if name not in recorded_runs(manifest)}
        yield from digests.changes(digests.of_folder(folder, storage.is_extra), own)


def campaign_files(folder: Path, places: Iterable[Path], former: Mapping[str, Any] | None) -> dict[str, str]:
    """For the manifest of a campaign: the digests of its own files, and of the manifests of these runs.

    Runs that a former manifest has, and that nobody asks for now, keep their digests.
    """
    kept = recorded_runs(former or {}) if (folder / storage.RUNS).is_dir() else {}
    runs = {(place / storage.MARK).relative_to(folder).as_posix(): place / storage.MARK for place in places}
    found = {name: digests.of_file(file) for name, file in runs.items()}
    return {**digests.of_folder(folder, storage.is_extra), **kept, **found}


def recorded_runs(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the manifests of runs that a campaign's manifest has, by their places in its directory."""
    files = manifest.get(digests.FILES)
    of_runs = f"{storage.RUNS}/"
    return {name: one for name, one in files.items() if name.startswith(of_runs)} if isinstance(files, dict) else {}


def _bytes(file: str) -> bytes:
    # The plainest way to read a file: a campaign has a hundred thousand of them.
    descriptor = os.open(file, AS_BYTES)
    try:
        known = os.fstat(descriptor)
        if not stat.S_ISREG(known.st_mode) or known.st_size > storage.MOST_OF_A_RECORD:
            raise InputError(f"{file} is not a file of at most {storage.MOST_OF_A_RECORD >> 20} MiB")
        return os.read(descriptor, known.st_size)
    finally:
        os.close(descriptor)


def _check_values(file: str, row: Mapping[str, Any]) -> None:
    """Raise DamagedRowError for what no job has written."""
    seed, point, metrics = row["seed"], row["point"], row["metrics"]
    if isinstance(seed, bool) or not isinstance(seed, int) or not isinstance(point, dict):
        raise DamagedRowError(f"{file} has no seed or no point")
    for name, value in metrics.items() if isinstance(metrics, dict) else [("metrics", metrics)]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise DamagedRowError(f"{file} is damaged: {name} is {value!r}, must be a finite number")


def rows_in(folder: Path) -> Iterator[Row]:
    """All whole rows in a folder, by the names of their directories."""
    for name in sorted(place.name for place in os.scandir(folder)) if folder.is_dir() else ():
        if name.startswith(".") or (written := read(f"{folder}/{name}")) is None:
            continue
        row, run = written
        yield Row(point=row["point"], seed=row["seed"], metrics=row["metrics"], manifest=run)  # type: ignore[arg-type]


def _fill(folder: Path, row: Row) -> None:
    measured = {
        "point": dict(row.point),
        "seed": row.seed,
        "metrics": dict(row.metrics),
        "run": {key: row.manifest[key] for key in _PROVENANCE if key in row.manifest},
    }
    with storage.naming(folder / ROW):
        (folder / ROW).write_text(digests.sealed(measured), encoding="utf-8")
    tables = {**{f"{name}.parquet": frame for name, frame in row.tables.items()}}
    if row.curves is not None:
        tables[CURVES] = row.curves
    for name, frame in tables.items():
        with storage.naming(folder / name):
            frame.write_parquet(folder / name)
    with storage.naming(folder / storage.MARK):
        manifest = digests.with_files(row.manifest, digests.of_folder(folder))
        (folder / storage.MARK).write_text(manifest, encoding="utf-8")


def _parquet(file: Path) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(file)


def _version() -> str:
    from photocol import __version__

    return __version__
