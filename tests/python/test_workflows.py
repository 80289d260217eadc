"""The workflows cannot run here, so their text is held against the repository: every command that they name exists."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from photocol.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(file: Path) -> dict[Any, Any]:
    read = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(file)["jobs"].values() for step in job["steps"]]


def commands(file: Path) -> str:
    return "\n".join(step["run"] for step in steps(file) if "run" in step)


def strangers(text: str) -> list[str]:
    """Commands of a text that the repository lacks: targets of make, programs of tools/, crates, words of photocol."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    crates = {
        tomllib.loads(file.read_text(encoding="utf-8"))["package"]["name"] for file in ROOT.glob("crates/*/Cargo.toml")
    }
    programs = [name for name in re.findall(r"(?:tools|\.ci)/[\w-]+", text) if name != "tools/rust-version"]
    return [
        *(f"make {name}" for name in re.findall(r"\bmake ([a-z]+)", text) if name not in targets),
        *(name for name in programs if not os.access(ROOT / name, os.X_OK)),
        *(name for name in re.findall(r"--(?:exclude|package) ([\w-]+)", text) if name not in crates),
        *(name for name in re.findall(r"\bphotocol ([a-z]+)\b", text) if name not in app.commands),
        *(
            name
            for name in re.findall(r"[\w/.-]*scenarios/[\w-]+\.toml", text)
            if not (ROOT / name.lstrip("/")).is_file()
        ),
    ]


def test_the_four_workflows_are_there() -> None:
    assert [file.stem for file in FILES] == ["docs", "nightly", "release", "tests"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_command_of_a_workflow_exists(file: Path) -> None:
    assert commands(file)
    assert strangers(re.sub(r'"\$\w+"|\$\w+', "", commands(file))) == []


def test_a_command_that_is_not_there_is_found() -> None:
    text = (
        "make tests; tools/nothing; cargo test --exclude photocol-nothing; photocol rnu; photocol run scenarios/n.toml"
    )
    assert strangers(text) == ["make tests", "tools/nothing", "photocol-nothing", "rnu", "scenarios/n.toml"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_action_is_pinned_and_every_job_has_a_time_and_few_rights(file: Path) -> None:
    used = [step["uses"] for step in steps(file) if "uses" in step]
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@(v\d+(\.\d+)*|[0-9a-f]{40})", name)] == []
    assert workflow(file)["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job for job in workflow(file)["jobs"].values())


def test_the_fuzz_targets_of_the_night_are_all_there_are() -> None:
    known = tomllib.loads((ROOT / "fuzz" / "Cargo.toml").read_text(encoding="utf-8"))
    nightly = workflow(ROOT / ".github" / "workflows" / "nightly.yml")["jobs"]["fuzz"]["strategy"]["matrix"]["target"]
    assert sorted(target["name"] for target in known["bin"]) == sorted(nightly)


def test_nothing_is_published_with_a_secret() -> None:
    assert [file.name for file in FILES if "secrets." in file.read_text(encoding="utf-8")] == []
    jobs = workflow(ROOT / ".github" / "workflows" / "release.yml")["jobs"]
    for name in ("python-package", "crates"):
        assert jobs[name]["permissions"]["id-token"] == "write"
        assert jobs[name]["if"].endswith("startsWith(github.ref, 'refs/tags/v')")


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    script = tmp_path / "tools" / "release-notes"
    script.write_bytes((ROOT / "tools" / "release-notes").read_bytes())
    script.chmod(0o755)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 0.2.0 (2027)\n\n- New.\n\n## [0.1.0] (2026)\n\n### Added\n\n- All.\n"
    )
    for version, notes in {"0.2.0": "- New.\n", "0.1.0": "### Added\n\n- All.\n"}.items():
        done = subprocess.run([script, version], capture_output=True, text=True, check=True)
        assert done.stdout == notes
    done = subprocess.run([script, "0.3.0"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "release-notes: CHANGELOG.md has no section 0.3.0\n")
