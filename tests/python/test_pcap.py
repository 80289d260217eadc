"""Captures as tshark reads them: no complaints, and its own TCP analysis counts what we count."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from command import SMALL, photocol

from photocol import Capture, Result, run

if TYPE_CHECKING:
    from pathlib import Path

FIRST_PORT = 1024
"""Flow n sends from this port + n."""

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="TSHARK IS ABSENT: captures are not checked")


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    file = tmp_path_factory.mktemp("pcap") / "all.pcapng"
    return file, run(SMALL, pcap=file)


def read(file: Path, shown: str, *fields: str) -> list[list[str]]:
    """The fields of the packets that the display filter `shown` admits."""
    wanted = [word for field in fields for word in ("-e", field)]
    command = ["tshark", "-n", "-r", str(file), "-Y", shown, "-T", "fields", *wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split("\t") for line in done.stdout.splitlines()]


def test_a_capture_does_not_change_the_run(captured: tuple[Path, Result]) -> None:
    file, result = captured
    assert result.fingerprint == run(SMALL).fingerprint
    assert file.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a"


@needs_tshark
def test_tshark_finds_nothing_malformed(captured: tuple[Path, Result]) -> None:
    assert read(captured[0], "_ws.malformed || tcp.analysis.ack_lost_segment", "frame.number") == []


@needs_tshark
def test_tshark_counts_our_segments_and_retransmissions(captured: tuple[Path, Result]) -> None:
    # Seen from the sender, a segment that tshark calls out of order can only be a retransmission.
    file, result = captured
    repeated = "tcp.len > 0 && (tcp.analysis.retransmission || tcp.analysis.out_of_order)"
    segments = Counter(int(port) - FIRST_PORT for (port,) in read(file, "tcp.len > 0", "tcp.srcport"))
    retransmissions = Counter(int(port) - FIRST_PORT for (port,) in read(file, repeated, "tcp.srcport"))
    flows = result.flows
    assert segments == dict(zip(flows["flow"], flows["segments_sent"], strict=True))
    assert retransmissions == dict(zip(flows["flow"], flows["retransmissions"], strict=True))
    assert flows["retransmissions"].sum() > 20


@needs_tshark
def test_tshark_sees_the_bytes_that_are_acknowledged(captured: tuple[Path, Result]) -> None:
    file, result = captured
    acknowledged: dict[int, int] = {}
    for port, ack in read(file, "tcp.len == 0 && tcp.srcport == 5001 && !tcp.flags.syn", "tcp.dstport", "tcp.ack"):
        acknowledged[int(port) - FIRST_PORT] = max(int(ack) - 1, acknowledged.get(int(port) - FIRST_PORT, 0))
    received = dict(result.flows.select("flow", "bytes_acked").iter_rows())
    in_flight = 2 * 64 * 1460
    assert all(0 <= received[flow] - known <= in_flight for flow, known in acknowledged.items())


@needs_tshark
def test_the_command_line_captures_chosen_flows_into_the_results(tmp_path: Path) -> None:
    scenario = tmp_path / "small.toml"
    scenario.write_text(SMALL)
    done = photocol("run", scenario, "--out", tmp_path / "out", "--pcap", "0,2-3", "--quiet")
    assert done.returncode == 0, done.stderr
    ports = {int(port) for (port,) in read(tmp_path / "out" / "capture.pcapng", "tcp.len > 0", "tcp.srcport")}
    assert ports == {FIRST_PORT, FIRST_PORT + 2, FIRST_PORT + 3}


def test_a_capture_of_several_replications_is_of_the_first(tmp_path: Path) -> None:
    one, three = tmp_path / "one.pcapng", tmp_path / "three.pcapng"
    run(SMALL, pcap=Capture(one, flows=[1]))
    run(SMALL, pcap=Capture(three, flows=[1]), runs=3)
    assert one.read_bytes() == three.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pcapng", "three.pcapng"]
