"""The tables of the discussion of rotor switches are those of the records."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "experiments" / "rotor" / "discussion.md").read_text()
SIZES = {"10kB": "up to 10 kB", "1MB": "10 kB to 1 MB", "15MB": "1 to 15 MB", "larger": "more"}
NETWORKS = {"rotornet": "RotorNet", "opera": "Opera", "clos": "Clos"}
REPAIRS = ("sack", "rack", "any-order")
SENDERS = {
    "cubic": "CUBIC",
    "any-order": "CUBIC, any order",
    "dctcp": "DCTCP",
    "theta-powertcp": "θ-PowerTCP",
    "xcp-told": "XCP, told the mean",
    "xcp-any-order": "XCP, told, any order",
    "retcp": "reTCP, told of circuits",
    "tdtcp": "TDTCP, told of circuits",
}


@cache
def table(name: str) -> pl.DataFrame:
    return pl.read_csv(ROOT / "results" / "rotor" / name / "table.csv", infer_schema_length=None)


@cache
def published(name: str) -> dict[str, str]:
    """By claim, what is expected."""
    claims = json.loads((ROOT / "results" / "rotor" / name / "claims.json").read_bytes())["claims"]
    return {claim["id"]: claim["expected"].removesuffix(" ms") for claim in claims}


def value(name: str, metric: str, **point: str | int) -> float:
    """A recorded number."""
    rows = table(name)
    for axis, at in point.items():
        rows = rows.filter(pl.col(axis) == at)
    [found] = rows[metric]
    return float(found)


def said(number: float) -> str:
    """Three digits, and no power of ten."""
    return f"{number:.0f}" if number >= 999.5 else f"{number:.3g}"


def published_rows() -> Iterator[str]:
    """Times beside those that Opera's authors published."""
    for name, more in (("rotornet", {}), ("opera", {}), ("clos", {"transport": "ndp"})):
        for load, at in ((1, ""), (10, "-at-10")):
            flows = f"published-{load}"
            if flows not in table(name)["flows"]:
                continue
            for size, words in SIZES.items():
                found = [said(value(name, f"{share}_{size}_ms", flows=flows, **more)) for share in ("p50", "p99")]
                theirs = [published(name)[f"{which}-{size.lower()}{at}"] for which in ("median", "tail")]
                yield f"| {load} % | {words} | {found[0]} ({theirs[0]}) | {found[1]} ({theirs[1]}) |"


def load_rows() -> Iterator[str]:
    for load in (1, 10, 25):
        for name, words in NETWORKS.items():
            metrics = ("p50_10kB_ms", "p99_10kB_ms", "p99_15MB_ms", "p50_larger_ms")
            cells = (said(value("load", metric, network=name, load_percent=load)) for metric in metrics)
            yield f"| {load} % | {words} | {' | '.join(cells)} |"


def slices_rows() -> Iterator[str]:
    for slice_us in (1, 3, 10, 30, 100, 300):
        cells = (
            f"{value('slices', 'goodput_gbps', slice_us=slice_us, routes=routes, repair=repair):.2f}"
            for routes in ("direct", "vlb")
            for repair in REPAIRS
        )
        yield f"| {slice_us} µs | {' | '.join(cells)} |"


def fresh_rows() -> Iterator[str]:
    for law, words in SENDERS.items():
        cells = (
            f"{value('fresh', 'used_percent', law=law, routes=routes, pattern=pattern):.1f}"
            for routes in ("direct", "vlb", "rotorlb")
            for pattern in ("permutation", "uniform")
        )
        yield f"| {words} | {' | '.join(cells)} |"


def test_the_cost_of_rotornet_is_that_of_the_record() -> None:
    manifest = json.loads((ROOT / "results" / "rotor" / "rotornet" / "manifest.json").read_bytes())
    assert f"took {manifest['cpu_s']:.0f} s of CPU" in PAGE


@pytest.mark.parametrize("rows", [published_rows, load_rows, slices_rows, fresh_rows], ids=lambda one: one.__name__)
def test_tables_are_those_of_the_records(rows: Callable[[], Iterator[str]]) -> None:
    assert [row for row in rows() if row not in PAGE] == []
