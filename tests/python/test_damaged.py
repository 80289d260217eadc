"""Whatever has become of the files of a run or a campaign: a command that reads them says so in one sentence."""

from __future__ import annotations

import io
import json
import random
import shutil
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import polars as pl
import pytest

import photocol
from photocol.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCENARIO = """
[run]
duration = "5 ms"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "100 Mbps"
bottleneck_delay = "100 us"
bottleneck_buffer = "5 packets"
[[traffic]]
transport = "cubic"
"""
STRANGE = (5, None, [], {}, "x", [5], {"a": 5}, -1, [[]], 10**30, "\ud800", True)
OF_RUNS = (("verify",), ("verify", "--trace"), ("report",), ("export", "--ro-crate"), ("trace",))
OF_CAMPAIGNS = (
    ("verify",),
    ("report",),
    ("export", "--ro-crate"),
    ("sweep", "status"),
    ("sweep", "export"),
    ("sweep", "resume"),
)
TRIES = 40


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and a campaign."""
    folder = tmp_path_factory.mktemp("sound")
    (folder / "a.toml").write_text(SCENARIO)
    assert called("run", folder / "a.toml", "--trace", "--out", folder / "run", "--quiet")[0] == 0
    grid = ("--grid", "run.seed=1,2", "--out", folder / "campaign", "--quiet")
    assert called("sweep", folder / "a.toml", *grid)[0] == 0
    return folder


def called(*words: object) -> tuple[int, str]:
    """The exit status of a command in this process, and what it said."""
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        status = main([str(word) for word in words])
    return status, told.getvalue()


def read_by(verb: tuple[str, ...], folder: Path) -> tuple[int, str]:
    more = {"export": ("--out", folder.parent / "packed.zip"), "trace": ("--bursts", folder.parent / "bursts.csv")}
    words = verb if verb[0] == "sweep" else verb[:1]
    (folder.parent / "packed.zip").unlink(missing_ok=True)
    return called(*words, folder, *verb[len(words) :], *more.get(verb[0], ()))


def with_file(sound: Path, kind: str, name: str, content: bytes, tmp_path: Path) -> Path:
    folder = tmp_path / kind
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sound / kind, folder)
    (folder / name).write_bytes(content)
    return folder


def changed(file: Path, chance: random.Random) -> bytes:
    """What a file could be instead."""
    raw, at = file.read_bytes(), chance.randrange(1, 200)
    ways = [b"", b"\0" * 40, raw[: len(raw) // 2], raw[:at] + b"\xe9" + raw[at:], b"[" * 200_000, b'{"a":' * 100_000]
    if file.suffix == ".json" and chance.random() < 0.8:
        table = json.loads(raw)
        key = chance.choice(sorted(table))
        inner = table[key]
        if isinstance(inner, dict) and inner and chance.random() < 0.4:
            one = chance.choice(sorted(inner))
            return json.dumps({**table, key: {**inner, one: chance.choice(STRANGE)}}).encode()
        return json.dumps({**table, key: chance.choice(STRANGE)}).encode()
    if file.suffix == ".parquet" and chance.random() < 0.8:
        table = pl.read_parquet(file)
        column = chance.choice(table.columns)
        values = [None, "x", -1, float("nan"), [1]]
        new = [table.with_columns(pl.lit(value).alias(column)) for value in values]
        new += [table.drop(column), table.clear(), table.with_columns(pl.lit(2**64 - 1, pl.UInt64).alias(column))]
        written = io.BytesIO()
        chance.choice(new).write_parquet(written)
        return written.getvalue()
    return chance.choice(ways)


@pytest.mark.parametrize("seed", range(TRIES))
def test_no_damaged_file_ends_in_a_traceback(seed: int, sound: Path, tmp_path: Path) -> None:
    chance = random.Random(seed)
    kind = chance.choice(["run", "campaign"])
    file = chance.choice(sorted(path for path in (sound / kind).rglob("*") if path.is_file()))
    name = file.relative_to(sound / kind).as_posix()
    content = changed(file, chance)
    verb = chance.choice(OF_RUNS if kind == "run" else OF_CAMPAIGNS)
    status, told = read_by(verb, with_file(sound, kind, name, content, tmp_path))
    assert status in (0, 1, 2), told
    assert "Traceback" not in told
    assert verb[0] != "verify" or status != 0 or content == file.read_bytes()


NAMED: dict[str, tuple[str, str, Callable[[bytes], bytes], tuple[str, ...], int, str]] = {
    "a byte that is no text": (
        "campaign",
        "table.csv",
        lambda raw: raw[:40] + b"\xe9" + raw[40:],
        ("verify",),
        1,
        "table.csv: changed",
    ),
    "brackets without end": (
        "run",
        "manifest.json",
        lambda _: b"[" * 200_000,
        ("report",),
        2,
        "too many tables in tables",
    ),
    "brackets, verified": (
        "run",
        "manifest.json",
        lambda _: b"[" * 200_000,
        ("verify",),
        2,
        "too many tables in tables",
    ),
    "a number of runs": (
        "run",
        "manifest.json",
        lambda raw: json.dumps({**json.loads(raw), "runs": 5}).encode(),
        ("verify",),
        2,
        "is damaged: manifest.json",
    ),
    "a date that is none": (
        "run",
        "manifest.json",
        lambda raw: json.dumps({**json.loads(raw), "started": "x"}).encode(),
        ("export", "--ro-crate"),
        2,
        "started",
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_is_damaged_is_named(name: str, sound: Path, tmp_path: Path) -> None:
    kind, file, change, verb, status, words = NAMED[name]
    folder = with_file(sound, kind, file, change((sound / kind / file).read_bytes()), tmp_path)
    found, told = read_by(verb, folder)
    assert (found, words in told) == (status, True), told
    assert len(told.splitlines()) <= 4


def altered(sound: Path, change: Callable[[pl.DataFrame], pl.DataFrame], tmp_path: Path) -> Path:
    written = io.BytesIO()
    change(pl.read_parquet(sound / "run" / "trace.parquet")).write_parquet(written)
    return with_file(sound, "run", "trace.parquet", written.getvalue(), tmp_path)


def test_a_trace_without_a_column_or_with_values_of_another_kind_is_not_replayed(sound: Path, tmp_path: Path) -> None:
    """A time above 2⁶³ ps, which is 106 days, is one that no run has."""
    status, told = read_by(("verify", "--trace"), altered(sound, lambda trace: trace.drop("bytes"), tmp_path))
    assert (status, "it has no column 'bytes'" in told) == (2, True), told
    late = pl.lit(2**64 - 1, pl.UInt64).alias("t_ps")
    assert read_by(("verify", "--trace"), altered(sound, lambda trace: trace.with_columns(late), tmp_path))[0] == 2
    none = pl.lit(None, pl.UInt64).alias("bytes")
    status, told = read_by(("verify", "--trace"), altered(sound, lambda trace: trace.with_columns(none), tmp_path))
    assert (status, "row 0 has no bytes" in told) == (2, True), told


def test_a_fault_of_this_program_stays_one(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all files are as they were written, nothing is blamed on them."""

    def fails(*_: object) -> None:
        raise KeyError("mine")

    monkeypatch.setattr(photocol.Result, "load", fails)
    with pytest.raises(KeyError, match="mine"):
        called("trace", sound / "run", "--bursts", "x.csv")
