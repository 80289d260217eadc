"""The two readings of TCP-ENG's α under which the experiments of paper 001 run side by side.

`ben-only`, the default: GAIMD's α in the round after a BEN, else 1, at any window. `large-window`: from windows of
1/(1 − β) segments on GAIMD's α whatever happened. Both in `crates/transport/src/cc/tcp_eng.rs` and docs/deviations.md;
a third, `ben-period`, is an axis of 001/sensitivity.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Point, grid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from photocol.claims import Predicate
    from photocol.experiment import Value

ENG = "tcp-eng"
BEN_ONLY, LARGE_WINDOW, NEITHER = "ben-only", "large-window", "none"
READINGS = (BEN_ONLY, LARGE_WINDOW)


def is_eng(sender: str) -> bool:
    """Whether a sender, by its name in the tables, is a TCP-ENG."""
    return sender.startswith(ENG)


def versions(axis: str, senders: Sequence[str], **axes: Sequence[Value]) -> tuple[Point, ...]:
    """Every sender with all other axes, TCP-ENG under both readings."""
    return tuple(
        point
        for sender in senders
        for point in grid(**{axis: [sender]}, reading=READINGS if is_eng(sender) else [NEITHER], **axes)
    )


def of(axis: str, sender: str, reading: str) -> pl.Expr:
    """The rows of a sender; only TCP-ENG has them under a reading."""
    return (pl.col(axis) == sender) & (pl.col("reading") == (reading if is_eng(sender) else NEITHER))


def law(reading: object) -> dict[str, Any]:
    """The key of the reading in `[transport.NAME]`."""
    return {} if reading == NEITHER else {"alpha_applies": reading}


def push(sender: str, reading: object, beta: float) -> float:
    """How much larger than SACK's its window is at little loss, told of every loss: 1/√α of (2) under `ben-only`."""
    return math.sqrt((1 + beta) / (3 * (1 - beta))) if is_eng(sender) and reading == BEN_ONLY else 1.0


def model_inputs(reading: str) -> dict[str, str]:
    """The closed form of a reading: the paper's corrected (22), (23), or ours for `ben-only`."""
    return {"alpha_applies": "ben_only", "after_loss": "none"} if reading == BEN_ONLY else {"reading": "corrected"}


def both(
    *, claim: str, text: str, check: Callable[[str], Predicate], reasons: Mapping[str, str], **words: str
) -> tuple[Claim, Claim]:
    """A claim of the paper, judged under either reading by the predicate that this makes, with the same tolerance."""

    def under(reading: str) -> Claim:
        name = claim if reading == BEN_ONLY else f"{claim}-{reading}"
        told = f"{text} (α {reading})"
        reason = reasons.get(reading, "")
        other = "" if reading == BEN_ONLY else claim
        return Claim(id=name, text=told, check=check(reading), reason=reason, reading_of=other, **words)

    return under(BEN_ONLY), under(LARGE_WINDOW)
