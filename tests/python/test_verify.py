"""A finished run or campaign is repeated from its manifests; what differs is named by layer."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import photocol
from experiment_fakes import EXPERIMENT, checkout
from test_laws import scenario_file
from test_resume import REAL, SCENARIO
from test_sweep import TINY

import photocol as package
from photocol import InputError
from photocol.experiments.reproduce import reproduce
from photocol.experiments.verify import check_files
from photocol.runs import builds, digests, storage
from photocol.runs.fingerprints import difference, joined
from photocol.sweeps.campaign import store

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def run(tmp_path: Path) -> Path:
    package.run(TINY, seed=3, runs=2, set={"traffic.0.flows": 3}, out=tmp_path / "run")
    return tmp_path / "run"


def alter(folder: Path, **changes: object) -> None:
    """Changes a manifest as its own writer would, so that its digest is right."""
    file = folder / "manifest.json"
    file.write_text(digests.sealed({**json.loads(file.read_text()), **changes}))


def test_a_run_is_repeated_with_another_number_of_threads(run: Path) -> None:
    done = photocol("verify", run, "--threads", "2")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 of 1 runs: same bits\n", "")
    layers = json.loads((run / "manifest.json").read_text())["fingerprints"]
    assert set(layers) == {"everything", "wires", "flows"}
    assert package.Result.load(run).fingerprints == layers


def test_a_run_whose_manifest_has_another_seed_differs_on_the_wires(run: Path) -> None:
    alter(run, seed=4)
    done = photocol("verify", run)
    assert done.returncode == 1
    assert done.stdout == (
        "run: differs: what was on the wires and the flows' results (made by this build)\n0 of 1 runs: same bits\n"
    )


def test_layers_tell_a_refactoring_from_a_changed_result() -> None:
    then = {"everything": "1", "wires": "1", "flows": "1"}
    assert difference(then, then) == ""
    assert difference(then, {**then, "everything": "2"}) == (
        "differs: other tables or figures; the same: what was on the wires and the flows' results"
    )
    assert difference(then, {**then, "everything": "2", "flows": "2"}) == (
        "differs: the flows' results; the same: what was on the wires"
    )
    assert difference(then, {**then, "everything": "2", "wires": "2"}) == (
        "differs: what was on the wires; the same: the flows' results"
    )


def test_a_manifest_without_layers_is_compared_by_its_fingerprint(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    for key in ("fingerprints", "files", "sha256", "build"):
        del manifest[key]
    (run / "manifest.json").write_text(json.dumps(manifest))
    done = photocol("verify", run)
    unknown = "1 of them was made by a build that did not say what it was\n"
    assert (done.returncode, done.stdout) == (0, f"1 of 1 runs: same bits\n{unknown}")
    alter(run, fingerprint="0" * 16)
    assert photocol("verify", run).returncode == 1


def test_every_cell_of_a_sweep_is_verified_and_a_changed_one_named(tmp_path: Path) -> None:
    (tmp_path / "tiny.toml").write_text(TINY)
    words = ("--grid", "traffic.0.flows=1,2", "--seeds", "2", "--jobs", "1", "--out", tmp_path / "o")
    assert photocol("sweep", tmp_path / "tiny.toml", *words).returncode == 0
    said = photocol("verify", tmp_path / "o", "--jobs", "1").stdout
    assert said == "4 of 4 runs: same bits\ntable.csv follows from the runs\n"
    table = tmp_path / "o" / "table.csv"
    whole = table.read_text()
    table.write_text(whole.replace("1,", "7,", 1))
    changed = photocol("verify", tmp_path / "o", "--jobs", "1")
    assert (changed.returncode, "table.csv: line " in changed.stdout) == (1, True)
    table.write_text(whole)
    cell = "traffic.0.flows=2,seed=6"
    alter(tmp_path / "o" / "runs" / cell, fingerprints={"everything": "0", "wires": "0", "flows": "0"}, version="0.0.1")
    done = photocol("verify", tmp_path / "o", "--jobs", "2")
    assert done.returncode == 1
    other = f"{cell}: differs: what was on the wires and the flows' results (made by version 0.0.1)"
    assert [line for line in done.stdout.splitlines() if line.startswith(cell)] == [other]
    assert f"runs/{cell}/row.json: its version is not the manifest's" in done.stdout
    assert photocol("verify", tmp_path / "o", "--cell", "traffic.0.flows=1,seed=6").returncode == 0
    wrong = photocol("verify", tmp_path / "o", "--cell", "traffic.0.flows=1,seed=7")
    assert (wrong.returncode, "nearest: traffic.0.flows=1,seed=" in wrong.stderr) == (2, True)


def test_a_figure_is_verified_and_cells_without_a_scenario_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout(tmp_path, text=REAL)
    (tmp_path / "scenarios" / "made-up.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PHOTOCOL_EXPERIMENTS", raising=False)
    photocol("reproduce", "900", "--jobs", "1", "--out", "o")
    said = photocol("verify", "o/900/figure", "--jobs", "1").stdout
    assert said == "4 of 4 runs: same bits\ntable.csv follows from the runs\n"
    model = EXPERIMENT.replace('Setup(scenario="made-up.toml", settings={"buffer": point["buffer_bytes"]})', "ASK")
    model = model.replace(
        "EXPECTED = 0.5",
        'from photocol.experiment import Evaluation\nEXPECTED = 0.5\nASK = Evaluation(model="erlang-b")',
    )
    model = model.replace('settings={"duration": "1 s"}', "note=''").replace('["level"].value', '["blocking"].value')
    checkout(tmp_path / "second", text=model)
    photocol("reproduce", "900", "--jobs", "1", "--out", tmp_path / "m", cwd=tmp_path / "second")
    said = photocol("verify", tmp_path / "m/900/figure", cwd=tmp_path / "second").stdout
    assert (
        said == "0 of 0 runs: same bits; 4 cannot be repeated and were passed over\ntable.csv follows from the runs\n"
    )


@pytest.mark.parametrize(("name", "text"), [("manifest.json", "{"), ("manifest.json", "[]"), ("other", "")])
def test_what_is_no_run_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = photocol("verify", tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def everything_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def planted(file: Path, rng: random.Random) -> Iterator[None]:
    """Faults in a file, one at a time: a bit at any place, a byte more, a byte less, no file."""
    whole = file.read_bytes()
    for place in [0, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(8))]:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        yield
    for content in (whole + b"\n", whole[:-1], b""):
        file.write_bytes(content)
        yield
    file.unlink()
    yield
    file.write_bytes(whole)


def names_it(folder: Path, file: Path) -> bool:
    """Whether the check names the file, or refuses a run of which it cannot read the manifest."""
    name = file.relative_to(folder).as_posix()
    try:
        return any(one.startswith(f"{name}: ") for one in check_files(folder))
    except InputError as error:
        return file == folder / "manifest.json" and (str(file) in str(error) or "has no manifest.json" in str(error))


def every_planted_fault_is_named(folder: Path) -> int:
    assert check_files(folder) == []
    rng, tried = random.Random(13), 0
    for file in everything_in(folder):
        for _ in planted(file, rng):
            assert names_it(folder, file), (file, tried)
            tried += 1
        stranger = file.with_name("stranger")
        stranger.write_text("")
        assert any("stranger: additional" in one for one in check_files(folder)), stranger
        stranger.unlink()
    assert check_files(folder) == []
    return tried


def test_any_change_of_any_file_of_a_run_is_named(tmp_path: Path) -> None:
    settings = {"traffic.0.flows": 2, "trace.enabled": "true", "probe.reordering": "true"}
    package.run(TINY, set=settings, out=tmp_path / "run", pcap=package.Capture())
    # Eight files and the capture, with fourteen changes each.
    assert every_planted_fault_is_named(tmp_path / "run") == 14 * len(everything_in(tmp_path / "run")) >= 14 * 8


def test_any_change_of_any_file_of_a_sweep_is_named(tmp_path: Path) -> None:
    package.sweep(TINY, grid={"traffic.0.flows": [1, 2]}, tables=["flows"], out=tmp_path / "o", jobs=1)
    assert every_planted_fault_is_named(tmp_path / "o") == 14 * (4 + 2 * 3)


def test_any_change_of_any_file_of_a_reproduction_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path, text=REAL)
    (tmp_path / "scenarios" / "made-up.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PHOTOCOL_EXPERIMENTS", raising=False)
    reproduce(["900"], jobs=1, out="o", quiet=True)
    assert every_planted_fault_is_named(tmp_path / "o" / "900" / "figure") >= 14 * (8 + 4 * 2)


def test_what_was_made_of_a_run_later_is_no_stranger(run: Path) -> None:
    for words in (("plot", run), ("report", run)):
        assert photocol(*words).returncode == 0
    assert {"plots", "report.html"} <= {file.name for file in run.iterdir()}
    assert check_files(run) == []


def test_a_manifest_that_contradicts_itself_is_named_though_its_digests_are_right(run: Path) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    for change, said in (
        ({"fingerprint": "0" * 16}, "manifest.json: its fingerprint is not that of its runs"),
        ({"fingerprints": {**manifest["fingerprints"], "wires": "0"}}, "the layer `wires` is not that of its runs"),
        ({"scenario": manifest["scenario"] + "#"}, "scenario_sha256 is not the digest of its scenario"),
        ({"scenario": manifest["scenario"] + "#"}, "scenario.toml: another scenario than the manifest's"),
    ):
        alter(run, **{**manifest, **change})
        assert any(said in one for one in check_files(run)), change
    assert manifest["fingerprint"] == joined([line["fingerprint"] for line in manifest["runs"]])


def test_a_doubled_figure_in_the_summary_is_a_fault_though_the_bits_are_the_same(run: Path) -> None:
    summary = json.loads((run / "summary.json").read_text())
    summary["goodput"]["value"] *= 2
    (run / "summary.json").write_text(json.dumps(summary, indent=1))
    done = photocol("verify", run)
    assert done.returncode == 1
    assert done.stdout == (
        "summary.json: changed\n1 of 1 runs: same bits\nnot everything is as it was written: see above\n"
    )


def test_a_row_that_does_not_agree_with_its_manifest_is_named(tmp_path: Path) -> None:
    package.sweep(TINY, grid={"traffic.0.flows": [1]}, out=tmp_path / "o", jobs=1)
    (place,) = (tmp_path / "o" / "runs").iterdir()
    row = json.loads((place / "row.json").read_text())
    (place / "row.json").write_text(digests.sealed({**row, "run": {**row["run"], "fingerprint": "0"}}))
    name = f"runs/{place.name}/row.json"
    assert check_files(tmp_path / "o") == [f"{name}: changed", f"{name}: its fingerprint is not the manifest's"]


def test_a_run_that_is_gone_from_a_campaign_is_named(tmp_path: Path) -> None:
    package.sweep(TINY, grid={"traffic.0.flows": [1, 2]}, out=tmp_path / "o", jobs=1)
    first, second = sorted((tmp_path / "o" / "runs").iterdir())
    shutil.rmtree(first)
    assert check_files(tmp_path / "o") == [f"runs/{first.name}: missing"]
    shutil.copytree(second, first)
    assert check_files(tmp_path / "o") == [f"runs/{first.name}/manifest.json: another than the campaign had"]


def test_a_changed_law_is_named(tmp_path: Path) -> None:
    file = scenario_file(tmp_path, "my_laws.py:Steady")
    package.run(file, out=tmp_path / "run")
    assert check_files(tmp_path / "run") == []
    laws = tmp_path / "my_laws.py"
    laws.write_text(laws.read_text().replace("20", "21"))
    assert check_files(tmp_path / "run") == [f"{laws}: changed since the run read a law from it"]
    laws.unlink()
    assert check_files(tmp_path / "run") == [f"{laws}: missing; the run read a law from it"]


def test_another_build_is_named_and_is_a_fault_only_if_the_bits_differ(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["build"] == builds.this_build()
    assert set(manifest["build"]) == {"engine", "package", "compiler", "target"}
    alter(run, build={**manifest["build"], "engine": "0", "compiler": "rustc 1.0.0"})
    other = "made by another build: differs in the engine's sources and the compiler"
    done = photocol("verify", run)
    assert (done.returncode, done.stdout) == (0, f"1 of 1 runs: same bits\n1 of them was {other}\n")
    alter(run, seed=4)
    done = photocol("verify", run)
    assert (done.returncode, done.stdout.splitlines()[0].endswith(f" results ({other})")) == (1, True)


def test_the_digest_of_the_engine_is_of_its_sources_and_the_lock_file() -> None:
    """Computed anew: names and bytes of what lies under crates/*/src, and Cargo.lock; no clock, no path, no commit."""
    root = Path(__file__).parents[2]
    files = [root / "Cargo.lock", *(file for file in root.glob("crates/*/src/**/*") if file.is_file())]
    digest = hashlib.sha256()
    for name, file in sorted((file.relative_to(root).as_posix(), file) for file in files):
        content = file.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    assert builds.this_build()["engine"] == digest.hexdigest()[:16]


def test_the_digest_of_the_package_is_of_names_and_contents_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest_of(folder: Path, files: dict[str, str]) -> str:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        monkeypatch.setattr(builds, "__file__", str(folder / "runs" / "builds.py"))
        return builds._package.__wrapped__()

    one = digest_of(tmp_path / "a", {"a.py": "1", "b/c.py": "2"})
    assert digest_of(tmp_path / "b", {"b/c.py": "2", "a.py": "1", "ready_made/x.py": "", "a.pyc": ""}) == one
    assert digest_of(tmp_path / "c", {"a.py": "2", "b/c.py": "2"}) != one
    assert digest_of(tmp_path / "d", {"a.py": "1", "b/d.py": "2"}) != one


def test_two_thousand_runs_are_checked(tmp_path: Path) -> None:
    package.sweep(TINY, grid={"traffic.0.flows": [1]}, out=tmp_path / "o", jobs=1)
    (place,) = (tmp_path / "o" / "runs").iterdir()
    for number in range(2000):
        shutil.copytree(place, place.with_name(f"copy-{number}"))
    assert check_files(tmp_path / "o") == []


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
@pytest.mark.parametrize("made", ["pipe", "huge"])
def test_a_record_that_is_a_pipe_or_huge_is_named_and_not_waited_for(run: Path, name: str, made: str) -> None:
    (run / name).unlink()
    if made == "pipe":
        os.mkfifo(run / name)
    else:
        with (run / name).open("wb") as file:
            file.truncate(storage.MOST_OF_A_RECORD + 1)
    with pytest.raises(package.InputError, match=name):
        package.Result.load(run)
    for command in ("report", "verify"):
        done = photocol(command, run)
        assert done.returncode in (1, 2)
        assert str(run) in done.stderr or f"{name}: changed" in done.stdout


def test_a_row_that_is_a_pipe_is_run_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "row.json")
    assert store.read(tmp_path) is None
    assert store.read_run(tmp_path) == {}
