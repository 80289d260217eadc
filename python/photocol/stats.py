"""Output statistics: means and quantiles with confidence intervals, fairness, batch means, where a warm-up ends.

All functions are pure. Student's t is computed here, by the regularised incomplete beta function, so that nothing
beyond the standard library is needed when a run is summarised; the tests compare it with SciPy.

Sources: Law, *Simulation Modeling and Analysis*, 5th ed., ch. 9 (replications, batch means); Jain, Chiu, Hawe 1984
(fairness); White 1997 and Franklin & White 2008 (MSER-5); Efron 1979 (the bootstrap of a quantile, exactly).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_BISECTIONS = 200
_FRACTION_TERMS = 1000
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanCI:
    """A mean with its confidence interval, mean ± half_width.

    `half_width` is NaN where no interval can be given (a single value), and `method` says so.
    """

    mean: float
    half_width: float
    n: int
    method: str

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half_width


def mean_ci(values: Sequence[float], *, confidence: float = 0.95) -> MeanCI:
    """Mean of independent values with Student's t interval at the given confidence.

    Values from independent replications qualify; successive samples of one run do not (see `batch_means`).
    """
    _require_finite(values)
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return MeanCI(mean=mean, half_width=math.nan, n=1, method="one value, no interval")
    squares = math.fsum((value - mean) ** 2 for value in values)
    half_width = student_t_quantile(0.5 + confidence / 2, n - 1) * math.sqrt(squares / (n - 1) / n)
    return MeanCI(mean=mean, half_width=half_width, n=n, method=f"Student t, {confidence:.0%}")


def paired_difference_ci(first: Sequence[float], second: Sequence[float], *, confidence: float = 0.95) -> MeanCI:
    """Mean of `first − second`, pair by pair, with its t interval.

    Runs that share their random numbers are compared this way: what both have in common cancels.
    """
    return mean_ci([a - b for a, b in zip(first, second, strict=True)], confidence=confidence)


def batch_means(values: Sequence[float], *, batches: int = 20, confidence: float = 0.95) -> MeanCI:
    """Mean of one long correlated series, its interval from the means of equal consecutive batches.

    The first `len(values) % batches` values are left out, so that the batches are equal.
    """
    if batches < 2:
        raise ValueError(f"batch means need at least 2 batches, not {batches}")
    size = len(values) // batches
    if size == 0:
        raise ValueError(f"{len(values)} values do not fill {batches} batches")
    start = len(values) - size * batches
    means = [math.fsum(values[i : i + size]) / size for i in range(start, len(values), size)]
    interval = mean_ci(means, confidence=confidence)
    method = f"batch means, {batches} batches of {size}, {confidence:.0%}"
    return MeanCI(mean=interval.mean, half_width=interval.half_width, n=interval.n, method=method)


def mser5_warm_up(values: Sequence[float]) -> int:
    """How many leading values to delete as warm-up, by the MSER-5 rule; a multiple of 5.

    Over means of five, the cut is the one that minimises the squared standard error of what remains. Cuts beyond the
    middle are not considered: one there says that the series is too short to tell.
    """
    _require_finite(values)
    means = [math.fsum(values[i : i + 5]) / 5 for i in range(0, len(values) - 4, 5)]
    if len(means) < 2:
        raise ValueError(f"MSER-5 needs at least 10 values, not {len(values)}")
    cuts = range(len(means) // 2 + 1)
    return 5 * min(cuts, key=lambda cut: _squared_standard_error(means[cut:]))


def jain_index(shares: Sequence[float]) -> float:
    """Jain's fairness index (Σx)² / (n Σx²): 1 when all shares are equal, 1/n when one takes all; 1 if all are zero."""
    _require_finite(shares)
    largest = max(shares)
    if min(shares) < 0:
        raise ValueError("shares cannot be negative")
    if largest == 0:
        return 1.0
    scaled = [share / largest for share in shares]
    return math.fsum(scaled) ** 2 / (len(scaled) * math.fsum(share * share for share in scaled))


@functools.cache
def bootstrap_ranks(number: int, rank: int, *, confidence: float = 0.95) -> tuple[int, int]:
    """Ranks of the values that bound the bootstrap's percentile interval of the `rank`-th of `number` values.

    Ranks count from 1, upwards. No resample is drawn: the rank-th value of one is at most the j-th of the values with
    probability P(Bin(n, j/n) ≥ rank). The interval has the middle part `confidence` of that distribution. It takes the
    values for independent.
    """
    if not 1 <= rank <= number:
        raise ValueError(f"a rank lies between 1 and {number}, not {rank}")

    def least(probability: float) -> int:
        low, high = 0, number
        while high - low > 1:
            middle = (low + high) // 2
            reached = _incomplete_beta(middle / number, rank, number - rank + 1) >= probability
            low, high = (low, middle) if reached else (middle, high)
        return high

    return least(0.5 - confidence / 2), least(0.5 + confidence / 2)


@functools.cache
def student_t_quantile(probability: float, degrees: int) -> float:
    """The t with P(T ≤ t) = probability for Student's distribution with this many degrees of freedom."""
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies strictly between 0 and 1, not {probability}")
    if degrees < 1:
        raise ValueError(f"at least 1 degree of freedom, not {degrees}")
    if probability < 0.5:
        return -student_t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while student_t_cdf(high, degrees) < probability:
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_t_cdf(middle, degrees) < probability else (low, middle)
    return (low + high) / 2


def student_t_cdf(t: float, degrees: int) -> float:
    """P(T ≤ t), from the incomplete beta function of whichever of the centre and the tails is the smaller."""
    square = t * t
    if square < degrees:
        centre = _incomplete_beta(square / (degrees + square), 0.5, degrees / 2)
        return 0.5 + math.copysign(centre / 2, t)
    tail = _incomplete_beta(degrees / (degrees + square), degrees / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function I_x(a, b)."""
    if x in (0.0, 1.0):
        return x
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of I_x(a, b) (DLMF 8.17.22) by the modified Lentz method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _FRACTION_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _squared_standard_error(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / len(values) ** 2


def _require_finite(values: Sequence[float]) -> None:
    if len(values) == 0:
        raise ValueError("no values")
    if not all(map(math.isfinite, values)):
        raise ValueError("a value is not a finite number")
