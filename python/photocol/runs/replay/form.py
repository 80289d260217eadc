"""The form of a trace: which columns each kind of event has, in which order rows stand, and when a trace ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from photocol.runs.replay.replayed import PACKETS
from photocol.runs.replay.rules import rule, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.runs.replay.replayed import Replayed


@dataclass(frozen=True)
class Form:
    """What a kind of event has. Times and numbers that it has not are 0 or empty."""

    classes: tuple[str, ...]
    times: tuple[str, ...] = ()
    at_node: bool = False
    has: tuple[str, ...] = ()
    may_have: tuple[str, ...] = ()


_ANY = ("data", "ack", "datagram", "control")
_CUT = ("value",)
FORMS = {
    "send": Form(("data", "datagram"), at_node=True, has=("flow",)),
    "resend": Form(("data",), at_node=True, has=("flow",)),
    "ack": Form(("ack",), at_node=True, has=("flow", "value")),
    "sack": Form(("ack",), at_node=True, has=("flow", "value")),
    "wait": Form(_ANY, may_have=("flow",)),
    "store": Form(_ANY, may_have=("flow",)),
    "pass": Form(_ANY, ("wait_ps", "lasts_ps", "flight_ps"), may_have=("flow", "value")),
    "mark": Form(_ANY, may_have=("flow",)),
    "drop": Form((*_ANY, "burst", "unit"), has=("cause",), may_have=("flow", "value")),
    "vanish": Form((*_ANY, "burst", "unit"), has=("cause",), may_have=("flow", "value")),
    "slot": Form(("burst", "unit", "slot"), ("wait_ps", "lasts_ps"), may_have=("cause",)),
    "reserve": Form(
        ("burst", "unit"), ("wait_ps", "lasts_ps", "flight_ps"), has=("channel", "value"), may_have=("flow",)
    ),
    "cut": Form(("burst", "unit"), may_have=("flow", "value", "cause")),
    "land": Form(("burst", "unit"), at_node=True, has=("value",), may_have=("flow",)),
    "rate": Form(("burst", "unit", "control", "slot"), has=("value",), may_have=("flow",)),
}
_OPTIONAL = ("flow", "value", "cause", "channel")
_TIMES = ("wait_ps", "lasts_ps", "flight_ps")
_LONGEST = 1 << 62
"""Half of the range of a time; a run lasts less."""


@rule(
    "form",
    "Rows are in the order of time, before the end, and each has what its kind of event has.",
    of="run",
)
def form(run: Replayed, events: pl.DataFrame) -> Iterator[str]:
    """Each row for itself."""
    late = pl.col("t_ps") >= run.duration
    yield from said(events.filter(late), "happens after the end of the run")
    yield from said(events.filter(pl.col("t_ps") < pl.col("t_ps").shift(1)), "stands behind what happened later")
    wrong = pl.any_horizontal(pl.col(name).is_between(0, _LONGEST).not_() for name in ("t_ps", *_TIMES, "arrives"))
    yield from said(events.filter(wrong), "lasts longer than any run")
    yield from said(events.filter(~pl.col("event").is_in(list(FORMS))), "is an event of no known kind")
    # Those of a file of contacts stand at its links only.
    ends = {link[side] for link in run.scenario["link"] for side in ("from", "to")}
    nodes = [*(node["name"] for node in run.scenario["node"]), *sorted(ends)]
    sizes = [one.get(key, 40) for one in run.scenario.get("transport", {}).values() for key in ("header", "ack_size")]
    # What only opens a connection is a header, which may be one of no bytes.
    empty = (pl.col("bytes") < 0) | ((pl.col("bytes") == 0) & pl.col("class").is_in(PACKETS) & (0 not in sizes))
    yield from said(events.filter(empty), "has no bytes")
    for event, one in FORMS.items():
        rows = events.filter(pl.col("event") == event)
        if rows.height:
            yield from _of(event, one, rows, nodes, [*run.network.links])
    known = pl.col("flow").is_null() | pl.col("flow").is_in(run.flows["flow"].implode())
    yield from said(events.filter(~known), "is of a flow that is not there")


def _of(event: str, one: Form, rows: pl.DataFrame, nodes: list[str], links: list[str]) -> Iterator[str]:
    is_wrong_class = ~pl.col("class").is_in(one.classes)
    yield from said(rows.filter(is_wrong_class), f"is not what an event {event!r} is of")
    for name in _TIMES:
        if name not in one.times:
            yield from said(rows.filter(pl.col(name) != 0), f"has {name}, which an event {event!r} has not")
    for name in _OPTIONAL:
        if name in one.has:
            yield from said(rows.filter(pl.col(name).is_null()), f"has no {name}, which an event {event!r} has")
        elif name not in one.may_have:
            yield from said(rows.filter(pl.col(name).is_not_null()), f"has a {name}, which an event {event!r} has not")
    is_control = pl.col("class") == "control"
    flow_is_odd = pl.col("class").is_in(["data", "ack", "datagram"]) & pl.col("flow").is_null()
    yield from said(
        rows.filter(flow_is_odd | (is_control & pl.col("flow").is_not_null())), "has a flow, or none, unlike its class"
    )
    if one.at_node:
        yield from said(rows.filter(~pl.col("place").is_in(nodes)), f"is at no node, where an event {event!r} is")
    elif event in ("pass", "reserve", "wait"):
        yield from said(rows.filter(~pl.col("place").is_in(links)), "is at no link of the scenario")
