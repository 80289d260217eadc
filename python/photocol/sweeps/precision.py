"""When a point has enough replications: the half width of a metric's 95 % interval is below what was asked.

The rule looks at replications in the order of their seeds and adds half as many again until it is content, so the
number of runs depends on the runs alone, not on how many were under way at a time. An interval at which one stops
because it is narrow covers a little less often than it says (Law, ch. 9.4.1); start with ten replications or more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.errors import InputError
from photocol.stats import mean_ci

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Precision:
    """The wish for an interval."""

    metric: str
    half_width: float
    """A share of the mean, or in the metric's own unit."""
    is_relative: bool
    most: int
    """Replications of a point, at most."""

    @classmethod
    def of(cls, metric: str, half_width: object, most: int) -> Precision:
        """From "1 %" or a number. Raises InputError."""
        text = str(half_width).strip()
        try:
            value = float(text.removesuffix("%"))
        except ValueError:
            value = math.nan
        if not 0 < value < math.inf:
            raise InputError(f'precision: half_width is {half_width!r}, must be as in "1 %" of the mean, or a number')
        if text.endswith("%"):
            return cls(metric=metric, half_width=value / 100, is_relative=True, most=most)
        return cls(metric=metric, half_width=value, is_relative=False, most=most)

    def is_met(self, values: list[float]) -> bool:
        """Whether these replications are enough."""
        if len(values) < 2:
            return False
        interval = mean_ci(values)
        return interval.half_width <= self.half_width * (abs(interval.mean) if self.is_relative else 1)

    def wanted(self, start: int, by_seed: Mapping[int, Mapping[str, float]], first_seed: int) -> int:
        """How many replications a point is to have, given the metrics of those that there are."""
        count = min(start, self.most)
        while True:
            rows = [by_seed.get(first_seed + n) for n in range(count)]
            values = [row[self.metric] for row in rows if row is not None and self.metric in row]
            if len(values) < count or count >= self.most or self.is_met(values):
                return count
            count = min(self.most, count + max(1, count // 2))
