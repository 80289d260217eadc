"""What capacity a link has when: as the scenario says, its events, its phases and its traces.

Over the time between two samples a link's capacity is the mean while it has one: in a pause nothing is sent.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from photocol import files
from photocol.errors import InputError
from photocol.plot.labels import base_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_MS = 1e-3


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """Steps in time. With a period they come again, from `begins` on and before."""

    at: NDArray[np.float64]
    """Seconds from the beginning of the period; the first is zero."""
    bps: NDArray[np.float64]
    period: float | None = None
    begins: float = 0.0

    def over(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean capacity of each time from `start` to `end`, without its pauses; zero if it is one pause."""
        lasted = self._sum(self.bps > 0, end) - self._sum(self.bps > 0, start)
        bits = self._sum(self.bps, end) - self._sum(self.bps, start)
        # A billionth of the time is rounding.
        is_pause = lasted <= 1e-9 * (end - start)
        mean: NDArray[np.float64] = np.where(is_pause, 0.0, bits / np.where(is_pause, 1.0, lasted))
        return mean

    def _sum(self, values: NDArray[Any], until: NDArray[np.float64]) -> NDArray[np.float64]:
        """The integral of these values of the steps up to each time."""
        time, periods, whole = until, np.zeros(len(until)), 0.0
        if self.period is not None:
            periods = np.floor((until - self.begins) / self.period)
            time = until - self.begins - periods * self.period
        last = max(float(time.max(initial=0.0)), float(self.at[-1]), self.period or 0.0)
        edges = np.append(self.at, last)
        sums = np.append(0.0, np.cumsum(values * np.diff(edges)))
        if self.period is not None:
            whole = float(np.interp(self.period, edges, sums))
        found: NDArray[np.float64] = periods * whole + np.interp(time, edges, sums)
        return found


def capacity_of(said: Mapping[str, Any], name: str) -> Capacity | None:
    """That of a directed link of a scenario; None if it has no such link, or has it twice, or a file is gone."""
    ends, _, number = name.partition("#")
    pair = ends.split("->")
    found = [one for one in said.get("link", []) if [one.get("from"), one.get("to")] in (pair, pair[::-1])]
    if number or len(pair) != 2 or len(found) != 1:
        return None
    names = {name, "-".join(pair), "-".join(pair[::-1])}
    try:
        own = base_value(str(found[0]["capacity"]), "bps")
        for table in _about(said.get("link_phases", []), names):
            if any("capacity" in phase for phase in table["phases"]):
                return _phases(table, own)
        for table in _about(said.get("link_trace", []), names):
            if (traced := _traced(table, own)) is not None:
                return traced
        changes = [
            (base_value(str(one["at"]), "s"), base_value(str(one["capacity"]), "bps"))
            for one in _about(said.get("event", []), names)
            if "capacity" in one
        ]
    except (InputError, KeyError, OSError, ValueError):
        return None
    return _steps([(0.0, own), *sorted(changes)])


def _about(tables: Sequence[Mapping[str, Any]], names: set[str]) -> list[Mapping[str, Any]]:
    """The tables that name the link, alone or among others."""
    named = [(one, one.get("link", [])) for one in tables]
    return [one for one, links in named if names & set([links] if isinstance(links, str) else links)]


def _steps(steps: Sequence[tuple[float, float]], period: float | None = None, begins: float = 0.0) -> Capacity:
    at, bps = np.asarray(steps, dtype=np.float64).T
    return Capacity(at=at, bps=bps, period=period, begins=begins)


def _phases(table: Mapping[str, Any], own: float) -> Capacity:
    """One phase behind the other; the time between them, and what no phase says, is the link's own."""
    steps, end = [(0.0, own)], 0.0
    for phase in table["phases"]:
        start = base_value(str(phase["at"]), "s") if "at" in phase else end
        end = start + base_value(str(phase["duration"]), "s")
        steps += [(start, base_value(str(phase["capacity"]), "bps") if "capacity" in phase else own), (end, own)]
    period = base_value(str(table["period"]), "s") if "period" in table else end
    return _steps(steps, period, base_value(str(table.get("offset", "0 s")), "s"))


def _traced(table: Mapping[str, Any], own: float) -> Capacity | None:
    """What a file says of capacities; None if it says nothing of them."""
    form = table.get("format", "csv")
    if form == "delay":
        return None
    text = files.text(Path(str(table["file"])))
    if form == "delivery":
        return _delivered(table, [int(line) for line in text.splitlines() if line.strip()])
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    head, *rows = ([field.strip() for field in line.split(",")] for line in lines)
    of = {kind: next((name for name in head if name.partition("_")[0] == kind), "") for kind in ("time", "capacity")}
    if not of["capacity"]:
        return None
    times = base_value(f"1 {of['time'].partition('_')[2]}", "s")
    unit = of["capacity"].partition("_")[2].replace("mbps", "Mbps").replace("gbps", "Gbps")
    cells = [(row[head.index(of["time"])], row[head.index(of["capacity"])]) for row in rows]
    changes = [(float(at) * times, base_value(f"{value} {unit}", "bps")) for at, value in cells if value]
    if "period" not in table:
        return _steps([(0.0, own), *changes])
    # From the second period on the last value holds up to the first line, in the first the link's own.
    if changes[0][0] > 0 and changes[-1][1] != own:
        raise InputError(f"the first period of {table['file']} begins otherwise than the next")
    return _steps([(0.0, changes[-1][1]), *changes], base_value(str(table["period"]), "s"))


def _delivered(table: Mapping[str, Any], stamps: list[int]) -> Capacity:
    """mahimahi's: each line is a packet that may be delivered in the millisecond that ends then."""
    bits = 8 * base_value(str(table.get("opportunity", "1500 B")), "B")
    end, repeats = stamps[-1], table.get("repeat", True)
    counts = {ms: len(list(same)) for ms, same in itertools.groupby(stamps)}
    if repeats:
        counts[end] += counts.pop(0, 0)
    steps = [(0.0, 0.0)]
    for ms, count in counts.items():
        if ms > 0:
            steps += [((ms - 1) * _MS, bits * count / _MS), (ms * _MS, 0.0)]
    return _steps(steps, end * _MS if repeats else None)
