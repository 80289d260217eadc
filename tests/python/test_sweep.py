"""Sweeps: axes and points, what is kept and what is done again, tables, bad input."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
from command import arguments, photocol

import photocol as package
from photocol.control import read_requests
from photocol.errors import InputError
from photocol.quantity import readable
from photocol.stats import mean_ci
from photocol.sweeps import slurm
from photocol.sweeps.axes import log_steps, steps
from photocol.sweeps.campaign.job import Row
from photocol.sweeps.folder import exported, load, names_of
from photocol.sweeps.precision import Precision
from photocol.sweeps.run import _ordered
from photocol.sweeps.spec import checked

TINY = """
[run]
name = "tiny"
duration = "100 ms"
seed = 5
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "5 ms"
bottleneck_buffer = "20 packets"
access_delay = "1 ms"
[[traffic]]
transport = "sack"
pairs = [["l0", "r0"]]
flows = 2
spread = "50 ms"
"""
BUFFER = "topology.bottleneck_buffer"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path


def points(**said: object) -> list[dict[str, object]]:
    return [dict(point) for point in checked(said).plan.points()]


def test_a_grid_is_every_combination_and_a_zip_goes_side_by_side() -> None:
    assert points(zip={"a": [1, 2, 2], "b": [0, 0, 3]}) == [{"a": 1, "b": 0}, {"a": 2, "b": 0}, {"a": 2, "b": 3}]
    assert points(grid={"a": [1, 2]}, zip={"b": ["x", "y"], "c": [0.5, 1.5]}) == [
        {"a": 1, "b": "x", "c": 0.5},
        {"a": 1, "b": "y", "c": 1.5},
        {"a": 2, "b": "x", "c": 0.5},
        {"a": 2, "b": "y", "c": 1.5},
    ]


def test_long_axes_have_names_ranges_and_conditions() -> None:
    said = [
        {"name": "delay_ms", "key": "d", "range": {"from": 10, "to": 30, "step": 10, "unit": "ms"}},
        {"name": "n", "key": "f", "list": [1]},
    ]
    with pytest.raises(InputError, match="cannot be called seed or n"):
        points(axis=said)
    said[1]["name"] = "flows"
    assert points(axis=said) == [{"delay_ms": f"{d} ms", "flows": 1} for d in (10, 20, 30)]
    assert points(grid={"a": [1, 2, 3], "b": [1, 2, 3]}, where="a < b AND b <> 3") == [{"a": 1, "b": 2}]


def test_a_sweep_has_the_goodput_of_each_traffic(place: Path) -> None:
    """What arrives of the flows of both in 100 ms adds up to the goodput of all."""
    two = TINY + '[[traffic]]\nname = "bbr"\ntransport = "bbr"\npairs = [["l1", "r1"]]\n'
    table = package.sweep(two, grid={BUFFER: ["5 packets", "40 packets"]}, tables=["flows"], out=place / "two")
    sums = table["goodput[traffic-0]"] + table["goodput[bbr]"]
    assert sums.to_list() == pytest.approx(table["goodput"].to_list(), rel=1e-9)
    assert (table.unit("goodput[bbr]"), "goodput[bbr]" in table.main_metrics()) == ("bps", True)
    flows = pl.read_parquet(next((place / "two" / "runs").glob("*5%20packets*")) / "flows.parquet")
    arrived = 8 * flows.filter(pl.col("traffic") == "bbr")["bytes_arrived"].sum() / 0.1
    assert table["goodput[bbr]"][0] == pytest.approx(arrived)
    one = package.sweep(TINY, grid={BUFFER: ["5 packets"]})
    assert [name for name in one.metrics if "[" in name] == []


def test_completion_times_bring_the_counts_of_flows(place: Path) -> None:
    sized = TINY + 'size = "10 kB"\n'
    whole = {"run.duration": "1 s"}
    table = package.sweep(sized, grid={BUFFER: ["5 packets"]}, set=whole, metrics=["mean_completion_time"])
    assert table.metrics == ["mean_completion_time", "flows_completed", "unfinished_flows"]
    assert table.main_metrics() == ["mean_completion_time"]


def test_ranges_meet_their_ends() -> None:
    assert steps(0.1, 0.5, 0.1, "") == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert steps(3, 1, -1, "") == [3, 2, 1]
    # Each is 10 times, then √10 times the one before.
    assert log_steps(1, 100, 3, "kB") == ["1 kB", "10 kB", "100 kB"]
    assert log_steps(1, 10, 3, "") == [1, 3.16228, 10]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "no axis: nothing varies"),
        ({"grid": {"a": []}}, "the axis a has no values"),
        ({"grid": {"a": [1, 1]}}, "the axis a has a value twice: 1"),
        ({"grid": {"a": [math.inf]}}, "not a finite number"),
        ({"grid": {"a": [1]}, "zip": {"a": [2]}}, "two axes are called 'a'"),
        ({"zip": {"a": [1, 2], "b": [1]}}, "as many values each: a has 2, b has 1"),
        ({"zip": {"a": [1, 2, 1], "b": [3, 3, 3]}}, "side by side have the same values twice: a = 1, b = 3"),
        ({"gird": {"a": [1]}}, "unknown key 'gird'; did you mean 'grid'"),
        ({"grid": {"a": 3}}, "grid.a: a list of values"),
        ({"grid": {"a": [1]}, "where": "b > 1"}, "where = 'b > 1'"),
        ({"grid": {"a": [1]}, "where": "a > 1"}, "leaves no point"),
        ({"grid": {"a": [1]}, "seeds": 0}, "seeds: a whole number, at least 1, not 0"),
        ({"grid": {"a": [1]}, "tables": ["flow"]}, "no table 'flow'"),
        ({"grid": {"a": [1]}, "precision": {"metric": "x", "half_width": "0 %"}}, "half_width is '0 %'"),
        ({"axis": [{"key": "a", "range": {"from": 1, "to": 0, "step": 1}}]}, "has no values"),
        ({"axis": [{"key": "a", "log-range": {"from": 0, "to": 9, "points": 3}}]}, "both ends above 0"),
        ({"axis": [{"key": "a", "list": [1], "range": {}}]}, "one of list, range, log-range, not 2"),
    ],
)
def test_a_sweep_that_makes_no_sense_is_refused(said: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refused:
        checked(said).plan.points()
    assert message in str(refused.value)


def test_a_mistake_in_a_key_is_said_of_its_axis(place: Path) -> None:
    done = photocol("sweep", "tiny.toml", "--grid", "run.duratoin=1 s,2 s", "--out", "o")
    assert done.returncode == 2
    assert 'axis run.duratoin: unknown key "duratoin"; did you mean "duration"?' in done.stderr
    assert "--set" not in done.stderr
    assert not (place / "o").exists()


def test_a_grid_of_a_billion_points_is_refused_at_once(place: Path) -> None:
    axes = [word for key in "abc" for word in ("--grid", f"{key}={','.join(map(str, range(1000)))}")]
    done = photocol("sweep", "tiny.toml", *axes, "--out", "o")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the sweep has 1,000,000,000 points: 1000 (a) × 1000 (b) × 1000 (c); at most 1,000,000" in done.stderr
    assert not (place / "o").exists()


def test_a_sweep_leaves_tables_and_a_directory_a_run(place: Path) -> None:
    words = ("--grid", f"{BUFFER}=5 packets,20 packets", "--grid", "traffic.0.flows=1,2", "--seeds", "3")
    done = photocol("sweep", "tiny.toml", *words, "--jobs", "1", "--out", "o")
    assert done.returncode == 0, done.stderr
    assert "12 runs in o/" in done.stdout
    table = pl.read_parquet("o/table.parquet")
    runs = pl.read_parquet("o/replications.parquet")
    assert table.select(BUFFER, "traffic.0.flows", "n").rows() == [
        ("5 packets", 1, 3),
        ("5 packets", 2, 3),
        ("20 packets", 1, 3),
        ("20 packets", 2, 3),
    ]
    assert runs["seed"].to_list() == [5, 6, 7] * 4
    interval = mean_ci(runs["goodput"].to_list()[:3])
    assert table["goodput"][0] == interval.mean
    assert table["goodput_half_width"][0] == interval.half_width
    # On the terminal with a prefix and a unit, from the first run and from rows on disk.
    shown = readable(interval.mean, "bps", interval.half_width)
    assert shown.endswith("Mb/s")
    assert shown in done.stdout
    assert shown in photocol("sweep", "resume", "o").stdout
    # The run itself gives the same number.
    alone = package.run("tiny.toml", seed=6, set={BUFFER: "5 packets", "traffic.0.flows": 2})
    assert runs["goodput"][4] == alone.summary["goodput"]
    row = json.loads((place / "o" / "runs" / f"{BUFFER}=5%20packets,traffic.0.flows=2,seed=6" / "row.json").read_text())
    assert row["run"]["fingerprint"] == alone.fingerprint
    manifest = json.loads(
        (place / "o/runs" / f"{BUFFER}=5%20packets,traffic.0.flows=2,seed=6/manifest.json").read_text()
    )
    assert manifest["set"] == {BUFFER: "5 packets", "traffic.0.flows": 2}


def test_the_same_from_python_as_from_the_command_and_from_a_file(place: Path) -> None:
    frame = package.sweep("tiny.toml", grid={BUFFER: ["5 packets", "20 packets"]}, seeds=2, jobs=1)
    photocol(
        "sweep", "tiny.toml", "--grid", f"{BUFFER}=5 packets,20 packets", "--seeds", "2", "--jobs", "2", "--out", "o"
    )
    assert pl.read_parquet("o/table.parquet").equals(frame)
    (place / "sweep.toml").write_text(
        'scenario = "tiny.toml"\nseeds = 2\n[[axis]]\nname = "buffer"\n'
        f'key = "{BUFFER}"\nlist = ["5 packets", "20 packets"]\n[[plot]]\nx = "buffer"\ny = "goodput"\n'
    )
    assert photocol("sweep", "sweep.toml", "--jobs", "1", "--out", "f").returncode == 0
    assert pl.read_parquet("f/table.parquet").rename({"buffer": BUFFER}).equals(frame)
    assert (place / "f" / "plot-1.png").is_file()
    assert photocol("sweep", "sweep.toml", "--seeds", "1", "--jobs", "1", "--out", "g").returncode == 0
    assert pl.read_parquet("g/table.parquet")["n"].to_list() == [1, 1]


def test_points_share_their_random_numbers(place: Path) -> None:
    """Differences between schemes are measured under the same arrivals: equal schemes differ by nothing."""
    frame = package.sweep("tiny.toml", grid={"run.name": ["one", "other"]}, seeds=3, jobs=1)
    assert frame["goodput"][0] == frame["goodput"][1]
    assert frame["goodput_half_width"][0] > 0


def test_a_resumed_sweep_does_what_is_missing_and_may_have_grown(place: Path) -> None:
    words = ["sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--out", "o"]
    assert photocol(*words, "--seeds", "2").returncode == 0
    whole = (place / "o/table.csv").read_bytes()
    runs = place / "o" / "runs"
    before = {path.name: path.stat().st_ino for path in runs.iterdir()}
    again = photocol(*words, "--seeds", "2")
    assert (again.returncode, "holds a sweep already" in again.stderr) == (2, True)
    (runs / "traffic.0.flows=2,seed=6" / "row.json").unlink()
    assert "3 of 4 runs" not in photocol("sweep", "status", "o").stdout  # a directory is listed, not read
    done = photocol("sweep", "resume", "o", "--jobs", "1")
    assert "4 runs (3 of them were there)" in done.stdout
    assert (place / "o/table.csv").read_bytes() == whole
    kept = {path.name for path in runs.iterdir() if before[path.name] == path.stat().st_ino}
    assert len(kept) == 3
    grown = photocol(*words[:3], "traffic.0.flows=1,2,3", *words[4:], "--seeds", "3", "--jobs", "2", "--resume")
    assert "9 runs (4 of them were there)" in grown.stdout
    assert photocol(*words, "--seeds", "1", "--force").returncode == 0
    assert len(list(runs.iterdir())) == 2


@pytest.mark.parametrize(
    ("change", "other"),
    [
        (lambda: Path("tiny.toml").write_text(TINY.replace("5 ms", "6 ms")), "another scenario"),
        (lambda: alter_version(Path("o/manifest.json")), r"another version \(version 0.0.1\)"),
    ],
)
def test_a_directory_of_another_scenario_or_version_is_not_resumed(place: Path, change, other: str) -> None:
    words = ["sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--out", "o"]
    photocol(*words)
    table = (place / "o/table.csv").read_bytes()
    change()
    done = photocol(*words, "--resume")
    assert done.returncode == 2
    assert re.search(f"holds a sweep of {other}", done.stderr)
    assert (place / "o/table.csv").read_bytes() == table


def alter_version(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": "0.0.1"}))


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["tiny.toml", "--grid", "traffic.0.flowz=1,2"], "flowz"),
        (["tiny.toml", "--grid", "traffic.0.flows"], "must be KEY=A,B"),
        (["tiny.toml", "--grid", f"{BUFFER}=5 packets,6 ants"], "6 ants"),
        (["tiny.toml"], "nothing varies"),
        (["no.toml", "--grid", "a=1"], "no.toml"),
        (["status", "nowhere"], "not a sweep of photocol"),
        (["tiny.toml", "--grid", "traffic.0.flows=1", "--metric", "godput"], "did you mean 'goodput'"),
        (["tiny.toml", "--grid", "traffic.0.flows=1", "--jobs", "0"], "at least 1 process"),
        (["tiny.toml", "--grid", "traffic.0.flows=1", "--part", "3/2"], "must be I/N"),
    ],
)
def test_bad_input_is_one_message_and_status_2(place: Path, words: list[str], wanted: str) -> None:
    done = photocol("sweep", *words, *(["--out", "o"] if words[0] != "status" else []))
    assert (done.returncode, done.stdout) == (2, "")
    assert wanted in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    if "godput" not in words:
        assert not (place / "o").exists()


def test_a_run_or_a_foreign_directory_is_left_alone(place: Path) -> None:
    package.run("tiny.toml", out="run")
    (place / "home").mkdir()
    (place / "home" / "letters.txt").write_text("dear")
    for folder, why in (("run", "holds a finished run, not a sweep"), ("home", "not a photocol run")):
        done = photocol("sweep", "tiny.toml", "--grid", "traffic.0.flows=1", "--out", folder, "--force")
        assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_export_is_one_parquet_with_a_row_a_run(place: Path) -> None:
    words = ("--grid", "traffic.0.flows=1,2", "--seeds", "2", "--jobs", "1", "--keep", "flows", "--out", "o")
    assert photocol("sweep", "tiny.toml", *words).returncode == 0
    assert photocol("sweep", "export", "o", "--out", "all.parquet").stdout == "4 runs written to all.parquet\n"
    frame = pl.read_parquet("all.parquet")
    assert frame.select("traffic.0.flows", "seed").rows() == [(1, 5), (1, 6), (2, 5), (2, 6)]
    assert frame["fingerprint"].n_unique() == 4
    flows = pl.read_parquet("o/runs/traffic.0.flows=2,seed=6/flows.parquet")
    assert len(flows) == 2
    assert photocol("sweep", "status", "o").stdout.startswith("o: 4 of 4 runs of tiny.toml are finished\n")


def test_parts_together_are_the_whole(place: Path) -> None:
    words = ["sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2,3", "--seeds", "2", "--jobs", "1"]
    photocol(*words, "--out", "whole")
    for number in (1, 2):
        assert photocol(*words, "--out", "parts", "--resume", "--part", f"{number}/2").returncode == 0
        assert not (place / "parts" / "table.csv").exists()
    assert "(6 of them were there)" in photocol("sweep", "resume", "parts").stdout
    assert (place / "parts/table.csv").read_bytes() == (place / "whole/table.csv").read_bytes()


def test_precision_adds_seeds_where_an_interval_is_wide(place: Path) -> None:
    wish = {"metric": "goodput", "half_width": "10 %", "most": 12}
    frame = package.sweep("tiny.toml", grid={"traffic.0.flows": [1, 2]}, seeds=3, precision=wish, jobs=1)
    plain = package.sweep("tiny.toml", grid={"traffic.0.flows": [1, 2]}, seeds=12, jobs=1)
    for row in frame.iter_rows(named=True):
        assert row["n"] in (3, 4, 6, 9, 12)
        assert row["n"] == 12 or row["goodput_half_width"] <= 0.1 * row["goodput"]
    assert frame["n"].max() > 3
    assert plain["n"].to_list() == [12, 12]


def test_the_precision_rule_depends_on_the_runs_in_the_order_of_their_seeds_only() -> None:
    rule = Precision.of("x", 1.0, 20)
    values = [0.0, 10.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]
    seen = {1 + n: {"x": value} for n, value in enumerate(values)}
    # From 2: half as many again is 3, 4, 6, 9; the half widths are 63.5, 12.4, 6.5, 3.3, 2.0: none is below 1.
    assert rule.wanted(2, seen, 1) == 13
    assert rule.wanted(2, {1: {"x": 0.0}}, 1) == 2
    assert Precision.of("x", 2.5, 20).wanted(2, seen, 1) == 9
    assert Precision.of("x", "50 %", 20).wanted(2, seen, 1) == 9


def test_a_warm_up_is_found_by_mser_5(place: Path) -> None:
    frame = package.sweep(
        "tiny.toml",
        grid={"traffic.0.flows": [2]},
        set={"run.duration": "2 s"},
        warm_up={"mser5": "left->right", "quantity": "utilization"},
        jobs=1,
        out="o",
    )
    [found] = frame["warm_up_s"].to_list()
    assert 0 < found < 1
    given = package.run(
        "tiny.toml", set={"run.duration": "2 s", "run.warm_up": f"{found:.12g} s", "traffic.0.flows": 2}
    )
    assert frame["goodput"][0] == given.summary["goodput"]
    again = photocol("sweep", "resume", "o", "--jobs", "1")
    assert "1 runs (1 of them were there)" in again.stdout


def test_a_warm_up_on_a_series_that_is_not_there_is_named(place: Path) -> None:
    (place / "s.toml").write_text(
        'scenario = "tiny.toml"\nwarm_up = { mser5 = "left->right", quantity = "utilisation" }\n'
        '[grid]\n"traffic.0.flows" = [1]\n'
    )
    done = photocol("sweep", "s.toml", "--jobs", "1", "--out", "o")
    assert done.returncode == 1
    assert "no series 'utilisation' of 'left->right'; there are: carried_bits, dropped, mean_queue" in done.stderr


def test_the_tasks_of_a_slurm_array_make_the_same_tables(place: Path) -> None:
    axes = ("--grid", "traffic.0.flows=1,2,3", "--seeds", "2")
    photocol("sweep", "tiny.toml", *axes, "--jobs", "1", "--out", "whole")
    written = photocol("sweep", "tiny.toml", *axes, "--out", "array", "--slurm", "2")
    assert written.stdout.startswith("array/sweep.sbatch is written")
    script = place / "array" / "sweep.sbatch"
    assert "\n#SBATCH --array=1-2\n" in script.read_text()
    assert not (place / "array" / "runs").exists()
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for task in ("1", "2"):
        environment = {**os.environ, "PATH": programs, "SLURM_ARRAY_TASK_ID": task}
        subprocess.run(["sh", str(script)], env=environment, check=True)
    assert len(list((place / "array" / "runs").iterdir())) == 6
    assert photocol("sweep", "resume", "array").returncode == 0
    assert (place / "array/table.csv").read_bytes() == (place / "whole/table.csv").read_bytes()


def test_slurm_does_not_expand_a_percent_sign_of_the_path() -> None:
    # man sbatch, "filename pattern": %A, %a and the like are expanded; %% is a percent sign.
    text = slurm.script(Path("/data/load 50%a"), parts=2, name="n")
    assert "\n#SBATCH --output='/data/load 50%%a'/slurm-%A-%a.log\n" in text
    assert "photocol sweep resume '/data/load 50%a' --jobs" in text


def test_a_crate_names_every_file_with_its_digest_and_what_made_it(place: Path) -> None:
    package.run("tiny.toml", out="run")
    photocol("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--out", "o")
    for folder, scenario in (("run", "scenario.toml"), ("o", "manifest.json")):
        done = photocol("export", folder, "--ro-crate")
        assert done.returncode == 0, done.stderr
        with zipfile.ZipFile(f"{folder}.zip") as archive:
            graph = {entity["@id"]: entity for entity in json.loads(archive.read("ro-crate-metadata.json"))["@graph"]}
            names = [name for name in archive.namelist() if name != "ro-crate-metadata.json"]
            for name in names:
                assert graph[name]["sha256"] == hashlib.sha256(archive.read(name)).hexdigest()
        assert [part["@id"] for part in graph["./"]["hasPart"]] == names
        assert len(names) == sum(path.is_file() for path in (place / folder).rglob("*"))
        action = graph["#action"]
        assert action["object"] == [{"@id": scenario}]
        assert graph[action["instrument"]["@id"]]["softwareVersion"] == package.__version__
        assert {part["@id"] for part in action["object"] + action["result"]} == set(names)
        assert action["startTime"] <= action["endTime"]
    before = Path("run.zip").read_bytes()
    photocol("export", "run", "--ro-crate")
    assert Path("run.zip").read_bytes() == before
    assert photocol("export", "tiny.toml", "--ro-crate").returncode == 2


def test_a_full_disk_is_one_line_and_leaves_no_half_run(place: Path) -> None:
    (place / "small").mkdir()
    mounted = "mount -t tmpfs -o size=300k none small"
    if (
        shutil.which("unshare") is None
        or subprocess.run(["unshare", "-rm", "sh", "-c", mounted], check=False).returncode
    ):
        pytest.skip("no file system can be mounted here")
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2,3,4,5", "--seeds", "10", "--jobs", "1")
    look = "ls -A small/o/runs; for row in small/o/runs/*/row.json; do tail -c 2 $row; done"
    command = f"{mounted} && {shlex.join(arguments(*words, '--out', 'small/o'))}; echo status $?; {look}"
    done = subprocess.run(["unshare", "-rm", "sh", "-c", command], capture_output=True, text=True, check=False)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert ": No space left on device; what is finished is in small/o" in done.stderr
    status, *rest = done.stdout.splitlines()
    assert status == "status 1"
    names = [line for line in rest if "seed=" in line]
    assert 0 < len(names) < 50
    assert not [name for name in names if name.startswith(".")]
    # Every row that is there ends as a whole one does.
    assert rest.count("}") == len(names)


def test_a_figure_that_is_not_there_is_named_at_the_first_run_and_ends_the_sweep(place: Path) -> None:
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--metric", "goodpu", "--out", "o")
    done = photocol(*words)
    first, last = done.stderr.splitlines()
    assert first == "photocol: the first run has no figure 'goodpu'; did you mean 'goodput'?"
    assert last.startswith("metrics: no run has a figure 'goodpu'; did you mean 'goodput'? there are: ")
    assert done.returncode == 2
    assert len(list((place / "o" / "runs").glob("*/row.json"))) == 2, "what is finished stays"


def test_the_columns_do_not_depend_on_which_run_finished_first() -> None:
    """A figure that only some points have is a column where the first of them, by point and seed, has it."""
    points = [{"level": 1}, {"level": 2}]
    few, more = {"a": 1.0, "c": 3.0}, {"a": 1.0, "b": 2.0, "c": 3.0}
    rows = [
        Row(point=point, seed=seed, metrics=more if point["level"] == 2 else few, manifest={})
        for point in points
        for seed in (1, 2)
    ]
    assert _ordered(points, reversed(rows)) == rows
    assert names_of(_ordered(points, reversed(rows))) == ["a", "c", "b"]


def test_a_row_or_a_table_that_was_changed_by_hand_is_run_again_and_not_exported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    how = {"grid": {"traffic.0.flows": [1, 2]}, "tables": ["flows"], "out": tmp_path / "o", "jobs": 1}
    whole = package.sweep(TINY, **how)
    place = tmp_path / "o" / "runs" / "traffic.0.flows=1,seed=5"
    row = place / "row.json"
    row.write_text(re.sub(r'("goodput": )([\d.]+)', lambda found: f"{found[1]}{2 * float(found[2])}", row.read_text()))
    with pytest.raises(InputError, match="has changed since it was written"):
        exported(tmp_path / "o", load(tmp_path / "o"))
    assert package.sweep(TINY, **how, resume=True).equals(whole)
    assert f"{row} has changed since it was written; it is run again" in capfd.readouterr().err
    (place / "flows.parquet").write_bytes(b"PAR1")
    assert package.sweep(TINY, **how, resume=True).equals(whole)
    assert f"{place / 'flows.parquet'} is changed; it is run again" in capfd.readouterr().err
    assert package.sweep(TINY, **how, resume=True).equals(whole)
    assert capfd.readouterr().err == ""


def test_a_sweep_is_no_device_and_no_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in ("/dev/zero", pipe):
        done = photocol("sweep", file, "--grid", "run.seed=1,2", "--out", tmp_path / "o")
        assert (done.returncode, done.stderr) == (2, f"{file} is not a file but a device or a pipe\n")
    large = tmp_path / "large.toml"
    with large.open("wb") as opened:
        opened.truncate((1 << 26) + 1)
    assert "has more than 64 MiB" in photocol("sweep", large, "--grid", "run.seed=1,2").stderr


@pytest.mark.parametrize("value", ["NaN", '"word"', "Infinity", "true"])
def test_a_value_that_is_no_number_is_named_and_run_again(tmp_path: Path, value: str) -> None:
    """A row of a version that wrote no digests, changed by hand."""
    (tmp_path / "tiny.toml").write_text(TINY)
    photocol("sweep", "tiny.toml", "--grid", "traffic.0.flows=1", "--jobs", "1", "--out", "o", cwd=tmp_path)
    row = next((tmp_path / "o" / "runs").glob("*/row.json"))
    said = {key: one for key, one in json.loads(row.read_text()).items() if key != "sha256"}
    manifest = json.loads((row.parent / "manifest.json").read_text())
    (row.parent / "manifest.json").write_text(
        json.dumps({key: one for key, one in manifest.items() if key not in ("sha256", "files")})
    )
    said["metrics"]["goodput"] = "HERE"
    row.write_text(json.dumps(said).replace('"HERE"', value))
    done = photocol("sweep", "resume", "o", "--jobs", "1", cwd=tmp_path)
    assert done.returncode == 0
    assert "goodput is" in done.stderr and "must be a finite number; it is run again" in done.stderr


def test_parts_need_not_know_of_each_other(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    for part in ("1/2", "2/2"):
        words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--part", part, "--out", "o")
        done = photocol(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "o" / "runs").iterdir())) == 2


def test_other_settings_are_another_sweep_and_export_leaves_old_seeds(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    words = ("sweep", "tiny.toml", "--grid", "traffic.0.flows=1,2", "--jobs", "1", "--out", "o", "--resume")
    assert photocol(*words, "--seeds", "2", cwd=tmp_path).returncode == 0
    other = photocol(*words, "--set", "run.duration=30 ms", cwd=tmp_path)
    assert (other.returncode, "holds a sweep of another set" in other.stderr) == (2, True), other.stderr
    assert photocol(*words, "--seeds", "1", cwd=tmp_path).returncode == 0
    photocol("sweep", "export", "o", cwd=tmp_path)
    assert pl.read_parquet(tmp_path / "o" / "runs.parquet")["seed"].n_unique() == 1


def test_a_byte_order_mark_before_a_sweep_or_a_matrix_is_none_of_it(place: Path) -> None:
    mark = b"\xef\xbb\xbf"
    (place / "w.toml").write_bytes(mark + b'scenario = "tiny.toml"\n[grid]\n"traffic.0.flows" = [1, 2]\n')
    done = photocol("sweep", "w.toml", "--jobs", "1", "--out", "o")
    assert done.returncode == 0, done.stderr
    assert len(list((place / "o" / "runs").iterdir())) == 2
    (place / "requests.json").write_bytes(mark + b"[[1, 0], [0, 1]]")
    assert read_requests(place / "requests.json").tolist() == [[1, 0], [0, 1]]


TOGETHER = """
import contextlib, io, pathlib, sys, time
from photocol.cli import main
part = sys.argv[1]
for turn in range(10):
    pathlib.Path(f"ready-{turn}-{part}").touch()
    while not pathlib.Path(f"ready-{turn}-{3 - int(part)}").exists():
        time.sleep(0.0002)
    words = f"sweep tiny.toml --grid traffic.0.flows=1,2 --jobs 1 --quiet --part {part}/2 --out o{turn}".split()
    if main(words) != 0:
        sys.exit(f"turn {turn}, part {part}")
"""


def test_two_parts_that_start_at_the_same_moment_are_both_carried_out(place: Path) -> None:
    """Ten times, each part in a process of its own."""
    command = [sys.executable, "-c", TOGETHER]
    both = [subprocess.Popen([*command, part], stderr=subprocess.PIPE, text=True) for part in "12"]
    try:
        said = [one.communicate(timeout=60)[1] for one in both]
    finally:
        [one.kill() for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    assert all(len(list((place / f"o{turn}" / "runs").iterdir())) == 2 for turn in range(10))


def test_a_sweep_is_checked_at_every_point_without_running_any(place: Path) -> None:
    text = f'scenario = "tiny.toml"\nseeds = 3\n[grid]\n"{BUFFER}" = ["10 kB", "20 packets"]\n'
    (place / "sweep.toml").write_text(text + '"traffic.0.transport" = ["sack", "dctcp"]\n')
    done = photocol("check", "sweep.toml")
    assert done.returncode == 0
    assert done.stdout == f"sweep.toml: valid: 4 points along {BUFFER}, traffic.0.transport; 12 runs of tiny.toml\n"
    # DCTCP without a queue that marks is warned of once, with the points.
    assert done.stderr.count("sweep.toml: warning: ") == 1
    assert re.search(r"mark.* \(topology.*dctcp and 1 more\)\n$", done.stderr)
    said = json.loads(photocol("check", "sweep.toml", "--json").stdout)
    assert (said["valid"], said["points"], said["runs"]) == (True, 4, 12)
    assert [len(where) for where in said["warnings"].values()] == [2]
    assert sorted(file.name for file in place.iterdir()) == ["sweep.toml", "tiny.toml"]


@pytest.mark.parametrize(
    ("rest", "words", "message"),
    [
        ('"topology.paris" = [1]', [], "axis topology.paris"),
        (f'"{BUFFER}" = ["x"]', [], f"axis {BUFFER}"),
        (
            f'"{BUFFER}" = ["10 kB"]\n[[plot]]\nx = "bufer"\ny = "goodput"',
            [],
            "plot: no axis 'bufer'; there are: topology",
        ),
        (f'"{BUFFER}" = ["10 kB"]', ["--explain"], "sweep.toml is a sweep: --explain goes with a scenario"),
        (f'"{BUFFER}" = ["10 kB"]', ["--set", "run.duraton=1 s"], "run.duraton"),
    ],
)
def test_a_sweep_with_a_mistake_is_not_valid(place: Path, rest: str, words: list[str], message: str) -> None:
    (place / "sweep.toml").write_text(f'scenario = "tiny.toml"\n[grid]\n{rest}\n')
    done = photocol("check", "sweep.toml", *words)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    if not words:
        said = json.loads(photocol("check", "sweep.toml", "--json").stdout)
        assert (said["valid"], message in said["error"]["message"]) == (False, True)


def test_a_percentile_of_too_few_values_is_told_as_such(place: Path) -> None:
    del place
    words = (
        "sweep",
        "incast",
        "--set",
        "run.duration=200 ms",
        "--set",
        "traffic.0.senders=8",
        "--grid",
        "run.seed=1,2",
        "--metric",
        "request_time_p95",
        "--out",
        "few",
    )
    done = photocol(*words)
    assert done.returncode == 2
    assert "no run has a figure 'request_time_p95' (too few values for that percentile)" in done.stderr
