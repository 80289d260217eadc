"""The tables of a run, which must say what its trace does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.rules import rule
from photocol.runs.replay.traits import OTHER_KIND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed


@rule(
    "table of drops",
    "What is dropped and what vanishes is the table `drops`.",
    of="run",
)
def drops(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """As many units and bits, by place, class and cause."""
    if not run.is_whole:
        return
    gone = events.filter(pl.col("event").is_in(["drop", "vanish", "cut"]), pl.col("t_ps") >= run.warm_up)
    # Of a burst that is cut the table has the bits of the part, up to a byte, and no unit.
    is_cut = pl.col("event") == "cut"
    counted = gone.group_by("place", "class", "cause").agg((~is_cut).sum(), pl.col("bytes").sum() * 8)
    slack = dict(gone.group_by("place").agg(is_cut.sum() * 8).iter_rows())
    table = run.drops.cast(dict.fromkeys(("where", "class", "cause"), pl.String))
    table = table.group_by("where", "class", "cause").agg(pl.col("units", "bits").cast(pl.Int64).sum())
    seen, told = ({tuple(map(str, row[:3])): tuple(row[3:]) for row in one.iter_rows()} for one in (counted, table))
    for what in sorted({*seen, *told}):
        (units, bits), (known, known_bits) = seen.get(what, (0, 0)), told.get(what, (0, 0))
        if units != known or abs(bits - known_bits) > slack.get(what[0], 0):
            yield f"{', '.join(what)}: {units} events of {bits} bits, in the table of drops {known} of {known_bits}"


@rule(
    "table of links",
    "What comes to a link, and what of it is marked, is what the table `links` counts.",
    of="run",
    blind={OTHER_KIND: "what its links count is not known"},
)
def offered(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """As many units."""
    if not run.is_whole or run.warm_up or not {"offered_units", "marked_units"} <= set(run.links.columns):
        return
    is_burst, is_mark = pl.col("class") == "burst", pl.col("event") == "mark"
    holds = pl.col("place").is_in(sorted(run.holding)) & (pl.col("class") != "control")
    of_packets = pl.when(holds).then(pl.col("event") == "wait").otherwise(pl.col("event") == "pass")
    came = pl.when(is_burst).then(pl.col("event") == "reserve").otherwise(of_packets)
    of = {"came": came.sum() + (~is_burst & (pl.col("event") == "drop")).sum(), "marked": is_mark.sum()}
    seen = events.group_by("place", is_burst=is_burst).agg(**of)
    told_of = pl.col("class").cast(pl.String) == "burst"
    table = run.links.select("offered_units", "marked_units", place="link", is_burst=told_of)
    found = table.filter(~pl.col("is_burst")).join(seen, on=["place", "is_burst"], how="left").fill_null(0)
    differs = pl.col("marked") != pl.col("marked_units")
    for place, marked, known in found.filter(differs).select("place", "marked", "marked_units").iter_rows():
        yield f"{place}: {marked} packets are marked in the trace, in the table of links {known}"
    differs = pl.col("came") != pl.col("offered_units")
    for place, came_there, told in found.filter(differs).select("place", "came", "offered_units").iter_rows():
        yield f"{place}: {came_there} packets come in the trace, in the table of links {told}"


@rule(
    "table of flows",
    "What a flow sends, sends again and hears is what the table `flows` counts.",
    of="flows",
)
def flows(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """As many segments, and the last byte that was asked for."""
    if not run.is_whole or "segments_sent" not in run.flows.columns:
        return
    event = pl.col("event")
    seen = events.group_by("flow").agg(
        segments_sent=event.is_in(["send", "resend"]).sum(),
        retransmissions=(event == "resend").sum(),
        bytes_acked=pl.col("unit").filter(event == "ack").max(),
        place=pl.col("place").first(),
    )
    table = run.flows.filter(pl.col("flow").is_in(_checked(run)))
    found = table.join(seen, on="flow", how="left", suffix="_seen").sort("flow")
    for name in ("segments_sent", "retransmissions", "bytes_acked"):
        told = pl.col(name).cast(pl.Int64)
        for flow, one, other in (
            found.filter(told != pl.col(f"{name}_seen").fill_null(0)).select("flow", name, f"{name}_seen").iter_rows()
        ):
            yield f"flow {flow}: {name} is {other or 0} in the trace, in the table of flows {one}"


def _checked(run: Replayed) -> list[int]:
    hidden = flows.hidden(run) or set()
    return [flow for flow in run.flows["flow"] if flow not in hidden]
