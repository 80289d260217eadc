"""Schemes: layers over the scenario of a sweep, what they set and drop, and what is said of a mistake in one."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import photocol
from hypothesis import given
from hypothesis import strategies as st

import photocol as package
from photocol.errors import InputError
from photocol.runs.scenario import ScenarioText, as_toml
from photocol.sweeps.run import checked as looked_at
from photocol.sweeps.run import describe
from photocol.sweeps.schemes import Layered, over, parse, read
from photocol.sweeps.spec import checked

ROOT = Path(__file__).resolve().parents[2]
BASE = """
[run]
name = "tiny"
duration = "100 ms"
[topology]
kind = "dumbbell"
pairs = 2
bottleneck_capacity = "10 Mbps"
[link_defaults]
buffer = "20 packets"
delay = "1 ms"
queue = { kind = "step", threshold = "5 packets" }
[[traffic]]
name = "here"
transport = "dctcp"
pairs = [["l0", "r0"]]
[[traffic]]
name = "there"
transport = "dctcp"
pairs = [["r1", "l1"]]
"""
TREE = tomllib.loads(BASE)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(BASE)
    return tmp_path


def layered(**said: Any) -> Layered:
    (scheme,) = read([{"name": "s", **said}])
    return over(scheme, ScenarioText(BASE, ".", "tiny"))


@pytest.mark.parametrize(
    ("said", "settings"),
    [
        ({}, {}),
        ({"topology": {"routing": "ecmp", "pairs": 3}}, {"topology.routing": "ecmp", "topology.pairs": "3"}),
        ({"topology.routing": "ecmp"}, {"topology.routing": "ecmp"}),
        ({"traffic": {"1": {"transport": "reno"}}}, {"traffic.1.transport": "reno"}),
        # Of the same kind a table merges, of another it replaces.
        (
            {"link_defaults": {"queue": {"kind": "step", "threshold": "9 packets"}}},
            {"link_defaults.queue.kind": "step", "link_defaults.queue.threshold": "9 packets"},
        ),
        ({"link_defaults": {"queue": {"kind": "drr"}}}, {"link_defaults.queue": '{"kind" = "drr"}'}),
        ({"link_defaults.queue": {"kind": "drr"}}, {"link_defaults.queue": '{"kind" = "drr"}'}),
        # What is dropped is not there to merge with.
        (
            {"drop": ["topology.kind"], "topology": {"kind": "star", "leaves": 4}},
            {"topology.kind": "star", "topology.leaves": "4"},
        ),
        # Lists replace.
        ({"traffic": [{"transport": "reno"}]}, {"traffic": '[{"transport" = "reno"}]'}),
    ],
)
def test_a_layer_merges_tables_and_replaces_the_rest(said: dict[str, Any], settings: dict[str, str]) -> None:
    assert dict(layered(**said).settings) == settings


def test_what_is_dropped_is_gone_and_the_rest_is_as_it_was() -> None:
    found = layered(drop=["traffic.0", "traffic.there.pairs", "link_defaults.queue", "run.name"])
    wanted = copy.deepcopy(TREE)
    del wanted["traffic"][1]["pairs"], wanted["traffic"][0], wanted["link_defaults"]["queue"], wanted["run"]["name"]
    assert tomllib.loads(found.scenario.text) == wanted


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([{"topology.pairs": 3}], r"scheme 1 has no name; give it one"),
        ([{"name": ""}], r"scheme 1 has no name"),
        ([{"name": "a"}, {"name": "a"}], r"two schemes are called 'a'"),
        (["a"], r"scheme 1: a table of keys, not 'a'"),
        ([{"name": "a", "drop": "run.name"}], r"scheme 'a': drop: a list of keys, not 'run.name'"),
        ([{"name": "a", "drop": 5}], r"scheme 'a': drop: a list of keys, not 5"),
    ],
)
def test_a_scheme_that_makes_no_sense_is_refused(said: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^sweep: {message}"):
        checked({"scheme": said})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"drop": ["run.nme"]},
            r"drop: the scenario has no 'run.nme'; did you mean 'name'\? there is: name, duration$",
        ),
        ({"drop": ["traffic.2"]}, r"drop: the scenario has no 'traffic.2'; there is: 0, 1$"),
        ({"drop": ["run.name.x"]}, r"drop: the scenario has no 'run.name.x'; there is: nothing"),
        ({"drop": ["traffic.0", "traffic.here"]}, r"drop: 'traffic.here' twice"),
        ({"drop": ["run..name"]}, r"drop: the scenario has no 'run..name'"),
        ({"topology..routing": "ecmp"}, r"'topology..routing' is no key"),
        ({"run.name": "a", "run": {"name": "b"}}, r"run.name twice"),
    ],
)
def test_a_mistake_names_the_scheme_and_the_key(said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^scheme 's': {message}"):
        layered(**said)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--scheme", "a: topology.roting=ecmp"], "tiny.toml: scheme 'a': topology.roting: unknown key"),
        (["--scheme", "a: drop=topology"], "tiny.toml: scheme 'a': tiny.toml:1:1: there is no network"),
        (["--scheme", "a: drop=run.nam"], "tiny.toml: scheme 'a': drop: the scenario has no 'run.nam'"),
        (["--scheme", "a: run.duration=1 s", "--set", "run.duration=2 s"], "scheme 'a' and set both give run.duration"),
        (
            ["--scheme", "a: run.duration=1 s", "--grid", "run.duration=1 s"],
            "scheme 'a' and the axis run.duration both give run.duration",
        ),
        (["--scheme", "a"], "--scheme 'a': must be 'NAME: KEY=VALUE; …'"),
        (["--scheme", "a: run.duration"], "--scheme 'a: run.duration': 'run.duration' is no KEY=VALUE"),
        (["--scheme", "a: b=1; b=2"], "--scheme 'a: b=1; b=2': b twice"),
        (["--scheme", "a:", "--scheme", "a:"], "two schemes are called 'a'"),
        (["--scheme", "a:", "--grid", "scheme=1"], "two axes are called 'scheme'"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_message(place: Path, words: list[str], message: str) -> None:
    done = photocol("sweep", "tiny.toml", *words, "--out", "out")
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (place / "out").exists()


def test_the_same_from_a_file_the_command_and_python_and_each_point_is_the_run_by_hand(place: Path) -> None:
    (place / "sweep.toml").write_text(
        'scenario = "tiny.toml"\nseeds = 2\n[[scheme]]\nname = "marks"\n[[scheme]]\nname = "drops"\n'
        'drop = ["link_defaults.queue"]\ntraffic.0.transport = "cubic"\ntraffic.1.transport = "reno"\n'
    )
    words = ["--scheme", "marks:", "--seeds", "2", "--jobs", "1"]
    words += ["--scheme", "drops: drop=link_defaults.queue; traffic.0.transport=cubic; traffic.1.transport=reno"]
    assert photocol("sweep", "sweep.toml", "--out", "file", "--jobs", "1").returncode == 0
    assert photocol("sweep", "tiny.toml", *words, "--out", "words").returncode == 0
    drops = {"name": "drops", "drop": ["link_defaults.queue"]}
    drops |= {"traffic.0.transport": "cubic", "traffic.1.transport": "reno"}
    table = package.sweep("tiny.toml", schemes=[{"name": "marks"}, drops], seeds=2, jobs=1, out="python")
    tables = {(place / name / "table.csv").read_text() for name in ("file", "words", "python")}
    assert len(tables) == 1
    assert table.axes == ["scheme"]
    assert table["scheme"].to_list() == ["marks", "drops"]
    # Of a scheme that drops something too, the goodput of each traffic is known.
    assert table["goodput[there]"].null_count() == 0
    by_hand = BASE.replace('queue = { kind = "step", threshold = "5 packets" }\n', "")
    by_hand = by_hand.replace("dctcp", "cubic", 1).replace("dctcp", "reno", 1)
    for name, text in (("marks", BASE), ("drops", by_hand)):
        run = package.run(text, seed=table_seed(place, name))
        row = (place / "file" / "runs" / f"scheme={name},seed={run.manifest['seed']}" / "row.json").read_text()
        assert str(run.fingerprint) in row


def table_seed(place: Path, name: str) -> int:
    """The first seed of a scheme's runs."""
    return min(int(run.name.rpartition("=")[2]) for run in (place / "file" / "runs").glob(f"scheme={name},*"))


def test_a_finished_sweep_of_schemes_is_resumed_exported_and_verified(place: Path) -> None:
    words = ["--scheme", "marks:", "--scheme", "drops: drop=link_defaults.queue", "--jobs", "1", "--out", "out"]
    assert photocol("sweep", "tiny.toml", *words).returncode == 0
    again = photocol("sweep", "resume", "out", "--jobs", "1")
    assert "2 runs (2 of them were there)" in again.stdout
    assert "2 of 2 runs: same bits" in photocol("verify", "out", "--jobs", "1").stdout
    # A scheme of the same name that has changed is run anew.
    words[3] = "drops: drop=link_defaults.queue; topology.bottleneck_capacity=5 Mbps"
    assert "2 runs (1 of them were there)" in photocol("sweep", "tiny.toml", *words, "--resume").stdout


def test_four_transports_with_their_queues_are_one_sweep(tmp_path: Path) -> None:
    short = ["--set", "run.duration=20 ms", "--set", "run.warm_up=0 s", "--seeds", "1", "--metric", "goodput"]
    done = photocol("sweep", ROOT / "scenarios/sweeps/data-centre.toml", *short, "--jobs", "1", "--out", tmp_path / "o")
    assert done.returncode == 0, done.stderr
    assert "slowdown: no range of sizes has enough completed flows for p99" in done.stderr, "it is short"
    table = package.SweepTable.load(tmp_path / "o")
    assert table["scheme"].to_list() == ["DCTCP", "HPCC", "NDP", "CUBIC"]
    runs = {name: (tmp_path / "o/runs" / f"scheme={name},seed=1").glob("*.json") for name in table["scheme"]}
    assert len({file.read_text() for files in runs.values() for file in files if file.name == "row.json"}) == 4


KEYS = st.sampled_from(["a", "b", "kind", "0", "1", "name", "x.y", '"x.y"', "", ".", '"', " "])
LEAVES = st.integers(-5, 5) | st.booleans() | st.floats(-1, 1) | st.text("ab=;'\".{} ", max_size=4)
TABLES = st.recursive(
    LEAVES, lambda inner: st.dictionaries(KEYS, inner, max_size=3) | st.lists(inner, max_size=3), max_leaves=12
)


def paths(tree: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every path of a tree of tables and lists."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    below = [(*path, str(key)) for key, _ in pairs]
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return below + [one for key, value in pairs for one in paths(value, (*path, str(key)))]


NAMES = st.sampled_from(["a", "b", "kind", "with dot.s", "long-name"])
NAMED = st.recursive(
    st.integers(-5, 5) | st.text("ab", max_size=2),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=12,
)


@given(tree=st.dictionaries(NAMES, NAMED, min_size=1, max_size=4), data=st.data())
def test_dropping_takes_exactly_the_named_keys_away(tree: dict[str, Any], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(paths(tree)), unique=True, max_size=4))
    written = [".".join(f'"{key}"' if "." in key else key for key in path) for path in chosen]
    text = "".join(f"{as_toml({key: value}, key)[1:-1]}\n" for key, value in tree.items())
    (scheme,) = read([{"name": "s", "drop": written}])
    kept = tomllib.loads(over(scheme, ScenarioText(text, ".", "x")).scenario.text)
    assert kept == without(tree, set(chosen), ())


def without(tree: Any, gone: set[tuple[str, ...]], path: tuple[str, ...]) -> Any:
    """A tree without these paths, from the definition."""
    if isinstance(tree, dict):
        return {key: without(v, gone, (*path, key)) for key, v in tree.items() if (*path, key) not in gone}
    if isinstance(tree, list):
        return [without(v, gone, (*path, str(n))) for n, v in enumerate(tree) if (*path, str(n)) not in gone]
    return tree


@given(said=st.dictionaries(KEYS | st.sampled_from(["name", "drop", "run", "traffic"]), TABLES, max_size=4))
def test_a_scheme_is_read_or_refused_by_its_name(said: dict[str, Any]) -> None:
    try:
        (scheme,) = read([said])
        over(scheme, ScenarioText(BASE, ".", "tiny"))
    except InputError as error:
        assert str(error).startswith("scheme ")


@given(text=st.text("ab: =;'\"{}.\n", max_size=20))
def test_a_scheme_of_the_command_line_is_read_or_refused_as_it_was_written(text: str) -> None:
    try:
        said = parse(text)
    except InputError as error:
        assert str(error).startswith(f"--scheme {text!r}")
    else:
        assert said["name"] == text.partition(":")[0].strip()
        assert sum(len(key) + len(value) for key, value in said.items() if key not in ("name", "drop")) <= len(text)


@given(
    key=st.sampled_from(["run.seed", "topology.pairs", "link_defaults.delay", "traffic.0.flows", "traffic.there.size"]),
    place=st.integers(0, 8),
    name=st.text(min_size=1, max_size=6).filter(str.strip),
)
def test_a_misspelt_key_is_named_with_file_and_scheme(key: str, place: int, name: str) -> None:
    parent, _, last = key.rpartition(".")
    wrong = f"{last[:place]}q{last[place:]}"
    for scheme in ({f"{parent}.{wrong}": 1}, {"drop": [f"{parent}.{wrong}"]}):
        with pytest.raises(ValueError, match=r"did you mean|allowed|there is") as error:
            looked_at(describe({"scheme": [{"name": name, **scheme}]}, BASE, "my.toml"))
        assert str(error.value).startswith(f"my.toml: scheme {name!r}: ")
        assert wrong in str(error.value)
