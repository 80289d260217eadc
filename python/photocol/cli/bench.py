"""Standard scenarios and what they cost: packet-hops, events and bursts per CPU second, memory per flow.

Each scenario runs in a process of its own, several times; the fastest run counts, because on a shared machine the
others measure the neighbours. CPU seconds are those of the engine while it advances: set-up and tables are left out.
Memory per flow is what the process grew by between the reading of the scenario and the end of the run, divided by the
flows. `streams`, `bursts` and `bursts-alone` are one traffic at three levels of detail; a simulated second of it says
what each level costs.

With several threads the same scenarios are run on one thread and on several in turn, and what counts is the clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol import children

from .workloads import REPEATS, STANDARDS, Standard

if TYPE_CHECKING:
    from collections.abc import Mapping

_PAGE_BYTES = 4096

THREADED_REPEATS = 8
"""Short turns, because neighbours disturb two processors more often than one."""


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
class Gain:
    """What several threads gain on one scenario."""

    name: str
    threads: int
    worked: int
    """The threads that had work."""
    wall_s_alone: float
    """The engine on one thread, the fastest run."""
    wall_s: float
    """The engine on several, the fastest run."""
    gain: float
    fingerprint: str
    """The same on one thread and on several, or there is an error."""


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


def threads_report(threads: int, *, as_json: bool = False, large: bool = False) -> str:
    """Measure what `threads` threads gain on the standard scenarios; a table, or JSON with one object a scenario."""
    timed = [name for name in names(large=large) if STANDARDS[name].until_s is None]
    gains = [_gain(name, threads) for name in timed]
    if as_json:
        return json.dumps([asdict(gain) for gain in gains], indent=1)
    heads = ("scenario", "s on 1", f"s on {threads}", "gain", "worked", "what it is")
    rows = [
        (gain.name, f"{gain.wall_s_alone:.2f}", f"{gain.wall_s:.2f}", f"{gain.gain:.2f}", str(gain.worked), what)
        for gain, what in ((gain, STANDARDS[gain.name].what) for gain in gains)
    ]
    note = (
        f"seconds of the engine by the clock, the fastest of {THREADED_REPEATS} runs in turn (one of those on "
        "request); worked: threads that had work; fingerprints are equal"
    )
    return "\n".join([*_columns([heads, *rows]), note])


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
    note = (
        f"per CPU second of the engine, the fastest of {REPEATS} runs (one of those on request); "
        "CPU s/s: for a simulated second; B/flow: growth of the process per flow"
    )
    return "\n".join([*_columns(rows), note])


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(_aligned(row, widths)).rstrip() for row in rows]


def measured_apart(name: str) -> Cost:
    """Measure one standard scenario in a fresh process."""
    return Cost(**json.loads(_apart(name)))


def _gain(name: str, threads: int) -> Gain:
    repeats = min(STANDARDS[name].repeats, THREADED_REPEATS) if STANDARDS[name].needs else THREADED_REPEATS
    turns = [(_threaded_apart(name, 1), _threaded_apart(name, threads)) for _ in range(repeats)]
    alone, together = (min((turn[side] for turn in turns), key=lambda run: run[0]) for side in (0, 1))
    if len({run[2] for turn in turns for run in turn}) > 1:
        raise RuntimeError(f"{name}: the fingerprint depends on the number of threads")
    return Gain(
        name=name,
        threads=threads,
        worked=together[1],
        wall_s_alone=alone[0],
        wall_s=together[0],
        gain=alone[0] / together[0],
        fingerprint=together[2],
    )


def _threaded_apart(name: str, threads: int) -> tuple[float, int, str]:
    wall_s, worked, fingerprint = json.loads(_apart(name, str(threads)))
    return wall_s, worked, fingerprint


def _apart(*words: str) -> str:
    """What this module prints in a process of its own."""
    command = children.command("photocol.cli.bench", *words)
    done = subprocess.run(command, stdout=subprocess.PIPE, env=children.environment(), check=True, text=True)
    return done.stdout


def threaded(name: str, threads: int) -> tuple[float, int, str]:
    """One run in this process: seconds of the engine by the clock, the threads that had work, the fingerprint."""
    from photocol import _core
    from photocol.runs.scenario import load

    standard = STANDARDS[name]
    scenario = load(_source(standard), standard.settings)
    simulation = _core.Simulation(scenario, scenario.seed, 0, probes=False)
    simulation.use_threads(threads)
    started = time.perf_counter()
    simulation.advance(scenario.duration_s)
    wall_s = max(time.perf_counter() - started, 1e-9)
    worked, _ = simulation.parallelism
    return wall_s, worked, simulation.finish().fingerprint


def measured(name: str) -> Cost:
    """Measure one standard scenario in this process."""
    runs = [_once(name) for _ in range(STANDARDS[name].repeats)]
    fastest = min(runs, key=lambda cost: cost.cpu_s)
    return Cost(**{**asdict(fastest), "memory_per_flow_bytes": runs[0].memory_per_flow_bytes})


def _once(name: str) -> Cost:
    from photocol import _core
    from photocol.runs.scenario import load

    standard = STANDARDS[name]
    scenario = load(_source(standard), standard.settings)
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
    from photocol.experiments.catalogue import experiments_folder

    return experiments_folder().parent / "scenarios" / standard.scenario


def _resident_bytes() -> int:
    """The resident set now; where the system does not tell, the largest so far."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * _PAGE_BYTES
    from photocol.runs.machine import peak_memory_bytes

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
    asked, *how_many = sys.argv[1:]
    found = threaded(asked, int(how_many[0])) if how_many else asdict(measured(asked))
    print(json.dumps(found))  # noqa: T201
