"""Paper 002, §1: small buffers by slow access links, and with bursty real-time traffic: the alternatives it names.

"O(log W) buffers are sufficient […] when packets are sufficiently paced by replacing TCP senders with Paced TCP or by
using slow access links" (after Enachescu et al.). "A recent paper [7] shows that even small quantities of bursty
realtime traffic can interact with well-behaved TCP traffic and increase the buffer requirements." The architecture
"does not require limiting the speed of access links". Here each flow has a host of its own with an access of 10 or 100
Mb/s, or none: it begins at the edge node. Datagrams of 5 or 10 % of the traffic come on top of the TCP flows.

The expected values and tolerances below were committed before the first run; of 10 Mb/s with six packets single runs
of others were known: 0.264, 0.479 and 0.461 for TCP Reno, Paced TCP and macroflows.
"""

from __future__ import annotations

import random
import tomllib
from typing import TYPE_CHECKING, Any

from photocol.claims import Values, above, at_least, below, first, last, most, values, within
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid

from ._curves import ON_PLATEAU, PACED, PAPER, PLAIN, SIX_PACKETS_BYTES, bars, finish, first_reaching
from ._flows import CARRIED_GBPS, SCENARIO, datagrams
from ._schemes import COLOURS, METRICS, NAMES, XCP, measure, settings

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

FLOWS, NODES, SECONDS = 1586, 14, 5
DIRECT, FAST, SLOW = "none", "100 Mbps", "10 Mbps"
ACCESSES = (DIRECT, FAST, SLOW)
SCHEMES = (PLAIN, PACED, XCP)
REAL_TIME_PERCENT = (0, 5, 10)
MUCH_RAM = 1_000_000
RAM = (SIX_PACKETS_BYTES, 15_000, 30_000, 60_000, 150_000, MUCH_RAM)
DRAW = random.Random(2)
PAIRS = tuple(tuple(DRAW.sample(range(NODES), 2)) for _ in range(FLOWS))
"""The edge nodes of each flow, the same in every run; when a flow starts is drawn by the run."""


def setup(point: Point) -> Setup:
    """`macroflows.toml` whose flows come over accesses of their own, and datagrams beside them."""
    scenario: dict[str, Any] = tomllib.loads(SCENARIO.read_text(encoding="utf-8"))
    access, percent = str(point["access"]), int(point["real_time_percent"])
    scenario["run"] |= {"duration": f"{SECONDS} s", "warm_up": f"{SECONDS * 7 / 8:g} s"}
    flow = {"transport": "reno", "spread": f"{SECONDS} s"}
    hosts = [f"e{source}" if access == DIRECT else f"e{source}-{number}" for number, (source, _) in enumerate(PAIRS)]
    scenario["traffic"] = [
        {**flow, "name": f"flow {number}", "from": host, "to": f"e{target}"}
        for number, (host, (_, target)) in enumerate(zip(hosts, PAIRS, strict=True))
    ]
    if access != DIRECT:
        link = {"capacity": access, "delay": "10 us", "buffer": "unlimited"}
        scenario["node"] = [{"name": host, "role": "host"} for host in hosts]
        scenario["link"] = [
            {"from": host, "to": f"e{source}", **link} for host, (source, _) in zip(hosts, PAIRS, strict=True)
        ]
    if percent:
        count = round(FLOWS * percent / 100)
        mean_mbps = 1000 * CARRIED_GBPS * percent / 100 / count
        scenario["transport"]["udp"] = {"packet_size": 1500}
        scenario["traffic"].append({**datagrams(count, mean_mbps=mean_mbps), "pairs": "random"})
    chosen = {**settings(str(point["scheme"])), "link_defaults.core.buffer": f"{point['ram_bytes']} B"}
    return Setup(scenario=scenario, settings=chosen)


def by_access(scheme: str, ram_bytes: int = SIX_PACKETS_BYTES) -> Values:
    """Utilization of a scheme without real-time traffic."""
    return values("utilization", "access", form=".3f", scheme=scheme, ram_bytes=ram_bytes, real_time_percent=0)


def by_real_time(ram_bytes: int, scheme: str = XCP) -> Values:
    """Utilization of a scheme by the share of real-time traffic."""
    return values("utilization", "real_time_percent", scheme=scheme, access=DIRECT, ram_bytes=ram_bytes)


def needed(outcome: Outcome) -> dict[Any, float]:
    """The RAM in kB from which on Paced TCP has 95 % of its plateau, by the share of real-time traffic."""
    found: dict[Any, dict[int, float]] = {}
    axes = ("real_time_percent", "ram_bytes")
    for (percent, ram), level in values("utilization", axes, scheme=PACED, access=DIRECT).read(outcome).items():
        found.setdefault(percent, {})[ram] = level
    return {percent: first_reaching(one, ON_PLATEAU * one[MUCH_RAM]) / 1000 for percent, one in found.items()}


SHARES = (by_access(PLAIN) / by_access(PLAIN, MUCH_RAM)).told(".2f", " of its plateau")
PACED_SHARES = (by_real_time(SIX_PACKETS_BYTES, PACED) / by_real_time(MUCH_RAM, PACED)).told(
    ".3f", name="of its plateau"
)
NEEDED = Values(needed, "g", " kB", "95 % from")
MORE_RAM, LESS_CARRIED = above(last(NEEDED), first(NEEDED)), below(last(PACED_SHARES), first(PACED_SHARES) * 0.98)


SLOW_ONES = by_access(PLAIN).at(SLOW) / by_access(PACED).at(DIRECT)
SHIELDED = (by_real_time(SIX_PACKETS_BYTES) / by_real_time(MUCH_RAM)).told(".3f", " of its plateau")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization with six packets, a group of bars for each access and share of real-time traffic."""
    cases = [(access, 0) for access in ACCESSES] + [(DIRECT, percent) for percent in REAL_TIME_PERCENT[1:]]
    outcome = Outcome(table=table, replications=table)
    found = {
        NAMES[scheme]: values(
            "utilization", ("access", "real_time_percent"), scheme=scheme, ram_bytes=SIX_PACKETS_BYTES
        ).read(outcome)
        for scheme in SCHEMES
    }
    groups = {case: f"access {case[0]}" if case[1] == 0 else f"{case[1]} % real-time" for case in cases}
    bars(axes, found, groups, [COLOURS[scheme] for scheme in SCHEMES])
    axes.set_ylim(0, 0.8)
    axes.set_ylabel("mean utilization of core outputs with 9 kB")
    finish(axes, table)


CLAIMS = (
    Claim(
        id="slow-access",
        text="with slow access links buffers of O(log W) are sufficient, six packets",
        where="§1, after [5]",
        expected="the plateau with six packets",
        tolerance="TCP Reno over 10 Mb/s has at least 95 % of its utilization with 1 MB; in shape: 1.2 times the share "
        "that it has without",
        check=at_least(
            SHARES.at(SLOW), ON_PLATEAU, in_shape=(SHARES * 1.2).at(DIRECT).each(lambda share: min(ON_PLATEAU, share))
        ).saying(SHARES, by_access(PLAIN)),
        reason="a window leaves at 10 Mb/s, a packet in 1.2 ms, but flows still meet: TCP Reno has 0.86 of its "
        "plateau, as Paced TCP has 0.83, and twice what it has without an access",
    ),
    Claim(
        id="as-paced",
        text="slow access links do as well as Paced TCP",
        where="§1, after [5]",
        expected="the same",
        tolerance="TCP Reno over 10 Mb/s within 10 % of Paced TCP, six packets; in shape: 0.75 to 1.33 times",
        check=(
            within(SLOW_ONES, 0.9, 1.1, in_shape=(0.75, 1.33)).telling(
                by_access(PLAIN).at(SLOW), by_access(PACED).at(DIRECT)
            )
        ),
    ),
    Claim(
        id="not-required",
        text="macroflows do not require limiting the speed of access links",
        where="§1",
        expected="no less without",
        tolerance="without an access at least 0.95 of what each access carries, six packets; in shape: 0.8",
        check=(
            at_least(
                by_access(XCP).at(DIRECT), most(by_access(XCP)) * 0.95, in_shape=most(by_access(XCP)) * 0.8
            ).telling(by_access(XCP))
        ),
    ),
    Claim(
        id="real-time",
        text="small quantities of bursty real-time traffic increase the buffer that well-behaved TCP needs",
        where="§1, after [7]",
        expected="more RAM for Paced TCP",
        tolerance="95 % of its plateau from a larger RAM on with 10 % than with none; in shape: less of its plateau "
        "with six packets, by 2 %",
        check=MORE_RAM.in_shape(MORE_RAM | LESS_CARRIED).saying(PACED_SHARES, NEEDED),
    ),
    Claim(
        id="real-time-macroflows",
        text="macroflows need no more: six packets are enough beside real-time traffic",
        where="§1",
        expected="the plateau with six packets",
        tolerance="at least 95 % of the utilization with 1 MB with each share; in shape: 85 %",
        check=at_least(SHIELDED, ON_PLATEAU, in_shape=0.85),
    ),
)
WITH_REAL_TIME = (PACED, XCP)

experiment = Experiment(
    id="002/access-links",
    title="small buffers by slow access links, and beside real-time traffic",
    source=Source(paper=PAPER, figures="none: stated in §1", section="§1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=(
            *grid(access=(DIRECT, SLOW), scheme=SCHEMES, real_time_percent=(0,), ram_bytes=(9_000, MUCH_RAM)),
            *grid(access=(DIRECT,), scheme=WITH_REAL_TIME, real_time_percent=(10,), ram_bytes=(9_000, MUCH_RAM)),
        ),
        replications=1,
        note="two of three accesses and shares, two of six sizes of RAM, one of three replications",
    ),
    full=Form(
        points=(
            *grid(access=ACCESSES, scheme=(PLAIN,), real_time_percent=(0,), ram_bytes=(9_000, MUCH_RAM)),
            *grid(access=ACCESSES[1:], scheme=WITH_REAL_TIME, real_time_percent=(0,), ram_bytes=(9_000, MUCH_RAM)),
            *grid(access=(DIRECT,), scheme=WITH_REAL_TIME, real_time_percent=REAL_TIME_PERCENT, ram_bytes=RAM),
        ),
        replications=3,
    ),
    claims=CLAIMS,
    plots=(Plot(name="access", draw=draw),),
    notes=(
        "Runs of 5 s, of which the last eighth counts; 1586 flows between random pairs, the same in every run, whose "
        "starts are spread over the run. An access is 10 µs long and has as much memory as it needs.",
        "Datagrams: 79 or 159 flows, on for 50 ms and off for 150 ms in the mean (exponential), at four times their "
        "mean rate, together 5 or 10 % of 8.6 Gb/s on top of TCP's flows.",
    ),
)
