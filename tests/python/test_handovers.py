"""Schedules of handovers and traces that experiments make: against numbers of others, and by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def helper(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"circuits_{name}", ROOT / "experiments" / "circuits" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


HANDOVERS, LOW_ORBIT = helper("_handovers"), helper("_low_orbit")


@pytest.mark.parametrize(
    ("run", "legs"),
    [
        (1, [(0, 58, 73), (5053, 66, 16), (10102, 80, 84), (15071, 56, 63), (20094, 77, 78), (25045, 94, 58)]),
        (2, [(0, 53, 12), (5066, 97, 86), (10077, 88, 28)]),
    ],
)
def test_the_schedules_are_those_of_orbcc(run: int, legs: list[tuple[int, int, int]]) -> None:
    """The first lines of its files bandwidths/ and baseRtts/experiment1/run1.json and run2.json."""
    found = [(leg.from_ms, leg.capacity_mbps, leg.round_trip_ms) for leg in HANDOVERS.course(run, 305)]
    assert found[: len(legs)] == legs
    assert len(found) == 61


def test_a_hard_handover_is_not_counted_as_capacity() -> None:
    """10 s of two legs: 58 Mb/s for 5 s, 66 Mb/s for 4.947 s, or for 5 s."""
    legs = HANDOVERS.course(1, 10)
    assert HANDOVERS.mean_capacity_mbps(legs, 10, "hard") == pytest.approx((58 * 5 + 66 * 4.947) / 10)
    assert HANDOVERS.mean_capacity_mbps(legs, 10, "soft") == pytest.approx((58 + 66) / 2)


def test_the_ready_made_trace_is_that_of_its_model() -> None:
    assert (ROOT / "scenarios" / "traces" / "low-orbit.csv").read_text().splitlines() == LOW_ORBIT.lines()


def test_the_mean_of_a_trace_is_over_its_time() -> None:
    text = "# by hand\ntime_ms,capacity_mbps,delay_ms\n0,100,5\n500,,7\n1000,0,\n1500,50,\n3000,9,\n"
    assert LOW_ORBIT.mean_mbps(text, 2000) == pytest.approx((100 * 1000 + 50 * 500) / 2000)
