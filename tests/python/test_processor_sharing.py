"""Flows that share a link fairly, beside the queue of processor sharing.

In M/G/1-PS a flow that the empty link would carry in x takes x/(1 − ρ) on average, whatever its size (Kleinrock,
"Time-shared systems: a theoretical treatment", J. ACM 14(2), 1967) and whatever the law of sizes. The link is a
bottleneck that serves its flows packet by packet in turn (DRR); all of a flow waits there from its start. Headers are
load too: ρ is the share of payload times 1500/1460.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest

import photocol

MSS, PACKET = 1460, 1500
CAPACITY_BPS = 100e6
WARM_UP_S, END_S = 5, 245
SIZES: dict[str, dict[str, Any]] = {
    "exponential": {"law": "exponential", "mean": "60 kB"},
    "pareto": {"law": "pareto", "least": "20 kB", "shape": 1.5, "most": "6 MB"},
}


def scenario(law: str, load: float) -> dict[str, Any]:
    """Poisson arrivals of flows at a load of the link."""
    return {
        "run": {"duration": f"{END_S} s"},
        "topology": {
            "kind": "dumbbell",
            "bottleneck_capacity": "100 Mbps",
            "bottleneck_delay": "1 us",
            "access_capacity": "1 Tbps",
            "access_delay": "1 us",
            "bottleneck_buffer": "unlimited",
            "access_buffer": "unlimited",
        },
        "link": [{"from": "left", "to": "right", "duplex": False, "queue": {"kind": "drr"}}],
        "transport": {
            "at-once": {"algorithm": "sack", "initial_window": 100_000, "min_rto": "50 s", "initial_rto": "50 s"}
        },
        "traffic": [{"transport": "at-once", "arrivals": "poisson", "load_share": load, "size_law": SIZES[law]}],
    }


def times(law: str, load: float) -> pl.DataFrame:
    """What flows took (s) and what the empty link would have taken, for those that start once the queue has settled."""
    result = photocol.run(scenario(law, load))
    assert result.summary["retransmissions"].value == 0
    flows = result.flows.filter(pl.col("completed"), pl.col("start_s") > WARM_UP_S, pl.col("start_s") < END_S - 5)
    sizes = flows["bytes_acked"].to_list()
    wire = [8 * (size + math.ceil(size / MSS) * (PACKET - MSS)) / CAPACITY_BPS for size in sizes]
    return pl.DataFrame({"took_s": flows["end_s"] - flows["start_s"], "alone_s": wire})


# Relative standard errors of the mean over 240 s, from the relaxation time S/(1 − √ρ)² of M/M/1: 2 % at 0.5, 3.5 % at
# 0.7; Pareto's are larger by the square root of its second moment over the exponential's, about 2.
@pytest.mark.parametrize(
    ("law", "load", "tolerance"), [("exponential", 0.5, 0.06), ("exponential", 0.7, 0.10), ("pareto", 0.5, 0.12)]
)
def test_flows_take_what_processor_sharing_says(law: str, load: float, tolerance: float) -> None:
    table = times(law, load)
    slowdown = table["took_s"].sum() / table["alone_s"].sum()
    assert slowdown == pytest.approx(1 / (1 - load * PACKET / MSS), rel=tolerance)


def test_the_slowdown_is_the_same_for_flows_of_every_size() -> None:
    # First in, first out gives the smallest quarter more than ten times the slowdown of the greatest.
    table = times("exponential", 0.5).sort("alone_s")
    quarter = table.height // 4
    quarters = [table.slice(place * quarter, quarter) for place in range(4)]
    slowdowns = [part["took_s"].sum() / part["alone_s"].sum() for part in quarters]
    assert slowdowns == pytest.approx([1 / (1 - 0.5 * PACKET / MSS)] * 4, rel=0.12)
