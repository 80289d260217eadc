"""Plots draw the tables they are given and touch nothing else."""

from __future__ import annotations

import io
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from command import SMALL
from command import photocol as command
from matplotlib.figure import Figure
from PIL import Image

import photocol
from photocol import InputError, plot
from photocol.plot.files import pictures_of
from photocol.plot.fitting import fit
from photocol.plot.style import drawing

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
    assert [line.get_label() for line in axes.lines] == [f"flow {flow} (mean of 2 runs)" for flow in (0, 1)]
    assert max(axes.lines[0].get_ydata()) < 500


def test_large_values_have_a_larger_unit(axes: Axes) -> None:
    series = pl.DataFrame({"run": 0, "t_s": [0.0, 1.0], "entity": "flow 0", "quantity": "cwnd", "value": [0.0, 1.6e8]})
    plot.samples(axes, series)
    assert (axes.get_ylabel(), list(axes.lines[0].get_ydata())) == ("congestion window (MB)", [0, 160])


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


def test_a_result_draws_all_it_has_when_asked_for_a_plot(result: photocol.Result) -> None:
    with mpl.rc_context({"backend": "agg"}):
        figure = result.plot()
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert "queue (packets)" in labels
    assert len(labels) == len(pictures_of({"": result})), "the pictures of `photocol plot`"
    with mpl.rc_context({"backend": "agg"}):
        figure = result.plot("series_queue")
    assert [axes.get_ylabel() for axes in figure.axes] == ["queue (packets)"]
    with pytest.raises(photocol.InputError, match="there is no picture 'godput'; did you mean 'goodput'"):
        result.plot("godput")


def test_no_style_is_set_for_others(axes: Axes, result: photocol.Result) -> None:
    before = dict(mpl.rcParams)
    result.plot.goodput(axes)
    assert dict(mpl.rcParams) == before


def test_samples_below_zero_are_inside_the_picture(axes: Axes) -> None:
    series = pl.DataFrame(
        {"run": 0, "t_s": [0.0, 1.0, 2.0], "entity": "a->b", "quantity": "feedback", "value": [-4e6, 1e6, -1e6]}
    )
    plot.samples(axes, series)
    assert axes.get_ylabel().endswith("(Mb/s)")
    assert axes.get_ylim() == pytest.approx((-4.2, 1.05))
    other = Figure().add_subplot()
    plot.samples(other, series.with_columns(-pl.col("value").abs()))
    assert other.get_ylim() == pytest.approx((-4.2, 0.0))


def test_replications_are_means_with_their_interval(axes: Axes) -> None:
    # Student's t with one degree of freedom: 12.706. Half width 12.706 · √2 / √2 = 12.706 around 2 at t = 0.
    series = pl.DataFrame(
        {
            "run": [0, 0, 1, 1],
            "t_s": [0.0, 1.0] * 2,
            "entity": "a->b",
            "quantity": "feedback",
            "value": [1e6, 5e6, 3e6, 5e6],
        }
    )
    plot.samples(axes, series)
    assert list(axes.lines[0].get_ydata()) == [2, 5]
    band = axes.collections[0].get_paths()[0].vertices
    assert (band[:, 1].min(), band[:, 1].max()) == pytest.approx((0, 14.706), abs=1e-3)
    assert axes.get_legend_handles_labels()[1] == ["a->b (mean of 2 runs)"]


def test_no_interval_is_drawn_below_zero_where_no_value_is(axes: Axes, result: photocol.Result) -> None:
    plot.samples(axes, result.series.filter(pl.col("quantity") == "queue"))
    assert axes.get_ylim()[0] == 0


def test_goodput_over_replications_is_the_mean_of_their_curves(axes: Axes) -> None:
    flows = pl.DataFrame({"run": [0, 0, 1, 1], "transport": "sack", "goodput_bps": [1e6, 3e6, 2e6, 4e6]})
    plot.goodput_distribution(axes, flows)
    # At 1 Mb/s: half of one run's flows and none of the other's.
    assert list(axes.lines[0].get_ydata()) == [0, 0.25, 0.5, 0.75, 1]
    assert "2 flows, 2 runs" in axes.lines[0].get_label()


def test_losses_are_bars_by_place_and_cause(axes: Axes) -> None:
    drops = pl.DataFrame(
        {
            "run": [0, 0, 1],
            "where": ["a->b", "b->c", "b->c"],
            "class": "burst",
            "cause": ["contention", "contention", "late burst header"],
            "units": [4, 6, 10],
            "bits": 0,
        }
    )
    plot.losses(axes, drops)
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["b->c", "a->b"]
    # Means over two runs; a run without a drop counts as zero.
    assert [bar.get_width() for bar in axes.patches] == [3, 2, 5, 0]
    assert axes.get_xlabel() == "dropped bursts in a run"
    assert axes.get_legend_handles_labels()[1] == ["contention", "late burst header"]
    with pytest.raises(ValueError, match="one class"):
        plot.losses(axes, pl.concat([drops, drops.with_columns(pl.lit("ack").alias("class"))]))


def test_several_results_are_told_apart_without_colours(axes: Axes, result: photocol.Result) -> None:
    queue = result.series.filter(pl.col("quantity") == "queue")
    plot.samples(axes, plot.together({"one": queue, "other": queue.with_columns(pl.col("value") * 2)}))
    looks = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines]
    assert [len(set(kind)) for kind in zip(*looks, strict=True)] == [2, 2, 2]
    assert [line.get_label() for line in axes.lines] == [
        f"{name}: left->right (mean of 2 runs)" for name in ("one", "other")
    ]
    assert len(set(plot.looks(100))) == 100


def test_control_channels_do_not_mix_with_data(axes: Axes) -> None:
    links = pl.DataFrame({"link": ["a->b"] * 2, "class": ["burst", "control"], "utilization": [0.5, 0.1]})
    plot.link_utilization(axes, links)
    assert list(axes.lines[0].get_ydata()) == [0.5]


def test_a_dense_course_shows_its_mean_and_its_range(axes: Axes) -> None:
    value = np.where(np.arange(16_000) % 2, 3.0, -1.0)
    series = pl.DataFrame(
        {"run": 0, "t_s": np.arange(16_000) / 100, "entity": "a", "quantity": "queue", "value": value}
    )
    plot.samples(axes, series)
    assert axes.lines[0].get_ydata() == pytest.approx([1.0] * 160, abs=0.05)
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (-1, 3)


def outside(figure: Figure) -> list[str]:
    """The labels and legends of a figure that stand beyond its edges."""
    figure.draw_without_rendering()
    texts = [label for one in figure.axes for label in (one.xaxis.label, one.yaxis.label)]
    texts += [text for one in figure.axes if (legend := one.get_legend()) for text in legend.get_texts()]
    texts += figure.texts
    edge, boxes = figure.bbox, {text.get_text(): text.get_window_extent() for text in texts if text.get_text()}
    return [
        text
        for text, box in boxes.items()
        if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 + 1 or box.y1 > edge.y1 + 1
    ]


def test_no_label_of_a_column_is_cut_off(result: photocol.Result) -> None:
    """Every picture at 3.5 inches; one without broken lines is cut off, or there would be nothing to see."""
    cut = []
    for draw, table in pictures_of({"of quite a long name": result, "another": result}).values():
        with drawing(plot.COLUMN_INCHES):
            figure = plot.new_figure(plot.COLUMN_INCHES)
            draw(figure.add_subplot(), table)
            cut += outside(figure)
            fit(figure)
            assert outside(figure) == []
    assert "throughput of the class, bytes arrived (Mb/s)" in cut, "as it was drawn"


def test_files_have_their_fonts_and_no_dates(tmp_path: Path, result: photocol.Result) -> None:
    how = plot.Pictures(formats=("pdf", "svg"), width_inches=plot.COLUMN_INCHES, only=["goodput"])
    for folder in ("one", "two"):
        plot.save_all(result, tmp_path / folder, how)
    pdf, svg = (tmp_path / "one" / f"goodput.{suffix}" for suffix in ("pdf", "svg"))
    assert b"/FontFile2" in pdf.read_bytes()
    assert b"/Type3" not in pdf.read_bytes()
    assert re.search(r'<svg[^>]* width="252pt"', svg.read_text()), "3.5 inches of 72 points"
    assert "<text" not in svg.read_text(), "letters are paths"
    for file in (pdf, svg):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_a_figure_is_saved_under_a_text_too(tmp_path: Path) -> None:
    figure = plot.new_figure(plot.COLUMN_INCHES)
    figure.add_subplot().plot([1, 2])
    for suffix in ("png", "svg", "pdf"):
        plot.save_figure(figure, f"{tmp_path}/one.{suffix}")
        assert (tmp_path / f"one.{suffix}").is_file()
    with pytest.raises(InputError, match=r"one.eps: a figure is written as .png, .svg or .pdf"):
        plot.save_figure(figure, f"{tmp_path}/one.eps")


def test_a_picture_without_anything_in_it_is_not_drawn(tmp_path: Path, result: photocol.Result) -> None:
    files = {file.stem for file in plot.save_all(result, tmp_path)}
    sampled = {f"series_{kind}" for kind in result.series["quantity"].unique()}
    follow = {"throughput", "class_throughput", "link_throughput", "fairness", "queue_distribution"}
    assert files <= {"link_utilization", "goodput", "losses_data", *sampled, *follow}
    assert {"link_utilization", "goodput", "series_cwnd", "series_queue"} <= files
    none = photocol.run(SMALL, set={"traffic.0.start": "1.999999 s", "traffic.0.spread": "0 s"})
    assert "series_rtt" not in {file.stem for file in plot.save_all(none, tmp_path / "none")}
    with pytest.raises(InputError, match=r"no picture 'losses_burst'; did you mean 'losses_data'\? there is: link_"):
        plot.save_all(result, tmp_path, plot.Pictures(only=["losses_burst"]))


def test_the_command_draws_what_is_chosen(tmp_path: Path, result: photocol.Result) -> None:
    one, other = (result.save(tmp_path / name) for name in ("one", "other"))
    done = command("plot", one, "--flows", "1", "--link", "left->right", "--only", "series_cwnd", "--format", "svg")
    assert (done.returncode, done.stdout.split()) == (0, [str(one / "plots" / "series_cwnd.svg")])
    done = command(
        "plot", one, other, "--together", "--width", "column", "--only", "goodput", "--out", tmp_path / "both"
    )
    assert done.stdout.split() == [str(tmp_path / "both" / "goodput.png")]
    for words, message in (
        (("--flows", "9"), "no flow 9"),
        (("--flows", "x"), "must be flow numbers"),
        (("--link", "a->b"), "no link a->b"),
        (("--from", "2", "--to", "1"), "--from 2 --to 1: from zero on"),
        (("--from", "-1"), "--from -1 --to inf"),
        (("--width", "wide"), "column, page, or from"),
        (("--width", "nan"), "column, page, or from"),
        (("--only", "godput"), "did you mean 'goodput'? there is: link_utilization, goodput, "),
        (("--text", "--only", "goodput"), "there is no picture 'goodput'; there is: series_"),
    ):
        done = command("plot", one, *words)
        assert (done.returncode, message in done.stderr) == (2, True), (words, done.stderr)


def test_a_window_of_time_is_the_axis_and_all_that_is_drawn(tmp_path: Path, result: photocol.Result) -> None:
    there = pictures_of({"": result}, plot.Chosen(window=(0.5, 1.0)))
    for name in ("series_queue", "link_throughput", "throughput"):
        draw, table = there[name]
        assert 0.5 <= table["t_s"].min() < table["t_s"].max() <= 1.0
        draw(axes := Figure().add_subplot(), table)
        assert axes.get_xlim() == pytest.approx((0.5, 1.0), abs=0.06), "samples are 0.1 s apart"
    done = command(
        "plot", result.save(tmp_path / "run"), "--from", "0.5", "--to", "1", "--only", "series_queue", "--format", "csv"
    )
    assert done.returncode == 0, done.stderr
    times = pl.read_csv(tmp_path / "run" / "plots" / "series_queue.csv")["t_s"]
    assert (times.min(), times.max()) == pytest.approx((0.5, 1.0), abs=0.06)


def test_samples_are_lines_of_text_too(tmp_path: Path, result: photocol.Result) -> None:
    done = command("plot", result.save(tmp_path / "run"), "--text")
    line = next(line for line in done.stdout.splitlines() if line.startswith("queue of left->right"))
    assert re.search(r"[▁▂▃▄▅▆▇█]{10,} +0 packets to [\d.]+ packets, at last", line), line
    assert "(" in done.stdout.splitlines()[-1], "what did not change is counted"
    done = command("plot", tmp_path / "run", "--text", "--only", "series_queue")
    assert {text.split(" of ")[0] for text in done.stdout.splitlines() if text[0] != "("} == {"queue"}
    rows = [(0, float(t), "a", "queue", float(t)) for t in range(8)]
    series = pl.DataFrame(rows, ["run", "t_s", "entity", "quantity", "value"], orient="row")
    assert plot.sparklines(series, width=8).split("  ")[1] == "▁▂▃▄▅▆▇█"
    assert "nothing was sampled" in plot.sparklines(series.clear())


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


def test_zero_on_a_logarithmic_axis_has_a_place_of_its_own() -> None:
    """0.02, 0.0003, 0, 0.01: the lowest decade is 1e-4; zero stands below it, and no line leads there."""
    from photocol.plot import logarithmic_with_zero

    axes = Figure().add_subplot()
    axes.plot([1, 2, 3, 4], [0.02, 0.0003, 0.0, 0.01], "-o", color="red", label="Reno")
    logarithmic_with_zero(axes)
    line, zeros = axes.get_lines()[:2]
    drawn = np.asarray(line.get_ydata(), dtype=float)
    assert np.isnan(drawn).tolist() == [False, False, True, False]
    assert list(zeros.get_xdata()) == [3]
    assert zeros.get_linestyle() == "None"
    place = float(np.asarray(zeros.get_ydata())[0])
    assert axes.get_ylim()[0] < place < 1e-4
    axes.figure.canvas.draw()
    labels = {tick.get_position()[1]: tick.get_text() for tick in axes.get_yticklabels()}
    assert labels[place] == "0"
    assert axes.get_legend_handles_labels()[1] == ["Reno"]


def test_without_zeros_the_axis_is_logarithmic() -> None:
    from photocol.plot import logarithmic_with_zero

    axes = Figure().add_subplot()
    axes.axvline(1.5)  # from 0 to 1 of the picture's height, which are no values
    axes.plot([1, 2], [0.1, 1.0])
    logarithmic_with_zero(axes)
    assert axes.get_yscale() == "log"
    assert len(axes.get_lines()) == 2


def texts(axes: Axes, which: str) -> list[str]:
    """What stands at the ticks within the axes."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    labels = [*axis.get_majorticklabels(), *axis.get_minorticklabels()]
    ticks = [*axis.get_majorticklocs(), *axis.get_minorticklocs()]
    return [one.get_text() for one, at in zip(labels, ticks, strict=True) if low <= at <= high and one.get_text()]


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ([0.45, 0.95], ["0.5", "0.6", "0.7", "0.8", "0.9"]),
        ([2, 12], ["10", "2", "3", "5"]),
        ([3, 90], ["10", "5", "20", "50"]),
        ([1, 5000], ["1", "10", "100", "1000"]),
        ([1e-6, 1e-2], [r"$\mathdefault{10^{-6}}$", r"$\mathdefault{10^{-5}}$"]),
    ],
)
def test_logarithmic_axes_have_plain_numbers(axes: Axes, values: list[float], wanted: list[str]) -> None:
    axes.plot([1, 2], values)
    axes.set_yscale("log")
    axes.set_ylim(*values)
    plot.frame(axes)
    axes.get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    assert set(wanted) <= set(texts(axes, "y"))
    assert not any("times" in text for text in texts(axes, "y"))


def test_ticks_that_have_names_keep_them(axes: Axes) -> None:
    axes.plot([1, 10], [1, 2])
    axes.set_xscale("log")
    axes.set_xticks([1, 10], ["one", "ten"])
    plot.frame(axes)
    assert texts(axes, "x")[:2] == ["one", "ten"]


@pytest.mark.parametrize("is_late", [False, True])
def test_a_title_stands_above_the_legend(axes: Axes, *, is_late: bool) -> None:
    axes.plot([1, 2], label="a curve")
    if not is_late:
        axes.set_title("the title", loc="left", color="red")
    plot.frame(axes)
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    if is_late:
        axes.set_title("the title", loc="left", color="red")
        fit(figure)
    figure.draw_without_rendering()
    (title,) = [one for one in axes.get_children() if getattr(one, "get_text", str)() == "the title"]
    legend = axes.get_legend()
    assert legend is not None
    assert title.get_window_extent().y0 >= legend.get_window_extent().y1 - 1
    assert title.get_color() == "red"  # type: ignore[attr-defined]


def test_names_can_stand_at_the_lines_apart_from_each_other() -> None:
    with drawing(3.5, "lines"):
        figure = plot.new_figure(3.5)
        axes = figure.add_subplot()
        ends = {"top": 5.0, "one": 1.0, "two": 1.01, "three": 1.02}
        for name, end in ends.items():
            axes.plot([1, 2, 3], [0.0, 2.0, end], label=name)
        plot.frame(axes)
        fit(figure)
    assert axes.get_legend() is None
    boxes = {text.get_text(): text.get_window_extent() for text in axes.texts}
    assert list(boxes) == ["one", "two", "three", "top"]
    pairs = list(itertools.pairwise(boxes.values()))
    assert all(below.y1 <= above.y0 + 1 for below, above in pairs)
    assert all(box.x0 > axes.get_window_extent().x1 for box in boxes.values())
    assert all(box.x1 <= figure.bbox.x1 for box in boxes.values())


def test_short_times_are_in_milliseconds(axes: Axes) -> None:
    table = pl.DataFrame({"t_s": [0.0, 0.015, 0.02], "entity": "a", "quantity": "queue", "value": [1.0, 2.0, 3.0]})
    plot.samples(axes, table)
    axes.get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    assert axes.get_xlabel() == "simulated time (ms)"
    assert {"0", "5", "10", "15", "20"} <= set(texts(axes, "x"))
