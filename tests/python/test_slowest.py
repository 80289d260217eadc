"""The table of the slowest tests in CONTRIBUTING: there, of tests that there are, and of these days."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
DAYS = 30


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    from processes import loaded

    return loaded(ROOT / "tools" / "slowest-tests")


def written(tool: ModuleType, page: str) -> tuple[datetime.date, list[str]]:
    """The day and the tests of the page's table."""
    inside = page.split(tool.BEGIN)[1].split(tool.END)[0]
    [day] = re.findall(r"^Measured on (\d{4}-\d\d-\d\d):$", inside, re.MULTILINE)
    return datetime.date.fromisoformat(day), re.findall(r"^\| `(\S+)` \| \d+ \|$", inside, re.MULTILINE)


def test_the_table_has_ten_tests_that_there_are(tool: ModuleType) -> None:
    _, tests = written(tool, tool.PAGE.read_text(encoding="utf-8"))
    assert len(set(tests)) == tool.COUNT
    for test in tests:
        place, _, name = test.partition("::")
        files = [ROOT / place] if place.endswith(".py") else (ROOT / "crates" / place.split("/")[0]).rglob("*.rs")
        function = name.rpartition("::")[2].partition("[")[0]
        assert any(f" {function}(" in file.read_text(encoding="utf-8") for file in files), test


def test_the_table_is_of_the_last_thirty_days_of_commits(tool: ModuleType) -> None:
    asked = subprocess.run(["git", "log", "-1", "--format=%cs"], cwd=ROOT, capture_output=True, text=True, check=False)
    if asked.returncode != 0 or not asked.stdout.strip():
        pytest.skip("no repository")
    day, _ = written(tool, tool.PAGE.read_text(encoding="utf-8"))
    assert datetime.date.fromisoformat(asked.stdout.strip()) - day <= datetime.timedelta(days=DAYS)


def test_the_tool_writes_the_slowest_first(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, times = tmp_path / "page.md", tmp_path / "times"
    page.write_text(f"before\n{tool.BEGIN}\nold\n{tool.END}after\n", encoding="utf-8")
    lines = [f"tests/python/test_{number}.py::test_it\t{100 - number}.00\t{number}.40\n" for number in range(12)]
    times.write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr(tool, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["slowest-tests", str(times)])
    tool.main()
    text = page.read_text(encoding="utf-8")
    day, tests = written(tool, text)
    assert day == datetime.date.fromtimestamp(times.stat().st_mtime)
    assert tests == [f"tests/python/test_{number}.py::test_it" for number in range(11, 1, -1)]
    assert text.startswith("before\n")
    assert text.endswith("after\n")
