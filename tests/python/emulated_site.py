"""Programs, scenarios and marks of the tests of `photocol emulate`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIP: photocol emulate needs Linux")


def _has_namespaces() -> bool:
    if os.geteuid() != 0 or not Path("/dev/net/tun").exists() or not (shutil.which("ip") and shutil.which("unshare")):
        return False
    return subprocess.run(["unshare", "--net", "--pid", "--fork", "true"], check=False).returncode == 0


root_only = pytest.mark.skipif(
    not _has_namespaces(), reason="SKIP: real hosts need root, namespaces, iproute2 and /dev/net/tun"
)
iperf_only = pytest.mark.skipif(shutil.which("iperf3") is None, reason="SKIP: no iperf3 on the path")

PATH = """
[run]
name = "path"
duration = "60 s"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "20 Mbps"
bottleneck_delay = "18 ms"
bottleneck_buffer = "30 packets"
access_capacity = "100 Mbps"
access_delay = "1 ms"
"""
"""20 ms one way, and 8 bits at 120 ns each through both access links and the bottleneck: 0.07 us a bit."""
WAY_S, BIT_S = 0.020, 2 / 100e6 + 1 / 20e6

SERVER = """
import socket, struct, sys, time
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
server = socket.socket(family, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 9))
v6 = family == socket.AF_INET6
server.setsockopt(*((socket.IPPROTO_IPV6, 66, 1) if v6 else (socket.IPPROTO_IP, 13, 1)))
server.settimeout(10)
try:
    while True:
        data, about, _, _ = server.recvmsg(70000, 100)
        now = time.clock_gettime(time.CLOCK_MONOTONIC)
        number, sent = struct.unpack("!Id", data[:12])
        server.settimeout(0.3)
        print(number, f"{now - sent:.7f}", len(data), [content[0] & 3 for _, _, content in about][0], flush=True)
except socket.timeout:
    pass
"""
CLIENT = """
import socket, struct, sys, time
to, count, size, gap, tos = sys.argv[1], *map(float, sys.argv[2:6])
family = socket.AF_INET6 if ":" in to else socket.AF_INET
client = socket.socket(family, socket.SOCK_DGRAM)
v6 = family == socket.AF_INET6
client.setsockopt(*((socket.IPPROTO_IPV6, 67) if v6 else (socket.IPPROTO_IP, 1)), int(tos))
for number in range(int(count)):
    head = struct.pack("!Id", number, time.clock_gettime(time.CLOCK_MONOTONIC))
    client.sendto(head + bytes(int(size) - len(head)), (to, 9))
    time.sleep(gap)
"""


class Site:
    """A folder with a scenario, programs for hosts, and results."""

    def __init__(self, folder: Path, scenario: str = PATH) -> None:
        self.folder = folder
        self.scenario = folder / "scenario.toml"
        self.scenario.write_text(scenario)
        (folder / "server.py").write_text(SERVER)
        (folder / "client.py").write_text(CLIENT)
        self.out = folder / "out"

    def words(self, *options: str, real: str = "l0,r0") -> list[str]:
        command = [sys.executable, "-m", "photocol", "emulate", str(self.scenario), "--real", real]
        return [*command, "--out", str(self.out), *options]

    def server(self, to: str = "{r0}") -> str:
        return f"{sys.executable} {self.folder}/server.py {to}"

    def client(self, count: int, size: int, gap: float, tos: int = 0, to: str = "{r0}") -> str:
        return f"{sys.executable} {self.folder}/client.py {to} {count} {size} {gap} {tos}"

    def run(self, *options: str, real: str = "l0,r0", status: int = 0) -> dict[str, Any]:
        words = self.words(*options, real=real)
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        report: dict[str, Any] = json.loads((self.out / "emulation.json").read_text())
        return report

    def output(self, name: str) -> list[list[float]]:
        return [[float(word) for word in line.split()] for line in (self.out / name).read_text().splitlines()]


def of(report: dict[str, Any], host: str) -> dict[str, Any]:
    return next(row for row in report["hosts"] if row["host"] == host)


def processes(mark: str) -> list[int]:
    """Processes that have this word on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_text().split("\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def gone(mark: str) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if not processes(mark):
            return True
        time.sleep(0.05)
    return False


def started(words: Sequence[str], mark: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not processes(mark):
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.05)
    return process
