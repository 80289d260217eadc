"""The hybrid rack network of Mukerjee et al. (NSDI 2020), whose numbers come from the testbed Etalon: what all
experiments of this folder share.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, at_least, near, steps
from photocol.experiment import Metric, Setup, Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Outcome, RunResult

PAPER = "Mukerjee et al., Adapting TCP for reconfigurable datacenter networks, NSDI 2020"
WEEK_MS = 4.8
SEEDS = 5
FULL_WEEKS, QUICK_WEEKS = (100, 600), (20, 60)
"""Weeks before the measurement, and those that are measured."""
POINTS, RATIO = 5.0, 0.1
"""A claim agrees within so many points of utilization, or this part of a latency."""
METRICS = (
    Metric(name="utilization_percent", label="utilization of the circuit (%)", form=".2f"),
    Metric(name="p50_us", label="median latency (µs)", form=".1f"),
    Metric(name="p99_us", label="99 % latency (µs)", form=".1f"),
    Metric(name="circuit_p50_us", label="median latency by circuit (µs)", form=".1f"),
    Metric(name="packet_p50_us", label="median latency by packet switch (µs)", form=".1f"),
    Metric(name="goodput_gbps", label="goodput of the pair (Gb/s)", form=".2f"),
)


def source(figures: str, section: str) -> Source:
    """Where the numbers stand."""
    return Source(paper=PAPER, figures=figures, section=section)


def weeks(before: int, measured: int, slower: int = 1) -> dict[str, Any]:
    """A run of so many weeks, which may be slowed ones."""
    week_ms = WEEK_MS * slower
    return {"run.warm_up": f"{before * week_ms:g} ms", "run.duration": f"{(before + measured) * week_ms:g} ms"}


LINUX: Mapping[str, Any] = {"recovery": "linux", "timestamps": True}
"""Hosts as the testbed's."""
SLOWER = 20
"""The testbed's network runs so many times slower than the one it stands for (TDF of its `etc/python_config.py`), under
kernels whose own times stay as they are."""
KERNEL: Mapping[str, Any] = {
    **LINUX,
    "timer_restart": "linux",
    "undo": "both",
    "handshake": True,
    "initial_window": 10,
    "min_rto": "200 ms",
    "max_rto": "120 s",
    "clock_granularity": "200 ms",
    "delayed_ack": "40 ms",
    "quick_acks": 16,
}
"""Linux's own times and rules, as of the ready-made hosts `linux-*`."""


def network(buffer: int, hosts: Mapping[str, Any], **switching: Any) -> Setup:
    """The ready-made pair of racks with K packets at its queue."""
    settings: dict[str, Any] = {"switching.buffer": f"{buffer} packets"}
    settings |= {f"switching.{key}": value for key, value in switching.items()}
    settings |= {f"transport.cubic.{key}": value for key, value in hosts.items()}
    return Setup(scenario="racks.toml", settings=settings)


def slowed(buffer: int, hosts: Mapping[str, Any], **switching: Any) -> Setup:
    """The same pair of racks as the testbed runs it: rates and times of the network are those of slowed time."""
    setup = network(buffer, hosts, **switching)
    settings: dict[str, Any] = {
        "topology.host_capacity": f"{40 / SLOWER:g} Gbps",
        "topology.packet_capacity": f"{10 / SLOWER:g} Gbps",
        "topology.circuit_capacity": f"{80 / SLOWER:g} Gbps",
        "topology.packet_delay": f"{5 * SLOWER} us",
        "topology.circuit_delay": f"{30 * SLOWER} us",
        "topology.host_delay": f"{SLOWER} us",
        "switching.day": f"{180 * SLOWER} us",
        "switching.night": f"{20 * SLOWER} us",
        "traffic.0.spread": f"{WEEK_MS * SLOWER} ms",
    }
    return Setup(scenario=setup.scenario, settings={**setup.settings, **settings})


def told(way: str, begins: str, **more: str) -> dict[str, Any]:
    """The pair's senders hear of their circuit."""
    keys = {"circuit": "t0->t1", "way": way, "begins": begins, **more}
    return {"news": "[{ " + ", ".join(f'{key} = "{value}"' for key, value in keys.items()) + " }]"}


def measure(result: RunResult) -> dict[str, float]:
    """Utilization and latencies of one run."""
    found = {name: figure.value for name, figure in result.summary.items()}
    return {
        "utilization_percent": 100 * found["circuit_utilization"],
        "p50_us": 1e6 * found["latency_p50"],
        "p99_us": 1e6 * found["latency_p99"],
        "circuit_p50_us": 1e6 * found["circuit_latency_p50"],
        "packet_p50_us": 1e6 * found["packet_latency_p50"],
        "goodput_gbps": found["goodput"] / 1e9,
    }


def column(outcome: Outcome, axis: str, metric: str, **where: Any) -> dict[int, float]:
    """A metric against an axis, ascending."""
    rows = outcome.table.filter(*(pl.col(key) == value for key, value in where.items())).sort(axis)
    return dict(zip(rows[axis].to_list(), rows[metric].to_list(), strict=True))


def tolerance(metric: str) -> str:
    """How far from a published number a claim agrees."""
    return f"{POINTS:g} points" if metric == "utilization_percent" else f"{100 * RATIO:g} %"


def against(metric: str, found: Values, published: Mapping[int, float]) -> Predicate:
    """A metric along an axis against what is published; in shape where none is below the one before, but for a point
    where it is full.
    """
    points, part = (POINTS, 0.0) if metric == "utilization_percent" else (0.0, RATIO)
    return near(found, published, lambda place: points + part * published[place], at_least(steps(found), -1))


def rises(found: Sequence[float]) -> bool:
    """Whether none is below the one before, but for a point where it is full."""
    return all(b >= a - 1 for a, b in itertools.pairwise(found))


def listed(values: Sequence[float], form: str = ".1f") -> str:
    """Numbers in a row."""
    return ", ".join(f"{value:{form}}" for value in values)
