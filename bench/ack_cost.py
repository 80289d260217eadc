#!/usr/bin/env python3
"""Instructions an ACK takes at a sender with SACK and with RR-TCP, against the window (paper 004, §5.2.7).

    python3 bench/ack_cost.py                           counts all, beside what is recorded
    python3 bench/ack_cost.py --only burst --windows 100,1000
    python3 bench/ack_cost.py --record                  writes bench/ack-cost.csv

callgrind counts what is inside `handle` of crates/transport/examples/ack_cost.rs: reading an ACK and deciding what
leaves. The slope between two numbers of round trips is free of the first ones, in which RR-TCP learns; those are
counted by themselves. Counts do not depend on the machine's load, but on compiler and architecture.
Exit status: 0, 2 for wrong input, 3 if nothing can be counted here.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "bench" / "ack-cost.csv"
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "examples" / "ack_cost"
HEADER = (
    "pattern",
    "window",
    "recovery",
    "instructions_per_ack",
    "first_rounds_per_ack",
    "fast_retransmits_per_round",
    "dupthresh",
    "compiler",
)
PATTERNS = ("in-order", "burst", "spread", "lossy")
RECOVERIES = ("sack", "rr-tcp")
WINDOWS = (10, 100, 1000, 10_000)
FIRST_ROUNDS = 4
"""In these RR-TCP has its false fast retransmit, and learns."""
LEAST_ACKS, LEAST_ROUNDS = 2000, 8
"""Of the shorter of the two runs; the longer one has twice as many."""


@dataclass(frozen=True)
class Count:
    """One run."""

    acks: int
    instructions: int
    fast_retransmits: int
    dupthresh: int


def counted(pattern: str, window: int, recovery: str, rounds: int) -> Count:
    """The events of a whole run."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        valgrind = ["valgrind", "--tool=callgrind", "--toggle-collect=ack_cost::handle", "--quiet"]
        arguments = [recovery, pattern, str(window), str(rounds)]
        command = [*valgrind, f"--callgrind-out-file={out}", str(PROGRAM), *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"bench/ack_cost.py: {' '.join(arguments)}: {run.stderr.strip()}")
        total = re.search(r"^(?:totals|summary): (\d+)", out.read_text(), re.MULTILINE)
    if not total or int(total[1]) == 0:
        sys.exit("bench/ack_cost.py: callgrind has counted nothing; is `handle` still a function of its own?")
    acks, fast_retransmits, _, timeouts, dupthresh, _ = map(int, run.stdout.split())
    if timeouts:
        sys.exit(f"bench/ack_cost.py: {' '.join(arguments)}: {timeouts} timeouts, and there should be none")
    return Count(acks, int(total[1]), fast_retransmits, dupthresh)


def row(pattern: str, window: int, recovery: str) -> dict[str, str]:
    """What an ACK takes, by the slope between two runs."""
    rounds = max(LEAST_ROUNDS, LEAST_ACKS // window)
    short, long = (counted(pattern, window, recovery, many * rounds) for many in (1, 2))
    instructions = (long.instructions - short.instructions) / (long.acks - short.acks)
    first = counted(pattern, window, recovery, FIRST_ROUNDS)
    values = (
        pattern,
        window,
        recovery,
        f"{instructions:.4g}",
        f"{first.instructions / first.acks:.4g}",
        f"{(long.fast_retransmits - short.fast_retransmits) / rounds:.3g}",
        long.dupthresh,
        compiler(),
    )
    return dict(zip(HEADER, map(str, values), strict=True))


def compiler() -> str:
    """The compiler without its hash, and for what it compiles."""
    text = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    found = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    return f"rustc {found['release']} {found['host'].split('-')[0]}"


def recorded() -> list[dict[str, str]]:
    """The table, if there is one."""
    if not TABLE.is_file():
        return []
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


def costs(rows: list[dict[str, str]], column: str = "instructions_per_ack") -> dict[tuple[str, int, str], float]:
    """(pattern, window, recovery) → instructions an ACK."""
    return {(one["pattern"], int(one["window"]), one["recovery"]): float(one[column]) for one in rows}


def lines(rows: list[dict[str, str]], record: list[dict[str, str]]) -> list[str]:
    """A table of both recoveries side by side, and the record's."""
    found, known, first = costs(rows), costs(record), costs(rows, "first_rounds_per_ack")
    made = [f"| pattern | window | SACK | RR-TCP | ratio | the first {FIRST_ROUNDS} round trips | recorded |"]
    made.append("|---|---|---|---|---|---|---|")
    for pattern, window in dict.fromkeys((pattern, window) for pattern, window, _ in found):
        sack, rr = (found[pattern, window, recovery] for recovery in RECOVERIES)
        was = [f"{known[key]:.0f}" if (key := (pattern, window, name)) in known else "–" for name in RECOVERIES]
        begun = [f"{first[pattern, window, name]:.0f}" for name in RECOVERIES]
        cells = (pattern, window, f"{sack:.0f}", f"{rr:.0f}", f"{rr / sack:.2f}", ", ".join(begun), ", ".join(was))
        made.append("| " + " | ".join(map(str, cells)) + " |")
    return made


def build() -> None:
    """The program, with the profile of all that is measured."""
    cargo = ["cargo", "build", "--release", "--workspace", "--example", "ack_cost"]
    subprocess.run([*cargo, "--locked", "--quiet"], cwd=ROOT, check=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Instructions of an ACK with SACK and with RR-TCP, against the window."
    )
    parser.add_argument("--only", choices=PATTERNS, help="one pattern alone")
    parser.add_argument("--windows", default=",".join(map(str, WINDOWS)), help="windows in segments, with commas")
    parser.add_argument("--record", action="store_true", help="write what is counted to bench/ack-cost.csv")
    options = parser.parse_args()
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", options.windows):
        parser.error(f"--windows found {options.windows!r}; allowed: whole numbers with commas between, as 100,1000")
    if options.record and (options.only or options.windows != parser.get_default("windows")):
        parser.error("--record writes the whole table: without --only and --windows")
    return options


def main() -> int:
    options = parse()
    missing = [name for name in ("valgrind", "cargo") if not shutil.which(name)]
    if missing:
        print(f"{missing[0].upper()} IS ABSENT: instructions are not counted")
        return 3
    build()
    rows = [
        row(pattern, int(window), recovery)
        for pattern in ([options.only] if options.only else PATTERNS)
        for window in options.windows.split(",")
        for recovery in RECOVERIES
    ]
    print("\n".join(lines(rows, recorded())))
    if options.record:
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, HEADER, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
