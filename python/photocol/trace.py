"""What happened in a run, event by event: the table `trace`, and how a filter for it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from photocol import _core

NAME = "trace.parquet"
NO_EVENTS = "this run has no trace; run it with --trace, or with [trace] in the scenario"
_COMPRESSION_LEVEL = 1
"""Takes half the time of the usual level, and a few per cent more room."""
_KEYS = ("flows", "links", "from", "until", "limit")


def parse_filter(text: str) -> list[tuple[str, str]]:
    """`flows=0,3-5;links=a->b;from=1 s` as settings of `[trace]`; an empty text traces everything."""
    settings = [("trace.enabled", "true")]
    for part in filter(None, (one.strip() for one in text.split(";"))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in _KEYS or not equals or not value:
            raise InputError(
                f"--trace: {part!r}; expected one of {', '.join(f'{key}=…' for key in _KEYS)}, separated by ;"
            )
        settings.append((f"trace.{key}", _value(key, value)))
    return settings


def _value(key: str, text: str) -> str:
    if text == "all" or key in ("from", "until", "limit"):
        return text
    words = [word.strip() for word in text.split(",")]
    if key == "links":
        return "[" + ", ".join(_quoted(word) for word in words) + "]"
    return "[" + ", ".join(str(number) for word in words for number in _numbers(word)) + "]"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _numbers(text: str) -> range:
    """`3-5` or `3`."""
    first, _, last = text.partition("-")
    try:
        low, high = int(first), int(last or first)
    except ValueError:
        raise InputError(f"--trace: {text!r} is not a flow number, nor a range such as 3-5") from None
    if not low <= high < low + 1_000_000:
        raise InputError(f"--trace: {text} is not a range of flow numbers")
    return range(low, high + 1)


def frame(results: _core.Results) -> pl.DataFrame | None:
    """The events of a run, none without a trace."""
    if results.trace_left_out is None:
        return None
    import polars as pl

    return pl.DataFrame([_series(name, column) for name, column in results.table("trace").items()])


def _series(name: str, column: Any) -> pl.Series:
    """A column; names are words of a fixed list, and what is not known is null."""
    import polars as pl

    if not isinstance(column, tuple):
        return pl.Series(name, column)
    values, words = column
    if isinstance(words, int):
        known = pl.Series(name, values)
        return known.set(known == words, None)
    places = pl.Series(name, values)
    return places.set(places >= len(words), None).cat.to(pl.Enum(words))


def write(events: pl.DataFrame, file: Path) -> None:
    """`trace.parquet`."""
    events.write_parquet(file, compression="zstd", compression_level=_COMPRESSION_LEVEL)


def note(events: pl.DataFrame, left_out: int) -> dict[str, Any]:
    """What the manifest says of a trace."""
    said: dict[str, Any] = {"events": events.height, "left_out": left_out}
    return {**said, "whole_until_s": events["t_ps"][-1] / 1e12} if left_out and events.height else said


def sentence(said: dict[str, Any]) -> str:
    """The same in words."""
    whole = f"trace: {said['events']:,} events"
    if not said["left_out"]:
        return whole
    return (
        f"{whole}, whole up to {said.get('whole_until_s', 0):.6g} s; {said['left_out']:,} later ones are left out "
        "(trace.limit, trace.from, trace.flows and trace.links choose)"
    )
