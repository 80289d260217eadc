"""What follows from the samples of a run: throughput of flows, classes and links, fairness, the queue's distribution.

Throughput is what arrived at the receiver, or was carried by a link, since the sample before. All of it is about what
`[probe]` samples: of classes and fairness the flows that it names. Tables have the columns of `series`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.plot.axes import draw_shares, samples
from photocol.plot.style import frame, looks
from photocol.plot.tables import OF, SUMS, class_of, groups, median, runs_of, with_names
from photocol.runs.quantiles import warm_up_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.runs.results import Result

OF_CLASSES, FAIRNESS = SUMS
THROUGHPUT, OF_LINKS = "throughput", "link_throughput"
_COLUMNS = ("run", "t_s", "entity", "quantity", "value")
_MOST_QUEUES = 8
_MOST_STEPS = 1000
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def over_time(result: Result, flows: Sequence[int] = ()) -> pl.DataFrame:
    """Throughput of the sampled flows, of their classes and of the sampled links, and fairness: run, t_s, entity,
    quantity, value, as in `series`. Empty where nothing of it was sampled. With `flows` of these flows only.
    """
    series = result.series
    if "run" not in series.columns:
        series = series.with_columns(run=pl.lit(0))
    arrived = series.filter(pl.col("quantity") == "bytes_arrived")
    if flows:
        arrived = arrived.filter(pl.col("entity").is_in([f"flow {flow}" for flow in flows]))
    of_flows = _since_the_last(arrived, bits=8)
    # What a link has sent of a packet that is cut then is not carried.
    of_links = _since_the_last(series.filter(pl.col("quantity") == "carried_bits"), bits=1)
    parts = [
        of_flows.with_columns(quantity=pl.lit(THROUGHPUT)),
        _of_classes(of_flows, result.flows) if not of_flows.is_empty() else of_flows,
        _fairness(of_flows),
        of_links.with_columns(pl.col("value").clip(lower_bound=0), quantity=pl.lit(OF_LINKS)),
    ]
    kept = [part.select(pl.col(name) for name in _COLUMNS) for part in parts if not part.is_empty()]
    return pl.concat(kept, how="vertical_relaxed") if kept else series.clear().select(_COLUMNS)


def queues(result: Result) -> pl.DataFrame:
    """How long each sampled queue was after the warm-up: run, link, samples, mean, quantiles and max, in packets."""
    table = _queue_samples(result)
    columns = [pl.len().alias("samples"), pl.col("value").mean().alias("mean")]
    columns += [pl.col("value").quantile(q, "equiprobable").alias(f"p{100 * q:g}") for q in QUANTILES]
    by = ["run", "link"] if "run" in table.columns else ["link"]
    named = table.rename({"entity": "link"})
    return named.group_by(by, maintain_order=True).agg(*columns, pl.col("value").max().alias("max"))


def queue_samples(results: Mapping[str, Result]) -> dict[str, pl.DataFrame]:
    """The samples of queues of each result, after its warm-up; none if all queues are always empty."""
    found = {name: _queue_samples(result) for name, result in results.items()}
    is_empty = all(table.is_empty() or table.get_column("value").max() == 0 for table in found.values())
    return {name: table.clear() for name, table in found.items()} if is_empty else found


def queue_distribution(axes: Axes, series: pl.DataFrame) -> None:
    """Share of the samples in which a queue was at most x packets: a curve a link, those of the longest queues.

    `series` is the table of that name, filtered to the quantity `queue`. All replications count together. Queues that
    are always empty have no curve.
    """
    table = with_names(series).filter(pl.col("value").is_finite())
    parts = groups(table, OF, "entity")
    empty = len(parts)
    parts = [one for one in parts if one[1].get_column("value").max() != 0]
    empty -= len(parts)
    parts.sort(key=lambda one: -float(one[1].get_column("value").mean() or 0.0))  # type: ignore[arg-type]
    shown = parts[:_MOST_QUEUES]
    for place, (look, ((name, link), part)) in enumerate(zip(looks(len(shown)), shown, strict=True)):
        values = part.get_column("value").to_numpy()
        label = f"{name}: {link}" if name else link
        draw_shares(axes, steps(values), look, f"{label}: median {median(values):g}", place)
    hidden = f"; {len(parts) - len(shown)} shorter queues are not shown" if len(parts) > len(shown) else ""
    hidden += f"; {empty} are always empty" if empty else ""
    runs = f" of {runs_of(table)} runs" if runs_of(table) > 1 else ""
    axes.set_xlabel(f"queue x (packets){hidden}")
    axes.set_ylabel(f"share of samples{runs} with queue ≤ x")
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    frame(axes)


def fairness(axes: Axes, series: pl.DataFrame) -> None:
    """Jain's index of the sampled flows' throughput over time, which is at most 1. `series` is of that quantity."""
    samples(axes, series)
    axes.set_ylim(0, 1.05)


def steps(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the share of values that are at most x rises, and to what; of very many some, and the last."""
    ordered = np.sort(values)
    ranks = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), _MOST_STEPS)).round().astype(int))
    # Of equal values the last rank says the share.
    at = ordered[ranks]
    return at, np.searchsorted(ordered, at, side="right") / len(ordered)


def _queue_samples(result: Result) -> pl.DataFrame:
    series = result.series
    return series.filter((pl.col("quantity") == "queue") & (pl.col("t_s") >= warm_up_s(result.summary)))


def _since_the_last(so_far: pl.DataFrame, *, bits: int) -> pl.DataFrame:
    """Bit/s between each sample of what there was so far and the one before, of units of so many bits."""
    ordered = so_far.sort("run", "entity", "t_s", maintain_order=True)
    over = ["run", "entity"]
    rate = bits * pl.col("value").diff().over(over) / pl.col("t_s").diff().over(over)
    return ordered.with_columns(rate.alias("value")).filter(pl.col("value").is_finite())


def _of_classes(of_flows: pl.DataFrame, flows: pl.DataFrame) -> pl.DataFrame:
    """The sum over the sampled flows of each class; a class says how many of its flows are sampled."""
    known = flows.with_columns(class_of(flows).alias("class"), pl.format("flow {}", "flow").alias("entity"))
    known = known if "run" in known.columns else known.with_columns(run=pl.lit(0))
    known = known.select(pl.col("run").cast(of_flows.schema["run"]), "entity", "class")
    sampled = of_flows.select("run", "entity").unique()
    counts = known.join(sampled.with_columns(is_sampled=1), on=["run", "entity"], how="left")
    counts = counts.group_by("class").agg(pl.col("is_sampled").sum().alias("sampled"), pl.len().alias("all"))
    is_whole, in_part = pl.col("sampled") == pl.col("all"), pl.format("{}, {} of {} flows", "class", "sampled", "all")
    counts = counts.select("class", pl.when(is_whole).then(pl.col("class")).otherwise(in_part).alias("named"))
    joined = of_flows.join(known, on=["run", "entity"], how="inner").join(counts, on="class", how="left")
    sums = joined.group_by("run", "t_s", "named").agg(pl.col("value").sum()).sort("run", "named", "t_s")
    return sums.rename({"named": "entity"}).with_columns(quantity=pl.lit(OF_CLASSES))


def _fairness(of_flows: pl.DataFrame) -> pl.DataFrame:
    """Jain's index of the sampled flows' throughput, where two or more are under way: (Σx)² / (n Σx²)."""
    value = pl.col("value")
    each = of_flows.group_by("run", "t_s").agg(
        (value.sum() ** 2 / (pl.len() * (value**2).sum())).alias("value"), pl.len().alias("n")
    )
    kept = each.filter((pl.col("n") >= 2) & pl.col("value").is_finite()).sort("run", "t_s")
    most = of_flows.get_column("entity").n_unique() if not of_flows.is_empty() else 0
    return kept.with_columns(entity=pl.lit(f"{most} sampled flows"), quantity=pl.lit(FAIRNESS))
