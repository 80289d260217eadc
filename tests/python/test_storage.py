"""A results directory is whole or absent, and nobody's files are touched."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from photocol import InputError
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_a_link_stays_a_link_and_its_directory_gets_the_run(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "scratch")
    for text in ("first", "second"):
        storage.write_directory(link, fill(text))
        assert link.is_symlink()
        assert (tmp_path / "scratch" / "part" / "data").read_text() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "scratch"]
    assert sorted(path.name for path in link.iterdir()) == [storage.MARK, "part"]


def test_where_a_directory_is_the_mark_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory is whole if and only if it has the mark; a former run loses it first, where no swap is to be had."""
    target, there = tmp_path / "run", []
    target.mkdir()
    rename = type(target).rename

    def watched(self: Path, new: Path) -> Path:
        there.append((self.name, (target / storage.MARK).exists()))
        return rename(self, new)

    monkeypatch.setattr(type(target), "rename", watched)
    monkeypatch.setattr(storage, "_replaced", lambda _new, _target: False)
    for _ in range(2):
        there.clear()
        storage.write_directory(target, fill("ours"))
        assert there == [("part", False), (storage.MARK, False)]
    assert (target / "lost+found").mkdir() is None
    storage.check_target(target)


def recorded(**files: str) -> Callable[[Path], None]:
    """Writes a run whose manifest names its files."""

    def write(folder: Path) -> None:
        for name, text in files.items():
            (folder / name).write_text(text)
        (folder / storage.MARK).write_text(json.dumps({"files": dict.fromkeys(files, "digest")}))

    return write


KILLED = """
import os, pathlib, signal, sys
sys.path.insert(0, {tests!r})
from photocol.runs import storage
from test_storage import recorded
whole, left = pathlib.Path.rename, int(sys.argv[2])
def rename(self, new):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, new)
pathlib.Path.rename = rename
storage._replaced = lambda new, target: False
storage.write_directory(pathlib.Path(sys.argv[1]), recorded(a="new", b="new", c="new"))
"""


@pytest.mark.parametrize("renames", [0, 1, 3])
@pytest.mark.parametrize("had", [False, True])
def test_what_a_process_killed_while_renaming_has_left_is_replaced(tmp_path: Path, renames: int, had: bool) -> None:
    """Of a, b, c and the mark so many are renamed; a former run had d, and a picture made of it later."""
    target = tmp_path / "run"
    target.mkdir()
    if had:
        storage.write_directory(target, recorded(a="old", d="old"))
        (target / "report.html").write_text("old")
    script = KILLED.format(tests=str(Path(__file__).parent))
    done = subprocess.run([sys.executable, "-c", script, target, str(renames)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert not (target / storage.MARK).exists()
    (target / "chapter-1.tex").write_text("dear")
    with pytest.raises(InputError, match="not a photocol run"):
        storage.check_target(target)
    (target / "chapter-1.tex").unlink()
    storage.check_target(target)
    storage.remove_leftovers(tmp_path, "run")
    storage.write_directory(target, recorded(a="newest"))
    assert sorted(path.name for path in target.iterdir()) == ["a", storage.MARK]


def test_files_of_a_run_that_no_killed_process_has_left_are_somebodys(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text("dear")
    with pytest.raises(InputError, match="not a photocol run"):
        storage.check_target(tmp_path)
    storage.remove_leftovers(tmp_path.parent, tmp_path.name)
    assert (tmp_path / "scenario.toml").read_text() == "dear"


def test_a_mount_point_is_written(tmp_path: Path) -> None:
    """A file system of its own cannot be renamed: EBUSY."""
    target = tmp_path / "mounted"
    target.mkdir()
    script = (
        "import pathlib, sys; from photocol.runs import storage; target = pathlib.Path(sys.argv[1])\n"
        "for text in 'ab':\n"
        "    storage.check_target(target)\n"
        "    names = ('data', storage.MARK)\n"
        "    storage.write_directory(target, lambda new: [(new / name).write_text(text) for name in names])\n"
        "print((target / 'data').read_text(), sorted(path.name for path in target.iterdir()))\n"
    )
    mount = 'mount -t tmpfs none "$0" && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", mount, str(target), sys.executable, "-c", script, str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("nobody may mount here")
    assert done.stdout == "b ['data', 'manifest.json']\n", done.stderr


def test_a_file_is_whole_or_what_it_was_and_no_link_is_followed(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "report.html"
    other.write_text("dear")
    file.symlink_to(other)
    storage.write_text(file, "page")
    assert (other.read_text(), file.read_text(), file.is_symlink()) == ("dear", "page", False)

    def full(new: Path) -> None:
        new.write_text("half")
        assert new.parent.stat().st_mode & 0o077 == 0, "nobody else looks into its folder"
        raise OSError(28, "No space left on device", str(new))

    with pytest.raises(OSError, match="No space left") as error:
        storage.replace(file, full)
    assert (file.read_text(), error.value.filename) == ("page", str(file))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "report.html"]
