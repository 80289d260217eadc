"""Beyond paper 003: the buffer and the pacing that XCP-CL needs when the edge node's output really gets slower.

Case 1 with the physical step, XCP-CL told at once. The paper's "zero queue, zero drops with one packet" holds only if
just the figure changes (003/case-1, 003/buffers); this asks what the other reading costs. The first router sends at
45 Mb/s, so while it sends n packets back to back, n/9 of them wait at an edge node that sends at 40.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.claims import Values, at_most, below, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid
from photocol.plot import Lines

from ._aapn import PAPER, PHYSICAL, XCP_CL, Trace, algorithm_steps, scenario
from ._readings import AS_FORTH, READINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

BUFFERS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200)
PACED = ("no", "yes")
COLOURS = {"no": "#0072B2", "yes": "#D55E00"}
FULL, FEW = 0.97, 1e-3
"""A buffer is enough if utilization and the share of dropped packets in the step are this good."""


def setup(point: Point) -> Setup:
    """45, 40, 45 Mb/s."""
    steps, follows = algorithm_steps(XCP_CL, PHYSICAL, [(200, 40.0), (400, 45.0)])
    network = scenario(
        mbps=45.0,
        duration_s=600,
        steps=steps,
        follows=follows,
        buffer=int(point["buffer_packets"]),
        paced=point["paced"] == "yes",
        **READINGS[AS_FORTH],
    )
    return Setup(scenario=network)


def measure(result: RunResult) -> Mapping[str, float]:
    """The second half of the step."""
    trace = Trace.of(result)
    late = trace.late(1)
    return {
        "utilization": float(np.mean(trace.utilization()[late])),
        "drop_share": trace.drop_share(late),
        "queue": float(np.mean(trace.link("mean_queue")[late])),
        "first_queue": float(np.mean(trace.link("mean_queue", "rs->ri")[late])),
        "unfairness": trace.spread_of_goodputs(late),
    }


def enough(outcome: Outcome, paced: str) -> float:
    """The smallest buffer of the sweep from which on all are enough; infinite if none."""
    least = math.inf
    for row in outcome.table.filter(pl.col("paced") == paced).sort("buffer_packets", descending=True).to_dicts():
        if row["utilization"] < FULL or row["drop_share"] > FEW:
            break
        least = row["buffer_packets"]
    return least


def least_enough(paced: str, name: str) -> Values:
    """The smallest buffer from which on all are enough; infinite if none is."""
    return Values(lambda outcome: {None: enough(outcome, paced)}, "g", " packets on", name)


LEVEL = values("utilization", "paced", form=".3f", buffer_packets=1)
PLAIN, PACED_ENOUGH = least_enough("no", "unpaced from"), least_enough("yes", "paced from")


def picture(metric: str, label: str, bound: float, scales: str, **more: float) -> Lines:
    """A metric in the step against the buffer."""
    labels, looks = ("buffer of the edge node (packets)", label), {paced: (COLOURS[paced], "o-") for paced in PACED}
    names = {"no": "not paced", "yes": "paced"}
    bounds = {f"{bound:g}": bound}
    return Lines(
        "buffer_packets",
        metric,
        labels,
        "paced",
        PACED,
        looks=looks,
        names=names,
        expected=bounds,
        scales=scales,
        **more,
    )


experiment = Experiment(
    id="003/physical-step",
    title="what XCP-CL needs when its output really gets slower",
    source=Source(paper=PAPER, figures="beyond tables 5.4 and 5.5", section="§5.5, §6.3"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="utilization", label="utilization"),
        Metric(name="drop_share", label="share of packets dropped", form=".5f"),
        Metric(name="queue", label="mean queue at the edge (packets)", form=".2f"),
        Metric(name="first_queue", label="at the first router", form=".2f"),
        Metric(name="unfairness", label="spread of five flows' goodputs"),
    ),
    quick=Form(
        points=grid(paced=PACED, buffer_packets=BUFFERS), replications=1, note="one replication instead of three"
    ),
    full=Form(points=grid(paced=PACED, buffer_packets=BUFFERS), replications=3),
    claims=(
        Claim(
            id="one",
            text="one packet of buffer is not enough for a real step (the paper: it is)",
            whose="ours",
            where="§6.3 says the contrary",
            expected="utilization below 0.97, paced or not",
            tolerance="both below 0.97; in shape: without pacing",
            check=below(LEVEL, FULL, in_shape=below(LEVEL.at("no"), FULL)),
        ),
        Claim(
            id="enough",
            text="without pacing it takes tens of packets",
            whose="ours",
            where="ours",
            expected="utilization 0.97 and less than 1 packet in 1000 dropped, from 10 to 100 packets on",
            tolerance="the same; in shape: some buffer of the sweep is enough",
            check=within(PLAIN, 10, 100, in_shape=below(PLAIN, math.inf)),
        ),
        Claim(
            id="paced",
            text="pacing halves the buffer that it takes",
            whose="ours",
            where="ours",
            expected="half of it, or less",
            tolerance="half; in shape: no more than without",
            check=at_most(PACED_ENOUGH, PLAIN * 0.5, in_shape=at_most(PACED_ENOUGH, PLAIN)).telling(PLAIN),
            reason="what it takes is decided at the step itself, not by bursts: until the new figure has gone round, "
            "half a second, 625 packets a second too many come, and losses, once begun, keep themselves going. Pacing "
            "doubles what a packet or two of buffer carry; why 10 to 50 packets then do worse is not known",
        ),
    ),
    plots=(
        Plot(name="utilization", draw=picture("utilization", "utilization in the step", FULL, "x", low=0)),
        Plot(name="drops", draw=picture("drop_share", "share of packets dropped in the step", FEW, "x0")),
    ),
    notes=("Network, step and senders are those of 003/case-1, with delays back as forth.",),
)
