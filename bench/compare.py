#!/usr/bin/env python3
"""photocol, ns-2, htsim and ns-3 on the same workloads: CPU seconds, packet-hops and memory of whole processes, and
photocol on two threads by the clock.

The simulators take turns (A B C A B C …), because a shared machine drifts from one minute to the next; the medians of
the turns are reported, or the fastest. A simulator that is not installed is skipped, loudly. README.md says what the
workloads are and how each simulator counts.
"""

import argparse
import dataclasses
import datetime
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import flows
import nsfnet
from processes import run_to_end

BENCH = Path(__file__).resolve().parent
BUILD = BENCH / "build"
PHOTOCOL = BENCH.parent / ".venv" / "bin" / "photocol"
PACKET_BITS = 12_000
BASE_RTT_S = 0.1

COMPILER = ["g++", "-std=c++17", "-O3", "-DNDEBUG"]
NS3_FLAGS = "-lns3-internet -lns3-point-to-point -lns3-network -lns3-core"

# What a workload changes in photocol's scenario, as `--set path=value`; `photocol_command` fills in the braces.
PHOTOCOL_SETTINGS = {
    "s1": [
        "run.duration={duration_s:g} s",
        "run.warm_up={measured_from_s:g} s",
        "traffic.0.file={flow_list}",
        "topology.bottleneck_capacity={rate_bps:g} bps",
        "transport.tcp.initial_ssthresh={ssthresh_packets} packets",
    ],
    "s2": [
        "run.duration={duration_s:g} s",
        "run.warm_up={measured_from_s:g} s",
        "traffic.0.file={flow_list}",
    ],
    "s3": [
        "run.duration={duration_s:g} s",
        "run.warm_up={measured_from_s:g} s",
        "traffic.0.file={flow_list}",
        "link_defaults.capacity={rate_bps:g} bps",
        "link_defaults.buffer={room_packets} packets",
        "event.0.capacity={short_bps:g} bps",
        "event.6.capacity={rate_bps:g} bps",
    ],
}

# The scripts of ns-2 and the variant of TCP, as in photocol's scenarios; the XCP of ns-2 has only Reno.
NS2_SCRIPTS = {
    "s1": ["dumbbell.tcl", "-variant", "sack"],
    "s2": ["nsfnet.tcl", "-variant", "reno"],
    "s3": ["xcp.tcl"],
}
# The programs of htsim, which run NewReno, and of ns-3, which run NewReno with SACK. Neither has XCP.
PROGRAMS = {"s1": "dumbbell", "s2": "nsfnet"}
# What the former need of htsim's sources.
HTSIM_SOURCES = (
    "config", "eth_pause_packet", "eventlist", "fairpullqueue", "logfile", "loggers", "mtcp", "ndppacket", "network",
    "pipe", "queue", "route", "tcp", "tcppacket",
)  # fmt: skip

THREADS = 2
ON_THREADS = f"photocol-{THREADS}-threads"


@dataclass(frozen=True, kw_only=True)
class Spans:
    """Simulated seconds per simulator; None takes no part. ns-3 gets little: it needs minutes for what others do in
    seconds.
    """

    photocol: float
    ns2: float
    htsim: float | None = None
    ns3: float | None = None

    def of(self, simulator: str) -> float | None:
        """The seconds of one of `TURNS`."""
        peers = {"ns-2": self.ns2, "htsim": self.htsim, "ns-3": self.ns3}
        return {"photocol": self.photocol, ON_THREADS: self.photocol, **peers}[simulator]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """One table of the comparison. The slope between the full and the short run is free of set-up."""

    name: str
    family: str
    flows: int
    full: Spans
    short: Spans
    rate_bps: float = 1e9
    short_bps: float = 0
    """S3: what the edge node has in the middle third."""

    @property
    def flow_list(self) -> Path:
        return BUILD / f"{self.family}-{self.flows}"

    @property
    def bdp_packets(self) -> int:
        return int(self.rate_bps * BASE_RTT_S / PACKET_BITS)

    def measured_from_s(self, duration_s: float) -> float:
        """Where utilisation and drops begin to be counted: after the start-up in S1 and S3, in the last 5 s of S2."""
        if self.family != "s2":
            return 20.0 if duration_s > 30 else duration_s / 3
        return duration_s - min(5.0, duration_s / 4)


WORKLOADS = [
    Workload(
        name="s1-10", family="s1", flows=10,
        full=Spans(photocol=60, ns2=60, htsim=60, ns3=4), short=Spans(photocol=10, ns2=10, htsim=10, ns3=2),
    ),
    Workload(
        name="s1-100", family="s1", flows=100,
        full=Spans(photocol=60, ns2=60, htsim=60, ns3=4), short=Spans(photocol=10, ns2=10, htsim=10, ns3=2),
    ),
    Workload(
        name="s1-1000", family="s1", flows=1000,
        full=Spans(photocol=60, ns2=30, htsim=60, ns3=4), short=Spans(photocol=10, ns2=5, htsim=10, ns3=2),
    ),
    Workload(
        name="s1-10000", family="s1", flows=10_000,
        full=Spans(photocol=120, ns2=120, htsim=120, ns3=1.8), short=Spans(photocol=20, ns2=20, htsim=20, ns3=1.2),
    ),
    Workload(
        name="s1-100-10g", family="s1", flows=100, rate_bps=1e10,
        full=Spans(photocol=20, ns2=10, htsim=20, ns3=1.5), short=Spans(photocol=5, ns2=3, htsim=5, ns3=1),
    ),
    Workload(
        name="s2", family="s2", flows=flows.NSFNET_FLOWS,
        full=Spans(photocol=40, ns2=40, htsim=40, ns3=6), short=Spans(photocol=12, ns2=12, htsim=12, ns3=3),
    ),
    Workload(
        name="s3", family="s3", flows=flows.XCP_FLOWS, rate_bps=45e6, short_bps=40e6,
        full=Spans(photocol=600, ns2=600), short=Spans(photocol=250, ns2=250),
    ),
    Workload(
        name="s3-1g", family="s3", flows=flows.XCP_FLOWS, rate_bps=1e9, short_bps=980e6,
        full=Spans(photocol=600, ns2=600), short=Spans(photocol=100, ns2=100),
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Turn:
    """One whole process."""

    cpu_s: float
    wall_s: float
    peak_memory_bytes: int
    report: dict[str, Any]

    @property
    def packet_hops(self) -> float:
        return float(self.report["packet_hops"])


@dataclass
class Outcome:
    """All turns of one simulator at one workload, and those of the short run unless that is the only one."""

    simulator: str
    duration_s: float
    turns: list[Turn] = field(default_factory=list)
    short_turns: list[Turn] = field(default_factory=list)
    of_turns: Callable[[Iterable[float]], float] = statistics.median
    """What is said of the times of several turns."""

    @property
    def cpu_s(self) -> float:
        return self.of_turns(turn.cpu_s for turn in self.turns)

    @property
    def wall_s(self) -> float:
        return self.of_turns(turn.wall_s for turn in self.turns)

    @property
    def engine_wall_s(self) -> float | None:
        """photocol's own figure: the engine alone."""
        seconds = [turn.report["engine_wall_s"] for turn in self.turns if turn.report.get("engine_wall_s")]
        return self.of_turns(seconds) if seconds else None

    @property
    def peak_memory_bytes(self) -> float:
        return statistics.median(turn.peak_memory_bytes for turn in self.turns)

    @property
    def packet_hops(self) -> float:
        return self.turns[0].packet_hops

    @property
    def hops_per_cpu_s(self) -> float:
        return self.packet_hops / self.cpu_s

    @property
    def hops_per_cpu_s_net(self) -> float | None:
        """Net of set-up: the slope between the two durations, or None without a second one."""
        if not self.short_turns:
            return None
        cpu_s = self.cpu_s - self.of_turns(turn.cpu_s for turn in self.short_turns)
        return (self.packet_hops - self.short_turns[0].packet_hops) / cpu_s if cpu_s > 0 else None

    @property
    def engine_hops_per_cpu_s(self) -> float | None:
        """photocol's own figure: the engine alone, without Python's start, parsing and writing."""
        seconds = [turn.report["engine_cpu_s"] for turn in self.turns if turn.report.get("engine_cpu_s")]
        return self.packet_hops / self.of_turns(seconds) if seconds else None


def warn(message: str) -> None:
    print(f"compare: {message}", file=sys.stderr, flush=True)


def measure(command: Sequence[str]) -> Turn:
    """Runs a command to its end; its last line of output, or all of it, is JSON.

    ru_maxrss can not be lower than what this process had in memory when it started the child, about 15 MiB.
    """
    with tempfile.TemporaryFile("w+") as stdout:
        started_s = time.monotonic()
        usage = run_to_end(command, stdout=stdout)
        wall_s = time.monotonic() - started_s
        stdout.seek(0)
        text = stdout.read()
    try:
        report = json.loads(text)
    except json.JSONDecodeError:
        report = json.loads(text.strip().splitlines()[-1])
    return Turn(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss * 1024, report)


def photocol_command(workload: Workload, duration_s: float, threads: int) -> list[str]:
    values = {
        "duration_s": duration_s,
        "measured_from_s": workload.measured_from_s(duration_s),
        "flow_list": workload.flow_list.with_suffix(".csv"),
        "rate_bps": workload.rate_bps,
        "short_bps": workload.short_bps,
        "room_packets": int(workload.rate_bps * 3300 / 45e6),
        "ssthresh_packets": max(2, workload.bdp_packets // workload.flows),
    }
    settings = [setting.format_map(values) for setting in PHOTOCOL_SETTINGS[workload.family]]
    command = [str(PHOTOCOL), "run", str(BENCH / "scenarios" / f"{workload.family}.toml")]
    for setting in settings:
        command += ["--set", setting]
    command += ["--threads", str(threads)]
    return [*command, "--json", "--quiet"]


def photocol_turn(workload: Workload, duration_s: float, threads: int = 1) -> Turn:
    """A turn that prints its summary, as the peers do, and a second one, not measured from outside, whose manifest
    has the engine's own times.
    """
    command = photocol_command(workload, duration_s, threads)
    turn = measure(command)
    out = BUILD / "photocol"
    shutil.rmtree(out, ignore_errors=True)
    measure([*command, "--out", str(out)])
    manifest = json.loads((out / "manifest.json").read_text())
    own = {
        "packet_hops": manifest["packet_hops"],
        "engine_cpu_s": manifest["cpu_s"],
        "engine_wall_s": manifest["wall_s"],
        "summary": turn.report,
    }
    return dataclasses.replace(turn, report=own)


def threads_turn(workload: Workload, duration_s: float) -> Turn:
    return photocol_turn(workload, duration_s, THREADS)


def ns2_turn(workload: Workload, duration_s: float) -> Turn:
    script, *variant = NS2_SCRIPTS[workload.family]
    options = peer_options(workload, duration_s, "-{} {}")
    return measure(["ns", str(BENCH / "ns2" / script), *variant, *options])


def htsim_turn(workload: Workload, duration_s: float) -> Turn:
    return program_turn("htsim", workload, duration_s)


def ns3_turn(workload: Workload, duration_s: float) -> Turn:
    return program_turn("ns3", workload, duration_s)


def program_turn(peer: str, workload: Workload, duration_s: float) -> Turn:
    """A turn of a program that was built for a peer."""
    program = BUILD / f"{peer}-{PROGRAMS[workload.family]}"
    return measure([str(program), *peer_options(workload, duration_s, "--{}={}")])


def peer_options(workload: Workload, duration_s: float, form: str) -> list[str]:
    """Options of the peers' programs, which have the same names."""
    options = {
        "flows": workload.flow_list.with_suffix(".txt"),
        "duration": f"{duration_s:g}",
        "from": f"{workload.measured_from_s(duration_s):g}",
        "rate": f"{workload.rate_bps:g}",
    }
    if workload.family == "s2":
        options["topology"] = BUILD / "nsfnet.topology"
    if workload.family == "s3":
        options["short"] = f"{workload.short_bps:g}"
    return [word for name, value in options.items() for word in form.format(name, value).split(" ", 1)]


TURNS: dict[str, Callable[[Workload, float], Turn]] = {
    "photocol": photocol_turn,
    ON_THREADS: threads_turn,
    "ns-2": ns2_turn,
    "htsim": htsim_turn,
    "ns-3": ns3_turn,
}


def build(flags: Sequence[str], folder: Path = BUILD) -> bool:
    """Runs the compiler in a folder; False, and the first lines that it says, if it fails."""
    compiled = subprocess.run([*COMPILER, *flags], cwd=folder, capture_output=True, text=True)
    if compiled.returncode != 0:
        warn("\n".join([f"g++: exit status {compiled.returncode}", *compiled.stderr.splitlines()[:3]]))
    return compiled.returncode == 0


def build_htsim(folder: Path | None) -> bool:
    """Builds what is needed of htsim's sources, then the two programs; False if it cannot be done."""
    if not shutil.which("g++") or folder is None or not (folder / "tcp.cpp").exists():
        return False
    sources = [str(folder.resolve() / f"{name}.cpp") for name in HTSIM_SOURCES]
    objects = [f"htsim/{name}.o" for name in HTSIM_SOURCES]
    (BUILD / "htsim").mkdir(exist_ok=True)
    headers = ["-iquote", str(folder.resolve())]
    return build([*headers, "-c", *sources], BUILD / "htsim") and all(
        build([*headers, str(BENCH / "htsim" / f"{program}.cpp"), *objects, "-o", f"htsim-{program}"])
        for program in PROGRAMS.values()
    )


def build_ns3(flags: str) -> bool:
    """Builds the two ns-3 programs; False if it cannot be done."""
    return shutil.which("g++") is not None and all(
        build([str(BENCH / "ns3" / f"{program}.cc"), "-o", f"ns3-{program}", *shlex.split(flags)])
        for program in PROGRAMS.values()
    )


def present_simulators(wanted: list[str], ns3_flags: str, htsim: Path | None = None) -> list[str]:
    """Those of the wanted simulators that can run here; says loudly which cannot."""
    tests = {
        "photocol": PHOTOCOL.exists,
        ON_THREADS: PHOTOCOL.exists,
        "ns-2": lambda: shutil.which("ns") is not None,
        "htsim": lambda: build_htsim(htsim),
        "ns-3": lambda: build_ns3(ns3_flags),
    }
    cures = {
        "photocol": "needs .venv/bin/photocol (make setup)",
        ON_THREADS: "needs .venv/bin/photocol (make setup)",
        "ns-2": "needs the command `ns` (Debian package ns2)",
        "htsim": "needs g++ and the folder `sim` of a checkout of csg-htsim, in --htsim or the variable HTSIM",
        "ns-3": "needs g++ and ns-3's libraries (Debian package libns3-dev)",
    }
    present = []
    for simulator in wanted:
        if tests[simulator]():
            present.append(simulator)
        else:
            warn(f"*** SKIPPING {simulator}: {cures[simulator]} ***")
    return present


def write_inputs(workloads: list[Workload]) -> None:
    """Writes flow lists and the topology into the build folder."""
    nsfnet.write_topology(BUILD / "nsfnet.topology")
    for workload in workloads:
        if workload.family == "s1":
            flows.write_dumbbell(workload.flow_list, flows=workload.flows, pairs=10, seed=1)
        elif workload.family == "s2":
            flows.write_nsfnet(workload.flow_list, flows=workload.flows, seed=1)
        else:
            flows.write_xcp(workload.flow_list, flows=workload.flows, seed=1)


def take_turns(
    workload: Workload,
    simulators: list[str],
    of_turns: Callable[[Iterable[float]], float],
    *,
    quick: bool,
    repetitions: int,
) -> list[Outcome]:
    """All simulators that take part in turn, as often as asked."""
    spans = workload.short if quick else workload.full
    durations = {simulator: spans.of(simulator) for simulator in simulators}
    outcomes = [
        Outcome(simulator, span, of_turns=of_turns) for simulator, span in durations.items() if span is not None
    ]
    for turn in range(repetitions):
        for outcome in outcomes:
            warn(f"{workload.name}: {outcome.simulator}, turn {turn + 1} of {repetitions}")
            outcome.turns.append(TURNS[outcome.simulator](workload, outcome.duration_s))
            short_s = workload.short.of(outcome.simulator)
            if not quick and short_s is not None:
                outcome.short_turns.append(TURNS[outcome.simulator](workload, short_s))
    for outcome in outcomes:
        if len({turn.packet_hops for turn in outcome.turns}) > 1:
            warn(f"*** {outcome.simulator} is not deterministic on {workload.name}: packet-hops differ ***")
    return outcomes


def table(workload: Workload, outcomes: list[Outcome]) -> str:
    """One workload's results in Markdown."""
    own = {outcome.simulator: outcome for outcome in outcomes}.get("photocol")
    rows = [
        f"### {workload.name}: {workload.flows} flows, {workload.rate_bps / 1e9:g} Gb/s",
        "",
        "| simulator | simulated s | CPU s | wall s | million packet-hops | million hops per CPU s | net of set-up "
        "| peak MiB | photocol's speed ÷ its | net of set-up | its memory ÷ photocol's |",
        "|---" * 11 + "|",
    ]
    rows += [row(outcome, own) for outcome in outcomes]
    if own and own.engine_hops_per_cpu_s:
        engine = millions(own.engine_hops_per_cpu_s)
        rows += ["", f"photocol's engine alone (cpu_s of its manifest, without process start): {engine} per CPU s."]
    on_threads = {outcome.simulator: outcome for outcome in outcomes}.get(ON_THREADS)
    if own and on_threads and own.engine_wall_s and on_threads.engine_wall_s:
        rows += ["", threads_line(own.engine_wall_s, on_threads.engine_wall_s)]
    return "\n".join(rows)


def row(outcome: Outcome, own: Outcome | None) -> str:
    """A simulator's line."""

    def ratio(rate: Callable[[Outcome], float | None]) -> str:
        mine, theirs = (rate(own) if own else None), rate(outcome)
        return "–" if mine is None or theirs is None else f"{mine / theirs:.3g}"

    memory = f"{outcome.peak_memory_bytes / own.peak_memory_bytes:.3g}" if own else "–"
    return (
        f"| {outcome.simulator} | {outcome.duration_s:g} | {outcome.cpu_s:.2f} | {outcome.wall_s:.2f} "
        f"| {outcome.packet_hops / 1e6:.2f} | {millions(outcome.hops_per_cpu_s)} "
        f"| {millions(outcome.hops_per_cpu_s_net)} | {outcome.peak_memory_bytes / 2**20:.0f} "
        f"| {ratio(lambda o: o.hops_per_cpu_s)} "
        f"| {ratio(lambda o: o.hops_per_cpu_s_net)} | {memory} |"
    )


def millions(value: float | None) -> str:
    """A rate in millions with three digits."""
    return "–" if value is None else f"{value / 1e6:.3g}"


def threads_line(one_s: float, several_s: float) -> str:
    """What threads gain, by the clock and for the engine alone."""
    return (
        f"photocol's engine on {THREADS} threads (wall_s of its manifest): {several_s:.2f} s instead of {one_s:.2f} s, "
        f"{one_s / several_s:.2f} times as fast."
    )


def record(workload: Workload, outcomes: list[Outcome]) -> dict[str, Any]:
    """One workload's results for ``--json``, every turn included, but not what photocol's summary says."""

    def turn_record(turn: Turn) -> dict[str, Any]:
        report = {name: value for name, value in turn.report.items() if name != "summary"}
        return dataclasses.asdict(dataclasses.replace(turn, report=report))

    return {
        "workload": workload.name,
        "simulators": {
            outcome.simulator: {
                "duration_s": outcome.duration_s,
                "cpu_s": outcome.cpu_s,
                "wall_s": outcome.wall_s,
                "packet_hops": outcome.packet_hops,
                "packet_hops_per_cpu_s": outcome.hops_per_cpu_s,
                "packet_hops_per_cpu_s_net_of_set_up": outcome.hops_per_cpu_s_net,
                "packet_hops_per_cpu_s_engine": outcome.engine_hops_per_cpu_s,
                "peak_memory_bytes": outcome.peak_memory_bytes,
                "turns": [turn_record(turn) for turn in outcome.turns],
                "short_turns": [turn_record(turn) for turn in outcome.short_turns],
            }
            for outcome in outcomes
        },
    }


def circumstances(*, fastest: bool) -> dict[str, Any]:
    """Date, machine and load of a measurement, and the turn that counts."""
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "machine": {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "load_at_start": os.getloadavg()[0],
        "of_turns": "fastest" if fastest else "median",
    }


def processor() -> str:
    """The processor's name, family and model, as Linux tells them; elsewhere as Python does."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    told = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return f"{told.get('model name', platform.processor())}, family {told.get('cpu family', '?')}"


def parse() -> argparse.Namespace:
    names = [workload.name for workload in WORKLOADS]
    parser = argparse.ArgumentParser(description="Compare photocol with ns-2, htsim and ns-3.")
    parser.add_argument("--workload", default="s1-100,s1-10000,s2", help=f"comma-separated: {', '.join(names)}, or all")
    parser.add_argument("--simulator", default=",".join(TURNS), help=f"comma-separated: {', '.join(TURNS)}")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--fastest", action="store_true", help="the fastest turn of each instead of the median")
    parser.add_argument("--quick", action="store_true", help="the short runs only: a look, not a result")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every turn to FILE")
    parser.add_argument("--ns3-flags", default=NS3_FLAGS, help="flags that compile and link against another ns-3")
    htsim = os.environ.get("HTSIM")
    parser.add_argument(
        "--htsim",
        type=Path,
        metavar="DIR",
        default=Path(htsim) if htsim else None,
        help="the folder of htsim's sources that has tcp.cpp; else what the variable HTSIM says",
    )
    options = parser.parse_args()
    options.workload = names if options.workload == "all" else options.workload.split(",")
    options.simulator = options.simulator.split(",")
    if unknown := {*options.workload} - {*names} | {*options.simulator} - {*TURNS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join([*names, *TURNS])}")
    return options


def main() -> int:
    options = parse()
    BUILD.mkdir(exist_ok=True)
    workloads = [workload for workload in WORKLOADS if workload.name in options.workload]
    write_inputs(workloads)
    simulators = present_simulators(options.simulator, options.ns3_flags, options.htsim)
    if not simulators:
        return 1
    of_turns = min if options.fastest else statistics.median
    results = {**circumstances(fastest=options.fastest), "workloads": []}
    for workload in workloads:
        outcomes = take_turns(workload, simulators, of_turns, quick=options.quick, repetitions=options.repetitions)
        print(table(workload, outcomes), end="\n\n", flush=True)
        results["workloads"].append(record(workload, outcomes))
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
