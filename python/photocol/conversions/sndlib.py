"""SNDlib (Orlowski et al. 2010): networks and traffic matrices, in XML and in the native format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import MOST, Demand, Found
from photocol.conversions.markup import Element, only, parsed
from photocol.conversions.source import DEMAND, cleaned, plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_UNIT = "Mbps"
_PER_SECOND = re.compile(r"([KMGT]?)(?:BIT|BITS)PERSEC")
"""The unit in the head of a traffic matrix: MBITPERSEC in abilene and geant, BITSPERSEC in brain. A network without one
counts in Mbit/s."""
_SECTION = re.compile(r"(META|NODES|LINKS|DEMANDS|ADMISSIBLE_PATHS)\s*\(")
_WORD = re.compile(r"[()]|[^\s()]+")


class _Reader:
    """Puts nodes, links and demands of either form together."""

    def __init__(self, source: Source, choices: Choices, kind: str) -> None:
        self.source = source
        self.choices = choices
        self.found = Found(file=source.name, format=kind)
        self.graph = Graph(source, choices, self.found)
        self.unit = _UNIT

    def said_unit(self, line: int, text: str) -> None:
        """The unit of the matrix."""
        match = _PER_SECOND.fullmatch(text.upper())
        if match is None:
            self.source.wrong(line, f"unit: found {shown(text)}; allowed: BITSPERSEC, and with K, M, G or T before it")
        self.unit = f"{match[1]}bps"

    def node(self, line: int, name: str, place: tuple[str, str] | None) -> None:
        """Of a place the first number is the longitude, the second the latitude."""
        self.graph.node(line, name, name, {"longitude": place[0], "latitude": place[1]} if place else {})

    def link(self, line: int, source: str, target: str, capacity: str) -> None:
        """A link; one that is to be dimensioned has the capacity 0."""
        ends = self.graph.ends(line, source, target)
        self.graph.link(line, ends, {"capacity": capacity, "capacity unit": self.unit}, two_way=True)

    def demand(self, line: int, name: str, source: str, target: str, value: str) -> None:
        """A demand in the unit of the matrix."""
        if len(self.found.demands) >= MOST:
            self.source.wrong(line, f"too many demands; allowed: {MOST}")
        ends = self.graph.ends(line, source, target)
        unit = self.choices.unit("capacity_unit", self.unit)
        bps = self.source.quantity(line, "demand", value, unit, DEMAND)
        self.found.demands.append(Demand(name=cleaned(name), source=ends[0], target=ends[1], bps=bps, line=line))


def read_xml(source: Source, choices: Choices) -> Found:
    """Nodes with coordinates, links with their pre-installed capacity, demands; cost modules are passed over."""
    root = parsed(source, "network")
    reader = _Reader(source, choices, "sndlib-xml")
    meta = only(source, root, "meta")
    for unit in meta.all("unit") if meta else ():
        reader.said_unit(unit.line, unit.text)
    structure = _child(source, root, "networkStructure")
    nodes = _child(source, structure, "nodes")
    if nodes.attributes.get("coordinatesType") == "pixel":
        reader.graph.draw()
        reader.found.warnings.append("coordinates are pixels: all are left out")
    for node in nodes.all("node"):
        place = node.first("coordinates")
        known = place is not None and reader.graph.on_earth
        reader.node(node.line, _name(source, node), _place(source, place) if place and known else None)
    links = only(source, structure, "links")
    for link in links.all("link") if links else ():
        module = link.first("preInstalledModule")
        capacity = _child(source, module, "capacity").text if module else ""
        reader.link(link.line, _child(source, link, "source").text, _child(source, link, "target").text, capacity)
    demands = only(source, root, "demands")
    for demand in demands.all("demand") if demands else ():
        start, end, value = (_child(source, demand, tag).text for tag in ("source", "target", "demandValue"))
        reader.demand(demand.line, _name(source, demand), start, end, value)
    return reader.found


def _child(source: Source, element: Element, tag: str) -> Element:
    found = only(source, element, tag)
    if found is None:
        source.wrong(element.line, f"there is no <{tag}> in this <{element.tag}>: not an SNDlib network")
    return found


def _name(source: Source, element: Element) -> str:
    name = element.attributes.get("id")
    if name is None:
        source.wrong(element.line, f'the attribute "id" is missing in this <{element.tag}>')
    return name


def _place(source: Source, coordinates: Element) -> tuple[str, str]:
    x, y = (_child(source, coordinates, axis) for axis in ("x", "y"))
    for axis in (x, y):
        if plain(axis.text) is None:
            source.wrong(axis.line, f"{axis.tag}: found {shown(axis.text)}; allowed: a number")
    return x.text, y.text


def read_native(source: Source, choices: Choices) -> Found:
    """The same in SNDlib's own form: a section in brackets for each kind, an entry a line."""
    reader = _Reader(source, choices, "sndlib-native")
    read_entry = {"META": _meta, "NODES": _native_node, "LINKS": _native_link, "DEMANDS": _native_demand}
    for line, section, text in _entries(source):
        if section in read_entry:
            read_entry[section](reader, line, text)
    if not reader.found.nodes:
        source.wrong(1, "there is no section NODES with nodes in it: not an SNDlib network")
    return reader.found


def _entries(source: Source) -> Iterator[tuple[int, str, str]]:
    """Line, section and text of each entry; a section ends with the bracket that its head opens."""
    section, opened, depth = "", 0, 0
    for line, text in source.lines():
        if text.startswith("?"):
            continue
        if not section:
            match = _SECTION.match(text)
            if match is None:
                source.wrong(line, f"found {shown(text)}; allowed: the head of a section, such as NODES (")
            section, opened, depth, text = match[1], line, 1, text[match.end() :].strip()
        depth += text.count("(") - text.count(")")
        entry = text if depth > 0 else text.removesuffix(")").strip()
        if entry:
            yield line, section, entry
        if depth <= 0:
            section = ""
    if section:
        source.wrong(opened, f"the file ends inside this section {section}: it is cut off")


def _meta(reader: _Reader, line: int, text: str) -> None:
    key, equals, value = text.partition("=")
    if equals and key.strip() == "unit":
        reader.said_unit(line, value.strip())


def _native_node(reader: _Reader, line: int, text: str) -> None:
    match _WORD.findall(text):
        case [name] | [name, "(", ")", *_]:
            reader.node(line, name, None)
        case [name, "(", x, y, ")", *_] if ")" not in (x, y):
            # Behind it version 2 of the form may have designs and options, in brackets.
            reader.node(line, name, (x, y))
        case _:
            reader.source.wrong(line, f"found {shown(text)}; allowed: NAME ( longitude latitude )")


def _native_link(reader: _Reader, line: int, text: str) -> None:
    match _WORD.findall(text):
        case [_, "(", source, target, ")", capacity, *_]:
            reader.link(line, source, target, capacity)
        case _:
            reader.source.wrong(line, f"found {shown(text)}; allowed: NAME ( source target ) capacity … ( modules )")


def _native_demand(reader: _Reader, line: int, text: str) -> None:
    match _WORD.findall(text):
        case [name, "(", source, target, ")", _, value, *_]:
            reader.demand(line, name, source, target, value)
        case _:
            reader.source.wrong(line, f"found {shown(text)}; allowed: NAME ( source target ) routing_unit value …")
