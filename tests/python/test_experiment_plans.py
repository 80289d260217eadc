"""Every real experiment is planned: all points of both forms read, resolved and checked, none run.

So a key that was renamed, a value that is no longer allowed or a misspelt input is found here and not by whoever
reproduces the figure.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from experiment_fakes import EXPERIMENT, checkout

from photocol.experiments.catalogue import faults, find_experiments, load_experiment

FILES = find_experiments(Path(__file__).parents[2] / "experiments")


@pytest.mark.parametrize("experiment", FILES)
def test_every_point_of_every_experiment_can_be_run(experiment: str) -> None:
    file = FILES[experiment]
    found = faults(load_experiment(file), file)
    assert not found, "\n".join([f"{len(found)} points of {experiment}:", *found[:5]])


def faults_of(folder: Path, setup: str) -> list[str]:
    """Those of the made-up experiment, whose points have another set-up and whose quick form no settings."""
    old = 'setup=lambda point: Setup(scenario="made-up.toml", settings={"buffer": point["buffer_bytes"]}),'
    text = EXPERIMENT.replace(old, f"setup=lambda point: {setup},").replace('settings={"duration": "1 s"}', "note=''")
    assert old not in text
    text = text.replace("Source, grid", "Source, Evaluation, Trial, grid")
    file = checkout(folder, text=text)
    return faults(load_experiment(file), file)


LINKS = {"capacity": "1 Gbps", "delay": "1 ms"}
GOOD = {"run": {"duration": "1 s"}, "topology": {"kind": "dumbbell"}, "link_defaults": LINKS}


def test_what_can_be_run_has_no_faults(tmp_path: Path) -> None:
    assert faults_of(tmp_path, f"Setup(scenario={GOOD})") == []


@pytest.mark.parametrize(
    ("setup", "key"),
    [
        (f"Setup(scenario={GOOD | {'linc_defaults': {}}})", "linc_defaults"),
        (f"Setup(scenario={GOOD}, settings={{'link_defaults.bufer': '1 packets'}})", "bufer"),
        (f"Setup(scenario={GOOD}, settings={{'topology.pairs': 'many'}})", "pairs"),
        ("Setup(scenario='made-op.toml')", "made-op.toml"),
        ("Evaluation(model='erlang-b', inputs={'laod': 1.0})", "laod"),
        ("Evaluation(model='erlang-b', inputs={'load': '1 s'})", "load"),
        ("Evaluation(model='erlang-c')", "erlang-c"),
        ("Trial(function=lambda *, seed, size: {}, arguments={'size': 1, 'sise': 2})", "sise"),
        ("Trial(function=lambda *, seed, size: {})", "size"),
        ("Setup(scenario=point['buffer'])", "buffer"),
    ],
)
def test_a_fault_names_experiment_form_point_and_key(tmp_path: Path, setup: str, key: str) -> None:
    found = faults_of(tmp_path, setup)
    # Two points of the quick form, six of the full one.
    assert len(found) == 8
    assert found[0].startswith("900/figure, quick form, point transport=a, buffer_bytes=1: ")
    assert found[-1].startswith("900/figure, full form, point transport=b, buffer_bytes=100: ")
    assert all(key in one.partition(": ")[2] for one in found), found[0]
