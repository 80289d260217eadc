"""Routes as tables: a row for each step of each pair, or for each change, and a few figures for each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from photocol.orbits.constellation import Constellation
    from photocol.orbits.routes import Change, Nodes, Route


@dataclass(frozen=True)
class Figures:
    """A pair in numbers: round trips in milliseconds (none while it is cut off), changes, seconds and times cut off."""

    source: str
    target: str
    least_ms: float | None
    mean_ms: float | None
    most_ms: float | None
    changes: int
    cut_off_s: float
    cut_offs: list[tuple[float, float]]


def figures(route: Route, duration_s: float) -> Figures:
    """A pair in numbers; `duration_s` is that of the run."""
    there = route.round_trip_ms[np.isfinite(route.round_trip_ms)]
    times = [*(change.time_s for change in route.changes[1:]), duration_s]
    cut = [(one.time_s, end) for one, end in zip(route.changes, times, strict=True) if not one.nodes]
    return Figures(
        source=route.source,
        target=route.target,
        least_ms=float(there.min()) if len(there) else None,
        mean_ms=float(there.mean()) if len(there) else None,
        most_ms=float(there.max()) if len(there) else None,
        changes=len(route.changes) - 1,
        cut_off_s=sum(end - begin for begin, end in cut),
        cut_offs=cut,
    )


def names_of(made: Constellation) -> Callable[[Nodes], str]:
    """A route in words: satellites by number and, between them, stations that relay by name."""
    satellites = len(made.satellites)

    def words(nodes: Nodes) -> str:
        inner = nodes[1:-1]
        return " > ".join(str(node) if node < satellites else made.stations[node - satellites].name for node in inner)

    return words


def steps_table(made: Constellation, routes: Sequence[Route]) -> pl.DataFrame:
    """A row for each step of each pair: source, target, time_s, round_trip_ms (null while cut off), hops, path."""
    parts = []
    words = names_of(made)
    for route in routes:
        begin = np.array([change.step for change in route.changes])
        place = np.searchsorted(begin, np.arange(len(route.times_s)), side="right") - 1
        path = pl.Series([words(change.nodes) for change in route.changes], dtype=pl.String)
        hops = pl.Series([_hops(change) for change in route.changes], dtype=pl.Int64)
        trips = pl.Series(route.round_trip_ms, dtype=pl.Float64, nan_to_null=True)
        parts.append(
            pl.DataFrame({"time_s": route.times_s, "round_trip_ms": trips, "hops": hops[place], "path": path[place]})
            .with_columns(source=pl.lit(route.source), target=pl.lit(route.target))
            .select("source", "target", "time_s", "round_trip_ms", "hops", "path")
        )
    return pl.concat(parts)


def changes_table(made: Constellation, routes: Sequence[Route]) -> pl.DataFrame:
    """A row for each route that a pair has for a while: source, target, time_s, round_trip_ms, hops, path.

    The first row of a pair is its route at the start; hops are 0 and round_trip_ms is null where it is cut off.
    """
    words = names_of(made)
    rows = [
        {
            "source": route.source,
            "target": route.target,
            "time_s": change.time_s,
            "round_trip_ms": float(route.round_trip_ms[change.step]) if change.nodes else None,
            "hops": _hops(change),
            "path": words(change.nodes),
        }
        for route in routes
        for change in route.changes
    ]
    kinds = {"time_s": pl.Float64, "round_trip_ms": pl.Float64, "hops": pl.Int64}
    return pl.DataFrame(rows, schema_overrides=kinds, infer_schema_length=None)


def _hops(change: Change) -> int:
    """Links of a route."""
    return max(len(change.nodes) - 1, 0)
