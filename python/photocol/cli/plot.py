"""What `photocol plot` does: pictures of each run, or of several together, or lines of text."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from photocol.cli.arguments import flow_numbers
from photocol.errors import InputError
from photocol.plot.files import Format, Pictures, check_names, save_all
from photocol.plot.sparkline import BLOCKS, PLAIN, sparklines
from photocol.plot.style import COLUMN_INCHES, PAGE_INCHES
from photocol.plot.tables import Chosen
from photocol.runs.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

_WIDTHS = {"column": COLUMN_INCHES, "page": PAGE_INCHES}
_LEAST_INCHES, _MOST_INCHES = 1.5, 60.0


def draw(
    directories: Sequence[Path],
    *,
    formats: Sequence[Format] = (),
    width: str | None = None,
    only: Sequence[str] = (),
    flows: str | None = None,
    links: Sequence[str] = (),
    is_overlay: bool = False,
    out: Path | None = None,
    as_text: bool = False,
) -> Iterator[str]:
    """The lines to print: the names of the files, or the text. Raises InputError before anything is written."""
    chosen = Chosen(flows=tuple(flow_numbers("--flows", flows)) if flows else (), links=tuple(links))
    how = Pictures(formats=formats or ("png",), width_inches=_inches(width), only=only, chosen=chosen)
    results = {folder: Result.load(folder) for folder in directories}
    if as_text:
        for folder, result in results.items():
            text = sparklines(_sampled(chosen.of_series(result.series), only), levels=levels())
            yield f"{folder}:\n{text}" if len(results) > 1 else text
        return
    if is_overlay:
        yield from map(str, save_all(_by_name(results), out or Path("out") / "plots", how))
        return
    if out is not None and len(results) > 1:
        raise InputError("--out with several runs goes with --together; each has its own DIR/plots otherwise")
    for folder, result in results.items():
        files = save_all(result, out or folder / "plots", how)
        yield from map(str, files)
        if not files:
            yield f"{folder}: nothing to draw"


def _sampled(series: pl.DataFrame, only: Sequence[str]) -> pl.DataFrame:
    """The samples of these pictures, all without any."""
    if not only:
        return series
    check_names(only, (f"series_{kind}" for kind in series["quantity"].unique(maintain_order=True)))
    return series.filter(series["quantity"].is_in([name.removeprefix("series_") for name in only]))


def levels() -> str:
    """The characters that the terminal can show."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        BLOCKS.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS


def _inches(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        inches = _WIDTHS.get(text) or float(text)
    except ValueError:
        inches = math.nan
    if not _LEAST_INCHES <= inches <= _MOST_INCHES:
        raise InputError(f"--width {text!r}: column, page, or from {_LEAST_INCHES} to {_MOST_INCHES:.0f} inches")
    return inches


def _by_name(results: dict[Path, Result]) -> dict[str, Result]:
    """Each under the name of its directory, or the whole path where two have the same."""
    names = [folder.resolve().name for folder in results]
    whole = len(set(names)) < len(names)
    return {str(folder) if whole else folder.resolve().name: result for folder, result in results.items()}
