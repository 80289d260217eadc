"""GML (Himsolt 1996), as the Internet Topology Zoo, networkx and igraph write it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from photocol.conversions.attributes import Graph
from photocol.conversions.found import Found
from photocol.conversions.headings import attribute
from photocol.conversions.source import plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

DEEPEST = 32
MOST_PAIRS = 5_000_000
_TOKEN = re.compile(
    r'[ \t\r\f\v]+|(?P<line>\n)|(?P<comment>#[^\n]*)|(?P<text>"[^"]*")|(?P<mark>[\[\]])|(?P<word>[^\s\[\]"]+)'
)
_KEY = re.compile(r"[A-Za-z_]\w*")


@dataclass
class _List:
    """A list in brackets: its key, its line, the values, and the lists in it."""

    key: str
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lists: list[_List] = field(default_factory=list)

    def all(self, key: str) -> Iterator[_List]:
        return (one for one in self.lists if one.key == key)


def read(source: Source, choices: Choices) -> Found:
    """The first and only graph; keys are read in small and capital letters alike, unknown ones are passed over."""
    graphs = list(_parsed(source).all("graph"))
    if len(graphs) != 1:
        source.wrong(graphs[1].line if graphs else 1, f'found {len(graphs)} "graph [ … ]"; allowed: one')
    found = Found(file=source.name, format="gml")
    graph = Graph(source, choices, found)
    for node in graphs[0].all("node"):
        key = _identity(source, node, "id")
        graph.node(node.line, key, html.unescape(node.values.get("label", "")), node.values)
    two_way = graphs[0].values.get("directed", "0").strip() != "1"
    for edge in graphs[0].all("edge"):
        ends = graph.ends(edge.line, _identity(source, edge, "source"), _identity(source, edge, "target"))
        graph.link(edge.line, ends, edge.values, two_way=two_way)
    return found


def _identity(source: Source, one: _List, key: str) -> str:
    """A node's number; 1 and 1.0 are the same."""
    text = one.values.get(key)
    if text is None:
        source.wrong(one.line, f'the key "{key}" is missing in this {one.key}')
    number = plain(text)
    if number is None or number != number.to_integral_value() or abs(number) > 10**15:
        source.wrong(one.line, f"{key}: found {shown(text)}; allowed: a whole number")
    return str(int(number))


def _parsed(source: Source) -> _List:
    """The outermost list."""
    outermost = _List("", 1)
    stack, key, pairs = [outermost], "", 0
    for line, kind, token in _tokens(source):
        if kind == "mark" and token == "]":
            if key or len(stack) == 1:
                source.wrong(line, f"{key} has no value" if key else "found ] without a list that it closes")
            stack.pop()
            continue
        if not key:
            key = _key(source, line, kind, token)
            continue
        pairs += 1
        if pairs > MOST_PAIRS:
            source.wrong(line, f"too many values; allowed: {MOST_PAIRS}")
        if kind == "mark":
            if len(stack) > DEEPEST:
                source.wrong(line, f"too many lists within lists; allowed: {DEEPEST}")
            stack[-1].lists.append(inner := _List(key.lower(), line))
            stack.append(inner)
        else:
            _keep(stack[-1].values, key, token.strip('"') if kind == "text" else token)
        key = ""
    if key or len(stack) > 1:
        last = stack[-1]
        source.wrong(last.line, f"the file ends inside this {last.key or key}: it is cut off")
    return outermost


def _key(source: Source, line: int, kind: str, token: str) -> str:
    if kind != "word" or not _KEY.fullmatch(token):
        source.wrong(line, f"found {shown(token)}; allowed: a key")
    return token


def _keep(values: dict[str, str], key: str, value: str) -> None:
    """A value, with the unit that its key has; the first of a key counts."""
    name, unit = attribute(key)
    if name not in values:
        values[name] = value
        values |= {f"{name} unit": unit} if unit else {}


def _tokens(source: Source) -> Iterator[tuple[int, str, str]]:
    """Line, kind and text of each."""
    text, place, line = source.text, 0, 1
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            source.wrong(line, "the file ends inside the quotes that open here: it is cut off")
        kind, token = match.lastgroup, match[0]
        if kind in ("text", "mark", "word"):
            yield line, kind, token
        line += token.count("\n")
        place = match.end()
