"""How pictures look: colours that colour-blind readers tell apart, and never the colour alone.

Colours: M. Okabe, K. Ito, *Color Universal Design*, 2008; without their yellow, which is too light for lines on white.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from photocol.plot.line_names import name_lines
from photocol.quantity import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SIZE_INCHES = (6.4, 4.0)
"""On a screen and in a report."""
COLUMN_INCHES = 3.5
"""The width of a column of IEEE's journals."""
PAGE_INCHES = 7.16
"""The width of both."""
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, "#000000", "0.5")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "ooo", "+++", "---")
OVERLAY_COLOURS = ("black", "0.35", "0.55")
OVERLAY_LINES: tuple[Any, ...] = ((0, (10, 3)), (0, (10, 3, 2, 3)), (0, (1, 4)))
"""Of what is laid over the curves of a picture; no curve has such a line."""
_GOLDEN = 1.6
_SMALL_PT = 7.0
_BESIDE_A_NAME = 10.5
"""What the line in a legend, its gap and that of the columns take, in letters."""
_HANDLE = 3.0
"""The length of a line in a legend, in letters: a dash and the gap behind it are seen."""
_BELOW_BASELINE_PT = 5.0
"""Room for the lower parts of a title's letters."""
ABOVE, AT_LINES = "above", "lines"
"""Where names of curves stand: in a legend above the axes, or at the right ends of the lines."""
_names: ContextVar[str] = ContextVar("names", default=ABOVE)
_PLAIN_LEAST, _PLAIN_MOST = 1e-3, 1e5
"""Between these the ticks of a logarithmic axis are plain numbers."""
_BETWEEN = (tuple(range(1, 10)), (1, 2, 3, 5), (1, 2, 5), (1, 3), (1,))
"""Digits that have numbers in a decade: the first for which there is room."""
_MOST_DECADES = 7
"""With a number each along the vertical axis."""


class Look(NamedTuple):
    """What tells a curve from the others, with and without colours."""

    colour: str
    line: Any
    marker: str


def looks(number: int) -> list[Look]:
    """So many, all different up to 280."""
    return [
        Look(COLOURS[i % len(COLOURS)], LINES[i % len(LINES)], MARKERS[i % len(MARKERS)]) for i in range(max(0, number))
    ]


def new_figure(width_inches: float | None = None) -> Figure:
    """A figure of a screen's size, or of this width."""
    from matplotlib.figure import Figure

    size = SIZE_INCHES if width_inches is None else (width_inches, width_inches / _GOLDEN)
    return Figure(figsize=size, layout="constrained")


@contextlib.contextmanager
def drawing(width_inches: float | None, names: str = ABOVE) -> Iterator[None]:
    """Matplotlib's settings while a file is drawn: fonts inside it, small text in a column, no random ids.

    `names` says where those of curves stand.
    """
    import matplotlib as mpl

    former = _names.set(names)
    with mpl.rc_context(), contextlib.ExitStack() as after:
        after.callback(_names.reset, former)
        mpl.rcParams.update({"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "photocol"})
        if width_inches is not None and width_inches <= PAGE_INCHES:
            mpl.rcParams.update({"font.size": _SMALL_PT, "axes.labelsize": _SMALL_PT, "legend.fontsize": _SMALL_PT})
            mpl.rcParams.update({"xtick.labelsize": _SMALL_PT, "ytick.labelsize": _SMALL_PT})
            mpl.rcParams.update({"lines.linewidth": 1.1, "lines.markersize": 4.5, "axes.linewidth": 0.6})
        yield


def every(number: int, place: int) -> tuple[int, int] | int:
    """At which samples of a long curve its markers stand: about eight, not where other curves have theirs."""
    if number <= 16:
        return 1
    step = number // 8
    return (place * step // 5 % step, step)


def width(times: float = 1.0) -> float:
    """So thick a line, of what is set for all."""
    import matplotlib as mpl

    return 0.9 * times * float(mpl.rcParams["lines.linewidth"])


def marker_size() -> float:
    """That of markers on lines, of what is set for all."""
    import matplotlib as mpl

    return 0.7 * float(mpl.rcParams["lines.markersize"])


def frame(axes: Axes, *, title: str = "") -> None:
    """What all plots share: grid, plain numbers at logarithmic axes, and the names of curves.

    They stand in a legend above the axes, with a title or none, where it hides nothing; a title that the axes have by
    then stands above it.
    """
    for axis in (axes.xaxis, axes.yaxis):
        _number_plainly(axis)
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if _names.get() == AT_LINES:
        name_lines(axes)
    labels = [label for label in axes.get_legend_handles_labels()[1] if label]
    if labels:
        axes.legend(
            title=title or None,
            title_fontsize="small",
            alignment="left",
            frameon=False,
            handlelength=_HANDLE,
            fontsize="small",
            ncols=columns(labels, axes.get_figure(root=True).get_figwidth()),  # type: ignore[union-attr]
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
        )
        lift_title(axes)


def common_legend(figure: Figure, cells: Sequence[Axes], title: str = "") -> None:
    """One legend above all cells in place of the legend of each; a single cell keeps its own."""
    handles = {label: line for cell in cells for line, label in zip(*cell.get_legend_handles_labels(), strict=True)}
    if not handles or len(cells) == 1:
        return
    for cell in cells:
        if (legend := cell.get_legend()) is not None:
            legend.remove()
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside upper left",
        ncols=columns(list(handles), figure.get_figwidth()),
        frameon=False,
        handlelength=_HANDLE,
        fontsize="small",
        title=title or None,
        title_fontsize="small",
        alignment="left",
    )


def name_time(axes: Axes) -> None:
    """Simulated time along x, in the unit that the right end asks for; the axis itself is in seconds."""
    from matplotlib.ticker import FuncFormatter

    divisor, unit = scale_of(axes.get_xlim()[1], "s")
    axes.set_xlabel(f"simulated time ({unit})")
    if divisor != 1.0:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / divisor:.6g}"))


def once(figure: Figure) -> Figure:
    """The figure, which a notebook shows as the value of a cell; what pyplot has open it would show once more."""
    import matplotlib as mpl
    from matplotlib import pyplot

    if "inline" in mpl.get_backend().lower():
        pyplot.close(figure)
    return figure


def columns(labels: Sequence[str], width_inches: float) -> int:
    """As many columns of a legend, which are filled one after the other, as fit above a figure.

    A letter is about half as wide as it is high.
    """
    import matplotlib as mpl
    import numpy as np

    letter_inches = 0.83 * 0.55 * float(mpl.rcParams["font.size"]) / 72
    long = [len(label) + _BESIDE_A_NAME for label in labels]
    wide = {
        number: sum(max(part) for part in np.array_split(long, number)) for number in range(1, min(4, len(long)) + 1)
    }
    return max(
        (number for number, letters in wide.items() if letters * letter_inches <= 0.85 * width_inches), default=1
    )


def lift_title(axes: Axes) -> None:
    """Let the title of the axes stand above their legend."""
    from matplotlib.text import Text

    legend, figure = axes.get_legend(), axes.get_figure(root=True)
    titles = [(loc, axes.get_title(loc)) for loc in ("left", "center", "right")]
    if legend is None or figure is None or not any(text for _, text in titles):
        return
    figure.draw_without_rendering()
    pad = (legend.get_window_extent().y1 - axes.get_window_extent().y1) * 72 / figure.dpi + _BELOW_BASELINE_PT
    drawn = {one.get_text(): one for one in axes.get_children() if isinstance(one, Text)}
    for loc, text in titles:
        if text:
            kept = {"fontproperties": drawn[text].get_fontproperties(), "color": drawn[text].get_color()}
            axes.set_title(text, loc=loc, pad=pad, **kept)  # type: ignore[arg-type]


def _number_plainly(axis: Axis) -> None:
    """Plain numbers at a logarithmic axis, between decades too where there is room; named ticks stay."""
    import matplotlib as mpl
    from matplotlib.axis import YAxis
    from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator

    if axis.get_scale() != "log" or not isinstance(axis.get_major_formatter(), LogFormatter):
        return
    major, minor = axis.get_major_formatter(), axis.get_minor_formatter()

    def span() -> tuple[float, float]:
        low, high = sorted(axis.get_view_interval())
        return float(low), float(high)

    def is_plain() -> bool:
        return span()[0] >= _PLAIN_LEAST and span()[1] <= _PLAIN_MOST

    def between(value: float, place: int | None) -> str:
        low, high = span()
        if not is_plain():
            return minor(value, place) if high < 10 * low else ""
        return f"{value:g}" if int(f"{value:e}"[0]) in _digits(axis, low, high) else ""

    # Long and short ticks have their numbers at one height.
    long, short = float(mpl.rcParams["xtick.major.size"]), float(mpl.rcParams["xtick.minor.size"])
    axis.set_tick_params(which="minor", pad=float(mpl.rcParams["xtick.major.pad"]) + long - short)
    if isinstance(axis, YAxis):
        axis.set_major_locator(LogLocator(numticks=_MOST_DECADES))
    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}" if is_plain() else major(value, place)))
    axis.set_minor_formatter(FuncFormatter(between))


def _digits(axis: Axis, low: float, high: float) -> tuple[int, ...]:
    """The digits whose numbers have room beside each other in every decade of an axis from `low` to `high`."""
    from matplotlib.axis import YAxis

    figure, box = axis.get_figure(root=True), axis.axes.get_window_extent()
    letter = float(axis.get_major_ticks(1)[0].label1.get_fontsize()) / 72 * (figure.dpi if figure is not None else 72)
    is_up = isinstance(axis, YAxis)
    # Numbers stand a part of a letter apart; the longest of them is at an end of the axis.
    longest = max(len(f"{float(f'{end:.0e}'):g}") for end in (low, high))
    needed = 1.35 * letter if is_up else (0.65 * longest + 0.6) * letter
    decade = (box.height if is_up else box.width) / math.log10(high / low)
    steps = {digits: min(math.log10(b / a) for a, b in itertools.pairwise((*digits, 10))) for digits in _BETWEEN}
    return next((digits for digits in _BETWEEN if steps[digits] * decade >= needed), (1,))
