"""Places of networks in layers and of networks around circuit switches: trees in tiers, racks in a ring.

Fat trees and leaves with spines are drawn as their papers draw them, hosts below. Other networks are for
`photocol.report.sides` and `photocol.report.places`.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

Place = tuple[float, float]
_FEWEST_TIERS = 3
_OUTER, _INNER = 1.35, 0.3
"""How far from the middle hosts and other nodes stand, where racks stand at 1."""


def tiers(nodes: Sequence[str], links: Sequence[tuple[str, str]], core: Collection[str]) -> dict[str, Place] | None:
    """A place for each node by its distance from the hosts; None where a link joins nodes of one tier, or two apart."""
    near = _neighbours(nodes, links)
    height = _heights(near, [node for node in nodes if node not in core])
    is_layered = len(height) == len(nodes) and all(abs(height[a] - height[b]) == 1 for a, b in links if a != b)
    count = 1 + max(height.values(), default=0)
    if not is_layered or count < _FEWEST_TIERS:
        return None
    at: dict[str, Place] = {}
    for tier in range(count):
        row = [node for node in nodes if height[node] == tier]
        below = {node: [at[other][0] for other in near[node] if height[other] == tier - 1] for node in row}
        if tier:
            # Each stands over the nodes that it joins; those over the same ones in their own order.
            row.sort(key=lambda node: round(_mean(below[node]), 6))
        at |= {node: ((k + 0.5) / len(row), -float(tier)) for k, node in enumerate(row)}
    return at


def ring(
    nodes: Sequence[str], links: Sequence[tuple[str, str]], racks: Sequence[str], switches: Collection[str]
) -> dict[str, Place]:
    """Racks in a ring, the hosts of each outside it, and all else in the middle, where circuits cross."""
    near = _neighbours(nodes, links)
    known = set(racks)
    angle = {rack: 2 * math.pi * k / len(racks) - math.pi / 2 for k, rack in enumerate(racks)}
    at = {rack: _turned(angle[rack], 1.0) for rack in racks}
    inside = [node for node in nodes if node not in known]
    hosts: dict[str, list[str]] = {rack: [] for rack in racks}
    for node in inside:
        joined = [other for other in near[node] if other in known]
        if len(joined) == 1 and node not in switches:
            hosts[joined[0]].append(node)
    for rack, own in hosts.items():
        wide = 2 * math.pi / len(racks) / max(1, len(own))
        for k, host in enumerate(own):
            at[host] = _turned(angle[rack] + (k - (len(own) - 1) / 2) * wide * 0.8, _OUTER)
    rest = [node for node in inside if node not in at]
    for k, node in enumerate(rest):
        far = _INNER if len(rest) > 1 else 0.0
        at[node] = _turned(2 * math.pi * k / len(rest), far)
    return at


def _turned(angle: float, far: float) -> Place:
    return far * math.cos(angle), far * math.sin(angle)


def _neighbours(nodes: Iterable[str], links: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    near: dict[str, dict[str, None]] = {node: {} for node in nodes}
    for a, b in links:
        if a != b:
            near[a][b] = near[b][a] = None
    return {node: list(others) for node, others in near.items()}


def _heights(near: Mapping[str, Sequence[str]], hosts: Sequence[str]) -> dict[str, int]:
    """How many links each node is away from the nearest host."""
    height = dict.fromkeys(hosts, 0)
    waiting = deque(hosts)
    while waiting:
        node = waiting.popleft()
        for other in near[node]:
            if other not in height:
                height[other] = height[node] + 1
                waiting.append(other)
    return height


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
