"""GraphML, as the Internet Topology Zoo, networkx, igraph and yEd write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import Found
from photocol.conversions.headings import attribute
from photocol.conversions.markup import Element, only, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source


def read(source: Source, choices: Choices) -> Found:
    """Nodes and edges; graphs within nodes are one with theirs, ports and pictures are passed over."""
    root = parsed(source, "graphml")
    keys = _Keys(root)
    outer = only(source, root, "graph")
    if outer is None:
        source.wrong(root.line, "there is no <graph> in this <graphml>")
    found = Found(file=source.name, format="graphml")
    graph = Graph(source, choices, found)
    for node in outer.within("node"):
        known = keys.values("node", node)
        graph.node(node.line, _needed(source, node, "id"), known.get("label") or _drawn_label(node), known)
    for edge in outer.within("edge"):
        ends = graph.ends(edge.line, _needed(source, edge, "source"), _needed(source, edge, "target"))
        directed = edge.attributes.get("directed", str(outer.attributes.get("edgedefault") == "directed")).lower()
        graph.link(edge.line, ends, keys.values("edge", edge), two_way=directed not in ("true", "1"))
    if hyperedges := sum(1 for _ in outer.within("hyperedge")):
        found.warnings.append(f"{hyperedges} hyperedges are left out: a link has two ends")
    return found


class _Keys:
    """The declared attributes, and their defaults."""

    def __init__(self, root: Element) -> None:
        self.names: dict[str, tuple[str, str]] = {}
        self.defaults: dict[str, dict[str, str]] = {"node": {}, "edge": {}}
        for key in root.all("key"):
            name, unit = attribute(key.attributes.get("attr.name", ""))
            self.names[key.attributes.get("id", "")] = (name, unit)
            default = key.first("default")
            for kind in ("node", "edge"):
                if default is not None and key.attributes.get("for", "all") in (kind, "all"):
                    self.defaults[kind] |= _said(name, unit, default.text)

    def values(self, kind: str, element: Element) -> Mapping[str, str]:
        """Attribute to text, of a node or an edge."""
        known = dict(self.defaults[kind])
        for data in element.all("data"):
            name, unit = self.names.get(data.attributes.get("key", ""), ("", ""))
            known |= _said(name, unit, data.text) if name else {}
        return known


def _said(name: str, unit: str, text: str) -> dict[str, str]:
    return {name: text, f"{name} unit": unit} if unit else {name: text}


def _needed(source: Source, element: Element, name: str) -> str:
    value = element.attributes.get(name)
    if value is None:
        source.wrong(element.line, f'the attribute "{name}" is missing in this <{element.tag}>')
    return value


def _drawn_label(node: Element) -> str:
    """What yEd writes into the picture of a node."""
    return next((label.text for data in node.all("data") for label in data.within("NodeLabel") if label.text), "")
