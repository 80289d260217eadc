"""Laws at rest: the models of their equilibria beside runs over one bottleneck.

The tolerances were written before the first run.
"""

from __future__ import annotations

from typing import Any

import pytest

import photocol

DATA_CENTRE = {"capacity": 10e9, "rtt": 107e-6}
"""Propagation of 104 us, and a packet and its ACK on their links."""


def bottleneck(flows: int, transport: dict[str, Any], network: dict[str, Any], ms: float) -> dict[str, Any]:
    """The bottleneck of a dumbbell in the second half of a run."""
    result = photocol.run(
        {
            "run": {"duration": f"{ms} ms", "warm_up": f"{ms / 2} ms"},
            "topology": {"kind": "dumbbell", "pairs": flows, "bottleneck_buffer": "1000 packets"} | network,
            "link": [{"from": "left", "to": "right", "queue": {"kind": "abc" if transport == ABC else "drop-tail"}}],
            "transport": {"law": transport},
            "traffic": [{"transport": "law", "flows": flows, "spread": f"{ms / 60} ms"}],
        }
    )
    return next(row for row in result.links.to_dicts() if row["link"] == "left->right")


def in_a_data_centre(flows: int, **transport: Any) -> dict[str, Any]:
    """10 Gb/s and 104 us."""
    network = {"bottleneck_capacity": "10 Gbps", "bottleneck_delay": "50 us"}
    return bottleneck(flows, transport, network | {"access_capacity": "40 Gbps", "access_delay": "1 us"}, 60.0)


ABC = {"algorithm": "abc"}


def over_a_long_way(flows: int, capacity: str, transport: dict[str, Any], rtt_ms: float) -> dict[str, Any]:
    """A round trip of tens of milliseconds."""
    network = {"bottleneck_capacity": capacity, "bottleneck_delay": f"{rtt_ms / 2 - 1} ms"}
    return bottleneck(flows, transport, network | {"access_capacity": "1 Gbps", "access_delay": "0.5 ms"}, 60_000.0)


@pytest.mark.parametrize(("flows", "expected"), [(1, 20), (4, 8)])
def test_hpccs_load(flows: int, expected: int) -> None:
    found = in_a_data_centre(flows, algorithm="hpcc", hpcc_flows=expected)
    model = photocol.model("hpcc-rest", flows=flows, expected=expected, **DATA_CENTRE)
    assert found["utilization"] == pytest.approx(model["utilization"], abs=0.01)
    assert found["mean_queue"] < 1


@pytest.mark.parametrize("flows", [1, 4])
def test_powertcps_queue(flows: int) -> None:
    found = in_a_data_centre(flows, algorithm="powertcp", powertcp_flows=20)
    model = photocol.model("powertcp-rest", flows=flows, expected=20, **DATA_CENTRE)
    packets = model["queue_bytes"] / 1500
    assert found["mean_queue"] == pytest.approx(packets, abs=0.25 * packets + 1)


@pytest.mark.parametrize("flows", [2, 5])
def test_rcps_rate(flows: int) -> None:
    found = in_a_data_centre(flows, algorithm="rcp")
    model = photocol.model("rcp-rest", flows=flows, **DATA_CENTRE)
    rate = found["utilization"] * 10e9 / flows
    assert rate == pytest.approx(model["fair_rate_bps"], rel=0.04)


@pytest.mark.parametrize("flows", [8, 20])
def test_abcs_delay(flows: int) -> None:
    found = over_a_long_way(flows, "24 Mbps", ABC, 100.0)
    model = photocol.model("abc-rest", flows=flows)
    assert found["mean_queue"] == pytest.approx(2000 * model["queue_delay_s"], rel=0.15)


@pytest.mark.parametrize("flows", [1, 4])
def test_copas_queue(flows: int) -> None:
    found = over_a_long_way(flows, "100 Mbps", {"algorithm": "copa"}, 20.0)
    model = photocol.model("copa-rest", flows=flows)
    assert found["mean_queue"] == pytest.approx(model["mean_queue_packets"], rel=0.4)


@pytest.mark.parametrize("flows", [1, 2, 4])
def test_swifts_target(flows: int) -> None:
    result = photocol.run(
        {
            "run": {"duration": "400 ms", "warm_up": "200 ms"},
            "topology": {"kind": "star", "leaves": flows + 1},
            "link_defaults": {"capacity": "1 Gbps", "delay": "2.5 us", "buffer": "500 packets"},
            "transport": {"law": {"algorithm": "swift", "base_target": "50 us"}},
            "traffic": [
                {"transport": "law", "flows": flows, "pairs": [[f"n{leaf}", "n0"] for leaf in range(1, flows + 1)]}
            ],
        }
    )
    model = photocol.model("swift-rest", flows=flows, base=50e-6)
    assert result.flows["mean_rtt_s"].mean() == pytest.approx(float(model["delay_s"]), rel=0.15)
