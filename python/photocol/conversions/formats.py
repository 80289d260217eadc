"""The formats that are read, and how a file is recognised: by its ending, or by how it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.conversions import circuits, contacts, edges, flows, gml, graphml, hpcc, orbcc, repetita, sndlib
from photocol.conversions.source import Source, plain, shown
from photocol.conversions.table import Table, numeric
from photocol.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from photocol.conversions.choices import Choices
    from photocol.conversions.found import Found

_HEAD, _LINES = 100_000, 40
"""Letters and lines of a file that are looked at."""
_NEARLY = Decimal("0.1")
"""How far the last share of a distribution may be from all, to be recognised."""


@dataclass(frozen=True)
class Format:
    """A format with its reader."""

    what: str
    read: Callable[[Source, Choices], Found]
    endings: tuple[str, ...] = ()
    begins: Callable[[list[str]], bool] = lambda _lines: False
    """Whether a file with these first lines is one."""


def _matches(pattern: str) -> Callable[[list[str]], bool]:
    compiled = re.compile(pattern)
    return lambda lines: bool(lines) and compiled.match(lines[0]) is not None


def _any(pattern: str) -> Callable[[list[str]], bool]:
    compiled = re.compile(pattern)
    return lambda lines: any(compiled.match(line) for line in lines)


def _columns(*widths: int) -> Callable[[list[str]], bool]:
    """The first lines have so many numbers."""
    return lambda lines: (
        len(lines) >= len(widths)
        and all(
            numeric(line.split()) and len(line.split()) == width for line, width in zip(lines, widths, strict=False)
        )
    )


def _is_opera(lines: list[str]) -> bool:
    if not _columns(4, 4)(lines) or len(lines) < 3:
        return False
    up, racks = (plain(word) or Decimal(0) for word in lines[0].split()[2:])
    return len(lines[2].split()) == up * racks


def _is_hpcc_network(lines: list[str]) -> bool:
    """Three numbers, perhaps switches, then a link with a rate that has its unit."""
    links = lines[1 if _columns(3)(lines) and lines[0].split()[1] == "0" else 2 :]
    return _columns(3)(lines) and bool(links) and re.match(r"\d+ \d+ [\d.]+[A-Za-z/]+ ", links[0]) is not None


def _is_sizes(lines: list[str]) -> bool:
    """Two or three numbers a line, the first and the last do not fall; the last of a short file is 1 or 100."""
    rows = [line.replace(",", " ").split() for line in lines]
    rows = [row for row in rows if row and not row[0][:1].isalpha()]
    rows = rows[1:] if rows and len(rows[0]) == 1 else rows
    if not rows or not all(numeric(row) and len(row) in (2, 3) for row in rows) or len({*map(len, rows)}) != 1:
        return False
    points = [(Decimal(row[0]), Decimal(row[-1])) for row in rows]
    rises = all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(points))
    last = points[-1][1]
    return (
        rises and last <= 100 + _NEARLY and (len(lines) >= _LINES - 1 or min(abs(last - 1), abs(last - 100)) < _NEARLY)
    )


def _is_edges(lines: list[str]) -> bool:
    return _titles("source", "target")(lines) or (len(lines) > 1 and all(len(line.split()) == 2 for line in lines))


def _titles(*needed: str) -> Callable[[list[str]], bool]:
    """The first line has the titles of these columns."""

    def titled(lines: list[str]) -> bool:
        if not lines or len(lines[0]) > 1000:
            return False
        try:
            return set(needed) <= set(Table(Source("", lines[0].encode(), Path())).columns)
        except InputError:
            return False

    return titled


def _is_openoptics(lines: list[str]) -> bool:
    return _titles("slice", "source", "target")(lines) or _any(r'\[\s*(\[|$)|.*"circuits"\s*:')(lines)


def _orbcc(source: Source, choices: Choices) -> Found:
    return orbcc.read([source], choices)


FORMATS: dict[str, Format] = {
    "graphml": Format("GraphML (Topology Zoo, networkx, yEd)", graphml.read, (".graphml",), _any(r".*<graphml\b")),
    "gml": Format("GML (Topology Zoo, networkx, igraph)", gml.read, (".gml",), _any(r"(?i)\s*graph\s*(\[|$)")),
    "sndlib-xml": Format("SNDlib XML: network, demands", sndlib.read_xml, (), _any(r".*<network\b")),
    "sndlib-native": Format(
        "SNDlib native: network, demands", sndlib.read_native, (), _matches(r"\?SNDlib|META\s*\(|NODES\s*\(")
    ),
    "repetita": Format("REPETITA network", repetita.read_graph, (".graph",), _matches(r"NODES \d")),
    "repetita-demands": Format("REPETITA demands", repetita.read_demands, (".demands",), _matches(r"DEMANDS \d")),
    "htsim-cm": Format("htsim connection matrix", flows.read_cm, (".cm",), _matches(r"(Nodes|Connections) \d")),
    "htsim": Format("Opera's and RotorNet's list of flows", flows.read_htsim, (".htsim",)),
    "ion": Format("contact plan of ION", contacts.read_ion, (".ionrc", ".rc"), _any(r"a (contact|range) ")),
    "contacts": Format("contact plan as a table", contacts.read_csv, (), _titles("source", "target", "start", "end")),
    "openoptics": Format("OpenOptics circuits", circuits.read_openoptics, (), _is_openoptics),
    "flows": Format("list of flows as a table", flows.read_csv, (), _titles("source", "target", "start", "size")),
    "orbcc": Format("OrbCC bandwidths or round trips", _orbcc, (), _matches(r'\{\s*("[\d.]+"\s*:|$)')),
    "opera": Format("Opera topology", circuits.read_opera, (), _is_opera),
    "hpcc": Format("HPCC list of flows", flows.read_hpcc, (), _columns(1, 6)),
    "hpcc-network": Format("HPCC network", hpcc.read_network, (), _is_hpcc_network),
    "sizes": Format("distribution of flow sizes", flows.read_sizes, (".cdf", ".tcl"), _is_sizes),
    "edges": Format("list of links", edges.read, (".csv", ".tsv", ".edges", ".edgelist"), _is_edges),
}
"""By name, in the order in which files are compared with them."""


def recognised(source: Source, choices: Choices, allowed: Collection[str] = FORMATS) -> str:
    """The name of the format: the one that the user names, that of the ending, or the first that the file begins as.

    The ending of tables (.csv) says little; so it counts after the titles.
    """
    if choices.format is not None:
        if choices.format not in FORMATS:
            hint = did_you_mean(choices.format, allowed)
            raise InputError(f"format: found {choices.format!r}; {hint}allowed: {', '.join(allowed)}")
        return choices.format
    by_ending = next((name for name, one in FORMATS.items() if source.ending in one.endings), None)
    if by_ending is not None and by_ending != "edges":
        return by_ending
    lines = [line.strip() for line in source.text[:_HEAD].split("\n")[:_LINES]]
    lines = [line for line in lines if line and not line.startswith("#")]
    found = next((name for name, one in FORMATS.items() if one.begins(lines)), by_ending)
    if found is None:
        first = lines[0] if lines else ""
        source.wrong(1, f"found {shown(first)}, which begins as no known format; allowed: {', '.join(allowed)}")
    return found


def read_all(sources: Sequence[Source], choices: Choices) -> list[Found]:
    """What each file holds; OrbCC's two files are one, named as the first."""
    found: list[Found] = []
    paths: list[Source] = []
    for source in sources:
        name = recognised(source, choices)
        if name == "orbcc":
            paths.append(source)
        else:
            found.append(FORMATS[name].read(source, choices))
    found += [orbcc.read(paths, choices)] if paths else []
    for one in found:
        if not (one.nodes or one.links or one.contacts or one.demands or one.flows or one.sizes):
            raise InputError(f"{one.file}:1: nothing was found in it; allowed: at least one node, link, flow or demand")
    return found
