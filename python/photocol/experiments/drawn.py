"""Tables with the same rows and other numbers in some columns, as chance draws them of one.

All of them are asked the same. Which rows a filter, an order or a curve picks by the columns that are the same in all
of them is found in the first one. Whatever else is asked is answered as by any frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable

INDEX = "row of the table"

T = TypeVar("T")


class Picks:
    """The rows that were picked of all tables, each by what was asked."""

    def __init__(self, same: Iterable[str]) -> None:
        self.same = frozenset(same)
        """The columns that are the same in all tables."""
        self._found: dict[Hashable, tuple[pl.Series, Picks]] = {}
        self._other: dict[Hashable, Any] = {}

    def of(self, key: Hashable, pick: Callable[[], pl.Series]) -> tuple[pl.Series, Picks]:
        """Those that this key has picked, and what was picked of them."""
        if key not in self._found:
            self._found[key] = (pick(), Picks(self.same))
        return self._found[key]

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """What was found for this key."""
        if key not in self._other:
            self._other[key] = find()
        found: T = self._other[key]
        return found


def found(table: pl.DataFrame, key: Hashable, by: Collection[str], find: Callable[[pl.DataFrame], T]) -> T:
    """What a function finds by some columns of a table. The key says what the function looks for."""
    return table.found(key, by, find) if isinstance(table, Drawn) else find(table)


def numbers(table: pl.DataFrame, column: str) -> list[Any]:
    """A column as a list, which is not to be changed. Raises ColumnNotFoundError."""
    return table.numbers(column) if isinstance(table, Drawn) else table[column].to_list()


class Drawn(pl.DataFrame):
    """One of the tables, or some of its rows."""

    def __init__(self, table: pl.DataFrame, picks: Picks) -> None:
        self._df = table._df
        self._picks = picks
        self._picked: dict[Hashable, Drawn] = {}
        self._numbers: dict[str, list[Any]] = {}

    def found(self, key: Hashable, by: Collection[str], find: Callable[[pl.DataFrame], T]) -> T:
        """What a function finds by some columns; once for all tables if they have these in common."""
        if self._picks.same.issuperset(by):
            return self._picks.once(key, lambda: find(pl.DataFrame(self)))
        return find(pl.DataFrame(self))

    def numbers(self, column: str) -> list[Any]:
        """A column as a list, which is not to be changed. Raises ColumnNotFoundError."""
        if column not in self._numbers:
            self._numbers[column] = self[column].to_list()
        return self._numbers[column]

    def filter(self, *predicates: Any, **constraints: Any) -> pl.DataFrame:
        """The rows that pass."""
        asked = [self._asked(one) for one in predicates]
        if None in asked or not all(name in self._picks.same for name in constraints):
            return super().filter(*predicates, **constraints)
        key = ("filter", *asked, *constraints.items())
        return self._rows(key, lambda table: table.filter(*predicates, **constraints))

    def sort(self, by: Any, *more_by: Any, **how: Any) -> pl.DataFrame:
        """The rows in order."""
        names = (*([by] if isinstance(by, str | pl.Expr) else by), *more_by)
        if not all(isinstance(name, str) and name in self._picks.same for name in names):
            return super().sort(by, *more_by, **how)
        return self._rows(("sort", *names, *map(str, how.items())), lambda table: table.sort(names, **how))

    def select(self, *columns: Any, **named: Any) -> pl.DataFrame:
        """Some columns; those with plain names are taken without a query."""
        if named or not all(isinstance(name, str) and not name.startswith("^") for name in columns):
            return super().select(*columns, **named)
        return pl.DataFrame(self[list(columns)])

    def _asked(self, predicate: Any) -> Hashable:
        """A predicate as a key, if it asks only for what is the same in all tables; None if not."""
        if isinstance(predicate, pl.Series):
            return tuple(predicate)
        if not isinstance(predicate, pl.Expr) or predicate.meta.has_multiple_outputs():
            return None
        names = predicate.meta.root_names()
        return predicate.meta.serialize() if all(name in self._picks.same for name in names) else None

    def _rows(self, key: Hashable, pick: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
        if key not in self._picked:
            index, picks = self._picks.of(key, lambda: pick(pl.DataFrame(self).with_row_index(INDEX))[INDEX])
            self._picked[key] = Drawn(self[index], picks)
        return self._picked[key]
