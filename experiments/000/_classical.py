"""Paper 000 under the readings of its baseline: a "classical network" beside edge nodes that smooth and remember.

§VII compares with "a classical network with no additional congestion control mechanisms", and §VI says that "the
noncontrolled scheme assumes only core optical buffering". So a classical edge node smooths nothing, and its ports have
the core's places. Networks between that and edge nodes with DLCC have electronic memory, smooth TCP or smooth all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Setup

from . import _hosts as kinds
from . import _slots as slots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from photocol.experiment import Value

FULL: Mapping[str, Value] = {"run.duration": "1000 s", "run.warm_up": "100 s"}
"""900 s measured, 90 bursts of UDP."""
PLACES = 20
MEMORY = "link_defaults.edge.buffer"
SMOOTHING = "switching.dlcc.smoothing"
RATE, ACKS = "switching.dlcc.rate_control", "switching.dlcc.ops_acks"

CLASSICAL, MEMORY_5, MEMORY_50, MEMORY_500 = "20 places", "5 ms", "50 ms", "500 ms"
TCP, ALL, ALL_AT_ONCE = "TCP smoothed", "all smoothed", "all smoothed, tau a unit"
EDGES: Mapping[str, Mapping[str, Value]] = {
    CLASSICAL: {SMOOTHING: "off", MEMORY: f"{PLACES} packets"},
    MEMORY_5: {SMOOTHING: "off", MEMORY: "5 ms"},
    MEMORY_50: {SMOOTHING: "off", MEMORY: "50 ms"},
    MEMORY_500: {SMOOTHING: "off", MEMORY: "0.5 s"},
    TCP: {SMOOTHING: "tcp", MEMORY: "0.5 s"},
    ALL: {SMOOTHING: "all", MEMORY: "0.5 s", "switching.dlcc.tau": "5 s"},
    ALL_AT_ONCE: {SMOOTHING: "all", MEMORY: "0.5 s"},
}
"""What an edge node's port remembers and smooths: places of the core, or electronic memory at the link's rate.

Where all is smoothed, τ is 5 s: the text gives none, and with a unit of 50 ms TCP's backlog is promised the whole line,
so that UDP, which asks after it, waits for minutes at its own edge node, until that is full. That is a reading of its
own.
"""

NONE, PACING, ONE, ALONE, BOTH = "no control", "ACK pacing", "rate", "ACKs", "both"
GUARDED, ONCE = "both, guarded", "both, ACKs once"
CONTROLS: Mapping[str, Mapping[str, Value]] = {
    NONE: {RATE: False, ACKS: "off"},
    PACING: {RATE: False, ACKS: "off", "switching.dlcc.ack_pacing": True},
    ONE: {ACKS: "off"},
    ALONE: {RATE: False},
    BOTH: {},
    GUARDED: {"switching.dlcc.guard": True},
    ONCE: {"switching.dlcc.acks_per": "round-trip"},
}
"""§III.C's two operations, each alone and both, with ACKs that are guarded or once a round trip; the baselines."""

HOSTS_2009: Mapping[str, Value] = {
    "transport.reno.delayed_ack": "200 ms",
    "transport.reno.initial_window": 2,
    "transport.reno.limited_transmit": False,
}
"""As RFC 1122 (delayed ACKs) and RFC 2581 have them; `dlcc.toml` has Reno and a least timeout of 1 s."""
HOSTS_TODAY: Mapping[str, Value] = {**kinds.LINUX_CUBIC, "transport.reno.min_rto": "0.2 s"}


def silence(law: str) -> Callable[[dict[str, Any]], None]:
    """A change of `dlcc.toml`: silences by this law."""

    def change(scenario: dict[str, Any]) -> None:
        scenario["traffic"][1]["off"] = dict(slots.SILENCES[law])

    return change


def sources(count: int) -> Callable[[dict[str, Any]], None]:
    """A change of `dlcc.toml`: as many sources of UDP, each with its bursts at its own times."""

    def change(scenario: dict[str, Any]) -> None:
        scenario["traffic"][1]["flows"] = count

    return change


def setup(
    edge: str,
    control: str,
    rtt_ms: float,
    udp_percent: float,
    *,
    hosts: Mapping[str, Value] = HOSTS_2009,
    change: Callable[[dict[str, Any]], None] | None = None,
    more: Mapping[str, Value] | None = None,
) -> Setup:
    """`dlcc.toml` with edge nodes of a kind, controls and hosts, at a point of the paper's figures."""
    scenario = slots.scenario()
    if change is not None:
        change(scenario)
    controls = dict(CONTROLS[control])
    if controls.get(ACKS) != "off":
        controls["switching.dlcc.record"] = f"{rtt_ms + 600:.0f} ms"
        if hosts is HOSTS_TODAY:
            controls[ACKS] = "dlcc-sack"
    rate = {"traffic.1.rate": f"{slots.LINK_MBPS * udp_percent / 100:.3f} Mbps"}
    network = {**slots.BY_LOT, **slots.DELAYS, **slots.delays(rtt_ms), **rate, **hosts}
    return Setup(scenario=scenario, settings={**network, **EDGES[edge], **controls, **(more or {})})


def name(edge: str, control: str) -> str:
    """A scheme's name in tables."""
    return edge if control == NONE else f"{edge}, {control}"


def parts(classical: float, smoothed: float, controlled: float) -> str:
    """A gain in Mb/s as the part of memory and smoothing, and the part of the controls on top of them."""
    gain = controlled - classical
    if gain < 0.05 * classical:
        return f"{classical:.1f} to {controlled:.1f} Mb/s: no gain to share"
    first, second = smoothed - classical, controlled - smoothed
    return (
        f"{classical:.1f} to {controlled:.1f} Mb/s (× {controlled / classical:.2f}): memory and smoothing {first:+.1f} "
        f"({100 * first / gain:.0f} %), controls {second:+.1f} ({100 * second / gain:.0f} %)"
    )


def quartiles(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """Least value, quartiles and greatest value, between neighbours on a straight line."""
    series = pl.Series(values)
    return tuple(float(series.quantile(q, "linear") or 0.0) for q in (0, 0.25, 0.5, 0.75, 1))  # type: ignore[return-value]


def spread(values: Sequence[float], form: str = ".1f") -> str:
    """The same in words: least, quartiles, greatest."""
    return " | ".join(format(value, form) for value in quartiles(values))
