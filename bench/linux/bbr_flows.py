#!/usr/bin/env python3
"""Four flows of this machine's Linux kernel with BBR over one bottleneck, beside four flows of photocol's.

    sudo .venv/bin/python bench/linux/bbr_flows.py [--takes 3]

As `bbr.py`, with a queue: a segment of 1000 B takes a millisecond (8 Mb/s), the ACK is back 100 ms later, and what
finds a whole queue is dropped: one bandwidth-delay product, a quarter of it, or eight. Starts come from `../flows.py`,
a list for each take, figures and bounds from `../queues.py`: the mean over the takes within a bound *agrees*.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import os
import select
import socket
import statistics
import struct
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import flows
import queues
from record import unshare_network
from windows import RTT_S, DelayLine, connect, open_tun, release, write

SERVICE_S = 0.001
LENGTH_S, FROM_S = 40.0, 15.0
LOOK_S = 0.005
BUFFERS = {"bbr": 100, "bbr-shallow": 25, "bbr-deep": 800}
"""Segments, by the case of `../queues.py` that it resembles."""
AS_LINUX = (("recovery", "linux"), ("timer_restart", "linux"), ("bbr_pacing_margin", 1), ("bbr_extra_acked", True))


class Bottleneck:
    """One line for all flows, which one after the other sends what waits, and a receiver for each."""

    def __init__(self, tun: int, buffer: int) -> None:
        self.tun = tun
        self.buffer = buffer
        self.receivers: dict[int, DelayLine] = {}
        self.departures: deque[float] = deque()
        self.due: deque[tuple[float, DelayLine, bytes]] = deque()
        self.arrived = self.dropped = self.sent = 0

    def take(self) -> None:
        """A packet of the kernel arrives."""
        packet, now = os.read(self.tun, 65535), time.monotonic()
        if packet[0] >> 4 != 4 or packet[9] != 6:
            return
        at = (packet[0] & 15) * 4
        (port,) = struct.unpack("!H", packet[at : at + 2])
        receiver = self.receivers.setdefault(port, DelayLine(self.tun))
        self.depart(now)
        is_data = not packet[at + 13] & 2 and struct.unpack("!H", packet[2:4])[0] > at + (packet[at + 12] >> 4) * 4
        self.arrived += is_data
        # One is being sent, the others wait.
        if is_data and len(self.departures) > self.buffer:
            self.dropped += 1
            return
        if is_data:
            self.departures.append(max(now, self.departures[-1] if self.departures else now) + SERVICE_S)
        receiver.accept(packet, now)
        while receiver.due:
            _, answer = receiver.due.popleft()
            self.due.append(((self.departures[-1] if is_data else now) + RTT_S, receiver, answer))

    def depart(self, now: float) -> None:
        """What has been sent by now has left the queue."""
        while self.departures and self.departures[0] <= now:
            self.departures.popleft()
            self.sent += 1

    def let_go(self, now: float) -> None:
        """ACKs that are back."""
        while self.due and self.due[0][0] <= now:
            _, receiver, packet = self.due.popleft()
            if receiver.own == 1000 and packet[33] & 2:
                receiver.own += 1
            os.write(self.tun, packet)


def take(buffer: int, starts: list[float]) -> queues.Run:
    """One run of the kernel's flows, of which each begins at its time."""
    unshare_network()
    line, socks = Bottleneck(open_tun(), buffer), list[socket.socket]()
    begin, looked, waiting, before = time.monotonic(), 0.0, list[int](), (0, 0, 0)
    while (now := time.monotonic() - begin) < LENGTH_S:
        if select.select([line.tun], [], [], 0.0005)[0]:
            line.take()
        line.let_go(time.monotonic())
        if now < looked + LOOK_S:
            continue
        looked = now
        line.depart(time.monotonic())
        if len(socks) < len(starts) and now >= starts[len(socks)]:
            socks.append(connect("bbr"))
        for sock in socks:
            write(sock)
        if now < FROM_S:
            before = (line.arrived, line.dropped, line.sent)
        else:
            waiting.append(max(0, len(line.departures) - 1))
    arrived, dropped, sent = (a - b for a, b in zip((line.arrived, line.dropped, line.sent), before, strict=True))
    acked = [float(receiver.expected) for receiver in line.receivers.values()]
    rates = [bytes_acked / (LENGTH_S - start) for bytes_acked, start in zip(acked, starts, strict=True)]
    utilization = sent * SERVICE_S / (LENGTH_S - FROM_S)
    return queues.Run(utilization, dropped / arrived, 0.0, statistics.fmean(waiting), rates, [])


def own(name: str, buffer: int, flow_list: Path) -> queues.Run:
    """The same here: packets of 1040 B that take a millisecond."""
    case = next(case for case in queues.CASES if case.name == name)
    options = (*AS_LINUX, ("packet_size", 1040), ("initial_window", 10))
    rate_bps = 8 * 1040 / SERVICE_S
    share = buffer * queues.compare.PACKET_BITS / (rate_bps * queues.BASE_RTT_S)
    return queues.photocol_run(
        dataclasses.replace(case, rate_bps=rate_bps, buffer_share=share + 1e-9, options=options), flow_list
    )


def main() -> None:
    """Prints a table for each buffer."""
    parser = argparse.ArgumentParser(description="Four flows of Linux's BBR.")
    parser.add_argument("--takes", type=int, default=3)
    parser.add_argument("--case", default=",".join(BUFFERS))
    options = parser.parse_args()
    sys.stdout.write(f"Linux {release()}\n")
    for name in options.case.split(","):
        buffer = BUFFERS[name]
        found: dict[str, list[queues.Run]] = {"photocol": [], "Linux": []}
        for seed in range(1, options.takes + 1):
            with tempfile.TemporaryDirectory() as folder:
                flow_list = Path(folder) / "flows"
                flows.write_dumbbell(flow_list, flows=4, pairs=10, seed=seed)
                starts = [flow.start_s for flow in flows.dumbbell_flows(flows=4, pairs=10, seed=seed)]
                with multiprocessing.Pool(1) as process:
                    found["Linux"].append(process.apply(take, (buffer, starts)))
                found["photocol"].append(own(name, buffer, flow_list))
            for who, runs in found.items():
                sys.stdout.write(f"{name} {seed} {who}: {json.dumps(dataclasses.asdict(runs[-1]) | {'window': []})}\n")
        for label, figure, difference, bound in queues.BOUNDS:
            means = [statistics.fmean(figure(one) for one in runs) for runs in found.values()]
            off = difference(*means)
            verdict = "agrees" if abs(off) <= bound else "differs"
            sys.stdout.write(
                f"| {name} | {label} | {means[0]:.4g} | {means[1]:.4g} | {off:+.3f}, {verdict} | {bound} |\n"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
