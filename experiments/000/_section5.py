"""§V.F of paper 000 as a network: UDP whose rate jumps beside many TCP flows, and the closed form of each jump."""

from __future__ import annotations

import bisect
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from . import _slots as slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from photocol.experiment import RunResult, Value

CAPACITY_BPS, PACKET_BITS = 10e9, 2000 * 8
UDP_MAX = 0.3
CORE_SHARE, ACCESS_SHARE = 1 / 6, 1 / 3
"""T1 and T0 as shares of the one-way delay T."""
PERIODS = 12
DRAW = random.Random(5)
SHARES = tuple(DRAW.uniform(0, UDP_MAX) for _ in range(PERIODS + 1))
"""UDP's share of the link before the first jump and after each; the same in every network."""
LEAST_PERIOD_S = 1.0


@dataclass(frozen=True)
class Network:
    """A capacity, flows of TCP, and a round trip; a tenth of §V's capacity has a tenth of its flows."""

    flows: int
    rtt_s: float
    capacity_bps: float = CAPACITY_BPS

    @property
    def name(self) -> str:
        """The run's name, from which `named` reads it again."""
        return f"section-5-{self.flows}-{1000 * self.rtt_s:.0f}-{self.capacity_bps / 1e6:.0f}"

    @staticmethod
    def named(name: str) -> Network:
        """The network of a run."""
        flows, rtt_ms, capacity_mbps = map(int, name.split("-")[2:])
        return Network(flows, rtt_ms / 1000, capacity_mbps * 1e6)

    @property
    def packets_per_s(self) -> float:
        """C in packets."""
        return self.capacity_bps / PACKET_BITS

    @property
    def largest_window(self) -> float:
        """M_N with a = 0: a flow's share of the packets of a round trip."""
        return self.packets_per_s * self.rtt_s / self.flows

    @property
    def sawtooth_s(self) -> float:
        """From a halving to the next one: half of the largest window, a segment a round trip (§V.D with a = 0)."""
        return self.largest_window / 2 * self.rtt_s

    @property
    def period_s(self) -> float:
        """T_UDP: a sawtooth, at least a second."""
        return max(self.sawtooth_s, LEAST_PERIOD_S)

    @property
    def warm_up_s(self) -> float:
        """Three sawteeth, at least five seconds, for slow start and its losses."""
        return max(3 * self.sawtooth_s, 5.0)

    @property
    def jumps(self) -> list[tuple[float, float, float]]:
        """When UDP's new rate is at the core, the share before and after, for each rise."""
        way = self.rtt_s / 2 * (CORE_SHARE + ACCESS_SHARE)
        times = [self.warm_up_s + number * self.period_s + way for number in range(1, PERIODS + 1)]
        rises = zip(times, SHARES, SHARES[1:], strict=False)
        return [(time, before, after) for time, before, after in rises if after > before]

    @property
    def end_s(self) -> float:
        """The end of the last period."""
        return self.warm_up_s + (PERIODS + 1) * self.period_s

    def further_s(self, before: float, after: float) -> float:
        """(K − 1)⁺ M_N T/N: how long the overload lasts after the first round trip, while flows halve one by one."""
        halvings = (after - before) / ((1 - before) / (2 * self.flows))
        window = self.packets_per_s * self.rtt_s * (1 - before) / self.flows
        return max(halvings - 1, 0) * window * self.rtt_s / 2 / self.flows

    def lost(self, before: float, after: float) -> float:
        """Packets lost at a rise without control: all of the excess for 2T, then half of it while flows halve."""
        return (after - before) * self.packets_per_s * (self.rtt_s + self.further_s(before, after) / 2)

    def lost_in_round_trip(self, before: float, after: float) -> float:
        """The first term alone, the excess for 2T."""
        return (after - before) * self.packets_per_s * self.rtt_s

    def lost_with_control(self, before: float, after: float) -> float:
        """The excess for 2·T1."""
        return (after - before) * self.packets_per_s * self.rtt_s * CORE_SHARE

    def buffered(self, before: float, after: float, *, artificial_acks: bool) -> float:
        """Packets that the edge buffer grows by: the excess for 2T − 2·T1, or with artificial ACKs for 2·T0."""
        share = ACCESS_SHARE if artificial_acks else 1 - CORE_SHARE
        return (after - before) * self.packets_per_s * self.rtt_s * share

    def window(self, before: float, after: float) -> float:
        """How long losses are counted after a rise, in seconds: the closed form's congestion without control."""
        return min(self.rtt_s + self.further_s(before, after), self.period_s)


def scenario(network: Network) -> dict[str, Any]:
    """`dlcc.toml` with §V's capacity and packets; UDP has a traffic for each period."""
    table = slots.scenario()
    capacity, packet = network.capacity_bps, PACKET_BITS // 8
    table["run"] = {"name": network.name, "duration": f"{network.end_s:.6f} s", "warm_up": f"{network.warm_up_s:.6f} s"}
    table["probe"] = {"interval": "10 ms", "links": ["x->ec", "ea->x"]}
    table["link_defaults"]["capacity"] = f"{capacity / 1e6:.0f} Mbps"
    for link in table["link"][:3]:
        link["capacity"] = f"{10 * capacity / 1e6:.0f} Mbps"
    table["switching"]["slot_time"] = f"{PACKET_BITS / capacity * 1e9:.0f} ns"
    for transport in table["transport"].values():
        transport["packet_size"] = packet
    tcp, udp = table["traffic"]
    tcp["flows"] = network.flows
    table["traffic"] = [tcp]
    common = {key: udp[key] for key in ("transport", "from", "to")}
    for number, share in enumerate(SHARES):
        begin = network.warm_up_s + number * network.period_s if number else 0.0
        end = network.warm_up_s + (number + 1) * network.period_s
        span = {"start": f"{begin:.6f} s", "stop": f"{end:.6f} s"}
        table["traffic"].append(
            {**common, **span, "name": f"period {number}", "rate": f"{share * capacity / 1e6:.3f} Mbps"}
        )
    return table


def settings(network: Network) -> dict[str, Value]:
    """The delays of the round trip, and lots for the last place of a slot."""
    return {**slots.BY_LOT, **slots.DELAYS, **slots.delays(1000 * network.rtt_s)}


@dataclass(frozen=True)
class Series:
    """Samples of a quantity of a link, by time."""

    samples: Sequence[tuple[float, float]]

    @staticmethod
    def of(result: RunResult, link: str, quantity: str) -> Series:
        """Those of a run."""
        rows = result.series.filter(pl.col("entity") == link, pl.col("quantity") == quantity)
        return Series(rows.sort("t_s").select("t_s", "value").rows())

    def at(self, time: float) -> float:
        """The last sample until a time."""
        number = bisect.bisect_right(self.samples, time, key=lambda sample: sample[0])
        return self.samples[number - 1][1] if number else 0.0

    def grown(self, begin: float, end: float) -> float:
        """By how much a count grows from a time to another."""
        return self.at(end) - self.at(begin)

    def most(self, begin: float, end: float) -> float:
        """The largest sample from a time to another."""
        return max((value for time, value in self.samples if begin <= time <= end), default=0.0)


def measure(result: RunResult) -> dict[str, float]:
    """Losses and the edge's backlog after each rise of UDP, and how full the link is before it."""
    network = Network.named(str(result.manifest["name"]))
    dropped, waiting = (Series.of(result, *what) for what in (("x->ec", "dropped"), ("ea->x", "queue")))
    offered = Series.of(result, "x->ec", "offered")
    rises = network.jumps
    ends = [time + network.window(before, after) for time, before, after in rises]
    lost = [dropped.grown(time, end) for (time, _, _), end in zip(rises, ends, strict=True)]
    quiet = quiet_rate(network, dropped)
    grown = [waiting.most(time, time + 2 * network.rtt_s) - waiting.at(time) for time, _, _ in rises]
    full = [(offered.grown(time - 0.2, time) - dropped.grown(time - 0.2, time)) for time, _, _ in rises]
    tcp = result.flows.filter(pl.col("transport") == "reno")
    return {
        "lost_per_rise_packets": mean(lost),
        "more_per_rise_packets": mean(
            [packets - quiet * (end - rise[0]) for packets, end, rise in zip(lost, ends, rises, strict=True)]
        ),
        "quiet_loss_percent": 100 * quiet / network.packets_per_s,
        "buffer_per_rise_packets": mean(grown),
        "quiet_buffer_packets": quiet_growth(network, waiting),
        "full_percent": 100 * mean(full) / (0.2 * network.packets_per_s),
        "timeouts_per_flow": float(tcp["timeouts"].sum()) / network.flows,
        "tcp_share_percent": 100 * tcp["goodput_bps"].sum() / network.capacity_bps,
        **slots.price(result),
    }


def quiet_growth(network: Network, waiting: Series) -> float:
    """By how much the edge's backlog grows in two round trips before a rise, when UDP's rate is constant."""
    span = 2 * network.rtt_s
    return mean([waiting.most(time - span, time) - waiting.at(time - span) for time, _, _ in network.jumps])


def quiet_rate(network: Network, dropped: Series) -> float:
    """Packets lost in a second in the last quarters of periods, when UDP's jump is over and TCP probes."""
    way = network.rtt_s / 2 * (CORE_SHARE + ACCESS_SHARE)
    ends = [network.warm_up_s + number * network.period_s + way for number in range(1, PERIODS + 1)]
    return mean([dropped.grown(end - network.period_s / 4, end) for end in ends]) / (network.period_s / 4)


def mean(values: Sequence[float]) -> float:
    """The mean."""
    return sum(values) / len(values)
