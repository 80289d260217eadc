"""Keys of a table of TOML, each read once with its range; the one message about a key that is wrong.

The message has the place of the value, `file:line:column: topology.planes: found 0; allowed: …`, if the text is known.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from photocol import files
from photocol.conversions.source import Range, measured
from photocol.errors import InputError, did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_HEAD = re.compile(r"\s*\[{1,2}\s*([\w.\-\" ]+?)\s*\]{1,2}\s*(?:#.*)?")
_ENTRY = re.compile(r"\s*([\w\-]+)\s*=\s*")
_LONGEST = 60
_ABSENT = object()


class Places:
    """Where keys stand in a text: `topology.planes` to line and column. Tables of the same name count from 0."""

    def __init__(self, name: str, text: str = "") -> None:
        self.name = name
        self.found: dict[str, tuple[int, int]] = {}
        head, counts = "", dict[str, int]()
        for number, line in enumerate(text.split("\n"), 1):
            if (title := _HEAD.fullmatch(line)) is not None and "=" not in line:
                head = title[1].replace('"', "").replace(" ", "")
                if line.strip().startswith("[["):
                    counts[head] = counts.get(head, -1) + 1
                    head = f"{head}[{counts[head]}]"
                self.found.setdefault(head, (number, line.index("[") + 1))
            elif (entry := _ENTRY.match(line)) is not None:
                self.found.setdefault(f"{head}.{entry[1]}".lstrip("."), (number, entry.end() + 1))

    def of(self, path: str) -> str:
        """`file:line:column: ` of a key, or of the nearest table that it stands in; `file: ` without any."""
        while path and path not in self.found:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        if path:
            line, column = self.found[path]
            return f"{self.name}:{line}:{column}: "
        return f"{self.name}: " if self.name else ""


NOWHERE = Places("")


@dataclass
class Keys:
    """A table whose keys are taken one by one; `finish` refuses those that nobody has taken."""

    table: Mapping[str, Any]
    path: str
    places: Places = NOWHERE
    taken: dict[str, None] = field(default_factory=dict)

    def wrong(self, name: str, message: str) -> NoReturn:
        """Refuse a key."""
        path = f"{self.path}.{name}".strip(".") if name else self.path
        raise InputError(f"{self.places.of(path)}{path}: {message}")

    def refuse(self, name: str, value: object, allowed: str) -> NoReturn:
        """Refuse the value of a key."""
        text = shown(repr(value) if not isinstance(value, str) else f'"{value}"')
        self.wrong(name, f"found {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}; allowed: {allowed}")

    def has(self, name: str) -> bool:
        """Whether the key is there."""
        self.taken[name] = None
        return name in self.table

    def raw(self, name: str) -> Any:
        """The value as it stands, None without the key."""
        self.taken[name] = None
        return self.table.get(name)

    def whole(self, name: str, low: int, high: int, default: Any = _ABSENT) -> int:
        """A whole number of this range."""
        value = self._given(name, default, f"a whole number from {low} to {high}")
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.refuse(name, value, f"a whole number from {low} to {high}")
        return value

    def real(self, name: str, low: float, high: float, default: Any = _ABSENT, unit: str = "") -> float:
        """A number of this range."""
        allowed = f"a number from {low:g} to {high:g}{unit}"
        value = self._given(name, default, allowed)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
            self.refuse(name, value, allowed)
        return float(value)

    def quantity(self, name: str, kind: Range, default: Any = _ABSENT) -> float:
        """A text with a unit, as seconds or kilometres."""
        allowed = f"{kind.words}, with a unit"
        value = self._given(name, default, allowed)
        number = measured(value, "", kind) if isinstance(value, str) else None
        if number is None or not kind.low <= number <= kind.high:
            self.refuse(name, value, allowed)
        return float(number)

    def word(self, name: str, words: Collection[str], default: Any = _ABSENT) -> str:
        """One of these words."""
        allowed = ", ".join(f'"{word}"' for word in words)
        value = self._given(name, default, allowed)
        if not isinstance(value, str) or value not in words:
            self.refuse(name, value, did_you_mean(str(value), map(str, words)) + allowed)
        return value

    def text(self, name: str, allowed: str, default: Any = _ABSENT) -> str:
        """A text."""
        value = self._given(name, default, allowed)
        if not isinstance(value, str) or not value:
            self.refuse(name, value, allowed)
        return value

    def file(self, name: str, folder: Path) -> Path:
        """A file in a folder."""
        value = self.text(name, "a file")
        if not value.isprintable():
            self.refuse(name, value, "the name of a file")
        return folder / value

    def finish(self) -> None:
        """Refuse keys that are none."""
        for name in self.table:
            if name not in self.taken:
                self.wrong(name, f"is no key here; {did_you_mean(name, self.taken)}allowed: {', '.join(self.taken)}")

    def _given(self, name: str, default: Any, allowed: str) -> Any:
        value = self.raw(name)
        if value is None and default is _ABSENT:
            self.wrong(name, f"is missing; allowed: {allowed}")
        return default if value is None else value


def length_range(low_km: str, high_km: str) -> Range:
    """What a length may be, in kilometres."""
    return Range("km", 1000, Decimal(low_km), Decimal(high_km), f"{low_km} km to {high_km} km")


def time_range(low_s: str, high_s: str) -> Range:
    """What a time may be, in seconds."""
    return Range("s", 10**12, Decimal(low_s), Decimal(high_s), f"{low_s} s to {high_s} s")


def read_toml(path: Path) -> tuple[dict[str, Any], Places]:
    """A file of TOML and where its keys stand. Raises InputError with the line, and OSError."""
    try:
        text = files.text(path)
        return tomllib.loads(text), Places(str(path), text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: {error}") from error
    except UnicodeError as error:
        raise InputError(f"{path}: is not UTF-8") from error
