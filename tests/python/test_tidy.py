"""The Rust sources can be read: short functions, macros and files, lines of 120 columns, and no thread or clock but
where the list says. Lints and attributes say why."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "crates").rglob("*.rs"))
COLUMNS, FUNCTION, MACRO, FILE = 120, 60, 40, 400
REASON = "// Over 40 lines: "
"""So begins the reason beside a longer macro."""

THREADS = {
    "linux/src/demo/children.rs": "reads what each process prints",
    "linux/src/serve.rs": "answers while the process works",
    "linux/src/emulate/station.rs": "is a host, whose network is that of a thread",
    "linux/src/slots.rs": "sends light at its instant",
    "linux/src/sys/priority.rs": "counts the cores",
    "sim/src/engine/parallel/sync.rs": "waits for a neighbour",
    "sim/src/engine/world.rs": "runs partitions side by side",
    "sim/src/study/report/behind.rs": "writes tables while the run goes on",
}
"""The files, tests aside, that start threads or read a clock."""

EXCEPTIONS: set[str] = set()
"""What is not tidy yet, as `untidy` says it. What has become tidy must go from here: a test says so."""

ITEM = re.compile(
    r"^(?P<indent> *)(?P<head>(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe) )*(?:extern \"C\" )?fn |macro_rules! )"
    r"(?P<name>\w+)"
)
THREAD = re.compile(r"\bthread::|\bInstant::now\b|\bSystemTime\b|\bstd::time::Instant\b")


def is_test(path: str) -> bool:
    """True for a file that has tests alone: `tests.rs`, `…_tests.rs`, and all in a folder `tests` or `examples`."""
    *folders, name = path.split("/")
    return bool({"tests", "examples"} & set(folders)) or name == "tests.rs" or name.endswith("_tests.rs")


def without_tests(text: str) -> str:
    """A file as far as the module of its tests."""
    return text.split("\n#[cfg(test)]\nmod tests {", 1)[0]


def items(lines: list[str]) -> Iterator[tuple[str, int, int]]:
    """Functions and macros with their numbers of lines, and the lines that they may have. Their last line is the first
    `}` that stands as far left."""
    for place, line in enumerate(lines):
        if found := ITEM.match(line):
            last = place
            if not line.rstrip().endswith((";", "}")):
                ends = (found["indent"] + "}", found["indent"] + ")")
                last = next((at for at in range(place + 1, len(lines)) if is_end(lines[at], ends)), len(lines))
            is_macro = found["head"].startswith("macro")
            most = MACRO if is_macro and not has_reason(lines, place) else FUNCTION
            yield f"{'the macro' if is_macro else 'the function'} {found['name']}", last - place + 1, most


def has_reason(lines: list[str], place: int) -> bool:
    """True if the comments and attributes above a line say why a macro is long."""
    while place > 0 and lines[place - 1].startswith(("//", "#[")):
        place -= 1
        if lines[place].startswith(REASON):
            return True
    return False


def is_end(line: str, ends: tuple[str, str]) -> bool:
    """True for the last line of a function, be it one of a trait that has no body."""
    return line.rstrip() == ends[0] or (line.startswith(ends[1]) and line.rstrip().endswith(";"))


def attributes(text: str) -> Iterator[str]:
    """Each `allow` and `expect`, to the end of the attribute."""
    for found in re.finditer(r"^ *#!?\[(?:allow|expect)\((?:[^()]|\([^()]*\))*\)\]", text, re.M):
        yield " ".join(found[0].split())


def untidy(path: str, text: str) -> Iterator[str]:
    """What is not as it should be in a file."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield f"{path}: line {number} has more than {COLUMNS} columns"
    for name, length, most in items(lines):
        if length > most:
            yield f"{path}: {name} has more than {most} lines"
    for attribute in attributes(text):
        if "reason = " not in attribute:
            yield f"{path}: {attribute} gives no reason"
    if not is_test(path):
        code = without_tests(text)
        if len(code.splitlines()) > FILE:
            yield f"{path}: more than {FILE} lines"
        if path not in THREADS and THREAD.search(code):
            yield f"{path}: a thread or a clock"


def exception(fault: str) -> str:
    """The fault as an exception names it: in any line."""
    return re.sub(r"line \d+ has", "a line has", fault)


def test_the_sources_are_tidy_but_for_the_exceptions() -> None:
    found = [one for path in SOURCES for one in untidy(path.relative_to(ROOT / "crates").as_posix(), path.read_text())]
    assert [one for one in found if exception(one) not in EXCEPTIONS] == []
    assert EXCEPTIONS - {exception(one) for one in found} == set(), "these have become tidy: they go from EXCEPTIONS"


def test_each_file_of_the_list_has_a_thread_or_a_clock() -> None:
    sources = {path: (ROOT / "crates" / path).read_text() for path in THREADS}
    assert [path for path, text in sources.items() if not THREAD.search(without_tests(text))] == []


def way_of_an_ack() -> tuple[list[str], dict[str, str]]:
    """The steps at the head of the simulator's lib.rs, and the paths of their links."""
    text = (ROOT / "crates" / "sim" / "src" / "lib.rs").read_text()
    return re.findall(r"^//! \d+\. (.*)$", text, re.M), dict(re.findall(r"^//! \[`(.*)`\]: (.*)$", text, re.M))


def test_the_way_of_an_ack_leads_through_what_there_is() -> None:
    steps, paths = way_of_an_ack()
    assert len(steps) == 12
    assert set(re.findall(r"\[`(.*?)`\]", " ".join(steps))) == set(paths)
    for name, path in paths.items():
        first, *rest = path.split("::")
        folder = (
            ROOT / "crates" / "transport" / "src" if first == "transport" else ROOT / "crates" / "sim" / "src" / first
        )
        text = "\n".join(file.read_text() for file in folder.rglob("*.rs"))
        owner, *function = name.split("::")
        assert rest[-len(name.split("::")) :] == name.split("::"), f"{name} is called {path}"
        assert re.search(rf"\b(?:struct|enum|trait) {owner}\b", text), f"there is no {owner}"
        assert all(re.search(rf"\bfn {one}\b", text) for one in function), f"there is no {name}"


def test_each_rule_is_seen_where_it_is_broken() -> None:
    body = "".join("    let a = 1;\n" for _ in range(60))
    for text, what in (
        ("// " + "x" * 118 + "\n", "line 1 has more than 120 columns"),
        ("pub(crate) const fn long() {\n" + body + "}\n", "the function long has more than 60 lines"),
        (f"{REASON}all.\nmacro_rules! long {{\n{body}}}\n", "the macro long has more than 60 lines"),
        ("/// It.\nmacro_rules! long {\n" + body[:750] + "}\n", "the macro long has more than 40 lines"),
        ("#[allow(dead_code)]\n", "#[allow(dead_code)] gives no reason"),
        ("//\n" * 401, "more than 400 lines"),
        ("use std::thread::scope;\n", "a thread or a clock"),
    ):
        assert list(untidy("sim/src/a.rs", text)) == [f"sim/src/a.rs: {what}"]
    fine = (
        "fn short() -> u32;\n\nfn wide(\n    a: u32,\n) -> u32;\n\n"
        + f"{REASON}all.\n#[macro_export]\nmacro_rules! long {{\n{body[:750]}}}\n"
        + body
        + "#[cfg(test)]\nmod tests {\n"
        + "//\n" * 400
        + "}\n"
    )
    assert list(untidy("sim/src/a.rs", fine)) == []
    assert list(untidy("sim/tests/a.rs", "//\n" * 401)) == []
    assert list(untidy("sim/src/a.rs", '#[allow(\n    dead_code,\n    reason = "(why)"\n)]\n')) == []
