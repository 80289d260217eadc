"""A trace replayed gives the counters of the run; it is bounded, and does not know how many threads worked."""

import json
import struct
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from command import photocol as command

import photocol
from photocol import InputError, Result
from photocol.runs.trace import parse_filter

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*start after the end"),
    pytest.mark.filterwarnings("ignore:an event at"),
]
ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios"
SETTINGS = {"trace.enabled": True, "trace.limit": 20_000_000, "run.warm_up": "0 s"}
SHORT = {
    "dumbbell": "1 s",
    "aapn": "0.6 s",
    "obs": "0.1 s",
    "macroflows": "0.3 s",
    "dlcc": "1 s",
    "random-loss": "1 s",
    "capacity-change": "10.5 s",
    "slotted-packets": "0.05 s",
    "low-latency": "1 s",
}


def run(name: str, **options: object) -> Result:
    settings = {**SETTINGS, "run.duration": SHORT[name], **dict(options.pop("set", {}))}  # type: ignore[call-overload]
    return photocol.run(SCENARIOS / f"{name}.toml", set=settings, **options)  # type: ignore[arg-type]


def events(result: Result) -> pl.DataFrame:
    assert result.trace is not None
    assert result.manifest["trace"] == {"events": result.trace.height, "left_out": 0}
    return result.trace.with_columns(pl.col("event", "place", "class", "cause").cast(pl.String))


def counted(trace: pl.DataFrame, *names: str) -> pl.DataFrame:
    """How many events of these names there are, by place and class."""
    chosen = trace.filter(pl.col("event").is_in(list(names)))
    return chosen.group_by("place", "class").agg(units=pl.len(), bits=pl.col("bytes").sum() * 8)


@pytest.mark.parametrize("name", SHORT)
def test_drops_replayed_are_the_table_of_drops(name: str) -> None:
    result = run(name)
    trace = events(result)
    ended = trace.filter(pl.col("event").is_in(["drop", "vanish"]))
    replayed = ended.group_by("place", "class", "cause").agg(units=pl.len(), bits=pl.col("bytes").sum() * 8)
    recorded = result.drops.select(place="where", **{one: pl.col(one) for one in ("class", "cause", "units", "bits")})
    key = ["place", "class", "cause"]
    assert replayed.sort(key).cast(recorded.schema).rows() == recorded.sort(key).rows()


@pytest.mark.parametrize("name", SHORT)
def test_packets_of_links_replayed_are_the_table_of_links(name: str) -> None:
    """What a port sends or refuses was offered to it; behind a gate packets come before they are sent."""
    result = run(name)
    trace = events(result)
    unit = "burst"
    for row in result.links.iter_rows(named=True):
        here = trace.filter(pl.col("place") == row["link"])
        here = here.filter(pl.col("class") == unit if row["class"] == unit else pl.col("class") != unit)
        is_gated = here.filter(pl.col("event") == "wait").height > 0
        # Packets in bursts that are lost at a link were not offered to its port.
        passed = here.filter(pl.col("class").is_in(["control", unit])) if name == "obs" else here
        came = ("reserve", "drop") if row["class"] == unit else ("wait" if is_gated else "pass", "drop")
        lost = ("drop",) if row["class"] == unit else ("drop", "vanish")
        if name == "dlcc":
            # Artificial ACKs and duplicates end at a link whose port never had them.
            lost = ("drop",)
        offered = passed.filter(pl.col("event").is_in(came))
        assert offered.height == row["offered_units"], row["link"]
        assert offered["bytes"].sum() * 8 == row["offered_bits"], row["link"]
        assert passed.filter(pl.col("event").is_in(lost)).height == row["dropped_units"], row["link"]


@pytest.mark.parametrize("name", ["dumbbell", "aapn", "obs", "random-loss"])
def test_flows_replayed_are_the_table_of_flows(name: str) -> None:
    result = run(name)
    trace = events(result)
    by_flow = trace.group_by("flow").agg(
        sent=pl.col("event").is_in(["send", "resend"]).sum(),
        again=(pl.col("event") == "resend").sum(),
        acked=pl.col("unit").filter(pl.col("event") == "ack").max().fill_null(0),
    )
    replayed = {row["flow"]: row for row in by_flow.iter_rows(named=True)}
    none = {"sent": 0, "again": 0, "acked": 0}
    for row in result.flows.iter_rows(named=True):
        found = replayed.get(row["flow"], none)
        assert (found["sent"], found["again"]) == (row["segments_sent"], row["retransmissions"])
        assert found["acked"] == row["bytes_acked"]


def test_a_trace_changes_nothing() -> None:
    without = run("aapn", set={"trace.enabled": False})
    traced = run("aapn")
    assert without.trace is None
    assert without.fingerprints == traced.fingerprints


@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.filterwarnings("ignore:.*threads worked")
def test_threads_give_the_same_trace(threads: int) -> None:
    for name in ("dumbbell", "obs"):
        for limit in (5000, 20_000_000):
            one = run(name, set={"trace.limit": limit})
            more = run(name, set={"trace.limit": limit}, threads=threads)
            assert one.trace is not None
            assert more.trace is not None
            assert one.trace.equals(more.trace)
            assert one.manifest["trace"] == more.manifest["trace"]


def test_a_change_of_a_link_amends_what_was_foreseen(tmp_path: Path) -> None:
    """A packet of 10 kbit every 250 us, from 0 on, at 10 Mb/s: 1 ms each. At 1.5 ms the rate becomes 100 Mb/s.

    What is left of the second, 0.5 ms, becomes 50 us, and the two behind it take 100 us each. At 1.6 ms the delay of
    50 us becomes 80: the third arrives 80 us after it has left at 1.65 ms; the second left before.
    """
    changes = [{"at": "1500 us", "capacity": "100 Mbps"}, {"at": "1600 us", "delay": "80 us"}]
    file, scenario = tmp_path / "link.pcapng", four_packets(*changes)
    captured = photocol.Capture(file, links=["left->right"])
    passed = events(photocol.run(scenario, pcap=captured)).filter(pl.col("event") == "pass")
    begins = pl.col("t_ps") + pl.col("wait_ps")
    ends = begins + pl.col("lasts_ps")
    microseconds = [column.cast(pl.Float64) / 1e6 for column in (begins, ends, ends + pl.col("flight_ps"))]
    expected = [[0, 1000, 1050], [1000, 1550, 1600], [1550, 1650, 1730], [1650, 1750, 1830]]
    found = passed.select(begins=microseconds[0], ends=microseconds[1], arrives=microseconds[2])
    assert found.to_numpy() == pytest.approx(np.array(expected), abs=0.01)
    times = packet_times(file)
    assert times == pytest.approx([row[0] for row in expected], abs=0.01)


def test_what_a_cut_takes_back_does_not_leave_in_a_capture(tmp_path: Path) -> None:
    """At 1.5 ms the second packet of 1 ms each is in transmission and two wait: all three are dropped then."""
    file = tmp_path / "link.pcapng"
    photocol.run(four_packets({"at": "1500 us", "state": "down"}), pcap=photocol.Capture(file, links=["left->right"]))
    assert packet_times(file) == pytest.approx([0, 1000, 1500, 1500, 1500], abs=0.01)


def four_packets(*changes: dict[str, str]) -> dict[str, object]:
    """A packet of 10 kbit every 250 us, from 0 on, to a link of 10 Mb/s and 50 us, which changes so."""
    topology = {"kind": "dumbbell", "pairs": 1, "bottleneck_capacity": "10 Mbps", "bottleneck_delay": "50 us"}
    topology |= {"bottleneck_buffer": "100 packets", "access_capacity": "1000 Tbps", "access_delay": "1 ns"}
    return {
        "run": {"duration": "5 ms", "warm_up": "0 s"},
        "topology": topology,
        "transport": {"u": {"algorithm": "udp", "packet_size": "1250 B"}},
        "traffic": [{"transport": "u", "rate": "40 Mbps", "stop": "1 ms"}],
        "event": [{"link": "left->right", **change} for change in changes],
        "trace": {"links": ["left->right"]},
    }


def packet_times(file: Path) -> list[float]:
    """The times of the packets of a capture, in microseconds: of each enhanced packet block, words 4 and 5."""
    words, found, place = file.read_bytes(), [], 0
    while place < len(words):
        kind, length, _, high, low = struct.unpack_from("<5I", words, place)
        if kind == 6:
            found.append((high << 32 | low) / 1e3)
        place += length
    return found


def test_a_full_trace_is_the_beginning_of_the_whole_one_and_says_what_is_missing() -> None:
    whole, part = run("dumbbell"), run("dumbbell", set={"trace.limit": 1000})
    assert whole.trace is not None
    assert part.trace is not None
    assert part.trace.equals(whole.trace.head(1000))
    said = part.manifest["trace"]
    assert said["left_out"] == whole.trace.height - 1000
    assert said["whole_until_s"] == part.trace["t_ps"][-1] / 1e12


def test_a_filter_chooses_flows_links_and_times() -> None:
    whole = events(run("dumbbell"))
    chosen = {"trace.flows": "[1]", "trace.links": '["left->right"]', "trace.from": "0.2 s", "trace.until": "0.5 s"}
    found = events(run("dumbbell", set=chosen))
    at_hosts = ["send", "resend", "ack", "sack"]
    expected = whole.filter(
        pl.col("flow") == 1,
        (pl.col("place") == "left->right") | pl.col("event").is_in(at_hosts),
        pl.col("t_ps").is_between(2 * 10**11, 5 * 10**11, closed="left"),
    )
    assert expected.height > 0
    assert found.equals(expected)


def test_the_command_writes_the_table(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = [
        "run",
        str(SCENARIOS / "dumbbell.toml"),
        "--set",
        "run.duration=0.5 s",
        "--set",
        "run.warm_up=0 s",
        "--out",
        str(out),
    ]
    done = command(*words, "--trace=flows=0-1;limit=500")
    assert done.returncode == 0, done.stderr
    assert "trace: 500 events, whole up to" in done.stdout
    assert "later ones are left out" in done.stdout
    table = pl.read_parquet(out / "trace.parquet")
    assert table.height == 500
    assert json.loads((out / "manifest.json").read_text())["trace"]["events"] == 500
    assert Result.load(out).trace is not None


def test_an_event_takes_at_most_24_bytes(tmp_path: Path) -> None:
    for name in ("dumbbell", "aapn", "obs", "dlcc"):
        result = run(name, out=tmp_path / name)
        assert result.trace is not None
        assert (tmp_path / name / "trace.parquet").stat().st_size <= 24 * result.trace.height


def test_other_readers_of_parquet_read_the_same(tmp_path: Path) -> None:
    """DuckDB shares no code with polars: every value and every missing one, over several row groups."""
    duckdb = pytest.importorskip("duckdb")
    result = run("dumbbell", out=tmp_path / "run", set={"run.duration": "2 s"})
    assert result.trace is not None
    assert result.trace.height > 3 * 2**15
    file = tmp_path / "run" / "trace.parquet"
    rows = duckdb.sql(f"select * from '{file}'").fetchall()
    assert rows == result.trace.rows()


def test_pyarrow_reads_every_table(tmp_path: Path) -> None:
    """Also columns without any value: no packet of the dumbbell has a wavelength, and none is refused."""
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("dumbbell", "obs"):
        run(name, out=tmp_path / name)
        for file in sorted((tmp_path / name).glob("*.parquet")):
            table, same = parquet.read_table(file), pl.read_parquet(file)
            assert {column: table[column].to_pylist() for column in table.column_names} == same.to_dict(as_series=False)


@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_fastparquet_reads_every_table_but_packed_differences(tmp_path: Path) -> None:
    """It misreads wide differences (DELTA_BINARY_PACKED), in files of pyarrow too, so these columns are left out."""
    fastparquet, parquet = pytest.importorskip("fastparquet"), pytest.importorskip("pyarrow.parquet")
    for name in ("dumbbell", "obs"):
        run(name, out=tmp_path / name)
        for file in sorted((tmp_path / name).glob("*.parquet")):
            metadata = parquet.ParquetFile(file).metadata
            if metadata.num_row_groups == 0:
                continue
            group = metadata.row_group(0)
            chunks = [group.column(number) for number in range(group.num_columns)]
            packed = {one.path_in_schema for one in chunks if "DELTA_BINARY_PACKED" in one.encodings}
            columns = [one.path_in_schema for one in chunks if one.path_in_schema not in packed]
            frame = fastparquet.ParquetFile(file).to_pandas(columns=columns)
            for column, values in pl.read_parquet(file).select(columns).to_dict(as_series=False).items():
                assert [None if value is None else str(value) for value in values] == [
                    None if missing else str(value)
                    for value, missing in zip(frame[column], frame[column].isna(), strict=True)
                ]


def test_a_table_read_again_is_the_table(tmp_path: Path) -> None:
    for name in ("obs", "aapn"):
        result = run(name, out=tmp_path / name)
        again = Result.load(tmp_path / name).trace
        assert result.trace is not None
        assert again is not None
        assert again.equals(result.trace)
        assert again.schema == result.trace.schema
        Result.load(tmp_path / name).save(tmp_path / f"{name} again")
        assert result.trace.equals(pl.read_parquet(tmp_path / f"{name} again" / "trace.parquet"))


def test_bursts_by_source_and_path_add_up_to_the_summary() -> None:
    result = run("obs")
    table, summary = result.bursts, result.summary
    assert table["landed"].sum() == summary["bursts_delivered"]
    assert table["lost"].sum() == summary["bursts_lost"] > 0
    assert table["path"].n_unique() == table.height
    for row in table.iter_rows(named=True):
        links = row["path"].split(" ")
        assert links[0].startswith(f"{row['source']}->")
        assert row["destination"] is None or links[-1].endswith(f"->{row['destination']}")
    causes = [one.rpartition(" ") for row in table["causes"].to_list() if row for one in row.split(", ")]
    drops = result.drops.filter(pl.col("class") == "burst")
    assert sum(int(count.replace(",", "")) for _, _, count in causes) == drops["units"].sum()


def test_without_a_trace_of_bursts_their_table_says_what_is_missing() -> None:
    for result in (run("dumbbell"), run("obs", set={"trace.enabled": False})):
        with pytest.raises(InputError, match="bursts are counted from a trace"):
            _ = result.bursts


@pytest.mark.parametrize("text", ["colour=red", "flows", "flows=", "flows=a", "flows=5-1"])
def test_a_filter_that_says_nothing_known_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--trace"):
        parse_filter(text)


def test_a_filter_is_settings() -> None:
    assert parse_filter("") == [("trace.enabled", "true")]
    assert parse_filter("flows=0,3-5; links=a->b,c-d;from=1 s")[1:] == [
        ("trace.flows", "[0, 3, 4, 5]"),
        ("trace.links", '["a->b", "c-d"]'),
        ("trace.from", "1 s"),
    ]


def test_a_packet_that_a_slot_has_cut_ends_in_a_later_slot_of_its_queue() -> None:
    """Its first part has left before the rest has its time, so `value` says for how long; the rest ends in a slot."""
    trace = events(run("aapn"))
    cut = trace.filter(pl.col("event") == "pass", pl.col("value") > 0)
    ends = pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")
    cut = cut.select("place", "t_ps", "wait_ps", ends=ends).sort("ends")
    assert cut.height > 10
    assert cut["wait_ps"].max() == 0
    granted = trace.filter(pl.col("event") == "slot").select(
        "place", begins=pl.col("t_ps") + pl.col("wait_ps"), over=ends
    )
    found = cut.join_asof(granted.sort("begins"), left_on="ends", right_on="begins", by="place", check_sortedness=False)
    assert (found["ends"] > found["begins"]).all()
    assert (found["ends"] <= found["over"]).all()
