"""What is found in a file: nodes, links, contacts, demands, flows and sizes, each with the line where it stands.

Times are whole picoseconds, rates whole bit/s, lengths whole metres: nothing is rounded twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

MOST = 1_000_000
"""Nodes, links, demands, contacts or events of a file; the engine takes no larger network."""
MOST_FLOWS = 1_000_000
"""Flows of a list; each takes some 2 kB of memory until it is written."""


@dataclass(kw_only=True, slots=True)
class Node:
    """A node; a role only where the file says it."""

    name: str
    latitude: float | None = None
    longitude: float | None = None
    role: str | None = None


@dataclass(kw_only=True, slots=True)
class Link:
    """A link as far as the file describes it."""

    source: str
    target: str
    bps: int | None = None
    delay_ps: int | None = None
    metres: int | None = None
    cost: int | None = None
    two_way: bool = True
    line: int = 0

    @property
    def name(self) -> str:
        """As messages have it."""
        return f"{self.source}-{self.target}" if self.two_way else f"{self.source}->{self.target}"


@dataclass(kw_only=True, slots=True)
class Contact:
    """A time in which a link passes packets."""

    source: str
    target: str
    start_ps: int
    end_ps: int
    bps: int | None = None
    delay_ps: int | None = None
    two_way: bool = False
    line: int = 0


@dataclass(kw_only=True, slots=True)
class Demand:
    """A rate from one node to another."""

    name: str
    source: str
    target: str
    bps: int
    line: int = 0


@dataclass(kw_only=True, slots=True)
class Flow:
    """A flow of a list; without a size it sends without end."""

    start_ps: int
    source: str
    target: str
    size: int | None
    line: int = 0


@dataclass(kw_only=True, slots=True)
class Work:
    """A graph of tasks, which stays in its file."""

    file: str
    """From everywhere."""
    ranks: int


@dataclass(kw_only=True)
class Found:
    """All that a file holds."""

    file: str
    format: str
    nodes: list[Node] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    period_ps: int | None = None
    """After this the contacts begin again."""
    keeps_queue: bool = False
    """Whether what waits between contacts is kept."""
    demands: list[Demand] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    sizes: list[tuple[int, Decimal]] = field(default_factory=list)
    """Points of a distribution of flow sizes: bytes, and the probability of at most that."""
    work: Work | None = None
    ends: tuple[str, str] | None = None
    """Between whom one greedy flow goes, where the format says it."""
    delay: str | None = None
    """The delay of links without one, where the format has one of its own."""
    is_empty: bool = False
    """Whether the file says that it holds nothing."""
    by_place: bool = False
    """Whether numbers in place of nodes count them by the format, whatever their names."""
    renamed: list[str] = field(default_factory=list)
    """Nodes whose label was another's already, as they are called now."""
    warnings: list[str] = field(default_factory=list)

    @property
    def has_network(self) -> bool:
        """Whether the file says how nodes are linked."""
        return bool(self.links or self.contacts)
