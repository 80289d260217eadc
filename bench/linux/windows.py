"""Records the window of this machine's Linux kernel, over seconds and through one loss.

    sudo python3 bench/linux/windows.py crates/transport/tests/linux/windows

One flow sends without end over a TUN device in a network namespace of this script's own. Behind it is a delay line in
user space: a receiver that acknowledges every segment, with SACK, a round trip after the segment has left the kernel.
It drops one segment once. Every 100 ms the kernel says how its window stands (TCP_INFO). Three takes of each
algorithm, a text file each; `crates/transport/tests/linux_windows.rs` compares them with a sender here and needs no
kernel.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import platform
import select
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from record import HERE, IFF_TUN_NO_PI, MSS, PORT, THERE, TUNSETIFF, checksum, info, unshare_network

if TYPE_CHECKING:
    from collections.abc import Callable

RTT_S, LENGTH_S, TAKES = 0.1, 12.0, 3
DROPPED = 200
"""The segment that is lost, in slow start."""
SO_SNDBUFFORCE = 32


class DelayLine:
    """A receiver at the far end of a line, and the line, which loses these segments once each."""

    def __init__(self, tun: int, lost: tuple[int, ...] = ()) -> None:
        self.tun = tun
        self.to_lose = {segment * MSS for segment in lost}
        self.isn = 0
        self.port = 0
        self.own = 1000
        self.expected = 0
        self.held: list[tuple[int, int]] = []
        self.sent = 0
        self.due: deque[tuple[float, bytes]] = deque()

    def packet(self, flags: int, ack: int, options: bytes) -> bytes:
        """A packet without payload of the receiver."""
        source, destination = socket.inet_aton(THERE), socket.inet_aton(HERE)
        offset = (5 + len(options) // 4) << 4
        number = (self.isn + 1 + ack) & 0xFFFFFFFF
        tcp = struct.pack("!HHIIBBHHH", PORT, self.port, self.own, number, offset, flags, 65000, 0, 0) + options
        pseudo = source + destination + struct.pack("!BBH", 0, 6, len(tcp))
        tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp)) + tcp[18:]
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0, source, destination)
        return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + tcp

    def take(self) -> None:
        """A packet of the kernel enters the line."""
        self.accept(os.read(self.tun, 65535), time.monotonic())

    def accept(self, packet: bytes, now: float) -> None:
        """It is for this receiver, or for nobody."""
        if packet[0] >> 4 != 4 or packet[9] != 6:
            return
        tcp = packet[(packet[0] & 15) * 4 : struct.unpack("!H", packet[2:4])[0]]
        port, sequence = struct.unpack("!HxxI", tcp[:8])
        if tcp[13] & 2:
            self.isn, self.port = sequence, port
            options = struct.pack("!BBH", 2, 4, MSS) + b"\4\2\1\1" + b"\1\3\3\12"
            self.due.append((now + RTT_S, self.packet(0x12, 0, options)))
            return
        length = len(tcp) - (tcp[12] >> 4) * 4
        if length == 0 or port != self.port:
            return
        self.sent += 1
        start = (sequence - self.isn - 1) & 0xFFFFFFFF
        if start in self.to_lose:
            self.to_lose.remove(start)
            return
        self.hold(start, start + length)
        self.due.append((now + RTT_S, self.packet(0x10, self.expected, self.sack(start))))

    def hold(self, start: int, end: int) -> None:
        """Bytes arrive."""
        self.held = sorted([*self.held, (start, end)])
        merged: list[tuple[int, int]] = []
        for block in self.held:
            if merged and block[0] <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], block[1]))
            else:
                merged.append(block)
        while merged and merged[0][0] <= self.expected:
            self.expected = max(self.expected, merged.pop(0)[1])
        self.held = merged

    def sack(self, newest: int) -> bytes:
        """The SACK option: the block around the newest segment first."""
        blocks = sorted(self.held, key=lambda block: not block[0] <= newest < block[1])[:3]
        if not blocks:
            return b""
        edges = [(self.isn + 1 + edge) & 0xFFFFFFFF for block in blocks for edge in block]
        return struct.pack(f"!BBBB{len(edges)}I", 1, 1, 5, 2 + 4 * len(edges), *edges)

    def let_go(self) -> None:
        """What has crossed the line leaves it."""
        now = time.monotonic()
        while self.due and self.due[0][0] <= now:
            _, packet = self.due.popleft()
            if self.own == 1000 and packet[33] & 2:
                self.own += 1
            os.write(self.tun, packet)


def open_tun() -> int:
    """The device to the hosts behind it, and the kernel as all records of flows have it."""
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"hosts0", IFF_TUN_NO_PI))
    for command in [f"addr add {HERE}/24 dev hosts0", "link set hosts0 txqueuelen 10000", "link set hosts0 up"]:
        subprocess.run(["ip", *command.split()], check=True)
    for name, value in [("tcp_timestamps", "0"), ("tcp_sack", "1"), ("tcp_ecn", "0"), ("tcp_no_metrics_save", "1")]:
        Path(f"/proc/sys/net/ipv4/{name}").write_text(value)
    return tun


def connect(algorithm: str) -> socket.socket:
    """A socket of that algorithm that asks for the connection."""
    sock = socket.socket()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, algorithm.encode())
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 << 20)
    sock.setblocking(False)
    sock.connect_ex((THERE, PORT))
    return sock


def write(sock: socket.socket) -> None:
    """Keeps the socket full, a bit at a time, so that the line is not kept waiting."""
    try:
        sock.send(b"\0" * 65536)
    except (BlockingIOError, BrokenPipeError):
        return


def samples(
    behind: Callable[[int], DelayLine],
    algorithm: str,
    say: Callable[[socket.socket, DelayLine], str],
    *,
    every_s: float,
    length_s: float,
) -> list[str]:
    """What there is to say of a flow behind a line, so often for so long: a line of text each, the time in ms first."""
    tun = open_tun()
    line, sock = behind(tun), connect(algorithm)
    said: list[str] = []
    start, sampled = 0.0, 0
    while not start or time.monotonic() < start + length_s:
        wait = max(0.0, line.due[0][0] - time.monotonic()) if line.due else every_s / 5
        if select.select([tun], [], [], min(wait, every_s / 5))[0]:
            line.take()
        line.let_go()
        if line.own > 1000:
            write(sock)
        start = start or (time.monotonic() if line.sent else 0.0)
        elapsed = time.monotonic() - start
        if start and elapsed >= every_s * (sampled + 0.5):
            sampled = int(elapsed / every_s + 0.5)
            said.append(f"{1000 * elapsed:9.1f} {say(sock, line)}")
    sock.close()
    os.close(tun)
    return said


def release() -> str:
    """The kernel's."""
    return platform.release().split("-")[0]


def record(algorithm: str) -> str:
    """One take: the text of its recording."""
    found = samples(
        lambda tun: DelayLine(tun, lost=(DROPPED,)),
        algorithm,
        lambda sock, line: f"{info(sock)} acked {line.expected // MSS} sent {line.sent}",
        every_s=RTT_S,
        length_s=LENGTH_S,
    )
    head = [
        f"# The window of one flow without end: segment {DROPPED} (from 0) is lost once.",
        f"# Linux {release()}, {algorithm}, segments of {MSS} B, a round trip of {1000 * RTT_S:g} ms",
        "# ms since the first segment, state, cwnd and ssthresh in segments, what has arrived in order, segments sent",
    ]
    return "\n".join([*head, *found]) + "\n"


def in_a_namespace(algorithm: str) -> str:
    """The same in a network namespace of this process's own."""
    unshare_network()
    return record(algorithm)


def main() -> None:
    """Records all takes."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for algorithm in ["reno", "cubic"]:
        for take in range(1, TAKES + 1):
            with multiprocessing.Pool(1) as process:
                text = process.apply(in_a_namespace, (algorithm,))
            (folder / f"{algorithm}-{take}.txt").write_text(text)
            sys.stdout.write(f"{algorithm} {take}: {text.splitlines()[-1]}\n")


if __name__ == "__main__":
    main()
