"""What needs the finished drawing: lines of labels that are broken, numbers and names that would touch, short times."""

from __future__ import annotations

import itertools
import math
import re
import textwrap
from typing import TYPE_CHECKING

from photocol.plot.line_names import place_names
from photocol.plot.style import lift_title
from photocol.quantity import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

_MOST_PASSES = 4
"""A label in two lines takes room from others."""
_FEWEST_LETTERS = 12
"""Of a line that was broken."""
_GAP = 0.4
"""Between names side by side, in heights of a letter."""
_ASLANT = 30.0
_LEADING = 1.1
"""From one line to the next, in heights of a text."""
_IN_SECONDS = re.compile(r"\(s\)$")


def fit(figure: Figure) -> None:
    """Make room for every text, when everything is drawn.

    Lines of labels and legends that are longer than what they stand at are broken; of names along an axis that would
    touch, every second or third stays; names at lines stand apart; times far below a second are in a smaller unit.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _shorten_times(axis)
    whole: dict[Text, str] = {}
    for _ in range(_MOST_PASSES):
        figure.draw_without_rendering()
        broken = [_fitted(text, room, whole) for text, room in _texts(figure)]
        broken += [_thinned(axes) for axes in figure.axes]
        for axes in figure.axes:
            place_names(axes)
        if not any(broken):
            break
    for axes in figure.axes:
        lift_title(axes)
        place_names(axes)


def heighten(figure: Figure) -> None:
    """Make a figure as high as the names at its vertical axes need, one below the other."""
    from matplotlib.ticker import FixedLocator

    figure.draw_without_rendering()
    missing = 0.0
    for axes in figure.axes:
        ticks = axes.yaxis.get_major_ticks()
        if not isinstance(axes.yaxis.get_major_locator(), FixedLocator) or len(ticks) < 2:
            continue
        places = sorted(float(axes.transData.transform((0.0, tick.get_loc()))[1]) for tick in ticks)
        step = min(after - before for before, after in itertools.pairwise(places))
        needed = _LEADING * max(tick.label1.get_window_extent().height for tick in ticks)
        if 0 < step < needed and axes.get_yscale() == "linear":
            missing = max(missing, axes.get_window_extent().height * (needed / step - 1))
    if missing:
        figure.set_figheight(figure.get_figheight() + missing / figure.dpi)


def _texts(figure: Figure) -> Iterator[tuple[Text, float]]:
    """Each text that may be too long, and how much room it has, in pixels."""
    from matplotlib.text import Annotation, Text

    for axes in figure.axes:
        room = axes.get_window_extent()
        yield axes.xaxis.label, room.width
        yield axes.yaxis.label, room.height
        # Titles.
        texts = [text for text in axes.get_children() if isinstance(text, Text)]
        yield from ((text, room.width) for text in texts if not isinstance(text, Annotation))
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


def _thinned(axes: Axes) -> bool:
    """Whether names along x had to be left out, each of which would touch the one before it that stays."""
    from matplotlib.ticker import FixedFormatter, FixedLocator

    axis = axes.xaxis
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return False
    ticks = axis.get_major_ticks()
    names = [tick.label1.get_text() for tick in ticks]
    kept, last, before = list[str](), -math.inf, 0.0
    for tick, name in zip(ticks, names, strict=True):
        at = float(axes.transData.transform((tick.get_loc(), 0.0))[0])
        is_free = bool(name) and at - last >= max(before, _room(tick.label1))
        kept.append(name if is_free else "")
        if is_free:
            last, before = at, _room(tick.label1)
    if kept == names:
        return False
    labels = [tick.label1 for tick in ticks]
    if not any(label.get_rotation() for label in labels) and not all(map(_is_number, names)):
        # Aslant they may have room, and no name is lost.
        axis.set_tick_params(rotation=_ASLANT)
        for label in labels:
            label.set_horizontalalignment("right")
            label.set_rotation_mode("anchor")
        return True
    axis.set_major_formatter(FixedFormatter(kept))
    return True


def _is_number(name: str) -> bool:
    return name.replace(".", "").replace("\N{MINUS SIGN}", "").isdigit() or not name


def _room(text: Text) -> float:
    """How far along x the next text of the same kind may begin, in pixels."""
    turn = text.get_rotation()
    text.set_rotation(0)
    box = text.get_window_extent()
    text.set_rotation(turn)
    gap = _GAP * box.height
    aslant = abs(math.sin(math.radians(turn)))
    return float(min(box.width + gap, box.height * _LEADING / aslant) if aslant else box.width + gap)


def _shorten_times(axis: Axis) -> None:
    """An axis in seconds that ends far below one gets the unit that its end asks for."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter

    most = max(map(abs, axis.get_view_interval()))
    divisor, unit = scale_of(float(most), "s")
    if divisor >= 1.0 or not _IN_SECONDS.search(axis.get_label_text()):
        return
    axis.set_label_text(_IN_SECONDS.sub(f"({unit})", axis.get_label_text()))
    minor = axis.get_minor_formatter()

    def short(value: float) -> str:
        return f"{value / divisor:.6g}"

    if isinstance(axis.get_major_locator(), FixedLocator):
        axis.set_major_formatter(FixedFormatter([short(float(at)) for at in axis.get_majorticklocs()]))
    else:
        axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
    axis.set_minor_formatter(FuncFormatter(lambda value, place: short(value) if minor(value, place) else ""))
