"""A campaign killed with -9 and gone on with is the campaign that was not; `kill_campaign.py` kills more often."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest
from kill_campaign import campaign, disturbed, same_tables

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["single", "pool"])
def test_killed_campaigns_lose_nothing_and_do_nothing_twice(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = 60
    said = disturbed(tmp_path / "killed", kind=kind, kills=2, runs=runs, draw=random.Random(1))
    assert said.startswith(f"{kind}: 2 kills, {runs} runs")
    (tmp_path / "marks").mkdir()
    monkeypatch.setenv("MARKS", str(tmp_path / "marks"))
    campaign(str(tmp_path / "whole"), runs, "single", "")
    assert len(os.listdir(tmp_path / "marks")) == runs  # noqa: PTH208
    same_tables(tmp_path / "killed" / "o", tmp_path / "whole")
