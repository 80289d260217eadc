"""Pictures of a run. A plot takes an `Axes` and a table and returns nothing; no style is set for anybody else.

`photocol plot DIR` draws them all; `result.plot.goodput()` draws one on a new figure, or on the `Axes` it is given.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from photocol import storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from photocol.results import Result

SIZE_INCHES = (6.4, 4.0)
MAX_NAMED_LINES = 8
_COLOURS = ("#1f6fb4", "#d1662b", "#2f8f5b", "#8b5fb0", "#b8393b", "#6d6d6d", "#c79a1c", "#2aa5b5")
_LINKS_WITH_NAMES = 40
_PNG_COLOURS = 256


class _Axis(NamedTuple):
    """How a quantity of the table `series` is labelled, and what its values are divided by."""

    label: str
    divisor: float = 1.0


_QUANTITIES = {
    "cwnd": _Axis("congestion window (kB)", 1e3),
    "ssthresh": _Axis("slow-start threshold (kB)", 1e3),
    "pipe": _Axis("pipe (kB)", 1e3),
    "acked": _Axis("bytes acknowledged (MB)", 1e6),
    "srtt": _Axis("smoothed round-trip time (ms)", 1e-3),
    "rto": _Axis("retransmission timeout (s)"),
    "queue": _Axis("queue (packets)"),
    "utilization": _Axis("utilization (busy time / time)"),
}


def link_utilization(axes: Axes, links: pl.DataFrame) -> None:
    """Utilization of every directed link, the busiest first, with its mean; over several runs, means per link.

    `links` is the table of that name: columns link, utilization.
    """
    mean = pl.col("utilization").mean()
    table = links.group_by("link", maintain_order=True).agg(mean).sort("utilization", descending=True, nulls_last=True)
    values, rank = table["utilization"].to_numpy(), np.arange(1, len(table) + 1)
    axes.vlines(rank, 0, values, color=_COLOURS[0], alpha=0.35, linewidth=1.5)
    axes.plot(rank, values, "o", color=_COLOURS[0], markersize=4, label="link")
    if len(table):
        overall = float(np.nanmean(values))
        axes.axhline(overall, color=_COLOURS[1], linestyle="--", linewidth=1.2, label=f"mean {overall:.3f}")
    axes.set_ylim(0, max(1.05, float(np.nanmax(values, initial=0))))
    axes.set_ylabel("utilization (busy time / time)")
    _name_ranks(axes, table["link"].to_list())
    _frame(axes)


def goodput_distribution(axes: Axes, flows: pl.DataFrame) -> None:
    """Share of flows whose goodput is at most x Mb/s, a curve a transport; the axis is logarithmic for wide ranges.

    `flows` is the table of that name: columns transport, goodput_bps. Flows without a measured goodput are left out.
    """
    measured = flows.filter(pl.col("goodput_bps").is_not_null())
    for colour, (name, group) in zip(_cycle(), _groups(measured, "transport"), strict=False):
        values = np.sort(group["goodput_bps"].to_numpy()) / 1e6
        shares = np.arange(0, len(values) + 1) / len(values)
        axes.step(
            np.append(values[:1], values),
            shares,
            where="post",
            color=colour,
            label=f"{name} ({len(values):,} flows)",
            linewidth=1.6,
        )
        median = float(np.median(values))
        axes.plot([median], [0.5], "o", color=colour, markersize=4)
        axes.annotate(
            f"median {median:.3g} Mb/s", (median, 0.5), (6, -4), textcoords="offset points", fontsize="small", va="top"
        )
    if _is_wide(measured["goodput_bps"].to_numpy()):
        axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("goodput x (Mb/s)")
    axes.set_ylabel("share of flows with goodput ≤ x")
    _frame(axes)


def samples(axes: Axes, series: pl.DataFrame) -> None:
    """One sampled quantity over time, a line an entity; of many entities, their quantiles.

    `series` is the table of that name, filtered to one quantity (ValueError otherwise): columns t_s, entity, quantity,
    value. Of several runs the first is drawn. An infinite ssthresh is not drawn.
    """
    quantities = series["quantity"].unique().to_list()
    if len(quantities) != 1:
        raise ValueError(f"one quantity can be drawn at a time, the table has {sorted(quantities)}")
    axis = _QUANTITIES.get(quantities[0], _Axis(quantities[0]))
    first = series.filter((pl.col("run") == pl.col("run").min()) & pl.col("value").is_finite())
    table = first.with_columns(pl.col("value") / axis.divisor)
    groups = _groups(table, "entity")
    if len(groups) <= MAX_NAMED_LINES:
        for colour, (name, group) in zip(_cycle(), groups, strict=False):
            axes.plot(group["t_s"], group["value"], color=colour, label=name, linewidth=1.3)
    else:
        _band(axes, table, len(groups))
    axes.set_xlabel("simulated time (s)")
    axes.set_ylabel(axis.label)
    axes.set_xlim(0, None if groups else 1)
    low, high = (float(table["value"].min() or 0), float(table["value"].max() or 0))  # type: ignore[arg-type]
    axes.set_ylim(1.05 * min(low, 0.0), 1.05 * max(high, 0.0) or (0.0 if low < 0 else 1.05))
    _frame(axes)


class Plots:
    """The pictures of one result; each method draws on `axes`, or on a new figure, and returns the `Axes`."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def link_utilization(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.link_utilization` of this result."""
        return _drawn(link_utilization, axes, self._result.links)

    def goodput(self, axes: Axes | None = None) -> Axes:
        """`photocol.plot.goodput_distribution` of this result."""
        return _drawn(goodput_distribution, axes, self._result.flows)

    def series(self, quantity: str, axes: Axes | None = None) -> Axes:
        """`photocol.plot.samples` of one quantity of this result; ValueError if it was not sampled."""
        table = self._result.series.filter(pl.col("quantity") == quantity)
        if table.is_empty():
            sampled = ", ".join(sorted(self._result.series["quantity"].unique())) or "nothing"
            raise ValueError(f"{quantity!r} was not sampled (there is: {sampled}); a scenario's [probe] says what is")
        return _drawn(samples, axes, table)


def save_all(result: Result, folder: Path) -> list[Path]:
    """Draw everything that a result has as PNG files in `folder` (made if missing); returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures: dict[str, tuple[Callable[[Axes, pl.DataFrame], None], pl.DataFrame]] = {
        "link_utilization": (link_utilization, result.links),
        "goodput": (goodput_distribution, result.flows),
    }
    for quantity, table in _groups(result.series, "quantity"):
        pictures[f"series_{quantity}"] = (samples, table)
    return [_save(draw, table, folder / f"{name}.png") for name, (draw, table) in pictures.items() if len(table)]


def save_png(figure: Figure, file: Path, dpi: int) -> None:
    """Write a figure as a PNG of 256 colours: a third of the size, and no eye sees the difference in a line plot.

    Free of dates and names of programs, so that equal figures give equal files.
    """
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    with Image.open(buffer) as picture:
        few = picture.convert("RGB").quantize(_PNG_COLOURS, dither=Image.Dither.NONE)
    few.save(file, format="PNG", optimize=True)


def _save(draw: Callable[[Axes, pl.DataFrame], None], table: pl.DataFrame, file: Path) -> Path:
    figure = _new_figure()
    draw(figure.add_subplot(), table)
    with storage.naming(file):
        save_png(figure, file, dpi=150)
    return file


def _drawn(draw: Callable[[Axes, pl.DataFrame], None], axes: Axes | None, table: pl.DataFrame) -> Axes:
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.figure(figsize=SIZE_INCHES, layout="constrained").add_subplot()
    draw(axes, table)
    return axes


def _new_figure() -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=SIZE_INCHES, layout="constrained")


def _band(axes: Axes, table: pl.DataFrame, entities: int) -> None:
    """Median, quartiles, 5th to 95th percentile and maximum over many entities at each time."""
    value = pl.col("value")
    ranks = {"low": 0.05, "lower": 0.25, "median": 0.5, "upper": 0.75, "high": 0.95, "most": 1.0}
    shares = [value.quantile(rank, "linear").alias(name) for name, rank in ranks.items()]
    over = table.group_by("t_s").agg(shares).sort("t_s")
    t_s, colour = over["t_s"], _COLOURS[0]
    axes.plot(t_s, over["most"], color="0.6", linewidth=0.8, label="maximum")
    axes.fill_between(t_s, over["low"], over["high"], color=colour, alpha=0.2, linewidth=0, label="5 to 95 %")
    axes.fill_between(t_s, over["lower"], over["upper"], color=colour, alpha=0.4, linewidth=0, label="25 to 75 %")
    axes.plot(t_s, over["median"], color=_COLOURS[1], linewidth=1.8, label=f"median of {entities:,}")


def _name_ranks(axes: Axes, names: list[str]) -> None:
    """Names under the marks where they fit, ranks otherwise."""
    if len(names) > _LINKS_WITH_NAMES:
        axes.set_xlabel(f"rank of the link (of {len(names)} directed links)")
        return
    axes.set_xticks(range(1, len(names) + 1), names, rotation=90 if len(names) > 6 else 0, fontsize="x-small")
    axes.set_xlabel("directed link")


def _frame(axes: Axes) -> None:
    """What all plots share; the legend stands above the axes, where it hides nothing."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(
            frameon=False, fontsize="small", ncols=4, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.2
        )
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _groups(table: pl.DataFrame, key: str) -> list[tuple[str, pl.DataFrame]]:
    """Parts of the table by the value of a column, in natural order of the values ("flow 2" before "flow 10")."""
    parts = table.partition_by(key, as_dict=True, maintain_order=True)
    return sorted(((str(name[0]), part) for name, part in parts.items()), key=lambda one: _natural(one[0]))


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def _cycle() -> list[str]:
    return list(_COLOURS)


def _is_wide(values: NDArray[np.float64]) -> bool:
    """Whether the bulk spans more than a factor of 30, all of it positive."""
    if len(values) == 0 or values.min() <= 0:
        return False
    low, high = np.quantile(values, [0.02, 0.98])
    return bool(high > 30 * low)
