"""What full forms have found, as data in the repository: `results/<paper>/<figure>/`.

There are `claims.json` (each claim with its verdict), `table.csv`, the pictures, and `manifest.json` (command, version,
seconds, machine). `make docs` builds pages of them, so that no number there is typed by hand; and every later
reproduction says which verdicts have moved.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.experiments.record import claims_text, entry, judged_of, measured_of
from photocol.experiments.verdict import Verdict
from photocol.runs import digests, storage
from photocol.sweeps.campaign.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiments.experiment import Experiment
    from photocol.experiments.record import Judged

CLAIMS, TABLE = "claims.json", "table.csv"
POSSIBLE = re.compile(r"\d+ × ([a-z ]+)")
"""A verdict of some tables, as `photocol.experiments.chance` counts them."""
KEPT = (CLAIMS, TABLE, storage.MARK)
"""Beside the pictures. What else a reproduction leaves can be made of these, as its report."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What the repository says about a figure."""

    experiment: str
    claims: Sequence[Mapping[str, str]]
    """As in claims.json: id, claim, where, expected, tolerance, measured, verdict, reason."""
    manifest: Mapping[str, Any]

    @property
    def verdicts(self) -> dict[str, str]:
        """Claim id to verdict."""
        return {claim["id"]: claim["verdict"] for claim in self.claims}


def keep(folder: Path, results: Path, experiment: str) -> Path:
    """Copy a complete record into the repository's results; whole or what was there."""
    target = results / experiment

    def fill(new: Path) -> None:
        for file in sorted(folder.iterdir()):
            if file.name in KEPT or file.suffix == ".png":
                shutil.copyfile(file, new / file.name)
        manifest = json.loads((new / storage.MARK).read_bytes())
        for code in manifest.get("code", {}).values():  # No path of the machine that made it.
            code["file"] = _from_checkout(Path(code["file"]), results.absolute().parent)
        text = digests.with_files(manifest, digests.of_folder(new, storage.is_extra))
        (new / storage.MARK).write_text(text, encoding="utf-8")

    storage.write_directory(target, fill)
    return target


def recorded_outcome(results: Path, experiment: Experiment) -> Outcome:
    """What the recorded table still says: means with their intervals, and no replication."""
    import polars as pl

    table = pl.read_csv(results / experiment.id / TABLE, infer_schema_length=None)
    metrics = [metric.name for metric in experiment.metrics if metric.name in table.columns]
    widths = [f"{metric}_half_width" for metric in metrics if f"{metric}_half_width" in table.columns]
    table = table.with_columns(pl.col([*metrics, *widths]).cast(pl.Float64))
    axes = [axis for axis in experiment.axes if axis in table.columns]
    return Outcome(table=table, replications=table.select(*axes, *metrics).clear().with_columns(seed=pl.lit(1)))


def judged_again(results: Path, experiment: Experiment) -> list[dict[str, str]]:
    """The entries of `claims.json`, judged from the recorded table.

    A claim that this table does not suffice for, as its check reads replications, has its recorded entry.
    """
    recorded, outcome = read(results, experiment.id), recorded_outcome(results, experiment)
    known = {claim["id"]: dict(claim) for claim in recorded.claims} if recorded else {}
    kept = reading_replications(experiment, outcome)
    entries = [entry(judged) for judged in judged_of(experiment, outcome)]
    return [known[one["id"]] if one["id"] in kept else one for one in entries if one["id"] not in kept - set(known)]


def reading_replications(experiment: Experiment, outcome: Outcome) -> set[str]:
    """The claims that need single replications: they fail without any, or measure another thing with other ones."""
    import polars as pl

    columns = [name for name in outcome.replications.columns if name != "seed"]
    means = outcome.table.select(columns).with_columns(seed=pl.lit(1))
    without, other = measured_of(experiment, outcome), measured_of(experiment, replace(outcome, replications=means))
    return {claim.id for claim in experiment.claims if without.get(claim.id) != other.get(claim.id)}


def judge_record(results: Path, experiment: Experiment) -> list[str]:
    """Judge a record again from its table: the claims whose verdict has moved, as sentences."""
    folder = results / experiment.id
    former, claims = read(results, experiment.id), judged_again(results, experiment)
    text = (folder / CLAIMS).read_text(encoding="utf-8")
    head = {key: value for key, value in json.loads(text).items() if key != "claims"}
    if former is None or claims_text(head, claims) == text:
        return []
    (folder / CLAIMS).write_text(claims_text(head, claims), encoding="utf-8")
    if digests.FILES in former.manifest:
        sealed = digests.with_files(former.manifest, digests.of_folder(folder, storage.is_extra))
        (folder / storage.MARK).write_text(sealed, encoding="utf-8")
    then = {one["id"]: former.verdicts.get(one["id"], "nothing") for one in claims}
    return [
        f"{experiment.id} {one['id']} ({one['whose']}): {then[one['id']]}, now {one['verdict']}"
        for one in claims
        if then[one["id"]] != one["verdict"]
    ]


def _from_checkout(file: Path, checkout: Path) -> str:
    """An experiment's file by its place in the checkout; its name, if it is elsewhere."""
    return file.relative_to(checkout).as_posix() if file.is_relative_to(checkout) else file.name


def read(results: Path, experiment: str) -> Baseline | None:
    """What is recorded of a figure; None if nothing is. ValueError if it cannot be read."""
    folder = results / experiment
    if not (folder / CLAIMS).is_file():
        return None
    claims = json.loads((folder / CLAIMS).read_bytes())
    manifest = json.loads((folder / storage.MARK).read_bytes())
    return Baseline(experiment=experiment, claims=claims["claims"], manifest=manifest)


def baselines_in(results: Path) -> list[Baseline]:
    """Everything that is recorded, by paper and figure."""
    found = sorted(file.parent.relative_to(results).as_posix() for file in results.glob(f"*/*/{CLAIMS}"))
    return [one for one in (read(results, name) for name in found) if one is not None]


def moved(recorded: Baseline, judged: Sequence[Judged]) -> list[str]:
    """A sentence for each claim whose verdict is another than the recorded one, or that one of the two lacks.

    What one of the two has not run says nothing of the claim, and has not moved; nor has what the record cannot tell,
    or a verdict that the intervals of either leave possible.
    """
    now = {one.claim.id: str(one.finding.verdict) for one in judged}
    chance = {one.claim.id: possible(one.finding.chance) for one in judged}
    then = recorded.verdicts
    reasons = {claim["id"]: claim.get("reason", "").partition(";")[0] for claim in recorded.claims}
    sentences = []
    for name in dict.fromkeys((*then, *now)):
        verdicts = {then.get(name), now.get(name)}
        is_told = Verdict.NOT_RUN not in verdicts and then.get(name) != Verdict.CANNOT_BE_TOLD
        is_chance = now.get(name) in possible(reasons.get(name, "")) or then.get(name) in chance.get(name, ())
        if len(verdicts) > 1 and is_told and not is_chance:
            before, after = then.get(name, "not recorded"), now.get(name, "no longer claimed")
            sentences.append(f"{name}: {before} in the recorded {recorded.manifest.get('form')} form, {after} here")
    return sentences


def possible(chance: str) -> set[str]:
    """The verdicts that intervals leave possible, by the words for what chance left of a verdict."""
    return set(POSSIBLE.findall(chance))
