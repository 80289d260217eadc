"""A small network of rotor switches with long flows, which rotor/slices and rotor/fresh share.

Eight racks of a host each at 10 Gb/s, and one rotor switch: a cycle has seven slices. With circuits of 100 Gb/s the
direct one would carry d/7 · 100 Gb/s for a pair, more than a host sends; with 10 Gb/s circuits are the bottleneck.
"""

from __future__ import annotations

from typing import Any

RACKS = 8
MATCHINGS = RACKS - 1
HOST_GBPS, CIRCUIT_GBPS = 10.0, 100.0
DARK = 0.1
"""The part of a slice in which the switch turns."""
PACKET, PAYLOAD = 1500, 1460
PLACES = 1000
"""Packets that wait at a rack for one other rack."""
MOST_PACKETS = 6000
"""A flow's window, in packets: more than is on the way in the longest cycle."""


HOSTS_OWN = '{ host = { queue = { kind = "drr" } } }'
"""A host's ACKs do not wait behind its own data."""


def network(slice_us: float, routes: str, circuit_gbps: float = CIRCUIT_GBPS) -> dict[str, Any]:
    """The racks and their switch, with slices of this length."""
    return {
        "topology.racks": RACKS,
        "topology.switches": 1,
        "topology.hosts": 1,
        "topology.host_capacity": f"{HOST_GBPS} Gbps",
        "topology.host_delay": "500 ns",
        "topology.capacity": f"{circuit_gbps} Gbps",
        "topology.delay": "500 ns",
        "link_defaults": HOSTS_OWN,
        "switching.slice": f"{slice_us} us",
        "switching.reconfiguration": f"{DARK * slice_us:g} us",
        "switching.routes": routes,
        "switching.buffer": f"{PLACES} packets",
    }


def payload_gbps(gbps: float) -> float:
    """What is left of a rate without headers."""
    return gbps * PAYLOAD / PACKET


def waiting_us() -> float:
    """The longest slice whose nights a rack's buffer bridges while a host sends at its link's rate."""
    night_slices = MATCHINGS - 1 + DARK
    return PLACES * 8e-3 * PACKET / HOST_GBPS / night_slices
