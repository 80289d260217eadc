"""A pair's path as a link: files that `[[link_trace]]` reads, with one-way delays and the times without a route."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from photocol.orbits.routes import Route

HEAD = "time_ms,delay_ms,state"
_NS_IN_S, _NS_IN_MS = 1e9, 1_000_000
_HALF_PS_IN_MS, _PS_IN_MS = 0.5e9, 1_000_000_000


def link_trace(route: Route) -> str:
    """The CSV of a pair: the delay is half of the round trip, in whole picoseconds; the state is down while cut off.

    A row stands where the delay or the state changes, with the time of its step to the nanosecond. An empty field
    leaves a property as it is.
    """
    step_ns = round(float(route.times_s[1]) * _NS_IN_S) if len(route.times_s) > 1 else 0
    rows, delay, is_up = [HEAD], "", None
    for step, half in enumerate((route.round_trip_ms * _HALF_PS_IN_MS).tolist()):
        was_up, is_up = is_up, bool(np.isfinite(half))
        now = _milliseconds(round(half), _PS_IN_MS) if is_up else delay
        state = "" if was_up == is_up else "up" if is_up else "down"
        if state or now != delay:
            rows.append(f"{_milliseconds(step * step_ns, _NS_IN_MS)},{'' if now == delay else now},{state}")
        delay = now
    return "\n".join(rows) + "\n"


def file_names(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """A file for each pair, `new-york-to-tokyo.csv`: letters and digits of the stations, in small letters.

    Raises InputError where two pairs would have one file.
    """
    known: dict[str, tuple[str, str]] = {}
    names = []
    for source, target in pairs:
        name = f"{_word(source)}-to-{_word(target)}.csv"
        other = known.setdefault(name, (source, target))
        if other != (source, target):
            raise InputError(
                f"{name}: found {' – '.join(other)} and {source} – {target}; "
                "allowed: stations whose names differ in letters or digits"
            )
        names.append(name)
    return names


def _word(station: str) -> str:
    return re.sub(r"[\W_]+", "-", station.casefold()).strip("-") or "station"


def _milliseconds(count: int, in_ms: int) -> str:
    """A whole number of fractions of a millisecond, as a decimal number without a rounding."""
    whole, rest = divmod(count, in_ms)
    return f"{whole}.{rest:0{len(str(in_ms)) - 1}}".rstrip("0").rstrip(".")
