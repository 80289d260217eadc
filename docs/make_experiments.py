"""Makes a page for each paper from data in the repository; `make docs` puts them on the site, none is committed.

    python docs/make_experiments.py FOLDER    # writes FOLDER/<paper>.md

A page begins and ends with `experiments/<paper>/discussion.md`, which is written by hand. Between and behind it stand what
`experiments/figures.toml` says of each figure, its line of `experiments/verdicts.toml`, which a test compares with
`results/`, and what full forms have found (`photocol reproduce --full --record`). No number of these is typed.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from photocol.experiments.baselines import TABLE, Baseline, baselines_in
from photocol.experiments.catalogue import find_experiments, load_experiment
from photocol.experiments.figures import Line, lines, listed
from photocol.experiments.record import Record, report
from photocol.sweeps.campaign.progress import duration
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import OF_WHOM, Whose, tally

ROOT = Path(__file__).resolve().parents[1]
RECORDS = (
    "Made from `results/` when this page was built. What stands above is written by hand about the runs that are named "
    "there; where a record differs, it is newer."
)
DISCUSSION = "discussion.md"
STUDIES = ("modern", "circuits", "rotor")
"""Folders that repeat none of the five papers."""
MOST_ROWS = 60
"""A longer table is not on the page; its file is linked."""
_PARTS = ("The shape in words", "Table", "Under each reading", "To compare with the source", "This form")
"""What a page takes over of a figure's report."""


def page(root: Path, paper: str, figures: Sequence[Baseline]) -> str:
    """The page of a paper."""
    first, rest = discussion(root, paper)
    parts = [
        first,
        *overview(root, paper, figures),
        *rest,
        *(["## Records", RECORDS] if figures else []),
        *(part for figure in figures for part in section(root, figure)),
    ]
    return "\n\n".join(parts) + "\n"


def overview(root: Path, paper: str, figures: Sequence[Baseline]) -> list[str]:
    """What becomes of each figure of a paper: its line first, then what judges it."""
    said = lines(root / "experiments").get(paper, {})
    fates = listed_in(root).get(paper) or {name: [name] for name in said}
    known = {figure.experiment: apart(root, figure) for figure in figures}
    parts = [total(list(known.values()))] if known else []
    if not fates:
        return parts
    heads = ("asked by" if paper in STUDIES else "printed as", "verdict", *OF_WHOM.values())
    rows = ["| " + " | ".join(heads) + " |\n|" + "---|" * len(heads)]
    rows += ["| " + " | ".join([name, *fate_of(fate, said.get(name), known)]) + " |" for name, fate in fates.items()]
    return ["## What holds" if paper in STUDIES else "## Figures and tables", *parts, "\n".join(rows)]


Apart = Mapping[Whose, Sequence[Mapping[str, str]]]
"""The claims of a record: the paper's, and our own expectations."""


def apart(root: Path, figure: Baseline) -> Apart:
    """Whose each recorded claim is, as the experiment says now; what it no longer claims is as the record has it."""
    file = find_experiments(root / "experiments").get(figure.experiment)
    now = {claim.id: claim for claim in load_experiment(file).claims} if file else {}
    whose = {name: claim.whose for name, claim in now.items()}
    readings = {name: claim.reading_of for name, claim in now.items()}
    said = [(whose.get(claim["id"], claim.get("whose", "paper")), claim) for claim in figure.claims]
    return {
        one: [{**claim, "reading_of": readings.get(claim["id"], "")} for of, claim in said if of == one]
        for one in OF_WHOM
    }


def told(claims: Sequence[Mapping[str, str]]) -> str:
    """How often each verdict occurs; those on other readings of a claim apart."""
    return tally((claim["verdict"], bool(claim["reading_of"])) for claim in claims)


def total(known: Sequence[Apart]) -> str:
    """How many claims of a paper have which verdict, of the paper and our own."""
    sentences = []
    for whose, heading in OF_WHOM.items():
        verdicts = [judged for claims in known for judged in claims[whose]]
        claims_alone = sum(not one["reading_of"] for one in verdicts)
        sentences += [f"{heading.capitalize()}: {claims_alone} ({told(verdicts)})."] if verdicts else []
    return " ".join(["Recorded.", *sentences])


def fate_of(fate: Sequence[str] | str, line: Line | None, known: Mapping[str, Apart]) -> list[str]:
    """What stands beside a figure's name: its line, and by experiment the verdicts on claims of each kind."""
    if isinstance(fate, str):
        return [fate, "", ""]
    columns = []
    for whose in OF_WHOM:
        found = {name: known[name][whose] for name in fate if name in known}
        columns.append("; ".join(f"{name}: {told(verdicts)}" for name, verdicts in found.items() if verdicts))
    missing = [name for name in fate if name not in known]
    columns[0] = "; ".join(filter(None, [columns[0], *(f"{name}: nothing yet" for name in missing)]))
    return [line.text if line else "", *columns]


def section(root: Path, figure: Baseline) -> list[str]:
    """One figure: how it was run, its claims, its table, its pictures."""
    folder = f"../../results/{figure.experiment}"
    reasons = [f"- **{claim['id']}**: {claim['reason']}" for claim in figure.claims if claim.get("reason")]
    pictures = [f"![{name}]({folder}/{name})" for name in figure.manifest.get("pictures", ())]
    reported = report_parts(report_of(root, figure))
    return [
        f"### {figure.experiment}",
        how(figure, folder),
        *(claims_table(OF_WHOM[whose], claims) for whose, claims in apart(root, figure).items() if claims),
        *(["\n".join(reasons)] if reasons else []),
        *reported,
        *pictures,
    ]


def claims_table(heading: str, claims: Sequence[Mapping[str, str]]) -> str:
    """A row a claim."""
    rows = [f"| {heading} | expected | measured | verdict |", "|---|---|---|---|"]
    rows += [
        "| " + " | ".join(cell(claim[key]) for key in ("claim", "expected", "measured", "verdict")) + " |"
        for claim in claims
    ]
    return "\n".join(rows)


def how(figure: Baseline, folder: str) -> str:
    """The command, what it cost, and on what."""
    manifest = figure.manifest
    host = manifest.get("host", {})
    return (
        f"`{manifest['command']}`: {manifest['runs']} runs in {duration(manifest['seconds'])} "
        f"({duration(manifest['cpu_s'])} of CPU) on {host.get('cores')} cores, {host.get('system')}, "
        f"version {manifest['version']}, {str(manifest['started'])[:10]}. [Table]({folder}/table.csv).{before(manifest)}"
    )


def before(manifest: Mapping[str, Any]) -> str:
    """Of simulations whose manifest names no build: they are older than the changes that the changelog lists."""
    if "build" in manifest or not manifest["cpu_s"]:
        return ""
    return " Recorded before the latest [changes of results](../../CHANGELOG.md#results-that-changed)."


def report_of(root: Path, figure: Baseline) -> str:
    """The report of a record without its claims, made again from its table.

    What the experiment measures since then is left out, and its words where they need it. Empty where the table lacks an axis.
    """
    file = find_experiments(root / "experiments").get(figure.experiment)
    if file is None:
        return ""
    experiment = load_experiment(file)
    table = pl.read_csv(root / "results" / figure.experiment / TABLE, infer_schema_length=None)
    outcome = Outcome(table=table, replications=table.clear())
    measured = replace(experiment, metrics=[one for one in experiment.metrics if one.name in table.columns])
    silent = replace(measured, describe=lambda _: [])
    for one in (experiment, measured, silent):
        try:
            return report(Record(experiment=one, form_name="full", outcome=outcome, judged=[]))
        except (pl.exceptions.PolarsError, LookupError):
            continue
    return ""


def report_parts(text: str) -> list[str]:
    """Those sections of a report that say more than claims and pictures, two levels lower."""
    found = []
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, said = block.partition("\n")
        rows = sum(line.startswith("|") for line in said.splitlines()) - 2
        said = re.sub(r"\s*Repeat it with `[^`]*`\.\s*$", "", said).strip()
        if title in _PARTS and rows <= MOST_ROWS and said and not said.startswith("Nothing: the check failed"):
            found += [f"#### {title}", said]
    return found


def discussion(root: Path, paper: str) -> tuple[str, list[str]]:
    """What is written by hand about a paper: its title with what stands there first, and its sections."""
    file = root / "experiments" / paper / DISCUSSION
    if not file.is_file():
        return f"# {paper}", []
    first, *sections = re.split(r"^(?=## )", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return first.strip(), [section.strip() for section in sections]


def cell(text: str) -> str:
    """Text that stands in one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def listed_in(root: Path) -> dict[str, dict[str, list[str] | str]]:
    """What the list of figures says; nothing where there is none."""
    folder = root / "experiments"
    return listed(folder) if (folder / "figures.toml").is_file() else {}


def pages(root: Path) -> dict[str, str]:
    """Paper to its page, for each of which something is known."""
    by_paper: dict[str, list[Baseline]] = {paper: [] for paper in listed_in(root)}
    for file in sorted((root / "experiments").glob(f"*/{DISCUSSION}")):
        by_paper.setdefault(file.parent.name, [])
    for figure in baselines_in(root / "results"):
        by_paper.setdefault(figure.experiment.split("/")[0], []).append(figure)
    return {paper: page(root, paper, figures) for paper, figures in sorted(by_paper.items())}


def main(arguments: Sequence[str]) -> int:
    """Write the pages into a folder; the exit status."""
    [folder] = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for paper, text in pages(ROOT).items():
        (folder / f"{paper}.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
