"""Flow completion times of the 3:1 Clos network with which Opera is compared: by NDP against the lists that its authors
published at 1 and 10 % load, then by DCTCP. In the quick form single flows cross the empty network, whose times follow
from arithmetic.

The expected values and tolerances were written before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Values, at_most, below, beside, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Point, Setup, Source, grid

from . import _opera as opera
from ._opera import CLASSES, HEADER, PACKET, WORDS, Published, wire_us

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from photocol.verdict import Finding

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


NOT_SECOND, SINGLE = pl.col("flows") != PUBLISHED[1].flows, pl.col("flows") == "single"


def of(metric: str, transport: str) -> Values:
    """A metric with one transport, at 1 % load or of single flows."""
    return values(metric, transport=transport)


def single(name: str) -> Callable[[Outcome], Finding]:
    """The time of one flow in the empty network, by NDP."""
    found = of(f"p50_{name}_ms", "ndp").told(".5g", " ms")
    off = opera.off(found, expected_ms(QUICK_SIZES[name])).told("+.2%")
    exact = below(off.each(abs), EXACT, in_shape=10 * EXACT).saying(found, off)
    return opera.among(SINGLE, "judged in the quick form", exact)


DCTCP_OFF = beside({name: of(f"p50_{name}_ms", "dctcp") / of(f"p50_{name}_ms", "ndp") - 1 for name in CLASSES})
SAME_MEDIANS = below(DCTCP_OFF.each(abs), ALIKE, in_shape=0.5).saying(DCTCP_OFF.told("+.1%"))
TAILS = {name: (of("p99_10kB_ms", name) * 1000).told(".1f", f" µs by {name}") for name in ("ndp", "dctcp")}
NO_SLOWER = at_most(TAILS["ndp"], TAILS["dctcp"], in_shape=TAILS["dctcp"] * 1.1).saying(*TAILS.values())
NO_TAIL = "judged in the full form: one flow of a class has no tail"
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
                check=single(name),
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
            check=opera.among(NOT_SECOND, "no list at 1 % load", SAME_MEDIANS),
            whose="ours",
        ),
        Claim(
            id="tail-beside-dctcp",
            text="99 % of the smallest flows by NDP are no slower than by DCTCP",
            where="ours; queues that trim hold little",
            expected="no longer",
            tolerance="at most as long; in shape: 10 % longer",
            check=opera.among(NOT_SECOND & ~SINGLE, NO_TAIL, NO_SLOWER),
            whose="ours",
        ),
    ),
    notes=(
        "NDP's packets are sprayed: each flow goes through all paths, in an order that it draws anew each time, as in "
        "the published program.",
        f"DCTCP's flows are hashed (ECMP), queues mark from {MARK_FROM} packets, and both timeouts are 1 ms at least.",
        "Pulls of all flows of a receiver share its link, as in NDP's paper; in the published program each flow has a "
        "pacer of its own.",
        "Host links have 1 ns, where the published program has none. Its last packet of a flow is as long as the "
        "others.",
    ),
)
