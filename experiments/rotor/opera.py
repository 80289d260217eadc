"""Flow completion times of Opera at 1 and 10 % load, against the lists that its authors published: small flows by NDP
over the circuits of a slice, flows of 15 MB and more by RotorLB. In the quick form the times follow from arithmetic.

The expected values and tolerances were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Predicate, at_most, below, beside, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Point, RunResult, Setup, Source, grid

from . import _opera as opera
from ._opera import CUTOFF, HEADER, SENDER, Published, ndp, network, times_ms, to_hosts, wire_us

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from photocol.verdict import Finding

PUBLISHED = (
    Published(
        1, 10.00001, {"10kB": (0.0079, 0.0203), "1MB": (0.095, 0.349), "15MB": (1.56, 8.49), "larger": (124.0, 951.0)}
    ),
    Published(
        10, 10.00001, {"10kB": (0.00994, 0.0254), "1MB": (0.1, 0.428), "15MB": (1.61, 9.41), "larger": (199.0, 1903.0)}
    ),
)
PUBLISHED_AT = opera.published_at("opera", PUBLISHED)
FIRST_WINDOW = 20
"""`-cwnd 20`."""
BANDS = '{ kind = "priority", bands = 2 }'
"""At hosts and to hosts RotorLB's packets wait behind all others."""

PAYLOAD, MIDDLE, LARGE = 900, 1_000_000, 3_000_000
QUICK_CUTOFF = "2 MB"
CIRCUIT_US, HOST_US = 0.5, 0.001
SHARES = {10: 1, 30: 2}
"""Quantiles of single packets, in per cent, and how many circuits they take: of 23 racks four are one circuit away, and
up to twelve more two."""
SHORT, LONG = 0.02, 0.05
"""The quick times agree within this part."""


def settings(racks: int, switches: int, hosts: int, cutoff: str) -> dict[str, Any]:
    """The network with both transports, and nothing sent."""
    return network(racks, switches, hosts, "rotorlb") | {
        "link_defaults": f"{{ host = {{ queue = {BANDS} }} }}",
        "link": to_hosts(racks, hosts, BANDS),
        "switching.counts": "hosts",
        "switching.answers": "hosts",
        "switching.relay_room": 0.333,
        "switching.acks": "slice",
        "switching.cutoff": cutoff,
        "transport": f"{{ {ndp(FIRST_WINDOW)}, {SENDER} }}",
    }


def setup(point: Point) -> Setup:
    """The published network, whose list comes from outside, or a small one with flows that are drawn."""
    if point["flows"] != "drawn":
        nothing = '[{ transport = "small", from = "t0h0", to = "t1h0", size = "1 kB" }]'
        made = settings(108, 6, 6, CUTOFF) | {"traffic": nothing} | opera.ends(PUBLISHED, point)
        return Setup(scenario="opera.toml", settings=made)
    small = 'transport = "small", pairs = "random", spread = "80 ms"'
    drawn = (
        f'[{{ name = "short", {small}, flows = 1000, size = "{PAYLOAD} B" }}, '
        f'{{ name = "middle", {small}, flows = 20, size = "{MIDDLE} B" }}, '
        '{ name = "large", transport = "rlb", pairs = "random", spread = "40 ms", flows = 20, priority = 1, '
        f'size = "{LARGE} B" }}]'
    )
    return Setup(scenario="opera.toml", settings=settings(24, 4, 2, QUICK_CUTOFF) | {"traffic": drawn})


def published_flows(point: Point, files: Sequence[Path]) -> dict[str, Any] | None:
    """One list for both transports."""
    file = opera.list_of(point, files)
    small = f'{{ name = "small", transport = "small", file = "{file}", sizes_below = "{CUTOFF}" }}'
    large = f'{{ name = "large", transport = "rlb", file = "{file}", sizes_from = "{CUTOFF}", priority = 1 }}'
    return file and {"traffic": f"[{small}, {large}]"}


def measure(result: RunResult) -> dict[str, float]:
    """Completion times by size, and bytes by hop."""
    of = {name: figure.value for name, figure in result.summary.items()}
    detour = of["detour_bytes"]
    payload = float(result.flows.filter(pl.col("traffic") != "large")["size_bytes"].sum())
    short = 1000 * times_ms(result.flows, "10kB")
    return opera.measure_times(result) | {
        **{f"p{share}_us": float(short.quantile(share / 100, "nearest") or 0.0) for share in SHARES},
        "relayed": of["relayed_bytes"] / detour if detour else 1.0,
        "hops": of["slice_bytes"] / payload if payload else 0.0,
    }


def short_us(circuits: int, payload: int = PAYLOAD) -> float:
    """A packet and its ACK over so many circuits each, in an empty network."""
    return (2 + circuits) * (wire_us(payload) + wire_us(0)) + 2 * circuits * CIRCUIT_US + 4 * HOST_US


def middle_us() -> float:
    """A flow at the rate of its host's link: all packets one after another, then the last one's way and its ACK's."""
    payload = opera.PACKET - HEADER
    return (-(-MIDDLE // payload) - 1) * wire_us(payload) + short_us(2, payload)


def drawn(predicate: Predicate) -> Callable[[Outcome], Finding]:
    """A claim about the quick form's flows, if that was run."""
    return opera.among(pl.col("flows") == "drawn", "judged in the quick form", predicate)


QUANTILES = beside({f"{share} %": values(f"p{share}_us") for share in SHARES}).told(".3f", " µs")
OFF = (QUANTILES / {f"{share} %": short_us(circuits) for share, circuits in SHARES.items()} - 1).each(abs)
MIDDLE_US = (values("p50_1MB_ms") * 1000).told(".4g", " µs")
MIDDLE_OFF = opera.off(MIDDLE_US, middle_us())
RELAYED, LEFT = values("relayed", form=".6f"), values("unfinished", form=".0f", unit=" flows have not completed")
ONCE = (below((RELAYED - 1).each(abs), 1e-9) & at_most(LEFT, 0)).in_shape(below((RELAYED - 1).each(abs), 0.01))


METRICS = (
    *opera.TIMES,
    *(Metric(name=f"p{share}_us", label=f"{share} % of flows up to 10 kB (µs)", form=".3f") for share in SHARES),
    Metric(name="relayed", label="bytes relayed over bytes on detours", form=".6f"),
    Metric(name="hops", label="bytes on circuits of a slice over small flows' payload", form=".3f"),
)

experiment = Experiment(
    id="rotor/opera",
    title="completion times in Opera, small flows by NDP and large ones by RotorLB, at 1 and 10 % load",
    source=Source(paper=opera.PAPER, figures="Figure 7 (Opera, 1 and 10 % load)", section="§5.1"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(flows=("drawn",)),
        replications=1,
        settings={"run.duration": "100 ms"},
        note="24 racks and a cut-off of 2 MB; no flow of the published list",
    ),
    full=Form(points=grid(flows=tuple(one.flows for one in PUBLISHED)), replications=1),
    listed=published_flows,
    list_from=PUBLISHED_AT,
    claims=(
        *opera.published_claims(PUBLISHED, PUBLISHED_AT),
        Claim(
            id="short",
            text="a flow of one packet takes one circuit there and back, or two, and waits for none",
            where="arithmetic: with four switches and 24 racks 17 % of the pairs are one circuit apart",
            expected=", ".join(f"{share} % {short_us(circuits):.3f} µs" for share, circuits in SHARES.items()),
            tolerance=f"within {round(100 * SHORT)} %; in shape: within {round(500 * SHORT)} %",
            check=drawn(below(OFF, SHORT, in_shape=5 * SHORT).saying(QUANTILES)),
            whose="ours",
        ),
        Claim(
            id="middle",
            text="a flow of 1 MB by NDP is pulled at the rate of its host's link, while circuits come and go",
            where="arithmetic",
            expected=f"{middle_us():.0f} µs",
            tolerance=f"within {round(100 * LONG)} %; in shape: within {round(500 * LONG)} %",
            check=drawn(below(MIDDLE_OFF.each(abs), LONG, in_shape=5 * LONG).saying(MIDDLE_US, MIDDLE_OFF)),
            whose="ours",
        ),
        Claim(
            id="relayed",
            text="RotorLB relays each byte of a detour once, and all flows complete",
            where="two hops at most",
            expected="1",
            tolerance="exactly, and no flow is left; in shape: within 1 %",
            check=drawn(ONCE.saying(RELAYED, LEFT)),
            whose="ours",
        ),
    ),
    notes=(
        "NDP's queues of eight packets are not there: racks keep what waits for a circuit in one queue for each far "
        "rack, without bound, and trim nothing.",
        "Each rack looks anew for the shortest path; the published program lays the whole path at the first rack, one "
        "for each pair and slice.",
        "Pulls of all flows of a receiver share its link, as in NDP's paper; in the published program each flow has a "
        "pacer of its own.",
        "Host links have 1 ns, where the published program has none. Its last packet of a flow is as long as the "
        "others.",
    ),
)
