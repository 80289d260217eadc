"""The samples of a run as lines of text, where no picture can be shown."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.quantities import quantity
from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=+*%#"
"""For terminals that know ASCII only."""
_MOST_LINES = 24


def sparklines(series: pl.DataFrame, *, width: int = 48, levels: str = BLOCKS, most: int = _MOST_LINES) -> str:
    """A line for each sampled quantity of each entity: its course, its least and greatest value, its last one.

    `series` is the table of that name. Of several runs the means are drawn. What has one value throughout has no line.
    """
    lines: list[tuple[str, str, str]] = []
    dull = left_out = 0
    span = _span(series)
    for (kind, entity), part in _courses(series):
        values = _cells(part, width, span)
        finite = [value for value in values if math.isfinite(value)]
        if not finite or min(finite) == max(finite):
            dull += 1
        elif len(lines) < most:
            lines.append((f"{kind} of {entity}", _drawn(values, levels), _range(part["value"], quantity(kind).unit)))
        else:
            left_out += 1
    widths = [max((len(line[column]) for line in lines), default=0) for column in (0, 1)]
    text = [f"{name:<{widths[0]}}  {course:<{widths[1]}}  {told}" for name, course, told in lines]
    remarks = [f"{left_out} more are not shown"] if left_out else []
    remarks += [f"{dull} did not change"] if dull else []
    if not text and not remarks:
        return "nothing was sampled; [probe] in the scenario asks for samples"
    return "\n".join(text + ([f"({'; '.join(remarks)})"] if remarks else []))


def _courses(series: pl.DataFrame) -> list[tuple[tuple[str, str], pl.DataFrame]]:
    """Quantity and entity, with their samples over time; means over the runs."""
    finite = series.filter(pl.col("value").is_finite())
    mean = finite.group_by("quantity", "entity", "t_s", maintain_order=True).agg(pl.col("value").mean()).sort("t_s")
    parts = mean.partition_by("quantity", "entity", as_dict=True, maintain_order=True)
    known = {name: place for place, name in enumerate(series["quantity"].unique(maintain_order=True))}
    return sorted(
        (((str(kind), str(entity)), part) for (kind, entity), part in parts.items()),
        key=lambda one: (known[one[0][0]], one[0][1]),
    )


def _span(series: pl.DataFrame) -> tuple[float, float, int]:
    """From when on there are samples, for how long, and at how many times."""
    times = series["t_s"].unique().sort().to_list() or [0.0]
    return times[0], (times[-1] - times[0]) or 1.0, len(times)


def _cells(part: pl.DataFrame, width: int, of_all: tuple[float, float, int]) -> list[float]:
    """Means over equal parts of the time of all samples; NaN where nothing was sampled, as after the end of a flow."""
    times, values = part["t_s"].to_list(), part["value"].to_list()
    first, span, count = of_all
    width = max(1, min(width, count))
    sums: list[list[float]] = [[] for _ in range(width)]
    for t_s, value in zip(times, values, strict=True):
        sums[min(int((t_s - first) / span * width), width - 1)].append(value)
    return [math.fsum(some) / len(some) if some else math.nan for some in sums]


def _drawn(values: Sequence[float], levels: str) -> str:
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)

    def level(value: float) -> str:
        if not math.isfinite(value):
            return " "
        return levels[min(int((value - low) / (high - low) * len(levels)), len(levels) - 1)]

    return "".join(map(level, values))


def _range(values: pl.Series, unit: str) -> str:
    low, high, last = (readable(float(value), unit) for value in (values.min(), values.max(), values[-1]))  # type: ignore[arg-type]
    return f"{low} to {high}, at last {last}"
