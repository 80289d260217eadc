"""Pictures as files: PNG, SVG and PDF with the fonts in them, at a screen's size or the width of a column."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from photocol.errors import InputError, did_you_mean
from photocol.plot.axes import goodput_distribution, link_utilization, losses, samples
from photocol.plot.by_size import BySize, slowdowns, without_places
from photocol.plot.completion import completion_times, request_times, requests, sized_flows
from photocol.plot.fitting import fit, heighten
from photocol.plot.over_time import (
    FAIRNESS,
    OF_CLASSES,
    OF_LINKS,
    THROUGHPUT,
    fairness,
    over_time,
    queue_distribution,
    queue_samples,
)
from photocol.plot.probes import PICTURES
from photocol.plot.slowdown import draw_slowdowns
from photocol.plot.style import ABOVE, drawing, new_figure
from photocol.plot.tables import Chosen, together, with_kinds
from photocol.runs import storage
from photocol.runs.pictures import DATES, save_png, save_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from photocol.runs.results import Result

Format = Literal["png", "svg", "pdf", "csv"]
FORMATS: tuple[Format, ...] = ("png", "svg", "pdf", "csv")
"""`csv` is the table of a picture: its numbers, with all digits."""
_DPI = 150
_DPI_OF_COLUMN = 300
"""What journals ask for, where a width in inches is given."""


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Which pictures, and how."""

    formats: Sequence[Format] = ("png",)
    width_inches: float | None = None
    """None: the size for a screen."""
    only: Sequence[str] = ()
    """Names of pictures, as in "goodput" or "series_cwnd"; none: all there are."""
    chosen: Chosen = field(default_factory=Chosen)
    by_size: BySize = field(default_factory=BySize)
    names: str = ABOVE
    """Where the names of curves stand: `above` or at the `lines`."""


_Picture = tuple["Callable[[Axes, pl.DataFrame], None]", pl.DataFrame]


def save_all(results: Result | Mapping[str, Result], folder: Path, pictures: Pictures | None = None) -> list[Path]:
    """Draw what a result has, or several results by name have together, into `folder` (made if missing); the files.

    A picture of which there is nothing to show is not drawn. Raises InputError if one is asked for that is not there.
    """
    how = pictures or Pictures()
    named = results if isinstance(results, Mapping) else {"": results}
    there = pictures_of(named, how.chosen, how.by_size)
    check_names(how.only, there)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name: there[name] for name in how.only or there}
    return [file for name, picture in wanted.items() for file in _save(picture, folder / name, how)]


def save_figure(figure: Figure, file: str | PathLike[str], *, width_inches: float | None = None) -> None:
    """Write a figure in the format that the name of the file says, free of dates and random ids.

    Raises InputError for a name that says none.
    """
    file = Path(file)
    if file.suffix not in (".png", *DATES):
        raise InputError(f"{file}: a figure is written as .png, .svg or .pdf")
    if file.suffix == ".png":
        save_png(figure, file, dpi=_DPI if width_inches is None else _DPI_OF_COLUMN)
        return
    with drawing(width_inches):
        save_vectors(figure, file)


def write_numbers(table: pl.DataFrame, stem: Path) -> Path:
    """The table of a picture as `STEM.csv`."""
    file = stem.with_name(f"{stem.name}.csv")
    storage.replace(file, table.write_csv)
    return file


def without_numbers(how: Pictures) -> Pictures:
    """The same without `csv`."""
    return replace(how, formats=[one for one in how.formats if one != "csv"])


def check_names(wanted: Sequence[str], there: Iterable[str]) -> None:
    """Raises InputError, with the nearest name, if a picture is asked for that is not there."""
    names = list(there)
    for name in wanted:
        if name not in names:
            hint = did_you_mean(name, names)
            raise InputError(f"there is no picture {name!r}; {hint}there is: {', '.join(names) or 'nothing to draw'}")


def pictures_of(
    results: Mapping[str, Result], chosen: Chosen | None = None, by_size: BySize | None = None
) -> dict[str, _Picture]:
    """The pictures of which there is something to show, by name."""
    chosen = chosen or Chosen()
    results = {label: _whole(result) for label, result in results.items()}

    def tables(name: str) -> pl.DataFrame:
        every = {label: getattr(result, name) for label, result in results.items()}
        return together(every) if len(every) > 1 else next(iter(every.values()))

    pictures: dict[str, _Picture] = {
        "link_utilization": (link_utilization, chosen.of_links(tables("links"))),
        "goodput": (goodput_distribution, chosen.of_flows(tables("flows"))),
    }
    drops = chosen.of_drops(tables("drops"))
    series = chosen.of_series(_one({label: with_kinds(one.series, one.flows) for label, one in results.items()}))
    for kind in drops["class"].unique(maintain_order=True):
        pictures[f"losses_{kind}"] = (losses, drops.filter(pl.col("class") == kind))
    pictures |= _of_flows(results, chosen, by_size or BySize())
    for kind in series["quantity"].unique(maintain_order=True):
        pictures[f"series_{kind}"] = (chosen.over_time(samples), series.filter(pl.col("quantity") == kind))
    return {name: picture for name, picture in pictures.items() if _shows(picture[1])}


_COLUMNS: dict[str, dict[str, type[pl.DataType]]] = {
    "flows": {"flow": pl.UInt64, "start_s": pl.Float64, "end_s": pl.Float64, "size_bytes": pl.Float64}
    | {"completed": pl.Boolean, "completion_s": pl.Float64, "goodput_bps": pl.Float64, "slowdown": pl.Float64}
    | {"traffic": pl.String, "transport": pl.String},
    "links": {"link": pl.String, "class": pl.String, "utilization": pl.Float64},
    "series": {"t_s": pl.Float64, "entity": pl.String, "quantity": pl.String, "value": pl.Float64},
    "drops": {"where": pl.String, "class": pl.String, "cause": pl.String, "units": pl.UInt64},
}
"""What pictures read of each table."""


def _whole(result: Result) -> Result:
    """A run of a sweep with empty tables in place of those that the sweep has not kept."""
    if not result.missing:
        return result
    from photocol.runs.results import Result as Made

    def table(name: str) -> pl.DataFrame:
        return pl.DataFrame(schema=_COLUMNS[name]) if name in result.missing else getattr(result, name)

    return Made(summary=result.summary, manifest=result.manifest, table=table)


def _of_flows(results: Mapping[str, Result], chosen: Chosen, sizes: BySize) -> dict[str, _Picture]:
    """How long flows and their packets took, and what follows from the samples."""

    def of(read: Callable[[Result], pl.DataFrame]) -> pl.DataFrame:
        return _one({name: read(one) for name, one in results.items()})

    def of_chosen(read: Callable[[Result], pl.DataFrame]) -> pl.DataFrame:
        # Which flows there are has been looked up in the table of all.
        table = of(read)
        has_flows = chosen.flows and "flow" in table.columns
        return table.filter(pl.col("flow").is_in(chosen.flows)) if has_flows else table

    flows = of_chosen(sized_flows)
    pictures: dict[str, _Picture] = {
        "request_times": (request_times, of(requests)),
        "completion_times": (completion_times, flows),
        "slowdown": (functools.partial(draw_slowdowns, how=sizes), slowdowns(flows, sizes)),
        **{name: (picture.draw, of_chosen(picture.table)) for name, picture in PICTURES.items()},
    }
    follows = chosen.of_series(of(lambda one: with_kinds(over_time(one, chosen.flows), one.flows)))
    for kind, draw in ((THROUGHPUT, samples), (OF_CLASSES, samples), (OF_LINKS, samples), (FAIRNESS, fairness)):
        pictures[kind] = (chosen.over_time(draw), follows.filter(pl.col("quantity") == kind))
    pictures["queue_distribution"] = (queue_distribution, chosen.of_series(_one(queue_samples(results))))
    return pictures


def _one(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The table of one result, or of several together."""
    return together(tables) if len(tables) > 1 else next(iter(tables.values()))


def _shows(table: pl.DataFrame) -> bool:
    """Whether there is a value to draw."""
    of_probes = (picture.value for picture in PICTURES.values())
    for column in ("utilization", "goodput_bps", "units", "completion_s", "slowdown_p50", *of_probes, "value"):
        if column in table.columns:
            values = table[column]
            return bool((values.is_finite() if values.dtype.is_float() else values.is_not_null()).any())
    return False


def _save(picture: _Picture, stem: Path, how: Pictures) -> list[Path]:
    draw, table = picture
    if "csv" in how.formats:
        is_by_size = "size_middle_bytes" in table.columns
        return [
            write_numbers(without_places(table) if is_by_size else table, stem),
            *_save(picture, stem, without_numbers(how)),
        ]
    if not how.formats:
        return []
    files = [stem.with_name(f"{stem.name}.{suffix}") for suffix in how.formats]
    with drawing(how.width_inches, how.names):
        figure = new_figure(how.width_inches)
        draw(figure.add_subplot(), table)
        heighten(figure)
        fit(figure)
        for file in files:
            storage.replace(file, functools.partial(save_figure, figure, width_inches=how.width_inches))
    return files
