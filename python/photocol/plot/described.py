"""Pictures of an experiment's table by description: which column along which axis, a line for each value of another.

`Lines("load_percent", "mean_queue", labels=("load (%)", "packets that wait"))` is the `draw` of a plot. Intervals stand
at the points that have some, and what a source prints beside them, dashed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from photocol.plot.style import frame, looks

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

Expected = Mapping[Any, float] | Callable[[Any], float]
"""Values by place, or a formula."""


@dataclass(frozen=True)
class Lines:
    """A description, which draws itself."""

    x: str
    y: str
    labels: tuple[str, str]
    """Of the axes, with units."""
    by: str = ""
    """The axis of which each value has a line; all rows are one line without it."""
    of: Sequence[Hashable] = ()
    """These values of it, in this order; all that the table has by default."""
    where: Mapping[str, object] = field(default_factory=dict)
    """Values of further axes."""
    looks: Mapping[Hashable, tuple[str, str]] = field(default_factory=dict)
    """Colour and format of each line."""
    expected: Mapping[str, Expected] = field(default_factory=dict)
    """Label to what a source has, or a closed form."""
    scales: str = ""
    """`x`, `y` or both: logarithmic."""

    def __call__(self, axes: Axes, table: pl.DataFrame) -> None:
        """Draw a table."""
        for axis, wanted in self.where.items():
            table = table.filter(table[axis] == wanted)
        names = self.of or (table[self.by].unique(maintain_order=True).to_list() if self.by else [None])
        for name, look in zip(names, looks(len(names)), strict=True):
            rows = (table.filter(table[self.by] == name) if self.by else table).sort(self.x)
            colour, style = self.looks.get(name, (look.colour, f"{look.marker}-"))
            bars = rows[f"{self.y}_half_width"].fill_nan(0) if f"{self.y}_half_width" in rows.columns else None
            label: dict[str, Any] = {"label": str(name)} if self.by else {}
            axes.errorbar(rows[self.x], rows[self.y], bars, fmt=style, color=colour, capsize=2, markersize=4, **label)
        places = sorted(set(table[self.x].to_list()))
        for (name, said), line in zip(self.expected.items(), ("--", ":", "-."), strict=False):
            points = {x: said(x) for x in places} if callable(said) else said
            axes.plot(list(points), list(points.values()), line, color="0.4", label=name)
        for axis, scale in (("x", axes.set_xscale), ("y", axes.set_yscale)):
            scale("log" if axis in self.scales else "linear")
        axes.set_xlabel(self.labels[0])
        axes.set_ylabel(self.labels[1])
        frame(axes)
