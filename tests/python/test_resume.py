"""`reproduce --resume` on runs of the engine: what was finished is not run again, unless it was another run."""

import json
from collections import Counter

import pytest
from experiment_fakes import EXPERIMENT, checkout

from photocol.experiments.reproduce import reproduce
from photocol.runs import digests
from photocol.sweeps.campaign.job import engine

SCENARIO = """
[run]
duration = "20 ms"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "1 ms"
bottleneck_buffer = "20 packets"
[[traffic]]
transport = "reno"
flows = 1
"""
REAL = (
    EXPERIMENT.replace('result.summary["level"]', 'result.summary["goodput"]')
    .replace(
        '{"buffer": point["buffer_bytes"]}', '{"topology.bottleneck_buffer": f"{10 + point[\'buffer_bytes\']} kB"}'
    )
    .replace('settings={"duration": "1 s"}', 'settings={"run.duration": "10 ms"}')
)


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    """Runs the experiment; gives how often each buffer and seed was run."""
    checkout(tmp_path, text=REAL)
    (tmp_path / "scenarios" / "made-up.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PHOTOCOL_EXPERIMENTS", raising=False)

    def carry_out(*, resume):
        done = Counter()

        def counting(scenario, *, seed, settings):
            done[settings["topology.bottleneck_buffer"], seed] += 1
            return engine(scenario, seed=seed, settings=settings)

        reproduce([], jobs=1, out=tmp_path / "o", quiet=True, run=counting, resume=resume)
        return done

    return carry_out


def table(folder):
    return (folder / "o" / "900" / "figure" / "table.csv").read_text()


def test_what_is_finished_is_kept_and_the_rest_is_run(campaign, tmp_path):
    every = {("11 kB", 1): 1, ("110 kB", 1): 1, ("11 kB", 2): 1, ("110 kB", 2): 1}
    assert campaign(resume=False) == every
    whole = table(tmp_path)
    runs = tmp_path / "o" / "900" / "figure" / "runs" / "quick"
    (runs / "transport=a,buffer_bytes=100,seed=2" / "row.json").unlink()
    assert campaign(resume=True) == {("110 kB", 2): 1}
    assert table(tmp_path) == whole
    assert campaign(resume=True) == {}
    assert table(tmp_path) == whole
    assert campaign(resume=False) == every


def test_a_run_of_another_scenario_program_or_metric_is_not_kept(campaign, tmp_path):
    every = campaign(resume=False)
    row = tmp_path / "o" / "900" / "figure" / "runs" / "quick" / "transport=a,buffer_bytes=1,seed=1"
    written = json.loads((row / "row.json").read_text())
    for change in (
        {"run": {**written["run"], "version": "0.0.1"}},
        {"run": {**written["run"], "scenario_sha256": "0"}},
        {"seed": 2},
        {"metrics": {"other": 1.0}},
    ):
        (row / "row.json").write_text(digests.sealed({**written, **change}))
        assert campaign(resume=True) == {("11 kB", 1): 1}, change
    # A row that does not say itself what its run was: the manifest beside it does.
    bare = {key: written[key] for key in ("point", "seed", "metrics")}
    (row / "row.json").write_text(digests.sealed(bare))
    assert campaign(resume=True) == {}
    # A version that knows of no digests writes none into the manifest either.
    (row / "row.json").write_text(json.dumps(bare))
    assert campaign(resume=True) == {("11 kB", 1): 1}
    (row / "row.json").write_text(json.dumps(bare))
    manifest = json.loads((row / "manifest.json").read_text())
    (row / "manifest.json").write_text(json.dumps({k: v for k, v in manifest.items() if k not in ("files", "sha256")}))
    assert campaign(resume=True) == {}
    (row / "row.json").write_text("{")
    assert campaign(resume=True) == {("11 kB", 1): 1}
    scenario = tmp_path / "scenarios" / "made-up.toml"
    scenario.write_text(SCENARIO.replace("1 ms", "2 ms"))
    assert campaign(resume=True) == every


def test_a_figure_that_was_changed_by_hand_does_not_go_into_the_table(campaign, tmp_path, capfd):
    campaign(resume=False)
    whole = table(tmp_path)
    row = tmp_path / "o" / "900" / "figure" / "runs" / "quick" / "transport=a,buffer_bytes=1,seed=1" / "row.json"
    written = json.loads(row.read_text())
    doubled = {**written, "metrics": {name: 2 * value for name, value in written["metrics"].items()}}
    row.write_text(json.dumps(doubled, indent=1, ensure_ascii=False) + "\n")
    assert campaign(resume=True) == {("11 kB", 1): 1}
    assert f"{row} has changed since it was written; it is run again" in capfd.readouterr().err
    assert table(tmp_path) == whole
    assert campaign(resume=True) == {}
