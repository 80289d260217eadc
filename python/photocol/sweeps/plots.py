"""Pictures of a sweep: what its `[[plot]]` ask for is drawn when it is finished, and `table.plot()` draws any.

How they look is said by `photocol.plot`, which is imported when something is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from photocol.sweeps.spec import Drawing
    from photocol.sweeps.swept import SweepTable


def save(drawings: Sequence[Drawing], table: SweepTable, folder: Path) -> list[Path]:
    """`plot-1.png`, … in the order of the drawings. Raises InputError if one names no column."""
    if not drawings:
        return []
    from photocol.plot import sweeps

    return sweeps.save_drawings(drawings, table, folder)


def check(drawings: Sequence[Drawing], axes: Sequence[str]) -> None:
    """Raise InputError if a drawing names no axis, by its key or the last part of it."""
    last = [name.rpartition(".")[2] for name in axes]
    for drawing in drawings:
        for name in (drawing.x, drawing.by, drawing.panels):
            if name is not None and name not in axes and last.count(name) != 1:
                hint = did_you_mean(name, [*axes, *last])
                raise InputError(f"plot: no axis {name!r}; {hint}there are: {', '.join(axes)}")


def figure(table: SweepTable, metric: str | None, **how: Any) -> Figure:
    """A new figure with one picture of the table; for the arguments see `SweepTable.plot`."""
    from photocol.plot import sweeps

    return sweeps.drawn(table, metric, **how)
