"""A value changed in the text of a scenario: its comments and its order stay."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from typing import Any

from photocol.errors import InputError

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^(\s*)([\w.\"'-]+)(\s*=\s*)")
_BARE = re.compile(r"[\w-]+")


def with_value(text: str, path: str, value: object) -> str:
    """The text with this value at a dotted path; without the key if it is None. Raises InputError if it cannot be.

    Line ends are those of the text.
    """
    if "\r\n" in text:
        return with_value(text.replace("\r\n", "\n"), path, value).replace("\n", "\r\n")
    parts = split(path)
    wanted = _changed(tomllib.loads(text), parts, value)
    for key in range(len(parts), 0, -1):
        # What stands in braces is changed with its braces.
        whole = value if key == len(parts) else _at(wanted, parts[:key])
        for place in range(key - 1, -1, -1):
            new = _edited(text, parts[:place], parts[place:key], whole)
            if new is not None and _is(new, wanted):
                return new
    raise InputError(f"{path}: this key can be changed in the text only")


def split(path: str) -> list[str]:
    """`transport."my law".mss` in parts; a number is a place in a list."""
    parts = [found[1] or found[2] for found in re.finditer(r'"([^"]*)"|([^."]+)', path)]
    if not parts:
        raise InputError(f"{path!r} is no path of a key")
    return parts


def literal(value: object) -> str:
    """A value of JSON as TOML on one line. JSON's texts, numbers and truth values are TOML's."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{quoted(key)} = {literal(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(literal(one) for one in value)}]"
    return json.dumps(value, ensure_ascii=False)


def quoted(key: str) -> str:
    """A key as TOML writes it."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _is(text: str, wanted: object) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _at(contents: Any, parts: list[str]) -> Any:
    for part in parts:
        contents = contents[int(part)] if isinstance(contents, list) else contents[part]
    return contents


def _changed(known: dict[str, Any], parts: list[str], value: object) -> dict[str, Any]:
    """The contents as they shall be. Raises InputError where a part of the path is no table."""
    new = copy.deepcopy(known)
    here: Any = new
    for part in parts[:-1]:
        if isinstance(here, list):
            if not part.isdigit() or int(part) >= len(here):
                raise InputError(f"{'.'.join(parts)}: there is no number {part}")
            here = here[int(part)]
        else:
            here = here.setdefault(part, {})
        if not isinstance(here, dict | list):
            raise InputError(f"{'.'.join(parts)}: {part} is no table")
    last = parts[-1]
    if isinstance(here, list):
        raise InputError(f"{'.'.join(parts)}: a list is changed as a whole")
    if value is None:
        here.pop(last, None)
    else:
        here[last] = value
    return new


def _edited(text: str, table: list[str], key: list[str], value: object) -> str | None:
    """The text with `key` changed, added or removed in the table with this header; None where it is not to be done."""
    lines = text.split("\n")
    found = _body(lines, table)
    if found is None:
        if value is None or table[-1:] == [] or any(part.isdigit() for part in table):
            return None
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{'.'.join(map(quoted, table))}]\n{'.'.join(map(quoted, key))} = {literal(value)}\n"
    begin, end = found
    number = begin
    while number < end:
        last = _extent(lines, number, end)
        match = _KEY.match(lines[number])
        if match and split(match[2]) == key:
            return "\n".join([*lines[:number], *_replaced(lines[number:last], match, value), *lines[last:]])
        number = last
    if value is None:
        return None
    written = [n for n in range(begin, end) if lines[n].strip() and not lines[n].lstrip().startswith("#")]
    at = written[-1] + 1 if written else begin
    return "\n".join([*lines[:at], f"{'.'.join(map(quoted, key))} = {literal(value)}", *lines[at:]])


def _body(lines: list[str], table: list[str]) -> tuple[int, int] | None:
    """The lines behind the header of a table, up to the next header."""
    counts: dict[tuple[str, ...], int] = {}
    begin = 0 if not table else None
    number = 0
    while number < len(lines):
        header = _HEADER.match(lines[number])
        if header and not _KEY.match(lines[number]):
            if begin is not None:
                return begin, number
            name = split(header[2])
            if header[1] == "[[":
                counts[tuple(name)] = counts.get(tuple(name), -1) + 1
            place = [part for k in range(len(name)) for part in _numbered(name, k, counts)]
            if place == table:
                begin = number + 1
            number += 1
        else:
            number = _extent(lines, number, len(lines))
    return None if begin is None else (begin, len(lines))


def _numbered(name: list[str], k: int, counts: dict[tuple[str, ...], int]) -> list[str]:
    """A part of a header, with the number of its table if it is one of several."""
    so_far = tuple(name[: k + 1])
    return [name[k], str(counts[so_far])] if so_far in counts else [name[k]]


def _extent(lines: list[str], number: int, end: int) -> int:
    """The line behind the value that begins here: lists and long texts go over several."""
    if not _KEY.match(lines[number]):
        return number + 1
    for last in range(number + 1, end + 1):
        try:
            tomllib.loads("\n".join(lines[number:last]))
        except tomllib.TOMLDecodeError:
            continue
        return last
    return number + 1


def _replaced(lines: list[str], match: re.Match[str], value: object) -> list[str]:
    """The lines of a key with another value; the comment behind it stays."""
    if value is None:
        return []
    behind = "\n".join(lines)[match.end() :]
    for found in re.finditer(r"\s*#", behind):
        try:
            tomllib.loads(f"k = {behind[: found.start()]}")
        except tomllib.TOMLDecodeError:
            continue
        return f"{match[0]}{literal(value)}{behind[found.start() :]}".split("\n")
    return [f"{match[0]}{literal(value)}"]
