"""The formats that are read, and how a file is recognised: by its ending, or by how it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.conversions import (
    circuits,
    contacts,
    edges,
    flows,
    gml,
    graphml,
    graphs,
    hpcc,
    ion,
    matrix,
    orbcc,
    repetita,
    sndlib,
)
from photocol.conversions.source import Source, plain, shown
from photocol.conversions.table import Table, numeric, records
from photocol.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from photocol.conversions.choices import Choices
    from photocol.conversions.found import Found

_HEAD, _LINES = 100_000, 40
"""Letters and lines of a file that are looked at."""
_LONGEST_HEAD = 1000
_LONGEST_ROW = 50_000
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
    return numeric(lines[2].split()) and len(lines[2].split()) == up * racks


def _is_hpcc(lines: list[str]) -> bool:
    """How many flows, then six numbers each; or none of either."""
    return _columns(1, 6)(lines) or (lines[:1] == ["0"] and not any(numeric(line.split()) for line in lines[1:]))


def _is_hpcc_network(lines: list[str]) -> bool:
    """Some numbers, the switches, then a link whose rate or delay has a unit."""
    head = lines[0].split() if lines else []
    if len(head) not in hpcc.HEADS or not all(map(str.isdigit, head[:2])):
        return False
    rest = (line.split() for line in lines[1:])
    link = next((fields for fields in rest if not all(map(str.isdigit, fields))), [])
    return (
        len(link) == hpcc.LINK and all(map(str.isdigit, link[:2])) and not (numeric(link[2:3]) and numeric(link[3:4]))
    )


def _is_sizes(lines: list[str]) -> bool:
    """Two or three numbers a line, the first and the last do not fall; the last of a short file is 1 or 100.

    There are two points at least: a mean and one line may be anything.
    """
    try:
        rows = [row for _, row in flows.points_of(Source("", "\n".join(lines).encode(), Path()))]
    except InputError:
        return False
    rows = rows[1:] if rows and len(rows[0]) == 1 else rows
    if len(rows) < 2 or not all(numeric(row) and len(row) in (2, 3) for row in rows) or len({*map(len, rows)}) != 1:
        return False
    points = [(Decimal(row[0]), Decimal(row[-1])) for row in rows]
    rises = all(one[0] <= other[0] and one[1] <= other[1] for one, other in pairwise(points))
    last = points[-1][1]
    return (
        rises and last <= 100 + _NEARLY and (len(lines) >= _LINES - 1 or min(abs(last - 1), abs(last - 100)) < _NEARLY)
    )


def _is_edges(lines: list[str]) -> bool:
    return _titles("source", "target")(lines) or (len(lines) > 1 and all(len(line.split()) == 2 for line in lines))


def _head(lines: list[str]) -> list[str]:
    """The titles of the first row, as readers know them; none if it is not a row."""
    try:
        table = (
            Table(Source("", "\n".join(lines).encode(), Path())) if lines and len(lines[0]) <= _LONGEST_HEAD else None
        )
    except InputError:
        return []
    return table.columns if table else []


def _titles(*needed: str) -> Callable[[list[str]], bool]:
    """The first line has the titles of these columns."""

    def titled(lines: list[str]) -> bool:
        return set(needed) <= set(_head(lines))

    return titled


def _is_openoptics(lines: list[str]) -> bool:
    return _titles("slice", "source", "target")(lines) or _any(r'\[\s*(\[|$)|.*"circuits"\s*:')(lines)


def _is_matrix(lines: list[str]) -> bool:
    """As many rows as columns, as far as the file is looked at."""
    if len(lines) < 2 or len(lines[0]) > _LONGEST_ROW:
        return False
    is_cut = len(lines) >= _LINES - 1 or sum(map(len, lines)) > _HEAD // 2
    try:
        rows = [row for _, row in records(Source("", "\n".join(lines[:-1] if is_cut else lines).encode(), Path()))]
    except InputError:
        return False
    return matrix.is_matrix(rows, is_cut=is_cut)


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
    "work": Format("graph of work (GOAL, Chakra)", graphs.read, (".goal", ".toml"), _any(r"num_ranks\b")),
    "htsim-cm": Format("htsim connection matrix", flows.read_cm, (".cm",), _matches(r"(Nodes|Connections) \d")),
    "htsim": Format("Opera's and RotorNet's list of flows", flows.read_htsim, (".htsim",)),
    "ion": Format("contact plan of ION", ion.read_ion, (".ionrc", ".rc"), _any(r"a\s+(contact|range)\s")),
    "contacts": Format("contact plan as a table", contacts.read_csv, (), _titles("source", "target", "start", "end")),
    "openoptics": Format("OpenOptics circuits", circuits.read_openoptics, (), _is_openoptics),
    "flows": Format("list of flows as a table", flows.read_csv, (), _titles("source", "target", "start", "size")),
    "demands": Format("table of demands", matrix.read_table, (), _titles("source", "target", "demand")),
    "matrix": Format("traffic matrix", matrix.read, (), _is_matrix),
    "orbcc": Format("OrbCC bandwidths or round trips", _orbcc, (), _matches(r'\{\s*("[\d.]+"\s*:|$)')),
    "opera": Format("Opera topology", circuits.read_opera, (), _is_opera),
    "hpcc": Format("HPCC list of flows", flows.read_hpcc, (), _is_hpcc),
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
    of_rates: dict[int, tuple[Source, str]] = {}
    for source in sources:
        name = recognised(source, choices)
        if name == "htsim-cm" and choices.format is None and graphs.waits(source):
            name = "work"
        column = matrix.is_of_rates(source) if name == "edges" else ""
        if column and choices.as_ == "demands":
            name = "demands"
        elif column and choices.as_ is None:
            of_rates[len(found)] = (source, column)
        if name == "orbcc":
            paths.append(source)
        else:
            found.append(FORMATS[name].read(source, choices))
    others = [one for number, one in enumerate(found) if number not in of_rates]
    for number, (source, column) in of_rates.items():
        if matrix.as_traffic(source, column, found[number], others):
            found[number] = matrix.read_table(source, choices)
            found[number].warnings.append("read as traffic, for its pairs are links of the network; else --as links")
    found += [orbcc.read(paths, choices)] if paths else []
    for one in found:
        parts = (one.nodes, one.links, one.contacts, one.demands, one.flows, one.sizes, one.work and one.work.ranks)
        if not any(parts) and not one.is_empty:
            raise InputError(f"{one.file}:1: nothing was found in it; allowed: a node, link, flow, demand or task")
    return found
