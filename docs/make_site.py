"""Builds the site of the documentation into out/site, from copies of the pages.

    python docs/make_site.py [FOLDER]

A warning of Sphinx, such as a link to nowhere, is an error. The pages link one another as files of the repository do,
so they are copied with their places; notebooks become pages, and each paper's page is made from its records.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import make_experiments

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "SECURITY.md",
    "bench/README.md",
    "examples/oracle/README.md",
    "examples/own-law/README.md",
)
"""Beside docs/."""
SHOWN = (".png", ".csv")
"""Of the records: pictures and tables."""
OUTSIDE = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s]+)\)")


def main(arguments: list[str]) -> int:
    """The exit status of Sphinx."""
    from sphinx.cmd.build import build_main

    target = Path(arguments[0]) if arguments else ROOT / "out" / "site"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder)
        collect(source)
        options = ["-W", "--keep-going", "-q", "-E", "-j", "1", "-c", str(ROOT / "docs" / "site")]
        status: int = build_main([*options, "-b", "html", str(source), str(target)])
    if status == 0:
        sys.stdout.write(f"{target}/index.html\n")
    return status


def collect(source: Path) -> None:
    """Copies the pages with their places into `source`, and writes those that are made."""
    shutil.copytree(ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.ipynb"))
    pictures = [file.relative_to(ROOT).as_posix() for file in (ROOT / "results").glob("*/*/*") if file.suffix in SHOWN]
    for file in (*PAGES, *pictures):
        (source / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, source / file)
    for paper, text in make_experiments.pages(ROOT).items():
        page = source / "experiments" / paper / make_experiments.DISCUSSION
        page.parent.mkdir(parents=True)
        page.write_text(text, encoding="utf-8")
    shutil.move(source / "docs" / "site" / "index.md", source / "index.md")
    place = source / "docs" / "site"
    (place / "notebooks.md").write_text(notebooks(place), encoding="utf-8")
    (place / "figures.md").write_text(figures(), encoding="utf-8")
    for page in source.rglob("*.md"):
        page.write_text(within(page, source), encoding="utf-8")


def within(page: Path, source: Path) -> str:
    """The text of a page; links to files that are no pages, such as sources, are their names."""

    def kept(link: re.Match[str]) -> str:
        place = link[1].split("#")[0]
        target = (page.parent / place).resolve()
        if not place or (target.is_file() and target.is_relative_to(source.resolve())):
            return link[0]
        return f"] ({place.lstrip('./')})"

    return OUTSIDE.sub(kept, page.read_text(encoding="utf-8"))


def notebooks(folder: Path) -> str:
    """The notebooks as one page: words, code and what is kept of the outputs; pictures go into `folder`."""
    parts = ["# Notebooks\n\nThey are in `docs/notebooks`; the tests execute them and compare what they show.\n"]
    for file in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for number, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"]):
            text = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(re.sub(r"^#", "##", text))
                continue
            parts.append(f"```python\n{text}\n```")
            for place, output in enumerate(cell["outputs"]):
                parts.append(shown(output, folder / f"notebook-{file.stem}-{number}-{place}.png"))
    return "\n\n".join(parts) + "\n"


def figures() -> str:
    """The figures of a summary as one page: a sentence each."""
    from photocol.runs import meanings

    rows = "\n".join(f"| `{name}` | {said} |" for name, said in meanings.figures().items())
    return (
        "# Figures of a summary\n\n"
        "`photocol run … --explain` prints those of a run. Completion times, slowdowns, requests and delays have "
        "percentiles too (`completion_time_p99`); [results](../guide/results.md) says what they cover.\n\n"
        f"| figure | is |\n|---|---|\n{rows}\n"
    )


def shown(output: dict[str, Any], picture: Path) -> str:
    """An output of a cell: a picture, a table or its text."""
    data = output.get("data", {"text/plain": output.get("text", "")})
    if "image/png" in data:
        picture.write_bytes(base64.b64decode("".join(data["image/png"])))
        return f"![What the cell above draws]({picture.name})"
    if "text/html" in data:
        return f'`````{{raw}} html\n<div class="output">{"".join(data["text/html"])}</div>\n`````'
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
