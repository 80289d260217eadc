"""Units as other people write them, in fields and in heads of columns. All of it is in this place.

* `b`, `bit` and `bits` are bits, `B`, `byte` and `bytes` are bytes: of the letter the case decides, of the words none.
* Prefixes are k, M, G, T and P, in either case, for powers of 1000; with an `i` behind them (MiB/s) for powers of 1024.
* Per second is `ps`, `/s` or `/sec`. A rate in capitals alone, such as MBPS, says neither bits nor bytes, and is none.
* A size in `kb` or `mb` is none: bits by the letter, and bytes as most people mean it. `kB` and `kbit` are read.
* Times and lengths may be in either case: no delay is in megaseconds.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_AMOUNT = re.compile(r"(?P<prefix>[kKmMgGtTpP]?)(?P<binary>i?)(?P<what>[bB]|(?i:bits?|bytes?))(?P<per>ps|/s|/sec)?")
_LIKE = re.compile(r"[kmgtp]?i?(?:b|bits?|bytes?)(?:ps|/s|/sec|s)?|[mun]?s(?:ec)?", re.IGNORECASE)
_OTHERS: dict[str, dict[str, Decimal | int]] = {
    "s": {
        "s": 1,
        **dict.fromkeys(("sec", "secs", "second", "seconds"), 1),
        **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), Decimal("1e-3")),
        **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), Decimal("1e-6")),
        **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), Decimal("1e-9")),
        **dict.fromkeys(("ps", "psec", "picosecond", "picoseconds"), Decimal("1e-12")),
        **dict.fromkeys(("min", "minute", "minutes"), 60),
        **dict.fromkeys(("h", "hour", "hours"), 3600),
    },
    "km": {
        **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), 1),
        **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), Decimal("1e-3")),
    },
}


@lru_cache(maxsize=1000)
def scale(unit: str, base: str) -> Decimal | None:
    """How many of the base unit (bps, B, s or km) one of these is; None if it is no such unit."""
    if base in _OTHERS:
        found = _OTHERS[base].get(unit.lower())
        return None if found is None else Decimal(found)
    match = _AMOUNT.fullmatch(unit)
    if match is None or (match["per"] is not None) != (base == "bps") or (match["binary"] and not match["prefix"]):
        return None
    if base == "B" and match["what"] == "b":
        return None
    is_bytes = match["what"] == "B" or match["what"].lower().startswith("byte")
    each = Decimal(1024 if match["binary"] else 1000) ** _POWERS[match["prefix"].lower()]
    if base == "bps":
        return each * 8 if is_bytes else each
    return each if is_bytes else each / 8


def is_like_a_unit(text: str) -> bool:
    """Whether somebody who writes this behind the name of a quantity means a unit."""
    return _LIKE.fullmatch(text) is not None
