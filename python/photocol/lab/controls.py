"""The keys of a scenario as controls: kind, range, default and sentence are those of the declarations.

The declarations are read from the JSON Schema, which is made of them. A key that the text gives is a control at once;
the others, of the tables that the text has, are found by a search, most used first: as often as the ready-made
scenarios give them.
"""

from __future__ import annotations

import functools
import json
import re
import tomllib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from photocol import _core
from photocol.lab.toml_text import quoted
from photocol.runs import bundled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_OF_A_LIST = 12
"""Tables of a list, such as `[[traffic]]`, that have controls."""
_CHOSEN_BY = ("kind", "law")
"""Keys that say which other keys there are: they are changed in the text."""
_ALLOWED = re.compile(r"Allowed: (.+?)\.(?= [A-Z]|$)")
_FROM_TO = re.compile(r"(?:from )?(-?[\d.]+) to (-?[\d.]+)")
_AT_LEAST = re.compile(r"(?:at least|above|more than) (-?[\d.]+|zero)")
_QUANTITIES = {"Time", "Speed", "Size", "Length", "PortRoom", "Window", "Room", "Sojourn", "SlotBuffer"}
_FIRST = ("run", "probe", "trace", "event", "force", "news")
"""Tables that come last on the page, for they are about the run and not about the network; the first of them first."""


@dataclass(frozen=True)
class Control:
    """A key on the page."""

    path: str
    key: str
    table: str
    kind: str
    """quantity, number, whole, flag, word, text or list."""
    sentence: str
    allowed: str
    """The range in words."""
    least: float | None
    most: float | None
    default: Any
    value: Any
    """What the text gives; None if it does not."""
    words: list[tuple[str, str]]
    """What may be chosen, a sentence each."""
    used: int
    """How many ready-made scenarios give this key."""


def of(text: str, explained: str) -> list[dict[str, Any]]:
    """The controls of a scenario: those that it gives in its order, then the rest, most used first."""
    said, whole = tomllib.loads(text), tomllib.loads(explained)
    found = [control for name in _tables(said, whole) for control in _top(name, said, whole)]
    given = [one for one in found if one.value is not None]
    rest = sorted((one for one in found if one.value is None), key=lambda one: (-one.used, one.path))
    return [asdict(one) for one in [*given, *rest]]


@functools.cache
def _schema() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(_core.schema())
    return known


def _tables(said: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    names = [name for name in _schema()["properties"] if name in said or name in ("run", "probe", "transport")]
    order = [name for name in ("topology", "traffic", "transport", "link_defaults", "switching") if name in names]
    order += [name for name in names if name not in order and name not in _FIRST]
    return [*order, *(name for name in _FIRST if name in names)] if whole else []


def _top(name: str, said: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Control]:
    node = _resolved(_schema()["properties"][name], said.get(name))
    if name != "transport":
        yield from _walk(node, said.get(name), whole.get(name), [name])
        return
    for one in {**said.get(name, {}), **whole.get(name, {})}:
        inside = _resolved({"$ref": "#/$defs/Transport"}, None)
        yield from _walk(inside, said.get(name, {}).get(one), whole.get(name, {}).get(one), [name, one])


def _walk(node: Mapping[str, Any], said: Any, whole: Any, path: list[str]) -> Iterator[Control]:
    """The controls of a table, and of the tables in it that the text has."""
    if isinstance(said, list):
        for number, one in enumerate(said[:_MOST_OF_A_LIST] if _is_of_tables(said) else ()):
            there = whole[number] if isinstance(whole, list) and number < len(whole) else None
            yield from _walk(_resolved(node.get("items", {}), one), one, there, [*path, str(number)])
        return
    said = said if isinstance(said, dict) else {}
    whole = whole if isinstance(whole, dict) else {}
    every = node.get("properties", {})
    for key in [*(key for key in said if key in every), *(key for key in every if key not in said)]:
        declared = every[key]
        inner = _resolved(declared, said.get(key))
        is_table = isinstance(said.get(key), dict) or _is_of_tables(said.get(key))
        if is_table and (inner.get("properties") or inner.get("items")):
            yield from _walk(inner, said[key], whole.get(key), [*path, key])
        elif key not in _CHOSEN_BY and _is_offered(path, key, said, whole, inner):
            yield _control(key, declared, inner, said.get(key), whole.get(key), path)


def _is_offered(path: list[str], key: str, said: Mapping[str, Any], whole: Mapping[str, Any], inner: Any) -> bool:
    """Without those that only another law or another kind of traffic has, and without empty tables."""
    if key in said:
        return True
    if inner.get("properties") or (inner.get("type") == "array" and "properties" in inner.get("items", {})):
        return False
    return key in whole if path[0] in ("transport", "traffic") else True


def _is_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _resolved(node: Mapping[str, Any], said: Any) -> dict[str, Any]:
    """A declaration without references; of several kinds the one that the text chooses."""
    found = dict(node)
    while True:
        if "$ref" in found:
            name = found.pop("$ref").rpartition("/")[2]
            found = {"is": name, **_schema()["$defs"][name], **found}
        elif len(options := [one for one in found.get("anyOf", ()) if one.get("type") != "null"]) == 1:
            del found["anyOf"]
            found = {**options[0], **found}
        elif "oneOf" in found and isinstance(said, dict):
            kinds = [one for one in found.pop("oneOf") if _is_of_kind(one, said)]
            found |= kinds[0] if kinds else {}
        else:
            return found


def _is_of_kind(node: Mapping[str, Any], said: Mapping[str, Any]) -> bool:
    chosen = [(key, node.get("properties", {}).get(key, {}).get("const")) for key in _CHOSEN_BY]
    return any(word is not None and said.get(key) == word for key, word in chosen)


def _control(key: str, declared: Mapping[str, Any], inner: Any, given: Any, resolved: Any, path: list[str]) -> Control:
    sentence = str(declared.get("description") or inner.get("description", ""))
    words = _words(key, inner, path)
    kind = "word" if words else _kind(inner)
    allowed = found[1] if (found := _ALLOWED.search(sentence)) else ""
    default = resolved if resolved is not None else inner.get("default")
    least, most = _range(inner, allowed)
    table = ".".join(quoted(part) for part in path)
    return Control(
        path=f"{table}.{quoted(key)}",
        key=key,
        table=table,
        kind=kind,
        sentence=sentence,
        allowed=allowed,
        least=least,
        most=most,
        default=default,
        value=given,
        words=words,
        used=_uses().get(_general([*path, key]), 0),
    )


def _words(key: str, inner: Mapping[str, Any], path: list[str]) -> list[tuple[str, str]]:
    """What may be chosen, with a sentence each."""
    if (path[0], key) in (("traffic", "transport"), ("transport", "algorithm")):
        return [(name, sentence) for name, sentence, _ in _core.catalogue("transports")]
    one_of = inner.get("oneOf", ())
    if one_of and all("const" in one for one in one_of):
        return [(str(one["const"]), str(one.get("description", ""))) for one in one_of]
    return [(str(word), "") for word in inner.get("enum", ())]


def _kind(inner: Mapping[str, Any]) -> str:
    kinds = inner.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if any(one.get("is") in _QUANTITIES or "pattern" in one for one in [inner, *inner.get("anyOf", ())]):
        return "quantity"
    if any(one.get("type") == "string" and "const" not in one for one in inner.get("anyOf", ())):
        return "quantity"
    plain = {"boolean": "flag", "integer": "whole", "number": "number", "string": "text"}
    return next((name for word, name in plain.items() if word in kinds), "list")


def _range(inner: Mapping[str, Any], allowed: str) -> tuple[float | None, float | None]:
    """The bounds as numbers, where there are some."""
    least = inner.get("minimum", inner.get("exclusiveMinimum"))
    most = inner.get("maximum", inner.get("exclusiveMaximum"))
    if found := _FROM_TO.search(allowed):
        return float(found[1]), float(found[2])
    if found := _AT_LEAST.search(allowed):
        least = 0.0 if found[1] == "zero" else float(found[1])
    return least, most


@functools.cache
def _uses() -> dict[str, int]:
    """How many ready-made scenarios give a key."""
    counts: dict[str, int] = {}
    folder = bundled.place()
    for file in sorted((folder / "scenarios").glob("*.toml")) if folder is not None else ():
        for path in set(_paths(tomllib.loads(file.read_text(encoding="utf-8")), [])):
            counts[path] = counts.get(path, 0) + 1
    return counts


def _paths(value: Any, path: list[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, [*path, key])
    elif _is_of_tables(value):
        for number, inner in enumerate(value):
            yield from _paths(inner, [*path, str(number)])
    else:
        yield _general(path)


def _general(path: list[str]) -> str:
    """A path without numbers of tables and without the names that users give to transports."""
    parts = ["*" if part.isdigit() or (k == 1 and path[0] == "transport") else part for k, part in enumerate(path)]
    return ".".join(parts)
