"""What the figures of paper 000 share: the grid, the two readings, and curves over the round-trip times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import grid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

PAPER = "Lu and Hunter, Dual-layer congestion control (paper 000), 2009"
RTTS_MS = (60, 100, 180, 280, 420, 560)
SHARES = (0.1, 0.2, 0.3, 0.4)
CORRECTED, PRINTED = "corrected", "as_printed"
COLOURS = dict(zip(SHARES, ("#009E73", "#0072B2", "#E69F00", "#D55E00"), strict=True))
POINTS = grid(reading=[CORRECTED, PRINTED], udp_max=SHARES, rtt_ms=RTTS_MS)


def curves(table: pl.DataFrame, reading: str, column: str) -> dict[float, list[float]]:
    """R to the metric along the round-trip times."""
    rows = table.filter(pl.col("reading") == reading).sort("rtt_ms")
    return {share: rows.filter(pl.col("udp_max") == share)[column].to_list() for share in SHARES}


def draw(axes: Axes, table: pl.DataFrame, columns: Mapping[str, str]) -> None:
    """Metrics with their line styles along the round-trip times, a colour for each share; the printed reading thin."""
    for reading, width in ((CORRECTED, 1.7), (PRINTED, 0.6)):
        for column, style in columns.items():
            for share, values in curves(table, reading, column).items():
                named = reading == CORRECTED and style == "-"
                label = f"R = {share}" if named else None
                axes.plot(RTTS_MS, values, style, color=COLOURS[share], linewidth=width, label=label)
    axes.set_yscale("log")
    axes.set_xlabel("round-trip time (ms)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
