"""Panelled pictures and narrow ones: one scale and one look for all panels, names and numbers that do not touch."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import photocol
from matplotlib.figure import Figure
from test_by_size import SCENARIO, flows
from test_plot_sweeps import table

import photocol as package
from photocol import plot
from photocol.plot.by_size import BySize, slowdowns
from photocol.plot.fitting import fit, heighten
from photocol.plot.labels import places
from photocol.plot.style import drawing
from photocol.plot.sweep_sizes import Numbers, figure, numbers_of
from photocol.plot.sweeps import drawn
from photocol.plot.view import Asked

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.text import Text

COLUMN, PAGE = 3.5, 7.16
FOUR = ("DCTCP", "HPCC", "NDP", "CUBIC")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two schemes of different transports, two loads, two seeds, so short that some flows do not complete."""
    place = tmp_path_factory.mktemp("sweep")
    (place / "star.toml").write_text(SCENARIO.replace('"0.3 s"', '"0.1 s"'))
    schemes = ["--scheme", "first:", "--scheme", "second: traffic.0.transport=cubic"]
    words = ["--grid", "traffic.0.load_share=0.3,0.9", "--seeds", "2", "--keep", "flows", "--jobs", "1"]
    done = photocol("sweep", place / "star.toml", *schemes, *words, "--out", place / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    return place / "out"


def part(slow: dict[float, float], *, of: str = "a", spread: float = 1.0) -> pl.DataFrame:
    """A curve of medians by size, each of 100 flows, with intervals from a `spread`th to `spread` times."""
    sizes = [size for size in slow for _ in range(100)]
    made = slowdowns(flows(sizes, [slow[size] for size in sizes]), BySize(percentiles=["p50"]))
    low, high = pl.col("slowdown_p50") / spread, pl.col("slowdown_p50") * spread
    return made.with_columns(of=pl.lit(of), slowdown_p50_low=low, slowdown_p50_high=high)


def four(spread: float = 1.0) -> pl.DataFrame:
    """Curves of four schemes whose right ends lie close together."""
    ends = zip(FOUR, (4.0, 4.2, 4.1, 4.3), strict=True)
    return pl.concat(part({1e3 * 10**k: 1.0 + k * end for k in range(5)}, of=name, spread=spread) for name, end in ends)


def panels(*tables: pl.DataFrame) -> Numbers:
    return Numbers([(f"panel: {number}", one) for number, one in enumerate(tables)], 2)


def number_texts(axes: Axes, which: str) -> list[Text]:
    """What stands at the ticks of an axis and is seen."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    return [
        tick.label1
        for tick in ticks
        if tick.label1.get_visible() and tick.label1.get_text() and low <= tick.get_loc() <= high
    ]


def touching(texts: list[Text]) -> list[tuple[str, str]]:
    """Texts of one angle that cover one another, or that are closer than a fifth of a line."""
    boxes = []
    for text in texts:
        turn = text.get_rotation()
        at = text.get_window_extent()
        text.set_rotation(0)
        own = text.get_window_extent()
        text.set_rotation(turn)
        boxes.append((text.get_text(), turn, at, own))
    found = []
    for (a, turn, first, own), (b, _, second, _) in itertools.combinations(boxes, 2):
        if turn in (0.0, 90.0):
            gap = 0.2 * min(own.height, own.width)
            across = first.x0 - gap < second.x1 and second.x0 - gap < first.x1
            if across and first.y0 < second.y1 and second.y0 < first.y1:
                found.append((a, b))
        # Lines aslant at 40° are as far apart as their beginnings times the sine.
        elif abs(second.x1 - first.x1) * 0.6428 < own.height:
            found.append((a, b))
    return found


def test_the_scale_holds_the_points_and_intervals_of_all_panels() -> None:
    """Alone the first panel would be linear and the second logarithmic; 4 is the factor from which one is."""
    low, high = part({1e3: 2.0, 1e5: 3.0}, spread=1.2), part({1e3: 60.0, 1e5: 120.0}, spread=2.0)
    for order in ((low, high), (high, low)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cells = figure(panels(*order), BySize(percentiles=["p50"]), PAGE).axes
        assert {cell.get_yscale() for cell in cells} == {"log"}
        for cell in cells:
            assert cell.get_ylim()[0] <= 2.0 / 1.2
            assert cell.get_ylim()[1] >= 240.0


def test_intervals_that_leave_the_picture_are_told() -> None:
    wide = figure(panels(part({1e3: 20.0, 1e5: 200.0}, spread=1000.0)), BySize(percentiles=["p50"]), PAGE)
    assert "some intervals go on beyond the axis" in wide.get_supxlabel()
    narrow = figure(panels(part({1e3: 20.0, 1e5: 200.0}, spread=2.0)), BySize(percentiles=["p50"]), PAGE)
    assert "beyond" not in narrow.get_supxlabel()


def test_a_curve_s_look_says_what_by_says_and_nothing_of_its_panel(sweep: Path) -> None:
    swept = package.SweepTable.load(sweep)
    numbers = numbers_of(sweep, swept, BySize(bins=2), Asked(by="load_share", panels="scheme"))
    made = figure(numbers, BySize(bins=2), PAGE)
    assert [text.get_text() for text in made.legends[0].get_texts()] == ["0.3", "0.9", "median", "95th percentile"]
    colours = [[line.get_color() for line in cell.lines if len(line.get_xdata())] for cell in made.axes]
    assert colours[0] == colours[1]
    assert len(set(colours[0])) == 2


@pytest.mark.parametrize(("number", "width"), [(3, COLUMN), (5, PAGE), (4, PAGE)])
def test_a_panel_without_one_below_it_has_numbers_at_its_axis(number: int, width: float) -> None:
    of_sizes = figure(panels(*[part({1e3: 2.0, 1e5: 3.0})] * number), BySize(percentiles=["p50"]), width)
    of_figures = drawn(table(x=[1, 2, 3], load=list(range(number))), "goodput", panels="load", width_inches=width)
    for made in (of_sizes, of_figures):
        made.draw_without_rendering()
        for cell in made.axes:
            column = [one for one in made.axes if abs(one.get_position().x0 - cell.get_position().x0) < 1e-3]
            is_last = cell.get_position().y0 == min(one.get_position().y0 for one in column)
            assert bool(number_texts(cell, "x")) == bool(cell.get_xlabel()) == is_last


def test_a_logarithmic_scale_of_panels_holds_all_intervals() -> None:
    """A panel around 1 ± 0.5, one around 1000 ± 500."""
    made = table(x=[1, 2], load=[0.5, 0.9]).with_columns(
        drop_rate=pl.Series([1.0, 1000.0, 1.1, 1100.0]), drop_rate_half_width=pl.Series([0.5, 500.0, 0.5, 500.0])
    )
    for cell in drawn(package.SweepTable.of(made), "drop_rate", x="x", panels="load", log="y").axes:
        assert cell.get_ylim()[0] <= 0.5
        assert cell.get_ylim()[1] >= 1600.0


def test_flows_that_did_not_complete_are_counted_below_the_slowdown(sweep: Path) -> None:
    """Of 200 flows ten have no time; those without a size or before the warm-up are none of them."""
    values = [None] * 10 + [2.0] * 190
    some = flows([1000.0] * 200).with_columns(
        completion_s=pl.Series(values, dtype=pl.Float64), slowdown=pl.Series(values, dtype=pl.Float64)
    )
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, some)
    assert "200 flows, of which 10 did not complete" in axes.get_xlabel()
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, flows([1000.0] * 200))
    assert "200 flows" in axes.get_xlabel()
    assert "complete" not in axes.get_xlabel()
    runs = [package.Result.load(folder) for folder in (sweep / "runs").iterdir()]
    every = pl.concat([plot.sized_flows(run) for run in runs])
    left = every["completion_s"].null_count()
    assert left > 0
    done = photocol("plot", sweep, "--only", "slowdown", "--panels", "scheme", "--bins", "2", "--format", "csv")
    assert done.returncode == 0, done.stderr
    written = pl.read_csv(sweep / "plots" / "slowdown.csv")
    assert (written["flows"].sum(), written["completed"].sum()) == (len(every), len(every) - left)
    assert "flows of a curve did not complete" in done.stderr
    swept = package.SweepTable.load(sweep)
    made = figure(numbers_of(sweep, swept, BySize(bins=2), Asked(panels="scheme")), BySize(bins=2), PAGE)
    assert f"{len(every):,} flows of 2 runs, of which {left:,} did not complete" in made.get_supxlabel()


def test_a_range_with_too_few_flows_has_no_point_and_it_is_told() -> None:
    """Fewer than six values have no interval of 95 % for their median: 1 - 2 / 2⁵ is 0.94."""
    sizes = [1000.0] * 5 + [10_000.0] * 6 + [100_000.0] * 100
    few = flows(sizes, [50.0] * 5 + [2.0] * 106)
    numbers = slowdowns(few, BySize(percentiles=["p50"]))
    assert numbers["slowdown_p50"].to_list() == [None, 2.0, 2.0]
    assert numbers["slowdown_p50_high"].to_list()[0] is None
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, few, percentiles=["p50"])
    assert "1 point with too few flows is left out" in axes.get_xlabel()
    assert axes.get_ylim()[1] < 50
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, few.tail(106), percentiles=["p50"])
    assert "left out" not in axes.get_xlabel()


@pytest.mark.parametrize("width", [COLUMN, PAGE])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("names", ["above", "lines"])
def test_nothing_at_the_axes_of_a_law_touches(width: float, number: int, names: str) -> None:
    sizes = [float(round(10 ** (1 + 6 * k / 999))) for k in range(1000)]
    how = BySize(percentiles=["p50"], bins="law")
    made = pl.concat(
        slowdowns(flows(sizes, [1.0 + k / 300 for k in range(1000)]), how).with_columns(of=pl.lit(name))
        for name in FOUR
    )
    with drawing(width, names):
        picture = figure(panels(*[made] * number), how, width)
        picture.draw_without_rendering()
        for cell in picture.axes:
            seen = number_texts(cell, "x")
            assert touching(seen) == []
            assert len(seen) >= 4
            assert seen[0].get_text().startswith("10")
            assert touching(number_texts(cell, "y")) == []
            assert touching(list(cell.texts)) == []
            assert cell.get_window_extent().height > 0.3 * picture.bbox.height / number


def test_names_along_x_that_would_touch_are_left_out_in_every_picture() -> None:
    laws = [f"{letter}-{'a long name '[:8]}" for letter in "abcdefghijklmnopqrst"]
    made = drawn(table(law=laws, load=[1, 2]), "goodput", x="law", panels="load", width_inches=COLUMN)
    made.draw_without_rendering()
    for cell in made.axes:
        assert touching(number_texts(cell, "x")) == []
    links = pl.DataFrame({"link": [f"p{k}a0->p{k}c1" for k in range(40)], "utilization": [k / 40 for k in range(40)]})
    with drawing(COLUMN):
        narrow = plot.new_figure(COLUMN)
        plot.link_utilization(narrow.add_subplot(), links)
        fit(narrow)
        narrow.draw_without_rendering()
    assert touching(number_texts(narrow.axes[0], "x")) == []


def test_few_names_are_all_there_aslant_if_need_be() -> None:
    made = drawn(table(scheme=list(FOUR), load=[1, 2]), "goodput", x="scheme", panels="load", width_inches=2.8)
    made.draw_without_rendering()
    for cell in made.axes:
        seen = number_texts(cell, "x")
        assert [text.get_text() for text in seen] == list(FOUR)
        assert touching(seen) == []


def test_a_narrow_picture_of_losses_is_as_high_as_its_names_need() -> None:
    with drawing(COLUMN):
        made = plot.new_figure(COLUMN)
        drops = pl.DataFrame({"where": [f"n{k}->n{k + 1}" for k in range(30)], "units": list(range(1, 31))})
        plot.losses(
            made.add_subplot(), drops.with_columns(pl.lit("data").alias("class"), pl.lit("full").alias("cause"))
        )
        heighten(made)
        fit(made)
        made.draw_without_rendering()
    boxes = sorted((text.get_window_extent() for text in number_texts(made.axes[0], "y")), key=lambda box: box.y0)
    assert len(boxes) == 20
    assert all(below.y1 <= above.y0 for below, above in itertools.pairwise(boxes))
    assert made.get_figwidth() == COLUMN


@pytest.mark.parametrize("names", ["above", "lines"])
def test_names_at_the_lines_of_low_panels_lie_apart(names: str) -> None:
    with drawing(COLUMN, names):
        made = figure(panels(four(), four()), BySize(percentiles=["p50"]), COLUMN)
        made.draw_without_rendering()
    for cell in made.axes:
        boxes = sorted((text.get_window_extent() for text in cell.texts), key=lambda box: float(box.y0))
        assert len(boxes) == (4 if names == "lines" else 0)
        assert all(below.y1 <= above.y0 + 1 for below, above in itertools.pairwise(boxes))


@pytest.mark.parametrize(("low", "high", "fewest"), [(1.0, 1000.0, 4), (1.0, 150.0, 3), (1.0, 20.0, 4), (1.0, 1e5, 4)])
def test_a_low_logarithmic_axis_has_the_numbers_that_fit(low: float, high: float, fewest: int) -> None:
    with drawing(COLUMN):
        made = figure(panels(*[part({1e3: low, 1e5: high})] * 2), BySize(percentiles=["p50"]), COLUMN)
        made.draw_without_rendering()
    seen = number_texts(made.axes[0], "y")
    assert len(seen) >= fewest
    assert touching(seen) == []


def test_a_short_time_along_an_axis_has_a_unit_that_fits() -> None:
    """0.15 ms is no number of seconds to read; an axis begins with a zero often, whose unit says little."""
    assert places(["0 s", "50 us", "150 us"]) == ([0.0, 50.0, 150.0], "us", None)
    for values in ([0.0, 5e-5, 1.5e-4], ["0 s", "50 us", "150 us"], ["0 s", "0.00005 s", "0.00015 s"]):
        name = "lead_s" if isinstance(values[0], float) else "lead"
        made = drawn(table(**{name: values}), "goodput")
        made.draw_without_rendering()
        assert made.axes[0].get_xlabel() == "lead (µs)"
        assert [text.get_text() for text in number_texts(made.axes[0], "x")] == ["0", "50", "150"]
    made = drawn(table(lead_s=[0.0, 0.5, 1.5]), "goodput")
    assert made.axes[0].get_xlabel() == "lead (s)"


def test_short_times_along_a_described_axis_too() -> None:
    points = pl.DataFrame({"lead_s": [0.0, 5e-5, 1.5e-4], "share": [0.1, 0.2, 0.3]})
    made = plot.new_figure()
    plot.Lines("lead_s", "share", labels=("lead (s)", "share"))(made.add_subplot(), points)
    fit(made)
    made.draw_without_rendering()
    assert made.axes[0].get_xlabel() == "lead (µs)"
    numbers = [float(text.get_text()) for text in number_texts(made.axes[0], "x")]
    assert 100 <= max(numbers) <= 160
