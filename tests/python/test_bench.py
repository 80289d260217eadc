"""The benchmark's scenarios are valid and its table is complete; what it measures is not asserted."""

from __future__ import annotations

import json
import re

import pytest

from photocol.cli import bench, workloads
from photocol.runs import scenario


@pytest.mark.parametrize("name", bench.STANDARDS)
def test_the_standard_scenarios_are_valid(name: str) -> None:
    standard = bench.STANDARDS[name]
    settings = {**standard.settings, **standard.counted_with}
    assert scenario.load(bench._source(standard), settings).warnings == []


def test_what_needs_much_is_measured_on_request_and_said_beforehand() -> None:
    assert "million-flows" not in bench.names()
    assert bench.needs() == []
    assert bench.names(large=True) == list(bench.STANDARDS)
    [sentence] = bench.needs(large=True)
    assert re.fullmatch(r"million-flows needs some [\d.]+ GB of memory and some \d+ minutes?", sentence)


def test_the_report_has_a_line_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    small = workloads.Standard(what="3 flows", scenario=workloads.dumbbell(3, duration="1 s"))
    bursts = workloads.Standard(what="no flows", scenario=workloads.bursts_alone() | {"run": {"duration": "1 ms"}})
    monkeypatch.setattr(bench, "STANDARDS", {"small": small, "bursts": bursts})
    monkeypatch.setattr(bench, "measured_apart", bench.measured)
    lines = bench.report().splitlines()
    assert lines[1].split()[0] == "small"
    assert "packet-hops/s" in lines[0]
    cost, alone = json.loads(bench.report(as_json=True))
    assert cost["flows"] == 3
    # 182 pairs with 0.1 / 40 us for a millisecond: 455 bursts, the standard deviation is 21.
    assert alone["bursts"] == pytest.approx(455, abs=4 * 21)
    assert alone["memory_per_flow_bytes"] is None
    assert cost["packet_hops_per_cpu_s"] == pytest.approx(cost["packet_hops"] / cost["cpu_s"])
