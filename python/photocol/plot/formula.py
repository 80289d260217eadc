"""A closed-form model laid over a picture of a sweep: `erlang-b.utilization(load=x*16, servers=by)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from photocol.errors import InputError
from photocol.plot.labels import places
from photocol.plot.style import OVERLAY_COLOURS, OVERLAY_LINES, width
from photocol.quantity import factor
from photocol.sweeps.swept import near

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.plot.style import Look
    from photocol.plot.view import View

_TIMES = r"(?:(?P<by>[*/])\s*(?P<number>[\d.eE+-]+))?\s*"
_FORMULA = re.compile(rf"\s*(?P<model>[\w-]+)(?:\.(?P<output>\w+))?\s*(?:\((?P<inputs>.*)\))?\s*{_TIMES}")
_NUMBER_FIRST = r"(?:(?P<first>\d+\.?\d*(?:[eE][+-]?\d+)?)\s*\*\s*)?"
_TERM = re.compile(rf"\s*{_NUMBER_FIRST}(?P<axis>[\w.-]+?)\s*{_TIMES}")
_POINTS = 200
"""Of a formula's curve."""
_BELOW = 30.0
"""On a logarithmic axis a formula is followed down to this part of the least value of the sweep."""


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
        line = OVERLAY_LINES[place % len(OVERLAY_LINES)]
        for curve, part in parts:
            at, values = self._values(axes, view, part, told, output["name"])
            values = values * (self.times * factor(output["unit"], view.table.unit(view.metric)) / view.scale[0])
            if view.is_log_y:
                values = np.where(values < _least(view) / _BELOW, np.nan, values)
            colour = known[curve].colour if is_each else OVERLAY_COLOURS[place % len(OVERLAY_COLOURS)]
            axes.plot(
                at,
                values,
                color=colour,
                linestyle=line,
                linewidth=width(),
                label="_of a curve" if is_each else self.name,
                zorder=1.9,
            )
        if is_each:
            # In the legend it is of no curve's colour.
            axes.plot([], [], color=OVERLAY_COLOURS[1], linestyle=line, linewidth=width(), label=self.name)

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
                told[name] = (names[term["axis"]], _factor("*", term["first"]) * _factor(term["by"], term["number"]))
        if any(axis == view.x for axis, _ in told.values()):
            return told
        numbers = [one["name"] for one in self.about["inputs"] if one["kind"] == "number"]
        left = [name for name in numbers if name not in self.given]
        same = [name for name in left if name in (view.x, view.x.rpartition(".")[2])] or left
        if len(same) != 1:
            example = (left or numbers)[0]
            raise InputError(
                f"{self.name!r}: say which input is {view.x}, as in {example}=x, {example}=4*x or {example}=x/10"
            )
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
                unit, into = spots.unit or "1", units[name] or "1"
                along[name] = times * (factor(unit, into) if _is_convertible(unit, into) else 1)
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


def _least(view: View) -> float:
    """The least value above zero, as it is drawn."""
    values = view.table.get_column(view.metric).to_numpy() / view.scale[0]
    return float(values[values > 0].min()) if (values > 0).any() else 0.0


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
    if not is_number(number) or float(number) == 0:
        raise InputError(f"{by}{number}: times or divided by a number other than zero")
    return 1 / float(number) if by == "/" else float(number)


def _number(text: str) -> Any:
    return float(text) if is_number(text) else text


def is_number(text: str) -> bool:
    """Whether Python reads it as one."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_convertible(unit: str, into: str) -> bool:
    try:
        factor(unit or "1", into or "1")
    except InputError:
        return False
    return True
