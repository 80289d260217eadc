"""The generated pages are those that the schema and the models give."""

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from photocol import _core

ROOT = Path(__file__).parents[2]


def test_the_scenario_reference_is_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_reference.py"


def test_the_page_of_what_a_replay_checks_is_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_replay.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_replay.py"


def test_every_key_of_the_schema_is_in_the_reference_with_a_sentence() -> None:
    schema = json.loads((ROOT / "schema" / "scenario.json").read_text())
    page = "\n#".join(file.read_text() for file in sorted((ROOT / "docs" / "reference" / "scenario").glob("*.md")))
    tables = [re.findall(r"^\| `(\w+)`[^|]*\|[^|]+\| *(.*?) *\|$", part, re.MULTILINE) for part in page.split("\n#")]
    printed = Counter(frozenset(key for key, _ in table) for table in tables if table)
    expected = Counter(frozenset(keys) for keys in tables_of(schema))
    expected -= Counter([frozenset(schema["properties"]), frozenset({"kind"})])  # the index; switching.kind = "packets"
    assert printed == expected
    assert not [key for table in tables for key, sentence in table if not sentence.endswith((".", ")"))]


def test_the_keys_of_each_law_are_those_that_its_machine_takes() -> None:
    page = (ROOT / "docs" / "reference" / "scenario" / "transport.md").read_text()
    part = page.split("## Keys of one law or host")[1].split("\n## ")[0]
    lines = re.findall(r"^- (`[^:]+`): (`.+`)$", part, re.MULTILINE)
    listed = {law: set(re.findall(r"\w+", keys)) for laws, keys in lines for law in re.findall("[^`, ]+", laws)}
    taken: dict[str, set[str]] = {}
    for name, _, _, _, laws in _core.transport_options("sender"):
        for law in laws:
            taken.setdefault(law, set()).add(name)
    assert listed["swift"] >= {"base_target", "hop_delay", "swift_ai"}
    assert {law: keys for law, keys in listed.items() if law in taken} == taken
    of_quic = {
        name for name, *_ in (*_core.transport_options("quic-sender"), *_core.transport_options("quic-receiver"))
    }
    assert listed["quic-cubic"] <= of_quic | {"datagram_queue", "frames", "receive_window"}
    assert listed.keys() - taken.keys() == {"ndp", "quic", "quic-newreno", "quic-cubic", "quic-bbr3"}


def test_the_index_lists_the_tables_in_the_order_in_which_one_writes_them() -> None:
    schema = json.loads((ROOT / "schema" / "scenario.json").read_text())
    index = (ROOT / "docs" / "reference" / "scenario" / "index.md").read_text()
    pages = re.findall(r"^\| \[[^\]]*.*?\]\(([\w-]+)\.md\)", index, re.MULTILINE)
    kept = sorted((ROOT / "docs" / "reference" / "scenario").glob("*.md"))
    assert sorted([*pages, "index"]) == sorted(file.stem for file in kept)
    order = [page for page in pages if "-" not in page]
    assert order[:2] == ["run", "topology"]
    assert order.index("link") < order.index("switching") < order.index("transport") < order.index("traffic")
    assert {*order, "extends", "drop"} == set(schema["properties"])


def test_every_page_of_a_table_has_an_example_that_uses_it() -> None:
    for file in (ROOT / "docs" / "reference" / "scenario").glob("*.md"):
        examples = re.findall(r"^```toml\n(.*?)^```$", file.read_text(), re.MULTILINE | re.DOTALL)
        key, _, kind = file.stem.partition("-")
        if file.stem == "index":
            continue
        [example] = map(tomllib.loads, examples)
        assert key in example, file
        assert not kind or example[key]["kind"] == kind, file


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


def test_the_page_of_probes_is_current() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_probes.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_probes.py"


def test_the_options_of_senders_and_receivers_are_not_stale() -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / "make_options.py", "--check"], check=False)
    assert check.returncode == 0, "run: python docs/make_options.py"
