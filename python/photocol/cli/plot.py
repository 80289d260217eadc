"""What `photocol plot` does: pictures of each run, of several together or of sweeps, or lines of text."""

from __future__ import annotations

import difflib
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.cli import say
from photocol.cli.arguments import flow_numbers
from photocol.errors import InputError
from photocol.plot.by_size import DECADES, BySize
from photocol.plot.files import Format, Pictures, check_names, save_all
from photocol.plot.sparkline import BLOCKS, PLAIN, sparklines
from photocol.plot.style import ABOVE, COLUMN_INCHES, PAGE_INCHES
from photocol.plot.tables import Chosen
from photocol.runs import storage
from photocol.runs.results import Result
from photocol.sweeps.swept import is_campaign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
    from_s: float | None = None,
    to_s: float | None = None,
    is_overlay: bool = False,
    out: Path | None = None,
    as_text: bool = False,
    percentiles: Sequence[str] = (),
    bins: str = DECADES,
    names: str = ABOVE,
    **of_sweeps: Any,
) -> Iterator[str]:
    """The lines to print: the names of the files, or the text. Raises InputError before anything is written."""
    window = _window(from_s, to_s)
    chosen = Chosen(flows=tuple(flow_numbers("--flows", flows)) if flows else (), links=tuple(links), window=window)
    sizes = BySize.of(percentiles, int(bins) if bins.isdecimal() else bins)
    how = Pictures(
        formats=formats or ("png",), width_inches=_inches(width), only=only, chosen=chosen, by_size=sizes, names=names
    )
    if out is not None and len(directories) > 1 and not is_overlay:
        raise InputError("--out with several directories goes with --together; each has its own DIR/plots otherwise")
    swept = _sweeps_among(directories, is_alone=not (is_overlay or flows or links or window))
    for folder in swept:
        yield from _swept(folder, how, out or folder / "plots", as_text=as_text, **of_sweeps)
    if swept:
        return
    given = [f"--{name.removeprefix('is_')}" for name, value in of_sweeps.items() if value]
    results = {folder: _loaded(folder) for folder in directories}
    if given:
        raise InputError(f"{directories[0]} is a run: {', '.join(given)} goes with a sweep")
    if as_text:
        for folder, result in results.items():
            text = sparklines(_sampled(chosen.of_series(result.series), only), levels=levels())
            yield f"{folder}:\n{text}" if len(results) > 1 else text
    elif is_overlay:
        yield from map(str, save_all(_by_name(results), out or Path("out") / "plots", how))
    else:
        yield from _each(results, how, out)


def _sweeps_among(directories: Sequence[Path], *, is_alone: bool) -> list[Path]:
    """Those that are sweeps: all or none."""
    swept = [folder for folder in directories if is_campaign(folder)]
    if swept and (len(swept) < len(directories) or not is_alone):
        raise InputError(
            f"{swept[0]} is a sweep: it goes without runs, --together, --flows, --link, --from and --to; "
            "another sweep or a run is laid over it by --over DIR"
        )
    return swept


def _each(results: Mapping[Path, Result], how: Pictures, out: Path | None) -> Iterator[str]:
    for folder, result in results.items():
        files = save_all(result, out or folder / "plots", how)
        yield from map(str, files)
        if result.missing:
            say(f"{folder}: without the tables that the sweep has not kept: {', '.join(result.missing)} (--keep TABLE)")
        if not files:
            yield f"{folder}: nothing to draw"


def _swept(
    folder: Path,
    how: Pictures,
    out: Path,
    *,
    as_text: bool,
    x: str | None = None,
    by: Sequence[str] = (),
    panels: str | None = None,
    log: str | None = None,
    is_map: bool = False,
    where: str | None = None,
    over: Sequence[str] = (),
    labels: Sequence[str] = (),
) -> Iterator[str]:
    """The pictures of a sweep, or its table as text."""
    from photocol.plot import sweep_sizes
    from photocol.plot.sweeps import save
    from photocol.plot.view import Asked
    from photocol.sweeps.swept import SweepTable

    table = SweepTable.load(folder)
    if as_text:
        yield table.text(how.only)
        return
    asked = Asked(x=x, by=by, panels=panels, log=log, is_map=is_map, where=where)
    files, said, is_chosen = list[Path](), list[str](), bool(how.only)
    if sweep_sizes.NAME in how.only:
        if over:
            raise InputError(f"{sweep_sizes.NAME}: nothing is laid over it")
        files, said = sweep_sizes.save(folder, table, out / sweep_sizes.NAME, how, asked)
        how = replace(how, only=[one for one in how.only if one != sweep_sizes.NAME])
    if how.only or not files:
        more = save(table, out, how, asked, over, labels)
        files, said = [*files, *more[0]], [*said, *more[1]]
    yield from map(str, files)
    for sentence in said:
        say(sentence)
    main = table.main_metrics()
    others = [name for name in table.metrics if name not in main]
    if not is_chosen and others:
        say(f"{folder} has {len(others)} more figures; --only NAME draws one: {', '.join(others)}")


def _loaded(folder: Path) -> Result:
    """The run in a directory. Raises InputError, which names runs and sweeps that are in it, or the nearest name."""
    if not folder.exists():
        beside = [place.name for place in folder.parent.glob("*/") if (place / storage.MARK).is_file()]
        close = difflib.get_close_matches(folder.name, beside, n=1)
        raise InputError(f"there is no {folder}" + (f"; nearest: {folder.with_name(close[0])}" if close else ""))
    if not (folder / storage.MARK).is_file() and folder.is_dir():
        inside = sorted({place.parent for deep in ("*/", "*/*/") for place in folder.glob(f"{deep}{storage.MARK}")})
        if inside:
            more = f" and {len(inside) - 1} more" if len(inside) > 1 else ""
            raise InputError(f"{folder} is not a run or a sweep of photocol; in it is {inside[0]}{more}")
    return Result.load(folder)


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


def _window(from_s: float | None, to_s: float | None) -> tuple[float, float] | None:
    """From when to when samples are shown, in seconds; None: all of them."""
    if from_s is None and to_s is None:
        return None
    window = (0.0 if from_s is None else from_s, math.inf if to_s is None else to_s)
    if not 0 <= window[0] < window[1]:
        raise InputError(f"--from {window[0]:g} --to {window[1]:g}: from zero on, and to a later time, in seconds")
    return window


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
