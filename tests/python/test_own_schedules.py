"""One's own table of circuits is the schedule that it says, in any spelling; the guide's commands and files hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import photocol as command_line
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import photocol
from photocol import InputError
from photocol.conversions.weeks import is_week, read_week

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "my-schedule.md"
US = 1_000_000
"""Picoseconds."""
EXPECTED = [(0, 20 * US, 180 * US, [1, 0, -1]), (0, 220 * US, 180 * US, [2, -1, 0])]
"""0 and 1 from 20 to 200 us, 0 and 2 from 220 to 400 us."""
SAME = {
    "ms": "start_ms,end_ms,from,to\n0.02,0.2,t0,t1\n0.02,0.2,t1,t0\n.22,.4,t0,t2\n0.22,4e-1,t2,t0\n",
    "us": "start_us;end_us;from;to\n20;200;0;1\n20;200;1;0\n220;400;0;2\n220;400;2;0\n",
    "ns, in brackets": "Start (ns)\tEnd (ns)\tSource\tTarget\n20000\t200000\t0\t1\n20000\t200000\t1\t0\n"
    "220000\t400000\t0\t2\n220000\t400000\t2\t0\n",
    "a unit in each field": "start,end,src,dst\n20 us,0.2 ms,tor0,tor1\n20us,200us,tor1,tor0\n"
    "0.22 ms,0.4 ms,tor0,tor2\n220000 ns,400 us,tor2,tor0\n",
    "seconds": "begin end from to\n20e-6 200e-6 0 1\n0.00002 0.0002 1 0\n0.00022 0.0004 0 2\n0.00022 0.0004 2 0\n",
    "other order, switch, dark rows, comments": "# mine\nswitch,to,from,end_us,start_us\n0,2,0,400,220\n\n"
    "0,0,2,400,220\n0,-,1,400,220\n0,1,0,200,20\n0,0,1,200,20\n",
}


def table(place: Path, text: str) -> Path:
    file = place / "own.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", SAME)
def test_every_spelling_is_the_same_week(name: str, tmp_path: Path) -> None:
    file = table(tmp_path, SAME[name])
    assert is_week(file)
    week = read_week(file)
    assert (week.ports, week.week_ps, week.holds) == (3, 400 * US, EXPECTED)


def test_rows_of_both_ways_are_half_as_many(tmp_path: Path) -> None:
    file = table(tmp_path, "start_us,end_us,from,to\n20,200,0,1\n220,400,0,2\n")
    assert read_week(file, both_ways=True).holds == EXPECTED
    assert read_week(file).holds[0][3] == [1, -1, -1]
    assert read_week(file, ports=5, week="1 ms").ports == 5
    assert read_week(file, week="1 ms").week_ps == 1000 * US


def test_a_matching_changes_where_one_of_its_circuits_does(tmp_path: Path) -> None:
    """0 to 1 from 0 to 30, 2 to 3 from 10 to 20: three matchings."""
    week = read_week(table(tmp_path, "start_us,end_us,from,to\n0,30,0,1\n10,20,2,3\n"))
    assert [(start // US, lasts // US, outputs) for _, start, lasts, outputs in week.holds] == [
        (0, 10, [1, -1, -1, -1]),
        (10, 10, [1, -1, 3, -1]),
        (20, 10, [1, -1, -1, -1]),
    ]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("20,10,0,1", r"own\.csv:2: the circuit ends before it starts"),
        ("0,10,0,1\n5,15,0,2", r"own\.csv:3: an end of this circuit has the one of line 2 at the same time.*`switch`"),
        ("0,10,0,1\n5,15,2,1", r"own\.csv:3: an end of this circuit has the one of line 2"),
        ("0,10,0,1\n5,15,0,1", r"own\.csv:3: the circuit overlaps the same one of line 2"),
        ("0,10,1,1", r"own\.csv:2: found a circuit from \"1\" to itself"),
        ("0,10,a,b", r"own\.csv:2: found the port \"a\"; allowed: a number, or a name that ends in one"),
        ("0,10,t0,rack1", r"own\.csv:2: found the port \"rack1\"; allowed: numbers behind \"t\", as in line 2"),
        ("0,10,0,99999", r"own\.csv:2: port: found \"99999\"; allowed: a whole number from 0 to 4095"),
        ("0,x,0,1", r"own\.csv:2: end: found \"x\""),
        ("0,10,0,", r"own\.csv:2: the column \"target\" is missing or empty"),
        ("0,10,0,-", r"own\.csv:1: there are no circuits"),
        (
            "0,10,0,1\n0,70e6,2,3",
            r"own\.csv:3: the circuit ends after 70 s; allowed: at most 60 s.*start_us and end_us",
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_line(rows: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        read_week(table(tmp_path, f"start_us,end_us,from,to\n{rows}\n"))


@pytest.mark.parametrize(
    ("rows", "line", "dark"),
    [
        ("0,10,0,1\n0,20,2,3", 3, 0),
        ("0,10,0,1\n5,10,2,3", 3, 0),
        ("0,10,0,1\n14,20,0,2", 3, 4),
        ("0,30,0,1\n10,20,2,3", 3, 0),
        ("0,10,0,1\n14,20,0,1", None, 4),
        ("0,10,0,1\n15,20,0,2", None, 5),
    ],
)
def test_circuits_of_a_switch_that_is_dark_between_them_begin_and_end_together(
    rows: str, line: int | None, dark: int, tmp_path: Path
) -> None:
    file = table(tmp_path, f"start_us,end_us,from,to\n{rows}\n")
    assert read_week(file).week_ps in (10 * US, 20 * US, 30 * US)
    if line is None:
        assert len(read_week(file, reconfiguration="5 us").holds) == 2
        return
    reason = (
        rf"own\.csv:{line}: switch 0 joins other ports at .*, {dark} us after the last ones; allowed: at least 5 us"
    )
    with pytest.raises(InputError, match=reason):
        read_week(file, reconfiguration="5 us")


PIECES = ["", "-", "0", "9999999999", "1e9", "nan", ",", "\n", '"', "t", " us", "\x00", "switch", "-1"]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(SAME)), place=st.floats(0, 1), length=st.integers(0, 6), piece=st.sampled_from(PIECES)
)
def test_a_table_with_a_place_changed_is_a_week_or_refused(
    tmp_path: Path, name: str, place: float, length: int, piece: str
) -> None:
    text = SAME[name]
    at = int(place * len(text))
    file = table(tmp_path, text[:at] + piece + text[at + length :])
    try:
        if not is_week(file):
            return
        week = read_week(file)
    except InputError as error:
        assert str(file) in str(error)
        return
    assert week.ports <= 4096
    for _, start, lasts, outputs in week.holds:
        assert 0 <= start < start + lasts <= week.week_ps
        used = [one for one in outputs if one >= 0]
        assert len(set(used)) == len(used)
        assert (len(outputs), max(used) < week.ports) == (week.ports, True)


def test_choices_that_do_not_fit_are_told(tmp_path: Path) -> None:
    file = table(tmp_path, SAME["us"])
    with pytest.raises(InputError, match=r"own\.csv:4: the circuit ends behind the week of 300 us"):
        read_week(file, week="300 us")
    with pytest.raises(InputError, match=r"ports is 2; allowed: 3 to 4096"):
        read_week(file, ports=2)
    for words, reason in (
        (["schedule"], "without DEMAND there is --from FILE"),
        (["schedule", "--from", str(file), "--reconfiguration", "30 us"], "allowed: at least 30 us"),
        (["schedule", "--from", str(file), "--reconfiguration", "soon"], 'reconfiguration: found "soon"; allowed: '),
        (["schedule", "--from", str(file), "--switches", "2"], "--switches is for schedules that are made"),
    ):
        done = command_line(*words)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


def blocks(kind: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [text for word, text in fenced if word == kind]


def test_the_guide_does_what_it_says(tmp_path: Path) -> None:
    circuits, week, rotor, turns = blocks("text")
    (tmp_path / "circuits.csv").write_text(circuits)
    (tmp_path / "rotor.csv").write_text(rotor)
    commands = [line for block in blocks("") for line in block.splitlines() if line.startswith("photocol ")]
    assert len(commands) == 2
    for line in commands:
        words = [one.strip('"') for one in re.findall(r'"[^"]*"|\S+', line)[1:]]
        done = command_line(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "racks-week.csv").read_text() == week
    assert (tmp_path / "turns.csv").read_text() == turns
    for text in blocks("toml"):
        file = tmp_path / "scenario.toml"
        file.write_text(text)
        result = photocol.run(file)
        assert result.summary["goodput"] > 1e9 or result.summary["flows_completed"] == 6
        switches = tomllib.loads(text)["topology"].get("switches", 1)
        assert drawn(file) == (tomllib.loads(text)["topology"]["racks"], switches)


def drawn(file: Path) -> tuple[int, int]:
    from photocol.runs.scenario import load

    found: Any = load(file).circuits()
    return len(found[0]), len(found[1])
