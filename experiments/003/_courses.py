"""Pictures of time series by description: a curve for each of some runs, or for each of some flows of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.experiment import Plot
from photocol.plot import course, frame, looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Courses:
    """A description, which draws itself."""

    curves: Mapping[str, tuple[Mapping[str, object], str]]
    """Label to the axes of a run, and the column that is drawn of it."""
    label: str
    """Of the column, with its unit."""
    told: str = "means and ranges of spans"
    """Behind the label of the time; nothing if all samples are drawn, as lines."""
    until_s: float = math.inf
    level: float | None = None
    """A dotted line."""
    linear_below: float = 0.0
    """Above it the vertical axis is logarithmic, if it is not 0."""

    def __call__(self, axes: Axes, curves: pl.DataFrame) -> None:
        """Draw the curves of an outcome."""
        for look, (label, (run, column)) in zip(looks(len(self.curves)), self.curves.items(), strict=True):
            chosen = curves.filter(curves["t_s"] <= self.until_s, curves[column].is_finite(), **run)
            if self.told:
                course(axes, chosen["t_s"], chosen[column], look, label)
            else:
                style = {"color": look.colour, "linestyle": look.line, "linewidth": 0.8}
                axes.plot(chosen["t_s"], chosen[column], label=label, **style)
        if self.level is not None:
            axes.axhline(self.level, color="0.45", linestyle=":", linewidth=1)
        axes.set_xlabel(f"time (s); {self.told}" if self.told else "time (s)")
        axes.set_ylabel(self.label)
        if self.linear_below:
            axes.set_yscale("symlog", linthresh=self.linear_below)
        axes.set_ylim(0, max(axes.get_ylim()[1], 2 * self.linear_below))
        frame(axes)

    def plot(self, name: str) -> Plot:
        """The picture of an experiment."""
        return Plot(name=name, draw=self, of="curves")
