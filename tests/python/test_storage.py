"""A results directory is whole or absent, and nobody's files are touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from photocol import InputError, storage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def fill(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "part").mkdir()
        (folder / "part" / "data").write_text(text)
        (folder / storage.MARK).write_text("{}")

    return write


def test_a_run_appears_whole_and_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "run"
    storage.write_directory(target, fill("first"))
    storage.write_directory(target, fill("second"))
    assert (target / "part" / "data").read_text() == "second"
    assert [path.name for path in target.parent.iterdir()] == ["run"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "run"
    storage.write_directory(target, fill("first"))

    def fail(folder: Path) -> None:
        (folder / "half").write_text("…")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        storage.write_directory(target, fail)
    assert (target / "part" / "data").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_empty_directory_is_taken_and_a_foreign_one_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "run"
    target.mkdir()
    storage.write_directory(target, fill("ours"))
    foreign = tmp_path / "thesis"
    foreign.mkdir()
    (foreign / "chapter-1.tex").write_text("dear")
    with pytest.raises(InputError, match="not a photocol run"):
        storage.write_directory(foreign, fill("ours"))
    with pytest.raises(InputError, match="not a directory"):
        storage.check_target(foreign / "chapter-1.tex")
    assert [path.name for path in foreign.iterdir()] == ["chapter-1.tex"]


def test_the_swap_in_two_steps_does_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage.sys, "platform", "other")
    target = tmp_path / "run"
    storage.write_directory(target, fill("first"))
    storage.write_directory(target, fill("second"))
    assert (target / "part" / "data").read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
