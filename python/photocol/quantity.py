"""Numbers with units: as people read them, and in other units.

Files keep base units and all digits; what is shown has a prefix and as many digits as mean something.
"""

from __future__ import annotations

import math

from photocol.errors import InputError

_LARGE = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SMALL = {"m": 1e-3, "µ": 1e-6, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30}


def _prefixed(base: str, *names: str, prefixes: dict[str, float], each: float = 1.0) -> dict[str, tuple[str, float]]:
    """Unit to (base, how many of the base), for these names of a unit that is `each` of the base."""
    return {f"{prefix}{name}": (base, factor * each) for name in names for prefix, factor in prefixes.items()}


_UNITS: dict[str, tuple[str, float]] = {
    **_prefixed("bps", "bps", "b/s", "bit/s", prefixes=_LARGE),
    **_prefixed("bps", "B/s", prefixes=_LARGE, each=8.0),
    **_prefixed("s", "s", prefixes={"": 1.0, **_SMALL}),
    "min": ("s", 60.0),
    "h": ("s", 3600.0),
    **_prefixed("B", "B", prefixes=_LARGE | _BINARY),
    **_prefixed("B", "b", "bit", prefixes=_LARGE, each=1 / 8),
    **_prefixed("km", "m", prefixes={"": 1e-3, "k": 1.0}),
    **_prefixed("Hz", "Hz", prefixes=_LARGE),
    "1": ("1", 1.0),
    "%": ("1", 0.01),
}
_SHOWN_IN = {
    "bps": tuple((factor, f"{prefix}b/s") for prefix, factor in reversed(_LARGE.items())),
    "B": tuple((factor, f"{prefix}B") for prefix, factor in reversed(_LARGE.items())),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")),
}
"""What is shown with a prefix: the factors of each base unit, the largest first."""
_DIGITS = 3
_DIGITS_OF_SPREAD = 2
_EXACT = 2.0**53
"""Above it not every whole number is a float."""
_ROUNDING = 1e-12
"""A spread that is a smaller part of the value comes from the arithmetic."""
_PLAIN_FROM = 1e-3
"""Smaller values are written with a power of ten."""


def factor(unit: str, into: str) -> float:
    """By what a value in `unit` is multiplied to be one in `into`; InputError if it cannot be."""
    if unit == into:
        return 1.0
    if unit not in _UNITS or into not in _UNITS or _UNITS[unit][0] != _UNITS[into][0]:
        base = _UNITS.get(unit, (unit,))[0]
        fitting = [name for name, (of, _) in _UNITS.items() if of == base] or [unit]
        raise InputError(f"{unit!r} cannot be given in {into!r}; it can in {', '.join(fitting)}")
    return _UNITS[unit][1] / _UNITS[into][1]


def readable(value: float, unit: str, half_width: float | None = None) -> str:
    """`97.3 Mb/s`, `308 µs`, `749,923 ± 563 packets`, `20 s`; an interval without width is not shown."""
    spread = half_width if half_width is not None and _is_seen(half_width, value) else None
    scale, name = scale_of(value, unit)
    if spread is not None:
        number = _with_spread(value / scale, spread / scale)
    else:
        number = _share(value) if unit == "1" and 0.99 < value < 1 else _alone(value / scale)
    return f"{number} {name}" if name else number


def _is_seen(half_width: float, value: float) -> bool:
    return math.isfinite(half_width) and half_width > _ROUNDING * abs(value)


def scale_of(value: float, unit: str) -> tuple[float, str]:
    """What a value of this unit is divided by to be read easily, and the unit behind it then: 1e9 and Gb/s."""
    if unit == "1":
        return 1.0, ""
    scales = _SHOWN_IN.get(unit)
    if scales is None:
        return 1.0, unit
    if value == 0 or not math.isfinite(value):
        return next(scale for scale in scales if scale[0] == 1.0)
    # What is rounded up to 1000 of a unit is 1 of the next.
    return next((scale for scale in scales if _rounded(abs(value)) >= scale[0]), scales[-1])


def _alone(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    if value.is_integer() and abs(value) < _EXACT:
        return f"{value:,.0f}"
    size = abs(value)
    if size < _PLAIN_FROM or size >= _EXACT:
        return _power(f"{value:.{_DIGITS - 1}e}")
    return f"{value:,.{_decimals(_rounded(size), _DIGITS)}f}"


def _rounded(size: float) -> float:
    return float(f"{size:.{_DIGITS - 1}e}")


def _share(value: float) -> str:
    """A share that is nearly all is not shown as all."""
    return f"{value:.{max(_DIGITS, -math.floor(math.log10(1 - value)))}f}"


def _with_spread(value: float, spread: float) -> str:
    """Both with the decimals in which the spread has two digits."""
    largest = max(abs(value), spread)
    if largest < _PLAIN_FROM or largest >= _EXACT:
        power = math.floor(math.log10(largest))
        return f"({_with_spread(value / 10.0**power, spread / 10.0**power)})e{power}"
    decimals = _decimals(spread, _DIGITS_OF_SPREAD)
    return f"{value:,.{decimals}f} ± {spread:,.{decimals}f}"


def _decimals(size: float, digits: int) -> int:
    """Decimals with which a number of this size has so many digits; none for whole ones."""
    return max(0, digits - 1 - math.floor(math.log10(size)))


def _power(text: str) -> str:
    """`6.67e-5` for `6.67e-05`."""
    mantissa, _, power = text.partition("e")
    return f"{mantissa}e{int(power)}"
