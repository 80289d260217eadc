#!/usr/bin/env python3
"""What many threads would gain, predicted where the machine has fewer processors than that.

    .venv/bin/python bench/scaling.py scenarios/large/million-flows.toml --threads 16 [--set run.duration=0.5s]

Three costs are measured here, and the prediction is their sum:

- what one thread does alone: the beginning of the run, and each look at the work with the dealing of the nodes;
- what all threads do together, their waiting and the mail between them included: with that many threads on the
  processors that there are, the time that they take by the clock, times the processors (a bound: a thread that waits
  while others have no processor counts as one that works);
- how unevenly it lies: the events of the busiest thread over the mean.

What a processor gains or loses by sharing a cache or memory with fifteen others is not in it. The same prediction for
the processors that there are stands beside what is measured with them.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

from photocol import _core
from photocol.runs.scenario import load, parse_setting

FIRST_LOOK = 256
"""The work of the nodes is looked at after this part of the run, and each time that the run has doubled."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run, by the clock."""

    wall_s: float
    alone_s: float
    """Of it: the beginning, and the looks."""
    shares: list[int]
    fingerprint: str

    @property
    def together_s(self) -> float:
        return self.wall_s - self.alone_s

    @property
    def imbalance(self) -> float:
        """The busiest thread over the mean."""
        return max(self.shares) * len(self.shares) / sum(self.shares)


def run(scenario: _core.Scenario, threads: int) -> Run:
    simulation = _core.Simulation(scenario, scenario.seed, 0, probes=False)
    simulation.use_threads(threads)
    end, look = scenario.duration_s, scenario.duration_s / FIRST_LOOK
    wall_s = alone_s = 0.0
    while look < end:
        before, at = advanced(simulation, look * (1 - 1e-9)), advanced(simulation, look * (1 + 1e-9))
        wall_s += before + at
        alone_s += at if alone_s else before + at
        look *= 2
    wall_s += advanced(simulation, end)
    return Run(wall_s=wall_s, alone_s=alone_s, shares=simulation.shares, fingerprint=simulation.finish().fingerprint)


def advanced(simulation: _core.Simulation, until_s: float) -> float:
    started = time.perf_counter()
    simulation.advance(until_s)
    return time.perf_counter() - started


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("scenario", type=Path)
    asked.add_argument("--threads", type=int, default=16)
    asked.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    words = asked.parse_args()
    scenario = load(words.scenario, dict(parse_setting(one) for one in words.set))
    processors = len(os.sched_getaffinity(0))
    alone, here, many = run(scenario, 1), run(scenario, processors), run(scenario, words.threads)
    if len({one.fingerprint for one in (alone, here, many)}) > 1:
        raise RuntimeError("the fingerprint depends on the number of threads")
    print(f"one thread: {alone.wall_s:.2f} s; {processors} processors; fingerprints equal")
    print("| threads | alone | together, all processors | busiest over mean | predicted | gain | measured | gain |")
    print("|---" * 8 + "|")
    for threads, one in ((processors, here), (words.threads, many)):
        work_s = one.together_s * min(threads, processors)
        predicted_s = one.alone_s + work_s / threads * (one.imbalance if threads > processors else 1)
        is_measured = threads <= processors
        measured = f"{one.wall_s:.2f} s | {alone.wall_s / one.wall_s:.2f}" if is_measured else "- | -"
        print(
            f"| {threads} | {one.alone_s:.2f} s | {work_s:.2f} s | {one.imbalance:.2f} "
            f"| {predicted_s:.2f} s | {alone.wall_s / predicted_s:.1f} | {measured} |"
        )


if __name__ == "__main__":
    main()
