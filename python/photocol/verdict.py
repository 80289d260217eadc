"""How a measured result stands to what a paper says: agrees, agrees in shape, disagrees, or was not run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from photocol import notebook
from photocol.errors import InputError
from photocol.files import content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import polars as pl


class Verdict(StrEnum):
    """The outcome of checking one claim."""

    AGREES = "agrees"
    """Within the tolerance that was written down before the run."""
    IN_SHAPE = "agrees in shape"
    """The stated trend or order holds; the number does not, or the source gives none."""
    DISAGREES = "disagrees"
    """Neither holds."""
    NOT_RUN = "not run"
    """This machine cannot measure it: what is missing is in the finding. Nothing is said of the claim."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A verdict with what was measured, as a sentence with units."""

    verdict: Verdict
    measured: str


def judge(*, agrees: bool, in_shape: bool, measured: str) -> Finding:
    """A finding from the strict condition and, where that fails, the weaker one."""
    if agrees:
        return Finding(verdict=Verdict.AGREES, measured=measured)
    return Finding(verdict=Verdict.IN_SHAPE if in_shape else Verdict.DISAGREES, measured=measured)


def not_run(why: str) -> Finding:
    """A finding where there is nothing to judge."""
    return Finding(verdict=Verdict.NOT_RUN, measured=f"nothing: {why}")


@dataclass(frozen=True)
class Claims(notebook.Tabular):
    """The judged claims of a reproduced figure, as `photocol reproduce` leaves them in a directory."""

    experiment: str
    form: str
    """Quick or full."""
    claims: tuple[Mapping[str, str], ...]
    """Each with id, claim, where, expected, tolerance, measured, verdict and, unless it agrees, a reason."""

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Claims:
        """Read `claims.json` of `out/reproduce/<paper>/<figure>`. Raises InputError if there is none."""
        file = Path(folder) / "claims.json"
        try:
            written = json.loads(content(file))
            claims = tuple({key: str(one[key]) for key in _KEYS} for one in written["claims"])
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
        lines = [f"{one['verdict']}: {one['claim']} ({one['where']}); {one['measured']}" for one in self.claims]
        return "\n".join([f"{self.experiment}, {self.form} form", *lines])

    def _repr_html_(self) -> str:
        head = ("verdict", "claim", "where", "expected", "measured", "reason")
        rows = [[one[key] for key in head] for one in self.claims]
        return notebook.paragraph(f"{self.experiment}, {self.form} form") + notebook.table(head, rows)


_KEYS = ("id", "claim", "where", "expected", "tolerance", "measured", "verdict", "reason")
