"""What queues hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.errors import InputError
from photocol.runs.replay.network import picoseconds, quantity
from photocol.runs.replay.replayed import KEY, PACKETS
from photocol.runs.replay.rules import rule
from photocol.runs.replay.traits import AGENTS, NEW_ROOM, OTHER_KIND, OTHER_QUEUE, TRIMMING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.network import Link
    from photocol.runs.replay.replayed import Replayed


@rule(
    "room",
    "No queue before a link holds more than its room; the packet that is being sent takes none.",
    of="links",
    blind={
        AGENTS: "they keep packets in rooms of their own",
        NEW_ROOM: "packets that wait may be more than a new room holds",
        OTHER_QUEUE: "what shares its room is not known",
        OTHER_KIND: "what its nodes keep is not known",
    },
)
def queues(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No queue is longer than it can be."""
    gone = run.vanished.filter(pl.col("pass_row").is_null())
    at_links = events.filter(pl.col("class").is_in(PACKETS))
    for (place,), all_there in at_links.group_by("place", maintain_order=True):
        link = run.network.links.get(str(place))
        for what, room, is_counted in [] if link is None else _rooms(link):
            is_held, there = place in run.holding, all_there
            if link is not None and link.discipline in TRIMMING:
                # When a packet that waits is trimmed is not told: it counts with what was left of it.
                there = there.with_columns(bytes=pl.col("bytes").min().over(KEY)).filter(is_counted)
            size = pl.col("bytes") if what == "bytes" else pl.lit(1, pl.Int64)
            came = there.filter(pl.col("event") == ("wait" if is_held else "pass")).select(
                at="t_ps", step=size, row="row"
            )
            left = there.filter(pl.col("event") == "pass").select(at=_first_bit(), step=-size, row="row")
            dropped = there.filter(pl.col("row").is_in(gone["row"].implode()) & is_held)
            moves = pl.concat([came, left, dropped.select(at="t_ps", step=-size, row="row")])
            held = (
                moves.filter(pl.col("at") < run.end)
                .sort("at", "step", "row")
                .with_columns(held=pl.col("step").cum_sum())
            )
            for row in held.filter(pl.col("held") > room, pl.col("step") > 0).head(1).iter_rows(named=True):
                when, most = f"{row['at'] / 1e12:.9f} s", f"{room:.0f}"
                yield f"{place} at {when}: its queue holds {row['held']} {what}, its room is {most}"


def _first_bit() -> pl.Expr:
    """When a packet begins to leave, also one of which a slot has cut a part that left before."""
    return pl.col("begins") - pl.col("value").fill_null(0)


def _rooms(link: Link) -> Iterator[tuple[str, float, pl.Expr]]:
    """What is counted, how much of it there may be, and which packets count."""
    of_all = _room(link, link.table.get("buffer", "unlimited"))
    if of_all is not None:
        yield (*of_all, pl.lit(value=True))
    if link.discipline in TRIMMING:
        of_data = _room(link, link.queue.get("data", "8 packets"))
        is_data = (pl.col("class") != "ack") & (pl.col("bytes") > int(link.queue.get("header", 64)))
        if of_data is not None and of_all is not None:
            yield (*of_data, is_data)


def _room(link: Link, said: object) -> tuple[str, float] | None:
    number, _, unit = str(said).partition(" ")
    if number == "unlimited":
        return None
    try:
        if unit.startswith("packet"):
            return "packets", float(number)
        if unit.endswith("s"):
            return "bytes", picoseconds(said) / 1e12 * link.states[0].capacity / 8
        return "bytes", quantity(said)
    except (InputError, ValueError):
        return None
