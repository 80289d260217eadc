"""The engine's instructions and mispredictions per packet-hop do not rise without a recorded reason."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

TOOL = Path(__file__).parents[2] / "tools" / "instructions"
RECORD = {
    "date": "2026-11-21",
    "subject": "engine: a change",
    "s1_instructions": "400",
    "s1_mispredictions": "1.0",
    "s2_instructions": "440",
    "s2_mispredictions": "1.5",
}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("instructions", str(TOOL))
    spec = importlib.util.spec_from_loader("instructions", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["instructions"] = module
    loader.exec_module(module)
    return module


def test_the_engine_takes_no_more_than_the_last_record() -> None:
    run = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    if run.returncode == 3:
        pytest.skip(run.stdout.strip())
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("name", "value", "sentences"),
    [
        ("s1_instructions", 407.9, 0),  # 2 % above 400 are 408
        ("s1_instructions", 408.1, 1),
        ("s2_instructions", 448.7, 0),  # 448.8
        ("s2_instructions", 448.9, 1),
        ("s1_mispredictions", 1.09, 0),  # 10 % above 1.0 are 1.1
        ("s1_mispredictions", 1.11, 1),
        ("s2_mispredictions", 1.64, 0),  # 1.65
        ("s2_mispredictions", 1.66, 1),
        ("s1_instructions", 451.0, 2),  # and above the promised 450
        ("s1_instructions", 1.0, 0),
    ],
)
def test_what_is_above_its_tolerance_is_said(tool: ModuleType, name: str, value: float, sentences: int) -> None:
    assert len(tool.above({name: value}, RECORD)) == sentences


def test_what_is_promised_holds_even_if_the_record_is_above_it(tool: ModuleType) -> None:
    (sentence,) = tool.above({"s1_instructions": 451.0}, {**RECORD, "s1_instructions": "460"})
    assert sentence == "s1_instructions per packet-hop: 451, promised are at most 450"


def test_a_record_says_when_what_and_why(tool: ModuleType) -> None:
    records = tool.recorded()
    assert records
    for record in records:
        assert all(record[key] for key in ("date", "subject", "reason", "compiler"))
        assert all(float(record[name]) > 0 for name in RECORD if name.startswith(("s1", "s2")))


def test_a_record_is_one_line_and_reads_back(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "TREND", tmp_path / "trend.csv")
    monkeypatch.setattr(tool, "compiler", lambda: "rustc 1.0.0")
    found = {name: 1.25 for name in RECORD if name not in ("date", "subject")}
    tool.append(found, "a, b", 'because "c"')
    tool.append(found, "d", "e")
    first, second = tool.recorded()
    assert (first["subject"], first["reason"], second["reason"]) == ("a, b", 'because "c"', "e")
    assert {name: float(first[name]) for name in found} == found
    assert tool.above(found, first) == []
