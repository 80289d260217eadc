#!/usr/bin/env python3
"""Another kernel beside `photocol emulate`: Linux 6.1 in QEMU, which has netem and DCTCP.

    apt-get download linux-image-6.1.0-54-cloud-amd64
    .venv/bin/python bench/guest.py --kernel linux-image-6.1.0-54-cloud-amd64_*.deb
    .venv/bin/python bench/guest.py --kernel … --only dctcp --record      writes bench/guest.json

netem: one flow of the guest through a link that its own kernel emulates, in virtual time, which no load of this machine
changes. dctcp: two guests at the ends of an emulated link that marks, in real time, as root.

It needs qemu-system-x86_64, busybox (static), iperf3, iproute2 and dpkg. docs/validation/emulation.md says what is
expected of it. Exit status: 0, 3 if it cannot be measured here.
"""

from __future__ import annotations

import argparse
import base64
import functools
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import emulate as emulation

if TYPE_CHECKING:
    from collections.abc import Sequence

RECORD = Path(__file__).resolve().parent / "guest.json"
PROGRAMS = ("qemu-system-x86_64", "busybox", "iperf3", "tc", "ip", "dpkg", "cpio")
MODULES = (
    "drivers/virtio/virtio",
    "drivers/virtio/virtio_ring",
    "drivers/virtio/virtio_pci_legacy_dev",
    "drivers/virtio/virtio_pci_modern_dev",
    "drivers/virtio/virtio_pci",
    "net/core/failover",
    "drivers/net/net_failover",
    "drivers/net/virtio_net",
    "drivers/net/veth",
    "net/sched/sch_netem",
    "net/ipv4/tcp_dctcp",
)
"""In the order in which each knows what it needs."""
LAST_S = 60
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc; $b mount -t sysfs sys /sys; $b mount -t devtmpfs dev /dev
for one in MODULES; do $b insmod /modules/$one.ko || echo "no module $one"; done
for word in $($b cat /proc/cmdline); do case $word in run=*) run=${word#run=};; esac; done
echo "kernel $($b uname -r)"
$b sh -c "$(echo "$run" | $b base64 -d)"
$b poweroff -f
"""
NETEM = """
/bin/ip link set lo up
/bin/busybox unshare -n /bin/busybox sleep 10000 & other=$!
/bin/busybox sleep 1
alias at_far="/bin/busybox nsenter -t $other -n"
/bin/ip link add near type veth peer name far
/bin/ip link set far netns $other
/bin/ip link set near gso_max_segs 1
/bin/ip address add 10.0.0.1/24 dev near
/bin/ip link set near up
at_far /bin/ip link set far gso_max_segs 1
at_far /bin/ip address add 10.0.0.2/24 dev far
at_far /bin/ip link set far up
/bin/tc qdisc add dev near root netem delay {half_us}us rate 100mbit -14 limit {limit}
at_far /bin/tc qdisc add dev far root netem delay {half_us}us limit 100000
echo {law} > /proc/sys/net/ipv4/tcp_congestion_control
echo 1 > /proc/sys/net/ipv4/tcp_no_metrics_save
at_far /bin/iperf3 -s -1 > /dev/null &
/bin/busybox sleep 1
/bin/iperf3 -c 10.0.0.2 -t {seconds} -J > /told
/bin/busybox grep -A 12 sum_ /told
/bin/tc -s qdisc show dev near
"""
"""Frames have 14 B more than packets, which the rate leaves out. No frame holds several segments."""
VIRTUAL, REAL = "tsc=reliable", "tsc=unstable clocksource=hpet noapictimer"
"""In real time nothing is measured at the start, which a busy machine would falsify: HPET says how fast it is."""
ALONE = ("-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off,align=off", "-rtc", "clock=vm", "-seed", "1")
ALONE += ("-cpu", "max,-rdrand,-rdseed", "-net", "none")
"""Its time is what it computes: an instruction takes 2 ns, and two runs are the same."""
STEP_PACKETS, DCTCP_MBPS, DCTCP_S = 40, 40, 20
MARKING = """
[[link]]
from = "left"
to = "right"
queue = {{ kind = "step", threshold = "{threshold} packets" }}
[probe]
interval = "1 ms"
links = ["left->right"]
"""
GUEST = """
/bin/ip address add 10.77.0.{own}/24 dev eth0
/bin/ip link set eth0 address 02:00:00:00:00:02
/bin/ip link set eth0 up
/bin/ip neighbour add 10.77.0.{peer} lladdr 02:00:00:00:00:01 dev eth0
echo dctcp > /proc/sys/net/ipv4/tcp_congestion_control
echo 1 > /proc/sys/net/ipv4/tcp_ecn
"""
STATION = """
ip tuntap add tap0 mode tap
ip link set tap0 address 02:00:00:00:00:01 up
ip address del 10.77.0.{own}/24 dev light0
ip route add 10.77.0.0/24 dev light0
ip route add 10.77.0.{own} dev tap0
ip neighbour add 10.77.0.{own} lladdr 02:00:00:00:00:02 dev tap0
echo 1 > /proc/sys/net/ipv4/ip_forward
exec {qemu}
"""
"""The host's network passes on what is for its address to the guest, and what the guest sends to the device."""


class Guest:
    """A kernel and what it starts with."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["dpkg", "-x", str(package), str(folder / "kernel")], check=True)
        (modules,) = (folder / "kernel/lib/modules").iterdir()
        self.release = modules.name
        root = folder / "root"
        for name in ("bin", "modules", "proc", "sys", "dev", "tmp"):
            (root / name).mkdir(parents=True)
        for module in MODULES:
            shutil.copy(modules / "kernel" / f"{module}.ko", root / "modules")
        for program in ("busybox", "iperf3", "tc", "ip"):
            self._program(root, program)
        names = " ".join(Path(module).name for module in MODULES)
        (root / "init").write_text(INIT.replace("MODULES", names), encoding="utf-8")
        (root / "init").chmod(0o755)
        packed = "find . | cpio -o -H newc 2> /dev/null | gzip -1 > ../initrd.gz"
        subprocess.run(packed, shell=True, check=True, cwd=root)

    def _program(self, root: Path, name: str) -> None:
        """A program and the libraries that it needs."""
        place = shutil.which(name)
        assert place is not None, f"{name} was looked for before"
        shutil.copy(place, root / "bin" / name)
        needs = subprocess.run(["ldd", place], capture_output=True, text=True, check=False).stdout
        for library in re.findall(r"(/\S+) \(", needs):
            target = root / library.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)

    def words(self, commands: str, clock: str, *more: str) -> list[str]:
        """What starts it with commands of its shell, and a clock."""
        run = base64.b64encode(commands.encode()).decode()
        said = f"console=ttyS0 panic=-1 quiet mitigations=off nokaslr {clock} run={run}"
        image = self.folder / f"kernel/boot/vmlinuz-{self.release}"
        words = ["qemu-system-x86_64", "-smp", "1", "-m", "2000", "-nographic", "-no-reboot", "-kernel", str(image)]
        return [*words, "-initrd", str(self.folder / "initrd.gz"), "-append", said, *more]


def netem(guest: Guest) -> list[dict[str, Any]]:
    """CUBIC and Reno of the guest through netem: 100 Mb/s, round trips of 20 and 80 ms, a buffer of one product."""
    rows = []
    for law in ("cubic", "reno"):
        for trip_ms in emulation.ROUND_TRIPS_MS:
            # What is under way for half of the round trip, and one product that waits: 1500 B each.
            limit = round(1.5 * trip_ms * emulation.RATE_MBPS * 1000 / 12_000)
            commands = NETEM.format(half_us=trip_ms * 500, limit=limit, law=law, seconds=LAST_S)
            words = guest.words(commands, VIRTUAL, *ALONE)
            said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=3600).stdout
            received = re.search(r'"sum_received".*?"bits_per_second":\s*([\d.e+]+)', said, re.DOTALL)
            lost = re.search(r"dropped (\d+)", said)
            if received is None or lost is None:
                raise SystemExit(said)
            row = {"law": law, "round_trip_ms": trip_ms, "mbps": float(received[1]) / 1e6, "lost": int(lost[1])}
            rows.append(row)
            print(row, flush=True)
    return rows


def dctcp(guest: Guest) -> dict[str, Any]:
    """DCTCP of two guests over a link that marks from a threshold on: what waits there, and what the simulated has."""
    scenario = emulation.DUMBBELL.format(
        seconds=DCTCP_S + 60, rate=DCTCP_MBPS, delay_us=4800, buffer="400 packets", access=1000
    ) + MARKING.format(threshold=STEP_PACKETS)
    serves = GUEST.format(own=2, peer=1) + "/bin/iperf3 -s -1"
    asks = GUEST.format(own=1, peer=2) + f"/bin/busybox sleep 4\n/bin/iperf3 -c 10.77.0.2 -t {DCTCP_S} -J"
    files = []
    for own, commands in ((2, serves), (1, asks)):
        card = ("-netdev", "tap,id=n,ifname=tap0,script=no,downscript=no", "-device", "virtio-net-pci,netdev=n")
        words = " ".join(map(shlex.quote, guest.words(commands, REAL, "-accel", "tcg", *card)))
        files.append(guest.folder / f"station-{own}")
        files[-1].write_text(STATION.format(own=own, qemu=words), encoding="utf-8")
    commands = [f"r0: sh {files[0]}", f"l0: sh {files[1]}"]
    report, result = emulation.emulated(scenario, guest.folder, *commands)
    told = (guest.folder / "out/command-1-l0.txt").read_text(encoding="utf-8")
    goodput = re.search(r'"sum_received".*?"bits_per_second":\s*([\d.e+]+)', told, re.DOTALL)
    if goodput is None:
        raise SystemExit(told)
    return {
        "mbps": float(goodput[1]) / 1e6,
        **_queue(result),
        "marked": sum(host["marked"] for host in report["hosts"]),
        "dropped": int(result.drops["units"].sum()),
        **emulation.lateness(report),
        "simulated": _simulated(scenario),
    }


def _simulated(scenario: str) -> dict[str, float]:
    import photocol

    traffic = '[[traffic]]\ntransport = "dctcp"\n'
    return _queue(photocol.run(scenario + traffic, set={"run.duration": f"{DCTCP_S} s"}))


def _queue(result: Any) -> dict[str, float]:
    """What waits at the link: of the middle half, in time, of the samples that find somebody there."""
    samples = result.series.filter(result.series["quantity"] == "queue")
    waiting = samples.filter(samples["value"] > 0)
    middle = waiting["value"][len(waiting) // 4 : 3 * len(waiting) // 4]
    seconds = len(waiting) / 1000
    return {"queue_packets": middle.mean(), "queue_p90": middle.quantile(0.9), "waiting_s": seconds}


def tables(found: dict[str, Any], emulated: dict[str, Any]) -> list[str]:
    """The lines of docs/validation/emulation.md that are numbers of this, beside those of the emulation."""
    rows = ["| law | round trip (ms) | netem, Linux 6.1 (Mb/s) | emulation, Linux 6.18 (Mb/s) |", "|---" * 4 + "|"]
    for row in found["netem"]:
        (same,) = (one for one in emulated[row["law"]] if one["round_trip_ms"] == row["round_trip_ms"])
        here = statistics.median(same["kernel_mbps"])
        cells = (row["law"], row["round_trip_ms"], f"{row['mbps']:.2f}", f"{here:.2f} ({here / row['mbps'] - 1:+.1%})")
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    told = found["dctcp"]
    mean, simulated = told["queue_packets"], told["simulated"]["queue_packets"]
    rows.append(f"the guests' DCTCP keeps {mean:.1f} packets in the mean, and `dctcp` {simulated:.1f}")
    return [*rows, f"{told['marked']} packets were marked and {told['dropped']} dropped"]


PARTS = {"netem": netem, "dctcp": dctcp}


def main(arguments: Sequence[str] | None = None) -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", type=Path, required=True, metavar="DEB", help="Debian's package of the kernel")
    parser.add_argument("--only", default=",".join(PARTS), metavar="PART,PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(arguments)
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing or os.geteuid() != 0 or not options.kernel.is_file():
        print(f"guest.py needs root, the kernel's package and {', '.join(missing or PROGRAMS)}", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        guest = Guest(options.kernel, Path(folder))
        parts = {name: functools.partial(part, guest) for name, part in PARTS.items()}
        emulation.measure(options.only, parts, RECORD, options.record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
