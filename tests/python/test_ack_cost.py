"""RR-TCP costs no more than SACK as the window grows (paper 004, §5.2.7): instructions of an ACK, not its time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))
GROWTH = 1.2
"""From a window of 100 to one a hundred times as large; in proportion to the window it would be 100, to its log 2."""
NO_COUNT = pytest.mark.skipif(
    not shutil.which("valgrind") or not shutil.which("cargo"), reason="no valgrind or no cargo"
)


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    import ack_cost

    return ack_cost


def test_the_table_has_every_pattern_window_and_recovery(bench: ModuleType) -> None:
    expected = {(a, b, c) for a in bench.PATTERNS for b in bench.WINDOWS for c in bench.RECOVERIES}
    assert set(bench.costs(bench.recorded())) == expected


@pytest.mark.parametrize("pattern", ["in-order", "burst", "spread", "lossy"])
def test_what_an_ack_costs_rr_tcp_does_not_grow_with_the_window(bench: ModuleType, pattern: str) -> None:
    costs = bench.costs(bench.recorded())
    assert costs[pattern, 10_000, "rr-tcp"] <= GROWTH * costs[pattern, 100, "rr-tcp"]


@pytest.mark.parametrize("window", [100, 1000, 10_000])
def test_where_packets_are_late_rr_tcp_costs_no_more_than_sack(bench: ModuleType, window: int) -> None:
    costs = bench.costs(bench.recorded())
    for pattern in ("burst", "spread"):
        assert costs[pattern, window, "rr-tcp"] <= 1.05 * costs[pattern, window, "sack"], pattern


@NO_COUNT
def test_the_program_counts_what_is_recorded(bench: ModuleType) -> None:
    """Half of the segments late: the pattern in which a walk over all SACKed ranges shows, 1.6 times SACK's at 1000."""
    record = bench.recorded()
    if bench.compiler() != record[0]["compiler"]:
        pytest.skip(f"recorded with {record[0]['compiler']}")
    bench.build()
    known = bench.costs(record)
    for recovery in bench.RECOVERIES:
        [cost] = bench.costs([bench.row("spread", 1000, recovery)]).values()
        assert cost <= 1.02 * known["spread", 1000, recovery], recovery


def test_windows_are_whole_numbers() -> None:
    command = [sys.executable, str(BENCH / "ack_cost.py"), "--windows", "ten"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "--windows found 'ten'; allowed: whole numbers" in run.stderr
