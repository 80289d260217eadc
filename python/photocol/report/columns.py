"""Tables for a page: small ones as rows of JSON, long columns of numbers as deflated arrays."""

from __future__ import annotations

import base64
import math
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from photocol.errors import InputError
from photocol.quantity import readable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_SMALL = (("u8", np.uint8), ("u16", np.uint16), ("u32", np.uint32))
_UNITS = {"_s": "s", "_bps": "bps", "_bits": "bits", "_bytes": "B", "bytes_acked": "B"}


def packed(values: NDArray[Any], *, steps: bool = False, level: int = 6) -> dict[str, Any]:
    """An array, exactly, in the smallest type that holds it; with `steps` as the differences of neighbours.

    `level` is how hard it is compressed: 1 is quick, 9 is small.
    """
    kept = np.diff(values, prepend=values[:1] * 0) if steps else values
    name, array = _narrowest(kept)
    data = base64.b64encode(zlib.compress(array.tobytes(), level)).decode("ascii")
    return {"type": name, "data": data, **({"steps": True} if steps else {})}


def _narrowest(values: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    if values.dtype.kind in "ui" and (not values.size or int(values.min()) >= 0):
        most = int(values.max()) if values.size else 0
        for name, kind in _SMALL:
            if most <= np.iinfo(kind).max:
                return name, values.astype(kind)
    return "f64", values.astype("<f8")


def rows(
    title: str, name: str, frame: pl.DataFrame, *, leave: Sequence[str] = (), units: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """A table whose rows are shown as they are; what is not finite is null. Units that are not given are in names."""
    kept = frame.drop([column for column in leave if column in frame.columns])
    cells = [[_cell(value) for value in row] for row in kept.iter_rows()]
    return {
        "id": f"table-{name}",
        "title": title,
        "table": {"columns": kept.columns, "units": _units(kept.columns, units or {}), "rows": cells},
    }


def with_spreads(table: dict[str, Any]) -> dict[str, Any]:
    """The same with each mean and its half width in one cell: [mean, half width, both as people read them]."""
    said = table["table"]
    names: list[str] = said["columns"]
    spread = {name: names.index(f"{name}_half_width") for name in names if f"{name}_half_width" in names}
    kept = [k for k, name in enumerate(names) if k not in spread.values()]

    def cell(row: list[Any], k: int) -> object:
        if names[k] not in spread:
            return row[k]
        mean, half_width = row[k], row[spread[names[k]]]
        return [mean, half_width, "–" if mean is None else readable(mean, said["units"][k] or "1", half_width)]

    columns = [names[k] for k in kept]
    return {
        **table,
        "table": {
            "columns": columns,
            "units": [said["units"][k] for k in kept],
            "rows": [[cell(row, k) for k in kept] for row in said["rows"]],
        },
    }


def _units(columns: Sequence[str], known: Mapping[str, str]) -> list[str]:
    return [known.get(name) or _unit_of(name) for name in columns]


def _unit_of(name: str) -> str:
    return next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), "")


def _cell(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def trace(events: pl.DataFrame, most: int) -> dict[str, Any]:
    """The first `most` events of a trace: numbers, and the words that they mean."""
    kept = events.head(most)
    columns: Mapping[str, NDArray[Any]] = {
        "t": kept["t_ps"].to_numpy(),
        "wait": kept["wait_ps"].to_numpy(),
        "lasts": kept["lasts_ps"].to_numpy(),
        "flight": kept["flight_ps"].to_numpy(),
        "unit": kept["unit"].to_numpy(),
        "bytes": kept["bytes"].to_numpy(),
        "value": kept["value"].fill_null(0).to_numpy(),
        "channel": kept["channel"].fill_null(0).to_numpy(),
        "flow": kept["flow"].fill_null(2**32 - 1).to_numpy().astype(np.uint32),
        **{name: _places(kept[name]) for name in ("event", "place", "class", "cause")},
    }
    until_s = float(kept["t_ps"][-1]) / 1e12 if kept.height < events.height else None
    return {
        "columns": {name: packed(values, steps=name == "t") for name, values in columns.items()},
        "words": {name: _words(kept[name]) for name in ("event", "place", "class", "cause")},
        "events": kept.height,
        "cut_s": until_s,
    }


def _words(series: pl.Series) -> list[str]:
    if not isinstance(series.dtype, pl.Enum):
        raise InputError(f"the column {series.name} of the trace is not one of words")
    return series.dtype.categories.to_list()


def _places(series: pl.Series) -> NDArray[Any]:
    """The numbers of words; one past the end where there is none."""
    return series.to_physical().cast(pl.UInt32).fill_null(len(_words(series))).to_numpy()


def samples(series: pl.DataFrame, level: int = 6) -> dict[str, Any] | None:
    """The samples of the first replication, each entity's quantity in one piece; `level` as of `packed`."""
    first = series.filter(pl.col("run") == 0) if "run" in series.columns else series
    if not first.height:
        return None
    ordered = first.sort("quantity", "entity", "t_s", maintain_order=True)
    lengths = ordered.group_by("quantity", "entity", maintain_order=True).len()
    ends = np.cumsum(lengths["len"].to_numpy())
    parts = [
        {"quantity": quantity, "entity": entity, "from": int(end) - int(length), "to": int(end)}
        for (quantity, entity, length), end in zip(lengths.iter_rows(), ends, strict=True)
    ]
    values = ordered["value"].fill_null(math.nan).to_numpy()
    times = ordered["t_s"].to_numpy()
    return {"columns": {"t": packed(times, level=level), "v": packed(values, level=level)}, "parts": parts}
