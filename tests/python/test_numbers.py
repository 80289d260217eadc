"""Numbers on pages are those of the files that commands write; counts are counted; limits of length hold."""

from __future__ import annotations

import csv
import json
import re
import statistics
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import photocol

from photocol.cli import workloads

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))
RESULTS = json.loads((BENCH / "results.json").read_text())
ENGINE = {row["name"]: row for row in json.loads((BENCH / "engine.json").read_text())}
COLLECTIVES = json.loads((BENCH / "collectives.json").read_text())
CASES = {
    "all-to-all": "all-to-all of 64 kB a pair, all 1024 hosts of a fat tree, k = 16 (`all-to-all`)",
    "ring-star": "ring all-reduce of 1 GB, 64 hosts of a star (`ring-star`)",
    "ring-tree": "the same, the first 64 hosts of a fat tree, k = 8 (`ring-tree`)",
    "matrix": "a connection matrix: ring all-reduce of 64 MB on that tree (`matrix`)",
}
LABELS = {
    "s1-100": "dumbbell, 100 SACK flows, 1 Gb/s, 60 s",
    "s1-10000": "dumbbell, 10 000 SACK flows, 1 Gb/s, 120 s",
    "s2": "NSFNET, 1586 Reno flows, six packets of buffer, 40 s",
}
"""The workloads of `bench/compare.py` on the pages, in their order."""
PEERS = ("photocol", "ns-2", "htsim")
AT_MOST = {"README.md": 90, "CHANGELOG.md": 80, "bench/README.md": 150, "docs/validation/speed.md": 150}
"""Lines of pages that grew into diaries once."""


def measured(workload: str) -> dict[str, dict[str, Any]]:
    [found] = [one for one in RESULTS["workloads"] if one["workload"] == workload]
    return dict(found["simulators"])


def millions(rate: float) -> str:
    return f"{rate / 1e6:.3g}"


def nanoseconds(span: float) -> str:
    return f"{span:.3g}" if span < 1000 else f"{span:.0f}"


def readme_row(workload: str) -> str:
    rates = [measured(workload)[peer]["packet_hops_per_cpu_s"] for peer in PEERS]
    cells = [*(millions(rate) for rate in rates), *(f"{rates[0] / rate:.2g}" for rate in rates[1:])]
    return f"| {LABELS[workload]} | {' | '.join(cells)} |"


def bench_row(workload: str) -> str:
    found = [measured(workload)[peer] for peer in PEERS]
    net = "packet_hops_per_cpu_s_net_of_set_up"
    rates = [f"{millions(one['packet_hops_per_cpu_s'])} ({millions(one[net])})" for one in found]
    memory = ", ".join(f"{one['peak_memory_bytes'] / 2**20:.0f}" for one in found)
    return f"| {LABELS[workload]} | {' | '.join(rates)} | {memory} |"


def engine_rows() -> list[str]:
    """The table of speed.md: instructions of the last line of the trend, rates of `photocol bench --json`."""
    with (BENCH / "trend.csv").open(newline="") as lines:
        *_, last = csv.DictReader(lines)
    column = {
        **{name: f"{name}_instructions" for name in ENGINE},
        "dumbbell-100": "s1_instructions",
        "nsfnet": "s2_instructions",
    }
    rows = []
    for name, one in ENGINE.items():
        counted, rate = last.get(column[name]), one["packet_hops_per_cpu_s"]
        if rate:  # One scenario has flows that have not started.
            instructions = f"{float(counted):.0f}" if counted else "–"
            rows.append(f"| {one['what']} (`{name}`) | {instructions} | {millions(rate)} | {nanoseconds(1e9 / rate)} |")
    return rows


def collective_rows() -> list[str]:
    """The table of collectives.md: the least CPU seconds of `bench/collectives.py` by case and simulator."""
    turns: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in COLLECTIVES["rows"]:
        assert row["is_done"], row
        turns.setdefault((row["case"], row["simulator"]), []).append(row)
    rows = []
    for (case, simulator), of in turns.items():
        cpu_s, memory = min(one["cpu_s"] for one in of), max(one["peak_memory_bytes"] for one in of)
        work_ms = 1e3 * of[0]["work_time_s"]
        rows.append(f"| {CASES[case]} | {simulator} | {cpu_s:.1f} | {memory / 1e6:.0f} | {work_ms:.2f} |")
    return rows


def words_of(page: str) -> str:
    """A page with one space between words, wherever its lines end."""
    return " ".join((ROOT / page).read_text().split())


def missing(page: str, rows: list[str]) -> list[str]:
    text = words_of(page)
    return [row for row in rows if row not in text]


def test_the_table_of_readme_is_the_measurement() -> None:
    assert missing("README.md", [readme_row(workload) for workload in LABELS]) == []


def test_the_table_of_bench_is_the_measurement() -> None:
    assert missing("bench/README.md", [bench_row(workload) for workload in LABELS]) == []
    said = (RESULTS["date"], f"{RESULTS['machine']['cores']} virtual CPUs", RESULTS["machine"]["processor"])
    assert missing("bench/README.md", list(said)) == []
    assert RESULTS["of_turns"] == "fastest"


def test_the_table_of_ndp_beside_htsim_is_the_measurement() -> None:
    """The row that is net of set-up is the difference of two; README has its multiple."""
    from processes import loaded

    data_centre = loaded(BENCH / "data_centre.py")
    rows = json.loads(data_centre.RECORD.read_text())["rows"]
    lines = data_centre.table(rows).splitlines()
    assert missing("docs/validation/peers.md", lines) == []
    net = [rows["permutation"][one]["cpu_s"] - rows["permutation-2MB"][one]["cpu_s"] for one in ("htsim", "photocol")]
    assert missing("README.md", [f"take htsim {net[0] / net[1]:.1f} times as many CPU seconds, net of set-up"]) == []


def test_a_rate_is_its_packet_hops_over_its_seconds() -> None:
    for workload in LABELS:
        for one in measured(workload).values():
            fastest = min(turn["cpu_s"] for turn in one["turns"])
            assert one["packet_hops_per_cpu_s"] == pytest.approx(one["packet_hops"] / fastest)


def test_the_table_of_speed_is_the_measurement() -> None:
    assert set(ENGINE) <= set(workloads.STANDARDS)
    assert missing("docs/validation/speed.md", engine_rows()) == []


def test_a_constellation_beside_ns3_is_the_measurement() -> None:
    """Ratios follow from the seconds and counts of the record, and the pages have them with two or three digits."""
    record = json.loads((BENCH / "constellation-ns3.json").read_text())
    own, other = (record["simulators"][name] for name in ("photocol", "ns-3"))
    for one in (own, other):
        assert one["hops_per_cpu_s"] == pytest.approx(one["packet_hops"] / one["cpu_s"])
    rates = [f"{one['hops_per_cpu_s'] / 1e6:#.3g} ({one['hops_per_cpu_s_net'] / 1e6:#.3g})" for one in (other, own)]
    assert missing("bench/README.md", [f"it made {rates[0]} and photocol {rates[1]}"]) == []
    apart = [
        f"{100 * abs(one / two - 1):.1f} %"
        for one, two in (
            (own["packet_hops"], other["packet_hops"]),
            (sum(own["acked_segments"]), sum(other["acked_segments"])),
        )
    ]
    flows = [abs(a - b) / max(a, b) for a, b in zip(own["acked_segments"], other["acked_segments"], strict=True)]
    assert len(flows) == record["flows"] == 100
    net = [one["hops_per_cpu_s_net"] / 1e6 for one in (other, own)]
    said = [
        f"{net[0]:.3g} million packet-hops per CPU second and photocol {net[1]:.3g} million, "
        f"{net[1] / net[0]:.0f} times as many",
        f"differ by {apart[0]}, acknowledged segments by {apart[1]}, and those of a flow by "
        f"{100 * statistics.median(flows):.0f} % in the median",
    ]
    assert missing("docs/guide/constellations.md", said) == []


def test_the_table_of_collectives_is_the_measurement() -> None:
    rows = collective_rows()
    assert len(rows) == len(CASES) + 1
    assert missing("docs/guide/collectives.md", [*rows, COLLECTIVES["date"]]) == []
    seconds = {row["simulator"]: row["cpu_s"] for row in COLLECTIVES["rows"] if row["case"] == "matrix"}
    times = f"htsim takes {seconds['htsim'] / seconds['photocol']:.1f} times as long"
    assert missing("docs/guide/collectives.md", [times]) == []


def test_a_hop_of_the_fat_tree_stands_beside_one_of_nsfnet_and_nowhere_else() -> None:
    page = (ROOT / "docs/validation/speed.md").read_text().splitlines()
    [place] = [number for number, line in enumerate(page) if "scenarios/fat-tree.toml`" in line]
    assert "(`nsfnet`)" in page[place - 1]
    *_, rate, span, _ = (cell.strip() for cell in page[place].split("|"))
    assert rate == millions(1e9 / float(span))
    assert f"{span} " not in words_of("docs/guide/data-centres.md")


def test_an_ack_costs_rr_tcp_in_order_as_many_times_sacks_as_bench_says() -> None:
    with (BENCH / "ack-cost.csv").open(newline="") as lines:
        cost = {(row["window"], row["recovery"]): float(row["instructions_per_ack"])
                for row in csv.DictReader(lines) if row["pattern"] == "in-order"}  # fmt: skip
    times = [cost[window, "rr-tcp"] / cost[window, "sack"] for window in ("100", "1000", "10000")]
    [said] = re.findall(r"In order an ACK costs ([\d.]+) times SACK's", words_of("bench/README.md"))
    assert min(times) - 0.06 < float(said) < max(times) + 0.06


@pytest.mark.parametrize("page", ["README.md", "docs/guide/why.md"])
def test_the_closed_forms_are_counted(page: str) -> None:
    models = len(json.loads(photocol("list", "models", "--json").stdout)["models"])
    assert {int(n) for n in re.findall(r"(\d+) closed(?:-form| form)", words_of(page))} == {models}


VERSIONS = {
    "Rust": tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"],
    "Python": tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">="),
}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/guide/start.md"])
def test_the_versions_needed_are_those_that_are_declared(page: str) -> None:
    named = re.findall(r"\b(Rust|Python) (\d+\.\d+)", words_of(page))
    assert named
    assert {(name, version) for name, version in named if version != VERSIONS[name]} == set()


def test_pages_stay_short() -> None:
    lines = {page: len((ROOT / page).read_text().splitlines()) for page in AT_MOST}
    assert {page: count for page, count in lines.items() if count > AT_MOST[page]} == {}


def test_every_idea_for_speed_has_its_ratio() -> None:
    with (BENCH / "tried.csv").open(newline="") as lines:
        rows = list(csv.reader(lines))
    assert rows[0] == ["date", "idea", "change", "ratio", "kept"]
    assert [row for row in rows[1:] if len(row) != 5 or not all(row) or row[4] not in ("yes", "no")] == []
    assert [row[0] for row in rows[1:]] == sorted(row[0] for row in rows[1:])
