"""Window laws of today in the simulator: the queue that their sources promise, and what is refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import photocol
from photocol import ScenarioError
from photocol._core import Scenario, catalogue
from photocol.runs.scenario import load

if TYPE_CHECKING:
    from pathlib import Path

PACKETS_PER_S = 100e6 / 8 / 1500
RTT_S = 18e-3
FLOWS = 4


def run(algorithm: str, queue: dict[str, Any] | None = None, **keys: Any) -> photocol.Result:
    """Four flows over 100 Mb/s with a round trip of 18 ms, for ten seconds of which four do not count."""
    ends = {"from": "left", "to": "right", "duplex": False}
    return photocol.run(
        {
            "run": {"duration": "10 s", "warm_up": "4 s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": FLOWS,
                "bottleneck_capacity": "100 Mbps",
                "bottleneck_delay": "8 ms",
                "bottleneck_buffer": "200 packets",
                "access_delay": "0.5 ms",
                "access_buffer": "unlimited",
            },
            "transport": {"law": {"algorithm": algorithm, **keys}},
            "traffic": [{"transport": "law", "pairs": [[f"l{i}", f"r{i}"] for i in range(FLOWS)], "flows": FLOWS}],
            "link": [{**ends, "queue": queue}] if queue else [],
        },
        seed=1,
    )


def bottleneck(result: photocol.Result) -> dict[str, Any]:
    """The row of the bottleneck."""
    return result.links.row(by_predicate=pl.col("link") == "left->right", named=True)


def test_dctcps_queue_is_about_k_packets() -> None:
    # Alizadeh et al. 2010 §3.3: at most K + N packets, swinging by A = ½ √(2 N (C RTT + K)): 24 and 18 here.
    k = 20
    found = bottleneck(run("dctcp", {"kind": "step", "threshold": f"{k} packets"}))
    swing = math.sqrt(2 * FLOWS * (PACKETS_PER_S * RTT_S + k)) / 2
    assert found["mean_queue"] == pytest.approx(k + FLOWS - swing / 2, abs=6)
    assert found["max_queue"] < 2 * k
    assert found["dropped_units"] == 0
    assert found["utilization"] > 0.98


def test_bbr_fills_the_path_without_losses_and_vegas_with_a_short_queue() -> None:
    bbr, vegas = (bottleneck(run(algorithm)) for algorithm in ("bbr", "vegas"))
    assert bbr["utilization"] > 0.98
    # 2 BDP of cwnd and three segments a flow are the most, 150 + 150 + 12 packets: less than the buffer holds.
    assert bbr["mean_queue"] < 180
    assert vegas["utilization"] > 0.98
    # One to three segments of each flow.
    assert FLOWS * 0.5 < vegas["mean_queue"] < FLOWS * 3.5


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"algorithm": "bbr", "recovery": "newreno"}, "recovery must be sack, rr-tcp, td-fr, rack or linux with bbr"),
        ({"algorithm": "bbr3", "recovery": "sack"}, "recovery must be rack or linux with bbr3"),
        ({"algorithm": "bbr", "ecn": True}, "ecn must be false for bbr, bbr3 and swift"),
        ({"algorithm": "dctcp", "ecn": False}, "answers congestion marks, so its connections use ECN"),
        ({"algorithm": "prague", "ecn_feedback": "classic"}, "ecn_feedback must be dctcp or accurate"),
        ({"algorithm": "vegas", "vegas_alpha": 5}, "vegas_alpha must not be above vegas_beta"),
    ],
)
def test_what_a_law_cannot_run_on_is_named(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        run(**keys)


def test_a_law_that_counts_marks_is_warned_where_nobody_marks() -> None:
    scenario = load(
        {
            "run": {"duration": "1 s"},
            "topology": {"kind": "dumbbell", "bottleneck_capacity": "10 Mbps", "bottleneck_delay": "5 ms"},
            "traffic": [{"transport": "dctcp", "pairs": "random", "flows": 1}],
        }
    )
    assert any('no queue marks packets of the transport "dctcp"' in warning for warning in scenario.warnings)


def pragues_share(queue: dict[str, Any], fallback: str) -> float:
    """The part of 40 Mb/s that a Prague flow has beside a Reno flow with ECN, round trips of 21 ms, from 10 to 40 s."""
    ends = {"from": "left", "to": "right", "duplex": False}
    result = photocol.run(
        {
            "run": {"duration": "40 s", "warm_up": "10 s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": 2,
                "bottleneck_capacity": "40 Mbps",
                "bottleneck_delay": "10 ms",
                "bottleneck_buffer": "400 packets",
                "access_delay": "0.25 ms",
                "access_buffer": "unlimited",
            },
            "transport": {
                "prague": {"algorithm": "prague", "prague_fallback": fallback},
                "reno": {"algorithm": "sack", "ecn": True},
            },
            "traffic": [
                {"transport": "prague", "pairs": [["l0", "r0"]], "flows": 1},
                {"transport": "reno", "pairs": [["l1", "r1"]], "flows": 1},
            ],
            "link": [{**ends, "queue": queue}],
        },
        seed=1,
    )
    carried = dict(result.flows.group_by("transport").agg(pl.col("goodput_bps").sum()).iter_rows())
    return carried["prague"] / sum(carried.values())


def test_prague_takes_nearly_all_of_a_queue_of_rfc_3168_and_about_half_if_it_looks_out_for_that() -> None:
    pie = {"kind": "pie", "mark_up_to": 1.0}
    assert pragues_share(pie, "off") > 0.75
    assert 0.35 < pragues_share(pie, "delay") < 0.65


def test_in_dualpi2s_queue_for_low_latency_pragues_fallback_changes_nothing() -> None:
    dualpi2 = {"kind": "dualpi2"}
    assert pragues_share(dualpi2, "delay") == pragues_share(dualpi2, "off")


def explained(tmp_path: Path, transport: dict[str, Any]) -> Scenario:
    """Eight flows over 10 Gb/s and 20 ms each way, before they run."""
    topology = {"kind": "dumbbell", "pairs": 4, "bottleneck_capacity": "10 Gbps", "bottleneck_delay": "18 ms"}
    scenario = {
        "run": {"duration": "1 s"},
        "topology": {**topology, "access_delay": "1 ms"},
        "transport": {"law": transport},
        "traffic": [{"transport": "law", "flows": 8}],
    }
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    return Scenario.load(str(file), [])


def test_a_bare_law_on_a_large_path_is_told_what_it_lacks(tmp_path: Path) -> None:
    # 10 Gb/s for 40 ms are 50 MB, 34 246 segments of 1460 B.
    (note,) = explained(tmp_path, {"algorithm": "cubic"}).notes
    assert "a path that holds 34246 segments" in note and "HyStart" in note and "linux-cubic" in note
    for whole in ({"algorithm": "linux-cubic"}, {"algorithm": "cubic", "hystart": True}, {"algorithm": "bbr"}):
        assert explained(tmp_path, whole).notes == []


def test_a_linux_host_is_explained_with_all_its_values_and_keys_count_more(tmp_path: Path) -> None:
    text = explained(tmp_path, {"algorithm": "linux-cubic", "delayed_ack": "25 ms"}).explain()
    for line in ('recovery = "linux"', 'undo = "both"', "hystart = true", 'delayed_ack = "25 ms"', "quick_acks = 16"):
        assert line in text, line
    assert "mss = 1448" in text or 'mss = "1448 B"' in text, "1500 B less 40 B and 12 B of timestamps"


def test_linux_hosts_stand_first_in_the_list_of_transports() -> None:
    names = [name for name, _, _ in catalogue("transports")]
    assert names[:4] == ["linux-cubic", "linux-reno", "linux-bbr", "reno"]
