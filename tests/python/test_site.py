"""The pages as a site, the notebooks, and that every picture of the documentation says how it is made."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with every warning an error: a link to a page or a heading that is not there is one."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make_site.py", folder], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_on_the_site(site: Path) -> None:
    """Some 30 s: the whole site is built, once for the tests of this file."""
    written = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "experiments").glob("*/discussion.md")]
    pages = [page.relative_to(ROOT).with_suffix(".html") for page in written]
    moved = {Path("docs/site/index.html")}
    assert [str(page) for page in pages if page not in moved and not (site / page).is_file()] == []
    assert "photocol.run" in (site / "docs" / "site" / "python.html").read_text()


def test_the_page_of_a_paper_has_tables_pictures_verdicts_and_what_is_said_of_them(site: Path) -> None:
    page = (site / "experiments" / "002" / "discussion.html").read_text()
    for part in ("Figures and tables", "claims of the paper", "The shape in words", "figure-3.png"):
        assert part in page, part
    [heading] = re.findall(r"^## (.*paper 002\))$", (ROOT / "experiments/002/discussion.md").read_text(), re.MULTILINE)[
        :1
    ]
    assert heading in page


def test_every_figure_of_a_summary_is_on_the_site(site: Path) -> None:
    from photocol.runs.meanings import figures

    page = (site / "docs" / "site" / "figures.html").read_text()
    assert [name for name in figures() if f">{name}<" not in page] == []


def test_the_site_needs_no_network(site: Path) -> None:
    foreign = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//')
    assert [page.name for page in site.rglob("*.html") if foreign.search(page.read_text())] == []
    index = (site / "searchindex.js").read_text()
    assert "docs/guide/obs" in index
    assert '"wavelength"' in index or "wavelength:" in index


def test_every_local_link_of_the_site_leads_somewhere(site: Path) -> None:
    links = re.compile(r'(?:href|src)="([^"#?:]+)[^":]*"')
    lost = [
        f"{page.relative_to(site)}: {target}"
        for page in site.rglob("*.html")
        for target in links.findall(page.read_text())
        if not (page.parent / target).resolve().exists()
    ]
    assert lost == []


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_shows_what_is_kept_of_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    from make_notebooks import differences, executed

    kept = json.loads(file.read_text(encoding="utf-8"))
    assert differences(kept, executed(file)) == [], "run: python docs/make_notebooks.py"
    data = [output.get("data", {}) for cell in kept["cells"] for output in cell.get("outputs", ())]
    assert any("text/html" in one for one in data), "something shows itself as a table"
    assert any("image/png" in one for one in data), "and something as a picture"


def test_an_output_that_is_not_what_is_kept_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    from make_notebooks import differences

    kept = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    other = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    streams = [output for cell in other["cells"] for output in cell.get("outputs", ()) if "text" in output]
    assert differences(kept, other) == []
    streams[0]["text"] = ["something else"]
    assert len(differences(kept, other)) == 1


def test_the_site_shows_what_the_notebooks_show(site: Path) -> None:
    page = (site / "docs" / "site" / "notebooks.html").read_text()
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in NOTEBOOKS]
    outputs = [output for one in kept for cell in one["cells"] for output in cell.get("outputs", ())]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    assert len(re.findall(r"<img[^>]+notebook-", page)) == pictures
    assert "Mb/s" in page


def test_the_notebooks_are_four() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["first-run", "own-figure", "own-law", "worth-turning"]


def test_every_picture_of_the_documentation_says_how_it_is_made() -> None:
    text = (ROOT / "docs" / "guide" / "gallery.md").read_text()
    shown = re.findall(r"\(\.\./(images/[^)]+|\.\./results/[^)]+)\)", text)
    images = {file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs" / "images").rglob("*.png")}
    assert images == {name for name in shown if name.startswith("images/")}
    assert len(shown) > len(images)
    for name in shown:
        behind = text.split(f"(../{name})", 1)[1]
        assert re.search(r"photocol (reproduce|lab|plot)|bench/xcp\.py", behind.split("\n## ")[0]), name


def test_a_picture_of_a_record_is_not_kept_twice() -> None:
    recorded = {file.read_bytes(): file for file in ROOT.glob("results/*/*/*.png")}
    assert [file.name for file in (ROOT / "docs" / "images").rglob("*.png") if file.read_bytes() in recorded] == []


def test_the_page_of_commands_is_fresh() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_commands.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_commands.py"
