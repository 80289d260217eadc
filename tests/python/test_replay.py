"""A trace is replayed by a program that knows nothing of the engine, which finds what cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import photocol as command

import photocol
from photocol.runs.replay import (
    Replayed,
    acks,
    bursts,
    drops,
    load,
    order,
    overlaps,
    packets,
    queues,
    rates,
    replay,
    shared,
    slots,
    timed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*start after the end"),
    pytest.mark.filterwarnings("ignore:an event at"),
    pytest.mark.filterwarnings("ignore:.*nothing is measured"),
]
SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
DURATIONS = {
    "aapn": "0.4 s",
    "aapn-signalled": "1.2 s",
    "all-reduce": "0.001 s",
    "capacity-change": "8.5 s",
    "dlcc": "8 s",
    "fat-tree": "0.03 s",
    "grid": "0.05 s",
    "header-flood": "0.02 s",
    "load-balanced-bursts": "0.2 s",
    "lost-bursts": "0.4 s",
    "low-orbit": "0.3 s",
    "satellites": "15.5 s",
    "macroflows": "0.5 s",
    "nsfnet-buffers": "0.6 s",
    "obs": "0.1 s",
    "opera": "0.01 s",
    "racks": "0.03 s",
    "ocs": "0.002 s",
    "rotornet": "0.01 s",
    "slotted-packets": "0.1 s",
    "training": "0.042 s",
    "web-search": "0.05 s",
}


def traced(name: str, folder: Path, **more: object) -> Path:
    known = photocol.check(SCENARIOS / f"{name}.toml").duration_s
    duration = DURATIONS.get(name, f"{min(known, 1.5)} s")
    settings = {"run.duration": duration, "run.warm_up": "0 s", "trace.enabled": True, "trace.limit": 9_000_000, **more}
    photocol.run(SCENARIOS / f"{name}.toml", set=settings, out=folder)
    return folder


@pytest.mark.parametrize("name", sorted(file.stem for file in SCENARIOS.glob("*.toml")))
def test_no_ready_made_scenario_breaks_a_rule(name: str, tmp_path: Path) -> None:
    found = replay(traced(name, tmp_path / "run"))
    assert found.events > 500
    assert found.breaches == []


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("dumbbell", {"handshake": True, "teardown": True, "delayed_ack": True}),
        ("low-latency", {"link.0.queue": {"kind": "codel"}}),
        ("obs", {"switching.contention": "deflection"}),
        ("obs", {"switching.contention": "segmentation"}),
        ("macroflows", {"switching.cut_through": False}),
    ],
)
def test_no_variant_breaks_a_rule(name: str, settings: dict[str, object], tmp_path: Path) -> None:
    transport = next(iter(photocol.check(SCENARIOS / f"{name}.toml").to_dict()["transport"]))
    settings = {key if "." in key else f"transport.{transport}.{key}": value for key, value in settings.items()}
    assert replay(traced(name, tmp_path / "run", **settings)).breaches == []


def test_a_change_of_capacity_or_delay_breaks_no_rule(tmp_path: Path) -> None:
    """Less capacity, more again, a longer way, a cut and its end; then a shorter way, over which nothing overtakes."""
    times = {f"event.{number}.at": f"{2 + number} s" for number in range(5)}
    assert replay(traced("capacity-change", tmp_path / "all", **{"run.duration": "7 s", **times})).breaches == []
    shorter = [{"at": "0.2 s", "link": "left-right", "delay": "1 ms"}]
    assert replay(traced("dumbbell", tmp_path / "shorter", event=shorter)).breaches == []


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Replayed]:
    """Sound runs, each made once."""
    folder, known = tmp_path_factory.mktemp("runs"), {}

    def run(name: str) -> Replayed:
        if name not in known:
            known[name] = load(traced(name, folder / name))
        return known[name]

    return run


Rule = "Callable[[Replayed], Iterator[str]]"


def is_found(run: Replayed, rule: Rule, where: pl.Expr, **changes: pl.Expr) -> None:
    """The rule is content, and no longer so when the first event of these has changed."""
    assert list(rule(run)) == []
    row = run.trace.filter(where)["row"][0]
    changed = run.trace.with_columns(
        **{name: pl.when(pl.col("row") == row).then(change).otherwise(name) for name, change in changes.items()}
    )
    assert list(rule(replace(run, trace=timed(again(changed)))))


def without(run: Replayed, where: pl.Expr) -> Replayed:
    row = run.trace.filter(where)["row"][0]
    return replace(run, trace=timed(again(run.trace.filter(pl.col("row") != row))))


def twice(run: Replayed, where: pl.Expr) -> Replayed:
    row = run.trace.filter(where).head(1)
    return replace(run, trace=timed(again(pl.concat([run.trace, row]).sort("t_ps", maintain_order=True))))


def again(trace: pl.DataFrame) -> pl.DataFrame:
    return trace.drop("row", "begins", "ends", "arrives", "source", "target")


is_pass, at_bottleneck = pl.col("event") == "pass", pl.col("place") == "left->right"
late = pl.col("t_ps") > 2 * 10**11


def test_a_packet_that_overtakes_is_found(runs: Callable[[str], Replayed]) -> None:
    """A microsecond less on the fibre is enough where packets follow each other closely."""
    waits = pl.col("wait_ps") > 0
    is_found(runs("dumbbell"), order, is_pass & at_bottleneck & waits, flight_ps=pl.col("flight_ps") - 200_000_000)


def test_packets_that_overlap_are_found(runs: Callable[[str], Replayed]) -> None:
    waits = pl.col("wait_ps") > 0
    is_found(runs("dumbbell"), overlaps, is_pass & at_bottleneck & waits, wait_ps=pl.col("wait_ps") - 1)


def test_two_bursts_on_a_wavelength_at_a_time_are_found(runs: Callable[[str], Replayed]) -> None:
    run = runs("obs")
    assert list(overlaps(run)) == []
    assert list(overlaps(twice(run, pl.col("event") == "reserve")))


def test_a_packet_that_is_faster_than_its_link_is_found(runs: Callable[[str], Replayed]) -> None:
    for name in ("dumbbell", "aapn", "slotted-packets"):
        is_found(runs(name), rates, is_pass & (pl.col("value").is_null()), lasts_ps=pl.col("lasts_ps") - 1000)
    is_found(runs("obs"), rates, pl.col("event") == "reserve", bytes=pl.col("bytes") * 2)


def test_a_queue_that_is_too_long_is_found(runs: Callable[[str], Replayed]) -> None:
    """The queues of these runs fill up, so one packet more is one too many."""
    for name, refused in (("dumbbell", at_bottleneck), ("low-latency", pl.col("place") == "a->b")):
        run = runs(name)
        assert list(queues(run)) == []
        drop = run.trace.filter(refused & (pl.col("event") == "drop"))["t_ps"][0]
        last = run.trace.filter(refused & is_pass & (pl.col("t_ps") <= drop))["row"][-1]
        for _ in range(2):
            run = twice(run, pl.col("row") == last)
        assert list(queues(run))


def test_a_packet_that_is_lost_without_a_word_is_found(runs: Callable[[str], Replayed]) -> None:
    for name in ("dumbbell", "low-latency", "macroflows", "random-loss"):
        run = runs(name)
        assert list(packets(run)) == []
        # Its next link does not get it: it came and is nowhere.
        assert list(packets(without(run, is_pass & (pl.col("class") == "data") & (pl.col("source") != "l0"))))


def test_a_drop_that_is_not_told_is_found(runs: Callable[[str], Replayed]) -> None:
    run = runs("dumbbell")
    hidden = without(run, pl.col("event") == "drop")
    assert list(packets(hidden))
    assert list(drops(hidden))
    assert list(drops(run)) == []


def test_a_drop_that_did_not_happen_is_found(runs: Callable[[str], Replayed]) -> None:
    for name in ("dumbbell", "obs", "low-latency"):
        run = runs(name)
        assert list(drops(run)) == []
        assert list(drops(twice(run, pl.col("event") == "drop")))


def test_a_packet_that_leaves_before_it_is_there_is_found(runs: Callable[[str], Replayed]) -> None:
    is_found(runs("dumbbell"), packets, is_pass & at_bottleneck & late, t_ps=pl.col("t_ps") - 10**9)


def test_a_packet_from_nowhere_is_found(runs: Callable[[str], Replayed]) -> None:
    run = runs("dumbbell")
    assert list(packets(twice(run, is_pass & at_bottleneck & (pl.col("class") == "data"))))


def test_an_ack_of_what_has_not_arrived_is_found(runs: Callable[[str], Replayed]) -> None:
    for name in ("dumbbell", "aapn"):
        heard = (pl.col("event") == "ack") & (pl.col("t_ps") < 15 * 10**10)
        is_found(runs(name), acks, heard, unit=pl.col("unit") + 10**7)


def test_an_ack_of_a_segment_that_was_dropped_is_found(runs: Callable[[str], Replayed]) -> None:
    """Without the last pass of one segment no later byte is in order any more."""
    run = runs("dumbbell")
    assert list(acks(run)) == []
    last = is_pass & (pl.col("class") == "data") & (pl.col("target") == "r0") & (pl.col("unit") == 0)
    assert list(acks(without(run, last)))


def test_two_queues_with_one_slot_are_found(runs: Callable[[str], Replayed]) -> None:
    granted = (pl.col("event") == "slot") & pl.col("cause").is_null()
    assert list(slots(runs("aapn"))) == []
    is_found(runs("aapn"), slots, granted & late, wait_ps=pl.col("wait_ps") + 10**8)


def test_two_packets_in_a_slot_of_an_output_are_found(runs: Callable[[str], Replayed]) -> None:
    run = runs("slotted-packets")
    assert list(shared(run)) == []
    assert list(shared(twice(run, is_pass & pl.col("source").str.contains(r"^\d"))))


def test_a_burst_that_ends_twice_or_never_is_found(runs: Callable[[str], Replayed]) -> None:
    run = runs("obs")
    assert list(bursts(run)) == []
    assert list(bursts(twice(run, pl.col("event") == "land")))
    assert list(bursts(without(run, pl.col("event") == "land")))


def test_the_command_replays_and_names_what_is_broken(tmp_path: Path) -> None:
    folder = traced("forced-drops", tmp_path / "run")
    done = command("verify", folder, "--trace")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "trace: 2,755 events, no rule is broken")
    trace = pl.read_parquet(folder / "trace.parquet")
    first = (pl.col("event").cast(pl.String) == "pass").cum_sum() == 1
    sooner = pl.when(first).then(pl.col("lasts_ps") // 2).otherwise("lasts_ps")
    trace.with_columns(lasts_ps=sooner).write_parquet(folder / "trace.parquet")
    done = command("verify", folder, "--trace")
    assert done.returncode == 1
    assert "trace.parquet: changed\n" in done.stdout
    assert "is sent faster than its link can\n" in done.stdout


def test_a_part_of_a_trace_is_not_replayed_and_a_full_one_up_to_its_end(tmp_path: Path) -> None:
    part = traced("dumbbell", tmp_path / "part", **{"trace.flows": "[0]"})
    done = command("verify", part, "--trace")
    assert (done.returncode, "has a trace of a part of the run" in done.stderr) == (2, True)
    without_one = traced("dumbbell", tmp_path / "none", **{"trace.enabled": False})
    assert "has no trace; run it with --trace" in command("verify", without_one, "--trace").stderr
    full = traced("dumbbell", tmp_path / "full", **{"trace.limit": 20_000})
    found = replay(full)
    assert (found.events, found.breaches) == (20_000, [])
