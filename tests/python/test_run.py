"""`photocol.run`: what goes in, what comes out, and that the same comes out again."""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import pickle
import re
import subprocess
import sys
import tomllib
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from command import SMALL
from scipy import stats as oracle

import photocol
from photocol import Figure, InputError, Result, ScenarioError

if TYPE_CHECKING:
    from photocol.runs.runner import Status

FLOW_COLUMNS = [
    "run",
    "flow",
    "source",
    "destination",
    "transport",
    "traffic",
    "start_s",
    "end_s",
    "bytes_acked",
    "goodput_bps",
    "segments_sent",
    "retransmissions",
    "fast_retransmits",
    "false_fast_retransmits",
    "timeouts",
    "false_timeouts",
    "mean_rtt_s",
    "completed",
]
LINK_COLUMNS = [
    "run",
    "link",
    "from",
    "to",
    "wavelength",
    "class",
    "offered_bits",
    "carried_bits",
    "dropped_bits",
    "offered_units",
    "dropped_units",
    "utilization",
    "mean_queue",
    "max_queue",
]


@pytest.fixture(scope="module")
def small() -> Result:
    return photocol.run(SMALL)


def test_the_tables_have_the_columns_of_the_contract(small: Result) -> None:
    assert set(FLOW_COLUMNS) <= set(small.flows.columns)
    assert set(LINK_COLUMNS) <= set(small.links.columns)
    assert small.series.columns == ["run", "t_s", "entity", "quantity", "value"]
    assert small.drops.columns == ["run", "where", "class", "cause", "units", "bits"]
    assert small.flows["flow"].to_list() == [0, 1, 2, 3]
    assert small.flows["completed"].dtype == pl.Boolean


def test_the_summary_is_a_mapping_of_floats_with_units(small: Result) -> None:
    goodput = small.summary["goodput"]
    assert isinstance(goodput, float)
    assert (goodput.unit, goodput.value, goodput.half_width) == ("bps", float(goodput), None)
    assert 8e6 < goodput < 10e6
    with pytest.raises(KeyError, match="no 'godput'; did you mean 'goodput'"):
        small.summary["godput"]
    assert "godput" not in small.summary
    assert small.summary.to_dict()["goodput"] == {"value": goodput.value, "unit": "bps"}
    assert re.search(r"^goodput +\d\.\d\d Mb/s$", repr(small.summary), flags=re.MULTILINE)


def test_a_dict_a_text_and_a_file_are_the_same_run(small: Result, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    as_dict = tomllib.loads(SMALL)
    as_dict["topology"]["pairs"] = np.int64(2)
    fingerprints = [photocol.run(given).fingerprint for given in (file, str(file), as_dict)]
    assert fingerprints == [small.fingerprint] * 3


def test_the_seed_decides_and_is_recorded(small: Result) -> None:
    again, other = photocol.run(SMALL, seed=7), photocol.run(SMALL, seed=8)
    assert again.fingerprint == small.fingerprint != other.fingerprint
    assert (small.manifest["seed"], other.manifest["seed"]) == (7, 8)


def test_settings_replace_values(small: Result) -> None:
    faster = photocol.run(SMALL, set={"topology.bottleneck_capacity": "20 Mbps", "traffic.0.flows": 3})
    assert len(faster.flows) == 3
    assert faster.summary["goodput"] > 1.5 * small.summary["goodput"]


def test_a_flow_is_sampled_until_it_is_complete_and_a_link_to_the_end(small: Result) -> None:
    short = photocol.run(SMALL, set={"traffic.0.size": "100 kB"})
    assert short.flows["completed"].all()
    for number in (0, 1):
        end_s = short.flows["end_s"][number]
        times = short.series.filter(entity=f"flow {number}", quantity="cwnd")["t_s"].to_list()
        assert [t_s for t_s in times if t_s >= end_s] == times[-1:], "the first sample after the end is the last"
        assert 0 <= times[-1] - end_s < 0.1
    links = short.series.filter(quantity="queue")
    assert links["t_s"].to_list() == small.series.filter(quantity="queue")["t_s"].to_list()


def test_probes_and_progress_do_not_change_a_run(small: Result) -> None:
    told: list[Status] = []
    quiet = photocol.run(SMALL.split("[probe]")[0], progress=told.append)
    assert quiet.fingerprint == small.fingerprint
    assert quiet.series.is_empty()
    assert told[-1].now_s == told[-1].duration_s == 2.0
    assert told[-1].packet_hops == quiet.manifest["packet_hops"]


def test_shuffled_ties_are_another_run_that_can_be_repeated() -> None:
    first, again = (photocol.run(SMALL, shuffle_ties=3) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert "--shuffle-ties 3" in first.manifest["command"]


def test_replications_have_student_t_intervals() -> None:
    result = photocol.run(SMALL, runs=4)
    singles = [float(photocol.run(SMALL, runs=1).summary["goodput"])]
    goodput = result.summary["goodput"]
    per_run = result.flows.group_by("run").agg(pl.col("segments_sent").sum()).sort("run")["segments_sent"].to_numpy()
    low, high = oracle.t.interval(0.95, 3, loc=per_run.mean(), scale=oracle.sem(per_run))
    segments = result.summary["segments_sent"]
    assert (segments.value, segments.half_width) == pytest.approx((per_run.mean(), (high - low) / 2))
    assert (goodput.n, goodput.unit) == (4, "bps")
    assert abs(goodput - singles[0]) < 1e6
    assert result.flows["run"].unique().sort().to_list() == [0, 1, 2, 3]
    assert [line["run"] for line in result.manifest["runs"]] == [0, 1, 2, 3]
    assert len({line["fingerprint"] for line in result.manifest["runs"]}) == 4
    assert result.manifest["packet_hops"] == sum(line["packet_hops"] for line in result.manifest["runs"])


def test_a_result_is_saved_whole_and_read_back(small: Result, tmp_path: Path) -> None:
    folder = small.save(tmp_path / "run")
    names = {path.name for path in folder.iterdir()}
    tables = {f"{table}.parquet" for table in ("flows", "links", "series", "drops")}
    assert names == tables | {"manifest.json", "summary.json", "scenario.toml"}
    back = Result.load(folder)
    assert back.fingerprint == small.fingerprint
    assert back.flows.equals(small.flows)
    assert dict(back.summary) == dict(small.summary)
    assert back.summary["goodput"].unit == "bps"


def test_the_manifest_says_what_ran(small: Result) -> None:
    manifest = small.manifest
    wanted = {"scenario", "seed", "run", "version", "fingerprint", "wall_s", "cpu_s", "peak_memory_bytes", "events"}
    assert wanted | {"packet_hops", "command", "runs"} <= set(manifest)
    assert manifest["scenario_sha256"] == hashlib.sha256(manifest["scenario"].encode()).hexdigest()
    assert photocol.run(manifest["scenario"]).fingerprint == small.fingerprint
    assert 0 < manifest["cpu_s"] < 30
    assert json.loads(json.dumps(manifest)) == manifest


def test_what_was_not_measured_is_null(small: Result) -> None:
    late = photocol.run(SMALL, set={"traffic.0.start": "1.999999 s", "traffic.0.spread": "0 s"})
    assert late.flows["mean_rtt_s"].null_count() == 4
    assert late.flows.select(pl.col(pl.Float64).is_nan().any()).row(0).count(True) == 0


def test_a_figure_can_be_pickled() -> None:
    figure = pickle.loads(pickle.dumps(Figure(1.5, "s", 0.25, 5, "Student t, 95%")))
    assert (figure, figure.unit, figure.half_width, figure.n) == (1.5, "s", 0.25, 5)
    assert repr(figure) == "1.50 ± 0.25 s"


def test_wrong_scenarios_say_where() -> None:
    with pytest.raises(ScenarioError) as caught:
        photocol.run(SMALL.replace("bottleneck_delay", "botleneck_delay"))
    error = caught.value
    assert (error.line, error.key) == (11, "topology.botleneck_delay")
    assert "bottleneck_delay" in error.message
    with pytest.raises(ScenarioError, match="duration"):
        photocol.run({"run": {"duration": "-1 s"}})
    with pytest.raises(InputError, match="JSON"):
        photocol.run({"run": {"duration": math.nan}})
    with pytest.raises(InputError, match="a path, TOML text or a dict"):
        photocol.run(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"seed": -1}, {"seed": 2**64}, {"runs": 0}, {"runs": 1.5}, {"threads": 0}, {"shuffle_ties": -3}]
)
def test_wrong_arguments_are_named(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        photocol.run(SMALL, **wrong)  # type: ignore[arg-type]


def test_threads_change_nothing_but_the_manifest(small: Result) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = photocol.run(SMALL, threads=3)
    assert result.fingerprint == small.fingerprint
    assert result.flows.equals(small.flows)
    assert result.manifest["threads"] in (1, 2, 3)


def test_an_interrupted_run_keeps_the_finished_replications(tmp_path: Path) -> None:
    def stop(status: Status) -> None:
        if status.run == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        photocol.run(SMALL, runs=5, out=tmp_path / "run", progress=stop)
    kept = Result.load(tmp_path / "run")
    assert (len(kept.manifest["runs"]), kept.manifest["runs_requested"]) == (2, 5)
    assert kept.summary["goodput"].n == 2


def test_a_run_interrupted_at_once_leaves_nothing(tmp_path: Path) -> None:
    def stop(_status: Status) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        photocol.run(SMALL, out=tmp_path / "run", pcap=photocol.Capture(), progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_result_travels_between_processes() -> None:
    here = photocol.run(SMALL, runs=2)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(photocol.run, SMALL, runs=2).result(timeout=120)
    copied = pickle.loads(pickle.dumps(here))
    for other in (there, copied):
        assert other.fingerprint == here.fingerprint
        assert other.summary == here.summary
        assert {name: figure.unit for name, figure in other.summary.items()} == {
            name: figure.unit for name, figure in here.summary.items()
        }
        for table in ("flows", "links", "series", "drops"):
            assert getattr(other, table).equals(getattr(here, table), null_equal=True), table
        other.plot.link_utilization()


def test_what_the_guide_uses_is_there_after_the_import_of_the_package() -> None:
    program = (
        "import photocol; photocol.stats.mean_ci; photocol.experiment.Experiment; photocol.verdict.judge; "
        "assert {'stats', 'experiment', 'verdict'} <= set(dir(photocol))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_flows_say_which_traffic_they_are_of() -> None:
    text = SMALL.replace("[[traffic]]", '[[traffic]]\nname = "web"') + '[[traffic]]\ntransport = "reno"\nflows = 1\n'
    flows = photocol.run(text).flows
    assert dict(flows.group_by("traffic").agg(pl.len()).iter_rows()) == {"web": 4, "traffic-1": 1}


def test_the_nodes_that_the_page_about_bursts_names_are_there() -> None:
    root = Path(__file__).parents[2]
    explained = photocol.runs.scenario.load(root / "scenarios" / "obs.toml").explain()
    named = set()
    for page in ("scenarios/obs.toml", "docs/guide/obs.md"):
        said = re.findall(
            r'[Cc]ore nodes "(\w+)"[^"]+"(\w+)"[^"]+edge node[^"]+"(\w+)"[^"]+"(\w+)"', (root / page).read_text()
        )
        assert said, page
        named.update(*said)
    assert named == {"0", "13", "e0", "e13"}
    for name in named:
        assert f'name = "{name}"' in explained, name


def test_the_manifest_says_what_was_set_when_and_where() -> None:
    import platform
    from datetime import datetime

    manifest = photocol.run(SMALL, set={"traffic.0.flows": 3}).manifest
    assert manifest["set"] == {"traffic.0.flows": 3}
    assert datetime.fromisoformat(manifest["started"]).utcoffset() is not None
    assert manifest["host"]["name"] == platform.node()
    assert photocol.run(SMALL).manifest["set"] == {}


@pytest.mark.parametrize("days", [150, 200, 213])
def test_a_run_may_last_as_long_as_picoseconds_can_count(days: int) -> None:
    # 2^64 ps are 213.5 days.
    scenario = {
        "run": {"duration": f"{24 * days} h"},
        "topology": {"kind": "dumbbell", "bottleneck_capacity": "10 Mbps", "bottleneck_delay": "5 ms"},
        "traffic": [{"transport": "sack", "size": "1 MB", "start": "10 s"}],
    }
    assert photocol.run(scenario).summary["flows_completed"] == 1


def test_replications_of_which_some_have_a_count_are_one_table() -> None:
    """Traffic of datagrams counts what of them was dropped, also in a run without flows of it: 20 a second are none in
    some of 20 ms."""
    scenario = {
        "run": {"duration": "20 ms"},
        "topology": {"kind": "dumbbell", "pairs": 2},
        "link_defaults": {"capacity": "10 Mbps", "delay": "1 ms", "buffer": "10 packets"},
        "transport": {"media": {"algorithm": "quic-cubic", "frames": "datagram"}},
        "traffic": [
            {"transport": "media", "pairs": "random", "arrivals": "poisson", "flows_per_second": 20, "size": "greedy"},
            {"transport": "cubic", "flows": 1},
        ],
    }
    flows = photocol.run(scenario, runs=8).flows
    assert flows["bytes_dropped"].null_count() == 0
    assert 0 < flows.filter(flows["transport"] == "media")["run"].n_unique() < flows["run"].n_unique() == 8
