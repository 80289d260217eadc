"""The defaults that differ from what was compared with a peer are those that the page names."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from photocol import _core

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import queues  # noqa: E402

PAGE = ROOT / "docs" / "validation" / "laws.md"
SECTION = "## Defaults that are not what was compared"


def written(value: object) -> str:
    """A value as the table has it."""
    return json.dumps(value) if isinstance(value, str) else str(value if isinstance(value, bool) else float(str(value)))


def test_the_page_names_every_default_that_was_not_compared() -> None:
    defaults = {name: default for name, _, default, *_ in _core.transport_options("sender")}
    compared = {(case.algorithm, key, written(value)) for case in queues.CASES for key, value in case.options}
    differing = {(law, key, defaults[key], value) for law, key, value in compared if defaults[key] != value}
    lines = PAGE.read_text(encoding="utf-8").split(SECTION)[1].splitlines()
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    assert {tuple(row) for row in cells} == differing
    assert len(cells) == len(differing)
