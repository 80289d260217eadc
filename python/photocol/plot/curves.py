"""A figure of a sweep along an axis: curves with their 95 % intervals, or colours over two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.plot.labels import names, places
from photocol.plot.style import looks, marker_size, width
from photocol.plot.view import spread_of
from photocol.runs.pictures import logarithmic_with_zero

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from numpy.typing import NDArray

    from photocol.plot.labels import Places
    from photocol.plot.style import Look
    from photocol.plot.view import View

_MOST_TICKS = 8
"""So many values of an axis have each its tick."""
_MOST_NAMES = 30
_MOST_LETTERS = 36
"""Of all names together, if they stand level."""
_PLAIN_MOST, _PLAIN_LEAST = 1e5, 1e-3
"""Between these a logarithmic axis has plain numbers."""
_MOST_TICKS_OF_MAP = 15
_MOST_COLUMNS_WITH_TEXT, _MOST_ROWS_WITH_TEXT, _MOST_COLUMNS_WITH_SPREAD = 10, 15, 7
_LIGHT = 0.6
"""Share of the colours above which letters are black."""
PLACE = "place of x"
_WIDE, _ROOM = 10.0, 1.1
_DENSE = 40
"""Points of a curve beyond which its interval is a band."""


def look_of(view: View) -> dict[str, Look]:
    """The look of each curve, the same in all panels."""
    names = [name for name, _ in view.parts(view.table)]
    return dict(zip(names, looks(len(names)), strict=True))


def curves(axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], unnamed: str = "") -> None:
    """The curves of these rows, without their intervals; one without a name is called `unnamed`."""
    spots = view.x_places
    for name, part in view.parts(placed(view, rows)):
        look = known[name]
        at = part.get_column(PLACE)
        axes.plot(
            at,
            part.get_column(view.metric) / view.scale[0],
            color=look.colour,
            linestyle=look.line if spots.names is None else "none",
            marker=look.marker if len(at) <= _DENSE else None,
            markersize=marker_size(),
            linewidth=width(),
            label=name or unnamed,
        )
    name_places(axes, spots, is_log=view.is_log_x, across=min(3, len(view.multiples())))
    axes.set_xlabel(view.title(view.x, spots.unit))
    axes.set_ylabel(view.y_title)


def intervals(axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look]) -> None:
    """The 95 % intervals of these rows' curves: bars, or bands of dense curves. None is below zero where no value is.

    On a logarithmic axis, whose limits are set by then, an interval that holds zero goes down to the edge.
    """
    divisor, bottom = view.scale[0], axes.get_ylim()[0] if view.is_log_y else None
    for name, part in view.parts(placed(view, rows)):
        at, values = part.get_column(PLACE).to_numpy(), part.get_column(view.metric).to_numpy() / divisor
        spread, colour = spread_of(part, view.metric) / divisor, known[name].colour
        if not spread.any():
            continue
        low = np.minimum(spread, values) if values.min() >= 0 else spread
        if bottom is not None:
            kept = values > 0
            at, values, spread, low = at[kept], values[kept], spread[kept], low[kept]
            low = np.minimum(low, values - bottom)
        if len(at) > _DENSE and view.x_places.names is None:
            axes.fill_between(at, values - low, values + spread, color=colour, alpha=0.2, linewidth=0)
        else:
            axes.errorbar(at, values, yerr=[low, spread], fmt="none", ecolor=colour, capsize=2.5, elinewidth=width(0.7))
    if bottom is not None:
        axes.set_ylim(bottom=bottom)


def placed(view: View, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows from left to right, with a column that says where they stand."""
    at = dict(zip(view.table.get_column(view.x).to_list(), view.x_places.at, strict=True))
    where = pl.Series(PLACE, [at[value] for value in rows.get_column(view.x)], pl.Float64)
    return rows.with_columns(where).sort(PLACE, maintain_order=True)


def finish(cells: Sequence[Axes], view: View) -> None:
    """The vertical axes, when everything is drawn: from zero on unless values lie close together, or logarithmic.

    They hold the intervals of all panels, of which a logarithmic one goes down by ten times at most.
    """
    low = min(cell.dataLim.y0 for cell in cells)
    high = max(cell.dataLim.y1 for cell in cells)
    for cell in cells:
        if view.is_log_y:
            logarithmic_with_zero(cell)
            _hold_intervals(cell, view)
            continue
        cell.ticklabel_format(axis="y", useOffset=False)
        if low == high == 0:
            cell.set_ylim(-0.05, 1)
        elif 0 <= low < 0.5 * high:
            cell.set_ylim(0, 1.05 * high)


def _hold_intervals(axes: Axes, view: View) -> None:
    """Room on a logarithmic axis for the intervals that are drawn later."""
    values = view.table.get_column(view.metric).to_numpy() / view.scale[0]
    spread = spread_of(view.table, view.metric) / view.scale[0]
    (bottom, top), above = axes.get_ylim(), (values - spread)[values > spread]
    if spread.any() and (values > 0).all() and len(above):
        bottom = min(bottom, max(float(above.min()), float(values.min()) / _WIDE) / _ROOM)
    axes.set_ylim(bottom, max(top, float((values + spread).max()) * _ROOM) if spread.any() else top)


def name_places(axes: Axes, spots: Places, *, is_log: bool, across: int = 1) -> None:
    """Ticks along x: names, few values each with its own, plain numbers; less of each where pictures are `across`."""
    from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

    if spots.names is not None:
        step = -(-len(spots.names) * across // _MOST_NAMES)
        shown = list(enumerate(spots.names))[::step]
        axes.set_xticks([k for k, _ in shown], [name for _, name in shown])
        _turn_long_names(axes, across)
        axes.set_xlim(-0.4, len(spots.names) - 0.6)
        return
    if is_log:
        axes.set_xscale("log")
        if min(spots.at) >= _PLAIN_LEAST and max(spots.at) <= _PLAIN_MOST:
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    values = sorted(set(spots.at))
    if len(values) <= _MOST_TICKS and _are_apart(values, 0.07 * across, is_log=is_log):
        axes.set_xticks(values, [f"{value:g}" for value in values])
        if is_log:
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_minor_formatter(NullFormatter())


def _turn_long_names(axes: Axes, across: int) -> None:
    """Names along x that need more room than there is side by side stand aslant."""
    labels = axes.get_xticklabels()
    if sum(len(label.get_text()) for label in labels) > _MOST_LETTERS // across:
        axes.tick_params(axis="x", labelrotation=30)
        for label in labels:
            label.set_horizontalalignment("right")


def _are_apart(values: Sequence[float], room: float, *, is_log: bool) -> bool:
    """Whether there is room for a number at each, which takes this share of the width."""
    where = np.log(values) if is_log and values[0] > 0 else np.asarray(values)
    return len(values) < 2 or bool(np.diff(where).min() >= room * (where[-1] - where[0]))


def colours(axes: Axes, view: View, rows: pl.DataFrame, span: tuple[float, float]) -> QuadMesh:
    """The figure as a colour at each pair of values of x and of the other axis, with its number where there is room."""
    other = view.by[0]
    across, up = (_ordered(view.table.get_column(name).to_list()) for name in (view.x, other))
    grid, spread = np.full((len(up), len(across)), np.nan), np.zeros((len(up), len(across)))
    places_x, places_y = ({value: k for k, (value, _) in enumerate(side)} for side in (across, up))
    where = (
        [places_y[value] for value in rows.get_column(other)],
        [places_x[value] for value in rows.get_column(view.x)],
    )
    grid[where] = rows.get_column(view.metric) / view.scale[0]
    spread[where] = spread_of(rows, view.metric) / view.scale[0]
    axes.set_facecolor("0.85")
    mesh = axes.pcolormesh(np.ma.masked_invalid(grid), cmap="viridis", vmin=span[0], vmax=span[1], edgecolors="none")
    _write_cells(axes, grid, spread, span, room=_MOST_COLUMNS_WITH_SPREAD // len(view.multiples()))
    for side, set_ticks in ((across, axes.set_xticks), (up, axes.set_yticks)):
        step = -(-len(side) // _MOST_TICKS_OF_MAP)
        shown = list(enumerate(side))[::step]
        set_ticks([k + 0.5 for k, _ in shown], [text for _, (_, text) in shown], fontsize="small")
    _turn_long_names(axes, len(view.multiples()))
    axes.set_xlabel(view.title(view.x, places([value for value, _ in across]).unit))
    axes.set_ylabel(view.title(other, places([value for value, _ in up]).unit))
    return mesh


def _ordered(values: Sequence[object]) -> list[tuple[object, str]]:
    """The distinct values from the least to the greatest, or as they come, with what stands at the tick."""
    distinct = list(dict.fromkeys(values))
    spots = places(distinct)
    if spots.names is not None:
        named = names(distinct)
        return [(value, named[str(value)]) for value in distinct]
    return [(distinct[k], f"{spots.at[k]:g}") for k in np.argsort(spots.at, kind="stable")]


def _write_cells(
    axes: Axes, grid: NDArray[np.float64], spread: NDArray[np.float64], span: tuple[float, float], *, room: int
) -> None:
    """Numbers in the cells, in the unit that stands at the colours; half widths too up to `room` columns."""
    if grid.shape[1] > _MOST_COLUMNS_WITH_TEXT or grid.shape[0] > _MOST_ROWS_WITH_TEXT:
        return
    for (up, across), value in np.ndenumerate(grid):
        if not np.isfinite(value):
            continue
        text = f"{value:.3g}"
        if spread[up, across] > 0 and grid.shape[1] <= room:
            text += f"\n± {spread[up, across]:.2g}"
        share = (value - span[0]) / ((span[1] - span[0]) or 1.0)
        colour = "black" if share > _LIGHT else "white"
        axes.text(across + 0.5, up + 0.5, text, ha="center", va="center", fontsize="x-small", color=colour)
