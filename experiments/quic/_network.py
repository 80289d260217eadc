"""Paper 001's optical network, as experiments of this folder use it: NSFNET with an edge node at each core node, four
paths of four fibres of 10 ms, five flows on each, bursts of 1 ms or 50 kB, and losses drawn on the fibres.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

PATHS = (("e0", "e3"), ("e2", "e4"), ("e6", "e8"), ("e9", "e13"))
"""Four paths of two fibres between core nodes that have no fibre in common."""
FLOWS, CORE_HOPS = 5, 3
"""Flows of a path, and its fibres that leave a core node: at the first, the edge node's, bursts are not lost."""
WINDOW_MAX, SEGMENTS = 1000, 9
AGAIN = {"attempts": 3, "extra_delay": "80 ms"}
"""A lost burst is tried up to three times more."""


def usual_window(loss: float, push: float = 1.0) -> int:
    """Segments of a window that halves, by the square root; slow start ends there at first."""
    return max(2, min(WINDOW_MAX, round(push * math.sqrt(1.5 * SEGMENTS / loss))))


def scenario(transport: Mapping[str, Any], loss: float, duration_s: float, *, is_again: bool) -> dict[str, Any]:
    """Twenty flows of one sender; a burst, of data or of ACKs, is lost on its path with probability `loss`.

    Nodes tell of each lost burst those who listen. The first third is left out of the count.
    """
    hosts = [(f"{source}-{number}", source, target) for source, target in PATHS for number in range(FLOWS)]
    access = {"capacity": "100 Mbps", "delay": "10 us", "buffer": "unlimited"}
    return {
        "run": {"duration": f"{duration_s:g} s", "warm_up": f"{duration_s / 3:.3f} s"},
        "topology": {"kind": "nsfnet-edge", "core_delay": "10 ms", "edge_delay": "10 ms"},
        "link_defaults": {"capacity": "10 Gbps", "core": {"loss": 1 - (1 - loss) ** (1 / CORE_HOPS)}},
        "node": [{"name": host, "role": "host"} for host, _, _ in hosts],
        "link": [{"from": host, "to": edge, **access} for host, edge, _ in hosts],
        "switching": {
            "kind": "obs",
            "wavelengths": 8,
            "reservation": "lauc-vf",
            "conversion": "full",
            "processing": "1 us",
            "assembly": {"timer": "1 ms", "length": "50 kB"},
            "notification": {"window": "10 s", "threshold": 1.0},
            **({"retransmission": AGAIN} if is_again else {}),
        },
        "transport": {"sender": {"packet_size": "1 kB", "max_window": f"{WINDOW_MAX} packets", **transport}},
        "traffic": [
            {"name": host, "transport": "sender", "from": host, "to": target, "spread": "1 s"}
            for host, _, target in hosts
        ],
    }
