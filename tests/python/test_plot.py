"""Plots draw the tables they are given and touch nothing else."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from command import SMALL
from matplotlib.figure import Figure
from PIL import Image

import photocol
from photocol import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IMAGES = Path(__file__).parents[2] / "docs" / "images"
LARGEST_IMAGE_BYTES = 100_000


@pytest.fixture
def axes() -> Axes:
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def result() -> photocol.Result:
    return photocol.run(SMALL, runs=2)


def test_links_are_drawn_from_the_busiest_down(axes: Axes) -> None:
    links = pl.DataFrame({"link": ["a->b", "b->a", "a->b"], "utilization": [0.2, 0.9, 0.4]})
    plot.link_utilization(axes, links)
    assert list(axes.lines[0].get_ydata()) == pytest.approx([0.9, 0.3])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["b->a", "a->b"]
    assert axes.get_ylabel() == "utilization (busy time / time)"


def test_goodput_is_a_distribution_per_transport(axes: Axes) -> None:
    flows = pl.DataFrame({"transport": ["reno"] * 4 + ["sack"], "goodput_bps": [4e6, 1e6, 2e6, 3e6, None]})
    plot.goodput_distribution(axes, flows)
    assert list(axes.lines[0].get_xdata()) == [1, 1, 2, 3, 4]
    assert list(axes.lines[0].get_ydata()) == [0, 0.25, 0.5, 0.75, 1]
    assert axes.get_xlabel() == "goodput x (Mb/s)"


def test_samples_are_lines_in_their_unit(axes: Axes, result: photocol.Result) -> None:
    plot.samples(axes, result.series.filter(pl.col("quantity") == "cwnd"))
    assert axes.get_ylabel() == "congestion window (kB)"
    assert [line.get_label() for line in axes.lines] == ["flow 0", "flow 1"]
    assert max(axes.lines[0].get_ydata()) < 500


def test_many_entities_are_drawn_as_quantiles(axes: Axes) -> None:
    rows = [(0, t / 10, f"flow {i}", "rto", i) for i in range(9) for t in range(5)]
    plot.samples(axes, pl.DataFrame(rows, ["run", "t_s", "entity", "quantity", "value"], orient="row"))
    assert axes.lines[-1].get_label() == "median of 9"
    assert list(axes.lines[-1].get_ydata()) == [4] * 5


def test_one_quantity_at_a_time(axes: Axes, result: photocol.Result) -> None:
    with pytest.raises(ValueError, match="one quantity"):
        plot.samples(axes, result.series)
    with pytest.raises(ValueError, match="was not sampled"):
        result.plot.series("fa_ratio", axes)


def test_a_result_draws_on_given_axes_and_returns_them(axes: Axes, result: photocol.Result) -> None:
    assert result.plot.link_utilization(axes) is axes
    assert result.plot.series("queue", Figure().add_subplot()).get_ylabel() == "queue (packets)"


def test_no_style_is_set_for_others(axes: Axes, result: photocol.Result) -> None:
    before = dict(mpl.rcParams)
    result.plot.goodput(axes)
    assert dict(mpl.rcParams) == before


def test_samples_below_zero_are_inside_the_picture(axes: Axes) -> None:
    series = pl.DataFrame(
        {"run": 0, "t_s": [0.0, 1.0, 2.0], "entity": "a->b", "quantity": "feedback", "value": [-4e6, 1e6, -1e6]}
    )
    plot.samples(axes, series)
    assert axes.get_ylim() == pytest.approx((-4.2e6, 1.05e6))
    other = Figure().add_subplot()
    plot.samples(other, series.with_columns(-pl.col("value").abs()))
    assert other.get_ylim() == pytest.approx((-4.2e6, 0.0))


def crowded() -> Figure:
    """Six noisy curves with marks and error bars, and a legend: about what the fullest figure here has."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes, random = figure.add_subplot(), np.random.default_rng(1)
    for number in range(6):
        values = number + random.normal(size=60).cumsum()
        axes.errorbar(np.arange(60), values, yerr=1, fmt="o-", markersize=4, capsize=2, label=f"curve {number}")
    axes.legend(ncols=3)
    return figure


def test_a_picture_is_small_and_looks_the_same(tmp_path: Path) -> None:
    figure, file, whole = crowded(), tmp_path / "crowded.png", io.BytesIO()
    plot.save_png(figure, file, dpi=200)
    figure.savefig(whole, format="png", dpi=200)
    assert file.stat().st_size < LARGEST_IMAGE_BYTES < len(whole.getvalue())
    with Image.open(file) as few, Image.open(whole) as all_colours:
        pixels = [np.asarray(image.convert("RGB"), dtype=int) for image in (few, all_colours)]
    off = np.abs(pixels[0] - pixels[1]).max(axis=2)
    # Of 256 levels; the worst are single pixels where curves of several colours cross.
    assert np.quantile(off, 0.99) <= 16


def test_equal_figures_give_equal_files(tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        plot.save_png(crowded(), tmp_path / name, dpi=100)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_no_picture_of_the_documentation_is_large() -> None:
    assert [file.name for file in IMAGES.iterdir() if file.stat().st_size > LARGEST_IMAGE_BYTES] == []
