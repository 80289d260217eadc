#!/usr/bin/env python3
"""A cut of a large constellation in photocol and in ns-3: the same contacts, routes and flows; CPU seconds and results.

    .venv/bin/python bench/constellation_ns3.py              measures, prints what it finds
    .venv/bin/python bench/constellation_ns3.py --record     writes bench/constellation-ns3.json
    .venv/bin/python bench/constellation_ns3.py --turns 1    once, not twice

The network is that of `constellation.py`, and so are the pairs of cities, but for those without a route at some time of
the cut, which are left out. `ns3/constellation.cc` reads the file of contacts that photocol runs. Both change delays in
steps of 100 ms, deliver what leaves for a satellite that is setting, and have links of 10 Mb/s with 100 packets of
queue; flows are greedy, with SACK, as in workload S1 of `compare.py`. Rates are packet-hops per CPU second, net of
set-up the slope between the whole cut and half of it. Seconds are the least of the turns, which alternate.
Exit status: 0, 1 without ns-3, 2 for wrong input.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import sys
from typing import TYPE_CHECKING, Any

import compare
import constellation

from photocol.orbits import Constellation
from photocol.orbits.contacts import contacts
from photocol.orbits.known import read_known

if TYPE_CHECKING:
    from pathlib import Path

RECORD = constellation.ROOT / "bench" / "constellation-ns3.json"
SECONDS, HALF = 20, 10
APART_S = 0.005
"""Between the starts of two flows."""
RATE = "10 Mbps"


def cut(folder: Path) -> int:
    """Write contacts and flow lists; how many flows have a route all the time."""
    from photocol.orbits.cities import cities

    names = list(cities())[: constellation.STATIONS]
    keys = {"shell": "kuiper-630", "ground_limit": "range", "ground_range": "1260 km", "stations": names}
    made = Constellation.from_toml({"kind": "constellation", **keys})
    pairs = [(name, names[(place + constellation.APART) % len(names)]) for place, name in enumerate(names)]
    routes = made.routes(pairs, SECONDS).tables()
    pairs = [(one.source, one.target) for one in routes if not one.cut_offs]
    (folder / "cut.csv").write_text(contacts(made, pairs, SECONDS))
    number = read_known(folder / "cut.csv").number
    starts = [(APART_S * place, *pair) for place, pair in enumerate(pairs)]
    rows = "".join(f"{start},{one},{other}\n" for start, one, other in starts)
    (folder / "cut-flows.csv").write_text(f"start_s,source,destination\n{rows}")
    lines = "".join(f"{start} {number[one]} {number[other]}\n" for start, one, other in starts)
    (folder / "cut-flows.txt").write_text(lines)
    (folder / "cut.toml").write_text(
        f'run.duration = "{SECONDS} s"\n'
        f'[topology]\nkind = "contacts"\npath = "cut.csv"\nlaser_capacity = "{RATE}"\nground_capacity = "{RATE}"\n'
        'delay_law = "steps"\ngone = "delivered"\n'
        '[transport.tcp]\nalgorithm = "sack"\npacket_size = 1500\ninitial_window = 2\nmin_rto = "0.2 s"\n'
        '[[traffic]]\ntransport = "tcp"\nfile = "cut-flows.csv"\n'
    )
    return len(pairs)


def photocol_turn(seconds: int) -> compare.Turn:
    """A turn without results on disk; its report has packet-hops and the acknowledged segments of each flow."""
    command = [str(compare.PHOTOCOL), "run", str(compare.BUILD / "cut.toml"), "--set", f"run.duration={seconds} s"]
    turn = compare.measure([*command, "--threads", "1", "--json", "--quiet"])
    import photocol

    result = photocol.run(compare.BUILD / "cut.toml", set={"run.duration": f"{seconds} s"}, threads=1)
    acked = [bytes_acked / 1460 for bytes_acked in result.flows.sort("flow")["bytes_acked"]]
    report = {"packet_hops": result.manifest["packet_hops"], "acked_segments": acked}
    return dataclasses.replace(turn, report=report)


def ns3_turn(seconds: int) -> compare.Turn:
    """A turn of the program for ns-3."""
    files = {"contacts": compare.BUILD / "cut.csv", "flows": compare.BUILD / "cut-flows.txt", "duration": seconds}
    program = str(compare.BUILD / "ns3-constellation")
    return compare.measure([program, *(f"--{name}={value}" for name, value in files.items())])


TURNS = {"photocol": photocol_turn, "ns-3": ns3_turn}


def measured(turns: int) -> dict[str, Any]:
    """All turns of both, in turn."""
    found: dict[str, dict[int, list[compare.Turn]]] = {name: {SECONDS: [], HALF: []} for name in TURNS}
    for _ in range(turns):
        for name, turn in TURNS.items():
            for seconds in (SECONDS, HALF):
                found[name][seconds].append(turn(seconds))
    simulators = {name: summed_up(spans) for name, spans in found.items()}
    one, other = (simulators[name]["acked_segments"] for name in TURNS)
    apart = [abs(mine - theirs) / max(mine, theirs, 1) for mine, theirs in zip(one, other, strict=True)]
    ratio = {
        name: simulators["photocol"][name] / simulators["ns-3"][name]
        for name in ("hops_per_cpu_s", "hops_per_cpu_s_net", "packet_hops")
    }
    return {
        "simulators": simulators,
        "photocol_over_ns3": ratio | {"acked_segments": sum(one) / sum(other)},
        "median_difference_of_a_flow": statistics.median(apart),
    }


def summed_up(spans: dict[int, list[compare.Turn]]) -> dict[str, Any]:
    """Rates of one simulator."""
    whole, half = (min(turn.cpu_s for turn in spans[seconds]) for seconds in (SECONDS, HALF))
    hops, fewer = (spans[seconds][0].packet_hops for seconds in (SECONDS, HALF))
    return {
        "cpu_s": whole,
        "half_cpu_s": half,
        "peak_memory_bytes": max(turn.peak_memory_bytes for turn in spans[SECONDS]),
        "packet_hops": hops,
        "hops_per_cpu_s": hops / whole,
        "hops_per_cpu_s_net": (hops - fewer) / (whole - half),
        "acked_segments": spans[SECONDS][0].report["acked_segments"],
    }


def main() -> int:
    """Measure, print, and write down what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2, help="runs of each, of which the least counts  [2]")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.relative_to(constellation.ROOT)}")
    parser.add_argument("--ns3-flags", default=compare.NS3_FLAGS, help="flags that compile and link against ns-3")
    options = parser.parse_args()
    if not 1 <= options.turns <= 100:
        parser.error(f"--turns {options.turns}: allowed: 1 to 100")
    compare.BUILD.mkdir(exist_ok=True)
    source = str(compare.BENCH / "ns3" / "constellation.cc")
    if not compare.build([source, "-o", "ns3-constellation", *options.ns3_flags.split()]):
        return 1
    flows = cut(compare.BUILD)
    found = compare.circumstances(fastest=True) | {"flows": flows, "seconds": SECONDS} | measured(options.turns)
    text = json.dumps(found, indent=1) + "\n"
    print(text, end="")
    if options.record:
        RECORD.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
