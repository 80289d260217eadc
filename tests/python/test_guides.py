"""Guides for who adds a feature say every call of its seam, and show code as it is: nobody has to read the engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted((ROOT / "docs" / "guide").glob("add-a*.md"))
QUOTED = re.compile(r"From\s`([^`]+)`:\n\n```\w+\n(.*?)```", re.DOTALL)
MEMBER = re.compile(r"^    (?:pub(?:\(crate\))? )?(?:fn (\w+)|(\w+):)", re.MULTILINE)
SIM = "crates/sim/src"
SEAMS = [
    ("add-a-link-property", f"{SIM}/links/property.rs", "pub trait Property"),
    ("add-a-link-property", f"{SIM}/links/property.rs", "pub trait PortFeature"),
    ("add-a-probe", f"{SIM}/engine/observe/probe.rs", "pub trait Probe:"),
    ("add-a-probe", f"{SIM}/engine/observe/probe.rs", "pub trait ProbeSite"),
    ("add-a-probe", f"{SIM}/engine/observe/probe.rs", "pub struct RunSoFar"),
    ("add-a-probe", f"{SIM}/engine/packet/payload.rs", "pub struct Stamp"),
    ("add-a-probe", f"{SIM}/probes/mod.rs", "pub(crate) trait ProbeKeys"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "pub trait HostMachine"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "pub trait HostMaker"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "pub trait Shared"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "impl HostContext"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "pub trait Application:"),
    ("add-a-host", f"{SIM}/engine/node/machine.rs", "pub trait ApplicationMaker"),
    ("add-a-host", f"{SIM}/model/transport.rs", "pub trait HostKind"),
    ("add-a-host", f"{SIM}/hosts/kind.rs", "pub struct Kind"),
    ("add-a-host", f"{SIM}/hosts/kind.rs", "impl Ways"),
]
"""A guide, and what it has to name: the calls or public fields of a seam."""


def _names(file: str, head: str) -> list[str]:
    """The calls of a trait or a type, or the fields of a struct."""
    text = (ROOT / file).read_text().partition(f"\n{head}")[2].partition("\n}\n")[0]
    return [call or field for call, field in re.findall(MEMBER, text)]


@pytest.mark.parametrize(("guide", "file", "head"), SEAMS, ids=lambda one: one.rpartition(" ")[2].strip(":"))
def test_a_guide_names_every_call_of_its_seam(guide: str, file: str, head: str) -> None:
    text = (ROOT / "docs" / "guide" / f"{guide}.md").read_text()
    names = _names(file, head)
    assert names
    assert [name for name in names if not re.search(rf"`(?:\w+::|\w+\.)*{name}\b", text)] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda file: file.stem)
def test_a_guide_shows_code_as_it_is(guide: Path) -> None:
    for file, code in QUOTED.findall(guide.read_text()):
        assert code in (ROOT / file).read_text(), f"{guide.name} shows another text than {file}"


def test_guides_show_code_of_the_tree() -> None:
    shown = [file for guide in GUIDES for file, _ in QUOTED.findall(guide.read_text())]
    assert len(shown) == sum(len(re.findall(r"From\s`", guide.read_text())) for guide in GUIDES)
    assert len(shown) > len(SEAMS) // 2
