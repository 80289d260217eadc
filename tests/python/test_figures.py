"""Every figure and table of the papers is in `experiments/figures.toml`, and what it says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.experiments.figures import listed, named

ROOT = Path(__file__).resolve().parents[2]
FOLDER = experiments_folder(start=ROOT)
LISTED = listed(FOLDER)
PRINTED = {
    "000": "Figures 1 to 12",
    "001": "Figures 2 to 8",
    "002": "Figures 1 to 5",
    "003": "Figures 1.1 and 1.2, 2.1 to 2.10, 3.1 to 3.17, 4.1 and 4.2, 5.1 to 5.39, A.1 and A.2, B.1 to B.3, "
    "C.1, D.1 to D.20, E.1 to E.5; tables 3.1 to 3.3, 4.1 to 4.3, 5.1 to 5.10, E.1 to E.4",
    "004": "Figures 1 to 14",
}
"""What the papers' texts number. Paper 001 begins with figure 2; of paper 004 a section with numbers is listed too."""
REASONS = ("diagram: ", "sketch: ", "input: ", "test: ", "not run: ")


def test_names_are_read_one_by_one() -> None:
    assert named("Figures 5.1 to 5.3, table 5.3") == ["Figure 5.1", "Figure 5.2", "Figure 5.3", "Table 5.3"]
    assert named("Tables 5.6, E.1 to E.2, figures 9 and 11") == [
        "Table 5.6",
        "Table E.1",
        "Table E.2",
        "Figure 9",
        "Figure 11",
    ]
    assert named("§5.2.8") == ["§5.2.8"]


@pytest.mark.parametrize("paper", PRINTED)
def test_every_figure_and_table_is_listed_once(paper: str) -> None:
    single = [name for entry in LISTED[paper] for name in named(entry)]
    assert len(single) == len(set(single))
    assert {name for name in single if not name.startswith("§")} == set(named(PRINTED[paper]))


def test_the_numbers_of_figures_and_tables() -> None:
    # 12 + 7 + 5 + (2 + 10 + 17 + 2 + 39 + 2 + 3 + 1 + 20 + 5 figures and 3 + 3 + 10 + 4 tables) + 14.
    assert sum(len(named(text)) for text in PRINTED.values()) == 12 + 7 + 5 + 101 + 20 + 14


def test_what_is_listed_exists() -> None:
    found = find_experiments(FOLDER)
    for figures in LISTED.values():
        for name, fate in figures.items():
            if isinstance(fate, list):
                assert fate, name
                assert set(fate) <= set(found), name
                continue
            assert fate.startswith(REASONS), name
            for path in re.findall(r"\b(?:crates|experiments)/[\w/.-]+", fate):
                assert (ROOT / path).is_file(), f"{name}: {path}"


def test_the_list_and_the_experiments_name_one_another() -> None:
    """An experiment names the figures that the list gives to it, and no figure of the papers that the list does not."""
    given: dict[str, set[str]] = {}
    for figures in LISTED.values():
        for entry, fate in figures.items():
            for experiment in fate if isinstance(fate, list) else ():
                given.setdefault(experiment, set()).update(named(entry))
    for name, file in find_experiments(FOLDER).items():
        paper = name.split("/")[0]
        figures = load_experiment(file).source.figures
        claims = paper in LISTED and re.match(r"[FT]|§", figures)
        assert given.get(name, set()) == (set(named(figures)) if claims else set()), name
