"""The schema that editors use knows what the language knows: every ready-made scenario fits it, and mistakes do not."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml")) + sorted((ROOT / "scenarios" / "large").glob("*.toml"))
SCHEMA: dict[str, Any] = json.loads((ROOT / "schema" / "scenario.json").read_text())


def mistakes(scenario: dict[str, Any]) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(scenario)]


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_every_ready_made_scenario_fits_and_names_the_schema(file: Path) -> None:
    text = file.read_text()
    scenario = tomllib.loads(text)
    if "extends" not in scenario:  # What a layer leaves out is said below it.
        assert mistakes(scenario) == []
    named = re.match(r"#:schema (\S+)\n", text)
    assert named is not None
    assert (file.parent / named[1]).resolve() == ROOT / "schema" / "scenario.json"


@pytest.mark.parametrize("duration", ["2", "2 sec", "two s", "2 Mbps"])
def test_a_quantity_without_its_unit_does_not_fit(duration: str) -> None:
    assert any("does not match" in one for one in mistakes({"run": {"duration": duration}}))


@pytest.mark.parametrize("duration", ["2 s", "2s", "1e3 ms", "1_000 us", " .5 min ", "3 µs", "+4 h"])
def test_every_way_to_write_a_quantity_fits(duration: str) -> None:
    assert mistakes({"run": {"duration": duration}}) == []


def test_defaults_are_values() -> None:
    run = SCHEMA["$defs"]["Run"]["properties"]
    assert (run["seed"]["default"], run["runs"]["default"], run["warm_up"]["default"]) == (1, 1, "0 s")
    assert "default" not in run["name"], "it is the name of the file"


def test_words_are_enumerated() -> None:
    choices = SCHEMA["$defs"]["Channel"]["oneOf"]
    assert [one["const"] for one in choices] == ["in-band", "out-of-band"]
