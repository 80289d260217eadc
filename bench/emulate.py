#!/usr/bin/env python3
"""What `photocol emulate` is worth on this machine: kernels beside the simulated hosts, delays, and the highest rate.

    .venv/bin/python bench/emulate.py                    measures all, prints the tables
    .venv/bin/python bench/emulate.py --only reno,delay  some of it
    .venv/bin/python bench/emulate.py --record           writes bench/emulation.json

As root, with iperf3; several minutes, in real time. docs/validation/emulation.md says what is expected of it.
Exit status: 0, 2 for wrong input, 3 if it cannot be measured here.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import photocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "emulation.json"
LAWS = {"cubic": "linux-cubic", "reno": "linux-reno", "bbr": "linux-bbr"}
"""The kernel's laws, and the simulator's hosts."""
ROUND_TRIPS_MS = (20, 80)
RATE_MBPS = 100
LAST_S, TURNS = 60, 5
DELAY_RATE, DELAY_COUNT, DELAY_SIZE = 10_000, 50_000, 200
AT_ONCE = "chrt --fifo 10"
"""Programs run as soon as they can, whatever else the machine does: a sender that was held up sends a burst."""
RATES_MBPS = (200, 500, 1000, 1500, 2000)

DUMBBELL = """
[run]
name = "emulated"
duration = "{seconds} s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "{rate} Mbps"
bottleneck_delay = "{delay_us} us"
bottleneck_buffer = "{buffer}"
access_capacity = "{access} Mbps"
access_delay = "100 us"
"""
WEEK = """
[run]
name = "week"
duration = "{seconds} s"
[topology]
kind = "racks"
racks = 2
hosts = 1
host_capacity = "400 Mbps"
packet_capacity = "10 Mbps"
packet_delay = "0.5 ms"
circuit_capacity = "80 Mbps"
circuit_delay = "3 ms"
[switching]
kind = "circuits"
day = "18 ms"
night = "2 ms"
buffer = "16 packets"
"""
"""Days of 180 us and nights of 20, both times 100."""
SERVER = """
import json, socket, struct, sys, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
server.setsockopt(socket.SOL_SOCKET, 35, 1)
server.bind((sys.argv[1], 9))
server.settimeout(5)
delays = []
offset = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
try:
    while True:
        data, about, _, _ = server.recvmsg(2000, 100)
        seconds, nanos = struct.unpack("qq", about[0][2])
        delays.append((seconds * 10**9 + nanos - offset - struct.unpack("!Q", data[:8])[0]) / 1000)
        server.settimeout(1)
except socket.timeout:
    print(json.dumps(delays))
"""
"""With the kernel's stamp of each arrival: how late this program is does not matter."""
CLIENT = """
import socket, struct, sys, time
to, count, size, rate = sys.argv[1], *map(int, sys.argv[2:])
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((to, 9))
rest = bytes(size - 36)
now = time.clock_gettime_ns
due, gap = now(time.CLOCK_MONOTONIC), 10**9 // rate
for _ in range(count):
    while now(time.CLOCK_MONOTONIC) < due:
        pass
    client.send(struct.pack("!Q", now(time.CLOCK_MONOTONIC)) + rest)
    due += gap
"""


def emulated(
    scenario: str, folder: Path, *commands: str, real: str = "l0,r0", options: Sequence[str] = ()
) -> tuple[dict[str, Any], photocol.Result]:
    """An emulation's report and results, in a folder of its own."""
    file, out = folder / "scenario.toml", folder / "out"
    file.write_text(scenario, encoding="utf-8")
    runs = [word for command in commands for word in ("--run", command)]
    words = [sys.executable, "-m", "photocol", "emulate", str(file), "--real", real, "--force", "--out", str(out)]
    subprocess.run([*words, "--quiet", *options, *runs], check=True, stderr=subprocess.DEVNULL)
    return json.loads((out / "emulation.json").read_text(encoding="utf-8")), photocol.Result.load(out)


def lateness(report: dict[str, Any]) -> dict[str, float]:
    """What a table says of it."""
    late = report["lateness"]
    return {"late_share": late["late"] / max(late["count"], 1), "p99_us": late["p99_us"], "worst_us": late["worst_us"]}


def kernel(scenario: str, law: str, folder: Path) -> dict[str, float]:
    """A turn of the kernel with a law: its goodput, what the network dropped, and how late packets were."""
    commands = (f"r0: {AT_ONCE} iperf3 -s -1", f"l0: {AT_ONCE} iperf3 -c {{r0}} -t {LAST_S} -J")
    report, result = emulated(scenario, folder, *commands, options=["--law", law])
    told = json.loads((folder / "out" / "command-1-l0.txt").read_text(encoding="utf-8"))["end"]
    goodput, lost = told["sum_received"]["bits_per_second"] / 1e6, int(result.drops["units"].sum())
    return {"kernel_mbps": goodput, "kernel_lost": lost, **lateness(report)}


def beside(law: str) -> Callable[[Path], list[dict[str, Any]]]:
    """A law of the kernel at a bottleneck with a buffer of one product of rate and round trip, beside photocol's."""

    def measured(folder: Path) -> list[dict[str, Any]]:
        rows = []
        for trip_ms in ROUND_TRIPS_MS:
            delay_us = trip_ms * 500 - 200
            scenario = DUMBBELL.format(
                seconds=LAST_S + 10, rate=RATE_MBPS, delay_us=delay_us, buffer=f"{trip_ms} ms", access=1000
            )
            runs = [kernel(scenario, law, folder) for _ in range(TURNS)]
            mbps, lost = simulated(scenario + host(LAWS[law]), LAST_S)
            told = {"law": law, "round_trip_ms": trip_ms, "simulated_mbps": mbps, "simulated_lost": lost}
            if law == "cubic":
                both = simulated(scenario + host(LAWS[law], 'hystart_rule = "linux"'), LAST_S)
                told["linux_start_mbps"], told["linux_start_lost"] = both
            rows.append({**told, **{name: [run[name] for run in runs] for name in runs[0]}})
            print(rows[-1], flush=True)
        return rows

    return measured


def host(algorithm: str, *keys: str, pairs: str = "") -> str:
    """One flow of a simulated host."""
    lines = ["[[traffic]]", 'transport = "host"', pairs, "[transport.host]", f'algorithm = "{algorithm}"', *keys]
    return "\n".join(filter(None, lines)) + "\n"


def simulated(scenario: str, seconds: int) -> tuple[float, int]:
    """The goodput of the one flow in Mb/s, and the packets that were dropped."""
    alone = photocol.run(scenario, set={"run.duration": f"{seconds} s"})
    sender = alone.flows.row(0, named=True)
    return sender["bytes_acked"] * 8 / seconds / 1e6, int(alone.drops["units"].sum())


def delay(folder: Path) -> dict[str, Any]:
    """A steady stream through an idle link: by how much each datagram is later than its bits and light take."""
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    (folder / "client.py").write_text(CLIENT, encoding="utf-8")
    scenario = DUMBBELL.format(seconds=60, rate=RATE_MBPS, delay_us=5000, buffer="1000 packets", access=1000)
    server = f"{sys.executable} {folder}/server.py {{r0}}"
    client = f"{sys.executable} {folder}/client.py {{r0}} {DELAY_COUNT} {DELAY_SIZE} {DELAY_RATE}"
    report, _ = emulated(scenario, folder, f"r0: {server}", f"l0 @ 1 s: {client}")
    delays = json.loads((folder / "out" / "command-0-r0.txt").read_text(encoding="utf-8"))
    bits = 8 * DELAY_SIZE
    expected_us = 5200 + bits * (1 / RATE_MBPS + 2 / 1000)
    errors = sorted(one - expected_us for one in delays)
    return {
        "packets": len(errors),
        "sent": DELAY_COUNT,
        "expected_us": expected_us,
        "p50_us": statistics.median(errors),
        "p99_us": errors[len(errors) * 99 // 100],
        "least_us": errors[0],
        "worst_us": errors[-1],
        "within_200_us": sum(abs(one) <= 200 for one in errors) / len(errors),
        **{f"own_{name}": value for name, value in lateness(report).items()},
    }


def week(folder: Path) -> dict[str, Any]:
    """A week of circuits between two racks: the kernel's CUBIC beside the simulated host's, both unpaced and paced."""
    scenario, seconds = WEEK.format(seconds=LAST_S + 10), LAST_S // 2
    found: dict[str, Any] = {}
    # A socket that was of BBR before stays paced, and iperf3 names the law of one that is connected.
    ways = {"unpaced": (["--law", "cubic"], ""), "paced": (["--law", "bbr"], "-C cubic ")}
    for name, (law, named) in ways.items():
        turns = []
        for _ in range(TURNS):
            commands = (f"t1h0: {AT_ONCE} iperf3 -s -1", f"t0h0: {AT_ONCE} iperf3 -c {{t1h0}} {named}-t {seconds} -J")
            emulated(scenario, folder, *commands, real="t0h0,t1h0", options=[*law, "--record"])
            told = json.loads((folder / "out" / "command-1-t0h0.txt").read_text(encoding="utf-8"))["end"]
            turns.append((told["sum_received"]["bits_per_second"] / 1e6, burst(folder / "out" / "recording.csv")))
        found[f"{name}_mbps"], found[f"{name}_burst"] = map(list, zip(*turns, strict=True))
        paced = f"paced = {json.dumps(name == 'paced')}"
        flow = host("linux-cubic", paced, pairs='pairs = [["t0h0", "t1h0"]]')
        found[f"{name}_simulated_mbps"], _ = simulated(scenario + flow, seconds)
    return found


def burst(recording: Path) -> float:
    """Packets of data that the first host sends at once: closer than 20 µs, of which a packet takes 30 on its link."""
    import polars as pl

    data = pl.read_csv(recording).filter((pl.col("from") == "t0h0") & (pl.col("bytes") > 1000))
    starts = int((data["time_ps"].diff().drop_nulls() > 20_000_000).sum()) + 1
    return len(data) / starts


def rates(folder: Path) -> list[dict[str, Any]]:
    """A kernel that sends as fast as ever links allow, and its ACKs back."""
    rows = []
    commands = (f"r0: {AT_ONCE} iperf3 -s -1", f"l0: {AT_ONCE} iperf3 -c {{r0}} -t 8 -J")
    for rate in RATES_MBPS:
        scenario = DUMBBELL.format(seconds=20, rate=rate, delay_us=800, buffer="2 ms", access=10_000)
        report, result = emulated(scenario, folder, *commands, options=["--law", "cubic"])
        told = json.loads((folder / "out" / "command-1-l0.txt").read_text(encoding="utf-8"))["end"]
        packets = sum(host["received"] for host in report["hosts"])
        rows.append(
            {
                "rate_mbps": rate,
                "goodput_mbps": told["sum_received"]["bits_per_second"] / 1e6,
                "packets_per_s": packets / 8,
                "cpu_s": result.manifest["cpu_s"],
                "why": report["why"],
                **lateness(report),
            }
        )
        print(rows[-1], flush=True)
    return rows


def idle(folder: Path) -> dict[str, Any]:
    """An emulation in which nothing happens."""
    scenario = DUMBBELL.format(seconds=60, rate=RATE_MBPS, delay_us=5000, buffer="1000 packets", access=1000)
    _, result = emulated(scenario, folder, "l0: sleep 10")
    return {"cpu_share": result.manifest["cpu_s"] / result.manifest["wall_s"]}


def tables(found: dict[str, Any]) -> list[str]:
    """The lines of docs/validation/emulation.md that are numbers; of several turns the medians."""
    middle = statistics.median
    rows = ["| law | round trip (ms) | kernel (Mb/s) | simulated | kernel lost | simulated | late |", "|---" * 7 + "|"]
    for row in (row for law in LAWS for row in found[law]):
        goodput, lost, late = (middle(row[name]) for name in ("kernel_mbps", "kernel_lost", "late_share"))
        simulated = f"{row['simulated_mbps']:.2f} ({_than(row):+.1%})"
        times = f"{row['simulated_lost']} ({row['simulated_lost'] / lost:.2f})"
        cells = (row["law"], row["round_trip_ms"], f"{goodput:.2f}", simulated, f"{lost:.0f}", times, f"{late:.2%}")
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    lost = [f"{row['linux_start_lost']} at {row['round_trip_ms']} ms" for row in found["cubic"]]
    rows.append(f'with `hystart_rule = "linux"` it loses {" and ".join(lost)}')
    one = found["delay"]
    rows.append(f"Of {one['packets']} datagrams {one['within_200_us']:.2%} were at most 200 µs late: the median was")
    p50, p99, worst = (round(one[name]) for name in ("p50_us", "p99_us", "worst_us"))
    rows.append(f"{p50} µs, 99 % were within {p99} µs, the worst was {worst} µs late.")
    rows += ["| link (Mb/s) | goodput (Mb/s) | packets a second | late | 99 % (µs) | worst (µs) |", "|---" * 6 + "|"]
    for row in found["rates"]:
        whole = [f"{row[name]:.0f}" for name in ("rate_mbps", "goodput_mbps", "packets_per_s", "p99_us", "worst_us")]
        rows.append("| " + " | ".join([*whole[:3], f"{row['late_share']:.2%}", *whole[3:]]) + " |")
    rows += ["| CUBIC over a week | kernel (Mb/s) | packets at once | `linux-cubic` (Mb/s) |", "|---" * 4 + "|"]
    for name, told in (("as ACKs ask for it", "unpaced"), ("paced", "paced")):
        carried, at_once = (middle(found["week"][f"{told}_{what}"]) for what in ("mbps", "burst"))
        simulated_mbps = found["week"][f"{told}_simulated_mbps"]
        rows.append(f"| {name} | {carried:.1f} | {at_once:.1f} | {simulated_mbps:.1f} |")
    return [*rows, f"An idle emulation takes {found['idle']['cpu_share']:.1%} of a processor."]


def _than(row: dict[str, Any]) -> float:
    """By how much the simulated goodput is greater than the kernel's."""
    return float(row["simulated_mbps"]) / statistics.median(row["kernel_mbps"]) - 1


PARTS = {**{law: beside(law) for law in LAWS}, "delay": delay, "rates": rates, "idle": idle, "week": week}


def measure(only: str, parts: Mapping[str, Callable[[], Any]], record: Path, is_kept: bool) -> None:
    """Measure these parts, and keep each in the record as soon as it is known, if that is asked for."""
    found = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    for name in only.split(","):
        found[name] = parts[name]()
        print(name, json.dumps(found[name], indent=1), flush=True)
        if is_kept:
            record.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--record", action="store_true")
    parser.add_argument(
        "--tables", action="store_true", help="print what the page shows of the record, measure nothing"
    )
    options = parser.parse_args()
    if unknown := set(options.only.split(",")) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; allowed: {', '.join(PARTS)}")
    if options.tables:
        print("\n".join(tables(json.loads(RECORD.read_text(encoding="utf-8")))))
        return 0
    if os.geteuid() != 0 or not shutil.which("iperf3"):
        print("emulate.py needs root and iperf3", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        parts = {name: functools.partial(part, Path(folder)) for name, part in PARTS.items()}
        measure(options.only, parts, RECORD, options.record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
