"""Work that depends on work: a chart of ranks over time (H. L. Gantt), and tables of it on the page of a run."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.plot.probes.probe import PageTable, Picture, Probe
from photocol.plot.style import BLUE, ORANGE, VERMILLION, frame, name_time
from photocol.plot.tables import OF, runs_of
from photocol.runs.work import collectives, tasks, undone_tasks, work_by_traffic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from photocol.runs.results import Result

MOST_BARS = 2000
"""More tasks than that are drawn as a raster, not one by one."""
MOST_COLLECTIVES = 1000
"""The first ones are on the page of a run."""
_PIECES = 600
"""Of the time, in a raster."""
_MOST_LANES = 6
"""Bars of a rank that are under way together lie side by side, up to so many."""
_MOST_NAMES = 20
_EVERY = tuple(digit * 10**power for power in range(5) for digit in (1, 2, 5))
"""Of many rows each second, fifth, … has a name."""
_MOST_COLOURS = 64
_FULL, _GAP = 0.78, 0.07
"""The height of a row's bars; that of the gap above them, of the line of what waits, and of the gap below it."""
_LIGHT = ("#F0E442", "#E8C14A")
_TRANSFERS, _COMPUTES, _UNDONE = "transfers", "computes", "not done"
_LOOKS: dict[str, dict[str, Any]] = {
    _COMPUTES: {"facecolor": "0.85", "edgecolor": "0.45", "hatch": "////", "linewidth": 0.3},
    _UNDONE: {"facecolor": "none", "edgecolor": VERMILLION, "hatch": "..", "linewidth": 0.8},
}


def rank_tasks(result: Result) -> pl.DataFrame:
    """What `photocol.work.tasks` gives, without joins, and the light of optical switches that are set for it.

    Of light the kind is "light", the traffic the switch, and the step the number of its matching. Empty where a run
    has no work.
    """
    found = tasks(result).filter(pl.col("kind") != "join")
    return found if found.is_empty() else pl.concat((found, _light(result, found.schema)), how="diagonal")


def _light(result: Result, schema: Mapping[str, Any]) -> pl.DataFrame:
    """When each switch had circuits; those that begin together are a matching."""
    if "circuits" not in result.probes:
        return pl.DataFrame(schema=schema)
    spans = result.probes["circuits"].group_by("run", "switch", "start_s").agg(pl.col("end_s").max())
    spans = spans.sort("run", "switch", "start_s").rename({"switch": "traffic"})
    number = pl.int_range(pl.len()).over("run", "traffic")
    # A circuit that stays beside later ones is part of the next matching.
    end = pl.min_horizontal("end_s", pl.col("start_s").shift(-1).over("run", "traffic"))
    spans = spans.with_columns(number.alias("step"), end.alias("end_s"), pl.lit("light").alias("kind"))
    spans = spans.with_columns(pl.col("start_s").alias("ready_s"), pl.col("start_s").alias("begin_s"))
    return spans.cast({name: kind for name, kind in schema.items() if name in spans.columns})


def task_chart(axes: Axes, table: pl.DataFrame) -> None:
    """A row a rank, and a bar from the beginning to the end of each of its transfers and computations.

    `table` is what `rank_tasks` gives. The colour of a transfer is its step; a computation is hatched. Bars of the same
    time share the height of the row. A line below them leads from the time at which a task is ready to its beginning,
    and for a receive or a wait to its end. What was not done has an open bar to the last time seen. More than
    `MOST_BARS` tasks are drawn as a raster, whose cells show what began last at a rank. Below the ranks each optical
    switch has a band: light by matching, in two shades in turn, and gaps while it turns. Of several replications and
    results the first is drawn.
    """
    shown, remark = _first(table)
    light, shown = shown.filter(pl.col("kind") == "light"), shown.filter(pl.col("kind") != "light")
    rows = shown.select("traffic", "rank").unique().sort("traffic", "rank").with_row_index("row")
    placed = shown.join(rows, on=["traffic", "rank"], how="left").sort("row", "begin_s", "task", nulls_last=True)
    end = float(placed.select(pl.max_horizontal("ready_s", "begin_s", "end_s").max()).item() or 0.0)
    if placed.height > MOST_BARS:
        _draw_raster(axes, placed, end)
    else:
        _draw_bars(axes, placed, end)
    switches = _draw_light(axes, light, rows.height)
    axes.set_ylim(rows.height + len(switches) - 0.5, -0.5)
    axes.set_xlim(min(float(placed["ready_s"].min() or 0.0), end), end or 1.0)  # type: ignore[arg-type]
    _name_rows(axes, rows, switches)
    frame(axes)
    axes.grid(visible=False, axis="both" if placed.height > MOST_BARS else "y")
    name_time(axes)
    axes.set_xlabel(axes.get_xlabel() + remark)


def _first(table: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The tasks of one run, and what is said of the others."""
    remark = ""
    if OF in table.columns and table[OF].n_unique() > 1:
        name = table[OF][0]
        remark = f"; {name}, the first of {table[OF].n_unique()}"
        table = table.filter(pl.col(OF) == name)
    runs = runs_of(table)
    if runs > 1:
        remark += f"; the first of {runs} runs"
        table = table.filter(pl.col("run") == pl.col("run").min())
    return table, remark


def _draw_light(axes: Axes, light: pl.DataFrame, first: int) -> list[str]:
    """A band for each switch, from this row on; their names."""
    from matplotlib.collections import PolyCollection

    if light.is_empty():
        return []
    switches = light["traffic"].unique(maintain_order=True).sort().to_list()
    for parity, colour in enumerate(_LIGHT):
        part = light.filter(pl.col("step") % 2 == parity)
        top = np.array([first + switches.index(one) for one in part["traffic"]]) - 0.5 + _GAP
        boxes = np.stack([part["begin_s"].to_numpy(), top, part["end_s"].to_numpy(), top + _FULL], axis=1)
        bands = PolyCollection(_corners(boxes), facecolor=colour, linewidth=0)
        axes.add_collection(bands)
        if not parity and not part.is_empty():
            bands.set_label("circuits, by matching")
    return switches


def _name_rows(axes: Axes, rows: pl.DataFrame, switches: Sequence[str]) -> None:
    several = rows["traffic"].n_unique() > 1
    step = next(step for step in _EVERY if step * _MOST_NAMES >= rows.height)
    chosen = rows.filter(pl.col("row") % step == 0)
    names = [
        f"{traffic}, {rank}" if several else f"{rank}" for traffic, rank in chosen.select("traffic", "rank").rows()
    ]
    places = [*chosen["row"].to_list(), *range(rows.height, rows.height + len(switches))]
    axes.set_yticks(places, [*names, *switches])
    axes.set_ylabel(("traffic and rank" if several else "rank") + (", then switch" if switches else ""))


def _draw_bars(axes: Axes, table: pl.DataFrame, end: float) -> None:
    """Each task a bar; a key to the colours of steps beside them."""
    from matplotlib.collections import PolyCollection

    is_bar = pl.col("kind").is_in(("transfer", "compute"))
    begun = table.filter(is_bar & pl.col("begin_s").is_not_null())
    lanes, among = _lanes(begun)
    height = _FULL / among
    top = begun["row"].to_numpy() - 0.5 + _GAP + lanes * height
    start, stop = begun["begin_s"].to_numpy(), begun["end_s"].fill_null(end).to_numpy()
    is_done, kind = begun["end_s"].is_not_null().to_numpy(), begun["kind"].to_numpy()
    boxes = np.stack([start, top, stop, top + 0.92 * height], axis=1)
    transfers = is_done & (kind == "transfer")
    if transfers.any():
        colours, norm = _colours(table)
        bars = PolyCollection(_corners(boxes[transfers]), cmap=colours, norm=norm, linewidths=0.3, edgecolors="white")
        bars.set_array(begun["step"].to_numpy()[transfers].astype(float))
        axes.add_collection(bars)
        _key_of_steps(axes, bars)
    for name, chosen in ((_COMPUTES, is_done & (kind == "compute")), (_UNDONE, ~is_done)):
        if chosen.any():
            axes.add_collection(PolyCollection(_corners(boxes[chosen]), label=name, **_LOOKS[name]))
    until = pl.when(is_bar).then("begin_s").otherwise("end_s").fill_null(end).alias("begin_s")
    waits = table.with_columns(until).filter(pl.col("begin_s") > pl.col("ready_s"))
    if not waits.is_empty():
        left, row, right = (waits[name].to_numpy() for name in ("ready_s", "row", "begin_s"))
        lines = np.stack([left, row + 0.5 - 2 * _GAP, right, row + 0.5 - _GAP], axis=1)
        axes.add_collection(PolyCollection(_corners(lines), label="ready, and waits", facecolor=ORANGE, linewidth=0))


def _corners(boxes: NDArray[Any]) -> list[NDArray[Any]]:
    """Rectangles as polygons, of left, top, right and bottom each."""
    left, top, right, bottom = boxes.T
    return list(np.stack([left, top, right, top, right, bottom, left, bottom], axis=1).reshape(-1, 4, 2))


def _lanes(table: pl.DataFrame) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where each bar lies so that those of a row and a time are side by side, and among how many.

    Tasks are in the order of rows and of beginnings. Beyond `_MOST_LANES` bars lie on one another.
    """
    lanes, among = np.zeros(table.height, dtype=int), np.ones(table.height, dtype=int)
    free: list[int] = []
    under_way: list[tuple[float, int]] = []
    together, used, row_now = 0, 0, -1
    for place, (row, begin, end) in enumerate(table.select("row", "begin_s", "end_s").iter_rows()):
        while under_way and row == row_now and under_way[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(under_way)[1])
        if row != row_now or not under_way:
            # From here on nothing lies beside what came before.
            row_now, together, used, free, under_way = row, place, 0, [], []
        if not free:
            free, used = [used], used + 1
        lane = heapq.heappop(free)
        heapq.heappush(under_way, (np.inf if end is None else end, lane))
        lanes[place] = lane
        among[together : place + 1] = min(used, _MOST_LANES)
    return lanes % _MOST_LANES, among


def _colours(table: pl.DataFrame) -> tuple[Any, Any]:
    """A colour for each step from dark to light, and the places of steps among them; one colour where all have one."""
    import matplotlib as mpl
    from matplotlib.colors import BoundaryNorm, ListedColormap

    steps = int(table["step"].max() or 0) + 1  # type: ignore[arg-type]
    if steps == 1:
        return ListedColormap([BLUE]), BoundaryNorm([-0.5, 0.5], 1)
    shades = mpl.colormaps["viridis"](np.linspace(0.0, 0.95, min(steps, _MOST_COLOURS)))
    edges = np.linspace(-0.5, steps - 0.5, min(steps, _MOST_COLOURS) + 1)
    colours = ListedColormap(shades[: len(edges) - 1])
    return colours, BoundaryNorm(edges, len(edges) - 1)


def _key_of_steps(axes: Axes, drawn: Any) -> None:
    from matplotlib.ticker import MaxNLocator

    if drawn.norm.Ncmap == 1:
        drawn.set_label(_TRANSFERS)
        return
    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are in a figure"
    key = figure.colorbar(drawn, ax=axes, pad=0.02, aspect=30, spacing="proportional")
    key.set_label("step of a transfer")
    key.minorticks_off()
    key.ax.yaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))


def _draw_raster(axes: Axes, table: pl.DataFrame, end: float) -> None:
    """A cell a rank and piece of time: what began last and was under way then."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import ListedColormap

    begin = float(table["ready_s"].min() or 0.0)  # type: ignore[arg-type]
    width = (end - begin) / _PIECES or 1.0
    rows = int(table["row"].max()) + 1  # type: ignore[arg-type]
    steps, others = np.full((rows, _PIECES), np.nan), np.full((rows, _PIECES), np.nan)
    is_bar = pl.col("kind").is_in(("transfer", "compute"))
    begun = table.filter(is_bar & pl.col("begin_s").is_not_null()).sort("begin_s", "task")
    for row, kind, step, start, stop in begun.select("row", "kind", "step", "begin_s", "end_s").iter_rows():
        first = min(_PIECES - 1, int((start - begin) / width))
        last = _PIECES if stop is None else max(first + 1, round((stop - begin) / width))
        is_step = kind == "transfer" and stop is not None
        steps[row, first:last] = step if is_step else np.nan
        others[row, first:last] = np.nan if is_step else float(stop is None)
    colours, norm = _colours(table)
    place: dict[str, Any] = {"extent": (begin, end, rows - 0.5, -0.5), "aspect": "auto", "interpolation": "nearest"}
    _key_of_steps(axes, axes.imshow(steps, cmap=colours, norm=norm, **place))
    shades = ListedColormap(["0.75", VERMILLION])
    axes.imshow(others, cmap=shades, vmin=0, vmax=1, **place)
    seen = {name: shades(value) for value, name in enumerate((_COMPUTES, _UNDONE)) if (others == value).any()}
    for name, colour in (seen | ({_TRANSFERS: BLUE} if norm.Ncmap == 1 else {})).items():
        # Of no area, for the legend that `frame` makes.
        axes.add_collection(PolyCollection([np.full((4, 2), begin)], label=name, facecolor=colour))


PROBE = Probe(
    name="tasks",
    picture=Picture(
        name="tasks",
        draw=task_chart,
        table=rank_tasks,
        value="ready_s",
        missing="no task was ready: a traffic with work has tasks (docs/guide/collectives.md)",
    ),
    page_table=PageTable(title="Work by traffic", name="work", table=work_by_traffic),
)
COLLECTIVES = Probe(
    name="tasks",
    page_table=PageTable(
        title="Collectives", name="collectives", table=lambda result: collectives(result).head(MOST_COLLECTIVES)
    ),
)
UNDONE = Probe(
    name="tasks",
    page_table=PageTable(title="Tasks that were not done", name="undone-tasks", table=undone_tasks),
)
