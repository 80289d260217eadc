"""Who made it, where it is, what it cites: one place for each, and nothing invented."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "https://forge.example/owner/photocol"
STATED = ["CITATION.cff", "codemeta.json", "CONTRIBUTING.md", "SECURITY.md", "pyproject.toml", "Cargo.toml"]


def program(name: str) -> ModuleType:
    """A program of tools/, as a module."""
    loader = SourceFileLoader(name, str(ROOT / "tools" / name))
    specification = spec_from_loader(name, loader)
    assert specification is not None
    module = module_from_spec(specification)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module


def citation() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_every_file_states_the_address_or_none_does() -> None:
    done = subprocess.run([ROOT / "tools" / "address", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_while_there_is_no_address_no_file_has_the_field() -> None:
    if (ROOT / "repository-address").read_text(encoding="utf-8").strip():
        pytest.skip("the project has an address")
    fields = re.compile(r"^repository(\.workspace)? =|^urls|repository-code|codeRepository|issueTracker", re.MULTILINE)
    files = [*(ROOT / name for name in STATED), *ROOT.glob("crates/*/Cargo.toml")]
    assert [file.name for file in files if fields.search(file.read_text(encoding="utf-8"))] == []


def test_an_address_is_written_into_every_file_and_taken_out_again() -> None:
    address = program("address")
    before = address.stated("")
    written = address.stated(EXAMPLE)
    assert all(EXAMPLE in text or "workspace = true" in text or "owner/photocol" in text for text in written.values())
    assert {file.relative_to(ROOT).as_posix() for file in written} >= {*STATED, ".github/workflows/release.yml"}
    for file, text in written.items():
        again = text
        for field in address.FIELDS:
            again = field.within(again, "") if ROOT / field.file == file else again
        assert again == before[file], file
    by_name = {file.relative_to(ROOT).as_posix(): text for file, text in written.items()}
    assert tomllib.loads(by_name["pyproject.toml"])["project"]["urls"]["Issues"] == f"{EXAMPLE}/issues"
    assert tomllib.loads(by_name["Cargo.toml"])["workspace"]["package"]["repository"] == EXAMPLE
    assert tomllib.loads(by_name["crates/transport/Cargo.toml"])["package"]["repository"] == {"workspace": True}
    assert json.loads(by_name["codemeta.json"])["issueTracker"] == f"{EXAMPLE}/issues"
    assert yaml.safe_load(by_name["CITATION.cff"])["repository-code"] == EXAMPLE
    jobs = yaml.safe_load(by_name[".github/workflows/release.yml"])["jobs"]
    assert jobs["python-package"]["steps"][0] == {"run": 'test "$GITHUB_REPOSITORY" = "owner/photocol"'}


def test_what_is_no_address_is_refused() -> None:
    valid = program("address").VALID
    assert valid.fullmatch(EXAMPLE)
    for wrong in (
        "forge.example/owner/photocol",
        f"{EXAMPLE}/",
        "https://forge.example/owner",
        f"{EXAMPLE}.",
        "http://a/b/c",
    ):
        assert not valid.fullmatch(wrong), wrong


def test_version_licence_author_and_keywords_are_the_same_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    meta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    cited = citation()
    assert cargo["version"] == meta["version"] == str(cited["version"])
    assert project["license"] == cargo["license"] == " OR ".join(cited["license"])
    assert [url.rsplit("/", 1)[1] for url in meta["license"]] == cited["license"]
    assert (
        project["authors"]
        == cited["authors"]
        == [{"name": meta["author"]["name"]}]
        == [{"name": "The photocol developers"}]
    )
    assert meta["keywords"] == cited["keywords"]
    assert set(project["keywords"]) <= set(cited["keywords"])
    assert meta["description"] == project["description"]


def test_the_five_papers_are_cited_and_no_identifier_is_invented() -> None:
    references = citation()["references"]
    assert [one["notes"][:9] for one in references] == [f"paper {number:03}" for number in range(5)]
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in [*STATED, "CODE_OF_CONDUCT.md"])
    assert re.findall(r"orcid|\bdoi\b|[\w.]+@[\w-]+\.\w+", text, re.IGNORECASE) == []


def test_the_templates_of_issues_can_be_read() -> None:
    for name in ("fault", "proposal"):
        form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(form)
        ids = [part["id"] for part in form["body"]]
        assert len(set(ids)) == len(ids) > 2


def test_read_the_docs_builds_the_site_as_make_does() -> None:
    commands = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))["build"]["commands"]
    assert commands[0] == "make docs"
    assert "out/site" in (ROOT / "docs" / "make_site.py").read_text(encoding="utf-8").replace('" / "', "/")


def test_every_number_of_the_paper_is_of_the_records() -> None:
    numbers = program("paper-numbers")
    text = numbers.PAPER.read_text(encoding="utf-8")
    assert numbers.written(text) == text, "run .venv/bin/python tools/paper-numbers"
    assert sorted(numbers.NUMBER.findall(text)) == sorted(numbers.numbers()), "each is used once"
    assert all(one["verdict"] != "disagrees" for one in numbers.read("002/baseline", "claims.json")["claims"])
    prose = re.sub(r"@\w+", "", numbers.NUMBER.sub("", text.partition("\n---\n")[2]))
    # The simulators' names, the papers' numbers, "95 %" of a plateau, and what paper 000 promises in its abstract.
    known = r"ns-[23]|photocol-\w+|\b(?:paper|Paper) 00\d|95 %|between 2 and 10 times"
    assert re.findall(r"\S*\d\S*", re.sub(known, "", prose)) == []


def test_the_paper_has_the_form_that_is_asked_for() -> None:
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    head, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert {"title", "tags", "authors", "bibliography"} == set(yaml.safe_load(head))
    assert re.findall(r"^# (.*)$", body, re.MULTILINE)[:4] == [
        "Summary",
        "Statement of need",
        "State of the field",
        "What is new",
    ]
    assert 900 <= len(body.split()) <= 1050
    entries = set(
        re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert set(re.findall(r"@(\w+)", body)) == entries
