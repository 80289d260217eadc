"""The slowdown by size over a sweep that has kept its flows: a curve a point, with intervals over the seeds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from photocol.errors import InputError
from photocol.plot import panels as small
from photocol.plot.by_size import LAW, slowdowns, without_places
from photocol.plot.completion import sized_flows
from photocol.plot.files import save_figure, without_numbers, write_numbers
from photocol.plot.fitting import fit
from photocol.plot.labels import axis_title, names
from photocol.plot.slowdown import counted, draw_panels, remarks
from photocol.plot.style import SIZE_INCHES, common_legend, drawing
from photocol.plot.tables import OF
from photocol.plot.view import kept_points
from photocol.runs import storage
from photocol.runs.results import Result
from photocol.sweeps.campaign.store import rows_in
from photocol.sweeps.spec import SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from photocol.plot.by_size import BySize
    from photocol.plot.files import Pictures
    from photocol.plot.view import Asked
    from photocol.sweeps.swept import SweepTable

NAME = SLOWDOWN
"""Of the picture, which is no figure of the table."""
_PANEL = "panel"
_MOST_CURVES = 24
_BELOW_INCHES = 0.6
"""For the legend and the small print; the names of a law's sizes have as much again."""


class Numbers(NamedTuple):
    """What is drawn."""

    panels: list[tuple[str, pl.DataFrame]]
    """Title and numbers of each."""
    seeds: int


def numbers_of(folder: Path, table: SweepTable, how: BySize, asked: Asked) -> Numbers:
    """The numbers of the picture.

    Raises InputError where the runs have no table of flows, too few have completed, or curves are too many.
    """
    if asked.x or asked.is_map or asked.log:
        raise InputError(f"{NAME}: its x is the size of flows; it goes without --x, --log and --map")
    flows = swept_flows(folder, table, asked)
    seeds = flows.get_column("run").n_unique()
    # Bins are those of all panels together.
    every = slowdowns(flows, how, is_over_seeds=seeds > 1, keys=(_PANEL, OF, "class"))
    if every.is_empty():
        wanted = ", ".join(how.percentiles)
        raise InputError(f"{NAME}: no range of sizes has enough completed flows for {wanted}; more seeds, fewer --bins")
    parts = every.partition_by(_PANEL, as_dict=True, maintain_order=True)
    return Numbers([(str(title), part.drop(_PANEL)) for (title,), part in parts.items()], seeds)


def save(folder: Path, table: SweepTable, stem: Path, how: Pictures, asked: Asked) -> tuple[list[Path], list[str]]:
    """The picture as `STEM.png` and so on: the files, and what has to be said. Raises InputError as `numbers_of`."""
    numbers = numbers_of(folder, table, how.by_size, asked)
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = []
    if "csv" in how.formats:
        titled = asked.panels is not None
        every = pl.concat(
            part.with_columns(pl.lit(title).alias(_PANEL)) if titled else part for title, part in numbers.panels
        )
        files.append(write_numbers(without_places(every), stem))
    if formats := without_numbers(how).formats:
        with drawing(how.width_inches, how.names):
            drawn = figure(numbers, how.by_size, how.width_inches)
            for suffix in formats:
                file = stem.with_name(f"{stem.name}.{suffix}")
                storage.replace(file, functools.partial(save_figure, drawn, width_inches=how.width_inches))
                files.append(file)
    return files, _remarks(numbers, how.by_size)


def swept_flows(folder: Path, table: SweepTable, asked: Asked) -> pl.DataFrame:
    """The flows that completion times are about, of all runs at the points that are asked for.

    Columns as of `sized_flows`, `run` (the seed), `of` (the point's curve) and `panel`; the last two in the order of
    the sweep. Raises InputError.
    """
    points = kept_points(table, asked.where)
    panels = None if asked.panels is None else table.known_axis(asked.panels)
    said = [asked.by] if isinstance(asked.by, str) else list(asked.by or ())
    by = [table.known_axis(name) for name in said] or [
        axis for axis in table.axes if axis != panels and points[axis].n_unique() > 1
    ]
    told = [*by, *([panels] if panels else [])]
    if told and points.select(told).n_unique() < len(points):
        rest = [axis for axis in table.axes if axis not in told and points[axis].n_unique() > 1]
        raise InputError(f"{NAME}: curves of one {', '.join(by)} differ in {', '.join(rest)} too; --where fixes it")
    labels, titles = _labels(points, by), _labels(points, [] if panels is None else [panels])
    title = "" if panels is None else f"{axis_title(panels, table.axes)}: "
    if len(set(labels.values())) > _MOST_CURVES:
        raise InputError(f"{NAME}: {len(set(labels.values()))} curves; at most {_MOST_CURVES}, which --where chooses")
    parts = []
    for row in rows_in(folder / storage.RUNS):
        key = tuple(row.point.values())
        if key in labels:
            names_of = {OF: pl.lit(labels[key]), _PANEL: pl.lit(f"{title}{titles[key]}" if panels else "")}
            found = sized_flows(Result.load(folder / storage.RUNS / row.name))
            parts.append(found.with_columns(run=pl.lit(row.seed, pl.Int64), **names_of))
    if not parts:
        raise InputError(f"{folder}: no run of these points is finished")
    flows = pl.concat(parts, how="diagonal_relaxed")
    flows = _told_apart(flows)
    orders = {OF: list(dict.fromkeys(labels.values()))}
    orders[_PANEL] = list(dict.fromkeys(f"{title}{one}" if panels else "" for one in titles.values()))
    return flows.with_columns(pl.col(name).cast(pl.Enum(order)) for name, order in orders.items())


def _told_apart(flows: pl.DataFrame) -> pl.DataFrame:
    """Flows whose class says no more than tells apart those of one point, so that it is the same in all panels.

    A single kind of flow needs no name beside that of its point; of one whose transport is another from point to point
    the traffic is named.
    """
    kinds = flows.group_by(OF, _PANEL).agg(pl.col("class").n_unique(), pl.col("traffic").n_unique())
    if kinds["class"].max() == 1:
        return flows.with_columns(pl.lit("").alias("class"))
    is_told = (kinds["class"] == kinds["traffic"]).all() and flows["class"].n_unique() > flows["traffic"].n_unique()
    return flows.with_columns(pl.col("traffic").alias("class")) if is_told else flows


def _labels(points: pl.DataFrame, axes: Sequence[str]) -> dict[tuple[object, ...], str]:
    """The name of each point by these axes."""
    known = [names(points.get_column(axis).to_list()) for axis in axes]
    places = [points.columns.index(axis) for axis in axes]
    return {
        row: ", ".join(named[str(row[place])] for named, place in zip(known, places, strict=True))
        for row in points.rows()
    }


def figure(numbers: Numbers, how: BySize, width_inches: float | None) -> Figure:
    """The picture on a new figure, a small one for each panel."""
    from matplotlib.figure import Figure

    panels, seeds = numbers
    width = SIZE_INCHES[0] if width_inches is None else width_inches
    beside = small.across(len(panels), width)
    down = -(-len(panels) // beside)
    below = _BELOW_INCHES * (2 if how.bins == LAW else 1)
    height = width / 1.6 if len(panels) == 1 else down * width / beside / small.PANEL_RATIO + below
    figure = Figure(figsize=(width, height), layout="constrained")
    cells, tables = small.made(figure, len(panels)), [table for _, table in panels]
    draw_panels(cells, tables, how)
    if len(panels) > 1:
        for cell in cells:
            # In small panels the definition has no room.
            cell.set_ylabel(cell.get_ylabel().partition(" (")[0])
    common_legend(figure, cells)
    small.name_outer(cells, [title for title, _ in panels], beside)
    over = "95 % intervals over runs" if seeds > 1 else "95 % bootstrap intervals over flows"
    of = f"{seeds} runs" if seeds > 1 else "one run"
    said = [
        counted(pl.concat(tables), of),
        over,
        *(["equal widths are equal shares of flows"] if how.bins == LAW else []),
    ]
    figure.supxlabel("; ".join([*said, *remarks(tables, how)]), x=0.99, ha="right", fontsize="x-small", color="0.4")
    fit(figure)
    return figure


def _remarks(numbers: Numbers, how: BySize) -> list[str]:
    """Which percentiles have no value because a run has too few flows of a size, and flows that have no slowdown."""
    every = pl.concat(part.with_columns(pl.lit(title).alias(_PANEL)) for title, part in numbers.panels)
    gone = {rank: every.get_column(f"slowdown_{rank}").null_count() for rank in how.percentiles}
    said = [
        f"{NAME}: {count} of {len(every)} ranges of sizes have no {rank}: too few flows"
        for rank, count in gone.items()
        if count
    ]
    curves = every.group_by(_PANEL, OF, "class").agg(pl.col("flows").sum(), pl.col("completed").sum())
    left, most = curves.select((pl.col("flows") - pl.col("completed")).alias("left"), "flows").sort("left").row(-1)
    return [*said, f"{NAME}: up to {left:,} of {most:,} flows of a curve did not complete"] if left else said
