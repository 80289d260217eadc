"""The cost model of a packet-hop finds prices that are there, and says what it cannot explain."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from types import ModuleType

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
COUNTS = [(300, 1, 0, 0.3), (500, 4, 2, 2), (700, 2, 0.2, 1), (1500, 18, 0.1, 8), (1300, 12, 2.5, 4), (300, 0, 0, 0.3)]
PRICES = (0.05, 2.5, 4.0, 3.0)


@pytest.fixture(scope="module")
def model() -> ModuleType:
    import cost

    return cost


def costs(model: ModuleType, *, slow: float = 1.0) -> list:
    """Workloads that cost what the prices say, but for the last, which takes `slow` times as long."""
    factors = [1.0] * (len(COUNTS) - 1) + [slow]
    return [
        model.Cost(
            name=f"w{place}",
            hops=1000,
            **dict(zip(model.PRICED, counts, strict=True)),
            measured_ns=factor * float(np.dot(counts, PRICES)),
        )
        for place, (counts, factor) in enumerate(zip(COUNTS, factors, strict=True))
    ]


def test_prices_that_are_there_are_found(model: ModuleType) -> None:
    assert model.prices(costs(model)) == pytest.approx(PRICES, rel=1e-6)
    assert np.array(model.ratios(costs(model))) == pytest.approx(1.0, rel=1e-6)


def test_what_the_others_do_not_explain_is_said(model: ModuleType) -> None:
    fitted, apart = model.ratios(costs(model, slow=1.5))[-1]
    assert apart == pytest.approx(1 / 1.5, rel=1e-6)
    assert apart < fitted < 1


def test_no_price_is_negative(model: ModuleType) -> None:
    odd = [model.Cost(**{**cost.__dict__, "measured_ns": 1 + cost.instructions / 1e3}) for cost in costs(model)]
    assert (model.prices(odd) >= 0).all()


def test_counts_are_per_packet_hop(model: ModuleType) -> None:
    events = {"hops": 10, "Ir": 3000, "D1mr": 5, "D1mw": 6, "DLmr": 1, "DLmw": 2, "Bcm": 3, "Bim": 4}
    found = model.cost("s1", events)
    assert (found.hops, found.counts) == (10, [300, 1.1, 0.3, 0.7])
    assert math.isnan(found.measured_ns)


def test_every_workload_is_one_that_is_counted(model: ModuleType, tmp_path: Path) -> None:
    assert set(model.LENGTHS_S) == {workload.name for workload in model.instructions().workloads(tmp_path)}


def test_a_row_is_as_wide_as_its_head(model: ModuleType) -> None:
    lines = model.table(costs(model)).splitlines()[2:]
    assert len(lines) == 2 + len(COUNTS)
    assert {line.count("|") for line in lines} == {10}
