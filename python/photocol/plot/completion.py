"""How long flows took, and requests that many hosts answer: distributions of completion times.

Of flows with a size that start after the warm-up, as in the summary; `[run] completion` says when one is complete.
Those that did not complete have no time; each curve and each row says how many flows it stands for.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import polars as pl

from photocol.plot.axes import draw_shares
from photocol.plot.by_size import by_size, without_places
from photocol.plot.over_time import steps
from photocol.plot.style import frame, looks
from photocol.plot.tables import OF, class_of, groups, median, with_names
from photocol.quantity import readable, scale_of
from photocol.runs.quantiles import warm_up_s

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.runs.results import Result

_INCAST = '"incast"'
_NO_REQUESTS = pl.DataFrame(schema={"class": pl.String, "start_s": pl.Float64, "completion_s": pl.Float64})
_FAR_APART = 30.0


def sized_flows(result: Result) -> pl.DataFrame:
    """The flows that completion times are about: run, flow, traffic, class, size_bytes, completion_s (null: not
    completed), slowdown.
    """
    flows = result.flows
    sized = flows.filter(pl.col("size_bytes").is_not_null() & (pl.col("start_s") >= warm_up_s(result.summary)))
    slowdown = pl.col("slowdown") if "slowdown" in flows.columns else pl.lit(None, pl.Float64)
    there = [name for name in ("run", "flow", "traffic") if name in flows.columns]
    return sized.select(
        *there,
        class_of(flows).alias("class"),
        "size_bytes",
        _completion(flows).alias("completion_s"),
        slowdown.alias("slowdown"),
    )


def requests(result: Result) -> pl.DataFrame:
    """The requests that many hosts answer: run, class, start_s, completion_s (null: an answer has not completed).

    Of incasts whose answers start at once, since flows do not say which request they answer; empty without any.
    """
    text = str(result.manifest.get("scenario", ""))
    traffics = tomllib.loads(text).get("traffic", []) if _INCAST in text else []
    names = [one["name"] for one in traffics if one.get("arrivals") == "incast" and one.get("spread", "0 s") == "0 s"]
    flows = result.flows.filter(pl.col("start_s") >= warm_up_s(result.summary))
    flows = flows.with_columns(class_of(flows).alias("class")).filter(pl.col("traffic").is_in(names))
    keys = [name for name in ("run", "class", "destination", "start_s") if name in flows.columns]
    time = _completion(flows)
    took = pl.when(time.is_not_null().all()).then(time.max())
    return flows.group_by(keys, maintain_order=True).agg(took.alias("completion_s")) if names else _NO_REQUESTS


def completions_by_size(result: Result) -> pl.DataFrame:
    """A row a class and range of sizes: flows, completed, percentiles of the completion time and of the slowdown.

    A percentile is the least value that so many flows do not exceed; null where too few completed for one to lie above.
    Beside each stand the ends of its bootstrap interval at 95 %, `..._low` and `..._high`. It takes flows for
    independent, which flows that meet one another are not quite, and is a little narrow far out.
    """
    flows = sized_flows(result)
    return without_places(by_size(flows.filter(pl.col("size_bytes") > 0), ["class"]))


def _completion(flows: pl.DataFrame) -> pl.Expr:
    """The completion time of each flow; of tables of older versions that at its sender."""
    if "completion_s" in flows.columns:
        return pl.col("completion_s")
    return pl.when(pl.col("completed")).then(pl.col("end_s") - pl.col("start_s"))


def request_times(axes: Axes, table: pl.DataFrame) -> None:
    """Share of the completed requests whose last answer completed within x, a curve a class.

    `table` is what `requests` gives. All replications count together.
    """
    draw_times(axes, table, "completion_s", of="requests")
    axes.set_ylabel("share of completed requests with time ≤ x")
    axes.set_xlabel(f"time of the request x ({axes.get_xlabel()})")


def completion_times(axes: Axes, flows: pl.DataFrame) -> None:
    """Share of the completed flows that took at most x, a curve a class; the axis is logarithmic for wide ranges.

    `flows` is what `sized_flows` gives. All replications count together.
    """
    draw_times(axes, flows, "completion_s")
    axes.set_ylabel("share of completed flows with time ≤ x")
    axes.set_xlabel(f"completion time x ({axes.get_xlabel()})")


def draw_times(axes: Axes, flows: pl.DataFrame, column: str, of: str = "flows") -> None:
    """Share of the flows whose time in `column` is at most x, a curve a class; the label of x is the unit.

    Each curve says of how many flows (or what `of` calls them) it is, and how many there are. Columns: class, `column`
    in seconds.
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
        label = f"{told} ({len(values):,}{rest} {of}), median {readable(median(values), 's')}"
        draw_shares(axes, steps(values / divisor), look, label, place)
    least = min((values.min() for _, values, _ in parts if len(values)), default=1.0)
    if 0 < _FAR_APART * least < longest:
        axes.set_xscale("log")
    else:
        axes.set_xlim(0, 1.05 * longest / divisor)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(unit)
    frame(axes)
