"""The processes in a guest in virtual time: real Linux, no real clock. Two runs must leave equal logs.

    python bench/virtual_time.py --guest DIR [--node target/release/photocol-node] [--runs 2] [--seconds 4]

QEMU counts instructions instead of time (`-icount`, TCG): what a process sees of time depends on nothing outside. DIR
has the files of these Debian packages, unpacked (`apt-get download`, `dpkg -x`): qemu-system-x86 and what it needs,
busybox-static, and a linux-image whose modules `veth` and `tun` are loaded. Inside, `photocol-node demo` runs a
master, two slaves, a core and fibres, each in a network of its own, and every node's capture, which has all that it
sent and took, is hashed. Needs no root. A minute or two of a quiet processor for each run.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INIT = """#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
insmod /modules/tun.ko; insmod /modules/veth.ko
ip link set lo up
mkdir -p /tmp/logs
photocol-node demo --slaves 2 --slot 1ms --fibre 1ms --port 0 --no-ip --json --seconds {seconds} --capture /tmp/logs
echo "ended with $?"
cd /tmp/logs; md5sum *.pcapng; wc -c *.pcapng
poweroff -f
"""
QEMU = (
    "-accel tcg,thread=single -icount shift=1,sleep=off,align=off -rtc base=2026-01-01,clock=vm -seed 1 "
    "-cpu max,-rdrand,-rdseed -smp 1 -m 1000 -nographic -no-reboot -net none"
)
APPEND = "console=ttyS0 panic=-1 nokaslr mitigations=off tsc=reliable quiet"
LOG = re.compile(r"^([0-9a-f]{32})  (\S+\.pcapng)\s*$", re.MULTILINE)
TOOLS = ("sh", "mount", "insmod", "md5sum", "mkdir", "poweroff", "wc", "echo")


def one(folder: Path, *patterns: str) -> Path:
    for pattern in patterns:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    print(f"SKIP: {folder} has no {' or '.join(patterns)}; nothing was run", file=sys.stderr)
    sys.exit(2)


def put(root: Path, name: str, program: Path) -> None:
    """Put a program and the libraries it is linked with where it will find them."""
    shutil.copy(program, root / "bin" / name)
    linked = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+)", linked):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(library).resolve(), root / library[1:])


def image(guest: Path, node: Path, folder: Path, seconds: float) -> Path:
    """Make the file system of the guest."""
    root = folder / "root"
    for name in ("bin", "modules", "proc", "sys", "dev", "tmp"):
        (root / name).mkdir(parents=True)
    busybox = one(guest, "bin/busybox", "usr/bin/busybox")
    shutil.copy(busybox, root / "bin" / "busybox")
    for tool in TOOLS:
        (root / "bin" / tool).symlink_to("busybox")
    for module in ("tun", "veth"):
        shutil.copy(one(guest, f"lib/modules/*/kernel/drivers/net/{module}.ko"), root / "modules")
    put(root, "photocol-node", node)
    put(root, "ip", Path(shutil.which("ip") or "/sbin/ip"))
    (root / "init").write_text(INIT.format(seconds=seconds))
    (root / "init").chmod(0o755)
    # The order of files is part of the image, and of what the guest does.
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    made = subprocess.run(
        [str(busybox), "cpio", "-o", "-H", "newc"],
        cwd=root,
        input="\n".join(names).encode(),
        capture_output=True,
        check=True,
    )
    path = folder / "image.gz"
    path.write_bytes(gzip.compress(made.stdout, 1, mtime=0))
    return path


def run(guest: Path, image: Path) -> dict[str, str]:
    """Run the guest once: the hash of every log."""
    qemu = shutil.which("qemu-system-x86_64")
    environment = dict(os.environ)
    words = [qemu or str(one(guest, "usr/bin/qemu-system-x86_64"))]
    if qemu is None:
        folders = [guest / "usr/lib/x86_64-linux-gnu", guest / "lib/x86_64-linux-gnu"]
        environment["LD_LIBRARY_PATH"] = ":".join(map(str, folders))
        words += ["-L", str(guest / "usr/share/qemu"), "-L", str(guest / "usr/share/seabios")]
    kernel = one(guest, "boot/vmlinuz-*")
    words += [*QEMU.split(), "-kernel", str(kernel), "-initrd", str(image), "-append", APPEND]
    # It dies with this program.
    words = ["setpriv", "--pdeathsig", "KILL", *words]
    done = subprocess.run(
        words, capture_output=True, text=True, errors="replace", env=environment, stdin=subprocess.DEVNULL, check=False
    )
    logs = {name: digest for digest, name in LOG.findall(done.stdout)}
    if "ended with 0" not in done.stdout or not logs:
        print(done.stdout[-2000:], done.stderr[-500:], file=sys.stderr)
        sys.exit(1)
    return logs


def main() -> int:
    parser = argparse.ArgumentParser(description="the control plane in virtual time")
    parser.add_argument("--guest", type=Path, required=True)
    parser.add_argument("--node", type=Path, default=Path("target/release/photocol-node"))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4.0)
    options = parser.parse_args()
    if not options.node.is_file():
        print(
            f"SKIP: {options.node} is not there (cargo build --release -p photocol-linux); nothing was run",
            file=sys.stderr,
        )
        return 2
    with tempfile.TemporaryDirectory() as folder:
        made = image(options.guest.resolve(), options.node, Path(folder), options.seconds)
        found = [run(options.guest.resolve(), made) for _ in range(options.runs)]
    for name in sorted(found[0]):
        digests = [logs.get(name, "-") for logs in found]
        print(f"{name}: {'equal' if len(set(digests)) == 1 else 'DIFFERENT'}: {' '.join(digests)}")
    return 0 if all(logs == found[0] for logs in found) else 1


if __name__ == "__main__":
    sys.exit(main())
