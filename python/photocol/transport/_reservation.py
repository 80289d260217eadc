"""Wavelengths of an output fibre of an optical burst switch, booked one burst at a time: part of `photocol.control`."""

from __future__ import annotations

from typing import Literal, NamedTuple

from photocol import _core
from photocol.errors import InputError

__all__ = ["Booking", "Fibre"]

_LARGEST = 2**32 - 1


class Booking(NamedTuple):
    """A reserved wavelength."""

    wavelength: int
    """Which one, from 0."""
    delay_s: float
    """How long the burst is held in a delay line."""
    at_s: float
    """When its first bit leaves."""
    length_s: float
    """How long it lasts."""


class Fibre:
    """The wavelengths of an output fibre, and the rule by which a burst gets one (`photocol list reservations`).

    A header says when its burst arrives and how large it is. With just enough time (JET) a wavelength is booked from
    when the switch must begin to turn, with just in time (JIT) from when the header is processed. It is booked to the
    burst's end and the guard time behind it. Times are seconds, sizes bytes, capacities bits per second or text such as
    "10 Gbps".

    Arguments:
        wavelengths: how many there are.
        capacity: of a wavelength.
        rule: "horizon" (LAUC), "lauc-vf", "min-sv", "min-ev", "best-fit" or "first-fit".
        signalling: "jet" or "jit".
        conversion: a burst changes to up to this many wavelengths above and below its own; None: to any.
        line_s: delay lines hold a burst for whole multiples of this, tried in order.
        lines: how many; the longest holds it for `lines` times `line_s`.
        switching_s: how long the switch takes to turn.
        guard_s: what stays free behind a burst.

    >>> fibre = Fibre(1, "10 Gbps", rule="lauc-vf")
    >>> fibre.reserve(0.0, at_s=0.010, size=1_250_000)          # 1 ms, booked behind a void of 10 ms
    Booking(wavelength=0, delay_s=0.0, at_s=0.01, length_s=0.001)
    >>> fibre.reserve(0.001, at_s=0.005, size=1_250_000).at_s   # that void holds it
    0.005
    >>> fibre.reserve(0.002, at_s=0.0055, size=1_250_000)
    'contention'
    >>> fibre.capacity = "40 Gbps"                              # bursts that come now last a quarter of that
    >>> fibre.reserve(0.003, at_s=0.0075, size=1_250_000).length_s
    0.00025
    """

    def __init__(
        self,
        wavelengths: int,
        capacity: float | str = "10 Gbps",
        *,
        rule: str = "lauc-vf",
        signalling: Literal["jet", "jit"] = "jet",
        conversion: int | None = None,
        line_s: float = 0.0,
        lines: int = 0,
        switching_s: float = 0.0,
        guard_s: float = 0.0,
    ) -> None:
        _within("wavelengths", wavelengths, 2**16 - 1)
        _within("conversion", conversion or 0, 2**16 - 1)
        _within("lines", lines, _LARGEST)
        try:
            self._machine = _core.Fibre(
                wavelengths, capacity, rule, signalling, conversion, (line_s, lines), switching_s, guard_s
            )
        except ValueError as error:
            raise InputError(str(error)) from None

    @property
    def capacity(self) -> int:
        """Bits per second of a wavelength; may be set, for bursts booked from then on. What is booked stays."""
        return self._machine.capacity

    @capacity.setter
    def capacity(self, capacity: float | str) -> None:
        try:
            self._machine.set_capacity(capacity)
        except ValueError as error:
            raise InputError(str(error)) from None

    def reserve(
        self, t: float, *, at_s: float, size: int, wavelength: int | None = 0
    ) -> Booking | Literal["late", "contention"]:
        """Book a wavelength for a burst whose header has been processed at `t`, which never goes back.

        It arrives at `at_s` on `wavelength`; None: it is new here, and its laser may take any. "late" where the switch
        could not have turned in time, "contention" where no wavelength is free.
        """
        _within("size", size, _LARGEST)
        _within("wavelength", wavelength or 0, 2**16 - 1)
        try:
            answer = self._machine.reserve(t, at_s, size, wavelength)
        except ValueError as error:
            raise InputError(str(error)) from None
        return answer if isinstance(answer, str) else Booking(*answer)

    @property
    def horizons(self) -> list[float]:
        """When the last reservation of each wavelength ends, in seconds."""
        return self._machine.horizons


def _within(name: str, value: int, most: int) -> None:
    if not 0 <= value <= most:
        raise InputError(f"{name} is {value}; allowed: 0 to {most}")
