"""Paper 001, figure 2: the congestion window of TCP-ENG between losses of bursts, traced.

One flow in the forced mode, of which every sixtieth burst of nine segments is lost, so that every period is like the
one before: the paper's sketch with numbers. The window is sampled ten times a round trip. A window at a sample is cwnd,
which is in bytes and may be between two segments.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import Predicate, Values, above, at_most, near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

from ._bursts import MSS, RTT_S, scenario
from ._compare import BETA, PAPER, SEGMENTS
from ._readings import BEN_ONLY, ENG, LARGE_WINDOW, READINGS, both, push

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

EVERY = 60
"""One burst of so many is lost."""
LOST = [EVERY * number - 1 for number in range(1, 2000)]
ALPHA = 3 * (1 - BETA) / (1 + BETA)
SAMPLE_S = RTT_S / 10
WARM_UP_S, DURATION_S = 60.0, 120.0


def setup(point: Point) -> Setup:
    """One flow with its losses in a row."""
    reading = str(point["reading"])
    # Segments from cut to cut: EVERY bursts. The window that a period of them leads to, by the closed form.
    usual = push(ENG, reading, BETA) * (1.5 * SEGMENTS * EVERY) ** 0.5
    settings = {"alpha_applies": reading, "initial_ssthresh": f"{round(usual)} packets"}
    found = scenario(SEGMENTS, 1 / EVERY, {ENG: 1}, {ENG: settings})
    found["run"] = {"name": "trace", "duration": f"{DURATION_S:g} s", "warm_up": f"{WARM_UP_S:g} s"}
    (flow,) = found["traffic"]
    flow["bursts"] = {"segments": SEGMENTS, "lose": LOST, "notify": True}
    flow["spread"] = "0 s"
    found["probe"] = {"interval": f"{SAMPLE_S * 1e3:g} ms", "flows": "all"}
    return Setup(scenario=found)


def trace(result: RunResult) -> pl.DataFrame:
    """Time and window in segments, after the warm-up."""
    chosen = (pl.col("quantity") == "cwnd") & (pl.col("t_s") >= WARM_UP_S)
    return result.series.filter(chosen).sort("t_s").select("t_s", window=pl.col("value") / MSS)


def periods(windows: list[float]) -> list[list[float]]:
    """The samples from each cut to the next; a cut is a step down by more than a twentieth."""
    cuts = [place + 1 for place, (before, after) in enumerate(pairwise(windows)) if after < 0.95 * before]
    return [windows[start:end] for start, end in pairwise(cuts)]


def measure(result: RunResult) -> Mapping[str, float]:
    """What the periods have in common."""
    every = periods(trace(result)["window"].to_list())
    # ACKs come together, once a round trip after the cut: samples half a round trip away from them. Those of W − S or
    # fewer segments come first: the round after the repair begins with them.
    long = [period for period in every if _last_between(period) > 35]
    slopes = [(period[last] - period[35]) / ((last - 35) / 10) for period in long if (last := _last_between(period))]
    first = [_first_step(period) for period in long]
    kept = [after[0] / before[-1] for before, after in pairwise(every)]
    flat = [max(period[:10]) - min(period[:10]) for period in every]
    return {
        "periods": float(len(every)),
        "top": sum(period[-1] for period in every) / len(every),
        "kept": sum(kept) / len(kept),
        "repair_growth": max(flat),
        "first_growth": max(first, default=0.0),
        "slope": sum(slopes) / max(1, len(slopes)),
        "rounds": sum(len(period) for period in every) / len(every) / 10,
    }


def _last_between(period: list[float]) -> int:
    """The last sample of a period that is half a round trip away from ACKs."""
    return 10 * ((len(period) - 6) // 10) + 5


def _first_step(period: list[float]) -> float:
    """By how much the window has grown three samples after it has begun to."""
    begun = next((place for place, window in enumerate(period) if window > period[0]), len(period) - 4)
    return period[begun + 3] - period[0]


def of(metric: str, reading: str, form: str = ".3f", name: str = "") -> Values:
    """A metric of a reading."""
    return values(metric, reading=reading).told(form, name=name)


def growing(reading: str) -> tuple[Values, Values]:
    """The growth of the first ACKs after a repair, and of the rounds that follow."""
    first = of("first_growth", reading, name="at most with the first ACKs after the repair")
    return first, of("slope", reading, name="a round trip then")


def slope(reading: str) -> Predicate:
    """The window grows by α/b a round trip, all the way."""
    first, later = growing(reading)
    linear = at_most(first, 1.1 * ALPHA) & near(later / ALPHA, 1, by=0.1)
    return linear.in_shape(near(later / ALPHA, 1, by=0.25)).saying(first, later)


def ours() -> Predicate:
    """Under `ben-only` it grows by at most α in the round after the repair and by 1 then."""
    first, later = growing(BEN_ONLY)
    bent = above(first, 0) & at_most(first, 1.1 * ALPHA) & near(later, 1, by=0.1)
    return bent.in_shape(above(later, first * 2)).saying(first, later)


def period(reading: str) -> Predicate:
    """A period has b(1 − β)W/α rounds and one, by (9)."""
    rounds, top = of("rounds", reading, ".1f", "rounds"), of("top", reading, ".1f", "with W =")
    expected = (top * ((1 - BETA) / ALPHA) + 1).told(".1f", name="(9)")
    return near(rounds / expected, 1, by=0.1, in_shape=0.25).saying(rounds, top, expected)


def draw(axes: Axes, frame: pl.DataFrame) -> None:
    """The last ten seconds of each trace."""
    for reading, colour in ((BEN_ONLY, "#D55E00"), (LARGE_WINDOW, "#0072B2")):
        chosen = frame.filter((pl.col("reading") == reading) & (pl.col("t_s") > DURATION_S - 10))
        axes.plot(chosen["t_s"], chosen["window"], color=colour, linewidth=1.0, label=reading)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("congestion window (segments)")
    axes.set_title(f"every {EVERY}th burst of {SEGMENTS} lost, β = 7/8, RTT 80 ms", fontsize=9, color="0.3", loc="left")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="best", frameon=False)


POINTS = grid(reading=READINGS)

experiment = Experiment(
    id="001/figure-2",
    title="the congestion window of TCP-ENG, traced",
    source=Source(paper=PAPER, figures="Figure 2", section="§III.A"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="periods", label="periods counted", form=".0f"),
        Metric(name="top", label="window before a cut (segments)", form=".1f"),
        Metric(name="kept", label="share kept at a cut", form=".4f"),
        Metric(name="repair_growth", label="most growth in a round of repair (segments)", form=".3f"),
        Metric(name="first_growth", label="most growth by the first ACKs after it (segments)", form=".3f"),
        Metric(name="slope", label="growth in a later round (segments)", form=".3f"),
        Metric(name="rounds", label="rounds of a period", form=".1f"),
    ),
    quick=Form(points=POINTS, replications=1, note="the same: there is one form"),
    full=Form(points=POINTS, replications=1),
    curves=trace,
    claims=(
        *both(
            claim="cut",
            text="a lost burst with its BEN cuts cwnd by a factor of β",
            where="§III.A, Fig. 2",
            expected="0.875",
            tolerance="within 0.01; in shape: within 0.05",
            check=lambda reading: near(of("kept", reading, ".4f", "kept"), BETA, by=0.01, in_shape=0.05),
            reasons={},
        ),
        *both(
            claim="repair",
            text="the next round repairs, with W − S new segments: the window does not grow",
            where="§III.A, Fig. 2",
            expected="0",
            tolerance="at most 0.05 segments in the round trip after any cut; in shape: 1",
            check=lambda reading: at_most(of("repair_growth", reading, name="it grows by at most"), 0.05, in_shape=1),
            reasons={},
        ),
        *both(
            claim="slope",
            text="then cwnd rises linearly with slope α/b",
            where="§III.A, eq. (8), Fig. 2",
            expected="0.2 segments a round trip",
            tolerance="within 10 % in the round after the repair and in later ones; in shape: within 25 % in the "
            "former",
            check=slope,
            reasons={
                BEN_ONLY: "§II has α = 1 in a round without a BEN before it, and only the round after the repair "
                "follows one: see slope-ours",
            },
        ),
        Claim(
            id="slope-ours",
            whose="ours",
            text="with α in the round after a BEN only, the slope is α for a round and then 1",
            where="§II",
            expected="0.2, then 1",
            tolerance="at most 0.22 with the first ACKs after the repair, within 10 % of 1 later; in shape: twice as "
            "much later",
            check=ours(),
        ),
        *both(
            claim="period",
            text="a period has E[X] + 1 rounds, E[X] = b(1 − β)E[W]/α",
            where="§III.A, eq. (9)",
            expected="by the measured W",
            tolerance="within 10 %; in shape: within 25 %",
            check=period,
            reasons={
                BEN_ONLY: "at one segment a round an eighth of W = 60 lasts 7.5 rounds; with the round of α and that "
                "of the repair 9.5. (9) has α = 0.2 in all of them",
            },
        ),
    ),
    plots=(Plot(name="figure-2", draw=draw, of="curves"),),
    notes=(
        "One flow, bursts of nine transmissions in a row of which every sixtieth is lost; the BEN comes a round "
        "trip later. "
        "cwnd sampled every 8 ms from 60 s to 120 s.",
        "S = 9, β = 7/8, α = 0.2 by (2), b = 1; the paper's sketch has no numbers.",
    ),
)
