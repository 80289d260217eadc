"""A bottleneck that flows join, and whose capacity halves and doubles: what is read off its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from photocol.experiment import RunResult

BOTTLENECK = "left->right"
JOIN_MS, REST_MS, HALF_MS, DOUBLE_MS, END_MS = 20.0, 30.0, 40.0, 60.0, 80.0
"""Half of the flows join; rest begins to be measured; the capacity halves; it is whole again; the end."""
SAMPLE_MS, BIN_MS = 0.1, 1.0
EQUAL, RECOVERED = 0.9, 0.9
"""Jain's index of 1 ms from which on flows count as equal, and the part of the capacity that is recovered."""


Samples = dict[str, "NDArray[np.float64]"]


def samples(result: RunResult) -> Samples:
    """Queue and utilization of the bottleneck, over `t_ms`."""
    rows = result.series.filter(pl.col("entity").cast(pl.String) == BOTTLENECK)
    names = {"mean_queue": "queue", "utilization": "used"}
    found: Samples = {}
    for quantity, name in names.items():
        one = rows.filter(pl.col("quantity").cast(pl.String) == quantity).sort("t_s")
        found["t_ms"] = 1e3 * one["t_s"].to_numpy()
        found[name] = one["value"].to_numpy()
    return found


def jain(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Jain's index of each row."""
    squares = values.shape[1] * (values**2).sum(axis=1)
    return np.divide(values.sum(axis=1) ** 2, squares, out=np.zeros(len(values)), where=squares > 0)


def equality(result: RunResult) -> tuple[float, float]:
    """Jain's index at rest, and how many ms after the others have come each millisecond is equal until the halving."""
    rows = result.series.filter(pl.col("quantity").cast(pl.String) == "bytes_arrived")
    if rows.is_empty():
        return float(result.summary["fairness_index"].value), END_MS - HALF_MS
    table = rows.with_columns(pl.col("entity").cast(pl.String)).pivot("entity", index="t_s", values="value")
    table = table.sort("t_s").fill_null(0.0)
    t_ms, counts = 1e3 * table["t_s"].to_numpy(), table.drop("t_s").to_numpy()
    at = [int(np.argmin(np.abs(t_ms - ms))) for ms in np.arange(JOIN_MS + 1, HALF_MS + 0.5, BIN_MS)]
    each = jain(np.diff(counts[at], axis=0))
    rest = jain((counts[at[-1]] - counts[int(np.argmin(np.abs(t_ms - REST_MS)))])[None, :])
    unequal = np.flatnonzero(each < EQUAL)
    return float(rest[0]), BIN_MS * (1 + int(unequal[-1]) + 1 if len(unequal) else 1)


def measure(result: RunResult) -> Mapping[str, float]:
    """At rest, after the halving, after the doubling."""
    found = samples(result)
    t_ms, queue, used = found["t_ms"], found["queue"], found["used"]
    rest = (t_ms > REST_MS) & (t_ms <= HALF_MS)
    halved = (t_ms > HALF_MS) & (t_ms <= DOUBLE_MS)
    doubled = (t_ms > DOUBLE_MS) & (t_ms <= END_MS)
    fair, join_ms = equality(result)
    standing = float(queue[rest].mean())
    full = np.flatnonzero(used[doubled] >= RECOVERED)
    long = np.flatnonzero(queue[halved] > 2 * standing + 10)
    return {
        "used_percent": 100 * float(used[rest].mean()),
        "queue_packets": standing,
        "jain": fair,
        "join_ms": join_ms,
        "half_most": float(queue[halved].max()),
        "half_ms": SAMPLE_MS * (int(long[-1]) + 1 if len(long) else 0),
        "half_used_percent": 100 * float(used[halved].mean()),
        "double_ms": SAMPLE_MS * (int(full[0]) + 1) if len(full) else END_MS - DOUBLE_MS,
    }


def course(result: RunResult) -> pl.DataFrame:
    """Queue and utilization around the steps."""
    found = samples(result)
    return pl.DataFrame(found).filter(pl.col("t_ms") >= JOIN_MS - 1)
