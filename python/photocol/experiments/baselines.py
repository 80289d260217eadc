"""What full forms have found, as data in the repository: `results/<paper>/<figure>/`.

There are `claims.json` (each claim with its verdict), `table.csv`, the pictures, and `manifest.json` (command, version,
seconds, machine). `make docs` builds pages of them, so that no number there is typed by hand; and every later
reproduction says which verdicts have moved.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.experiments.verdict import Verdict
from photocol.runs import digests, storage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiments.record import Judged

CLAIMS, TABLE = "claims.json", "table.csv"
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

    What one of the two has not run says nothing of the claim, and has not moved.
    """
    now = {one.claim.id: str(one.finding.verdict) for one in judged}
    then = recorded.verdicts
    sentences = []
    for name in dict.fromkeys((*then, *now)):
        verdicts = {then.get(name), now.get(name)}
        if len(verdicts) > 1 and Verdict.NOT_RUN not in verdicts:
            before, after = then.get(name, "not recorded"), now.get(name, "no longer claimed")
            sentences.append(f"{name}: {before} in the recorded {recorded.manifest.get('form')} form, {after} here")
    return sentences
