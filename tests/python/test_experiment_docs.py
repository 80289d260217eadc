"""The Python that the documentation shows runs, and gives what it says."""

import re
from pathlib import Path

import polars as pl
import pytest

from photocol.reproduce import reproduce

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


def test_the_example_of_the_experiments_page_runs(tmp_path, monkeypatch):
    [block] = python_blocks(ROOT / "docs" / "experiments.md")
    file = tmp_path / "experiments" / "900" / "figure-1.py"
    file.parent.mkdir(parents=True)
    file.write_text(block)
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(file.parents[1]))
    assert reproduce(["900"], jobs=1, out=tmp_path / "out", quiet=True) == 0
    table = pl.read_csv(tmp_path / "out" / "900" / "figure-1" / "table.csv")
    assert table["buffer_packets"].to_list() == [10, 400]
