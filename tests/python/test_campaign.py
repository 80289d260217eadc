"""The engine of campaigns: processes that die or grow, rows that are whole or absent, what is done again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from campaign_fakes import Made, counted, dies, dies_once, fails, greedy

from photocol.sweeps.campaign.job import Job, JobError, Row, cell_name, jobs_of
from photocol.sweeps.campaign.local import Worker, _Pace, on_this_machine
from photocol.sweeps.campaign.memory import Budget, expected_bytes
from photocol.sweeps.campaign.progress import Progress, duration
from photocol.sweeps.campaign.run_campaign import Resources, _executor, run_campaign
from photocol.sweeps.campaign.store import Store
from photocol.sweeps.campaign.table import outcome_of
from photocol.sweeps.run import describe

ROOT = Path(__file__).resolve().parents[2]
JOBS = jobs_of(Made(), [{"level": 1}, {"level": 2}, {"level": 3}], seeds=[1, 2])


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where every run leaves a mark."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("MARKS", str(folder))
    return folder


def runs_of(marks: Path) -> Counter[str]:
    return Counter(path.name.rsplit("-", 1)[0] for path in marks.iterdir())


def test_a_job_whose_process_died_is_done_once_more_and_named(marks: Path, tmp_path: Path) -> None:
    said: list[str] = []
    work = Worker(store=Store(tmp_path / "runs"), run=dies_once)
    rows = list(on_this_machine(work, workers=2, say=said.append)(JOBS))
    assert sorted(row.name for row in rows) == sorted(job.name for job in JOBS)
    # The two seeds of level 2 died once each; nothing else was done twice.
    assert runs_of(marks) == {"1-1": 1, "1-2": 1, "2-1": 2, "2-2": 2, "3-1": 1, "3-2": 1}
    assert sorted(said) == [
        f"the process of level=2,seed={seed} died (signal SIGKILL); the job is done once more" for seed in (1, 2)
    ]


def test_a_job_whose_process_dies_twice_ends_the_campaign_with_its_name(marks: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    with pytest.raises(JobError, match=r"^level=2,seed=1: its process died twice \(signal SIGKILL\)"):
        list(on_this_machine(Worker(store=store, run=dies), workers=2)(JOBS[:3]))
    assert (store.folder / "level=1,seed=1" / "row.json").is_file()
    assert runs_of(marks)["2-1"] == 2


def short_jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """One of level 2 among sixty others, of which a process is given several at a time."""
    monkeypatch.setattr("photocol.sweeps.campaign.local._BUSY_S", 1000.0)
    parts = [(1, range(1, 31)), (2, [1]), (3, range(1, 31))]
    return [job for level, seeds in parts for job in jobs_of(Made(), [{"level": level}], seeds=seeds)]


def test_of_several_jobs_at_a_time_only_the_one_that_died_is_done_once_more(
    marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = short_jobs(monkeypatch)
    said: list[str] = []
    work = Worker(store=Store(tmp_path / "runs"), run=dies_once)
    rows = list(on_this_machine(work, workers=2, say=said.append)(jobs))
    assert sorted(row.name for row in rows) == sorted(job.name for job in jobs)
    assert {name: count for name, count in runs_of(marks).items() if count > 1} == {"2-1": 2}
    assert said == ["the process of level=2,seed=1 died (signal SIGKILL); the job is done once more"]


def test_a_process_begins_nothing_more_after_a_job_that_failed(
    marks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = short_jobs(monkeypatch)
    stored = Store(tmp_path / "runs")
    with pytest.raises(JobError, match=r"^level=2,seed=1: ValueError: level 2$"):
        list(on_this_machine(Worker(store=stored, run=fails), workers=2)(jobs))
    begun = runs_of(marks)
    assert set(begun.values()) == {1}
    # What the other process had been given is finished, and stored.
    assert len(list(stored.folder.glob("*/row.json"))) == len(begun) - 1
    assert len(begun) < len(jobs)


def test_several_jobs_at_a_time_are_short_ones_of_which_many_wait() -> None:
    pace = _Pace()
    assert pace.at_a_time(1000, 2) == 1
    pace.see(0.01)
    assert pace.at_a_time(1000, 2) == 25
    assert pace.at_a_time(12, 2) == 3
    assert pace.at_a_time(1, 2) == 1
    assert pace.expected_s(10) == pytest.approx(0.09)
    assert pace.expected_s(1) == 0.0
    # One that takes long is remembered for a while, so that others do not wait behind its like.
    pace.see(5.0)
    assert pace.at_a_time(1000, 2) == 1
    for _ in range(200):
        pace.see(0.01)
    assert pace.at_a_time(1000, 2) == 25


@pytest.mark.alone
def test_jobs_that_outgrow_the_memory_are_put_back_and_fewer_run(marks: Path, tmp_path: Path) -> None:
    said: list[str] = []
    budget = Budget(allowed=400_000_000)
    work = Worker(store=Store(tmp_path / "runs"), run=greedy)
    rows = list(on_this_machine(work, workers=3, budget=budget, say=said.append)(JOBS[:3]))
    assert len(rows) == 3
    assert budget.estimate > 200_000_000
    assert said
    assert all(" is put back, fewer run at a time" in sentence for sentence in said)


def test_no_job_is_admitted_that_is_expected_not_to_fit() -> None:
    budget = Budget(allowed=1000)
    assert [budget.admits(running) for running in (0, 1, 7)] == [True, True, True]
    assert not budget.see([300, 400])
    # 400 each: two fit into 1000, three do not; one alone may always try.
    assert [budget.admits(running) for running in (0, 1, 2)] == [True, True, False]
    assert budget.see([600, 500])
    assert not budget.see([2000])
    assert [budget.admits(running) for running in (0, 1)] == [True, False]


def test_the_first_jobs_are_not_all_started_where_the_scenario_says_that_they_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten million samples of 200 bytes are 2 GB, beside what a process holds that has done nothing.
    probe = {"probe.interval": "1 us", "probe.flows": "[]", "probe.links": '["left->right"]'}
    short = {"run.duration": "2 s", "run.warm_up": "0 s", **probe}
    swept = describe({"grid": {"traffic.0.flows": [1, 2, 3]}, "set": short}, ROOT / "scenarios" / "dumbbell.toml")
    jobs = swept.jobs(swept.sweep.plan.points())
    monkeypatch.setattr("photocol.sweeps.campaign.memory.resident_bytes", lambda _: 100_000_000)
    expected = expected_bytes(jobs)
    assert 2.1e9 < expected < 2.2e9
    assert not Budget(4_000_000_000, expected).admits(1)
    said: list[str] = []
    monkeypatch.setattr("photocol.sweeps.campaign.run_campaign.available_bytes", lambda: 4_000_000_000)
    progress = Progress(is_quiet=True)
    monkeypatch.setattr(progress, "say", said.append)
    _executor(jobs, Store(tmp_path / "runs"), Resources(workers=3), progress)
    assert said == [f"a job is expected to take {expected / 1e9:.1f} GB, and there are 4.0 GB: 1 of 3 at a time"]


def test_only_what_is_missing_is_done(marks: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    resources = Resources(workers=1, run=counted)
    campaign = run_campaign(lambda _: JOBS[:2], store, resources, Progress(is_quiet=True))
    assert sorted(campaign.rows) == ["level=1,seed=1", "level=2,seed=1"]
    assert sum(runs_of(marks).values()) == 2


def test_wishes_that_depend_on_rows_are_asked_for_until_none_is_left(marks: Path, tmp_path: Path) -> None:
    def wanted(rows):
        return JOBS[: min(2 + 2 * len(rows), 6)]

    campaign = run_campaign(
        wanted, Store(tmp_path / "runs"), Resources(workers=1, run=counted), Progress(is_quiet=True)
    )
    assert len(campaign.rows) == 6
    assert set(runs_of(marks).values()) == {1}


def test_a_name_that_is_too_long_ends_in_a_hash_and_stays_one_of_its_own() -> None:
    names = {cell_name({"x": "é" * 100, "y": y}, 3) for y in range(20)}
    assert len(names) == 20
    assert all(len(name.encode()) < 255 and name.endswith(",seed=3") for name in names)


def test_a_row_cut_short_is_no_row(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(Row(point={"level": 1}, seed=1, metrics={"level": 1.0}, manifest={"version": "x"}))
    file = tmp_path / "level=1,seed=1" / "row.json"
    whole = file.read_text()
    assert json.loads(whole)["run"] == {"version": "x"}
    for length in range(len(whole) - 1):
        file.write_text(whole[:length])
        assert store.find(JOBS[0]) is None


def test_a_figure_that_one_replication_lacks_has_no_mean() -> None:
    points = [{"level": 1}, {"level": 2}]
    rows = [
        Row(point=points[0], seed=1, metrics={"a": 1.0, "b": 5.0}, manifest={}),
        Row(point=points[0], seed=2, metrics={"a": 3.0}, manifest={}),
        Row(point=points[1], seed=1, metrics={}, manifest={}),
    ]
    outcome = outcome_of(["a", "b"], points, rows)
    assert outcome.table["a"].to_list() == [2.0, None]
    assert outcome.table["b"].to_list() == [None, None]
    assert outcome.replications["b"].to_list() == [5.0, None, None]


def test_progress_is_a_line_with_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(total=10, done=4)
    progress._started -= 200
    # 4 of 10 in 200 s: 6 more take 300 s.
    assert progress.line() == "4 of 10 runs in 3 min, about 5 min left"
    assert [duration(seconds) for seconds in (0.4, 99, 101, 5999, 7260)] == [
        "0 s",
        "99 s",
        "2 min",
        "1 h 40 min",
        "2 h 01 min",
    ]
    progress.say("left \x1b[31m")
    assert capsys.readouterr().err == "photocol: left \\x1b[31m\n"


@pytest.mark.alone
def test_progress_off_a_terminal_is_a_line_a_minute(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    import time

    from photocol.sweeps.campaign import progress

    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.01)
    with Progress(total=3).shown():
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 3
    assert set(lines) == {"photocol: 0 of 3 runs in 0 s"}
    with Progress(total=3, is_quiet=True).shown():
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
