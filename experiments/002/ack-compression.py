"""Paper 002, §3.2: ACK compression in a macroflow that data and ACKs share, and what ACKs apart do about it.

Every segment is acknowledged, and two segments of 1500 B cannot reach a receiver within 12 µs of one another, for a
packet takes as long at 1 Gb/s. ACKs of a flow that reach its sender in less have been compressed on the way.

The expected values and tolerances below were committed before the first run with ACKs apart.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, above, at_most, below, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

from ._curves import PACED, PAPER, PLAIN, SIX_PACKETS_BYTES, finish, shortened
from ._schemes import COLOURS, FULL_TARGET, NAMES, core_outputs
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

SCHEMES = (PLAIN, PACED, *FULL_TARGET)
FLOWS = range(0, 1350, 15)
"""Every fifteenth of those that have begun when the trace does."""
SPACING_PS = 12_000_000
"""The least between two segments of 1500 B at 1 Gb/s."""


def setup(point: Point) -> Setup:
    """A scheme with six packets of RAM, some of its flows traced."""
    more = {"trace.enabled": True, "trace.flows": str(list(FLOWS)), "trace.from": "39.375 s"}
    return scheme_setup(str(point["scheme"]), SIX_PACKETS_BYTES, more)


def gaps(result: RunResult) -> pl.Series:
    """Between the ACKs of a flow that reach its sender, in picoseconds."""
    trace = result.trace
    if trace is None:
        raise ValueError("the run has no trace")
    acks = trace.filter(pl.col("event").cast(pl.String) == "ack").select("flow", pl.col("t_ps").cast(pl.Int64))
    return acks.select(pl.col("t_ps").diff().over("flow")).to_series().drop_nulls()


def measure(result: RunResult) -> Mapping[str, float]:
    """Figures of the last 0.625 seconds."""
    found = gaps(result)
    return {
        "compressed": float((found < SPACING_PS).mean()),  # type: ignore[arg-type]
        "gaps": float(len(found)),
        "utilization": float(core_outputs(result)["utilization"].mean()),  # type: ignore[arg-type]
    }


SHARES, CARRIED = values("compressed", "scheme", form=".1%"), values("utilization", "scheme", form=".3f")
SAME, *APART = FULL_TARGET
OTHERS = (PLAIN, PACED)


def efficient(scheme: str) -> Predicate:
    """Less compression, more utilization."""
    return below(SHARES.at(scheme), SHARES.at(SAME)) & above(CARRIED.at(scheme), CARRIED.at(SAME))


ON_BOTH, ON_ONE = (reduce(joined, map(efficient, APART)) for joined in (and_, or_))


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """A bar a scheme."""
    names = table["scheme"].to_list()
    axes.barh(range(len(names)), table["compressed"].to_list(), color=[COLOURS[name] for name in names])
    axes.set_yticks(range(len(names)), [NAMES[name].replace("XCP, TU 100 %, ", "XCP,\n") for name in names], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of a flow's ACKs that come within 12 µs of one another")
    finish(axes, table)


CLAIMS = (
    Claim(
        id="apart",
        text="ACK compression is solved by macroflows of their own for ACKs",
        where="§3.2",
        expected="hardly any",
        tolerance="at most half of the compressed ACKs of one macroflow, on either wavelength; in shape: fewer",
        check=(
            at_most(
                SHARES.at(*APART), SHARES.at(SAME) * 0.5, in_shape=below(SHARES.at(*APART), SHARES.at(SAME))
            ).telling(SHARES.at(SAME))
        ),
    ),
    Claim(
        id="inefficiency",
        text="ACK compression causes some utilization inefficiency",
        where="§3.2",
        expected="fewer compressed ACKs, higher utilization",
        tolerance="so for ACKs apart on either wavelength, with 9 kB; in shape: on one of them",
        check=ON_BOTH.in_shape(ON_ONE).saying(SHARES.at(*FULL_TARGET), CARRIED.at(*FULL_TARGET)),
    ),
    Claim(
        id="shared",
        text="it is the macroflow that data and ACKs share that compresses",
        whose="ours",
        where="after §3.2",
        expected="hardly any without macroflows",
        tolerance="TCP Reno and Paced TCP at most half of it; in shape: fewer",
        check=(
            at_most(
                SHARES.at(*OTHERS), SHARES.at(SAME) * 0.5, in_shape=below(SHARES.at(*OTHERS), SHARES.at(SAME))
            ).telling(SHARES.at(SAME))
        ),
    ),
)

experiment = Experiment(
    id="002/ack-compression",
    title="ACK compression with and without macroflows of their own for ACKs",
    source=Source(paper=PAPER, figures="none: told of in §3.2", section="§3.2"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="compressed", label="ACKs within 12 µs of the one before"),
        Metric(name="gaps", label="gaps counted", form=".0f"),
        Metric(name="utilization", label="utilization, 56 core outputs"),
    ),
    quick=Form(
        points=grid(scheme=SCHEMES),
        replications=1,
        settings={**shortened(5), "trace.from": "4375 ms"},
        note="1 of 3 replications, 5 of 40 seconds.",
    ),
    full=Form(points=grid(scheme=SCHEMES), replications=3),
    claims=CLAIMS,
    plots=(Plot(name="ack-compression", draw=draw),),
    notes=(
        f"Every fifteenth flow is traced, {len(FLOWS)} flows, over the last 0.625 s.",
        "TU 100 %, 9 kB of RAM. Acknowledgements are not delayed.",
    ),
)
