"""The line of every figure says what is recorded, and claims of the papers are told apart from our own expectations."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from photocol.experiment import Claim
from photocol.experiments.baselines import TABLE, baselines_in
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.experiments.chance import readings_told
from photocol.experiments.figures import Judged, Line, lines, listed
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Verdict, counted, judge, tally

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOLDER = experiments_folder(start=ROOT)
FOUND = find_experiments(FOLDER)
LISTED, LINES = listed(FOLDER), lines(FOLDER)
RECORDED = {one.experiment: one for one in baselines_in(RESULTS)}

PAPERS = {name.split("/")[0] for name in FOUND}
OPEN = (Verdict.DISAGREES, Verdict.CANNOT_BE_TOLD)
WITHOUT: set[str] = set()
"""Papers whose lines are not compared with records."""


@functools.cache
def findings(experiment: str) -> Mapping[tuple[str, str], str]:
    """Claim and reading to the recorded verdict; the reading is empty where there is none."""
    if experiment not in RECORDED:
        return {}
    found = {(claim, ""): verdict for claim, verdict in RECORDED[experiment].verdicts.items()}
    table = pl.read_csv(RESULTS / experiment / TABLE, infer_schema_length=None)
    if any(reading for _, reading in named_of(experiment)):
        outcome = Outcome(table=table, replications=pl.DataFrame())
        for claim in readings_told(load_experiment(FOUND[experiment]), outcome):
            found |= {(claim.id, reading): str(one.verdict) for reading, one in claim.findings.items()}
    return found


def named_of(experiment: str) -> set[tuple[str, str]]:
    """The claims and readings of an experiment that some line names."""
    every = [one for figures in LINES.values() for line in figures.values() for one in named_in(line)]
    return {(one.claim, one.reading) for one in every if one.experiment == experiment}


def named_in(line: Line) -> list[Judged]:
    """All claims on which a line rests."""
    return [*line.agree, *line.disagree, *line.untold]


def verdict_of(judged: Judged) -> str | None:
    """The recorded verdict; none where the experiment has not been recorded since it has the claim or the reading."""
    return findings(judged.experiment).get((judged.claim, judged.reading))


def exists(judged: Judged) -> bool:
    """Whether an experiment has this claim, and this reading as a value of an axis."""
    if judged.experiment not in FOUND:
        return False
    experiment = load_experiment(FOUND[judged.experiment])
    if judged.reading:
        paper = judged.experiment.split("/")[0]
        known = {claim.id for name in FOUND if name.startswith(paper) for claim in load_experiment(FOUND[name]).claims}
        return judged.claim in known and any(judged.reading in point.values() for point in experiment.full.points)
    return judged.claim in {claim.id for claim in experiment.claims}


def faults(line: Line, verdict: Callable[[Judged], str | None]) -> list[str]:
    """What a line says that is not so."""
    kinds = (
        (line.holds, line.agree, {Verdict.AGREES, Verdict.IN_SHAPE}),
        (line.fails, line.disagree, {Verdict.DISAGREES}),
        (line.chance, line.untold, {Verdict.CANNOT_BE_TOLD}),
    )
    wrong = [
        f"{one} {verdict(one)}"
        for _, claims, known in kinds
        for one in claims
        if verdict(one) is not None and verdict(one) not in known
    ]
    wrong += [f"{text!r} rests on {len(claims)} claims" for text, claims, _ in kinds if bool(text) != bool(claims)]
    return wrong if line.text else [*wrong, "says nothing"]


def left_out(disagreeing: Mapping[str, Sequence[str]], said: Sequence[Line], judged_by: Sequence[str]) -> list[str]:
    """Claims of a paper that disagree or cannot be told and are in no line; by experiment, those of the figures."""
    named = {(one.experiment, one.claim) for line in said for one in (*line.disagree, *line.untold)}
    return [
        f"{name}: {claim}"
        for name in dict.fromkeys(judged_by)
        for claim in disagreeing.get(name, ())
        if (name, claim) not in named
    ]


def judged_figures(paper: str) -> dict[str, list[str]]:
    """The paper's figures that experiments judge; where there are no figures the experiments themselves."""
    if paper not in LISTED:
        return {name: [name] for name in FOUND if name.startswith(f"{paper}/")}
    return {name: fate for name, fate in LISTED[paper].items() if isinstance(fate, list)}


@pytest.mark.parametrize("paper", sorted(PAPERS - WITHOUT))
def test_every_figure_has_a_line_that_its_records_bear_out(paper: str) -> None:
    figures = judged_figures(paper)
    assert set(LINES[paper]) == set(figures)
    for name, line in LINES[paper].items():
        assert faults(line, verdict_of) == [], name
        for one in named_in(line):
            assert one.experiment in figures[name], (name, one)
            assert exists(one), (name, one)
        assert all(len(part.split()) <= 45 for part in (line.holds, line.fails, line.chance, line.unjudged)), name


@pytest.mark.parametrize("paper", sorted(PAPERS - WITHOUT))
def test_no_line_leaves_out_a_claim_of_the_paper_that_does_not_hold(paper: str) -> None:
    judged_by = [experiment for fate in judged_figures(paper).values() for experiment in fate]
    papers = {
        name: {claim.id for claim in load_experiment(FOUND[name]).claims if claim.whose == "paper"}
        for name in judged_by
    }
    disagreeing = {name: [id_ for id_ in papers[name] if findings(name).get((id_, "")) in OPEN] for name in judged_by}
    assert left_out(disagreeing, list(LINES[paper].values()), judged_by) == []


def test_lines_are_of_papers_that_there_are() -> None:
    assert set(LINES) <= PAPERS


def test_a_line_that_is_not_so_is_found() -> None:
    known = {"a": "agrees", "b": "disagrees", "c": "cannot be told"}
    a, b, c, new = (Judged(experiment="900/x", claim=claim) for claim in ("a", "b", "c", "new"))
    assert (
        faults(Line(holds="here", agree=[a, new], fails="there", disagree=[b]), lambda one: known.get(one.claim)) == []
    )
    assert len(faults(Line(holds="here", agree=[b]), lambda one: known.get(one.claim))) == 1
    assert len(faults(Line(fails="there", disagree=[a]), lambda one: known.get(one.claim))) == 1
    assert len(faults(Line(fails="there", agree=[a]), lambda one: known.get(one.claim))) == 2
    assert faults(Line(chance="by chance", untold=[c]), lambda one: known.get(one.claim)) == []
    assert len(faults(Line(holds="here", agree=[c]), lambda one: known.get(one.claim))) == 1
    assert len(faults(Line(chance="by chance", untold=[b]), lambda one: known.get(one.claim))) == 1
    assert faults(Line(unjudged="so"), lambda _: None) == []
    assert faults(Line(), lambda _: None) == ["says nothing"]


def test_a_disagreement_that_no_line_has_is_found() -> None:
    line = Line(fails="there", disagree=[Judged(experiment="900/x", claim="b")])
    assert left_out({"900/x": ["b"]}, [line], ["900/x"]) == []
    assert left_out({"900/x": ["b", "c"]}, [line], ["900/x", "900/x"]) == ["900/x: c"]


def test_a_line_is_read_as_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "verdicts.toml").write_text(
        '[900."Figure 1"]\nholds = "under A"\nunjudged = "as B is not stated"\n'
        'agree = ["900/x: a, b", "900/x @ A: a"]\n'
    )
    line = lines(tmp_path)["900"]["Figure 1"]
    assert line.text == "**holds** under A; **cannot be judged** as B is not stated"
    assert [(one.experiment, one.claim, one.reading) for one in line.agree] == [
        ("900/x", "a", ""),
        ("900/x", "b", ""),
        ("900/x", "a", "A"),
    ]
    assert lines(tmp_path / "nowhere") == {}


def is_called_ours(claim: Claim) -> bool:
    """Whether the words of a claim say that it is not the paper's."""
    return claim.text.startswith("ours") or claim.where.startswith("ours") or "our expectation" in claim.where


def test_what_is_called_ours_is_not_counted_as_a_paper_s() -> None:
    claims = [(name, claim) for name, file in FOUND.items() for claim in load_experiment(file).claims]
    assert [f"{name}: {claim.id}" for name, claim in claims if is_called_ours(claim) and claim.whose == "paper"] == []
    ours = Claim(
        id="a",
        text="a",
        where="our expectation",
        expected="",
        tolerance="",
        check=lambda _: judge(agrees=True, in_shape=True, measured=""),
    )
    assert is_called_ours(ours)
    assert ours.whose == "paper"


def test_verdicts_are_counted_from_the_best_on() -> None:
    assert counted(["disagrees", "agrees", "agrees"]) == "2 × agrees, 1 × disagrees"
    assert counted([]) == ""


def test_readings_of_a_claim_are_counted_apart_from_claims() -> None:
    verdicts = [("agrees", False), ("disagrees", True), ("disagrees", True), ("disagrees", False)]
    assert tally(verdicts) == "1 × agrees, 1 × disagrees; other readings: 2 × disagrees"
    assert tally([("agrees", False)]) == "1 × agrees"


def test_a_reading_names_a_claim_of_its_experiment() -> None:
    """And the papers' claims under another reading are few beside those that have been counted as claims."""
    found = {name: load_experiment(file).claims for name, file in FOUND.items()}
    for name, claims in found.items():
        alone = {claim.id for claim in claims if not claim.reading_of}
        assert {claim.reading_of for claim in claims} - {""} <= alone, name
    assert [claim.id for claim in found["001/figure-6"] if claim.reading_of] == [
        "baimd-large-window",
        "btcp-large-window",
    ]
