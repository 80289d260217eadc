"""`photocol-node measure` several times in a row, each run's numbers side by side, with the load before each.

    python bench/measure.py [--runs 3] [--seconds 8] [--below 1.5] [--wait 0] [--node "photocol-node"] [--ptp4l FILE]

`--below` and `--wait` wait up to so many seconds for a quiet machine before each run. With `--ptp4l` the comparison of
`bench/ptp4l.py` follows. As root processes have networks of their own, which end with them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path


def quiet(below: float, wait_s: float) -> float:
    """Wait for a load below this; the load then."""
    end = time.monotonic() + wait_s
    while (load := os.getloadavg()[0]) > below and time.monotonic() < end:
        time.sleep(2)
    return load


def table(node: list[str], seconds: float) -> dict[str, str]:
    """What a run measured, by quantity and target."""
    done = subprocess.run(
        [*node, "measure", "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=True, timeout=600
    )
    rows = [line.strip("| \n").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    return {f"{what} | {target}": found for what, target, found in rows[1:]}


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--runs", type=int, default=3)
    asked.add_argument("--seconds", type=float, default=8.0)
    asked.add_argument("--below", type=float, default=1.5)
    asked.add_argument("--wait", type=float, default=0.0)
    asked.add_argument("--node", default=f"{sys.executable} -P -m photocol.node")
    asked.add_argument("--ptp4l")
    words = asked.parse_args()
    loads, tables = [], []
    for _ in range(words.runs):
        loads.append(quiet(words.below, words.wait))
        tables.append(table(shlex.split(words.node), words.seconds))
    heads = [f"run {number}, load {load:.1f}" for number, load in enumerate(loads, start=1)]
    print("| quantity | target | " + " | ".join(heads) + " | met |")
    print("|---" * (3 + words.runs) + "|")
    for row in tables[0]:
        found = [one.get(row, "-") for one in tables]
        met = sum("(missed)" not in one for one in found)
        print(f"| {row} | " + " | ".join(found) + f" | {met} of {words.runs} |")
    if words.ptp4l:
        beside = [
            sys.executable,
            str(Path(__file__).with_name("ptp4l.py")),
            "--ptp4l",
            words.ptp4l,
            "--node",
            words.node,
        ]
        return subprocess.run(beside, check=False).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
