"""Pictures of runs. A plot takes an `Axes` and a table and returns nothing; no style is set for anybody else.

`photocol plot DIR` draws them all; `result.plot.goodput()` draws one on a new figure, or on the `Axes` it is given.
Tables of several results can be drawn together: `together({"a": one.flows, "b": other.flows})` makes one table of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.plot.axes import course, goodput_distribution, link_utilization, losses, samples
from photocol.plot.files import Pictures, pictures_of, save_all, save_figure
from photocol.plot.sparkline import sparklines
from photocol.plot.style import COLUMN_INCHES, PAGE_INCHES, SIZE_INCHES, Look, frame, looks, new_figure
from photocol.plot.tables import Chosen, together
from photocol.runs.pictures import logarithmic_with_zero, save_png

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from photocol.runs.results import Result

__all__ = [
    "COLUMN_INCHES",
    "PAGE_INCHES",
    "SIZE_INCHES",
    "Chosen",
    "Look",
    "Pictures",
    "Plots",
    "course",
    "frame",
    "goodput_distribution",
    "link_utilization",
    "logarithmic_with_zero",
    "looks",
    "losses",
    "new_figure",
    "samples",
    "save_all",
    "save_figure",
    "save_png",
    "sparklines",
    "together",
]


class Plots:
    """The pictures of one result: all of them when called, one a method, on `axes` or on a new figure."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __call__(self) -> Figure:
        """All pictures of this result, as `photocol plot` draws them, one below the other on a new figure."""
        from matplotlib import pyplot

        pictures = pictures_of({"": self._result})
        if not pictures:
            raise ValueError("nothing to draw: no link carried anything, no flow has a goodput, nothing was sampled")
        width, height = SIZE_INCHES
        figure = pyplot.figure(figsize=(width, height * len(pictures)), layout="constrained")
        for place, (draw, table) in enumerate(pictures.values(), start=1):
            draw(figure.add_subplot(len(pictures), 1, place), table)
        return figure

    def link_utilization(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.link_utilization` of this result."""
        return _drawn(link_utilization, axes, self._result.links)

    def goodput(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.goodput_distribution` of this result."""
        return _drawn(goodput_distribution, axes, self._result.flows)

    def losses(self, axes: Axes | None = None, *, of: str | None = None) -> Axes:
        """`photocol.plot.losses` of this result; `of` is a class of the table `drops`, bursts by default."""
        table = self._result.drops
        classes = table["class"].unique(maintain_order=True).to_list()
        if not classes or (of is not None and of not in classes):
            raise ValueError(f"no drops of {of or 'anything'} (there are: {', '.join(classes) or 'none'})")
        wanted = of or ("burst" if "burst" in classes else classes[0])
        return _drawn(losses, axes, table.filter(table["class"] == wanted))

    def series(self, quantity: str, axes: Axes | None = None) -> Axes:
        """`photocol.plot.samples` of one quantity of this result; ValueError if it was not sampled."""
        table = self._result.series.filter(self._result.series["quantity"] == quantity)
        if table.is_empty():
            sampled = ", ".join(sorted(self._result.series["quantity"].unique())) or "nothing"
            raise ValueError(f"{quantity!r} was not sampled (there is: {sampled}); a scenario's [probe] says what is")
        return _drawn(samples, axes, table)

    def text(self, *, width: int = 48) -> str:
        """The samples as lines of text (`photocol.plot.sparklines`)."""
        return sparklines(self._result.series, width=width)


def _drawn(draw: Callable[[Axes, pl.DataFrame], None], axes: Axes | None, table: pl.DataFrame) -> Axes:
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.figure(figsize=SIZE_INCHES, layout="constrained").add_subplot()
    draw(axes, table)
    return axes
