"""What paper 002's experiments share: sizes, where a curve levels off, and how values and pictures are labelled."""

from __future__ import annotations

import math
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

from photocol.claims import Predicate, Values, at_least, at_most, below, beside, growth, last, near, within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import Outcome, Value

PAPER = "paper 002 (XCP macroflows in optical packet switched networks with optical RAM)"
PLAIN, PACED = "reno", "paced-reno"
PACKET_BYTES = 1500
SIX_PACKETS_BYTES = 6 * PACKET_BYTES
NO_PACKET_BYTES = 1_000
"""Where the paper's axes begin: no packet of 1500 B fits."""
FULL_RAM = (
    NO_PACKET_BYTES,
    1_500,
    3_000,
    4_500,
    6_000,
    9_000,
    15_000,
    30_000,
    60_000,
    150_000,
    300_000,
    600_000,
    1_000_000,
)
PAPER_PLATEAU = 0.70
ON_PLATEAU = 0.95
"""A curve has reached its plateau at 95 % of its value with the most RAM."""
REFERENCE: dict[str, Any] = {"color": "0.45", "linestyle": ":", "linewidth": 1, "zorder": 1}


def room(ram_bytes: Value) -> str:
    """A RAM or a buffer as a scenario has it: 1 kB has no room for a packet."""
    return "0 packets" if ram_bytes == NO_PACKET_BYTES else f"{ram_bytes} B"


def shortened(seconds: float) -> dict[str, str]:
    """All flows arrive within so many seconds instead of 40; the last eighth counts, as in the paper."""
    return {
        "run.duration": f"{seconds:g} s",
        "run.warm_up": f"{seconds * 7 / 8:g} s",
        "traffic.0.over": f"{seconds:g} s",
    }


def plateau(levels: Mapping[int, float]) -> float:
    """The level with the most RAM."""
    return levels[max(levels)]


def first_reaching(levels: Mapping[int, float], level: float) -> float:
    """The least RAM of the sweep from which on the curve stays at or above the level; infinite if none."""
    reached = math.inf
    for ram in sorted(levels, reverse=True):
        if levels[ram] < level:
            break
        reached = ram
    return reached


def reaching(of: Values, level: Values, name: str = "") -> Values:
    """The least RAM from which on a curve stays at or above a level, in kB; infinite if none."""

    def read(outcome: Outcome) -> dict[None, float]:
        [least] = level.read(outcome).values()
        return {None: first_reaching(of.read(outcome), least) / 1000}

    return Values(read, "g", " kB on", name)


def knee(of: Values) -> Values:
    """The least RAM from which on a curve is on its plateau."""
    return reaching(of, last(of) * ON_PLATEAU, f"{ON_PLATEAU:.0%} from")


def levels_off(curves: Mapping[str, Values]) -> Predicate:
    """All curves end at the paper's level; in shape: flat to 3 % at the end, and below 0.95."""
    ends = beside({name: last(of) for name, of in curves.items()}).told(".3f")
    flat = reduce(and_, (at_most(last(growth(of)), 1.03) for of in curves.values()))
    return near(ends, PAPER_PLATEAU, by=0.05, in_shape=flat & below(ends, 0.95))


def on_plateau_with_six(of: Values, plain: Values) -> Predicate:
    """A curve is on its plateau with six packets; in shape: with a fifth of TCP Reno's RAM."""
    share = (of.at(SIX_PACKETS_BYTES) / last(of)).told(".1%", name="of its plateau")
    return at_least(share, ON_PLATEAU, in_shape=at_most(knee(of), knee(plain) / 5)).telling(knee(of))


def needs_hundreds(plain: Values, other: Values) -> Predicate:
    """TCP Reno needs hundreds of kilobytes for the level of another curve; in shape: three times its RAM."""
    level = last(other) * ON_PLATEAU
    from_ = reaching(plain, level, f"TCP Reno reaches {ON_PLATEAU:.0%} of the other one's plateau from")
    return within(from_, 100, 1000, in_shape=at_least(from_, reaching(other, level) * 3))


def bars(
    axes: Axes, series: Mapping[str, Mapping[Any, float]], groups: Mapping[Any, str], colours: Sequence[str] = ()
) -> None:
    """A bar for each of the series in each of the groups, which have labels."""
    width = 0.8 / len(series)
    for place, (label, levels) in enumerate(series.items()):
        left = [number + width * place for number in range(len(groups))]
        heights = [levels.get(group, math.nan) for group in groups]
        colour = colours[place] if colours else None
        axes.bar(left, heights, width=width, align="edge", label=label, color=colour)
    axes.set_xticks([number + 0.4 for number in range(len(groups))], list(groups.values()), fontsize=8)
    axes.set_ylim(0, 1)
    axes.legend(frameon=False, fontsize=7, ncols=2)


def finish(axes: Axes, table: pl.DataFrame, *, traffic: str = "1586 flows", intervals: str = "") -> None:
    """Grid and caption."""
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    n = int(table["n"].min()) if "n" in table.columns else 1  # type: ignore[arg-type]
    usual = "one replication" if n == 1 else f"means of {n} replications, 95 % intervals (Student t)"
    axes.set_title(f"NSFNET, {traffic}; {intervals or usual}", fontsize=9, color="0.3", loc="left")


def kb(ram: float) -> str:
    """Bytes as kB."""
    return "no RAM of the sweep" if math.isinf(ram) else f"{ram / 1000:g} kB"
