"""A flow between London and New York whose stations take another satellite each 15 s, for several experiments."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import photocol
from photocol.claims import Values, values
from photocol.experiment import Metric

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

LASTS_S, PERIOD_S, GBPS = 135, 15, 0.15
ENDS = ("London", "New York")
TOLD = ("retcp", "satcp", "tdtcp", "theta-powertcp")
"""Who hears half a second ahead of other routes."""


def scenario(transport: Mapping[str, Any], gap_ms: int, queue: int) -> dict[str, Any]:
    """A flow from London to New York that starts in the first tenth of a second."""
    news = {"pair": "all", "way": "schedule", "lead": "500 ms"}
    return {
        "run": {"duration": f"{LASTS_S} s", "warm_up": f"{PERIOD_S} s"},
        "topology": {
            "kind": "constellation",
            "shell": {"name": "starlink-550"},
            "orbit": "circular",
            "stations": list(ENDS),
            "serving": f"every {PERIOD_S} s",
            "serving_choice": "nearest",
            "acquisition": f"{gap_ms} ms",
            "laser_capacity": f"{GBPS} Gbps",
            "ground_capacity": f"{GBPS} Gbps",
            "cache": tempfile.gettempdir(),
        },
        "link_defaults": {"buffer": f"{queue} packets"},
        "transport": {"it": dict(transport)},
        "traffic": [{"transport": "it", "pairs": [list(ENDS)], "spread": "100 ms"}],
        "news": [news] if transport["algorithm"] in TOLD else [],
        "probe": {"interval": "100 ms", "flows": [0]},
    }


def carried(transport: Mapping[str, Any], gap_ms: int, queue: int, seed: int) -> dict[str, float]:
    """What it had after the first 15 s."""
    result = photocol.run(scenario(transport, gap_ms, queue), seed=seed)
    found, series = result.summary, result.series
    trips = series.filter((series["quantity"] == "rtt") & (series["t_s"] > PERIOD_S))["value"]
    return {
        "goodput_mbps": float(found["goodput"]) / 1e6,
        "rtt_ms": 1e3 * float(trips.drop_nulls().mean()) if trips.drop_nulls().len() else float("nan"),
        "timeouts": float(found["timeouts"]),
        "sent_again_percent": 100 * float(found["retransmissions"]) / float(found["segments_sent"]),
    }


def figure(law: str, metric: str = "goodput_mbps", **where: object) -> Values:
    """A figure of a law, by the interruption, with these values of further axes."""
    unit = " Mb/s" if metric == "goodput_mbps" else " ms"
    return values(metric, "gap_ms", form=".1f", law=law, **where).told(".1f", unit, law)


def measure(result: RunResult) -> Mapping[str, float]:
    """The figures of the trial."""
    return {metric.name: result.summary[metric.name].value for metric in METRICS}


METRICS = (
    Metric(name="goodput_mbps", label="goodput (Mb/s)", form=".1f"),
    Metric(name="rtt_ms", label="mean round trip (ms)", form=".1f"),
    Metric(name="timeouts", label="timeouts", form=".1f"),
    Metric(name="sent_again_percent", label="sent again (%)", form=".2f"),
)
