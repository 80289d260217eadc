"""How a measured result stands to what a paper says: agrees, agrees in shape, disagrees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """The outcome of checking one claim."""

    AGREES = "agrees"
    """Within the tolerance that was written down before the run."""
    IN_SHAPE = "agrees in shape"
    """The stated trend or order holds; the number does not, or the source gives none."""
    DISAGREES = "disagrees"
    """Neither holds."""


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
