"""Small panels in the place of one picture: a reading or a mode each, the same few senders in all of them.

Colour, mark and line tell a sender and its reading everywhere in the pictures of paper 001's network: TCP-ENG under
`ben-only` has a full line and filled marks, under `large-window` a broken line and hollow marks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ._compare import BAIMD, BTCP, RENO, RENO_NS2, SACK
from ._network import METERED, NEAR_1, SHADES
from ._readings import ENG, LARGE_WINDOW, is_eng

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

MARKS = {
    ENG: "o",
    METERED: "X",
    NEAR_1: "P",
    SACK: "s",
    RENO: "^",
    RENO_NS2: "v",
    BAIMD: "D",
    **dict(zip(BTCP, ("<", ">", "*"), strict=True)),
}
PANEL_INCHES = (3.7, 2.9)
LETTER_INCHES, LINE_INCHES = 0.065, 0.19
"""The width of a letter of the legend, on average, and the height of its lines."""
LOSS = "probability that a burst is lost on its path"
THROUGHPUT = "throughput of a flow (Mb/s)"


class Labels(NamedTuple):
    """What the axes of all panels are."""

    across: str
    up: str


def panels(axes: Axes, titles: Sequence[str], draw: Callable[[Axes, str], None], labels: Labels, columns: int) -> None:
    """Draw a panel for each title, with common axes and one legend above them all."""
    figure = axes.get_figure(root=True)
    place = axes.get_subplotspec()
    assert figure is not None and place is not None, "a plot is drawn on a subplot of a figure"
    axes.remove()
    rows = -(-len(titles) // columns)
    cells = place.subgridspec(rows, columns)
    first: Axes | None = None
    entries: dict[str, Any] = {}
    for number, title in enumerate(titles):
        panel = figure.add_subplot(cells[number // columns, number % columns], sharex=first, sharey=first)
        first = first or panel
        draw(panel, title)
        panel.set_title(title, fontsize=9, loc="left")
        panel.grid(visible=True, color="0.9", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xlabel(labels.across, fontsize=9)
        panel.set_ylabel(labels.up, fontsize=9)
        panel.tick_params(labelsize=8)
        panel.label_outer()
        handles, names = panel.get_legend_handles_labels()
        entries |= {name: handle for name, handle in zip(names, handles, strict=True) if name not in entries}
    for panel in figure.axes:
        few_labels(panel)
    width, height = PANEL_INCHES[0] * columns, PANEL_INCHES[1] * rows
    beside = max(1, min(len(entries), int(width / ((max(map(len, entries), default=0) + 8) * LETTER_INCHES))))
    figure.set_size_inches(width, height + LINE_INCHES * -(-len(entries) // beside))
    figure.legend(entries.values(), entries, loc="outside upper center", frameon=False, fontsize=8, ncols=beside)


def few_labels(axes: Axes) -> None:
    """On a logarithmic axis: numbers at 1, 2 and 5 where it has less than two decades, else powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    limits = ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))
    for axis, (low, high) in limits:
        if axis.get_scale() != "log":
            continue
        axis.set_minor_formatter(NullFormatter())
        if high < 100 * low:
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter("{x:g}")


def look(sender: str, reading: str, *, told: bool = True) -> dict[str, Any]:
    """The line of a sender under a reading, and its name in the legend: with the reading where no title tells it."""
    large = is_eng(sender) and reading == LARGE_WINDOW
    return {
        "color": SHADES[sender],
        "marker": MARKS[sender],
        "markersize": 4.5,
        "linewidth": 1.2,
        "linestyle": "--" if large else "-",
        "markerfacecolor": "none" if large else SHADES[sender],
        "label": f"{sender}, {reading}" if told and is_eng(sender) else sender,
    }
