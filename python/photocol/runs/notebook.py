"""How things show themselves in a notebook: tables and details, what comes from a file as text, never as markup."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

_LEFT = ' style="text-align:left"'


class Tabular:
    """What can be asked for as a frame; by that it speaks Arrow's PyCapsule interface, as its tables do."""

    def frame(self) -> pl.DataFrame:
        """As a polars frame."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """As a pandas frame. Raises InputError where pandas or pyarrow is missing."""
        try:
            return self.frame().to_pandas()
        except ModuleNotFoundError as error:
            raise InputError(f"{error.name} is not installed: pip install photocol[pandas]") from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """For pandas, pyarrow, DuckDB and others that read Arrow streams."""
        return self.frame().__arrow_c_stream__(requested_schema)


def table(head: Sequence[str], cells: Iterable[Sequence[object]]) -> str:
    """A table; its cells are texts."""
    return rows(head, ([text(cell) for cell in row] for row in cells))


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table whose cells are markup."""
    heads = "".join(f'<th scope="col"{_LEFT}>{text(one)}</th>' for one in head)
    lines = "".join(f"<tr>{''.join(f'<td{_LEFT}>{cell}</td>' for cell in row)}</tr>" for row in cells)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def hinted(one: str, hint: str) -> str:
    """A text that says more where one points at it."""
    return f'<span title="{escape(hint)}">{text(one)}</span>' if hint else text(one)


def details(title: str, inside: str) -> str:
    """What is shown when it is asked for; `inside` is markup."""
    return f"<details><summary>{text(title)}</summary>{inside}</details>"


def source(code: str) -> str:
    """A text with its line breaks."""
    return f"<pre>{text(code)}</pre>"


def paragraph(words: str) -> str:
    """One."""
    return f"<p>{text(words)}</p>"


def text(one: object) -> str:
    """As text: no markup, and kept apart from what stands beside it where it runs from right to left."""
    return f"<bdi>{escape(str(one))}</bdi>"
