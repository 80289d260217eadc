"""The pictures of 001/network: the paper's figures 5 to 8, a panel for each mode of the network or reading of α.

A mode is barebone, or burst retransmission under one of its readings. TCP-ENG is told of every loss, but where a
picture says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from ._compare import BAIMD, BTCP, RENO, SACK
from ._network import AGAIN, BARE, LISTENERS, METERED, NEAR_1, ORDERED, TOLD
from ._panels import LOSS, THROUGHPUT, Labels, look, panels
from ._readings import BEN_ONLY, ENG, READINGS, is_eng, of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

TITLES = {
    "barebone": BARE,
    "retransmission": AGAIN,
    "retransmission, in order at the egress node": ORDERED,
    "retransmission, a BEN at every drop": TOLD,
}
READ = {f"barebone, α {reading}": reading for reading in READINGS}


def _curve(
    axes: Axes, table: pl.DataFrame, metric: str, sender: str, mode: str, reading: str, *, told: bool = True
) -> None:
    mode = AGAIN if mode == TOLD and sender not in LISTENERS else mode
    rows = table.filter(of("sender", sender, reading) & (pl.col("mode") == mode)).sort("loss")
    axes.plot(rows["loss"], rows[metric], **look(sender, reading, told=told))


def draw_throughput(axes: Axes, table: pl.DataFrame, rivals: Sequence[str]) -> None:
    """Throughput of TCP-ENG under both readings and of its rivals against loss, a panel a mode."""

    def draw(panel: Axes, title: str) -> None:
        for sender in (ENG, *rivals):
            for reading in READINGS if is_eng(sender) else (BEN_ONLY,):
                _curve(panel, table, "throughput_mbps", sender, TITLES[title], reading)
        panel.set_xscale("log")
        panel.set_yscale("log")

    panels(axes, tuple(TITLES), draw, Labels(LOSS, THROUGHPUT), columns=2)


def draw_notification(axes: Axes, table: pl.DataFrame) -> None:
    """Throughput of TCP-ENG told of all, told below 1 %, and with β = 31/32, beside SACK's: a panel a reading."""

    def draw(panel: Axes, title: str) -> None:
        for sender in (ENG, METERED, NEAR_1, SACK):
            _curve(panel, table, "throughput_mbps", sender, BARE, READ[title], told=False)
        panel.set_xscale("log")
        panel.set_yscale("log")

    panels(axes, tuple(READ), draw, Labels(LOSS, THROUGHPUT), columns=2)


def draw_jain(axes: Axes, table: pl.DataFrame) -> None:
    """Jain's index against loss, barebone: a panel a reading."""

    def draw(panel: Axes, title: str) -> None:
        for sender in (ENG, BAIMD, SACK, RENO):
            _curve(panel, table, "jain", sender, BARE, READ[title], told=False)
        panel.set_xscale("log")

    panels(axes, tuple(READ), draw, Labels(LOSS, "Jain's index of five flows"), columns=2)


def draw_jain_again(axes: Axes, table: pl.DataFrame) -> None:
    """Jain's index against loss with burst retransmission: a panel for each of its readings."""
    again = {title: mode for title, mode in TITLES.items() if mode != BARE}

    def draw(panel: Axes, title: str) -> None:
        for sender in (ENG, BAIMD, SACK, RENO):
            for reading in READINGS if is_eng(sender) else (BEN_ONLY,):
                _curve(panel, table, "jain", sender, again[title], reading)
        panel.set_xscale("log")

    panels(axes, tuple(again), draw, Labels(LOSS, "Jain's index of five flows"), columns=3)


BTCP_SHOWN = (BTCP[0], BTCP[2])
"""BACK's curve lies on BLE's."""
