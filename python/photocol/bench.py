"""Standard scenarios and what they cost: packet-hops, events and bursts per CPU second, memory per flow.

Each scenario runs in a process of its own, several times; the fastest run counts, because on a shared machine the
others measure the neighbours. CPU seconds are those of the engine while it advances: set-up and tables are left out.
Memory per flow is what the process grew by between the reading of the scenario and the end of the run, divided by the
flows. `streams`, `bursts` and `bursts-alone` are one traffic at three levels of detail; a simulated second of it says
what each level costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

REPEATS = 3
_PAGE_BYTES = 4096


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one scenario cost."""

    name: str
    what: str
    flows: int
    simulated_s: float
    packet_hops: int
    events: int
    cpu_s: float
    packet_hops_per_cpu_s: float
    """Where bursts travel, a hop of a burst is one packet-hop, that of its header."""
    events_per_cpu_s: float
    bursts: int
    """Bursts that left their ingress nodes."""
    bursts_per_cpu_s: float
    cpu_s_per_simulated_s: float
    build_cpu_s: float
    """Set-up: drawing the flows, routes, machines."""
    memory_per_flow_bytes: float | None
    """None without flows."""
    flow_state_bytes: int
    """The part of it that the engine keeps in its arenas for every flow, running or idle."""
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class Standard:
    """A standard scenario with a sentence about it."""

    what: str
    scenario: Mapping[str, Any] | str
    """The scenario, or its file in the repository's `scenarios/`."""
    until_s: float | None = None
    """When to stop, if before the end."""
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
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms"},
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
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms"},
        "link_defaults": {"capacity": "10 Gbps" if bursts else "80 Gbps"},
        **({"switching": switching} if bursts else {}),
        "transport": {"cbr": {"algorithm": "udp", "packet_size": 1000}},
        "traffic": [{"transport": "cbr", "pairs": "all", "rate": "1 Gbps", "spread": "10 ms"}],
    }


def bursts_alone() -> dict[str, Any]:
    """The bursts of `streams(bursts=True)`, as many on average and as long, with no packets in them.

    50 kB last 40 us at 10 Gb/s; 1 Gb/s are 0.1 of a wavelength.
    """
    return {
        "run": {"name": "bursts-alone", "duration": "1 s"},
        "topology": {"kind": "nsfnet-edge", "edge_delay": "0.1 ms"},
        "link_defaults": {"capacity": "10 Gbps"},
        "switching": {
            "kind": "obs",
            "wavelengths": 8,
            "burst": [{"pairs": "all", "load": 0.1, "mean": "40 us", "law": "fixed"}],
        },
    }


STANDARDS = {
    "dumbbell-100": Standard(what="100 SACK flows, 1 Gb/s, 100 ms", scenario=dumbbell(100, duration="30 s")),
    "dumbbell-10000": Standard(what="10 000 SACK flows, 1 Gb/s, 100 ms", scenario=dumbbell(10_000, duration="30 s")),
    "nsfnet": Standard(what="1586 Reno flows over NSFNET, the main job", scenario=nsfnet()),
    "bursts": Standard(what="182 streams of 1 Gb/s over NSFNET in bursts of 50 kB", scenario=streams(bursts=True)),
    "streams": Standard(what="the same packets, each by itself", scenario=streams(bursts=False)),
    "bursts-alone": Standard(what="the same bursts with no packets in them", scenario=bursts_alone()),
    "idle": Standard(what="100 000 flows before they start", scenario=dumbbell(100_000, duration="1 s"), until_s=1e-6),
    "million-flows": Standard(
        what="10^5 links, 10^6 SACK flows",
        scenario="large/million-flows.toml",
        repeats=1,
        needs="some 1.6 GB of memory and some 2 minutes",
    ),
}


def names(*, large: bool = False) -> list[str]:
    """The standard scenarios that are measured: those that need much only on request."""
    return [name for name, standard in STANDARDS.items() if large or not standard.needs]


def needs(*, large: bool = False) -> list[str]:
    """What is said beforehand: a sentence for each scenario that needs much."""
    return [f"{name} needs {STANDARDS[name].needs}" for name in names(large=large) if STANDARDS[name].needs]


def report(*, as_json: bool = False, large: bool = False) -> str:
    """Measure the standard scenarios; a table, or JSON with one object a scenario."""
    costs = [measured_apart(name) for name in names(large=large)]
    if as_json:
        return json.dumps([asdict(cost) for cost in costs], indent=1)
    return table(costs)


def table(costs: list[Cost]) -> str:
    """The figures as text."""
    heads = (
        "scenario",
        "packet-hops/s",
        "events/s",
        "bursts/s",
        "CPU s",
        "CPU s/s",
        "set-up s",
        "B/flow",
        "what it is",
    )
    rows = [heads, *(_row(cost) for cost in costs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
    note = (
        f"per CPU second of the engine, the fastest of {REPEATS} runs (one of those on request); "
        "CPU s/s: for a simulated second; B/flow: growth of the process per flow"
    )
    return "\n".join([*lines, note])


def measured_apart(name: str) -> Cost:
    """Measure one standard scenario in a fresh process."""
    command = [sys.executable, "-m", "photocol.bench", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return Cost(**json.loads(done.stdout))


def measured(name: str) -> Cost:
    """Measure one standard scenario in this process."""
    runs = [_once(name) for _ in range(STANDARDS[name].repeats)]
    fastest = min(runs, key=lambda cost: cost.cpu_s)
    return Cost(**{**asdict(fastest), "memory_per_flow_bytes": runs[0].memory_per_flow_bytes})


def _once(name: str) -> Cost:
    from photocol import _core
    from photocol.scenario import load

    standard = STANDARDS[name]
    scenario = load(_source(standard))
    resident = _resident_bytes()
    started = time.process_time()
    simulation = _core.Simulation(scenario, scenario.seed, 0, probes=False)
    built = time.process_time()
    until_s = standard.until_s or scenario.duration_s
    simulation.advance(until_s)
    cpu_s = max(time.process_time() - built, 1e-9)
    flows, grown = simulation.flows, _resident_bytes() - resident
    flow_state_bytes = simulation.bytes_per_flow
    run = simulation.finish()
    bursts = int({name: value for name, value, _ in run.summary}.get("bursts_sent", 0))
    return Cost(
        name=name,
        what=standard.what,
        flows=flows,
        simulated_s=until_s,
        packet_hops=run.packet_hops,
        events=run.events,
        cpu_s=cpu_s,
        packet_hops_per_cpu_s=run.packet_hops / cpu_s,
        events_per_cpu_s=run.events / cpu_s,
        bursts=bursts,
        bursts_per_cpu_s=bursts / cpu_s,
        cpu_s_per_simulated_s=cpu_s / until_s,
        build_cpu_s=built - started,
        memory_per_flow_bytes=grown / flows if flows else None,
        flow_state_bytes=flow_state_bytes,
        fingerprint=run.fingerprint,
    )


def _source(standard: Standard) -> Mapping[str, Any] | Path:
    if not isinstance(standard.scenario, str):
        return standard.scenario
    from photocol.catalogue import experiments_folder

    return experiments_folder().parent / "scenarios" / standard.scenario


def _resident_bytes() -> int:
    """The resident set now; where the system does not tell, the largest so far."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * _PAGE_BYTES
    from photocol.machine import peak_memory_bytes

    return peak_memory_bytes()


def _row(cost: Cost) -> tuple[str, ...]:
    ran = STANDARDS[cost.name].until_s is None
    return (
        cost.name,
        f"{cost.packet_hops_per_cpu_s / 1e6:.1f} M" if ran else "-",
        f"{cost.events_per_cpu_s / 1e6:.1f} M" if ran else "-",
        f"{cost.bursts_per_cpu_s / 1e6:.2f} M" if cost.bursts else "-",
        f"{cost.cpu_s:.2f}",
        f"{cost.cpu_s_per_simulated_s:.2f}" if ran else "-",
        f"{cost.build_cpu_s:.2f}",
        "-" if cost.memory_per_flow_bytes is None else f"{cost.memory_per_flow_bytes:,.0f}",
        cost.what,
    )


def _aligned(row: tuple[str, ...], widths: list[int]) -> list[str]:
    """The first and the last column to the left, numbers to the right."""
    middle = [f"{cell:>{width}}" for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
    return [f"{row[0]:<{widths[0]}}", *middle, row[-1]]


if __name__ == "__main__":
    print(json.dumps(asdict(measured(sys.argv[1]))))  # noqa: T201
