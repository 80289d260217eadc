"""Work that depends on work as Python sees it: tables against graphs by hand, times against closed forms, pictures."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import photocol
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure as Drawing

import photocol as package
from photocol import InputError, plot, work
from photocol.plot.probes.tasks import MOST_BARS
from photocol.report.build import page_of
from photocol.runs.results import Figure, Result, Summary

ROOT = Path(__file__).resolve().parents[2]
WINDOWS: tuple[dict[str, int], ...] = ({}, {"transport.ndp.first_window": 50})
RANKS, RATE, DELAY = 8, 100e6, 1e-3
PAYLOAD, HEADER = 1200, 50
STAR = """
[run]
duration = "10 s"
[topology]
kind = "star"
leaves = 8
[link_defaults]
capacity = "100 Mbps"
delay = "1 ms"
buffer = "unlimited"
[transport.it]
algorithm = "quic-newreno"
packet_size = "1250 B"
header = "50 B"
ack_size = "1 B"
paced = false
initial_window = 1000
[[traffic]]
name = "sum"
transport = "it"
work = { collective = "all-reduce", algorithm = "ring", size = "96 kB" }
"""
"""Packets of 1250 B with 1200 B of payload last 100 us; a window never ends, and ACKs take next to nothing."""
PACKETS = work.Packets(rate_bps=RATE, delay_s=DELAY, payload_bytes=PAYLOAD, header_bytes=HEADER)


def of_tasks(
    *rows: tuple[str, int, int, float | None, float | None, float | None], flows: int = 99, after: tuple[int, ...] = ()
) -> Result:
    """A run whose tasks have kind, rank, to, ready, start and end; as many flows as there are transfers, or more.

    `after` has the task that made each ready, or for which it waits; of those left out it is none.
    """
    columns = ("kind", "rank", "to", "ready_s", "start_s", "end_s")
    table = pl.DataFrame(rows, columns, orient="row").with_row_index("task")
    made = table.with_columns(pl.col("task", "rank", "to").cast(pl.UInt64), run=pl.lit(0).cast(pl.UInt64))
    befores = [*after, *range(len(after), len(rows))]
    made = made.with_columns(
        pl.Series("after", befores, pl.UInt64),
        pl.when(kind="transfer").then(pl.col("task").cast(pl.Float64)).otherwise(math.nan).alias("flow"),
        traffic=pl.lit("sum"),
        name=pl.lit(""),
        collective=pl.lit("all-reduce"),
        round=pl.lit(0).cast(pl.UInt64),
        step=pl.col("task"),
        bytes=pl.lit(1000).cast(pl.UInt64),
    )
    made = made.with_columns(pl.col(columns[3:]).cast(pl.Float64).fill_null(math.nan))
    of_flows = pl.DataFrame({"run": [0] * flows, "flow": range(flows), "traffic": ["sum"] * flows})
    summary = Summary({"duration": Figure(10, "s")})
    return Result(summary=summary, manifest={}, table=lambda _: of_flows, probes=lambda: {"tasks": made})


BY_HAND = (
    ("compute", 0, 0, 0.0, 0.0, 2.0),
    ("compute", 1, 1, 0.0, 0.0, 3.0),
    ("transfer", 0, 1, 2.0, 2.0, 4.0),
    ("transfer", 1, 0, 3.0, 3.0, 7.0),
    ("join", 0, 0, 7.0, 7.0, 7.0),
    ("compute", 0, 0, 7.0, 7.5, 9.0),
    ("compute", 1, 1, 4.0, 4.0, 5.0),
)
"""Rank 0 has to wait for what rank 1 sends after 3 s, until 7 s, and for half a second more."""
AFTER = (0, 1, 0, 1, 3, 4, 2)


def test_the_critical_path_leads_from_the_last_end_to_the_start() -> None:
    path = work.critical_path(work.tasks(of_tasks(*BY_HAND, after=AFTER)))
    assert path["task"].to_list() == [1, 3, 5]
    (row,) = work.work_by_traffic(of_tasks(*BY_HAND, after=AFTER)).rows(named=True)
    assert (row["ranks"], row["tasks"], row["undone"], row["path_tasks"]) == (2, 6, 0, 3)
    # 3 and 1.5 s of computation, a transfer of 4 s, half a second of waiting; 9 s in all.
    assert row["work_time_s"] == 9.0
    # Rank 0 computes for 3.5 s, rank 1 for 4.
    assert row["exposed_s"] == 5.5
    found = [row[f"path_{name}"] for name in ("transfers", "computes", "waits")]
    assert found == pytest.approx([4 / 9, 4.5 / 9, 0.5 / 9], rel=1e-12)


MESSAGE = "task,kind,rank,peer,bytes,time_s,tag,after\n"
"""Two ranks: a message of ten packets, 3.1 ms, and a computation behind its receive."""


@pytest.mark.parametrize(("before", "path"), [("0.001", ["send", "then"]), ("0.02", ["before", "take", "then"])])
def test_a_message_decides_if_its_receive_was_there_before(tmp_path: Path, before: str, path: list[str]) -> None:
    file = tmp_path / "graph.csv"
    rows = ("send,transfer,0,1,12000,,7,", f"before,compute,1,,,{before},,", "take,receive,1,0,,,7,before")
    file.write_text(MESSAGE + "\n".join([*rows, "then,compute,1,,,0.001,,take", ""]))
    run = package.run(STAR, set={"traffic.0.work": {"file": str(file)}})
    assert work.critical_path(work.tasks(run))["name"].to_list() == path


def test_another_rank_may_have_let_a_task_go_and_a_signal_may(tmp_path: Path) -> None:
    file = tmp_path / "graph.csv"
    rows = ("a,transfer,0,1,12000,,,", "b,transfer,2,3,12000,,,a", "c,transfer,4,5,12000,,,b")
    file.write_text(MESSAGE + "\n".join([*rows, ""]))
    run = package.run(STAR, set={"traffic.0.work": {"file": str(file), "signal": "5 ms"}})
    assert work.critical_path(work.tasks(run))["name"].to_list() == ["a", "b", "c"]
    (row,) = work.work_by_traffic(run).rows(named=True)
    assert row["work_time_s"] == pytest.approx(3 * PACKETS.transfer_s(12_000) + 2 * 0.005, rel=1e-3)
    # The path's last task waits for nothing that is its own; with b cut off it waits still.
    cut = '[[event]]\nat = "0 s"\nlink = "n3-hub"\nstate = "down"\n'
    undone = package.run(STAR + cut, set={"traffic.0.work": {"file": str(file)}, "run.duration": "1 s"})
    first = work.undone_tasks(undone).select("name", "state", "waits_for").rows()
    assert first == [("b", "under way", "its last byte"), ("c", "waits", "transfer b")]


def test_tasks_of_a_file_have_their_names(tmp_path: Path) -> None:
    file = tmp_path / "graph.csv"
    file.write_text("task,kind,rank,peer,bytes,time_s,after\nload,compute,0,,,0.002,\nsend,transfer,0,1,12000,,load\n")
    run = package.run(STAR, set={"traffic.0.work": {"file": str(file)}, "run.duration": "3 ms"})
    (row,) = work.undone_tasks(run).rows(named=True)
    # It is given at 2 ms, and takes 3.1 ms.
    assert (row["name"], row["kind"], row["state"], row["waits_for"]) == (
        "send",
        "transfer",
        "under way",
        "its last byte",
    )
    run = package.run(STAR, set={"traffic.0.work": {"file": str(file)}})
    assert work.critical_path(work.tasks(run))["name"].to_list() == ["load", "send"]
    # All is one step, so nothing is to be told by colours.
    legend = drawn(run)[0].get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["transfers", "computes"]
    assert float(run.summary["work_time"]) == pytest.approx(0.002 + PACKETS.transfer_s(12_000), rel=1e-3)


def test_the_busiest_rank_counts_time_once() -> None:
    # Rank 0: 0 to 2, 2 to 4, 7.5 to 9; rank 1: 0 to 3, 3 to 7 with 4 to 5 in it.
    assert work.busy_time(work.tasks(of_tasks(*BY_HAND))).rows() == [(1, 7.0), (0, 5.5)]


def test_transfers_of_a_connection_take_turns_and_those_of_several_do_not() -> None:
    both = (("transfer", 0, 1, 0.0, 0.0, 2.0), ("transfer", 0, 1, 1.0, 1.0, 5.0), ("transfer", 1, 0, 1.0, 1.0, 2.0))
    assert work.tasks(of_tasks(*both, flows=2))["begin_s"].to_list() == [0.0, 2.0, 1.0]
    assert work.tasks(of_tasks(*both, flows=3))["begin_s"].to_list() == [0.0, 1.0, 1.0]


def test_undone_tasks_name_what_they_wait_for() -> None:
    rows = (
        ("transfer", 0, 1, 0.0, 0.0, None),
        ("transfer", 0, 1, 1.0, 1.0, None),
        ("transfer", 1, 2, None, None, None),
        ("compute", 2, 2, None, None, None),
        ("compute", 0, 0, 0.0, None, None),
    )
    table = work.undone_tasks(of_tasks(*rows, flows=2, after=(0, 1, 0, 2)))
    assert table.select("task", "state", "waits_for").rows() == [
        (0, "under way", "its last byte"),
        (1, "ready", "its turn on the connection"),
        (4, "ready", "its turn at the rank"),
        (2, "waits", "transfer 0 of step 0 from rank 0"),
        (3, "waits", "transfer 2 of step 2 from rank 1"),
    ]
    assert work.undone_tasks(of_tasks(*BY_HAND, after=AFTER)).is_empty()
    # More than there are, or a signal on its way.
    never = of_tasks(*BY_HAND, ("wait", 1, 1, None, None, None), after=AFTER)
    assert work.undone_tasks(never)["waits_for"].to_list() == ["a signal, or more than there are"]
    (row,) = work.work_by_traffic(of_tasks(*rows, flows=2)).rows(named=True)
    assert (row["undone"], row["work_time_s"], row["path_tasks"]) == (5, None, None)


def test_a_transfer_whose_bytes_have_come_may_wait_for_a_receive() -> None:
    rows = (("transfer", 0, 1, 0.0, 0.0, None), ("receive", 1, 1, None, None, None))
    waits = work.undone_tasks(of_tasks(*rows, flows=1, after=(0, 0)))["waits_for"].to_list()
    assert waits[0] == "its last byte, or a receive that takes it"


@pytest.mark.parametrize(("duration", "has_time"), [("10 s", 2), ("20 ms", 0)])
def test_replications_have_a_mean_of_those_that_have_the_figure(tmp_path: Path, duration: str, has_time: int) -> None:
    file = tmp_path / "twice.toml"
    file.write_text(STAR.replace('duration = "10 s"', f'duration = "{duration}"\nruns = 2'))
    summary = package.run(file).summary
    time, undone = summary["work_time"], summary["unfinished_tasks"]
    assert (time.n, undone.n) == (has_time, 2)
    assert math.isnan(time) == (has_time == 0) == (undone > 0)
    printed = photocol("run", file, "--out", tmp_path / "out")
    assert ("missing" in printed.stdout) == (has_time == 0)


def test_each_transfer_has_its_collective_round_step_and_flow() -> None:
    keys = {"traffic.0.work.rounds": 2, "traffic.0.work.rings": 2, "traffic.0.work.compute": "1 ms"}
    run = package.run(STAR, set=keys)
    table = work.transfers(run)
    # 14 steps of two rings among eight ranks, twice; strides 1 and 3.
    assert table.height == 2 * 2 * 14 * 8
    assert table.group_by("round", "step").len()["len"].unique().to_list() == [16]
    strides = (pl.col("to") + 8 - pl.col("rank")) % 8
    assert table.select(strides.unique().sort()).to_series().to_list() == [1, 3]
    assert table.filter(pl.format("n{}", "rank") != pl.col("source")).is_empty()
    assert table.filter(pl.format("n{}", "to") != pl.col("destination")).is_empty()
    assert table["collective"].unique().to_list() == ["all-reduce"]
    assert table["flow"].n_unique() == 16
    sums = table.group_by("flow").agg(pl.col("bytes").sum()).join(run.flows, on="flow")
    assert (sums["bytes"] == sums["bytes_arrived"]).all()
    first, second = work.collectives(run).rows(named=True)
    assert [first[name] for name in ("ranks", "transfers", "steps", "bytes", "undone")] == [8, 224, 14, 224 * 6000, 0]
    assert (first["round"], second["round"]) == (0, 1)
    assert first["begin_s"] == pytest.approx(0.001)
    # Each rank begins its second round when all has come to it.
    assert second["begin_s"] == pytest.approx(first["end_s"] + 0.001, rel=1e-3)
    assert second["end_s"] == pytest.approx(float(run.summary["work_time"]))
    assert first["time_s"] == pytest.approx(second["time_s"], rel=1e-2)


def test_collectives_of_a_file_are_those_that_it_names(tmp_path: Path) -> None:
    file = tmp_path / "graph.csv"
    rows = ("a,transfer,0,1,12000,sum,3,1,", "b,transfer,1,0,12000,sum,3,2,a", "c,transfer,0,2,12000,,,,b")
    file.write_text("task,kind,rank,peer,bytes,collective,round,step,after\n" + "\n".join([*rows, ""]))
    run = package.run(STAR, set={"traffic.0.work": {"file": str(file)}})
    (row,) = work.collectives(run).rows(named=True)
    assert [row[name] for name in ("collective", "round", "ranks", "transfers", "steps")] == ["sum", 3, 2, 2, 2]
    assert row["time_s"] == pytest.approx(2 * PACKETS.transfer_s(12_000), rel=1e-3)
    assert work.transfers(run)["collective"].to_list() == ["sum", "sum", ""]


def test_a_run_that_stands_still_says_so_on_the_terminal(tmp_path: Path) -> None:
    scenario = tmp_path / "cut.toml"
    scenario.write_text(STAR + '[[event]]\nat = "20 ms"\nlink = "n3-hub"\nstate = "down"\n')
    done = photocol("run", scenario, "--set", "run.duration=1 s", "--quiet")
    assert done.returncode == 0
    assert "run 0, sum: 36 of 112 tasks were not done; transfer " in done.stderr
    assert "to 3 waits for its last byte" in done.stderr
    scenario.write_text(STAR)
    assert photocol("run", scenario, "--quiet").stderr == ""


@pytest.mark.parametrize("algorithm", ["ring", "halving-doubling", "recursive-doubling", "direct"])
def test_an_all_reduce_on_a_star_takes_what_its_closed_form_says(algorithm: str) -> None:
    run = package.run(STAR, set={"traffic.0.work.algorithm": algorithm})
    expected = PACKETS.all_reduce_s(algorithm, RANKS, 96_000)
    # ACKs lie between the packets: 0.1 ‰ of their time.
    assert float(run.summary["work_time"]) == pytest.approx(expected, rel=1e-3)
    (row,) = work.work_by_traffic(run).rows(named=True)
    assert row["work_time_s"] == pytest.approx(float(run.summary["work_time"]), rel=1e-12)
    steps = {"ring": 14, "halving-doubling": 6, "recursive-doubling": 3, "direct": 2}[algorithm]
    assert (row["path_tasks"], row["path_computes"]) == (steps, 0.0)


def test_closed_forms_are_those_of_arithmetic() -> None:
    # Blocks of 12,000 B are ten packets of 0.1 ms; each has one more packet and two delays.
    assert PACKETS.transfer_s(12_000) == pytest.approx(0.001 + 0.0001 + 0.002)
    assert PACKETS.all_reduce_s("ring", 8, 96_000) == pytest.approx(14 * 0.0031)
    assert PACKETS.all_reduce_s("direct", 8, 96_000) == pytest.approx(2 * (0.007 + 0.0021))
    assert PACKETS.all_reduce_s("halving-doubling", 8, 96_000) == pytest.approx(2 * (0.0061 + 0.0041 + 0.0031))
    assert PACKETS.all_reduce_s("recursive-doubling", 8, 96_000) == pytest.approx(3 * 0.0101)
    # A packet of a byte is a header and it.
    assert PACKETS.lasts_s(1201) == pytest.approx((1250 + 51) * 8e-8)
    for algorithm, ranks, why in (("tree", 8, "has no closed form"), ("halving-doubling", 6, "a power of two")):
        with pytest.raises(InputError, match=why):
            PACKETS.all_reduce_s(algorithm, ranks, 1000)


def test_bus_bandwidth_is_what_a_link_carries() -> None:
    # 1 GB in 0.2 s are 40 Gb/s; with four ranks a link carries 3/2 and 3/4 of that.
    assert work.algorithm_bandwidth(1e9, 0.2) == pytest.approx(40e9)
    expected = {"all-reduce": 60e9, "all-gather": 30e9, "reduce-scatter": 30e9, "all-to-all": 30e9}
    expected |= {"broadcast": 40e9, "reduce": 40e9}
    assert {name: work.bus_bandwidth(name, 4, 1e9, 0.2) for name in expected} == pytest.approx(expected)
    for wrong in (("barrier", 4, 1.0, 1.0), ("all-reduce", 1, 1.0, 1.0), ("all-reduce", 4, 1.0, 0.0)):
        with pytest.raises(InputError):
            work.bus_bandwidth(*wrong)


def drawn(result: Result) -> tuple[Any, list[PolyCollection]]:
    axes = Drawing().add_subplot()
    plot.task_chart(axes, plot.rank_tasks(result))
    return axes, [one for one in axes.collections if isinstance(one, PolyCollection)]


def extents(bars: PolyCollection) -> list[tuple[float, float]]:
    """From when to when each bar is."""
    return [(float(path.vertices[:, 0].min()), float(path.vertices[:, 0].max())) for path in bars.get_paths()]


def test_the_chart_has_a_bar_a_task_and_a_row_a_rank() -> None:
    axes, (transfers, computes, waits) = drawn(of_tasks(*BY_HAND))
    assert extents(transfers) == [(2.0, 4.0), (3.0, 7.0)]
    assert sorted(extents(computes)) == [(0.0, 2.0), (0.0, 3.0), (4.0, 5.0), (7.5, 9.0)]
    assert extents(waits) == [(7.0, 7.5)]
    # The step of a transfer is its colour, here its number.
    assert transfers.get_array().tolist() == [2.0, 3.0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["0", "1"]
    assert (axes.get_xlim(), axes.get_xlabel()) == ((0.0, 9.0), "simulated time (s)")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["computes", "ready, and waits"]


def test_bars_of_one_time_are_side_by_side() -> None:
    _, (bars,) = drawn(of_tasks(*(("transfer", 0, to, 0.0, 0.0, 1.0) for to in (1, 2, 3)), flows=3))
    spans = sorted((path.vertices[:, 1].min(), path.vertices[:, 1].max()) for path in bars.get_paths())
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    assert -0.5 < spans[0][0] < spans[-1][1] < 0.5


def test_what_was_not_done_is_open_to_the_end() -> None:
    rows = (("transfer", 1, 0, 0.0, 0.0, 4.0), ("transfer", 0, 1, 1.0, 1.0, None), ("transfer", 0, 1, 2.0, 2.0, None))
    _, (_, undone, waits) = drawn(of_tasks(*rows, flows=2))
    assert (extents(undone), extents(waits)) == ([(1.0, 4.0)], [(2.0, 4.0)])


def test_very_many_tasks_are_a_raster_of_what_began_last() -> None:
    count = MOST_BARS + 1
    rows = [("transfer", 0, 1, float(at), float(at), at + 1.0) for at in range(count - 1)]
    axes, _ = drawn(of_tasks(*rows, ("compute", 1, 1, 0.0, 0.0, float(count - 1)), flows=count))
    steps, others = (image.get_array() for image in axes.get_images())
    assert steps.shape[0] == 2
    # Task and second are the same number: a cell has that of its middle, or of one less than a cell's width beside.
    width = (count - 1) / steps.shape[1]
    wrong = [at for at, step in enumerate(steps[0]) if abs(step - (at + 0.5) * width) > width]
    assert wrong == []
    assert (others[1] == 0).all()
    assert steps.mask[1].all()


def test_they_are_on_the_page_and_among_the_pictures(tmp_path: Path) -> None:
    cut = '[[event]]\nat = "20 ms"\nlink = "n3-hub"\nstate = "down"\n'
    run = package.run(STAR + cut, set={"run.duration": "1 s"})
    saved = run.save(tmp_path / "run")
    done = photocol("plot", saved, "--only", "tasks", "--out", tmp_path / "pictures")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'pictures' / 'tasks.png'}\n"), done.stderr
    tables = {one["id"]: one for one in page_of(saved)["tables"]}
    assert {"table-work", "table-undone-tasks"} <= set(tables)
    # As crates/sim/tests/work.rs counts them.
    (row,) = work.work_by_traffic(Result.load(saved)).rows(named=True)
    assert (row["tasks"], row["undone"]) == (112, 36)
    first = work.undone_tasks(run)
    assert first.height == 10
    # Nothing more comes to n3, and rank 4 waits for what n3 would have made of it.
    assert first.row(0, named=True)["to"] == 3
    assert first.filter(pl.col("state") == "waits")["waits_for"].null_count() == 0


def test_a_run_without_work_has_none() -> None:
    run = package.run("dumbbell", set={"run.duration": "1 s", "run.warm_up": "0 s"})
    assert work.tasks(run).is_empty()
    assert work.work_by_traffic(run).is_empty()
    assert work.undone_tasks(run).is_empty()
    with pytest.raises(ValueError, match=r"collectives\.md"):
        run.plot.tasks()


def test_what_the_guide_says_of_its_run_is_so() -> None:
    page = (ROOT / "docs" / "guide" / "collectives.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    shown: dict[str, Any] = {}
    exec(code, shown)
    assert f"slowdown is {shown['slowdown']:.3f}, and busbw is {shown['busbw_bps'] / 1e9:.0f} Gb/s" in page
    assert f"it is {float(shown['over_bound']):.2f}.\n" in page
    # An ACK and a pull of 64 B for each packet of 1500 B.
    assert shown["slowdown"] == pytest.approx((1500 + 128) / 1500, rel=2e-3)
    one = {"traffic.0.work.rounds": 1, "traffic.0.work.compute": "50 us"}
    times = [
        package.run(ROOT / "scenarios" / "all-reduce.toml", set=one | more).summary["work_time"] for more in WINDOWS
    ]
    assert f"the ring takes\n{1e3 * times[1]:.2f} ms in place of {1e3 * times[0]:.2f}" in page
