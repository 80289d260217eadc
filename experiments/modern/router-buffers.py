"""Sizing router buffers (Appenzeller, Keslassy, McKeown 2004): utilization with RTT·C/√n of buffer, SACK and CUBIC.

The paper's table: an OC3 line card, 100 to 400 long flows, buffers of half to three times RTT·C/√n, link utilization
in ns-2 and in a router of their laboratory. Here with SACK, as a check from outside, and with CUBIC: does the rule
outlive Reno's sawtooth?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, above, at_least, near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

SACK, CUBIC = "sack", "cubic"
RATE_BPS = 155e6
PACKET_BYTES = 1000
BDP_PACKETS = 1290
HOSTS = 50
FLOWS = (100, 200, 300, 400)
FACTORS = (0.5, 1.0, 2.0, 3.0)
NS2 = {
    100: (0.947, 0.993, 0.999, 0.998),
    200: (0.970, 0.992, 0.998, 1.0),
    300: (0.986, 0.993, 0.999, 1.0),
    400: (0.992, 0.998, 1.0, 1.0),
}
"""Utilization in the paper's ns-2 runs, by factor."""
COLOURS = {SACK: "#0072B2", CUBIC: "#D55E00"}


def setup(point: Point) -> Setup:
    """Long flows between fifty pairs of hosts whose round trips are spread evenly around the mean."""
    flows = int(point["flows"])
    mean_rtt_s = BDP_PACKETS * 8 * PACKET_BYTES / RATE_BPS
    # From half to one and a half times the mean, 11 ms of each way being common.
    shares = [0.5 + host / (HOSTS - 1) for host in range(HOSTS)]
    access = [
        {"from": f"l{host}", "to": "left", "delay": f"{1e3 * (share * mean_rtt_s / 2 - 0.011):.4f} ms"}
        for host, share in enumerate(shares)
    ]
    buffer = round(float(point["factor"]) * BDP_PACKETS / math.sqrt(flows))
    return Setup(
        scenario={
            "run": {"name": "router-buffers", "duration": "60 s", "warm_up": "20 s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": HOSTS,
                "bottleneck_capacity": f"{RATE_BPS:g} bps",
                "bottleneck_delay": "10 ms",
                "bottleneck_buffer": f"{buffer} packets",
                "access_capacity": "1 Gbps",
                "access_delay": "1 ms",
                "access_buffer": "unlimited",
            },
            "link": access,
            "transport": {"tcp": {"algorithm": point["sender"], "packet_size": PACKET_BYTES}},
            "traffic": [{"transport": "tcp", "flows": flows, "spread": "5 s"}],
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Of the bottleneck."""
    [row] = result.links.filter(pl.col("link") == "left->right").iter_rows(named=True)
    return {"utilization": row["utilization"], "drop_rate": row["dropped_units"] / row["offered_units"]}


def rule(sender: str) -> Predicate:
    """With RTT·C/√n the link is busy."""
    return at_least(values("utilization", "flows", form=".1%", sender=sender, factor=1.0), 0.98, in_shape=0.95)


WITH_HUNDRED = values("utilization", "factor", form=".1%", sender=SACK, flows=100)
LESS = WITH_HUNDRED.at(1.0) - WITH_HUNDRED.at(0.5)


def in_ns2(place: tuple[int, float]) -> float:
    """The paper's simulation with so many flows and so large a buffer."""
    return NS2[place[0]][FACTORS.index(place[1])]


OFF = ((values("utilization", ("flows", "factor"), sender=SACK) - in_ns2) * 100).told("+.1f", name="points off")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization against the buffer; dotted, the paper's ns-2."""
    for sender, colour in COLOURS.items():
        for flows, marker in zip(FLOWS, "osv^", strict=True):
            rows = table.filter((pl.col("sender") == sender) & (pl.col("flows") == flows)).sort("factor")
            if len(rows):
                label = f"{sender}, {flows} flows"
                axes.plot(rows["factor"], rows["utilization"], f"{marker}-", color=colour, label=label, markersize=4)
    for flows in FLOWS:
        axes.plot(FACTORS, NS2[flows], ":", color="0.5", linewidth=1)
    axes.set_xlabel("buffer over RTT·C/√n")
    axes.set_ylabel("utilization")
    axes.legend(loc="lower right", frameon=False, fontsize=8)


experiment = Experiment(
    id="modern/router-buffers",
    title="buffers of RTT·C/√n with n flows: SACK and CUBIC",
    source=Source(
        paper="Appenzeller, Keslassy and McKeown, Sizing router buffers, SIGCOMM 2004",
        figures="the table of the OC3 line card",
        section="§5",
    ),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="utilization", label="utilization", form=".4f"),
        Metric(name="drop_rate", label="drop rate", form=".2e"),
    ),
    quick=Form(
        points=grid(sender=(SACK, CUBIC), flows=(100, 400), factor=(0.5, 1.0, 2.0)),
        replications=1,
        note="2 of 4 numbers of flows, 3 of 4 buffers, 1 of 3 replications",
    ),
    full=Form(points=grid(sender=(SACK, CUBIC), flows=FLOWS, factor=FACTORS), replications=3),
    claims=(
        Claim(
            id="rule",
            text="a link with n long flows needs no more buffer than RTT·C/√n",
            where="abstract, §5",
            expected="98.1 to 100 % in the paper's laboratory, 99.2 to 99.8 % in its ns-2",
            tolerance="at least 98 % with every n; in shape: 95 %",
            check=rule(SACK),
        ),
        Claim(
            id="table",
            text="the table of utilizations in ns-2",
            where="§5, OC3 line card",
            expected="94.7 to 100 %",
            tolerance="within 1.5 points at every buffer; in shape: within 4",
            check=near(OFF, 0, 1.5, 4),
            reason="100 flows with half of the buffer: 91.5 % instead of 94.7; the spread of the paper's round trips "
            "is not known here. Not explained",
        ),
        Claim(
            id="half",
            text="half of it is too little for a hundred flows",
            where="§5, OC3 line card",
            expected="4.6 points less",
            tolerance="at least 2 points less than with all of it; in shape: less",
            check=at_least(LESS, 0.02, in_shape=above(LESS, 0)),
        ),
        Claim(
            id="cubic",
            text="the rule holds for CUBIC too",
            whose="ours",
            where="ours",
            expected="as for SACK: CUBIC gives up less of its window at a loss",
            tolerance="at least 98 % with every n; in shape: 95 %",
            check=rule(CUBIC),
        ),
    ),
    plots=(Plot(name="utilization", draw=draw),),
    notes=(
        "The table's numbers are quoted from memory: no copy of the paper was at hand.",
        "155 Mb/s, packets of 1000 B, a mean round trip of 66.6 ms, which makes the table's buffers (129 packets for a "
        "hundred flows); round trips from half to one and a half times the mean, our choice.",
    ),
)
