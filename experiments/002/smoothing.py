"""Beyond paper 002: pacing other than by a leaky bucket, and the edge memory that pacing costs (its future work, §4).

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import MOSTLY, Values, above, at_least, at_most, below, beside, most, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.plot import logarithmic_with_zero

from ._curves import PACKET_BYTES, PAPER, finish, shortened
from ._schemes import METRICS, XCP, measure
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAKY, TOKEN, TURNS, DEEP = "leaky-bucket", "token-bucket", "round-robin", "deep-token-bucket"
SMOOTHERS = (LEAKY, TOKEN, TURNS, DEEP)
COLOURS = dict(zip(SMOOTHERS, ("#0072B2", "#009E73", "#D55E00", "#CC79A7"), strict=True))
RAM = (1_500, 3_000, 4_500, 6_000, 9_000, 15_000)


def setup(point: Point) -> Setup:
    """TU 100 %, one macroflow for data and ACKs; the deep bucket lets five more packets leave at once."""
    smoother = str(point["smoothing"])
    more: dict[str, str | int | float] = {"switching.smoothing": smoother}
    if smoother == DEEP:
        more = {"switching.smoothing": TOKEN, "switching.token_depth": 5 * PACKET_BYTES}
    return scheme_setup(XCP, point["ram_bytes"], more)


def along(smoother: str, metric: str) -> Values:
    """A metric by RAM."""
    return values(metric, "ram_bytes", smoothing=smoother)


TURNED = (along(TURNS, "utilization") / along(LEAKY, "utilization")).told(".3f")
MOST = {
    name: beside({smoother: most(along(smoother, f"edge_{name}").told(form)) for smoother in SMOOTHERS})
    for name, form in (("drop_rate", ".1e"), ("max_queue", ".0f"))
}


def over_leaky(smoother: str, name: str) -> Values:
    """A smoother's drop rate over the leaky bucket's, where that drops something."""

    def read(outcome: Outcome) -> dict[Any, float]:
        other, leaky = (along(one, "core_drop_rate").read(outcome) for one in (smoother, LEAKY))
        return {ram: other[ram] / leaky[ram] for ram in leaky if leaky[ram] > 0}

    return Values(read, ".2f", name=name)


TOKENS = over_leaky(TOKEN, "token bucket / leaky bucket")
DEEPER = over_leaky(DEEP, "five packets deeper / one packet").among(lambda ram: ram <= 6 * PACKET_BYTES)


def describe(outcome: Outcome) -> list[str]:
    """What each costs at the edge."""
    cost = "waiting in the mean at an edge node"
    return [
        f"{smoother}: {along(smoother, 'edge_mean_queue').told('.0f').words(outcome)} packets {cost}."
        for smoother in SMOOTHERS
    ]


def _draw(axes: Axes, table: pl.DataFrame, name: str) -> None:
    for smoother in SMOOTHERS:
        rows = table.filter(pl.col("smoothing") == smoother).sort("ram_bytes")
        ram = (rows["ram_bytes"] / 1000).to_list()
        spread = rows[f"{name}_half_width"].fill_nan(0.0).to_list()
        axes.errorbar(
            ram, rows[name].to_list(), yerr=spread, color=COLOURS[smoother], marker="o", capsize=2, label=smoother
        )
    axes.set_xlabel("optical RAM per core output (kB)")
    axes.legend(frameon=False, fontsize=8)
    finish(axes, table)


def draw_drops(axes: Axes, table: pl.DataFrame) -> None:
    """Drop rate at core outputs against the RAM."""
    _draw(axes, table, "core_drop_rate")
    logarithmic_with_zero(axes)
    axes.set_ylabel("packet drop rate at core outputs")


def draw_memory(axes: Axes, table: pl.DataFrame) -> None:
    """Edge memory against the RAM."""
    _draw(axes, table, "edge_mean_queue")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("packets waiting at an edge node, mean")


CLAIMS = (
    Claim(
        id="token",
        text="better pacing than a leaky bucket: with a randomized start macroflows do not leave together",
        whose="ours",
        where="§4 (future work), our expectation",
        expected="fewer drops",
        tolerance="at most 0.95 of the leaky bucket's drop rate at every size; in shape: fewer at more than half",
        check=at_most(TOKENS, 0.95, in_shape=below(TOKENS, 1, in_shape=MOSTLY)),
        reason="with one packet of RAM it makes no difference: what meets there are single packets of many macroflows",
    ),
    Claim(
        id="turns",
        text="flows in turn mend ACK compression inside a macroflow",
        whose="ours",
        where="§4 (future work), our expectation",
        expected="higher utilization",
        tolerance="higher at every size; in shape: at more than half of them",
        check=above(TURNED, 1, in_shape=MOSTLY),
        reason="the turns let ACKs pass the data of their macroflow: round trips fall from 34.6 to 26.0 ms (4.5 kB): "
        "TCP sends faster, which is more throughput where the RAM bears it and more drops where it does not. With ACKs "
        "in macroflows of their own the two are alike: drop rates 1.41e-3 and 1.42e-3, 8.58 Gb/s each",
    ),
    Claim(
        id="deep",
        text="a bucket that is six packets deep undoes pacing",
        whose="ours",
        where="our expectation",
        expected="more drops with up to six packets of RAM",
        tolerance="at least 1.5 times as many at every size up to 9 kB; in shape: more",
        check=at_least(DEEPER, 1.5, in_shape=above(DEEPER, 1)),
        reason="with one packet of RAM pacing has little to undo; with six, ten times as many drops",
    ),
    Claim(
        id="memory",
        text="0.25 s of electronic memory at the edge is enough for pacing",
        where="§3.1",
        expected="no drops at the edge",
        tolerance="none; in shape: a drop rate of at most 1e-4",
        check=at_most(MOST["drop_rate"], 0, in_shape=1e-4).telling(MOST["max_queue"]),
    ),
)

experiment = Experiment(
    id="002/smoothing",
    title="how macroflows are paced, and the edge memory that it costs",
    source=Source(
        paper=PAPER,
        figures="none: future work",
        section="§4",
    ),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=grid(smoothing=SMOOTHERS, ram_bytes=(1_500, 4_500, 9_000)),
        replications=1,
        settings=shortened(5),
        note="3 of 6 sizes of RAM, 1 of 3 replications, 5 of 40 seconds.",
    ),
    full=Form(points=grid(smoothing=SMOOTHERS, ram_bytes=RAM), replications=3),
    claims=CLAIMS,
    plots=(Plot(name="drop-rate", draw=draw_drops), Plot(name="edge-memory", draw=draw_memory)),
    describe=describe,
)
