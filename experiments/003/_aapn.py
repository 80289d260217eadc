"""The network of paper 003 (figure 4.2 with M = 2, tables 4.1 to 4.3), and what is read off its runs.

100 senders – rs – ri – (core) – rj – rd – 100 receivers, in five groups of 20 flows. Every link has the rated capacity
C; that of ri–rj follows the allocation of slots, in the equivalent-rate form: it has another capacity. The delays
of sender–rs and rd–receiver change at one and at two thirds of the run. ri–rj is the edge node's output with its small
buffer.

Chosen where the paper is silent: half of the changing delay lies at each end, 22 ms in the middle; buffers elsewhere
hold 300 ms; packets of 1000 B on the wire; the packet in service does not count in a buffer; timeouts take at least
1 s (RFC 2988); flows start within the first second. The way back, and how many edge nodes there are, are read from
other places of the paper than its tables of delays: `_readings` has the readings.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ._readings import BACK_MS, CONSTANT, DELAYS_MS, back_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from photocol.experiment import RunResult

PAPER = "AAPN signalling and XCP-CL, a thesis (paper 003)"
XCP, XCP_CL = "xcp", "xcp-cl"
"""Original XCP at the edge node believes the rated capacity; XCP-CL is told the allocated one."""
PHYSICAL, TOLD = "physical", "told"
"""The two readings of a step: the rate really changes, or only the figure that the controller is told."""

ONE_WAY, SACK = "one-way", "sack"
"""Senders as in ns-2 2.29, which the paper used, or photocol's own.

They differ in how they repair losses (Reno without limited transmit, or SACK), and in feedback on duplicate ACKs, which
the first ones ignore. docs/validation/xcp.md has both beside ns-2.
"""
SENDERS: dict[str, dict[str, Any]] = {
    ONE_WAY: {"recovery": "reno", "limited_transmit": False, "duplicate_acks": "ignore"},
    SACK: {"recovery": "sack", "duplicate_acks": "obey"},
}

MIN_RTO = "1 s"
"""Round trips are 0.26 to 0.44 s. With the way back as the way forth they are 0.22 to 0.58 s, and with 0.2 s here 79 of
100 flows then time out for nothing when the delays grow."""

GROUP = 20
REPORTED = (1, 21, 41, 61, 81)
FLOWS = GROUP * len(DELAYS_MS)
MIDDLE_MS = {"rs": ("ri", 1), "ri": ("rj", 20), "rj": ("rd", 1)}
FIRST, EDGE = "rs->ri", "ri->rj"
PACKET, HEADER = 1000, 60
HOPS = 5
ACK = 60
SAMPLE_S = 0.3
"""About a round trip, as the paper measures utilization."""

Step = tuple[float, float, str]
"""When, to how many Mb/s, and of what: "capacity" or "told_capacity"."""


def scenario(
    *,
    mbps: float,
    duration_s: float,
    steps: Iterable[Step],
    follows: bool,
    buffer: int = 1,
    paced: bool = False,
    sender: str = ONE_WAY,
    sample_s: float = SAMPLE_S,
    moving: bool = True,
    way_back: str = CONSTANT,
    edge_nodes: int = 2,
    allocated_ppm: float = 0.0,
    trace: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The network at a rated capacity, with what happens to the edge node's output; `moving`: the delays change.

    With more than two edge nodes there are as many networks as pairs of them, each with its 100 flows and its steps.
    Rates other than the rated one are off by `allocated_ppm` millionths.
    """
    pairs = range(edge_nodes // 2)
    exact = [(at, rate if rate == mbps else rate * (1 + allocated_ppm / 1e6), what) for at, rate, what in steps]
    delays = [event for pair in pairs for event in _new_delays(pair, duration_s / 3, way_back)] if moving else []
    return {
        "run": {"duration": f"{duration_s:g} s"},
        "link_defaults": {"capacity": f"{mbps:g} Mbps", "buffer": "300 ms"},
        "link": [link for pair in pairs for link in _links(pair, follows=follows, buffer=buffer, way_back=way_back)],
        "transport": {"xcp": _transport(paced=paced, sender=sender)},
        "traffic": [_flow(number) for number in range(FLOWS * len(pairs))],
        "event": [*delays, *(_event(pair, *step) for step in exact for pair in pairs)],
        "probe": {"interval": f"{sample_s:g} s", "flows": list(REPORTED), "links": [FIRST, EDGE]},
        **({} if trace is None else {"trace": dict(trace)}),
    }


def algorithm_steps(algorithm: str, step: str, changes: Iterable[tuple[float, float]]) -> tuple[list[Step], bool]:
    """The events of a reading for (time, Mb/s), and whether the controller follows its link."""
    changes = list(changes)
    if step == PHYSICAL:
        return [(at, mbps, "capacity") for at, mbps in changes], algorithm == XCP_CL
    return [(at, mbps, "told_capacity") for at, mbps in changes if algorithm == XCP_CL], False


def _transport(*, paced: bool, sender: str) -> dict[str, Any]:
    return {
        "packet_size": PACKET,
        "header": HEADER,
        "ack_size": ACK,
        "initial_window": 2,
        **SENDERS[sender],
        "min_rto": MIN_RTO,
        "paced": paced,
    }


def _flow(number: int) -> dict[str, Any]:
    """Flows are numbered in the order of their starts, so each starts at random in its own 10 ms."""
    ends = {"from": f"s{number}", "to": f"d{number}"}
    return {"transport": "xcp", **ends, "start": f"{10 * number} ms", "spread": "10 ms"}


def _links(pair: int, *, follows: bool, buffer: int, way_back: str) -> Iterator[dict[str, Any]]:
    """Of one pair of edge nodes. Controllers stand at the routers' outputs on the way forth."""
    for a, (b, delay) in MIDDLE_MS.items():
        edge = f"{a}->{b}" == EDGE
        more = {"buffer": f"{buffer} packets"} if edge else {}
        port = {"follows": follows} if edge else {}
        ends = {"delay": f"{delay} ms", "duplex": False}
        yield {"from": _router(a, pair), "to": _router(b, pair), "xcp": port, **ends, **more}
        yield {"from": _router(b, pair), "to": _router(a, pair), **ends}
    for group in range(len(DELAYS_MS)):
        forth, back = _end_delays(group, 0, way_back)
        for flow in _members(pair, group):
            for near, far in _end_links(pair, flow):
                yield {"from": near, "to": far, "delay": forth, "duplex": False}
                yield {"from": far, "to": near, "delay": back, "duplex": False}


def _router(name: str, pair: int) -> str:
    """Routers of the first pair have the plain names."""
    return name if pair == 0 else f"{name}-{pair}"


def _members(pair: int, group: int) -> range:
    """Numbers of a group's flows."""
    first = pair * FLOWS + group * GROUP
    return range(first, first + GROUP)


def _end_links(pair: int, flow: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both links of a flow whose delays change, on the way forth."""
    return (f"s{flow}", _router("rs", pair)), (_router("rd", pair), f"d{flow}")


def _end_delays(group: int, period: int, way_back: str) -> tuple[str, str]:
    """Of a link at an end, forth and back: half of what the middle leaves of the whole way."""
    middle = sum(delay for _, delay in MIDDLE_MS.values())
    ways = DELAYS_MS[group][period], back_ms(way_back, group, period)
    forth, back = (f"{round((way - middle) * 500)} us" for way in ways)
    return forth, back


def _new_delays(pair: int, period_s: float, way_back: str) -> Iterator[dict[str, Any]]:
    for period in (1, 2):
        at = f"{round(period * period_s * 1e3)} ms"
        for group in range(len(DELAYS_MS)):
            links = [link for flow in _members(pair, group) for link in _end_links(pair, flow)]
            forth, back = _end_delays(group, period, way_back)
            yield {"at": at, "link": [f"{near}->{far}" for near, far in links], "delay": forth}
            if back_ms(way_back, group, period) != back_ms(way_back, group, period - 1):
                yield {"at": at, "link": [f"{far}->{near}" for near, far in links], "delay": back}


def _event(pair: int, at_s: float, mbps: float, what: str) -> dict[str, Any]:
    source, sink = EDGE.split("->")
    link = f"{_router(source, pair)}->{_router(sink, pair)}"
    return {"at": f"{round(at_s * 1e6)} us", "link": link, what: f"{round(mbps * 1e6)} bps"}


@dataclass(frozen=True)
class Trace:
    """The samples of a run, each an array over `t`."""

    t: NDArray[np.float64]
    columns: Mapping[str, NDArray[np.float64]]
    period_s: float
    allocated: NDArray[np.float64]
    """Mb/s at the edge node's output before each sample: what the link has or, in the reading "told", what is told."""
    rated: NDArray[np.float64]
    """What the link itself has then."""
    ran: Mapping[str, Any]
    """The scenario."""

    @classmethod
    def of(cls, result: RunResult) -> Trace:
        """Reads the table `series`."""
        name = pl.concat_str("quantity", "entity", separator=" ").alias("name")
        wide = result.series.with_columns(name).pivot(on="name", index="t_s", values="value").sort("t_s")
        columns = {column: wide[column].to_numpy() for column in wide.columns}
        t, period_s = columns.pop("t_s"), result.summary["duration"].value / 3
        ran = tomllib.loads(str(result.manifest["scenario"]))
        real = _history(ran, EDGE, "capacity", t)
        # Where the link changes, what its controller is told (late, say) is no other reading.
        allocated = _history(ran, EDGE, "told_capacity", t) if np.ptp(real) == 0 else real
        return cls(t=t, columns=columns, period_s=period_s, allocated=allocated, rated=real, ran=ran)

    def within(self, start: float, end: float) -> NDArray[np.bool_]:
        """Which samples cover times in (start, end]."""
        return (self.t > start + 1e-9) & (self.t <= end + 1e-9)

    def late(self, period: int) -> NDArray[np.bool_]:
        """The second half of a period (0, 1, 2)."""
        return self.within((period + 0.5) * self.period_s, (period + 1) * self.period_s)

    def after(self, period: int, span_s: float) -> NDArray[np.bool_]:
        """The beginning of a period, at most half of it."""
        start = period * self.period_s
        return self.within(start, start + min(span_s, self.period_s / 2))

    def whole(self, period: int) -> NDArray[np.bool_]:
        """A period without its first tenth, in which things settle."""
        return self.within((period + 0.1) * self.period_s, (period + 1) * self.period_s)

    def link(self, quantity: str, link: str = EDGE) -> NDArray[np.float64]:
        """Samples of a link."""
        return self.columns[f"{quantity} {link}"]

    def flow(self, quantity: str, flow: int) -> NDArray[np.float64]:
        """Samples of a flow."""
        return self.columns[f"{quantity} flow {flow}"]

    def window(self, flow: int = 1) -> NDArray[np.float64]:
        """Congestion window in packets."""
        return self.flow("cwnd", flow) / (PACKET - HEADER)

    def rate(self, flow: int = 1) -> NDArray[np.float64]:
        """Window over smoothed round-trip time, in kB/s on the wire, as the paper defines a flow's rate."""
        return self.window(flow) * PACKET / 1e3 / self.flow("srtt", flow)

    def utilization(self) -> NDArray[np.float64]:
        """Output rate of the edge node over the allocated rate."""
        return self.link("utilization") * self.rated / self.allocated

    def least_utilization(self, period: int, where: NDArray[np.bool_]) -> float:
        """The least in a part of a period, each value over its longest round trip, as the paper measures."""
        level = self.utilization()[where]
        count = max(round(longest_round_trip_s(period) / self.sample_s), 1)
        whole = len(level) // count * count
        return float(level[:whole].reshape(-1, count).mean(axis=1).min())

    def drops(self, where: NDArray[np.bool_]) -> float:
        """Packets dropped at the edge node in the samples' time."""
        return _gain(self.link("dropped"), where)

    def drop_share(self, where: NDArray[np.bool_]) -> float:
        """Of the packets that came."""
        offered = _gain(self.link("offered"), where)
        return self.drops(where) / offered if offered else 0.0

    def drops_per_interval(self, where: NDArray[np.bool_]) -> float:
        """Drops in a control interval, the mean round-trip time that the controller measured."""
        interval = float(np.mean(self.link("mean_rtt")[where]))
        return self.drops(where) * interval / (np.count_nonzero(where) * self.sample_s)

    @property
    def sample_s(self) -> float:
        """Time between samples."""
        return float(self.t[1] - self.t[0])

    def goodputs(self, where: NDArray[np.bool_]) -> list[float]:
        """Bytes per second of the five reported flows."""
        return [_gain(self.flow("acked", flow), where) / np.count_nonzero(where) / self.sample_s for flow in REPORTED]

    def spread_of_goodputs(self, where: NDArray[np.bool_]) -> float:
        """Standard deviation over mean of what the five reported flows get."""
        shares = np.array(self.goodputs(where))
        return float(np.std(shares) / max(np.mean(shares), 1e-9))

    def full_after(self, level: float = 0.95, span_s: float = 3.0) -> float:
        """When utilization first stays at this level for a while."""
        count = round(span_s / self.sample_s)
        high = np.convolve(self.utilization() >= level, np.ones(count), "valid") == count
        return float(self.t[np.argmax(high)]) if high.any() else float(self.t[-1])

    def back(self, flow: int) -> NDArray[np.float64]:
        """What the way back takes, on which nothing waits, in seconds."""
        path = (f"d{flow}", "rd", "rj", "ri", "rs", f"s{flow}")
        delay = sum(_history(self.ran, f"{near}->{far}", "delay", self.t) for near, far in pairwise(path))
        return delay + HOPS * ACK * 8 / self.rated[0] / 1e6


_UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "Gbps": 1e3, "Mbps": 1.0, "kbps": 1e-3, "bps": 1e-6}


def _history(ran: Mapping[str, Any], name: str, what: str, t: NDArray[np.float64]) -> NDArray[np.float64]:
    """A link's rate (Mb/s) or delay (s) before each sample, by the events of a kind."""

    def number(text: str) -> float:
        value, unit = text.split()
        return float(value) * _UNITS[unit]

    link = _link(ran, *name.split("->"))
    key = "capacity" if what == "told_capacity" else what
    values = np.full(len(t), number(link[key] if key in link else ran["link_defaults"][key]))
    for event in ran.get("event", []):
        if what in event and name in event["link"]:
            values[t > number(event["at"]) + 1e-9] = number(event[what])
    return values


def _link(ran: Mapping[str, Any], source: str, sink: str) -> Mapping[str, Any]:
    """The table of a directed link; one for both directions if it says nothing else."""
    for link in ran["link"]:
        ends = link["from"], link["to"]
        if ends == (source, sink) or (ends == (sink, source) and link.get("duplex", True)):
            return dict(link)
    raise ValueError(f"there is no link {source}->{sink}")


def should_receive(mbps: float, seconds: float) -> float:
    """Packets that "the router should receive" (appendix D): what original XCP asks for, all of the rated capacity."""
    return mbps * 1e6 / 8 / PACKET * seconds


def longest_round_trip_s(period: int) -> float:
    """Of all flows in a period, by propagation, with a constant way back."""
    return (max(delays[period] for delays in DELAYS_MS) + BACK_MS) / 1e3


def _gain(total: NDArray[np.float64], where: NDArray[np.bool_]) -> float:
    """How much a running total grew over the samples."""
    numbers = np.flatnonzero(where)
    return float(total[numbers[-1]] - total[max(numbers[0] - 1, 0)]) if len(numbers) else 0.0


def curves(result: RunResult) -> pl.DataFrame:
    """What the paper's time series show, at the samples: windows, rates, utilization, queue, drops, round trips.

    A queuing delay is the queue over the allocated rate; drops are those of a control interval, the controller's mean
    round trip, and their share is of what the router should receive in it, all of the rated capacity (appendix D).
    """
    trace = Trace.of(result)
    drops = np.diff(trace.link("dropped"), prepend=0.0)
    columns = {
        "t_s": trace.t,
        "utilization": trace.utilization(),
        "queue": trace.link("queue"),
        "mean_queue": trace.link("mean_queue"),
        "queuing_ms": trace.link("mean_queue") * PACKET * 8 / trace.allocated / 1e3,
        "drops": drops,
        "drops_interval": drops * trace.link("mean_rtt") / trace.sample_s,
        "drop_percent": 100 * drops / should_receive(trace.rated[0], trace.sample_s),
        **{f"rate_{flow}": trace.rate(flow) for flow in REPORTED},
        **{f"window_{flow}": trace.window(flow) for flow in REPORTED},
        **{f"rtt_{flow}": trace.flow("rtt", flow) for flow in REPORTED},
    }
    return pl.DataFrame(columns)


MIXED_READINGS = (
    "the paper's comparison mixes the two readings: original XCP loses the link only if that really gets slower, and "
    "XCP-CL keeps it only if it does not. Packets come from the first router at the rated capacity; while they come "
    "back to back a slower edge node must hold some, whoever is told (003/physical-step)"
)
"""Why XCP-CL does not do with a physical step what the paper says."""


def find(table: pl.DataFrame, **point: Any) -> dict[str, Any]:
    """The one row at a point."""
    for axis, value in point.items():
        table = table.filter(pl.col(axis) == value)
    [row] = table.iter_rows(named=True)
    return row


def listed(values: Sequence[float], form: str) -> str:
    """Numbers with commas."""
    return ", ".join(format(value, form) for value in values)
