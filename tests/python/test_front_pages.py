"""The pages that introduce the whole name all of it, and say of nothing that is here that it is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from photocol import _core

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/guide/why.md", "docs/glossary.md", "docs/index.md", "paper/paper.md")

SWITCHING = {
    "aapn": "slots",
    "circuits": "circuits between racks",
    "obs": "bursts",
    "ocs": "optical circuit switches",
    "ops": "optical packets",
    "packets": "packets",
    "rotor": "rotor switches",
}
"""The words for a kind of switching by its name in scenarios."""
HOSTS = {"tcp": "TCP", "told": "XCP", "ndp": "NDP", "quic": "QUIC", "udp": "UDP", "external": "real hosts"}
"""The words for a kind of host. Hosts that are told stand in one folder of experiments, too."""
PAPERS = r"five (?:published )?papers|000 to 004|papers \[000\]"
EXPERIMENTS = {
    **dict.fromkeys(("000", "001", "002", "003", "004"), PAPERS),
    "modern": "senders of today",
    "circuits": "circuits between racks",
    "rotor": "rotor switches",
    "told": "hosts that are told",
    "quic": "QUIC's recovery",
    "work": "collectives",
    "orbit": "paths over satellites",
}
"""The words for a folder of experiments."""

ABSENT = re.compile(r"\b(?:no|not|none|without|lacks|nothing|neither)\b", re.IGNORECASE)
COMMON = {"packets", "star", "line", "ring", "grid", "reno", "python", "external", "linux", "custom", "mesh", "random"}
"""Names that are words of any sentence, or names of what others have."""
ELSEWHERE = "## When to use something else"


def text(page: str) -> str:
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def test_the_words_are_of_all_there_is() -> None:
    assert SWITCHING.keys() == {name for name, *_ in _core.catalogue("switching")}
    folders = {path.name for path in (ROOT / "experiments").iterdir() if (path / "discussion.md").is_file()}
    assert EXPERIMENTS.keys() == folders
    hosts = ROOT / "crates/sim/src/hosts"
    kinds = {path.name for path in hosts.iterdir() if path.is_dir()}
    examples = set(re.findall(r"#\[cfg\(test\)\]\nmod (\w+);", (hosts / "mod.rs").read_text(encoding="utf-8")))
    assert kinds - examples <= HOSTS.keys(), "say here and on the pages what another kind of host is called"


@pytest.mark.parametrize("page", PAGES)
def test_a_front_page_names_every_kind_of_switching_host_and_experiment(page: str) -> None:
    words = [*SWITCHING.values(), *HOSTS.values(), *EXPERIMENTS.values()]
    said = text(page)
    assert [word for word in words if not re.search(word, said, re.IGNORECASE)] == []


def listed() -> set[str]:
    """The names of `photocol list` that stand for themselves in a sentence."""
    kinds = ("topologies", "transports", "switching", "queues", "schedulers", "circuit-schedules", "reservations")
    names = {name for kind in kinds for name, *_ in _core.catalogue(kind)}
    return {name for name in names | {"rotornet", "opera"} if len(name) > 2} - COMMON


def test_nothing_that_is_listed_is_said_to_be_elsewhere() -> None:
    page = (ROOT / "docs/guide/why.md").read_text(encoding="utf-8")
    elsewhere = " ".join(page.partition(ELSEWHERE)[2].split()).replace("`photocol list transports`", "").lower()
    found = [name for name in listed() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", elsewhere)]
    assert sorted(found) == []


def test_nothing_that_is_listed_is_said_to_be_absent() -> None:
    """In the column of photocol a cell that says "no" names nothing that is here, nor does a sentence of the pages."""
    rows = re.findall(r"^\|(.*)\|$", (ROOT / "docs/guide/why.md").read_text(encoding="utf-8"), re.MULTILINE)
    own = [re.split(r"(?<!\\)\|", row)[1] for row in rows]
    sentences = [sentence for page in PAGES for sentence in re.split(r"(?<=[.;:])\s", text(page))]
    says_no = [part for one in own for part in re.split("[;,]", one) if ABSENT.search(part)]
    says_no += [
        one for one in sentences if re.search(r"photocol.{0,30}\b(?:has|knows|models) (?:no|none|neither)", one)
    ]
    names = {*listed(), "rotating circuits", "rotor", "circuits", "bursts", "slots", "applications"}
    told = [(name, one) for one in says_no for name in names if re.search(rf"(?<![\w-]){name}(?![\w-])", one.lower())]
    assert told == []


def test_no_cell_of_the_deviations_is_a_page() -> None:
    """What takes more than 300 characters is for the page of the experiment."""
    lines = (ROOT / "docs/deviations.md").read_text(encoding="utf-8").splitlines()
    cells = [cell.strip() for line in lines if line.startswith("|") for cell in re.split(r"(?<!\\)\|", line)]
    assert [cell[:60] for cell in cells if len(cell) > 300] == []
