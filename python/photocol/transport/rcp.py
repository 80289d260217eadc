"""RCP's port, driven by hand: one rate for all flows, which packets take along.

The sender is TCP's with the algorithm "rcp"; `srtt` is what its segments tell, and `offered` what an ACK brings.

    >>> from photocol.rcp import Router
    >>> from photocol.transport import Sender
    >>> router, sender = Router("10 Mbps", rcp_interval=0.1), Sender("rcp", mss=1000, initial_window=2)
    >>> sent = sender.write(1000)
    >>> rate = min(router.on_packet(0.05, 1000, rtt=0.1) for _ in sent)       # at first 5 % of the capacity
    >>> sent = sender.on_ack(0.1, 2000, offered=rate)
    >>> sender.pacing_rate, router.rate
    (500000.0, 500000.0)
    >>> router.on_timer(0.15)                              # R (1 + 0.4 (1.25 − 0.01)/1.25): 10 kB/s of 1.25 MB/s came
    >>> round(router.rate, -2)
    698400.0

Times are seconds and never run backwards (ValueError), sizes bytes, rates and capacities bits per second; a capacity
may be text such as "45 Mbps".
"""

from __future__ import annotations

from typing import Any

from photocol import _core

__all__ = ["Router"]


class Router:
    """RCP's controller of one output.

    `capacity` is what the output carries, in bits per second or as text; it can be set later. `options` are the keys
    `rcp_…` of a transport: `rcp_alpha`, `rcp_beta`, `rcp_interval`, `rcp_gain`, `rcp_start`, `rcp_least_factor` and
    `rcp_least`.
    """

    def __init__(self, capacity: float | str, **options: Any) -> None:
        self._machine = _core.RcpRouter(capacity, **options)
        self._capacity = capacity

    def on_packet(
        self,
        t: float,
        size: int,
        *,
        rtt: float = 0.0,
        offered: float | None = None,
        queue: int = 0,
        dropped: bool = False,
    ) -> float | None:
        """A packet of `size` bytes arrives at `t`, finds `queue` bytes waiting, and leaves.

        `rtt` is the round trip in seconds that it tells, 0 before its sender has measured one; `offered` the least rate
        of the ports before, None before the first. Returns the rate that it takes along in bits per second; None if it
        is `dropped`, which counts as traffic all the same.
        """
        return self._machine.on_packet(t, size, rtt, offered, queue, dropped)

    def on_timer(self, t: float, *, queue: int = 0) -> None:
        """The clock reaches `t` with `queue` bytes waiting: decides for each control interval that is over."""
        self._machine.on_timer(t, queue)

    @property
    def next_timer(self) -> float:
        """When the control interval is over, in seconds."""
        return self._machine.next_timer

    @property
    def rate(self) -> float:
        """The rate that it offers to each flow, in bits per second."""
        return self._machine.rate

    @property
    def capacity(self) -> float | str:
        """What the output carries, as it was given; may be set, in effect from the next decision on."""
        return self._capacity

    @capacity.setter
    def capacity(self, capacity: float | str) -> None:
        self._machine.set_capacity(capacity)
        self._capacity = capacity
