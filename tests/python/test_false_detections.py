"""What 004/false-detections reads off a trace, and the rounds that it replays, against counting by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from photocol import model
from photocol.experiments.catalogue import load_experiment

if TYPE_CHECKING:
    from types import ModuleType

FOLDER = Path(__file__).parents[2] / "experiments" / "004"
MS = 10**9


@pytest.fixture(scope="module")
def rounds() -> ModuleType:
    load_experiment(FOLDER / "false-detections.py")
    return sys.modules["photocol_experiments.004._rounds"]


def event(ms: float, name: str, unit: int = 0, window: float | None = None, place: str = "A") -> dict[str, object]:
    """Of packets of 1000 B; `window` in packets."""
    value = None if window is None else int(1000 * window)
    return {"t_ps": int(ms * MS), "event": name, "place": place, "unit": 1000 * unit, "bytes": 1000, "value": value}


def test_cuts_are_where_the_window_falls(rounds: ModuleType) -> None:
    # 4d_s + δ = 50 ms. The first recovery ends at 120 ms with the ACK of all that was sent at its cut.
    trace = pl.DataFrame(
        [
            event(90, "send", 9),
            event(100, "ack", 5, 1004),
            event(100, "resend", 5),
            event(100, "resend", 6),
            event(110, "ack", 8, 502),
            event(120, "ack", 10, 502),
            event(125, "land", place="F"),
            event(126, "land", place="A"),
            event(169, "land", place="F"),
            event(171, "land", place="F"),
            event(180, "ack", 11, 502),
            event(180, "resend", 11),
            event(200, "ack", 12, 251),
        ]
    )
    table = rounds.cuts(trace, 0.01)
    assert table["t_s"].to_list() == pytest.approx([0.1, 0.18])
    assert table.select("before_packets", "after_packets").rows() == [(1004, 502), (502, 251)]
    assert table["lap_s"][1] == pytest.approx(0.08)
    # The second is held to the end of the trace or the next ACK, whose packets were all sent before.
    assert table["held_s"].to_list() == pytest.approx([0.02, 0.02])
    assert table["resent_packets"].to_list() == [2, 1]
    assert table["bursts"].to_list() == [2, 0]
    [period] = rounds.periods(table)
    assert (period.peak, period.bottom, period.cuts, period.packets) == (1004, 251, 2, 6)
    assert period.lasts_s == pytest.approx(0.08)


def test_a_trace_without_cuts_has_no_periods(rounds: ModuleType) -> None:
    trace = pl.DataFrame([event(0, "send", 0), event(20, "ack", 1, 1), event(40, "ack", 2, 2)])
    assert rounds.periods(rounds.cuts(trace, 0.01)) == []


@pytest.mark.parametrize("delta_ms", [1, 5, 10, 50])
def test_without_simulated_periods_the_rounds_are_those_of_the_closed_form(rounds: ModuleType, delta_ms: int) -> None:
    closed = float(model("sack-lb-obs", difference=f"{delta_ms} ms")["total_s"])
    assert rounds.replayed([], rounds.Round(delta_s=delta_ms * 1e-3)) == pytest.approx(closed, rel=0.01)


def test_falls_to_two_packets_give_the_closed_form_with_two_packets(rounds: ModuleType) -> None:
    # Nine halvings at 50 ms: eight laps of 90 ms after each detection, in which the closed form counts no packets.
    period = rounds.Period(peak=1001, bottom=2, cuts=9, lasts_s=0.72, packets=0)
    closed = float(model("sack-lb-obs", difference="50 ms", fall="two_packets")["total_s"])
    assert rounds.replayed([period] * 2, rounds.Round(delta_s=0.05)) == pytest.approx(closed, rel=0.002)
    without = rounds.replayed([period] * 2, rounds.Round(delta_s=0.05), laps=False)
    assert without == pytest.approx(closed - 2 * 0.72, rel=0.002)


def test_a_round_is_the_mean_of_both_paths_or_the_faster_burst(rounds: ModuleType) -> None:
    # d_s = 10 ms, δ = 10 ms, t_a = 1 ms: 2 + 20 + 5 ms and 8 µs a packet; in two bursts the short path's 2 + 20 + 8 ms.
    one = rounds.Round(delta_s=0.01, timer_s=0.001)
    assert (one.peak, one.set_up_s) == (1003, pytest.approx(0.044))
    assert one.lasts_s(500) == pytest.approx(0.027 + 0.004)
    assert one.lasts_s(1002) == pytest.approx(0.022 + 0.008)


def test_delays_and_assembly_are_read_from_the_scenario(rounds: ModuleType) -> None:
    text = """
    link = [{ from = "A", to = "B", capacity = "1 Gbps", delay = "2500 us" },
            { from = "B", to = "C", capacity = "10 Gbps", delay = "12500 us" }]
    [switching.assembly]
    timer = "10 us"
    """
    found = rounds.of_scenario(text)
    assert (found.delta_s, found.timer_s, found.packet_s) == pytest.approx((0.01, 1e-5, 8e-7))
