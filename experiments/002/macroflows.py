"""Paper 002, figures 3, 4 and 5: TCP, Paced TCP, and six schemes of paced XCP macroflows over small optical RAM.

On NSFNET with an edge node per core node: mean utilization of the core outputs and drop rate there against the RAM, and
the sorted utilizations of the core outputs with six packets of RAM.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.plot import logarithmic_with_zero

from ._claims import CLAIMS
from ._curves import (
    FULL_RAM,
    ON_PLATEAU,
    PAPER,
    REFERENCE,
    SIX_PACKETS_BYTES,
    finish,
    first_reaching,
    kb,
    plateau,
    shortened,
)
from ._schemes import (
    COLOURS,
    LOW_TARGET,
    METRICS,
    NAMES,
    QUICK_RAM,
    SCHEMES,
    core_outputs,
    curve,
    draw_curves,
    measure,
)
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult


def setup(point: Point) -> Setup:
    """The scenario with one scheme and one RAM at every core output."""
    return scheme_setup(str(point["scheme"]), point["ram_bytes"])


def sorted_outputs(result: RunResult) -> pl.DataFrame:
    """The utilization of each core output, from the lowest to the highest."""
    levels = core_outputs(result)["utilization"].sort()
    return pl.DataFrame({"number": pl.int_range(1, len(levels) + 1, eager=True), "utilization": levels})


def describe(outcome: Outcome) -> list[str]:
    """Each scheme in a sentence."""
    sentences = []
    for scheme in SCHEMES:
        levels, drops = (curve(outcome.table, scheme, metric) for metric in ("utilization", "core_drop_rate"))
        end = plateau(levels)
        knee = first_reaching(levels, ON_PLATEAU * end)
        sentences.append(
            f"{NAMES[scheme]}: plateau {end:.3f}, 95 % of it from {kb(knee)} on; "
            f"with 9 kB {levels[SIX_PACKETS_BYTES]:.3f} and drops {drops[SIX_PACKETS_BYTES]:.1e}."
        )
    return sentences


def draw_utilization(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 3."""
    draw_curves(axes, table, "utilization", SCHEMES)
    axes.axhline(0.70, **REFERENCE)
    axes.set_ylim(0, 1)
    axes.set_ylabel("mean utilization of core outputs")
    axes.legend(loc="upper left", frameon=False, fontsize=7, ncols=2)


def draw_drop_rate(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 4."""
    draw_curves(axes, table, "core_drop_rate", SCHEMES)
    logarithmic_with_zero(axes)
    axes.set_ylabel("packet drop rate at core outputs")
    axes.legend(loc="lower right", frameon=False, fontsize=7)


def draw_sorted(axes: Axes, table: pl.DataFrame) -> None:
    """Figure 5, of the first replication."""
    rows = table.filter(pl.col("ram_bytes") == SIX_PACKETS_BYTES)
    for scheme in SCHEMES:
        one = rows.filter(pl.col("scheme") == scheme).sort("number")
        style = "--" if scheme in LOW_TARGET else "-"
        axes.plot(one["number"], one["utilization"], label=NAMES[scheme], color=COLOURS[scheme], linestyle=style)
    axes.axhline(0.30, **REFERENCE)
    axes.set_ylim(0, 1)
    axes.set_xlabel("core output, from the lowest utilization to the highest")
    axes.set_ylabel("utilization with 9 kB")
    axes.legend(loc="upper left", frameon=False, fontsize=7)
    finish(axes, table, intervals="first replication")


NOTES = (
    "Utilization is the mean over the first data wavelength of the 56 directed links that leave a core node (42 to "
    "core nodes, 14 to edge nodes); drop rates are those of all data wavelengths, a column has that of the first.",
    "1 kB, where the paper's axis starts, has no room for a packet of 1500 B: nothing waits at a core output. It would "
    "have room for 25 ACKs of 40 B, which find none here.",
    'The paper\'s TU 30 % of "around 300 kB, which means a buffer of only two data packets" is read as 3 kB.',
    "All eight schemes cut through at core nodes, as in the paper; 002/baseline has two with store-and-forward.",
    "A probe tells the rate that its macroflow sent, and the feedback changes that rate (docs/deviations.md).",
)

experiment = Experiment(
    id="002/macroflows",
    title="optical RAM at core outputs: TCP, Paced TCP and paced XCP macroflows on NSFNET",
    source=Source(
        paper=PAPER,
        figures="Figures 3, 4 and 5",
        section="§3.2",
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    curves=sorted_outputs,
    quick=Form(
        points=grid(scheme=SCHEMES, ram_bytes=QUICK_RAM),
        replications=1,
        settings=shortened(5),
        note="5 of 13 sizes of RAM, 1 of 5 replications, and 5 of 40 seconds: the 1586 flows arrive over 5 s and the "
        "last 0.625 s count, so that as many flows are alive then as in the last 5 of 40 s.",
    ),
    full=Form(points=grid(scheme=SCHEMES, ram_bytes=FULL_RAM), replications=5),
    claims=CLAIMS,
    plots=(
        Plot(name="figure-3", draw=draw_utilization),
        Plot(name="figure-4", draw=draw_drop_rate),
        Plot(name="figure-5", draw=draw_sorted, of="curves"),
    ),
    describe=describe,
    notes=NOTES,
)
