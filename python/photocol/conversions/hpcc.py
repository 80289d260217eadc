"""HPCC's networks (`topology.txt`): nodes by number, which of them are switches, and links with rate and delay.

PowerTCP's have the number of racks in their head too, and Reverie's two capacities behind that.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import MOST, Found
from photocol.conversions.source import plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

HEADS = {3: 2, 4: 3, 6: 3}
"""How many numbers a head has, and at which place that of the links is."""
LINK = 5
"""Fields of a link: source, target, rate, delay, error rate."""


def read_network(source: Source, choices: Choices) -> Found:
    """Number of nodes, switches and links; the switches; then `source target rate delay error_rate` a line."""
    found = Found(file=source.name, format="hpcc-network")
    graph = Graph(source, choices, found)
    lines = source.lines()
    first, text = next(lines, (1, ""))
    counts = text.split()
    if len(counts) not in HEADS:
        source.wrong(first, f"found {shown(text)}; allowed: how many nodes, switches and links")
    nodes, switches = _numbers(source, first, counts[:2], MOST)
    (links,) = _numbers(source, first, [counts[HEADS[len(counts)]]], MOST)
    line, cores = _switches(source, first, lines, switches, nodes)
    rows = list(islice(lines, links))
    source.counted(first, "nodes", nodes, switches + 2 * len(rows))
    for number in range(nodes):
        graph.node(line, str(number), str(number), {})
        found.nodes[-1].role = "core" if number in cores else "host"
    lossy = 0
    for number in range(links):
        line, text = rows[number] if number < len(rows) else (line, "")
        fields = text.split()
        if len(fields) != LINK:
            source.wrong(line, f"link {number + 1} of {links}: found {shown(text)}; allowed: from to rate delay error")
        lossy += plain(fields[4]) != 0
        known = {"capacity": fields[2], "delay": fields[3], "delay unit": "s"}
        graph.link(line, graph.ends(line, fields[0], fields[1]), known, two_way=True)
    more = sum(1 for _, text in lines if len(text.split()) == LINK and all(map(str.isdigit, text.split()[:2])))
    if more:
        found.warnings.append(f"the first line says {links} links: {more} more are left out, as HPCC does")
    if lossy:
        found.warnings.append(f"error rates are left out, of links: {lossy}")
    return found


def _switches(
    source: Source, line: int, lines: Iterator[tuple[int, str]], switches: int, nodes: int
) -> tuple[int, set[int]]:
    """The numbers of the switches, and the last line where they stand."""
    cores: list[int] = []
    while len(cores) < switches:
        line, text = next(lines, (line, ""))
        if not text:
            break
        cores += _numbers(source, line, text.split(), nodes - 1)
    if len(set(cores)) != switches or len(cores) != switches:
        source.wrong(line, f"found {len(set(cores))} switches; allowed: {switches}, as the first line says")
    return line, set(cores)


def _numbers(source: Source, line: int, fields: list[str], most: int) -> list[int]:
    return [source.whole(line, "number", field, 0, max(most, 0)) for field in fields]
