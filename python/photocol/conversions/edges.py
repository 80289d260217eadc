"""Lists of links: a line a link, with titles (source, target, capacity, delay, length) or just two names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import Found
from photocol.conversions.headings import QUANTITIES
from photocol.conversions.source import cleaned, plain, shown
from photocol.conversions.table import Table

if TYPE_CHECKING:
    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source


def read(source: Source, choices: Choices) -> Found:
    """Nodes are those that links name. A link is both directions unless `directed` says otherwise."""
    found = Found(file=source.name, format="edges")
    graph, table = Graph(source, choices, found), Table(source)
    if table.has_titles:
        for line, known in table.known():
            ends = table.needed(line, known, "source", "target")
            graph.link(line, _nodes(graph, line, ends), known, two_way=True)
        return found
    if table.units or sum(name in QUANTITIES for name in table.columns) > 1:
        source.wrong(table.line, f"found the titles {shown(', '.join(table.columns))}; allowed: source and target too")
    for line, fields in table.rows():
        if len(fields) < 2:
            source.wrong(line, f"found {shown(' '.join(fields))}; allowed: the two nodes of a link")
        for field in fields[:2]:
            if plain(field) is not None and not field.strip().isdecimal():
                source.wrong(
                    line, f"found {shown(field)}; allowed: a node, or in a traffic matrix as many rows as columns"
                )
        if len(fields) > 2 and "columns" not in graph.units:
            graph.units.add("columns")
            found.warnings.append("columns from the third on are left out: no line of titles says what they are")
        graph.link(line, _nodes(graph, line, fields[:2]), {}, two_way=True)
    return found


def _nodes(graph: Graph, line: int, keys: list[str]) -> tuple[str, str]:
    """The names of two nodes, which a link may be the first to name."""
    for key in keys:
        if not cleaned(key):
            graph.source.wrong(line, f"found {shown(key)}; allowed: the name of a node")
        if key not in graph.names:
            graph.node(line, key, key, {})
    return graph.ends(line, keys[0], keys[1])
