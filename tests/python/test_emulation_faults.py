"""What may go wrong under `photocol emulate`: full disks, lost devices, clocks, floods and garbage."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from emulated_site import Site, gone, linux_only, of, processes, root_only, started

pytestmark = [linux_only, root_only, pytest.mark.alone]

GARBAGE = """
import random, socket
draw = random.Random(7)
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
for number in range(2000):
    kind = draw.choice([0x0800, 0x86DD, 0x0806])
    raw.sendto(draw.randbytes(draw.randrange(1, 1500)), ("light0", kind))
"""
FLOOD = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + 2
while time.monotonic() < end:
    for _ in range(1000):
        try:
            client.sendto(bytes(36), (sys.argv[1], 9))
        except OSError:
            pass
"""
"""64-byte packets for two seconds."""
STEPPED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    static struct timespec first;
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    struct timespec now;
    real(CLOCK_MONOTONIC, &now);
    if (!first.tv_sec) first = now;
    int answer = real(clock, at);
    if (clock == CLOCK_REALTIME && now.tv_sec > first.tv_sec + 1) at->tv_sec -= 3600;
    return answer;
}
"""
"""A time of day that somebody sets back by an hour when the process is a second or two old."""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def _failed(words: list[str]) -> str:
    """What a command says that ends with an error of its own, and not with a traceback."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode not in (0, -signal.SIGKILL), done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(("size", "options"), [("96k", ["--record"]), ("8k", [])], ids=["recording", "results"])
def test_a_full_disk_is_said_and_nothing_stays(site: Site, size: str, options: list[str]) -> None:
    mark = f"600.{os.getpid()}1"
    disk = site.folder / "disk"
    disk.mkdir()
    site.out = disk / "out"
    busy = f"l0 @ 500 ms: {site.client(6000, 100, 0)}; sleep 0.5"
    words = site.words(*options, "--run", busy, *(["--run", f"r0: sleep {mark}"] if options else []))
    then = f"{shlex.join(words)}; status=$?; echo stays: [$(ls -A {disk})]; exit $status"
    said = _failed(["unshare", "--mount", "sh", "-c", f"mount -t tmpfs -o size={size} none {disk} && {then}"])
    assert "No space left on device" in said and "stays: []" in said, said
    assert gone(mark)


def test_a_lost_device_is_said_and_all_is_removed(site: Site) -> None:
    mark = f"600.{os.getpid()}2"
    said = _failed(site.words("--run", f"r0: sleep {mark}", "--run", "l0 @ 500 ms: ip link delete light0; sleep 5"))
    assert "the device of l0" in said, said
    assert gone(mark)
    assert sorted(file.name for file in site.folder.iterdir() if file.name.startswith(".")) == []
    assert not site.out.exists()


def test_a_device_of_that_name_elsewhere_does_not_matter(site: Site) -> None:
    words = shlex.join(site.words("--run", "l0: ip -br link show light0"))
    outside = ["unshare", "--net", "sh", "-c", f"ip tuntap add light0 mode tun && {words}"]
    done = subprocess.run(outside, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "light0" in (site.out / "command-0-l0.txt").read_text(), done.stderr


def test_garbage_on_the_device_is_for_nobody_or_is_carried(site: Site) -> None:
    (site.folder / "garbage.py").write_text(GARBAGE)
    report = site.run("--run", f"l0 @ 500 ms: {sys.executable} {site.folder}/garbage.py; sleep 0.5")
    counts = of(report, "l0")
    seen = sum(counts[name] for name in ("sent", "elsewhere", "too_long", "refused"))
    # Those for which the device has no room are refused, as on a busy machine.
    assert seen >= 2000 and counts["elsewhere"] + counts["refused"] > 1900, counts
    assert report["why"] == "finished"


def test_packets_longer_than_the_mtu_do_not_enter(site: Site) -> None:
    longer = f"ip link set light0 mtu 9000; {site.client(7, 4000, 0.001)}; {site.client(2, 100, 0.001)}; sleep 0.2"
    done = subprocess.run(
        site.words("--run", f"l0 @ 500 ms: {longer}"), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0 and "7 packets of l0 were dropped before they entered" in done.stderr, done.stderr
    counts = of(json.loads((site.out / "emulation.json").read_text()), "l0")
    assert (counts["too_long"], counts["sent"]) == (7, 2)


def after_standing_still(process: subprocess.Popen[str], seconds: float) -> str:
    """What an emulation says at its end that was stopped for so long, half a second after its beginning."""
    time.sleep(0.5)
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)
    return process.communicate(timeout=60)[1]


def test_a_flood_is_dropped_at_the_device_and_counted(site: Site) -> None:
    """While the emulation stands still for half a second nobody reads the 500 places of the device."""
    (site.folder / "flood.py").write_text(FLOOD)
    mark = f"600.{os.getpid()}3"
    flood = f"(sleep {mark} &); exec {sys.executable} {site.folder}/flood.py {{r0}}"
    process = started(site.words("--run", f"l0: {flood}"), mark)
    said = after_standing_still(process, 0.5)
    report = json.loads((site.out / "emulation.json").read_text())
    counts = of(report, "l0")
    assert counts["refused"] > 0 and counts["sent"] > 500
    assert "packets of l0 were dropped before they entered the network" in said
    assert gone(mark)


def test_an_emulation_that_stood_still_says_that_it_is_behind(site: Site) -> None:
    """As a machine that sleeps, or a monotonic clock that leaps: packets were on their way."""
    mark = f"600.{os.getpid()}4"
    stream = f"(sleep {mark} &); {site.client(100_000, 100, 0.001)}"
    process = started(site.words("--run", f"l0: {stream}"), mark)
    said = after_standing_still(process, 1.5)
    assert process.returncode == 1 and "s behind the clock, more than --max-lag" in said, said
    assert gone(mark)


@pytest.mark.skipif(shutil.which("cc") is None, reason="SKIP: no C compiler for a clock that steps")
def test_a_time_of_day_that_steps_changes_nothing(site: Site) -> None:
    source, library = site.folder / "stepped.c", site.folder / "stepped.so"
    source.write_text(STEPPED)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    options = ["--run", f"r0: {site.server()}", "--run", f"l0 @ 500 ms: {site.client(300, 1000, 0.01)}"]
    stepped = ["env", f"LD_PRELOAD={library}", *site.words(*options)]
    begun = [
        "env",
        f"LD_PRELOAD={library}",
        sys.executable,
        "-c",
        "import time as t; a = t.time(); t.sleep(3); print(t.time() - a)",
    ]
    assert float(subprocess.run(begun, capture_output=True, text=True, check=True).stdout) < -3500
    done = subprocess.run(stepped, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads((site.out / "emulation.json").read_text())
    assert report["why"] == "finished" and report["lateness"]["worst_us"] < 1e6
    assert len(site.output("command-0-r0.txt")) == 300


def test_without_root_or_a_user_namespace_it_says_so(site: Site) -> None:
    """The mark says that this is one already, so that none is tried."""
    if _nobody("-c", "import photocol", into_namespace=False).returncode:
        pytest.skip("SKIP: nobody may not read this Python")
    done = _nobody(*site.words("--run", "l0: true")[1:], into_namespace=False)
    assert done.returncode == 2 and "needs root, or user namespaces that map one" in done.stderr, done.stderr


def test_without_root_it_works_in_a_user_namespace(site: Site) -> None:
    if _nobody("-c", "import photocol", into_namespace=True).returncode:
        pytest.skip("SKIP: nobody has no user namespaces here, or may not read this Python there")
    if not Path("/dev/net/tun").stat().st_mode & stat.S_IWOTH:
        pytest.skip("SKIP: nobody may not open /dev/net/tun")
    site.folder.chmod(0o777)
    done = _nobody(*site.words("--run", "l0: true")[1:], into_namespace=True)
    assert done.returncode == 0, done.stderr


def _nobody(*arguments: str, into_namespace: bool) -> subprocess.CompletedProcess[str]:
    """This Python as a user without rights."""
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    words += ["unshare", "--user", "--map-root-user"] if into_namespace else []
    known = {**os.environ, **({} if into_namespace else {"PHOTOCOL_USER_NAMESPACE": "1"})}
    words += [sys.executable, *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, env=known)


def test_a_child_that_is_killed_takes_along_what_it_has_started(site: Site) -> None:
    mark = f"600.{os.getpid()}5"
    process = started(site.words("--run", f"l0: (sleep {mark} &); sleep {mark}"), mark)
    parent = next(int(line.split()[1]) for line in _status(processes(mark)[0]) if line.startswith("PPid:"))
    # The command's own first process: "unshare", whose child it is.
    commands = [pid for pid in _children(process.pid) if "unshare" in Path(f"/proc/{pid}/cmdline").read_text()]
    assert parent and commands
    os.kill(commands[0], signal.SIGKILL)
    process.communicate(timeout=60)
    report = json.loads((site.out / "emulation.json").read_text())
    assert ([one["status"] for one in report["commands"]], report["why"]) == ([137], "finished")
    assert gone(mark)


def _status(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/status").read_text().splitlines()


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.parametrize(("law", "said"), [("reno", "reno"), ("cubic", "cubic")])
def test_the_law_of_a_namespace_is_that_of_its_connections(site: Site, law: str, said: str) -> None:
    listen = "import socket; s = socket.create_server(('{r0}', 5)); s.accept()"
    ask = "import socket; s = socket.create_connection(('{r0}', 5)); print(s.getsockopt(6, 13, 16))"
    commands = ("--run", f'r0: {sys.executable} -c "{listen}"', "--run", f'l0 @ 1 s: {sys.executable} -c "{ask}"')
    site.run("--law", law, *commands)
    assert said in (site.out / "command-1-l0.txt").read_text()
    said_of_others = _failed(site.words("--force", "--law", "no-such-law", "--run", "l0: true"))
    assert 'does not take the law "no-such-law"' in said_of_others
    assert said in said_of_others, "and says which it has"
