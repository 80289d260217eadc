"""Paper 003's fast changes with senders of today: the rate of an edge node is 45 and 40 Mb/s by turns, every 25 s.

XCP-CL is told the allocated rate. BBR measures it, CUBIC fills the buffer until something is lost. How much of the rate
do they carry, and how much waits, with the paper's one packet of buffer at the edge node and with a hundred?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import Values, at_least, at_most, below, least, most, values
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid

from ._aapn import ACK, EDGE, HEADER, MIN_RTO, PACKET, PAPER, PHYSICAL, XCP_CL, algorithm_steps, scenario
from ._fast import ALLOCATED, MBPS, alternating

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

BBR, BBR3, CUBIC = "bbr", "bbr3", "cubic"
SENDERS = (XCP_CL, CUBIC, BBR, BBR3)
ONE, HUNDRED = 1, 100
EVERY_S, WARM_UP_S = 25.0, 50.0
MEAN_MBPS = (MBPS + ALLOCATED) / 2


def network(sender: str, buffer: int, duration_s: float) -> dict[str, Any]:
    """The network of 003/fast-change-1 with physical changes; other senders than XCP need no controllers."""
    steps, follows = algorithm_steps(XCP_CL, PHYSICAL, alternating(EVERY_S, duration_s))
    found = scenario(mbps=MBPS, duration_s=duration_s, steps=steps, follows=follows, buffer=buffer)
    found["run"]["warm_up"] = f"{WARM_UP_S:g} s"
    if sender != XCP_CL:
        found["transport"]["xcp"] = {
            "algorithm": sender,
            "packet_size": PACKET,
            "header": HEADER,
            "ack_size": ACK,
            "min_rto": MIN_RTO,
        }
        for link in found["link"]:
            link.pop("xcp", None)
    return found


def setup(point: Point) -> Setup:
    """A sender and a buffer."""
    return Setup(scenario=network(str(point["sender"]), int(point["buffer_packets"]), 300.0))


def measure(result: RunResult) -> Mapping[str, float]:
    """Figures of the edge node's output."""
    start, end = EDGE.split("->")
    edge = result.links.filter(pl.col("from") == start, pl.col("to") == end, pl.col("class") == "all")
    return {
        "utilization": float(edge["carried_bits"][0]) / result.summary["measured_time"].value / MEAN_MBPS / 1e6,
        "drop_rate": float(edge["dropped_units"][0]) / max(1.0, float(edge["offered_units"][0])),
        "mean_queue": float(edge["mean_queue"][0]),
        "fairness": fairness([float(rate) for rate in result.flows["goodput_bps"]]),
    }


def fairness(rates: list[float]) -> float:
    """Jain's index."""
    return sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))


def value(outcome: Outcome, sender: str, buffer: int, metric: str) -> float:
    """A metric of a sender and a buffer."""
    rows = outcome.table.filter(pl.col("sender") == sender, pl.col("buffer_packets") == buffer)
    return float(rows[metric][0])


def of_all(metric: str, buffer: int, form: str = ".3f") -> Values:
    """A metric of all senders."""
    return values(metric, "sender", form=form, buffer_packets=buffer)


CARRIED, FAIR = of_all("utilization", ONE), of_all("fairness", HUNDRED).at(*SENDERS)
BEST = most(CARRIED.at(CUBIC, BBR, BBR3))
QUEUES = of_all("mean_queue", HUNDRED, ".1f").at(XCP_CL, BBR, BBR3, CUBIC)


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Utilization by sender, a bar for each buffer."""
    for place, buffer in enumerate((ONE, HUNDRED)):
        rows = table.filter(pl.col("buffer_packets") == buffer)
        levels = [float(rows.filter(pl.col("sender") == sender)["utilization"][0]) for sender in SENDERS]
        axes.bar([at + 0.4 * place for at in range(len(SENDERS))], levels, width=0.38, label=f"{buffer} packets")
    axes.set_xticks([at + 0.2 for at in range(len(SENDERS))], SENDERS)
    axes.set_ylabel("utilization of the allocated rate")
    axes.legend(frameon=False, fontsize=8)


experiment = Experiment(
    id="003/senders-of-today",
    title="45 and 40 Mb/s by turns: XCP-CL beside CUBIC and BBR",
    source=Source(paper=PAPER, figures="as Figures 5.35 to 5.37", section="what the paper does not ask"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="utilization", label="utilization of the allocated rate"),
        Metric(name="drop_rate", label="drop rate at the edge node", form=".1e"),
        Metric(name="mean_queue", label="mean queue (packets)", form=".2f"),
        Metric(name="fairness", label="Jain's index of 100 flows"),
    ),
    quick=Form(
        points=grid(sender=SENDERS, buffer_packets=(ONE, HUNDRED)),
        replications=1,
        note="one replication instead of three",
    ),
    full=Form(points=grid(sender=SENDERS, buffer_packets=(ONE, 10, HUNDRED)), replications=3),
    claims=(
        Claim(
            id="told",
            text="being told the rate carries more of it than measuring it, with one packet of buffer",
            whose="ours",
            where="ours, after §5.7",
            expected="XCP-CL's utilization above the others'",
            tolerance="0.02 more than the best of them; in shape: not less",
            check=(
                at_least(CARRIED.at(XCP_CL), BEST + 0.02, in_shape=at_least(CARRIED.at(XCP_CL), BEST)).telling(CARRIED)
            ),
            reason="a buffer of one packet drops from everybody; BBR, which takes no drop for congestion, goes on and "
            "loses 5 % of its packets, XCP-CL and CUBIC, which give way, 1.5 %",
        ),
        Claim(
            id="paced",
            text="with one packet of buffer BBR carries more than CUBIC",
            whose="ours",
            where="ours, after paper 002",
            expected="more",
            tolerance="0.02 more, both versions; in shape: version 1 not less",
            check=(
                at_least(
                    least(CARRIED.at(BBR, BBR3)),
                    CARRIED.at(CUBIC) + 0.02,
                    in_shape=at_least(CARRIED.at(BBR), CARRIED.at(CUBIC)),
                ).telling(CARRIED)
            ),
        ),
        Claim(
            id="buffer",
            text="with a hundred packets everybody carries the rate",
            whose="ours",
            where="ours",
            expected="1",
            tolerance="at least 0.95; in shape: 0.85",
            check=at_least(of_all("utilization", HUNDRED), 0.95, in_shape=0.85),
        ),
        Claim(
            id="queue",
            text="XCP-CL keeps the queue short, CUBIC fills it",
            whose="ours",
            where="ours",
            expected="the shortest and the longest",
            tolerance="so; in shape: XCP-CL's is shorter than CUBIC's",
            check=(
                (at_most(QUEUES.at(XCP_CL), least(QUEUES)) & at_least(QUEUES.at(CUBIC), most(QUEUES)))
                .in_shape(below(QUEUES.at(XCP_CL), QUEUES.at(CUBIC)))
                .telling(QUEUES)
            ),
            reason="BBR's queue is the longest: a hundred flows, each with the greatest rate of ten round trips, have "
            "more than there is together (Hock, Bless, Zitterbart, ICNP 2017)",
        ),
        Claim(
            id="fair",
            text="XCP-CL shares the rate fairly among round trips of 0.26 to 0.44 s",
            whose="ours",
            where="ours, after §5",
            expected="Jain's index 1",
            tolerance="0.99, and nobody has more; in shape: nobody has more",
            check=(
                (at_least(FAIR.at(XCP_CL), most(FAIR)) & at_least(FAIR.at(XCP_CL), 0.99))
                .in_shape(at_least(FAIR.at(XCP_CL), most(FAIR)))
                .telling(FAIR)
            ),
        ),
    ),
    plots=(Plot(name="utilization", draw=draw),),
    notes=(
        "The network, delays that change included, is that of 003/fast-change-1 with the physical change; 300 s of "
        "which 50 s do not count, and the mean rate is 42.5 Mb/s.",
        "CUBIC and BBR start with RFC 6928's window, XCP-CL with two packets.",
    ),
)
