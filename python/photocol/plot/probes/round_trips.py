"""A run over satellites: round trips of pairs over time with the changes of their routes.

They come from the run's file of contacts, which has the routes and delays that packets had. Where it is gone, or the
run had none, there is no picture.
"""

from __future__ import annotations

import contextlib
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.orbits.known import Known, read_known
from photocol.plot.orbits import MOST_PAIRS
from photocol.plot.probes.probe import PageTable, Picture
from photocol.plot.style import frame, looks, marker_size, name_time, width
from photocol.plot.tables import OF

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.runs.results import Result

_VALUE = "round_trip_ms"
_NEAR_S = 1e-9
_MOST_TRIPS = 400
_COLUMNS = {"pair": pl.String, "t_s": pl.Float64, _VALUE: pl.Float64, "hops": pl.Int64, "is_new": pl.Boolean}


def known_of(result: Result) -> Known | None:
    """The file of contacts of a run; None if it has none, or if that is gone."""
    with contextlib.suppress(InputError, OSError, ValueError, KeyError):  # of TOML, too
        return _contacts_of(result)
    return None


def why_unknown(result: Result) -> str:
    """Why the file of contacts of a run cannot be read; empty if it can, or if there is none."""
    try:
        _contacts_of(result)
    except (InputError, OSError, ValueError, KeyError) as error:
        return str(error)
    return ""


def _contacts_of(result: Result) -> Known | None:
    text = str(result.manifest.get("scenario", ""))
    if '"contacts"' not in text:
        return None
    topology = tomllib.loads(text)["topology"]
    if topology["kind"] != "contacts":
        return None
    file = Path(topology["path"])
    return _read(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(file: Path, _changed: int) -> Known:
    return read_known(file)


def pairs_of(result: Result, known: Known) -> list[tuple[int, int]]:
    """The pairs of stations that have flows, as numbers of nodes, each once, in the order of the flows."""
    number, found = known.number, dict[frozenset[int], tuple[int, int]]()
    for source, target in result.flows.select("source", "destination").unique(maintain_order=True).iter_rows():
        pair = (number.get(source, -1), number.get(target, -1))
        if pair in known.turns:
            found.setdefault(frozenset(pair), pair)
    return list(found.values())


def end_of_s(result: Result) -> float:
    """The end of the run, in seconds."""
    figure = result.summary.get("duration")
    return float(figure) if figure is not None else 0.0


def round_trips(result: Result) -> pl.DataFrame:
    """Round trips of empty paths over time: pair, t_s, round_trip_ms (null: cut off), hops, is_new (another route).

    Of the first pairs that have flows, in the first replication. Empty where no satellites are.
    """
    known = known_of(result)
    pairs = [] if known is None else pairs_of(result, known)[:MOST_PAIRS]
    tables = [_trips(known, pair, end_of_s(result)) for pair in pairs if known is not None]
    return pl.concat(tables) if tables else pl.DataFrame(schema=_COLUMNS)


def _trips(known: Known, pair: tuple[int, int], end_s: float) -> pl.DataFrame:
    times = known.steps_s(pair, end_s)
    turns = known.turns[pair]
    place = np.searchsorted([turn.time_s for turn in turns], times + _NEAR_S, side="right") - 1
    hops = np.array([max(0, len(turn.nodes) - 1) for turn in turns])[place]
    trips = pl.Series(known.round_trips_ms(pair, times)).fill_nan(None)
    columns = {
        "pair": " – ".join(known.names[end] for end in pair),
        "t_s": times,
        _VALUE: trips,
        "hops": hops,
        "is_new": np.diff(place, prepend=place[:1]) > 0,
    }
    return pl.DataFrame(columns, schema=_COLUMNS)


def some_trips(known: Known, pair: tuple[int, int], end_s: float) -> dict[str, list[Any]]:
    """Some of the round trips over time, those at and before each turn among them; None while a pair is cut off."""
    times_s = known.steps_s(pair, end_s)
    trips_ms, last = known.round_trips_ms(pair, times_s), len(times_s) - 1
    some = np.linspace(0, last, min(last + 1, _MOST_TRIPS)).round().astype(int)
    turns = np.searchsorted(times_s, np.array([turn.time_s for turn in known.turns[pair]]) - _NEAR_S)
    chosen = np.unique(np.clip(np.concatenate([some, turns, turns - 1]), 0, last))
    values = [float(one) if np.isfinite(one) else None for one in trips_ms[chosen].round(6)]
    return {"t_s": times_s[chosen].round(9).tolist(), "ms": values}


def draw_round_trips(axes: Axes, table: pl.DataFrame) -> None:
    """A curve for each pair, a dot where another route begins, a gap while the pair is cut off."""
    table = first_of(table)
    names = table["pair"].unique(maintain_order=True).to_list()
    for name, look in zip(names, looks(len(names)), strict=True):
        of = table.filter(pl.col("pair") == name)
        new = of.filter("is_new", pl.col(_VALUE).is_not_null())
        axes.plot(of["t_s"], of[_VALUE], color=look.colour, linestyle=look.line, linewidth=width(), label=name)
        axes.plot(new["t_s"], new[_VALUE], color=look.colour, marker=look.marker, markersize=marker_size(),
                  markerfacecolor="white", linestyle="none", label="_new")  # fmt: skip
    axes.set_ylabel("round trip (ms)")
    axes.set_xlim(0, float(table["t_s"].max() or 1.0))  # type: ignore[arg-type]
    frame(axes)
    name_time(axes)
    axes.set_xlabel(f"{axes.get_xlabel()}; mark: another route")


def first_of(table: pl.DataFrame) -> pl.DataFrame:
    """Of several results together the first."""
    return table.filter(pl.col(OF) == table[OF][0]) if OF in table.columns and len(table) else table


def changes(result: Result) -> pl.DataFrame:
    """When a pair has another route, its first one too: pair, t_s, round_trip_ms (null: cut off), hops."""
    table = round_trips(result)
    return table.filter(pl.col("is_new") | (pl.int_range(pl.len()).over("pair") == 0)).drop("is_new")


PICTURE = Picture(
    name="round_trips",
    draw=draw_round_trips,
    table=round_trips,
    value=_VALUE,
    missing="the run has no file of contacts, or that is gone: round trips are those of a constellation",
)
PAGE_TABLE = PageTable(title="Routes over satellites", name="routes", table=changes)
