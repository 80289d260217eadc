"""Pictures of sweeps: which axis stands where, what is laid over, what is left out and said, from one point to many."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from command import photocol
from matplotlib import pyplot

import photocol as package
from photocol.cli.commands import app
from photocol.cli.completion import axes, pictures
from photocol.errors import InputError
from photocol.plot.curves import curves, look_of
from photocol.plot.labels import axis_title, metric_title, names, places
from photocol.plot.over import overlays
from photocol.plot.style import LINES, OVERLAY_LINES
from photocol.plot.sweeps import _asked_by, as_svg, drawn, save
from photocol.plot.view import Asked, view_of
from photocol.report.build import page_of
from photocol.sweeps.spec import checked, read_file
from photocol.sweeps.swept import SweepTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _without_windows() -> Iterator[None]:
    mpl.use("agg")
    yield
    pyplot.close("all")


def table(**axes: list[object]) -> SweepTable:
    """Every combination of the axes; the goodput of point k is k + 1 Gb/s ± 0.1 Gb/s, its drop rate 10⁻ᵏ."""
    points = pl.DataFrame({"": [0]})
    for name, values in axes.items():
        points = points.join(pl.DataFrame({name.replace("__", "."): values}, strict=False), how="cross")
    number = np.arange(len(points))
    figures = {
        "goodput": 1e9 * (number + 1),
        "goodput_half_width": np.full(len(points), 1e8),
        "drop_rate": 10.0**-number,
        "drop_rate_half_width": np.full(len(points), math.nan),
    }
    made = points.drop("").with_columns(pl.Series(name, values) for name, values in figures.items())
    return SweepTable.of(made.with_columns(n=3), units={"goodput": "bps"})


def on_disk(folder: Path, made: SweepTable) -> Path:
    folder.mkdir()
    made.write_parquet(folder / "table.parquet")
    return folder


def only(figure: Figure) -> Axes:
    (axes,) = figure.axes
    return axes


def test_values_of_one_kind_stand_at_their_value() -> None:
    assert places(["1 kB", "10 kB"]) == ([1.0, 10.0], "kB", None)
    assert places([1, 2.5]) == ([1.0, 2.5], "", None)
    # One megabyte is a thousand kilobytes.
    assert places(["1 kB", "1 MB"]) == ([1.0, 1000.0], "kB", None)
    assert places(["5 packets", "1 MB"]).names == ["5 packets", "1 MB"]
    assert places(["reno", "sack", "reno"]) == ([0.0, 1.0, 0.0], "", ["reno", "sack"])


def test_names_of_paths_leave_out_what_all_share_and_long_ones_their_middle() -> None:
    assert names(["nets/eu/a.csv", "nets/us/b.csv"]) == {"nets/eu/a.csv": "eu/a", "nets/us/b.csv": "us/b"}
    assert list(names(["nets/a.csv", "nets/a.gml"]).values()) == ["a.csv", "a.gml"]
    assert list(names(["nets/a.csv", "grid"]).values()) == ["nets/a.csv", "grid"]
    long = ["geant-2012-with-many-capacities", "geant-2012-with-their-capacities"]
    # 24 letters at most: 12, one for what is left out, and 11.
    assert list(names(long).values()) == ["1: geant-2012-w…-capacities", "2: geant-2012-w…-capacities"]
    assert places(["x/a.csv", "x/b.csv", "x/a.csv"]) == ([0.0, 1.0, 0.0], "", ["a", "b"])


def test_titles_are_words_with_a_unit() -> None:
    assert axis_title("topology.bottleneck_buffer", ["topology.bottleneck_buffer"], "kB") == "bottleneck buffer (kB)"
    assert axis_title("a.rate", ["a.rate", "b.rate"], "Mbps") == "a rate (Mb/s)"
    assert axis_title("buffer_kb", ["buffer_kb"], "kB") == "buffer (kB)"
    assert axis_title("switching.burst.0.load", ["switching.burst.0.load"]) == "load (erlang)"
    assert axis_title("load", ["load"]) == "load"
    assert metric_title("completion_time_p99_9") == "completion time, 99.9th percentile"


def test_a_figure_without_a_unit_has_that_of_its_name() -> None:
    made = SweepTable.of(table(x=[1, 2]).rename(lambda name: name.replace("drop_rate", "rate_gbps")))
    assert view_of(made, "rate_gbps", Asked()).y_title == "rate (Gb/s)"
    assert view_of(table(x=[1, 2]), "drop_rate", Asked()).y_title == "drop rate"


def test_a_traffic_s_figure_has_the_unit_and_the_title_of_all() -> None:
    made = SweepTable.of(
        table(x=[1, 2]).rename(lambda name: name.replace("goodput", "goodput[bbr]", 1)), units={"goodput": "bps"}
    )
    assert view_of(made, "goodput[bbr]", Asked()).y_title == "goodput of bbr (Gb/s)"


def test_a_picture_of_completion_times_says_how_many_flows_have_none() -> None:
    """Of 10 flows none, 2.5 and 7 in the mean over runs: up to 7 of 10."""
    counts = {"flows_completed": [10.0, 7.5, 3.0], "unfinished_flows": [0.0, 2.5, 7.0]}
    made = table(x=[1, 2, 3]).rename(lambda name: name.replace("goodput", "completion_time_p99"))
    made = SweepTable.of(made.with_columns(pl.Series(name, values) for name, values in counts.items()))
    said = "up to 7 of 10 flows did not complete"
    assert view_of(made, "completion_time_p99", Asked()).remarks == (said,)
    assert said in drawn(made, "completion_time_p99").get_supxlabel()
    assert view_of(made, "completion_time_p99", Asked(where="x < 3")).remarks == (said.replace("7", "3"),)
    assert view_of(made, "drop_rate", Asked()).remarks == ()
    assert view_of(made, "completion_time_p99", Asked(where="x = 1")).remarks == ()


def test_the_axis_of_most_numbers_is_x_and_the_fewest_values_make_panels() -> None:
    made = table(t__algorithm=["sack", "cubic", "bbr"], buffer=["1 kB", "2 kB", "4 kB", "8 kB"], pairs=[1, 2])
    view = view_of(made, "goodput", Asked())
    assert (view.x, view.by, view.panels) == ("buffer", ("t.algorithm",), "pairs")
    view = view_of(made, "goodput", Asked(x="algorithm", by="pairs", panels="buffer"))
    assert (view.x, view.by, view.panels) == ("t.algorithm", ("pairs",), "buffer")
    view = view_of(made, "goodput", Asked(x="pairs", by="algorithm", where="buffer = '2 kB'"))
    assert (view.by, view.panels, len(view.table)) == (("t.algorithm",), None, 6)


def test_an_axis_with_one_value_is_not_x() -> None:
    made = table(period=[200], law=["sack", "cubic"])
    assert view_of(made, "goodput", Asked()).x == "law"
    assert view_of(table(period=[200]), "goodput", Asked()).x == "period"


def test_many_long_names_make_a_picture_higher() -> None:
    short, long = (
        drawn(table(x=[1, 2], name=[f"{'n' * letters}{k}" for k in range(20)]), "goodput", by="name")
        for letters in (1, 21)
    )
    # Twenty names of 22 or 23 letters stand in three columns: seven rows, two of which have room.
    assert short.get_figheight() < long.get_figheight() == pytest.approx(6.4 / 1.6 + 5 * 0.2)


def test_axes_that_go_side_by_side_are_one_curve() -> None:
    made = SweepTable.of(
        table(a=[1, 2, 3]).with_columns(b=pl.Series([10, 20, 30])).select("a", "b", pl.col("^[dgn].*$"))
    )
    view = view_of(made, "goodput", Asked(x="a"))
    assert (view.by, view.panels) == ((), None)


def test_a_curve_has_its_means_its_intervals_and_its_units() -> None:
    axes = only(drawn(table(buffer=["1 kB", "3 kB"], law=["sack", "cubic"]), "goodput", x="buffer"))
    assert [list(line.get_ydata()) for line in axes.lines if line.get_label() in ("sack", "cubic")] == [[1, 3], [2, 4]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("buffer (kB)", "goodput (Gb/s)")
    bars = axes.collections[0].get_segments()
    assert [list(bar[:, 1]) for bar in bars] == [pytest.approx([0.9, 1.1]), pytest.approx([2.9, 3.1])]
    assert axes.get_ylim()[0] == 0
    assert (axes.get_legend().get_title().get_text(), axes.get_xscale()) == ("law", "linear")
    assert axes.figure.get_supxlabel() == "means of 3 runs with 95 % intervals"


def test_values_far_apart_are_logarithmic_unless_it_is_said() -> None:
    made = table(buffer=["1 kB", "1 MB"])
    assert only(drawn(made, "goodput")).get_xscale() == "log"
    assert only(drawn(made, "goodput", log="none")).get_xscale() == "linear"
    assert only(drawn(made, "drop_rate", log="y")).get_yscale() == "log"


def test_an_interval_that_holds_zero_goes_to_the_edge_of_a_logarithmic_axis() -> None:
    made = table(x=[1, 2]).with_columns(drop_rate=pl.Series([0.1, 0.01]), drop_rate_half_width=pl.Series([0.01, 0.5]))
    axes = only(drawn(SweepTable.of(made), "drop_rate", log="y"))
    bars = axes.collections[0].get_segments()
    assert list(bars[0][:, 1]) == pytest.approx([0.09, 0.11])
    assert bars[1][0, 1] == pytest.approx(axes.get_ylim()[0])
    assert axes.get_ylim()[0] > 0


def test_a_third_axis_makes_small_multiples_with_one_legend() -> None:
    figure = drawn(table(x=[1, 2, 3], law=["sack", "cubic"], load=[0.5, 0.9]), "goodput", by="law", panels="load")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["load: 0.5", "load: 0.9"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["sack", "cubic"]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


def test_two_axes_are_a_map_with_numbers_in_its_cells() -> None:
    figure = drawn(table(x=[1, 2, 3], y=["1 ms", "2 ms"]), "goodput", is_map=True, x="x", by="y")
    axes, colours = figure.axes
    # Point k = 2 (place of x) + place of y.
    assert axes.collections[0].get_array().tolist() == [[1, 3, 5], [2, 4, 6]]
    assert sorted(text.get_text() for text in axes.texts)[0] == "1\n± 0.1"
    assert (axes.get_xlabel(), axes.get_ylabel(), colours.get_ylabel()) == ("x", "y (ms)", "goodput (Gb/s)")
    with pytest.raises(InputError, match="a map has two axes"):
        drawn(table(x=[1, 2]), "goodput", is_map=True)
    with pytest.raises(InputError, match=r"fix z by a condition"):
        drawn(table(x=[1, 2], y=[1, 2], z=[1, 2]), "goodput", is_map=True, by="y", x="x")


def test_a_formula_is_followed_along_x() -> None:
    """Erlang's B of one server: load / (1 + load), 1/2 at one erlang."""
    for over, times, scale in (
        ("erlang-b(servers=1)", 1.0, 1.0),
        ("erlang-b(load=x, servers=1) / 2", 0.5, 1.0),
        ("erlang-b(load=4*x, servers=1)", 1.0, 4.0),
        ("erlang-b(load=4 * x / 2, servers=1)", 1.0, 2.0),
        # One link and one route of 2 erlang, times x.
        ("erlang-fixed-point(routes=[[0]], servers=[1], loads=[2])", 1.0, 2.0),
    ):
        (line,) = [
            line
            for line in drawn(table(load=[0.5, 1.0, 2.0]), "drop_rate", over=over).axes[0].lines
            if line.get_label() == over
        ]
        at, values = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        assert (len(at), at[0], at[-1]) == (200, 0.5, 2.0)
        assert values == pytest.approx(times * scale * at / (1 + scale * at))


def test_no_curve_has_the_line_of_what_is_laid_over() -> None:
    assert set(OVERLAY_LINES).isdisjoint(LINES)


def test_a_formula_takes_the_axes_that_it_names() -> None:
    """md1k at load x / 10; servers follow the curves: two lines, one a curve, in the colour of each."""
    made = table(rate=["2 Mbps", "8 Mbps"], servers=[1, 2])
    axes = only(drawn(made, "drop_rate", x="rate", over="erlang-b(load=x/2, servers=servers)"))
    lines = [line for line in axes.lines if len(line.get_xdata()) == 200]
    assert [line.get_color() for line in lines] == [
        look.colour for look in look_of(view_of(made, "goodput", Asked())).values()
    ]
    # 8 / 2 = 4 erlang: 4/5 on one server, 8/13 on two.
    assert [line.get_ydata()[-1] for line in lines] == pytest.approx([4 / 5, 8 / 13])


def test_units_of_a_formula_are_those_of_the_picture() -> None:
    """TFRC is told a round trip in seconds where x has milliseconds, and answers in bit/s where the axis has Mb/s."""
    made = table(delay=["50 ms", "100 ms"])
    axes = only(drawn(made, "goodput", over="tfrc.rate_bps(rtt=x, loss=0.01)"))
    (line,) = [line for line in axes.lines if len(line.get_xdata()) == 200]
    for place, rtt in ((0, "50 ms"), (-1, "100 ms")):
        assert line.get_ydata()[place] * 1e9 == pytest.approx(package.model("tfrc", rtt=rtt, loss=0.01)["rate_bps"])


def test_published_points_are_laid_over_in_their_units(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text("buffer (kB),goodput (Mb/s),half width\n1,500,100\n2,1500,\n")
    axes = only(drawn(table(buffer=["1 kB", "2 kB"]), "goodput", over=file))
    (bars,) = [one for one in axes.containers if one.get_label() == "published"]
    assert list(bars.lines[0].get_xdata()) == [1, 2]
    assert list(bars.lines[0].get_ydata()) == pytest.approx([0.5, 1.5])
    file.write_text("1 0.5\n2 1.5  # read off figure 3\n")
    axes = only(drawn(table(buffer=[1, 2]), "drop_rate", over=[file]))
    assert list(axes.containers[0].lines[0].get_ydata()) == [0.5, 1.5]
    file.write_text("x,y\n1,2\n3,much\n")
    with pytest.raises(InputError, match=r"published.csv:3: x and y.*found 3, much"):
        overlays([file])


def test_another_sweep_or_run_is_laid_over(tmp_path: Path) -> None:
    other = table(buffer=[1, 2])
    folder = on_disk(tmp_path / "former", SweepTable.of(other.with_columns(pl.col("goodput") * 2)))
    axes = only(drawn(table(buffer=[1, 2]), "goodput", over=folder))
    assert list(axes.containers[0].lines[0].get_ydata()) == [2, 4]
    assert "former" in axes.get_legend_handles_labels()[1]
    with pytest.raises(InputError, match="former has no axis 'load'"):
        drawn(table(load=[1, 2]), "goodput", over=folder)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ("erlang-a(servers=1)", "did you mean 'erlang-b'"),
        ("erlang-b(serves=1)", "has no input 'serves'; did you mean 'servers'"),
        ("erlang-b.blokcing(servers=1)", "has no output 'blokcing'; did you mean 'blocking'"),
        ("erlang-b", "say which input is x, as in load=x, load=4*x or load=x/10"),
        ("erlang-b(load=x+1, servers=2)", "say which input is x, as in load=x, load=4*x or load=x/10"),
        ("erlang-b(servers=1)/0", "/0: times or divided by a number other than zero"),
        ("tfrc(loss=x)", "does not fit the figure drop_rate"),
        ("missing.csv", "missing.csv cannot be read"),
    ],
)
def test_what_cannot_be_laid_over_is_refused(over: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        drawn(table(x=[1, 2]), "drop_rate", over=over)
    assert message in str(refused.value)


def test_names_that_are_not_there_have_a_nearest() -> None:
    made = table(buffer=[1, 2], law=["a", "b"])
    for call, message in (
        (lambda: made.plot("godput"), "did you mean 'goodput'"),
        (lambda: made.plot("goodput", x="bufer"), "did you mean 'buffer'"),
        (lambda: made.plot("goodput", x="law", by="law"), "asked for twice"),
        (lambda: made.plot("goodput", log="z"), "one of x, y, xy, none"),
        (lambda: made.plot("goodput", where="buffer > 7"), "leaves no point"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            call()
    with pytest.raises(KeyError, match="did you mean 'goodput'"):
        made["godput"]
    assert made["goodput"].to_list() == made.get_column("goodput").to_list()


def test_points_without_a_value_are_left_out_and_counted() -> None:
    made = table(x=[1, 2, 3]).with_columns(goodput=pl.Series([1e9, None, math.nan]))
    view = view_of(SweepTable.of(made), "goodput", Asked())
    assert (len(view.table), view.remarks) == (1, ("2 of 3 points have no value",))
    nothing = SweepTable.of(made.with_columns(goodput=pl.lit(None, pl.Float64)))
    with pytest.raises(InputError, match="no point of the sweep has a goodput"):
        view_of(nothing, "goodput", Asked())


def test_a_logarithmic_axis_shows_what_it_can_and_counts_the_rest() -> None:
    made = SweepTable.of(table(x=[0, 1, 10]).with_columns(goodput=pl.Series([1.0, -2.0, 3.0])))
    assert view_of(made, "goodput", Asked(log="y")).remarks == (
        "1 points below zero or at it are not on the logarithmic axis",
    )
    assert len(view_of(made, "goodput", Asked(log="xy")).table) == 1
    with pytest.raises(InputError, match="nothing is above zero"):
        view_of(SweepTable.of(made.with_columns(goodput=0.0)), "goodput", Asked(log="y"))


def test_a_dollar_is_a_dollar() -> None:
    axes = only(drawn(table(price=["$x^{$", "$"], law=["a$b$", "c"]), "goodput", x="price"))
    axes.figure.canvas.draw()
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [r"\$x^{\$", r"\$"]


def test_ten_thousand_curves_are_cut_to_some_from_the_first_to_the_last(tmp_path: Path) -> None:
    made = table(x=[1, 2], name=[f"s{number}" for number in range(10_000)])
    files, said = save(made, tmp_path, asked=Asked(by="name"))
    assert said[0] == "goodput: 24 of 10,000 curves are shown"
    assert {file.name for file in files} == {"goodput.png", "drop_rate.png"}
    names = list(look_of(view_of(made, "goodput", Asked())))
    assert (len(names), names[0], names[-1]) == (24, "s0", "s9999")


def test_one_point_is_a_mark_and_a_name_is_no_line() -> None:
    one = only(drawn(table(x=[4]), "goodput"))
    assert list(one.lines[0].get_xdata()) == [4]
    words = only(drawn(table(law=["sack", "cubic"]), "goodput"))
    assert (words.lines[0].get_linestyle(), [tick.get_text() for tick in words.get_xticklabels()]) == (
        "None",
        ["sack", "cubic"],
    )


def test_small_multiples_draw_only_their_rows() -> None:
    view = view_of(table(x=[1, 2], load=[0.5, 0.9]), "goodput", Asked(x="x", panels="load"))
    title, rows = view.multiples()[1]
    axes = mpl.figure.Figure().add_subplot()
    curves(axes, view, rows, look_of(view))
    assert (title, list(axes.lines[0].get_ydata())) == ("load: 0.9", [2, 4])


def test_a_sweep_is_drawn_by_the_command_and_shown_on_its_page(tmp_path: Path) -> None:
    words = ("--grid", "topology.bottleneck_buffer=5 packets,20 packets", "--set", "run.duration=1 s")
    out = tmp_path / "o"
    done = photocol(
        "sweep", "dumbbell", *words, "--set", "run.warm_up=0 s", "--seeds", "2", "--jobs", "1", "--out", out
    )
    assert f"photocol plot {out} draws it" in done.stdout, done.stderr
    done = photocol("plot", out, "--only", "goodput", "--format", "svg", "--width", "column")
    assert (done.returncode, done.stdout.split()) == (0, [str(out / "plots" / "goodput.svg")]), done.stderr
    assert re.search(r'<svg[^>]* width="252pt"', (out / "plots" / "goodput.svg").read_text()), "3.5 inches of 72 points"
    text = photocol("plot", out, "--text", "--only", "goodput").stdout
    assert re.search(r"5 packets +[\d.]+ ± [\d.]+ Mb/s +2", text), text
    for more, message in (
        (("--only", "godput"), "did you mean 'goodput'"),
        (("--by", "botleneck_buffer"), "did you mean 'topology.bottleneck_buffer'"),
        (("--flows", "1"), "is a sweep: it goes without"),
    ):
        done = photocol("plot", out, *more)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    done = photocol("plot", tmp_path)
    assert f"in it is {out}" in done.stderr
    assert photocol("plot", tmp_path / "oo").stderr == f"there is no {tmp_path / 'oo'}; nearest: {out}\n"
    loaded = package.SweepTable.load(out)
    assert (loaded.axes, loaded.unit("goodput")) == (["topology.bottleneck_buffer"], "bps")
    assert [name for name, _ in as_svg(loaded)[0]] == loaded.main_metrics()
    page = page_of(out)
    assert [picture["name"] for picture in page["pictures"]] == [*loaded.main_metrics()]
    points = page["tables"][0]["table"]
    assert points["columns"][:2] == ["topology.bottleneck_buffer", "goodput"]
    assert points["rows"][0][1][2] == loaded.cells("goodput")[0]


def test_a_sweep_without_a_finished_run_says_what_to_do(tmp_path: Path) -> None:
    words = ("--grid", "traffic.0.flows=1,2", "--out", tmp_path / "o", "--slurm", "2")
    assert photocol("sweep", "dumbbell", *words).returncode == 0
    done = photocol("plot", tmp_path / "o")
    assert (done.returncode, "no run of the sweep is finished; `photocol sweep resume" in done.stderr) == (2, True)
    done = photocol("plot", tmp_path)
    assert done.returncode == 2


def test_an_axis_in_single_quotes_is_told_to_stand_in_double_ones() -> None:
    """SQL compares the text with the value and keeps all points, or none."""
    made = table(traffic__0__flows=[1, 2, 40], law=["a", "law", "b"])
    for condition in ("'traffic.0.flows' < 10", "'traffic.0.flows' <> 'x'"):
        with pytest.raises(InputError, match=r'an axis stands in double quotes: "traffic\.0\.flows"'):
            view_of(made, "goodput", Asked(where=condition))
    assert len(view_of(made, "goodput", Asked(where="law = 'law'")).table) == 3, "a value is called so"
    said = {"grid": {"traffic.0.flows": [1, 40]}, "where": "'traffic.0.flows' < 10"}
    with pytest.raises(InputError, match=r'an axis stands in double quotes: "traffic\.0\.flows"'):
        checked(said).plan.points()


def test_an_axis_of_a_drawing_that_is_far_apart_is_logarithmic() -> None:
    """A factor of 40, as `photocol plot` does it; "none" is none."""
    for log, scale in ((None, "log"), ("none", "linear")):
        said = {"x": "flows", "y": "goodput"} | ({"log": log} if log else {})
        drawing = checked({"grid": {"flows": [1, 40]}, "plot": [said]}).plots[0]
        view = view_of(table(flows=[1, 40]), "goodput", _asked_by(drawing))
        assert view.is_log_x == (scale == "log")


@pytest.mark.parametrize(("backend", "left"), [("module://matplotlib_inline.backend_inline", 0), ("agg", 1)])
def test_a_notebook_shows_a_picture_once(backend: str, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows the value of a cell, and at its end what pyplot has open."""
    monkeypatch.setattr(mpl, "get_backend", lambda: backend)
    drawn(table(x=[1, 2]), "goodput")
    assert len(pyplot.get_fignums()) == left


def test_a_run_has_no_axes(tmp_path: Path) -> None:
    package.run("dumbbell", set={"run.duration": "1 s", "run.warm_up": "0 s"}).save(tmp_path / "r")
    done = photocol("plot", tmp_path / "r", "--x", "buffer")
    assert (done.returncode, "is a run: --x goes with a sweep" in done.stderr) == (2, True)


def test_the_plots_of_a_sweep_file_are_drawn_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'scenario = "dumbbell"\nset = { "run.duration" = "1 s", "run.warm_up" = "0 s" }\nmetrics = ["goodput"]\n'
        '[grid]\n"traffic.0.flows" = [1, 2]\n"topology.bottleneck_buffer" = ["5 packets", "9 packets"]\n'
        '[[plot]]\nx = "topology.bottleneck_buffer"\ny = "goodput"\npanels = "traffic.0.flows"\n'
        'over = "tfrc.rate_bps(loss=0.01, rtt=0.05, segment_size=x*1000)"\n'
        '[[plot]]\nx = "flows"\ny = "goodput"\nby = "bottleneck_buffer"\nmap = true\n'
    )
    said = read_file(file) | {"scenario": "dumbbell"}
    file.write_text(file.read_text().replace('"dumbbell"', f'"{ROOT / "scenarios" / "dumbbell.toml"}"'))
    out = tmp_path / "o"
    done = photocol("sweep", file, "--jobs", "1", "--out", out)
    assert (done.returncode, sorted(one.name for one in out.glob("*.png"))) == (0, ["plot-1.png", "plot-2.png"]), done
    names = ["goodput along topology.bottleneck_buffer", "goodput along flows by bottleneck_buffer"]
    assert [picture["name"] for picture in page_of(out)["pictures"]] == names
    for wrong, message in (({"map": 1}, "plot.map: true or false"), ({"pannels": "a"}, "did you mean 'panels'")):
        with pytest.raises(InputError, match=message):
            checked({**said, "plot": [{"x": "traffic.0.flows", "y": "goodput", **wrong}]})


def test_a_shell_is_offered_figures_and_axes(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "o", table(buffer=[1, 2], law=["a", "b"]))
    context = click.Context(app.commands["plot"])
    context.params["directories"] = (folder,)
    for offer, begun, found in ((pictures, "goo", ["goodput"]), (axes, "", ["buffer", "law"]), (axes, "b", ["buffer"])):
        assert [item.value for item in offer(context, click.Option(["--x"]), begun)] == found


def test_what_is_laid_over_has_the_names_that_it_is_given_and_the_simulation_its_own(tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("1,0.5\n2,0.4\n")
    made = table(load=[0.5, 1.0, 2.0])
    over = [str(points), "erlang-b(servers=1)"]
    figure = drawn(made, "drop_rate", over=over, labels=["measured, 2019"])
    legend = only(figure).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["simulation", "erlang-b(servers=1)", "measured, 2019"]
    # Without anything over it the only curve needs no name.
    assert only(drawn(made, "drop_rate")).get_legend() is None
    with pytest.raises(InputError, match="2 labels for 1 of what is laid over: a, b"):
        drawn(made, "drop_rate", over=[str(points)], labels=["a", "b"])


def test_the_command_and_a_file_name_what_is_laid_over(tmp_path: Path) -> None:
    folder = on_disk(tmp_path / "out", table(load=[0.5, 1.0, 2.0]))
    words = ["--only", "drop_rate", "--over", "erlang-b(servers=1)", "--format", "svg"]
    assert photocol("plot", folder, *words, "--label", "Erlang B, one server").returncode == 0
    assert photocol("plot", folder, *words, "--label", "a", "--label", "b").returncode == 2
    (said,) = checked(
        {
            "grid": {"load": [1, 2]},
            "plot": [{"x": "load", "y": "goodput", "over": ["erlang-b(servers=1)"], "label": "B"}],
        }
    ).plots
    assert (said.over, said.labels) == (("erlang-b(servers=1)",), ("B",))


def test_the_title_of_a_single_panel_stands_above_the_legend() -> None:
    figure = drawn(table(load=[1, 2], name=["a", "b"], buffer=[3]), "goodput", x="load", by="name", panels="buffer")
    axes = only(figure)
    figure.draw_without_rendering()
    (title,) = [one for one in axes.get_children() if getattr(one, "get_text", str)() == "buffer: 3"]
    assert title.get_window_extent().y0 >= axes.get_legend().get_window_extent().y1 - 1


def test_a_page_says_which_picture_of_its_sweep_is_left_out_and_why(tmp_path: Path) -> None:
    """A picture is asked for with points of a file that is gone by the time at which the page is made."""
    made = table(load=[1, 2])
    points = tmp_path / "points.csv"
    points.write_text("1,0.5\n")
    asked = checked({"grid": {"load": [1, 2]}, "plot": [{"x": "load", "y": "goodput", "over": str(points)}]}).plots
    made = SweepTable.of(made, units=made.units, drawings=asked)
    assert (len(as_svg(made)[0]), as_svg(made)[1]) == (1, [])
    points.unlink()
    pictures, gone = as_svg(made)
    assert (pictures, len(gone)) == ([], 1)
    assert gone[0].startswith("The picture goodput along load is left out: ")
    assert "points.csv" in gone[0]
