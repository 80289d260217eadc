"""Crates that others can use: what may be published, on what it depends, and what it knows of the simulator."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = ["control", "options", "transport", "units"]


def manifest(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))


WORKSPACE = manifest(ROOT)["workspace"]
MEMBERS = [ROOT / member for member in WORKSPACE["members"]]


def test_four_crates_are_published_and_all_others_are_not() -> None:
    published = [folder.name for folder in MEMBERS if manifest(folder)["package"].get("publish", True)]
    assert sorted(published) == PUBLIC
    assert manifest(ROOT / "fuzz")["package"]["publish"] is False


def test_every_crate_of_ours_has_the_one_version() -> None:
    version = WORKSPACE["package"]["version"]
    for name, dependency in WORKSPACE["dependencies"].items():
        assert dependency["version"] == version, name
    for folder in MEMBERS:
        known = manifest(folder)
        assert known["package"]["version"] == {"workspace": True}, folder
        ours = [one for one in known.get("dev-dependencies", {}).values() if isinstance(one, dict) and "path" in one]
        assert {one["version"] for one in ours} <= {version}, folder


@pytest.mark.parametrize("name", PUBLIC)
def test_a_published_crate_says_what_it_is_and_depends_on_published_ones(name: str) -> None:
    known = manifest(ROOT / "crates" / name)
    assert {"description", "license", "keywords", "categories", "rust-version"} <= set(known["package"])
    assert len(known["package"]["keywords"]) <= 5
    ours = {
        one
        for one in {**known.get("dependencies", {}), **known.get("dev-dependencies", {})}
        if one in WORKSPACE["dependencies"]
    }
    assert ours <= set(PUBLIC)


def test_the_transports_need_nothing_that_only_the_simulator_needs() -> None:
    assert set(manifest(ROOT / "crates" / "transport")["dependencies"]) == {"libm", "options", "units"}
    assert "dependencies" not in manifest(ROOT / "crates" / "units")
    assert set(manifest(ROOT / "crates" / "options")["dependencies"]) == {"units"}


def test_the_transports_do_not_speak_of_the_simulator() -> None:
    """Its sentence that none of them knows it aside, and those of keys, which every face shows."""
    words, of_a_key = re.compile(r"simulat|\bscenario", re.IGNORECASE), "        ///"
    lines = [
        f"{file.name}: {line.strip()}"
        for file in sorted((ROOT / "crates" / "transport" / "src").rglob("*.rs"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if words.search(line) and not line.startswith(of_a_key)
    ]
    assert lines == ["lib.rs: //! simulator exists."]


def test_a_packages_version_of_rust_is_the_workspaces() -> None:
    stated = WORKSPACE["package"]["rust-version"]
    assert f"Rust {stated} or newer" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"Rust {stated} or newer" in (ROOT / "tools" / "setup").read_text(encoding="utf-8").replace(" is needed", "")
