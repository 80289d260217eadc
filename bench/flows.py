#!/usr/bin/env python3
"""Flow lists: which greedy flow starts when, and between which hosts.

One list serves all simulators, so that their runs differ in nothing but the simulator. It is written twice:

- ``OUT.txt``, one line ``start_s source destination`` per flow, read by the ns-2 and ns-3 programs. In S1 and S3
  the source and the destination are the index of the host pair; in S2 they are the names of edge nodes, ``e0`` to
  ``e13``.
- ``OUT.csv``, photocol's traffic list: header ``start_s,source,destination``, node names
  (S1: ``l<i>`` and ``r<i>``; S3: ``s<i>`` and ``d<i>``).

Start times have nine decimals, i.e. whole nanoseconds, which every simulator represents alike.
"""

import argparse
import random
from pathlib import Path
from typing import NamedTuple

NSFNET_NODES = 14
NSFNET_FLOWS = 1586
NSFNET_ARRIVAL_WINDOW_S = 40.0
XCP_FLOWS = 100
XCP_GROUPS = 5


class Flow(NamedTuple):
    """A flow between two places, given by their indices, that never ends once started."""

    start_s: float
    source: int
    destination: int


def dumbbell_flows(*, flows: int, pairs: int, seed: int) -> list[Flow]:
    """S1: starts uniform in [0, 1) s; flow k belongs to host pair k modulo ``pairs``."""
    rng = random.Random(seed)
    return sorted(Flow(rng.random(), k % pairs, k % pairs) for k in range(flows))


def nsfnet_flows(*, flows: int, window_s: float, seed: int) -> list[Flow]:
    """S2: a Poisson process over ``window_s`` given its number of arrivals, which makes the arrivals uniform; ordered
    pairs of distinct edge nodes, all equally likely.
    """
    rng = random.Random(seed)
    starts = sorted(rng.uniform(0.0, window_s) for _ in range(flows))
    return [Flow(start, *rng.sample(range(NSFNET_NODES), 2)) for start in starts]


def xcp_flows(*, flows: int, groups: int, seed: int) -> list[Flow]:
    """S3: starts uniform in [0, 1) s; the groups of delays take turns, so that the first flows are one of each."""
    rng = random.Random(seed)
    starts = sorted(rng.random() for _ in range(flows))
    return [Flow(start, k % groups, k % groups) for k, start in enumerate(starts)]


def write(flows: list[Flow], out: Path, *, ends_text: tuple[str, str], ends_csv: tuple[str, str]) -> None:
    """Writes both forms; ``ends_…`` is what stands before the index of the source and of the destination."""

    def lines(ends: tuple[str, str], separator: str) -> list[str]:
        return [
            separator.join((f"{flow.start_s:.9f}", f"{ends[0]}{flow.source}", f"{ends[1]}{flow.destination}"))
            for flow in flows
        ]

    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".txt").write_text("\n".join(lines(ends_text, " ")) + "\n")
    out.with_suffix(".csv").write_text("\n".join(["start_s,source,destination", *lines(ends_csv, ",")]) + "\n")


def write_dumbbell(out: Path, *, flows: int, pairs: int, seed: int) -> None:
    """Writes the list of workload S1."""
    table = dumbbell_flows(flows=flows, pairs=pairs, seed=seed)
    write(table, out, ends_text=("", ""), ends_csv=("l", "r"))


def write_nsfnet(out: Path, *, flows: int = NSFNET_FLOWS, window_s: float = NSFNET_ARRIVAL_WINDOW_S, seed: int) -> None:
    """Writes the list of workload S2."""
    table = nsfnet_flows(flows=flows, window_s=window_s, seed=seed)
    write(table, out, ends_text=("e", "e"), ends_csv=("e", "e"))


def write_xcp(out: Path, *, flows: int = XCP_FLOWS, seed: int) -> None:
    """Writes the list of workload S3."""
    table = xcp_flows(flows=flows, groups=XCP_GROUPS, seed=seed)
    write(table, out, ends_text=("", ""), ends_csv=("s", "d"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the flow list of a workload.")
    parser.add_argument("workload", choices=["s1", "s2", "s3"])
    parser.add_argument("--out", type=Path, required=True, help="file to write, without its suffix")
    parser.add_argument("--flows", type=int, help=f"number of flows (s1 and s3: 100, s2: {NSFNET_FLOWS})")
    parser.add_argument("--pairs", type=int, default=10, help="host pairs of the dumbbell (s1 only; default 10)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.workload == "s1":
        write_dumbbell(options.out, flows=options.flows or 100, pairs=options.pairs, seed=options.seed)
    elif options.workload == "s3":
        write_xcp(options.out, flows=options.flows or XCP_FLOWS, seed=options.seed)
    else:
        write_nsfnet(options.out, flows=options.flows or NSFNET_FLOWS, seed=options.seed)


if __name__ == "__main__":
    main()
