"""Small multiples: where panels stand in a figure, and which of them have the names and numbers of the axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.plot.style import COLUMN_INCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_RATIO = 1.25
_MOST_ACROSS, _MOST_IN_A_COLUMN = 3, 2


def across(number: int, width_inches: float | None) -> int:
    """How many of so many panels stand side by side: rows are as even as they can be."""
    most = _MOST_IN_A_COLUMN if width_inches is not None and width_inches <= COLUMN_INCHES else _MOST_ACROSS
    rows = -(-number // most)
    return -(-number // rows)


def made(figure: Figure, number: int, *, is_shared: bool = True) -> list[Axes]:
    """So many panels, with one horizontal axis and, if it `is_shared`, one vertical."""
    beside = across(number, figure.get_figwidth())
    grid = figure.subplots(-(-number // beside), beside, sharex=True, sharey=is_shared, squeeze=False)
    cells = [cell for row in grid for cell in row]
    for cell in cells[number:]:
        cell.remove()
    return cells[:number]


def name_outer(cells: Sequence[Axes], titles: Sequence[str], beside: int) -> None:
    """The names of the axes at the left and below only, and the titles of the panels, when everything is drawn."""
    if len(cells) == 1 and not titles[0]:
        return
    for place, (cell, title) in enumerate(zip(cells, titles, strict=True)):
        cell.set_title(title, fontsize="small", loc="left")
        is_last = place >= len(cells) - beside
        cell.set_xlabel(cell.get_xlabel() if is_last else "")
        cell.set_ylabel(cell.get_ylabel() if place % beside == 0 else "")
        if is_last:
            # One below which no other stands had none.
            cell.tick_params(axis="x", which="both", labelbottom=True)
