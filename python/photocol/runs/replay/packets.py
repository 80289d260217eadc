"""Where packets are: none comes from nowhere, none is lost without a word, and none waits inside a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.network import picoseconds
from photocol.runs.replay.replayed import KEY
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import (
    CIRCUITS,
    DLCC,
    FORCED,
    GROWING,
    HANDSHAKE,
    OBS,
    OCS,
    OPS,
    OTHER_KIND,
    ROTOR,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed

_CUT_THROUGH = ("ops", "circuits", "ocs", "rotor")
"""Kinds of switching some of whose nodes begin to send a packet before its last bit has come."""


@rule(
    "conservation",
    "Every packet leaves a node after it has come, and is delivered, dropped, held or under way at the end.",
    of="flows",
    blind={
        DLCC: "edge nodes make slots of packets",
        OTHER_KIND: "what its nodes do with packets is not known",
    },
)
def packets(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing comes from nowhere, nothing gets lost."""
    rows = pl.col("row").is_in(events["row"].implode())
    events = run.packets.filter(rows)
    of = {name: events.filter(pl.col("event") == name) for name in ("pass", "drop", "wait", "store")}
    lost = run.vanished.filter(rows)
    at, source = pl.col("t_ps"), pl.col("source")
    first_bit = pl.col("arrives") - (pl.col("lasts_ps") if run.kind in _CUT_THROUGH else 0)
    moves = pl.concat(
        [
            _moves(_told(run).filter(rows), source, at, 1),
            _moves(_duplicates(run).filter(rows), source, at, 1),
            _moves(_arrived(run, of["pass"]), pl.col("target"), first_bit, 1),
            _moves(pl.concat([of["pass"], of["drop"]]), source, at, -1),
            _moves(lost.filter(pl.col("pass_row").is_null()).select(events.columns), source, at, -1),
            # A header that a queue sends back goes on as an ACK does.
            _moves(lost.filter(cause="returned").with_columns(**{"class": pl.lit("ack")}), source, at, 1),
            _moves(pl.concat([of["wait"], of["store"]]), source, at, 0),
        ]
    )
    held = pl.concat([of["wait"], of["store"]]).group_by(*KEY, node="source").agg(held=pl.len().cast(pl.Int64))
    moves = _between(run, moves.filter(pl.col("at") < run.end)).sort("at", -pl.col("step"), "row")
    moves = moves.with_columns(there=pl.col("step").cum_sum().over(*KEY, "node"))
    yield from said(moves.filter(pl.col("there") < 0), "leaves a node where it is not", at="node")
    is_kept = (pl.col("step") == 0) & (pl.col("there") < 1)
    yield from said(moves.filter(is_kept), "is kept by a node where it is not", at="node")
    # A node that sends on what has not come whole yet has until its last bit, one with slots until the next of them.
    slot = picoseconds(run.switching.get("slot_time", 0)) if run.kind == "ops" else 0
    left = moves.filter(pl.col("is_final") & ((pl.col("step") < 0) | (pl.col("arrives") + slot < run.end)))
    left = left.group_by(*KEY, "node").agg(left=pl.col("step").sum(), t_ps=pl.col("at").max())
    left = left.join(held, on=[*KEY, "node"], how="left").with_columns(held=pl.col("held").fill_null(0))
    nowhere = left.filter(pl.col("left") > pl.col("held")).sort("t_ps", *KEY)
    yield from said(_beyond_the_packet_switch(run, nowhere), "came and is nowhere", at="node")


def _beyond_the_packet_switch(run: Replayed, nowhere: pl.DataFrame) -> pl.DataFrame:
    """Without as many of the newest as can be inside the packet switch of racks, which keeps them without a word."""
    node = run.switching.get("packet_switch", "packet")
    inside = nowhere.filter(pl.col("node") == node) if run.kind == "circuits" else nowhere.clear()
    if inside.is_empty():
        return nowhere
    ports = run.trace.filter(pl.col("event") == "pass", pl.col("source") == node)["place"].n_unique() + 1
    newest = inside.tail(ports * ports * (int(run.switching.get("places", 3)) + 1))
    return nowhere.join(newest, on=[*KEY, "node"], how="anti", maintain_order="left")


def _told(run: Replayed) -> pl.DataFrame:
    return run.trace.filter(pl.col("event").is_in(["send", "resend"]))


def _arrived(run: Replayed, passed: pl.DataFrame) -> pl.DataFrame:
    """Of what was sent that which gets across."""
    return passed.filter(~pl.col("row").is_in(run.vanished["pass_row"].drop_nulls().implode()))


def _moves(events: pl.DataFrame, node: pl.Expr, at: pl.Expr, step: int) -> pl.DataFrame:
    """A packet more, or less, at a node."""
    return events.select(*KEY, "bytes", "row", "t_ps", "arrives", node=node, at=at, step=pl.lit(step, pl.Int64))


def _duplicates(run: Replayed) -> pl.DataFrame:
    """The segments of which the scenario orders a second copy."""
    orders = [(one["flow"], one["segment"]) for one in run.scenario.get("force", ()) if one["action"] == "duplicate"]
    sent = run.trace.filter(pl.col("event") == "send").with_columns(number=pl.int_range(pl.len()).over("flow"))
    return pl.concat([sent.clear(), *(sent.filter(pl.col("flow") == flow, number=n) for flow, n in orders)])


def _between(run: Replayed, moves: pl.DataFrame) -> pl.DataFrame:
    """Without nodes where packets begin or become parts of bursts; where they end nothing is asked of the sum."""
    opaque = run.trace.filter(pl.col("event").is_in(["reserve", "land"]))
    hidden = pl.concat([opaque["source"], opaque["target"]]).unique().implode()
    moves = moves.filter(~pl.col("node").is_in(hidden)).join(ends_of_flows(run), on="flow", how="inner")
    is_ack = pl.col("class") == "ack"
    # Segments that only open or close a connection are no news of the sender's; ACKs are none of the receiver's.
    is_bare = (pl.col("class") == "data") & (pl.col("bytes") <= pl.col("header")) & (pl.col("node") == pl.col("origin"))
    begins = (is_ack & (pl.col("node") == pl.col("destination"))) | is_bare
    return moves.filter(~begins).with_columns(is_final=~_is_at_its_end())


def ends_of_flows(run: Replayed) -> pl.DataFrame:
    """The nodes of each flow, and what headers add to its segments."""
    headers = {transport: run.header(transport) for transport in run.flows["transport"].unique()}
    header = pl.col("transport").replace_strict(headers, default=40, return_dtype=pl.Int64)
    return run.flows.select("flow", "destination", origin="source", header=header)


def _is_at_its_end() -> pl.Expr:
    is_ack = pl.col("class") == "ack"
    return pl.when(is_ack).then(pl.col("node") == pl.col("origin")).otherwise(pl.col("node") == pl.col("destination"))


def entering(run: Replayed) -> pl.DataFrame:
    """The first that happens to a packet at the output of a node."""
    events = run.packets
    holds = pl.col("place").is_in(sorted(run.holding))
    first = pl.col("event").is_in(["wait", "drop"]) | (~holds & (pl.col("event") == "pass"))
    return events.filter(first)


@rule(
    "sent at once",
    "A packet is at the output of its host when it is sent.",
    of="flows",
    blind={
        FORCED: "packets leave later, or twice, by order of the scenario",
        HANDSHAKE: "segments that open and close connections are not told as sent",
        OTHER_KIND: "what its nodes do with packets is not known",
    },
)
def begun(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """What a host sends is at its port."""
    rows = pl.col("row").is_in(events["row"].implode())
    opaque = run.trace.filter(pl.col("event").is_in(["reserve", "land"]))
    hidden = {*opaque["source"], *opaque["target"], *(place.partition("->")[0] for place in run.storing)}
    ends = ends_of_flows(run).filter(~pl.col("origin").is_in(sorted(hidden)))
    there = entering(run).filter(rows, pl.col("class") != "ack").join(ends, on="flow", how="inner")
    there = there.filter(pl.col("source") == pl.col("origin"))
    told = _told(run).filter(rows).join(ends, on="flow", how="inner")
    moves = pl.concat(
        [_moves(told, pl.col("origin"), pl.col("t_ps"), 1), _moves(there, pl.col("source"), pl.col("t_ps"), -1)]
    )
    # What the end of a trace has cut off is not there.
    yield from _unequal(
        moves.filter(pl.col("at") < run.end), "is sent and is not at the port", "is at the port and is not sent"
    )


@rule(
    "no time inside nodes",
    "A packet is at the output of a node at the instant at which it has come, and at that of its host when it is sent.",
    of="flows",
    blind={
        OBS: "packets wait until their burst is complete",
        OPS: "packets are there with their first bit, or wait in memories",
        CIRCUITS: "packets wait for circuits",
        OCS: "packets wait for circuits",
        ROTOR: "packets wait for circuits",
        FORCED: "packets leave later, or twice, by order of the scenario",
        HANDSHAKE: "segments that open and close connections are not told as sent",
        OTHER_KIND: "what its nodes do with packets is not known",
    },
)
def relays(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing is delayed inside a node."""
    rows = pl.col("row").is_in(events["row"].implode())
    passed = _arrived(run, run.packets.filter(rows, pl.col("event") == "pass"))
    moves = pl.concat(
        [
            _moves(passed, pl.col("target"), pl.col("arrives"), 1),
            _moves(_told(run).filter(rows), pl.col("source"), pl.col("t_ps"), 1),
            _moves(entering(run).filter(rows), pl.col("source"), pl.col("t_ps"), -1),
        ]
    )
    moves = moves.filter(pl.col("at") < run.end).join(ends_of_flows(run), on="flow", how="inner")
    begins = (pl.col("class") == "ack") & (pl.col("node") == pl.col("destination"))
    moves = moves.filter(~begins & ~_is_at_its_end())
    yield from _unequal(moves, "comes and does not go on at once", "goes on and has not come just then")


def _unequal(moves: pl.DataFrame, more: str, less: str) -> Iterator[str]:
    """Where more or less comes than goes, by packet, size, node and instant."""
    sums = moves.group_by(*KEY, "bytes", "node", "at").agg(sum=pl.col("step").sum(), row=pl.col("row").min())
    broken = sums.filter(pl.col("sum") != 0).rename({"at": "t_ps"}).sort("t_ps", "row")
    yield from said(broken.filter(pl.col("sum") > 0), more, at="node")
    yield from said(broken.filter(pl.col("sum") < 0), less, at="node")


@rule(
    "kept by a node",
    "A packet leaves a node when its first or its last bit has come, or it is told that the node keeps it.",
    of="flows",
    blind={
        OBS: "packets wait until their burst is complete",
        DLCC: "edge nodes make slots of packets",
        FORCED: "packets leave later, or twice, by order of the scenario",
        HANDSHAKE: "segments that open and close connections are not told as sent",
        OTHER_KIND: "what its nodes do with packets is not known",
    },
)
def kept(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing stays in a node without a word."""
    rows = pl.col("row").is_in(events["row"].implode())
    events = run.packets.filter(rows)
    came = _arrived(run, events.filter(pl.col("event") == "pass"))
    node, key = pl.col("target"), [*KEY, "node", "at"]
    there = pl.concat(
        [
            came.select(*KEY, node=node, at="arrives"),
            came.select(*KEY, node=node, at=pl.col("arrives") - pl.col("lasts_ps")),
            _told(run).filter(rows).select(*KEY, node="source", at="t_ps"),
        ]
    ).unique()
    silent = [run.switching.get("packet_switch", "packet")] if run.kind == "circuits" else []
    sent = events.filter(
        pl.col("event") == "pass", ~pl.col("place").is_in(sorted(run.holding)), ~pl.col("source").is_in(silent)
    )
    sent = sent.join(there.with_columns(is_there=True), left_on=[*KEY, "source", "t_ps"], right_on=key, how="left")
    stored = events.filter(pl.col("event") == "store").sort("row").select(*KEY, "source", "row", stored="row")
    found = sent.filter(pl.col("is_there").is_null()).sort("row")
    found = found.join_asof(stored, on="row", by=[*KEY, "source"], check_sortedness=False)
    found = found.join(ends_of_flows(run), on="flow", how="inner", maintain_order="left")
    begins = (pl.col("class") == "ack") & (pl.col("source") == pl.col("destination"))
    yield from said(found.filter(pl.col("stored").is_null() & ~begins), "has stayed in a node without a word")


@rule(
    "sizes",
    "A packet has on all links the size with which it was sent.",
    of="flows",
    blind={
        DLCC: "edge nodes make slots of packets",
        GROWING: "what hops measure makes packets longer",
        HANDSHAKE: "segments that open and close connections are not told as sent",
        OTHER_KIND: "what its nodes do with packets is not known",
    },
)
def sizes(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No packet grows or shrinks on its way."""
    key = [*KEY, "bytes"]
    rows = events.filter(~pl.col("event").is_in(["sack", "mark"]))
    told = rows.filter(pl.col("event").is_in(["send", "resend"]))
    seen = run.packets.filter(pl.col("row").is_in(rows["row"].implode()))
    there = seen.filter(pl.col("class") != "ack").unique(key, keep="first", maintain_order=True)
    yield from said(there.join(told, on=key, how="anti", maintain_order="left"), "has another size than was sent")
    if run.kind != "obs":
        gone = told.filter(pl.col("t_ps") < run.end).unique(key, keep="first", maintain_order=True)
        yield from said(
            gone.join(seen, on=key, how="anti", maintain_order="left"), "is sent with a size that no link sees"
        )
    acks = rows.filter(pl.col("class") == "ack").with_columns(first=pl.col("bytes").first().over(KEY))
    yield from said(acks.filter(pl.col("bytes") != pl.col("first")), "has another size than before")


@rule("losses", "What the fibre or a switch loses is lost when it leaves, whole.", of="run")
def losses(run: Replayed, _: pl.DataFrame) -> Iterator[str]:
    """A loss goes with what was sent."""
    sent = run.trace.filter(pl.col("event") == "pass").select(pass_row="row", then="t_ps", size="bytes")
    gone = run.vanished.join(sent, on="pass_row", how="left", maintain_order="left")
    at_once = pl.col("cause").is_in(["random", "guard violation", "out of sight"]) & pl.col("pass_row").is_not_null()
    yield from said(gone.filter(at_once & (pl.col("t_ps") != pl.col("then"))), "is lost at another time than it left")
    yield from said(gone.filter(pl.col("bytes") != pl.col("size")), "is lost with another size than it left with")
