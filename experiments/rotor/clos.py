"""Flow completion times of the 3:1 Clos network with which Opera is compared: by NDP against the lists that its authors
published at 1 and 10 % load, then by DCTCP. In the quick form single flows cross the empty network, whose times follow
from arithmetic.

The expected values and tolerances were written before the first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Point, Setup, Source, grid
from photocol.verdict import Finding, judge, not_run

from . import _opera as opera
from ._opera import CLASSES, HEADER, PACKET, WORDS, Published, wire_us

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PUBLISHED = (
    Published(
        1, 10.00001, {"10kB": (0.0089, 0.0287), "1MB": (0.095, 0.349), "15MB": (1.56, 8.38), "larger": (83.6, 861.0)}
    ),
    Published(
        10, 10.00001, {"10kB": (0.0127, 0.0757), "1MB": (0.11, 0.801), "15MB": (1.97, 20.5), "larger": (87.2, 1582.0)}
    ),
)
PUBLISHED_AT = opera.published_at("3to1_clos", PUBLISHED, "_3to1")
FIRST_WINDOW, PLACES = 30, 46
"""`-cwnd 30 -q 46`."""
MARK_FROM = 30
"""Packets from which DCTCP's queues mark; K > C × RTT / 7 is 2 at 10 Gb/s and 12 µs."""
LINKS, FIBRES = 6, 4
"""Of a path between two pods: links, and those of 500 ns."""
FIBRE_US, HOST_US = 0.5, 0.001
PAYLOAD = PACKET - HEADER
QUICK_SIZES = {"10kB": 900, "1MB": 70 * PAYLOAD, "15MB": 1289 * PAYLOAD, "larger": 20_892 * PAYLOAD}
"""One packet, or full ones: near the sizes of the published list."""
EXACT, ALIKE = 0.01, 0.1
"""A quick time agrees within the first part, DCTCP's median with NDP's within the second."""


def setup(point: Point) -> Setup:
    """The published network with one of the transports."""
    is_ndp = point["transport"] == "ndp"
    if is_ndp:
        queue, own = f'kind = "ndp", data = "{PLACES} packets"', 'kind = "ndp", data = "100000 packets"'
        hosts = opera.ndp(FIRST_WINDOW).removeprefix("small = ")
    else:
        queue, own = f'kind = "step", threshold = "{MARK_FROM} packets"', 'kind = "drr"'
        sizes = f"packet_size = {PACKET}, header = {HEADER}, ack_size = {HEADER}"
        hosts = f'{{ algorithm = "dctcp", min_rto = "1 ms", initial_rto = "1 ms", {sizes} }}'
    network: dict[str, Any] = {
        "topology.k": 12,
        "topology.oversubscription": 3,
        "topology.capacity": "10 Gbps",
        "topology.delay": "500 ns",
        "topology.host_delay": "1 ns",
        "topology.routing": "spray" if is_ndp else "ecmp",
        "link_defaults": f'{{ buffer = "{2 * PLACES * PACKET} B", queue = {{ {queue} }}, '
        f'host = {{ buffer = "unlimited", queue = {{ {own} }} }} }}',
        "transport": f"{{ hosts = {hosts} }}",
        "run.warm_up": "0 s",
    }
    if point["flows"] != "single":
        network |= opera.ends(PUBLISHED, point)
    return Setup(scenario="fat-tree.toml", settings=network | {"traffic": single_flows()})


def single_flows() -> str:
    """A flow of each class from pod to pod, one after another."""
    flows = [
        f'{{ name = "{name}", transport = "hosts", from = "h{place}", to = "h{600 + place}", size = "{size} B", '
        f'start = "{30 * place} ms" }}'
        for place, (name, size) in enumerate(QUICK_SIZES.items())
    ]
    return f"[{', '.join(flows)}]"


def published_flows(point: Point, files: Sequence[Path]) -> dict[str, Any] | None:
    """The list instead."""
    file = opera.list_of(point, files)
    return file and {"traffic": f'[{{ name = "published", transport = "hosts", file = "{file}" }}]'}


def expected_ms(size: int) -> float:
    """A flow in an empty network: all packets by the host's link, then the way of the last and its ACK's."""
    packets = -(-size // PAYLOAD)
    there_and_back = LINKS * (wire_us(min(size, PAYLOAD)) + wire_us(0)) + 2 * (FIBRES * FIBRE_US + 2 * HOST_US)
    return ((packets - 1) * wire_us(PAYLOAD) + there_and_back) / 1000


def of(outcome: Outcome, transport: str, metric: str) -> float:
    """A metric with one transport, at 1 % load or of single flows."""
    rows = (pl.col("transport") == transport) & (pl.col("flows") != PUBLISHED[1].flows)
    return float(outcome.table.filter(rows)[metric][0])


def is_quick(outcome: Outcome) -> bool:
    """Whether only the single flows were run."""
    return set(outcome.table["flows"].to_list()) == {"single"}


def check_single(name: str, outcome: Outcome) -> Finding:
    """The time of one flow in the empty network, by NDP."""
    if not is_quick(outcome):
        return not_run("judged in the quick form")
    found, expected = of(outcome, "ndp", f"p50_{name}_ms"), expected_ms(QUICK_SIZES[name])
    off = found / expected - 1
    return judge(
        agrees=abs(off) < EXACT, in_shape=abs(off) < 10 * EXACT, measured=f"{found:.5g} ms, {100 * off:+.2f} %"
    )


def check_alike(outcome: Outcome) -> Finding:
    """DCTCP's medians beside NDP's."""
    off = {name: of(outcome, "dctcp", f"p50_{name}_ms") / of(outcome, "ndp", f"p50_{name}_ms") - 1 for name in CLASSES}
    return judge(
        agrees=all(abs(part) < ALIKE for part in off.values()),
        in_shape=all(abs(part) < 0.5 for part in off.values()),
        measured=", ".join(f"{name} {100 * part:+.1f} %" for name, part in off.items()),
    )


def check_tail(outcome: Outcome) -> Finding:
    """The smallest flows' tail by NDP beside DCTCP's."""
    if is_quick(outcome):
        return not_run("judged in the full form: one flow of a class has no tail")
    ndp, dctcp = (1000 * of(outcome, name, "p99_10kB_ms") for name in ("ndp", "dctcp"))
    return judge(
        agrees=ndp <= dctcp, in_shape=ndp <= 1.1 * dctcp, measured=f"{ndp:.1f} µs by NDP, {dctcp:.1f} by DCTCP"
    )


BY_NDP = pl.col("transport") == "ndp"

experiment = Experiment(
    id="rotor/clos",
    title="completion times in a 3:1 Clos network of 648 hosts, by NDP at 1 and 10 % load and by DCTCP at 1",
    source=Source(paper=opera.PAPER, figures="Figure 7 (3:1 folded Clos, 1 and 10 % load)", section="§5.1"),
    setup=setup,
    measure=opera.measure_times,
    metrics=opera.TIMES,
    quick=Form(
        points=grid(flows=("single",), transport=("ndp", "dctcp")),
        replications=1,
        settings={"run.duration": "120 ms"},
        note="one flow of each class in the empty network; no flow of the published list",
    ),
    full=Form(
        points=(
            *grid(flows=(PUBLISHED[0].flows,), transport=("ndp", "dctcp")),
            *grid(flows=(PUBLISHED[1].flows,), transport=("ndp",)),
        ),
        replications=1,
    ),
    listed=published_flows,
    list_from=PUBLISHED_AT,
    claims=(
        *opera.published_claims(PUBLISHED, PUBLISHED_AT, BY_NDP),
        *(
            Claim(
                id=f"single-{name.lower()}",
                text=f"a flow of {size} B crosses the empty network at the rate of its host's link ({WORDS[name]})",
                where="arithmetic",
                expected=f"{expected_ms(size):.5g} ms",
                tolerance=f"within {100 * EXACT:g} %; in shape: within {1000 * EXACT:g} %",
                check=partial(check_single, name),
                whose="ours",
            )
            for name, size in QUICK_SIZES.items()
        ),
        Claim(
            id="alike",
            text="at 1 % load DCTCP's medians are NDP's: the first window of ten packets fills the path",
            where="ours; arithmetic: 10 Gb/s for a round trip of 11.5 µs are 9.6 packets",
            expected="the same medians",
            tolerance=f"within {100 * ALIKE:g} % in all classes; in shape: within half",
            check=check_alike,
            whose="ours",
        ),
        Claim(
            id="tail-beside-dctcp",
            text="99 % of the smallest flows by NDP are no slower than by DCTCP",
            where="ours; queues that trim hold little",
            expected="no longer",
            tolerance="at most as long; in shape: 10 % longer",
            check=check_tail,
            whose="ours",
        ),
    ),
    notes=(
        "NDP's packets are sprayed, each over a path that is drawn; the published program goes through all paths in an "
        "order that each flow draws.",
        f"DCTCP's flows are hashed (ECMP), queues mark from {MARK_FROM} packets, and both timeouts are 1 ms at least.",
        "Pulls of all flows of a receiver share its link, as in NDP's paper; in the published program each flow has a "
        "pacer of its own.",
        "Host links have 1 ns, where the published program has none. Its last packet of a flow is as long as the "
        "others.",
    ),
)
