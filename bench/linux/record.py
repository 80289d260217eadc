"""Records what this machine's Linux kernel answers to ACKs that are made by hand.

    sudo python3 bench/linux/record.py crates/transport/tests/linux

The kernel sends over a TUN device in a network namespace of this script's own; the peer is this script, which completes
the handshake and then sends the ACKs of a scenario at their times. One text file per scenario: what the kernel sent,
what it was told, and what it said of itself (TCP_INFO) after each ACK. `crates/transport/tests/linux.rs` replays them
and needs no kernel. Names behind the folder choose scenarios.

Times are milliseconds since the first data segment, numbers are segments of 1000 bytes.
"""

from __future__ import annotations

import ctypes
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
from dataclasses import dataclass, field
from pathlib import Path

MSS = 1000
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN_NO_PI = 0x1001
HERE, THERE, PORT = "10.99.0.1", "10.99.0.2", 5001
STATES = ["open", "disorder", "cwr", "recovery", "loss"]


@dataclass
class Ack:
    """At `at` ms an ACK of `ack` segments with SACK blocks leaves the peer."""

    at: float
    ack: int
    sack: list[tuple[int, int]] = field(default_factory=list)
    echo: tuple[int, int] | None = None
    """The segment and the copy (from 0) whose timestamp it echoes."""


@dataclass
class Scenario:
    """One connection and the ACKs that the kernel gets."""

    name: str
    about: str
    segments: int
    until: float
    acks: list[Ack]
    timestamps: bool = False
    algorithm: str = "reno"


RTT = 200.0
FIRST_LOST = [Ack(200, 0, [(1, 2)]), Ack(201, 0, [(1, 3)]), Ack(202, 0, [(1, 4)]), Ack(203, 0, [(1, 10)])]
"""The first of ten segments is lost: SACKs of the next three one by one, and of all others."""
SCENARIOS = [
    Scenario(
        "rack-third-sack",
        "The first of ten segments is lost; SACKs of the next three arrive one by one.",
        30,
        700,
        [*FIRST_LOST, Ack(410, 10)],
    ),
    Scenario(
        "rack-timer",
        "One segment above a hole: the reordering timer of a quarter of the round trip decides.",
        30,
        600,
        [Ack(200, 0, [(1, 2)]), Ack(480, 10)],
    ),
    Scenario(
        "head-again",
        "The first of ten segments and its copies are lost: RACK sends a second copy, and the timer starts anew.",
        30,
        1700,
        [*FIRST_LOST, Ack(410, 0, [(12, 14), (1, 10)])],
    ),
    Scenario(
        "head-and-sacks",
        "The first of ten segments is lost, and so is its copy: SACKs of what left before it restart the timer.",
        30,
        1500,
        [*FIRST_LOST, Ack(410, 0, [(1, 11)]), Ack(411, 0, [(1, 12)])],
    ),
    Scenario(
        "tail-loss-probe",
        "The last three of ten segments are lost: a probe after two round trips, and its SACK shows the rest.",
        10,
        1200,
        [Ack(200, 7), Ack(880, 7, [(9, 10)]), Ack(1100, 10)],
    ),
    Scenario(
        "f-rto-needless",
        "All is late: the first ACK after the timeout lets new data leave, the next one shows that it was spurious.",
        40,
        1900,
        [Ack(1300, 1), Ack(1310, 2), Ack(1320, 3), Ack(1500, 12)],
    ),
    Scenario(
        "f-rto-real",
        "All are lost: after the timeout new data are SACKed, so the loss was real.",
        40,
        2200,
        [Ack(1300, 1), Ack(1500, 1, [(11, 12)]), Ack(1501, 1, [(11, 13)]), Ack(1710, 3, [(11, 13)])],
    ),
    Scenario(
        "f-rto-probe",
        "The ten are lost, the tail loss probe before the timeout is not: its SACK comes after the timeout.",
        40,
        2200,
        [Ack(1300, 1), Ack(1500, 1, [(10, 11)]), Ack(1501, 1, [(10, 12)]), Ack(1710, 3, [(10, 12)])],
    ),
    Scenario(
        "d-sack-undo",
        "A late segment is sent again; the D-SACK takes the reduction back.",
        30,
        800,
        [Ack(200, 0, [(1, 2)]), Ack(201, 0, [(1, 3)]), Ack(202, 0, [(1, 4)]), Ack(230, 10), Ack(410, 10, [(0, 1)])],
    ),
    Scenario(
        "eifel-undo",
        "The same with timestamps: the ACK echoes the first copy, before any D-SACK.",
        30,
        800,
        [
            Ack(200, 0, [(1, 2)], (1, 0)),
            Ack(201, 0, [(1, 3)], (1, 0)),
            Ack(202, 0, [(1, 4)], (1, 0)),
            Ack(230, 10, [], (0, 0)),
        ],
        timestamps=True,
    ),
    Scenario(
        "f-rto-duplicate",
        "After the new data of F-RTO a duplicate ACK without news: the loss was real.",
        40,
        2200,
        [Ack(1300, 1), Ack(1500, 1), Ack(1710, 3)],
    ),
    Scenario(
        "f-rto-late-sack",
        "After the timeout a SACK of a first copy comes before the ACK of what was sent again.",
        40,
        1900,
        [Ack(1300, 0, [(1, 2)]), Ack(1320, 3), Ack(1500, 11)],
    ),
    Scenario(
        "eifel-timeout",
        "All is late, with timestamps: the first ACK after the timeout echoes the first copy.",
        40,
        1900,
        [Ack(1300, 1, [], (0, 0)), Ack(1310, 2, [], (1, 0)), Ack(1500, 10, [], (9, 0))],
        timestamps=True,
    ),
    Scenario(
        "eifel-timeout-real",
        "All are lost, with timestamps: the first ACK after the timeout echoes the second copy.",
        40,
        2200,
        [Ack(1300, 1, [], (0, 1)), Ack(1500, 1, [(11, 12)], (0, 1)), Ack(1710, 2, [(11, 12)], (1, 1))],
        timestamps=True,
    ),
    Scenario(
        "eifel-acks-lost",
        "All ACKs of the window were lost: one ACK after the timeout covers everything, with a D-SACK and an old echo.",
        40,
        1900,
        [Ack(1300, 11, [(0, 1)], (10, 0))],
        timestamps=True,
    ),
]


def checksum(data: bytes) -> int:
    """The checksum of the Internet (RFC 1071)."""
    even = _even(data)
    total = sum(struct.unpack(f"!{len(even) // 2}H", even))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _even(data: bytes) -> bytes:
    return data + b"\0" * (len(data) % 2)


class Peer:
    """The other end of one connection, and the record of it."""

    def __init__(self, tun: int, scenario: Scenario) -> None:
        self.tun, self.scenario = tun, scenario
        self.isn, self.own, self.start = 0, 1000, 0.0
        self.stamps: dict[tuple[int, int], int] = {}
        self.copies: dict[int, int] = {}
        self.lines: list[str] = []

    def now(self) -> float:
        """Milliseconds since the first data segment."""
        return (time.monotonic() - self.start) * 1000

    def send(self, flags: int, ack: int, options: bytes) -> None:
        """A packet without payload leaves the peer."""
        options += b"\1" * (-len(options) % 4)
        source, destination = socket.inet_aton(THERE), socket.inet_aton(HERE)
        offset = (5 + len(options) // 4) << 4
        tcp = (
            struct.pack("!HHIIBBHHH", PORT, self.port, self.own, ack & 0xFFFFFFFF, offset, flags, 65000, 0, 0) + options
        )
        pseudo = source + destination + struct.pack("!BBH", 0, 6, len(tcp))
        tcp = tcp[:16] + struct.pack("!H", checksum(_even(pseudo + tcp))) + tcp[18:]
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64, 6, 0, source, destination)
        header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        os.write(self.tun, header + tcp)

    def stamp(self, echo: int) -> bytes:
        """The timestamp option."""
        return struct.pack("!BBBBII", 1, 1, 8, 10, int(time.monotonic() * 1000) & 0xFFFFFFFF, echo)

    def answer_syn(self, stamp: int | None) -> None:
        """The SYN-ACK, which agrees on SACK, window scaling and timestamps."""
        mss = MSS + (12 if self.scenario.timestamps else 0)
        options = struct.pack("!BBH", 2, 4, mss) + b"\4\2\1\1" + b"\1\3\3\12"
        if self.scenario.timestamps and stamp is not None:
            options += self.stamp(stamp)
        self.send(0x12, self.isn + 1, options)
        self.own += 1

    def read(self) -> None:
        """Takes a packet of the kernel."""
        packet = os.read(self.tun, 65535)
        if packet[0] >> 4 != 4 or packet[9] != 6:
            return
        tcp = packet[(packet[0] & 15) * 4 : struct.unpack("!H", packet[2:4])[0]]
        self.port, seq = struct.unpack("!HxxI", tcp[:8])
        offset, flags = (tcp[12] >> 4) * 4, tcp[13]
        stamp = timestamp(tcp[20:offset])
        if flags & 2:
            self.isn = seq
            time.sleep(RTT / 1000)
            self.answer_syn(stamp)
            return
        length = len(tcp) - offset
        if length == 0:
            return
        if not self.start:
            self.start = time.monotonic()
        number = ((seq - self.isn - 1) & 0xFFFFFFFF) / MSS
        copy = self.copies.get(int(number), 0)
        self.copies[int(number)] = copy + 1
        if stamp is not None:
            self.stamps[(int(number), copy)] = stamp
        self.lines.append(f"{self.now():8.1f} > {number:g} {length}")

    def ack(self, ack: Ack) -> None:
        """Sends an ACK of the scenario."""
        options = b""
        if ack.echo is not None:
            options += self.stamp(self.stamps[ack.echo])
        if ack.sack:
            options += b"\1\1" + struct.pack("!BB", 5, 2 + 8 * len(ack.sack))
            for start, end in ack.sack:
                bounds = [(self.isn + 1 + MSS * edge) & 0xFFFFFFFF for edge in (start, end)]
                options += struct.pack("!II", *bounds)
        echo = "" if ack.echo is None else f" echo {ack.echo[0]}.{ack.echo[1]}"
        blocks = "".join(f" {start}-{end}" for start, end in ack.sack)
        self.lines.append(f"{self.now():8.1f} < {ack.ack}{blocks}{echo}")
        self.send(0x10, self.isn + 1 + MSS * ack.ack, options)


def timestamp(options: bytes) -> int | None:
    """TSval, if there is one."""
    at = 0
    while at < len(options) and options[at] != 0:
        if options[at] == 1:
            at += 1
        elif options[at] == 8:
            return struct.unpack("!I", options[at + 2 : at + 6])[0]
        else:
            at += options[at + 1]
    return None


def info(sock: socket.socket) -> str:
    """State, cwnd and ssthresh in segments."""
    raw = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    state = raw[1]
    words = struct.unpack("24I", raw[8:104])
    ssthresh, cwnd = words[17], words[18]
    return f"{STATES[state]} cwnd {cwnd} ssthresh {ssthresh if ssthresh < 1 << 30 else 'none'}"


def record(scenario: Scenario) -> str:
    """Runs one scenario: the text of its recording."""
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"hosts0", IFF_TUN_NO_PI))
    for command in [f"addr add {HERE}/24 dev hosts0", "link set hosts0 up"]:
        subprocess.run(["ip", *command.split()], check=True)
    setting = Path("/proc/sys/net/ipv4/tcp_timestamps")
    setting.write_text("1" if scenario.timestamps else "0")
    subprocess.run(["ip", "tcp_metrics", "flush"], check=False, capture_output=True)
    sock = socket.socket()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, scenario.algorithm.encode())
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setblocking(False)
    peer = Peer(tun, scenario)
    sock.connect_ex((THERE, PORT))
    written, pending = False, list(scenario.acks)
    while not peer.start or peer.now() < scenario.until:
        wait = 0.05 if not (peer.start and pending) else max(0.0, (pending[0].at - peer.now()) / 1000)
        if select.select([tun], [], [], min(wait, 0.05))[0]:
            peer.read()
        if not written and peer.own > 1000:
            try:
                sock.send(b"\0" * (MSS * scenario.segments))
                written = True
            except (BlockingIOError, BrokenPipeError):
                continue
        if peer.start and pending and peer.now() >= pending[0].at:
            peer.ack(pending.pop(0))
            time.sleep(0.001)
            while select.select([tun], [], [], 0.002)[0]:
                peer.read()
            peer.lines.append(f"{peer.now():8.1f} = {info(sock)}")
    peer.lines.append(f"{peer.now():8.1f} = {info(sock)}")
    sock.close()
    os.close(tun)
    head = [
        f"# {scenario.about}",
        f"# Linux {platform.release().split('-')[0]}, {scenario.algorithm}, "
        f"segments of {MSS} B, handshake of {RTT:g} ms",
        f"segments {scenario.segments}",
        f"timestamps {'on' if scenario.timestamps else 'off'}",
    ]
    return "\n".join([*head, *peer.lines]) + "\n"


def main() -> None:
    """Records the scenarios."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    chosen = sys.argv[2:]
    for scenario in SCENARIOS:
        if not chosen or scenario.name in chosen:
            with multiprocessing.Pool(
                1
            ) as process:  # A process each, so that no connection of one is seen by the next.
                text = process.apply(in_a_namespace, (scenario,))
            (folder / f"{scenario.name}.txt").write_text(text)
            sys.stdout.write(text)


def in_a_namespace(scenario: Scenario) -> str:
    """The same in a network namespace of this process's own."""
    unshare_network()
    return record(scenario)


def unshare_network() -> None:
    """Gives this process a network namespace of its own."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise PermissionError("record: a network namespace needs root")


if __name__ == "__main__":
    main()
