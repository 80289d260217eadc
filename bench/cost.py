#!/usr/bin/env python3
"""What a packet-hop costs: instructions, cache misses and mispredicted branches, at prices that all workloads share.

    .venv/bin/python bench/cost.py [--only NAMES] [--repetitions 9] [--json FILE]
    .venv/bin/python bench/cost.py --again FILE [--repetitions 9]

Each workload is a whole process of the engine without Python, on one thread. callgrind counts it, with the caches of an
x86 core of today: 32 KiB of 8 ways, then 1 MiB of 16 ways, both without prefetching. Then the same process is timed,
all workloads in turn. The prices are a fit to the time per packet-hop (least squares of relative errors, none
negative). A workload's last column is what the prices say that were fitted to all others.

Counting takes ten minutes, timing two. `--json` keeps both; `--again` takes the counts of the same build from there
and times once more, where the machine was busy.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from processes import loaded, run_to_end
from scipy.optimize import nnls

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
CACHES = ["--cache-sim=yes", "--branch-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64"]

PRICED = ("instructions", "l1_misses", "l2_misses", "mispredictions")
"""What has a price."""

LENGTHS_S = {
    "s1": 20.0,
    "s2": 6.0,
    "dumbbell-10000": 10.0,
    "macroflows": 1.5,
    "xcp-gigabit": 6.0,
    "dlcc": 30.0,
    "dlcc-none": 30.0,
    "slots": 2.0,
    "bursts-alone-16": 0.8,
    "tcp-in-bursts": 0.6,
    "short-job": 60.0,
}
"""Simulated seconds: so many that a beginning, which costs something else, is a small part of them."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One workload, per packet-hop."""

    name: str
    hops: int
    """Of the whole process."""
    instructions: float
    l1_misses: float
    """Misses of the first cache for data, reads and writes."""
    l2_misses: float
    mispredictions: float
    """Of callgrind's model."""
    measured_ns: float
    """User and system time of the fastest run."""

    @property
    def counts(self) -> list[float]:
        return [getattr(self, name) for name in PRICED]


def prices(costs: list[Cost]) -> np.ndarray:
    """Nanoseconds an instruction, a miss of L1, a miss of L2 and a misprediction."""
    relative = np.array([np.array(cost.counts) / cost.measured_ns for cost in costs])
    found, _ = nnls(relative, np.ones(len(costs)))
    return found


def predicted_ns(cost: Cost, at: np.ndarray) -> float:
    return float(np.array(cost.counts) @ at)


def ratios(costs: list[Cost]) -> list[tuple[float, float]]:
    """Predicted over measured of each: by the prices fitted to all, and by those fitted to the others."""
    of_all = prices(costs)
    others = [prices([other for other in costs if other is not cost]) for cost in costs]
    return [
        (predicted_ns(cost, of_all) / cost.measured_ns, predicted_ns(cost, apart) / cost.measured_ns)
        for cost, apart in zip(costs, others, strict=True)
    ]


def table(costs: list[Cost]) -> str:
    """The prices in a sentence, and a row for each workload."""
    instruction, l1, l2, branch = prices(costs)
    lines = [
        f"{instruction:.3f} ns an instruction, {l1:.1f} ns a miss of L1, {l2:.1f} ns a miss of L2, "
        f"{branch:.1f} ns a misprediction",
        "",
        "| workload | instructions | misses of L1 | of L2 | mispredictions | predicted ns | measured | ratio "
        "| by the others |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for cost, (ratio, apart) in zip(costs, ratios(costs), strict=True):
        counts = f"{cost.instructions:.0f} | {cost.l1_misses:.2f} | {cost.l2_misses:.2f} | {cost.mispredictions:.2f}"
        times = f"{ratio * cost.measured_ns:.4g} | {cost.measured_ns:.4g} | {ratio:.2f} | {apart:.2f}"
        lines.append(f"| {cost.name} | {counts} | {times} |")
    return "\n".join(lines)


def instructions() -> ModuleType:
    """`tools/instructions`, which knows the workloads and how callgrind is asked."""
    return loaded(ROOT / "tools" / "instructions")


def cpu_s(command: list[str]) -> float:
    """User and system time of a process."""
    used = run_to_end(command, stdout=subprocess.DEVNULL)
    return used.ru_utime + used.ru_stime


def chosen(tool: ModuleType, only: set[str], folder: Path) -> dict[str, tuple[Any, float]]:
    """These workloads and their lengths; all if none is named."""
    if unknown := only - set(LENGTHS_S):
        sys.exit(f"--only found {', '.join(sorted(unknown))}; allowed: {', '.join(LENGTHS_S)}")
    known = {workload.name: workload for workload in tool.workloads(folder)}
    return {name: (known[name], length) for name, length in LENGTHS_S.items() if not only or name in only}


def counted(tool: ModuleType, only: set[str]) -> list[Cost]:
    """The counts of these workloads, without a time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = chosen(tool, only, folder)
        return [cost(key, tool.totals(run, folder, length, CACHES)) for key, (run, length) in runs.items()]


def timed(tool: ModuleType, costs: list[Cost], repetitions: int) -> list[Cost]:
    """The same, with the fastest of so many runs of each, in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = chosen(tool, {cost.name for cost in costs}, folder)
        commands = [tool.command(run, folder, length) for run, length in (runs[cost.name] for cost in costs)]
        turns = [[cpu_s(command) for command in commands] for _ in range(repetitions)]
    fastest = map(min, zip(*turns, strict=True))
    return [replace(cost, measured_ns=1e9 * time / cost.hops) for cost, time in zip(costs, fastest, strict=True)]


def cost(name: str, events: dict[str, int]) -> Cost:
    """What callgrind counted of a process, per packet-hop; its time is not known."""
    hops = events["hops"]
    return Cost(
        name=name,
        hops=hops,
        instructions=events["Ir"] / hops,
        l1_misses=(events["D1mr"] + events["D1mw"]) / hops,
        l2_misses=(events["DLmr"] + events["DLmw"]) / hops,
        mispredictions=(events["Bcm"] + events["Bim"]) / hops,
        measured_ns=math.nan,
    )


def parse() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument(
        "--only", default="", metavar="NAMES", help="these workloads alone, separated by commas; five or more"
    )
    asked.add_argument("--repetitions", type=int, default=9)
    asked.add_argument("--json", type=Path, metavar="FILE", help="write what was counted and measured")
    asked.add_argument("--again", type=Path, metavar="FILE", help="take the counts from what `--json` wrote")
    return asked.parse_args()


def main() -> int:
    words = parse()
    only = {name for name in words.only.split(",") if name}
    if 0 < len(only) <= len(PRICED) or words.repetitions < 1:
        sys.exit(f"--only takes more workloads than there are prices, {len(PRICED)}; --repetitions is at least 1")
    tool = instructions()
    if why := tool.unable():
        sys.exit(why)
    tool.build()
    costs = [Cost(**row) for row in json.loads(words.again.read_text())] if words.again else counted(tool, only)
    costs = timed(tool, costs, words.repetitions)
    if words.json:
        words.json.write_text(json.dumps([asdict(cost) for cost in costs], indent=1) + "\n")
    print(table(costs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
