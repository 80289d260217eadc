"""Places of a network whose core is a chain, a star or a column: hosts left and right by their distance from the core.

A dumbbell then looks like one. Other networks are for springs (`photocol.report.places`).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Place = tuple[float, float]
Neighbours = dict[str, list[str]]


def sides(nodes: Sequence[str], links: Sequence[tuple[str, str]], core: Sequence[str]) -> dict[str, Place] | None:
    """A place for each node, or None where the core is no chain and no column, or some node is not joined to it."""
    near = _neighbours(nodes, links)
    columns = _columns(core, near)
    if columns is None:
        return None
    parent = _parents(columns, near)
    if len(parent) < len(nodes):
        return None
    children: Neighbours = {node: [] for node in nodes}
    for node, above in parent.items():
        if above is not None:
            children[above].append(node)
    return _placed(columns, children)


def _neighbours(nodes: Sequence[str], links: Sequence[tuple[str, str]]) -> Neighbours:
    near: dict[str, dict[str, None]] = {node: {} for node in nodes}
    for a, b in links:
        if a != b:
            near[a][b] = near[b][a] = None
    return {node: list(others) for node, others in near.items()}


def _columns(core: Sequence[str], near: Neighbours) -> list[list[str]] | None:
    """The core from left to right: a node a column if it is a chain, one column if no two of its nodes are joined."""
    among = {node: [other for other in near[node] if other in set(core)] for node in core}
    if not core:
        return None
    if not any(among.values()):
        return [list(core)]
    ends = [node for node in core if len(among[node]) == 1]
    if len(ends) != 2 or any(len(others) not in (1, 2) for others in among.values()):
        return None
    chain = [ends[0]]
    while len(chain) < len(core):
        onward = [node for node in among[chain[-1]] if node not in chain[-2:]]
        if not onward:
            return None
        chain.append(onward[0])
    return [[node] for node in chain]


def _parents(columns: Sequence[Sequence[str]], near: Neighbours) -> dict[str, str | None]:
    """For each node the neighbour by which it comes to the core, over the fewest links; None for the core itself."""
    parent: dict[str, str | None] = {node: None for column in columns for node in column}
    waiting = deque(parent)
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in parent:
                parent[other] = node
                waiting.append(other)
    return parent


def _placed(columns: Sequence[Sequence[str]], children: Neighbours) -> dict[str, Place]:
    """Trees of the first column grow to the left, of the last to the right, of those between up and down in turn."""
    last = len(columns) - 1
    at: dict[str, Place] = {}
    left, right = _split(columns, children)
    for side, trees, root in ((-1.0, left, 0.0), (1.0, right, float(last))):
        _tree(trees, children, root, side, at)
    for number, column in enumerate(columns):
        for k, node in enumerate(column):
            at[node] = (float(number), (k + 0.5) / len(column))
    for number, [node] in enumerate(columns[1:-1], start=1):
        _hang(children[node], children, float(number), at)
    return at


def _split(columns: Sequence[Sequence[str]], children: Neighbours) -> tuple[list[str], list[str]]:
    """The trees on both sides; those of a single column are shared out, first half left."""
    if len(columns) > 1:
        return children[columns[0][0]], children[columns[-1][0]]
    trees = [tree for node in columns[0] for tree in children[node]]
    half = (len(trees) + 1) // 2
    return trees[:half], trees[half:]


def _tree(trees: Sequence[str], children: Neighbours, root: float, side: float, at: dict[str, Place]) -> None:
    """Trees one above the other: leaves at equal distances, each other node in the middle of its own."""
    order, depth = _walk(trees, children)
    leaves = [node for node in order if not children[node]]
    height = {node: (k + 0.5) / len(leaves) for k, node in enumerate(leaves)}
    for node in reversed(order):
        if children[node]:
            height[node] = sum(height[child] for child in children[node]) / len(children[node])
        at[node] = (root + side * depth[node], height[node])


def _walk(trees: Sequence[str], children: Neighbours) -> tuple[list[str], dict[str, int]]:
    """The nodes of trees, each before its children, and their distances from the core."""
    order: list[str] = []
    depth: dict[str, int] = {}
    waiting = [(tree, 1) for tree in reversed(trees)]
    while waiting:
        node, far = waiting.pop()
        order.append(node)
        depth[node] = far
        waiting += [(child, far + 1) for child in reversed(children[node])]
    return order, depth


def _hang(trees: Sequence[str], children: Neighbours, middle: float, at: dict[str, Place]) -> None:
    """Trees above and below a node in the middle of a chain, in turn."""
    order, depth = _walk(trees, children)
    sides: Mapping[bool, list[str]] = {False: order[0::2], True: order[1::2]}
    for below, side in sides.items():
        for k, node in enumerate(side):
            across = middle + 0.7 * ((k + 0.5) / len(side) - 0.5)
            far = min(0.35, 0.25 * depth[node])
            at[node] = (across, 0.5 + far if below else 0.5 - far)
