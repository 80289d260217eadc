"""Tables of text: comma, semicolon, tab or blanks between fields, a first line of titles or none."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from photocol.conversions.attributes import heading
from photocol.conversions.source import plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from photocol.conversions.source import Source

_SYNONYMS = {
    "source": ("source", "src", "from", "node1", "node_1", "start_node", "node_a"),
    "target": ("target", "to", "dst", "dest", "destination", "node2", "node_2", "end_node", "node_b"),
    "start": ("start", "start_time", "begin", "time", "at"),
    "end": ("end", "end_time", "stop"),
    "size": ("size", "bytes", "size_bytes", "flow_size"),
    "capacity": ("capacity", "bandwidth", "bw", "rate", "datarate", "data_rate", "speed"),
    "delay": ("delay", "latency", "owlt", "light_time", "one_way_light_time"),
    "length": ("length", "distance", "dist", "km"),
    "slice": ("time_slice", "slice", "timeslice"),
}
_NAMES = {name: known for known, names in _SYNONYMS.items() for name in names}
_LONGEST_FIELD = 10_000
_MOST_COLUMNS = 1000


class Table:
    """The rows of a file by column."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = source.lines()
        line, text = next(self.lines, (1, ""))
        self.delimiter = next((one for one in (",", ";", "\t") if one in text), None)
        fields = self.split(line, text)
        if len(fields) > _MOST_COLUMNS:
            source.wrong(line, f"found {len(fields)} columns; allowed: {_MOST_COLUMNS}")
        self.units: dict[str, str] = {}
        self.columns: list[str] = []
        for field in fields:
            name, unit = heading(field)
            name = _NAMES.get(name, name)
            self.columns.append(name)
            if unit:
                self.units[f"{name} unit"] = unit
        self.has_titles = {"source", "target"} <= set(self.columns) or "slice" in self.columns
        self.first = None if self.has_titles or not text else (line, fields)
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if self.has_titles and twice is not None:
            source.wrong(line, f"the column {shown(twice)} is there twice")

    def split(self, line: int, text: str) -> list[str]:
        """The fields of a line, without quotes and blanks around them."""
        if self.delimiter is None:
            return text.split()
        if max(map(len, text.split(self.delimiter))) > _LONGEST_FIELD:
            self.source.wrong(line, f"a field is too long; allowed: {_LONGEST_FIELD} letters")
        try:
            fields = next(csv.reader([text], delimiter=self.delimiter, skipinitialspace=True, strict=True))
        except csv.Error as error:
            self.source.wrong(line, f"not a row of fields: {error}")
        return [field.strip() for field in fields]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line and fields of each row below the titles."""
        if self.first is not None:
            yield self.first
        for line, text in self.lines:
            yield line, self.split(line, text)

    def known(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Line and fields by column, with the units of the titles."""
        for line, fields in self.rows():
            if len(fields) > len(self.columns):
                self.source.wrong(line, f"found {len(fields)} columns; allowed: {len(self.columns)}, as in the titles")
            yield line, self.units | dict(zip(self.columns, fields, strict=False))

    def needed(self, line: int, known: Mapping[str, str], *names: str) -> list[str]:
        """The fields of these columns, which may not be empty."""
        for name in names:
            if not known.get(name):
                self.source.wrong(line, f'the column "{name}" is missing or empty; allowed: a value in each line')
        return [known[name] for name in names]


def numeric(fields: list[str]) -> bool:
    """Whether all of them are numbers."""
    return bool(fields) and all(plain(field) is not None for field in fields)
