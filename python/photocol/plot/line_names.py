"""The names of curves at their right ends, one above the other where ends lie close together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_MARK = "name of a line"
_LEADING = 1.05
"""From one name to the next, in heights of a name."""


def name_lines(axes: Axes) -> None:
    """Give the names of the lines to their right ends; they find their heights when everything is drawn."""
    ends = []
    for line in axes.get_lines():
        at = np.asarray(line.get_xydata(), dtype=float)
        at = at[np.isfinite(at).all(axis=1)]
        if len(at) and line.get_label() and not str(line.get_label()).startswith("_"):
            ends.append((tuple(at[np.argmax(at[:, 0])]), line))
    for end, line in sorted(ends, key=lambda one: float(one[0][1])):
        name = str(line.get_label())
        note = axes.annotate(
            name, (1.02, 0.5), xycoords="axes fraction", color=line.get_color(), fontsize="small", va="center"
        )
        note.set_annotation_clip(False)
        note.set_gid(_MARK)
        note.end = end  # type: ignore[attr-defined]
        line.set_label(f"_{name}")
    place_names(axes)


def place_names(axes: Axes) -> None:
    """Let each name stand at the height of its line's end, moved as little as keeps it apart from the others."""
    notes = [text for text in axes.texts if text.get_gid() == _MARK]
    if not notes:
        return
    within = axes.get_window_extent()
    to_height = axes.transData + axes.transAxes.inverted()
    ends = [float(to_height.transform(note.end)[1]) for note in notes]  # type: ignore[attr-defined]
    step = _LEADING * max(note.get_window_extent().height for note in notes) / within.height
    order = np.argsort(ends, kind="stable")
    for number, place in zip(order, _apart([ends[number] for number in order], step), strict=True):
        notes[number].set_y(place)


def _apart(places: Sequence[float], step: float) -> list[float]:
    """Ascending places within 0 and 1, moved as little as keeps them a step apart from the lowest up.

    Where there is no room for all of them they begin below.
    """
    moved: list[float] = []
    for place in places:
        moved.append(max(0.0, min(1.0, place)) if not moved else max(min(1.0, place), moved[-1] + step))
    most = 1.0
    for number in reversed(range(len(moved))):
        moved[number] = min(moved[number], most)
        most = moved[number] - step
    return moved
