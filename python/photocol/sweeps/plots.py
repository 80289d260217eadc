"""Pictures of a sweep: what its `[[plot]]` ask for is drawn when it is finished, and `table.plot()` draws any.

How they look is said by `photocol.plot`, which is imported when something is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.errors import InputError, did_you_mean
from photocol.sweeps.spec import SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from photocol.sweeps.spec import Drawing, Sweep
    from photocol.sweeps.swept import SweepTable


def save(drawings: Sequence[Drawing], table: SweepTable, folder: Path) -> list[str]:
    """`plot-1.png`, … in the order of the drawings; what has to be said. Raises InputError if one names no column."""
    if not drawings:
        return []
    from photocol.plot import sweeps

    return sweeps.save_drawings(drawings, table, folder)


def check(sweep: Sweep) -> None:
    """Raise InputError if a drawing names no axis, by its key or the last part of it, or has no flows to draw."""
    axes = [axis.name for axis in sweep.plan.axes]
    last = [name.rpartition(".")[2] for name in axes]
    for drawing in sweep.plots:
        for name in (drawing.x, drawing.by, drawing.panels):
            if name and name not in axes and last.count(name) != 1:
                hint = did_you_mean(name, [*axes, *last])
                raise InputError(f"plot: no axis {name!r}; {hint}there are: {', '.join(axes)}")
        if drawing.y == SLOWDOWN:
            from photocol.plot.by_size import BySize

            BySize.of(drawing.percentiles, drawing.bins)
            if "flows" not in sweep.tables:
                raise InputError('plot: the slowdown needs the flows of all runs: tables = ["flows"]')


def figure(table: SweepTable, metric: str | None, **how: Any) -> Figure:
    """A new figure with one picture of the table; for the arguments see `SweepTable.plot`."""
    from photocol.plot import sweeps

    return sweeps.drawn(table, metric, **how)
