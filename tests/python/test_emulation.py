"""Real hosts on a simulated network: namespaces, devices and kernels where this is root, and commands anywhere."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from emulated_site import BIT_S, PATH, WAY_S, Site, gone, iperf_only, linux_only, of, root_only, started

import photocol
from photocol.emulation import Settings, emulate
from photocol.emulation.commands import Command, starts

pytestmark = [linux_only, pytest.mark.alone]

GUIDE = Path(__file__).resolve().parents[2] / "docs/guide/emulation.md"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_command_has_a_host_a_time_and_addresses() -> None:
    hosts = ["l0", "r0"]
    first, second = Command.parse("r0: iperf3 -s -1", hosts), Command.parse("l0 @ 500 ms: a {r0} {r0.v6} {x}", hosts)
    assert (first.host, first.words, first.at_s, second.at_s) == ("r0", "iperf3 -s -1", None, 0.5)
    assert second.addressed({"r0": ("10.77.0.2", "fd77::2")}) == "a 10.77.0.2 fd77::2 {x}"
    assert starts([first, second, first, first]) == pytest.approx([0.0, 0.5, 0.7, 0.9])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("iperf3 -s", "allowed: 'HOST: COMMAND'"),
        ("r0:", "allowed: 'HOST: COMMAND'"),
        ("r9: true", "'r9' is no real host; "),
        ("r0 @ 2 parsecs: true", "found 2 'parsecs'; allowed: a time such as '2 s'"),
        ("r0 @ 1.2.3 s: true", "found 1.2.3 's'"),
    ],
)
def test_what_is_no_command_is_said(text: str, said: str) -> None:
    with pytest.raises(photocol.InputError) as refused:
        Command.parse(text, ["l0", "r0"])
    assert said in str(refused.value)


@root_only
@pytest.mark.parametrize("to", ["{r0}", "{r0.v6}"])
def test_a_datagram_takes_the_time_of_its_bits_and_of_light(site: Site, to: str) -> None:
    client = site.client(100, 1000, 0.005, to=to)
    report = site.run("--run", f"r0: {site.server(to)}", "--run", f"l0 @ 500 ms: {client}")
    rows = site.output("command-0-r0.txt")
    assert [row[0] for row in rows] == list(range(100))
    header = 48 if "v6" in to else 28
    expected = WAY_S + 8 * (1000 + header) * BIT_S
    delays = sorted(row[1] for row in rows)
    # The kernel and two programs take some tens of microseconds, and a busy machine more now and then.
    assert expected <= delays[0] and delays[50] < expected + 2e-3
    assert of(report, "l0")["sent"] >= 100 and of(report, "r0")["received"] >= 100
    assert report["lateness"]["count"] >= 100


@root_only
def test_a_recording_is_run_again_to_the_last_bit(site: Site) -> None:
    # 200 datagrams at once find 30 places.
    options = ["--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(200, 1400, 0)}", "--seed", "5"]
    report = site.run("--record", *options)
    assert len(site.output("command-0-r0.txt")) < 200 == of(report, "l0")["sent"]
    first = photocol.Result.load(site.out)
    again = photocol.run(site.out / "replay.toml")
    assert again.fingerprint == first.fingerprint
    assert again.drops.equals(first.drops) and again.drops["units"].sum() > 0
    verify = [sys.executable, "-m", "photocol", "verify", str(site.out)]
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "1 of 1 runs: same bits" in done.stdout, done.stdout + done.stderr
    site.run("--force", "--run", "l0: true")
    done = subprocess.run(verify, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "cannot be repeated" in done.stdout, done.stdout + done.stderr


@root_only
@pytest.mark.parametrize(("tos", "to"), [(0, "{r0}"), (1, "{r0}"), (2, "{r0}"), (2, "{r0.v6}"), (3, "{r0}")])
def test_the_ecn_field_goes_in_and_comes_out(tmp_path: Path, tos: int, to: str) -> None:
    marking = '[[link]]\nfrom = "left"\nto = "right"\nqueue = { kind = "step", threshold = "5 packets" }\n'
    site = Site(tmp_path, PATH + marking)
    client = site.client(60, 1000, 0.0001, tos, to)
    report = site.run("--run", f"r0: {site.server(to)}", "--run", f"l0 @ 500 ms: {client}")
    fields = {int(row[3]) for row in site.output("command-0-r0.txt")}
    assert fields == {0: {0}, 1: {1, 3}, 2: {2, 3}, 3: {3}}[tos]
    assert (of(report, "r0")["marked"] > 0) == (tos != 0)


@root_only
def test_jumbo_frames_fragments_and_nobody(site: Site) -> None:
    jumbo = site.run(
        "--mtu", "9000 B", "--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(3, 8900, 0.01)}"
    )
    assert of(jumbo, "l0")["sent"] == 3
    # 4000 B are three fragments of 1500 B; an address that no host has is counted.
    nobody = f"{site.client(5, 100, 0.01, to='10.77.0.9')}"
    fragments = site.run(
        "--force", "--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(3, 4000, 0.01)}; {nobody}"
    )
    assert (of(fragments, "l0")["sent"], of(fragments, "l0")["elsewhere"]) == (9, 5)
    assert [row[2] for row in site.output("command-0-r0.txt")] == [4000.0] * 3


@root_only
def test_flows_of_real_hosts_are_left_out_or_refused(tmp_path: Path) -> None:
    site = Site(tmp_path, PATH + '[[traffic]]\ntransport = "sack"\nflows = 2\n')
    assert site.run("--run", "l0: true")["left_out"] == 1
    words = site.words("--strict", "--force", "--run", "l0: true")
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "1 flows of the scenario begin or end at a real host" in done.stderr


@root_only
def test_python_has_it_too(site: Site) -> None:
    options = {"real": ["l0", "r0"], "how": Settings(slower=2.0, records=True), "out": site.out}
    result, found = emulate(site.scenario, ["l0: echo said", "r0: true"], **options)  # type: ignore[arg-type]
    assert [(one.status, one.output) for one in found.commands] == [(0, "said\n"), (0, "")]
    assert (found.why, found.left_out, [host["host"] for host in found.hosts]) == ("finished", 0, ["l0", "r0"])
    assert photocol.run(site.out / "replay.toml").fingerprint == result.fingerprint
    # Half of the seconds of the clock have passed there.
    assert 0.1 < found.ended_s < result.manifest["wall_s"] / 2 + 0.1


@root_only
@iperf_only
def test_the_guides_lines_of_python_run() -> None:
    block = re.search(r"```py\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    names: dict[str, Any] = {}
    exec(block[1], names)
    assert [one.status for one in names["found"].commands] == [0, 0]


@root_only
def test_the_status_of_commands_is_kept(site: Site) -> None:
    report = site.run("--run", "l0: exit 3", "--run", "r0: kill -9 $$", "--run", "r0: echo said", status=1)
    assert [one["status"] for one in report["commands"]] == [3, 137, 0]
    assert (site.out / "command-2-r0.txt").read_text() == "said\n"
    assert report["why"] == "finished"


@root_only
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind(site: Site, number: int) -> None:
    mark = f"600.{os.getpid()}{number:d}"
    # A command that starts another one, which would outlive it.
    words = site.words("--run", f"l0: (sleep {mark} &); sleep {mark}")
    process = started(words, mark)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert gone(mark)
    if number == signal.SIGKILL:
        # The next one removes what this one could not.
        site.run("--run", "l0: true")
    else:
        assert json.loads((site.out / "emulation.json").read_text())["why"] == "interrupted"
    assert sorted(file.name for file in site.folder.iterdir() if file.name.startswith(".")) == []


@root_only
def test_a_network_that_falls_behind_says_so(site: Site) -> None:
    report = site.run("--max-lag", "0", "--run", "l0: sleep 60", status=1)
    assert report["why"].startswith("the network is ") and "behind the clock" in report["why"]


@root_only
@iperf_only
def test_the_kernels_cubic_fills_a_bottleneck(site: Site) -> None:
    site.run("--run", "r0: iperf3 -s -1", "--run", "l0: iperf3 -c {r0} -C cubic -t 3 -J")
    found = json.loads((site.out / "command-1-l0.txt").read_text())
    goodput = found["end"]["sum_received"]["bits_per_second"]
    # At most the share of 1448 B of payload in 1500 B; a busy machine costs some of the rest.
    assert 0.7 * 20e6 < goodput < 20e6 * 1448 / 1500 * 1.01


def _examples() -> list[str]:
    """The commands of the guide's examples, of a second each."""
    text = GUIDE.read_text(encoding="utf-8").partition("## Three examples")[2].replace("\\\n", " ")
    commands = re.findall(r"^photocol (emulate .*)$", text, re.MULTILINE)
    return [re.sub(r"timeout \d+", "timeout 6", re.sub(r"-t \d+", "-t 1", command)) for command in commands]


@root_only
@iperf_only
@pytest.mark.skipif(shutil.which("curl") is None, reason="SKIP: no curl on the path")
@pytest.mark.parametrize("command", _examples(), ids=["cubic", "bbr", "bursts", "week", "queues"])
def test_the_examples_of_the_guide_run(tmp_path: Path, command: str) -> None:
    shutil.copytree(GUIDE.parents[2] / "scenarios", tmp_path / "scenarios")
    (tmp_path / "page").write_bytes(bytes(200_000))
    words = [sys.executable, "-m", "photocol", *shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of packets left more than 1 ms late" in done.stderr


def test_the_page_has_the_recorded_numbers() -> None:
    sys.path.insert(0, str(GUIDE.parents[2] / "bench"))
    import emulate as measured
    import guest

    page = " ".join((GUIDE.parents[1] / "validation/emulation.md").read_text(encoding="utf-8").split())
    record, other = (json.loads(file.read_text(encoding="utf-8")) for file in (measured.RECORD, guest.RECORD))
    lines = [*measured.tables(record), *guest.tables(other, record)]
    assert [line for line in lines if line not in page] == []


def test_wrong_input_is_said(tmp_path: Path) -> None:
    site = Site(tmp_path)
    for options, said in [
        (["--real", "l0,nobody"], 'there is no node "nobody"'),
        (["--real", "l0"], "found 1 hosts; allowed: 2 to 64"),
        (["--mtu", "10 B"], "68 B to 65535 B"),
        (["--slower", "0.5"], "0.5"),
    ]:
        done = subprocess.run(site.words(*options), capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2 and said in done.stderr, done.stderr
