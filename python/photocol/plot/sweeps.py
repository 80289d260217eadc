"""Pictures of sweeps and campaigns: on a new figure, as files, as SVG for a page; in the style of single runs."""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.plot import panels as small
from photocol.plot import sweep_sizes
from photocol.plot.by_size import BySize
from photocol.plot.curves import colours, curves, finish, intervals, look_of
from photocol.plot.files import Pictures, save_figure, without_numbers, write_numbers
from photocol.plot.fitting import fit
from photocol.plot.over import Overlay, overlays
from photocol.plot.style import COLUMN_INCHES, SIZE_INCHES, common_legend, drawing, frame, once
from photocol.plot.view import Asked, View, view_of
from photocol.runs import storage
from photocol.sweeps.spec import Drawing
from photocol.sweeps.swept import SPREAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from photocol.plot.style import Look
    from photocol.sweeps.swept import SweepTable

_LINE_INCHES = 0.2
"""Of a legend."""


def drawn(
    table: SweepTable,
    metric: str | None = None,
    *,
    x: str | None = None,
    by: str | Sequence[str] | None = None,
    panels: str | None = None,
    log: str | None = None,
    is_map: bool = False,
    over: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    labels: Sequence[str] = (),
    where: str | None = None,
    width_inches: float | None = None,
) -> Figure:
    """A picture of a table on a new figure of Matplotlib; the arguments are told at `SweepTable.plot`."""
    from matplotlib import pyplot

    asked = Asked(x=x, by=by, panels=panels, log=log, is_map=is_map, where=where)
    view = view_of(table, metric or _first(table), asked)
    laid = overlays([over] if isinstance(over, str) or hasattr(over, "__fspath__") else list(over), labels)
    with drawing(width_inches):
        figure = pyplot.figure(figsize=_size(view, width_inches, len(laid)), layout="constrained")
        _fill(figure, view, asked, [_fitting(one, view, is_alone=True) for one in laid])
    return once(figure)


def save(
    table: SweepTable,
    folder: Path,
    how: Pictures | None = None,
    asked: Asked | None = None,
    over: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> tuple[list[Path], list[str]]:
    """A picture a figure into `folder`: those of `how.only`, or the main ones; the files, and what has to be said.

    Raises InputError if one is asked for that is not there, and where nothing can be drawn.
    """
    how, asked = how or Pictures(), asked or Asked()
    metrics = list(how.only) or table.main_metrics()
    views = {name: view_of(table, name, asked) for name in metrics}
    laid = {name: _laid(overlays(over, labels), view, is_alone=len(views) == 1) for name, view in views.items()}
    for place, text in enumerate(over):
        if not any(found[place] for found in laid.values()):
            raise InputError(f"--over {text!r} fits none of {', '.join(views)}; name one figure with --only")
    folder.mkdir(parents=True, exist_ok=True)
    files, said = [], []
    for name, view in views.items():
        files += _save(view, asked, [one for one in laid[name] if one], folder / name, how)
        said += [f"{name}: {remark}" for remark in view.remarks]
    return files, said


def save_drawings(drawings: Sequence[Drawing], table: SweepTable, folder: Path) -> list[str]:
    """`plot-1.png`, … as the `[[plot]]` of a sweep ask; what has to be said. Raises InputError if one names no figure.

    A slowdown for which there are too few flows is said, and not drawn.
    """
    remarks = []
    for number, said in enumerate(drawings, 1):
        asked, stem = _asked_by(said), folder / f"plot-{number}"
        if said.y == sweep_sizes.NAME:
            how = Pictures(by_size=BySize.of(said.percentiles, said.bins))
            try:
                remarks += sweep_sizes.save(folder, table, stem, how, asked)[1]
            except InputError as error:
                remarks.append(str(error))
            continue
        try:
            view = view_of(table, said.y, asked)
            laid = [_fitting(one, view, is_alone=True) for one in overlays(said.over, said.labels)]
        except InputError as error:
            raise InputError(f"plot: {error}") from error
        _save(view, asked, laid, stem, Pictures())
    return remarks


def as_svg(table: SweepTable, folder: Path | None = None) -> tuple[list[tuple[str, str]], list[str]]:
    """What the page of a sweep in `folder` shows: its `[[plot]]`, else its main figures; name and SVG each.

    And why those that cannot be drawn any more are left out, as when a file is gone.
    """
    wanted = table.drawings or [Drawing(x="", y=name) for name in table.main_metrics()]
    pictures, missing = list[tuple[str, str]](), list[str]()
    for said in wanted:
        try:
            with drawing(None):
                file = io.BytesIO()
                _described(said, table, folder).savefig(file, format="svg", metadata={"Date": None})
        except InputError as error:
            missing.append(f"The picture {_name_of(said)} is left out: {error}.")
            continue
        pictures.append((_name_of(said), file.getvalue().decode("utf-8")))
    return pictures, missing


def _described(said: Drawing, table: SweepTable, folder: Path | None) -> Figure:
    """The picture that a sweep asks for."""
    asked = _asked_by(said)
    if said.y == sweep_sizes.NAME and folder is not None:
        how = BySize.of(said.percentiles, said.bins)
        return sweep_sizes.figure(sweep_sizes.numbers_of(folder, table, how, asked), how, None)
    view = view_of(table, said.y, asked)
    return _figure(view, asked, [_fitting(one, view, is_alone=True) for one in overlays(said.over, said.labels)], None)


def _name_of(said: Drawing) -> str:
    along = f" along {said.x}" if said.x else ""
    return f"{said.y}{along}" + (f" by {said.by}" if said.by else "")


def _asked_by(said: Drawing) -> Asked:
    return Asked(x=said.x or None, by=said.by, panels=said.panels, log=said.log or None, is_map=said.is_map)


def _first(table: SweepTable) -> str:
    metrics = table.main_metrics()
    if not metrics:
        raise InputError("the table has no figure to draw")
    return metrics[0]


def _laid(found: Sequence[Overlay], view: View, *, is_alone: bool) -> list[Overlay | None]:
    """Each that fits this figure; None for one that does not."""
    return [one if one.fits(view, is_alone=is_alone) else None for one in found]


def _fitting(one: Overlay, view: View, *, is_alone: bool) -> Overlay:
    if not one.fits(view, is_alone=is_alone):
        raise InputError(f"{one.name} does not fit the figure {view.metric}")
    return one


def _save(view: View, asked: Asked, over: Sequence[Overlay], stem: Path, how: Pictures) -> list[Path]:
    if "csv" in how.formats:
        numbers = view.table.select(*view.table.axes, view.metric, f"{view.metric}{SPREAD}", pl.col("^n$"))
        return [write_numbers(numbers, stem), *_save(view, asked, over, stem, without_numbers(how))]
    if not how.formats:
        return []
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in how.formats]
    with drawing(how.width_inches, how.names):
        figure = _figure(view, asked, over, how.width_inches)
        for file in files:
            storage.replace(file, functools.partial(save_figure, figure, width_inches=how.width_inches))
    return files


def _figure(view: View, asked: Asked, over: Sequence[Overlay], width_inches: float | None) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=_size(view, width_inches, len(over)), layout="constrained")
    _fill(figure, view, asked, over)
    return figure


def _size(view: View, width_inches: float | None, more: int = 0) -> tuple[float, float]:
    """Width and height; a legend with many names, and `more` of what is laid over, has room of its own."""
    width = SIZE_INCHES[0] if width_inches is None else width_inches
    number = len(view.multiples())
    across = small.across(number, width_inches)
    names = [name for name, _ in view.parts(view.table)]
    lines = -(-(len(names) + more) // _columns(names, width))
    if number == 1:
        return width, width / 1.6 + _LINE_INCHES * max(0, lines - 2)
    return width, -(-number // across) * width / across / small.PANEL_RATIO + 0.4 + _LINE_INCHES * (lines + 1)


def _columns(names: Sequence[str], width: float) -> int:
    """Columns of a legend with these names; letters are smaller in a printed column."""
    letters = width * (20 if width <= COLUMN_INCHES else 15)
    return max(1, min(4, len(names), int(letters / (max(map(len, names), default=0) + 8))))


def _fill(figure: Figure, view: View, asked: Asked, over: Sequence[Overlay]) -> None:
    multiples = view.multiples()
    cells = small.made(figure, len(multiples), is_shared=_is_shared(view))
    if asked.is_map:
        if over:
            raise InputError("nothing can be laid over a map; curves can")
        _fill_map(figure, view, cells)
    else:
        _fill_curves(figure, view, cells, over)
    small.name_outer(cells, [title for title, _ in multiples], small.across(len(cells), figure.get_figwidth()))
    figure.supxlabel(_small_print(view), x=0.99, ha="right", fontsize="x-small", color="0.4")
    fit(figure)


def _intervals(shown: Sequence[tuple[Axes, tuple[str, pl.DataFrame]]], view: View, known: Mapping[str, Look]) -> None:
    for cell, (_, rows) in shown:
        intervals(cell, view, rows, known)


def _is_shared(view: View) -> bool:
    """Whether panels have one vertical axis; each has a place of its own for zero on a logarithmic one."""
    return not (view.is_log_y and bool((view.table.get_column(view.metric) == 0).any()))


def _fill_curves(figure: Figure, view: View, cells: Sequence[Axes], over: Sequence[Overlay]) -> None:
    multiples, known = view.multiples(), look_of(view)
    shown = list(zip(cells, multiples, strict=False))
    for cell, (_, rows) in shown:
        # Beside what is laid over it, a curve without a name is the simulation's.
        curves(cell, view, rows, known, unnamed="simulation" if over else "")
        for place, one in enumerate(over):
            one.draw(cell, view, rows, known, place)
    # A logarithmic axis is made of lines; the others hold the intervals too.
    if not view.is_log_y:
        _intervals(shown, view, known)
    finish(cells[: len(multiples)], view)
    if view.is_log_y:
        _intervals(shown, view, known)
    _legend(figure, view, cells[: len(multiples)])


def _fill_map(figure: Figure, view: View, cells: Sequence[Axes]) -> None:
    multiples = view.multiples()
    values = view.table.get_column(view.metric).to_numpy() / view.scale[0]
    span = (float(np.min(values)), float(np.max(values)))
    meshes = [colours(cell, view, rows, span) for cell, (_, rows) in zip(cells, multiples, strict=False)]
    figure.colorbar(meshes[0], ax=list(cells[: len(multiples)]), label=view.y_title)


def _legend(figure: Figure, view: View, cells: Sequence[Axes]) -> None:
    """The names of the curves: above the only axes, or once above all panels; none for one curve without a name."""
    title = ", ".join(view.title(name) for name in view.by)
    for cell in cells:
        frame(cell, title=title)
    common_legend(figure, cells, title)


def _small_print(view: View) -> str:
    """How many runs a point has, whether bars are drawn, and what is not shown."""
    said = list(view.remarks)
    if "n" in view.table.columns:
        runs = sorted({int(n) for n in view.table.get_column("n")})
        of = f"{runs[0]} to {runs[-1]}" if len(runs) > 1 else str(runs[0])
        said.insert(0, "one run a point" if runs == [1] else f"means of {of} runs with 95 % intervals")
    return "; ".join(said)
