"""Schedules of reconfigurable switches: matchings, each held for some time, with dark time between them.

    >>> from photocol.control import circuit_schedule
    >>> megabyte = 10**6
    >>> demand = [[0, 4 * megabyte, 0], [0, 0, 5 * megabyte], [3 * megabyte, 0, 0]]
    >>> plan = circuit_schedule(demand, "bvn", week="2 ms", reconfiguration="20 us", capacity="100 Gbps")
    >>> plan.holds                                # 5 MB take 400 µs, after 20 µs of darkness
    [Hold(switch=0, start_ps=20000000, length_ps=400000000, outputs=[1, 2, 0])]
    >>> plan.coverage(demand, "100 Gbps").share
    1.0

Row i, column j of a demand is how many bytes port i has for port j in a week. `photocol list circuit-schedules` names
the rules. Times are picoseconds; -1 is an input without an output.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from photocol import _core, files
from photocol.errors import InputError
from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

_T = TypeVar("_T")
_MOST_BYTES = 2**53
"""More are not told apart from their neighbours as floats."""
_PS = 1e-12
_READINGS = {
    "solstice": {"threshold", "stuffing", "remainder"},
    "bvn": {"shortest", "stuffing", "remainder"},
    "eclipse": {"remainder"},
    "max-weight": {"remainder"},
    "round-robin": {"order"},
    "offsets": {"order"},
    "random": {"order"},
    "opera": set(),
}
"""Of each rule."""


class Hold(NamedTuple):
    """Circuits of one switch that stay for some time: the output of each input, or -1."""

    switch: int
    start_ps: int
    length_ps: int
    outputs: list[int]


class Coverage:
    """What a schedule carries of a demand in a week, and what is left to the packet network."""

    def __init__(self, raw: _core.CircuitCoverage) -> None:
        self._raw = raw

    @property
    def carried(self) -> NDArray[np.uint64]:
        """The bytes of each entry that circuits carry."""
        return self._raw.carried

    @property
    def left(self) -> NDArray[np.uint64]:
        """The bytes of each entry that are left."""
        return self._raw.left

    @property
    def share(self) -> float:
        """The share of all bytes that circuits carry; 1 if there are none."""
        return self._raw.share

    @property
    def scale(self) -> float:
        """By what the demand can be multiplied so that circuits carry all of it, each entry on its own circuits."""
        return self._raw.scale

    @property
    def longest_left_bytes(self) -> int:
        """The most bytes that are left in a row or column."""
        return self._raw.longest_left

    @property
    def packet_bytes(self) -> int:
        """The bytes that the packet network carries from or to a port."""
        return self._raw.packet

    @property
    def fits(self) -> bool:
        """Whether the packet network carries what is left."""
        return self.longest_left_bytes <= self.packet_bytes

    def to_dict(self) -> dict[str, Any]:
        """The same as numbers and lists; a scale without bound is None."""
        carried, left = self.carried, self.left
        return {
            "carried_bytes": int(carried.sum()),
            "left_bytes": int(left.sum()),
            "longest_left_bytes": self.longest_left_bytes,
            "packet_bytes": self.packet_bytes,
            "fits": self.fits,
            "share": self.share,
            "scale": self.scale if math.isfinite(self.scale) else None,
            "left": left.tolist(),
        }


class CircuitSchedule:
    """What reconfigurable switches do in a week, which is repeated; every port has a fibre to every switch."""

    def __init__(self, raw: _core.CircuitSchedule, algorithm: str) -> None:
        self._raw = raw
        self.algorithm = algorithm

    @property
    def ports(self) -> int:
        """Inputs, which are as many as outputs."""
        return self._raw.ports

    @property
    def switches(self) -> int:
        """Switches side by side."""
        return self._raw.switches

    @property
    def week_ps(self) -> int:
        """After which time the schedule is repeated."""
        return self._raw.week_ps

    @property
    def reconfiguration_ps(self) -> int:
        """How long a switch is dark before another matching."""
        return self._raw.reconfiguration_ps

    @property
    def length_ps(self) -> int:
        """When the last circuit of a week ends."""
        return self._raw.length_ps

    @property
    def duty(self) -> float:
        """The share of the ports' fibres and of the week that has a circuit."""
        return self._raw.duty

    @property
    def light(self) -> NDArray[np.uint64]:
        """Picoseconds of light a week from each port to each."""
        return self._raw.light

    @property
    def holds(self) -> list[Hold]:
        """Switch after switch, in the order of time."""
        return [Hold(*row) for row in self._raw.holds()]

    def coverage(self, demand: ArrayLike, capacity: float | str, packet_capacity: float | str = 0) -> Coverage:
        """Return what circuits of this capacity carry of `demand`, and what is left to the packet network."""
        return Coverage(_asked(lambda: self._raw.coverage(demand_matrix(demand), capacity, packet_capacity)))

    def to_dict(self) -> dict[str, Any]:
        """The schedule as the JSON file has it."""
        return {
            "algorithm": self.algorithm,
            "ports": self.ports,
            "switches": self.switches,
            "week_ps": self.week_ps,
            "reconfiguration_ps": self.reconfiguration_ps,
            "length_ps": self.length_ps,
            "duty": self.duty,
            "holds": [hold._asdict() for hold in self.holds],
        }

    def save(self, file: Path) -> None:
        """Write the schedule to `file`: CSV if its name ends so, else JSON."""
        is_csv = file.suffix.lower() == ".csv"
        try:
            file.write_text(self._raw.to_csv() if is_csv else json.dumps(self.to_dict()) + "\n", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{file}: cannot be written: {error.strerror}") from None

    def to_text(self, holds: int = 20) -> str:
        """The summary and the first `holds` matchings, one a line."""
        week, length, dark = (
            readable(time * _PS, "s") for time in (self.week_ps, self.length_ps, self.reconfiguration_ps)
        )
        plural = "switch" if self.switches == 1 else "switches"
        lines = [
            f"{self.algorithm}: {self.ports} ports, {self.switches} {plural}; week {week}, light until {length}, "
            f"dark time {dark}, duty {self.duty:.1%}",
            "switch  from        for         output of each input",
        ]
        shown = self.holds
        for switch, start, lasts, outputs in shown[:holds]:
            begin, time = readable(start * _PS, "s"), readable(lasts * _PS, "s")
            ports = " ".join("-" if output < 0 else str(output) for output in outputs)
            lines.append(f"{switch:<6}  {begin:<10}  {time:<10}  {ports}")
        if len(shown) > holds:
            lines.append(f"and {len(shown) - holds} matchings more (--json prints all)")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"<CircuitSchedule {self.algorithm}: {self.ports} ports, switches {self.switches}, "
            f"{len(self.holds)} matchings in {readable(self.week_ps * _PS, 's')}>"
        )


def circuit_schedule(
    demand: ArrayLike,
    algorithm: str = "solstice",
    *,
    week: float | str | None = None,
    slice: float | str | None = None,  # noqa: A002 - the field's word
    reconfiguration: float | str = 0,
    capacity: float | str = "100 Gbps",
    packet_capacity: float | str = 0,
    switches: int = 1,
    seed: int = 1,
    **readings: float | str,
) -> CircuitSchedule:
    """Return a week's schedule for a square matrix of bytes; InputError with the place and the allowed range.

    Arguments:
        demand: bytes from each port (rows) to each (columns) in a week. Rules that go in turn do not look at them.
        algorithm: one of `photocol list circuit-schedules`.
        week: how long the schedule lasts; rules for a demand need it. Times are texts with a unit, or seconds.
        slice: how long a matching lasts with its dark time: `max-weight` needs it; in turn, it or a week is needed.
        reconfiguration: how long a switch is dark before it holds another matching.
        capacity: of a circuit: a text with a unit, or bits per second.
        packet_capacity: what each port can send to and hear from the packet network.
        switches: side by side; at most as many as ports.
        seed: of random matchings.
        readings: `shortest` (bvn: the shortest light that is worth a dark time; by default as long), `threshold`
            (solstice: power-of-two, largest), `stuffing` (rows, largest), `remainder` of the week (dark, stretch),
            `order` in turn (together, one-by-one).
    """
    known = _READINGS.get(algorithm, set(readings))
    if unknown := sorted(set(readings) - known):
        allowed = ", ".join(sorted(known)) or "none but seed"
        raise InputError(f"{unknown[0]} is no reading of the rule {algorithm}; allowed: {allowed}")
    times: dict[str, Any] = {"reconfiguration": reconfiguration, "week": week, "slice": slice}
    if "shortest" in readings:
        times["shortest"] = readings.pop("shortest")
    given = {name: time for name, time in times.items() if time is not None}
    words = {name: str(word) for name, word in readings.items()}
    if not 0 <= seed < 2**64:
        raise InputError(f"seed is {seed}; allowed: 0 or more, below 2^64")
    if not 0 <= switches < 2**63:
        raise InputError(f"{switches} switches; allowed: 1 or more, at most one for each port")
    matrix, rest = demand_matrix(demand), (switches, [capacity, packet_capacity], given, words, seed)
    return CircuitSchedule(_asked(lambda: _core.circuit_schedule(matrix, algorithm, *rest)), algorithm)


def circuits_of(
    file: Path, ports: int, week_ps: int, reconfiguration: float | str, holds: Sequence[tuple[int, int, int, list[int]]]
) -> CircuitSchedule:
    """Return the schedule of these matchings: switch, start and length in picoseconds, the output of each input."""
    from photocol.quantity import factor

    dark = reconfiguration
    if isinstance(dark, str):
        number, _, unit = dark.strip().partition(" ")
        try:
            dark = float(number) * factor(unit or "s", "s")
        except ValueError:
            raise InputError(f"reconfiguration is {reconfiguration!r:.40}; allowed: a time such as '20 us'") from None
    dark_ps = round(dark / _PS)
    raw = _asked(lambda: _core.CircuitSchedule.of_holds(ports, week_ps, dark_ps, list(holds)), file)
    return CircuitSchedule(raw, file.name)


def read_circuits(file: Path) -> CircuitSchedule:
    """Return the schedule of a file that `CircuitSchedule.save` or `photocol schedule` wrote, CSV or JSON.

    Both have week, dark time and, for each hold, switch, start and length in picoseconds and the output of each input.
    A hold of JSON is an object in `holds`; in CSV it is a line, and an input without an output is `-`.
    """
    text = _text(file)
    if file.suffix.lower() == ".csv":
        return CircuitSchedule(_asked(lambda: _core.CircuitSchedule.from_csv(text), file), file.name)
    try:
        raw = _of_json(_json(text, file))
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return CircuitSchedule(raw, file.name)


def _of_json(known: Any) -> _core.CircuitSchedule:
    if not isinstance(known, dict) or not isinstance(known.get("holds"), list):
        raise InputError(
            "no schedule of circuits; allowed: an object with ports, week_ps, reconfiguration_ps and holds"
        )
    ports, week, dark = (_whole(known, key, "the schedule") for key in ("ports", "week_ps", "reconfiguration_ps"))
    rows = []
    for at, hold in enumerate(known["holds"]):
        place = f"matching {at}"
        if not isinstance(hold, dict):
            raise InputError(f"{place}: allowed: an object with switch, start_ps, length_ps and outputs")
        outputs = hold.get("outputs")
        if not isinstance(outputs, list) or not all(type(one) is int and -1 <= one < 2**16 for one in outputs):
            raise InputError(f"{place}: outputs; allowed: a list of ports, -1 for none")
        switch, start, length = (_whole(hold, key, place) for key in ("switch", "start_ps", "length_ps"))
        rows.append((switch, start, length, outputs))
    return _asked(lambda: _core.CircuitSchedule.of_holds(ports, week, dark, rows))


def _whole(known: Mapping[str, Any], key: str, place: str) -> int:
    found = known.get(key)
    if type(found) is not int or not 0 <= found < 2**63:
        raise InputError(f"{place}: {key} is {found!r:.40}; allowed: a whole number, 0 or more")
    return found


def read_demand(file: Path) -> NDArray[np.float64]:
    """Return the matrix of a file: rows of numbers, as JSON or with commas or spaces between.

    Numbers that are no whole bytes are only fit for `scaled_demand`. InputError with the place of what is no number.
    """
    text = _text(file)
    if text.lstrip().startswith("[") or file.suffix.lower() == ".json":
        rows = _json(text, file)
    else:
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        rows = [[_number(cell) for cell in line.replace(",", " ").split()] for line in lines]
    try:
        return _square(rows)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def demand_matrix(demand: ArrayLike) -> NDArray[np.uint64]:
    """Return a demand as whole bytes; InputError that says where it is not."""
    matrix = _square(demand)
    wrong = matrix != np.floor(matrix)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(
            f"row {row}, column {column}: found {matrix[row, column]:g}; allowed: whole bytes, or numbers with a load"
        )
    return np.ascontiguousarray(matrix, dtype=np.uint64)


def scaled_demand(
    demand: ArrayLike, load: float, *, week_ps: int, capacity: float | str, switches: int = 1
) -> NDArray[np.uint64]:
    """Return a demand in bytes whose longest row or column is `load` of what all circuits of a port carry in a week."""
    matrix = _square(demand)
    if not 0 < load <= 1000:
        raise InputError(f"a load of {load:g}; allowed: more than 0, at most 1000")
    longest = max(matrix.sum(axis=0).max(), matrix.sum(axis=1).max())
    rate = _asked(lambda: _core.frame_rate(capacity, 1, 1))
    bytes_a_week = rate / 8 * week_ps * _PS * switches
    return demand_matrix(np.round(matrix * (load * bytes_a_week / longest))) if longest else demand_matrix(matrix)


def _square(demand: Any) -> NDArray[np.float64]:
    """A square matrix of numbers that are not negative, or an InputError that says where it is not."""
    if isinstance(demand, np.ndarray):
        demand = demand.tolist()
    if not isinstance(demand, list | tuple) or not demand:
        raise InputError("a demand is a list of rows, each a list of numbers")
    for at, row in enumerate(demand):
        if not isinstance(row, list | tuple | np.ndarray):
            raise InputError(f"row {at} is not a list of numbers")
        if len(row) != len(demand):
            raise InputError(f"row {at} has {len(row)} entries; allowed: {len(demand)}, as there are rows")
        for column, found in enumerate(row):
            is_number = isinstance(found, int | float | np.number) and not isinstance(found, bool)
            if not is_number or not 0 <= found <= _MOST_BYTES:
                raise InputError(f"row {at}, column {column}: found {found!r:.40}; allowed: 0 to 2^53")
    return np.array(demand, dtype=np.float64)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _text(file: Path) -> str:
    try:
        return files.text(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: not UTF-8") from None


def _json(text: str, file: Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise InputError(f"{file}: nested too deeply") from None
    except ValueError:
        raise InputError(f"{file}: a number has too many digits") from None


def _asked(ask: Callable[[], _T], file: Path | None = None) -> _T:
    """What the core answers; its complaints become InputErrors, with the file that they are about."""
    try:
        return ask()
    except (ValueError, OverflowError, TypeError) as error:
        raise InputError(f"{file}: {error}" if file else str(error)) from None
