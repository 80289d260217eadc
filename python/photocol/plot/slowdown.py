"""The pictures of the slowdown by the size of flows: a curve a result or class, on one axes or on many of one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.by_size import DECADES, LAW, PERCENTILES, BySize, slowdowns
from photocol.plot.labels import plain
from photocol.plot.style import frame, looks, marker_size, width
from photocol.plot.tables import OF
from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from matplotlib.axes import Axes

    from photocol.plot.style import Look

_LINES = {"p50": "-", "p95": "--", "p99": ":"}
_ENDS = ("", "_low", "_high")
_NEAR = 4.0
"""Slowdowns within this factor stand on a linear axis."""
_WIDE = 10.0
"""So far beyond the values an axis goes for their intervals."""
_ROOM = 1.1


def slowdown_by_size(
    axes: Axes, flows: pl.DataFrame, *, percentiles: Sequence[str] = ("p50", "p95"), bins: str | int = DECADES
) -> None:
    """Percentiles of the slowdown by the size of flows, a curve a class, with their bootstrap intervals at 95 %.

    `flows` is what `sized_flows` gives. Arguments: some of "p50", "p95", "p99"; "decades", "law", or the number of
    ranges with as many flows each. Raises InputError for others.
    """
    how = BySize(percentiles=percentiles, bins=bins)
    draw_slowdowns(axes, slowdowns(flows, how), how)


def draw_slowdowns(axes: Axes, table: pl.DataFrame, how: BySize) -> None:
    """A table of `slowdowns` by itself; what has to be known of its flows stands below."""
    draw_panels([axes], [table], how)
    said = "; ".join([counted(table), *remarks([table], how)])
    if how.bins == LAW:
        axes.set_xlabel(f"size of the flow (equal widths: equal shares of {said})")
    else:
        axes.set_xlabel(f"size of the flow (kB; {said})")


def draw_panels(cells: Sequence[Axes], tables: Sequence[pl.DataFrame], how: BySize) -> None:
    """A table of `slowdowns` on each of the axes: one scale, and one look a curve, for all of them."""
    every = pl.concat(tables)
    curves = every.select(OF, "class").unique(maintain_order=True).sort(OF, "class", maintain_order=True).rows()
    known = dict(zip(curves, looks(len(curves)), strict=True))
    words = [PERCENTILES[rank][0] for rank in how.percentiles]
    is_one = len(words) == 1
    for axes, table in zip(cells, tables, strict=True):
        _curves(axes, table, how, known)
        for rank, word in zip(how.percentiles, words, strict=True):
            if not is_one and every.get_column(f"slowdown_{rank}").count():
                axes.plot([], [], color="0.3", linestyle=_LINES[rank], linewidth=width(), label=word)
        _name_sizes(axes, every, how)
        axes.set_ylabel(f"slowdown{f', {words[0]}' if is_one else ''} (time / time on the empty path)")
    low, high, is_log = _limits(every, how)
    for axes in cells:
        axes.set_yscale("log" if is_log else "linear")
        axes.set_ylim(low, high)
        frame(axes)


def counted(table: pl.DataFrame, of: str = "") -> str:
    """How many flows there are, `of` what, and how many of them did not complete."""
    number, done = (int(table[name].sum()) for name in ("flows", "completed"))
    left = number - done
    said = f"{number:,} flow{'s' if number != 1 else ''}{f' of {of}' if of else ''}"
    return f"{said}, of which {left:,} did not complete" if left else said


def remarks(tables: Sequence[pl.DataFrame], how: BySize) -> list[str]:
    """What these tables have that the picture does not show."""
    every = pl.concat(tables)
    gone = sum(every.get_column(f"slowdown_{rank}").null_count() for rank in how.percentiles)
    said = [f"{gone} point{'s' if gone > 1 else ''} with too few flows {'are' if gone > 1 else 'is'} left out"]
    low, high, _ = _limits(every, how)
    least, most = _ends_of(every, how, _ENDS)
    return [*(said if gone else []), *(["some intervals go on beyond the axis"] if least < low or most > high else [])]


def _limits(table: pl.DataFrame, how: BySize) -> tuple[float, float, bool]:
    """From where to where the vertical axis goes, and whether it is logarithmic.

    It holds all points, and intervals up to ten times beyond them.
    """
    low, high = _ends_of(table, how, ("",))
    least, most = _ends_of(table, how, _ENDS)
    most = min(most, _WIDE * high)
    if high > _NEAR * low > 0:
        return max(least, low / _WIDE) / _ROOM, most * _ROOM, True
    return 0.0, 1.05 * most if high > 0 else 1.0, False


def _ends_of(table: pl.DataFrame, how: BySize, ends: Sequence[str]) -> tuple[float, float]:
    """The least and the greatest of these columns of all percentiles; zeros without any."""
    columns = [table.get_column(f"slowdown_{rank}{end}") for rank in how.percentiles for end in ends]
    values = [float(value) for column in columns for value in column.drop_nulls()]
    return min(values, default=0.0), max(values, default=0.0)


def _curves(axes: Axes, table: pl.DataFrame, how: BySize, known: Mapping[tuple[object, ...], Look]) -> None:
    """A colour and a marker a result or class, a line a percentile. One without any point is none."""
    is_one = len(how.percentiles) == 1
    for (name, kind), part in table.partition_by(OF, "class", as_dict=True, maintain_order=True).items():
        if not any(part[f"slowdown_{rank}"].count() for rank in how.percentiles):
            continue
        look, at = known[name, kind], _at(part, how)
        for number, rank in enumerate(how.percentiles):
            value, low, high = (part.get_column(f"slowdown_{rank}{end}").to_numpy() for end in _ENDS)
            axes.plot(
                at,
                value,
                color=look.colour,
                linestyle=look.line if is_one else _LINES[rank],
                marker=look.marker,
                markerfacecolor=look.colour if number == 0 else "white",
                markersize=marker_size(),
                linewidth=width(),
                label=plain(": ".join(filter(None, (str(name), str(kind))))) if number == 0 else "_more",
            )
            axes.fill_between(at, low, high, color=look.colour, alpha=0.15, linewidth=0)
            # A band of one point has no width.
            axes.vlines(at, low, high, color=look.colour, linewidth=width() / 2, alpha=0.5)


def _name_sizes(axes: Axes, table: pl.DataFrame, how: BySize) -> None:
    """The horizontal axis: sizes, or of a law the shares of flows with the sizes at their ends."""
    if how.bins != LAW:
        axes.set_xscale("log")
        axes.set_xlabel("size of the flow (kB)")
        return
    edges = table.select("share_to", "size_to_bytes").unique().sort("share_to").rows()
    first = float(table["size_from_bytes"].min() or 0)  # type: ignore[arg-type]
    sizes = [readable(size, "B").replace(" ", "\N{NO-BREAK SPACE}") for size in (first, *(to for _, to in edges))]
    axes.set_xlim(0, 1)
    axes.set_xticks([0.0, *(share for share, _ in edges)], sizes, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_xlabel("size of the flow")


def _at(part: pl.DataFrame, how: BySize) -> np.ndarray:
    """Where the points of a curve stand: at the median size of all flows of their range."""
    if how.bins == LAW:
        return ((part.get_column("share_from") + part.get_column("share_to")) / 2).to_numpy()
    return part.get_column("size_middle_bytes").to_numpy() / 1e3
