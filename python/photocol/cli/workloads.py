"""The workloads whose cost is followed: what `photocol bench` times and `tools/instructions` counts.

Data and pure functions of the standard library alone, so that a tool without the extension can read them. Each workload
is a scenario, as a dict or as a ready-made file with settings, and says over which part of its simulated time
instructions are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

REPEATS = 3


@dataclass(frozen=True, kw_only=True)
class Standard:
    """A standard scenario with a sentence about it."""

    what: str
    scenario: Mapping[str, Any] | str
    """The scenario, or its file in the repository's `scenarios/`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What is set in it."""
    until_s: float | None = None
    """When to stop, if before the end."""
    counted: tuple[float, float] | None = None
    """Between which simulated seconds instructions are counted; a run is made for each of the two."""
    counted_with: Mapping[str, Any] = field(default_factory=dict)
    """What is set then besides, so that what is counted comes early."""
    repeats: int = REPEATS
    needs: str = ""
    """Memory and time, of one that is measured only on request."""


def dumbbell(flows: int, *, duration: str) -> dict[str, Any]:
    """Greedy SACK flows over 1 Gb/s; round trip 100 ms, buffer of one bandwidth-delay product."""
    bandwidth_delay_packets = 8333
    return {
        "run": {"name": f"dumbbell-{flows}", "duration": duration},
        "topology": {
            "kind": "dumbbell",
            "pairs": 10,
            "bottleneck_capacity": "1 Gbps",
            "bottleneck_delay": "48 ms",
            "bottleneck_buffer": f"{bandwidth_delay_packets} packets",
            "access_delay": "1 ms",
        },
        "transport": {
            "sack": {
                "packet_size": 1500,
                "initial_window": 2,
                "initial_ssthresh": f"{max(2, bandwidth_delay_packets // flows)} packets",
                "min_rto": "0.2 s",
            }
        },
        "traffic": [
            {
                "transport": "sack",
                "pairs": [[f"l{i}", f"r{i}"] for i in range(10)],
                "flows": flows,
                "spread": "1 s",
            }
        ],
    }


def nsfnet() -> dict[str, Any]:
    """The main job: 1586 Reno flows over NSFNET, outputs of core nodes hold six waiting packets."""
    return {
        "run": {"name": "nsfnet", "duration": "40 s"},
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms", "routing": "first"},
        "link_defaults": {"capacity": "1 Gbps", "core": {"buffer": "6 packets"}, "edge": {"buffer": "0.25 s"}},
        "transport": {
            "reno": {"packet_size": 1500, "max_window": "20 packets", "initial_window": 2, "min_rto": "0.2 s"}
        },
        "traffic": [
            {"transport": "reno", "pairs": "random", "arrivals": "poisson", "count": 1586, "over": "40 s"},
        ],
    }


def streams(*, bursts: bool) -> dict[str, Any]:
    """1 Gb/s between every two edge nodes of NSFNET, in bursts of 50 packets on 8 wavelengths, or packet by packet.

    In bursts, the packet-hops are those of burst headers: one for every burst and link.
    """
    switching = {"kind": "obs", "wavelengths": 8, "assembly": {"length": "50 kB"}}
    return {
        "run": {"name": "bursts" if bursts else "streams", "duration": "0.1 s"},
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms", **({} if bursts else {"routing": "first"})},
        "link_defaults": {"capacity": "10 Gbps" if bursts else "80 Gbps"},
        **({"switching": switching} if bursts else {}),
        "transport": {"cbr": {"algorithm": "udp", "packet_size": 1000}},
        "traffic": [{"transport": "cbr", "pairs": "all", "rate": "1 Gbps", "spread": "10 ms"}],
    }


def bursts_alone(*, wavelengths: int = 8) -> dict[str, Any]:
    """The bursts of `streams(bursts=True)`, as many on average and as long, with no packets in them.

    50 kB last 40 us at 10 Gb/s; 1 Gb/s are 0.1 of a wavelength. More wavelengths have more bursts in proportion.
    """
    name = "bursts-alone" if wavelengths == 8 else f"bursts-alone-{wavelengths}"
    return {
        "run": {"name": name, "duration": "1 s"},
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms"},
        "link_defaults": {"capacity": "10 Gbps"},
        "switching": {
            "kind": "obs",
            "wavelengths": wavelengths,
            "burst": [{"pairs": "all", "load": 0.1 * wavelengths / 8, "mean": "40 us", "law": "fixed"}],
        },
    }


def xcp_gigabit() -> dict[str, Any]:
    """Case 3 of paper 003 at its rated capacity: 100 XCP flows in five groups of delays over 1 Gb/s.

    Every flow has hosts of its own. The edge node's output has one waiting place; nothing changes during the run.
    """
    one_way_ms = (44, 54, 64, 54, 44)
    middle = [("rs", "ri", "1 ms"), ("ri", "rj", "20 ms"), ("rj", "rd", "1 ms")]
    ends = [
        {"from": near, "to": far, "delay": f"{one_way_ms[flow % 5]} ms"}
        for flow in range(100)
        for near, far in ((f"s{flow}", "rs"), ("rd", f"d{flow}"))
    ]
    forth = [
        {
            "from": a,
            "to": b,
            "delay": delay,
            "duplex": False,
            "xcp": {},
            **({"buffer": "1 packets"} if a == "ri" else {}),
        }
        for a, b, delay in middle
    ]
    back = [{"from": b, "to": a, "delay": delay, "duplex": False} for a, b, delay in middle]
    return {
        "run": {"name": "xcp-gigabit", "duration": "15 s"},
        "link_defaults": {"capacity": "1 Gbps", "buffer": "300 ms"},
        "link": [*forth, *back, *ends],
        "transport": {
            "xcp": {
                "packet_size": 1000,
                "header": 60,
                "ack_size": 60,
                "initial_window": 2,
                "min_rto": "1 s",
                "recovery": "reno",
                "limited_transmit": False,
                "duplicate_acks": "ignore",
            }
        },
        "traffic": [
            {"transport": "xcp", "pairs": [[f"s{i}", f"d{i}"] for i in range(100)], "flows": 100, "spread": "1 s"}
        ],
    }


def aapn_slots() -> dict[str, Any]:
    """16 edge nodes around one core node, frames of 128 slots; datagrams at 0.7 of what the data slots carry."""
    return {
        "run": {"name": "aapn-slots", "duration": "0.5 s"},
        "topology": {"kind": "aapn-star", "edges": 16, "capacity": "1 Gbps", "delay": "1 ms", "buffer": "100 packets"},
        "switching": {
            "kind": "aapn",
            "slots": 128,
            "slot_time": "10 us",
            "guard": "1 us",
            "scheduler": "bvn",
            "request": "last-frame",
        },
        "transport": {"datagrams": {"algorithm": "udp", "packet_size": 1500}},
        "traffic": [
            {"transport": "datagrams", "pairs": "all", "flows": 240, "load": "poisson", "rate": "36.8 Mbps"},
        ],
    }


def short_job() -> dict[str, Any]:
    """A run of some 10 ms, as one of the thousands of a sweep."""
    return {
        "run": {"name": "short-job", "duration": "6 s"},
        "topology": {"kind": "dumbbell", "pairs": 2, "bottleneck_capacity": "100 Mbps", "bottleneck_delay": "1 ms"},
        "traffic": [{"transport": "sack", "flows": 2}],
    }


def tcp_in_bursts() -> dict[str, Any]:
    """300 SACK flows over NSFNET in bursts, 16 wavelengths, LAUC-VF, beside bursts of other traffic."""
    return {
        "run": {"name": "tcp-in-bursts", "duration": "1 s"},
        "topology": {"kind": "nsfnet-edge"},
        "link_defaults": {"capacity": "10 Gbps"},
        "switching": {
            "kind": "obs",
            "wavelengths": 16,
            "reservation": "lauc-vf",
            "assembly": {"timer": "1 ms", "length": "50 kB"},
            "burst": [{"pairs": "all", "load": 0.005, "mean": "10 us"}],
        },
        "transport": {"tcp": {"algorithm": "sack", "mss": "960 B", "min_rto": "0.2 s"}},
        "traffic": [{"transport": "tcp", "pairs": "random", "flows": 300, "spread": "0.1 s"}],
    }


NO_CONTROL: dict[str, Any] = {"switching.dlcc.rate_control": False, "switching.dlcc.ops_acks": "off"}
"""What makes paper 000's network one without control."""

STANDARDS = {
    "dumbbell-100": Standard(what="100 SACK flows, 1 Gb/s, 100 ms", scenario=dumbbell(100, duration="30 s")),
    "dumbbell-10000": Standard(
        what="10 000 SACK flows, 1 Gb/s, 100 ms", scenario=dumbbell(10_000, duration="30 s"), counted=(1.5, 2.0)
    ),
    "nsfnet": Standard(what="1586 Reno flows over NSFNET, the main job", scenario=nsfnet()),
    "macroflows": Standard(
        what="1586 Reno flows over NSFNET in paced macroflows, 9 kB of RAM, TU 100 %",
        scenario="macroflows.toml",
        settings={"run.duration": "8 s", "run.warm_up": "7 s", "traffic.0.over": "8 s"},
        counted=(0.1, 0.2),
        counted_with={"traffic.0.over": "0.1 s"},
    ),
    "xcp-gigabit": Standard(
        what="100 XCP flows between hosts of their own, 1 Gb/s", scenario=xcp_gigabit(), counted=(1.5, 2.0)
    ),
    "dlcc": Standard(what="40 TCP flows and UDP, dual-layer control", scenario="dlcc.toml", counted=(5.0, 15.0)),
    "dlcc-none": Standard(
        what="the same without control", scenario="dlcc.toml", settings=NO_CONTROL, counted=(5.0, 15.0)
    ),
    "slots": Standard(
        what="datagrams over a photonic star of 16 edge nodes, frames of 128 slots",
        scenario=aapn_slots(),
        counted=(0.1, 0.3),
    ),
    "bursts": Standard(what="182 streams of 1 Gb/s over NSFNET in bursts of 50 kB", scenario=streams(bursts=True)),
    "streams": Standard(what="the same packets, each by itself", scenario=streams(bursts=False)),
    "bursts-alone": Standard(what="the same bursts with no packets in them", scenario=bursts_alone()),
    "bursts-alone-16": Standard(
        what="bursts of the same load on 16 wavelengths, twice as many",
        scenario=bursts_alone(wavelengths=16),
        counted=(0.05, 0.1),
    ),
    "tcp-in-bursts": Standard(
        what="300 SACK flows over NSFNET in bursts, 16 wavelengths", scenario=tcp_in_bursts(), counted=(0.1, 0.13)
    ),
    "short-job": Standard(what="2 SACK flows, a run of some 10 ms", scenario=short_job(), counted=(1.0, 4.0)),
    "idle": Standard(what="100 000 flows before they start", scenario=dumbbell(100_000, duration="1 s"), until_s=1e-6),
    "million-flows": Standard(
        what="10^5 links, 10^6 SACK flows",
        scenario="large/million-flows.toml",
        repeats=1,
        needs="some 1.9 GB of memory and some 1 minute",
    ),
}


def counted() -> dict[str, Standard]:
    """The workloads whose instructions are counted."""
    return {name: standard for name, standard in STANDARDS.items() if standard.counted}
