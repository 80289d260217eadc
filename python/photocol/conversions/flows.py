"""Lists of flows and distributions of their sizes, as other simulators and generators write them."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from photocol.conversions.found import MOST, MOST_FLOWS, Flow, Found
from photocol.conversions.source import SIZE, TIME, cleaned, plain, shown
from photocol.conversions.table import Table, numeric, records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_LARGEST = 2**63 - 1
_NODE = 2**32 - 1
CM_COUNTS = ("Nodes", "Connections", "Triggers", "Failures")
"""What the head of a connection matrix counts."""
_CONNECTION = re.compile(r"(\d{1,10})->(\d{1,10})")
_PACKET = 1460
"""Bytes of a packet in pFabric's distributions, which count packets."""
_MOST_POINTS = 1_000_000
_NEARLY = Decimal("0.001")


class _List:
    """Flows while they are read."""

    def __init__(self, source: Source, choices: Choices, kind: str, unit: str) -> None:
        self.source = source
        self.unit = choices.unit("time_unit", unit)
        self.found = Found(file=source.name, format=kind)
        self.to_self = 0

    def add(self, line: int, source: str, target: str, size: str, start: str, unit: str = "") -> None:
        """A flow; one from a node to itself is left out, one of size 0 has no end."""
        if len(self.found.flows) >= MOST_FLOWS:
            self.source.wrong(line, f"too many flows; allowed: {MOST_FLOWS}")
        bytes_sent = self._size(line, size, unit) or None if size else None
        time = self.source.quantity(line, "start", start, self.unit, TIME)
        if source == target:
            self.to_self += 1
            return
        self.found.flows.append(Flow(start_ps=time, source=source, target=target, size=bytes_sent, line=line))

    def _size(self, line: int, size: str, unit: str) -> int:
        """Whole bytes, or a number in another unit, which may stand behind it."""
        if not unit and plain(size) is not None:
            return self.source.whole(line, "size", size, 0, _LARGEST)
        return self.source.quantity(line, "size", size, unit or "B", SIZE)

    def numbered(self, line: int, source: str, target: str, size: str, start: str) -> None:
        """The same between nodes that have numbers."""
        ends = [self.source.whole(line, what, end, 0, _NODE) for what, end in (("from", source), ("to", target))]
        self.add(line, str(ends[0]), str(ends[1]), size, start)

    def done(self) -> Found:
        """What was read."""
        if self.to_self:
            self.found.warnings.append(f"{self.to_self} flows from a node to itself are left out")
        return self.found


_PORTS = 65535
_OTHER_LIST = "the columns are those of ns3-rdma (source destination priority packets start end), not of HPCC"


def read_hpcc(source: Source, choices: Choices) -> Found:
    """HPCC's `flow.txt`: how many, then `source destination priority port bytes start_s`.

    ns3-rdma has another list under this name. Its packets are no ports, or its starts and ends no sizes and starts.
    """
    flows = _List(source, choices, "hpcc", "s")
    lines = source.lines()
    first, text = next(lines, (1, ""))
    count, rows, is_other = source.whole(first, "number of flows", text, 0, MOST_FLOWS), 0, choices.format is None
    for line, text in lines:
        fields = text.split()
        if not numeric(fields):
            break
        rows += 1
        if rows > count:
            continue
        if len(fields) != 6:
            source.wrong(line, f"found {len(fields)} columns; allowed: source destination priority port bytes start")
        port, size, start = map(Decimal, fields[3:])
        if port > _PORTS and choices.format is None:
            source.wrong(line, f"port: found {shown(fields[3])}; allowed: 0 to {_PORTS}; {_OTHER_LIST}?")
        is_other = is_other and size < start
        flows.numbered(line, fields[0], fields[1], fields[4], fields[5])
    flows.found.is_empty = count == 0
    if is_other and rows:
        source.wrong(first, f"each flow has fewer bytes than its start has seconds: {_OTHER_LIST}? (format says it)")
    if rows < count:
        source.wrong(first, f"the first line says {count} flows, the file has {rows}; allowed: as many as it says")
    if rows > count:
        flows.found.warnings.append(
            f"the first line says {count} flows: {rows - count} more are left out, as HPCC does"
        )
    return flows.done()


def read_htsim(source: Source, choices: Choices) -> Found:
    """The lists of Opera and RotorNet: `source destination bytes start_ns`."""
    flows = _List(source, choices, "htsim", "ns")
    for line, text in source.lines():
        fields = text.split()
        if len(fields) != 4:
            source.wrong(line, f"found {len(fields)} columns; allowed: source destination bytes start")
        flows.numbered(line, *fields)
    return flows.done()


def read_cm(source: Source, choices: Choices) -> Found:
    """The connection matrix of htsim: `Nodes`, `Connections`, then `A->B start … size …`."""
    flows = _List(source, choices, "htsim-cm", "ps")
    said: dict[str, int] = {}
    rows = triggered = others = 0
    for line, text in source.lines():
        words = text.split()
        if words[0] in CM_COUNTS:
            said[words[0]] = source.whole(line, words[0], words[1] if len(words) == 2 else "", 0, MOST_FLOWS)
        elif words[0] in ("trigger", "failure"):
            others += 1
        else:
            rows += 1
            triggered += _connection(flows, said.get("Nodes", _NODE + 1), line, words)
    if rows != said.get("Connections", rows):
        source.wrong(1, f"Connections says {said['Connections']}, the file has {rows}; allowed: as many as it says")
    if triggered:
        flows.found.warnings.append(f"{triggered} flows that start when another ends are left out: a list has times")
    if others:
        flows.found.warnings.append(f"{others} triggers and failures are left out")
    return flows.done()


def connection(source: Source, nodes: int, line: int, words: list[str]) -> tuple[str, str, dict[str, str]]:
    """The two ends of a line of a connection matrix, and its words with what stands behind each."""
    match = _CONNECTION.fullmatch(words[0])
    if match is None:
        source.wrong(line, f"found {shown(words[0])}; allowed: a connection, such as 0->1")
    for end in match.groups():
        source.whole(line, "node", end, 0, max(nodes - 1, 0))
    known: dict[str, str] = {}
    rest = iter(word for word in words[1:] if word != "addon")
    for word in rest:
        if word not in ("id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger", "prio"):
            source.wrong(line, f"found {shown(word)}; allowed: id, start, size, trigger, prio, …")
        known[word] = next(rest, "")
    return match[1], match[2], known


def _connection(flows: _List, nodes: int, line: int, words: list[str]) -> bool:
    """Read a connection; true if it waits for a trigger and so is left out."""
    first, second, known = connection(flows.source, nodes, line, words)
    if "trigger" in known:
        return True
    if "start" not in known:
        flows.source.wrong(line, "the start is missing; allowed: start and a time")
    flows.numbered(line, first, second, known.get("size", ""), known["start"])
    return False


def read_csv(source: Source, choices: Choices) -> Found:
    """A table with titles: source, target, size, start."""
    table = Table(source)
    flows = _List(source, choices, "flows", table.units.get("start unit", "s"))
    for line, known in table.known():
        start, end, time = table.needed(line, known, "source", "target", "start")
        size, unit = known.get("size", ""), known.get("size unit", "")
        flows.add(line, cleaned(start), cleaned(end), size, time, "" if unit in ("B", "byte", "bytes") else unit)
    return flows.done()


def read_sizes(source: Source, choices: Choices) -> Found:
    """A cumulative distribution: two columns (size, share) or three (size, 1, share), as fractions or per cent.

    A first line with one number is the mean, which follows from the points.
    """
    found = Found(file=source.name, format="sizes")
    points: list[tuple[int, Decimal, Decimal]] = []
    for line, fields in points_of(source):
        if not points and len(fields) == 1:
            continue
        if len(fields) not in (2, 3):
            source.wrong(line, f"found {len(fields)} columns; allowed: size and share, or size, 1 and share")
        if len(points) == _MOST_POINTS:
            source.wrong(line, f"too many points; allowed: {_MOST_POINTS}")
        size = source.number(line, "size", fields[0], Decimal(0), Decimal(_LARGEST))
        share = source.number(line, "share", fields[-1], Decimal(0), Decimal("100.1"))
        if points and (size < points[-1][1] or share < points[-1][2]):
            source.wrong(
                line, f"found {shown(' '.join(fields))} after less; allowed: sizes and shares that do not fall"
            )
        points.append((line, size, share))
        columns = len(fields)
    if not points:
        source.wrong(1, "there are no points; allowed: a size and a share in each line")
    return _scaled(source, choices, found, points, columns)


def points_of(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of each point: rows with a number in front, without fields that are empty."""
    for line, row in records(source, each=True):
        fields = [field for field in row if field]
        if fields and not fields[0][:1].isalpha():
            yield line, fields


def _scaled(
    source: Source, choices: Choices, found: Found, points: list[tuple[int, Decimal, Decimal]], columns: int
) -> Found:
    last, _, most = points[-1]
    whole = Decimal(100) if most > 1 + _NEARLY else Decimal(1)
    if abs(most / whole - 1) > _NEARLY:
        source.wrong(last, f"the last share is {most}; allowed: 1, or 100 for per cent")
    unit = choices.size_unit or (_PACKET if columns == 3 else 1)
    if columns == 3 and choices.size_unit is None:
        found.warnings.append(f"sizes are taken as packets of {_PACKET} B, as pFabric's files have them (size_unit)")
    steps: dict[int, Decimal] = {}
    for _, size, share in points:
        steps[max(1, int(size * unit + Decimal("0.5")))] = min(Decimal(1), share / whole)
    steps[next(reversed(steps))] = Decimal(1)
    found.sizes = list(steps.items())
    if len(found.sizes) > MOST or not any(share > 0 for _, share in found.sizes):
        source.wrong(last, "there is no share above 0; allowed: shares up to 1")
    return found
