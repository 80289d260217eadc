"""A file as text with its lines, and the values in it.

Numbers and quantities are within a range, or there is an error that says where.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

from photocol.conversions.units import scale
from photocol.errors import InputError
from photocol.files import MOST_BYTES, content

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LATEST = Decimal(213 * 86_400)
"""The longest run in seconds."""
_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([^\d\s.+-]\S*)?\s*")
_LONGEST_NUMBER = 60
_LARGEST_POWER = 99


@dataclass(frozen=True)
class Range:
    """What a quantity may be: its base unit, how many of our whole units that is, and from where to where."""

    base: str
    steps: int
    low: Decimal
    high: Decimal
    words: str


RATE = Range("bps", 1, Decimal(8), Decimal(10) ** 15, "8 bps to 1000 Tbps")
DEMAND = Range("bps", 1, Decimal(0), Decimal(10) ** 15, "0 bps to 1000 Tbps")
TIME = Range("s", 10**12, Decimal(0), LATEST, "0 s to 213 days")
DELAY = Range("s", 10**12, Decimal(0), Decimal(3600), "0 s to 3600 s")
LENGTH = Range("km", 1000, Decimal(0), Decimal(10) ** 6, "0 km to 1000000 km")
SIZE = Range("B", 1, Decimal(0), Decimal(2**63 - 1), "0 B to 8 EiB")
UNNAMED = 1000
"""A file may count so many nodes more than it names."""
_SHOWN = 60
_LONGEST_NAME = 200


class FileError(InputError):
    """A file is wrong at a line."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return "{}:{}: {}".format(*self.args)


@dataclass(frozen=True)
class Source:
    """A file that was read."""

    name: str
    content: bytes
    path: Path

    @property
    def ending(self) -> str:
        """The ending of the name, in small letters, without that of a compressed file."""
        name = self.path.name.lower().removesuffix(".gz")
        return f".{name.rpartition('.')[2]}" if "." in name else ""

    @cached_property
    def text(self) -> str:
        """As UTF-8 or UTF-16 with its mark, else as ISO 8859-1."""
        if self.content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return self.content.decode("utf-16", errors="replace")
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return self.content.decode("latin-1")

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers from 1, without those that are empty or begin with `#`."""
        for number, line in enumerate(self.text.split("\n"), 1):
            stripped = line.strip()
            if stripped and not stripped.startswith("#"):
                yield number, stripped

    def wrong(self, line: int, message: str) -> NoReturn:
        """Refuse the file at a line."""
        raise FileError(self.name, line, message)

    def number(self, line: int, what: str, text: str, low: Decimal, high: Decimal) -> Decimal:
        """A number of this range."""
        value = plain(text)
        if value is None or not low <= value <= high:
            self.wrong(line, f"{what}: found {shown(text)}; allowed: a number from {low:f} to {high:f}")
        return value

    def whole(self, line: int, what: str, text: str, low: int, high: int) -> int:
        """A whole number of this range, which may be written as 1e6 or 5.0."""
        value = plain(text)
        if value is None or not low <= value <= high or value != value.to_integral_value():
            self.wrong(line, f"{what}: found {shown(text)}; allowed: a whole number from {low} to {high}")
        return int(value)

    def counted(self, line: int, what: str, count: int, named: int) -> None:
        """Refuse a count of things that the file does not name, so that a short file does not take much memory."""
        if count > named + UNNAMED:
            self.wrong(line, f"found {count} {what}; allowed: at most {named + UNNAMED}, as the file names {named}")

    def quantity(self, line: int, what: str, text: str, unit: str, kind: Range) -> int:
        """A number in this unit, or with a unit of its own, as whole bit/s, picoseconds or metres."""
        value = measured(text, unit, kind)
        if value is None or not kind.low <= value <= kind.high:
            self.wrong(line, f"{what}: found {shown(text)}; allowed: {kind.words}{_written_how(unit)}")
        return int((value * kind.steps).to_integral_value(ROUND_HALF_EVEN))


def measured(text: str, unit: str, kind: Range) -> Decimal | None:
    """A number in this unit, or with a unit of its own, in the base unit; None if it is neither."""
    match = _QUANTITY.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    value = plain(match[1]) if match else None
    if match is None or value is None:
        return None
    each = scale(match[2] or unit, kind.base)
    return None if each is None else value * each


def _written_how(unit: str) -> str:
    return f", as a number of {unit} or with a unit" if unit else ", with a unit"


def read(path: Path) -> Source:
    """Read a file, unpacked if it is compressed. Raises InputError, and OSError if it cannot be read."""
    raw = content(path)
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
                raw = packed.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path}: cannot be unpacked: {error}") from error
        if len(raw) > MOST_BYTES:
            raise InputError(f"{path} has more than {MOST_BYTES >> 20} MiB when unpacked; allowed: up to that")
    return Source(str(path), raw, path)


def plain(text: str) -> Decimal | None:
    """A finite number within reason (1e-99 to 1e99), or None."""
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= _LARGEST_POWER else None


def shown(text: str) -> str:
    """Words of a file in a message: short, and in quotes."""
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return f'"{"".join(letter if letter.isprintable() else "?" for letter in short)}"'


def cleaned(name: str) -> str:
    """A name as scenarios allow it: one line, at most 200 bytes, no arrow."""
    if name.isascii() and name.isalnum() and len(name) <= _LONGEST_NAME:
        return name
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return words.replace("->", "→").encode("utf-8", "replace")[:_LONGEST_NAME].decode("utf-8", "ignore").strip()
