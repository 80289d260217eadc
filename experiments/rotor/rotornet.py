"""Flow completion times of a rotor network in which everything goes by RotorLB, against the lists that its authors
published; and, in the quick form, the wait for a direct circuit against its law.

The expected values and tolerances below were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Point, RunResult, Setup, Source, grid
from photocol.verdict import Finding, judge, not_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAPER = "Mellette et al., Expanding across time to deliver bandwidth efficiency and low latency, NSDI 2020"
PUBLISHED_AT = "TritonNetworking/opera-sim, Figure7_datamining/hybrid_rotornet, flows_1percLoad_10sec_648hosts.htsim"
SLICE_US, RECONFIGURATION_US, GUARD_US = 100.0, 10.0, 1.7
"""A superslice of the published schedule: 88.3 µs, then 1.7 µs and 10 µs in which one switch turns."""
CLASSES = {"10kB": (0.0, 1e4), "1MB": (1e4, 1e6), "15MB": (1e6, 15e6), "larger": (15e6, float("inf"))}
"""Sizes of flows: above the first, up to the second."""
PUBLISHED = {
    "10kB": (5.40, 10.8),
    "1MB": (9.26, 30.9),
    "15MB": (26.1, 58.6),
    "larger": (124.0, 951.0),
}
"""Median and 99 % of the completion times of RotorNet at 1 % load, in ms."""
MEDIAN, TAIL = 0.1, 0.2
"""A published time agrees within this part of it."""
QUICK_RACKS, QUICK_SWITCHES = 24, 4
WAIT = 0.03
"""The wait agrees within this part of a cycle."""


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


SENDER = (
    '{ rlb = { algorithm = "reno", dupthresh = 4000000000, limited_transmit = false, initial_window = 1000000, '
    'min_rto = "50 s", initial_rto = "50 s", packet_size = 1500, header = 64, ack_size = 64, delayed_ack = "1 ms" } }'
)
"""A sender that gives its rack all that it has, as RotorLB's hosts do: no window, and nothing is sent again."""


def setup(point: Point) -> Setup:
    """The published network with its list of flows, or a small one with packets that are drawn."""
    if point["flows"] == "published":
        settings = network(108, 6, 6, "rotorlb") | {
            "switching.counts": "hosts",
            "switching.relay_room": 0.333,
            "switching.acks": "slice",
            "transport": SENDER,
            "traffic": '[{ name = "one", transport = "rlb", from = "t0h0", to = "t1h0", size = "1 kB" }]',
        }
        return Setup(scenario="opera.toml", settings=settings)
    packets = (
        '[{ name = "drawn", transport = "udp", load = "poisson", rate = "50 Mbps", flows = 48, pairs = "permutation" }]'
    )
    return Setup(
        scenario="opera.toml",
        settings=network(QUICK_RACKS, QUICK_SWITCHES, 2, "direct") | {"transport": "{}", "traffic": packets},
    )


def published_flows(file: Path) -> dict[str, Any]:
    """The list instead of the one flow."""
    return {"traffic": f'[{{ name = "published", transport = "rlb", file = "{file}" }}]'}


def quantiles(flows: pl.DataFrame, name: str) -> tuple[float, float]:
    """Median and 99 % of the completion times of a class in ms; zeros if it has none."""
    low, high = CLASSES[name]
    finite = flows.filter(pl.col("completed") & (pl.col("size_bytes") > low) & (pl.col("size_bytes") <= high))
    times = (finite["end_s"] - finite["start_s"]) * 1e3
    if times.is_empty():
        return 0.0, 0.0
    found = [times.quantile(share, "linear") for share in (0.5, 0.99)]
    return float(found[0] or 0.0), float(found[1] or 0.0)


def measure(result: RunResult) -> dict[str, float]:
    """Completion times by size, and the wait for the direct circuit."""
    found: dict[str, float] = {}
    for name in CLASSES:
        found[f"p50_{name}_ms"], found[f"p99_{name}_ms"] = quantiles(result.flows, name)
    for share in ("p50", "p99"):
        found[f"wait_{share}_us"] = 1e6 * result.summary[f"circuit_wait_{share}"].value
    unfinished = result.summary.get("unfinished_flows")
    return found | {"unfinished": 0.0 if unfinished is None else unfinished.value}


def check_published(name: str, which: int, outcome: Outcome) -> Finding:
    """A published time of a class of sizes."""
    rows = outcome.table.filter(pl.col("flows") == "published")
    if rows.is_empty():
        return not_run(f"judged in the full form with the published list of flows: --flows, {PUBLISHED_AT}")
    found, expected = rows[f"{('p50', 'p99')[which]}_{name}_ms"][0], PUBLISHED[name][which]
    off = found / expected - 1
    return judge(
        agrees=abs(off) < (MEDIAN, TAIL)[which],
        in_shape=abs(off) < 0.5,
        measured=f"{found:.3g} ms, {100 * off:+.1f} %",
    )


def expected_wait(share: float) -> float:
    """The quantile of the wait in µs: a packet finds its circuit, or it comes within a cycle, uniformly."""
    cycle = QUICK_RACKS * SLICE_US
    return share * cycle - (QUICK_SWITCHES * SLICE_US - RECONFIGURATION_US - GUARD_US)


def check_wait(share: float, outcome: Outcome) -> Finding:
    """The wait of packets that come at any time."""
    rows = outcome.table.filter(pl.col("flows") == "drawn")
    if rows.is_empty():
        return not_run("judged in the quick form")
    found, cycle = rows[f"wait_p{round(100 * share)}_us"][0], QUICK_RACKS * SLICE_US
    off = (found - expected_wait(share)) / cycle
    return judge(agrees=abs(off) < WAIT, in_shape=abs(off) < 3 * WAIT, measured=f"{found:.0f} µs")


def published_claims() -> list[Claim]:
    """A claim for each number of the published lists."""
    words = {"10kB": "up to 10 kB", "1MB": "of 10 kB to 1 MB", "15MB": "of 1 to 15 MB", "larger": "of more than 15 MB"}
    return [
        Claim(
            id=f"{('median', 'tail')[which]}-{name.lower()}",
            text=f"{('the median', '99 %')[which]} of the completion times of flows {words[name]}",
            where="Figure 7; the list of completion times beside it",
            expected=f"{PUBLISHED[name][which]:g} ms",
            tolerance=f"within {round(100 * (MEDIAN, TAIL)[which])} %; in shape: within half",
            check=partial(check_published, name, which),
        )
        for name in CLASSES
        for which in (0, 1)
    ]


METRICS = (
    *(
        Metric(name=f"{share}_{name}_ms", label=f"{share} of flows, {name} (ms)", form=".2f")
        for name in CLASSES
        for share in ("p50", "p99")
    ),
    Metric(name="wait_p50_us", label="median wait for the circuit (µs)", form=".0f"),
    Metric(name="wait_p99_us", label="99 % wait (µs)", form=".0f"),
    Metric(name="unfinished", label="flows that have not completed", form=".0f"),
)
QUICK: Mapping[str, Any] = {"run.duration": "500 ms"}

experiment = Experiment(
    id="rotor/rotornet",
    title="completion times in a rotor network, everything by RotorLB, at 1 % load",
    source=Source(paper=PAPER, figures="Figure 7 (RotorNet, 1 % load)", section="§5.1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(flows=("drawn",)),
        replications=1,
        settings=QUICK,
        note="24 racks, single packets that wait for their circuit; no flow of the published list",
    ),
    full=Form(
        points=grid(flows=("published",)), replications=1, settings={"run.duration": "11 s", "run.memory": "1000 GB"}
    ),
    listed=published_flows,
    list_from=PUBLISHED_AT,
    claims=(
        *published_claims(),
        *(
            Claim(
                id=f"wait-{name}",
                text=f"{what} of the waits of packets for their circuit is that of a uniform law over a cycle",
                where="a circuit once a cycle",
                expected=f"{expected_wait(share):.0f} µs",
                tolerance=f"within {round(100 * WAIT)} % of a cycle; in shape: within three times that",
                check=partial(check_wait, share),
                whose="ours",
            )
            for name, what, share in (("median", "the median", 0.5), ("tail", "the 99 % quantile", 0.99))
        ),
    ),
    notes=(
        "Hosts give their rack all that they have at once; TCP without a window or a repair stands for that. Its ACKs "
        "take the shortest path within a slice, so that a flow is complete some microseconds after its last byte.",
        "Slices are 88.3 µs of light, 1.7 µs of guard and 10 µs in which one of six switches turns.",
        "Host links have 1 ns, where the published program has none.",
    ),
)
