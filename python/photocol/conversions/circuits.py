"""Schedules of circuits: Opera's topology files, and OpenOptics's circuits by time slice.

Between racks there is a link for each pair that is ever connected; it passes packets in its slices and keeps what waits
in between. Hosts are at their racks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.conversions.contacts import checked
from photocol.conversions.found import MOST, Contact, Found, Link, Node
from photocol.conversions.orbcc import line_of, parsed
from photocol.conversions.source import RATE, TIME, shown
from photocol.conversions.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from photocol.conversions.choices import Choices
    from photocol.conversions.source import Source

_OPERA_DELAY, _OPTICS_DELAY = "500 ns", "1 us"
_MOST_RACKS = 4096
_MOST_SLICES = 100_000
_LONGEST_SLICE = 10**15


def _hosts(found: Found, racks: int, each: int, bps: int | None) -> None:
    """Racks `tor0`, `tor1`, …, and hosts `0`, `1`, … at them in turn."""
    found.nodes = [Node(name=f"tor{rack}", role="core") for rack in range(racks)]
    for host in range(racks * each):
        found.nodes.append(Node(name=str(host), role="host"))
        found.links.append(Link(source=str(host), target=f"tor{host // each}", bps=bps))


def read_opera(source: Source, _choices: Choices) -> Found:
    """Hosts, downlinks, uplinks, racks; slices and their three times in ps; for each slice the next rack of uplinks.

    The label-switched paths behind are left out: packets take the circuit to their rack.
    """
    found = Found(file=source.name, format="opera", keeps_queue=True, delay=_OPERA_DELAY)
    lines = source.lines()
    line, text = next(lines, (1, ""))
    limits = (("hosts", 1, MOST), ("downlinks", 1, 1024), ("uplinks", 1, 1024), ("racks", 2, _MOST_RACKS))
    hosts, down, up, racks = _numbers(source, line, text, limits)
    if hosts != down * racks:
        source.wrong(line, f"found {hosts} hosts; allowed: {down} at each of {racks} racks")
    line, text = next(lines, (line + 1, ""))
    times = tuple((name, 0, _LONGEST_SLICE) for name in ("epsilon", "delta", "r"))
    slices, *lengths = _numbers(source, line, text, (("slices", 1, _MOST_SLICES), *times))
    if sum(lengths) == 0:
        source.wrong(line, "all slices have the length 0; allowed: some time")
    open_since: dict[tuple[int, int], int] = {}
    now = named = 0
    for number in range(slices):
        line, text = next(lines, (line, ""))
        circuits = _neighbours(source, line, text, racks, up)
        named += racks * up
        _change(found, circuits if lengths[number % 3] else set(open_since), open_since, now, line)
        now += lengths[number % 3]
    source.counted(1, "hosts", hosts, named)
    _hosts(found, racks, down, None)
    _change(found, set(), open_since, now, line)
    found.period_ps = now
    if next(lines, None) is not None:
        found.warnings.append("label-switched paths are left out: packets take the circuit to their rack")
    return checked(source, found)


def _numbers(source: Source, line: int, text: str, limits: tuple[tuple[str, int, int], ...]) -> list[int]:
    fields = text.split()
    if len(fields) != len(limits):
        source.wrong(line, f"found {len(fields)} numbers; allowed: {', '.join(name for name, _, _ in limits)}")
    pairs = zip(fields, limits, strict=True)
    return [source.whole(line, name, field, low, high) for field, (name, low, high) in pairs]


def _neighbours(source: Source, line: int, text: str, racks: int, up: int) -> set[tuple[int, int]]:
    """Pairs of racks that are connected in a slice; -1 is a dark uplink, a rack itself is none."""
    fields = text.split()
    if len(fields) != racks * up:
        source.wrong(line, f"found {len(fields)} neighbours; allowed: {racks * up}, for each uplink of each rack one")
    found = set()
    for place, field in enumerate(fields):
        rack, neighbour = place // up, source.whole(line, "neighbour", field, -1, racks - 1)
        if neighbour not in (-1, rack):
            found.add((rack, neighbour))
    return found


def _change(
    found: Found, circuits: set[tuple[int, int]], open_since: dict[tuple[int, int], int], now: int, line: int
) -> None:
    """Ends the circuits that are no more and begins those that are new."""
    for pair in sorted(set(open_since) - circuits):
        start, (a, b) = open_since.pop(pair), pair
        if start < now:
            contact = Contact(source=f"tor{a}", target=f"tor{b}", start_ps=start, end_ps=now, line=line)
            found.contacts.append(contact)
    for pair in circuits:
        open_since.setdefault(pair, now)


def read_openoptics(source: Source, choices: Choices) -> Found:
    """Circuits `time_slice, node1, node2, port1, port2`: a list in JSON, alone or under "circuits", or a table."""
    known: dict[str, Any] = {}
    if source.text.lstrip()[:1] in ("[", "{"):
        value = parsed(source)
        known = value if isinstance(value, dict) else {"circuits": value}
        rows = _json_rows(source, known.get("circuits"))
    else:
        table = Table(source)
        rows = [(line, table.needed(line, row, "slice", "source", "target")) for line, row in table.known()]
    slice_ps = _time(source, known, "time_slice_duration", choices.quantity("slice"))
    guard = _time(source, known, "guardband", choices.quantity("guard")) or 0
    if not slice_ps or guard >= slice_ps:
        source.wrong(
            1, 'the time of a slice is not known or not longer than its guard; allowed: slice, such as "50 us"'
        )
    circuits: dict[int, set[tuple[int, int]]] = {}
    for line, (number, one, two) in rows:
        pair = [source.whole(line, "node", node, 0, _MOST_RACKS - 1) for node in (one, two)]
        place = source.whole(line, "time_slice", number, 0, _MOST_SLICES - 1)
        if pair[0] != pair[1]:
            circuits.setdefault(place, set()).add((min(pair), max(pair)))
    if not circuits:
        source.wrong(1, "there are no circuits; allowed: at least one between two nodes")
    nodes = [node for pairs in circuits.values() for pair in pairs for node in pair]
    racks = max(nodes) + 1
    if "nb_node" in known:
        racks = source.whole(line_of(source, "nb_node"), "nb_node", str(known["nb_node"]), racks, _MOST_RACKS)
    source.counted(line_of(source, "nb_node"), "nodes", racks, len(nodes))
    found = Found(
        file=source.name,
        format="openoptics",
        keeps_queue=True,
        delay=_OPTICS_DELAY,
        period_ps=(max(circuits) + 1) * slice_ps,
    )
    _hosts(found, racks, 1, _rate(source, known, "tor_host_link_bw_gbps"))
    _slices(found, circuits, slice_ps, guard, _rate(source, known, "ocs_tor_link_bw_gbps"))
    return checked(source, found)


def _json_rows(source: Source, value: object) -> list[tuple[int, list[str]]]:
    if not isinstance(value, list):
        source.wrong(1, 'there is no list "circuits"; allowed: [[time_slice, node1, node2, port1, port2], …]')
    rows = []
    for row in value:
        if not isinstance(row, list) or len(row) not in (3, 5) or not all(isinstance(one, str) for one in row):
            source.wrong(1, f"found {shown(str(row)[:80])}; allowed: [time_slice, node1, node2, port1, port2]")
        rows.append((1, row[:3]))
    return rows


def _slices(
    found: Found, circuits: dict[int, set[tuple[int, int]]], slice_ps: int, guard: int, bps: int | None
) -> None:
    """A contact for each slice, dark for the guard at its start; one that goes on in the next slice has no break."""
    open_since: dict[tuple[int, int], int] = {}
    for number in sorted({slice_ + more for slice_ in circuits for more in (0, 1)}):
        now, pairs = number * slice_ps, circuits.get(number, set())
        for one, two in sorted(set(open_since) - pairs):
            start = open_since.pop((one, two))
            circuit = Contact(source=f"tor{one}", target=f"tor{two}", start_ps=start, end_ps=now, bps=bps, line=1)
            circuit.two_way = True
            found.contacts.append(circuit)
        for pair in pairs:
            open_since.setdefault(pair, now + guard)


def _time(source: Source, known: dict[str, Any], name: str, otherwise: int | None) -> int | None:
    """`NAME_ms`, `NAME_us` or `NAME_ns` of a table."""
    return next(iter(_values(source, known, name, ("ms", "us", "ns"))), otherwise)


def _values(source: Source, known: dict[str, Any], name: str, units: Iterable[str]) -> list[int]:
    keys = [(f"{name}_{unit}", unit) for unit in units if f"{name}_{unit}" in known]
    return [source.quantity(line_of(source, key), key, str(known[key]), unit, TIME) for key, unit in keys]


def _rate(source: Source, known: dict[str, Any], key: str) -> int | None:
    return source.quantity(line_of(source, key), key, str(known[key]), "Gbps", RATE) if key in known else None
