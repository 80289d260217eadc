"""Why paper 002's figure 3 levels off where it does: what TCP may ask for, with as much RAM as it can use.

1586 flows with windows of at most 20 packets, as the paper has them; windows of 40 and 80; 3000 and 6000 flows; and the
paper's controllers without shuffling.

The expected values and tolerances below were committed before the first run of this experiment; single runs were
known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import above, at_least, near, values
from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid

from ._curves import PAPER, PAPER_PLATEAU, PLAIN, REFERENCE, bars, finish, shortened
from ._schemes import COLOURS, FULL_TARGET, METRICS, NAMES, XCP, measure
from ._schemes import setup as scheme_setup

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import Value

STATED, WIDE, WIDER, MORE, MOST, UNSHUFFLED = "as stated", "window 40", "window 80", "3000 flows", "6000 flows", "γ = 0"
KEYS: Mapping[str, Mapping[str, Value]] = {
    STATED: {},
    WIDE: {"transport.reno.max_window": "40 packets"},
    WIDER: {"transport.reno.max_window": "80 packets"},
    MORE: {"traffic.0.count": 3000},
    MOST: {"traffic.0.count": 6000},
    UNSHUFFLED: {"switching.gamma": 0.0, "switching.edge_gamma": 0.0},
}
ASKING_MORE = (WIDE, WIDER, MORE, MOST)
SCHEMES = (PLAIN, *FULL_TARGET)
RAM = 1_000_000


def setup(point: Point) -> Setup:
    """A scheme with 1 MB and one thing changed."""
    return scheme_setup(str(point["scheme"]), RAM, KEYS[str(point["case"])])


CARRIED = values("utilization", "case", form=".3f", scheme=XCP)
GAINS = (CARRIED / CARRIED.at(STATED)).among(lambda case: case in ASKING_MORE)


def points(cases: tuple[str, ...], schemes: tuple[str, ...]) -> tuple[Point, ...]:
    """Every case; γ is XCP's alone."""
    return (
        *grid(case=cases, scheme=schemes),
        *grid(case=(UNSHUFFLED,), scheme=(XCP,)),
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """A group of bars a case."""
    outcome, run = Outcome(table=table, replications=table), set(table["scheme"])
    schemes = [scheme for scheme in SCHEMES if scheme in run]
    series = {NAMES[scheme]: values("utilization", "case", scheme=scheme).read(outcome) for scheme in schemes}
    bars(axes, series, {case: case for case in KEYS if case in set(table["case"])}, [COLOURS[one] for one in schemes])
    axes.axhline(PAPER_PLATEAU, **REFERENCE)
    axes.set_ylabel("mean utilization of core outputs with 1 MB")
    finish(axes, table, traffic="TCP flows")


CLAIMS = (
    Claim(
        id="demand",
        text="what TCP asks for holds XCP with one macroflow below 0.70: wider windows or more flows carry more",
        whose="ours",
        where="after §3.2, Fig. 3",
        expected="more",
        tolerance="at least 1.05 times as much with each; in shape: more with each",
        check=at_least(GAINS, 1.05, in_shape=above(GAINS, 1)).telling(CARRIED.at(STATED)),
    ),
    Claim(
        id="level",
        text="with 6000 flows all level off at about 0.70",
        whose="ours",
        where="after §3.2, Fig. 3",
        expected="about 0.70, as the paper says of 1586 flows",
        tolerance="TCP and XCP within 0.05 of 0.70; in shape: within 0.1",
        check=near(values("utilization", "scheme", form=".3f", case=MOST), PAPER_PLATEAU, by=0.05, in_shape=0.1),
        reason="ACKs apart: shuffling gives each output's tenth to macroflows of ACKs too, which do not use it, and "
        "the fullest output carries 0.892 whatever is asked. With γ = 0 it carries 1.000, and all outputs 0.700 in the "
        "mean (6000 flows, one run)",
    ),
    Claim(
        id="shuffling",
        text="it is not the shuffled share that is given to macroflows which do not use it",
        whose="ours",
        where="after §2.1.2, §3.2",
        expected="the same level with γ = 0",
        tolerance="within 3 %; in shape: 10 %",
        check=(
            near(CARRIED.at(UNSHUFFLED) / CARRIED.at(STATED), 1, by=0.03, in_shape=0.1).telling(
                CARRIED.at(UNSHUFFLED, STATED)
            )
        ),
        reason="a part of it is: the fullest output carries 0.998 without shuffling and 0.963 with it",
    ),
)

experiment = Experiment(
    id="002/demand",
    title="what limits the plateau of figure 3",
    source=Source(paper=PAPER, figures="none: after figure 3", section="§3.1, §3.2"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=points((STATED, WIDE, MOST), (XCP, FULL_TARGET[2])),
        replications=1,
        settings=shortened(5),
        note="3 of 5 cases, 2 of 4 schemes, 1 of 3 replications, 5 of 40 seconds.",
    ),
    full=Form(points=points((STATED, WIDE, WIDER, MORE, MOST), SCHEMES), replications=3),
    claims=CLAIMS,
    plots=(Plot(name="demand", draw=draw),),
    notes=(
        "The paper's windows are of at most 20 packets and its flows 1586: the other cases are not readings of it.",
    ),
)
