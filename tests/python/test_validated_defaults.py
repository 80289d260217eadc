"""The defaults that differ from what was compared with a peer are those that the page names."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import queues  # noqa: E402

PAGE = ROOT / "docs" / "validation" / "laws.md"
SECTION = "## Defaults that are not what was compared"
REFERENCE = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "docs/reference/scenario").glob("*.md"))
CONDITIONS = {
    "algorithm", "kind", "packet_size", "max_window", "receiver_window", "initial_ssthresh", "ecn",
    "min_th", "max_th", "max_p", "mean_packet_size", "threshold",
}  # fmt: skip
"""The conditions of a case, as its capacity is one: no rule of a law or a queue."""


def default_of(owner: str, key: str) -> str:
    """As the reference prints it."""
    [row] = [line for line in REFERENCE.splitlines() if re.match(rf"\| `{key}` \|", line) and says(line, owner)]
    return re.split(r"Default:? ", says(row, owner))[1].split(". ")[0].split(",")[0].rstrip(".| ")


def says(row: str, owner: str) -> str:
    """From there on, where the row speaks of its owner, or of all."""
    text = row.split(" | ", 2)[2]
    return text[text.index(f"{owner}: ") :] if f"{owner}: " in text else "" if owner in KINDS else text


KINDS = {case.queue for case in queues.CASES}


def compared() -> Iterator[tuple[str, str, Any]]:
    """Law or queue, key, and what the peer's run had."""
    for case in queues.CASES:
        named = {key for key, _ in case.options}
        for key, value in queues.transport(case).items():
            yield (case.algorithm if key in named else "any law"), key, value
        for key, value in queues.discipline(case).items():
            yield case.queue, key, value
    for name in ("s1", "s2"):
        tcp = tomllib.loads((ROOT / "bench" / "scenarios" / f"{name}.toml").read_text())["transport"]["tcp"]
        for key, value in tcp.items():
            yield "any law", key, value


def same(default: str, value: Any) -> bool:
    spans = {"0.2 s": "200 ms"}
    return default == json.dumps(spans.get(value, value) if isinstance(value, str) else value) or (
        not isinstance(value, str | bool) and default.replace(".", "").isdigit() and float(default) == value
    )


def test_the_page_names_every_default_that_was_not_compared() -> None:
    found = {(owner, key, json.dumps(value)) for owner, key, value in compared() if key not in CONDITIONS}
    rows = {(owner, key, default_of(owner, key), value) for owner, key, value in found}
    differing = {row for row in rows if not same(row[2], json.loads(row[3]))}
    lines = PAGE.read_text(encoding="utf-8").split(SECTION)[1].splitlines()
    cells = [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines if line[:3] == "| `"]
    assert {tuple(row) for row in cells} == differing
    assert len(cells) == len(differing)
