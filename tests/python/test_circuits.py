"""Schedules of circuits from Python and from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from command import photocol

from photocol import InputError, control
from photocol.cli import DONE, WRONG_INPUT
from photocol.transport import circuits

if TYPE_CHECKING:
    from pathlib import Path

US = 10**6
"""Picoseconds."""
RING = [[0, 4_000_000, 0], [0, 0, 5_000_000], [3_000_000, 0, 0]]
"""Bytes; at 100 Gb/s they take 320, 400 and 240 µs."""


def test_a_ring_is_one_matching_as_long_as_its_largest_entry() -> None:
    plan = control.circuit_schedule(RING, "bvn", week="2 ms", reconfiguration="20 us")
    assert plan.holds == [control.Hold(0, 20 * US, 400 * US, [1, 2, 0])]
    assert (plan.ports, plan.switches, plan.week_ps, plan.length_ps) == (3, 1, 2000 * US, 420 * US)
    assert plan.duty == pytest.approx(0.2)
    coverage = plan.coverage(RING, "100 Gbps", "10 Gbps")
    assert coverage.share == 1.0
    # The scale is that of the entry of 5 MB; the packet network carries 10 Gb/s for 2 ms.
    assert (coverage.scale, coverage.packet_bytes, coverage.fits) == (1.0, 2_500_000, True)


def test_a_short_week_leaves_the_rest_to_the_packet_network() -> None:
    # 200 µs are 180 µs of light, 2.25 MB of each entry.
    plan = control.circuit_schedule(RING, week=200e-6, reconfiguration=20e-6, packet_capacity=0)
    coverage = plan.coverage(RING, 100e9, "100 Gbps")
    assert coverage.carried.tolist() == [[0, 2_250_000, 0], [0, 0, 2_250_000], [2_250_000, 0, 0]]
    assert coverage.longest_left_bytes == 2_750_000
    assert (coverage.packet_bytes, coverage.fits) == (2_500_000, False)
    assert coverage.to_dict()["left_bytes"] == 12_000_000 - 3 * 2_250_000


@pytest.mark.parametrize("name", ["week.csv", "week.json"])
def test_a_schedule_is_read_as_it_was_written(name: str, tmp_path: Path) -> None:
    plan = control.circuit_schedule(np.zeros((8, 8)), "opera", slice="10 us", reconfiguration="1 us", switches=3)
    plan.save(tmp_path / name)
    again = control.read_circuits(tmp_path / name)
    assert (again.holds, again.week_ps, again.reconfiguration_ps) == (plan.holds, plan.week_ps, plan.reconfiguration_ps)
    assert (again.light == plan.light).all()


def test_a_demand_is_scaled_to_a_load() -> None:
    # The longest line is column 1: 3. Half of 2 · 100 Gb/s · 1 ms / 8 are 12.5 MB.
    scaled = control.scaled_demand([[0, 1.0], [0.5, 2]], 0.5, week_ps=1000 * US, capacity="100 Gbps", switches=2)
    assert scaled.tolist() == [[0, 4_166_667], [2_083_333, 8_333_333]]
    assert control.scaled_demand([[0, 0], [0, 0]], 1, week_ps=1, capacity=1).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(InputError, match="a load of nan; allowed: more than 0, at most 1000"):
        control.scaled_demand(RING, float("nan"), week_ps=1, capacity=1)


@pytest.mark.parametrize(
    ("demand", "options", "reason"),
    [
        ([[0, -1], [1, 0]], {}, "row 0, column 1: found -1; allowed: 0 to"),
        ([[0, float("nan")], [1, 0]], {}, "row 0, column 1: found nan; allowed: 0 to"),
        ([[0, float("inf")], [1, 0]], {}, "row 0, column 1: found inf"),
        ([[0, "1"], [1, 0]], {}, "row 0, column 1: found '1'"),
        ([[0, 0.5], [1, 0]], {}, "row 0, column 1: found 0.5; allowed: whole bytes, or numbers with a load"),
        ([[0, 1], [1]], {}, "row 1 has 1 entries; allowed: 2"),
        ([], {}, "a demand is a list of rows"),
        ([[1]], {}, "1 ports; allowed: 2 to 4096"),
        (RING, {"switches": 4}, "4 switches; allowed: 1 to 3, one for each port"),
        (RING, {"switches": -1}, "-1 switches; allowed: 1 or more"),
        (RING, {"reconfiguration": "2 ms"}, "a week of 1 ms; allowed: longer than the reconfiguration"),
        (RING, {"reconfiguration": "-2 ms"}, "reconfiguration is '-2 ms': must not be negative"),
        (RING, {"reconfiguration": float("nan")}, "reconfiguration is NaN s; allowed: 0 to 60 s"),
        (RING, {"week": "1 fortnight"}, "week is '1 fortnight': unknown unit"),
        (RING, {"week": "2 h"}, "a week of 7200 s; allowed: longer"),
        (RING, {"week": None}, "the rule solstice needs a week"),
        (RING, {"capacity": "0 bps"}, "circuits of 0 bps"),
        (RING, {"capacity": 1}, "row 0, column 1: found 4000000 B; allowed: 0 to 7 B"),
        (RING, {"algorithm": "sunrise"}, "rule 'sunrise' is unknown; there are: solstice, bvn, eclipse"),
        (RING, {"algorithm": "random"}, "3 ports for the rule random; allowed: an even number"),
        (RING, {"threshold": "low"}, "threshold is 'low'; allowed: power-of-two, largest"),
        (RING, {"hold": "1 us"}, "hold is no reading of the rule solstice; allowed: remainder, stuffing, threshold"),
        (RING, {"slice": "1 us"}, "a slice for the rule solstice, whose matchings last as the demand says"),
        (RING, {"seed": -1}, "seed is -1; allowed: 0 or more"),
    ],
)
def test_wrong_input_is_named_with_what_is_allowed(demand: Any, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        control.circuit_schedule(demand, **{"week": "1 ms", **options})
    assert reason in str(caught.value)


GOOD = {"ports": 2, "week_ps": 100, "reconfiguration_ps": 5}


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("s.csv", "a\n", "s.csv: line 1: found 'a'; allowed: week_ps,"),
        ("s.json", "[", "s.json:1:2: not JSON"),
        ("s.json", "[]", "s.json: no schedule of circuits; allowed: an object with ports"),
        ("s.json", json.dumps({"holds": []}), "s.json: the schedule: ports is None; allowed: a whole number"),
        ("s.json", json.dumps({**GOOD, "holds": [1]}), "s.json: matching 0: allowed: an object with switch"),
        (
            "s.json",
            json.dumps({**GOOD, "holds": [{"switch": 0, "start_ps": 9, "length_ps": 92, "outputs": [1, 0]}]}),
            "s.json: switch 0, matching 0: from 9 ps for 92 ps; allowed: more than 0 ps, within 100 ps",
        ),
        (
            "s.json",
            json.dumps({**GOOD, "holds": [{"switch": 0, "start_ps": 9, "length_ps": 9, "outputs": [1, "a"]}]}),
            "s.json: matching 0: outputs; allowed: a list of ports, -1 for none",
        ),
        (
            "s.json",
            json.dumps({**GOOD, "holds": [{"switch": 9, "start_ps": 9, "length_ps": 9, "outputs": [1, 0]}]}),
            "s.json: 3 switches; allowed: 1 to 2",
        ),
        (
            "s.json",
            json.dumps(
                {
                    **GOOD,
                    "ports": 10**15,
                    "holds": [{"switch": 10**14, "start_ps": 9, "length_ps": 9, "outputs": [1, 0]}],
                }
            ),
            "s.json: 1000000000000000 ports; allowed: 2 to 4096",
        ),
    ],
)
def test_wrong_files_are_named_with_what_is_allowed(name: str, text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        control.read_circuits(tmp_path / name)
    assert reason in str(caught.value)


def test_the_command_prints_a_schedule_and_what_is_left(tmp_path: Path) -> None:
    file, week = tmp_path / "demand.csv", tmp_path / "week.csv"
    file.write_text("0,4000000,0\n0,0,5000000\n3000000,0,0\n")
    words = ["--week", "200 us", "--reconfiguration", "20 us", "--packet-capacity", "10 Gbps"]
    shown = photocol("schedule", file, *words, "-o", week)
    assert shown.returncode == DONE, shown.stderr
    assert shown.stdout.splitlines() == [
        "solstice: 3 ports, 1 switch; week 200 µs, light until 200 µs, dark time 20 µs, duty 90.0%",
        "switch  from        for         output of each input",
        "0       20 µs       180 µs      1 2 0",
        "circuits carry 56.2% of 12 MB",
        "5.25 MB are left for the packet network, at most 2.75 MB of a port, which carries 250 kB: too little",
        "circuits alone carry the demand times 0.45 (throughput of single hops)",
    ]
    found = json.loads(photocol("schedule", file, *words, "--json").stdout)
    assert (found["demand_bytes"], found["left_bytes"], found["fits"]) == (12_000_000, 5_250_000, False)
    assert found["holds"] == [{"switch": 0, "start_ps": 20 * US, "length_ps": 180 * US, "outputs": [1, 2, 0]}]
    again = json.loads(photocol("schedule", file, "--from", week, "--json").stdout)
    assert (again["holds"], again["share"]) == (found["holds"], found["share"])


def test_the_command_scales_relative_demands(tmp_path: Path) -> None:
    """A uniform demand as large as the circuits, in turn: d = 9/10 of it is carried (issue's closed form)."""
    file = tmp_path / "uniform.mat"
    file.write_text("\n".join(" ".join("0.0" if i == j else "0.2" for j in range(6)) for i in range(6)))
    words = ["--algorithm", "round-robin", "--slice", "10 us", "--reconfiguration", "1 us", "--load", "1"]
    found = json.loads(photocol("schedule", file, *words, "--switches", "2", "--json").stdout)
    assert (found["week_ps"], found["duty"]) == (50 * US, pytest.approx(0.9))
    assert found["share"] == pytest.approx(0.9, abs=1e-9)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "say what is to be scheduled: --frame F"),
        *(
            (["--frame", "3", *words], f"{words[0]} is for schedules of circuits; with --frame there are slots")
            for words in (
                ["--week", "1 ms"],
                ["--slice", "1 ms"],
                ["--reconfiguration", "1 us"],
                ["--switches", "1"],
                ["--capacity", "1 Gbps"],
                ["--packet-capacity", "1 Gbps"],
                ["--load", "0.5"],
                ["--set", "seed=1"],
                ["--from", "week.csv"],
                ["--output", "week.csv"],
            )
        ),
        *(
            (["--from", "week.csv", *words], f"{words[0]} is for schedules that are made; with --from the file is one")
            for words in (["--switches", "2"], ["--algorithm", "bvn"], ["--set", "seed=1"])
        ),
        (["--week", "1 ms", "--set", "seed=x"], "seed is 'x'; allowed: a whole number"),
        (["--week", "1 ms", "--set", "week=2"], "--set week=…: allowed: --week"),
        (["--week", "1 ms", "--set", "threshold=x"], "threshold is 'x'; allowed: power-of-two, largest"),
        (["--week", "1 ms", "--reconfiguration", "1 ms"], "a week of 1 ms; allowed: longer than"),
        (["--week", "1 ms", "--load", "-1"], "a load of -1; allowed: more than 0"),
    ],
)
def test_wrong_command_lines_are_status_2(words: list[str], reason: str, tmp_path: Path) -> None:
    file = tmp_path / "demand.json"
    file.write_text(json.dumps(RING))
    done = photocol("schedule", file, *words)
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 1\n1\n", "row 1 has 1 entries; allowed: 2"),
        ("0 nan\n1 0\n", "row 0, column 1: found nan; allowed: 0 to 2^53"),
        ("0 -1\n1 0\n", "row 0, column 1: found -1.0; allowed: 0 to 2^53"),
        ("0 x\n1 0\n", "row 0, column 1: found 'x'; allowed: 0 to 2^53"),
        ("0 0.5\n1 0\n", "row 0, column 1: found 0.5; allowed: whole bytes"),
        ("[[0, 1], [NaN, 0]]", "row 1, column 0: found nan"),
        ("", "a demand is a list of rows"),
    ],
)
def test_wrong_demands_are_named_with_their_file(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "demand.txt"
    file.write_text(text)
    done = photocol("schedule", file, "--week", "1 ms")
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert f"demand.txt: {reason}" in done.stderr


def test_the_rules_are_listed_and_each_knows_its_readings() -> None:
    listed = json.loads(photocol("list", "circuit-schedules", "--json").stdout)["circuit-schedules"]
    assert {one["name"] for one in listed} == set(circuits._READINGS)
