"""A finished sweep or campaign as a table that knows its axes and units, and draws itself."""

from __future__ import annotations

import difflib
import itertools
import os
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError, did_you_mean
from photocol.files import content, record
from photocol.quantity import readable
from photocol.runs import storage
from photocol.runs.results import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from matplotlib.figure import Figure

    from photocol.sweeps.spec import Drawing

SPREAD = "_half_width"
TABLE = "table.parquet"
_MAIN = (
    "circuit_utilization",
    "mean_request_time",
    "goodput",
    "drop_rate",
    "burst_loss_rate",
    "mean_core_output_utilization",
    "mean_link_utilization",
    "completion_time_p99",
    "max_queue",
    "fairness_index",
)
"""What is shown of a sweep that keeps every figure, as far as it has them."""
_MOST_MAIN = 4
_ROWS_WITH_UNITS = 8
"""Runs that are asked for the units of their figures; a figure that only others have gets that of its name."""
_OF_NAMES = {"_per_s": "1/s", "_bps": "bps", "_bytes": "B", "_bits": "bits", "_packets": "packets", "_s": "s"}


class SweepTable(pl.DataFrame):
    """The table of a sweep, one row a point: its axes, means with `<figure>_half_width`, `n`. A polars frame.

    `SweepTable.load(DIR)` reads what `photocol sweep` or `reproduce` left; `photocol.sweep` returns one.
    """

    units: Mapping[str, str] = MappingProxyType({})
    """Unit of each figure that has one; a frame made from this one by polars forgets them."""
    drawings: Sequence[Drawing] = ()
    """What the sweep's `[[plot]]` ask for."""
    asked: Sequence[str] = ()
    """The figures that the sweep names; none: all are kept."""

    @classmethod
    def of(
        cls,
        table: pl.DataFrame,
        *,
        units: Mapping[str, str] | None = None,
        drawings: Sequence[Drawing] = (),
        asked: Sequence[str] = (),
    ) -> SweepTable:
        """A frame with what is known of it."""
        made = cls(table)
        made.units, made.drawings, made.asked = units or {}, drawings, asked
        return made

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> SweepTable:
        """Read the directory of a sweep or of a reproduced figure. Raises InputError; nothing is executed."""
        folder = Path(directory)
        said = _manifest(folder)
        if (folder / TABLE).is_file():
            table = read_table(folder / TABLE)
        elif said.get("photocol") == "sweep":
            table = _of_runs(folder)
        else:
            raise InputError(f"{folder} is no sweep or reproduced figure: it has no {TABLE}")
        about = said.get("sweep")
        drawings, asked = _described(about if isinstance(about, dict) else {}, str(folder))
        return cls.of(table, units=_units(folder), drawings=drawings, asked=asked)

    @property
    def metrics(self) -> list[str]:
        """The figures."""
        there = set(self.columns)
        return [name for name in self.columns if f"{name}{SPREAD}" in there]

    @property
    def axes(self) -> list[str]:
        """The axes: what stands before the first figure."""
        figures = {*self.metrics, *(f"{name}{SPREAD}" for name in self.metrics), "n"}
        return list(itertools.takewhile(lambda name: name not in figures, self.columns))

    def unit(self, metric: str) -> str:
        """The unit of a figure; "1" for counts, shares and what is not known."""
        known = self.units.get(metric) or self.units.get(metric.partition("[")[0])
        if known is None:
            known = next((unit for ending, unit in _OF_NAMES.items() if metric.endswith(ending)), "1")
        return known or "1"

    def main_metrics(self) -> list[str]:
        """The figures that are shown unless others are asked for: the sweep's own, or some that change."""
        if self.asked:
            return [name for name in self.asked if name in self.columns]
        changing = [name for name in self.metrics if self.get_column(name).n_unique() > 1]
        chosen = [name for main in _MAIN for name in changing if name.partition("[")[0] == main] or changing
        chosen = chosen or self.metrics
        return chosen[:_MOST_MAIN]

    def cells(self, metric: str) -> list[str]:
        """A figure at each point as people read it: `7.99 ± 2.33 Gb/s`; – where there is none."""
        rows = zip(self.get_column(metric), self.get_column(f"{metric}{SPREAD}"), strict=True)
        unit = self.unit(metric)
        return ["–" if mean is None else readable(mean, unit, half_width) for mean, half_width in rows]

    def text(self, metrics: Sequence[str] = (), *, most: int = 100) -> str:
        """The axes and some figures as aligned lines of text; the files have all of them, with all digits."""
        chosen = list(metrics) or self.main_metrics()
        shown = self.head(most)
        part = SweepTable.of(shown, units=self.units)
        columns = [
            *([axis, *map(str, shown.get_column(axis))] for axis in self.axes),
            *([metric, *part.cells(self.known(metric))] for metric in chosen),
            *([["n", *map(str, shown.get_column("n"))]] if "n" in self.columns else []),
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = ["  ".join(map(str.rjust, line, widths)) for line in zip(*columns, strict=True)]
        return "\n".join([*lines, *([f"… and {self.height - most} points more"] if self.height > most else [])])

    def known(self, metric: str) -> str:
        """The name of a figure. Raises InputError, with the nearest, if there is none."""
        if metric not in self.metrics:
            raise InputError(f"the sweep has no figure {metric!r}; {near(metric, self.metrics)}")
        return metric

    def known_axis(self, axis: str) -> str:
        """The name of an axis; the last part of its key will do. Raises InputError, with the nearest name."""
        if axis in self.axes:
            return axis
        ending = [name for name in self.axes if name.rpartition(".")[2] == axis]
        if len(ending) != 1:
            last = {name.rpartition(".")[2]: name for name in self.axes} | {name: name for name in self.axes}
            close = difflib.get_close_matches(axis, last, n=1)
            hint = f"did you mean {last[close[0]]!r}? " if close else ""
            raise InputError(f"the sweep has no axis {axis!r}; {hint}there is: {', '.join(self.axes)}")
        return ending[0]

    def __getitem__(self, key: Any) -> Any:
        """As of a polars frame; a name that is not there is a KeyError with the nearest one."""
        if isinstance(key, str) and key not in self.columns:
            raise KeyError(f"the sweep has no column {key!r}; {near(key, self.columns)}")
        return super().__getitem__(key)

    def plot(  # type: ignore[override]
        self,
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
        """A picture of a figure along an axis, on a new figure of Matplotlib.

        Arguments:
            metric: a figure of the table; by default the first that `photocol plot` would draw.
            x: the axis along which it is drawn; by default the one with most values that are numbers.
            by: the axis, or several, each value of which is a curve.
            panels: the axis each value of which has a small picture.
            log: which axes are logarithmic: "x", "y", "xy" or "none"; by default x if its values are far apart.
            is_map: colours over two axes, x and by, instead of curves.
            over: what is laid over it: "erlang-b(servers=16)", a CSV file, the directory of a run or a sweep.
            labels: what the first of these are called in the legend.
            where: a condition on the axes in SQL.
            width_inches: for a screen by default.

        Raises InputError, with the nearest name, for what is not there.
        """
        from photocol.sweeps import plots

        named = {"x": x, "by": by, "panels": panels, "log": log, "is_map": is_map, "over": over}
        return plots.figure(self, metric, width_inches=width_inches, labels=labels, where=where, **named)


def near(name: str, there: Sequence[str]) -> str:
    """What is said of a name that is none of these: the nearest, and all."""
    return f"{did_you_mean(name, there)}there is: {', '.join(there) or 'none'}"


def is_campaign(folder: Path) -> bool:
    """Whether a directory is of a sweep or a reproduced figure, not of a run."""
    if (folder / "summary.json").is_file():
        return False
    return (folder / TABLE).is_file() or _manifest(folder).get("photocol") == "sweep"


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        said = record(content(folder / storage.MARK, storage.MOST_OF_A_RECORD))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def _of_runs(folder: Path) -> pl.DataFrame:
    """The table of a sweep that has none yet, of the runs that are finished."""
    from photocol.sweeps.run import table_of

    table = table_of(folder) if any((folder / storage.RUNS).glob("*/row.json")) else pl.DataFrame()
    if table.is_empty():
        raise InputError(f"{folder}: no run of the sweep is finished; `photocol sweep resume {folder}` goes on with it")
    return table


def _described(said: Mapping[str, Any], source: str) -> tuple[Sequence[Drawing], Sequence[str]]:
    from photocol.sweeps.spec import checked

    if not said:
        return (), ()
    sweep = checked(said, source)
    return sweep.plots, sweep.metrics


def _units(folder: Path) -> dict[str, str]:
    """The units that some runs say of their figures."""
    from photocol.sweeps.campaign.store import read_run

    runs, units = folder / storage.RUNS, dict[str, str]()
    if not runs.is_dir():
        return units
    with os.scandir(runs) as found:
        for place in itertools.islice(found, _ROWS_WITH_UNITS):
            said = read_run(Path(place.path)).get("units")
            units |= said if isinstance(said, dict) else {}
    return units
