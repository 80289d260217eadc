"""`reproduce` from targets to files and exit status, with runners that need no engine."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from experiment_fakes import EXPERIMENT, checkout, failing_at_ten, saturating

from photocol.experiments.catalogue import load_experiment
from photocol.experiments.reproduce import reproduce
from photocol.runs import digests


@pytest.fixture
def repository(tmp_path, monkeypatch):
    checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PHOTOCOL_EXPERIMENTS", raising=False)
    return tmp_path


def test_a_reproduced_figure_leaves_tables_claims_pictures_and_a_page(repository, capsys):
    status = reproduce(["900/figure"], jobs=1, out=repository / "o", run=saturating)
    folder = repository / "o" / "900" / "figure"
    assert status == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "claims.json",
        "figure.png",
        "figure.svg",
        "manifest.json",
        "replications.parquet",
        "report.md",
        "runs",
        "table.csv",
        "table.parquet",
    ]
    table = pl.read_parquet(folder / "table.parquet")
    # Seeds 1 and 2: mean 0.0015 above 100/101/2; half width t(1) · 0.0005 = 12.706 · 0.0005.
    assert table["level"][1] == pytest.approx(100 / 101 / 2 + 0.0015)
    assert table["level_half_width"][1] == pytest.approx(12.7062 * 0.0005, abs=1e-6)
    [claim] = json.loads((folder / "claims.json").read_text())["claims"]
    assert (claim["verdict"], claim["whose"], claim["reason"]) == ("agrees", "paper", "")
    printed = capsys.readouterr().out
    assert "The level ends at 0.50." in printed
    assert "Claims of the paper: 1 × agrees" in printed
    assert "Our own expectations" not in printed
    assert "0.497 ± 0.006" in printed
    assert "4 of 4 runs" in printed
    assert "6.0 million packet-hops per CPU second" in printed
    assert "(report.md, table.csv, table.parquet, claims.json, figure.png)" in printed


@pytest.mark.parametrize(
    "plots",
    ["[]", '[Plot(name="figure", draw=draw, where=__import__("polars").col("buffer_bytes") > 1000)]'],
    ids=["no plots", "nothing to draw"],
)
def test_a_figure_without_pictures_names_none(repository, capsys, plots):
    file = repository / "experiments" / "900" / "figure.py"
    file.write_text(EXPERIMENT.replace('[Plot(name="figure", draw=draw)]', plots))
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 0
    assert "(report.md, table.csv, table.parquet, claims.json)" in capsys.readouterr().out
    assert json.loads((repository / "o" / "900" / "figure" / "manifest.json").read_text())["pictures"] == []


def test_the_page_names_source_claims_reasons_and_how_to_repeat(repository):
    reproduce(["900"], jobs=1, out=repository / "o", quiet=True, run=saturating)
    page = (repository / "o" / "900" / "figure" / "report.md").read_text()
    assert "| reading | the level ends at a half (§1) |" in page
    assert "| of nine tenths | **disagrees**: 0.900 |" in page
    assert "## Claims of the paper: 1 × agrees\n" in page
    for part in ("Nobody, Nothing, 2026", "![figure](figure.png)", "**agrees**", "nothing here is true", "--quick"):
        assert part in page


def test_a_claim_that_disagrees_fails_and_gives_its_reason(repository, capsys):
    file = repository / "experiments" / "900" / "figure.py"
    file.write_text(EXPERIMENT.replace("EXPECTED = 0.5", "EXPECTED = 0.9"))
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 1
    printed = capsys.readouterr().out
    assert "disagrees: the level ends at a half" in printed
    assert "reason: the made-up reason" in printed


def test_a_full_form_is_recorded_and_a_verdict_that_moved_is_named(repository, capsys):
    file = repository / "experiments" / "900" / "figure.py"
    assert reproduce([], quick=True, record=True, jobs=1, out=repository / "o", run=saturating) == 2
    assert "--record is for full forms" in capsys.readouterr().err
    assert reproduce([], quick=False, record=True, jobs=1, out=repository / "o", run=saturating) == 0
    folder = repository / "results" / "900" / "figure"
    kept = ["claims.json", "figure.png", "manifest.json", "table.csv"]
    assert sorted(path.name for path in folder.iterdir()) == kept
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["command"] == "photocol reproduce 900/figure --full"
    assert (manifest["runs"], manifest["form"], manifest["pictures"]) == (30, "full", ["figure.png"])
    # Each of the 30 runs says that it took half a CPU second.
    assert manifest["cpu_s"] == 15.0
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 0
    assert "verdict moved" not in capsys.readouterr().out
    claims = folder / "claims.json"
    claims.write_text(claims.read_text().replace('"verdict": "agrees"', '"verdict": "agrees in shape"'))
    reproduce([], jobs=1, out=repository / "o", run=saturating)
    printed = capsys.readouterr().out
    assert "verdict moved: top: agrees in shape in the recorded full form, agrees here" in printed
    assert file.is_file()


def test_a_page_of_what_is_recorded_has_every_claim_and_how_it_was_run(repository):
    reproduce([], quick=False, record=True, jobs=1, out=repository / "o", quiet=True, run=saturating)
    place = Path(__file__).resolve().parents[2] / "docs" / "make_experiments.py"
    spec = importlib.util.spec_from_file_location("make_experiments", place)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    (repository / "experiments" / "900" / "discussion.md").write_text(
        "# Paper 900\n\nIn short.\n\n## A level\n\nIt rises.\n"
    )
    (repository / "experiments" / "verdicts.toml").write_text(
        '[900."Figure 1"]\nholds = "everywhere"\nagree = ["900/figure: top"]\n'
    )
    (repository / "experiments" / "figures.toml").write_text(
        '[900]\n"Figure 1" = ["900/figure"]\n"Figure 2" = "diagram: a box"\n'
    )
    [(name, text)] = made.pages(repository).items()
    assert name == "900"
    assert text.startswith("# Paper 900\n\nIn short.\n\n## Figures and tables\n\n")
    assert text.index("## A level\n\nIt rises.\n\n## Records") < text.index("### 900/figure")
    assert "| the level ends at a half | 0.5 | 0.498 | agrees |" in text
    assert "`photocol reproduce 900/figure --full`: 30 runs in " in text
    assert "![figure.png](../../results/900/figure/figure.png)" in text
    assert "Recorded. Claims of the paper: 1 (1 × agrees)." in text
    assert "| claims of the paper | expected |" in text
    assert "| Figure 1 | **holds** everywhere | 900/figure: 1 × agrees |  |" in text
    assert "| Figure 2 | diagram: a box |  |  |" in text
    assert "#### Table\n\n| " in text
    # Whose a claim is, the experiment says; the record need not be made anew.
    file = repository / "experiments" / "900" / "figure.py"
    file.write_text(EXPERIMENT.replace('id="top"', 'id="top", whose="ours"'))
    load_experiment.cache_clear()
    text = made.pages(repository)["900"]
    assert "Recorded. Our own expectations: 1 (1 × agrees)." in text
    assert "| our own expectations | expected |" in text
    assert "| claims of the paper | expected |" not in text
    assert "| Figure 1 | **holds** everywhere |  | 900/figure: 1 × agrees |" in text


def test_no_page_or_report_that_is_made_of_records_is_kept():
    root = Path(__file__).resolve().parents[2]
    assert sorted(root.glob("results/*/*/report.md")) == sorted(root.glob("docs/experiments/*")) == []
    for file in root.glob("results/*/*/manifest.json"):
        assert "report.md" not in json.loads(file.read_bytes()).get("files", {}), file
        assert digests.is_sealed(file.read_bytes()) is not False, file


def test_a_check_that_breaks_disagrees_and_loses_no_run(repository, capsys):
    file = repository / "experiments" / "900" / "figure.py"
    file.write_text(
        EXPERIMENT.replace('outcome.table["level"][-1]\n    return', 'outcome.table["depth"][-1]\n    return')
    )
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 1
    assert "the check failed with ColumnNotFoundError" in capsys.readouterr().out
    assert (repository / "o" / "900" / "figure" / "table.csv").is_file()


def test_every_experiment_is_loaded_before_the_first_runs(repository, capsys):
    (repository / "experiments" / "901").mkdir()
    (repository / "experiments" / "901" / "broken.py").write_text("def (")
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 2
    assert "SyntaxError" in capsys.readouterr().err
    assert not (repository / "o").exists()


def test_the_same_request_gives_the_same_bytes(repository):
    for name in ("a", "b"):
        reproduce([], jobs=1, out=repository / name, quiet=True, run=saturating)
    for file in (repository / "a" / "900" / "figure").glob("*.*"):
        if file.name == "manifest.json":
            continue  # it says when and in how many seconds
        assert file.read_bytes() == (repository / "b" / "900" / "figure" / file.name).read_bytes(), file.name


def test_processes_give_what_one_process_gives(repository):
    for jobs in (1, 2):
        assert reproduce([], quick=False, jobs=jobs, out=repository / str(jobs), quiet=True, run=saturating) == 0
    one, two = ((repository / str(jobs) / "900" / "figure" / "table.csv").read_text() for jobs in (1, 2))
    assert one == two
    assert len(one.splitlines()) == 7


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_run_is_named_and_finished_ones_are_kept(repository, capsys, jobs):
    assert reproduce([], quick=False, jobs=jobs, out=repository / "o", run=failing_at_ten) == 1
    assert "buffer_bytes=10,seed=1: ValueError: the engine does not like ten" in capsys.readouterr().err
    runs = repository / "o" / "900" / "figure" / "runs" / "full"
    assert (runs / "transport=a,buffer_bytes=1,seed=1" / "row.json").is_file()
    assert not list(runs.glob(".*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"targets": ["901"]}, "no experiment '901'; nearest: 900"), ({"jobs": 0}, "--jobs 0: at least 1 process")],
)
def test_a_wrong_request_is_refused_and_nothing_is_written(repository, capsys, options, message):
    assert reproduce(**options, out=repository / "o", run=saturating) == 2
    assert message in capsys.readouterr().err
    assert not (repository / "o").exists()


def test_a_missing_scenario_is_named(repository, capsys):
    (repository / "scenarios" / "made-up.toml").unlink()
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 1
    assert "no scenario 'made-up.toml'" in capsys.readouterr().err


def test_an_experiment_that_fails_does_not_keep_the_next_from_being_run(repository, capsys):
    broken = repository / "experiments" / "100" / "figure.py"
    broken.parent.mkdir()
    broken.write_text(
        EXPERIMENT.replace("900/figure", "100/figure").replace('scenario="made-up.toml"', 'scenario="no.toml"')
    )
    assert reproduce([], jobs=1, out=repository / "o", run=saturating) == 1
    assert "no scenario 'no.toml'" in capsys.readouterr().err
    assert (repository / "o" / "900" / "figure" / "claims.json").exists()


def test_quiet_prints_nothing(repository, capsys):
    reproduce([], jobs=1, out=repository / "o", quiet=True, run=saturating)
    assert capsys.readouterr().out == ""


@pytest.mark.alone
@pytest.mark.parametrize(("jobs", "stop"), [(1, signal.SIGINT), (2, signal.SIGINT), (2, signal.SIGTERM)])
def test_an_interrupted_campaign_keeps_and_writes_what_had_finished(repository, jobs, stop):
    folder = repository / "o" / "900" / "figure"
    script = (
        "import sys; from experiment_fakes import slow; from photocol.runs.signals import interruptible\n"
        "from photocol.experiments.reproduce import reproduce\n"
        "if __name__ == '__main__':\n"
        "    with interruptible():\n"
        f"        sys.exit(reproduce([], jobs={jobs}, out={str(repository / 'o')!r}, run=slow))"
    )
    (repository / "script.py").write_text(script)
    printed, status = interrupt(first=folder / "runs" / "quick" / "transport=a,buffer_bytes=1,seed=1", stop=stop)
    assert status == 128 + stop
    assert "1 of 4 runs" in printed
    assert json.loads((folder / "claims.json").read_text()) == {
        "experiment": "900/figure",
        "form": "quick",
        "jobs_missing": 3,
        "claims": [],
    }
    assert len(pl.read_csv(folder / "table.csv")) == 1
    assert not list(folder.rglob("*.unfinished"))


@pytest.mark.alone
def test_workers_end_when_their_parent_is_killed(repository):
    script = (
        "from experiment_fakes import slow; from photocol.experiments.reproduce import reproduce\n"
        "if __name__ == '__main__': reproduce([], jobs=2, out='o', run=slow)"
    )
    (repository / "script.py").write_text(script)
    first = repository / "o" / "900" / "figure" / "runs" / "quick" / "transport=a,buffer_bytes=1,seed=1"
    # `interrupt` reads to the end of the output, which comes when the last process that holds it is gone.
    _, status = interrupt(first=first, stop=signal.SIGKILL)
    assert status == -signal.SIGKILL


def interrupt(*, first, stop):
    """Run script.py, send it the signal once the first job is stored; what it printed and its exit status."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "script.py"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not first.is_dir() and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(1)
            process.send_signal(stop)
            printed, _ = process.communicate(timeout=30)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return printed, process.returncode


def test_a_full_form_that_needs_a_published_list_of_flows_is_run_with_one_alone(tmp_path, monkeypatch, capsys):
    text = EXPERIMENT.replace(
        'notes=["nothing',
        'listed=lambda point, files: {"list": str(files[0])},\n    list_from="the moon",\n    notes=["nothing',
    )
    checkout(tmp_path, text=text)
    monkeypatch.chdir(tmp_path)
    lists = set()

    def listing(scenario, *, seed, settings):
        lists.add(settings.get("list"))
        return saturating(scenario, seed=seed, settings=settings)

    options = {"jobs": 1, "out": tmp_path / "o", "run": listing}
    assert reproduce([], quick=False, **options) == 0
    assert "not run: it needs --flows FILE, a list that is published:\nthe moon" in capsys.readouterr().out
    assert not (tmp_path / "o").exists()
    assert reproduce([], quick=True, flows="flows.htsim", **options) == 2
    assert "--flows is for full forms, and quick ones need no list: give --full too" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert reproduce([], quick=True, **options) == 0
    assert lists == {None}
    lists.clear()
    assert reproduce([], quick=False, flows="flows.htsim", **options) == 0
    assert lists == {str(tmp_path / "flows.htsim")}


def test_points_without_their_list_are_left_out_and_a_list_of_no_point_is_refused(tmp_path, monkeypatch, capsys):
    listed = """listed=lambda point, files: next(
        ({"list": file.name} for file in files if file.stem == point["transport"]), None
    ),
    list_from="the moon",
    notes=["nothing"""
    checkout(tmp_path, text=EXPERIMENT.replace('notes=["nothing', listed))
    monkeypatch.chdir(tmp_path)
    lists = []

    def listing(scenario, *, seed, settings):
        lists.append(settings["list"])
        return saturating(scenario, seed=seed, settings=settings)

    options = {"quick": False, "jobs": 1, "run": listing}
    assert reproduce([], flows="c.htsim", out=tmp_path / "none", **options) == 2
    assert "--flows: none of these is a list that 900/figure needs: the moon" in capsys.readouterr().err
    assert not lists
    reproduce([], flows=["b.htsim", "c.htsim"], out=tmp_path / "one", **options)
    assert set(lists) == {"b.htsim"}
    reproduce([], flows=["b.htsim", "a.htsim"], out=tmp_path / "both", **options)
    assert (lists.count("a.htsim"), lists.count("b.htsim")) == (15, 30), "three points, five times"


def test_a_list_of_flows_that_no_experiment_is_judged_with_is_refused(repository, capsys):
    assert reproduce([], quick=False, flows="flows.htsim", jobs=1, out=repository / "o", run=saturating) == 2
    assert "--flows: none of these experiments is judged with a list of flows" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["rotornet", "opera", "clos"])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "{file}: there is no such file"),
        ("", "none of these is a list that rotor/{name} needs"),
        ("0 1 1500 0\n\n0 1 1500\n", "{file}:3: found 3 columns; allowed: source destination bytes start"),
        ("0 1 much 0\n", '{file}:1: size: found "much"; allowed: 0 B to 8 EiB, as a number of B'),
        ("0 1 -1 0\n", '{file}:1: size: found "-1"; allowed: a whole number'),
        ("0 1 1500 \0\n", "{file}:1: start: found"),
    ],
)
def test_a_wrong_list_of_published_flows_is_told_by_file_and_line(tmp_path, capsys, name, text, reason):
    file = tmp_path / "flows.htsim"
    if text is not None:
        file.write_text(text)
    assert reproduce([f"rotor/{name}"], quick=False, flows=file, jobs=1, out=tmp_path / "o", run=saturating) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"photocol reproduce: --flows: {reason.format(file=file, name=name)}"), told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "o").exists()
