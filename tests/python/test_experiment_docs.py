"""The Python that the documentation shows runs, and gives what it says."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

from photocol import _core
from photocol.cli import main
from photocol.experiments.catalogue import experiments_folder, find_experiments
from photocol.experiments.reproduce import reproduce

ROOT = Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))


def python_blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_the_python_of_a_guide_page_runs(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    for block in python_blocks(page):
        exec(compile(block, str(page), "exec"), names)


def test_the_sender_by_hand_prints_what_its_page_says(capsys):
    names = {}
    for block in python_blocks(ROOT / "docs" / "guide" / "sender-by-hand.md"):
        exec(block, names)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["[0, 1000, 2000, 3000, 4000, 5000, 6000]", "14.0 0"]
    assert lines[0] == "[0, 1000, 2000, 3000]"
    assert [line.split()[0] for line in lines[1:4]] == ["1000", "1000", "1000"]


def test_the_experiment_of_the_guide_runs_and_agrees(tmp_path, monkeypatch):
    [block] = python_blocks(ROOT / "docs" / "guide" / "add-an-experiment.md")
    file = tmp_path / "experiments" / "example" / "md1-queue.py"
    file.parent.mkdir(parents=True)
    file.write_text(block)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(file.parents[1]))
    assert reproduce(["example"], jobs=1, out=tmp_path / "out", quiet=True) == 0
    folder = tmp_path / "out" / "example" / "md1-queue"
    assert pl.read_csv(folder / "table.csv")["load_percent"].to_list() == [50, 80]
    [claim] = json.loads((folder / "claims.json").read_text())["claims"]
    assert claim["verdict"] == "agrees"
    assert (folder / "md1-queue.png").is_file()


def test_the_experiment_of_the_guide_has_sixty_lines_at_most():
    [block] = python_blocks(ROOT / "docs" / "guide" / "add-an-experiment.md")
    assert len(block.splitlines()) <= 60


def test_a_new_experiment_is_that_of_the_guide_with_blanks(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "experiments"
    folder.mkdir()
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(folder))
    assert main(["new", "experiment", "example/md1-queue"]) == 0
    text = (folder / "example" / "md1-queue.py").read_text()
    compile(text, "md1-queue.py", "exec")
    [block] = python_blocks(ROOT / "docs" / "guide" / "add-an-experiment.md")
    same = [line for line in text.splitlines() if "___" not in line]
    assert sum(line in block.splitlines() for line in same) >= 0.9 * len(same)
    assert text.count("___") >= 20
    assert main(["new", "experiment", "example/md1-queue"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["new", "experiment", "../elsewhere"]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["experiments"]


def test_no_list_shows_the_examples_of_the_guide():
    found = find_experiments(experiments_folder(start=ROOT))
    assert [name for name in found if name.startswith("example")] == []
    for kind in ("transports", "switching", "probes"):
        assert {"gentle", "turns", "hours"}.isdisjoint(name for name, *_ in _core.catalogue(kind))
