"""What stands at the axes of a picture of a sweep: titles in words, units, and where values have their places."""

from __future__ import annotations

import itertools
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from photocol.errors import InputError
from photocol.quantity import factor

if TYPE_CHECKING:
    from collections.abc import Sequence

_QUANTITY = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S.*)?")
_PERCENTILE = re.compile(r"_p(\d+)(?:_(\d+))?$")
_IN_ERLANG = re.compile(r"switching\.burst\.\d+\.load")
_MOST_LETTERS, _BEGINNING, _END = 24, 12, 11
"""Letters of a name in a picture, and of a longer one those that stay."""
_ENDINGS = {
    "_bps": "b/s",
    "_kbps": "kb/s",
    "_mbps": "Mb/s",
    "_gbps": "Gb/s",
    "_bytes": "B",
    "_kb": "kB",
    "_mb": "MB",
    "_gb": "GB",
    "_kbit": "kbit",
    "_mbit": "Mbit",
    "_packets": "packets",
    "_segments": "segments",
    "_erlang": "erlang",
    "_km": "km",
    "_ms": "ms",
    "_us": "µs",
    "_s": "s",
}


class Places(NamedTuple):
    """Where the values of an axis stand."""

    at: list[float]
    """Numbers in `unit`, or 0, 1, 2, … where values are names."""
    unit: str
    names: list[str] | None = None
    """The distinct names in their order, where values are no numbers."""


def places(values: Sequence[object]) -> Places:
    """Numbers stand at their value, and quantities of one kind, in the unit of the first that is not zero; others are
    names.
    """
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return Places([float(str(value)) for value in values], "")
    found = [_QUANTITY.fullmatch(str(value)) for value in values]
    units = [match[2] or "" for match in found if match is not None]
    try:
        if len(units) == len(values):
            numbers = [float(match[1]) for match in found if match is not None]
            # A zero says little of the others' size.
            own = next((unit for number, unit in zip(numbers, units, strict=True) if number), units[0])
            scales = {unit: factor(unit, own) for unit in dict.fromkeys(units)}
            return Places([number * scales[unit] for number, unit in zip(numbers, units, strict=True)], own)
    except InputError:
        pass
    named = names(values)
    order = {name: float(place) for place, name in enumerate(named.values())}
    return Places([order[named[str(value)]] for value in values], "", list(order))


def names(values: Sequence[object]) -> dict[str, str]:
    """The text of each distinct value as a picture has it: paths without the folders and the ending that all share, and
    of long names the two ends.
    """
    texts = list(dict.fromkeys(map(str, values)))
    paths = [PurePosixPath(text) for text in texts]
    short = list(texts)
    if all("/" in text for text in texts):
        folders = zip(*(path.parts[:-1] for path in paths), strict=False)
        shared = sum(1 for _ in itertools.takewhile(lambda parts: len(set(parts)) == 1, folders))
        ending = paths[0].suffix if len({path.suffix for path in paths}) == 1 else ""
        short = ["/".join(path.parts[shared:]).removesuffix(ending) for path in paths]
    cut = [name if len(name) <= _MOST_LETTERS else f"{name[:_BEGINNING]}…{name[-_END:]}" for name in short]
    if len(set(cut)) < len(cut):
        cut = [f"{number}: {name}" for number, name in enumerate(cut, 1)]
    return {text: plain(name) for text, name in zip(texts, cut, strict=True)}


def base_value(text: str, unit: str) -> float:
    """The number of a quantity in this unit: 1e8 of "100 Mbps" in bps. Raises InputError."""
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is no quantity")
    return float(found[1]) * factor(found[2] or unit, unit)


def axis_title(name: str, others: Sequence[str], unit: str = "") -> str:
    """The title of an axis in words, with the unit: `bottleneck buffer (kB)` of `topology.bottleneck_buffer`.

    The last part of a key will do where no other axis has the same.
    """
    last = name.rpartition(".")[2]
    is_one = sum(other.rpartition(".")[2] == last for other in others) <= 1
    text, known = _without_unit(last if is_one else name.replace(".", " "))
    shown = (
        re.sub(r"^us$", "µs", re.sub(r"bps$", "b/s", unit)) or known or ("erlang" if _IN_ERLANG.fullmatch(name) else "")
    )
    return f"{text} ({shown})" if shown else text


def metric_title(name: str) -> str:
    """A figure in words: `completion time, 99th percentile` of `completion_time_p99`, `goodput of bbr` of
    `goodput[bbr]`.
    """
    name, _, traffic = name.removesuffix("]").partition("[")
    if traffic:
        return f"{metric_title(name)} of {plain(traffic)}"
    percentile = _PERCENTILE.search(name)
    if percentile is None:
        return _without_unit(name)[0]
    rank = ".".join(filter(None, percentile.groups()))
    return f"{name[: percentile.start()].replace('_', ' ')}, {rank}th percentile"


def plain(value: object) -> str:
    """A value as text in a picture, where a pair of dollars would be a formula."""
    return str(value).replace("$", r"\$")


def unit_in(name: str) -> str:
    """The unit that the ending of a name says: Gb/s of `goodput_gbps`; none: ""."""
    return _without_unit(name)[1]


def _without_unit(name: str) -> tuple[str, str]:
    """A name in words, and the unit that its ending says."""
    for ending, unit in _ENDINGS.items():
        if name.endswith(ending) and not name.endswith("_per_s") and len(name) > len(ending):
            return name.removesuffix(ending).replace("_", " "), unit
    return name.replace("_", " "), ""
