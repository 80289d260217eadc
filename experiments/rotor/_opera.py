"""Opera's network and the completion times that its authors published: what all experiments of this folder share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, Values, below, values
from photocol.conversions import parts
from photocol.conversions.source import FileError
from photocol.errors import InputError
from photocol.experiment import Claim, Metric, Outcome, Point, RunResult
from photocol.verdict import Finding, not_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

PAPER = "Mellette et al., Expanding across time to deliver bandwidth efficiency and low latency, NSDI 2020"
REPOSITORY = "TritonNetworking/opera-sim, Figure7_datamining"
SLICE_US, RECONFIGURATION_US, GUARD_US = 98.9, 10.0, 1.7
"""A superslice of the published runs, at whose end one switch turns for 10 µs. The times at which the published flows
of one packet end have that period: their coherence is 0.987 (RotorNet at 1 %), and 0.006 with 100 µs."""
CUTOFF = "15 MB"
"""Smaller flows are NDP's."""
CLASSES = {"10kB": (0.0, 1e4), "1MB": (1e4, 1e6), "15MB": (1e6, 15e6), "larger": (15e6, float("inf"))}
"""Sizes of flows: above the first, up to the second."""
WORDS = {"10kB": "up to 10 kB", "1MB": "of 10 kB to 1 MB", "15MB": "of 1 to 15 MB", "larger": "of more than 15 MB"}
MEDIAN, TAIL, LONG_TAIL = 0.1, 0.2, 0.3
"""A published time agrees within this part of it; the last is for 99 % of the flows of 1 to 15 MB."""
PACKET, HEADER = 1500, 64
"""Bytes of a full packet, and of its header and of an ACK."""
GIGABIT = 1e3
"""Bits in a microsecond at 1 Gb/s."""

SENDER = (
    'rlb = { algorithm = "reno", dupthresh = 4000000000, limited_transmit = false, initial_window = 50000, '
    'max_window = "71.8 MB", min_rto = "50 s", initial_rto = "50 s", packet_size = 1500, header = 64, ack_size = 64, '
    'delayed_ack = "1 ms", sack = true, sack_compression = "1 ms" }'
)
"""A sender that gives its rack all that it has, as RotorLB's hosts do, and sends nothing again. Its window is what a
host's link carries in five cycles, for the sake of memory; few ACKs answer what comes out of order."""

Times = dict[str, tuple[float, float]]
"""By class of sizes: the median and 99 % of completion times, in ms."""
HOSTS, HOST_GBPS = 648, 10.0
"""Of the published networks: hosts, and the rate of their links."""
LIKE = 0.2
"""A list is that of a load if it offers the load within this part."""


@dataclass(frozen=True)
class Published:
    """What the authors' list of completion times says at a load."""

    load_percent: int
    """Of the hosts' links."""
    ends_s: float
    """When the authors' program ended; flows that were under way have no time."""
    times: Times

    @property
    def flows(self) -> str:
        """The value of the axis `flows` where the list of this load is run."""
        return f"published-{self.load_percent}"


@cache
def load_percent(file: Path) -> float:
    """What a list of flows offers of the hosts' links until the last one begins. It is read as the runs read it."""
    try:
        found = parts.flows(str(file))
    except FileError as error:
        raise InputError(f"--flows: {error}") from None
    except InputError as error:
        raise InputError(f"--flows: {file}: {error}") from None
    bits = 8 * sum(flow.size or 0 for flow in found.flows)
    last_s = max((1e-12 * flow.start_ps for flow in found.flows), default=0.0)
    return 100 * bits / (HOSTS * HOST_GBPS * 1e9 * last_s) if last_s > 0 else 0.0


def list_of(point: Point, files: Sequence[Path]) -> Path | None:
    """The file whose load is that of a point."""
    load = int(str(point["flows"]).removeprefix("published-"))
    return next((file for file in files if abs(load_percent(file) / load - 1) < LIKE), None)


def published_at(folder: str, published: Iterable[Published], ending: str = "") -> str:
    """Where the lists are published."""
    lists = " and ".join(f"flows_{one.load_percent}percLoad_10sec_648hosts{ending}.htsim" for one in published)
    return f"{REPOSITORY}/{folder}, {lists}"


def ends(published: Iterable[Published], point: Point) -> dict[str, str]:
    """A run ends when the published one did."""
    return {"run.duration": next(f"{one.ends_s} s" for one in published if one.flows == point["flows"])}


def network(racks: int, switches: int, hosts: int, routes: str) -> dict[str, Any]:
    """Opera's order of switches, its slices and its links."""
    return {
        "topology.racks": racks,
        "topology.switches": switches,
        "topology.hosts": hosts,
        "topology.host_delay": "1 ns",
        "link_defaults": '{ host = { queue = { kind = "drr" } } }',
        "switching": f'{{ kind = "rotor", slice = "{SLICE_US} us", reconfiguration = "{RECONFIGURATION_US} us", '
        f'guard = "{GUARD_US} us", matchings = "opera", routes = "{routes}" }}',
    }


def to_hosts(racks: int, hosts: int, queue: str) -> str:
    """The links from racks to their hosts, with a queue discipline; racks' uplinks have none."""
    ends = ((f"t{rack}", f"t{rack}h{host}") for rack in range(racks) for host in range(hosts))
    links = [f'{{ from = "{rack}", to = "{host}", queue = {queue} }}' for rack, host in ends]
    return f"[{', '.join(links)}]"


def wire_us(payload: int, gbps: float = 10.0) -> float:
    """How long a packet with so much payload lasts on a link."""
    return 8 * (payload + HEADER) / (gbps * GIGABIT)


def ndp(first_window: int) -> str:
    """A transport of this name with Opera's sizes of packets."""
    sizes = f"packet_size = {PACKET}, header = {HEADER}, ack_size = {HEADER}"
    return f'small = {{ algorithm = "ndp", first_window = {first_window}, {sizes} }}'


def times_ms(flows: pl.DataFrame, name: str) -> pl.Series:
    """The completion times of a class at its senders, as in the published lists."""
    low, high = CLASSES[name]
    finite = flows.filter(pl.col("completed") & (pl.col("size_bytes") > low) & (pl.col("size_bytes") <= high))
    return (finite["end_s"] - finite["start_s"]) * 1e3


def quantiles(flows: pl.DataFrame, name: str) -> tuple[float, float]:
    """Median and 99 % of the completion times of a class in ms; zeros if it has none."""
    times = times_ms(flows, name)
    if times.is_empty():
        return 0.0, 0.0
    found = [times.quantile(share, "linear") for share in (0.5, 0.99)]
    return float(found[0] or 0.0), float(found[1] or 0.0)


def measure_times(result: RunResult) -> dict[str, float]:
    """Completion times by size, and how many flows have none."""
    found: dict[str, float] = {}
    for name in CLASSES:
        found[f"p50_{name}_ms"], found[f"p99_{name}_ms"] = quantiles(result.flows, name)
    flows = result.flows
    return found | {"unfinished": float((flows["size_bytes"].is_not_null() & ~flows["completed"]).sum())}


TIMES = (
    *(
        Metric(name=f"{share}_{name}_ms", label=f"{share} of flows, {name} (ms)", form=".4g")
        for name in CLASSES
        for share in ("p50", "p99")
    ),
    Metric(name="unfinished", label="flows that have not completed", form=".0f"),
)


def tolerance(name: str, which: int) -> float:
    """The part of a published time within which it agrees."""
    return (MEDIAN, LONG_TAIL if name == "15MB" else TAIL)[which]


def among(rows: pl.Expr, why: str, predicate: Predicate) -> Callable[[Outcome], Finding]:
    """A claim's check about some rows, where a form has them."""

    def check(outcome: Outcome) -> Finding:
        found = replace(outcome, table=outcome.table.filter(rows))
        return not_run(why) if found.table.is_empty() else predicate(found)

    return check


def off(measured: Values, expected: float) -> Values:
    """How far a time is off, as a part of what is expected."""
    return (measured / expected - 1).told("+.1%")


def as_published(name: str, which: int, published: Mapping[str, tuple[float, float]]) -> Predicate:
    """A published time of a class of sizes."""
    found = values(f"{('p50', 'p99')[which]}_{name}_ms", form=".3g", unit=" ms")
    apart = off(found, published[name][which])
    return below(apart.each(abs), tolerance(name, which), in_shape=0.5).saying(found, apart)


def published_claims(published: Sequence[Published], place: str, rows: pl.Expr | None = None) -> list[Claim]:
    """A claim for each number of the published lists: about the rows of the list's load, or those among `rows`."""
    chosen = pl.lit(True) if rows is None else rows
    why = f"judged in the full form with this published list of flows: --flows, {place}"
    return [
        Claim(
            id=f"{('median', 'tail')[which]}-{name.lower()}{at(one)}",
            text=f"{('the median', '99 %')[which]} of the completion times of flows {WORDS[name]} "
            f"at {one.load_percent} % load",
            where="Figure 7; the list of completion times beside it",
            expected=f"{one.times[name][which]:g} ms",
            tolerance=f"within {round(100 * tolerance(name, which))} %; in shape: within half",
            check=among(chosen & (pl.col("flows") == one.flows), why, as_published(name, which, one.times)),
        )
        for one in published
        for name in CLASSES
        for which in (0, 1)
    ]


def at(published: Published) -> str:
    """The end of a claim's name."""
    return "" if published.load_percent == 1 else f"-at-{published.load_percent}"
