"""What the figures of paper 001 share in the forced mode: flows that do not meet, and bursts by order of the scenario.

S segments in a row of a flow are one burst, lost as a whole with probability p; a path of 80 ms there and back on
which nothing waits. These are the assumptions of the paper's analysis, not its network: no assembly, no contention
between flows.
"""

from __future__ import annotations

import math
from typing import Any

RTT_S = 0.08
WINDOW_MAX = 1000
MSS = 1000
TOPOLOGY = {
    "kind": "dumbbell",
    "bottleneck_capacity": "100 Gbps",
    "bottleneck_delay": "38 ms",
    "bottleneck_buffer": "unlimited",
    "access_capacity": "100 Gbps",
    "access_delay": "1 ms",
    "access_buffer": "unlimited",
}


def usual_window(segments: int, loss: float) -> float:
    """The window at which a flow that is friendly to TCP loses a burst, by the square root."""
    return min(math.sqrt(1.5 * segments / loss), WINDOW_MAX)


def duration_s(segments: int, loss: float, *, losses: int, flows: int) -> float:
    """How long `flows` flows take for so many losses together; at least 40 s."""
    return max(40.0, losses / flows * segments / loss / usual_window(segments, loss) * RTT_S)


def scenario(segments: int, loss: float, flows: dict[str, int], settings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Flows by name of their transport, each with its settings and its window where it usually is.

    They start over a second, and a fifth of the run is left out of the count.
    """
    losses = 1000 if loss > 1e-3 else 300 if loss > 5e-5 else 100
    counted = duration_s(segments, loss, losses=losses, flows=max(flows.values()))
    threshold = f"{max(2, round(usual_window(segments, loss)))} packets"
    common = {"mss": MSS, "max_window": f"{WINDOW_MAX} packets", "initial_ssthresh": threshold}
    bursts = {"segments": segments, "loss": loss, "notify": True}
    return {
        "run": {"name": "bursts", "duration": f"{1.25 * counted:.3f} s", "warm_up": f"{0.25 * counted:.3f} s"},
        "topology": TOPOLOGY,
        "transport": {name: common | settings.get(name, {}) for name in flows},
        "traffic": [
            {"name": name, "transport": name, "flows": count, "spread": "1 s", "bursts": bursts}
            for name, count in flows.items()
        ],
    }
