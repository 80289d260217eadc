"""Where packets are: none comes from nowhere, none is lost without a word, and none waits inside a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.recorded import KEY
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import CIRCUITS, DLCC, FORCED, HANDSHAKE, NDP, OBS, OPS, OTHER_KIND, ROTOR, SENT_BACK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.recorded import Replayed

_CUT_THROUGH = ("ops", "circuits", "rotor")
"""Kinds of switching some of whose nodes begin to send a packet before its last bit has come."""


@rule(
    "conservation",
    "Every packet leaves a node after it has come, and is delivered, dropped, held or under way at the end.",
    of="flows",
    blind={
        DLCC: "edge nodes make slots of packets",
        SENT_BACK: "when a queue sends a header back is not told",
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
        ]
    )
    held = pl.concat([of["wait"], of["store"]]).group_by(*KEY, node="source").agg(held=pl.len().cast(pl.Int64))
    moves = _between(run, moves.filter(pl.col("at") < run.end)).sort("at", -pl.col("step"), "row")
    moves = moves.with_columns(there=pl.col("step").cum_sum().over(*KEY, "node"))
    yield from said(moves.filter(pl.col("there") < 0), "leaves a node where it is not", at="node")
    # A node that sends on what has not come whole yet has until its last bit.
    left = moves.filter(pl.col("is_final") & ((pl.col("step") < 0) | (pl.col("arrives") < run.end)))
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
    "no time inside nodes",
    "A packet is at the output of a node at the instant at which it has come, and at that of its host when it is sent.",
    of="flows",
    blind={
        OBS: "packets wait until their burst is complete",
        OPS: "packets are there with their first bit, or wait in memories",
        CIRCUITS: "packets wait for circuits",
        ROTOR: "packets wait for circuits",
        FORCED: "packets leave later, or twice, by order of the scenario",
        HANDSHAKE: "segments that open and close connections are not told as sent",
        NDP: "headers that a queue sends back turn around inside a node",
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
    sums = moves.group_by(*KEY, "node", "at").agg(sum=pl.col("step").sum(), row=pl.col("row").min())
    broken = sums.filter(pl.col("sum") != 0).rename({"at": "t_ps"}).sort("t_ps", "row")
    yield from said(broken.filter(pl.col("sum") > 0), "comes and does not go on at once", at="node")
    yield from said(broken.filter(pl.col("sum") < 0), "goes on and has not come just then", at="node")
