#!/usr/bin/env python3
"""What a large constellation costs: 1156 satellites, 100 stations, 100 flows of 10 Mb/s, 200 s.

    .venv/bin/python bench/constellation.py              measures, prints what it finds
    .venv/bin/python bench/constellation.py --record     writes bench/constellation.json
    .venv/bin/python bench/constellation.py --turns 1    once, not three times

Kuiper-630 as in Hypatia, the first 100 cities that photocol knows, the i-th with the one 37 places on; each by itself
in a process of one thread. `datagrams` are constant sources over links of 100 Mb/s. `newreno` are greedy flows over
links of 10 Mb/s, one queue of 100 packets each, as in Hypatia's runs. `tables` are the orbits and routes, which a run
finds made. `law` is one hundred links alone whose delay is another each 100 ms: as changes of links, and as a law.
Seconds are those of the processor, the least of three turns.
Exit status: 0, 2 for wrong input.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "bench" / "constellation.json"
STATIONS, APART, SECONDS = 100, 37, 200
LINKS, LINK_SECONDS, LINES = 100, 100, 1000
TRAFFIC = {
    "datagrams": ("100 Mbps", 'transport = "udp"\nload = "constant"\nrate = "10 Mbps"'),
    "newreno": ("10 Mbps", 'transport = "newreno"'),
}
PROGRAM = """
import json, resource, sys
from pathlib import Path
import photocol

def seconds():
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])

before = seconds()
file = Path(sys.argv[1])
photocol.check(file)
checked = seconds()
result = photocol.run(file, threads=1)
print(json.dumps({
    "check_s": checked - before,
    "run_s": seconds() - checked,
    "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
    "packet_hops": int(result.links["carried_units"].sum()),
    "goodput_mbps": float(result.flows["goodput_bps"].sum()) / 1e6,
    "fingerprint": result.fingerprint,
}))
"""


def constellation(kind: str) -> str:
    """The scenario."""
    from photocol.orbits.cities import cities

    names = list(cities())[:STATIONS]
    capacity, traffic = TRAFFIC[kind]
    pairs = [[name, names[(place + APART) % STATIONS]] for place, name in enumerate(names)]
    return f"""
[run]
duration = "{SECONDS} s"
[topology]
kind = "constellation"
shell = "kuiper-630"
ground_limit = "range"
ground_range = "1260 km"
stations = {json.dumps(names, ensure_ascii=False)}
laser_capacity = "{capacity}"
ground_capacity = "{capacity}"
[transport.udp]
packet_size = "1500 B"
[[traffic]]
{traffic}
pairs = {json.dumps(pairs, ensure_ascii=False)}
"""


def links(form: str) -> str:
    """A hundred links whose delays change, or are a law, or stay."""
    named = {"changes": "", "steps": 'delay_law = "steps"', "linear": 'delay_law = "linear"'}
    names = json.dumps([f"s{place}-r{place}" for place in range(LINKS)])
    trace = f'[[link_trace]]\nlink = {names}\nfile = "delays.csv"\n{named.get(form, "")}\n'
    each = "".join(
        f'[[link]]\nfrom = "s{place}"\nto = "r{place}"\ncapacity = "10 Mbps"\ndelay = "20 ms"\n'
        for place in range(LINKS)
    )
    pairs = json.dumps([[f"s{place}", f"r{place}"] for place in range(LINKS)])
    traffic = f'[[traffic]]\ntransport = "newreno"\npairs = {pairs}\n'
    return f'[run]\nduration = "{LINK_SECONDS} s"\n{each}{"" if form == "constant" else trace}{traffic}'


def measured(folder: Path, text: str) -> dict[str, Any]:
    """One run in a process of its own."""
    file = folder / "scenario.toml"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, file], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def least(folder: Path, text: str, turns: int) -> dict[str, Any]:
    """The turn with the fewest seconds, all of which have the same fingerprint."""
    found = [measured(folder, text) for _ in range(turns)]
    if len({one["fingerprint"] for one in found}) > 1:
        raise SystemExit("constellation: turns differ")
    return min(found, key=lambda one: float(one["run_s"]))


def report(turns: int) -> dict[str, Any]:
    """All of it."""
    found: dict[str, Any] = {"date": datetime.now(UTC).date().isoformat(), "machine": platform.machine()}
    for kind in TRAFFIC:
        with tempfile.TemporaryDirectory() as name:
            first = measured(Path(name), constellation(kind))
            found[kind] = {"tables_s": first["check_s"], **least(Path(name), constellation(kind), turns)}
            found[kind]["memory_mb"] = max(first["memory_mb"], found[kind]["memory_mb"])
    with tempfile.TemporaryDirectory() as name:
        rows = "".join(f"{100 * line},{20_000 + 37 * line % 400}\n" for line in range(LINES))
        (Path(name) / "delays.csv").write_text(f"time_ms,delay_us\n{rows}")
        found["law"] = {
            form: least(Path(name), links(form), turns)["run_s"] for form in ("constant", "changes", "steps", "linear")
        }
    return found


def main() -> int:
    """Measure, print, and write down what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=3, help="runs of each, of which the least counts  [3]")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)}")
    options = parser.parse_args()
    if not 1 <= options.turns <= 100:
        parser.error(f"--turns {options.turns}: allowed: 1 to 100")
    found = report(options.turns)
    text = json.dumps(found, indent=1) + "\n"
    print(text, end="")
    if options.record:
        RECORD.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
