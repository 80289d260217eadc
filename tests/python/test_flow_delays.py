"""One-way delay, jitter and losses of flows from a trace: against the engine's own figures, and from events by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import SMALL, photocol

import photocol as package
from photocol import plot
from photocol.plot.probes.flow_delays import delays_by_class
from photocol.report.build import page_of
from photocol.runs.results import Figure, Result, Summary

if TYPE_CHECKING:
    from pathlib import Path

_EVENT = ("t_ps", "event", "place", "class", "flow", "unit", "wait_ps", "lasts_ps", "flight_ps")


def of_events(*rows: tuple[int, str, str, int]) -> Result:
    """A run of 1 s with one flow from a to b; a `pass` takes 1 ms of waiting, 2 ms of sending and 3 ms of flight."""
    ps = 10**9
    known = [
        (t_ms * ps, event, place, "data", 0, unit, *((ps, 2 * ps, 3 * ps) if event == "pass" else (0, 0, 0)))
        for t_ms, event, place, unit in rows
    ]
    trace = pl.DataFrame(known, _EVENT, orient="row")
    flows = pl.DataFrame({"run": [0], "flow": [0], "source": ["a"], "destination": ["b"]})
    summary = Summary({"duration": Figure(1, "s")})
    return Result(summary=summary, manifest={}, table=lambda _: flows, trace=lambda: trace)


def test_a_delay_is_from_the_send_to_the_last_bit_at_the_receiver() -> None:
    one = of_events(
        (0, "send", "a", 0),
        (0, "pass", "a->x", 0),
        (10, "pass", "x->b", 0),  # arrives at 16 ms
        (20, "send", "a", 1000),
        (40, "pass", "x->b#2", 1000),  # at 46 ms: 26 ms after it was sent
        (50, "send", "a", 2000),
        (52, "drop", "x->b", 2000),
        (60, "resend", "a", 2000),
        (70, "pass", "x->b", 2000),  # sent twice: no delay
        (80, "send", "a", 3000),
        (999, "pass", "x->b", 3000),  # arrives after the end
    )
    (row,) = plot.flow_delays(one).rows(named=True)
    assert (row["sent"], row["resent"], row["dropped"], row["delays"]) == (4, 1, 1, 2)
    # 16 and 26 ms; the jitter is their one difference.
    assert [row[f"delay_{name}_s"] for name in ("mean", "p50", "max")] == pytest.approx([0.021, 0.016, 0.026])
    assert row["jitter_mean_s"] == pytest.approx(0.010)


def test_the_delays_of_datagrams_are_those_that_the_engine_measures() -> None:
    settings = {"run.duration": "20 s", "run.warm_up": "0 s", "probe.delays": True, "trace.limit": 1_000_000}
    run = package.run("md1", set={**settings, "probe.flow_delays": True})
    (row,) = plot.flow_delays(run).rows(named=True)
    # The engine keeps three digits.
    for ours, figure in (("mean", "mean_packet_delay"), ("p50", "packet_delay_p50"), ("p99", "packet_delay_p99")):
        assert row[f"delay_{ours}_s"] == pytest.approx(float(run.summary[figure]), rel=1e-3), figure
    # Datagrams are sent once, so the table of flows is about the same packets; sums and extremes are exact there.
    (flow,) = run.flows.rows(named=True)
    assert (flow["delays"], flow["lost_packets"], row["dropped"]) == (row["delays"], 0, 0)
    for name in ("delay_mean_s", "delay_max_s", "jitter_mean_s"):
        assert flow[name] == pytest.approx(row[name], rel=1e-9), name
    for name in ("delay_p50_s", "delay_p95_s", "delay_p99_s"):
        assert flow[name] == pytest.approx(row[name], rel=4e-3), name


def test_the_picture_of_delays_is_a_curve_a_class_of_the_flows_with_enough_packets(tmp_path: Path) -> None:
    few = '[[traffic]]\nname = "few"\ntransport = "udp"\nfrom = "l0"\nto = "r0"\nrate = "1 Mbps"\nstop = "0.5 s"\n'
    run = package.run(SMALL + few, set={"probe.flow_delays": True})
    delays = plot.measured_delays(run)
    # 1 Mb/s for half a second are 42 packets of 1500 B.
    assert delays.filter(pl.col("class") == "few (udp)")["delay_p99_s"].to_list() == [None]
    (curve,) = run.plot.delay_percentiles().get_lines()
    assert "(4 flows)" in str(curve.get_label())
    # 10 ms and twice 1 ms of fibre, and at most 20 packets of 1.2 ms before each.
    assert 0.012 < delays["delay_p99_s"].min() <= delays["delay_p99_s"].max() < 0.012 + 22 * 0.0012  # type: ignore[operator]
    assert "delay_percentiles.png" in {file.name for file in plot.save_all(run, tmp_path)}
    of_few, tcp = delays_by_class(run).rows(named=True)
    assert (of_few["class"], of_few["flows"], of_few["median_delay_p99_s"]) == ("few (udp)", 1, None)
    # 42 left, and each arrived or was lost; a lost one behind the last that arrived does not show.
    assert 40 <= of_few["packets"] + of_few["lost_packets"] <= 42
    of_tcp = run.flows.filter(pl.col("transport") == "sack")
    lost = of_tcp["lost_packets"].sum()
    assert tcp["flows"] == 4
    assert tcp["loss_ratio"] == lost / (lost + of_tcp["delays"].sum()) > 0
    assert tcp["delay_max_s"] == of_tcp["delay_max_s"].max()
    tables = page_of(run.save(tmp_path / "saved"))["tables"]
    assert "table-delays-by-class" in {one["id"] for one in tables}
    with pytest.raises(ValueError, match="flow_delays"):
        package.run(SMALL).plot.delay_percentiles()


def test_they_are_on_the_page_and_in_a_file(tmp_path: Path) -> None:
    run = package.run(SMALL, set={"trace.limit": 1_000_000}).save(tmp_path / "run")
    done = photocol("trace", run, "--delays", tmp_path / "delays.csv")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'delays.csv'}\n")
    table = pl.read_csv(tmp_path / "delays.csv")
    flows = Result.load(run).flows
    assert (table["sent"] + table["resent"]).to_list() == flows["segments_sent"].to_list()
    # 1 + 10 + 1 ms of fibre; 1500 B take 1.2 ms at 10 Mb/s and the access twice 0.12 ms.
    assert table["delay_p50_s"].min() > 0.012 + 0.0012 + 2 * 0.00012 - 1e-9  # type: ignore[operator]
    assert "table-delays" in {one["id"] for one in page_of(run)["tables"]}


def test_a_run_without_a_trace_has_none(tmp_path: Path) -> None:
    result = package.run(SMALL)
    assert plot.flow_delays(result).is_empty()
    done = photocol("trace", result.save(tmp_path / "run"), "--delays", tmp_path / "d.csv")
    assert (done.returncode, (tmp_path / "d.csv").exists()) == (2, False)
