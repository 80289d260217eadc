"""Accidents planted in traces are found: those that matter most always, of all others a stated share."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mutated_scenarios
import planted
import polars as pl
import pytest

import photocol
from photocol.runs.replay import RULES, Replayed, load

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.filterwarnings("ignore")]
SEEDS = Path(__file__).resolve().parents[2] / "fuzz" / "seeds"
ROUNDS = 5 if os.environ.get("PHOTOCOL_NIGHTLY") else 1
FLOORS = {
    "small": 0.95,
    "packets": 0.95,
    "circuits": 0.92,
    "rotor": 0.9,
    "ops-slotted": 0.93,
    "aapn-wavelengths": 0.82,
    "obs-deflection": 0.85,
    "ops-dlcc": 0.75,
}
"""The least share of accidents that is found: where DLCC, bursts or slots hide packets, less can be known."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Replayed]:
    """Short runs, each made once."""
    folder, known = tmp_path_factory.mktemp("runs"), {}

    def run(name: str) -> Replayed:
        if name not in known:
            base = (
                tomllib.loads(mutated_scenarios.TEXTS[name])
                if name in mutated_scenarios.TEXTS
                else SEEDS / f"{name}.toml"
            )
            short = {"run.duration": "3 ms"} if name == "small" else {}
            short |= {"run.duration": "0.05 s"} if name == "obs-deflection" else {}
            photocol.run(base, set={**short, "trace.enabled": True, "trace.limit": 100_000}, out=folder / name)
            known[name] = load(folder / name)
        return known[name]

    return run


@pytest.mark.parametrize("name", FLOORS)
def test_most_of_all_accidents_are_found(name: str, runs: Callable[[str], Replayed]) -> None:
    """Every column of every kind of event is changed in several ways; a row is missing, a row is doubled."""
    run = runs(name)
    assert not planted.is_found(run)
    tried = [one for seed in range(ROUNDS) for one in planted.tried(run, seed)]
    assert len(tried) >= 80
    share = sum(is_found for _, is_found in tried) / len(tried)
    assert share >= FLOORS[name], sorted(what for what, is_found in tried if not is_found)


def all_of(run: Replayed, **changes: pl.Expr) -> Replayed:
    return planted.again(run, planted.raw(run).with_columns(**changes))


IS_PASS, IS_ACK, IS_SACK = (pl.col("event") == name for name in ("pass", "ack", "sack"))
FLIGHT = pl.col("flight_ps")


def first(where: pl.Expr, change: pl.Expr, column: str) -> pl.Expr:
    return pl.when(where & (where.cum_sum() == 10)).then(change).otherwise(column)


ACCIDENTS: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "no delay": lambda trace: trace.with_columns(flight_ps=first(IS_PASS, 0 * FLIGHT, "flight_ps")),
    "half of a delay": lambda trace: trace.with_columns(flight_ps=first(IS_PASS, FLIGHT // 2, "flight_ps")),
    "twice a delay": lambda trace: trace.with_columns(flight_ps=first(IS_PASS, FLIGHT * 2, "flight_ps")),
    "no delay at all": lambda trace: trace.with_columns(flight_ps=0 * FLIGHT),
    "all delays doubled": lambda trace: trace.with_columns(flight_ps=2 * FLIGHT),
    "no ACK is heard": lambda trace: trace.filter(~IS_ACK),
    "an ACK without a packet": lambda trace: pl.concat([trace, trace.filter(IS_ACK)[20:21]]),
    "a block that never came": lambda trace: trace.with_columns(
        unit=first(IS_SACK, pl.col("unit") + 1_460_000, "unit"),
        value=first(IS_SACK, pl.col("value") + 1_460_000, "value"),
    ),
    "a mark without ECN": lambda trace: pl.concat(
        [trace, trace.filter(IS_PASS)[50:51].with_columns(event=pl.lit("mark"), wait_ps=0, lasts_ps=0, flight_ps=0)],
        how="vertical_relaxed",
    ),
    "an event after the end": lambda trace: pl.concat(
        [trace, trace.filter(IS_PASS).tail(1).with_columns(t_ps=pl.col("t_ps") + 10**12)]
    ),
    "a wait of 106 days": lambda trace: trace.with_columns(wait_ps=first(IS_PASS, pl.lit(planted.LATE), "wait_ps")),
    "a wait of a day": lambda trace: trace.with_columns(wait_ps=first(IS_PASS, pl.lit(86_400 * 10**12), "wait_ps")),
    "a time of a second": lambda trace: trace.with_columns(lasts_ps=first(IS_PASS, pl.lit(10**12), "lasts_ps")),
    "packets of no bytes": lambda trace: trace.with_columns(bytes=0 * pl.col("bytes")),
    "no drop": lambda trace: trace.filter(~pl.col("event").is_in(["drop", "vanish"])),
    "no time": lambda trace: trace.with_columns(t_ps=0 * pl.col("t_ps")),
}


@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_is_found(name: str, runs: Callable[[str], Replayed]) -> None:
    run = runs("small")
    assert not planted.is_found(run)
    assert planted.is_found(planted.again(run, ACCIDENTS[name](planted.raw(run))))


def seed(name: str, **switching: object) -> dict[str, Any]:
    """A seed of the fuzzers with other keys in its table of switching; None takes one away."""
    table = tomllib.loads((SEEDS / f"{name}.toml").read_text())
    keys = {**table["switching"], **switching}
    return {**table, "switching": {key: value for key, value in keys.items() if value is not None}}


RACKS = {
    "circuits": seed("circuits", mark_from=2, resized_mark_from=2),
    "rotor": seed("rotor", mark_from=2, queues="racks", host_room=None),
}


@pytest.mark.parametrize("name", RACKS)
def test_marks_that_racks_set_are_told_and_one_that_is_missing_is_found(name: str, tmp_path: Path) -> None:
    """Racks mark in queues of their own, from two packets on; each mark counts in the table of links."""
    settings = {"run.duration": "4 ms", "traffic.0.size": "200 kB", "trace.enabled": True}
    photocol.run(RACKS[name], set=settings, out=tmp_path / "run")
    run = load(tmp_path / "run")
    marks = run.trace.filter(pl.col("event") == "mark")
    assert 0 < marks.height == run.links["marked_units"].sum()
    assert not planted.is_found(run)
    assert planted.is_found(without(run, marks[0:1]))


GONE = {
    "cut": seed("obs-segmentation", dropped_part="head"),
    "drop": seed("obs-segmentation", contention="deflection", dropped_part=None),
}


@pytest.mark.parametrize("event", GONE)
def test_a_burst_that_is_cut_or_deflected_and_not_told_is_found(event: str, tmp_path: Path) -> None:
    settings = {"run.duration": "0.01 s", "trace.enabled": True, "trace.limit": 100_000}
    photocol.run(GONE[event], set=settings, out=tmp_path / "run")
    run, cause = load(tmp_path / "run"), "contention" if event == "cut" else "deflected"
    told = run.trace.filter(pl.col("event") == event, pl.col("cause") == cause)
    assert told.height > 0
    assert not planted.is_found(run)
    assert planted.is_found(without(run, told[0:1]))


def test_headers_that_queues_send_back_are_told_as_the_table_of_drops_counts_them(tmp_path: Path) -> None:
    table = tomllib.loads(mutated_scenarios.TEXTS["tree"])
    settings = {"link_defaults.buffer": "12 kB", "trace.enabled": True, "trace.limit": 100_000}
    photocol.run(table, set=settings, out=tmp_path / "run")
    run = load(tmp_path / "run")
    told = run.trace.filter(pl.col("cause") == "returned")
    assert 0 < told.height == run.drops.filter(pl.col("cause") == "returned")["units"].sum()
    assert not planted.is_found(run)
    assert planted.is_found(without(run, told[0:1]))


def test_a_packet_that_takes_too_long_where_others_are_cut_and_lost_is_found(tmp_path: Path) -> None:
    phase = {"duration": "300 us", "capacity": "100 Mbps"}
    changing = {"link": "left->right", "period": "1 ms", "mid_packet": "cut", "phases": [phase]}
    settings = {"link_defaults.loss": 0.05, "link_phases": [changing], "run.duration": "6 ms", "trace.enabled": True}
    photocol.run(tomllib.loads(mutated_scenarios.TEXTS["small"]), set=settings, out=tmp_path / "run")
    run = load(tmp_path / "run")
    assert not planted.is_found(run)
    slow = run.sent.filter(pl.col("place") == "left->right", pl.col("lost_at").is_null())["row"][-1]
    is_slow = pl.int_range(pl.len()) == slow
    trace = planted.raw(run).with_columns(lasts_ps=pl.when(is_slow).then(2 * pl.col("lasts_ps")).otherwise("lasts_ps"))
    (rates,) = (rule for rule in RULES if rule.name == "rate")
    assert any("more slowly" in said for said in rates(planted.again(run, trace)))


def without(run: Replayed, rows: pl.DataFrame) -> Replayed:
    """The run with a trace that lacks these rows."""
    return planted.again(run, planted.raw(run).filter(~run.trace["row"].is_in(rows["row"].implode())))
