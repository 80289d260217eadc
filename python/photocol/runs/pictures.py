"""Two means of every picture: PNG files of few colours, and logarithmic axes for what may be zero."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np

from photocol.runs import storage

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DATES = {".svg": "Date", ".pdf": "CreationDate"}
"""What a format calls the time at which a file was written."""
_PNG_COLOURS = 256
_STEP = 10**0.6
"""From the lowest decade that is needed down to the place of zero."""


def save_png(figure: Figure, file: Path, dpi: int) -> None:
    """Write a figure as a PNG of 256 colours: a third of the size, and no eye sees the difference in a line plot.

    Free of dates and names of programs, so that equal figures give equal files.
    """
    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    with Image.open(buffer) as picture:
        few = picture.convert("RGB").quantize(_PNG_COLOURS, dither=Image.Dither.NONE)
    with storage.naming(file):
        few.save(file, format="PNG", optimize=True)


def save_vectors(figure: Figure, file: Path) -> None:
    """Write a figure as SVG or PDF, as the name of the file ends, free of dates. It is drawn before it is written."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=file.suffix[1:], metadata={DATES[file.suffix]: None})
    with storage.naming(file):
        file.write_bytes(buffer.getvalue())


def logarithmic_with_zero(axes: Axes) -> None:
    """Make the vertical axis of drawn lines logarithmic.

    Where a line is zero it is not drawn; a hollow marker stands at the tick "0" below a dotted line, so that no slope
    pretends to a value in between. Without zeros it is an ordinary logarithmic axis.
    """
    # Lines across the whole picture (axvline) have no values of their own.
    lines = [line for line in axes.get_lines() if line.get_transform().contains_branch_seperately(axes.transData)[1]]
    values = [np.asarray(line.get_ydata(), dtype=float) for line in lines]
    positive = [float(value) for one in values for value in one[np.isfinite(one) & (one > 0)]]
    axes.set_yscale("log")
    if not positive or not any((one == 0).any() for one in values):
        return
    lowest = 10.0 ** math.floor(math.log10(min(positive)))
    zero_at = lowest / _STEP
    for line, one in zip(lines, values, strict=True):
        is_zero = one == 0
        line.set_ydata(np.where(is_zero, np.nan, one))
        axes.plot(
            np.asarray(line.get_xdata())[is_zero],
            np.full(int(is_zero.sum()), zero_at),
            linestyle="none",
            marker=line.get_marker() if line.get_marker() not in ("", "None", None) else "o",
            markersize=line.get_markersize(),
            markerfacecolor="white",
            markeredgecolor=line.get_color(),
            label="_zero",
        )
    axes.axhline(lowest / math.sqrt(_STEP), color="0.6", linewidth=0.8, linestyle=":", label="_break")
    _mark(axes, lowest, zero_at, max(positive))


def _mark(axes: Axes, lowest: float, zero_at: float, highest: float) -> None:
    """Ticks: zero, and decades."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogFormatterSciNotation

    first, last = round(math.log10(lowest)), math.ceil(math.log10(highest))
    decades = LogFormatterSciNotation()
    axes.yaxis.set_major_locator(FixedLocator([zero_at, *(10.0**power for power in range(first, last + 1))]))
    axes.yaxis.set_minor_locator(
        FixedLocator([digit * 10.0**power for power in range(first, last) for digit in range(2, 10)])
    )
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, place: "0" if value < lowest * 0.99 else decades(value, place))
    )
    axes.set_ylim(zero_at / 1.4, max(highest * 1.4, 10.0**first))
