"""Flows that Python makes: a function, a generator or any list, as the `list` of a traffic in a scenario dict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from photocol.errors import InputError

MOST_FLOWS = 10_000_000
"""The engine takes no more; a generator that does not end is stopped there."""

_KEYS = ("start", "size", "source", "destination")


def flows_listed(scenario: Mapping[str, Any]) -> Mapping[str, Any]:
    """The scenario with every `list` of a traffic written out.

    A list may be a function without arguments, a generator, or any iterable. Its flows are tables as in a file, or
    (start, size, source, destination): start in seconds or with a unit, size in bytes, with a unit, or None for
    what the traffic says. Raises InputError.
    """
    traffic = scenario.get("traffic")
    if not isinstance(traffic, list | tuple):
        return scenario
    return {**scenario, "traffic": [_table(number, one) for number, one in enumerate(traffic)]}


def _table(number: int, traffic: object) -> object:
    if not isinstance(traffic, Mapping) or not _is_made(traffic.get("list")):
        return traffic
    made = traffic["list"]
    return {**traffic, "list": _flows(f"traffic.{number}.list", made() if callable(made) else made)}


def _is_made(value: object) -> bool:
    """Whether it is more than a list of tables."""
    if value is None or isinstance(value, str):
        return False
    return not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value)


def _flows(where: str, made: object) -> list[object]:
    if not isinstance(made, Iterable):
        raise InputError(f"{where}: found {made!r}; allowed: a function, a generator or a list that gives flows")
    flows: list[object] = []
    for number, flow in enumerate(made):
        if number == MOST_FLOWS:
            raise InputError(f"{where}: more than {MOST_FLOWS} flows; does the generator end?")
        flows.append(flow if isinstance(flow, Mapping) else _flow(f"{where}: flow {number}", flow))
    return flows


def _flow(where: str, flow: object) -> dict[str, object]:
    parts = tuple(flow) if isinstance(flow, Iterable) and not isinstance(flow, str) else ()
    if len(parts) != len(_KEYS):
        raise InputError(f"{where} is {flow!r}; allowed: (start, size, source, destination)")
    start, size, source, destination = parts
    table: dict[str, object] = {"start": _start(where, start), "source": source, "destination": destination}
    if size is not None:
        table["size"] = _size(where, size)
    return table


def _start(where: str, start: object) -> str:
    if isinstance(start, str):
        return start
    seconds = _number(start)
    if seconds is None or not math.isfinite(seconds) or seconds < 0:
        raise InputError(f"{where}: the start is {start!r}; allowed: seconds from 0 on, or a time with a unit")
    return f"{seconds!r} s"


def _size(where: str, size: object) -> str:
    if isinstance(size, str):
        return size
    number = _number(size)
    if number is None or number < 1 or number != math.floor(number):
        raise InputError(
            f"{where}: the size is {size!r}; allowed: a whole number of bytes from 1, or a size with a unit"
        )
    return f"{int(number)} B"


def _number(value: object) -> float | None:
    """A number of Python or NumPy."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) else value
    return plain if isinstance(plain, int | float) and not isinstance(plain, bool) else None
