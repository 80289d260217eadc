"""`photocol verify`: whether the files are as they were written, and the runs repeated from their manifests.

The files come first, by their digests, which takes seconds (`check_files`). A manifest has the scenario to its last key
and the seed, so nothing else is needed to repeat a run: not the file that it came from, not the same machine, not the
same number of threads. A cell of models or trials has no scenario and is passed over. The table of a campaign is made
anew from its runs, and compared.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.experiments.baselines import TABLE
from photocol.files import content, record
from photocol.runs import builds, digests, law_source, laws, storage
from photocol.runs.fingerprints import difference, joined, wires_of
from photocol.runs.scenario import ScenarioText, digest
from photocol.sweeps.campaign.job import Job, Row, engine
from photocol.sweeps.campaign.local import available_cores, on_this_machine, performed
from photocol.sweeps.campaign.store import ROW, DamagedRowError, faults, read_manifest, read_run, recorded_runs
from photocol.sweeps.campaign.study import Setup, Study

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of one repetition."""

    cell: str
    difference: str
    """In words; empty where the bits are the same."""
    version: str
    """That made it."""
    build: str = ""
    """In what that build differs from this one, in words; empty where it is this one."""
    was_run: bool = True
    """False where there is no scenario to repeat."""


@dataclass(frozen=True)
class Recorded:
    """The origin of a job that repeats a recorded run."""

    scenario: ScenarioText
    laws: tuple[tuple[str, str], ...] = ()
    """The files of laws that may be executed, with their digests."""

    def study(self) -> Study:
        """The scenario as it stands in the manifest."""
        return Study(setup=lambda _: Setup(scenario=self.scenario), measure=lambda _: {}, metrics=frozenset())


def verify(
    folder: Path,
    cells: Sequence[str] = (),
    *,
    threads: int = 1,
    workers: int | None = None,
    allow_code: bool = False,
) -> Iterator[Checked]:
    """Repeat the run, or these cells of the campaign (all without any). Raises InputError, JobError.

    A law in Python is executed if it is a single file that this user has run before, with the digest that the manifest
    records; with `allow_code` in any case.
    """
    chosen = _chosen(folder, cells)
    expected = _manifests(chosen)
    for name, manifest in expected.items():
        if not _is_run(manifest):
            yield Checked(cell=name, difference="", version=str(manifest.get("version")), was_run=False)
    jobs = [_job(name, manifest, chosen[name]) for name, manifest in expected.items() if _is_run(manifest)]
    processes = min(workers or available_cores(), max(len(jobs), 1))
    work = functools.partial(_repeated, threads=threads, allow_code=allow_code)
    for row in on_this_machine(work, workers=processes)(jobs):
        name = str(row.point["cell"])
        then = expected[name]
        yield Checked(
            cell=name,
            difference=_compared(then, row.manifest),
            version=str(then.get("version")),
            build=builds.difference(then.get("build")),
        )


def _repeated(job: Job, *, threads: int, allow_code: bool) -> Row:
    assert isinstance(job.origin, Recorded), "jobs of this module have it"
    with laws.only(None if allow_code else dict(job.origin.laws)):
        return performed(job, run=functools.partial(engine, threads=threads))


def check_files(folder: Path, cells: Sequence[str] = ()) -> list[str]:
    """Each file that is not as it was written, and what is the matter with it. Raises InputError."""
    asked = _chosen(folder, cells)
    _manifests(asked)
    chosen = list(asked.values()) if cells else [folder, *_places(folder)]
    recorded = recorded_runs(read_manifest(folder))
    found: list[str] = [] if cells else list(_strangers(folder, recorded))
    for place in chosen:
        name = place.relative_to(folder).as_posix()
        prefix = "" if name == "." else f"{name}/"
        said = [f"{prefix}{file}: {fault}" for file, fault in _faults(place)]
        mark = f"{prefix}{storage.MARK}"
        if not said and mark in recorded and digests.of_file(place / storage.MARK) != recorded[mark]:
            said = [f"{mark}: another than the campaign had"]
        found += said
    return found


def _faults(place: Path) -> Iterator[tuple[str, str]]:
    try:
        yield from faults(place)
        manifest = _read(place / storage.MARK)
    except FileNotFoundError:
        yield storage.MARK, "missing"
    except (OSError, ValueError, InputError) as error:
        yield storage.MARK, f"cannot be read: {error}"
    else:
        yield from _contradictions(place, manifest)


def _contradictions(place: Path, manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Where a manifest contradicts itself or the files that say the same."""
    runs = manifest.get("runs") if _is_run(manifest) else None
    lines = [line for line in runs if isinstance(line, dict)] if isinstance(runs, list) else []
    prints = [str(line.get("fingerprint")) for line in lines]
    if prints and manifest.get("fingerprint") != joined(prints):
        yield storage.MARK, "its fingerprint is not that of its runs"
    layers = manifest.get("fingerprints")
    if prints and isinstance(layers, dict) and layers.get("wires") != wires_of(prints):
        yield storage.MARK, "the layer `wires` is not that of its runs"
    if _is_run(manifest):
        if "scenario_sha256" in manifest and manifest["scenario_sha256"] != digest(manifest["scenario"]):
            yield storage.MARK, "scenario_sha256 is not the digest of its scenario"
        text = place / "scenario.toml"
        if text.is_file() and text.read_bytes() != manifest["scenario"].encode():
            yield text.name, "another scenario than the manifest's"
    said = read_run(place)
    for key in ("version", "seed", "scenario_sha256", "fingerprint"):
        if key in said and key in manifest and said[key] != manifest[key]:
            yield ROW, f"its {key} is not the manifest's"
    yield from _changed_laws(manifest)


def _changed_laws(manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The files of laws in Python that are no longer what the run read."""
    said = manifest.get("laws")
    for law in said.values() if isinstance(said, dict) else ():
        if isinstance(law, dict) and "sha256" in law and "file" in law:
            file = Path(str(law["file"]))
            if not file.is_file():
                yield str(file), "missing; the run read a law from it"
            elif digests.of_file(file) != law["sha256"]:
                yield str(file), "changed since the run read a law from it"


def _places(folder: Path) -> Iterator[Path]:
    """The directories of a campaign's runs."""
    for place, folders, files in os.walk(folder / storage.RUNS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if {storage.MARK, ROW} & set(files):
            folders.clear()
            yield Path(place)


def _strangers(folder: Path, recorded: dict[str, str]) -> Iterator[str]:
    """Runs that are recorded and gone, and what lies among the runs without being one."""
    for name in recorded:
        run = (folder / name).parent
        if not (run / storage.MARK).is_file() and not (run / ROW).is_file():
            yield f"{run.relative_to(folder).as_posix()}: missing"
    for place, folders, files in os.walk(folder / storage.RUNS):
        if {storage.MARK, ROW} & set(files):
            folders.clear()
            continue
        for name in files:
            if not storage.is_extra(name):
                yield f"{(Path(place) / name).relative_to(folder).as_posix()}: additional"


def table(folder: Path, *, allow_code: bool = False) -> Checked | None:
    """Whether the table of a campaign follows from its runs; None where there is no table, or none that is known.

    An experiment is executed for it if it came with photocol, or is a single file that this user has run before; with
    `allow_code` in any case.
    """
    file = folder / TABLE
    if not file.is_file():
        return None
    manifest = _read(folder / storage.MARK)
    try:
        found = _table_of(folder, manifest, allow_code=allow_code)
    except DamagedRowError as damage:
        return Checked(cell=TABLE, difference=str(damage), version=str(manifest.get("version")), was_run=False)
    if found is None:
        return None
    where = _first_difference(
        file.read_text(encoding="utf-8", errors="backslashreplace").splitlines(), found.write_csv().splitlines()
    )
    return Checked(cell=TABLE, difference=where, version=str(manifest.get("version")), was_run=False)


def _table_of(folder: Path, manifest: dict[str, Any], *, allow_code: bool) -> pl.DataFrame | None:
    if manifest.get("photocol") == "sweep":
        from photocol.sweeps.run import table_of

        return table_of(folder)
    if manifest.get("photocol") == "reproduction":
        from photocol.experiments.catalogue import came_with_photocol
        from photocol.experiments.reproduce import file_of as figures_file
        from photocol.experiments.reproduce import table_of as figures_table

        file = figures_file(manifest)
        if file is None or not (allow_code or came_with_photocol() or _is_known(file, manifest)):
            return None
        try:
            return figures_table(folder, manifest)
        except DamagedRowError:
            raise
        except InputError:  # The experiment is of another repository, or is gone.
            return None
    return None


def _is_known(file: Path, manifest: dict[str, Any]) -> bool:
    """Whether an experiment's file is what made the figure, is all that would be executed, and was run by this user."""
    permitted = laws.permitted_by({"laws": manifest.get("code")})
    return permitted.get(str(file.resolve())) == digests.of_file(file) and not law_source.siblings(file)


def _first_difference(there: Sequence[str], follows: Sequence[str]) -> str:
    for number, (one, other) in enumerate(itertools.zip_longest(there, follows), start=1):
        if one != other:
            return f"line {number} is {one!r}; from the runs follows {other!r}"
    return ""


def _compared(then: dict[str, Any], now: Any) -> str:
    if isinstance(then.get("fingerprints"), dict):
        return difference(then["fingerprints"], now["fingerprints"])
    return "" if then["fingerprint"] == now["fingerprint"] else "differs: what was on the wires"


def _chosen(folder: Path, cells: Sequence[str]) -> dict[str, Path]:
    """Cell name to directory: the run itself, or those of a campaign."""
    campaign = {place.name: place for place in _places(folder)}
    if not campaign:
        if not (folder / storage.MARK).is_file():
            raise InputError(f"{folder} is neither a run nor a campaign of photocol: it has no {storage.MARK}, no runs")
        if cells:
            raise InputError(f"{folder} is one run; --cell is for campaigns")
        return {folder.name: folder}
    for cell in cells:
        if cell not in campaign:
            near = difflib.get_close_matches(cell, campaign, n=1, cutoff=0.3)
            raise InputError(f"{folder} has no cell {cell!r}" + (f"; nearest: {near[0]}" if near else ""))
    return {cell: campaign[cell] for cell in cells or campaign}


def _read(file: Path) -> dict[str, Any]:
    try:
        manifest = record(content(file, storage.MOST_OF_A_RECORD))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def _manifests(chosen: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """The manifests; in a campaign those that cannot be read are left out, as `check_files` names them."""
    found = {}
    for name, place in chosen.items():
        try:
            found[name] = _manifest(place)
        except InputError:
            if len(chosen) == 1:
                raise
    return found


def _manifest(place: Path) -> dict[str, Any]:
    manifest = _read(place / storage.MARK)
    if not manifest or (_is_run(manifest) and "fingerprint" not in manifest):
        raise InputError(f"{place / storage.MARK} is not the manifest of a run")
    return manifest


def _is_run(manifest: dict[str, Any]) -> bool:
    """Whether there is a scenario that can be repeated: an emulation without a recording cannot."""
    return isinstance(manifest.get("scenario"), str) and manifest.get("repeatable") is not False


def _job(name: str, manifest: dict[str, Any], place: Path) -> Job:
    if manifest.get("shuffle_ties") is not None:
        raise InputError(f"{name}: a run with permuted ties is repeated with {manifest.get('command')!r}")
    scenario = ScenarioText(manifest["scenario"], str(place), f"{place}/manifest.json")
    settings: dict[str, Any] = {"run.runs": len(manifest.get("runs", ())) or 1, **manifest.get("replay", {})}
    if "external.recording" in settings:
        settings["external.recording"] = str((place / settings["external.recording"]).absolute())
    permitted = tuple(laws.permitted_by(manifest).items())
    return Job(origin=Recorded(scenario, permitted), point={"cell": name}, settings=settings, seed=manifest["seed"])
