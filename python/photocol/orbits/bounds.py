"""Lower bounds of path lengths over a window of steps.

A link's length bends little within some seconds: it lies above the straight line between its two ends of the window,
less the most that it sags below. So with these shortened lengths at both ends, the shortest paths from a station to all
nodes give at any step between, by the same straight line, a length that no path to there can be below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN_M = 1e-3
"""Sums of the bounds are rounded; this is far more."""


@dataclass(frozen=True)
class Bounds:
    """At the first and the last step of a window, arrays of shape (nodes, stations): no path is shorter, in metres."""

    first: NDArray[np.float64]
    last: NDArray[np.float64]


def sagged(lengths: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lengths (instants, links) at both ends, less what they sag below the straight line between them."""
    share = np.linspace(0.0, 1.0, len(lengths))[:, None]
    sag = np.maximum(((1 - share) * lengths[0] + share * lengths[-1] - lengths).max(axis=0, initial=0.0), 0.0)
    return np.maximum(lengths[0] - sag, 0.0), np.maximum(lengths[-1] - sag, 0.0)


class Relaxation:
    """Shortest lengths from several sources at once over links that do not change, by Bellman and Ford.

    Nodes stand by falling number of neighbours, so those that have a third neighbour are the first so many.
    """

    def __init__(self, nodes: int, links: NDArray[np.intp]) -> None:
        """`links` has shape (links, 2) and goes both ways."""
        source = np.concatenate([links[:, 0], links[:, 1]])
        target = np.concatenate([links[:, 1], links[:, 0]])
        degree = np.bincount(target, minlength=nodes)
        self.order = np.argsort(-degree, kind="stable")
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(nodes)
        by_target = np.argsort(self.place[target], kind="stable")
        begin = np.cumsum(degree[self.order]) - degree[self.order]
        column = np.arange(len(by_target)) - np.repeat(begin, degree[self.order])
        self.rounds = []
        for turn in range(int(degree.max(initial=0))):
            part = by_target[column == turn]
            self.rounds.append((self.place[source[part]], part % len(links)))

    def lengths(self, lengths: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        """The shortest from the sources, whose own lengths `start` (nodes, sources) has, infinite elsewhere."""
        found = start[self.order]
        before, way = np.empty_like(found), np.empty_like(found)
        rounds = [(neighbours, lengths[links][:, None]) for neighbours, links in self.rounds]
        while not np.array_equal(before, found):
            before[:] = found
            for neighbours, weight in rounds:
                part = slice(len(neighbours))
                np.take(found, neighbours, axis=0, out=way[part], mode="clip")
                way[part] += weight
                np.minimum(found[part], way[part], out=found[part])
        return found[self.place]
