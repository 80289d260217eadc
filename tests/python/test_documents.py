"""What README, ARCHITECTURE, the guide and bench/README show is so: TOML loads, commands run, names exist."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import PIL.Image
import pytest
from command import photocol

from photocol.cli.commands import app
from photocol.experiments.catalogue import experiments_folder, find_experiments, select
from photocol.runs.replay.kinds import KINDS
from photocol.runs.scenario import load
from photocol.transport import Sender

ROOT = Path(__file__).resolve().parents[2]
GUIDE = sorted((ROOT / "docs" / "guide").glob("*.md"))
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "docs" / "experiments.md",
    *GUIDE,
    *sorted((ROOT / "docs" / "reference" / "scenario").glob("*.md")),
]
SLOW = {"reproduce", "bench", "lab"}
"""Commands whose arguments are read but which are not carried out: each takes minutes, or lasts until it is ended, and
has tests of its own."""
FILLING = {
    "run": {"duration": "1 s"},
    "topology": {"kind": "nsfnet-edge"},
    "traffic": [{"transport": "sack", "pairs": "random", "flows": 1}],
}
"""What a fragment of a scenario is completed with."""
TRACES = {
    "uplink.csv": "time_s,capacity_mbps,delay_ms\n0,12,20\n5,6,30\n",
    "downlink.trace": "1\n2\n4\n",
    "range.csv": "time_s,delay_ms\n0,4\n5,6\n",
}
"""Files that fragments name."""


def transport_names() -> set[str]:
    """The algorithms of `photocol list transports`."""
    listed = json.loads(photocol("list", "transports", "--json").stdout)["transports"]
    return {one["name"] for one in listed}


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in this language; "" is a block without one."""
    fenced = re.findall(r"^```([\w-]*)\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return [block for name, block in fenced if name == language]


def commands(page: Path) -> list[list[str]]:
    """The command lines of a page in order, without comments."""
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    return [shlex.split(line, comments=True) for line in lines if line.startswith(("photocol ", "make "))]


def shown_files(page: Path) -> list[tuple[str, str]]:
    """The files that a page shows, each in a block of text behind its name."""
    return re.findall(r"\bfile\s`([\w.-]+)`:\n\n```text\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def names(pages: list[Path]) -> list[str]:
    return [page.relative_to(ROOT).as_posix() for page in pages]


TOML_PAGES = [page for page in PAGES if blocks(page, "toml")]
COMMAND_PAGES = [page for page in PAGES if commands(page)]


def test_the_pages_that_show_something_are_found() -> None:
    assert {"docs/guide/aapn.md", "docs/guide/obs.md", "docs/guide/ops.md"} <= set(names(TOML_PAGES))
    assert {"README.md", "docs/guide/start.md", "docs/experiments.md"} <= set(names(COMMAND_PAGES))


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that fragments name, and those that pages show."""
    shown = dict(file for page in PAGES for file in shown_files(page))
    for name, text in (shown | TRACES).items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("page", TOML_PAGES, ids=names(TOML_PAGES))
def test_every_fragment_of_a_scenario_is_valid(page: Path) -> None:
    for block in blocks(page, "toml"):
        load({**FILLING, **tomllib.loads(block)})


@pytest.mark.parametrize("page", COMMAND_PAGES, ids=names(COMMAND_PAGES))
def test_every_command_does_what_it_is_asked(page: Path, tmp_path: Path) -> None:
    for shared in ("scenarios", "experiments"):
        (tmp_path / shared).symlink_to(ROOT / shared)
    (tmp_path / "requests.json").write_text("[[0, 4, 1], [2, 0, 0], [0, 3, 0]]")
    for name, text in shown_files(page):
        (tmp_path / name).write_text(text)
    for program, *words in commands(page):
        if program == "make":
            assert f"\n{words[0]}:" in (ROOT / "Makefile").read_text(), words
        elif words[0] in SLOW:
            read_only(words)
        else:
            done = photocol(*words, cwd=tmp_path)
            assert done.returncode == 0, (words, done.stderr)


def read_only(words: list[str]) -> None:
    """Reads the arguments of a command that is not carried out, and looks for the experiments that it names."""
    context = app.commands[words[0]].make_context(words[0], words[1:])
    if words[0] == "reproduce":
        select(context.params["targets"] or [], find_experiments(experiments_folder(start=ROOT)))


def networks(page: Path) -> list[dict[str, Any]]:
    """The networks that a page is about: its fragments, and the ready scenarios that it names."""
    shown = [load({**FILLING, **tomllib.loads(block)}) for block in blocks(page, "toml")]
    ready = [load(ROOT / name) for name in sorted(set(re.findall(r"\bscenarios/[\w-]+\.toml\b", page.read_text())))]
    return [tomllib.loads(scenario.explain()) for scenario in shown + ready]


def unknown_names(page: Path) -> list[str]:
    """Nodes and links that a page names and that none of its networks has."""
    text, known = page.read_text(), networks(page)
    nodes = {node["name"] for network in known for node in network["node"]}
    ends = {frozenset((link["from"], link["to"])) for network in known for link in network["link"]}
    named = set(re.findall(r"\b[ech]\d+\b", text))
    # `a->b` stands for any link; a number or a wavelength behind the ends is one of several beside each other.
    # A circuit is between any two racks.
    circuit = r"circuit = \"(\w+)->(\w+)\""
    named |= {rack for ends_of in re.findall(circuit, text) for rack in ends_of}
    text = re.sub(circuit, "", text)
    links = set(re.findall(r"[`\"]([\w,]+)->(\w+)(?:#\d+| \([^)]*\))?[`\"]", text)) - {("a", "b")}
    return sorted(named - nodes) + sorted("->".join(link) for link in links if frozenset(link) not in ends)


NETWORK_PAGES = [
    page
    for page in PAGES
    if (blocks(page, "toml") or "scenarios/" in page.read_text()) and page.parent.name != "scenario"
]
"""The reference speaks of all networks, not of its example's."""


@pytest.mark.usefixtures("traces")
@pytest.mark.parametrize("page", NETWORK_PAGES, ids=names(NETWORK_PAGES))
def test_every_node_and_link_that_a_page_names_is_in_one_of_its_networks(page: Path) -> None:
    assert unknown_names(page) == []


def test_a_name_that_no_network_of_a_page_has_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('`e13`, `e14`, `0->1`, `0->13 (control)`\n```toml\n[topology]\nkind = "nsfnet-edge"\n```\n')
    assert unknown_names(page) == ["e14", "0->13"]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_every_scenario_and_file_that_a_page_names_is_there(page: Path) -> None:
    text = page.read_text()
    shown = set(re.findall(r"\bscenarios/[\w/.-]+\.toml\b", text)) | set(re.findall(r"\bdocs/[\w/.-]+\.md\b", text))
    assert [name for name in shown if not (ROOT / name).is_file()] == []
    links = {target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target}
    assert [target for target in links if target and not (page.parent / target).exists()] == []


def sources_named(text: str) -> list[str]:
    """Files of the repository that a text names in backticks, in full or by the end of the path."""
    return re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:rs|py|toml|csv|json))`", text)


def missing(named: list[str]) -> list[str]:
    """What no file of the repository's own folders is or ends with."""
    folders = ("crates", "python", "tests", "bench", "docs", "scenarios", "experiments", "tools", "schema", "fuzz")
    files = [f"/{file.relative_to(ROOT).as_posix()}" for folder in folders for file in (ROOT / folder).rglob("*.*")]
    return [name for name in named if not any(file.endswith(f"/{name}") for file in files)]


ALL_PAGES = sorted(
    {*PAGES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md"), *ROOT.glob("experiments/*/*.md")}
)
TO_BE_WRITTEN = re.compile(r"experiments/example/md1-queue\.py|.*/NAME\.(rs|py)")
"""What guides tell their readers to write."""


def test_every_source_that_any_page_names_is_there() -> None:
    named = {page.name: missing(sources_named(page.read_text())) for page in ALL_PAGES}
    assert {name: gone for name, gone in named.items() if not all(map(TO_BE_WRITTEN.fullmatch, gone))} == {}


def test_a_source_that_is_gone_is_found() -> None:
    text = "`sim/tests/obs.rs`, `crates/sim/src/lib.rs`, `switch/ops/ram.rs`"
    assert missing(sources_named(text)) == ["switch/ops/ram.rs"]


def parts() -> list[str]:
    """What a newcomer meets: crates, the folders of their sources, the rooms of the Python package."""
    source = [folder for folder in (ROOT / "crates").glob("*/src/*/") if folder.name not in ("bin", "random")]
    rooms = [f"`{place.parent.name}`" for place in (ROOT / "python" / "photocol").glob("*/__init__.py")]
    crates = [f"crates/{folder.name}" for folder in (ROOT / "crates").iterdir() if folder.is_dir()]
    return sorted({*crates, *rooms, *(f"{folder.name}/" for folder in source if folder.is_dir())})


def test_the_architecture_has_a_line_for_every_part() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert [part for part in parts() if not re.search(rf"(?<![\w/-]){re.escape(part)}", page)] == []


def room_table() -> dict[str, set[str]]:
    """What the table of rooms says each of them knows."""
    rows = re.findall(
        r"^\| `(crates/\w+|\w+/)` \|.*\| *([\w, ]*)\|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE
    )
    return {room: {name.strip() for name in known.split(",")} - {""} for room, known in rows}


def crate_dependencies() -> dict[str, set[str]]:
    """The crates that each crate depends on."""
    crates = {folder.name for folder in (ROOT / "crates").iterdir() if folder.is_dir()}
    manifests = {name: tomllib.loads((ROOT / "crates" / name / "Cargo.toml").read_text()) for name in crates}
    return {f"crates/{name}": set(manifest.get("dependencies", {})) & crates for name, manifest in manifests.items()}


def rooms_of_the_simulator() -> dict[str, set[str]]:
    """What `rooms.rs` lets each folder know; `random` and `results` are for all."""
    rules = re.findall(r'\(\s*"(\w+)",\s*&\[([^\]]*)\],?\s*\),', (ROOT / "crates/sim/tests/rooms.rs").read_text())
    known = {f"{room}/": set(re.findall(r"\w+", may)) - {"random", "results"} for room, may in rules}
    return {room: may for room, may in known.items() if room not in ("random/", "results/")}


def test_the_architecture_says_what_each_room_knows() -> None:
    assert room_table() == crate_dependencies() | rooms_of_the_simulator()


def test_the_architecture_can_be_read_in_ten_minutes() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 120


def test_the_page_on_scenarios_names_every_ready_one() -> None:
    page = (ROOT / "docs" / "guide" / "scenarios.md").read_text()
    ready = sorted(path.stem for path in (ROOT / "scenarios").glob("*.toml"))
    assert [name for name in ready if f"`{name}`" not in page] == []


def test_every_page_of_the_guide_can_be_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text()
    assert [page.name for page in GUIDE if f"(guide/{page.name})" not in index] == []


LAWS = {name for name in transport_names() if not name.startswith(("linux-", "quic"))} - {"python", "udp"}


def test_the_page_on_why_names_every_law() -> None:
    page = (ROOT / "docs" / "guide" / "why.md").read_text().lower()
    spelt = {"bbr3": "bbrv3", "htcp": "h-tcp"}
    words = {law: re.escape(spelt.get(law, law)) for law in LAWS}
    assert sorted(law for law in LAWS if not re.search(rf"(?<![a-z0-9]){words[law]}(?![a-z0-9])", page)) == []


def test_the_page_on_a_sender_by_hand_names_the_laws_with_a_pacing_rate_of_their_own() -> None:
    page = " ".join((ROOT / "docs" / "guide" / "sender-by-hand.md").read_text().split())
    [said] = re.findall(r"with a pacing rate of their own: ([^.]*)\.", page)
    own = set()
    for law in transport_names() - {"python"} - KINDS.keys():
        sender = Sender(law, mss=1000)
        sender.write(10)
        sender.on_ack(0.1, 1000)
        if sender.pacing_rate is not None:
            own.add(law)
    assert set(re.findall(r"`([^`]+)`", said)) == own


def test_the_decision_on_threads_names_every_file_that_has_some() -> None:
    page = (ROOT / "docs" / "decisions" / "0002-threads.md").read_text()
    sources = ROOT / "crates" / "sim" / "src"
    starts = re.compile(r"thread::(?:scope|spawn)\b|\bBuilder::new\(\)\.name\(")
    found = {file.relative_to(sources).as_posix() for file in sources.rglob("*.rs") if starts.search(file.read_text())}
    threads = page.split("**Threads.**")[1].split("\n\n")[0]
    assert set(sources_named(threads)) == found


DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))


@pytest.mark.parametrize("page", DECISIONS, ids=names(DECISIONS))
def test_a_decision_has_its_number_and_status(page: Path) -> None:
    title, _, status = page.read_text().split("\n")[:3]
    assert title.startswith(f"# {page.name[:4]}: ")
    assert re.match(r"\*\*Status\.\*\* (?:Accepted|Superseded by \[\d{4}\]\(.*\)), 20\d\d-\d\d-\d\d[.;]", status)


DEVIATIONS = (ROOT / "docs" / "deviations.md").read_text()


def test_a_deviation_is_a_row_of_four_cells_and_papers_come_in_their_order() -> None:
    rows = [line for line in DEVIATIONS.splitlines() if line.startswith("|")]
    assert [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 5] == []
    papers = re.findall(r"^## Paper (\d{3})", DEVIATIONS, flags=re.MULTILINE)
    assert papers == sorted(papers)


DISCUSSIONS = sorted((ROOT / "experiments").glob("*/discussion.md"))


@pytest.mark.parametrize("page", DISCUSSIONS, ids=names(DISCUSSIONS))
def test_a_discussion_begins_with_the_claim_and_what_holds_of_it(page: Path) -> None:
    heading, claim, holds = page.read_text().split("\n\n")[:3]
    assert heading.startswith("# ")
    assert re.match(r"\*\*The (?:paper claims|thesis claims|question)\*\*", claim)
    assert 4 <= len(re.findall(r"^- \*\*", holds, flags=re.MULTILINE)) <= 10


REPORTS = [page for page in sorted((ROOT / "docs" / "validation").glob("*.md")) if page.name != "speed.md"]


@pytest.mark.parametrize("page", REPORTS, ids=names(REPORTS))
def test_a_validation_report_has_its_parts(page: Path) -> None:
    text = page.read_text()
    assert [
        part for part in ("Set-up", "Expected", "Weakness") if f"**{part}" not in text and f"# {part}" not in text
    ] == []


def test_the_gallery_has_twelve_figures_as_wide_as_a_column() -> None:
    page = (ROOT / "docs" / "guide" / "gallery.md").read_text()
    shown = re.findall(r"\(\.\./images/gallery/([\w-]+\.png)\)\n\n```\n((?:photocol .*\n)+)```\n", page)
    files = {file.name: file for file in (ROOT / "docs" / "images" / "gallery").iterdir()}
    assert sorted(name for name, _ in shown) == sorted(files)
    assert len(shown) == 12
    # 3.5 inches at 300 dots each.
    for file in files.values():
        with PIL.Image.open(file) as picture:
            assert picture.width == 1050, file.name
    # The last command draws one picture into a folder of its own, which `docs/make_gallery.py` keeps.
    drawn = [shlex.split(block.splitlines()[-1]) for _, block in shown]
    assert all(words[1] == "plot" and words.count("--only") == 1 and "column" in words for words in drawn)
    assert len({words[words.index("--out") + 1] for words in drawn}) == 12
