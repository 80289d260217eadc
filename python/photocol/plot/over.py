"""What is laid over a picture of a sweep: a closed-form model, points of a file, another run or sweep.

erlang-b(servers=16)                    the input that is left, the load, is x
erlang-b.utilization(servers=by)        an output by its name; an input takes the values of an axis, or of x and by
erlang-b(load=x*16, servers=16)         times or divided by a number
published.csv                           x, y and perhaps a half width a line; a head may say units: goodput (Gb/s)
out/other                               a run is a line across, a sweep its curves along the same axis
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from photocol import files
from photocol.errors import InputError
from photocol.plot.formula import Formula, is_number
from photocol.plot.labels import axis_title, places, plain
from photocol.plot.style import OVERLAY_COLOURS, OVERLAY_LINES, marker_size, width
from photocol.plot.view import spread_of
from photocol.quantity import factor
from photocol.sweeps.swept import SweepTable, is_campaign, near

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.plot.style import Look
    from photocol.plot.view import View

_HEAD = re.compile(r"\s*(?P<name>.*?)\s*(?:\((?P<unit>[^)]*)\))?\s*")
_MARKERS = ("x", "+", "*", "1")


class Overlay(Protocol):
    """What can be laid over the curves of a figure."""

    @property
    def name(self) -> str:
        """As in the legend and in messages."""
        ...

    def fits(self, view: View, *, is_alone: bool) -> bool:
        """Whether it says something of this figure; alone, a picture is told more of."""
        ...

    def draw(self, axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], place: int) -> None:
        """Draw it over the curves of these rows, as the overlay number `place`. Raises InputError."""
        ...


def overlays(said: Sequence[str | PathLike[str]], labels: Sequence[str] = ()) -> list[Overlay]:
    """What these texts name, the first of them called by the labels.

    Raises InputError for what is neither a formula, a file nor a directory, and for labels without one.
    """
    if len(labels) > len(said):
        raise InputError(f"{len(labels)} labels for {len(said)} of what is laid over: {', '.join(labels)}")
    found = [_overlay(str(one)) for one in said]
    return [*map(_called, found, labels), *found[len(labels) :]]


def _called(overlay: Points | Swept | Run | Formula, label: str) -> Overlay:
    return replace(overlay, name=plain(label))


def _overlay(text: str) -> Points | Swept | Run | Formula:
    path = Path(text)
    if path.is_dir():
        return Swept(path.resolve().name, SweepTable.load(path)) if is_campaign(path) else Run.of(path)
    if path.is_file() or path.suffix.lower() in (".csv", ".txt", ".dat"):
        return Points.of(path)
    return Formula.of(text)


@dataclass(frozen=True, kw_only=True)
class Points:
    """Points that a file has."""

    name: str
    head: Sequence[str]
    rows: NDArray[np.float64]

    @classmethod
    def of(cls, path: Path) -> Points:
        """Columns x, y and perhaps a half width, with or without a head. Raises InputError, with the line."""
        try:
            text = files.text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
        lines = [(number, line.split("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1)]
        cells = [
            (number, [one.strip().strip('"') for one in re.split(r"[,;\t]", line)]) for number, line in lines if line
        ]
        if cells and len(cells[0][1]) < 2:
            cells = [(number, line.split()) for number, line in lines if line]
        head = cells.pop(0)[1] if cells and not all(map(is_number, cells[0][1])) else []
        rows = []
        for number, line in cells:
            if len(line) < 2 or not all(one == "" or is_number(one) for one in line[:3]):
                raise InputError(
                    f"{path}:{number}: x and y, and perhaps a half width, as numbers; found {', '.join(line)}"
                )
            rows.append([float(one or "nan") for one in ([*line, ""])[:3]])
        if not rows:
            raise InputError(f"{path} has no points")
        return cls(name=path.stem, head=head, rows=np.asarray(rows, dtype=np.float64))

    def fits(self, view: View, *, is_alone: bool) -> bool:
        """By the head; without one, a picture that is alone."""
        if len(self.head) < 2:
            return is_alone
        name = _head(self.head[1])[0].replace(" ", "_")
        return is_alone or name == view.metric or view.metric.startswith(name)

    def draw(self, axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], place: int) -> None:  # noqa: ARG002
        """Marks without a line; values are in the units of the head, else in those of the axis and of the table."""
        spots = places(view.table.get_column(view.x).to_list())
        x_unit, y_unit = ([*(_head(one)[1] for one in self.head[:2]), "", ""])[:2]
        x_times = self._times(x_unit, spots.unit)
        y_times = self._times(y_unit, view.table.unit(view.metric)) / view.scale[0]
        kept = self.rows[np.isfinite(self.rows[:, :2]).all(axis=1)]
        spread = np.nan_to_num(kept[:, 2]) * y_times
        colour, marker = OVERLAY_COLOURS[place % len(OVERLAY_COLOURS)], _MARKERS[place % len(_MARKERS)]
        axes.errorbar(
            kept[:, 0] * x_times,
            kept[:, 1] * y_times,
            yerr=_bars(kept[:, 1] * y_times, spread, view),
            fmt=marker,
            color=colour,
            markersize=1.3 * marker_size(),
            capsize=2,
            elinewidth=width(0.7),
            label=self.name,
        )

    def _times(self, unit: str, into: str) -> float:
        if not unit or not into or unit == into:
            return 1.0
        return factor(unit, into)


@dataclass(frozen=True)
class Swept:
    """Another sweep along the same axis."""

    name: str
    table: SweepTable = field(repr=False)

    def fits(self, view: View, *, is_alone: bool) -> bool:  # noqa: ARG002
        """Whether it has the figure."""
        return view.metric in self.table.metrics

    def draw(self, axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], place: int) -> None:  # noqa: ARG002
        """Its curves, dashed, each with the name of its directory. Raises InputError if it has no such axis."""
        if view.x not in self.table.axes:
            raise InputError(
                f"{self.name} has no axis {view.x!r} to lie over this sweep; {near(view.x, self.table.axes)}"
            )
        own = self.table.filter(pl.col(view.metric).is_not_null() & pl.col(view.metric).is_finite())
        if view.panels is not None and view.panels in own.columns:
            own = own.filter(pl.col(view.panels) == rows.get_column(view.panels)[0])
        spots = view.x_places
        here = dict(zip(view.table.get_column(view.x).to_list(), spots.at, strict=True))
        others = [axis for axis in self.table.axes if axis not in (view.x, view.panels)]
        parts = own.partition_by(*others, as_dict=True, maintain_order=True) if others else {(): own}
        for number, (key, part) in enumerate(parts.items()):
            values = part.get_column(view.x).to_list()
            at = [here.get(value) for value in values] if spots.names is not None else list(places(values).at)
            shown = (
                part.with_columns(pl.Series("place of x", at, pl.Float64)).drop_nulls("place of x").sort("place of x")
            )
            called = ", ".join(map(str, key))
            label = f"{self.name}: {called}" if called and len(parts) > 1 else self.name
            divisor = view.scale[0]
            axes.errorbar(
                shown.get_column("place of x"),
                shown.get_column(view.metric) / divisor,
                yerr=_bars(
                    shown.get_column(view.metric).to_numpy() / divisor, spread_of(shown, view.metric) / divisor, view
                ),
                marker=_MARKERS[number % len(_MARKERS)],
                markersize=marker_size(),
                linewidth=width(),
                capsize=2,
                label=label,
                color=OVERLAY_COLOURS[place % len(OVERLAY_COLOURS)],
                linestyle=OVERLAY_LINES[(place + number) % len(OVERLAY_LINES)],
            )


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished run: a line across."""

    name: str
    summary: Mapping[str, Any]

    @classmethod
    def of(cls, path: Path) -> Run:
        """The run in a directory. Raises InputError."""
        from photocol.runs.results import Result

        return cls(name=path.resolve().name, summary=Result.load(path).summary)

    def fits(self, view: View, *, is_alone: bool) -> bool:  # noqa: ARG002
        """Whether it has the figure."""
        return view.metric in self.summary

    def draw(self, axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], place: int) -> None:  # noqa: ARG002
        """The line, with its interval."""
        figure, colour = self.summary[view.metric], OVERLAY_COLOURS[place % len(OVERLAY_COLOURS)]
        value = float(figure) / view.scale[0]
        axes.axhline(
            value, color=colour, linestyle=OVERLAY_LINES[place % len(OVERLAY_LINES)], linewidth=width(), label=self.name
        )
        if figure.half_width is not None and np.isfinite(figure.half_width):
            half = figure.half_width / view.scale[0]
            axes.axhspan(value - half, value + half, color=colour, alpha=0.1, linewidth=0)


def _bars(values: NDArray[np.float64], spread: NDArray[np.float64], view: View) -> list[NDArray[np.float64]] | None:
    """Half widths below and above; on a logarithmic axis none below where the interval holds zero."""
    if not spread.any():
        return None
    low = np.where(spread < values, spread, np.nan) if view.is_log_y else spread
    return [low, spread]


def _head(text: str) -> tuple[str, str]:
    """Name and unit of a column: `goodput (Gb/s)`, or by the ending of the name."""
    found = _HEAD.fullmatch(text)
    assert found is not None, "any text matches"
    if found["unit"]:
        return found["name"], found["unit"]
    title = axis_title(text, [text])
    inner = _HEAD.fullmatch(title)
    return (text, inner["unit"] or "") if inner is not None else (text, "")
