"""Writes docs/experiments/<paper>.md, a page for each paper, from what `results/` has recorded.

    python docs/make_experiments.py          # writes them
    python docs/make_experiments.py --check  # exit status 1 if one is stale

`photocol reproduce --full --record` writes results; no number of a page is typed by hand.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from photocol.campaign.progress import duration
from photocol.recorded import Recorded, recorded_in

DOCS = Path(__file__).parent


def page(paper: str, figures: Sequence[Recorded], depth: str = "../..") -> str:
    """The page of a paper."""
    parts = [
        f"# Paper {paper}: what has been reproduced",
        "Generated from `results/` by `python docs/make_experiments.py`; do not edit.",
        *(part for figure in figures for part in section(figure, depth)),
    ]
    return "\n\n".join(parts) + "\n"


def section(figure: Recorded, depth: str) -> list[str]:
    """One figure: how it was run, its claims, its pictures."""
    folder = f"{depth}/results/{figure.experiment}"
    manifest = figure.manifest
    host = manifest.get("host", {})
    how = (
        f"`{manifest['command']}`: {manifest['runs']} runs in {duration(manifest['seconds'])} "
        f"({duration(manifest['cpu_s'])} of CPU) on {host.get('cores')} cores, {host.get('system')}, "
        f"version {manifest['version']}, {str(manifest['started'])[:10]}. [Table]({folder}/table.csv)."
    )
    rows = ["| claim of the paper | expected | measured | verdict |", "|---|---|---|---|"]
    rows += [
        "| " + " | ".join(cell(claim[key]) for key in ("claim", "expected", "measured", "verdict")) + " |"
        for claim in figure.claims
    ]
    reasons = [f"- **{claim['id']}**: {claim['reason']}" for claim in figure.claims if claim.get("reason")]
    pictures = [f"![{name}]({folder}/{name})" for name in manifest.get("pictures", ())]
    return [f"## {figure.experiment}", how, "\n".join(rows), *(["\n".join(reasons)] if reasons else []), *pictures]


def cell(text: str) -> str:
    """Text that stands in one cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def pages(results: Path) -> dict[str, str]:
    """File name to text, a page for each paper."""
    by_paper: dict[str, list[Recorded]] = {}
    for figure in recorded_in(results):
        by_paper.setdefault(figure.experiment.split("/")[0], []).append(figure)
    return {f"{paper}.md": page(paper, figures) for paper, figures in by_paper.items()}


def main(arguments: Sequence[str]) -> int:
    """Write or check; the exit status."""
    folder = DOCS / "experiments"
    stale = [
        (folder / name, text)
        for name, text in pages(DOCS.parent / "results").items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]
    if "--check" in arguments:
        return 1 if stale else 0
    for file, text in stale:
        folder.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
