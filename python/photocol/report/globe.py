"""Satellites on the page of a run: where they are over time, their links and loads, and the routes of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from photocol.plot.orbits import city_places
from photocol.plot.probes.globe import loads_of, window_of
from photocol.plot.probes.round_trips import end_of_s, known_of, pairs_of, some_trips

if TYPE_CHECKING:
    from photocol.runs.results import Result

_MOST_PAIRS = 45
_MOST_PLACES, _MOST_TIMES = 60_000, 121


def globe(result: Result) -> dict[str, Any] | None:
    """All of it, as JSON can hold it; None for a run whose file of contacts has no places of satellites, or is gone.

    Nodes are satellites and then stations. Degrees are in tenths, by satellite and time. A turn of a pair is when a
    route begins, and its nodes, none while it is cut off.
    """
    known = known_of(result)
    if known is None or not known.places:
        return None
    end_s, satellites = end_of_s(result), len(known.places)
    times = np.linspace(0.0, end_s, int(np.clip(_MOST_PLACES // satellites, 2, _MOST_TIMES)))
    degrees = np.rint(10 * known.degrees(times)).astype(int)
    number = {node: place for place, (node, *_) in enumerate(known.places) if node is not None}
    number |= {node: satellites + place for place, node in enumerate(known.stations)}
    return {
        "times_s": times.tolist(),
        "north": degrees[..., 0].T.tolist(),
        "east": degrees[..., 1].T.tolist(),
        "stations": [[known.names[node], *place] for node, place in known.stations.items()],
        "cities": city_places().tolist(),
        "lasers": known.lasers,
        "links": [
            {"from": number[one], "to": number[other], "load": load, "name": f"{known.names[one]}-{known.names[other]}"}
            for (one, other), load in loads_of(result, known).items()
        ],
        "pairs": [
            {
                "name": " – ".join(known.names[end] for end in pair),
                "turns": [[turn.time_s, [number[node] for node in turn.nodes]] for turn in known.turns[pair]],
                "trips": some_trips(known, pair, end_s),
            }
            for pair in pairs_of(result, known)[:_MOST_PAIRS]
        ],
        "window": window_of(result),
    }
