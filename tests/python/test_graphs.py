"""Graphs of tasks in the forms of htsim and LogGOPSim, read and run on a star, with times by arithmetic."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import photocol
from photocol import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

PACKET_S, DELAY_S = 1e-4, 1e-3
"""1250 bytes, of which 1200 are payload, on 100 Mb/s; a link of the star."""


def star(file: Path, **work: Any) -> dict[str, Any]:
    return {
        "run": {"duration": "1 s"},
        "topology": {"kind": "star", "leaves": 8},
        "link_defaults": {"capacity": "100 Mbps", "delay": "1 ms", "buffer": "unlimited"},
        "transport": {
            "it": {
                "algorithm": "quic-newreno",
                "packet_size": "1250 B",
                "header": "50 B",
                "ack_size": "1 B",
                "paced": False,
                "initial_window": 1000,
            }
        },
        "traffic": [{"transport": "it", "work": {"file": str(file), **work}}],
    }


def times(file: Path, **work: Any) -> dict[str, tuple[float, float]]:
    """Start and end of each task by name."""
    tasks = photocol.run(star(file, **work)).probes["tasks"]
    return {name: (start, end) for name, start, end in tasks.select("name", "start_s", "end_s").iter_rows()}


def lasts(packets: int) -> float:
    """A transfer alone: its packets on a link, one more on the second link, two delays."""
    return (packets + 1) * PACKET_S + 2 * DELAY_S


BACK_S = 2 * DELAY_S
"""An ACK of a byte."""

CM = """Nodes 4
Connections 5
Triggers 3
0->1 id 1 start 0 size 12000 send_done_trigger 1
1->2 id 2 trigger 1 size 12000 send_done_trigger 2
2->3 id 3 start 5000000000 size 12000 send_done_trigger 2
3->0 id 4 trigger 2 size 12000 recv_done_trigger 3
0->2 id 5 trigger 3 size 12000
trigger id 1 oneshot
trigger id 2 barrier count 2
trigger id 3 oneshot
"""


def test_a_connection_matrix_goes_by_its_triggers(tmp_path: Path) -> None:
    file = tmp_path / "a.cm"
    file.write_text(CM)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = times(file)
    told = " ".join(str(one.message) for one in caught)
    assert "1 times recv_done_trigger is left out" in told
    assert "triggers that nothing fires, so that their flows never start: 3" in told
    step = lasts(10) + BACK_S
    close = {"rel": 1e-3}
    assert found["1"] == pytest.approx((0, step), **close)
    assert found["2"] == pytest.approx((step, 2 * step), **close)
    # It starts after 5 ms, and is done after flow 2.
    assert found["3"] == pytest.approx((5e-3, 5e-3 + step), **close)
    assert found["4"][0] == pytest.approx(max(2 * step, 5e-3 + step), **close)
    assert found["5"] == (None, None)


def test_a_multishot_lets_its_flows_go_one_by_one(tmp_path: Path) -> None:
    file = tmp_path / "a.cm"
    flows = [f"{i}->{i + 1} id {i + 1} start 0 size {1200 * 2 * (i + 1)} send_done_trigger 1" for i in range(2)]
    later = [f"{i + 3}->{i + 5} id {i + 11} trigger 1 size 2400" for i in range(2)]
    head = ["Nodes 8", "Connections 4", "Triggers 1"]
    file.write_text("\n".join([*head, *flows, *later, "trigger id 1 multishot"]))
    found = times(file)
    first, second = (lasts(packets) + BACK_S for packets in (2, 4))
    assert found["11"][0] == pytest.approx(first, rel=1e-3)
    assert found["12"][0] == pytest.approx(second, rel=1e-3)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Connections 5", "Connections 6", "a.cm:1: Connections says 6, the file has 5"),
        ("Triggers 3", "Triggers 4", "a.cm:1: Triggers says 4, the file has 3"),
        ("trigger id 3 oneshot", "trigger id 2 oneshot", "a.cm:11: trigger 2 is there already, in line 10"),
        ("id 5 trigger 3", "id 5 trigger 9", "a.cm:8: trigger: there is no trigger 9"),
        ("id 1 start 0", "id 1 start 0 trigger 2", "found start and trigger, or neither"),
        ("0->2 id 5", "0->9 id 5", "a.cm:8: node: found"),
        ("0->2 id 5", "2->2 id 5", "allowed: two nodes"),
        ("0->2 id 5", "0->2 id 4", "a.cm:8: id 4 is there already, in line 7"),
        ("barrier count 2", "barrier count 1", "a.cm:10: trigger 2 is fired 2 times; allowed: 1, htsim stops there"),
        ("size 12000 send_done_trigger 1", "size 0 send_done_trigger 1", "a.cm:4: size: found none"),
        ("trigger id 3 oneshot", "failure switch_type TOR", "found a failure"),
        ("trigger id 3 oneshot", "trigger id 3 twice", "a.cm:11: found"),
    ],
)
def test_a_wrong_matrix_is_refused_with_its_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "a.cm"
    assert old in CM
    file.write_text(CM.replace(old, new, 1))
    with pytest.raises(ScenarioError) as error:
        photocol.check(star(file))
    assert told in str(error.value).replace(":1: traffic.0.work.file:", ":")


GOAL = """num_ranks 3
// a message, a computation, and what waits for them
rank 0 {
l1: send 12000b to 1 tag 5
l2: calc 4000000 cpu 1
l3: calc 1000000
l3 requires l1
l4: send 2400b to 2 tag 7
l4 requires l2
l4 irequires l3
}
rank 1 {
l1: recv 12000b from -1 tag -1
l2: calc 2000000 /* 2 ms
in nanoseconds */
l2 requires l1
}
rank 2 {
l1: recv 2400b from 0 tag 7
}
"""


def test_goal_is_run_as_it_is_meant(tmp_path: Path) -> None:
    file = tmp_path / "a.goal"
    file.write_text(GOAL)
    found = times(file)
    close = {"rel": 1e-3}
    first = lasts(10)
    assert found["r0.l1"] == pytest.approx((0, first), **close)
    assert found["r1.l1"] == pytest.approx((0, first), **close)
    assert found["r1.l2"] == pytest.approx((first, first + 2e-3), **close)
    assert found["r0.l2"] == pytest.approx((0, 4e-3), **close)
    assert found["r0.l3"] == pytest.approx((first, first + 1e-3), **close)
    begins = max(4e-3, first)
    assert found["r0.l4"] == pytest.approx((begins, begins + lasts(2)), **close)
    assert found["r2.l1"][1] == pytest.approx(begins + lasts(2), **close)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("l2 requires l1", "l2 requires l9", "a.goal:16: there is no label l9 above in this rank"),
        ("l3: calc", "l2: calc", "a.goal:6: the label l2 is there already, in line 5"),
        ("to 2 tag 7", "to 3 tag 7", "a.goal:8: rank: found"),
        ("l1: recv 2400b from 0 tag 7\n", "", "a.goal:8: rank 2 has 1 messages more than receives"),
        ("12000b to", "12000 to", "a.goal:4: found"),
        ("rank 1 {", "rank 0 {", "a.goal:12: rank: found"),
        ("l4 requires l2", "l1 requires l4", "tasks wait for one another"),
        ("tag 7\n}\n", "tag 7\n", "the file ends within a rank"),
        ("num_ranks 3", "num_ranks x", "a.goal:1: num_ranks: found"),
    ],
)
def test_a_wrong_goal_is_refused_with_its_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "a.goal"
    assert old in GOAL
    text = GOAL.replace(old, new) if "}" in old else GOAL.replace(old, new, 1)
    file.write_text(text)
    with pytest.raises(ScenarioError) as error:
        photocol.check(star(file))
    assert told in str(error.value).replace(":1: traffic.0.work.file:", ":")


def test_a_file_that_names_too_many_ranks_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.goal"
    file.write_text("num_ranks 20\nrank 0 {\nsend 5b to 19\n}\nrank 19 {\nrecv 5b from 0\n}\n")
    with pytest.raises(ScenarioError, match="there are 20 ranks; allowed: 2 to 8"):
        photocol.check(star(file))
    with pytest.raises(ScenarioError, match="does not go with a file"):
        photocol.check(star(file, chunks=4))


@given(st.text(alphabet="rank {}0123456789-> idsztrgecvlmbofp:\n", max_size=200), st.sampled_from([".cm", ".goal"]))
def test_no_text_is_more_than_wrong(text: str, ending: str) -> None:
    import tempfile
    from pathlib import Path

    head = {".cm": "Nodes 4\nConnections 1\n", ".goal": "num_ranks 2\n"}[ending]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"a{ending}"
        file.write_text(head + text)
        try:
            photocol.check(star(file))
        except ScenarioError as error:
            assert f"a{ending}" in str(error)
