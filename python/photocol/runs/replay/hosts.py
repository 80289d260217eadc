"""What hosts can say: bytes in their order, ACKs of what has come, and nothing of packets that were never there."""

from __future__ import annotations

import bisect
import heapq
from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.packets import ends_of_flows, entering
from photocol.runs.replay.replayed import KEY
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import (
    DLCC,
    GROWING,
    HANDSHAKE,
    KEPT_THERE,
    LATE_ACKS,
    NO_SACK,
    OBS,
    OTHER_KIND,
    READS,
    TIMESTAMPS,
    TRIMMING,
    XCP,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed


@rule(
    "bytes in order",
    "A flow sends from its own node one byte after the other, and again only bytes that it has sent.",
    of="flows",
)
def sends(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing is skipped, nothing is sent twice as new."""
    told = events.filter(pl.col("event").is_in(["send", "resend"])).join(ends_of_flows(run), on="flow", how="inner")
    behind = pl.col("unit") + pl.col("bytes") - pl.col("header")
    told = told.with_columns(behind=behind).sort("flow", "row")
    new = pl.when(pl.col("event") == "send").then("behind")
    # Before its first byte a flow has sent nothing.
    most = new.cum_max().forward_fill().shift(1).over("flow").fill_null(0)
    told = told.with_columns(most=most)
    is_new = pl.col("event") == "send"
    yield from said(told.filter(is_new & (pl.col("unit") != pl.col("most"))), "is not the next byte of its flow")
    yield from said(told.filter(~is_new & (pl.col("behind") > pl.col("most"))), "is sent again and was never sent")
    yield from said(told.filter(pl.col("place") != pl.col("origin")), "is sent by a node that is not its flow's")


@rule(
    "ACKs that are heard",
    "A sender hears each ACK that reaches its node, when it does, and no other.",
    of="flows",
    blind={
        OBS: "packets inside bursts are not seen to arrive",
        HANDSHAKE: "answers to segments that open and close connections look like ACKs",
        OTHER_KIND: "how its nodes deliver packets is not known",
    },
)
def heard(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """What arrives at a sender is what it hears."""
    lost = run.vanished["pass_row"].drop_nulls().implode()
    ends = run.flows.select("flow", origin="source")
    at_end = events.filter(pl.col("class") == "ack", pl.col("event") == "pass", pl.col("arrives") < run.end)
    came = at_end.filter(~pl.col("row").is_in(lost)).join(ends, on="flow").filter(pl.col("target") == pl.col("origin"))
    acks = events.filter(pl.col("event") == "ack", pl.col("t_ps") < run.end)
    key = [*KEY, "bytes"]
    moves = pl.concat(
        [
            came.select(*key, "row", t_ps="arrives", place="target", step=pl.lit(1, pl.Int64)),
            acks.select(*key, "row", "t_ps", "place", step=pl.lit(-1, pl.Int64)),
        ]
    )
    sums = moves.group_by(*key, "t_ps", "place").agg(sum=pl.col("step").sum(), row=pl.col("row").min())
    sums = sums.sort("t_ps", "row")
    yield from said(sums.filter(pl.col("sum") > 0), "reaches its sender, which does not hear it")
    yield from said(sums.filter(pl.col("sum") < 0), "is heard and has not come")


@rule(
    "bytes that are acknowledged",
    "No ACK asks for a byte behind one that has not arrived, or behind all that was sent.",
    of="flows",
    blind={
        OTHER_KIND: "what its nodes say is not known",
    },
)
def acks(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nobody asks for what comes behind a gap."""
    sent_so_far = _sent_so_far(run, events)
    reached = _reached(run, events)
    heard_of = events.filter(pl.col("event") == "ack")
    for (flow,), asked in heard_of.group_by("flow", maintain_order=True):
        # Where bursts are taken apart at the host itself no packet is seen to arrive.
        known = reached.filter(pl.col("flow") == flow) if OBS.of(run) == frozenset() else reached.clear()
        if known.is_empty():
            known = reached.filter(pl.col("flow") == flow)
        if known.is_empty() and OBS.of(run):
            known = sent_so_far.filter(pl.col("flow") == flow)
        known = asked.sort("t_ps").join_asof(known.select("at", "most"), left_on="t_ps", right_on="at")
        yield from said(known.filter(pl.col("unit") > pl.col("most").fill_null(0)), "asks for more than has arrived")


@rule(
    "answers",
    "A receiver answers each packet of data at once by an ACK that asks for the next byte in order.",
    of="flows",
    blind={
        OBS: "packets inside bursts are not seen to arrive",
        LATE_ACKS: "ACKs may wait",
        GROWING: "how many bytes of a packet are data is not told",
        READS: "ACKs may tell of a new window too",
        TIMESTAMPS: "old segments may be refused (PAWS)",
        HANDSHAKE: "segments that open and close connections are answered too",
        DLCC: "edge nodes answer for receivers",
        KEPT_THERE: "ACKs wait there for their turn",
        OTHER_KIND: "how its nodes deliver packets is not known",
    },
)
def answers(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """As many answers as packets, with the right number."""
    reached = _reached(run, events)
    counted = reached.group_by("flow", "at").agg(came=pl.len(), most=pl.col("most").max(), least=pl.col("most").min())
    ends = run.flows.select("flow", "destination")
    said_there = entering(run).filter(pl.col("row").is_in(events["row"].implode()), pl.col("class") == "ack")
    said_there = said_there.join(ends, on="flow").filter(pl.col("source") == pl.col("destination"))
    answered = said_there.join(
        counted, left_on=["flow", "t_ps"], right_on=["flow", "at"], how="left", maintain_order="left"
    )
    yield from said(answered.filter(pl.col("came").is_null()), "is said and nothing has come just then")
    is_other = (pl.col("unit") > pl.col("most")) | (pl.col("unit") < pl.col("least"))
    yield from said(answered.filter(is_other), "does not ask for the next byte in order")
    count = said_there.group_by("flow", at="t_ps").agg(said=pl.len())
    silent = counted.filter(pl.col("at") < run.end).join(count, on=["flow", "at"], how="left")
    silent = silent.filter(pl.col("said").fill_null(0) < pl.col("came")).sort("at", "flow")
    rows = silent.join(ends, on="flow").select(
        "flow", t_ps="at", place="destination", unit="most", **{"class": pl.lit("data")}
    )
    yield from said(rows, "is not answered")


@rule(
    "blocks of SACK",
    "A SACK comes with an ACK, and its block is of whole segments that have all arrived.",
    of="flows",
    blind={
        GROWING: "how many bytes of a packet are data is not told",
        OTHER_KIND: "how its nodes deliver packets is not known",
    },
)
def sacks(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nobody reports what never came."""
    blocks = events.filter(pl.col("event") == "sack")
    beside = events.filter(pl.col("event") == "ack").select("flow", "t_ps", "place", is_beside=True).unique()
    blocks = blocks.join(beside, on=["flow", "t_ps", "place"], how="left", maintain_order="left")
    yield from said(blocks.filter(pl.col("is_beside").is_null()), "comes without an ACK")
    # A field of 16 bits counts the bytes.
    long = pl.min_horizontal(pl.col("value") - pl.col("unit"), 65535)
    yield from said(blocks.filter((long <= 0) | (long != pl.col("bytes"))), "is a block of another length")
    came = _came(run, events)
    there = came.select("flow", "unit", "behind", at="arrives")
    told = events.filter(pl.col("event").is_in(["send", "resend"])).join(ends_of_flows(run), on="flow", how="inner")
    told = told.select("flow", "unit", at="t_ps", behind=pl.col("unit") + pl.col("bytes") - pl.col("header"))
    for (flow,), of_flow in blocks.group_by("flow", maintain_order=True):
        known = there.filter(pl.col("flow") == flow)
        if known.is_empty() and OBS.of(run):
            known = told.filter(pl.col("flow") == flow)
        yield from said(of_flow.filter(~_covered(of_flow, known)), "reports what has not arrived")


@rule(
    "ACKs that repeat themselves",
    "An ACK that asks once more for the same byte says by a block of SACK what has come instead.",
    of="flows",
    blind={
        NO_SACK: "there are none, or duplicates are not told",
        OBS: "edge nodes may answer for receivers",
        READS: "ACKs may tell of a new window",
        TIMESTAMPS: "old segments may be refused (PAWS)",
        HANDSHAKE: "answers to segments that open and close connections look like ACKs",
        DLCC: "edge nodes answer for receivers",
        OTHER_KIND: "what its nodes say is not known",
    },
)
def repeats(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No duplicate ACK without a reason, no reason twice."""
    heard_of = events.filter(pl.col("event").is_in(["ack", "sack"])).sort("flow", "row")
    is_ack = pl.col("event") == "ack"
    number = is_ack.cum_sum().over("flow")
    next_is_block = (pl.col("event").shift(-1) == "sack").over("flow").fill_null(value=False)
    known = heard_of.with_columns(number=number, has_block=next_is_block)
    silent = known.filter(is_ack & ~pl.col("has_block") & (pl.col("t_ps") < run.end))
    # The first ACK for a byte may say nothing; it may come last.
    is_another = pl.int_range(pl.len()).over("flow", "unit") > 0
    yield from said(silent.filter(is_another), "asks again and does not say what has come")
    blocks = known.filter(~is_ack).with_columns(place_in=pl.int_range(pl.len()).over("flow", "number"))
    # RFC 2883 §4: the first block may tell of a duplicate that lies in the second.
    later = blocks.filter(pl.col("place_in") > 0)
    yield from said(
        later.filter(pl.struct("flow", "number", "unit", "value").is_duplicated()), "tells of a block twice"
    )
    yield from said(blocks.filter(pl.col("place_in") > 3), "is more than an ACK has room for")


def _covered(blocks: pl.DataFrame, there: pl.DataFrame) -> pl.Series:
    """Of each block whether all of it had arrived, as whole segments."""
    moves = there.sort("at").select("at", "unit", "behind").rows()
    arrived, edges, place, found = _Ranges(), (set[int](), set[int]()), 0, []
    for at, first, behind in blocks.select("t_ps", "unit", "value").iter_rows():
        while place < len(moves) and moves[place][0] <= at:
            _, one, other = moves[place]
            arrived.add(one, other)
            edges[0].add(one)
            edges[1].add(other)
            place += 1
        found.append(first in edges[0] and behind in edges[1] and arrived.covers(first, behind))
    return pl.Series(found, dtype=pl.Boolean)


class _Ranges:
    """Ranges of bytes that do not touch, in order."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []

    def add(self, first: int, behind: int) -> None:
        """These bytes too."""
        low = bisect.bisect_left(self._ends, first)
        high = bisect.bisect_right(self._begins, behind)
        if low < high:
            first, behind = min(first, self._begins[low]), max(behind, self._ends[high - 1])
        self._begins[low:high] = [first]
        self._ends[low:high] = [behind]

    def covers(self, first: int, behind: int) -> bool:
        """Whether all these bytes are there."""
        place = bisect.bisect_right(self._begins, first) - 1
        return place >= 0 and self._ends[place] >= behind


def _came(run: Replayed, events: pl.DataFrame) -> pl.DataFrame:
    """The segments that have reached the node of their receiver, in their order."""
    data = events.filter(pl.col("class") == "data").join(ends_of_flows(run), on="flow", how="inner")
    data = data.with_columns(behind=pl.col("unit") + pl.col("bytes") - pl.col("header"))
    came = data.filter((pl.col("event") == "pass") & (pl.col("target") == pl.col("destination")))
    return came.filter(~pl.col("row").is_in(run.vanished["pass_row"].drop_nulls().implode())).sort("arrives", "row")


def _reached(run: Replayed, events: pl.DataFrame) -> pl.DataFrame:
    """When how many bytes of each flow had arrived without a gap: `flow`, `at`, `most`."""
    parts = [
        _in_order(there).with_columns(flow=pl.lit(flow, pl.Int64))
        for (flow,), there in _came(run, events)
        .select("flow", "unit", "behind", "arrives")
        .group_by("flow", maintain_order=True)
    ]
    schema = {"at": pl.Int64, "most": pl.Int64, "flow": pl.Int64}
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _in_order(there: pl.DataFrame) -> pl.DataFrame:
    waiting: list[tuple[int, int]] = []
    most, steps = 0, []
    for first, behind, at in there.select("unit", "behind", "arrives").iter_rows():
        heapq.heappush(waiting, (first, behind))
        while waiting and waiting[0][0] <= most:
            most = max(most, heapq.heappop(waiting)[1])
        steps.append((at, most))
    return pl.DataFrame(steps, {"at": pl.Int64, "most": pl.Int64}, orient="row")


def _sent_so_far(run: Replayed, events: pl.DataFrame) -> pl.DataFrame:
    told = events.filter(pl.col("event").is_in(["send", "resend"])).join(ends_of_flows(run), on="flow", how="inner")
    told = told.sort("t_ps", maintain_order=True)
    behind = pl.col("unit") + pl.col("bytes") - pl.col("header")
    return told.select("flow", at="t_ps", most=behind.cum_max().over("flow"))


@rule(
    "marks",
    "Only a packet that is at the same place at the same instant is marked, and only one whose flow knows marks.",
    of="run",
)
def marks(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No mark without ECN, none of what is not there."""
    marked = events.filter(pl.col("event") == "mark")
    there = events.filter(pl.col("event").is_in(["wait", "pass", "store", "drop"]))
    there = there.select(*KEY, "place", "t_ps", is_there=True).unique()
    found = marked.join(there, on=[*KEY, "place", "t_ps"], how="left", nulls_equal=True, maintain_order="left")
    yield from said(found.filter(pl.col("is_there").is_null()), "is marked where it is not")
    able = _able(run)
    trims = pl.col("place").is_in(sorted(run.network.places(lambda link: link.discipline in TRIMMING)))
    unable = pl.col("flow").is_not_null() & ~pl.col("flow").is_in(sorted(able)) & ~trims
    yield from said(marked.filter(unable & (pl.col("class") != "control")), "is marked and its flow does not use ECN")


def _able(run: Replayed) -> set[int]:
    """The flows whose packets may be marked."""
    tables = run.scenario.get("transport", {})
    marked_by = {"abc"}
    found = set()
    for flow, transport in run.flows.select("flow", "transport").iter_rows():
        table = tables.get(transport, {})
        is_able = table.get("ecn") or table.get("path_marks") or table.get("algorithm", transport) in marked_by
        if is_able or XCP.name == transport:
            found.add(flow)
    return found
