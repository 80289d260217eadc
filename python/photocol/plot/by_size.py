"""The numbers of the slowdown by the size of flows: of a run, with bootstrap intervals, and of a sweep, over its seeds.

Sizes fall into ranges: half decades (`"decades"`), N ranges with about as many flows each (a number), or tenths of
all flows, side by side at equal widths, as the law of the sizes has them (`"law"`). Equal sizes are never apart, and a
range without flows is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.plot.tables import OF, with_names
from photocol.stats import bootstrap_ranks, student_t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

DECADES, LAW = "decades", "law"
_A_DECADE = 2
_TENTHS = 10
_MOST_BINS = 1000
PERCENTILES = {"p50": ("median", 0.5), "p95": ("95th percentile", 0.95), "p99": ("99th percentile", 0.99)}
_VALUES = {"completion_s": ("completion", "_s"), "slowdown": ("slowdown", "")}
"""What percentiles are of, with the beginning and the end of their names."""
_ENDS = ("", "_low", "_high")
_FEWEST = 6
"""Flows of a point: fewer values have no interval of 95 % for their median, 1 - 2 / 2⁵ is 0.94."""
_RANGE = ("place", "size_from_bytes", "size_to_bytes", "size_middle_bytes", "share_from", "share_to")
_OF_PICTURE = ("size_middle_bytes", "share_from", "share_to")
"""Where a range stands in a picture."""


@dataclass(frozen=True, kw_only=True)
class BySize:
    """Which percentiles of the slowdown are drawn, and over which ranges of sizes."""

    percentiles: Sequence[str] = ("p50", "p95")
    """Of p50, p95 and p99."""
    bins: str | int = DECADES
    """`"decades"`, `"law"`, or a number of ranges with as many flows each."""

    @classmethod
    def of(cls, percentiles: Sequence[int | str], bins: str | int) -> BySize:
        """Of percentiles as numbers, the default without any. Raises InputError."""
        return cls(percentiles=tuple(f"p{one}" for one in percentiles) or cls.percentiles, bins=bins)

    def __post_init__(self) -> None:
        """Raises InputError for what there is not."""
        if not self.percentiles or not set(self.percentiles) <= set(PERCENTILES):
            raise InputError(f"percentiles {', '.join(self.percentiles)}: some of {', '.join(PERCENTILES)}")
        is_named = isinstance(self.bins, str) and self.bins in (DECADES, LAW)
        number = 1 if is_named else self.bins if type(self.bins) is int else 0
        if not 1 <= number <= _MOST_BINS:
            raise InputError(f"bins {self.bins!r}: {DECADES}, {LAW}, or a number from 1 to {_MOST_BINS}")


def by_size(flows: pl.DataFrame, keys: Sequence[str], bins: str | int = DECADES) -> pl.DataFrame:
    """A row for each value of `keys` and range of sizes: flows, completed, percentiles with bootstrap intervals.

    `flows` has columns size_bytes, completion_s, slowdown. All replications count together. A percentile is null where
    too few values are there for one to lie above it.
    """
    columns = [pl.len().alias("flows"), pl.col("completion_s").count().alias("completed")]
    columns += [pl.col(value).drop_nulls().sort() for value in _VALUES]
    table = _binned(flows, bins).group_by(*keys, *_RANGE).agg(*columns).sort(*keys, "place")
    quantiles = [
        pl.Series(f"{name}_{rank}{more}{ending}", values, pl.Float64)
        for value, (name, ending) in _VALUES.items()
        for rank, (_, share) in PERCENTILES.items()
        for more, values in _with_ends(table.get_column(value), share).items()
    ]
    return table.select(*keys, *_RANGE[1:], "flows", "completed").with_columns(quantiles)


def over_seeds(flows: pl.DataFrame, keys: Sequence[str], bins: str | int = DECADES) -> pl.DataFrame:
    """The same rows with 95 % intervals over replications (column `run`), which need not have independent flows.

    By sectioning (Asmussen, Glynn, Stochastic Simulation, 2007, chapter III.5): the percentile is that of all flows,
    the variance of its logarithm that of the replications' own about it. No interval where a replication has no flow.
    """
    table, place = by_size(flows, keys, bins), [*keys, "size_from_bytes"]
    own = [
        pl.col(value).quantile(share, "equiprobable").alias(f"{name}_{rank}{ending}")
        for value, (name, ending) in _VALUES.items()
        for rank, (_, share) in PERCENTILES.items()
    ]
    each = _binned(flows, bins).group_by([*place, "run"]).agg(own)
    each = each.join(table.select(*place, pl.col("^(completion|slowdown)_p[0-9]+(_s)?$")), on=place, suffix="_of_all")
    runs = flows.group_by(keys).agg(pl.col("run").n_unique().alias("runs"))
    for name, ending in _VALUES.values():
        for rank in PERCENTILES:
            column, n = f"{name}_{rank}{ending}", pl.col("n")
            squares = ((pl.col(column) / pl.col(f"{column}_of_all")).log() ** 2).sum()
            spread = each.group_by(place).agg(squares.alias("squares"), pl.col(column).count().alias("n"))
            spread = spread.join(runs, on=keys).filter((n == pl.col("runs")) & (n > 1))
            quantile = {number: student_t_quantile(0.975, number - 1) for number in spread.get_column("n").unique()}
            t = n.replace_strict(quantile, default=None, return_dtype=pl.Float64)
            half = (t * (pl.col("squares") / (n * (n - 1))).sqrt()).alias("half")
            # No flow is faster than on the empty path.
            least = pl.min_horizontal(column, pl.lit(1.0)) if name == "slowdown" else pl.lit(0.0)
            table = table.join(spread.select(*place, half), on=place, how="left", maintain_order="left").with_columns(
                (pl.col(column) * (-pl.col("half")).exp()).clip(lower_bound=least).alias(f"{name}_{rank}_low{ending}"),
                (pl.col(column) * pl.col("half").exp()).alias(f"{name}_{rank}_high{ending}"),
            )
            table = table.drop("half")
    return table


def slowdowns(
    flows: pl.DataFrame, how: BySize | None = None, *, is_over_seeds: bool = False, keys: Sequence[str] = (OF, "class")
) -> pl.DataFrame:
    """The numbers of the picture: a row for each result (`of`), class and range.

    They are of the flows that have a slowdown, and of those that have not completed. Slowdowns of fewer than six flows
    are null.

    Empty where no range has enough flows for one of the percentiles.
    """
    is_shown = pl.col("slowdown").is_not_null() | pl.col("completion_s").is_null()
    table = with_names(flows).filter(is_shown & (pl.col("size_bytes") > 0))
    made, how = over_seeds if is_over_seeds else by_size, how or BySize()
    numbers = made(table, list(keys), how.bins)
    enough = pl.when(pl.col("completed") >= _FEWEST)
    numbers = numbers.with_columns(enough.then(pl.col("^slowdown_.*$")).name.keep())
    return numbers if any(numbers[f"slowdown_{rank}"].count() for rank in how.percentiles) else numbers.clear()


def without_places(table: pl.DataFrame) -> pl.DataFrame:
    """The numbers without where they stand in a picture."""
    return table.drop(_OF_PICTURE)


def _binned(flows: pl.DataFrame, bins: str | int) -> pl.DataFrame:
    """The flows with the range of each: its number, its ends in bytes, its median size, and the shares of all flows
    below its ends.

    A half decade holds sizes from its first end on and below its other; any other range holds both its ends.
    """
    size = pl.col("size_bytes").cast(pl.Float64)
    sizes = flows.get_column("size_bytes").cast(pl.Float64).sort().to_numpy()
    if bins == DECADES:
        place = (size.log10() * _A_DECADE + 1e-9).floor()
        first, last = ((10.0 ** ((pl.col("place") + more) / _A_DECADE)).round(0) for more in (0, 1))
    else:
        number = _TENTHS if bins == LAW else int(bins)
        ranks = {math.ceil(len(sizes) * k / number - 1e-9) for k in range(1, number + 1)}
        upper = np.unique(sizes[[rank - 1 for rank in ranks if rank > 0]])
        place = pl.lit(pl.Series(np.searchsorted(upper, flows["size_bytes"].to_numpy()), dtype=pl.Float64))
        first, last = pl.col("least"), pl.col("most")
    placed = flows.with_columns(place.alias("place"))
    columns = [size.min().alias("least"), size.max().alias("most"), pl.len().alias("count")]
    columns.append(size.quantile(0.5, "equiprobable").alias("size_middle_bytes"))
    share = pl.col("count").cum_sum() / max(1, len(sizes))
    ends = placed.group_by("place").agg(columns).sort("place")
    ends = ends.with_columns(first.alias("size_from_bytes"), last.alias("size_to_bytes"), share.alias("share_to"))
    ends = ends.with_columns(pl.col("share_to").shift(1, fill_value=0.0).alias("share_from")).select(_RANGE)
    return placed.join(ends, on="place", how="left", maintain_order="left")


def _with_ends(sorted_values: pl.Series, share: float) -> dict[str, list[float | None]]:
    """The quantile of each list of values, and the ends of its interval; null where no value lies above it."""
    found: dict[str, list[float | None]] = {end: [] for end in _ENDS}
    for values in sorted_values:
        rank = math.ceil(len(values) * share - 1e-9)
        if len(values) * (1 - share) < 1 - 1e-9:
            places: tuple[int, ...] = ()
        else:
            places = (rank, *bootstrap_ranks(len(values), rank))
        for number, column in enumerate(found.values()):
            column.append(values[places[number] - 1] if places else None)
    return found
