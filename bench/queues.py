#!/usr/bin/env python3
"""RED, CoDel, FQ-CoDel, PIE, CUBIC and PRR beside ns-2 and ns-3: queue means, drops and fairness on the dumbbell, and
the window of one CUBIC flow.

    .venv/bin/python bench/queues.py [--case red,prr] [--seeds 3]

A figure *agrees* if the mean over the flow lists is within the bound of its line in `BOUNDS`, which are older than
any run. What does not is explained in docs/validation/queues.md.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import compare
import flows
import polars as pl

from photocol import run
from photocol.stats import jain_index

BASE_RTT_S = 0.1
NS3_FLAGS = "-lns3-internet -lns3-traffic-control -lns3-point-to-point -lns3-network -lns3-core"
RED = {"min-th": 30, "max-th": 150, "max-p": 0.1, "weight": 0.002}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A dumbbell with greedy flows."""

    name: str
    algorithm: str = "sack"
    reduction: str = "immediate"
    queue: str = "drop-tail"
    """Its discipline, with ns-3's defaults where the RFC has none."""
    ecn: bool = False
    mark_at: int = 0
    """Packets that wait from which on others are marked (DCTCP's K), if the queue is "step"."""
    options: tuple[tuple[str, Any], ...] = ()
    """More keys of the transport."""
    flows: int = 20
    rate_bps: float = 50e6
    buffer_share: float = 1.0
    """Of the bandwidth-delay product."""
    duration_s: float = 40
    from_s: float = 15
    with_ns2: bool = False
    peer_min_rto_ms: int = 200
    """ns-3's least retransmission timeout."""
    spare: bool = False
    """RED spares packets that find a short queue, as in the peers."""

    @property
    def buffer(self) -> int:
        """Packets."""
        return int(self.buffer_share * self.rate_bps * BASE_RTT_S / compare.PACKET_BITS)

    @property
    def ssthresh(self) -> int:
        """The fair share in packets, where slow start ends at first in all three."""
        return max(2, int(self.rate_bps * BASE_RTT_S / compare.PACKET_BITS) // self.flows)


# What ns-3 3.37's CUBIC has otherwise than RFC 9438.
WHOLE_SEGMENTS = ("cubic_arithmetic", "segments")
NOT_RENO_FRIENDLY = ("reno_friendly", False)
NS3_CUBIC: tuple[tuple[str, Any], ...] = (WHOLE_SEGMENTS, NOT_RENO_FRIENDLY)

PAPERS = ("arithmetic", "paper")
"""ns-3's laws reckon in reals."""

CASES = (
    Case(name="red", queue="red", with_ns2=True),
    Case(name="red-spare", queue="red", spare=True, with_ns2=True),
    Case(name="codel", queue="codel"),
    Case(name="fq-codel", queue="fq-codel"),
    Case(name="pie", queue="pie"),
    Case(name="codel-ecn", queue="codel", ecn=True),
    Case(name="fq-codel-ecn", queue="fq-codel", ecn=True),
    Case(name="pie-ecn", queue="pie", ecn=True),
    Case(name="droptail", buffer_share=0.25, with_ns2=True),
    Case(name="prr", reduction="prr-ssrb", buffer_share=0.25),
    Case(name="cubic", algorithm="cubic", buffer_share=0.25),
    Case(name="cubic-red", algorithm="cubic", queue="red"),
    Case(name="cubic-segments", algorithm="cubic", buffer_share=0.25, options=(WHOLE_SEGMENTS,), peer_min_rto_ms=1000),
    Case(
        name="cubic-not-reno", algorithm="cubic", buffer_share=0.25, options=(NOT_RENO_FRIENDLY,), peer_min_rto_ms=1000
    ),
    Case(name="cubic-as-ns3", algorithm="cubic", buffer_share=0.25, options=NS3_CUBIC, peer_min_rto_ms=1000),
    Case(name="cubic-red-as-ns3", algorithm="cubic", queue="red", options=NS3_CUBIC, peer_min_rto_ms=1000),
    Case(name="bbr", algorithm="bbr", flows=4),
    Case(name="bbr-shallow", algorithm="bbr", buffer_share=0.25, flows=4),
    Case(name="bbr-deep", algorithm="bbr", buffer_share=8.0, flows=4),
    Case(name="bbr-two", algorithm="bbr", buffer_share=8.0, flows=2),
    Case(name="vegas", algorithm="vegas", options=(("vegas_alpha", 2), ("vegas_beta", 4)), flows=4),
    Case(name="westwood+", algorithm="westwood+", options=(("bandwidth_filter", "tustin"),), flows=4),
    Case(name="scalable", algorithm="scalable", options=(("scalable_count", 50),), flows=4),
    Case(name="bic", algorithm="bic", flows=4),
    Case(name="hybla", algorithm="hybla", options=(PAPERS, ("hybla_rtt0", "50 ms")), flows=4),
    *(
        Case(name=name, algorithm=name, options=(PAPERS,), flows=4)
        for name in ("htcp", "illinois", "lp", "veno", "yeah")
    ),
    Case(name="dctcp", algorithm="dctcp", queue="step", mark_at=60, options=(("dctcp_cut", "first-mark"),), flows=4),
    Case(name="bbr-alone", algorithm="bbr", flows=1, rate_bps=20e6, duration_s=60, from_s=15),
    Case(name="cubic-alone", algorithm="cubic", flows=1, rate_bps=20e6, buffer_share=0.5, duration_s=160, from_s=40),
)


NS3_VARIANTS = (
    *("cubic", "bbr", "vegas", "westwood+", "dctcp"),
    *("scalable", "bic", "hybla", "htcp", "illinois", "lp", "veno", "yeah"),
)
"""The laws that ns-3 has under the same names; others are Reno's."""


@dataclass(frozen=True)
class Run:
    """What a simulator says."""

    utilization: float
    drop_rate: float
    mark_rate: float
    mean_queue: float
    acked: list[float]
    window: list[float]
    """Of the first flow, every 0.1 s."""


def absolute(own: float, peer: float) -> float:
    """The difference."""
    return own - peer


def relative(own: float, peer: float) -> float:
    """The difference in parts of the peer's."""
    return own / peer - 1 if peer else (0.0 if own == peer else float("inf"))


def between_cuts(window: Sequence[float]) -> float:
    """Mean seconds between reductions to less than 0.9 of the greatest window since the last one."""
    cuts, top = [], 0.0
    for at, value in enumerate(window):
        top = max(top, value)
        if value < 0.9 * top:
            cuts.append(0.1 * at)
            top = value
    gaps = [later - earlier for earlier, later in itertools.pairwise(cuts) if later - earlier > 1]
    return statistics.fmean(gaps) if gaps else 0.0


# Label, how it is taken, how it differs, and the bound. Written before the first run.
BOUNDS: list[tuple[str, Callable[[Run], float], Callable[[float, float], float], float]] = [
    ("utilization", lambda run: run.utilization, absolute, 0.02),
    ("mean queue (packets)", lambda run: run.mean_queue, relative, 0.15),
    ("drop rate", lambda run: run.drop_rate, relative, 0.30),
    ("Jain's index", lambda run: float(jain_index(run.acked)), absolute, 0.05),
]
# Where packets are marked, few are dropped: what counts is both. Written before the first run with marks.
MARKING: list[tuple[str, Callable[[Run], float], Callable[[float, float], float], float]] = [
    *(line for line in BOUNDS if line[0] != "drop rate"),
    ("mark and drop rate", lambda run: run.mark_rate + run.drop_rate, relative, 0.30),
]
ALONE: list[tuple[str, Callable[[Run], float], Callable[[float, float], float], float]] = [
    ("utilization", lambda run: run.utilization, absolute, 0.02),
    ("mean window (segments)", lambda run: statistics.fmean(run.window), relative, 0.10),
    ("greatest window (segments)", lambda run: max(run.window), relative, 0.05),
    ("time between reductions (s)", lambda run: between_cuts(run.window), relative, 0.20),
]


def discipline(case: Case) -> dict[str, Any]:
    """The queue of the bottleneck."""
    queue: dict[str, Any] = {"kind": case.queue}
    if case.queue == "red":
        queue |= {
            "min_th": f"{RED['min-th']} packets",
            "max_th": f"{RED['max-th']} packets",
            "max_p": RED["max-p"],
            "q_weight": RED["weight"],
            "gentle": True,
            "mean_packet_size": 1500,
        }
    if case.queue == "step":
        queue["threshold"] = f"{case.mark_at} packets"
    if case.spare:
        queue["spare_short_queue"] = True
    if case.queue == "fq-codel":
        queue["zero_credit"] = "waits"
    return queue


def transport(case: Case) -> dict[str, Any]:
    """The hosts of photocol's runs."""
    return {
        "algorithm": case.algorithm,
        "initial_window": 2,
        "initial_ssthresh": f"{case.ssthresh} packets",
        "reduction": case.reduction,
        **({"ecn": True} if case.ecn else {}),
        **dict(case.options),
    }


def photocol_run(case: Case, flow_list: Path) -> Run:
    """One run."""
    link = {"from": "left", "to": "right", "duplex": False, "queue": discipline(case)}
    scenario = {
        "run": {"duration": f"{case.duration_s} s", "warm_up": f"{case.from_s} s"},
        "topology": {
            "kind": "dumbbell",
            "pairs": 10,
            "bottleneck_capacity": f"{case.rate_bps:g} bps",
            "bottleneck_delay": "48 ms",
            "bottleneck_buffer": f"{case.buffer} packets",
            "access_delay": "1 ms",
            "access_buffer": "unlimited",
        },
        "link": [link],
        "transport": {"tcp": transport(case)},
        "traffic": [{"transport": "tcp", "file": str(flow_list.with_suffix(".csv"))}],
        "probe": {"interval": "0.1 s", "flows": [0]},
    }
    result = run(scenario, seed=1)
    bottleneck = result.links.row(by_predicate=pl.col("link") == "left->right", named=True)
    window = result.series.filter((pl.col("quantity") == "cwnd") & (pl.col("t_s") >= case.from_s))["value"] / 1460
    return Run(
        bottleneck["utilization"],
        bottleneck["dropped_units"] / bottleneck["offered_units"],
        bottleneck["marked_units"] / bottleneck["offered_units"],
        bottleneck["mean_queue"],
        (result.flows["bytes_acked"] / (case.duration_s - result.flows["start_s"])).to_list(),
        window.to_list(),
    )


def peer_options(case: Case, flow_list: Path) -> dict[str, Any]:
    """What both peers are told."""
    options = {
        "flows": flow_list.with_suffix(".txt"),
        "rate": f"{case.rate_bps:g}",
        "buffer": case.buffer,
        "duration": f"{case.duration_s:g}",
        "from": f"{case.from_s:g}",
    }
    return options | (RED if case.queue == "red" else {})


def peer_run(case: Case, flow_list: Path, command: Sequence[str], library: Path | None = None) -> Run:
    """A peer's JSON line. What is in the library takes the place of the peer's own functions."""
    environment = {**os.environ, **({"LD_PRELOAD": str(library.resolve())} if library else {})}
    found = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=compare.BENCH / "ns2", env=environment
    )
    report = json.loads(found.stdout)
    starts = [float(line.split()[0]) for line in flow_list.with_suffix(".txt").read_text().splitlines()]
    acked = [acked / (case.duration_s - start) for acked, start in zip(report["acked_segments"], starts, strict=True)]
    window = report.get("window_segments", [])
    marks = report.get("mark_rate", 0.0)
    return Run(report["utilization"], report["drop_rate"], marks, report["mean_queue"], acked, window)


def ns2_run(case: Case, flow_list: Path) -> Run:
    """One run; it takes the same ssthresh by itself."""
    options = peer_options(case, flow_list) | {"variant": "sack", "perflow": "yes", "tick": "1e-4"}
    options["queue"] = "RED" if case.queue == "red" else "DropTail"
    words = [word for name, value in options.items() for word in (f"-{name}", str(value))]
    return peer_run(case, flow_list, ["ns", "dumbbell.tcl", *words])


def ns3_run(case: Case, flow_list: Path, library: Path | None = None) -> Run:
    """One run."""
    options = peer_options(case, flow_list) | {"ssthresh": case.ssthresh}
    options["variant"] = case.algorithm if case.algorithm in NS3_VARIANTS else "linuxreno"
    options["mark-at"] = case.mark_at
    options["min-rto-ms"] = case.peer_min_rto_ms
    options["recovery"] = "classic" if case.reduction == "immediate" else "prr"
    options["queue"] = "droptail" if case.queue == "drop-tail" else case.queue
    options["ecn"] = int(case.ecn)
    program = str(compare.BUILD / "ns3-queues")
    return peer_run(case, flow_list, [program, *(f"--{name}={value}" for name, value in options.items())], library)


def build_ns3() -> bool:
    """Compiles the ns-3 program."""
    source, out = compare.BENCH / "ns3" / "queues.cc", compare.BUILD / "ns3-queues"
    if out.exists() and out.stat().st_mtime > source.stat().st_mtime:
        return True
    compare.BUILD.mkdir(exist_ok=True)
    command = [*compare.COMPILER, str(source), "-o", str(out), *NS3_FLAGS.split()]
    return subprocess.run(command, check=False).returncode == 0


def compared(case: Case, seeds: int, library: Path | None) -> str:
    """One case in Markdown."""
    peers: dict[str, Callable[[Case, Path], Run]] = {"ns-3": partial(ns3_run, library=library)}
    peers |= {"ns-2": ns2_run} if case.with_ns2 else {}
    found: dict[str, list[Run]] = {"photocol": [], **{peer: [] for peer in peers}}
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            flow_list = Path(folder) / "flows"
            flows.write_dumbbell(flow_list, flows=case.flows, pairs=10, seed=seed)
            for name, one in {"photocol": photocol_run, **peers}.items():
                compare.warn(f"{case.name}: {name}, flow list {seed} of {seeds}")
                found[name].append(one(case, flow_list))
    head = ["", *found, *(f"photocol beside {peer}" for peer in peers), "bound"]
    rows = [f"### {case.name}", "", f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines = ALONE if case.flows == 1 else MARKING if case.ecn or case.mark_at else BOUNDS
    for label, figure, difference, bound in lines:
        means = {name: statistics.fmean(figure(one) for one in runs) for name, runs in found.items()}
        cells = [f"{mean:.4g}" for mean in means.values()]
        for peer in peers:
            off = difference(means["photocol"], means[peer])
            said = f"{off:+.3f}" if difference is absolute else f"{off:+.1%}"
            cells.append(f"{said}, {'agrees' if abs(off) <= bound else 'differs'}")
        rows.append(f"| {label} | {' | '.join(cells)} | {bound:g} |")
    return "\n".join(rows)


def main() -> int:
    """Prints the table of each case when it is complete."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(description="Queues and window laws beside ns-2 and ns-3.")
    parser.add_argument("--case", default=",".join(names), help=f"comma-separated: {', '.join(names)}")
    parser.add_argument("--seeds", type=int, default=3, help="flow lists of each case")
    parser.add_argument("--ns3-library", type=Path, help="what ns3/mend.py has built: faults of ns-3's TCP are mended")
    options = parser.parse_args()
    if unknown := {*options.case.split(",")} - {*names}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    if not build_ns3():
        return 1
    for case in CASES:
        if case.name in options.case.split(","):
            print(compared(case, options.seeds, options.ns3_library), end="\n\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
