"""What happened in a run, event by event: the table `trace`, and how a filter for it is written."""

from __future__ import annotations

from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from photocol import _core

NAME = "trace.parquet"
NO_EVENTS = "this run has no trace; run it with --trace, or with [trace] in the scenario"
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


class Events:
    """The events of a run, as it left them: a table as the bytes of a file, and what is said of it."""

    def __init__(self, results: _core.Results, said: tuple[int, int, int]) -> None:
        self._results = results
        self._events, self._left_out, self._last_ps = said

    @cached_property
    def _file(self) -> list[bytes]:
        return self._results.trace_file([("ARROW:schema", _schema(self._results.trace_columns))])

    def frame(self) -> pl.DataFrame:
        """The table; names are words of a fixed list, and what is not known is null."""
        import polars as pl

        return pl.read_parquet(BytesIO(b"".join(self._file)))

    def write(self, file: Path) -> None:
        """`trace.parquet`."""
        with file.open("wb") as output:
            output.writelines(self._file)

    def note(self) -> dict[str, Any]:
        """What the manifest says of it."""
        said: dict[str, Any] = {"events": self._events, "left_out": self._left_out}
        return {**said, "whole_until_s": self._last_ps / 1e12} if self._left_out and self._events else said


def events(results: _core.Results) -> Events | None:
    """What happened in a run, if that was traced."""
    return None if results.trace is None else Events(results, results.trace)


def _schema(columns: list[tuple[str, list[str] | None]]) -> str:
    """The types of the columns as Arrow's readers expect them in a Parquet file, for the words of each list."""
    import polars as pl

    types = {name: pl.UInt64() if words is None else pl.Enum(words) for name, words in columns}
    empty = BytesIO()
    pl.DataFrame(schema=types).write_parquet(empty)
    return pl.read_parquet_metadata(BytesIO(empty.getvalue()))["ARROW:schema"]


def sentence(said: dict[str, Any]) -> str:
    """The same in words."""
    whole = f"trace: {said['events']:,} events"
    if not said["left_out"]:
        return whole
    return (
        f"{whole}, whole up to {said.get('whole_until_s', 0):.6g} s; {said['left_out']:,} later ones are left out "
        "(trace.limit, trace.from, trace.flows and trace.links choose)"
    )
