"""How a measured result stands to what a paper says: it agrees, in shape perhaps, disagrees, or cannot be told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from photocol.errors import InputError
from photocol.files import content, record
from photocol.runs import notebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    import polars as pl


Whose = Literal["paper", "ours"]
OF_WHOM: Mapping[Whose, str] = {"paper": "claims of the paper", "ours": "our own expectations"}
"""What is judged, in two groups that are shown and counted apart."""


class Verdict(StrEnum):
    """The outcome of checking one claim."""

    AGREES = "agrees"
    """Within the tolerance that was written down before the run."""
    IN_SHAPE = "agrees in shape"
    """The stated trend or order holds; the number does not, or the source gives none."""
    CANNOT_BE_TOLD = "cannot be told"
    """Chance decides: within the intervals of the replications it may hold or fail (`photocol.experiments.chance`)."""
    DISAGREES = "disagrees"
    """Neither holds."""
    NOT_RUN = "not run"
    """This machine cannot measure it: what is missing is in the finding. Nothing is said of the claim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A verdict with what was measured, as a sentence with units."""

    verdict: Verdict
    measured: str
    chance: str = ""
    """Where the verdict is weaker than that of the means: which verdicts the intervals leave possible."""


def judge(*, agrees: bool, in_shape: bool, measured: str) -> Finding:
    """A finding from the strict condition and, where that fails, the weaker one."""
    if agrees:
        return Finding(verdict=Verdict.AGREES, measured=measured)
    return Finding(verdict=Verdict.IN_SHAPE if in_shape else Verdict.DISAGREES, measured=measured)


def not_run(why: str) -> Finding:
    """A finding where there is nothing to judge."""
    return Finding(verdict=Verdict.NOT_RUN, measured=f"nothing: {why}")


def counted(verdicts: Iterable[str]) -> str:
    """How often each verdict occurs, from the best to none at all: "3 × agrees, 1 × disagrees"."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} × {verdict}" for verdict in Verdict if counts[verdict])


def tally(verdicts: Iterable[tuple[str, bool]]) -> str:
    """The same where some verdicts are on another reading of a claim: "3 × agrees; other readings: 1 × disagrees"."""
    of_claims: list[str] = []
    of_readings: list[str] = []
    for verdict, is_reading in verdicts:
        (of_readings if is_reading else of_claims).append(verdict)
    beside = [f"other readings: {counted(of_readings)}"] if of_readings else []
    return "; ".join([counted(of_claims), *beside])


@dataclass(frozen=True)
class Claims(notebook.Tabular):
    """The judged claims of a reproduced figure, as `photocol reproduce` leaves them in a directory."""

    experiment: str
    form: str
    """Quick or full."""
    claims: tuple[Mapping[str, str], ...]
    """Each with id, claim, where, whose, expected, tolerance, measured, verdict and, unless it agrees, a reason."""

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Claims:
        """Read `claims.json` of `out/reproduce/<paper>/<figure>`. Raises InputError if there is none."""
        file = Path(folder) / "claims.json"
        try:
            written = record(content(file))
            claims = tuple({key: str(one[key]) for key in _KEYS} for one in map(_with_whose, written["claims"]))
            return cls(str(written["experiment"]), str(written["form"]), claims)
        except OSError as error:
            raise InputError(f"{folder} has no judged claims: {file.name}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{file} is damaged: {error}") from error

    def frame(self) -> pl.DataFrame:
        """One row a claim."""
        import polars as pl

        return pl.DataFrame(self.claims, dict.fromkeys(_KEYS, pl.String))

    def __len__(self) -> int:
        return len(self.claims)

    def __repr__(self) -> str:
        lines = [f"{self.experiment}, {self.form} form"]
        for whose, heading in OF_WHOM.items():
            theirs = [one for one in self.claims if one["whose"] == whose]
            lines += [f"{heading}: {counted(one['verdict'] for one in theirs)}"] if theirs else []
            lines += [f"{one['verdict']}: {one['claim']} ({one['where']}); {one['measured']}" for one in theirs]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = ("verdict", "claim", "where", "whose", "expected", "measured", "reason")
        rows = [[one[key] for key in head] for one in self.claims]
        return notebook.paragraph(f"{self.experiment}, {self.form} form") + notebook.table(head, rows)


def _with_whose(claim: Mapping[str, str]) -> Mapping[str, str]:
    """Directories from before claims said whose they are have the source's alone."""
    return {"whose": "paper", **claim}


_KEYS = ("id", "claim", "where", "whose", "expected", "tolerance", "measured", "verdict", "reason")
