"""The checkout itself: locks that fit, nothing that names where packages come from."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
REGISTRIES = re.compile(
    rb"py" rb"pi\.(org|python)|python" rb"hosted\.org|(index|static)\.crates" rb"\.io|ana" rb"conda\.org"
)


def locked(name: str) -> list[str]:
    pins = re.findall(rf"^{re.escape(name)}==(\S+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    return [str(pin) for pin in pins]


def test_the_lock_fits_the_declared_dependencies() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    grouped = [text for group in declared["dependency-groups"].values() for text in group if isinstance(text, str)]
    for text in declared["project"]["dependencies"] + grouped:
        requirement = Requirement(text)
        versions = locked(requirement.name)
        assert versions, f"{text} is not in requirements.lock: run tools/lock"
        assert all(requirement.specifier.contains(version) for version in versions), f"{text}: run tools/lock"


def test_every_locked_package_has_hashes() -> None:
    for lock in ("requirements.lock", "requirements-uv.lock"):
        entries = re.split(r"^(?=[a-z])", (ROOT / lock).read_text(), flags=re.MULTILINE)[1:]
        assert all("--hash=sha256:" in entry for entry in entries)


def test_no_file_says_where_packages_come_from() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    files = [ROOT / name.decode() for name in names if name]
    guilty = [file for file in files if file.is_file() and REGISTRIES.search(file.read_bytes())]
    assert guilty == []


def test_bare_make_lists_every_target() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("run", "test", "check", "bench", "reproduce", "docs", "clean"):
        assert re.search(rf"^  make {target} ", listed, re.MULTILINE)
