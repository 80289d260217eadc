"""What an experiment leaves: tables, judged claims, pictures and a page that explains them.

In `DIR/<paper>/<figure>/`: `table.parquet` and `table.csv` (one row a point, means and half widths),
`replications.parquet` (one row a replication), `curves.parquet` if the experiment has curves, `claims.json`, every plot
as PNG and SVG, `report.md`, and `runs/` with one directory a job.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from photocol.experiments.chance import findings_told, readings_told
from photocol.experiments.verdict import OF_WHOM, Finding, Verdict, tally
from photocol.runs import storage
from photocol.runs.pictures import save_png, save_vectors
from photocol.runs.signals import deferred
from photocol.sweeps.campaign.table import CONFIDENCE, outcome_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from photocol.experiments.experiment import Claim, Experiment, Form, FormName, Metric, Outcome, Plot
    from photocol.sweeps.campaign.job import Row

UNEXPLAINED = "not yet explained"
"""The reason of a claim that does not agree and whose reason is not known."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A claim with its finding."""

    claim: Claim
    finding: Finding


@dataclass(frozen=True, kw_only=True)
class Record:
    """Everything that is written down about one reproduced figure."""

    experiment: Experiment
    form_name: FormName
    outcome: Outcome
    judged: Sequence[Judged]
    jobs_missing: int = 0
    """Jobs that did not finish; claims are judged only when none is missing."""

    @property
    def form(self) -> Form:
        """The form that was run."""
        return self.experiment.form(self.form_name)

    @property
    def disagrees(self) -> bool:
        """Whether any claim disagrees."""
        return any(judged.finding.verdict is Verdict.DISAGREES for judged in self.judged)


def record_of(experiment: Experiment, form_name: FormName, rows: Sequence[Row], *, jobs: int) -> Record:
    """The record of the rows of a campaign with this many jobs."""
    metrics = [metric.name for metric in experiment.metrics]
    outcome = outcome_of(metrics, experiment.form(form_name).points, rows)
    judged = judged_of(experiment, outcome) if len(rows) == jobs else []
    return Record(
        experiment=experiment, form_name=form_name, outcome=outcome, judged=judged, jobs_missing=jobs - len(rows)
    )


def judged_of(experiment: Experiment, outcome: Outcome) -> list[Judged]:
    """The claims with their findings, as chance leaves them."""
    found = {claim.id: _finding(claim, outcome) for claim in experiment.claims}
    metrics = [metric.name for metric in experiment.metrics]
    found = findings_told(found, lambda one: _findings(experiment.claims, one), outcome, metrics)
    return [Judged(claim=claim, finding=found[claim.id]) for claim in experiment.claims]


def measured_of(experiment: Experiment, outcome: Outcome) -> dict[str, str]:
    """What is measured of the claims whose check can be carried out."""
    return {name: finding.measured for name, finding in _findings(experiment.claims, outcome).items()}


def write(record: Record, folder: Path) -> None:
    """Write all files; each replaces an older one only when all have been made."""
    with deferred(), storage.naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
        storage.remove_leftovers(folder)
        new = storage.unfinished_name(folder / "record")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir()
        try:
            _write_tables(record.outcome, new)
            (new / "claims.json").write_text(_claims_json(record), encoding="utf-8")
            _write_plots(record, new)
            (new / "report.md").write_text(report(record), encoding="utf-8")
            for file in sorted(new.iterdir()):
                file.replace(folder / file.name)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def cell(metric: Metric, row: Mapping[str, float]) -> str:
    """A table cell: mean ± half width, or the mean alone where there is one replication."""
    mean, half_width = row[metric.name], row[f"{metric.name}_half_width"]
    text = format(mean, metric.form)
    return text if row["n"] == 1 else f"{text} ± {format(half_width, metric.form)}"


def report(record: Record) -> str:
    """The page `report.md`."""
    experiment, form = record.experiment, record.form
    sections = [
        f"# {experiment.id}: {experiment.title}",
        f"Source: {experiment.source.paper}; {experiment.source.figures}, {experiment.source.section}.",
        _form_sentence(record),
        *(f"![{plot.name}]({plot.name}.png)" for plot, _ in drawable(record)),
        *_section("The shape in words", [] if record.jobs_missing else list(experiment.describe(record.outcome))),
        "## Table",
        _markdown_table(record),
        *_claims(record),
        *([] if record.jobs_missing else _readings(record)),
        *_section("To compare with the source", list(experiment.notes)),
        *_section("This form", [form.note] if form.note else []),
        f"Repeat it with `photocol reproduce {experiment.id} --{record.form_name}`.",
    ]
    return "\n\n".join(sections) + "\n"


def _finding(claim: Claim, outcome: Outcome) -> Finding:
    """What the check finds; one that cannot be carried out disagrees, and costs no run that is finished."""
    try:
        return claim.check(outcome)
    except Exception as error:
        broken = f"nothing: the check failed with {type(error).__name__}: {error}"
        return Finding(verdict=Verdict.DISAGREES, measured=broken)


def _findings(claims: Sequence[Claim], outcome: Outcome) -> dict[str, Finding]:
    """What the checks find that can be carried out."""
    found = {}
    for claim in claims:
        with contextlib.suppress(Exception):
            found[claim.id] = claim.check(outcome)
    return found


def _write_tables(outcome: Outcome, folder: Path) -> None:
    tables = {"table.parquet": outcome.table, "replications.parquet": outcome.replications}
    if outcome.curves is not None:
        tables["curves.parquet"] = outcome.curves
    for name, table in tables.items():
        with storage.naming(folder / name):
            table.write_parquet(folder / name)
    with storage.naming(folder / "table.csv"):
        outcome.table.write_csv(folder / "table.csv")


def _write_plots(record: Record, folder: Path) -> None:
    """PNG and SVG, free of dates and random ids, so that equal tables give equal files."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    for plot, frame in drawable(record):
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        plot.draw(figure.add_subplot(), frame)
        with mpl.rc_context({"svg.hashsalt": "photocol"}):
            save_png(figure, folder / f"{plot.name}.png", dpi=200)
            save_vectors(figure, folder / f"{plot.name}.svg")


def drawable(record: Record) -> list[tuple[Plot, pl.DataFrame]]:
    """The plots with what they draw, where there is anything: a form may lack it, a broken campaign its curves."""
    frames = {"table": record.outcome.table, "curves": record.outcome.curves}
    found = []
    for plot in record.experiment.plots:
        frame = frames[plot.of]
        if frame is not None and plot.where is not None:
            frame = frame.filter(plot.where)
        if frame is not None and not frame.is_empty():
            found.append((plot, frame))
    return found


def _claims_json(record: Record) -> str:
    head = {"experiment": record.experiment.id, "form": record.form_name, "jobs_missing": record.jobs_missing}
    return claims_text(head, [entry(judged) for judged in record.judged])


def claims_text(head: Mapping[str, object], claims: Sequence[Mapping[str, str]]) -> str:
    """The text of `claims.json`."""
    return json.dumps({**head, "claims": claims}, indent=1, ensure_ascii=False) + "\n"


def entry(judged: Judged) -> dict[str, str]:
    """A claim with its finding, as `claims.json` has it."""
    claim, finding = judged.claim, judged.finding
    return {
        "id": claim.id,
        "claim": claim.text,
        "where": claim.where,
        "whose": claim.whose,
        "expected": claim.expected,
        "tolerance": claim.tolerance,
        "measured": finding.measured,
        "verdict": str(finding.verdict),
        "reason": reason(judged),
    }


def reason(judged: Judged) -> str:
    """Why a claim does not fully agree; empty when it does."""
    if judged.finding.verdict is Verdict.AGREES:
        return ""
    return "; ".join(filter(None, (judged.finding.chance, judged.claim.reason))) or UNEXPLAINED


def _form_sentence(record: Record) -> str:
    form = record.form
    sentence = (
        f"{record.form_name.capitalize()} form: {len(form.points)} points, {form.replications} replication(s) each; "
        f"mean ± half width of the {CONFIDENCE:.0%} confidence interval (Student t)."
    )
    if record.jobs_missing:
        sentence += f" **Interrupted: {record.jobs_missing} run(s) are missing, no claim is judged.**"
    return sentence


def _markdown_table(record: Record) -> str:
    heads = [*record.experiment.axes, *(metric.label for metric in record.experiment.metrics)]
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    for row in record.outcome.table.iter_rows(named=True):
        cells = [*(str(row[axis]) for axis in record.experiment.axes)]
        cells += [cell(metric, row) for metric in record.experiment.metrics]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _readings(record: Record) -> list[str]:
    """A table of verdicts, claim by reading; what there are fewer of are its columns."""
    try:
        claims = readings_told(record.experiment, record.outcome)
    except Exception as error:
        return ["## Under each reading", f"Nothing: the check failed with {type(error).__name__}: {error}"]
    if not claims:
        return []
    names = [f"{one.claim} ({one.where})" for one in claims]
    readings = list(claims[0].findings)
    cells = [[_brief(one.findings[reading]) for one in claims] for reading in readings]
    head, first, rows = ("reading", readings, cells)
    columns = names
    if len(names) > len(readings):
        head, first, columns, rows = "claim", names, readings, [list(row) for row in zip(*cells, strict=True)]
    lines = ["| " + " | ".join([head, *columns]) + " |", "|" + " --- |" * (1 + len(columns))]
    lines += ["| " + " | ".join([name, *row]) + " |" for name, row in zip(first, rows, strict=True)]
    return ["## Under each reading", "\n".join(lines)]


def _brief(finding: Finding) -> str:
    return f"**{finding.verdict}**: {finding.measured}".replace("|", "\\|")


def _claims(record: Record) -> list[str]:
    """What is judged: the source's claims, and what we expect ourselves."""
    sections: list[str] = []
    for heading, theirs in by_whose(record.judged).items():
        title = f"{heading.capitalize()}: {tallied(theirs)}"
        sections += _section(title, [_claim_text(judged) for judged in theirs])
    return sections


def by_whose(judged: Sequence[Judged]) -> dict[str, list[Judged]]:
    """What is judged, by heading; no heading without any."""
    groups = {heading: [one for one in judged if one.claim.whose == whose] for whose, heading in OF_WHOM.items()}
    return {heading: theirs for heading, theirs in groups.items() if theirs}


def tallied(judged: Sequence[Judged]) -> str:
    """How often each verdict occurs; those on other readings of a claim apart."""
    return tally((one.finding.verdict, bool(one.claim.reading_of)) for one in judged)


def _claim_text(judged: Judged) -> str:
    claim, finding = judged.claim, judged.finding
    lines = [
        f"**{finding.verdict}** · {claim.text} ({claim.where})",
        f"expected: {claim.expected}; tolerance: {claim.tolerance}",
        f"measured: {finding.measured}",
    ]
    if reason(judged):
        lines.append(f"reason: {reason(judged)}")
    return "\n  ".join(f"{line}  " for line in lines).rstrip()


def _section(title: str, items: Sequence[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {item}" for item in items)] if items else []
