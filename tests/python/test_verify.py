"""A finished run or campaign is repeated from its manifests; what differs is named by layer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import photocol
from experiment_fakes import EXPERIMENT, checkout
from test_resume import REAL, SCENARIO
from test_sweep import TINY

import photocol as package
from photocol.layers import difference

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    package.run(TINY, seed=3, runs=2, set={"traffic.0.flows": 3}, out=tmp_path / "run")
    return tmp_path / "run"


def alter(folder: Path, **changes: object) -> None:
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


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
    assert done.stdout == ("run: differs: what was on the wires and the flows' results\n0 of 1 runs: same bits\n")


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
    alter(run, fingerprints=None)
    manifest = json.loads((run / "manifest.json").read_text())
    del manifest["fingerprints"]
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert photocol("verify", run).returncode == 0
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
    assert done.stdout.startswith(
        f"{cell}: differs: what was on the wires and the flows' results (made by version 0.0.1)"
    )
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
    said = photocol("verify", "m/900/figure").stdout
    assert said == "0 of 0 runs: same bits; 4 have no scenario and were passed over\ntable.csv follows from the runs\n"


@pytest.mark.parametrize(("name", "text"), [("manifest.json", "{"), ("manifest.json", "[]"), ("other", "")])
def test_what_is_no_run_is_refused(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    done = photocol("verify", tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
