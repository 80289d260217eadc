"""One flow whose bursts take turns on two paths: what the simulations of paper 004 (§4, §5.1) share.

Figure 5 without its access network: the sender sits on the ingress node and a window leaves at once, so that it fits
into few bursts.
"""

from __future__ import annotations

from typing import Any

SACK, RR = "SACK", "RR-TCP"
SENDERS: dict[str, dict[str, Any]] = {SACK: {"algorithm": "sack"}, RR: {"algorithm": "rr-tcp", "fa_ratio": 1.0}}
MODELS = {SACK: "sack-lb-obs", RR: "rr-tcp-lb-obs"}
SHADES = {SACK: "#D55E00", RR: "#0072B2"}
SHORT_MS, TIMER_US = 10, 10
FULL_MS = (0, 1, 2, 5, 10, 20, 30, 40, 50)
EDGES = ("A", "F")


def scenario(
    sender: str, delta_ms: float, *, timer_us: int = TIMER_US, length: str = "1 MB", gbps: int = 1
) -> dict[str, Any]:
    """Figure 5 without its access network; bursts of up to 1000 packets of 1 kB, slow start to 512 packets."""
    links = [
        ("A", "B", 2.5),
        ("B", "D", 2.5),
        ("D", "E", 2.5),
        ("E", "F", 2.5),
        ("B", "C", 2.5 + delta_ms),
        ("C", "E", 2.5),
    ]
    paths = [["A", "B", "D", "E", "F"], ["A", "B", "C", "E", "F"]]
    return {
        "run": {"name": "alternating-bursts", "duration": "2000 s"},
        "topology": {"kind": "custom"},
        "node": [{"name": name, "role": "edge" if name in EDGES else "core"} for name in "ABCDEF"],
        "link": [{"from": a, "to": b, "delay": f"{ms} ms"} for a, b, ms in links],
        "link_defaults": {"capacity": f"{gbps} Gbps"},
        "switching": {
            "kind": "obs",
            "wavelengths": 8,
            "processing": "1 us",
            "assembly": {"timer": f"{timer_us} us", "length": length},
            "balancing": {
                "policy": "alternate",
                "traffic": "data",
                "paths": [{"primary": paths[0], "alternate": paths[1]}],
            },
        },
        "transport": {
            "one": {
                **SENDERS[sender],
                "packet_size": "1000 B",
                "header": "0 B",
                "initial_window": 1,
                "initial_ssthresh": "512 packets",
            }
        },
        "traffic": [{"transport": "one", "from": "A", "to": "F", "size": "1 GB"}],
        "probe": {"interval": "100 ms", "flows": "all"},
    }


def modelled(sender: str, delta_ms: float, *, timer_us: int = TIMER_US, **readings: str) -> float:
    """The corrected closed form; at δ = 0, where it is not defined, at 10 µs."""
    from photocol import model

    inputs = {
        "short_delay": f"{SHORT_MS} ms",
        "difference": f"{max(delta_ms, 0.01)} ms",
        "assembly": f"{timer_us} us",
    }
    return float(model(MODELS[sender], **inputs, **readings)["total_s"])
