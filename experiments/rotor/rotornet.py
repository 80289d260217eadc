"""Flow completion times of a rotor network in which everything goes by RotorLB, against the lists that its authors
published; and, in the quick form, the wait for a direct circuit against its law.

The expected values and tolerances were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import below, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Point, RunResult, Setup, Source, grid

from . import _opera as opera
from ._opera import GUARD_US, RECONFIGURATION_US, SENDER, SLICE_US, Published, network

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from photocol.verdict import Finding

PUBLISHED = (
    Published(1, 10.00001, {"10kB": (5.40, 10.8), "1MB": (9.26, 30.9), "15MB": (26.1, 58.6), "larger": (124.0, 951.0)}),
    Published(
        10, 9.0455, {"10kB": (5.87, 21.2), "1MB": (19.7, 74.2), "15MB": (63.4, 104.0), "larger": (197.0, 1911.0)}
    ),
)
"""RotorNet; its list of completion times at 10 % ends there."""
PUBLISHED_AT = opera.published_at("hybrid_rotornet", PUBLISHED)
QUICK_RACKS, QUICK_SWITCHES = 24, 4
WAIT = 0.03
"""The wait agrees within this part of a cycle."""


def setup(point: Point) -> Setup:
    """The published network with its list of flows, or a small one with packets that are drawn."""
    if point["flows"] != "drawn":
        settings = network(108, 6, 6, "rotorlb") | {
            "switching.queues": "hosts",
            "switching.counts": "hosts",
            "switching.answers": "hosts",
            "switching.relay_room": 0.333,
            "switching.acks": "slice",
            "transport": f"{{ {SENDER} }}",
            "traffic": '[{ name = "one", transport = "rlb", from = "t0h0", to = "t1h0", size = "1 kB" }]',
        }
        return Setup(scenario="opera.toml", settings=settings | opera.ends(PUBLISHED, point))
    packets = (
        '[{ name = "drawn", transport = "udp", load = "poisson", rate = "50 Mbps", flows = 48, pairs = "permutation" }]'
    )
    return Setup(
        scenario="opera.toml",
        settings=network(QUICK_RACKS, QUICK_SWITCHES, 2, "direct") | {"transport": "{}", "traffic": packets},
    )


def published_flows(point: Point, files: Sequence[Path]) -> dict[str, Any] | None:
    """The list instead of the one flow."""
    file = opera.list_of(point, files)
    return file and {"traffic": f'[{{ name = "published", transport = "rlb", file = "{file}" }}]'}


def measure(result: RunResult) -> dict[str, float]:
    """Completion times by size, and the wait for the direct circuit."""
    waits = {f"wait_{share}_us": 1e6 * result.summary[f"circuit_wait_{share}"].value for share in ("p50", "p99")}
    return opera.measure_times(result) | waits


def expected_wait(share: float) -> float:
    """The quantile of the wait in µs: a packet finds its circuit, or it comes within a cycle, uniformly."""
    cycle = QUICK_RACKS * SLICE_US
    return share * cycle - (QUICK_SWITCHES * SLICE_US - RECONFIGURATION_US - GUARD_US)


def waits(share: float) -> Callable[[Outcome], Finding]:
    """The wait of packets that come at any time."""
    found = values(f"wait_p{round(100 * share)}_us", form=".0f", unit=" µs")
    off = ((found - expected_wait(share)) / (QUICK_RACKS * SLICE_US)).each(abs)
    near_it = below(off, WAIT, in_shape=3 * WAIT).saying(found)
    return opera.among(pl.col("flows") == "drawn", "judged in the quick form", near_it)


METRICS = (
    *opera.TIMES,
    Metric(name="wait_p50_us", label="median wait for the circuit (µs)", form=".0f"),
    Metric(name="wait_p99_us", label="99 % wait (µs)", form=".0f"),
)
QUICK: Mapping[str, Any] = {"run.duration": "500 ms"}

experiment = Experiment(
    id="rotor/rotornet",
    title="completion times in a rotor network, everything by RotorLB, at 1 and 10 % load",
    source=Source(paper=opera.PAPER, figures="Figure 7 (RotorNet, 1 and 10 % load)", section="§5.1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(flows=("drawn",)),
        replications=1,
        settings=QUICK,
        note="24 racks, single packets that wait for their circuit; no flow of the published list",
    ),
    full=Form(points=grid(flows=tuple(one.flows for one in PUBLISHED)), replications=1),
    listed=published_flows,
    list_from=PUBLISHED_AT,
    claims=(
        *opera.published_claims(PUBLISHED, PUBLISHED_AT),
        *(
            Claim(
                id=f"wait-{name}",
                text=f"{what} of the waits of packets for their circuit is that of a uniform law over a cycle",
                where="a circuit once a cycle",
                expected=f"{expected_wait(share):.0f} µs",
                tolerance=f"within {round(100 * WAIT)} % of a cycle; in shape: within three times that",
                check=waits(share),
                whose="ours",
            )
            for name, what, share in (("median", "the median", 0.5), ("tail", "the 99 % quantile", 0.99))
        ),
    ),
    notes=(
        "Hosts give their rack all that they have at once; TCP without a window or a repair stands for that. Its ACKs "
        "take the shortest path within a slice, so that a flow is complete some microseconds after its last byte.",
        "Packets wait at hosts, whose racks have room for what their uplinks carry while a matching stays. Completion "
        "times are those of packets at racks, within a thousandth; the wait for a circuit begins at the rack.",
        "Slices are 87.2 µs of light, 1.7 µs of guard and 10 µs in which one of six switches turns.",
        "Host links have 1 ns, where the published program has none.",
    ),
)
