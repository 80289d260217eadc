"""The code speaks the field's words: names that were private to this project are gone, and do not come back."""

from __future__ import annotations

import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "crates" / "sim" / "src").rglob("*.rs"))
ENGINE = ROOT / "crates" / "sim" / "src" / "engine"
PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "docs" / "guide" / "add-a-switching.md", ROOT / "docs" / "glossary.md"]

GONE = [
    "AsPays",
    "Bearer",
    "Bench",
    "CargoTable",
    "Disturbance",
    "Entrance",
    "Equipment",
    "Foresight",
    "Ground",
    "Herald",
    "InRounds",
    "Intake",
    "Manner",
    "OnFibre",
    "OwnPort",
    "PlainTurn",
    "Regime",
    "ShortWay",
    "Shortfall",
    "Station",
    "Stations",
    "Threading",
    "act_before",
    "act_until_end",
    "act_while",
    "boundless",
    "calm_down",
    "climb",
    "deal_hosts",
    "dealt",
    "disturbed_by",
    "expect_ack",
    "expect_cargo",
    "expect_messages",
    "expect_more",
    "expect_sack",
    "foresee",
    "foresee_next",
    "herald",
    "is_stale",
    "is_calm_by_number",
    "is_calm_by_time",
    "look_inside",
    "mark_stale",
    "note_inside",
    "put_carried",
    "receive_rarity",
    "regime",
    "short_way",
    "shortfall",
    "spend",
    "take_carried",
    "take_unlisted",
    "unsettle",
    "was_dark",
    "witness",
]
"""Identifiers, each with a name of the field instead."""
FILES = [
    "bench.rs",
    "deal.rs",
    "balance.rs",
    "calm.rs",
    "equipment.rs",
    "fetch.rs",
    "mail.rs",
    "manner.rs",
    "net.rs",
    "offer.rs",
    "rounds.rs",
    "shortfall",
    "stations.rs",
    "workers.rs",
    "writers.rs",
    "regime",
]
"""Files and folders of the simulator."""
WORDS = [
    "boundless",
    "dealing",
    "dealt",
    "deals",
    "foresee",
    "foreseen",
    "foresees",
    "herald",
    "inbox",
    "outbox",
    "regime",
    "regimes",
    "shortfall",
    "stations",
    "unlisted",
    "witness",
    "witnesses",
]
"""Words without a plain meaning here, in comments of the engine and on pages that were rewritten."""

GONE_IN_PYTHON = [
    "Conducted",
    "Means",
    "Settling",
    "Wanted",
    "conduct",
    "heeded",
    "layers_of",
    "recorded_in",
    "settling",
    "shielded",
]
"""Identifiers of the Python package, each with a plain name instead."""
FILES_IN_PYTHON = ["conduct.py", "crate.py", "layers.py", "ready.py", "recorded.py", "settling.py"]


def without_comments(text: str) -> str:
    """A Rust text without comments and string literals."""
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text))


def comments(text: str) -> str:
    return "\n".join(re.findall(r"//[^\n]*", text))


def test_no_identifier_of_the_private_vocabulary_is_left() -> None:
    gone = set(GONE)
    found = {path.relative_to(ROOT).as_posix(): words(without_comments(path.read_text())) & gone for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_file_of_the_simulator_has_such_a_name() -> None:
    names = {path.name for path in (ROOT / "crates" / "sim" / "src" / "engine").rglob("*")}
    names |= {path.name for path in (ROOT / "crates" / "sim" / "src").iterdir()}
    assert names & set(FILES) == set()


def test_no_identifier_of_the_python_package_is_such_a_word() -> None:
    files = sorted((ROOT / "python" / "photocol").rglob("*.py"))
    found = {}
    for file in files:
        with file.open("rb") as text:
            names = {token.string for token in tokenize.tokenize(text.readline) if token.type == tokenize.NAME}
        found[file.name] = names & set(GONE_IN_PYTHON)
    assert {name: gone for name, gone in found.items() if gone} == {}
    assert {file.name for file in files} & set(FILES_IN_PYTHON) == set()


def test_comments_and_rewritten_pages_use_plain_words() -> None:
    gone = set(WORDS)
    texts = {path.relative_to(ROOT).as_posix(): comments(path.read_text()) for path in ENGINE.rglob("*.rs")}
    texts |= {path.relative_to(ROOT).as_posix(): path.read_text() for path in PAGES}
    found = {path: words(text.lower()) & gone for path, text in texts.items()}
    assert {path: names for path, names in found.items() if names} == {}


def test_the_test_sees_identifiers_and_not_texts() -> None:
    text = 'fn foresee() {} // herald\nlet name = "Bench \\" // x"; deal(name);'
    assert words(without_comments(text)) == {"fn", "foresee", "let", "name", "deal"}
    assert "herald" in words(comments(text))
