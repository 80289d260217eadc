#!/usr/bin/env python3
"""Do photocol, ns-2 and ns-3 compute the same? Statistics of the same flow lists, with intervals.

    .venv/bin/python bench/agree.py                     # every case, some twenty minutes
    .venv/bin/python bench/agree.py --case s1 --seeds 3 --json agree.json

A case is a workload, a variant of TCP and a length. Each seed is a flow list that all simulators get, so their results
are paired by seed. A peer *agrees* in a figure if the 95 % interval (Student t) of the paired difference to photocol
contains zero; what does not agree is to be explained in docs/validation/peers.md. That rule is older than any result.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import compare
import flows
import nsfnet
import polars as pl

from photocol.stats import mean_ci, paired_difference_ci

SEGMENT_BITS = 1460 * 8
NS3_SEGMENT_BITS = 1458 * 8
NS2_TICK_S = 1e-4


@dataclass(frozen=True, kw_only=True)
class Case:
    """A workload at one length. ns-3 takes part where it has the variant."""

    name: str
    family: str
    variant: str
    duration_s: float
    from_s: float
    rate_bps: float = 1e9
    with_ns3: bool = False

    @property
    def simulators(self) -> list[str]:
        """Those that have this variant."""
        return ["photocol", "ns-2", "ns-3"] if self.with_ns3 else ["photocol", "ns-2"]

    @property
    def bdp_packets(self) -> int:
        """The dumbbell's bandwidth-delay product, which is its buffer."""
        return int(self.rate_bps * compare.BASE_RTT_S / compare.PACKET_BITS)


CASES = [
    Case(name="s1", family="s1", variant="sack", duration_s=20, from_s=8, with_ns3=True),
    Case(name="s1-100M", family="s1", variant="sack", duration_s=40, from_s=10, rate_bps=1e8, with_ns3=True),
    Case(name="s2-sack", family="s2", variant="sack", duration_s=8, from_s=4, with_ns3=True),
    Case(name="s2-newreno", family="s2", variant="newreno", duration_s=12, from_s=6),
    Case(name="s2-reno", family="s2", variant="reno", duration_s=12, from_s=6),
]
S1_FLOWS = 100


@dataclass(frozen=True)
class Run:
    """One run of one simulator. Goodput and RTT are lists over the flows that had started when measuring began."""

    utilization: float
    drop_rate: float
    goodput_bps: list[float]
    rtt_s: list[float]


# What is compared: label, how it is written, and how it is taken from a run.
FIGURES: list[tuple[str, str, Callable[[Run], float]]] = [
    ("utilization", ".4f", lambda run: run.utilization),
    ("drop rate", ".3e", lambda run: run.drop_rate),
    ("mean RTT (ms)", ".2f", lambda run: 1e3 * statistics.fmean(run.rtt_s)),
    ("goodput per flow (Mb/s): mean", ".3f", lambda run: statistics.fmean(run.goodput_bps) / 1e6),
    (
        "coefficient of variation",
        ".3f",
        lambda run: statistics.pstdev(run.goodput_bps) / statistics.fmean(run.goodput_bps),
    ),
    ("10 % quantile (Mb/s)", ".3f", lambda run: quantile(run.goodput_bps, 10) / 1e6),
    ("median (Mb/s)", ".3f", lambda run: quantile(run.goodput_bps, 50) / 1e6),
    ("90 % quantile (Mb/s)", ".3f", lambda run: quantile(run.goodput_bps, 90) / 1e6),
]


def quantile(values: Sequence[float], percent: int) -> float:
    """Percentile with linear interpolation."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def write_inputs(case: Case, seed: int, folder: Path) -> Path:
    """Writes the flow list and the topology of one seed; returns the list without its suffix."""
    flow_list = folder / f"{case.family}-{seed}"
    if case.family == "s1":
        flows.write_dumbbell(flow_list, flows=S1_FLOWS, pairs=10, seed=seed)
    else:
        flows.write_nsfnet(flow_list, seed=seed)
        nsfnet.write_topology(folder / "nsfnet.topology")
    return flow_list


def photocol_run(case: Case, flow_list: Path) -> Run:
    """One run; figures from the summary, the table of flows and the table of links."""
    out = flow_list.parent / "photocol"
    values = {
        "duration_s": case.duration_s,
        "measured_from_s": case.from_s,
        "flow_list": flow_list.with_suffix(".csv"),
        "rate_bps": case.rate_bps,
        "ssthresh_packets": max(2, case.bdp_packets // S1_FLOWS),
    }
    command = [str(compare.PHOTOCOL), "run", str(compare.BENCH / "scenarios" / f"{case.family}.toml")]
    settings = [*compare.PHOTOCOL_SETTINGS[case.family], f"transport.tcp.algorithm={case.variant}"]
    for setting in settings:
        command += ["--set", setting.format_map(values)]
    summary = compare.measure([*command, "--json", "--quiet", "--out", str(out)]).report
    table = pl.read_parquet(out / "flows.parquet").filter(pl.col("start_s") < case.from_s)
    if case.family == "s1":
        bottleneck = pl.read_parquet(out / "links.parquet").row(
            by_predicate=pl.col("link") == "left->right", named=True
        )
        utilization = bottleneck["utilization"]
        drop_rate = bottleneck["dropped_units"] / bottleneck["offered_units"]
    else:
        utilization = summary["mean_core_utilization"]["value"]
        drop_rate = summary["core_drop_rate"]["value"]
    rtt = table["mean_rtt_s"].drop_nulls().drop_nans().to_list()
    return Run(utilization, drop_rate, table["goodput_bps"].to_list(), rtt)


def ns2_run(case: Case, flow_list: Path) -> Run:
    """One run, with a finer tick than ns-2's, which would make all RTTs multiples of 10 ms."""
    script = {"s1": "dumbbell.tcl", "s2": "nsfnet.tcl"}[case.family]
    options = peer_options(case, flow_list, "-{} {}")
    command = ["ns", str(compare.BENCH / "ns2" / script), "-variant", case.variant, *options]
    report = compare.measure([*command, "-perflow", "yes", "-tick", f"{NS2_TICK_S:g}"]).report
    return peer_run(case, flow_list, report, SEGMENT_BITS)


def ns3_run(case: Case, flow_list: Path) -> Run:
    """One run."""
    program = compare.BUILD / {"s1": "ns3-dumbbell", "s2": "ns3-nsfnet"}[case.family]
    report = compare.measure([str(program), *peer_options(case, flow_list, "--{}={}"), "--perflow=1"]).report
    return peer_run(case, flow_list, report, NS3_SEGMENT_BITS)


def peer_options(case: Case, flow_list: Path, form: str) -> list[str]:
    """Options of the ns-2 and ns-3 programs, which have the same names."""
    options: dict[str, Any] = {
        "flows": flow_list.with_suffix(".txt"),
        "duration": f"{case.duration_s:g}",
        "from": f"{case.from_s:g}",
        "rate": f"{case.rate_bps:g}",
    }
    if case.family == "s2":
        options["topology"] = flow_list.parent / "nsfnet.topology"
    return [word for name, value in options.items() for word in form.format(name, value).split(" ", 1)]


def peer_run(case: Case, flow_list: Path, report: dict[str, Any], segment_bits: int) -> Run:
    """A peer's JSON line; its lists are in the order of the flow list."""
    starts = [float(line.split()[0]) for line in flow_list.with_suffix(".txt").read_text().splitlines()]
    alive = [k for k, start in enumerate(starts) if start < case.from_s]
    goodput = [max(report["acked_segments"][k], 0) * segment_bits / (case.duration_s - starts[k]) for k in alive]
    rtt = [report["mean_rtt_s"][k] for k in alive if report["mean_rtt_s"][k] > 0]
    utilization = report["utilization" if case.family == "s1" else "utilization_core"]
    return Run(utilization, report["drop_rate"], goodput, rtt)


RUNS: dict[str, Callable[[Case, Path], Run]] = {"photocol": photocol_run, "ns-2": ns2_run, "ns-3": ns3_run}


def run_case(case: Case, simulators: list[str], seeds: int) -> dict[str, list[Run]]:
    """Every simulator on every seed's flow list."""
    results: dict[str, list[Run]] = {simulator: [] for simulator in case.simulators if simulator in simulators}
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            flow_list = write_inputs(case, seed, Path(folder))
            for simulator, runs in results.items():
                compare.warn(f"{case.name}: {simulator}, seed {seed} of {seeds}")
                runs.append(RUNS[simulator](case, flow_list))
    return results


def table(case: Case, results: dict[str, list[Run]]) -> str:
    """One case in Markdown: means with intervals, and what the paired differences say."""
    peers = [simulator for simulator in results if simulator != "photocol"]
    seeds = len(results["photocol"])
    rows = [
        f"### {case.name}: {case.variant}, {case.rate_bps / 1e9:g} Gb/s, {case.duration_s:g} s, "
        f"figures from {case.from_s:g} s on, {seeds} flow lists",
        "",
        "| | " + " | ".join(results) + " | " + " | ".join(f"photocol − {peer}" for peer in peers) + " |",
        "|---" * (1 + len(results) + len(peers)) + "|",
    ]
    for label, form, figure in FIGURES:
        values = {simulator: [figure(run) for run in runs] for simulator, runs in results.items()}
        cells = [interval(values[simulator], form) for simulator in results]
        cells += [difference(values["photocol"], values[peer]) for peer in peers]
        rows.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def interval(values: list[float], form: str) -> str:
    """The mean with its interval, if there is one."""
    ci = mean_ci(values)
    return f"{ci.mean:{form}} ± {ci.half_width:{form}}" if ci.n > 1 else f"{ci.mean:{form}}"


def difference(own: list[float], other: list[float]) -> str:
    """The paired difference in percent of the peer's mean, and whether its interval contains zero."""
    ci = paired_difference_ci(own, other)
    scale = statistics.fmean(other) / 100
    if scale == 0:
        return "agrees" if ci.mean == 0 else "differs"
    if ci.n == 1:
        return f"{ci.mean / scale:+.1f} %"
    verdict = "agrees" if ci.low <= 0 <= ci.high else "differs"
    return f"{ci.mean / scale:+.1f} ± {abs(ci.half_width / scale):.1f} %, {verdict}"


def parse() -> argparse.Namespace:
    """Options; ends the process if they ask for what is not there."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(description="Compare what photocol, ns-2 and ns-3 compute.")
    parser.add_argument("--case", default=",".join(names), help=f"comma-separated: {', '.join(names)}")
    parser.add_argument(
        "--simulator", default="photocol,ns-2,ns-3", help="comma-separated; photocol must be among them"
    )
    parser.add_argument("--seeds", type=int, default=3, help="flow lists per case; at least 2 for intervals")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure of every run to FILE")
    parser.add_argument(
        "--ns3-flags", default=compare.NS3_FLAGS, help="flags that compile and link against another ns-3"
    )
    options = parser.parse_args()
    options.case = options.case.split(",")
    options.simulator = options.simulator.split(",")
    if unknown := {*options.case} - {*names} | {*options.simulator} - {*RUNS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join([*names, *RUNS])}")
    if "photocol" not in options.simulator or options.seeds < 1:
        parser.error("photocol is what the others are compared with, on at least one flow list")
    return options


def main() -> int:
    """Runs the cases one after the other and prints each table when it is complete."""
    options = parse()
    compare.BUILD.mkdir(exist_ok=True)
    simulators = compare.present_simulators(options.simulator, options.ns3_flags)
    if "photocol" not in simulators:
        return 1
    record: dict[str, dict[str, dict[str, list[float]]]] = {}
    for case in (case for case in CASES if case.name in options.case):
        results = run_case(case, simulators, options.seeds)
        print(table(case, results), end="\n\n", flush=True)
        record[case.name] = {
            simulator: {label: [figure(run) for run in runs] for label, _, figure in FIGURES}
            for simulator, runs in results.items()
        }
        if options.json:
            options.json.write_text(json.dumps(record, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
