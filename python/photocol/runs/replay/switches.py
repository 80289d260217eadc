"""Slots and bursts: what has a time of its own in optical switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.network import picoseconds
from photocol.runs.replay.rules import rule, said
from photocol.runs.replay.traits import AAPN, OBS, SIGNALLED, SLOTTED, VIA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed


@rule(
    "slots are granted once",
    "No slot of AAPN is for more queues of an edge node, or to one, than it has transmitters; each is of its frame.",
    of="run",
    only=AAPN,
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
        at_a_time = int(run.switching.get("transmitters", run.switching.get("wavelengths", 1)))
        twice = on.filter(pl.col("b") < pl.col("e").shift(at_a_time).over("core", end))
        yield from said(twice, f"is granted while others are, at its {end}")
    yield from _frames(run, events.filter(pl.col("event") == "slot"))


def _frames(run: Replayed, granted: pl.DataFrame) -> Iterator[str]:
    """A slot is no longer than slots are, and lies in the frame of its number, as far as clocks are right."""
    slot, guard = (picoseconds(run.switching[key]) for key in ("slot_time", "guard"))
    yield from said(granted.filter(pl.col("lasts_ps") > slot - guard), "is longer than a slot")
    off = sum(
        picoseconds(one.get(key, 0)) for one in run.switching.get("clock", ()) for key in ("late", "early", "jitter")
    )
    links = run.network.links
    ways = {
        place: f"{place.partition('->')[0]}->{link.table['via']}"
        for place, link in links.items()
        if "via" in link.table
    }
    to_core = {place: links[way].states[0].delay for place, way in ways.items() if way in links}
    at = pl.col("begins") + pl.col("place").replace_strict(to_core, default=None, return_dtype=pl.Int64)
    frame = slot * int(run.switching["slots"])
    is_other = (pl.col("unit") < (at - off) // frame) | (pl.col("unit") > (at + off) // frame)
    yield from said(granted.filter(is_other), "lies in another frame")


@rule(
    "one packet in a slot",
    "No two packets of slotted switching leave an output in one slot.",
    of="run",
    only=SLOTTED,
)
def shared(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """A slot of an output has one packet."""
    number = pl.col("begins") // picoseconds(run.switching["slot_time"])
    cores = [node["name"] for node in run.scenario["node"] if node.get("role") == "core"]
    sent = events.filter(pl.col("source").is_in(cores), pl.col("event") == "pass", pl.col("class") != "control")
    yield from said(sent.filter(number.is_duplicated().over("place")), "shares its slot")


@rule(
    "packets leave in slots",
    "A packet before slots of AAPN begins and ends in slots that its queue has.",
    of="run",
    only=AAPN,
    blind={SIGNALLED: "which slots queues have is not told"},
)
def within(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Nothing leaves outside of a slot."""
    gated = sorted(VIA.of(run), key=str)
    granted = events.filter(pl.col("event") == "slot").sort("begins")
    granted = granted.select("place", opens="begins", closes="ends", is_off=pl.col("cause").is_not_null())
    lost = run.vanished.filter(pl.col("cause") == "guard violation")["pass_row"].implode()
    sent = events.filter(pl.col("event") == "pass", pl.col("place").is_in(gated), pl.col("class") != "control")
    sent = sent.with_columns(is_lost=pl.col("row").is_in(lost))
    for time in ("begins", "ends"):
        found = sent.sort(time).join_asof(
            granted,
            left_on=time,
            right_on="opens",
            by="place",
            allow_exact_matches=time == "begins",
            check_sortedness=False,
        )
        # What a slot has cut had begun before.
        is_cut = pl.col("value").is_not_null() if time == "begins" else pl.lit(value=False)
        outside = pl.col("opens").is_null() | (pl.col(time) > pl.col("closes"))
        yield from said(found.filter(outside & ~is_cut).sort("row"), f"{time} outside of the slots of its queue")
        yield from said(
            found.filter(~is_cut & pl.col("is_off") & ~pl.col("is_lost")).sort("row"),
            "gets across in a slot that misses the switch",
        )


@rule(
    "bursts end once",
    "A burst that has left ends once: it lands or is dropped, or is under way at the end.",
    of="run",
    only=OBS,
)
def bursts(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No burst ends twice or never."""
    empty = [one["from"] for one in run.switching.get("burst", ()) if one.get("headers_only")]
    units = events.filter(pl.col("class") == "burst")
    # One that is deflected ends on a link, and goes on by another.
    goes_on = (pl.col("cause") == "deflected").fill_null(value=False)
    ended, last = (
        pl.col("event").is_in(["land", "drop", "vanish"]) & ~goes_on,
        pl.col("arrives").filter(pl.col("event") == "reserve").max(),
    )
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
    only=OBS,
)
def headers(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """No burst without a header, none that leaps over a node."""
    units = events.filter(pl.col("class") == "burst")
    reserved = units.filter(pl.col("event") == "reserve")
    told = (
        events.filter(pl.col("event") == "pass", pl.col("class") == "control")
        .group_by("place", "t_ps")
        .agg(told=pl.len())
    )
    # The fibre loses a burst with its header.
    lost = units.filter(pl.col("event") == "vanish").select("unit", "place", "t_ps")
    found = reserved.join(lost, on=["unit", "place", "t_ps"], how="anti", maintain_order="left")
    found = found.with_columns(number=pl.int_range(pl.len()).over("place", "t_ps"))
    found = found.join(told, on=["place", "t_ps"], how="left", maintain_order="left")
    yield from said(found.filter(pl.col("number") >= pl.col("told").fill_null(0)), "has a wavelength without a header")
    yield from _ways(run, reserved)
    yield from _landings(units, reserved)
    yield from said(units.filter(_differs("flow") | _differs("value")), "has another flow or route than before")


def _differs(name: str) -> pl.Expr:
    return pl.col(name).ne_missing(pl.col(name).first().over("unit"))


def _ways(run: Replayed, reserved: pl.DataFrame) -> Iterator[str]:
    """A burst goes on where it has come, when its first bit has, or later by whole delay lines, and not longer."""
    way = reserved.sort("unit", "t_ps", "row")
    names = ("target", "begins", "flight_ps", "lasts_ps", "bytes")
    before = {name: pl.col(name).shift(1).over("unit") for name in names}
    # Where it began it may begin again.
    goes_on = before["target"].is_not_null() & (pl.col("source") != pl.col("source").first().over("unit"))
    yield from said(
        way.filter(goes_on & (pl.col("source") != before["target"])), "leaves a node to which it did not go"
    )
    late = pl.col("begins") - before["begins"] - before["flight_ps"]
    # A burst whose head is cut off begins later.
    line = picoseconds(run.switching.get("delay_line", 0)) if int(run.switching.get("delay_lines", 0)) else 0
    shorter = before["lasts_ps"] - pl.col("lasts_ps")
    lines = pl.lit(value=False) if line == 0 else ((late - shorter.clip(0)) % line == 0) | (late % line == 0)
    punctual = (late == 0) | (late == shorter) | ((late > 0) & lines)
    yield from said(way.filter(goes_on & ~punctual), "does not go on when its first bit is there")
    yield from said(
        way.filter(goes_on & ((shorter < 0) | (pl.col("bytes") > before["bytes"]))), "becomes longer on its way"
    )
    same = (shorter == 0) & (pl.col("bytes") != before["bytes"])
    yield from said(way.filter(goes_on & same), "has other bytes and lasts as long")


def _landings(units: pl.DataFrame, reserved: pl.DataFrame) -> Iterator[str]:
    """A burst lands where its last wavelength leads, when its last bit is there."""
    last = reserved.sort("row").group_by("unit", maintain_order=True).last()
    last = last.select(
        "unit", to="target", there="arrives", most="bytes", first_bit=pl.col("arrives") - pl.col("lasts_ps")
    )
    landed = units.filter(pl.col("event") == "land").join(last, on="unit", how="left", maintain_order="left")
    elsewhere = pl.col("to").is_null() | (pl.col("to") != pl.col("place"))
    yield from said(landed.filter(elsewhere), "lands where it did not go")
    cut = units.filter(pl.col("event") == "cut")["unit"].implode()
    is_cut = pl.col("unit").is_in(cut)
    other = (pl.col("t_ps") != pl.col("there")) | (pl.col("bytes") != pl.col("most"))
    yield from said(landed.filter(~is_cut & other), "lands at another time, or with other bytes, than it was sent")
    yield from said(
        landed.filter(is_cut & ((pl.col("t_ps") > pl.col("there")) | (pl.col("bytes") > pl.col("most")))),
        "lands later or longer than it was sent",
    )
