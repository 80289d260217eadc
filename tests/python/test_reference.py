"""The generated pages are those that the schema and the models give."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def test_the_scenario_reference_is_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_reference.py"


def test_every_key_of_the_schema_is_in_the_reference_with_a_sentence() -> None:
    schema = json.loads((ROOT / "schema" / "scenario.json").read_text())
    page = (ROOT / "docs" / "scenario.md").read_text()
    tables = [re.findall(r"^\| `(\w+)`[^|]*\|[^|]+\| *(.*?) *\|$", part, re.MULTILINE) for part in page.split("\n#")]
    printed = Counter(frozenset(key for key, _ in table) for table in tables if table)
    assert printed == Counter(frozenset(keys) for keys in tables_of(schema))
    assert not [key for table in tables for key, sentence in table if not sentence.endswith((".", ")"))]


def tables_of(schema: Any) -> Iterator[set[str]]:
    """The keys of each table anywhere in a schema, however deep, whether one kind of many or not."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield set(schema["properties"])
        for inner in schema.values():
            yield from tables_of(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from tables_of(inner)


def test_the_pages_of_the_models_are_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_models.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_models.py"


def test_the_options_of_senders_and_receivers_are_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_options.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_options.py"
