"""From tables of results to what is drawn: several results side by side, parts of them, means over replications."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.plot.style import name_time
from photocol.stats import student_t_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

SUMS = ("class_throughput", "fairness")
"""Quantities of several flows together."""
OF = "of"
"""The column that names the result to which a row belongs."""
_CONFIDENCE = 0.95
_NAME_OF_NONE = r"traffic-\d+"
"""What a traffic without a name is called."""
_KIND = r"^(flow \d+), .*$"
"""A flow's entity with its kind."""


def together(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """One table of several results' tables, whose rows know the name of their result (column `of`)."""
    named = [table.with_columns(pl.lit(name).alias(OF)) for name, table in tables.items()]
    return pl.concat(named, how="diagonal_relaxed") if named else pl.DataFrame()


def with_names(table: pl.DataFrame) -> pl.DataFrame:
    """The table with columns `of`, empty names in a table of one result, and `run`."""
    missing = {OF: pl.lit(""), "run": pl.lit(0)}
    return table.with_columns(value.alias(name) for name, value in missing.items() if name not in table.columns)


def class_of(flows: pl.DataFrame) -> pl.Expr:
    """What kind a flow is of: its transport, and its traffic where there are several."""
    several = "traffic" in flows.columns and flows.get_column("traffic").n_unique() > 1
    return pl.format("{} ({})", "traffic", "transport") if several else pl.col("transport")


def with_kinds(series: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """The samples of flows under names that say their traffic, as in "flow 0, bbr", where a run has several.

    Flows are numbered as they start, so a number may be of another traffic in another replication. Their names differ
    then, and no mean is taken over both.
    """
    if not {"traffic", "transport"} <= set(flows.columns):
        return series
    kinds = flows.select("traffic", "transport").unique()
    if len(kinds) < 2:
        return series
    # Of traffics without names of their own the transport says more.
    is_named = not kinds.get_column("traffic").str.contains(rf"^{_NAME_OF_NONE}$").any()
    is_told = kinds.get_column("transport").n_unique() == len(kinds)
    kind = pl.col("traffic") if is_named else pl.col("transport") if is_told else class_of(flows)
    keys = ["run", "entity"] if "run" in series.columns and "run" in flows.columns else ["entity"]
    known = flows.with_columns(pl.format("flow {}", "flow").alias("entity"), kind.alias("kind"))
    known = known.select(pl.col(name).cast(series.schema[name]) for name in keys).with_columns(known["kind"])
    named = series.join(known, on=keys, how="left", maintain_order="left")
    told = pl.when(pl.col("kind").is_not_null()).then(pl.format("{}, {}", "entity", "kind")).otherwise("entity")
    return named.with_columns(told.alias("entity")).select(series.columns)


def entities(table: pl.DataFrame) -> int:
    """How many there are of them, whatever kind each is of."""
    return table.get_column("entity").str.replace(_KIND, "$1").n_unique()


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Flows and links to draw; none: all."""

    flows: Sequence[int] = ()
    links: Sequence[str] = ()
    window: tuple[float, float] | None = None
    """From when to when, in seconds; samples are drawn over time from the first to the last of it."""

    def of_flows(self, flows: pl.DataFrame) -> pl.DataFrame:
        """The rows of the chosen flows. InputError if there is no such flow."""
        return _only(flows, "flow", self.flows, "flow")

    def of_links(self, links: pl.DataFrame) -> pl.DataFrame:
        """The rows of the chosen links. InputError if there is no such link."""
        return _only(links, "link", self.links, "link")

    def of_drops(self, drops: pl.DataFrame) -> pl.DataFrame:
        """The drops at the chosen links; at all places, if none is chosen."""
        return drops.filter(pl.col("where").is_in(self.links)) if self.links else drops

    def of_series(self, series: pl.DataFrame) -> pl.DataFrame:
        """The samples of what is chosen, of flows and of links each."""
        entity = pl.col("entity").str.replace(_KIND, "$1")
        of_flow = entity.str.starts_with("flow ")
        flows = entity.is_in([f"flow {flow}" for flow in self.flows]) if self.flows else pl.lit(value=True)
        links = pl.lit(value=True)
        if self.links:
            # "a->b (control)" is a channel of the link a->b.
            links = pl.col("entity").str.replace(r" \([^)]*\)$", "").is_in(self.links)
            links |= pl.col("entity").is_in(self.links) | pl.col("quantity").is_in(SUMS)
        if self.window is not None:
            series = series.filter(pl.col("t_s").is_between(*self.window))
        return series.filter(pl.when(of_flow).then(flows).otherwise(links))

    def over_time(self, draw: Callable[[Axes, pl.DataFrame], None]) -> Callable[[Axes, pl.DataFrame], None]:
        """The picture over time with the chosen window as its axis."""
        if self.window is None:
            return draw
        begin, end = self.window

        def drawn(axes: Axes, table: pl.DataFrame) -> None:
            draw(axes, table)
            axes.set_xlim(begin, min(end, axes.get_xlim()[1]))
            name_time(axes)

        return drawn


def mean_and_spread(table: pl.DataFrame, keys: Sequence[str], value: str) -> pl.DataFrame:
    """Means over the replications, with half the width of their 95 % Student-t interval; null for one value.

    Columns: the keys, `value`, `n` (replications that have one), `half_width`.
    """
    # A replication counts once, however many rows it has.
    each = table.group_by(*keys, "run", maintain_order=True).agg(pl.col(value).mean())
    mean = each.group_by(*keys, maintain_order=True).agg(
        pl.col(value).mean(), pl.col(value).std().alias("deviation"), pl.col(value).count().alias("n")
    )
    most = int(mean["n"].max() or 1)  # type: ignore[arg-type]
    quantile = {n: student_t_quantile(0.5 + _CONFIDENCE / 2, n - 1) / n**0.5 for n in range(2, most + 1)}
    factor = pl.col("n").replace_strict(quantile, default=None, return_dtype=pl.Float64)
    return mean.with_columns((pl.col("deviation") * factor).alias("half_width")).drop("deviation")


def median(values: NDArray[Any]) -> float:
    """The least value that half of them do not exceed, as in the summary (`_p50`)."""
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def runs_of(table: pl.DataFrame) -> int:
    """Replications in a table, at least one."""
    return max(1, table["run"].n_unique()) if "run" in table.columns else 1


def groups(table: pl.DataFrame, *keys: str) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
    """Parts of the table by the values of columns, in natural order of the values ("flow 2" before "flow 10")."""
    parts = table.partition_by(*keys, as_dict=True, maintain_order=True)
    named = [(tuple(str(one) for one in name), part) for name, part in parts.items()]
    return sorted(named, key=lambda one: [natural(text) for text in one[0]])


def natural(text: str) -> list[tuple[int, str]]:
    """Sorts numbers in names as numbers."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", text)]


def _only(table: pl.DataFrame, column: str, wanted: Sequence[object], what: str) -> pl.DataFrame:
    if not wanted:
        return table
    known = set(table[column].unique())
    for one in wanted:
        if one not in known:
            raise InputError(f"there is no {what} {one} in the results")
    return table.filter(pl.col(column).is_in(wanted))
