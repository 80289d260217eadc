"""What `photocol emulate` leaves: captures with the packets' own bytes, pages, and what ECN does to a kernel."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from emulated_site import PATH, Site, iperf_only, linux_only, of, root_only

import photocol
from photocol.report.emulated import emulated
from photocol.report.run_page import page
from photocol.runs.capture import packets

pytestmark = [linux_only, pytest.mark.alone]

tshark_only = pytest.mark.skipif(shutil.which("tshark") is None, reason="SKIP: no tshark on the path")
MARKING = '[[link]]\nfrom = "left"\nto = "right"\nqueue = { kind = "step", threshold = "10 packets" }\n'
BESIDE = '[[traffic]]\ntransport = "sack"\npairs = [["l1", "r1"]]\nsize = "100 kB"\n'


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def _fields(file: Path, *names: str) -> list[list[str]]:
    """What tshark reads of each packet; it checks the sums of IPv4."""
    words = ["tshark", "-r", str(file), "-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=|"]
    asked = [word for name in names for word in ("-e", name)]
    done = subprocess.run([*words, *asked], capture_output=True, text=True, timeout=60, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


@root_only
@tshark_only
def test_a_capture_has_the_kernels_own_bytes_and_simulated_packets_as_they_are(tmp_path: Path) -> None:
    site = Site(tmp_path, PATH + MARKING + BESIDE)
    options = ("--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(60, 1000, 0.0001, 2)}")
    six = ("--run", f"r0 @ 1 s: {site.server('{r0.v6}')}", "--run", f"l0 @ 2 s: {site.client(1, 999, 0, 0, '{r0.v6}')}")
    report = site.run("--capture", "links=left->right,right->r0", *options, *six)
    names = ("ip.src", "ip.dsfield.ecn", "ip.checksum.status", "udp.dstport", "frame.len", "frame.cap_len", "data.data")
    rows = _fields(site.out / "capture.pcapng", *names, "ipv6.src", "frame.interface_name")
    real = [row for row in rows if row[0] == "10.77.0.1" and row[3] == "9"]
    # 1000 B of UDP under 28 B of headers; sums are right, also where the network has marked.
    assert {(row[2], row[4], row[5]) for row in real} == {("1", "1028", "256")}
    behind = [row for row in real if row[8] == "right->r0"]
    assert {row[1] for row in behind} == {"2", "3"}
    assert sum(row[1] == "3" for row in behind) == of(report, "r0")["marked"]
    # What the client wrote: its number, and the time. One that is dropped does not wait, so it comes before others.
    assert sorted(int(row[6][:8], 16) for row in real if row[8] == "left->right") == list(range(60))
    rows = [row for row in rows if row[8] == "left->right"]
    assert [row[4] for row in rows if row[7] == "fd77::1" and row[3] == "9"] == [str(999 + 48)]
    # 100 kB in segments of 1460 B.
    simulated = [row for row in rows if row[0] == "10.0.0.3"]
    assert len(simulated) == 69 and all(row[2] == "1" and int(row[5]) < 100 for row in simulated)
    assert packets(site.out / "capture.pcapng").height == 69, "of TCP; datagrams are not among them"


@root_only
@tshark_only
@iperf_only
def test_tshark_reads_the_options_of_the_kernels_handshake(site: Site) -> None:
    site.run("--capture", "all", "--run", "r0: iperf3 -s -1", "--run", "l0: iperf3 -c {r0} -t 1")
    rows = _fields(site.out / "capture.pcapng", "tcp.flags.syn", "tcp.options.mss_val", "tcp.options.wscale.shift")
    # Each end says 1500 - 40 B, and the kernel's scale of windows. tshark 4 writes 1, others True.
    handshake = [row for row in rows if row[0] in ("1", "True")]
    assert len(handshake) >= 4 and {row[1] for row in handshake} == {"1460"}
    assert all(int(row[2]) > 0 for row in handshake)


@root_only
@iperf_only
def test_reno_with_ecn_is_marked_and_not_dropped(tmp_path: Path) -> None:
    """Threshold 10, buffer 200 and a product of 20 Mb/s and 40 ms, 67 packets: Reno stays below both. It keeps half of
    10 + 67 packets at a mark, 38 of 67 and more after that: at least half of the link, and not more than all."""
    site = Site(tmp_path, PATH.replace('"30 packets"', '"200 packets"') + MARKING)
    ask = "echo 1 > /proc/sys/net/ipv4/tcp_ecn"
    serve, send = f"r0: {ask}; iperf3 -s -1", f"l0: {ask}; iperf3 -c {{r0}} -t 4 -J"
    report = site.run("--law", "reno", "--run", serve, "--run", send)
    assert of(report, "r0")["marked"] > 0
    assert photocol.Result.load(site.out).drops["units"].sum() == 0
    told = json.loads((site.out / "command-1-l0.txt").read_text())["end"]
    assert 10e6 < told["sum_received"]["bits_per_second"] < 20e6
    assert told["sum_sent"]["retransmits"] == 0


@root_only
def test_the_page_of_a_run_says_how_late_packets_of_each_host_were(site: Site) -> None:
    options = ("--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(50, 500, 0.002)}")
    report = site.run(*options)
    shown = page(site.out)
    hosts, lateness = shown["tables"][:2]
    assert [table["id"] for table in (hosts, lateness)] == ["table-hosts", "table-lateness"]
    assert hosts["note"] == f"{report['verdict']}." and "cannot be repeated" in shown["command_hint"]
    rows = {row[0]: dict(zip(hosts["table"]["columns"], row, strict=True)) for row in hosts["table"]["rows"]}
    arrived = of(report, "r0")
    assert rows["r0"]["received"] == arrived["received"] >= 50
    assert rows["r0"]["late_p99_s"] == arrived["lateness"]["p99_us"] / 1e6 > 0
    place = lateness["table"]["columns"].index("r0")
    assert sum(row[place] for row in lateness["table"]["rows"]) == arrived["lateness"]["count"] == arrived["received"]


def test_tables_of_hosts_have_bins_in_one_order_and_no_times_where_nothing_came() -> None:
    def host(name: str, histogram: list[list[int]]) -> dict[str, Any]:
        count = sum(packets for _, packets in histogram)
        counts = ("sent", "sent_bytes", "received", "received_bytes", "marked", "elsewhere", "too_long")
        told = dict.fromkeys((*counts, "overflowed", "refused", "not_taken"), 0)
        late = {"count": count, "p50_us": 3.0, "p99_us": 5.0, "worst_us": 9.0, "histogram": histogram}
        return {"host": name, "address": "10.77.0.1", **told, "lateness": late}

    manifest = {"emulation": {"verdict": "kept up", "hosts": [host("a", [[1, 2], [2, 5]]), host("b", [])]}}
    hosts, lateness = emulated(manifest)
    assert lateness["table"]["rows"] == [[1e-6, 2, 0], [2e-6, 5, 0]]
    times = [hosts["table"]["columns"].index(f"late_{name}_s") for name in ("p50", "p99", "worst")]
    assert [[row[k] for k in times] for row in hosts["table"]["rows"]] == [[3e-6, 5e-6, 9e-6], [None] * 3]
    assert emulated({}) == [] and emulated({"emulation": {"verdict": "", "hosts": [{"host": "a"}]}}) == []


def test_the_bench_of_the_guest_says_what_it_lacks(tmp_path: Path) -> None:
    bench = Path(__file__).resolve().parents[2] / "bench/guest.py"
    words = [sys.executable, str(bench), "--kernel", str(tmp_path / "none.deb")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3 and "needs root, the kernel's package" in done.stderr, done.stderr
