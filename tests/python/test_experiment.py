"""The declared form, where experiments are found, and the tables made of their rows."""

import math
import sys
from pathlib import Path

import polars as pl
import pytest
from experiment_fakes import EXPERIMENT, checkout, saturating
from hypothesis import given
from hypothesis import strategies as st

from photocol.experiment import Experiment, Form, Metric, Outcome, Plot, Setup, Source, grid, zipped
from photocol.experiments.catalogue import (
    ExperimentError,
    ExperimentFile,
    experiments_folder,
    find_experiments,
    load_experiment,
    select,
)
from photocol.experiments.record import Record, _write_plots
from photocol.sweeps.campaign.job import Job, Row, jobs_of, perform
from photocol.sweeps.campaign.store import Store
from photocol.sweeps.campaign.table import outcome_of
from photocol.verdict import Verdict, judge

IDS = {"002/baseline": None, "002/control": None, "004/delay": None}


def quick_jobs(file):
    form = load_experiment(file).quick
    origin = ExperimentFile(str(file))
    return jobs_of(origin, form.points, seeds=range(1, 1 + form.replications), settings=form.settings)


def an_experiment(**changes):
    points = grid(transport=["a", "b"], buffer_bytes=[1, 2])
    fields = {
        "id": "900/figure",
        "title": "a title",
        "source": Source(paper="p", figures="f", section="s"),
        "setup": lambda _: Setup(scenario="s.toml"),
        "measure": lambda _: {"level": 0.0},
        "metrics": [Metric(name="level", label="level")],
        "quick": Form(points=points, replications=1),
        "full": Form(points=points, replications=3),
    }
    return Experiment(**{**fields, **changes})


def test_a_grid_is_every_combination_the_last_axis_fastest():
    assert grid(a=[1, 2], b=["x", "y"]) == (
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    )


def test_zipped_axes_go_side_by_side_and_must_be_equally_long():
    assert zipped(a=[1, 2], b=[3, 4]) == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
    with pytest.raises(ValueError, match="zip"):
        zipped(a=[1, 2], b=[3])


@pytest.mark.parametrize(
    ("points", "replications", "message"),
    [
        ([], 1, "at least one point"),
        ([{}], 1, "at least one axis"),
        ([{"a": 1}], 0, "at least 1 replication"),
        ([{"a": 1}, {"b": 1}], 1, "same axes"),
        ([{"a": 1}, {"a": 1}], 1, "are the same"),
        ([{"a": math.nan}], 1, "not a finite number"),
    ],
)
def test_a_form_that_makes_no_sense_is_refused(points, replications, message):
    with pytest.raises(ValueError, match=message):
        Form(points=points, replications=replications)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quick": Form(points=grid(other=[1]), replications=1)}, "different axes"),
        ({"metrics": []}, "no metrics"),
        ({"metrics": [Metric(name="a", label="a")] * 2}, "two columns"),
        ({"metrics": [Metric(name="transport", label="a")]}, "two columns"),
    ],
)
def test_an_experiment_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        an_experiment(**changes)


def test_every_point_has_the_same_seeds_and_replications_come_one_after_another(tmp_path):
    experiment = an_experiment()
    jobs = jobs_of(ExperimentFile(str(tmp_path)), experiment.full.points, seeds=range(7, 10))
    assert [job.seed for job in jobs] == [7] * 4 + [8] * 4 + [9] * 4
    assert len({job.name for job in jobs}) == 12


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_points_have_different_directories_whatever_they_are_called(a, b):
    first, second = (Job(origin=ExperimentFile("f"), point={"x": text}, settings={}, seed=1).name for text in (a, b))
    assert (first == second) == (a == b)
    assert "/" not in first


def test_the_table_has_a_row_a_point_in_the_order_of_the_form_whatever_the_order_of_the_rows():
    experiment = an_experiment()
    rows = [
        Row(point=point, seed=seed, metrics={"level": level + seed}, manifest={})
        for seed in (2, 1, 3)
        for level, point in reversed(list(enumerate(experiment.full.points)))
    ]
    table = outcome_of(["level"], experiment.full.points, rows).table
    # Seeds 1, 2, 3 about level k: mean k + 2, half width t(2) · 1 / √3 = 4.3027 / 1.7321 = 2.4841.
    assert table.columns == ["transport", "buffer_bytes", "level", "level_half_width", "n"]
    assert table["level"].to_list() == [2.0, 3.0, 4.0, 5.0]
    assert table["level_half_width"].to_list() == pytest.approx([2.4841] * 4, abs=1e-4)
    assert table["n"].to_list() == [3] * 4


def test_replications_are_kept_one_by_one_for_paired_comparisons():
    experiment = an_experiment()
    rows = [
        Row(point=p, seed=s, metrics={"level": float(s)}, manifest={}) for s in (2, 1) for p in experiment.full.points
    ]
    replications = outcome_of(["level"], experiment.full.points, rows).replications
    assert replications["seed"].to_list() == [1, 2] * 4


def test_a_judgement_is_the_strict_condition_else_the_weaker_one():
    cases = [(True, True), (True, False), (False, True), (False, False)]
    verdicts = [judge(agrees=a, in_shape=s, measured="").verdict for a, s in cases]
    assert verdicts == [Verdict.AGREES, Verdict.AGREES, Verdict.IN_SHAPE, Verdict.DISAGREES]


def test_targets_are_papers_figures_or_everything():
    assert select([], IDS) == list(IDS)
    assert select(["002"], IDS) == ["002/baseline", "002/control"]
    assert select(["004/delay", "002/control", "004/"], IDS) == ["004/delay", "002/control"]


def test_an_unknown_target_is_refused_with_the_nearest_name():
    with pytest.raises(ExperimentError, match="no experiment '002/basline'; nearest: 002/baseline"):
        select(["002/basline"], IDS)


def test_a_figure_that_is_no_experiment_is_told_where_it_is():
    """experiments/figures.toml: figure 6 of paper 004 is that of 004/delay; figures 5.4 and 5.5 stand in one line."""
    found = find_experiments(experiments_folder(start=Path(__file__).resolve().parents[2]))
    with pytest.raises(ExperimentError, match="'004/figure-6'; that figure or table is in 004/delay, 004/readings"):
        select(["004/figure-6"], found)
    with pytest.raises(ExperimentError, match=r"that figure or table is in 003/buffers\. There are: 003/") as refused:
        select(["003/table-5.5"], found)
    assert "004/" not in str(refused.value)


def test_experiments_are_found_by_their_place_from_anywhere_below(tmp_path, monkeypatch):
    file = checkout(tmp_path)
    (file.parent / "_shared.py").write_text("")
    below = tmp_path / "docs" / "deep"
    below.mkdir(parents=True)
    monkeypatch.delenv("PHOTOCOL_EXPERIMENTS", raising=False)
    assert find_experiments(experiments_folder(start=below)) == {"900/figure": file}


def test_the_environment_names_the_folder_before_anything_else(tmp_path, monkeypatch):
    file = checkout(tmp_path / "elsewhere")
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(file.parents[1]))
    assert experiments_folder(start=tmp_path) == file.parents[1]
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(tmp_path / "nowhere"))
    with pytest.raises(ExperimentError, match="not a folder"):
        experiments_folder()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "defines 0 experiments"),
        (EXPERIMENT + "\nsecond = dataclasses.replace(experiment)", "NameError"),
        (EXPERIMENT.replace("900/figure", "900/other"), "must be '900/figure'"),
        ("def (", "SyntaxError"),
    ],
)
def test_a_file_that_is_not_one_experiment_is_refused(tmp_path, text, message):
    file = checkout(tmp_path, text=text)
    with pytest.raises(ExperimentError, match=message):
        load_experiment(file)


def test_a_job_runs_its_scenario_with_the_settings_of_point_and_form(tmp_path):
    file = checkout(tmp_path)
    seen = {}

    def run(scenario, *, seed, settings):
        seen.update(scenario=scenario, seed=seed, settings=settings)
        return saturating(scenario, seed=seed, settings=settings)

    row = perform(quick_jobs(file)[1], run=run)
    assert seen == {
        "scenario": tmp_path / "scenarios" / "made-up.toml",
        "seed": 1,
        "settings": {"buffer": 100, "duration": "1 s"},
    }
    assert row.metrics == {"level": pytest.approx(100 / 101 / 2 + 0.001)}


@pytest.mark.parametrize(("level", "message"), [("math.nan", "level is nan"), ("'x'", "could not convert")])
def test_a_metric_that_is_no_number_is_refused(tmp_path, level, message):
    text = "import math\n" + EXPERIMENT.replace('result.summary["level"].value', level)
    file = checkout(tmp_path, text=text)
    with pytest.raises(ValueError, match=message):
        perform(quick_jobs(file)[0], run=saturating)


def test_a_stored_row_replaces_an_older_one_and_leaves_nothing_else(tmp_path):
    row = Row(point={"a": 1}, seed=1, metrics={"level": 0.5}, manifest={"fingerprint": "f"})
    for _ in range(2):
        Store(tmp_path / "runs").put(row)
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == [
        "runs",
        "runs/a=1,seed=1",
        "runs/a=1,seed=1/manifest.json",
        "runs/a=1,seed=1/row.json",
    ]


def test_the_table_is_a_polars_frame_that_keeps_its_types():
    experiment = an_experiment()
    rows = [Row(point=p, seed=1, metrics={"level": 1.0}, manifest={}) for p in experiment.full.points]
    table = outcome_of(["level"], experiment.full.points, rows).table
    assert table.schema["buffer_bytes"] == pl.Int64
    assert table.schema["level_half_width"] == pl.Float64


def test_a_point_may_ask_a_closed_form_model_instead_of_running(tmp_path):
    text = '''
"""Erlang B."""
from photocol.experiment import Evaluation, Experiment, Form, Metric, Source, grid

experiment = Experiment(
    id="900/figure", title="t", source=Source(paper="p", figures="f", section="s"),
    setup=lambda point: Evaluation(model="erlang-b", inputs={"load": point["load"]}),
    measure=lambda result: {"blocking": result.summary["blocking"].value},
    metrics=[Metric(name="blocking", label="blocking")],
    quick=Form(points=grid(load=[1, 2]), replications=1, settings={"servers": 2}),
    full=Form(points=grid(load=[1, 2]), replications=1, settings={"servers": 2}),
)
'''
    file = checkout(tmp_path, text=text)
    rows = [perform(job, run=saturating) for job in quick_jobs(file)]
    # E(1, 2) = 1/5, E(2, 2) = 2/5.
    assert [row.metrics["blocking"] for row in rows] == [pytest.approx(0.2), pytest.approx(0.4)]
    assert rows[1].manifest["command"] == "photocol model erlang-b --set load=2 --set servers=2"


def test_a_point_may_be_a_trial_of_its_own(tmp_path):
    text = '''
"""Sums."""
from photocol.experiment import Experiment, Form, Metric, Source, Trial, grid

def added(*, seed, first, second):
    return {"sum": 100 * seed + first + second}

experiment = Experiment(
    id="900/figure", title="t", source=Source(paper="p", figures="f", section="s"),
    setup=lambda point: Trial(function=added, arguments={"first": point["first"], "second": 0}),
    measure=lambda result: {"sum": result.summary["sum"].value},
    metrics=[Metric(name="sum", label="sum")],
    quick=Form(points=grid(first=[1, 2]), replications=2, settings={"second": 10}),
    full=Form(points=grid(first=[1, 2]), replications=2),
)
'''
    file = checkout(tmp_path, text=text)
    rows = [perform(job, run=saturating) for job in quick_jobs(file)]
    assert [row.metrics["sum"] for row in rows] == [111, 112, 211, 212]
    assert rows[1].manifest["arguments"] == {"first": 2, "second": 10}


def test_a_trial_may_give_a_series_beside_its_figures(tmp_path):
    text = """
from photocol.experiment import Experiment, Form, Metric, Source, Trial, grid
import polars as pl

def counted(*, seed, first):
    return {"sum": first}, pl.DataFrame({"t_s": [0.0, 1.0], "value": [0.0, first]})

experiment = Experiment(
    id="900/figure", title="t", source=Source(paper="p", figures="f", section="s"),
    setup=lambda point: Trial(function=counted, arguments=dict(point)),
    measure=lambda result: {"sum": result.summary["sum"].value},
    curves=lambda result: result.series,
    metrics=[Metric(name="sum", label="sum")],
    quick=Form(points=grid(first=[1.5]), replications=2),
    full=Form(points=grid(first=[1.5]), replications=2),
)
"""
    rows = [perform(job, run=saturating) for job in quick_jobs(checkout(tmp_path, text=text))]
    assert [row.metrics["sum"] for row in rows] == [1.5, 1.5]
    assert rows[0].curves["value"].to_list() == [0.0, 1.5]
    assert rows[1].curves is None


def test_a_file_may_import_helpers_beside_it_whatever_it_is_called(tmp_path):
    text = EXPERIMENT.replace("EXPECTED = 0.5", "from ._shared import EXPECTED")
    for name, value in (("one", 0.25), ("other", 0.75)):
        file = checkout(tmp_path / name, text=text.replace("900/figure", "900/figure-1.2"))
        file = file.rename(file.with_name("figure-1.2.py"))
        (file.parent / "_shared.py").write_text(f"EXPECTED = {value}\n")
        load_experiment(file)
        assert vars(sys.modules["photocol_experiments.900._shared"])["EXPECTED"] == value


def test_curves_are_kept_of_the_first_replication_with_the_axes_in_front():
    experiment = an_experiment()
    points = experiment.quick.points
    rows = [
        Row(point=point, seed=seed, metrics={"level": 0.0}, manifest={}, curves=frame)
        for point in points
        for seed, frame in ((1, pl.DataFrame({"t_s": [0.0], "level": [point["buffer_bytes"] / 4]})), (2, None))
    ]
    kept = outcome_of(["level"], points, rows).curves
    assert kept.columns == ["transport", "buffer_bytes", "t_s", "level"]
    assert kept["level"].to_list() == [0.25, 0.5, 0.25, 0.5]


def test_only_the_first_replication_is_asked_for_curves_and_they_are_stored(tmp_path):
    text = EXPERIMENT.replace("    measure=measure,", "    measure=measure,\n    curves=curves,")
    text = text.replace("def draw(", 'def curves(result):\n    return pl.DataFrame({"t_s": [1.0]})\n\n\ndef draw(')
    file = checkout(tmp_path, text="import polars as pl\n" + text)
    rows = [perform(job, run=saturating) for job in quick_jobs(file)]
    assert [row.curves is None for row in rows] == [False, False, True, True]
    Store(tmp_path).put(rows[0])
    assert pl.read_parquet(tmp_path / rows[0].name / "curves.parquet")["t_s"].to_list() == [1.0]


def test_a_plot_of_curves_needs_curves():
    with pytest.raises(ValueError, match="there is no `curves`"):
        an_experiment(plots=[Plot(name="p", draw=lambda axes, frame: None, of="curves")])


def test_a_form_without_rows_of_a_plot_has_no_such_picture(tmp_path):
    def draw(axes, frame):
        axes.plot(frame["buffer_bytes"], frame["level"])
        axes.set_xscale("log")
        axes.set_yscale("log")

    plots = [Plot(name=name, draw=draw, where=pl.col("transport") == name) for name in ("a", "b")]
    experiment = an_experiment(plots=plots)
    table = pl.DataFrame({"transport": ["a", "a"], "buffer_bytes": [1, 100], "level": [0.25, 0.5]})
    outcome = Outcome(table=table, replications=table, curves=None)
    record = Record(experiment=experiment, form_name="quick", outcome=outcome, judged=[], jobs_missing=4)
    _write_plots(record, tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.png", "a.svg"]
