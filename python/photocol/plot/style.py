"""How pictures look: colours that colour-blind readers tell apart, and never the colour alone.

Colours: M. Okabe, K. Ito, *Color Universal Design*, 2008; without their yellow, which is too light for lines on white.
"""

from __future__ import annotations

import contextlib
import textwrap
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from photocol.quantity import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
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
_HANDLE = 3.0
"""The length of a line in a legend, in letters: a dash and the gap behind it are seen."""
_MOST_PASSES = 4
"""A label in two lines takes room from others."""
_BELOW_BASELINE_PT = 5.0
"""Room for the lower parts of a title's letters."""
_FEWEST_LETTERS = 12
"""Of a line that was broken."""
ABOVE, AT_LINES = "above", "lines"
"""Where names of curves stand: in a legend above the axes, or at the right ends of the lines."""
_names: ContextVar[str] = ContextVar("names", default=ABOVE)
_PLAIN_LEAST, _PLAIN_MOST = 1e-3, 1e5
"""Between these the ticks of a logarithmic axis are plain numbers."""
_BETWEEN = ((4.0, (1, 2, 3, 4, 5, 6, 7, 8, 9)), (15.0, (1, 2, 3, 5)), (40.0, (1, 2, 5)))
"""Greatest over least value of an axis, and the digits that have numbers up to there."""


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
        _name_lines(axes)
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
        _lift_title(axes)


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


def fit(figure: Figure) -> None:
    """Break the lines of labels and legends that are longer than what they stand at, when everything is drawn."""
    whole: dict[Text, str] = {}
    for _ in range(_MOST_PASSES):
        figure.draw_without_rendering()
        broken = [_fitted(text, room, whole) for text, room in _texts(figure)]
        if not any(broken):
            break
    for axes in figure.axes:
        _lift_title(axes)


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


def columns(labels: Sequence[str], width_inches: float) -> int:
    """As many columns of a legend as fit above a figure; a letter is about half as wide as it is high."""
    import matplotlib as mpl

    letter_inches = 0.83 * 0.55 * float(mpl.rcParams["font.size"]) / 72
    longest = (max(map(len, labels), default=0) + 7) * letter_inches
    return max(1, min(4, len(labels), int(width_inches * 0.85 / longest)))


def _lift_title(axes: Axes) -> None:
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
    """Plain numbers at a logarithmic axis, between decades too where it spans few; named ticks stay."""
    from matplotlib.ticker import FuncFormatter, LogFormatter

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
        digits = next((digits for most, digits in _BETWEEN if high <= most * low), ())
        return f"{value:g}" if int(f"{value:e}"[0]) in digits else ""

    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}" if is_plain() else major(value, place)))
    axis.set_minor_formatter(FuncFormatter(between))


def _name_lines(axes: Axes) -> None:
    """The names of the lines at their right ends, one below the other where ends lie close together."""
    import matplotlib as mpl
    import numpy as np

    figure = axes.get_figure(root=True)
    assert figure is not None, "axes are in a figure"
    axes.autoscale_view()
    ends = []
    for line in axes.get_lines():
        at = np.asarray(line.get_xydata(), dtype=float)
        at = at[np.isfinite(at).all(axis=1)]
        if len(at) and line.get_label() and not str(line.get_label()).startswith("_"):
            height = axes.transAxes.inverted().transform(axes.transData.transform(at[np.argmax(at[:, 0])]))[1]
            ends.append((float(height), line))
    if not ends:
        return
    # A line of text, of the part of the figure's height that axes have.
    step = 0.83 * 1.25 * float(mpl.rcParams["font.size"]) / 72 / (0.75 * figure.get_figheight() * _share(axes))
    places = _apart([height for height, _ in sorted(ends, key=lambda one: one[0])], step)
    for place, (_, line) in zip(places, sorted(ends, key=lambda one: one[0]), strict=True):
        name = str(line.get_label())
        axes.annotate(
            name,
            (1.02, place),
            xycoords="axes fraction",
            color=line.get_color(),
            fontsize="small",
            va="center",
            annotation_clip=False,
        )
        line.set_label(f"_{name}")


def _share(axes: Axes) -> float:
    """The part of the figure's rows that the axes have."""
    place = axes.get_subplotspec()
    return 1.0 if place is None else 1.0 / place.get_gridspec().nrows


def _apart(places: Sequence[float], step: float) -> list[float]:
    """Ascending places within 0 and 1, moved as little as keeps them a step apart from the lowest up."""
    moved: list[float] = []
    for place in places:
        moved.append(max(0.0, min(1.0, place)) if not moved else max(min(1.0, place), moved[-1] + step))
    most = 1.0
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], most)
        most = moved[number] - step
    return moved
