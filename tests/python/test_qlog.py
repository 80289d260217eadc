"""What senders of QUIC did, as qlog: each record against the drafts' definitions, and against the run's own tables."""

import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import photocol as command

import photocol

SETTINGS = {
    "run": {"duration": "6 s"},
    "topology": {
        "kind": "dumbbell",
        "bottleneck_capacity": "10 Mbps",
        "bottleneck_delay": "20 ms",
        "bottleneck_buffer": "20 packets",
        "access_capacity": "100 Mbps",
        "access_delay": "1 ms",
    },
    "transport": {"web": {"algorithm": "quic-newreno"}, "tcp": {"algorithm": "sack"}},
    "traffic": [
        {"transport": "web", "from": "l0", "to": "r0"},
        {"transport": "tcp", "from": "l0", "to": "r0", "start": "1 s"},
    ],
    "probe": {"recovery": True},
}
# RFC 9002's parameters of recovery and the drafts' names, with their types and units.
METRICS = {
    "min_rtt": float,
    "smoothed_rtt": float,
    "latest_rtt": float,
    "rtt_variance": float,
    "pto_count": int,
    "congestion_window": int,
    "bytes_in_flight": int,
    "ssthresh": int,
    "pacing_rate": int,
}
EVENTS = {
    "quic:packet_sent": {"header", "raw"},
    "quic:packets_acked": {"packet_number_space", "packet_numbers"},
    "quic:packet_lost": {"header", "trigger"},
    "quic:recovery_metrics_updated": set(METRICS),
    "quic:timer_updated": {"timer_type", "packet_number_space", "event_type", "delta"},
}


def run(folder: Path, **more: Any) -> photocol.Result:
    return photocol.run({**SETTINGS, **more}, out=folder / "run")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[photocol.Result, Path]:
    folder = tmp_path_factory.mktemp("qlog")
    result = run(folder)
    done = command("trace", folder / "run", "--qlog", folder / "qlog")
    assert done.returncode == 0, done.stderr
    return result, folder / "qlog"


def records(file: Path) -> list[dict[str, Any]]:
    """RFC 7464: each text has a record separator before it and a line feed behind it."""
    text = file.read_bytes().decode("utf-8")
    assert text.startswith("\x1e")
    assert text.endswith("\n")
    parts = text.split("\x1e")[1:]
    assert all(part.endswith("\n") and part.count("\n") == 1 for part in parts)
    return [json.loads(part, parse_constant=refuse) for part in parts]


def refuse(constant: str) -> None:
    pytest.fail(f"JSON has no {constant}")


def events(folder: Path) -> list[dict[str, Any]]:
    return records(folder / "flow-0.sqlog")[1:]


def test_only_flows_of_quic_have_a_file(exported: tuple[photocol.Result, Path]) -> None:
    assert [file.name for file in exported[1].iterdir()] == ["flow-0.sqlog"]


def test_the_header_is_that_of_a_sequential_file(exported: tuple[photocol.Result, Path]) -> None:
    header = records(exported[1] / "flow-0.sqlog")[0]
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    assert header["serialization_format"] == "application/qlog+json-seq"
    trace = header["trace"]
    assert trace["event_schemas"] == ["urn:ietf:params:qlog:events:quic-13"]
    assert trace["vantage_point"]["type"] in {"client", "server", "network", "unknown"}
    assert trace["common_fields"]["reference_time"] == {"clock_type": "monotonic", "epoch": "unknown"}


def test_each_record_is_an_event_of_the_draft(exported: tuple[photocol.Result, Path]) -> None:
    last = 0.0
    for event in events(exported[1]):
        assert set(event) == {"time", "name", "data"}
        assert event["time"] >= last
        last = event["time"]
        assert set(event["data"]) <= EVENTS[event["name"]], event
        assert event["data"], event
        check(event["name"], event["data"])
    assert 5900 < last <= 6000


def check(name: str, data: dict[str, Any]) -> None:
    if name == "quic:recovery_metrics_updated":
        assert all(type(value) is METRICS[key] and value >= 0 for key, value in data.items()), data
    elif name == "quic:timer_updated":
        assert data["timer_type"] in {"ack", "pto"}
        assert (data["event_type"] == "set") == ("delta" in data)
        assert data["event_type"] in {"set", "expired", "cancelled"}
    elif name == "quic:packets_acked":
        assert data["packet_numbers"]
        assert data["packet_number_space"] == "application_data"
    else:
        assert data["header"]["packet_type"] == "1RTT"
        assert data.get("trigger", "time_threshold") in {"reordering_threshold", "time_threshold"}


def test_the_events_are_those_of_the_run(exported: tuple[photocol.Result, Path]) -> None:
    result, folder = exported
    flow = result.flows.row(0, named=True)
    seen = events(folder)
    count = Counter(event["name"] for event in seen)
    sent = [event["data"] for event in seen if event["name"] == "quic:packet_sent"]
    assert [one["header"]["packet_number"] for one in sent] == list(range(flow["segments_sent"]))
    # 20 packets of buffer and slow start: a full packet is 1500 bytes, of which IP and UDP have 28.
    assert {one["raw"]["length"] for one in sent} == {1500}
    acked = [number for event in seen for number in event["data"].get("packet_numbers", [])]
    lost = [event["data"]["header"]["packet_number"] for event in seen if event["name"] == "quic:packet_lost"]
    assert count["quic:packet_lost"] == len(set(lost)) > 0
    assert len(acked) == len(set(acked))
    assert not set(acked) & set(lost)
    outstanding = flow["segments_sent"] - len(acked) - len(lost)
    metrics = result.probes["recovery_metrics"].filter(pl.col("flow") == 0)
    assert outstanding * 1472 == metrics["bytes_in_flight"][-1]


def test_metrics_are_those_of_the_table(exported: tuple[photocol.Result, Path]) -> None:
    result, folder = exported
    known: dict[str, float] = {}
    for event in events(folder):
        if event["name"] == "quic:recovery_metrics_updated":
            known |= event["data"]
    last = result.probes["recovery_metrics"].row(-1, named=True)
    for name, value in known.items():
        column = {"pacing_rate": "pacing_rate_bps"}.get(name, name if METRICS[name] is int else f"{name}_s")
        assert value == pytest.approx(last[column] * (1 if METRICS[name] is int else 1e3))


def test_the_first_sample_is_that_of_the_second_packet(exported: tuple[photocol.Result, Path]) -> None:
    """Both leave at once, and one ACK of 66 bytes answers both: 1500 bytes at 100, twice at 10 and at 100 Mb/s."""
    forth_ms = 0.12 + 2 * 1.2 + 22 + 0.12
    back_ms = 66 * 8 * (1 / 100 + 1 / 10 + 1 / 100) / 1e3 + 22
    samples = [event["data"]["latest_rtt"] for event in events(exported[1]) if "latest_rtt" in event["data"]]
    assert samples[0] == pytest.approx(forth_ms + back_ms, rel=1e-12)


def test_a_pto_expires_and_is_set_again_twice_as_long(tmp_path: Path) -> None:
    down = [{"at": "1 s", "link": "left->right", "state": "down"}]
    run(tmp_path, run={"duration": "5 s"}, event=down)
    assert command("trace", tmp_path / "run", "--qlog", tmp_path / "q").returncode == 0
    timers = [e for e in events(tmp_path / "q") if e["name"] == "quic:timer_updated" and e["time"] > 1300]
    expired = [event["time"] for event in timers if event["data"]["event_type"] == "expired"]
    gaps = [after - before for before, after in itertools.pairwise(expired)]
    assert len(gaps) >= 2
    assert gaps[1] == pytest.approx(2 * gaps[0], rel=1e-9)


def test_rows_have_a_limit_that_is_said(tmp_path: Path) -> None:
    result = run(tmp_path, probe={"recovery": True, "recovery_rows": 100})
    rows = sum(result.probes[name].height for name in ("recovery_packets", "recovery_metrics"))
    assert rows == 100
    assert result.summary["recovery_rows_left_out"] > 1000


def test_without_the_probe_it_says_what_is_missing(tmp_path: Path) -> None:
    run(tmp_path, probe={})
    done = command("trace", tmp_path / "run", "--qlog", tmp_path / "q")
    assert done.returncode != 0
    assert "[probe] recovery = true" in done.stderr


def test_the_run_is_the_same_with_it(tmp_path: Path) -> None:
    watched, plain = run(tmp_path / "a"), run(tmp_path / "b", probe={})
    assert watched.fingerprint == plain.fingerprint
