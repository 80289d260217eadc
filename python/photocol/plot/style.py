"""How pictures look: colours that colour-blind readers tell apart, and never the colour alone.

Colours: M. Okabe, K. Ito, *Color Universal Design*, 2008; without their yellow, which is too light for lines on white.
"""

from __future__ import annotations

import contextlib
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

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
_MOST_PASSES = 4
"""A label in two lines takes room from others."""
_FEWEST_LETTERS = 12
"""Of a line that was broken."""


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
def drawing(width_inches: float | None) -> Iterator[None]:
    """Matplotlib's settings while a file is drawn: fonts inside it, small text in a column, no random ids."""
    import matplotlib as mpl

    with mpl.rc_context():
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
    """What all plots share; the legend, with a title or none, stands above the axes, where it hides nothing."""
    labels = [label for label in axes.get_legend_handles_labels()[1] if label]
    if labels:
        axes.legend(
            title=title or None,
            title_fontsize="small",
            alignment="left",
            frameon=False,
            fontsize="small",
            ncols=_columns(axes, labels),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            borderaxespad=0.2,
        )
    axes.grid(visible=True, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def once(figure: Figure) -> Figure:
    """The figure, which a notebook shows as the value of a cell; what pyplot has open it would show once more."""
    import matplotlib as mpl
    from matplotlib import pyplot

    if "inline" in mpl.get_backend().lower():
        pyplot.close(figure)
    return figure


def fit(figure: Figure) -> None:
    """Break the lines of labels and legends that are longer than what they stand at, when everything is drawn."""
    whole: dict[Text, str] = {}
    for _ in range(_MOST_PASSES):
        figure.draw_without_rendering()
        broken = [_fitted(text, room, whole) for text, room in _texts(figure)]
        if not any(broken):
            return


def _texts(figure: Figure) -> Iterator[tuple[Text, float]]:
    """Each text that may be too long, and how much room it has, in pixels."""
    from matplotlib.text import Text

    for axes in figure.axes:
        room = axes.get_window_extent()
        yield axes.xaxis.label, room.width
        yield axes.yaxis.label, room.height
        # Titles.
        yield from ((text, room.width) for text in axes.get_children() if isinstance(text, Text))
        if (legend := axes.get_legend()) is not None:
            over = max(0.0, legend.get_window_extent().x1 - figure.bbox.x1)
            yield from ((text, text.get_window_extent().width - over) for text in legend.get_texts())
    yield from ((text, 0.97 * figure.bbox.width) for text in figure.texts)


def _fitted(text: Text, room: float, whole: dict[Text, str]) -> bool:
    """Whether a text had to be broken into more lines; `whole` keeps it as it was."""
    box, now = text.get_window_extent(), text.get_text().split("\n")
    length = box.height if text.get_rotation() == 90 else box.width
    if length <= room:
        return False
    letters = max(_FEWEST_LETTERS, int(max(map(len, now)) * room / length))
    lines = whole.setdefault(text, text.get_text()).split("\n")
    broken = "\n".join(textwrap.fill(line, letters, break_long_words=False, break_on_hyphens=False) for line in lines)
    is_new = broken != text.get_text()
    text.set_text(broken)
    return is_new


def _columns(axes: Axes, labels: list[str]) -> int:
    """As many columns of a legend as fit above the axes; a letter is about half as wide as it is high."""
    import matplotlib as mpl

    letter_inches = 0.83 * 0.55 * float(mpl.rcParams["font.size"]) / 72
    longest = (max(map(len, labels)) + 7) * letter_inches
    room = axes.get_figure(root=True).get_figwidth() * 0.85  # type: ignore[union-attr]
    return max(1, min(4, int(room / longest)))
