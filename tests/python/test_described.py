"""Pictures by description: each series is drawn with its interval, and what is expected beside it."""

from __future__ import annotations

import polars as pl
import pytest
from matplotlib.figure import Figure

from photocol.plot import Lines

TABLE = pl.DataFrame(
    {
        "law": ["a", "a", "b", "b"],
        "load": [2, 1, 1, 2],
        "queue": [4.0, 1.0, 3.0, 5.0],
        "queue_half_width": [0.5, 0.25, float("nan"), 0.0],
    }
)


def drawn(lines: Lines, table: pl.DataFrame = TABLE) -> tuple[dict[str, tuple[list[float], list[float]]], Figure]:
    """Each line that has a label with its places and values, and the figure."""
    figure = Figure()
    axes = figure.add_subplot()
    lines(axes, table)
    found = {str(one.get_label()): one.get_data() for one in axes.lines if not str(one.get_label()).startswith("_")}
    bars = {str(one.get_label()): one.lines[0].get_data() for one in axes.containers}
    return {name: (list(map(float, x)), list(map(float, y))) for name, (x, y) in (found | bars).items()}, figure  # type: ignore[attr-defined]


def test_each_value_of_an_axis_is_a_line_along_another_one() -> None:
    found, figure = drawn(Lines("load", "queue", ("load", "queue"), by="law"))
    assert found == {"a": ([1, 2], [1, 4]), "b": ([1, 2], [3, 5])}
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("load", "queue")


def test_each_of_several_columns_is_a_line_by_its_name() -> None:
    """Of the value of an axis and of the column; lengths of queues are those of the table, waits a tenth."""
    table = TABLE.with_columns(wait=0.1 * pl.col("queue"))
    lines = Lines("load", ("queue", "wait"), ("", ""), by="law", names={"wait": "waits"}, scales="2")
    found, figure = drawn(lines, table)
    assert found["a, queue"] == ([1, 2], [1, 4])
    assert found["b, waits"][1] == pytest.approx([0.3, 0.5])
    assert figure.axes[0].get_xscale() == "log"


def test_some_values_are_drawn_where_another_axis_has_a_value() -> None:
    found, _ = drawn(Lines("load", "queue", ("", ""), by="law", of=("b",), where={"load": 2}))
    assert found == {"b": ([2], [5])}


def test_intervals_are_drawn_where_there_are_some() -> None:
    _, figure = drawn(Lines("load", "queue", ("", ""), by="law", of=("a",)))
    [bars] = figure.axes[0].containers[0].lines[2]  # type: ignore[attr-defined]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[0.75, 1.25], [3.5, 4.5]]


def test_what_is_expected_stands_beside_by_formula_or_by_place() -> None:
    expected = {"formula": lambda load: 2.0 * load, "published": {1: 1.5, 3: 6.0}}
    found, figure = drawn(Lines("load", "queue", ("", ""), by="law", expected=expected, scales="xy"))
    assert (found["formula"], found["published"]) == (([1, 2], [2, 4]), ([1, 3], [1.5, 6]))
    assert (figure.axes[0].get_xscale(), figure.axes[0].get_yscale()) == ("log", "log")
