"""Paper 003, figure 3.2: signalling in every slot, eq. (3.2): overhead against the slot's length.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import Values, values, within
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Outcome, Plot, Point, Source, grid
from photocol.plot import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.experiment import RunResult

OVERHEAD_BYTES = 60
TARGET = 0.05
POINTS = grid(slot_bytes=[100, 200, 300, 400, 600, 800, 1000, 1100, 1200, 1300, 1500, 2000, 2500, 3000])


def setup(point: Point) -> Evaluation:
    """60 octets of signalling in a slot of this length."""
    inputs = {"overhead": OVERHEAD_BYTES, "slot_size": point["slot_bytes"]}
    return Evaluation(model="aapn-signalling", inputs=inputs)


def measure(result: RunResult) -> Mapping[str, float]:
    """The share of a slot that signals."""
    return {"overhead": result.summary["slot_overhead"].value}


def shortest(outcome: Outcome) -> dict[None, float]:
    """The shortest slot of the sweep with an overhead of at most 0.05."""
    found = values("overhead", "slot_bytes").read(outcome).items()
    return {None: min((int(slot) for slot, one in found if one <= TARGET * (1 + 1e-12)), default=0)}


SHORTEST = Values(shortest, "d", " B")
LABELS = ("slot length (B); 60 B of signalling in every slot, delay: one slot", "signalling overhead")

experiment = Experiment(
    id="003/figure-3.2",
    title="signalling in every slot: overhead (analysis)",
    source=Source(paper="AAPN signalling and XCP-CL, a thesis (paper 003)", figures="Figure 3.2", section="§3.1.2"),
    setup=setup,
    measure=measure,
    metrics=(Metric(name="overhead", label="signalling overhead", form=".3f"),),
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="shortest-slot",
            text="an overhead of at most 0.05 needs slots of 1200 octets or more",
            where="§3.1.2",
            expected="1200 B",
            tolerance="exactly, on the sweep's grid; in shape: 1000 to 1500 B",
            check=within(SHORTEST, 1200, 1200, in_shape=(1000, 1500)),
        ),
    ),
    plots=(
        Plot(name="figure-3.2", draw=Lines("slot_bytes", "overhead", LABELS, expected={f"{TARGET}": TARGET}, low=0)),
    ),
)
