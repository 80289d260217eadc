"""What a user may say about a conversion; everything has a default."""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from photocol.conversions.source import DELAY, RATE, TIME, Range, Source, measured
from photocol.errors import InputError, did_you_mean

DUPLICATES = ("first", "keep", "error")
BETWEEN = ("down", "pause")
AS = ("links", "demands")
_USER = Source("", b"", Path())


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How gaps are filled and numbers are read. Quantities are texts with units."""

    format: str | None = None
    """The format of all inputs. Default: by their endings and contents."""
    as_: str | None = None
    """What tables of from, to and rate are: "links" or "demands". Default: as their titles and the network say."""
    capacity: str = "10 Gbps"
    """Of links without one."""
    delay: str | None = None
    """Of links without one, without a length and without coordinates. Default: as the format has it, or 1 ms."""
    buffer: str | None = None
    """The waiting room of every link, of which files say nothing. Default: that of scenarios."""
    capacity_unit: str | None = None
    """What the number 1 means as a capacity or a demand. Default: as the format has it."""
    delay_unit: str | None = None
    """What the number 1 means as a delay. Default: as the format has it."""
    time_unit: str | None = None
    """What the number 1 means as the start of a flow or a contact. Default: as the format has it."""
    size_unit: int | None = None
    """Bytes of one unit of a distribution of sizes. Default: 1, with three columns 1460 (a packet)."""
    directed: bool | None = None
    """Whether a link is one direction only. Default: as the file or its format says."""
    duplicates: str = "first"
    """Of links between nodes that are linked already: the first counts, all are kept, or the file is refused."""
    scale: float = 1.0
    """By what demands are multiplied."""
    transport: str | None = None
    """How flows are sent. Default: cubic. Demands are datagrams."""
    load: float = 0.3
    """The load of flows whose sizes are drawn, as a share of the busiest link."""
    duration: str | None = None
    """Of the run. Default: to the end of what the files say, or 1 s; 10 ms for sizes without a network."""
    slice: str | None = None
    """The time of a slice, where a schedule does not say it."""
    guard: str | None = None
    """The dark time at the start of a slice, where a schedule does not say it."""
    cycles: int = 1
    """How often a schedule is repeated."""
    between: str | None = None
    """What becomes of packets that wait for a link that is away. Default: contact plans drop them ("down"), circuits
    keep them ("pause")."""
    handover_every: str | None = None
    """OrbCC: the link is down from each multiple of this until the values change."""

    @property
    def sender(self) -> str:
        """The transport of flows."""
        return self.transport or "cubic"

    def __post_init__(self) -> None:
        _one_of("duplicates", self.duplicates, DUPLICATES)
        _one_of("between", self.between or "down", BETWEEN)
        _one_of("as", self.as_ or "links", AS)
        for name in _KINDS:
            self.quantity(name)
        for name in ("capacity_unit", "delay_unit", "time_unit"):
            self.unit(name, "")
        _within("scale", self.scale, 0, 1e6)
        _within("load", self.load, 0, 10)
        _within("cycles", self.cycles, 1, 1_000_000)
        if self.size_unit is not None:
            _within("size_unit", self.size_unit, 1, 1_000_000_000)

    def quantity(self, name: str) -> int | None:
        """A choice as whole bit/s or picoseconds, if it is made."""
        text = getattr(self, name)
        return None if text is None else quantity(name, text)

    def unit(self, name: str, default: str) -> str:
        """The unit of numbers without one: `Mbps`, which may be written `1 Mbps`."""
        text = getattr(self, name)
        if text is None:
            return default
        unit = str(text).strip().removeprefix("1").strip()
        kind = RATE if name == "capacity_unit" else TIME
        if measured(f"1 {unit}", "", kind) is None:
            raise InputError(f"{name}: found {text!r}; allowed: a unit such as {'Mbps' if kind is RATE else 'ms'}")
        return unit


_KINDS: dict[str, Range] = {
    "capacity": RATE,
    "delay": DELAY,
    "duration": TIME,
    "slice": TIME,
    "guard": TIME,
    "handover_every": TIME,
}


def quantity(name: str, text: str) -> int:
    """A text with a unit as whole bit/s or picoseconds. Raises InputError, which names the choice."""
    try:
        value = _USER.quantity(0, name, str(text), "", _KINDS[name])
    except InputError as error:
        raise InputError(str(error).removeprefix(":0: ")) from None
    if value == 0 and name != "guard":
        raise InputError(f"{name}: found {text!r}; allowed: more than zero")
    return value


def chosen(given: dict[str, Any]) -> Choices:
    """The choices by name. Raises InputError for a name that is none, with the nearest."""
    known = [field.name for field in fields(Choices)]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise InputError(f"convert has no choice {name!r}; {hint}allowed: {', '.join(known)}")
    return Choices(**given)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"{name}: found {value!r}; allowed: {', '.join(allowed)}")


def _within(name: str, value: float, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not low <= value <= high:
        raise InputError(f"{name}: found {value!r}; allowed: {low:g} to {high:g}")
