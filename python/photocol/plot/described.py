"""Pictures of an experiment's table by description: which column along which axis, a line for each value of others.

`Lines("load_percent", "mean_queue", labels=("load (%)", "packets that wait"))` is the `draw` of a plot. Intervals stand
at the points that have some, and what a source prints beside them, dashed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from photocol.plot.style import frame, looks
from photocol.runs.pictures import logarithmic_with_zero

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

Expected = Mapping[Any, float] | Callable[[Any], float] | float
"""Values by place, a formula, or one value."""


@dataclass(frozen=True)
class Lines:
    """A description, which draws itself."""

    x: str
    y: str | Sequence[str]
    """A column, or several, each of which has a line."""
    labels: tuple[str, str]
    """Of the axes, with units."""
    by: str | Sequence[str] = ()
    """The axis, or the axes, of which each value has a line; all rows are one line without."""
    of: Sequence[Any] = ()
    """These values of it, or tuples of values, in this order; all that the table has by default."""
    where: Mapping[str, object] = field(default_factory=dict)
    """Values of further axes."""
    looks: Mapping[Any, tuple[str, str]] = field(default_factory=dict)
    """Colour and format of each line; the markers of broken lines are hollow."""
    names: Mapping[Any, str] = field(default_factory=dict)
    """Of lines, of the values of an axis, or of columns, in the legend; what they are called by default."""
    expected: Mapping[str, Expected] = field(default_factory=dict)
    """Label to what a source has, or a closed form."""
    scales: str = ""
    """`x`, `y` or both: logarithmic; `2`: the horizontal one, by twos; `0`: the vertical one, with nothing on it."""
    low: float | None = None
    """Where the vertical axis begins."""

    def __call__(self, axes: Axes, table: pl.DataFrame) -> None:
        """Draw a table."""
        table = _where(table, self.where)
        by = (self.by,) if isinstance(self.by, str) else tuple(self.by)
        columns = (self.y,) if isinstance(self.y, str) else tuple(self.y)
        values = self.of or (table.select(by).unique(maintain_order=True).rows() if by else [()])
        lines = [(*(at if isinstance(at, tuple) else (at,)), column) for at in values for column in columns]
        for (*at, column), look in zip(lines, looks(len(lines)), strict=True):
            rows = _where(table, dict(zip(by, at, strict=True))).sort(self.x)
            if rows.is_empty():
                continue
            of = (*at, column) if len(columns) > 1 else tuple(at)
            name = of[0] if len(of) == 1 else of
            colour, style = self.looks.get(name, (look.colour, f"{look.marker}-"))
            half = f"{column}_half_width"
            bars = rows[half].fill_nan(0).fill_null(0) if half in rows.columns else None
            told = self.names.get(name) or ", ".join(str(self.names.get(one, one)) for one in of)
            label: dict[str, Any] = {"label": told} if of else {}
            label["markerfacecolor"] = colour if "-" in style.replace("--", "").replace("-.", "") else "none"
            axes.errorbar(rows[self.x], rows[column], bars, fmt=style, color=colour, capsize=2, markersize=4, **label)
        places = sorted(set(table[self.x].to_list()))
        for (label_of, said), line in zip(self.expected.items(), itertools.cycle(("--", ":", "-."))):
            points = said if isinstance(said, Mapping) else {x: said(x) if callable(said) else said for x in places}
            axes.plot(list(points), list(points.values()), line, color="0.4", label=label_of)
        for axis, scale in (("x", axes.set_xscale), ("y", axes.set_yscale)):
            scale("log" if axis in self.scales else "linear")
        if "2" in self.scales:
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter("{x:g}")
        if "0" in self.scales:
            logarithmic_with_zero(axes)
        if self.low is not None:
            axes.set_ylim(bottom=self.low)
        axes.set_xlabel(self.labels[0])
        axes.set_ylabel(self.labels[1])
        frame(axes)


def _where(table: pl.DataFrame, values: Mapping[str, object]) -> pl.DataFrame:
    """The rows with these values."""
    for axis, value in values.items():
        table = table.filter(table[axis] == value)
    return table
