"""`ptp4l` (linuxptp) and `photocol-node measure` on this machine, one after the other: virtual wires, stamps of the
kernel.

    python bench/ptp4l.py [--seconds 60] [--ptp4l /usr/sbin/ptp4l] [--node "photocol-node"]

Both ends share the real clock of the machine, so the true offset is zero. ptp4l only reports (`free_running`), once a
second: it steers no clock. It needs root; the namespaces belong to two processes that die with this one, so nothing
is left however it ends.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIGURATION = """[global]
time_stamping software
network_transport UDPv4
free_running 1
logSyncInterval -3
logAnnounceInterval -1
logMinDelayReqInterval -3
summary_interval -4
freq_est_interval 0
priority1 {priority}
[{interface}]
"""
OFFSET = re.compile(r"master offset\s+(-?\d+)")


def holder() -> subprocess.Popen[bytes]:
    """Start a process with a network of its own, which ends with this program."""
    words = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "100000"]
    return subprocess.Popen(words)


def inside(process: subprocess.Popen[bytes], *words: str) -> list[str]:
    return ["nsenter", "-t", str(process.pid), "-n", *words]


def connect(ends: list[subprocess.Popen[bytes]]) -> None:
    """Lay a virtual wire between two networks."""
    one, other = (str(end.pid) for end in ends)
    add = ["ip", "link", "add", "ptp0", "netns", one, "type", "veth", "peer", "name", "ptp0", "netns", other]
    subprocess.run(add, check=True)
    for number, end in enumerate(ends, start=1):
        subprocess.run(inside(end, "ip", "address", "add", f"10.66.0.{number}/24", "dev", "ptp0"), check=True)
        subprocess.run(inside(end, "ip", "link", "set", "ptp0", "up"), check=True)


def offsets(ptp4l: str, ends: list[subprocess.Popen[bytes]], seconds: float) -> list[float]:
    """Run a master and a slave; what the slave says of its offset, in microseconds, without the first fifth."""
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for number, end in enumerate(ends):
            path = Path(folder) / f"{number}.conf"
            # The lower number is the master; each has a socket for management of its own.
            text = CONFIGURATION.format(priority=100 + number, interface="ptp0")
            path.write_text(text.replace("[global]\n", f"[global]\nuds_address {folder}/{number}\n"))
            words = ["setpriv", "--pdeathsig", "KILL", "chrt", "-f", "60", ptp4l, "-f", str(path), "-m", "-q"]
            running.append(
                subprocess.Popen(inside(end, *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            )
        time.sleep(seconds)
        for process in running:
            process.kill()
        said = running[1].communicate()[0]
        running[0].communicate()
    found = [int(number) / 1000 for number in OFFSET.findall(said)]
    return found[len(found) // 5 :]


def row(name: str, errors: list[float]) -> str:
    sizes = sorted(abs(error) for error in errors)
    if not sizes:
        return f"{name}: no offset was reported"
    rms = math.sqrt(sum(size * size for size in sizes) / len(sizes))
    p99 = sizes[len(sizes) * 99 // 100]
    return f"{name}: rms {rms:.2f}, p99 {p99:.2f}, max {sizes[-1]:.2f} µs ({len(sizes)} offsets)"


def main() -> int:
    parser = argparse.ArgumentParser(description="ptp4l beside photocol-node measure")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--ptp4l", default=shutil.which("ptp4l") or "/usr/sbin/ptp4l")
    parser.add_argument("--node", default=f"{shlex.quote(sys.executable)} -P -m photocol.node")
    options = parser.parse_args()
    if os.geteuid() != 0 or not Path(options.ptp4l).exists():
        print("SKIP: this needs root and ptp4l (Debian: linuxptp); nothing was compared", file=sys.stderr)
        return 2
    ends = [holder(), holder()]
    try:
        # A holder is in its own network when it has become `sleep`.
        time.sleep(0.5)
        connect(ends)
        print(row("ptp4l, two-way clock offset over a virtual wire", offsets(options.ptp4l, ends, options.seconds)))
    finally:
        for end in ends:
            end.kill()
            end.wait()
    words = [*shlex.split(options.node), "measure", "--seconds", str(min(options.seconds, 600.0))]
    print(subprocess.run(words, check=False, capture_output=True, text=True).stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
