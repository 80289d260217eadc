"""No test of the Rust side is forgotten: cargo does not look for files in `crates/*/tests` by itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(folder.parent for folder in (ROOT / "crates").glob("*/tests"))
PAGES = [ROOT / "Makefile", *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "crates").rglob("*.rs")]
NAMED = re.compile(r"cargo test\b[^`\n]*?(?:-p|--package) photocol-(\w+)[^`\n]*? --test (\w+)")


def programs(crate: Path) -> set[str]:
    """The programs of tests that cargo builds for a crate."""
    manifest = tomllib.loads((crate / "Cargo.toml").read_text())
    if manifest["package"].get("autotests", True):
        return {file.stem for file in (crate / "tests").glob("*.rs")}
    return {test["name"] for test in manifest.get("test", [])}


def undeclared(files: set[str], built: set[str], modules: str) -> set[str]:
    """The files that belong to no program."""
    return files - built - set(re.findall(r"^mod (\w+);$", modules, re.M))


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_each_file_of_tests_belongs_to_a_program(crate: Path) -> None:
    files = {file.stem for file in (crate / "tests").glob("*.rs")}
    together = crate / "tests" / "all.rs"
    modules = together.read_text() if together.exists() else ""
    assert undeclared(files, programs(crate), modules) == set(), f"declare it in {together.relative_to(ROOT)}"
    assert programs(crate) <= files


def test_a_file_that_nothing_declares_is_found() -> None:
    modules = "mod support;\nmod old;\n// mod new;\n"
    assert undeclared({"all", "runs", "old", "new"}, {"all", "runs"}, modules) == {"new"}


def test_commands_name_programs_that_exist() -> None:
    found = {(path, *names) for path in PAGES for names in NAMED.findall(path.read_text())}
    assert len(found) >= 5, "the Makefile and the guide name some"
    assert [row for row in found if row[2] not in programs(ROOT / "crates" / row[1])] == []


def test_the_unoptimized_build_checks_every_crate_that_the_simulator_is_made_of() -> None:
    profiles = tomllib.loads((ROOT / "tools" / "checked.toml").read_text())["profile"]["release"]["package"]
    crates = {folder.parent.name for folder in (ROOT / "crates").glob("*/Cargo.toml")} - {"linux", "py"}
    assert set(profiles) == {f"photocol-{name}" for name in crates}
    for name, profile in profiles.items():
        assert profile["opt-level"] == 0, name
        assert profile["overflow-checks"] is profile["debug-assertions"] is True, name


def test_the_quick_tests_are_there() -> None:
    named = (ROOT / "tests" / "python" / "quick.txt").read_text().split()
    assert named == sorted(set(named))
    assert [name for name in named if not (ROOT / "tests" / "python" / name).is_file()] == []


def test_make_runs_the_tests_that_are_alone_and_all_others() -> None:
    makefile = (ROOT / "Makefile").read_text()
    calls = re.findall(r"^(test-\w+):\n\t\$\(ALONE\) \$\(PYTHON\) -m pytest (.*)$", makefile, re.MULTILINE)
    marks = {target: re.findall(r'-m ("[^"]*"|\S+)', options) for target, options in calls}
    assert marks == {"test-together": ['"not alone"'], "test-alone": ["alone"]}
    [test] = re.findall(r"^test: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert all(target in test for target in marks)
