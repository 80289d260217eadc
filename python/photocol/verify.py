"""`photocol verify`: a finished run, or the cells of a campaign, repeated from their manifests.

A manifest has the scenario to its last key and the seed, so nothing else is needed: not the file that the run came
from, not the same machine, not the same number of threads. A cell of models or trials has no scenario and is passed
over. The table of a campaign is made anew from its runs, and compared.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol import storage
from photocol.campaign.job import Job, engine
from photocol.campaign.local import available_cores, on_this_machine, performed
from photocol.campaign.store import ROW
from photocol.campaign.study import Setup, Study
from photocol.errors import InputError
from photocol.layers import difference
from photocol.recorded import TABLE
from photocol.scenario import ScenarioText

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What came of one repetition."""

    cell: str
    difference: str
    """In words; empty where the bits are the same."""
    version: str
    """That made it."""
    was_run: bool = True
    """False where there is no scenario to repeat."""


@dataclass(frozen=True)
class Recorded:
    """The origin of a job that repeats a recorded run."""

    scenario: ScenarioText

    def study(self) -> Study:
        """The scenario as it stands in the manifest."""
        return Study(setup=lambda _: Setup(scenario=self.scenario), measure=lambda _: {}, metrics=frozenset())


def verify(
    folder: Path, cells: Sequence[str] = (), *, threads: int = 1, workers: int | None = None
) -> Iterator[Checked]:
    """Repeat the run, or these cells of the campaign (all without any). Raises InputError, JobError."""
    chosen = _chosen(folder, cells)
    expected = {name: _manifest(place) for name, place in chosen.items()}
    for name, manifest in expected.items():
        if not _is_run(manifest):
            yield Checked(cell=name, difference="", version=str(manifest.get("version")), was_run=False)
    jobs = [_job(name, manifest, chosen[name]) for name, manifest in expected.items() if _is_run(manifest)]
    processes = min(workers or available_cores(), max(len(jobs), 1))
    work = functools.partial(performed, run=functools.partial(engine, threads=threads))
    for row in on_this_machine(work, workers=processes)(jobs):
        name = str(row.point["cell"])
        then = expected[name]
        yield Checked(cell=name, difference=_compared(then, row.manifest), version=str(then.get("version")))


def table(folder: Path) -> Checked | None:
    """Whether the table of a campaign follows from its runs; None where there is no table, or none that is known."""
    file = folder / TABLE
    if not file.is_file():
        return None
    manifest = _read(folder / storage.MARK)
    if manifest.get("photocol") == "sweep":
        from photocol.sweeps.run import table_of

        found = table_of(folder)
    elif manifest.get("photocol") == "reproduction":
        from photocol.reproduce import table_of as figures_table

        try:
            found = figures_table(folder, manifest)
        except InputError:  # The experiment is of another repository, or is gone.
            return None
    else:
        return None
    where = _first_difference(file.read_text(encoding="utf-8").splitlines(), found.write_csv().splitlines())
    return Checked(cell=TABLE, difference=where, version=str(manifest.get("version")), was_run=False)


def _first_difference(there: Sequence[str], follows: Sequence[str]) -> str:
    for number, (one, other) in enumerate(itertools.zip_longest(there, follows), start=1):
        if one != other:
            return f"line {number} is {one!r}; from the runs follows {other!r}"
    return ""


def _compared(then: dict[str, Any], now: Any) -> str:
    if "fingerprints" in then:
        return difference(then["fingerprints"], now["fingerprints"])
    return "" if then["fingerprint"] == now["fingerprint"] else "differs: what was on the wires"


def _chosen(folder: Path, cells: Sequence[str]) -> dict[str, Path]:
    """Cell name to directory: the run itself, or those of a campaign."""
    campaign = {place.parent.name: place.parent for place in sorted(folder.glob(f"runs/**/[!.]*/{ROW}"))}
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
        manifest = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def _manifest(place: Path) -> dict[str, Any]:
    manifest = _read(place / storage.MARK)
    if not manifest or (_is_run(manifest) and "fingerprint" not in manifest):
        raise InputError(f"{place / storage.MARK} is not the manifest of a run")
    return manifest


def _is_run(manifest: dict[str, Any]) -> bool:
    return isinstance(manifest.get("scenario"), str)


def _job(name: str, manifest: dict[str, Any], place: Path) -> Job:
    if manifest.get("shuffle_ties") is not None:
        raise InputError(f"{name}: a run with permuted ties is repeated with {manifest.get('command')!r}")
    scenario = ScenarioText(manifest["scenario"], str(place), f"{place}/manifest.json")
    runs = len(manifest.get("runs", ())) or 1
    return Job(origin=Recorded(scenario), point={"cell": name}, settings={"run.runs": runs}, seed=manifest["seed"])
