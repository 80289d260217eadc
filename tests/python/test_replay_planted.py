"""Accidents planted in traces are found: those that matter most always, of all others a stated share."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import mutated_scenarios
import planted
import polars as pl
import pytest

import photocol
from photocol.runs.replay import Replayed, load

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
            short = {"run.duration": "6 ms"} if name == "small" else {}
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
