"""Slots and bursts: what has a time of its own in optical switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.network import picoseconds
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import OTHER_KIND, SIGNALLED, VIA, WAVELENGTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.recorded import Replayed


@rule(
    "slots are granted once",
    "No slot of AAPN is given to two queues of an edge node, or to two queues for one.",
    of="run",
    blind={WAVELENGTHS: "an edge node may send on several wavelengths at a time, which a trace does not tell apart"},
)
def slots(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No slot is used twice."""
    granted = events.filter(pl.col("event") == "slot", pl.col("cause").is_null())
    core = pl.col("place").str.extract(r"#(\d+)", 1).fill_null("1")
    ways = {link.place: state.delay for link in run.network.links.values() for state in link.states[:1]}
    way = pl.col("place").replace_strict(ways, default=None, return_dtype=pl.Int64)
    granted = granted.with_columns(core=core, way=way)
    for end, late in (("source", pl.lit(0)), ("target", pl.col("way"))):
        on = granted.with_columns(b=pl.col("begins") + late, e=pl.col("ends") + late).sort("core", end, "b", "row")
        twice = on.filter(pl.col("b") < pl.col("e").shift(1).over("core", end))
        yield from said(twice, f"is granted while another slot is, at its {end}")


@rule(
    "one packet in a slot",
    "No two packets of slotted switching leave an output in one slot.",
    of="run",
    blind={OTHER_KIND: "whether it has slots is not known"},
)
def shared(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """A slot of an output has one packet."""
    if "slot_time" not in run.switching or run.kind != "ops":
        return
    number = pl.col("begins") // picoseconds(run.switching["slot_time"])
    cores = [node["name"] for node in run.scenario["node"] if node.get("role") == "core"]
    sent = events.filter(pl.col("source").is_in(cores), pl.col("event") == "pass", pl.col("class") != "control")
    yield from said(sent.filter(number.is_duplicated().over("place")), "shares its slot")


@rule(
    "packets leave in slots",
    "A packet before slots of AAPN begins and ends in slots that its queue has.",
    of="run",
    blind={SIGNALLED: "which slots queues have is not told", OTHER_KIND: "whether it has slots is not known"},
)
def within(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing leaves outside of a slot."""
    gated = sorted(VIA.of(run), key=str)
    granted = events.filter(pl.col("event") == "slot").select("place", opens="begins", closes="ends").sort("opens")
    sent = events.filter(pl.col("event") == "pass", pl.col("place").is_in(gated), pl.col("class") != "control")
    for time in ("begins", "ends"):
        found = sent.sort(time).join_asof(
            granted, left_on=time, right_on="opens", by="place", allow_exact_matches=time == "begins", check_sortedness=False
        )
        # What a slot has cut had begun before.
        is_cut = pl.col("value").is_not_null() if time == "begins" else pl.lit(value=False)
        outside = pl.col("opens").is_null() | (pl.col(time) > pl.col("closes"))
        yield from said(found.filter(outside & ~is_cut).sort("row"), f"{time} outside of the slots of its queue")


@rule(
    "bursts end once",
    "A burst that has left ends once: it lands or is dropped, or is under way at the end.",
    of="run",
    blind={OTHER_KIND: "what becomes of its bursts is not known"},
)
def bursts(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No burst ends twice or never."""
    empty = [one["from"] for one in run.switching.get("burst", ()) if one.get("headers_only")]
    units = events.filter(pl.col("class") == "burst")
    ended, last = pl.col("event").is_in(["land", "drop", "vanish"]), pl.col("arrives").filter(pl.col("event") == "reserve").max()
    of = {"class": pl.col("class").first(), "place": pl.col("place").last(), "t_ps": pl.col("t_ps").max()}
    of = {**of, "ends": ended.sum(), "last": last, "origin": pl.col("source").first()}
    of["landings"] = (pl.col("event") == "land").sum()
    ends = units.group_by("unit", maintain_order=True).agg(**of)
    # A burst that is sent again keeps its number.
    attempts = int(run.switching.get("retransmission", {}).get("attempts", 0))
    twice = (pl.col("ends") > 1 + attempts) | (pl.col("landings") > 1)
    yield from said(ends.filter(twice), "ends twice")
    # Headers that announce nothing reserve, and nothing follows them.
    lost = ends.filter(pl.col("ends") == 0, pl.col("last") < run.end, ~pl.col("origin").is_in(empty))
    yield from said(lost, "came and is nowhere")


@rule(
    "bursts follow their headers",
    "A burst has a wavelength where its header leaves at that instant, and of each link after the other of its way.",
    of="run",
    blind={OTHER_KIND: "what announces its bursts is not known"},
)
def headers(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No burst without a header, none that leaps over a node."""
    if run.kind != "obs":
        return
    units = events.filter(pl.col("class") == "burst")
    reserved = units.filter(pl.col("event") == "reserve")
    told = events.filter(pl.col("event") == "pass", pl.col("class") == "control").group_by("place", "t_ps").agg(told=pl.len())
    # The fibre loses a burst with its header.
    lost = units.filter(pl.col("event") == "vanish").select("unit", "place", "t_ps")
    found = reserved.join(lost, on=["unit", "place", "t_ps"], how="anti", maintain_order="left")
    found = found.with_columns(number=pl.int_range(pl.len()).over("place", "t_ps"))
    found = found.join(told, on=["place", "t_ps"], how="left", maintain_order="left")
    yield from said(found.filter(pl.col("number") >= pl.col("told").fill_null(0)), "has a wavelength without a header")
    way = reserved.sort("unit", "t_ps", "row")
    before = {name: pl.col(name).shift(1).over("unit") for name in ("target", "begins", "flight_ps")}
    # Where it began it may begin again.
    is_first = before["target"].is_null() | (pl.col("source") == pl.col("source").first().over("unit"))
    first_bit = before["begins"] + before["flight_ps"]
    yield from said(way.filter(~is_first & (pl.col("source") != before["target"])), "leaves a node to which it did not go")
    yield from said(way.filter(~is_first & (pl.col("begins") < first_bit)), "goes on before its first bit is there")
