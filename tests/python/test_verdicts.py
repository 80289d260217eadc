"""The quick forms' verdicts are those that full forms have left on record, or their difference is written down.

Closed forms are judged again here; with `PHOTOCOL_QUICK_FORMS=1` every recorded figure is that is not measured on the
machine, which takes a quarter of an hour. A verdict that is another in the quick form is in `results/moved.toml`:
there, by figure and claim, why.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from photocol.experiment import Claim
from photocol.experiments.baselines import Baseline, baselines_in, moved
from photocol.experiments.catalogue import ExperimentFile, experiments_folder, find_experiments, load_experiment
from photocol.experiments.record import Judged, record_of
from photocol.sweeps.campaign.job import jobs_of, perform
from photocol.sweeps.campaign.study import Evaluation, Trial
from photocol.verdict import judge, not_run

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOUND = find_experiments(experiments_folder(start=ROOT))
ALL = bool(os.environ.get("PHOTOCOL_QUICK_FORMS"))


def is_closed_form(name: str) -> bool:
    experiment = load_experiment(FOUND[name])
    return all(isinstance(experiment.setup(point), Evaluation) for point in experiment.quick.points)


def is_measured(name: str) -> bool:
    """Whether some of it runs on this machine, where it is another each time."""
    experiment = load_experiment(FOUND[name])
    return any(isinstance(experiment.setup(point), Trial) for point in experiment.quick.points)


def is_compared(name: str) -> bool:
    return name in FOUND and (is_closed_form(name) or (ALL and not is_measured(name)))


def accepted() -> dict[str, dict[str, str]]:
    """Figure to claim to why its quick form judges it otherwise."""
    file = RESULTS / "moved.toml"
    return tomllib.loads(file.read_text()) if file.is_file() else {}


RECORDED = [one for one in baselines_in(RESULTS) if is_compared(one.experiment)]


def test_every_record_is_of_an_experiment_that_there_is() -> None:
    assert [one.experiment for one in baselines_in(RESULTS) if one.experiment not in FOUND] == []


@pytest.mark.parametrize("recorded", RECORDED, ids=[one.experiment for one in RECORDED])
def test_the_quick_form_judges_as_the_record_says(recorded: Baseline) -> None:
    name = recorded.experiment
    experiment = load_experiment(FOUND[name])
    form = experiment.form("quick")
    seeds = range(experiment.first_seed, experiment.first_seed + form.replications)
    jobs = jobs_of(ExperimentFile(str(FOUND[name])), form.points, seeds=seeds, settings=form.settings)
    record = record_of(experiment, "quick", [perform(job) for job in jobs], jobs=len(jobs))
    known = accepted().get(name, {})
    sentences = moved(recorded, record.judged)
    assert [sentence for sentence in sentences if sentence.split(":")[0] not in known] == []
    assert sorted(known) == sorted(sentence.split(":")[0] for sentence in sentences), "no longer moved"


def test_what_one_form_does_not_judge_has_not_moved() -> None:
    then = {"a": "agrees", "b": "not run", "c": "agrees"}
    claims = [{"id": name, "verdict": verdict} for name, verdict in then.items()]
    recorded = Baseline(experiment="900/x", claims=claims, manifest={"form": "full"})
    now = {"a": not_run("a list"), "b": judge(agrees=True, in_shape=True, measured="1")}
    now["c"] = judge(agrees=False, in_shape=True, measured="2")
    judged = [Judged(claim=a_claim(name), finding=finding) for name, finding in now.items()]
    assert moved(recorded, judged) == ["c: agrees in the recorded full form, agrees in shape here"]
    assert moved(recorded, judged[:2]) == ["c: agrees in the recorded full form, no longer claimed here"]


def test_what_chance_leaves_possible_has_not_moved() -> None:
    reason = "of 200 tables within the intervals: 158 × agrees, 42 × agrees in shape; it is shallower, 3 × as much"
    claims = [
        {"id": "a", "verdict": "agrees in shape", "reason": reason},
        {"id": "b", "verdict": "agrees in shape", "reason": reason},
        {"id": "c", "verdict": "cannot be told", "reason": "of 200 tables within the intervals: 100 × agrees"},
    ]
    recorded = Baseline(experiment="900/x", claims=claims, manifest={"form": "full"})
    agrees, disagrees = (judge(agrees=one, in_shape=one, measured="1") for one in (True, False))
    found = {"a": agrees, "b": disagrees, "c": disagrees}
    judged = [Judged(claim=a_claim(name), finding=finding) for name, finding in found.items()]
    assert moved(recorded, judged) == ["b: agrees in shape in the recorded full form, disagrees here"]
    left = "of 200 tables within the intervals: 150 × agrees in shape, 50 × disagrees"
    by_chance = [Judged(claim=one.claim, finding=replace(one.finding, chance=left)) for one in judged]
    assert moved(recorded, by_chance) == []
    never = [
        Judged(claim=one.claim, finding=replace(one.finding, chance="of 200 tables: 200 × agrees")) for one in judged
    ]
    assert moved(recorded, never) == ["b: agrees in shape in the recorded full form, disagrees here"]


def a_claim(name: str) -> Claim:
    return Claim(
        id=name, text="it is so", where="§1", expected="1", tolerance="any", check=lambda _: not_run("it is not judged")
    )
