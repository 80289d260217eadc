"""Records how the rate and the window of BBR in this machine's Linux kernel move over half a minute.

    sudo python3 bench/linux/bbr.py crates/transport/tests/linux/bbr

As `windows.py`, with a bottleneck in the line: a segment of 1000 B takes a millisecond (8 Mb/s), one after the other.
Behind it are 100 ms until the ACK is back, so 101 segments fill the path; nothing is dropped. Every 20 ms the kernel
says at what rate it paces and how its window stands (TCP_INFO). Two takes, a text file each;
`crates/transport/tests/linux_bbr.rs` compares them with a sender here.
"""

from __future__ import annotations

import multiprocessing
import socket
import struct
import sys
import time
from pathlib import Path

from record import MSS, unshare_network
from windows import DelayLine, release, samples

RTT_S, SERVICE_S = 0.1, 0.001
EVERY_S, LENGTH_S, TAKES = 0.02, 24.0, 2


class SlowLine(DelayLine):
    """A delay line behind a bottleneck."""

    def __init__(self, tun: int) -> None:
        super().__init__(tun)
        self.free = 0.0

    def take(self) -> None:
        """A packet of the kernel enters the queue; the bottleneck sends it, and a round trip later its ACK is back."""
        before = len(self.due)
        super().take()
        now = time.monotonic()
        for place in range(before, len(self.due)):
            at, packet = self.due[place]
            if not packet[33] & 2:
                self.free = max(self.free, now) + SERVICE_S
                at = self.free + RTT_S
            self.due[place] = (at, packet)


def info(sock: socket.socket) -> str:
    """Pacing rate in Mb/s, cwnd and flight in segments."""
    raw = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    words = struct.unpack("24I", raw[8:104])
    (rate,) = struct.unpack("Q", raw[104:112])
    return f"rate {rate * 8 / 1e6:.4f} cwnd {words[18]} flight {words[4]}"


def record() -> str:
    """One take: the text of its recording."""
    found = samples(SlowLine, "bbr", lambda sock, _: info(sock), every_s=EVERY_S, length_s=LENGTH_S)
    head = [
        f"# One flow of BBR without end over a bottleneck of {MSS} B in {1000 * SERVICE_S:g} ms.",
        f"# Linux {release()}, bbr, a round trip of {1000 * RTT_S:g} ms behind it",
        "# ms since the first segment, pacing rate in Mb/s, cwnd and flight in segments",
    ]
    return "\n".join([*head, *found]) + "\n"


def in_a_namespace(_: int) -> str:
    """The same in a network namespace of this process's own."""
    unshare_network()
    return record()


def main() -> None:
    """Records all takes."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for take in range(1, TAKES + 1):
        with multiprocessing.Pool(1) as process:
            text = process.apply(in_a_namespace, (take,))
        (folder / f"{take}.txt").write_text(text)
        sys.stdout.write(f"{take}: {text.splitlines()[-1]}\n")


if __name__ == "__main__":
    main()
