"""What paper 002's experiments share: sizes, where a curve levels off, and how values and pictures are labelled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import Value

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


def over(above: float, below: float) -> float:
    """The first over the second; 1 where both are zero."""
    if below > 0:
        return above / below
    return 1.0 if above == 0 else math.inf


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


def listed(values: Mapping[int, float] | Iterable[tuple[int, float]], form: str = ".2f") -> str:
    """Values with their RAM."""
    return ", ".join(f"{value:{form}} at {kb(ram)}" for ram, value in dict(values).items())
