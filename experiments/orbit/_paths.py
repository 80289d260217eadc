"""Paths of four pairs over Kuiper-630 as Hypatia has it, as links that change, and what a flow should find on them.

Routes are computed when they are needed, by `photocol.orbits` with the package `sgp4`; a pair's two thousand steps take
a second. Stations are those of photocol's table of cities, some km beside Hypatia's.
"""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from photocol.orbits import Route

LASTS_S, STEPS_IN_S = 200, 10
RATE_BPS, PACKET_BYTES, QUEUE = 10_000_000, 1500, 100
PACKET_MS = 8e3 * PACKET_BYTES / RATE_BPS
"""A packet on a link: 1.2 ms."""
RIO, DALIAN, NAIROBI, PETERSBURG = "rio-petersburg", "manila-dalian", "istanbul-nairobi", "manila-petersburg"
PAIRS: Mapping[str, tuple[str, str]] = {
    RIO: ("Rio de Janeiro", "Saint Petersburg"),
    DALIAN: ("Manila", "Dalian"),
    NAIROBI: ("Istanbul", "Nairobi"),
    PETERSBURG: ("Manila", "Saint Petersburg"),
}
_HALVES = ((RIO, PETERSBURG), (DALIAN, NAIROBI))
"""Satellites are moved once for both pairs of a half."""
RISE_MS, LASTING_S, SETTLES_S = 4.8, 15, 10
"""A rise of four packets lasts for that long; Vegas gives up a packet a round trip, and needs some seconds."""


def route(pair: str) -> Route:
    """The pair's routes over the 200 s."""
    return _routes(next(half for half in _HALVES if pair in half))[pair]


@functools.cache
def _routes(names: tuple[str, ...]) -> Mapping[str, Route]:
    """Routes of some pairs. Hypatia's limit of a ground link is a range of 1260 km, not an elevation."""
    from photocol.orbits import Constellation

    pairs = [PAIRS[name] for name in names]
    stations = list(dict.fromkeys(itertools.chain.from_iterable(pairs)))
    limit = {"ground_limit": "range", "ground_range": "1260 km"}
    made = Constellation.from_toml({"kind": "constellation", "shell": "kuiper-630", "stations": stations, **limit})
    return dict(zip(names, made.routes(pairs, LASTS_S).tables(), strict=True))


def scenario(pair: str, traffic: Mapping[str, Any]) -> dict[str, Any]:
    """A flow over the pair's path: one link, whose changes are the lines of the file for `[[link_trace]]`."""
    from photocol.orbits.traces import link_trace

    one, other = pair.split("-")
    link = {"from": one, "to": other, "capacity": f"{RATE_BPS} bps", "delay": "20 ms", "buffer": f"{QUEUE} packets"}
    lines = [line.split(",") for line in link_trace(route(pair)).splitlines()[1:]]
    events = [
        {"at": f"{time} ms", "link": pair, "mid_packet": "finish"}
        | ({"delay": f"{delay} ms"} if delay else {})
        | ({"state": state} if state else {})
        for time, delay, state in lines
    ]
    return {
        "run": {"duration": f"{LASTS_S} s", "warm_up": "0 s"},
        "node": [{"name": one}, {"name": other}],
        "link": [{**link, "jitter": "1 ps", "jitter_order": "free"}],
        "event": events,
        "traffic": [{"from": one, "to": other, **traffic}],
        "probe": {"interval": f"{1000 // STEPS_IN_S} ms", "reordering": True},
    }


def over_least_ms(pair: str) -> NDArray[np.float64]:
    """How far each step's round trip is above the least so far; not a number while the pair is cut off."""
    trips = route(pair).round_trip_ms
    return trips - np.fmin.accumulate(trips)


def after_the_rise(pair: str) -> slice:
    """The steps of the first lasting rise, once Vegas has settled; until the path is short again or cut off."""
    ends = np.flatnonzero(np.diff(np.concatenate([[False], over_least_ms(pair) >= RISE_MS, [False]]).astype(int)))
    for begin, end in zip(ends[::2].tolist(), ends[1::2].tolist(), strict=True):
        if end - begin >= LASTING_S * STEPS_IN_S:
            return slice(begin + SETTLES_S * STEPS_IN_S, min(end, LASTS_S * STEPS_IN_S - 1))
    raise ValueError(f"the path of {pair} has no lasting rise")


def shorter_ms(pair: str) -> NDArray[np.float64]:
    """By how much the way there is shorter than a step before, where it is, between steps with a route."""
    falls = -np.diff(route(pair).round_trip_ms) / 2
    found: NDArray[np.float64] = falls[np.nan_to_num(falls) > 0]
    return found


def steady(pair: str) -> NDArray[np.bool_]:
    """The steps with a route that has been the same for a second."""
    found = np.isfinite(route(pair).round_trip_ms)
    for change in route(pair).changes[1:]:
        found[change.step : change.step + STEPS_IN_S] = False
    return found
