"""Where the nodes of a network lie in its picture, from 0 to 1 in both directions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Place = tuple[float, float]

# Longitude and latitude of the cities of the 14-node NSFNET, in the order of its nodes: Seattle, Palo Alto, San Diego,
# Salt Lake City, Boulder, Houston, Lincoln, Champaign, Pittsburgh, Atlanta, Ann Arbor, Ithaca, Princeton, College Park.
_NSFNET = [
    (-122.3, 47.6), (-122.1, 37.4), (-117.2, 32.7), (-111.9, 40.8), (-105.3, 40.0), (-95.4, 29.8), (-96.7, 40.8),
    (-88.2, 40.1), (-80.0, 40.4), (-84.4, 33.7), (-83.7, 42.3), (-76.5, 42.4), (-74.7, 40.3), (-76.9, 39.0),
]  # fmt: skip
_NSFNET_FIBRES = {
    (0, 1), (0, 2), (0, 7), (1, 2), (1, 3), (2, 5), (3, 4), (3, 10), (4, 5), (4, 6), (5, 9), (5, 13), (6, 7), (7, 8),
    (8, 9), (8, 11), (8, 12), (10, 11), (10, 12), (11, 13), (12, 13),
}  # fmt: skip
_STEPS = 300
_MOST_SPRINGS = 400


def places(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, Place]:
    """A place for each node: those of NSFNET on its map, others where springs along the links put them."""
    fixed = _map_of(nodes, links)
    if len(nodes) > _MOST_SPRINGS:
        return _fitted(_circle(nodes))
    return _fitted(_springs(nodes, links, fixed))


def _map_of(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> dict[str, Place]:
    """Places on the map, if the network has NSFNET in it."""
    numbers = {str(number) for number in range(len(_NSFNET))}
    inner = {(int(a), int(b)) for a, b in links if a in numbers and b in numbers and int(a) < int(b)}
    if not numbers <= set(nodes) or inner != _NSFNET_FIBRES:
        return {}
    return {str(number): (west / 24, -north / 18) for number, (west, north) in enumerate(_NSFNET)}


def _circle(nodes: Sequence[str]) -> dict[str, Place]:
    angle = 2 * math.pi / max(1, len(nodes))
    return {node: (math.cos(k * angle), math.sin(k * angle)) for k, node in enumerate(nodes)}


def _springs(nodes: Sequence[str], links: Sequence[tuple[str, str]], fixed: Mapping[str, Place]) -> dict[str, Place]:
    """After Fruchterman and Reingold 1991, from a circle, so that the same network always gets the same picture."""
    number = {node: k for k, node in enumerate(nodes)}
    start = _circle(nodes)
    for a, b in links:
        # What hangs on a fixed node begins beside it.
        if a in fixed and b not in fixed:
            start[b] = (fixed[a][0] + 0.1 * start[b][0], fixed[a][1] + 0.1 * start[b][1])
    at = np.array([fixed.get(node, start[node]) for node in nodes], dtype=float).reshape(-1, 2)
    ends = np.array([(number[a], number[b]) for a, b in links if a != b], dtype=int).reshape(-1, 2)
    free = np.array([node not in fixed for node in nodes])
    length = (0.35 if fixed else 2 / math.sqrt(max(1, len(nodes)))) / (3 if fixed else 1)
    for step in range(_STEPS if free.any() else 0):
        push = _forces(at, ends, length)
        far = np.linalg.norm(push, axis=1, keepdims=True)
        most = length * (1 - step / _STEPS)
        at[free] += (push / np.maximum(far, 1e-9) * np.minimum(far, most))[free]
    return {node: (float(at[k, 0]), float(at[k, 1])) for k, node in enumerate(nodes)}


def _forces(at: NDArray[np.float64], ends: NDArray[np.int_], length: float) -> NDArray[np.float64]:
    apart = at[:, None, :] - at[None, :, :]
    squared = np.maximum((apart**2).sum(axis=2), 1e-6)
    push: NDArray[np.float64] = (apart * (length**2 / squared)[:, :, None]).sum(axis=1)
    along = at[ends[:, 1]] - at[ends[:, 0]]
    pull = along * np.linalg.norm(along, axis=1, keepdims=True) / length
    np.add.at(push, ends[:, 0], pull)
    np.add.at(push, ends[:, 1], -pull)
    return push


def _fitted(places: Mapping[str, Place]) -> dict[str, Place]:
    """Stretched to fill the picture; a direction without extent is its middle."""

    def fit(values: Sequence[float]) -> list[float]:
        low, high = min(values), max(values)
        return [0.5 if high - low < 1e-9 else (value - low) / (high - low) for value in values]

    if not places:
        return {}
    across, down = fit([x for x, _ in places.values()]), fit([y for _, y in places.values()])
    return {node: (round(x, 4), round(y, 4)) for node, x, y in zip(places, across, down, strict=True)}
