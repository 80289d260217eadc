"""A second opinion on a run: its trace is replayed by plain rules of what fibres, queues, slots and ACKs can do.

It reads what lies in the directory of a run and nothing else: the events, the network as the scenario describes it, the
flows and the table of drops. It shares no code with the engine. Times are picoseconds, as in the trace.
"""

from __future__ import annotations

import heapq
import json
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.files import content, text
from photocol.runs.replayed_links import directed, traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

PACKETS = ("data", "ack", "datagram")
_UNITS = {"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_TIMES = {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}
_SHOWN = 3
_KEY = ["flow", "class", "unit"]


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What is replayed: the first replication."""

    trace: pl.DataFrame
    """As `timed` gives it."""
    flows: pl.DataFrame
    drops: pl.DataFrame
    scenario: Mapping[str, Any]
    end: int
    """Nothing is known from then on."""
    is_whole: bool
    """Whether the trace has every event of the run."""


def replay(folder: Path) -> tuple[int, list[str]]:
    """How many events there are, and a sentence for each breach of a rule. Raises InputError if that cannot be said."""
    run = load(folder)
    return run.trace.height, [sentence for rule in RULES for sentence in rule(run)]


def load(folder: Path) -> Replayed:
    """The run in a directory. Raises InputError."""
    try:
        note = json.loads(content(folder / "manifest.json")).get("trace")
        scenario = tomllib.loads(text(folder / "scenario.toml"))
        if note is None:
            raise InputError(f"{folder} has no trace; run it with --trace")
        trace, flows, drops = (pl.read_parquet(folder / f"{name}.parquet") for name in ("trace", "flows", "drops"))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{folder} cannot be replayed: {str(error).partition(chr(10))[0]}") from error
    said, end = scenario["trace"], picoseconds(scenario["run"]["duration"])
    if (
        any(said.get(key, "all") != "all" for key in ("flows", "links"))
        or picoseconds(said["from"])
        or picoseconds(said["until"]) < end
    ):
        raise InputError(f"{folder} has a trace of a part of the run; a whole one is needed: --trace 'from=0 s'")
    if note["left_out"]:
        end = round(note["whole_until_s"] * 1e12)
    return Replayed(
        trace=timed(trace),
        flows=flows.filter(pl.col("run") == 0).cast({"flow": pl.Int64}),
        drops=drops.filter(pl.col("run") == 0),
        scenario=scenario,
        end=end,
        is_whole=not note["left_out"],
    )


def timed(trace: pl.DataFrame) -> pl.DataFrame:
    """With `begins`, `ends` (the last bit leaves), `arrives` (it is there), `source`, `target` and the number `row`."""
    numbers = ("t_ps", "wait_ps", "lasts_ps", "flight_ps", "flow", "bytes", "channel", "unit", "value")
    # `a->b#2 (wavelength 1)` is from a to b; a node is from itself to itself.
    ends = pl.col("place").str.replace(r" \((wavelength \d+|control)\)$", "").str.replace(r"#\d+$", "").str.split("->")
    trace = trace.cast(dict.fromkeys(("event", "place", "class", "cause"), pl.String))
    trace = trace.cast(dict.fromkeys(numbers, pl.Int64)).with_columns(begins=pl.col("t_ps") + pl.col("wait_ps"))
    trace = trace.with_columns(ends=pl.col("begins") + pl.col("lasts_ps"), source=ends.list.first())
    return trace.with_columns(arrives=pl.col("ends") + pl.col("flight_ps"), target=ends.list.last()).with_row_index(
        "row"
    )


def fibres(run: Replayed) -> Iterator[str]:
    """Nothing overtakes and nothing overlaps on a wavelength of a link."""
    sent = run.trace.filter(pl.col("event").is_in(["pass", "reserve"]))
    on = ["place", "channel", "event"]
    sent = sent.sort(*on, "begins", "ends", "row")
    before = {name: pl.col(name).shift(1).over(on) for name in ("ends", "arrives")}
    # What two bursts share is cut off of one.
    cut = run.trace.filter(pl.col("event") == "cut")["unit"].implode()
    whole = (pl.col("event") == "pass") | ~pl.col("unit").is_in(cut)
    yield from _said(
        sent.filter(whole & (pl.col("begins") < before["ends"])), "begins before the one before it has left"
    )
    yield from _said(
        sent.filter(whole & (pl.col("arrives") < before["arrives"])), "overtakes the one before it on the fibre"
    )


def rates(run: Replayed) -> Iterator[str]:
    """What is sent takes at least the time of its bytes at the rate of its link."""
    sent = run.trace.filter(pl.col("event").is_in(["pass", "reserve"]), pl.col("lasts_ps") > 0).sort("begins")
    for time in ("begins", "ends"):
        sent = sent.sort(time).join_asof(
            capacities(run), left_on=time, right_on="since", by="place", suffix=f"_{time}", check_sortedness=False
        )
    # A packet that a slot has cut says for how long it has been leaving; its pauses only make it longer.
    longer = pl.when(pl.col("event") == "pass").then(pl.col("value").fill_null(0)).otherwise(0)
    begun = pl.col("capacity") * (pl.col("begins") - pl.col("since") - longer)
    ended = pl.col("capacity_ends") * (pl.col("ends") - pl.col("since_ends"))
    most = pl.col("before_ends") - pl.col("before") + (ended - begun) / 1e12
    # One part in 10⁹ and a picosecond are what rounding takes.
    least = pl.col("bytes") * 8 * (1 - 1e-9) - pl.max_horizontal("capacity", "capacity_ends") / 1e12
    yield from _said(sent.filter(most < least), "is sent faster than its link can")


def capacities(run: Replayed) -> pl.DataFrame:
    """Place, since when, bit/s, bits sent before at most: the links as described, and the events that change them."""
    rows = [(name, 0, _quantity(link["capacity"])) for name, link in links(run).items()]
    for event in run.scenario.get("event", ()):
        if "capacity" in event:
            changed = directed(event["link"])
            since, capacity = picoseconds(event["at"]), _quantity(event["capacity"])
            rows += [(name, since, capacity) for name in links(run) if name in changed]
    rows += [row for table in run.scenario.get("link_phases", ()) for row in _phases(run, table)]
    for table in run.scenario.get("link_trace", ()):
        named = [name for name in links(run) if name in directed(table["link"])]
        period = picoseconds(table["period"]) if "period" in table else run.end
        rows += [(name, since, capacity) for since, capacity in traced(table, run.end, period) for name in named]
    schema = {"place": pl.String, "since": pl.Int64, "capacity": pl.Float64}
    known = pl.DataFrame(rows, schema, orient="row").sort("since", maintain_order=True)
    known = known.unique(["place", "since"], keep="last", maintain_order=True)
    lasted = (pl.col("since") - pl.col("since").shift(1)).over("place").fill_null(0)
    sent = pl.col("capacity").shift(1).over("place").fill_null(0) * lasted / 1e12
    return known.with_columns(before=sent.cum_sum().over("place"))


def _phases(run: Replayed, table: Mapping[str, Any]) -> Iterator[tuple[str, int, float]]:
    """The capacities of links with phases, period by period, the link's own between them."""
    ends = directed(table["link"])
    period, offset = picoseconds(table["period"]), picoseconds(table.get("offset", "0 s"))
    for name, link in links(run).items():
        own = _quantity(link["capacity"])
        for start in range(offset % period - period, run.end, period) if name in ends else ():
            at = start
            for phase in table["phases"]:
                at = start + picoseconds(phase["at"]) if "at" in phase else at
                yield name, max(at, 0), _quantity(phase["capacity"]) if "capacity" in phase else own
                at += picoseconds(phase["duration"])
                yield name, max(at, 0), own


def links(run: Replayed) -> dict[str, Mapping[str, Any]]:
    """Place to link, in both directions; a wavelength has the rate of its link, and parallel links are numbered."""
    found: dict[str, Mapping[str, Any]] = {}
    for link in run.scenario["link"]:
        ends = [(link["from"], link["to"]), (link["to"], link["from"])][: 1 if link.get("duplex") is False else 2]
        for name in (f"{one}->{other}" for one, other in ends):
            same = sum(place.partition("#")[0] == name for place in found)
            found[f"{name}#{same + 1}" if same else name] = link
    for place in run.trace["place"].unique():
        base, wave, kind = place.partition(" (")[0], " (" in place, place.endswith(" (control)")
        if wave and base in found:
            found[place] = {**found[base], "capacity": _control_capacity(run)} if kind else found[base]
    return found


def _control_capacity(run: Replayed) -> str:
    """That of control wavelengths; what racks say to one another beside data takes no time to speak of."""
    return str(_switching(run).get("control_capacity", "1000 Gbps"))


def queues(run: Replayed) -> Iterator[str]:
    """No queue of packets before a link holds more than its room; the packet that is being sent takes none."""
    at_links = run.trace.filter(pl.col("class").is_in(PACKETS))
    rooms = {name: found for name, link in links(run).items() if (found := _room(link)) is not None}
    optical = _cores(run) if _switching(run) else []
    for (place,), events in at_links.filter(pl.col("place").is_in(list(rooms))).group_by("place", maintain_order=True):
        room, of = rooms[str(place)]
        if str(place).partition("->")[0] in optical or events.filter(pl.col("event") == "store").height:
            continue  # Optical nodes keep packets in other ways.
        is_gated = events.filter(pl.col("event") == "wait").height > 0
        size = pl.col("bytes") if of == "bytes" else pl.lit(1, pl.Int64)
        came = events.filter(pl.col("event") == ("wait" if is_gated else "pass"))
        left = events.filter(pl.col("event") == "pass")
        moves = [came.select(at="t_ps", step=size, row="row"), left.select(at="begins", step=-size, row="row")]
        if is_gated:
            unsent = _vanished(events).filter(pl.col("pass_row").is_null())
            moves.append(unsent.select(at="t_ps", step=-size, row="row"))
        held = pl.concat(moves).sort("at", "step", "row").with_columns(held=pl.col("step").cum_sum())
        for row in held.filter(pl.col("held") > room, pl.col("step") > 0).head(1).iter_rows(named=True):
            yield f"{place} at {row['at'] / 1e12:.9f} s: its queue holds {row['held']} {of}, its room is {room:.0f}"


def _room(link: Mapping[str, Any]) -> tuple[float, str] | None:
    number, _, unit = str(link.get("buffer", "unlimited")).partition(" ")
    if number == "unlimited":
        return None
    if unit in _TIMES:
        return float(number) * _TIMES[unit] / 1e12 * _quantity(link["capacity"]) / 8, "bytes"
    return (float(number), "packets") if unit.startswith("packet") else (_quantity(link["buffer"]), "bytes")


_CUT_THROUGH = ("ops", "circuits", "rotor")
"""Kinds of switching some of whose nodes begin to send a packet before its last bit has come."""


def _vanished(events: pl.DataFrame) -> pl.DataFrame:
    """What vanished, with the row of the pass that it had; null for what was never sent."""
    key = [*_KEY, "place"]
    gone = events.filter(pl.col("event") == "vanish").sort("row")
    sent = events.filter(pl.col("event") == "pass").sort("row").select(*key, "row", pass_row="row")
    found = gone.join_asof(sent, on="row", by=key, check_sortedness=False)
    gated = events.filter(pl.col("event") == "wait")["place"].unique().implode()
    by_queue = pl.col("cause").is_in(["early", "congestion"]) & pl.col("place").is_in(gated)
    return found.with_columns(pass_row=pl.when(~by_queue).then("pass_row"))


def packets(run: Replayed) -> Iterator[str]:
    """Every packet leaves a node after it has come, and is delivered, dropped, held or under way at the end."""
    events = run.trace.filter(pl.col("class").is_in(PACKETS) & ~pl.col("event").is_in(["ack", "sack", "mark"]))
    lost = _vanished(events)
    of = {name: events.filter(pl.col("event") == name) for name in ("pass", "drop", "wait", "store")}
    first_bit = pl.col("arrives") - (pl.col("lasts_ps") if _switching(run).get("kind") in _CUT_THROUGH else 0)
    arrived = of["pass"].filter(~pl.col("row").is_in(lost["pass_row"].drop_nulls().implode()))
    at, source, target = pl.col("t_ps"), pl.col("source"), pl.col("target")
    moves = pl.concat(
        [
            _moves(events.filter(pl.col("event").is_in(["send", "resend"])), source, at, 1),
            _moves(_duplicates(run, events), source, at, 1),
            _moves(arrived, target, first_bit, 1),
            _moves(pl.concat([of["pass"], of["drop"]]), source, at, -1),
            _moves(lost.filter(pl.col("pass_row").is_null()), source, at, -1),
        ]
    )
    held = pl.concat([of["wait"], of["store"]]).group_by(*_KEY, node="source").agg(held=pl.len().cast(pl.Int64))
    moves = _between(run, moves.filter(pl.col("at") < run.end)).sort("at", -pl.col("step"), "row")
    moves = moves.with_columns(there=pl.col("step").cum_sum().over(*_KEY, "node"))
    yield from _said(moves.filter(pl.col("there") < 0), "leaves a node where it is not", at="node")
    # A node that sends on what has not come whole yet has until its last bit.
    left = moves.filter(pl.col("is_final") & ((pl.col("step") < 0) | (pl.col("arrives") < run.end)))
    left = left.group_by(*_KEY, "node").agg(left=pl.col("step").sum(), t_ps=pl.col("at").max())
    left = left.join(held, on=[*_KEY, "node"], how="left").with_columns(held=pl.col("held").fill_null(0))
    yield from _said(left.filter(pl.col("left") > pl.col("held")).sort("t_ps"), "came and is nowhere", at="node")


def _moves(events: pl.DataFrame, node: pl.Expr, at: pl.Expr, step: int) -> pl.DataFrame:
    """A packet more, or less, at a node."""
    return events.select(*_KEY, "bytes", "row", "t_ps", "arrives", node=node, at=at, step=pl.lit(step, pl.Int64))


def _duplicates(run: Replayed, events: pl.DataFrame) -> pl.DataFrame:
    """The segments of which the scenario orders a second copy."""
    orders = [(one["flow"], one["segment"]) for one in run.scenario.get("force", ()) if one["action"] == "duplicate"]
    sent = events.filter(pl.col("event") == "send").with_columns(number=pl.int_range(pl.len()).over("flow"))
    return pl.concat([sent.clear(), *(sent.filter(pl.col("flow") == flow, number=n) for flow, n in orders)])


def _between(run: Replayed, moves: pl.DataFrame) -> pl.DataFrame:
    """Without nodes where packets begin or become parts of bursts; where they end nothing is asked of the sum."""
    opaque = run.trace.filter(pl.col("event").is_in(["reserve", "land"]))
    hidden = pl.concat([opaque["source"], opaque["target"]]).unique().implode()
    ends = run.flows.select("flow", "destination", origin="source", header=_header(run))
    moves = moves.filter(~pl.col("node").is_in(hidden)).join(ends, on="flow", how="inner")
    is_ack = pl.col("class") == "ack"
    # Segments that only open or close a connection are no news of the sender's; ACKs are none of the receiver's.
    is_bare = (pl.col("class") == "data") & (pl.col("bytes") <= pl.col("header")) & (pl.col("node") == pl.col("origin"))
    begins = (is_ack & (pl.col("node") == pl.col("destination"))) | is_bare
    stops = pl.when(is_ack).then(pl.col("node") == pl.col("origin")).otherwise(pl.col("node") == pl.col("destination"))
    return moves.filter(~begins).with_columns(is_final=~stops)


def acks(run: Replayed) -> Iterator[str]:
    """No ACK asks for a byte behind one that has not arrived, or behind all that was sent."""
    data = run.trace.filter(pl.col("class") == "data")
    data = data.join(run.flows.select("flow", "destination", header=_header(run)), on="flow", how="inner")
    data = data.with_columns(behind=pl.col("unit") + pl.col("bytes") - pl.col("header"))
    sent = data.filter(pl.col("event").is_in(["send", "resend"])).select("flow", "behind", at="t_ps")
    lost = _vanished(run.trace.filter(pl.col("class").is_in(PACKETS)))["pass_row"].drop_nulls().implode()
    came = data.filter((pl.col("event") == "pass") & (pl.col("target") == pl.col("destination")))
    came = came.filter(~pl.col("row").is_in(lost)).sort("arrives")
    heard = run.trace.filter(pl.col("event") == "ack").select("flow", "t_ps", "place", "class", "bytes", "unit")
    for (flow,), asked in heard.group_by("flow", maintain_order=True):
        there = came.filter(pl.col("flow") == flow).select("unit", "behind", at="arrives")
        # Where bursts are taken apart at the host itself no packet is seen to arrive.
        sent_so_far = sent.filter(pl.col("flow") == flow).sort("at").select("at", most=pl.col("behind").cum_max())
        reached = _in_order(there) if there.height else sent_so_far
        known = asked.sort("t_ps").join_asof(reached, left_on="t_ps", right_on="at")
        yield from _said(known.filter(pl.col("unit") > pl.col("most").fill_null(0)), "asks for more than has arrived")


def _in_order(there: pl.DataFrame) -> pl.DataFrame:
    """When how many bytes had arrived without a gap."""
    waiting: list[tuple[int, int]] = []
    most, steps = 0, []
    for first, behind, at in there.iter_rows():
        heapq.heappush(waiting, (first, behind))
        while waiting and waiting[0][0] <= most:
            most = max(most, heapq.heappop(waiting)[1])
        steps.append((at, most))
    return pl.DataFrame(steps, {"at": pl.Int64, "most": pl.Int64}, orient="row")


def slots(run: Replayed) -> Iterator[str]:
    """No slot is used twice: not by two queues of an edge node, nor to one, nor by two packets of an output."""
    granted = run.trace.filter(pl.col("event") == "slot", pl.col("cause").is_null())
    core = pl.col("place").str.extract(r"#(\d+)", 1).fill_null("1")
    flight = run.trace.filter(pl.col("event") == "pass").group_by("place").agg(way=pl.col("flight_ps").min())
    granted = granted.with_columns(core=core).join(flight, on="place", how="inner")
    for end, way in (("source", pl.lit(0)), ("target", pl.col("way"))):
        on = granted.with_columns(b=pl.col("begins") + way, e=pl.col("ends") + way).sort("core", end, "b", "row")
        twice = on.filter(pl.col("b") < pl.col("e").shift(1).over("core", end))
        yield from _said(twice, f"is granted while another slot is, at its {end}")
    if "slot_time" in _switching(run):
        number = pl.col("begins") // picoseconds(_switching(run)["slot_time"])
        sent = run.trace.filter(pl.col("source").is_in(_cores(run)), event="pass").filter(pl.col("class") != "control")
        yield from _said(sent.filter(number.is_duplicated().over("place")), "shares its slot")


def bursts(run: Replayed) -> Iterator[str]:
    """A burst that has left ends once: it lands or is dropped, or is under way at the end."""
    empty = [one["from"] for one in _switching(run).get("burst", ()) if one.get("headers_only")]
    units = run.trace.filter(pl.col("class") == "burst")
    ended, last = pl.col("event").is_in(["land", "drop", "vanish"]), pl.col("arrives").filter(event="reserve").max()
    of = {"class": pl.col("class").first(), "place": pl.col("place").last(), "t_ps": pl.col("t_ps").max()}
    of = {**of, "ends": ended.sum(), "last": last, "origin": pl.col("source").first()}
    ends = units.group_by("unit", maintain_order=True).agg(**of)
    yield from _said(ends.filter(pl.col("ends") > 1), "ends twice")
    # Headers that announce nothing reserve, and nothing follows them.
    lost = ends.filter(pl.col("ends") == 0, pl.col("last") < run.end, ~pl.col("origin").is_in(empty))
    yield from _said(lost, "came and is nowhere")


def drops(run: Replayed) -> Iterator[str]:
    """What is dropped and what vanishes is the table `drops`."""
    if not run.is_whole:
        return
    start = picoseconds(run.scenario["run"]["warm_up"])
    gone = run.trace.filter(pl.col("event").is_in(["drop", "vanish"]), pl.col("t_ps") >= start)
    counted = gone.group_by("place", "class", "cause").agg(pl.len(), pl.col("bytes").sum() * 8)
    table = run.drops.cast(dict.fromkeys(("where", "class", "cause"), pl.String))
    table = table.group_by("where", "class", "cause").agg(pl.col("units", "bits").sum())
    seen, said = ({tuple(row[:3]): tuple(row[3:]) for row in one.iter_rows()} for one in (counted, table))
    for what in sorted({*seen, *said}):
        (units, bits), (known, known_bits) = seen.get(what, (0, 0)), said.get(what, (0, 0))
        if (units, bits) != (known, known_bits):
            yield f"{', '.join(what)}: {units} events of {bits} bits, in the table of drops {known} of {known_bits}"


RULES: tuple[Callable[[Replayed], Iterator[str]], ...] = (fibres, rates, queues, packets, acks, slots, bursts, drops)


def _said(broken: pl.DataFrame, what: str, at: str = "place") -> Iterator[str]:
    """A sentence for each of the first rows, and how many there are."""
    for row in broken.head(_SHOWN).iter_rows(named=True):
        flow = "" if row.get("flow") is None else f" of flow {row['flow']}"
        yield f"{row[at]} at {row['t_ps'] / 1e12:.9f} s: {row['class']} {row['unit']}{flow} {what}"
    if broken.height > _SHOWN:
        yield f"… and {broken.height - _SHOWN} more: {what}"


def _switching(run: Replayed) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.scenario.get("switching", {})
    return found


def _header(run: Replayed) -> pl.Expr:
    """What headers add to each segment of a flow."""
    headers = {name: one.get("header", 40) for name, one in run.scenario.get("transport", {}).items()}
    return pl.col("transport").replace_strict(headers, default=40, return_dtype=pl.Int64)


def _cores(run: Replayed) -> list[str]:
    return [node["name"] for node in run.scenario["node"] if node.get("role") == "core"]


def _quantity(text: object) -> float:
    number, _, unit = str(text).partition(" ")
    return float(number) * _UNITS[unit or "B"]


def picoseconds(text: object) -> int:
    """A time as a scenario has it."""
    number, _, unit = str(text).partition(" ")
    return round(float(number) * _TIMES[unit or "s"])
