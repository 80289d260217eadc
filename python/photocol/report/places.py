"""Where the nodes of a network lie in its picture, from 0 to 1 in both directions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from photocol.report.shapes import tiers
from photocol.report.sides import sides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Place = tuple[float, float]
Degrees = tuple[float, float]
"""Latitude and longitude."""
_HALF_TURN = 180.0

_STEPS = 300
_MOST_SPRINGS = 400


def places(
    nodes: Sequence[str],
    links: Sequence[tuple[str, str]],
    on_map: Mapping[str, Degrees] | None = None,
    core: Sequence[str] = (),
) -> dict[str, Place]:
    """A place for each node: on the map if its coordinates are known.

    Others stand left and right of a core that is a chain or a column, by their distance from it; in tiers if the core
    has layers; else where springs along the links put them.
    """
    fixed = _projected(on_map or {})
    known = set(core)
    beside = None if fixed else sides(nodes, links, [node for node in nodes if node in known])
    if beside is None and not fixed:
        beside = tiers(nodes, links, known)
    if beside is not None:
        return fitted(beside)
    if len(nodes) > _MOST_SPRINGS and len(fixed) < len(nodes):
        return fitted(_circle(nodes))
    return fitted(_springs(nodes, links, fixed))


def _projected(on_map: Mapping[str, Degrees]) -> dict[str, Place]:
    """Degrees on a plane, north up, about two wide: equirectangular, true to scale at the mean latitude."""
    if not on_map:
        return {}
    norths, easts = (np.array(side, dtype=float) for side in zip(*on_map.values(), strict=True))
    if np.ptp(easts) > _HALF_TURN:
        # A network across the Pacific is not cut at the date line.
        easts = np.where(easts < 0, easts + 2 * _HALF_TURN, easts)
    across, down = easts * math.cos(math.radians(float(norths.mean()))), -norths
    width = max(float(np.ptp(across)), float(np.ptp(down)), 1e-9) / 2
    return {node: (float(x / width), float(y / width)) for node, x, y in zip(on_map, across, down, strict=True)}


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


def fitted(places: Mapping[str, Place]) -> dict[str, Place]:
    """Stretched to fill the picture; a direction without extent is its middle."""

    def fit(values: Sequence[float]) -> list[float]:
        low, high = min(values), max(values)
        return [0.5 if high - low < 1e-9 else (value - low) / (high - low) for value in values]

    if not places:
        return {}
    across, down = fit([x for x, _ in places.values()]), fit([y for _, y in places.values()])
    return {node: (round(x, 4), round(y, 4)) for node, x, y in zip(places, across, down, strict=True)}
