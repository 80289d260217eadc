#!/usr/bin/env python3
"""Collectives by NDP at 400 Gb/s: CPU seconds and memory of whole processes, and htsim on the same connection matrix.

    .venv/bin/python bench/collectives.py                              all, some minutes; prints a table
    .venv/bin/python bench/collectives.py --only matrix --htsim FOLDER  one of them; htsim's folder sim/datacenter
    .venv/bin/python bench/collectives.py --record                     writes bench/collectives.json

All links have 400 Gb/s and 1 us, packets 4096 B. htsim's timers never stop, so a first run of it finds out when its
last flow ends, and the one that counts ends a microsecond later. Its folder has `htsim_ndp`, built by
`make htsim_ndp CFLAGS="-std=c++11 -O3 -DNDEBUG -I.."`.
Exit status: 0, 1 where a run leaves something undone, 2 for wrong input.
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
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from processes import run_to_end

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH = Path(__file__).resolve().parent
RECORD = BENCH / "collectives.json"
RATE_GBPS, DELAY_US, PACKET = 400, 1, 4096
WINDOW, PLACES = 200, 8
"""Packets of NDP: the first window, more than a round trip over the core of 13 us holds, 159; the places of a port."""
MATRIX_RANKS, MATRIX_BLOCK = 64, 1_000_000
"""Of the connection matrix: a ring all-reduce whose blocks have a megabyte."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A workload. `bounds` are CPU seconds and bytes of memory that it is to keep."""

    name: str
    what: str
    topology: dict[str, Any]
    work: dict[str, Any]
    bounds: tuple[float | None, float | None] = (None, None)
    window: int = WINDOW

    def scenario(self) -> dict[str, Any]:
        """All of it, without files."""
        links = {"buffer": f"{2 * PLACES * PACKET} B", "queue": {"kind": "ndp", "data": f"{PLACES} packets"}}
        host = {"buffer": "unlimited", "queue": {"kind": "ndp", "data": "1000000 packets"}}
        star = {"capacity": f"{RATE_GBPS} Gbps", "delay": f"{DELAY_US} us"}
        return {
            "run": {"duration": "10 s", "memory": "20 GB"},
            "topology": self.topology,
            "link_defaults": {**(star if self.topology["kind"] == "star" else {}), **links, "host": host},
            "transport": {"ndp": {"algorithm": "ndp", "packet_size": PACKET, "first_window": self.window}},
            "traffic": [{"transport": "ndp", "work": self.work}],
        }


def fat_tree(pods: int) -> dict[str, Any]:
    """All links alike; packets are sprayed."""
    delay = f"{DELAY_US} us"
    return {
        "kind": "fat-tree",
        "k": pods,
        "capacity": f"{RATE_GBPS} Gbps",
        "delay": delay,
        "host_delay": delay,
        "routing": "spray",
    }


RING = {"collective": "all-reduce", "algorithm": "ring", "size": "1 GB"}
CASES = (
    Case(
        name="ring-star",
        what="ring all-reduce of 1 GB, 64 hosts of a star",
        topology={"kind": "star", "leaves": 64},
        work=RING,
        bounds=(40, None),
    ),
    Case(
        name="ring-tree",
        what="the same among the first 64 hosts of a fat tree, k = 8",
        topology=fat_tree(8),
        work={**RING, "ranks": 64},
        bounds=(55, None),
    ),
    Case(
        name="all-to-all",
        what="all-to-all of 64 kB a pair at once, 1024 hosts of a fat tree, k = 16",
        topology=fat_tree(16),
        work={"collective": "all-to-all", "algorithm": "direct", "size": f"{1024 * 64} kB"},
        bounds=(120, 4e9),
        window=1,
    ),
    Case(
        name="matrix",
        what="a connection matrix: ring all-reduce of 64 MB, 64 of 128 hosts of a fat tree, k = 8",
        topology=fat_tree(8),
        work={"file": "ring.cm", "connections": "each"},
    ),
)


def connection_matrix() -> str:
    """A ring all-reduce: each transfer starts when its sender's last one has been acknowledged to its predecessor."""
    n, steps = MATRIX_RANKS, 2 * (MATRIX_RANKS - 1)
    head = [f"Nodes {2 * n}", f"Connections {n * steps}", f"Triggers {n * (steps - 1)}"]
    rows = []
    for step in range(steps):
        for rank in range(n):
            number = step * n + rank + 1
            words = [f"{rank}->{(rank + 1) % n} id {number}", f"size {MATRIX_BLOCK}"]
            words.insert(1, "start 0" if step == 0 else f"trigger {(step - 1) * n + (rank - 1) % n + 1}")
            if step + 1 < steps:
                words.append(f"send_done_trigger {number}")
            rows.append(" ".join(words))
    triggers = [f"trigger id {number} oneshot" for number in range(1, n * (steps - 1) + 1)]
    return "\n".join([*head, *rows, *triggers, ""])


def measured(command: Sequence[str | Path], output: Path) -> dict[str, Any]:
    """What a process used; what it prints goes to a file."""
    started_s = time.monotonic()
    with output.open("w") as stdout:
        used = run_to_end([str(word) for word in command], stdout=stdout)
    return {
        "cpu_s": round(used.ru_utime + used.ru_stime, 2),
        "wall_s": round(time.monotonic() - started_s, 2),
        "peak_memory_bytes": used.ru_maxrss * 1024,
    }


def by_photocol(case: Case, folder: Path) -> dict[str, Any]:
    """A run of its own process on one thread, which writes all tables."""
    file, out = folder / f"{case.name}.json", folder / f"out-{case.name}"
    file.write_text(json.dumps(case.scenario()))
    command = [sys.executable, "-m", "photocol", "run", file, "--threads", "1", "--quiet", "--json", "--out", out]
    row = measured(command, folder / "printed")
    manifest = json.loads((out / "manifest.json").read_text())
    summary = json.loads((out / "summary.json").read_text())
    figures = {name: figure["value"] for name, figure in summary.items() if isinstance(figure, dict)}
    return {
        **row,
        "engine_cpu_s": round(manifest["cpu_s"], 2),
        "packet_hops": manifest["packet_hops"],
        "work_time_s": figures["work_time"],
        "is_done": figures["unfinished_tasks"] == 0,
    }


def by_htsim(case: Case, program: Path, folder: Path, end_s: float) -> dict[str, Any]:
    """A run of `htsim_ndp` on the matrix, whose packets permute the paths; it is done when its last flow is."""
    command = [program, "-tm", folder / case.work["file"], "-nodes", str(2 * MATRIX_RANKS), "-strat", "perm"]
    command += ["-linkspeed", str(1000 * RATE_GBPS), "-mtu", str(PACKET), "-q", str(PLACES), "-cwnd", str(WINDOW)]
    command += ["-hop_latency", str(DELAY_US), "-end", str(math.ceil(1e6 * end_s) + 1), "-o", folder / "htsim.log"]
    with contextlib.chdir(folder):  # It writes a file where it is called.
        row = measured(command, folder / "printed")
    ends_us = [float(found) for found in re.findall(r" finished at ([\d.e+]+)", (folder / "printed").read_text())]
    is_done = len(ends_us) == MATRIX_RANKS * 2 * (MATRIX_RANKS - 1)
    return {**row, "work_time_s": max(ends_us, default=math.nan) / 1e6, "is_done": is_done}


def turn(case: Case, htsim: Path | None, folder: Path) -> list[dict[str, Any]]:
    """A run by photocol, and one by htsim where both have the matrix."""
    (folder / "ring.cm").write_text(connection_matrix())
    own = by_photocol(case, folder)
    rows = [{"case": case.name, "simulator": "photocol", **own}]
    if case.name == "matrix" and htsim is not None:
        # A first run finds out when the second may end.
        first = by_htsim(case, htsim, folder, 2 * own["work_time_s"])
        rows.append({"case": case.name, "simulator": "htsim", **by_htsim(case, htsim, folder, first["work_time_s"])})
    return rows


def table(rows: Sequence[dict[str, Any]]) -> str:
    """A line a case and simulator: the least CPU seconds of its turns, and what it is to keep."""
    lines = []
    for case in CASES:
        for simulator in ("photocol", "htsim"):
            turns = [row for row in rows if (row["case"], row["simulator"]) == (case.name, simulator)]
            if not turns:
                continue
            cpu_s = min(row["cpu_s"] for row in turns)
            memory = max(row["peak_memory_bytes"] for row in turns) / 1e9
            work_ms = 1e3 * turns[0]["work_time_s"]
            most = ", ".join(f"{bound:g} {unit}" for bound, unit in zip(case.bounds, ("s", "B"), strict=True) if bound)
            lines.append(f"{case.name:12} {simulator:9} {cpu_s:8.1f} s {memory:6.2f} GB {work_ms:9.3f} ms  {most}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [case.name for case in CASES]
    parser.add_argument("--only", default=",".join(names), help=f"some of {', '.join(names)}")
    parser.add_argument("--htsim", type=Path, help="htsim's folder sim/datacenter, with the program htsim_ndp")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    chosen = options.only.split(",")
    program = options.htsim and (options.htsim / "htsim_ndp").resolve()
    if not set(chosen) <= set(names) or (program and not os.access(program, os.X_OK)) or options.turns < 1:
        parser.error(f"--only takes some of {', '.join(names)}, --htsim a folder with htsim_ndp, --turns 1 or more")
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            for _ in range(options.turns if case.name in chosen else 0):
                rows += turn(case, program, Path(folder))
                print(rows[-1], file=sys.stderr, flush=True)
    print(table(rows))
    if options.record:
        known = json.loads(RECORD.read_text())["rows"] if RECORD.exists() else []
        kept = [row for row in known if row["case"] not in chosen]
        ordered = sorted(kept + rows, key=lambda row: names.index(row["case"]))
        record = {"machine": machine(), "date": datetime.date.today().isoformat(), "rows": ordered}
        RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return 0 if all(row["is_done"] for row in rows) else 1


def machine() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    sys.exit(main())
