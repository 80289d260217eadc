"""Which code of others is executed, and that a person has asked for it or has been shown all of it."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import json
import py_compile
import stat
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest
from command import arguments
from test_laws import FILE, scenario_file

import photocol
from photocol import InputError
from photocol.experiments.verify import Recorded
from photocol.lab import answers
from photocol.report import ro_crate
from photocol.runs import known_code, laws
from photocol.runs.scenario import ScenarioText
from photocol.sweeps.campaign.job import Job, JobError, engine
from photocol.sweeps.campaign.local import Worker, on_this_machine
from photocol.sweeps.campaign.store import Store

if TYPE_CHECKING:
    from pathlib import Path


def command(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which has executed nothing before."""
    return subprocess.run(arguments(*words), cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


PLANTED = FILE.replace(
    "import photocol\n", "import pathlib, photocol\npathlib.Path(__file__).with_name('executed').touch()\n"
)


def planted(folder: Path, law: str = "my_laws.py:Steady") -> Path:
    """A scenario whose law leaves a mark where it is executed."""
    folder.mkdir(exist_ok=True)
    file = scenario_file(folder, law)
    (folder / "my_laws.py").write_text(PLANTED)
    return file


def test_what_only_reads_executes_no_law(tmp_path: Path) -> None:
    file, mark = planted(tmp_path), tmp_path / "executed"
    assert command("check", file, "--explain").returncode == 0
    photocol.check(file)
    assert not mark.exists()
    done = command("run", file, "--quiet", "--out", tmp_path / "out")
    assert done.stderr.count(f"photocol: executes {tmp_path / 'my_laws.py'}, for the class Steady\n") == 1
    mark.unlink()
    swept = command("sweep", file, "--grid", "run.seed=1,2", "--quiet", "--jobs", "1", "--out", tmp_path / "s")
    assert swept.stderr.count("photocol: executes") == 1, swept.stderr
    mark.unlink()
    for words in (
        ("report", "out"),
        ("plot", "out", "--text"),
        ("export", "--ro-crate", "out"),
        ("sweep", "status", "s"),
        ("sweep", "export", "s"),
        ("report", "s"),
    ):
        assert command(*words, cwd=tmp_path).returncode == 0, words
        assert not mark.exists(), words


@pytest.mark.parametrize("words", [("verify", "out"), ("sweep", "resume", "s")])
def test_a_recorded_law_is_executed_as_it_was_or_with_allow_code(tmp_path: Path, words: tuple[str, ...]) -> None:
    file, mark = planted(tmp_path), tmp_path / "executed"
    command("run", file, "--quiet", "--out", tmp_path / "out")
    command("sweep", file, "--grid", "run.seed=1,2", "--quiet", "--jobs", "1", "--out", tmp_path / "s")
    for row in (tmp_path / "s" / "runs").iterdir():
        (row / "row.json").unlink(missing_ok=True)
    mark.unlink()
    assert command(*words, cwd=tmp_path).returncode == 0
    assert mark.exists()
    mark.unlink()
    for row in (tmp_path / "s" / "runs").iterdir():
        (row / "row.json").unlink(missing_ok=True)
    (tmp_path / "my_laws.py").write_text(PLANTED + "# another\n")
    refused = command(*words, cwd=tmp_path)
    assert refused.returncode != 0 and "--allow-code" in refused.stderr and not mark.exists()
    command(*words, "--allow-code", cwd=tmp_path)
    assert mark.exists()


def test_a_file_in_the_directory_is_never_executed(tmp_path: Path) -> None:
    """The manifest names the planted file with its right digest, and is sealed anew."""
    file, out = planted(tmp_path / "home"), tmp_path / "out"
    command("run", file, "--quiet", "--out", out)
    (out / "evil.py").write_text(PLANTED.replace("executed", "harmed"))
    former, digest = str(file.with_name("my_laws.py")), hashlib.sha256((out / "evil.py").read_bytes()).hexdigest()
    manifest = json.loads((out / "manifest.json").read_text().replace(former, str(out / "evil.py")))
    for law in manifest["laws"].values():
        law["sha256"] = digest
    (out / "manifest.json").write_text(json.dumps(manifest))
    done = command("verify", out)
    assert done.returncode == 1 and "is not executed" in done.stderr
    assert not (out / "harmed").exists()


@pytest.mark.parametrize("words", [("verify", "out"), ("sweep", "resume", "s")])
@pytest.mark.parametrize("stranger", [True, False])
def test_a_law_that_this_user_has_never_run_is_not_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], stranger: bool
) -> None:
    """What a run of somebody else records is no permission, with its right digest, whatever path names the file."""
    home = tmp_path / "home"
    file = planted(home)
    command("run", file, "--quiet", "--out", home / "out")
    command("sweep", file, "--grid", "run.seed=1,2", "--quiet", "--jobs", "1", "--out", home / "s")
    (home / "executed").unlink()
    for row in (home / "s" / "runs").iterdir():
        (row / "row.json").unlink(missing_ok=True)
    for folder in (home / "out", home / "s"):
        text = (folder / "manifest.json").read_text()
        (folder / "manifest.json").write_text(text.replace(str(home / "my_laws.py"), "/proc/self/cwd/my_laws.py"))
    if stranger:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    done = command(*words, cwd=home)
    assert (home / "executed").exists() != stranger, done.stderr
    if stranger:
        assert "not one that you have run before" in done.stderr and "--allow-code" in done.stderr, done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_workers_execute_what_is_permitted_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.chdir(tmp_path)
    file = planted(tmp_path)
    before = Worker(store=Store(tmp_path), run=engine)
    with laws.only({}):
        within = Worker(store=Store(tmp_path), run=engine)
    assert (before.permitted, within.permitted) == (None, {})
    job = Job(origin=Recorded(ScenarioText(file.read_text(), str(tmp_path), "x")), point={"k": 1}, settings={}, seed=1)
    jobs_ = [job, dataclasses.replace(job, seed=2)]
    with pytest.raises(JobError, match="is not executed"):
        list(on_this_machine(within, workers=int(jobs))(jobs_))
    assert not (tmp_path / "executed").exists()
    assert [row.seed for row in on_this_machine(before, workers=int(jobs))(jobs_)]
    assert (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    ("name", "files", "why"),
    [
        ("pk.m:Steady", {"pk/__init__.py": "", "pk/m.py": FILE}, "part of a package"),
        ("pk:Steady", {"pk/__init__.py": FILE}, "part of a package"),
        ("one:Steady", {"one.py": f"import two\n{FILE}", "two.py": ""}, "imports two, which lies beside it"),
        ("one:Steady", {"one.py": f"def f():\n    from two.x import y\n{FILE}", "two/x.py": ""}, "imports two, which"),
    ],
)
def test_a_law_is_permitted_only_as_a_single_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, files: dict[str, str], why: str
) -> None:
    """What a person is shown, and what a digest is taken of, is all of its author's that is executed."""
    for place, text in files.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    digests = {str(tmp_path / place): hashlib.sha256(text.encode()).hexdigest() for place, text in files.items()}
    with laws.only(digests), pytest.raises(InputError, match=f"is not executed: .*{why}"):
        laws.find(name)
    with pytest.raises(InputError, match=why):
        laws.shown_before([name])
    (tmp_path / "alone.py").write_text(f"import math\n{FILE}")
    shown = laws.shown_before(["alone:Steady"])
    assert list(shown) == [str(tmp_path / "alone.py")]
    with laws.only(shown):
        assert laws.find("alone:Steady").__name__ == "Steady"


def test_what_is_executed_is_what_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other encoding makes code of a comment, no compiled file stands in for the source."""
    hidden = "# coding: utf-7\n# harmless +AAo-raise SystemExit('executed')\n"
    file = tmp_path / "law_in_utf_7.py"
    file.write_text(hidden + FILE)
    assert laws.find(f"{file}:Steady").__name__ == "Steady"
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\n# \xe9\n" + FILE.encode())
    with pytest.raises(InputError, match=r"latin\.py is not UTF-8"):
        laws.find(f"{tmp_path / 'latin.py'}:Steady")
    source, other = tmp_path / "compiled_law.py", tmp_path / "other.py"
    source.write_text(FILE)
    other.write_text("raise SystemExit('executed')")
    target = importlib.util.cache_from_source(str(source))
    py_compile.compile(str(other), target, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    monkeypatch.syspath_prepend(str(tmp_path))
    with laws.only(laws.shown_before(["compiled_law:Steady"])):
        assert laws.find("compiled_law:Steady").__name__ == "Steady"
    (tmp_path / "returns.py").write_bytes(b"# one\rtwo = 2\r\nthree = 3\n")
    assert answers.shown_file(str(tmp_path / "returns.py"), "")["text"] == "# one\ntwo = 2\nthree = 3\n"


def test_code_that_was_run_is_kept_for_its_owner_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file, link, digest = tmp_path / "a.py", tmp_path / "link.py", "0" * 64
    file.touch()
    link.symlink_to(file)
    assert not known_code.is_known(str(file), digest)
    known_code.remember({str(file): digest})
    assert known_code.is_known(str(file), digest) and known_code.is_known(str(link), digest)
    assert not known_code.is_known(str(file), "1" * 64) and not known_code.is_known("a.py", digest)
    assert not known_code.is_known("/a\0b", digest)
    folder = tmp_path / "state" / "photocol" / "code"
    (kept,) = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(kept.stat().st_mode)) == (0o700, 0o600)
    assert capsys.readouterr().err == ""
    kept.chmod(0o666)
    assert not known_code.is_known(str(file), digest) and "can be written by others" in capsys.readouterr().err
    kept.chmod(0o600)
    kept.write_bytes(b"\xff{")
    assert not known_code.is_known(str(file), digest) and "is ignored: it is damaged" in capsys.readouterr().err
    known_code.remember({str(file): digest})
    assert known_code.is_known(str(file), digest)
    monkeypatch.setattr(known_code, "_MOST", 3)
    for number in range(5):
        known_code.remember({str(file): f"{number}"})
    assert len(list(folder.iterdir())) == 3 and known_code.is_known(str(file), "4")
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    known_code.remember({str(file): digest})
    assert not known_code.is_known(str(file), digest)


def test_a_crate_has_nothing_of_what_links_lead_to_outside(tmp_path: Path) -> None:
    """Nor what is hidden; a link within the folder is a file like others."""
    secrets, out = tmp_path / "secrets", tmp_path / "out"
    secrets.mkdir()
    (secrets / "key").write_text("secret")
    (out / "inside").mkdir(parents=True)
    (out / "manifest.json").write_text('{"photocol": "run"}')
    (out / "inside" / "a.txt").write_text("a")
    (out / ".hidden").write_text("secret")
    for name, target in {
        "key": secrets / "key",
        "relative": "../secrets/key",
        "all": secrets,
        "inside/deep": secrets / "key",
        "hidden": ".hidden",
        "again.txt": "inside/a.txt",
        "gone": secrets / "none",
        "turn": "turn",
        "out": ".",
    }.items():
        (out / name).symlink_to(target)
    (tmp_path / "link").symlink_to(out)
    outside = ["all", "gone", "hidden", "inside/deep", "key", "relative"]
    for number, folder in enumerate((out, tmp_path / "link")):
        said: list[str] = []
        archive = tmp_path / f"{number}.zip"
        ro_crate.write(folder, archive, said.append)
        assert [one.split(" is left out")[0] for one in said] == [str(folder / name) for name in outside]
        with zipfile.ZipFile(archive) as packed:
            assert sorted(packed.namelist()) == ["again.txt", "inside/a.txt", "manifest.json", ro_crate.METADATA]
            assert not any(b"secret" in packed.read(name) for name in packed.namelist())
