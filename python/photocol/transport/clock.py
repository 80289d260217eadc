"""The filter of a slave's clock, a stamp at a time: part of `photocol.control`."""

from __future__ import annotations

from typing import NamedTuple

from photocol import _core
from photocol.errors import InputError

_MIDDLE = 2**63
"""The middle of the range of times of 64 bits, in picoseconds."""
_MOST_SAMPLES = 2**32 - 1


class Estimate(NamedTuple):
    """T_d at an instant."""

    difference_ps: int
    """The other clock at the arrival less this one at the departure."""
    drift: float
    """Its change, as a ratio to this clock's time."""
    error_ps: float
    """The standard error of `difference_ps`: twice that covers the truth at 98 of 100 instants."""


class ClockFilter:
    """An estimate of T_d, clock difference and delay in one number, and of its drift (paper 003, section 3.4.1).

    Every time is a reading of a clock in whole picoseconds since its zero, whenever that was: `time.time_ns() * 1000`
    serves, and the two clocks may have different zeros. Readings may be up to 106 days from those of the first sample.

    Arguments:
        stamp_error_ps: the standard error of a stamp that nothing delayed.
        largest_drift: the largest drift at the start, as a ratio.
        wander: how much the drift changes in a second, as a ratio.
        change_after: so many samples in a row on one side are a change of path or clock: the filter starts again. A
            queue that is busy for longer looks the same.

    >>> from photocol.control import ClockFilter
    >>> clock = ClockFilter()
    >>> boot = 1_700_000_000 * 10**12                 # this clock counts from 1970, the other one from its start
    >>> for at in range(0, 10**12, 10**10):           # it is 5 ms on the way
    ...     heard = clock.one_way(boot + at, at + 5 * 10**9)
    >>> clock.estimate(boot + 10**12).difference_ps == 5 * 10**9 - boot
    True
    """

    def __init__(
        self,
        *,
        stamp_error_ps: int = 200_000,
        largest_drift: float = 2e-4,
        wander: float = 1e-8,
        change_after: int = 32,
    ) -> None:
        if stamp_error_ps < 1 or not 0 < largest_drift <= 1 or not 0 <= wander <= 1 or change_after < 1:
            raise InputError("stamp_error_ps and change_after are 1 or more; largest_drift and wander are up to 1")
        if stamp_error_ps >= _MIDDLE or change_after > _MOST_SAMPLES:
            raise InputError(f"allowed: stamp_error_ps below {_MIDDLE}, change_after up to {_MOST_SAMPLES}")
        self._machine = _core.ClockFilter(stamp_error_ps, largest_drift, wander, change_after)
        self._zeros: tuple[int, int] | None = None

    def one_way(self, sent_ps: int, received_ps: int) -> str:
        """A slot was stamped at both ends. Return "taken", "stale" or "restarted"."""
        here, there = self._begun(sent_ps, received_ps)
        return self._machine.one_way(_since(here, sent_ps), _since(there, received_ps))

    def two_way(self, sent_ps: int, there_ps: int, back_ps: int, received_ps: int) -> str:
        """An exchange was stamped: sent, arrived there, left there, received. Its T_d is the clock difference alone."""
        here, there = self._begun(sent_ps, there_ps)
        sent, received = _since(here, sent_ps), _since(here, received_ps)
        return self._machine.two_way(sent, _since(there, there_ps), _since(there, back_ps), received)

    def estimate(self, at_ps: int) -> Estimate | None:
        """Return T_d for what leaves at `at_ps`; None before the first sample."""
        if self._zeros is None:
            return None
        here, there = self._zeros
        found = self._machine.estimate(_since(here, at_ps))
        return None if found is None else Estimate(found[0] + there - here, *found[1:])

    def regression(self, at_ps: int) -> tuple[int, float] | None:
        """Return T_d and its drift by a straight line through the best of the last 64 samples: the cross-check."""
        if self._zeros is None:
            return None
        here, there = self._zeros
        found = self._machine.regression(_since(here, at_ps))
        return None if found is None else (found[0] + there - here, found[1])

    def send_time(self, arrival_ps: int) -> int | None:
        """Return when light must leave to arrive at that instant of the other clock: T - T_d."""
        if self._zeros is None:
            return None
        here, there = self._zeros
        found = self._machine.send_time(_since(there, arrival_ps))
        return None if found is None else found + here

    @property
    def restarts(self) -> int:
        """How often the path or a clock has changed."""
        return self._machine.restarts

    def _begun(self, here_ps: int, there_ps: int) -> tuple[int, int]:
        """Return the zeros of the machine's clocks, by the first readings: both are in the middle of its range."""
        if self._zeros is None:
            self._zeros = (here_ps - _MIDDLE, there_ps - _MIDDLE)
        return self._zeros


def _since(zero: int, reading: int) -> int:
    """Return a reading as the machine counts it; InputError if it does not."""
    since = reading - zero
    if not 0 <= since < 2 * _MIDDLE:
        days = abs(since - _MIDDLE) // (86_400 * 10**12)
        raise InputError(f"a reading {days} days from the first sample's; allowed: up to 106 days")
    return since
