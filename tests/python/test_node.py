"""`photocol-node`: processes that are a network, on the loopback interface, and in namespaces where this is root."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIP: photocol-node needs Linux"),
    pytest.mark.alone,
]
NODE = [sys.executable, "-P", "-m", "photocol.node"]

root_only = pytest.mark.skipif(
    os.geteuid() != 0 or not Path("/dev/net/tun").exists(), reason="SKIP: namespaces and TUN need root and /dev/net/tun"
)


def refused(*words: str) -> str:
    done = subprocess.run([*NODE, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    return done.stderr


class UnansweredError(Exception):
    """What `status` said instead of a report."""


class Demo:
    """A running demo, asked through its port."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*NODE, "demo", "--json", "--port", "0", *options],
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        said = ""
        while "metrics: " not in said:
            said = self.process.stderr.readline()
            assert said, "the demo ended"
        self.port = said.split("127.0.0.1:")[1].split("/")[0]

    def reports(self) -> dict[str, dict[str, Any]]:
        words = [*NODE, "status", "--json", "--port", self.port]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise UnansweredError(done.stderr)
        return {report["name"]: report for report in json.loads(done.stdout)}

    def until(
        self, what: Callable[[dict[str, dict[str, Any]]], bool], seconds: float = 60
    ) -> dict[str, dict[str, Any]]:
        end = time.monotonic() + seconds
        reports: dict[str, dict[str, Any]] = {}
        unanswered = ""
        while time.monotonic() < end:
            assert self.process.poll() is None, f"the demo ended: {self.process.communicate()[1]}"
            try:
                reports = self.reports()
                if what(reports):
                    return reports
            except UnansweredError as why:  # a busy machine may answer late; that it never answers fails below
                unanswered = str(why)
            time.sleep(0.2)
        parts = {name: (report["part"], report["counts"], report["events"]) for name, report in reports.items()}
        pytest.fail(f"not within {seconds} s: {parts} {unanswered}")

    def until_joined(self, nodes: int) -> dict[str, dict[str, Any]]:
        """The core knows its master too: processes report one after the other."""

        def joined(reports: dict[str, dict[str, Any]]) -> bool:
            parts = {f"node {node}": reports.get(f"node {node}", {}).get("part") for node in range(nodes)}
            led = [name for name, part in parts.items() if part == "master"]
            rest = list(parts.values()).count("slave")
            return rest == nodes - 1 and led == [reports.get("core", {}).get("master")]

        return self.until(joined)

    def end(self) -> list[dict[str, Any]]:
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, err
        reports: list[dict[str, Any]] = json.loads(out)
        return reports


@pytest.fixture
def demo() -> Iterator[Callable[..., Demo]]:
    running: list[Demo] = []

    def start(*options: str) -> Demo:
        running.append(Demo(*options))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
        if one.process.stdout is not None and not one.process.stdout.closed:
            one.process.communicate()


def alive(processes: list[int]) -> list[int]:
    def runs(number: int) -> bool:
        try:
            return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    return [number for number in processes if runs(number)]


def test_a_star_on_the_loopback_interface_joins_and_ends_clean(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "3", "--slot", "2ms")
    reports = star.until_joined(4)
    assert reports["core"]["master"] == "node 0"
    processes = [report["process"] for report in reports.values()]
    last = {report["name"]: report for report in star.end()}
    assert last["core"]["counts"]["light_passed"] > 0
    assert last["core"]["errors"]["slot_arrival"]["count"] > 0
    assert last["core"]["levels"]["guard_needed_us"] > 10
    assert alive(processes) == []


def test_two_overlaid_stars_have_a_core_each(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "2", "--slot", "2ms", "--cores", "2")
    nodes = [f"node {node}/{core}" for node in range(3) for core in range(2)]
    star.until(lambda reports: all(reports.get(node, {}).get("part") in ("master", "slave") for node in nodes))
    star.end()


def test_a_file_arrives_whole_though_slots_are_lost_a_node_and_the_master_are_killed(
    demo: Callable[..., Demo], tmp_path: Path
) -> None:
    content = random.Random(3).randbytes(6_000_000)
    (tmp_path / "thing.bin").write_bytes(content)
    words = ["--file", f"1:2:{tmp_path / 'thing.bin'}", "--receive", str(tmp_path / "in"), "--loss", "0.02"]
    star = demo("--loopback", "--slaves", "3", "--slot", "2ms", *words)
    reports = star.until_joined(4)
    arrived = tmp_path / "in" / "2" / "thing.bin"
    os.kill(reports["node 2"]["process"], signal.SIGKILL)
    star.until(lambda now: now.get("node 2", {}).get("process") not in (None, reports["node 2"]["process"]))
    os.kill(reports["node 0"]["process"], signal.SIGKILL)
    star.until(lambda now: now["core"]["master"] not in ("node 0", "none"))
    assert not arrived.exists(), "it was on its way when the master died"
    star.until(lambda _: arrived.exists(), seconds=120)
    assert hashlib.sha256(arrived.read_bytes()).digest() == hashlib.sha256(content).digest()
    last = star.reports()
    assert last["core"]["counts"]["term_ended"] >= 1
    assert last["fibre"]["counts"]["light_lost"] > 0
    star.end()


def test_slots_of_several_datagrams_carry_a_file_whole_though_datagrams_and_signalling_are_lost(
    demo: Callable[..., Demo], tmp_path: Path
) -> None:
    """Slots of six datagrams. Fibres lose one in fifty, and one in ten slots of signalling besides."""
    content = random.Random(6).randbytes(1_500_000)
    (tmp_path / "thing.bin").write_bytes(content)
    words = ["--file", f"1:2:{tmp_path / 'thing.bin'}", "--receive", str(tmp_path / "in"), "--loss", "0.02"]
    words += ["--signalling-loss", "0.1", "--slot-bytes", "8000", "--datagram-bytes", "1392"]
    star = demo("--loopback", "--slaves", "2", "--slot", "4ms", *words)
    star.until_joined(3)
    arrived = tmp_path / "in" / "2" / "thing.bin"
    star.until(lambda _: arrived.exists(), seconds=120)
    assert hashlib.sha256(arrived.read_bytes()).digest() == hashlib.sha256(content).digest()
    # Each was delivered by itself: as many as there are pieces of the file, and more. A node tells its counts at times.
    last = star.until(lambda now: now["node 2"]["counts"]["payloads_delivered"] > len(content) / 1392)
    assert last["node 2"]["counts"]["payloads_missing"] > 0
    star.end()


def test_the_network_lives_though_a_third_of_its_signalling_is_lost_and_no_data(
    demo: Callable[..., Demo], tmp_path: Path
) -> None:
    """Loss of signalling slots alone: grants are missed and asked for again, and nothing that was sent is missing."""
    content = random.Random(7).randbytes(300_000)
    (tmp_path / "thing.bin").write_bytes(content)
    words = ["--file", f"1:2:{tmp_path / 'thing.bin'}", "--receive", str(tmp_path / "in"), "--signalling-loss", "0.3"]
    star = demo("--loopback", "--slaves", "2", "--slot", "4ms", *words)
    arrived = tmp_path / "in" / "2" / "thing.bin"
    star.until(lambda _: arrived.exists(), seconds=120)
    assert hashlib.sha256(arrived.read_bytes()).digest() == hashlib.sha256(content).digest()
    star.until(lambda now: now["fibre"]["counts"]["light_lost"] > 20)
    star.end()


def test_a_file_arrives_whole_though_its_sender_is_killed_and_started_again(
    demo: Callable[..., Demo], tmp_path: Path
) -> None:
    content = random.Random(4).randbytes(6_000_000)
    (tmp_path / "thing.bin").write_bytes(content)
    words = ["--file", f"1:2:{tmp_path / 'thing.bin'}", "--receive", str(tmp_path / "in")]
    star = demo("--loopback", "--slaves", "2", "--slot", "2ms", *words)
    before = star.until_joined(3)["node 1"]["process"]
    star.until(lambda now: now["node 2"]["counts"]["payloads_delivered"] > 50)
    arrived = tmp_path / "in" / "2" / "thing.bin"
    assert not arrived.exists(), "it was on its way when its sender died"
    os.kill(before, signal.SIGKILL)
    star.until(lambda _: arrived.exists(), seconds=120)
    assert star.reports()["node 1"]["process"] != before
    assert hashlib.sha256(arrived.read_bytes()).digest() == hashlib.sha256(content).digest()
    star.end()


def test_masters_that_are_killed_are_followed_and_come_back_as_slaves(demo: Callable[..., Demo]) -> None:
    """The second kill is the test: who comes back knows only what came while its fibre waited for its address."""
    star = demo("--loopback", "--slaves", "2", "--slot", "2ms")
    for _ in range(3):
        reports = star.until_joined(3)
        master, term = reports["core"]["master"], reports["core"]["term"]
        os.kill(reports[master]["process"], signal.SIGKILL)

        def followed(reports: dict[str, dict[str, Any]], term: int = term) -> bool:
            core = reports.get("core")
            return core is not None and core["term"] != term and "led_since_seconds" in core["levels"]

        star.until(followed)
    star.end()


def test_metrics_are_in_the_text_form_of_prometheus(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "1", "--slot", "2ms")
    star.until_joined(2)
    asked = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import urllib.request as u; print(u.urlopen('http://127.0.0.1:{star.port}/metrics').read().decode())",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = asked.stdout.splitlines()
    assert "# TYPE photocol_light_passed_total counter" in lines
    assert any(
        line.startswith('photocol_slot_arrival_microseconds{process="core",quantile="0.999"} ') for line in lines
    )
    kinds = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(kinds) == len(set(kinds)), "a family is declared once"
    star.end()


@pytest.mark.parametrize(
    ("who", "how"), [("core", signal.SIGKILL), ("fibre", signal.SIGKILL), ("node 1", signal.SIGTERM)]
)
def test_a_core_and_a_fibre_that_are_killed_and_a_node_that_goes_start_again(
    demo: Callable[..., Demo], who: str, how: signal.Signals
) -> None:
    starts_again(demo("--loopback", "--slaves", "2", "--slot", "2ms"), who, how)


@root_only
@pytest.mark.parametrize("who", ["core", "fibre"])
def test_in_namespaces_they_are_connected_again_too(demo: Callable[..., Demo], who: str) -> None:
    starts_again(demo("--slaves", "2", "--slot", "2ms"), who, signal.SIGKILL)


def starts_again(star: Demo, who: str, how: signal.Signals) -> None:
    before = star.until_joined(3)[who]["process"]
    os.kill(before, how)
    star.until(lambda now: now.get(who, {}).get("process") not in (None, before))
    passed = star.until_joined(3)["core"]["counts"]["light_passed"]
    star.until(lambda now: now["core"]["master"] != "none" and now["core"]["counts"]["light_passed"] > passed + 50)
    star.end()


def test_a_report_of_a_stopped_process_says_how_old_it_is(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "1", "--slot", "2ms")
    reports = star.until_joined(2)
    assert all(report["levels"]["report_age_seconds"] < 5 for report in reports.values())
    os.kill(reports["node 1"]["process"], signal.SIGSTOP)
    star.until(lambda now: now["node 1"]["levels"]["report_age_seconds"] > 3)
    table = subprocess.run([*NODE, "status", "--port", star.port], capture_output=True, text=True, check=True).stdout
    assert table.splitlines()[0].split()[-1] == "age"
    (row,) = (line for line in table.splitlines() if line.startswith("node 1"))
    assert float(row.split()[-1]) >= 3  # printed to a tenth: 3.04 reads 3.0
    os.kill(reports["node 1"]["process"], signal.SIGCONT)
    star.end()


def test_two_cores_have_series_of_their_own(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "1", "--slot", "2ms", "--cores", "2")
    star.until(lambda now: {"core 0", "core 1", "node 1/1"} <= now.keys())
    lines = fetched(star.port, "metrics").splitlines()
    series = [line.rsplit(" ", 1)[0] for line in lines if not line.startswith("#")]
    assert len(series) == len(set(series))
    assert 'photocol_light_passed_total{process="core 1"}' in series
    star.end()


def fetched(port: str, page: str) -> str:
    with socket.create_connection(("127.0.0.1", int(port)), timeout=10) as asked:
        asked.sendall(f"GET /{page} HTTP/1.0\r\n\r\n".encode())
        answer = b"".join(iter(lambda: asked.recv(65536), b"")).decode()
    return answer.split("\r\n\r\n", 1)[1]


def test_the_key_of_a_demo_is_for_its_user_alone_and_a_prepared_link_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo: Callable[..., Demo]
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    precious = tmp_path / "precious"
    precious.write_text("untouched")
    # As a process that is started next has one of the next numbers, all of them are prepared.
    for number in range(os.getpid(), os.getpid() + 1000):
        (tmp_path / f"photocol-demo-{number}").mkdir(exist_ok=True)
        (tmp_path / f"photocol-demo-{number}" / "key").symlink_to(precious)
    star = demo("--loopback", "--slaves", "1", "--slot", "2ms")
    star.until_joined(2)
    (folder,) = tmp_path.glob(f"photocol-demo-{star.process.pid}-??????")
    files = [folder, *folder.iterdir()]
    assert [path.stat().st_mode & 0o777 for path in files] == [0o700] + [0o600] * (len(files) - 1)
    assert {path.name for path in files} > {"key", "core-0.toml", "node-1.toml"}
    star.end()
    assert not folder.exists()
    assert precious.read_text() == "untouched"


def test_a_capture_replaces_no_file_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("untouched")
    (tmp_path / "core-0.pcapng").symlink_to(tmp_path / "precious")
    words = ["demo", "--loopback", "--slaves", "1", "--port", "0", "--seconds", "20", "--capture", str(tmp_path)]
    done = subprocess.run([*NODE, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    assert "capture: File exists" in done.stderr
    assert (tmp_path / "precious").read_text() == "untouched"


def test_a_file_that_cannot_be_finished_is_given_up_with_a_word_and_one_that_is_there_stays(
    demo: Callable[..., Demo], tmp_path: Path
) -> None:
    (tmp_path / "thing.bin").write_bytes(random.Random(8).randbytes(50_000))
    (tmp_path / "long.bin").write_bytes(random.Random(9).randbytes(2_000_000))
    arrived = tmp_path / "in" / "2"
    (arrived / "thing.bin").mkdir(parents=True)
    (arrived / "thing-2.bin").write_text("precious")
    words = ["--file", f"1:2:{tmp_path / 'thing.bin'}", "--file", f"2:1:{tmp_path / 'long.bin'}"]
    star = demo("--loopback", "--slaves", "2", "--slot", "2ms", *words, "--receive", str(tmp_path / "in"))
    star.until_joined(3)
    assert not (tmp_path / "in" / "1" / "long.bin").exists(), "it was on its way when its directory went"
    (tmp_path / "in" / "1").rename(tmp_path / "gone")
    reports = star.until(
        lambda now: (
            now.get("node 2", {}).get("counts", {}).get("files_given_up") == 1
            and now["node 1"]["counts"]["files_refused"] == 1
            and now["node 1"]["counts"]["files_sent"] == 1
        )
    )
    assert any("'long.bin' from node 2 is refused: No such file" in event for event in reports["node 1"]["events"])
    assert (arrived / "thing-2.bin").read_text() == "precious"
    assert (arrived / "thing-3.bin").read_bytes() == (tmp_path / "thing.bin").read_bytes()
    star.end()


def test_when_the_demo_is_killed_nothing_is_left(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "1")
    processes = [report["process"] for report in star.until_joined(2).values()]
    star.process.kill()
    star.process.communicate()
    end = time.monotonic() + 20
    while alive(processes) and time.monotonic() < end:
        time.sleep(0.1)
    assert alive(processes) == []


@pytest.mark.skipif(shutil.which("tshark") is None, reason="SKIP: tshark is not installed")
def test_a_capture_is_shown_by_tshark_with_our_dissector(demo: Callable[..., Demo], tmp_path: Path) -> None:
    star = demo("--loopback", "--slaves", "1", "--slot", "2ms", "--capture", str(tmp_path))
    star.until_joined(2)
    star.until(lambda reports: reports["core"]["counts"]["light_passed"] > 50)
    star.end()
    script = Path(__file__).resolve().parents[2] / "crates" / "linux" / "photocol.lua"

    def shown(file: str, wanted: str, *fields: str) -> list[list[str]]:
        words = ["tshark", "-X", f"lua_script:{script}", "-r", str(tmp_path / file), "-Y", wanted, "-T", "fields"]
        words += [word for field in fields for word in ("-e", field)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
        assert "Lua" not in done.stderr, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    requests = shown("core-0.pcapng", "photocol.block == 6", "photocol.source", "photocol.slot", "frame.comment")
    assert len(requests) > 5
    assert {(source, slot) for source, slot, _ in requests} == {("1", "1")}, "node 1 asks in slot 1"
    assert "passed" in {comment for *_, comment in requests}
    # Node 1 is 7 s ahead and gains 37.5 ppm on the core.
    measured = shown("node-1.pcapng", "photocol.time_difference", "photocol.time_difference")
    assert measured
    assert all(int(difference.split(",")[0]) < -7e12 for (difference,) in measured)
    assert shown("node-1.pcapng", "photocol.broken", "frame.number") == []


@root_only
def test_ip_crosses_the_star_between_namespaces(demo: Callable[..., Demo]) -> None:
    before = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    star = demo("--slaves", "2")
    reports = star.until_joined(3)
    inside = ["nsenter", "-t", str(reports["node 1"]["process"]), "-n"]
    there = ["nsenter", "-t", str(reports["node 2"]["process"]), "-n"]
    # A TCP connection of the kernel: what is sent comes back, through slots both ways.
    server = subprocess.Popen([*there, sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    done = subprocess.run(
        [*inside, sys.executable, "-c", CLIENT], capture_output=True, text=True, timeout=60, check=False
    )
    server.kill()
    server.communicate()
    assert done.stdout == "200000 bytes came back\n", done.stderr
    star.end()
    after = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    assert after == before, "no interface is left"


def tool(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"SKIP: {name} is not installed")


@pytest.fixture
def ends(demo: Callable[..., Demo]) -> Iterator[tuple[list[str], list[str]]]:
    """What to say before a command to have it run beside node 1, and beside node 2."""
    star = demo("--slaves", "2")
    reports = star.until_joined(3)
    one, other = (["nsenter", "-t", str(reports[f"node {node}"]["process"]), "-n"] for node in (1, 2))
    yield one, other
    star.end()


def said(words: list[str], seconds: float = 60) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@root_only
@tool("ping")
def test_ping_crosses_the_star(ends: tuple[list[str], list[str]]) -> None:
    one, _ = ends
    answered = said([*one, "ping", "-c", "10", "-i", "0.2", "-W", "5", "10.99.0.3"])
    assert int(answered.split(" received")[0].split()[-1]) >= 8, answered


@root_only
@tool("curl")
def test_curl_fetches_a_file_across_the_star(ends: tuple[list[str], list[str]], tmp_path: Path) -> None:
    one, other = ends
    (tmp_path / "page").write_bytes(random.Random(5).randbytes(100_000))
    words = [*other, sys.executable, "-m", "http.server", "8000", "--bind", "10.99.0.3", "--directory", str(tmp_path)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        fetch = ["--retry", "20", "--retry-connrefused", "--retry-delay", "1", "http://10.99.0.3:8000/page"]
        said([*one, "curl", "--silent", "--show-error", "--output", str(tmp_path / "copy"), *fetch])
    finally:
        server.kill()
        server.communicate()
    assert (tmp_path / "copy").read_bytes() == (tmp_path / "page").read_bytes()


@root_only
@tool("iperf3")
@pytest.mark.parametrize("law", ["reno", "cubic", "bbr"])
def test_iperf3_runs_across_the_star_with_the_law_that_is_asked_for(
    ends: tuple[list[str], list[str]], law: str
) -> None:
    one, other = ends
    server = subprocess.Popen([*other, "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        report = json.loads(said([*one, "iperf3", "-c", "10.99.0.3", "-t", "3", "-C", law, "-J"]))
    finally:
        server.kill()
        server.communicate()
    assert report["end"]["sender_tcp_congestion"] == law
    # Seven of ten slots of 1 ms carry data, 8000 B each; a fiftieth of that, on a busy machine, is still a connection.
    assert report["end"]["sum_received"]["bits_per_second"] > 0.02 * 8000 * 8 / 1e-3 * 7 / 10


SERVER = """
import socket
server = socket.create_server(("10.99.0.3", 7000))
print("ready", flush=True)
connection, _ = server.accept()
while data := connection.recv(65536):
    connection.sendall(data)
"""

CLIENT = """
import socket, threading
connection = socket.create_connection(("10.99.0.3", 7000), timeout=50)
sent = bytes(range(250)) * 800
def send():
    connection.sendall(sent)
    connection.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
back = b""
while data := connection.recv(65536):
    back += data
assert back == sent
print(len(back), "bytes came back")
"""


def test_bad_configurations_are_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("0123456789abcdef")

    def configured(text: str, role: str = "slave") -> str:
        path = tmp_path / "node.toml"
        path.write_text(text)
        return refused(role, "--config", str(path))

    star = '[[star]]\nbind = "127.0.0.1:0"\npeer = "127.0.0.1:9"\n'
    head = 'node = 1\nkey_file = "key"\n'
    assert f"{tmp_path / 'node.toml'}:3: unknown field `colour`" in configured(f'{head}colour = "red"\n{star}')
    assert "node.toml:4: 'here' is no address" in configured(f'{head}[[star]]\nbind = "here"\npeer = "127.0.0.1:9"\n')
    assert "missing field `key_file`" in configured(f"node = 1\n{star}")
    assert "scheduler is 'best'; allowed: bvn, greedy" in configured(f'{head}scheduler = "best"\n{star}')
    assert "a master needs the table [network]" in configured(f"{head}{star}", "master")
    network = (
        '[network]\nslot = "1 ms"\nframe_slots = 2\nguard = "200 us"\nlongest = "0 s"\nturnaround = "1 ms"\n'
        "ports = [0, 1, 2]\n"
    )
    assert "the frame is shorter than its signalling" in configured(f"{head}{star}{network}", "master")
    assert f"receive = '{tmp_path / 'none'}': No such file" in configured(
        f'{head}receive = "{tmp_path / "none"}"\n{star}'
    )
    without_end = f'node = 1\nkey_file = "/dev/zero"\n{star}'
    assert "/dev/zero: more than 65536 bytes; allowed: a file with the key" in configured(without_end)
    (tmp_path / "key").write_text("short")
    message = configured(f"{head}{star}")
    assert "a key of 5 bytes; allowed: 16 or more" in message
    assert "short" not in message


def test_the_configuration_of_the_guide_is_one(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "guide" / "control-plane.md"
    text = page.read_text().split("```conf\n")[1].split("```")[0]
    # IP needs root, and the port may be taken.
    text = text.replace(text[text.index("[ip]") : text.index("[[file]]")], "").replace("metrics = 9465", "")
    (tmp_path / "files").mkdir()
    for name in ("node-0.pcapng", "files"):
        text = text.replace(f'"{name}"', json.dumps(str(tmp_path / name)))
    (tmp_path / "node.toml").write_text(text)
    (tmp_path / "key").write_text("0123456789abcdef")
    (tmp_path / "picture.png").write_bytes(b"no picture")
    process = subprocess.Popen(
        [*NODE, "master", "--config", str(tmp_path / "node.toml"), "--reports"], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    (report,) = json.loads(process.stdout.readline())
    assert (report["name"], report["part"]) == ("node 0", "listening")
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_what_this_machine_can_do_is_a_table_beside_the_targets() -> None:
    words = [*NODE, "measure", "--loopback", "--seconds", "1"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 10
    assert "of 10 targets met; the loopback interface" in done.stdout


def test_bad_commands_are_refused() -> None:
    assert "'dance' is no command; allowed: master, slave" in refused("dance")
    assert "--cores is 3; allowed: 1 to 2" in refused("demo", "--cores", "3")
    assert "--slot is 'long'" in refused("demo", "--slot", "long")
    assert "which configuration? --config FILE" in refused("core")
    assert "No such file" in refused("core", "--config", "/nowhere/at/all.toml")
    assert "more than 1048576 bytes" in refused("core", "--config", "/dev/zero")
    for seconds in ("nan", "-5", "0", "1e300"):
        assert "allowed: above 0, up to 31536000" in refused("demo", "--seconds", seconds)
    for bytes_ in ("--slot-bytes", "--datagram-bytes"):
        assert f"{bytes_} is 1; allowed: 600 to" in refused("demo", bytes_, "1")
    assert "a slot of 1000000 bytes is 1507 datagrams of 600; allowed: up to 64" in refused(
        "demo", "--slot-bytes", "1000000", "--datagram-bytes", "600"
    )
    assert "not an ordinary file" in refused("demo", "--loopback", "--file", "1:2:/dev/zero")


@pytest.mark.parametrize("command", ["demo", "status", "measure", "master", "core", "fibre"])
def test_every_command_has_help(command: str) -> None:
    assert "photocol-node demo [--cores 1|2]" in said([*NODE, command, "--help"])


def test_a_port_in_use_is_named(demo: Callable[..., Demo]) -> None:
    star = demo("--loopback", "--slaves", "1")
    assert f"port {star.port} of the loopback interface: Address already in use" in refused("demo", "--port", star.port)
    star.end()
