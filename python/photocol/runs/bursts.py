"""What became of bursts, by traffic, source and path: a table made of a run's trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from photocol.runs.results import Result

SEVERAL = "several"
"""The traffic of bursts with packets of several ones, or of none: sources of bursts."""
NO_BURSTS = "bursts are counted from a trace: run with --trace (and optical burst switching)"
_ROUTE = ("agent", "route")
_KEY = ("source", "destination", "path", "traffic")


def table(result: Result) -> pl.DataFrame:
    """One row a (source, path, traffic) of bursts, of the first replication.

    Columns: `source` and `destination` are nodes; `path` are the links that most bursts of a route took that landed (of
    a route on which none did, as far as one came; then without a destination). Then bursts and their bytes; those that
    landed, were lost (dropped and never landed), and of which a part was cut off; the loss rate; the mean time from the
    first wavelength to the landing; `causes` of the losses, as in "contention 12, late burst header 3". A burst that is
    sent again is one burst; those on their way at the end have neither landed nor been lost.

    Raises InputError without a trace, or if nothing of bursts is in it.
    """
    import polars as pl

    if result.trace is None:
        raise InputError(NO_BURSTS)
    words = pl.col("event", "place", "class", "cause").cast(pl.String)
    events = result.trace.lazy().with_columns(words).filter(pl.col("class") == "burst").collect()
    if events.is_empty():
        raise InputError(NO_BURSTS)
    bursts = _bursts(events)
    named = bursts.join(_routes(bursts, result), on=_ROUTE, how="left").with_columns(_traffic(bursts, result))
    sums = named.group_by(*_ROUTE, *_KEY, maintain_order=True).agg(
        bursts=pl.len(),
        bytes=pl.col("bytes").sum(),
        landed=pl.col("landed_at").is_not_null().sum(),
        lost=pl.col("cause").is_not_null().sum(),
        cut=pl.col("is_cut").sum(),
        mean_delay_s=pl.col("delay_ps").mean() / 1e12,
        causes=pl.col("cause").drop_nulls().value_counts(sort=True),
    )
    causes = [", ".join(f"{one['cause']} {one['count']:,}" for one in some) for some in sums["causes"].to_list()]
    rate = pl.col("lost") / (pl.col("lost") + pl.col("landed"))
    whole = sums.with_columns(pl.Series("causes", causes, pl.String), loss_rate=rate.fill_nan(None))
    figures = ("bursts", "bytes", "landed", "lost", "cut", "loss_rate", "mean_delay_s", "causes")
    return whole.select(*_KEY, *figures).sort("source", "path", "traffic", nulls_last=True)


def _bursts(events: pl.DataFrame) -> pl.DataFrame:
    """One row a burst: its route, where it went, and what became of it."""
    import polars as pl

    event, ends = pl.col("event"), pl.col("event").is_in(["drop", "vanish"])
    landed = (event == "land").any()
    bursts = events.group_by("unit", maintain_order=True).agg(
        route=pl.col("value").first(),
        first=pl.col("place").filter(event.is_in(["reserve", "drop", "vanish"])).first(),
        links=pl.col("place").filter(event == "reserve").unique(maintain_order=True).str.join(" "),
        flow=pl.col("flow").first(),
        bytes=pl.col("bytes").first(),
        landed_at=pl.col("place").filter(event == "land").first(),
        is_cut=(event == "cut").any(),
        # What was dropped and landed later was sent again.
        cause=pl.when(landed).then(None).otherwise(pl.col("cause").filter(ends).last()),
        delay_ps=pl.col("t_ps").filter(event == "land").last() - pl.col("t_ps").filter(event == "reserve").first(),
    )
    # A burst's number begins with that of the agent at its ingress node.
    return bursts.with_columns(agent=pl.col("unit") // 2**40)


def _routes(bursts: pl.DataFrame, result: Result) -> pl.DataFrame:
    """Source, destination and path of each route: `value` of a burst's ingress node, which its number begins with."""
    import polars as pl

    links = result.links.select(first="link", source="from").unique("first")
    landed = pl.col("landed_at").is_not_null()
    usual = pl.col("links").filter(landed).mode().sort().first()
    furthest = pl.col("links").sort_by(pl.col("links").str.len_bytes()).last()
    return (
        bursts.join(links, on="first", how="left")
        .group_by(_ROUTE)
        .agg(
            pl.col("source").drop_nulls().first(),
            destination=pl.col("landed_at").drop_nulls().first(),
            path=pl.coalesce(usual, furthest),
        )
    )


def _traffic(bursts: pl.DataFrame, result: Result) -> pl.Expr:
    """The traffic of each burst: that of its flow, or the only one that there is."""
    import polars as pl

    names = result.flows["traffic"].unique().to_list()
    if len(names) == 1 and bursts["flow"].null_count() < bursts.height:
        return pl.lit(names[0]).alias("traffic")
    flows = dict(result.flows.select(pl.col("flow").cast(pl.UInt64), "traffic").unique("flow").iter_rows())
    return (
        pl.col("flow").cast(pl.UInt64).replace_strict(flows, default=SEVERAL, return_dtype=pl.String).alias("traffic")
    )
