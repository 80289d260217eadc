"""What is drawn beside curves: tasks and light as bars, flows under way, days of circuits, goodput by traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.plot.probes.tasks import rank_tasks
from photocol.quantity import factor
from photocol.runs.replay import picoseconds
from photocol.runs.work import tasks as work_tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.runs.results import Result

_MOST_BARS = 3000
_MOST_ROWS = 40
_MOST_TRAFFICS = 12
_SAMPLES = 250
_EVENTFUL = 0.6
"""A run whose last flow completes before this share of it is drawn up to there first."""
_KINDS = ("transfer", "compute", "light")


def tasks(result: Result) -> dict[str, Any] | None:
    """Bars of ranks and of switches: row, begin and end in seconds, kind, step; an end that has not come is null."""
    table = rank_tasks(result).filter(pl.col("kind").is_in(_KINDS) & pl.col("begin_s").is_not_null())
    if table.is_empty():
        return None
    several = table.filter(pl.col("kind") != "light")["traffic"].n_unique() > 1
    name = pl.format("{} {}", pl.col("traffic"), pl.col("rank")) if several else pl.format("rank {}", pl.col("rank"))
    named = table.with_columns(
        pl.when(pl.col("kind") == "light").then("traffic").otherwise(name).alias("row"),
        (pl.col("kind") == "light").alias("is_light"),
    ).sort("is_light", "traffic", "rank", "begin_s", nulls_last=True, maintain_order=True)
    every = named["row"].unique(maintain_order=True).to_list()
    rows = every[:_MOST_ROWS]
    shown = named.filter(pl.col("row").is_in(rows)).head(_MOST_BARS)
    number = {row: k for k, row in enumerate(rows)}
    bars = [
        [number[row], begin, end, _KINDS.index(kind), step]
        for row, begin, end, kind, step in shown.select("row", "begin_s", "end_s", "kind", "step").iter_rows()
    ]
    left = named.height - len(bars)
    return {"rows": rows, "bars": bars, "left": left, "of": len(every)}


def days(explained: Mapping[str, Any]) -> dict[str, Any] | None:
    """The phases of links with the greatest capacity, which come again; None where links have different ones."""
    every = explained.get("link_phases", [])
    found: list[dict[str, Any]] = []
    for one in every:
        begin, most = 0.0, 0.0
        spans: list[tuple[float, float, float]] = []
        for phase in one.get("phases", []):
            lasts, capacity = _seconds(phase.get("duration")), _bps(phase.get("capacity"))
            spans.append((begin, begin + lasts, capacity))
            begin, most = begin + lasts, max(most, capacity)
        lit = [[start, end] for start, end, capacity in spans if capacity == most and most > 0]
        period_s = _seconds(one.get("period")) or begin
        found.append({"period_s": period_s, "offset_s": _seconds(one.get("offset")), "days": lit})
    alike = bool(found) and all(one == found[0] for one in found) and found[0]["period_s"] > 0 and found[0]["days"]
    return found[0] if alike else None


def _seconds(text: Any) -> float:
    try:
        return picoseconds(text) / 1e12
    except (ValueError, TypeError, InputError):
        return 0.0


def _bps(text: Any) -> float:
    number, _, unit = str(text or 0).partition(" ")
    try:
        return float(number) * (factor(unit, "bps") if unit else 1.0)
    except (ValueError, InputError):
        return 0.0


def active_until(result: Result, duration_s: float) -> float | None:
    """When the last flow was complete, or the last task done, if all are and much of the run comes after it."""
    work = work_tasks(result)
    if work.is_empty():
        flows = result.flows
        if flows.is_empty() or not flows["completed"].all():
            return None
        ends = flows["start_s"] + flows["completion_s"]
    else:
        ends = work["end_s"]
    if ends.null_count():
        return None
    last = float(ends.max())  # type: ignore[arg-type]
    return last if 0 < last < _EVENTFUL * duration_s else None


def under_way(result: Result, now_s: float, duration_s: float) -> pl.DataFrame:
    """Samples of how many flows with a size were under way, by traffic; none where no flow has a size."""
    flows = result.flows.filter(pl.col("size_bytes").is_not_null() & (pl.col("start_s") <= now_s))
    empty = result.series.clear()
    if flows.is_empty():
        return empty
    times = np.arange(_SAMPLES + 1) * (duration_s / _SAMPLES)
    times = times[times <= now_s * (1 + 1e-12)]
    parts = []
    for traffic in flows["traffic"].unique(maintain_order=True).to_list()[:_MOST_TRAFFICS]:
        own = flows.filter(pl.col("traffic") == traffic)
        begins = np.sort(own["start_s"].to_numpy())
        ends = (own["start_s"] + own["completion_s"]).fill_nan(None).drop_nulls().sort().to_numpy()
        # A flow of less than a sample is there at the sample that it is in: what began since the last one counts.
        began = np.searchsorted(begins, times, side="right")
        gone = np.searchsorted(ends, np.concatenate([[-1.0], times[:-1]]), side="right")
        columns = {"t_s": times, "value": (began - gone).astype(float)}
        parts.append(pl.DataFrame(columns).with_columns(pl.lit(traffic).alias("entity")))
    table = pl.concat(parts).with_columns(pl.lit("flows_under_way").alias("quantity"), pl.lit(0).alias("run"))
    return table.select([pl.col(name).cast(kind) for name, kind in empty.schema.items()])


def told(rows: list[dict[str, Any]], result: Result) -> list[dict[str, Any]]:
    """Rows of a summary with the goodput of each traffic and the place of the longest queue."""
    where = {"max_queue": _longest_queue(result)}
    placed = [{**row, "of": where.get(row["name"]) or row["of"]} for row in rows]
    return [*placed, *goodputs(result)]


def _longest_queue(result: Result) -> str:
    links, most = result.links, result.summary.get("max_queue")
    at = links.filter(pl.col("max_queue") == most)["link"].to_list() if most else []
    return f"at {at[0]}" if at else ""


def goodputs(result: Result) -> list[dict[str, Any]]:
    """Goodput by traffic, where there are several, over the time of its flows and thus with the warm-up."""
    flows = result.flows
    names = flows["traffic"].unique(maintain_order=True).to_list()
    if not 1 < len(names) <= _MOST_TRAFFICS:
        return []
    begin, end = pl.col("start_s").min(), pl.col("end_s").max()
    rates = flows.group_by("traffic").agg((8 * pl.col("bytes_arrived").sum() / (end - begin)).alias("bps"))
    known = dict(rates.iter_rows())
    return [
        {
            "name": f"goodput of {name}",
            "value": known[name] if known[name] is not None and math.isfinite(known[name]) else 0.0,
            "unit": "bps",
            "of": "",
            "meaning": f"Payload of {name} that arrived a second, from the start of its first flow to the end of its "
            "last one: in the warm-up too.",
            "first": k / 100,
        }
        for k, name in enumerate(names, start=1)
    ]
