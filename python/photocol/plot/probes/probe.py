"""What a probe shows beside its columns: a picture, and a table of the page about a run. Either may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.runs.results import Result


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture of a result, drawn from a table of it."""

    name: str
    draw: Callable[[Axes, pl.DataFrame], None]
    table: Callable[[Result], pl.DataFrame]
    """Empty, with all columns, where the probe was not asked for. A column `flow` lets flows be chosen."""
    value: str
    """The column that has to have a value, or there is nothing to draw."""
    missing: str
    """Why there is nothing to draw."""


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table of the page about a run; it is left out where it has no rows."""

    title: str
    name: str
    table: Callable[[Result], pl.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """A key of `[probe]`, or a table that runs have without being asked, and what is shown of it."""

    name: str
    picture: Picture | None = None
    page_table: PageTable | None = None
