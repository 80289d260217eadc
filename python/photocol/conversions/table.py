"""Tables of text, by RFC 4180: comma, semicolon, tab or blanks between fields, a first row of titles or none.

Quotes hold everywhere, in titles too: separators and line breaks within them belong to the field, a quote is doubled.
Empty lines and lines that begin with `#` are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.conversions.headings import title
from photocol.conversions.source import plain, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from photocol.conversions.source import Source

_LONGEST_FIELD = 10_000
_MOST_COLUMNS = 1000
_QUOTES = r'"([^"]*+(?:""[^"]*+)*+)"'
_QUOTED = re.compile(_QUOTES)
_ROW = re.compile(rf'(?:[^"\n]++|{_QUOTES})*+')
_BLANK = r"[^\S\n]"
_NOTHING = re.compile(rf"(?:{_BLANK}*+(?:#[^\n]*+)?\n)*+(?:{_BLANK}*+(?:#[^\n]*+)?\Z)?")
"""Empty lines and comments."""
_DELIMITERS = (",", ";", "\t")
_FORMS = {
    one: re.compile(rf'(?:(?!{one}){_BLANK})*+(?:{_QUOTES}(?:(?!{one}){_BLANK})*+|((?!")[^{one}\n]*+))({one}|\n|\Z)')
    for one in _DELIMITERS
}
_FORMS[" "] = re.compile(rf'{_BLANK}*+(?:{_QUOTES}|((?!")\S++))({_BLANK}++(?=\S)|{_BLANK}*+(?:\n|\Z))')
"""How a field reads and what ends it, by what separates it from the next."""


class Table:
    """The rows of a file by column."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.records = records(source)
        line, fields = next(self.records, (1, []))
        self.line = line
        if len(fields) > _MOST_COLUMNS:
            source.wrong(line, f"found {len(fields)} columns; allowed: {_MOST_COLUMNS}")
        self.titles = fields
        """The first row as it stands."""
        self.units: dict[str, str] = {}
        self.columns: list[str] = []
        for field in fields:
            name, unit = title(source, line, field)
            self.columns.append(name)
            if unit:
                self.units[f"{name} unit"] = unit
        self.has_titles = {"source", "target"} <= set(self.columns) or "slice" in self.columns
        self.first = None if self.has_titles or not fields else (line, fields)
        twice = next((name for name in self.columns if self.columns.count(name) > 1), None)
        if self.has_titles and twice is not None:
            source.wrong(line, f"the column {shown(twice)} is there twice")

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line and fields of each row below the titles."""
        if self.first is not None:
            yield self.first
        yield from self.records

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


def records(source: Source, *, each: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Line and fields of each row, without blanks around the fields.

    What separates them is seen in the first row, or in each for itself.
    """
    text, line, place = source.text, 1, 0
    form: re.Pattern[str] | None = None
    while (found := _NOTHING.match(text, place)) and found.end() < len(text):
        line, place = line + found[0].count("\n"), found.end()
        if form is None or each:
            form = _form(text, place)
        first, fields = line, []
        while True:
            match = form.match(text, place)
            if match is None:
                source.wrong(line, _unread(text, place))
            fields.append((match[2] if match[1] is None else match[1].replace('""', '"')).strip())
            if len(fields[-1]) > _LONGEST_FIELD:
                source.wrong(line, f"a field is too long; allowed: {_LONGEST_FIELD} letters")
            line, place = line + match[0].count("\n"), match.end()
            if match[3] == "" or "\n" in match[3] or (form is _FORMS[" "] and place == len(text)):
                break
        yield first, fields


def _form(text: str, place: int) -> re.Pattern[str]:
    """How a field reads, with the delimiter of the row that begins here: the first that stands outside quotes."""
    match = _ROW.match(text, place)
    row = _QUOTED.sub("", match[0] if match else "")
    return _FORMS[next((one for one in _DELIMITERS if one in row.strip()), " ")]


def _unread(text: str, place: int) -> str:
    quoted = _QUOTED.search(text, place)
    if quoted is None or text[place : quoted.start()].strip():
        return "the quotes that open here are not closed"
    after = text[quoted.end() :][:40].partition("\n")[0].strip()
    return f"found {shown(after)} behind closed quotes; allowed: what separates fields, or the end of the line"


def numeric(fields: list[str]) -> bool:
    """Whether all of them are numbers."""
    return bool(fields) and all(plain(field) is not None for field in fields)
