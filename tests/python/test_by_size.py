"""The slowdown by size: bins, percentiles and their intervals, of a run and of a sweep, and how its picture looks."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from command import photocol
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import stats

import photocol as package
from photocol import plot
from photocol.errors import InputError
from photocol.plot.by_size import BySize, by_size, over_seeds, slowdowns
from photocol.plot.completion import requests
from photocol.plot.sweep_sizes import figure, numbers_of
from photocol.plot.sweeps import as_svg
from photocol.plot.view import Asked
from photocol.report.build import page_of
from photocol.runs.results import Result

if TYPE_CHECKING:
    from pathlib import Path

BINS = ("decades", "law", 1, 3, 7)
SCENARIO = """
[run]
duration = "0.3 s"
warm_up = "0.05 s"
[topology]
kind = "star"
leaves = 4
[link_defaults]
capacity = "1 Gbps"
delay = "20 us"
buffer = "100 packets"
[[traffic]]
name = "search"
transport = "sack"
pairs = "random"
arrivals = "poisson"
load_share = 0.5
size_law = { law = "cdf", points = [[1000, 0.4], [10000, 0.8], [100000, 1.0]], between = "step" }
"""


def flows(sizes: list[float], slow: list[float] | None = None, run: list[int] | None = None) -> pl.DataFrame:
    values = slow or [1.0] * len(sizes)
    columns = {"size_bytes": sizes, "completion_s": values, "slowdown": values, "run": run or [0] * len(sizes)}
    return pl.DataFrame(columns).with_columns(pl.lit("a").alias("class"))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two schemes, two loads, three seeds, with the tables of flows."""
    place = tmp_path_factory.mktemp("sweep")
    (place / "star.toml").write_text(SCENARIO)
    schemes = ["--scheme", "z first:", "--scheme", "a second: traffic.0.transport=cubic"]
    words = ["--grid", "traffic.0.load_share=0.3,0.6", "--seeds", "3", "--keep", "flows", "--jobs", "1"]
    done = photocol("sweep", place / "star.toml", *schemes, *words, "--out", place / "out", "--quiet")
    assert done.returncode == 0, done.stderr
    return place / "out"


def test_a_number_of_bins_have_as_many_flows_each_and_the_ends_that_occur() -> None:
    table = by_size(flows([5, 1, 2, 3, 4, 6]), ["class"], 3)
    assert table.select("size_from_bytes", "size_to_bytes", "flows").rows() == [(1, 2, 2), (3, 4, 2), (5, 6, 2)]
    # A law of two sizes has two bins, however many are asked for.
    table = by_size(flows([1000] * 7 + [9000] * 3), ["class"], 5)
    assert table.select("size_from_bytes", "size_to_bytes", "flows").rows() == [(1000, 1000, 7), (9000, 9000, 3)]
    table = by_size(flows([1000] * 7 + [9000] * 3), ["class"], "law")
    assert table["share_to"].to_list() == pytest.approx([0.7, 1.0])
    assert table["share_from"].to_list() == pytest.approx([0.0, 0.7])


def test_half_decades_without_flows_are_none() -> None:
    table = by_size(flows([1000, 999_000, 1_000_000]), ["class"])
    assert table.select("size_from_bytes", "size_to_bytes", "flows").rows() == [
        (1000, 3162, 1),
        (316_228, 1_000_000, 1),
        (1_000_000, 3_162_278, 1),
    ]


@given(sizes=st.lists(st.integers(1, 50) | st.integers(1, 10**6), min_size=1, max_size=60), bins=st.sampled_from(BINS))
def test_every_flow_is_in_one_bin_that_holds_its_size(sizes: list[float], bins: str | int) -> None:
    slow = [float(size) for size in sizes]
    table = by_size(flows([float(one) for one in sizes], slow), ["class"], bins)
    assert table["flows"].sum() == len(sizes)
    # The ends of half decades are whole bytes.
    ends = table.select("size_from_bytes", "size_middle_bytes", "size_to_bytes").rows()
    assert all(low - 0.5 <= middle <= high + 0.5 for low, middle, high in ends)
    assert all(one[2] <= other[0] for one, other in itertools.pairwise(ends))
    # Slowdowns are sizes here: a median lies in its own bin.
    for row in table.filter(pl.col("slowdown_p50").is_not_null()).iter_rows(named=True):
        assert row["size_from_bytes"] - 1 <= row["slowdown_p50"] <= row["size_to_bytes"] + 1
    if bins not in ("decades", "law"):
        assert len(table) <= min(int(bins), len(set(sizes)))


def test_the_interval_over_seeds_is_that_of_sectioning() -> None:
    own = [[2.0, 3.0, 4.0], [3.0, 5.0, 9.0], [1.0, 4.0, 7.0]]
    slow = [value for run in own for value in run]
    (row,) = over_seeds(flows([1000.0] * 9, slow, [0, 0, 0, 1, 1, 1, 2, 2, 2]), ["class"]).rows(named=True)
    # Of nine values the fifth; of three the second.
    assert row["slowdown_p50"] == 4.0
    squares = sum(math.log(median / 4.0) ** 2 for median in (3.0, 5.0, 4.0))
    half = stats.t.ppf(0.975, 2) * math.sqrt(squares / (3 * 2))
    assert row["slowdown_p50_low"] == pytest.approx(4.0 * math.exp(-half))
    assert row["slowdown_p50_high"] == pytest.approx(4.0 * math.exp(half))
    # Medians of 1.5 and 6 say little about one of 1.5, but that it is not below 1.
    (row,) = over_seeds(flows([1000.0] * 4, [1.5, 1.5, 6.0, 6.0], [0, 0, 1, 1]), ["class"]).rows(named=True)
    assert (row["slowdown_p50"], row["slowdown_p50_low"]) == (1.5, 1.0)
    (row,) = over_seeds(flows([1000.0] * 9, slow, [0, 0, 0, 1, 1, 1, 2, 2, 2]), ["class"]).rows(named=True)
    # Nine values have no 95th percentile above which one lies.
    assert (row["slowdown_p95"], row["slowdown_p95_low"]) == (None, None)


def test_there_is_no_interval_where_a_seed_has_no_flow_of_that_size() -> None:
    table = over_seeds(flows([1000.0] * 4 + [50_000.0] * 2, [2.0] * 6, [0, 0, 1, 1, 0, 0]), ["class"])
    assert table["slowdown_p50"].to_list() == [2.0, 2.0]
    assert table["slowdown_p50_low"].is_null().to_list() == [False, True]


def test_the_interval_over_seeds_holds_the_quantile_as_often_as_it_says() -> None:
    # Five seeds of 200 flows with a common factor each, whose median is 1: flows of a seed are not independent.
    random, held, trials = np.random.default_rng(71), 0, 200
    for _ in range(trials):
        factors = random.lognormal(0.0, 0.2, 5)
        slow = np.concatenate([factor * random.lognormal(1.0, 0.5, 200) for factor in factors])
        table = over_seeds(flows([1000.0] * 1000, slow.tolist(), np.repeat(range(5), 200).tolist()), ["class"])
        low, high = table.select("slowdown_p50_low", "slowdown_p50_high").row(0)
        held += low <= math.e <= high
    # 95 % of 200, with 3.3 standard deviations of the binomial on either side.
    assert 0.90 <= held / trials <= 1.0
    assert held < trials


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--bins", "tenths"], "bins 'tenths': decades, law, or a number from 1 to 1000"),
        (["--bins", "0"], "bins 0: decades, law, or a number from 1 to 1000"),
        (["--percentile", "90"], "'90' is none of the words here"),
        (["--x", "scheme"], "slowdown: its x is the size of flows; it goes without --x, --log and --map"),
        (["--over", "erlang-b"], "slowdown: nothing is laid over it"),
        (["--by", "scheme"], "slowdown: curves of one scheme differ in traffic.0.load_share too; --where fixes it"),
        (["--where", "scheme = 'none'"], "leaves no point"),
    ],
)
def test_a_picture_that_makes_no_sense_is_refused(sweep: Path, words: list[str], message: str) -> None:
    done = photocol("plot", sweep, "--only", "slowdown", *words)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_too_few_flows_for_a_percentile_are_no_picture(tmp_path: Path) -> None:
    few = flows([1000.0] * 99)
    assert slowdowns(few, BySize(percentiles=["p99"])).is_empty()
    assert len(slowdowns(few, BySize(percentiles=["p95", "p99"]))) == 1
    (tmp_path / "star.toml").write_text(SCENARIO)
    words = ["--grid", "run.duration=51 ms,52 ms", "--keep", "flows", "--jobs", "1", "--out", tmp_path / "out"]
    assert photocol("sweep", tmp_path / "star.toml", *words).returncode == 0
    done = photocol("plot", tmp_path / "out", "--only", "slowdown", "--percentile", "99")
    assert (done.returncode, "enough completed flows for p99" in done.stderr) == (2, True), done.stderr


def test_a_sweep_that_kept_no_flows_says_how_it_keeps_them(tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(SCENARIO)
    words = ["--grid", "run.duration=60 ms,70 ms", "--jobs", "1", "--out", tmp_path / "out"]
    assert photocol("sweep", tmp_path / "star.toml", *words).returncode == 0
    done = photocol("plot", tmp_path / "out", "--only", "slowdown")
    assert done.returncode == 2
    assert "the sweep has not kept the flows of its runs; `--keep flows`" in done.stderr


def test_the_numbers_of_a_sweep_are_those_of_all_flows_of_its_runs(sweep: Path) -> None:
    words = ["--only", "slowdown", "--panels", "load_share", "--bins", "2", "--format", "csv", "--format", "png"]
    done = photocol("plot", sweep, *words, "--width", "column")
    assert done.returncode == 0, done.stderr
    written = pl.read_csv(sweep / "plots" / "slowdown.csv")
    # Schemes in the order of the sweep, not of the alphabet.
    assert written["of"].unique(maintain_order=True).to_list() == ["z first", "a second"]
    assert written["panel"].unique(maintain_order=True).to_list() == ["load share: 0.3", "load share: 0.6"]
    runs = [Result.load(folder) for folder in sorted((sweep / "runs").glob("*load_share=0.6*scheme=z*"))]
    runs = runs or [Result.load(folder) for folder in sorted((sweep / "runs").glob("*scheme=z*load_share=0.6*"))]
    assert len(runs) == 3
    # Of the sizes 1, 10 and 100 kB, whose shares are 40, 40 and 20 %, the median is the second.
    short = pl.concat(plot.sized_flows(run) for run in runs).filter(pl.col("size_bytes") <= 10_000)
    slow = short.filter(pl.col("slowdown").is_not_null())
    row = written.filter((pl.col("of") == "z first") & (pl.col("panel") == "load share: 0.6")).row(0, named=True)
    assert (row["flows"], row["completed"]) == (len(short), len(slow))
    assert row["slowdown_p95"] == pytest.approx(np.quantile(slow["slowdown"], 0.95, method="inverted_cdf"))
    assert row["slowdown_p95_low"] < row["slowdown_p95"] < row["slowdown_p95_high"]


def test_a_sweep_draws_its_slowdown_when_it_ends_and_on_its_page(tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(SCENARIO)
    file = tmp_path / "sweep.toml"
    said = 'scenario = "star.toml"\n{}\n[grid]\n"traffic.0.load_share" = [0.3, 0.6]\n[[plot]]\ny = "slowdown"\n{}\n'
    file.write_text(said.format('tables = ["flows"]', "percentiles = [50]\nbins = 2"))
    assert photocol("sweep", file, "--jobs", "1", "--out", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "plot-1.png").is_file()
    ((name, drawn),), gone = as_svg(package.SweepTable.load(tmp_path / "out"), tmp_path / "out")
    assert (name, drawn.startswith("<?xml"), gone) == ("slowdown", True, [])
    assert [one["name"] for one in page_of(tmp_path / "out")["pictures"]] == ["slowdown"]
    for tables, more, message in (
        ("", "", 'plot: the slowdown needs the flows of all runs: tables = ["flows"]'),
        ('tables = ["flows"]', "percentiles = [90]", "percentiles p90: some of p50, p95, p99"),
        ('tables = ["flows"]', "bins = true", "bins True: decades, law, or a number"),
        ('tables = ["flows"]', 'x = "load_share"', "plot of the slowdown: unknown key 'x'"),
        ('tables = ["flows"]', 'by = "schem"', "plot: no axis 'schem'"),
    ):
        file.write_text(said.format(tables, more))
        done = photocol("check", file)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_axes_side_by_side_need_one_of_them(tmp_path: Path) -> None:
    (tmp_path / "star.toml").write_text(SCENARIO)
    side = ["--zip", "traffic.0.load_share=0.3,0.6", "--zip", "traffic.0.transport=sack,cubic"]
    words = [*side, "--keep", "flows", "--jobs", "1", "--out", tmp_path / "out"]
    assert photocol("sweep", tmp_path / "star.toml", *words).returncode == 0
    done = photocol("plot", tmp_path / "out", "--only", "slowdown", "--by", "transport", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert pl.read_csv(tmp_path / "out/plots/slowdown.csv")["of"].unique(maintain_order=True).to_list() == [
        "sack",
        "cubic",
    ]


def test_a_table_without_runs_has_no_slowdown(tmp_path: Path) -> None:
    points = pl.DataFrame({"load": [1, 2], "goodput": [1.0, 2.0], "goodput_half_width": [0.0, 0.0], "n": [1, 1]})
    points.write_parquet(tmp_path / "table.parquet")
    done = photocol("plot", tmp_path, "--only", "slowdown")
    assert (done.returncode, "no run of these points is finished" in done.stderr) == (2, True), done.stderr


def test_a_curve_has_the_same_look_in_every_panel(sweep: Path) -> None:
    table = package.SweepTable.load(sweep)
    numbers = numbers_of(sweep, table, BySize(bins=2), Asked(panels="traffic.0.load_share"))
    drawn = figure(
        numbers._replace(panels=[numbers.panels[0], ("only one", numbers.panels[1][1].tail(2))]), BySize(), 7.0
    )
    first, second = drawn.axes
    colours = {line.get_color() for line in second.lines if len(line.get_xdata())}
    assert colours == {first.lines[2].get_color()}
    # Bins are those of both loads together.
    assert (
        len({(row[0], row[1]) for _, one in numbers.panels for row in one.select("^size_(from|to)_bytes$").rows()}) == 2
    )


def test_a_run_of_a_sweep_can_be_read_and_drawn(sweep: Path) -> None:
    folder = next((sweep / "runs").iterdir())
    run = Result.load(folder)
    assert (run.missing, run.summary["goodput"].unit) == (("links", "series", "drops"), "bps")
    assert len(run.flows) == run.summary["flows"].value
    with pytest.raises(InputError, match="the sweep has not kept the links of its runs; `--keep links`"):
        _ = run.links
    done = photocol("plot", folder, "--out", sweep / "one")
    assert done.returncode == 0, done.stderr
    assert {file.name for file in (sweep / "one").iterdir()} == {
        "goodput.png",
        "completion_times.png",
        "slowdown.png",
    }
    assert "without the tables that the sweep has not kept: links, series, drops (--keep TABLE)" in done.stderr


def test_a_curve_has_a_colour_a_percentile_a_line_and_the_legend_each_once() -> None:
    table = flows([1000.0] * 200, [float(1 + k % 100) for k in range(200)])
    table = pl.concat([table, table.with_columns(pl.lit("b").alias("class"), pl.col("slowdown") * 2)])
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, table, percentiles=("p50", "p99"))
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "median", "99th percentile"]
    drawn = [line for line in axes.lines if len(line.get_xdata())]
    assert [(line.get_linestyle(), float(line.get_ydata()[0])) for line in drawn] == [
        ("-", 50.0),
        (":", 99.0),
        ("-", 100.0),
        (":", 198.0),
    ]
    assert drawn[0].get_color() == drawn[1].get_color() != drawn[2].get_color()


def test_one_percentile_stands_at_the_axis_and_needs_no_line_of_its_own() -> None:
    axes = Figure().add_subplot()
    plot.slowdown_by_size(axes, flows([1000.0] * 200), percentiles=["p95"], bins=2)
    assert axes.get_ylabel().startswith("slowdown, 95th percentile (")
    with pytest.raises(InputError, match="percentiles p90: some of p50, p95, p99"):
        BySize(percentiles=["p90"])


def test_requests_are_those_of_the_summary() -> None:
    run = package.run("incast", set={"run.warm_up": "0.3 s", "run.duration": "1 s", "traffic.0.senders": 8})
    table = requests(run)
    assert table["completion_s"].count() == run.summary["requests_completed"].value > 0
    assert table["completion_s"].mean() == pytest.approx(run.summary["mean_request_time"].value)
    axes = run.plot.request_times(Figure().add_subplot())
    assert axes.lines[0].get_label().startswith(f"sack ({len(table)} requests), median ")
    # With a spread no flow says which request it answers.
    spread = package.run("incast", set={"run.duration": "0.2 s", "traffic.0.spread": "1 ms"})
    assert requests(spread).is_empty()
    with pytest.raises(ValueError, match="no request has completed"):
        spread.plot.request_times()
