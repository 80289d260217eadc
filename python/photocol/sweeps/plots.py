"""Pictures of a sweep: a metric with its intervals along an axis, a curve for each value of another."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from photocol.errors import InputError
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.sweeps.spec import Drawing

_QUANTITY = re.compile(r"\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S.*)?")


def save(drawings: Sequence[Drawing], table: pl.DataFrame, folder: Path) -> list[Path]:
    """`plot-1.png`, … in the order of the drawings. Raises InputError if one names no column."""
    if not drawings:
        return []
    from matplotlib.figure import Figure

    from photocol.runs.pictures import save_png

    files = []
    for number, drawing in enumerate(drawings, 1):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        draw(figure.add_subplot(), table, drawing)
        file = folder / f"plot-{number}.png"
        storage.replace(file, functools.partial(save_png, figure, dpi=200))
        files.append(file)
    return files


def check(drawings: Sequence[Drawing], axes: Sequence[str]) -> None:
    """Raise InputError if a drawing names no axis."""
    for drawing in drawings:
        for name in (drawing.x, drawing.by):
            if name is not None and name not in axes:
                raise InputError(f"plot: no axis {name!r}; there are: {', '.join(axes)}")


def draw(axes: Axes, table: pl.DataFrame, drawing: Drawing) -> None:
    """Draw it. Raises InputError if it names no metric."""
    if drawing.y not in table.columns:
        raise InputError(f"plot: no column {drawing.y!r}; there are: {', '.join(table.columns)}")
    curves = [(None, table)] if drawing.by is None else list(table.group_by(drawing.by, maintain_order=True))
    unit = ""
    for key, rows in curves:
        places, unit = positions(rows[drawing.x].to_list())
        spread = rows[f"{drawing.y}_half_width"].fill_nan(0.0).fill_null(0.0)
        label = None if key is None else str(key[0])
        axes.errorbar(places, rows[drawing.y].to_list(), yerr=spread.to_list(), label=label, capsize=3, marker="o")
    if "x" in drawing.log:
        axes.set_xscale("log")
    if "y" in drawing.log:
        from photocol.runs.pictures import logarithmic_with_zero

        logarithmic_with_zero(axes)
    axes.set_xlabel(f"{drawing.x} ({unit})" if unit else drawing.x)
    axes.set_ylabel(drawing.y)
    if drawing.by is not None:
        axes.legend(title=drawing.by, frameon=False)


def positions(values: Sequence[object]) -> tuple[list[float] | list[str], str]:
    """Where values stand on an axis, and their unit: numbers, quantities of one unit, else names."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return [float(str(value)) for value in values], ""
    found = [_QUANTITY.fullmatch(str(value)) for value in values]
    units = {match[2] or "" for match in found if match is not None}
    if any(match is None for match in found) or len(units) != 1:
        return [str(value) for value in values], ""
    return [float(match[1]) for match in found if match is not None], units.pop()
