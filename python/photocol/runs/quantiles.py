"""How sure the percentiles of completion times of a run are: bootstrap intervals over its flows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from photocol import _core
    from photocol.runs.results import Summary

NOTE = "in brackets: 95 % bootstrap intervals, which take flows for independent"
_NAME = re.compile(r"(short_|medium_|long_|)(completion_time|slowdown)_p(\d+(?:_\d)?)")
_SIZES = {"": (0.0, float("inf")), "short_": (0.0, 1e5), "medium_": (1e5, 1e7), "long_": (1e7, float("inf"))}
"""Of the flows in figures that begin so: above the first, up to the second."""


def intervals(summary: Summary, results: _core.Results) -> dict[str, tuple[float, float]]:
    """By name of a percentile in the summary of one replication: the ends of its interval at 95 %.

    Without polars, so that a run that prints its summary still starts at once.
    """
    found = {name: parts.groups() for name in summary if (parts := _NAME.fullmatch(name))}
    if not found:
        return {}
    from photocol.stats import bootstrap_ranks

    values = _values(summary, results)
    ends: dict[str, tuple[float, float]] = {}
    for name, (size, of, percent) in found.items():
        sorted_values = values[size, of]
        # As the engine counts: so many values lie above.
        rank = len(sorted_values) - int(len(sorted_values) * (1 - float(percent.replace("_", ".")) / 100) + 1e-9)
        if rank > 0 and sorted_values[rank - 1] == summary[name]:
            low, high = bootstrap_ranks(len(sorted_values), rank)
            ends[name] = float(sorted_values[low - 1]), float(sorted_values[high - 1])
    return ends


def in_words(summary: Summary, results: _core.Results) -> dict[str, str]:
    """The intervals as they stand beside percentiles."""
    return {
        name: f"[{', '.join(readable(end, summary[name].unit) for end in ends)}]"
        for name, ends in intervals(summary, results).items()
    }


def warm_up_s(summary: Mapping[str, float]) -> float:
    """What is left out at the beginning of a run."""
    whole, measured = summary.get("duration"), summary.get("measured_time")
    # To the picosecond: 0.8 − 0.7 is more than 0.1, and flows may start just then.
    return max(0.0, round(whole - measured, 12)) if whole is not None and measured is not None else 0.0


def _values(summary: Summary, results: _core.Results) -> Mapping[tuple[str, str], NDArray[np.float64]]:
    """By class of sizes and quantity, the sorted values of the flows that count."""
    import numpy as np

    table = cast("dict[str, NDArray[np.float64]]", results.table("flows"))
    size, start, nothing = table["size_bytes"], table["start_s"], np.full(len(table["start_s"]), np.nan)
    counts = start >= warm_up_s(summary)
    quantities = {"completion_time": table["completion_s"], "slowdown": table.get("slowdown", nothing)}
    return {
        (name, of): np.sort(values[counts & (size > low) & (size <= high) & np.isfinite(values)])
        for name, (low, high) in _SIZES.items()
        for of, values in quantities.items()
    }
