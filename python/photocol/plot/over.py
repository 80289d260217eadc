"""What is laid over a picture of a sweep: a closed-form model, points of a file, another run or sweep.

erlang-b(servers=16)                    the input that is left, the load, is x
erlang-b.utilization(servers=by)        an output by its name; an input takes the values of an axis, or of x and by
erlang-b(load=x*16, servers=16)         times or divided by a number
published.csv                           x, y and perhaps a half width a line; a head may say units: goodput (Gb/s)
out/other                               a run is a line across, a sweep its curves along the same axis
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from photocol import files
from photocol.errors import InputError
from photocol.plot.labels import axis_title, places
from photocol.plot.style import marker_size, width
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

_TIMES = r"(?:(?P<by>[*/])\s*(?P<number>[\d.eE+-]+))?\s*"
_FORMULA = re.compile(rf"\s*(?P<model>[\w-]+)(?:\.(?P<output>\w+))?\s*(?:\((?P<inputs>.*)\))?\s*{_TIMES}")
_TERM = re.compile(rf"\s*(?P<axis>[\w.-]+?)\s*{_TIMES}")
_HEAD = re.compile(r"\s*(?P<name>.*?)\s*(?:\((?P<unit>[^)]*)\))?\s*")
_COLOURS = ("black", "0.35", "0.55")
_LINES = ("--", ":", "-.")
_MARKERS = ("x", "+", "*", "1")
_POINTS = 200
"""Of a formula's curve."""
_BELOW = 30.0
"""On a logarithmic axis a formula is followed down to this part of the least value of the sweep."""


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


def overlays(said: Sequence[str | PathLike[str]]) -> list[Overlay]:
    """What these texts name. Raises InputError for what is neither a formula, a file nor a directory."""
    return [_overlay(str(one)) for one in said]


def _overlay(text: str) -> Overlay:
    path = Path(text)
    if path.is_dir():
        return Swept(path.resolve().name, SweepTable.load(path)) if is_campaign(path) else Run.of(path)
    if path.is_file() or path.suffix.lower() in (".csv", ".txt", ".dat"):
        return Points.of(path)
    return Formula.of(text)


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A closed-form model over the axes of the sweep."""

    name: str
    about: Mapping[str, Any]
    output: str | None
    given: Mapping[str, str]
    times: float = 1.0

    @classmethod
    def of(cls, text: str) -> Formula:
        """A formula as it is written. Raises InputError, with the nearest name of a model."""
        from photocol.runs import models

        found = _FORMULA.fullmatch(text)
        if found is None or found["model"] not in models.names():
            name = found["model"] if found is not None else text
            hint = near(name, models.names())
            raise InputError(f"{text!r} is no file, no directory and no model; of models {hint}")
        about = models.describe(found["model"])
        pairs = [one.partition("=") for one in _split(found["inputs"] or "")]
        inputs = [one["name"] for one in about["inputs"]]
        outputs = [one["name"] for one in about["outputs"]]
        for name, equals, _ in pairs:
            if not equals or name.strip() not in inputs:
                raise InputError(f"{text!r}: {found['model']} has no input {name.strip()!r}; {near(name, inputs)}")
        if found["output"] is not None and found["output"] not in outputs:
            hint = near(found["output"], outputs)
            raise InputError(f"{text!r}: {found['model']} has no output {found['output']!r}; {hint}")
        given = {name.strip(): value.strip() for name, _, value in pairs}
        times = _factor(found["by"], found["number"])
        return cls(name=text.strip(), about=about, output=found["output"], given=given, times=times)

    def fits(self, view: View, *, is_alone: bool) -> bool:
        """By the name and the unit of an output; a picture that is alone takes the first output of its unit."""
        return self._output(view, is_alone=is_alone) is not None

    def draw(self, axes: Axes, view: View, rows: pl.DataFrame, known: Mapping[str, Look], place: int) -> None:
        """A line for each curve that the formula tells from others, or one for all."""
        output = self._output(view, is_alone=True)
        assert output is not None, "what does not fit is not drawn"
        told = self._bound(view)
        follows = {axis for axis, _ in told.values()}
        is_each = bool(follows & set(view.by))
        parts = view.parts(rows) if is_each else [("", rows)]
        for number, (curve, part) in enumerate(parts):
            at, values = self._values(axes, view, part, told, output["name"])
            values = values * (self.times * factor(output["unit"], view.table.unit(view.metric)) / view.scale[0])
            if view.is_log_y:
                values = np.where(values < _least(view) / _BELOW, np.nan, values)
            colour = known[curve].colour if is_each else _COLOURS[place % len(_COLOURS)]
            axes.plot(
                at,
                values,
                color=colour,
                linestyle=_LINES[place % len(_LINES)],
                linewidth=width(),
                label=self.name if number == 0 else "_more",
                zorder=1.9,
            )

    def _output(self, view: View, *, is_alone: bool) -> Mapping[str, Any] | None:
        unit = view.table.unit(view.metric)
        fitting = [one for one in self.about["outputs"] if _is_convertible(one["unit"], unit)]
        if self.output is not None:
            return next((one for one in fitting if one["name"] == self.output and is_alone), None) or next(
                (one for one in fitting if one["name"] == self.output and one["name"] in view.metric), None
            )
        named = [one for one in fitting if one["name"] in view.metric]
        return next(iter(named or (fitting if is_alone else [])), None)

    def _bound(self, view: View) -> dict[str, tuple[str, float]]:
        """Input to the axis that it follows, and a factor. Raises InputError if none follows x."""
        names = {"x": view.x, **({"by": view.by[0]} if view.by else {})}
        names |= {axis: axis for axis in view.table.axes} | {axis.rpartition(".")[2]: axis for axis in view.table.axes}
        told: dict[str, tuple[str, float]] = {}
        for name, value in self.given.items():
            term = _TERM.fullmatch(value)
            if term is not None and term["axis"] in names:
                told[name] = (names[term["axis"]], _factor(term["by"], term["number"]))
        if any(axis == view.x for axis, _ in told.values()):
            return told
        numbers = [one["name"] for one in self.about["inputs"] if one["kind"] == "number"]
        left = [name for name in numbers if name not in self.given]
        same = [name for name in left if name in (view.x, view.x.rpartition(".")[2])] or left
        if len(same) != 1:
            raise InputError(f"{self.name!r}: say which input is {view.x}, as in {(left or numbers)[0]}=x")
        return {**told, same[0]: (view.x, 1.0)}

    def _values(
        self, axes: Axes, view: View, rows: pl.DataFrame, told: Mapping[str, tuple[str, float]], output: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the curve goes: finely, or at the points of the sweep where the formula wants whole numbers."""
        from photocol.runs.models import model

        spots = places(view.table.get_column(view.x).to_list())
        if spots.names is not None:
            raise InputError(f"{self.name!r}: {view.x} has no numbers along which a formula could go")
        units = {one["name"]: one["unit"] for one in self.about["inputs"]}
        fixed: dict[str, Any] = {name: value for name, value in self.given.items() if name not in told}
        fixed = {name: _number(value) for name, value in fixed.items()}
        along = {}
        for name, (axis, times) in told.items():
            if axis == view.x:
                along[name] = times * (
                    factor(spots.unit, units[name]) if _is_convertible(spots.unit, units[name]) else 1
                )
            else:
                fixed[name] = _of_axis(rows, axis, times)
        own = np.unique(spots.at)
        for at in (_fine(own, is_log=axes.get_xscale() == "log"), own):
            try:
                found = model(self.about["name"], **fixed, **{name: at * times for name, times in along.items()})
            except InputError as error:
                refused = error
            else:
                return at, np.asarray(found[output], dtype=np.float64)
        raise InputError(f"{self.name!r}: {refused}")


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
        head = cells.pop(0)[1] if cells and not all(map(_is_number, cells[0][1])) else []
        rows = []
        for number, line in cells:
            if len(line) < 2 or not all(one == "" or _is_number(one) for one in line[:3]):
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
        colour, marker = _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]
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
                color=_COLOURS[place % len(_COLOURS)],
                linestyle=_LINES[(place + number) % len(_LINES)],
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
        figure, colour = self.summary[view.metric], _COLOURS[place % len(_COLOURS)]
        value = float(figure) / view.scale[0]
        axes.axhline(value, color=colour, linestyle=_LINES[place % len(_LINES)], linewidth=width(), label=self.name)
        if figure.half_width is not None and np.isfinite(figure.half_width):
            half = figure.half_width / view.scale[0]
            axes.axhspan(value - half, value + half, color=colour, alpha=0.1, linewidth=0)


def _least(view: View) -> float:
    """The least value above zero, as it is drawn."""
    values = view.table.get_column(view.metric).to_numpy() / view.scale[0]
    return float(values[values > 0].min()) if (values > 0).any() else 0.0


def _bars(values: NDArray[np.float64], spread: NDArray[np.float64], view: View) -> list[NDArray[np.float64]] | None:
    """Half widths below and above; on a logarithmic axis none below where the interval holds zero."""
    if not spread.any():
        return None
    low = np.where(spread < values, spread, np.nan) if view.is_log_y else spread
    return [low, spread]


def _split(text: str) -> list[str]:
    """At the commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def _fine(own: NDArray[np.float64], *, is_log: bool) -> NDArray[np.float64]:
    low, high = float(own[0]), float(own[-1])
    return np.geomspace(low, high, _POINTS) if is_log and low > 0 else np.linspace(low, high, _POINTS)


def _of_axis(rows: pl.DataFrame, axis: str, times: float) -> Any:
    """The value of an axis that is the same in these rows."""
    value = rows.get_column(axis)[0]
    if rows.get_column(axis).n_unique() > 1:
        raise InputError(f"a formula follows x and the axes of curves and panels; {axis} is neither")
    return value * times if isinstance(value, int | float) else value


def _factor(by: str | None, number: str | None) -> float:
    """Times or divided by a number. Raises InputError."""
    if number is None:
        return 1.0
    if not _is_number(number) or float(number) == 0:
        raise InputError(f"{by}{number}: times or divided by a number other than zero")
    return 1 / float(number) if by == "/" else float(number)


def _number(text: str) -> Any:
    return float(text) if _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _head(text: str) -> tuple[str, str]:
    """Name and unit of a column: `goodput (Gb/s)`, or by the ending of the name."""
    found = _HEAD.fullmatch(text)
    assert found is not None, "any text matches"
    if found["unit"]:
        return found["name"], found["unit"]
    title = axis_title(text, [text])
    inner = _HEAD.fullmatch(title)
    return (text, inner["unit"] or "") if inner is not None else (text, "")


def _is_convertible(unit: str, into: str) -> bool:
    try:
        factor(unit or "1", into or "1")
    except InputError:
        return False
    return True
