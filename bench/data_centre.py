#!/usr/bin/env python3
"""128 hosts of a fat tree by NDP in photocol and in htsim: CPU seconds of whole processes, and how far results agree.

    .venv/bin/python bench/data_centre.py --htsim FOLDER           a table; htsim's folder sim/datacenter
    .venv/bin/python bench/data_centre.py --htsim FOLDER --record  writes bench/data_centre.json too

All links have 100 Gb/s and 1 us, packets 1500 B of payload; queues hold eight packets, first windows 150, and senders
go through all paths in an order drawn anew each time. `permutation`: each host sends 10 MB to a partner of its own at
once; the same with 2 MB, and the difference of both is net of set-up. `web-search`: flows between random hosts with
sizes of the DCTCP paper, for 2 ms at 0.4 of the hosts' links. photocol draws the flows, htsim gets the same list.
htsim's timers never stop, so it runs until a microsecond after photocol's last flow ends, or a quarter longer where its
own flows need that. Its folder has `htsim_ndp`, built by `make htsim_ndp CFLAGS="-std=c++11 -O3 -DNDEBUG -I.."`.
Exit status: 0, 1 where flows are left undone, 2 for wrong input.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import math
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
from collectives import machine, measured

RECORD = Path(__file__).resolve().parent / "data_centre.json"
PODS, HOSTS, GBPS, DELAY_US, PAYLOAD, PLACES, WINDOW = 8, 128, 100, 1, 1500, 8, 150
MIX_S, LOAD = 2e-3, 0.4
PERMUTATION = {"pairs": "permutation", "spread": "0 s"}
CASES: dict[str, dict[str, Any]] = {
    "permutation": {**PERMUTATION, "size": "10 MB"},
    "permutation-2MB": {**PERMUTATION, "size": "2 MB"},
    "web-search": {
        "pairs": "random",
        "arrivals": "poisson",
        "flows_per_second": LOAD * HOSTS * GBPS * 1e9 / 8 / 1_711_250,
        "size_law": {"law": "web-search"},
        "stop": f"{MIX_S} s",
    },
}
"""The mean of the law of sizes is 1 711 250 B (crates/sim/src/scenario/tests/traffic.rs)."""
NET = ("permutation", "permutation-2MB")


def scenario(traffic: dict[str, Any]) -> dict[str, Any]:
    """All of it; a header of a byte, the least, since htsim's payload is the packet."""
    host = {"buffer": "unlimited", "queue": {"kind": "ndp", "data": "1000000 packets"}}
    delay = f"{DELAY_US} us"
    tree = {"kind": "fat-tree", "k": PODS, "capacity": f"{GBPS} Gbps", "delay": delay, "host_delay": delay}
    sizes = {"packet_size": f"{PAYLOAD + 1} B", "header": "1 B"}
    return {
        "run": {"duration": "100 ms"},
        "topology": {**tree, "routing": "spray"},
        "link_defaults": {"buffer": f"{2 * PLACES * PAYLOAD} B", "queue": {"kind": "ndp"}, "host": host},
        "transport": {"ndp": {**sizes, "first_window": WINDOW}},
        "traffic": [{"transport": "ndp", **traffic}],
    }


def by_photocol(name: str, folder: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    """A run of its own process on one thread, and its table of flows."""
    file, out = folder / f"{name}.json", folder / f"out-{name}"
    file.write_text(json.dumps(scenario(CASES[name])))
    command = [sys.executable, "-m", "photocol", "run", file, "--threads", "1", "--quiet", "--json", "--out", out]
    row = measured(command, folder / "printed")
    flows = pl.read_parquet(out / "flows.parquet").sort("flow")
    ends = flows["end_s"] - flows["start_s"]
    hops = json.loads((out / "manifest.json").read_text())["packet_hops"]
    return {**row, "packet_hops": hops, **times(ends.to_list())}, flows


def by_htsim(program: Path, flows: pl.DataFrame, folder: Path) -> dict[str, Any]:
    """A run of `htsim_ndp` with the same flows; it is as long as they need."""
    number = pl.col("source", "destination").str.strip_prefix("h").cast(pl.Int64)
    listed = flows.with_columns(number).select("source", "destination", "start_s", "bytes_acked").rows()
    lines = [
        f"{source}->{destination} id {place + 1} start {1e12 * start:.0f} size {size}"
        for place, (source, destination, start, size) in enumerate(listed)
    ]
    (folder / "matrix").write_text("\n".join([f"Nodes {HOSTS}", f"Connections {len(lines)}", *lines, ""]))
    command = [program, "-tm", folder / "matrix", "-nodes", str(HOSTS), "-strat", "perm", "-o", folder / "htsim.log"]
    command += ["-linkspeed", str(1000 * GBPS), "-mtu", str(PAYLOAD), "-q", str(PLACES), "-cwnd", str(WINDOW)]
    command += ["-hop_latency", str(DELAY_US)]
    starts = [start for *_, start, _ in listed]
    for longer in (1.0, 1.25, 2.0):
        end_us = math.ceil(1e6 * longer * flows["end_s"].max()) + 1
        with contextlib.chdir(folder):  # It writes a file where it is called.
            row = measured([*command, "-end", str(end_us)], folder / "printed")
        found = re.findall(r"flow_id (\d+) finished at ([\d.e+]+)", (folder / "printed").read_text())
        if len(found) == len(lines):
            break
    first = min((int(flow) for flow, _ in found), default=0)
    return {**row, **times([float(end_us) / 1e6 - starts[int(flow) - first] for flow, end_us in found])}


def times(seconds: list[float]) -> dict[str, Any]:
    """Completion times of flows: how many, their mean and the longest one."""
    return {"flows": len(seconds), "mean_us": 1e6 * math.fsum(seconds) / len(seconds), "longest_us": 1e6 * max(seconds)}


def table(rows: dict[str, dict[str, dict[str, Any]]]) -> str:
    """A line a case, in Markdown, and one for the difference between both sizes."""
    lines = [
        "| | photocol, CPU s | htsim, CPU s | times | mean completion, µs | longest, µs |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in rows.items():
        ours, theirs = row["photocol"], row["htsim"]
        spans = [f"{ours[key]:.0f}, {theirs[key]:.0f}" for key in ("mean_us", "longest_us")]
        used = ours["cpu_s"], theirs["cpu_s"]
        lines.append(f"| {name} | {used[0]:.2f} | {used[1]:.2f} | {used[1] / used[0]:.1f} | {spans[0]} | {spans[1]} |")
    if set(NET) <= set(rows):
        ours, theirs = (rows[NET[0]][one]["cpu_s"] - rows[NET[1]][one]["cpu_s"] for one in ("photocol", "htsim"))
        lines.append(f"| permutation, net | {ours:.2f} | {theirs:.2f} | {theirs / ours:.1f} | | |")
    return "\n".join(lines)


def fastest(turns: list[dict[str, Any]]) -> dict[str, Any]:
    """The turn that took the least CPU time."""
    return min(turns, key=lambda row: float(row["cpu_s"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--htsim", type=Path, required=True, help="htsim's folder sim/datacenter, with htsim_ndp")
    parser.add_argument("--turns", type=int, default=1, help="each in turn; the fastest counts")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    program = (options.htsim / "htsim_ndp").resolve()
    if not os.access(program, os.X_OK) or options.turns < 1:
        parser.error("--htsim takes a folder with htsim_ndp, --turns 1 or more")
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for case in CASES:
            ours, theirs = [], []
            for _ in range(options.turns):
                row, flows = by_photocol(case, folder)
                ours.append(row)
                theirs.append(by_htsim(program, flows, folder))
            rows[case] = {"photocol": fastest(ours), "htsim": fastest(theirs)}
            print(case, rows[case], file=sys.stderr, flush=True)
    print(table(rows))
    if options.record:
        record = {"machine": machine(), "date": datetime.date.today().isoformat(), "rows": rows}
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return 0 if all(len({one["flows"] for one in row.values()}) == 1 for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
