"""Capacities that a schedule says: granted slots, a circuit's day and a rotor's slices as links with phases, and whole
networks of slots, circuits and rotors, whose queues write no telemetry.

The day is that of PowerTCP's reconfigurable network, as recalled: 225 µs of 100 Gb/s in 24 matchings, nights of 20 µs,
else 25 Gb/s by the packet switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.experiment import Setup

from . import _laws as laws
from ._laws import XCP, XCP_CL, Path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import RunResult

SLOTS, CIRCUIT, STEPS, SLICES = "slots", "circuit", "steps", "slices"
STAR, RACKS, ROTOR = "star", "racks", "rotor"
PHASED = (SLOTS, CIRCUIT, SLICES)
Phase = tuple[float, float]
"""µs and Gb/s."""
FRAMES = 40
PHASES: Mapping[str, Sequence[Phase]] = {
    SLOTS: ((50.0, 10.0), (50.0, 0.0)) * FRAMES + ((80.0, 10.0), (20.0, 0.0)) * FRAMES,
    CIRCUIT: ((225.0, 100.0), (20.0, 0.0), (23 * 245.0, 25.0)),
    STEPS: ((225.0, 100.0), (20.0 + 23 * 245.0, 25.0)),
    SLICES: ((90.0, 10.0), (610.0, 0.0)),
}
PATHS = {SLOTS: Path(10.0, 106.0), CIRCUIT: Path(100.0, 25.0), STEPS: Path(100.0, 25.0), SLICES: Path(10.0, 13.0)}
"""By the greatest capacity; the empty round trip of each."""
DELAYS_US = {SLOTS: 50.0, CIRCUIT: 10.0, STEPS: 10.0, SLICES: 3.0}
SAMPLES_US = {SLOTS: 10.0, CIRCUIT: 5.0, STEPS: 5.0, SLICES: 10.0}
FLOWS, BUFFER = 4, 2000
RUN_MS = {"quick": 24, "full": 96}
RUN = {"duration": f"{RUN_MS['full']} ms", "warm_up": f"{RUN_MS['full'] // 4} ms"}
LINK = "left->right"


def phased(network: str, law: str, ahead_us: float) -> Setup:
    """Four flows over a link with phases."""
    path = PATHS[network]
    phases = [{"duration": f"{us:g} us", "capacity": f"{gbps:g} Gbps"} for us, gbps in PHASES[network]]
    return Setup(
        scenario={
            "run": {"name": network, **RUN},
            "topology": {
                "kind": "dumbbell",
                "pairs": FLOWS,
                "bottleneck_capacity": f"{path.gbps:g} Gbps",
                "bottleneck_delay": f"{DELAYS_US[network]:g} us",
                "bottleneck_buffer": f"{BUFFER} packets",
                "access_capacity": f"{path.gbps:g} Gbps",
                "access_delay": "1 us",
                "access_buffer": "unlimited",
            },
            "link": [{"from": "left", "to": "right", "duplex": False, **laws.port(law, path, ahead_us)}],
            "link_phases": [{"link": LINK, "phases": phases}],
            "transport": {"law": laws.transport(law, path, ahead_us) | {"min_rto": "10 ms"}},
            "traffic": [{"transport": "law", "flows": FLOWS, "spread": "100 us"}],
            "probe": {"interval": f"{SAMPLES_US[network]:g} us", "links": [LINK]},
        }
    )


def capacity_bits(network: str, t_us: Any, least_gbps: float = 0.0) -> Any:
    """What the link could have carried by a time, in phases of more than `least_gbps`."""
    ends = np.cumsum([us for us, _ in PHASES[network]])
    each = [us * (gbps if gbps > least_gbps else 0.0) for us, gbps in PHASES[network]]
    periods, rest = np.divmod(t_us, ends[-1])
    within = np.interp(rest, np.concatenate([[0.0], ends]), np.concatenate([[0.0], np.cumsum(each)]))
    return 1e3 * (periods * sum(each) + within)


def over_phases(result: RunResult, network: str) -> dict[str, float]:
    """The part of the schedule that is used, that of its best phases, and the queue."""
    rows = result.series.filter(pl.col("entity").cast(pl.String) == LINK).sort("t_s")
    names = pl.col("quantity").cast(pl.String)
    carried = rows.filter(names == "carried_bits")
    t_us, bits = 1e6 * carried["t_s"].to_numpy(), carried["value"].to_numpy()
    begins = t_us[-1] / 4
    late = t_us >= begins
    best = max(gbps for _, gbps in PHASES[network])
    in_best = np.diff(capacity_bits(network, t_us, 0.99 * best)) > 0
    some, all_bits = np.diff(bits), np.diff(capacity_bits(network, t_us))
    queue = rows.filter(names == "mean_queue")["value"].to_numpy()
    chosen = in_best & late[1:]
    return {
        "used_percent": 100 * float(some[late[1:]].sum() / all_bits[late[1:]].sum()),
        "best_percent": 100 * float(some[chosen].sum() / all_bits[chosen].sum()),
        "queue_packets": float(queue[late].mean()),
        "queue_p99": float(np.quantile(queue[late], 0.99)),
    }


def whole(network: str, law: str, ahead_us: float) -> Setup:
    """The law in a network of that kind."""
    return {STAR: star, RACKS: racks, ROTOR: rotor}[network](law, ahead_us)


STAR_PATH = Path(10.0, 300.0)
STAR_FRAME_US, STAR_SLOTS = 100, 10
STAR_PLAN = (5, 8)
"""Slots of ten, in turn for 40 frames each."""


def star(law: str, ahead_us: float) -> Setup:
    """Edge nodes that send in granted slots, by a fixed plan that changes every 4 ms."""
    changes = [
        {"at": f"{4 * turn} ms", "from": "e0", "to": "e1", "slots": STAR_PLAN[turn % 2]}
        for turn in range(RUN_MS["full"] // 4)
    ]
    changes[0].pop("at")
    signal = {"signal": {"ahead": f"{ahead_us:g} us"}} if ahead_us else {}
    xcp = laws.port(law, STAR_PATH)
    return Setup(
        scenario={
            "run": {"name": STAR, **RUN},
            "topology": {
                "kind": "aapn-star",
                "edges": 2,
                "capacity": "10 Gbps",
                "delay": "50 us",
                "buffer": f"{BUFFER} packets",
            },
            "switching": {
                "kind": "aapn",
                "slots": STAR_SLOTS,
                "slot_time": f"{STAR_FRAME_US / STAR_SLOTS:g} us",
                "allocation": [changes[0], {"from": "e1", "to": "e0", "slots": STAR_SLOTS}, *changes[1:]],
                **signal,
            },
            **({"link_defaults": {"edge": xcp}} if "xcp" in xcp else {}),
            "transport": {"law": laws.transport(law, STAR_PATH) | {"min_rto": "10 ms"}},
            "traffic": [{"transport": "law", "from": "e0", "to": "e1", "flows": FLOWS, "spread": "100 us"}],
        }
    )


RACKS_RTT_US = 25.0


def racks(law: str, ahead_us: float) -> Setup:
    """A pair of racks whose circuit comes for 180 µs of 80 Gb/s in 4.8 ms (reTCP's network)."""
    path = Path(80.0, RACKS_RTT_US, hops=4)
    own = laws.transport(law, path, ahead_us) | {"min_rto": "10 ms"}
    if own.get("initial_window"):
        own["initial_window"] = 10
    settings: dict[str, Any] = {f"transport.cubic.{key}": value for key, value in own.items()}
    settings |= {"run.name": RACKS} | {f"run.{key}": value for key, value in RUN.items()}
    if law == laws.DCTCP:
        settings["switching.mark_from"] = 10
    if law in (XCP, XCP_CL):
        span = f'"{RACKS_RTT_US:g} us"'
        follows = str(law == XCP_CL).lower()
        settings["link_defaults.xcp"] = f"{{ interval = {span}, queue_interval = {span}, follows = {follows} }}"
        settings |= {"switching.xcp_lead": f"{ahead_us:g} us"} if law == XCP_CL else {}
    return Setup(scenario="racks.toml", settings=settings)


def rotor(law: str, _ahead_us: float) -> Setup:
    """Eight racks and one rotor switch, by the direct circuit: each has its partner for 90 of 700 µs."""
    own = laws.transport(law, PATHS[SLICES])
    settings: dict[str, Any] = {
        "run.name": ROTOR,
        **{f"run.{key}": value for key, value in RUN.items()},
        "topology.racks": 8,
        "topology.switches": 1,
        "topology.hosts": 1,
        "topology.capacity": "10 Gbps",
        "switching.routes": "direct",
        "link_defaults": '{ host = { queue = { kind = "drr" } } }',
        "transport": "{ law = " + inline(own | {"min_rto": "10 ms"}) + " }",
        "traffic": '[{ transport = "law", pairs = "permutation", flows = 8 }]',
    }
    if law == laws.DCTCP:
        settings["switching.mark_from"] = 65
    return Setup(scenario="rotornet.toml", settings=settings)


def inline(table: Mapping[str, Any]) -> str:
    """A table as a text on one line."""
    values = {key: value if isinstance(value, (int, float)) else f'"{value}"' for key, value in table.items()}
    return "{ " + ", ".join(f"{key} = {value}" for key, value in values.items()) + " }"


def over_whole(result: RunResult, network: str) -> dict[str, float]:
    """The same of a whole network, as far as it is told there."""
    if network == RACKS:
        used = 100 * float(result.summary["circuit_utilization"].value)
        return {
            "used_percent": used,
            "best_percent": used,
            "queue_packets": waiting(result, r"^t0->packet$"),
            "queue_p99": 0.0,
        }
    if network == ROTOR:
        payload = 10e9 * 1460 / 1500 * 0.9 / 7
        used = 100 * float(result.summary["goodput"].value) / 8 / payload
        queue = waiting(result, r"^t\d+->r0$") / 8
        return {"used_percent": used, "best_percent": used, "queue_packets": queue, "queue_p99": 0.0}
    link = result.links.filter(pl.col("link").cast(pl.String) == "e0->e1")
    seconds = float(result.summary["measured_time"].value)
    ms = np.arange(round(1e3 * seconds / 3), round(4e3 * seconds / 3))
    granted = 1e7 / STAR_SLOTS * float(np.take(STAR_PLAN, ms // 4 % 2).sum())
    used = 100 * float(link["carried_bits"][0]) / granted
    return {"used_percent": used, "best_percent": used, "queue_packets": float(link["mean_queue"][0]), "queue_p99": 0.0}


def waiting(result: RunResult, pattern: str) -> float:
    """Mean packets at the links of a pattern."""
    return float(result.links.filter(pl.col("link").cast(pl.String).str.contains(pattern))["mean_queue"].sum())
