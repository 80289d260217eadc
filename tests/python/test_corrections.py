"""The rows of docs/reference/corrections.md that no model computes: their arithmetic."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import slips  # noqa: E402


def test_the_mean_delays_of_table_4_1_and_152_ms_are_the_control_intervals_of_the_thesis() -> None:
    """§6.4: 0.28, 0.36 and 0.30 s. (110 + 130 + 150 + 130 + 110)/5 = 126, and so on."""
    assert slips.control_intervals() == "278, 362, 300"
    assert [sum(group) / 5 for group in slips.FORWARD_MS.values()] == [126, 210, 148]


def test_no_whole_number_of_18_slots_is_140_of_155_or_980_of_1000() -> None:
    """155/18 = 8.61: 16 slots are 137.8, 17 are 146.4. 1000/18 = 55.56: 17 slots are 944.4."""
    assert slips.granted(140) == "140 of 155 Mb/s: 137.8 or 146.4"
    assert slips.granted(980) == "980 of 1000 Mb/s: 944.4 or 1000.0"


def test_a_packet_of_the_simulations_lasts_what_appendix_d_says() -> None:
    """1000 bytes at 45 Mb/s: 0.178 ms, its 1.8e-4 s; table 5.4's 2.5, 20 and 700 packets are its 0.4, 4 and 120 ms."""
    assert slips.queue_ms(1, 45) == pytest.approx(0.1778, abs=1e-4)
    for packets, printed_ms in ((0.1, 0.02), (2.5, 0.4), (20, 4), (700, 120)):
        assert slips.queue_ms(packets, 45) == pytest.approx(printed_ms, rel=0.12)


def test_windows_after_400_s_of_fast_change_1() -> None:
    """0.45 Mb/s for 0.30 s are 16.9 packets, the printed 17; 0.40 Mb/s are 15, not 19."""
    assert slips.window(0.3, 45) == pytest.approx(16.875)
    assert slips.window(0.3, 40) == pytest.approx(15)


def test_every_row_says_how_sure_it_is() -> None:
    rows = [*slips.thesis(), *slips.dlcc_words(), *slips.macroflow_words(), *slips.load_balanced_words()]
    assert all(row.why.startswith(("certain", "likely", "open")) for row in rows)
    assert len({(row.where, row.printed) for row in rows}) == len(rows) == 38
