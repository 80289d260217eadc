"""What a replayed run's tables say of its links: which they name, and the capacities of a trace."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BPS = {"capacity_bps": 1.0, "capacity_kbps": 1e3, "capacity_mbps": 1e6, "capacity_gbps": 1e9}
_PS = {"time_s": 10**12, "time_ms": 10**9, "time_us": 10**6, "time_ns": 10**3}


def directed(named: str | list[str]) -> set[str]:
    """The directed links that a key names: "a->b" is one, "a-b" both."""
    names = [named] if isinstance(named, str) else named
    there = {one if "->" in one else one.replace("-", "->") for one in names}
    return there | {"->".join(reversed(one.split("-"))) for one in names if "->" not in one}


def traced(table: Mapping[str, Any], end: int, period: int) -> Iterator[tuple[int, float]]:
    """Since when a link with a trace has which capacity in bit/s. The file begins again after each period."""
    if table.get("format", "csv") != "csv":
        raise InputError(f"{table['file']} is no table; a run with such a trace is not replayed")
    lines = [line for line in Path(table["file"]).read_text(encoding="utf-8").splitlines() if line.strip()]
    lines = [line for line in lines if not line.lstrip().startswith("#")]
    head, *rows = [[field.strip() for field in row] for row in csv.reader(lines, skipinitialspace=True)]
    time = next(name for name in head if name in _PS)
    capacity = next((name for name in head if name in _BPS), None)
    if capacity is None:
        return
    for start in range(0, end, period):
        for row in rows:
            since, value = start + round(float(row[head.index(time)]) * _PS[time]), row[head.index(capacity)]
            if value and since < end:
                yield since, float(value) * _BPS[capacity]
