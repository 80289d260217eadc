"""Ready-made scenarios found by name; completion, JSON for programs, help for misused commands."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import SMALL, environment, photocol

from photocol.experiments.catalogue import experiments_folder, find_experiments
from photocol.runs import bundled

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).parent / "photocol"


def test_a_ready_made_scenario_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    there = ROOT / "scenarios" / "dumbbell.toml"
    for name in ("dumbbell", "dumbbell.toml", "scenarios/dumbbell.toml"):
        assert bundled.found(name) == there
    assert bundled.found("large/million-flows") == ROOT / "scenarios" / "large" / "million-flows.toml"
    for other in ("nothing", "../scenarios/dumbbell", "/dumbbell", "scenarios"):
        assert bundled.found(other) == Path(other)
    (tmp_path / "dumbbell").write_text("mine")
    assert bundled.found("dumbbell") == Path("dumbbell"), "a file of the user's comes first"


def test_a_folder_hides_no_ready_made_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("dumbbell", "mine"):
        (tmp_path / folder).mkdir()
    words = ["--set", "run.duration=6 s", "--quiet"]
    done = photocol("run", "dumbbell", *words)
    assert done.returncode == 0, done.stderr
    assert "photocol: dumbbell is a folder here; the ready-made scenario of that name is taken\n" in done.stderr
    assert "is a folder here" in photocol("check", "dumbbell").stderr
    assert "is a folder here" not in photocol("check", "md1").stderr
    # A folder that no scenario is called like is what it was: no file.
    done = photocol("run", "mine", *words)
    assert (done.returncode, "mine: not a regular file" in done.stderr) == (2, True), done.stderr


def test_a_package_has_what_its_folder_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("scenarios", "experiments"):
        (tmp_path / name).mkdir()
    (tmp_path / "scenarios" / "mine.toml").write_text("# What it is. More.\n")
    monkeypatch.setattr(bundled, "_PLACES", (tmp_path, tmp_path / "no checkout"))
    assert bundled.scenarios() == [("mine", "What it is.")]
    monkeypatch.chdir("/")
    assert experiments_folder() == tmp_path / "experiments"


def test_experiments_are_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "002/baseline" in find_experiments(experiments_folder())


def test_lists_are_for_programs_too() -> None:
    listed = json.loads(photocol("list", "scenarios", "--json").stdout)
    assert {"name", "summary", "source"} == set(listed["scenarios"][0])
    assert [one["name"] for one in listed["scenarios"]] == sorted(
        one.stem for one in (ROOT / "scenarios").glob("*.toml")
    )
    assert all(one["summary"][-1] in ".?!" for one in listed["scenarios"])
    assert {"topologies", "transports", "models"} <= set(json.loads(photocol("list", "--json").stdout))


def test_a_check_is_for_programs_too(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    done = photocol("check", file, "--json")
    known = json.loads(done.stdout)
    assert (done.returncode, known["valid"], known["duration_s"]) == (0, True, 2.0)
    assert known["resolved"]["run"]["seed"] == 7
    file.write_text(SMALL.replace("bottleneck_delay", "botleneck_delay"))
    done = photocol("check", file, "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["line"], error["key"]) == (2, 11, "topology.botleneck_delay")
    assert error["message"] in done.stderr


def test_a_misused_command_is_told_with_its_help() -> None:
    done = photocol("run", "--sed", "3", "dumbbell")
    assert done.returncode == 2
    assert done.stderr.startswith("photocol run: No such option '--sed'")
    assert "Usage: photocol run [OPTIONS] SCENARIO" in done.stderr
    assert "--shuffle-ties" in done.stderr
    done = photocol("rnu")
    assert done.returncode == 2
    assert re.fullmatch(r"photocol: No such command 'rnu'.*; see photocol --help\n", done.stderr)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_one_that_it_reads(shell: str, tmp_path: Path) -> None:
    done = photocol("completion", shell)
    assert "_PHOTOCOL_COMPLETE" in done.stdout
    assert f"# photocol completion {shell} > " in done.stdout
    if shutil.which(shell):
        file = tmp_path / "script"
        file.write_text(done.stdout)
        subprocess.run([shell, "-n", str(file)], check=True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("photocol pl", ["plot"]),
        ("photocol run dumb", ["dumbbell"]),
        ("photocol model erlang-", ["erlang-b", "erlang-fixed-point"]),
        ("photocol reproduce 002/base", ["002/baseline"]),
        ("photocol list topo", ["topologies"]),
        ("photocol run --se", ["--set", "--seed"]),
        ("photocol run dumbbell --set run.du", ["run.duration="]),
        ("photocol run dumbbell --set topology.bott", ["topology.bottleneck_buffer=", "topology.bottleneck_delay="]),
        ("photocol run dumbbell --set traffic.0.fl", ["traffic.0.flows="]),
        ("photocol sweep dumbbell --grid traffic.0.fl", ["traffic.0.flows="]),
        ("photocol sweep scenarios/sweeps/buffers.toml --set run.du", ["run.duration="]),
        ("photocol sweep dumbbell --keep fl", ["flows"]),
        ("photocol model erlang-b --set se", ["servers="]),
        ("photocol plot --over erlang-f", ["erlang-fixed-point"]),
    ],
)
def test_bash_is_told_what_fits(words: str, offered: list[str]) -> None:
    asked = environment(_PHOTOCOL_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1))
    done = subprocess.run([PROGRAM], env=asked, capture_output=True, text=True, check=False)
    found = [line.partition(",")[2] for line in done.stdout.splitlines()]
    assert set(offered) <= set(found), done


@pytest.mark.skipif(os.name != "posix", reason="tools/wheels is a shell script")
def test_a_package_would_have_every_ready_made_file() -> None:
    script = (ROOT / "tools" / "wheels").read_text()
    assert "git ls-files -z scenarios experiments schema" in script
    assert "python/photocol/ready_made/**/*" in (ROOT / "pyproject.toml").read_text()
