"""The tables of changes that no test notices: page, counts and survivors say the same, and the night runs all rooms."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from test_publishing import program

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return program("mutants")


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_the_page_has_the_table_of_the_counts(tool: ModuleType) -> None:
    page = tool.PAGE.read_text(encoding="utf-8")
    assert page.split(tool.BEGIN)[1].split(tool.END)[0].strip() == tool.rooms_table().strip()


def test_every_change_that_ran_is_in_one_column(tool: ModuleType) -> None:
    counts = rows(tool.COUNTS)
    assert [row["room"] for row in counts] == list(tool.ROOMS)
    for row in counts:
        fates = sum(int(row[column]) for column in ("do not compile", "noticed", "change nothing", "survive"))
        assert fates == int(row["run"]) <= int(row["changes"]), row["room"]


def test_the_survivors_are_as_many_as_counted_and_lie_in_their_rooms(tool: ModuleType) -> None:
    found: Counter[tuple[str, bool]] = Counter()
    for row in rows(tool.TABLE):
        crate, _, folder = row["room"].partition("/")
        assert row["file"].startswith(f"crates/{crate}/src/{folder}"), row
        assert (ROOT / row["file"]).is_file(), row
        found[row["room"], bool(row["reason"])] += int(row["times"])
    for row in rows(tool.COUNTS):
        assert found[row["room"], True] == int(row["change nothing"]), row["room"]
        assert found[row["room"], False] == int(row["survive"]), row["room"]


def test_the_tests_of_a_room_are_there(tool: ModuleType) -> None:
    for name, room in tool.ROOMS.items():
        modules = (ROOT / "crates" / room.crate / "tests" / "all.rs").read_text(encoding="utf-8")
        for module in room.integration:
            assert re.search(rf"^mod {module.removesuffix('::')}", modules, re.MULTILINE), f"{name}: {module}"
        assert (ROOT / tool.files_of(name)[1].removesuffix("/**")).is_dir(), name


def test_the_night_runs_every_room(tool: ModuleType) -> None:
    nightly = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text(encoding="utf-8"))
    assert nightly["jobs"]["mutants"]["strategy"]["matrix"]["room"] == list(tool.ROOMS)


def test_without_cargo_mutants_it_says_how_to_get_it(tmp_path: Path) -> None:
    cargo = tmp_path / "cargo"
    cargo.write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
    cargo.chmod(0o755)
    asked = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = [sys.executable, str(ROOT / "tools" / "mutants"), "transport/ndp"]
    done = subprocess.run(command, env=asked, capture_output=True, text=True, check=False)
    expected = "mutants: cargo mutants is not installed; run `cargo install cargo-mutants --locked`\n"
    assert (done.returncode, done.stderr) == (1, expected)
