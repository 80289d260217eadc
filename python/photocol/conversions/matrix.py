"""Traffic matrices: N rows of N rates, with names or without, and tables of from, to and rate.

A table of rates beside a network may be its links or its traffic. A column `demand` is traffic and a column `capacity`,
or one of delays or lengths, is links. Rates are traffic if each pair is a link of the network; else `as` decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.conversions.found import MOST, Demand, Found
from photocol.conversions.headings import is_title, title
from photocol.conversions.source import DEMAND, cleaned, plain, shown
from photocol.conversions.table import Table, records
from photocol.conversions.units import is_like_a_unit, scale
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from photocol.conversions.choices import Choices
    from photocol.conversions.found import Contact, Link
    from photocol.conversions.source import Source

NOTHING = {"", "-", "–", "nan", "na", "n/a", "none", "null"}
"""Where there is no demand."""
_SMALL = 5
"""Fewer rows may be something else, unless nobody sends to himself."""
_MOST_NODES = 4096
_MAY_BE = {"rate", "datarate", "data_rate", "bitrate", "bit_rate", "bandwidth", "bw", "speed"}
"""Names of columns that links have, and traffic too."""
_RATES = {"rate", "datarate", "data_rate", "bitrate", "bit_rate"}
"""Of these the ones that mean traffic where links have their capacities from elsewhere."""


def is_matrix(rows: Sequence[Sequence[str]], *, is_cut: bool) -> bool:
    """Whether the first rows of a file, or all, are those of a matrix."""
    if len(rows) < 2:
        return False
    names = _names(rows[0], rows[1])
    if names and _has_corner(rows[0]):
        return True  # what is wrong in it is said as it is read
    if not names and _over_rates(rows[0], rows[1]):
        names, rows = [], rows[1:]
    body = rows[1:] if names else rows
    size = len(names) if names else len(rows[0])
    if size < (2 if names else 3) or len(body) > size or (len(body) < size and not is_cut):
        return False
    values = [row[1:] if names else row for row in body]
    known = set(names or ())
    fits = all(len(row) == size and all(map(_is_value, row)) for row in values)
    if not fits or (names and not all(cleaned(row[0]) in known for row in body)):
        return False
    return bool(names) or size >= _SMALL or all(_is_nothing(row[k]) for k, row in enumerate(values))


def _names(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """The names of a head: one for each column behind the names of rows; None without a head."""
    size = (len(first) if _has_corner(first) else len(second)) - 1
    head = [cleaned(name) for name in first[-size:]] if size > 0 and len(first) in (size, size + 1) else []
    is_head = bool(head) and all(head) and len(set(head)) == size and cleaned(second[0]) in set(head)
    # The corner is empty or a word; where it is a number the names would be numbers, and the row one of rates.
    is_row = len(first) == size + 1 and all(plain(field) is not None for field in first)
    return head if is_head and not is_row else None


def _has_corner(first: Sequence[str]) -> bool:
    """Whether a first row begins with nothing, or with a unit: that of no other table does."""
    return len(first) > 2 and (not first[0] or scale(first[0], "bps") is not None)


def _over_rates(first: Sequence[str], second: Sequence[str]) -> list[str] | None:
    """The names of a head over rows that have none: names in the order of the rows; None without such a head."""
    head = [cleaned(name) for name in first]
    is_head = 1 < len(head) == len(second) == len(set(head)) and all(head)
    is_named = not any(plain(name) is not None or is_title(name) for name in head)
    return head if is_head and is_named and all(map(_is_value, second)) else None


def _is_value(text: str) -> bool:
    return text.lower() in NOTHING or plain(text.split(" ")[0] if text else "") is not None


def _is_nothing(text: str) -> bool:
    return text.lower() in NOTHING or plain(text) == 0


def read(source: Source, choices: Choices) -> Found:
    """Rows are sources and columns are targets; without names they count the nodes in the network's order."""
    rows = list(records(source))
    if len(rows) < 2:
        source.wrong(1, "found one row; allowed: as many rows as columns")
    before = _names(rows[0][1], rows[1][1])
    names = before or _over_rates(rows[0][1], rows[1][1])
    found = Found(file=source.name, format="matrix", by_place=names is None)
    corner = rows[0][1][0] if names and len(rows[0][1]) > len(names) else ""
    said = corner if scale(corner, "bps") else title(source, rows[0][0], corner)[1]
    if not said and is_like_a_unit(corner):
        source.wrong(
            rows[0][0], f"found {shown(corner)}, which is no unit of a rate; allowed: such as Mbps, Gb/s, MB/s"
        )
    unit = choices.unit("capacity_unit", said or "bps")
    body = rows[1:] if names else rows
    known = set(names or ())
    has_numbers = False
    for number, (line, fields) in enumerate(_square(source, body, len(names) if names else len(body))):
        name = cleaned(fields[0]) if before else names[number] if names else str(number)
        if names and name not in known:
            source.wrong(line, f"found the row {shown(fields[0])}; allowed: each name of the columns once")
        known.discard(name)
        values = fields[1:] if before else fields
        if len(values) != len(body):
            source.wrong(line, f"found {len(values)} rates; allowed: {len(body)}, one for each column")
        for column, text in enumerate(values):
            target = names[column] if names else str(column)
            has_numbers |= plain(text) not in {None, 0}
            _add(source, found, unit, Demand(name="", source=name, target=target, bps=0, line=line), text)
    if has_numbers and not said and choices.capacity_unit is None:
        found.warnings.append("rates are numbers without a unit: taken as bit/s (capacity_unit says another)")
    found.is_empty = not found.demands
    return found


def _square(source: Source, body: list[tuple[int, list[str]]], size: int) -> list[tuple[int, list[str]]]:
    """The rows, if there are as many as columns."""
    if size > _MOST_NODES:
        source.wrong(body[0][0], f"found {size} columns; allowed: {_MOST_NODES}")
    if len(body) != size:
        source.wrong(body[-1][0], f"found {len(body)} rows; allowed: {size}, as there are columns")
    return body


def _add(source: Source, found: Found, unit: str, demand: Demand, text: str) -> None:
    """A demand of this rate, if there is one and it leads somewhere else."""
    if text.strip().lower() in NOTHING or demand.source == demand.target:
        return
    bps = source.quantity(demand.line, "rate", text, unit, DEMAND)
    if bps == 0:
        return
    if len(found.demands) >= MOST:
        source.wrong(demand.line, f"too many demands; allowed: {MOST}")
    demand.bps, demand.name = bps, f"{demand.source} to {demand.target}"
    found.demands.append(demand)


def read_table(source: Source, choices: Choices) -> Found:
    """A table with titles: from, to, and demand or rate."""
    found, table = Found(file=source.name, format="demands"), Table(source)
    column = next((name for name in ("demand", "capacity") if name in table.columns), None)
    if not table.has_titles or column is None:
        source.wrong(table.line, f"found the titles {shown(', '.join(table.columns))}; allowed: from, to and demand")
    unit = choices.unit("capacity_unit", table.units.get(f"{column} unit", "bps"))
    for line, known in table.known():
        ends = [cleaned(end) for end in table.needed(line, known, "source", "target")]
        demand = Demand(name="", source=ends[0], target=ends[1], bps=0, line=line)
        _add(source, found, unit, demand, known.get(column, ""))
    found.is_empty = not found.demands
    return found


def is_of_rates(source: Source) -> str:
    """The name of the column of a table that may be links or traffic; nothing if it is no such table."""
    table = Table(source)
    known = [name for name in table.columns if name in ("capacity", "delay", "length", "demand")]
    if not table.has_titles or known != ["capacity"]:
        return ""
    raw = table.titles[table.columns.index("capacity")].lower()
    found = [name for name in _MAY_BE if raw.replace(" ", "_").startswith(name)]
    return max(found, key=len, default="")


def as_traffic(source: Source, column: str, links: Found, others: Iterable[Found]) -> bool:
    """Whether a table of rates is the traffic of the other files' network. Raises InputError where it may be either."""
    nodes: set[str] = set()
    pairs: set[tuple[str, str]] = set()
    for one in others:
        nodes |= {node.name for node in one.nodes}
        known: list[Link | Contact] = [*one.links, *one.contacts]
        for link in known:
            nodes |= {link.source, link.target}
            pairs |= {(link.source, link.target)} | ({(link.target, link.source)} if link.two_way else set())
    ends = {end for link in links.links for end in (link.source, link.target)}
    if not nodes or not ends <= nodes:
        return False
    if column in _RATES and all((link.source, link.target) in pairs for link in links.links):
        return True
    raise InputError(
        f"{source.name}:1: the column {shown(column)} may be capacities of links or rates of traffic: its nodes are "
        "those of the network; allowed: --as links or --as demands"
    )
