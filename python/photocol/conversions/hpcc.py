"""HPCC's networks (`topology.txt`): nodes by number, which of them are switches, and links with rate and delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import MOST, Found
from photocol.conversions.source import plain, shown

if TYPE_CHECKING:
    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source


def read_network(source: Source, choices: Choices) -> Found:
    """Number of nodes, switches and links; the switches; then `source target rate delay error_rate` a line."""
    found = Found(file=source.name, format="hpcc-network")
    graph = Graph(source, choices, found)
    lines = source.lines()
    first, text = next(lines, (1, ""))
    counts = _numbers(source, first, text, MOST)
    if len(counts) != 3:
        source.wrong(first, f"found {shown(text)}; allowed: how many nodes, switches and links")
    nodes, switches, links = counts
    line, text = next(lines, (first, "")) if switches else (first, "")
    cores = set(_numbers(source, line, text, nodes - 1))
    if len(cores) != switches:
        source.wrong(line, f"found {len(cores)} switches; allowed: {switches}, as the first line says")
    for number in range(nodes):
        graph.node(line, str(number), str(number), {})
        found.nodes[-1].role = "core" if number in cores else "host"
    lossy = 0
    for number in range(links):
        line, text = next(lines, (line, ""))
        fields = text.split()
        if len(fields) != 5:
            source.wrong(line, f"link {number + 1} of {links}: found {shown(text)}; allowed: from to rate delay error")
        lossy += plain(fields[4]) != 0
        known = {"capacity": fields[2], "delay": fields[3], "delay unit": "s"}
        graph.link(line, graph.ends(line, fields[0], fields[1]), known, two_way=True)
    if lossy:
        found.warnings.append(f"error rates are left out, of links: {lossy}")
    return found


def _numbers(source: Source, line: int, text: str, most: int) -> list[int]:
    return [source.whole(line, "number", field, 0, max(most, 0)) for field in text.split()]
