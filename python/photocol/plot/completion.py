"""How long flows took: the distribution of completion times, and the slowdown by size.

Of flows with a size that start after the warm-up, as in the summary. Those that did not complete have no time; each
curve and each row says how many flows it stands for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.axes import draw_shares
from photocol.plot.over_time import steps
from photocol.plot.style import frame, looks, marker_size, width
from photocol.plot.tables import OF, class_of, groups, median, runs_of, with_names
from photocol.quantity import readable, scale_of
from photocol.runs.quantiles import warm_up_s
from photocol.stats import bootstrap_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.runs.results import Result

_BINS_A_DECADE = 2
_PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_VALUES = {"completion_s": ("completion", "_s"), "slowdown": ("slowdown", "")}
"""What percentiles are of, with the beginning and the end of their names."""
_FAR_APART = 30.0
_NEAR = 4.0
"""Slowdowns within this factor stand on a linear axis."""


def sized_flows(result: Result) -> pl.DataFrame:
    """The flows that completion times are about: run, flow, class, size_bytes, completion_s (null: not completed),
    slowdown.
    """
    flows = result.flows
    sized = flows.filter(pl.col("size_bytes").is_not_null() & (pl.col("start_s") >= warm_up_s(result.summary)))
    time = pl.when(pl.col("completed")).then(pl.col("end_s") - pl.col("start_s"))
    slowdown = pl.col("slowdown") if "slowdown" in flows.columns else pl.lit(None, pl.Float64)
    there = [name for name in ("run", "flow") if name in flows.columns]
    return sized.select(
        *there, class_of(flows).alias("class"), "size_bytes", time.alias("completion_s"), slowdown.alias("slowdown")
    )


def completions_by_size(result: Result) -> pl.DataFrame:
    """A row a class and range of sizes: flows, completed, percentiles of the completion time and of the slowdown.

    A percentile is the least value that so many flows do not exceed; null where too few completed for one to lie above.
    Beside each stand the ends of its bootstrap interval at 95 %, `..._low` and `..._high`. It takes flows for
    independent, which flows that meet one another are not quite, and is a little narrow far out.
    """
    flows = sized_flows(result)
    table = _by_size(flows.filter(pl.col("size_bytes") > 0), ["class"])
    return table.rename({"from": "size_from_bytes", "to": "size_to_bytes"})


def slowdowns(flows: pl.DataFrame) -> pl.DataFrame:
    """The numbers of `slowdown_by_size`: the rows of `completions_by_size` of the flows that have a slowdown."""
    table = with_names(flows).filter(pl.col("slowdown").is_not_null() & (pl.col("size_bytes") > 0))
    return _by_size(table, [OF, "class"])


def completion_times(axes: Axes, flows: pl.DataFrame) -> None:
    """Share of the completed flows that took at most x, a curve a class; the axis is logarithmic for wide ranges.

    `flows` is what `sized_flows` gives. All replications count together.
    """
    draw_times(axes, flows, "completion_s")
    axes.set_ylabel("share of completed flows with time ≤ x")
    axes.set_xlabel(f"completion time x ({axes.get_xlabel()})")


def draw_times(axes: Axes, flows: pl.DataFrame, column: str) -> None:
    """Share of the flows whose time in `column` is at most x, a curve a class; the label of x is the unit.

    Each curve says of how many flows it is, and how many there are. Columns: class, `column` in seconds.
    """
    table = with_names(flows)
    parts = [
        (key, part.get_column(column).drop_nulls().to_numpy(), len(part)) for key, part in groups(table, OF, "class")
    ]
    longest = max((values.max() for _, values, _ in parts if len(values)), default=1.0)
    divisor, unit = scale_of(float(longest), "s")
    for place, (look, ((name, kind), values, number)) in enumerate(zip(looks(len(parts)), parts, strict=True)):
        if not len(values):
            continue
        told = f"{name}: {kind}" if name else kind
        rest = "" if len(values) == number else f" of {number:,}"
        label = f"{told} ({len(values):,}{rest} flows), median {readable(median(values), 's')}"
        draw_shares(axes, steps(values / divisor), look, label, place)
    least = min((values.min() for _, values, _ in parts if len(values)), default=1.0)
    if 0 < _FAR_APART * least < longest:
        axes.set_xscale("log")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(unit)
    frame(axes)


def slowdown_by_size(axes: Axes, flows: pl.DataFrame) -> None:
    """Median and 95th percentile of the slowdown by the size of flows, a pair of curves a class.

    `flows` is what `sized_flows` gives. Points stand in the middle of their range of sizes, with their bootstrap
    intervals at 95 %.
    """
    sizes = slowdowns(flows)
    parts = groups(sizes, OF, "class")
    for look, ((name, kind), part) in zip(looks(len(parts)), parts, strict=True):
        told = f"{name}: {kind}" if name else kind
        middle = (part.get_column("from") * part.get_column("to")).sqrt() / 1e3
        for rank, words, line, face in (("p50", "median", "-", look.colour), ("p95", "95th percentile", "--", "white")):
            axes.plot(
                middle,
                part.get_column(f"slowdown_{rank}"),
                color=look.colour,
                linestyle=line,
                marker=look.marker,
                markerfacecolor=face,
                markersize=marker_size(),
                linewidth=width(),
                label=f"{told}, {words}",
            )
            low, high = (part.get_column(f"slowdown_{rank}_{end}").to_numpy() for end in ("low", "high"))
            axes.vlines(middle.to_numpy(), low, high, color=look.colour, linewidth=width() / 2)
    axes.set_xscale("log")
    low, high = axes.dataLim.y0, axes.dataLim.y1
    if high > _NEAR * low > 0:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.05 * high if high > 0 else 1)
    runs = f", {runs_of(flows)} runs" if runs_of(flows) > 1 else ""
    axes.set_xlabel(f"size of the flow (kB; {sizes['flows'].sum():,} flows{runs})")
    axes.set_ylabel("slowdown (time / time on the empty path)")
    frame(axes)


def _by_size(flows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Flows in half decades of size: those from `from` on, below `to`; all in one range where sizes are equal."""
    place = (pl.col("size_bytes").log10() * _BINS_A_DECADE + 1e-9).floor()
    named = flows.with_columns(place.alias("place"))
    columns = [pl.len().alias("flows"), pl.col("completion_s").count().alias("completed")]
    columns += [pl.col(value).drop_nulls().sort() for value in _VALUES]
    table = named.group_by(*keys, "place").agg(*columns).sort(*keys, "place")
    begin, end = (10.0 ** ((pl.col("place") + more) / _BINS_A_DECADE) for more in (0, 1))
    quantiles = [
        pl.Series(f"{name}_{rank}{more}{ending}", values, pl.Float64)
        for value, (name, ending) in _VALUES.items()
        for rank, share in _PERCENTILES.items()
        for more, values in _with_ends(table.get_column(value), share).items()
    ]
    ranges = table.select(*keys, begin.round(0).alias("from"), end.round(0).alias("to"), "flows", "completed")
    return ranges.with_columns(quantiles)


def _with_ends(sorted_values: pl.Series, share: float) -> dict[str, list[float | None]]:
    """The quantile of each list of values, and the ends of its interval; null where no value lies above it."""
    found: dict[str, list[float | None]] = {"": [], "_low": [], "_high": []}
    for values in sorted_values:
        rank = math.ceil(len(values) * share - 1e-9)
        if len(values) * (1 - share) < 1 - 1e-9:
            places: tuple[int, ...] = ()
        else:
            places = (rank, *bootstrap_ranks(len(values), rank))
        for number, column in enumerate(found.values()):
            column.append(values[places[number] - 1] if places else None)
    return found
