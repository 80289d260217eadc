"""`photocol lab`: whom the server refuses; its runs are those of `photocol run`; nothing is left behind."""

from __future__ import annotations

import base64
import contextlib
import http.client
import io
import json
import os
import shlex
import signal
import socket
import stat
import subprocess
import threading
import time
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command import arguments
from command import photocol as command_line

import photocol
from photocol import InputError
from photocol.lab import controls, door, guard, lessons, server, share, toml_text
from photocol.lab.workers import Limits
from photocol.runs.scenario import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
SMALL = """# two flows
[run]
duration = "2 s"   # short
warm_up = "500 ms"

[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "10 ms"
bottleneck_buffer = "20 packets"  # half of a product

[[traffic]]
transport = "sack"
flows = 2
pairs = [
    ["l0", "r0"],
    ["l1", "r1"],
]
"""


class Client:
    """What a browser sends."""

    def __init__(self, one: server.Server) -> None:
        self.server = one
        self.guard = one.lab.guard
        self.cookie = ""

    def send(self, path: str, body: bytes | str | None = None, headers: Mapping[str, str] | None = None) -> Any:
        """An answer, its body read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("GET" if body is None else "POST", path, body, dict(headers or {}))
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    def enter(self) -> Client:
        """Show the token."""
        answer, _ = self.send("/enter", f"token={self.guard.token}", {"Origin": "null"})
        self.cookie = answer.getheader("Set-Cookie", "").split(";")[0]
        return self

    @property
    def known(self) -> dict[str, str]:
        """The headers of the page's own requests."""
        return {"Cookie": self.cookie, "Origin": self.guard.origin}

    def ask(self, do: str, text: str, **more: object) -> list[dict[str, Any]]:
        """All messages of an answer."""
        asked = {"do": do, "tab": "test", "of": {"kind": "file", "name": self.server.lab.first.name}, "text": text}
        answer, said = self.send("/api/ask", json.dumps({**asked, **more}), self.known)
        assert answer.status == 200, said
        return [json.loads(line) for line in said.splitlines()]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("lab") / "small.toml"
    file.write_text(SMALL)
    return file


@pytest.fixture(scope="module")
def lab(small: Path) -> Iterator[Client]:
    """A server that a browser has come into."""
    with server.running(server.of_file(str(small))) as (one, _):
        yield Client(one).enter()


def refused(answer: Any, text: str, status: int, word: str) -> None:
    assert (answer.status, word in text) == (status, True), (answer.status, text)


def test_another_host_is_refused(lab: Client) -> None:
    for host in ("localhost", f"example.org:{lab.server.port}", f"127.0.0.1:{lab.server.port + 1}"):
        refused(*lab.send("/", headers={**lab.known, "Host": host}), 421, "answers to")


def test_another_origin_is_refused(lab: Client) -> None:
    for origin in ("http://example.org", f"http://localhost:{lab.server.port}", "null"):
        refused(*lab.send("/api/start", "{}", {**lab.known, "Origin": origin}), 403, "another page")
        refused(*lab.send("/", headers={**lab.known, "Origin": origin}), 403, "another page")
    refused(*lab.send("/api/start", "{}", {"Cookie": lab.cookie}), 403, "another page")
    refused(*lab.send("/", headers={**lab.known, "Sec-Fetch-Site": "cross-site"}), 403, "another site")
    enter = {"Origin": "http://example.org"}
    refused(*lab.send("/enter", f"token={lab.guard.token}", enter), 403, "another page")


def test_without_the_cookie_nothing_is_shown(lab: Client) -> None:
    wrong = lab.cookie[:-1] + ("A" if lab.cookie[-1] != "A" else "B")
    for cookie in ({}, {"Cookie": wrong}, {"Cookie": "no=cookie"}, {"Cookie": lab.cookie.replace("lab-", "lab-1")}):
        headers = {"Origin": lab.guard.origin, **cookie}
        for path, body in (("/", None), ("/page/lab-main.js", None), ("/api/start", "{}"), ("/api/ask", "{}")):
            refused(*lab.send(path, body, headers), 403, "Open the file")


def test_a_token_is_worth_one_cookie(lab: Client) -> None:
    refused(*lab.send("/enter", f"token={lab.guard.token}", {"Origin": "null"}), 403, "has been used")
    refused(*lab.send("/enter", "token=guess", {"Origin": "null"}), 403, "not that of")
    refused(*lab.send("/enter", "", {"Origin": "null"}), 403, "not that of")


def test_a_wrong_token_does_not_use_up_the_right_one() -> None:
    one = guard.Guard(4)
    for wrong in ("", "é", one.token + "x"):
        with pytest.raises(guard.RefusedError):
            one.exchange(wrong)
    cookie = one.exchange(one.token)
    assert cookie.startswith("photocol-lab-4=")
    assert cookie.endswith("; HttpOnly; SameSite=Strict; Path=/")


def test_a_request_that_is_too_long_or_does_not_say_is_refused(lab: Client) -> None:
    most = {**lab.known, "Content-Length": str(guard.MOST_BYTES + 1)}
    refused(*lab.send("/api/ask", b"", most), 413, "at most")
    refused(*lab.send("/enter", b"x" * 1025, {"Origin": "null"}), 413, "at most")
    refused(*lab.send("/api/ask", b"", {**lab.known, "Content-Length": "-1"}), 411, "how long")
    refused(*lab.send("/api/ask", b"", {**lab.known, "Transfer-Encoding": "chunked"}), 411, "how long")
    refused(*lab.send("/api/ask", b"[1]", lab.known), 400, "object")
    refused(*lab.send("/api/ask", b"{", lab.known), 400, "object")


def test_only_its_own_files_are_shown(lab: Client) -> None:
    for path in ("/page/../guard.py", "/page/%2e%2e/guard.py", "/page/lab.html.py", "/etc/passwd", "/page/"):
        refused(*lab.send(path, headers=lab.known), 404, "nothing here")
    names = ["lab.css", "style.css", "lab-main.js", "view.js"]
    assert [lab.send(f"/page/{name}", headers=lab.known)[0].status for name in names] == [200] * 4


def test_every_answer_forbids_foreign_sources(lab: Client) -> None:
    for path, headers in (("/", lab.known), ("/nothing", lab.known), ("/", {})):
        policy = lab.send(path, headers=headers)[0].getheader("Content-Security-Policy")
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "http" not in policy
        assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert "://" not in lab.send("/", headers=lab.known)[1]


def test_the_server_is_on_loopback_only(lab: Client) -> None:
    assert lab.server.server_address[0] == "127.0.0.1"


def test_who_says_nothing_and_who_comes_in_crowds_is_hung_up_on(lab: Client) -> None:
    crowd = [socket.create_connection(("127.0.0.1", lab.server.port)) for _ in range(server._MOST_CONNECTIONS + 8)]
    try:
        # Those that have said nothing for longest make room.
        for one in crowd[:8]:
            one.settimeout(10)
            assert one.recv(1) == b""
    finally:
        for one in crowd:
            one.close()


@pytest.mark.alone
def test_who_asks_by_drops_makes_room(lab: Client) -> None:
    crowd = [socket.create_connection(("127.0.0.1", lab.server.port)) for _ in range(server._MOST_CONNECTIONS)]
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.05):
            for one in crowd:
                with contextlib.suppress(OSError):
                    one.sendall(b"X")

    for one in crowd:
        one.sendall(b"GET / HTTP/1.1\r\nHost: ")
    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        assert [lab.send("/", headers={"Cookie": lab.cookie})[0].status for _ in range(5)] == [200] * 5
    finally:
        stop.set()
        dripping.join()
        for one in crowd:
            one.close()


def test_the_file_can_be_read_by_its_owner_only_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door.tempfile, "tempdir", str(tmp_path))
    dead = subprocess.Popen(["true"])
    dead.wait()
    for process in (dead.pid, os.getppid()):
        (tmp_path / f"photocol-lab-{process}-abc").mkdir()
    one = guard.Guard(4)
    with door.opened(one) as file:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert one.token in file.read_text()
    # What a killed server left is gone too; that of a living process stays.
    assert [path.name for path in tmp_path.iterdir()] == [f"photocol-lab-{os.getppid()}-abc"]


def test_a_run_is_that_of_the_command(lab: Client, small: Path) -> None:
    messages = lab.ask("run", SMALL)
    kinds = [message["kind"] for message in messages]
    assert (kinds[0], kinds[-2:]) == ("known", ["end", "done"])
    alone = photocol.run(small)
    end = messages[-2]
    assert end["fingerprint"] == alone.fingerprint
    shown = {figure["name"]: figure["value"] for figure in end["summary"]}
    assert shown == {name: figure["value"] for name, figure in alone.summary.to_dict().items()}
    links = alone.links.filter(alone.links["class"] != "control")
    counted = links.select("offered_units", "dropped_units").rows()
    assert [row[1:] for row in end["links"]] == [list(row) for row in counted]


def test_what_is_drawn_first_is_the_beginning_of_the_same_run(lab: Client, tmp_path: Path) -> None:
    text = SMALL.replace('"2 s"', '"4000 s"')
    messages = lab.ask("run", text)
    so_far = [message for message in messages if message["kind"] == "so far"]
    end = messages[-2]
    assert so_far, "a run of some hundred milliseconds is drawn while it goes on"
    assert all(message["duration_s"] == 4000 for message in so_far)
    first, last = (samples(message["series"]) for message in (so_far[0], end))
    assert 0 < so_far[0]["now_s"] < 4000
    for key, (times, values) in first.items():
        assert last[key][0][: len(times)] == times, key
        assert last[key][1][: len(values)] == values, key


def samples(held: dict[str, Any]) -> dict[tuple[str, str], tuple[list[float], list[float]]]:
    """The samples of a page, by entity and quantity."""
    import zlib

    import numpy as np

    def column(name: str) -> Any:
        packed = held["columns"][name]
        kind = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f64": np.float64}[packed["type"]]
        return np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), kind)

    t, v = column("t"), np.nan_to_num(column("v"), nan=-1.0)
    parts = [(one["entity"], one["quantity"], one["from"], one["to"]) for one in held["parts"]]
    return {(entity, what): (t[a:b].tolist(), v[a:b].tolist()) for entity, what, a, b in parts}


def test_figures_come_when_the_measured_time_has_begun(lab: Client) -> None:
    text = SMALL.replace('"2 s"', '"400 s"').replace('"500 ms"', '"395 s"')
    messages = [message for message in lab.ask("run", text) if message["kind"] in ("so far", "end")]
    assert [message["summary"] is not None for message in messages] == [one["now_s"] > 395 for one in messages]
    assert messages[-1]["summary"] is not None


def test_a_wrong_key_is_told_as_check_tells_it(lab: Client, small: Path) -> None:
    wrong = SMALL.replace('"20 packets"', '"20 foo"')
    said = lab.ask("run", wrong)[-1]
    with pytest.raises(photocol.ScenarioError) as found:
        photocol.check(wrong)
    assert said["kind"] == "wrong"
    assert (said["error"]["key"], said["error"]["message"]) == ("topology.bottleneck_buffer", found.value.message)
    assert said["error"]["line"] == wrong[: wrong.index('"20 foo"')].count("\n") + 1
    said = lab.ask("run", SMALL, set=[["topology.bottleneck_buffer", "20 foo"]])[-1]
    assert said["error"]["key"] == "topology.bottleneck_buffer"
    assert lab.ask("check", "[run")[-1]["kind"] == "wrong"


LAW = """import pathlib
import photocol

pathlib.Path({trace!r}).touch()

@photocol.law
class Mine:
    def on_ack(self, window, event):
        window.cwnd += event.acked
"""


def with_law(file: Path) -> str:
    """The small scenario with a law of this file."""
    return SMALL.replace('"sack"', '"mine"') + f'\n[transport.mine]\nlaw = "{file}:Mine"\n'


def test_a_law_is_executed_only_after_it_was_shown(lab: Client, tmp_path: Path) -> None:
    trace, file = tmp_path / "executed", tmp_path / "mine.py"
    file.write_text(LAW.format(trace=str(trace)))
    text = with_law(file)
    for do in ("run", "share"):
        asked = lab.ask(do, text)[-2]
        assert (asked["kind"], asked["files"][0]["text"]) == ("laws", file.read_text())
    lab.ask("check", text)
    lab.ask("command", text)
    assert not trace.exists()
    allowed = {asked["files"][0]["file"]: asked["files"][0]["sha256"]}
    assert lab.ask("run", text, allowed={str(file): "0" * 64})[-2]["kind"] == "laws"
    assert lab.ask("run", text, allowed=allowed)[-2]["kind"] == "end"
    assert trace.exists()
    # A file that has changed since is another file.
    file.write_text(file.read_text() + "# other\n")
    assert lab.ask("run", text, allowed=allowed)[-2]["kind"] == "laws"


@pytest.mark.alone
def test_limits_of_time_and_memory_are_said(small: Path) -> None:
    endless = SMALL.replace('"2 s"', '"100000 s"')
    with server.running(server.of_file(str(small)), limits=Limits(wall_s=0.3)) as (one, _):
        said = Client(one).enter().ask("run", endless)[-1]
        assert said["kind"] == "failed"
        assert "may take 0.3 s" in said["sentence"]
    large = SMALL.replace("flows = 2", "flows = 1000000")
    with server.running(server.of_file(str(small)), limits=Limits(memory_bytes=1 << 28)) as (one, _):
        client = Client(one).enter()
        said = client.ask("run", large)[-1]
        assert said["kind"] == "failed"
        assert "MB of memory" in said["sentence"]
        # And the next one is as good as ever.
        assert client.ask("run", SMALL)[-2]["kind"] == "end"


def test_a_process_that_dies_is_said_and_replaced(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(LAW.replace("window.cwnd +=", "__import__('os')._exit(1) #").format(trace=str(tmp_path / "it")))
    text = with_law(file)
    with server.running(server.of_file(str(small))) as (one, _):
        client = Client(one).enter()
        shown = client.ask("run", text)[-2]["files"][0]
        said = client.ask("run", text, allowed={shown["file"]: shown["sha256"]})[-1]
        assert said["kind"] == "failed"
        assert "its process ended with exit status 1" in said["sentence"]
        assert "memory" not in said["sentence"]
        assert client.ask("run", SMALL)[-2]["kind"] == "end"


def test_a_run_is_given_up_when_the_page_moves_on(lab: Client) -> None:
    endless = SMALL.replace('"2 s"', '"100000 s"')
    asked = {"do": "run", "tab": "moving", "of": {"kind": "file", "name": lab.server.lab.first.name}}
    connection = http.client.HTTPConnection("127.0.0.1", lab.server.port, timeout=60)
    connection.request("POST", "/api/ask", json.dumps({**asked, "text": endless}), lab.known)
    first = connection.getresponse()
    assert json.loads(first.readline())["kind"] == "known"
    _, other = lab.send("/api/ask", json.dumps({**asked, "text": SMALL}), lab.known)
    assert json.loads(other.splitlines()[-2])["kind"] == "end"
    assert json.loads(first.read().splitlines()[-1])["kind"] == "stopped"
    connection.close()


def test_a_run_ends_when_its_reader_has_gone(lab: Client) -> None:
    endless = SMALL.replace('"2 s"', '"100000 s"')
    asked = {"do": "run", "tab": "gone", "of": {"kind": "file", "name": lab.server.lab.first.name}, "text": endless}
    connection = http.client.HTTPConnection("127.0.0.1", lab.server.port, timeout=60)
    connection.request("POST", "/api/ask", json.dumps(asked), lab.known)
    connection.getresponse().readline()
    connection.sock.close() if connection.sock else None
    connection.close()
    workers = lab.server.lab.workers
    end = time.monotonic() + 30
    while workers._busy and time.monotonic() < end:
        time.sleep(0.05)
    assert not workers._busy


def test_two_tabs_run_at_once(lab: Client) -> None:
    workers = lab.server.lab.workers
    with workers.lent("one") as first, workers.lent("two") as second:
        assert first is not None
        assert second is not None
        assert first is not second


def test_a_run_can_be_saved(lab: Client, small: Path) -> None:
    changed = SMALL.replace('"20 packets"', '"5 packets"')
    said = lab.ask("share", changed)[-2]
    archive = zipfile.ZipFile(io.BytesIO(base64.b64decode(said["data"])))
    parts = {Path(name).name: archive.read(name).decode() for name in archive.namelist()}
    assert parts["scenario.toml"] == changed
    assert '-bottleneck_buffer = "20 packets"' in parts["difference.diff"]
    assert '+bottleneck_buffer = "5 packets"' in parts["difference.diff"]
    assert photocol.run(changed).fingerprint in parts["README.txt"]
    assert "default-src 'none'" in parts["report.html"]


def test_the_command_makes_this_very_run(lab: Client, tmp_path: Path) -> None:
    changed = toml_text.with_value(SMALL, "transport.sack.paced", value=True)
    changed = toml_text.with_value(changed, "topology.bottleneck_buffer", "7 packets")
    for text in (changed, changed.replace('warm_up = "500 ms"', "")):
        command = lab.ask("command", text)[-2]["command"]
        written, _, line = command.rpartition("END_OF_SCENARIO\n")
        if written:
            (tmp_path / "lab.toml").write_text(written.partition("END_OF_SCENARIO'\n")[2])
        done = command_line(*shlex.split(line)[1:], "--json", cwd=tmp_path)
        assert json.loads(done.stdout) == photocol.run(text).summary.to_dict()
    assert "--set transport.sack.paced=true" in lab.ask("command", changed)[-2]["command"]


def test_every_key_changes_with_line_ends_of_windows_too() -> None:
    for path, value in (("run.duration", "3 s"), ("topology.pairs", 3), ("traffic.0.flows", 3), ("run.warm_up", None)):
        unix = toml_text.with_value(SMALL, path, value)
        assert toml_text.with_value(SMALL.replace("\n", "\r\n"), path, value) == unix.replace("\n", "\r\n")


def test_values_change_in_the_text_and_comments_stay() -> None:
    changed = toml_text.with_value(SMALL, "topology.bottleneck_buffer", "5 packets")
    assert changed == SMALL.replace('"20 packets"  #', '"5 packets"  #')
    changed = toml_text.with_value(SMALL, "traffic.0.pairs", "random")
    assert 'pairs = "random"\n' in changed
    assert "l1" not in changed
    assert toml_text.with_value(SMALL, "run.seed", 7).count('warm_up = "500 ms"\nseed = 7\n') == 1
    paced = toml_text.with_value(SMALL, "transport.sack.paced", value=True)
    assert paced == SMALL + "\n[transport.sack]\npaced = true\n"
    assert toml_text.with_value(SMALL, "run.warm_up", None) == SMALL.replace('warm_up = "500 ms"\n', "")
    twice = '[[traffic]]\nflows = 1\n[[traffic]]\nflows = 2 # "#"\n'
    assert toml_text.with_value(twice, "traffic.1.flows", 3) == twice.replace("2 #", "3 #")
    dotted = 'link_defaults.core.buffer = "6 packets" # RAM\n'
    assert toml_text.with_value(dotted, "link_defaults.core.buffer", "9 kB") == dotted.replace("6 packets", "9 kB")


@pytest.mark.parametrize("path", ["traffic.2.flows", "run.duration.more", "traffic.0", ""])
def test_paths_that_lead_nowhere_are_told(path: str) -> None:
    with pytest.raises(InputError):
        toml_text.with_value(SMALL, path, 1)


@pytest.mark.parametrize("file", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda file: file.stem)
def test_every_ready_made_scenario_has_controls_that_change_its_text(file: Path) -> None:
    text = file.read_text()
    every = controls.of(text, load(file).explain())
    given = [one for one in every if one["value"] is not None]
    assert len(given) >= 3
    used = [one["used"] for one in every[len(given) :]]
    assert used == sorted(used, reverse=True)
    for one in given:
        assert one["sentence"]
        new = toml_text.with_value(text, one["path"], one["value"])
        assert tomllib.loads(new) == tomllib.loads(text), one["path"]


def test_a_control_says_what_the_declaration_says() -> None:
    every = {one["path"]: one for one in controls.of(SMALL, load(SMALL).explain())}
    flows = every["traffic.0.flows"]
    assert (flows["kind"], flows["least"], flows["most"], flows["value"]) == ("whole", 1, 10_000_000, 2)
    assert every["topology.bottleneck_buffer"]["kind"] == "quantity"
    assert (every["transport.sack.paced"]["kind"], every["transport.sack.paced"]["default"]) == ("flag", False)
    assert "cubic" in dict(every["traffic.0.transport"]["words"])
    assert every["transport.sack.mss"]["default"] == 1460
    # Keys of other laws are none of its.
    assert not any(path.startswith("transport.sack.bbr") for path in every)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_save_has_laid_down_goes_with_the_server(tmp_path: Path, small: Path, end: signal.Signals) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = arguments("lab", str(small), "--no-browser")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip()).parent
    # What `tempfile` makes in a process that is killed before it has removed it.
    (folder / "photocol-lab-share-abc").mkdir()
    process.send_signal(end)
    try:
        process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.kill()
        process.communicate()
        pytest.fail(f"the server has not heard {end.name}: {status}")
    assert (process.returncode, list(tmp_path.iterdir())) == (128 + end, [])


@pytest.mark.alone
def test_a_hang_up_that_is_ignored_ends_nothing(tmp_path: Path, small: Path) -> None:
    words = ["nohup", *arguments("run", str(small), "--out", str(tmp_path / "run"), "--set", "run.duration=20 s")]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # nohup is another program until it has become the command.
    line = Path(f"/proc/{process.pid}/cmdline")
    while process.poll() is None and line.read_text().split("\0")[: len(words) - 1] != words[1:]:
        time.sleep(0.01)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.1)
    assert (process.returncode, (tmp_path / "run" / "manifest.json").is_file()) == (0, True)


@pytest.mark.alone
def test_ctrl_c_ends_all_of_it(tmp_path: Path, small: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    words = arguments("lab", str(small), "--no-browser")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    file = Path(process.stdout.readline().strip())
    assert file.is_file()
    assert file.is_relative_to(tmp_path)
    token = file.read_text().split('value="')[1].split('"')[0]
    assert token not in Path(f"/proc/{process.pid}/cmdline").read_text()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + 30
    while not (born := children.read_text().split()) and time.monotonic() < end:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, "interrupted" in said) == (130, True), said
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(f"/proc/{child}").exists() for child in born)


@pytest.mark.alone
def test_processes_end_with_a_server_that_is_killed(tmp_path: Path, small: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(arguments("lab", str(small), "--no-browser"), stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    process.stdout.readline()
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    end = time.monotonic() + 30
    while not (born := children.read_text().split()) and time.monotonic() < end:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    while any(Path(f"/proc/{child}").exists() for child in born) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{child}").exists() for child in born)


def test_a_scenario_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match="nearest ready-made scenario: dumbbell"):
        server.of_file("dumbell")


LESSONS = lessons.found()


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_is_seen_as_it_says(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A lesson with satellites leaves a file of contacts.
    monkeypatch.chdir(tmp_path)
    lesson = lessons.read(file)
    assert len(lesson.choices) >= 2
    assert lesson.sights
    prepared = photocol.run(lesson.scenario)
    for sight in lesson.sights:
        assert sight.checks, sight.sentence
        result = photocol.run(lesson.scenario, set=sight.settings) if sight.settings else prepared
        for check in sight.checks:
            is_so, value = lessons.holds(check, result, prepared)
            assert is_so, f"{sight.sentence} {check}: it is {value}"


def test_checks_of_lessons_can_fail() -> None:
    result = photocol.run(SMALL)
    assert lessons.holds("goodput > 1 Mbps", result, result)[0]
    assert not lessons.holds("goodput > 10.1 Mbps", result, result)[0]
    assert lessons.holds("goodput <= 1.0 of prepared", result, result)[0]
    assert not lessons.holds("goodput < 1.0 of prepared", result, result)[0]
    assert lessons.holds("goodput / in_order_goodput >= 1", result, result)[0]
    with pytest.raises(InputError, match="a check is as in"):
        lessons.holds("goodput is fine", result, result)
    with pytest.raises(InputError, match="nothing of that was sampled"):
        lessons.holds("max(cwnd, flow 99) > 1", result, result)


def test_a_lesson_of_ones_own_is_found_and_a_bad_one_told(tmp_path: Path, small: Path) -> None:
    (tmp_path / "mine.md").write_text(LESSONS[0].read_text().replace("# ", "# Mine: ", 1))
    with server.running(server.of_file(str(small)), folder=tmp_path) as (one, _):
        names = [lesson["name"] for lesson in one.lab.start()["lessons"]]
        assert names == [*(file.stem for file in LESSONS), "mine"]
    told: list[str] = []
    (tmp_path / "README.md").write_text("# About these\n")
    (tmp_path / "latin.md").write_bytes("# Größe\n".encode("latin-1"))
    row = "| as prepared | it is so |"
    before, behind = LESSONS[0].read_text().split("\n\n## Answers", 1)
    (tmp_path / "row.md").write_text(f"{before}\n{row}\n\n## Answers{behind}")
    with server.running(server.of_file(str(small)), folder=tmp_path, say=told.append) as (one, _):
        assert one.lab.start()["lessons"][-1]["name"] == "mine"
    number = (tmp_path / "row.md").read_text().splitlines().index(row) + 1
    expected = ["README.md: a lesson has", "latin.md: a lesson is UTF-8; byte 5", f"row.md:{number}: found 2 cells"]
    assert all(one in sentence for one, sentence in zip(expected, told, strict=True)), told
    for folder, why in ((tmp_path / "nowhere", "there is no such folder"), (small, "this is no folder")):
        with pytest.raises(InputError, match=why):
            lessons.own(folder, told.append)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="there is no lesson in this folder"):
        lessons.own(tmp_path / "empty", told.append)
    (tmp_path / "bad.md").write_text("# Bad\n\n## Question\n\nWhy?\n")
    with pytest.raises(InputError, match="missing: prediction, what to see, answers, a block of toml"):
        lessons.read(tmp_path / "bad.md")


def test_difference_and_settings_of_share() -> None:
    assert share.difference(SMALL, SMALL) == ""
    removed = SMALL.replace("pairs = 2\n", "pairs = 2\n").replace('warm_up = "500 ms"\n', "")
    assert "cat > lab.toml" in share.command("small.toml", "/", SMALL, removed)
    assert share.command(None, "/", SMALL, SMALL).endswith("photocol run lab.toml --runs 1\n")
