"""Datagrams beside the TCP flows of paper 002: on and off by turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CARRIED_GBPS = 8.6
"""What 1586 TCP flows carry with macroflows, about."""
ON, OFF = "50 ms", "150 ms"
SCENARIO = Path(__file__).parents[2] / "scenarios" / "macroflows.toml"


def datagrams(count: int, *, mean_mbps: float) -> dict[str, Any]:
    """UDP flows between random pairs that begin in the first second; on for a quarter of the time."""
    return {
        "name": "datagrams",
        "transport": "udp",
        "pairs": "random",
        "flows": count,
        "spread": "1 s",
        "load": "on-off",
        "rate": f"{4 * mean_mbps:.6f} Mbps",
        "on": {"law": "exponential", "mean": ON},
        "off": {"law": "exponential", "mean": OFF},
    }
