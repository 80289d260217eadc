"""Captures as tshark reads them: no complaints, and its own TCP analysis counts what we count."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from command import SMALL, photocol

from photocol import Capture, InputError, Result, ScenarioError, run
from photocol.runs.capture import packets as packets_of

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
    for port, ack in read(file, "tcp.len == 0 && tcp.srcport == 5001 && tcp.flags.syn == 0", "tcp.dstport", "tcp.ack"):
        acknowledged[int(port) - FIRST_PORT] = max(int(ack) - 1, acknowledged.get(int(port) - FIRST_PORT, 0))
    assert len(acknowledged) == 4
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


LIFE = (
    SMALL
    + """
[link_defaults]
queue = { kind = "step", threshold = "18 packets" }

[transport.life]
algorithm = "sack"
timestamps = true
handshake = true
teardown = true
ecn = true
receiver_window = "300 kB"
"""
)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whole connections that use all options and end."""
    file = tmp_path_factory.mktemp("pcap") / "life.pcapng"
    flows = 'transport = "life"\nsize = "150 kB"'
    run(LIFE.replace('transport = "sack"', flows).replace('"2 s"', '"4 s"'), pcap=file)
    return file


@needs_tshark
def test_tshark_reads_the_options_of_syn_and_answer(life: Path) -> None:
    # A packet of 1500 B without 40 B of headers: RFC 6691, the segment size includes the 12 B of timestamps. 300 kB
    # need a scale of 3.
    fields = ["tcp.srcport", "tcp.flags.ece", "tcp.flags.cwr", "tcp.options.mss_val", "tcp.options.wscale.shift"]
    fields += ["tcp.options.sack_perm", "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr"]
    syn = read(life, "tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.stream == 0", *fields)
    answer = read(life, "tcp.flags.syn == 1 && tcp.flags.ack == 1 && tcp.stream == 0", *fields)
    assert len(syn) == len(answer) == 1
    assert syn[0][1:5] == ["1", "1", "1460", "3"]
    assert answer[0][1:5] == ["1", "0", "1460", "3"]
    assert syn[0][5] and answer[0][5]
    assert answer[0][7] == syn[0][6], "the answer echoes the SYN"


@needs_tshark
def test_tshark_follows_a_connection_from_syn_to_fin(life: Path) -> None:
    # SYN, SYN-ACK, data, FIN and its answer, in one stream whose numbers fit.
    assert read(life, "_ws.malformed || tcp.analysis.ack_lost_segment", "frame.number") == []
    fins = read(life, "tcp.flags.fin == 1 && tcp.stream == 0", "tcp.srcport", "tcp.seq", "tcp.ack")
    assert [int(seq) for port, seq, _ in fins if port != "5001"] == [150_001]
    assert [int(ack) for port, _, ack in fins if port == "5001"] == [150_002]


@needs_tshark
def test_tshark_sees_timestamps_in_every_packet_and_three_blocks_of_sack(life: Path) -> None:
    assert read(life, "!tcp.options.timestamp.tsval", "frame.number") == []
    edges = read(life, "tcp.options.sack.count", "tcp.options.sack.count")
    assert edges and max(int(count) for (count,) in edges) <= 3
    window = read(life, "tcp.srcport == 5001 && tcp.flags.syn == 0 && tcp.stream == 0", "tcp.window_size")
    assert {size for (size,) in window} == {"300000"}


def test_the_packets_of_a_capture_are_a_table(captured: tuple[Path, Result]) -> None:
    result = captured[1]
    packets = result.packets
    assert packets is not None
    data = packets.filter(packets["payload_bytes"] > 0)
    segments = Counter(port - FIRST_PORT for port in data["source_port"].to_list())
    assert segments == dict(zip(result.flows["flow"], result.flows["segments_sent"], strict=True))
    assert packets["t_s"].is_sorted()
    assert run(SMALL).packets is None


@needs_tshark
def test_the_table_says_what_tshark_says(captured: tuple[Path, Result]) -> None:
    names = ("tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.ack_raw", "tcp.len")
    said = [tuple(map(int, row)) for row in read(captured[0], "tcp", *names)]
    packets = captured[1].packets
    assert packets is not None
    assert packets.drop("t_s").rows() == said


@pytest.mark.parametrize("octets", [b"\x06\x00\x00\x00\x04\x00\x00\x00", b"\x06\x00\x00\x00\xff\x00\x00\x00", b"no"])
def test_what_is_no_whole_capture_is_refused(octets: bytes, tmp_path: Path) -> None:
    file = tmp_path / "cut.pcapng"
    file.write_bytes(octets)
    with pytest.raises(InputError, match=r"cut\.pcapng is not a whole capture"):
        packets_of(file)


@needs_tshark
def test_addresses_and_interfaces_have_the_names_of_nodes(captured: tuple[Path, Result]) -> None:
    file, result = captured
    named = ["tshark", "-N", "nd", "-r", str(file), "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.interface_name"]
    done = subprocess.run(
        [*named, "-e", "ip.src_host", "-e", "ip.dst_host"], capture_output=True, text=True, check=True, timeout=60
    )
    seen = {tuple(line.split("\t")) for line in done.stdout.splitlines()}
    expected = {(row["source"], row["source"], row["destination"]) for row in result.flows.iter_rows(named=True)}
    assert seen == expected


@pytest.fixture(scope="module")
def bottleneck(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """What passes the bottleneck, in both directions, or is dropped before it; with a trace of the same."""
    file = tmp_path_factory.mktemp("pcap") / "link.pcapng"
    capture = Capture(file, links=["left-right"])
    return file, run(SMALL, pcap=capture, set={"trace.enabled": True, "trace.limit": 10_000_000})


@needs_tshark
def test_a_capture_at_a_link_has_what_passes_it_and_marks_drops(bottleneck: tuple[Path, Result]) -> None:
    file, result = bottleneck
    assert result.fingerprint == run(SMALL).fingerprint
    assert result.trace is not None
    fields = ["frame.interface_name", "frame.interface_description", "frame.comment", "tcp.len"]
    packets = read(file, "tcp", *fields)
    descriptions = {row[0]: row[1] for row in packets}
    assert set(descriptions) == {"left->right", "right->left"}
    assert descriptions["left->right"].startswith("link from left to right, ")
    events = result.trace.filter(result.trace["place"].cast(str).is_in(["left->right", "right->left"]))
    counts = Counter((str(row["place"]), row["cause"]) for row in events.iter_rows(named=True))
    assert Counter((row[0], row[2].removeprefix("dropped: ") or None) for row in packets) == counts
    assert counts["left->right", "congestion"] > 20


@needs_tshark
def test_packets_of_a_link_are_where_the_trace_says(bottleneck: tuple[Path, Result]) -> None:
    """The time at which the first bit leaves, to the nanosecond; sequence numbers and lengths."""
    file, result = bottleneck
    assert result.trace is not None
    shown = 'frame.interface_name == "left->right" && !frame.comment'
    packets = [
        (round(float(at) * 1e9), int(port) - FIRST_PORT, int(seq), int(length))
        for at, port, seq, length in read(file, shown, "frame.time_epoch", "tcp.srcport", "tcp.seq_raw", "frame.len")
    ]
    passed = result.trace.filter(
        (result.trace["place"].cast(str) == "left->right") & (result.trace["event"].cast(str) == "pass")
    )
    expected = [
        ((row["t_ps"] + row["wait_ps"]) // 1000, row["flow"], row["unit"] + 1, row["bytes"])
        for row in passed.iter_rows(named=True)
    ]
    assert sorted(packets) == sorted(expected)
    assert packets == sorted(packets), "in the order of time"
    assert read(file, "_ws.malformed", "frame.number") == []


@needs_tshark
def test_time_sequence_graphs_agree_with_what_tshark_reads(tmp_path: Path) -> None:
    """Sent, sent again, acknowledged, selectively acknowledged: what the page draws of a trace, one by one."""
    file = tmp_path / "hosts.pcapng"
    result = run(SMALL, pcap=file, set={"trace.enabled": True, "trace.limit": 10_000_000})
    assert result.trace is not None
    trace = result.trace.with_columns(result.trace["event"].cast(str))
    for flow in range(4):
        port = FIRST_PORT + flow
        mine = trace.filter((trace["flow"] == flow) & trace["event"].is_in(["send", "resend", "ack", "sack"]))
        rows = {name: mine.filter(mine["event"] == name) for name in ("send", "resend", "ack", "sack")}
        sent = read(file, f"tcp.srcport == {port} && tcp.len > 0", "frame.time_epoch", "tcp.seq_raw", "tcp.len")
        drawn = mine.filter(mine["event"].is_in(["send", "resend"]))
        payload = [(row["t_ps"] // 1000, row["unit"] + 1, row["bytes"] - 40) for row in drawn.iter_rows(named=True)]
        assert [(round(float(at) * 1e9), int(seq), int(length)) for at, seq, length in sent] == payload
        acks = read(
            file,
            f"tcp.dstport == {port} && tcp.flags.syn == 0",
            "frame.time_epoch",
            "tcp.ack_raw",
            "tcp.options.sack_le",
            "tcp.options.sack_re",
        )
        acked = [(row["t_ps"] // 1000, row["unit"] + 1) for row in rows["ack"].iter_rows(named=True)]
        assert [(round(float(at) * 1e9), int(ack)) for at, ack, *_ in acks] == acked
        blocks = [
            (round(float(at) * 1e9), int(low), int(high))
            for at, _, lows, highs in acks
            for low, high in zip(lows.split(","), highs.split(","), strict=True)
            if low
        ]
        sacks = [(row["t_ps"] // 1000, row["unit"] + 1, row["value"] + 1) for row in rows["sack"].iter_rows(named=True)]
        assert blocks == sacks
        again = read(
            file, f"tcp.srcport == {port} && (tcp.analysis.retransmission || tcp.analysis.out_of_order)", "frame.number"
        )
        assert len(again) == rows["resend"].height


def test_a_link_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match='there is no link "left->nowhere" to capture'):
        run(SMALL, pcap=Capture(tmp_path / "x.pcapng", links=["left->nowhere"]))
    assert list(tmp_path.iterdir()) == []


ORDERED = (
    SMALL
    + """
[[force]]
flow = 0
segment = 20
action = "drop"
"""
)


@needs_tshark
def test_a_segment_that_is_dropped_by_order_says_so(tmp_path: Path) -> None:
    file = tmp_path / "forced.pcapng"
    run(ORDERED, pcap=file)
    marked = read(file, "frame.comment", "frame.comment", "tcp.srcport", "tcp.seq_raw")
    assert [(text, int(port) - FIRST_PORT) for text, port, _ in marked] == [("dropped: forced", 0)]


PLAIN = """
[run]
duration = "0.5 s"

[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "20 packets"

[transport.web]
algorithm = "quic-newreno"

[[traffic]]
transport = "web"
"""


@needs_tshark
def test_hosts_without_a_format_of_their_own_send_udp_that_says_it_is_simulated(tmp_path: Path) -> None:
    file = tmp_path / "web.pcapng"
    result = run(PLAIN, pcap=file)
    packets = read(file, "udp", "udp.srcport", "ip.len", "data.data")
    data = [one for one in packets if one[2].startswith(b"photocoldata".hex())]
    back = [one for one in packets if one[2].startswith(b"photocolback".hex())]
    assert len(data) + len(back) == len(packets)
    assert len(data) == result.flows["segments_sent"].sum()
    # Its number is behind the words, as eight bytes; a packet of data is 1500 bytes long, an ACK 66.
    assert [int(one[2][24:40], 16) for one in data] == list(range(len(data)))
    assert {one[1] for one in data} == {"1500"}
    assert {one[1] for one in back} == {"66"}
    assert {one[0] for one in data} == {"1024"}
