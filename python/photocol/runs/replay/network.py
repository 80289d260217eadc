"""The links of a run as its scenario describes them, and their capacity, delay and jitter from time to time."""

from __future__ import annotations

import csv
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.files import text
from photocol.runs.replay.contacts import Law, laws

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_UNITS = {"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_TIMES = {"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12, "min": 60e12, "h": 3600e12}
_CHANGED = ("capacity", "delay", "jitter")
_BPS = {"capacity_bps": 1.0, "capacity_kbps": 1e3, "capacity_mbps": 1e6, "capacity_gbps": 1e9}
_PS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3}
_MOST_PERIODS = 100_000


@dataclass(frozen=True, kw_only=True)
class State:
    """What a link has from a time on."""

    since: int
    capacity: float
    delay: int
    jitter: int


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link in one direction, or a wavelength of it."""

    place: str
    table: Mapping[str, Any]
    """As in the scenario."""
    states: Sequence[State]
    """In the order of time, the first since 0."""
    rests: frozenset[str] = frozenset()
    """What becomes of a packet in transmission at a change: the words of `mid_packet`."""
    kinds: frozenset[str] = frozenset()
    """What tells of changes: `event`, `link_phases`, `link_trace`."""
    goes_down: bool = False
    room_changes: bool = False
    formats: frozenset[str] = frozenset()
    """Of the files of `[[link_trace]]`."""
    law: Law | None = None
    """Its delay over time by a file of contacts, in the place of that of its states."""
    unknown: str = ""
    """Why its capacity, delay and jitter from time to time cannot be said; empty where they can."""

    @cached_property
    def queue(self) -> Mapping[str, Any]:
        """Its discipline."""
        said = self.table.get("queue", {})
        return {"kind": said} if isinstance(said, str) else said

    @property
    def discipline(self) -> str:
        """The name of its discipline."""
        return str(self.queue.get("kind", "drop-tail"))

    @property
    def pauses(self) -> bool:
        """Whether it has no capacity for a while."""
        return any(state.capacity == 0 for state in self.states)


@dataclass(frozen=True, kw_only=True)
class Network:
    """All links by their places."""

    links: Mapping[str, Link] = field(default_factory=dict)

    @cached_property
    def timeline(self) -> pl.DataFrame:
        """Place, since when, capacity in bit/s, delay, jitter, and `before`: how many bits it can have sent before."""
        rows = [
            (link.place, state.since, state.capacity, state.delay, state.jitter)
            for link in self.links.values()
            for state in link.states
        ]
        schema = {"place": pl.String, "since": pl.Int64, "capacity": pl.Float64, "delay": pl.Int64, "jitter": pl.Int64}
        known = pl.DataFrame(rows, schema, orient="row").sort("since", maintain_order=True)
        lasted = (pl.col("since") - pl.col("since").shift(1)).over("place").fill_null(0)
        sent = pl.col("capacity").shift(1).over("place").fill_null(0) * lasted / 1e12
        return known.with_columns(before=sent.cum_sum().over("place"))

    def places(self, holds: Any) -> set[str]:
        """The places of the links of which this holds."""
        return {link.place for link in self.links.values() if holds(link)}


def described(scenario: Mapping[str, Any], places: Iterable[str], end: int) -> Network:
    """The network of a resolved scenario; `places` are those of the trace, which has wavelengths of links."""
    base = _directed(scenario)
    nodes = {node["name"] for node in scenario["node"]} | {
        link[side] for link in scenario["link"] for side in ("from", "to")
    }
    tables = [(kind, table) for kind in ("event", "link_phases", "link_trace") for table in scenario.get(kind, ())]
    named = [(kind, table, _named(table["link"], base, nodes)) for kind, table in tables]
    found = {name: _link(name, table, [one for one in named if name in one[2]], end) for name, table in base.items()}
    for place in places:
        name, is_wave, kind = place.partition(" (")
        if is_wave and name in base and place not in found:
            table = dict(base[name])
            if kind == "control)":
                table["capacity"] = _control_capacity(scenario)
            found[place] = _link(place, table, [one for one in named if name in one[2]], end)
    topology = scenario.get("topology", {})
    return Network(links=_in_time(found, topology) if topology.get("kind") == "contacts" else found)


def _in_time(links: Mapping[str, Link], topology: Mapping[str, Any]) -> dict[str, Link]:
    """The links with their delays by a file of contacts."""
    try:
        known = laws(topology)
        return {place: replace(link, law=known[place.partition("#")[0]]) for place, link in links.items()}
    except (OSError, ValueError, LookupError, InputError):
        unknown = "its file of contacts cannot be read again"
        return {place: replace(link, unknown=unknown) for place, link in links.items()}


def _directed(scenario: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Place to link, in both directions; parallel links are numbered."""
    found: dict[str, Mapping[str, Any]] = {}
    count: dict[str, int] = {}
    for link in scenario["link"]:
        ends = [(link["from"], link["to"]), (link["to"], link["from"])][: 1 if link.get("duplex") is False else 2]
        for name in (f"{one}->{other}" for one, other in ends):
            count[name] = count.get(name, 0) + 1
            found[f"{name}#{count[name]}" if count[name] > 1 else name] = link
    return found


def _named(said: str | list[str], base: Mapping[str, Any], nodes: set[str]) -> set[str]:
    """The places that a key names: "a->b" is one, "a-b" or "a<->b" all in both directions."""
    found: set[str] = set()
    for name in [said] if isinstance(said, str) else said:
        if "<->" not in name and "->" in name:
            found.add("->".join(part.strip() for part in name.split("->")).removesuffix("#1"))
            continue
        splits = [(at, at + 1) for at, letter in enumerate(name) if letter == "-"]
        if "<->" in name:
            splits = [(name.index("<->"), name.index("<->") + 3)]
        for one, other in ((name[:at].strip(), name[behind:].strip()) for at, behind in splits):
            if one in nodes and other in nodes:
                both = {f"{one}->{other}", f"{other}->{one}"}
                found |= {place for place in base if place.rpartition("#")[0] in both or place in both}
    return found


def _link(place: str, table: Mapping[str, Any], named: list[tuple[str, Mapping[str, Any], set[str]]], end: int) -> Link:
    capacity, delay, jitter = quantity(table["capacity"]), _delay(table), picoseconds(table.get("jitter", 0))
    own = State(since=0, capacity=capacity, delay=delay, jitter=jitter)
    kinds = frozenset(kind for kind, _, _ in named)
    rests = frozenset(str(one["mid_packet"]) for _, one, _ in named if "mid_packet" in one)
    states, unknown = [own], ""
    downs, rooms = (
        any(_says(one, key, value) for _, one, _ in named) for key, value in (("state", "down"), ("buffer", None))
    )
    try:
        states = _states(own, [(kind, one) for kind, one, _ in named], end)
    except _UnknownError as reason:
        unknown = str(reason)
    formats = frozenset(str(one.get("format", "csv")) for kind, one, _ in named if kind == "link_trace")
    return Link(
        place=place,
        table=table,
        states=states,
        rests=rests,
        kinds=kinds,
        goes_down=downs,
        room_changes=rooms,
        formats=formats,
        unknown=unknown,
    )


class _UnknownError(Exception):
    """Why a link's changes are not known."""


def _says(table: Mapping[str, Any], key: str, value: str | None) -> bool:
    """Whether a table of changes, or one of its phases, has this key, with this value if it is given."""
    return any(key in one and value in (None, one[key]) for one in (table, *table.get("phases", ())))


def _states(own: State, named: list[tuple[str, Mapping[str, Any]]], end: int) -> list[State]:
    if len({kind for kind, _ in named}) > 1 or sum(kind != "event" for kind, _ in named) > 1:
        raise _UnknownError("several tables change the link")
    changes: list[tuple[int, Mapping[str, Any]]] = []
    for kind, table in named:
        if kind == "event":
            changes.append(
                (picoseconds(table["at"]), {key: _value(key, table[key]) for key in _CHANGED if key in table})
            )
        elif kind == "link_phases":
            changes += _phases(table, {key: getattr(own, key) for key in _CHANGED}, end)
        else:
            changes += _traced(table, end)
    found, last = {0: own}, own
    for since, change in sorted(changes, key=lambda one: one[0]):
        now = {key: change.get(key, getattr(last, key)) for key in _CHANGED}
        delay, jitter = round(now["delay"]), round(now["jitter"])
        last = State(since=max(since, 0), capacity=now["capacity"], delay=delay, jitter=jitter)
        found[last.since] = last
    return list(found.values())


def _phases(table: Mapping[str, Any], own: Mapping[str, Any], end: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Phase by phase, period by period, the link's own between them."""
    parts, at = [], 0
    for phase in table["phases"]:
        at = picoseconds(phase["at"]) if "at" in phase else at
        parts.append((at, at + picoseconds(phase["duration"]), phase))
        at = parts[-1][1]
    period, offset = picoseconds(table["period"]) if "period" in table else at, picoseconds(table.get("offset", 0))
    if period <= 0 or end // period > _MOST_PERIODS:
        raise _UnknownError("its phases are too many")
    for start in range(offset % period - period, end, period):
        for begins, over, phase in parts:
            yield start + begins, {**own, **{key: _value(key, phase[key]) for key in _CHANGED if key in phase}}
            if not any(other == over for other, _, _ in parts):
                yield start + over, own


def _traced(table: Mapping[str, Any], end: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """As a file says; it begins again after each period."""
    if table.get("format") == "delivery":
        return
    if table.get("format", "csv") != "csv":
        raise _UnknownError(f'format = "{table["format"]}"')
    if table.get("delay_law") == "linear":
        raise _UnknownError("its delay is a line between times")
    try:
        lines = [line for line in text(Path(table["file"])).splitlines() if line.strip() and line.lstrip()[0] != "#"]
        head, *rows = [[field.strip() for field in row] for row in csv.reader(lines, skipinitialspace=True)]
        columns = [_column(name) for name in head]
        [time] = [place for place, (what, _) in enumerate(columns) if what == "time"]
        known = [[(*column, float(cell)) for column, cell in zip(columns, row, strict=True) if cell] for row in rows]
        times = [round(float(row[time]) * columns[time][1]) for row in rows]
    except (OSError, ValueError, LookupError, InputError) as error:
        raise _UnknownError("its file cannot be read again") from error
    period = picoseconds(table["period"]) if "period" in table else end
    if period <= 0 or end // period > _MOST_PERIODS:
        raise _UnknownError("its file begins again too often")
    for start in range(0, end, period):
        for since, row in zip(times, known, strict=True):
            if start + since < end:
                yield start + since, {what: value * unit for what, unit, value in row if what in _CHANGED}


def _column(name: str) -> tuple[str, float]:
    """What a column has, and the unit of its numbers."""
    if name in _BPS:
        return "capacity", _BPS[name]
    what, _, unit = name.rpartition("_")
    if what in ("time", "delay", "jitter") and unit in _PS:
        return what, float(_PS[unit])
    if name.startswith(("capacity", "delay", "jitter")):
        raise ValueError(name)
    return "", 1.0


def _value(key: str, said: object) -> float | int:
    return quantity(said) if key == "capacity" else picoseconds(said)


def _delay(table: Mapping[str, Any]) -> int:
    """Light takes 5 µs a kilometre where a length is given; a resolved scenario has the delay."""
    return picoseconds(table.get("delay", 0))


def _control_capacity(scenario: Mapping[str, Any]) -> str:
    """That of control wavelengths; what racks say to one another beside data takes no time to speak of."""
    return str(scenario.get("switching", {}).get("control_capacity", "1000 Gbps"))


def state_at(link: Link, at: int) -> State:
    """The state of a link at a time."""
    return link.states[max(bisect_right([state.since for state in link.states], at) - 1, 0)]


def quantity(said: object) -> float:
    """A rate in bit/s or a size in bytes, as a resolved scenario has it. Raises InputError."""
    return _measured(said, _UNITS, "B")


def picoseconds(said: object) -> int:
    """A time as a scenario has it. Raises InputError."""
    return round(_measured(said, _TIMES, "s"))


def _measured(said: object, units: Mapping[str, float], without: str) -> float:
    number, _, unit = str(said).partition(" ")
    try:
        return float(number) * units[unit or without]
    except (ValueError, KeyError):
        raise InputError(f"scenario.toml: found {said!r}; allowed: a number and one of {', '.join(units)}") from None
