"""Frame schedules from Python and from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from command import photocol
from hypothesis import given, settings
from hypothesis import strategies as st

import photocol as package
from photocol import InputError, control
from photocol.cli import DONE, WRONG_INPUT

if TYPE_CHECKING:
    from pathlib import Path

SMALL = [[0, 4, 1], [2, 0, 0], [0, 3, 0]]


def test_bvn_serves_everything_in_as_many_slots_as_the_longest_line() -> None:
    plan = package.schedule(SMALL, 8, "bvn")
    assert (plan.length, plan.longest_line, plan.served) == (7, 7, 10)
    assert plan.granted.tolist() == SMALL
    assert plan.connections(7) == [-1, -1, -1]
    for slot in range(plan.frame):
        used = [output for output in plan.connections(slot) if output >= 0]
        assert len(used) == len(set(used))


def test_an_overload_is_shared_max_min() -> None:
    # Column 0 is shared by two, 5 slots each; what that leaves of row 0 goes to its other entry.
    assert control.share([[100, 100], [100, 0]], 10).tolist() == [[5, 5], [5, 0]]
    plan = package.schedule([[100, 100], [100, 0]], 10)
    assert plan.granted.tolist() == [[5, 5], [5, 0]]
    assert plan.served_share == pytest.approx(15 / 300)


def test_a_scheduler_goes_on_where_it_stopped() -> None:
    rotor = control.Scheduler("rotor")
    first, second = rotor.schedule(np.zeros((3, 3), int), 1), rotor.schedule(np.zeros((3, 3), int), 1)
    assert (first.connections(0), second.connections(0)) == ([1, 2, 0], [2, 0, 1])


def test_requests_follow_what_arrived() -> None:
    last, smoothed = control.Demand(), control.Demand("smoothed", shift=1)
    for slots in (8, 8, 0):
        last.observe(slots)
        smoothed.observe(slots)
    assert (last.request, smoothed.request) == (0, 3)


def test_a_rising_demand_is_predicted() -> None:
    smoothed, predicted = control.Demand("smoothed"), control.Demand("predicted")
    for slots in range(0, 300, 3):
        smoothed.observe(slots)
        predicted.observe(slots)
    assert abs(predicted.request - 300) <= 1
    assert smoothed.request < 297


def test_an_overload_is_shared_by_weight() -> None:
    shared = control.share([[90, 90], [0, 0]], 12, weights=[[3, 1], [0, 0]])
    assert shared.tolist() == [[9, 3], [0, 0]]


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 12).flatmap(
        lambda nodes: st.lists(
            st.lists(st.integers(0, 20), min_size=nodes, max_size=nodes), min_size=nodes, max_size=nodes
        )
    ),
    st.sampled_from(["bvn", "greedy", "round-robin", "islip", "rotor"]),
    st.integers(1, 60),
)
def test_blocks_and_grants_agree(rows: list[list[int]], algorithm: str, frame: int) -> None:
    plan = package.schedule(rows, frame, algorithm)
    granted = np.zeros((len(rows), len(rows)), dtype=int)
    for slots, outputs in zip(plan.slots, plan.outputs, strict=True):
        for row, column in enumerate(outputs):
            if column >= 0:
                granted[row, column] += slots
    assert (granted == plan.granted).all()
    assert plan.served == np.minimum(granted, rows).sum()
    assert plan.slots.sum() == plan.length <= frame


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        ([], "a request matrix is a list of rows"),
        ([[1, 2], [3]], "row 1 has 1 entries; allowed: 2"),
        ([[1, 2, 3], [4, 5, 6]], "row 0 has 3 entries; allowed: 2"),
        ([[1, -2], [3, 4]], "row 0, column 1: found -2; allowed: 0 to 4294967295"),
        ([[1, 2**32], [3, 4]], "row 0, column 1: found 4294967296"),
        ([[10**30]], "a number of more than 18 digits"),
        ([[1.5]], "row 0, column 0: found 1.5"),
        ([[True]], "row 0, column 0: found True"),
        ([[None]], "found None"),
        (["ab", "cd"], "row 0 is not a list"),
        ({"a": 1}, "a request matrix is a list of rows"),
        (np.zeros((2, 2)), "type float64"),
        (np.zeros(4, int), "1 dimensions"),
        (np.array([[0, -1], [0, 0]]), "row 0, column 1: found -1"),
        (np.zeros((2, 3), int), "2 rows has 3 columns"),
        (np.zeros((0, 0), int), "0 nodes"),
        (np.zeros((5000, 5000), np.uint8), "5000 nodes"),
    ],
)
def test_what_is_no_matrix_says_where(matrix: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        package.schedule(matrix, 8)


@pytest.mark.parametrize(
    ("frame", "algorithm", "reason"),
    [
        (0, "bvn", "a frame of 0 slots"),
        (-1, "bvn", "a frame of -1 slots"),
        (2**21, "bvn", "a frame of 2097152 slots; allowed: 1 to 1048576"),
        (10**40, "bvn", "a frame of 1000"),
        (8, "qbvn", "'qbvn' is unknown; nearest: bvn; there are: bvn, greedy, round-robin, islip, rotor"),
    ],
)
def test_wrong_arguments_are_named(frame: int, algorithm: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        package.schedule(SMALL, frame, algorithm)


def test_the_command_prints_a_schedule(tmp_path: Path) -> None:
    file = tmp_path / "requests.json"
    file.write_text(json.dumps(SMALL))
    shown = photocol("schedule", file, "--frame", "8", "--algorithm", "greedy")
    assert shown.returncode == DONE
    assert shown.stdout.startswith("greedy: 3 nodes; 7 of 8 slots are used, 10 of 10 requested slots served (100.0%)")
    plan = json.loads(photocol("schedule", file, "--frame", "8", "--json").stdout)
    assert (plan["algorithm"], plan["length_slots"], plan["served_slots"]) == ("bvn", 7, 10)
    assert sum(block["slots"] for block in plan["blocks"]) == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", ":1:1: not JSON"),
        ("[[1, NaN], [0, 0]]", "found NaN; allowed: whole numbers"),
        ("[[1, Infinity], [0, 0]]", "found Infinity"),
        ("[[1, 1e400], [0, 0]]", "found 1e400"),
        ("[[1, 2.0], [0, 0]]", "found 2.0"),
        ("[[1, 2], [3]]", "row 1 has 1 entries"),
        ("[[1, -2], [3, 4]]", "row 0, column 1: found -2"),
        ('[["1", 2], [3, 4]]', "row 0, column 0: found '1'"),
        ("[" + "[" * 100_000, "nested too deeply"),
        ("[[" + "9" * 5000 + "]]", "digits"),
        ('{"requests": []}', "a list of rows"),
        ("\xff", "not JSON"),
    ],
)
def test_a_bad_file_is_one_message_and_status_2(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "requests.json"
    file.write_bytes(text.encode("latin-1"))
    done = photocol("schedule", file, "--frame", "8")
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert "requests.json" in done.stderr
    assert reason in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_missing_files_and_wrong_names_are_status_2(tmp_path: Path) -> None:
    absent = photocol("schedule", tmp_path / "absent.json", "--frame", "8")
    assert (absent.returncode, "absent.json: cannot be read" in absent.stderr) == (WRONG_INPUT, True)
    file = tmp_path / "requests.json"
    file.write_text("[[1]]")
    for words in (["--frame", "0"], ["--frame", "8", "--algorithm", "bvm"], []):
        assert photocol("schedule", file, *words).returncode == WRONG_INPUT


def test_schedulers_are_listed() -> None:
    listed = photocol("list", "schedulers").stdout
    for name in ("bvn", "greedy", "round-robin", "islip", "rotor"):
        assert f"\n  {name}" in listed


def test_requests_are_no_device() -> None:
    """/dev/zero never ends."""
    done = photocol("schedule", "/dev/zero", "--frame", "3")
    assert (done.returncode, done.stderr) == (WRONG_INPUT, "/dev/zero is not a file but a device or a pipe\n")
