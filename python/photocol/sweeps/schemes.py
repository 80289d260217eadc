"""Schemes: named layers over the scenario of a sweep, which are compared as the values of one axis.

A layer is written like a scenario. Its tables merge with the scenario's key by key; a table of another `kind` or `law`
and everything else, lists too, replaces what is there; a number or a name addresses an element of a list. `drop` names
keys that are taken away before.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError, did_you_mean
from photocol.runs.scenario import as_toml, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from photocol.runs.scenario import ScenarioText

AXIS = "scheme"
"""The name of their axis."""
_TAGS = ("kind", "law")
_KEY = re.compile(r'(?:[^."]|"[^"]+")+')


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A layer as it is written."""

    name: str
    drop: tuple[str, ...]
    """Paths of keys that the scenario has and the scheme has not."""
    layer: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Layered:
    """A scheme over its scenario."""

    name: str
    scenario: ScenarioText
    """Without what the scheme drops."""
    settings: tuple[tuple[str, str], ...]
    """Path and value of each key that it sets, as `--set` has them."""


def read(said: Sequence[object]) -> tuple[Scheme, ...]:
    """The `[[scheme]]` of a sweep. Raises InputError, which names the scheme and the key."""
    schemes: list[Scheme] = []
    for number, one in enumerate(said, 1):
        if not isinstance(one, Mapping):
            raise InputError(f"scheme {number}: a table of keys, not {one!r}")
        name = one.get("name")
        if not isinstance(name, str) or not name.strip():
            raise InputError(f'scheme {number} has no name; give it one, as in name = "dctcp"')
        if any(name == other.name for other in schemes):
            raise InputError(f"two schemes are called {name!r}")
        drop = one.get("drop", ())
        if not isinstance(drop, list | tuple) or not all(isinstance(key, str) for key in drop):
            raise InputError(f"scheme {name!r}: drop: a list of keys, not {drop!r}")
        layer = {key: value for key, value in one.items() if key not in ("name", "drop")}
        schemes.append(Scheme(name=name, drop=tuple(drop), layer=layer))
    return tuple(schemes)


def parse(text: str) -> dict[str, Any]:
    """`NAME: KEY=VALUE; KEY=VALUE; drop=KEY`, as `--scheme` has it, in the words of a file. Raises InputError."""
    name, colon, rest = text.partition(":")
    said: dict[str, Any] = {"name": name.strip(), "drop": []}
    for one in filter(str.strip, _parts(rest)):
        key, equals, value = (part.strip() for part in one.partition("="))
        if not key or not equals or not value:
            raise InputError(f"--scheme {text!r}: {one.strip()!r} is no KEY=VALUE and no drop=KEY")
        if key == "drop":
            said["drop"].append(value)
        elif key in said:
            raise InputError(f"--scheme {text!r}: {key} twice")
        else:
            said[key] = value
    if not colon or not name.strip():
        raise InputError(f"--scheme {text!r}: must be 'NAME: KEY=VALUE; …', as in 'reno: traffic.0.transport=reno'")
    return said


def over(scheme: Scheme, scenario: ScenarioText) -> Layered:
    """The scheme over this scenario. Raises InputError, which names the scheme and the key."""
    tree = tomllib.loads(scenario.text)
    try:
        if scheme.drop:
            _drop(tree, scheme.drop)
            lines = (f"{json.dumps(key)} = {as_toml(value, key)}\n" for key, value in tree.items())
            scenario = replace(scenario, text="".join(lines))
        settings = dict[str, str]()
        for path, value in _leaves(scheme.layer, tree, ""):
            if path in settings:
                raise InputError(f"{path} twice")
            settings[path] = written(path, value)
    except InputError as error:
        raise InputError(f"scheme {scheme.name!r}: {error}") from error
    return Layered(name=scheme.name, scenario=scenario, settings=tuple(settings.items()))


def _parts(text: str) -> Iterator[str]:
    """At the semicolons outside of quotes."""
    yield from re.findall(r"""(?:[^;"']|"[^"]*"|'[^']*'|["'])+""", text)


def _leaves(layer: Mapping[str, Any], below: object, path: str) -> Iterator[tuple[str, Any]]:
    """Path and value of all that a layer puts in place of `below`."""
    for key, value in layer.items():
        whole, under = f"{path}.{key}" if path else key, below
        if not _keys(key):
            raise InputError(f"{whole!r} is no key; a key is written as in topology.routing or traffic.0.transport")
        for part in _keys(key):
            place = _place(under, part)
            under = None if place is None else under[place]  # type: ignore[index]
        if isinstance(value, Mapping) and value and not _differs(value, under):
            yield from _leaves(value, under, whole)
        else:
            yield whole, value


def _differs(value: Mapping[str, Any], under: object) -> bool:
    """Whether a table is of another kind than the one below it, whose keys mean nothing to it then."""
    if not isinstance(under, Mapping):
        return False
    return any(tag in value and tag in under and value[tag] != under[tag] for tag in _TAGS)


def _drop(tree: dict[str, Any], paths: Sequence[str]) -> None:
    """Take these keys away. Raises InputError for one that is not there."""
    found: list[tuple[Any, Any]] = []
    for path in paths:
        under: Any = tree
        for key in _keys(path) or [path]:
            holder, place = under, _place(under, key)
            if place is None:
                there = list(map(str, holder if isinstance(holder, Mapping) else range(len(_list(holder)))))
                hint = f"{did_you_mean(key, there)}there is: {', '.join(there) or 'nothing'}"
                raise InputError(f"drop: the scenario has no {path!r}; {hint}")
            under = holder[place]
        if any(holder is one and place == at for one, at in found):
            raise InputError(f"drop: {path!r} twice")
        found.append((holder, place))
    # From the end of a list, so that numbers mean what they mean in the scenario.
    for holder, place in sorted(found, key=lambda one: -one[1] if isinstance(one[1], int) else 0):
        del holder[place]


def _place(under: object, key: str) -> str | int | None:
    """Where a key is in a table, or a number or the `name` of a table in a list; None where it is not."""
    if isinstance(under, Mapping):
        return key if key in under else None
    items = _list(under)
    names = [one.get("name") if isinstance(one, Mapping) else None for one in items]
    place = int(key) if key.isdecimal() else names.index(key) if key in names else len(items)
    return place if place < len(items) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _keys(path: str) -> list[str]:
    """The keys of a path; one with dots stands in double quotes. None of what is no path."""
    keys = _KEY.findall(path.strip())
    is_whole = ".".join(keys) == path.strip()
    return [key.replace('"', "") for key in keys] if is_whole else []
