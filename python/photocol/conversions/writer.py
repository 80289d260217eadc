"""A scenario as TOML, and values as scenarios have them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from photocol.conversions.found import Flow

_RATES = ((10**12, "Tbps"), (10**9, "Gbps"), (10**6, "Mbps"), (10**3, "kbps"), (1, "bps"))
_TIMES = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))
_LENGTHS = ((1000, "km"), (1, "m"))
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def rate(bps: int) -> str:
    """Whole bit/s in the largest unit that has no fraction."""
    return _in_largest(bps, _RATES)


def time(picoseconds: int) -> str:
    """Whole picoseconds likewise."""
    return _in_largest(picoseconds, _TIMES)


def length(metres: int) -> str:
    """Whole metres likewise."""
    return _in_largest(metres, _LENGTHS)


def datagrams(name: str, ends: tuple[str, str], bps: int) -> dict[str, Any]:
    """A table of `[[traffic]]`: datagrams as a Poisson process at the rate, from one end to the other."""
    table = {"name": name, "transport": "udp", "from": ends[0], "to": ends[1]}
    return table | {"load": "poisson", "rate": rate(bps)}


def _in_largest(value: int, units: Sequence[tuple[int, str]]) -> str:
    size, unit = next(((size, unit) for size, unit in units if value and value % size == 0), units[0])
    return f"{value // size} {unit}"


def toml(head: Iterable[str], scenario: Mapping[str, Any]) -> str:
    """Comments, then tables, then lists of tables, in the order of the scenario."""
    parts = ["\n".join(f"# {_one_line(line)}" for line in head)]
    for name, value in scenario.items():
        tables = value if isinstance(value, list) else [value]
        title = f"[[{name}]]" if isinstance(value, list) else f"[{name}]"
        parts += [title + "".join(f"\n{key} = {_value(one)}" for key, one in table.items()) for table in tables]
    return "\n\n".join(parts) + "\n"


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_value(one)}' for key, one in value.items())} }}"
    return f'"{"".join(_ESCAPES.get(letter, letter) for letter in str(value))}"'


def flow_table(flows: Iterable[Flow]) -> str:
    """A list of flows as the CSV that a traffic's `file` names; seconds have all their digits."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(("start_s", "source", "destination", "size_bytes"))
    rows.writerows((seconds(flow.start_ps), flow.source, flow.target, flow.size or "") for flow in flows)
    return written.getvalue()


def seconds(picoseconds: int) -> str:
    """A decimal number of seconds, exactly."""
    whole, rest = divmod(picoseconds, 10**12)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".") if rest else str(whole)
