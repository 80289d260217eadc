"""Throughput, fairness, queues and completion times, from tables whose answers are sums on paper."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from command import SMALL, photocol
from matplotlib.figure import Figure
from scipy.stats import binom

import photocol as package
from photocol import plot
from photocol.plot.files import pictures_of
from photocol.plot.over_time import steps
from photocol.plot.tables import with_kinds
from photocol.quantity import readable
from photocol.report.build import page_of
from photocol.runs.quantiles import NOTE
from photocol.runs.results import Figure as Number
from photocol.runs.results import Result, Summary

if TYPE_CHECKING:
    from pathlib import Path

SERIES = ["run", "t_s", "entity", "quantity", "value"]


def result(*, scenario: str = "", warm_up_s: float = 0.0, **tables: pl.DataFrame) -> Result:
    """A run of 10 s with these tables."""
    empty: dict[str, pl.DataFrame] = {
        "series": pl.DataFrame(schema={"run": pl.UInt64, "t_s": float, "entity": str, "quantity": str, "value": float}),
        "flows": pl.DataFrame(
            schema={"run": pl.UInt64, "flow": pl.UInt64, "transport": str, "traffic": str, "start_s": float}
            | {"end_s": float, "size_bytes": float, "completed": bool, "slowdown": float, "goodput_bps": float}
        ),
        "links": pl.DataFrame(schema={"run": pl.UInt64, "link": str, "utilization": float}),
        "drops": pl.DataFrame(schema={"run": pl.UInt64, "where": str, "class": str, "cause": str, "units": pl.UInt64}),
    }
    summary = Summary({"duration": Number(10, "s"), "measured_time": Number(10 - warm_up_s, "s")})
    return Result(summary=summary, manifest={"scenario": scenario}, table=lambda name: {**empty, **tables}[name])


def arrived(**bytes_at: list[float]) -> pl.DataFrame:
    """Bytes arrived of each flow at 0, 1, 2, … s."""
    rows = [
        (0, float(t), name.replace("_", " "), "bytes_arrived", float(value))
        for name, values in bytes_at.items()
        for t, value in enumerate(values)
    ]
    return pl.DataFrame(rows, SERIES, orient="row")


def flows(*rows: tuple[float, float, float | None, bool, float | None], traffic: str = "a") -> pl.DataFrame:
    """Start, end, size, completed, slowdown of each flow."""
    known: dict[str, Any] = dict(
        zip(
            ("start_s", "end_s", "size_bytes", "completed", "slowdown"), map(list, zip(*rows, strict=True)), strict=True
        )
    )
    numbers = list(range(len(rows)))
    return pl.DataFrame(
        {"run": 0, "flow": numbers, "transport": "sack", "traffic": traffic, "goodput_bps": 1.0, **known}
    )


def values(table: pl.DataFrame, quantity: str, entity: str | None = None) -> list[float]:
    kept = table.filter(pl.col("quantity") == quantity)
    return (kept if entity is None else kept.filter(pl.col("entity") == entity))["value"].to_list()


def test_throughput_is_what_arrived_since_the_last_sample() -> None:
    one = result(
        series=arrived(flow_0=[0, 1000, 3000], flow_1=[0, 1000, 1000]), flows=flows(*[(0, 10, None, False, None)] * 2)
    )
    table = plot.over_time(one)
    assert values(table, "throughput", "flow 0") == [8000, 16000]
    assert values(table, "class_throughput", "sack") == [16000, 16000]
    # Jain: (1 + 1)² / (2 · 2) = 1, then (2 + 0)² / (2 · 4) = 1/2.
    assert values(table, "fairness") == [1.0, 0.5]


def test_a_class_of_which_only_some_flows_are_sampled_says_so() -> None:
    one = result(series=arrived(flow_0=[0, 1000]), flows=flows(*[(0, 10, None, False, None)] * 3))
    assert plot.over_time(one).filter(pl.col("quantity") == "class_throughput")["entity"].to_list() == [
        "sack, 1 of 3 flows"
    ]
    assert values(plot.over_time(one), "fairness") == [], "one flow is equal to nobody"


def test_a_flow_of_another_traffic_in_another_run_has_a_curve_of_its_own() -> None:
    """Flow 0 is BBR's in two runs of three (4 and 8 kB of window, mean 6) and CUBIC's in the third (100 kB)."""
    laws = {0: ("bbr", "cubic"), 1: ("bbr", "cubic"), 2: ("cubic", "bbr")}
    known = pl.DataFrame(
        [(run, k, f"linux-{law}", law) for run, two in laws.items() for k, law in enumerate(two)],
        ["run", "flow", "transport", "traffic"],
        orient="row",
    ).join(flows((0, 10, None, False, None)).drop("run", "flow", "transport", "traffic"), how="cross")
    windows = {0: 4e3, 1: 8e3, 2: 100e3}
    rows = [(run, t, "flow 0", "cwnd", value) for run, value in windows.items() for t in (0.0, 1.0)]
    one = result(series=pl.DataFrame(rows, SERIES, orient="row"), flows=known)
    axes = one.plot.series("cwnd", Figure().add_subplot())
    assert {line.get_label(): line.get_ydata()[0] for line in axes.lines} == {
        "flow 0, bbr (mean of 2 of 3 runs)": 6,
        "flow 0, cubic (one of 3 runs)": 100,
    }
    draw, table = pictures_of({"": one}, plot.Chosen(flows=[0]))["series_cwnd"]
    draw(axes := Figure().add_subplot(), table)
    assert len(axes.lines) == 2, "--flows 0 is both"
    unnamed = known.with_columns(traffic=pl.format("traffic-{}", (pl.col("traffic") == "bbr").cast(int)))
    assert set(with_kinds(one.series, unnamed)["entity"]) == {"flow 0, linux-bbr", "flow 0, linux-cubic"}
    assert set(with_kinds(one.series, known.filter(pl.col("flow") == 0, pl.col("run") < 2))["entity"]) == {"flow 0"}


def test_chosen_flows_are_those_of_their_class_too() -> None:
    """Of three flows with 1, 2 and 4 kB in a second, flows 0 and 2 are 5 kB, 40 kb/s."""
    one = result(
        series=arrived(flow_0=[0, 1000], flow_1=[0, 2000], flow_2=[0, 4000]),
        flows=flows(*[(0, 10, None, False, None)] * 3),
    )
    chosen = pictures_of({"": one}, plot.Chosen(flows=[0, 2]))["class_throughput"][1]
    assert (chosen["entity"].to_list(), chosen["value"].to_list()) == (["sack, 2 of 3 flows"], [40_000])
    # 3 flows, their class and their fairness: a chosen link leaves nothing of them out.
    assert plot.Chosen(links=["a->b"]).of_series(plot.over_time(one)).height == 5


def test_two_traffics_of_a_transport_have_a_goodput_each() -> None:
    table = pl.concat([flows((1.0, 2.0, 1000, True, 2.0)), flows((1.0, 3.0, 1000, True, 2.0), traffic="b")])
    axes = result(flows=table).plot.goodput(Figure().add_subplot())
    assert [line.get_label().partition(" (1")[0] for line in axes.lines] == ["a (sack)", "b (sack)"]


GREEDY: dict[str, Any] = {
    "run": {"duration": "100 ms"},
    "topology": {"kind": "custom"},
    "node": [{"name": name, "role": "host"} for name in "ab"],
    "link": [{"from": "a", "to": "b", "capacity": "10 Mbps", "delay": "1 ms", "buffer": "30 packets"}],
    "transport": {"udp": {"packet_size": 1500}},
    "traffic": [{"transport": "udp", "load": "constant", "rate": "20 Mbps", "pairs": [["a", "b"]]}],
    "probe": {"interval": "0.5 ms"},
}
"""Datagrams at twice the capacity: the link is never idle. A packet lasts 1.2 ms, more than a sample."""


@pytest.mark.parametrize(
    ("change", "carried"),
    [
        ({}, {0.05: 10e6, 0.09: 10e6}),
        (
            {"event": [{"at": "60.25 ms", "link": "a->b", "capacity": "80 Mbps"}]},
            {0.05: 10e6, 0.06: 10e6, 0.0605: 45e6, 0.061: 80e6},
        ),
        (
            {
                "link_phases": [
                    {
                        "link": "a->b",
                        "period": "2 ms",
                        "phases": [{"duration": "0.5 ms"}, {"duration": "1.5 ms", "capacity": "0 bps"}],
                    }
                ]
            },
            {0.0505: 10e6, 0.051: 0.0, 0.0515: 0.0, 0.052: 0.0, 0.0525: 10e6},
        ),
    ],
)
def test_a_link_that_is_never_idle_carries_its_capacity_however_short_a_sample(
    change: dict[str, Any], carried: dict[float, float]
) -> None:
    """A part of a packet counts as a part; half of a sample at 10 Mb/s and half at 80 are 45."""
    one = package.run({**GREEDY, **change})
    table = plot.over_time(one).filter(pl.col("quantity") == "link_throughput", pl.col("entity") == "a->b")
    found = {round(t_s, 7): value for t_s, value in table.select("t_s", "value").iter_rows()}
    assert {t_s: found[t_s] for t_s in carried} == pytest.approx(carried, abs=16e3), "a byte in half a millisecond"
    last = one.series.filter(pl.col("quantity") == "carried_bits", pl.col("entity") == "a->b")["value"].to_list()
    assert last == sorted(last)


def test_throughput_is_what_arrives_and_not_what_is_acknowledged_at_once() -> None:
    """10 Mb/s; losses leave holes, and an ACK that fills one is for more than arrived meanwhile."""
    link = {**GREEDY["link"][0], "delay": "10 ms"}
    changed = {"run": {"duration": "5 s"}, "link": [link], "probe": {"interval": "50 ms"}}
    one = package.run({**GREEDY, **changed, "traffic": [{"transport": "sack", "pairs": [["a", "b"]]}]})
    arrived = values(plot.over_time(one), "throughput", "flow 0")
    # A packet more than the capacity in a sample: 12 kbit in 50 ms.
    assert 9e6 < max(arrived) <= 10.24e6
    acked = one.series.filter(pl.col("quantity") == "acked").sort("t_s")
    by_acks = (8 * acked["value"].diff() / acked["t_s"].diff()).drop_nulls()
    assert float(by_acks.max()) > 11e6  # type: ignore[arg-type]


def test_a_queue_is_a_distribution_after_the_warm_up() -> None:
    rows = [(0, t / 10, "a->b", "queue", float(t)) for t in range(100)]
    one = result(series=pl.DataFrame(rows, SERIES, orient="row"), warm_up_s=5.0)
    (row,) = plot.queues(one).rows(named=True)
    # 50 samples, 50 … 99: the least value that half do not exceed is the 25th, 74; of 99 % the 50th.
    assert (row["samples"], row["mean"], row["p50"], row["p99"], row["max"]) == (50, 74.5, 74, 99, 99)
    axes = one.plot.queue_distribution(Figure().add_subplot())
    line = axes.lines[0]
    assert (line.get_xdata()[0], line.get_xdata()[-1], line.get_ydata()[-1]) == (50, 99, 1)
    assert "median 74" in line.get_label()


def test_queues_that_are_always_empty_have_no_curve() -> None:
    rows = [(0, t / 10, link, "queue", value * t) for t in range(9) for link, value in (("a->b", 1.0), ("b->a", 0.0))]
    one = result(series=pl.DataFrame(rows, SERIES, orient="row"))
    axes = one.plot.queue_distribution(Figure().add_subplot())
    assert (len(axes.lines), axes.get_xlabel()) == (1, "queue x (packets); 1 are always empty")
    assert "queue_distribution" not in pictures_of({"": result(series=one.series.filter(pl.col("entity") == "b->a"))})


def test_shares_of_equal_values_rise_at_once() -> None:
    at, share = steps(np.array([3.0, 1.0, 1.0, 1.0]))
    assert (at.tolist(), share.tolist()) == ([1, 1, 1, 3], [0.75, 0.75, 0.75, 1])
    many, share = steps(np.arange(1_000_000.0))
    assert (len(many), many[0], many[-1], share[-1]) == (1000, 0, 999_999, 1)


def test_completion_times_are_of_sized_flows_after_the_warm_up() -> None:
    table = flows(
        (0.5, 1.0, 1000, True, 9.0),
        (1.0, 1.5, 1000, True, 2.0),
        (2.0, 4.0, 1000, True, 4.0),
        (3.0, 10.0, 1000, False, None),
        (3.0, 10.0, None, False, None),
    )
    one = result(flows=table, warm_up_s=1.0)
    assert plot.sized_flows(one)["completion_s"].to_list() == [0.5, 2.0, None]
    axes = one.plot.completion_times(Figure().add_subplot())
    assert list(axes.lines[0].get_xdata()) == [0.5, 0.5, 2.0]
    assert list(axes.lines[0].get_ydata()) == [0, 0.5, 1]
    assert axes.lines[0].get_label() == "sack (2 of 3 flows), median 500 ms"
    (row,) = plot.completions_by_size(one).rows(named=True)
    # 1000 B stand in the half decade from 1000 to 3162 B.
    assert (row["size_from_bytes"], row["size_to_bytes"], row["flows"], row["completed"]) == (1000, 3162, 3, 2)
    assert (row["completion_p50_s"], row["slowdown_p50"], row["slowdown_p95"]) == (0.5, 2.0, None)
    # Of two values a resample has both, or one of them twice: the smaller is its first in 3 of 4.
    assert (row["completion_p50_low_s"], row["completion_p50_high_s"], row["slowdown_p95_low"]) == (0.5, 2.0, None)


def test_a_quantile_by_size_has_its_bootstrap_interval() -> None:
    times = flows(*[(1.0, 1.0 + place, 1000, True, float(place)) for place in range(1, 101)])
    (row,) = plot.completions_by_size(result(flows=times)).rows(named=True)
    found = [row[f"slowdown_p{rank}{end}"] for rank in (50, 95, 99) for end in ("_low", "", "_high")]
    # P(Bin(100, j/100) ≥ 50) is 0.016 at 39 and 0.027 at 40, 0.973 at 59 and 0.983 at 60: SciPy says so, and the rest.
    reached = {rank: binom.sf(rank - 1, 100, np.arange(1, 101) / 100) for rank in (50, 95, 99)}
    least = [[int(np.argmax(reached[rank] >= share)) + 1 for share in (0.025, 0.975)] for rank in reached]
    assert found == [40, 50, 60, least[1][0], 95, least[1][1], least[2][0], 99, least[2][1]]


SIZED: dict[str, Any] = {
    "run": {"duration": "0.8 s", "warm_up": "0.1 s"},
    "topology": {"kind": "dumbbell", "bottleneck_capacity": "1 Gbps", "bottleneck_delay": "1 ms"},
    "link_defaults": {"buffer": "unlimited"},
    "traffic": [
        {"transport": "sack", "pairs": "random", "flows": 300, "size": "15 kB", "start": "0.1 s"},
        {"transport": "sack", "pairs": "random", "flows": 4, "size": "200 kB", "start": "0.1 s"},
    ],
}
"""All flows start when the warm-up ends, which is 0.8 − 0.7 s."""


def test_the_printed_percentiles_have_the_intervals_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "sized.json"
    file.write_text(json.dumps(SIZED))
    one = package.run(file)
    (short, _) = plot.completions_by_size(one).rows(named=True)
    assert (short["flows"], short["completed"]) == (300, 300)
    printed = photocol("run", file).stdout
    for name, unit in (("completion_time", "s"), ("slowdown", "1")):
        for rank in ("p50", "p95", "p99"):
            column = f"{name.removesuffix('_time')}_{rank}"
            value, low, high = (short[f"{column}{end}{'_s' if unit == 's' else ''}"] for end in ("", "_low", "_high"))
            words = f"{readable(value, unit)} [{readable(low, unit)}, {readable(high, unit)}]"
            assert re.search(rf"^short_{name}_{rank} +{re.escape(words)}$", printed, re.MULTILINE), words
    figures = [name for name in one.summary if re.search(r"(completion_time|slowdown)_p", name)]
    assert len(figures) == 14, "of all and of short ones p50, p95, p99; of four medium ones p50"
    assert len(re.findall(r"^\S+_p\d+ .*\[.*\]$", printed, re.MULTILINE)) == len(figures)
    assert printed.count(NOTE) == 1
    assert "[" in photocol("run", file, "--explain").stdout
    for words in (["--json"], ["--runs", "2"]):
        assert NOTE not in photocol("run", file, *words).stdout


def test_a_run_without_completion_times_prints_no_intervals(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    assert "[" not in photocol("run", file).stdout


def test_the_numbers_of_the_slowdown_are_its_quantiles_with_their_intervals(tmp_path: Path) -> None:
    file = tmp_path / "sized.json"
    file.write_text(json.dumps(SIZED))
    assert photocol("run", file, "--out", tmp_path / "run").returncode == 0
    assert photocol("plot", tmp_path / "run", "--format", "csv", "--only", "slowdown").returncode == 0
    written = pl.read_csv(tmp_path / "run" / "plots" / "slowdown.csv")
    table = plot.completions_by_size(Result.load(tmp_path / "run"))
    for name in ("completed", "slowdown_p95", "slowdown_p95_low", "slowdown_p95_high", "completion_p50_high_s"):
        assert written[name].to_list() == table[name].to_list(), name


def test_slowdown_stands_at_the_median_of_its_sizes() -> None:
    some = ((1000, 2.0), (1000, 4.0), (100_000, 30.0), (100_000, 9.0))
    table = flows(*[(1.0, 2.0, size, True, slow) for size, slow in some * 3])
    axes = result(flows=table).plot.slowdown(Figure().add_subplot())
    assert list(axes.lines[0].get_xdata()) == [1.0, 100.0]
    assert (axes.lines[0].get_ydata()[0], axes.get_xscale(), axes.get_yscale()) == (2.0, "log", "log")


def test_a_traffic_has_its_own_curve_where_there_are_several() -> None:
    table = pl.concat([flows((1.0, 2.0, 1000, True, 2.0)), flows((1.0, 3.0, 1000, True, 2.0), traffic="b")])
    assert set(plot.sized_flows(result(flows=table))["class"]) == {"a (sack)", "b (sack)"}


def test_a_run_without_any_of_it_has_none_of_the_pictures() -> None:
    assert pictures_of({"": result()}) == {}
    with pytest.raises(ValueError, match="no flow with a size has completed"):
        result().plot.completion_times()
    with pytest.raises(ValueError, match="no range of sizes has enough completed flows for p50, p95"):
        result(flows=flows(*[(1.0, 2.0, 1000, True, 2.0)] * 5)).plot.slowdown()
    with pytest.raises(ValueError, match="no queue was sampled"):
        result().plot.queue_distribution()
    with pytest.raises(AttributeError, match="did you mean 'goodput'"):
        result().plot.godput()
    with pytest.raises(ValueError, match="did you mean 'throughput'"):
        result(series=arrived(flow_0=[0, 8]), flows=flows((0, 1, None, False, None))).plot.over_time("troughput")


def test_a_run_draws_and_tells_them(tmp_path: Path) -> None:
    settings = {"probe.flows": "all", "traffic.0.size": "100 kB", "run.duration": "3 s"}
    run = package.run(SMALL, set=settings).save(tmp_path / "run")
    done = photocol("plot", run, "--format", "csv", "--only", "completion_times", "--only", "class_throughput")
    assert done.stdout.split() == [
        str(run / "plots" / f"{name}.csv") for name in ("completion_times", "class_throughput")
    ]
    sums = pl.read_csv(run / "plots" / "class_throughput.csv")
    # Four flows of 100 kB are 3.2 Mb, in samples 0.1 s apart; what comes before a flow's first sample is in none.
    assert sums["value"].sum() * 0.1 == pytest.approx(3.2e6, rel=0.05)
    names = set(pictures_of({"": Result.load(run)}))
    assert {"completion_times", "throughput", "fairness", "link_throughput", "queue_distribution"} <= names
    # The median of four flows says little.
    assert "slowdown" not in names
    page = page_of(run)
    assert {"table-completions", "table-queues"} <= {table["id"] for table in page["tables"]}
    assert {"class_throughput", "fairness"} <= {part["quantity"] for part in page["series"]["parts"]}
