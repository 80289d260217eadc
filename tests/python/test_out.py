"""Where results go: what is there is not replaced by something else, and the next free name is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import SMALL, photocol

import photocol as package
from photocol.runs.free_names import claim, free_neighbour

if TYPE_CHECKING:
    from pathlib import Path

SWEEP = ("--grid", "traffic.0.flows=1,2", "--jobs", "1", "--quiet")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


def test_a_neighbour_is_the_next_number_that_is_free(tmp_path: Path) -> None:
    for name in ("a", "a-2", "a-3"):
        (tmp_path / name).mkdir()
    assert free_neighbour(tmp_path / "a") == tmp_path / "a-4"
    assert free_neighbour(tmp_path / "a-3") == tmp_path / "a-4"
    assert free_neighbour(tmp_path / "run-007") == tmp_path / "run-007-2"
    assert [claim(tmp_path / "b").name for _ in range(3)] == ["b", "b-2", "b-3"], "each is given once"


def test_auto_is_the_next_free_name_and_is_printed_last(place: Path) -> None:
    for name in ("small", "small-2", "small-3"):
        done = photocol("run", "small.toml", "--out", "auto")
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"out/{name}"), done.stderr
        assert (place / "out" / name / "manifest.json").is_file()
    done = photocol("run", "small.toml", "--out", "auto", "--json")
    assert done.stderr.splitlines()[-1] == "out/small-4"
    assert photocol("run", "small.toml", "--out", place / "auto", "--quiet").stdout == "", "a directory of that name"
    assert (place / "auto" / "manifest.json").is_file()
    for name in ("small", "small-2"):
        done = photocol("sweep", "small.toml", *SWEEP, "--out", "auto")
        assert done.stdout.splitlines()[-1] == f"out/sweep/{name}"


def test_auto_leaves_nothing_of_a_run_that_is_refused(place: Path) -> None:
    done = photocol("run", "small.toml", "--out", "auto", "--seed", "-1")
    assert done.returncode == 2
    assert list((place / "out").iterdir()) == []


def test_a_run_never_replaces_a_sweep(place: Path) -> None:
    assert photocol("sweep", "small.toml", *SWEEP, "--out", "o").returncode == 0
    before = sorted(file.name for file in (place / "o").rglob("*"))
    for more in ((), ("--force",)):
        done = photocol("run", "small.toml", "--out", "o", *more)
        assert (done.returncode, done.stderr) == (
            2,
            "o holds a sweep, which a run does not replace; write beside it with --out o-2\n",
        )
    with pytest.raises(package.InputError, match="holds a sweep, which a run does not replace"):
        package.run(SMALL).save("o", force=True)
    assert sorted(file.name for file in (place / "o").rglob("*")) == before


def test_a_sweep_that_finds_something_else_names_a_free_place(place: Path) -> None:
    assert photocol("run", "small.toml", "--out", "r", "--quiet").returncode == 0
    done = photocol("sweep", "small.toml", *SWEEP, "--out", "r")
    assert done.stderr == "r holds a finished run, not a sweep; write beside it with --out r-2\n"
    assert photocol("sweep", "small.toml", *SWEEP, "--out", "s").returncode == 0
    done = photocol("sweep", "small.toml", *SWEEP, "--out", "s")
    assert "s holds a sweep already; write beside it with --out s-2, go on with it by --resume" in done.stderr
    done = photocol("sweep", "small.toml", *SWEEP, "--set", "run.seed=9", "--out", "s", "--resume")
    assert "Write beside it with --out s-2, or start anew with --force" in done.stderr
