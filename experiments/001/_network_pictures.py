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
from ._readings import ENG, READINGS, is_eng, of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

JAIN = "Jain's index of five flows"
MODES = {
    "barebone": (BARE, READINGS),
    "retransmission": (AGAIN, READINGS),
    "retransmission, in order at the egress node": (ORDERED, READINGS),
    "retransmission, a BEN at every drop": (TOLD, READINGS),
}
READ = {f"barebone, α {reading}": (BARE, (reading,)) for reading in READINGS}
"""Title of a panel → mode, and TCP-ENG's readings in it."""


def picture(
    metric: str, label: str, senders: Sequence[str], shown: Mapping[str, tuple[str, Sequence[str]]], columns: int = 2
) -> Callable[[Axes, pl.DataFrame], None]:
    """A metric of senders against loss, in panels with these titles."""

    def draw(axes: Axes, table: pl.DataFrame) -> None:
        def draw_one(panel: Axes, title: str) -> None:
            mode, readings = shown[title]
            for sender in senders:
                here = pl.col("mode") == (AGAIN if mode == TOLD and sender not in LISTENERS else mode)
                for reading in readings if is_eng(sender) else readings[:1]:
                    rows = table.filter(of("sender", sender, reading) & here).sort("loss")
                    panel.plot(rows["loss"], rows[metric], **look(sender, reading, told=len(readings) > 1))
            panel.set_xscale("log")
            panel.set_yscale("log" if label == THROUGHPUT else "linear")

        panels(axes, tuple(shown), draw_one, Labels(LOSS, label), columns)

    return draw


FAIR = (ENG, BAIMD, SACK, RENO)
PICTURES = {
    "figure-5": picture("throughput_mbps", THROUGHPUT, (ENG, SACK, RENO), MODES),
    "figure-6": picture("throughput_mbps", THROUGHPUT, (ENG, BAIMD, BTCP[0], BTCP[2]), MODES),
    "figure-7": picture("jain", JAIN, FAIR, READ),
    "figure-8": picture("jain", JAIN, FAIR, {title: of for title, of in MODES.items() if of[0] != BARE}, columns=3),
    "notification": picture("throughput_mbps", THROUGHPUT, (ENG, METERED, NEAR_1, SACK), READ),
}
"""BTCP's BACK lies on its BLE and is not drawn."""
