"""A trace exported for Perfetto, read back with the published protobuf classes."""

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from command import photocol as command
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

import photocol

pytestmark = pytest.mark.filterwarnings("ignore:.*start after the end")
ROOT = Path(__file__).resolve().parents[2]


def exported(name: str, duration: str, folder: Path) -> tuple[pl.DataFrame, list[Any]]:
    settings = {"run.duration": duration, "run.warm_up": "0 s", "trace.enabled": True}
    result = photocol.run(ROOT / "scenarios" / f"{name}.toml", set=settings, out=folder / "run")
    done = command("trace", folder / "run", "--perfetto", folder / "run.pftrace")
    assert done.returncode == 0, done.stderr
    trace = protos.Trace()
    trace.ParseFromString((folder / "run.pftrace").read_bytes())
    assert result.trace is not None
    return result.trace.with_columns(pl.col("event", "place", "class").cast(pl.String)), list(trace.packet)


def paths(packets: list[Any]) -> dict[int, tuple[str, ...]]:
    """The name of each track with those above it."""
    described = {p.track_descriptor.uuid: p.track_descriptor for p in packets if p.HasField("track_descriptor")}

    def path(uuid: int) -> tuple[str, ...]:
        one = described[uuid]
        return (*path(one.parent_uuid), one.name) if one.parent_uuid else (one.name,)

    return {uuid: path(uuid) for uuid in described}


@pytest.mark.parametrize(("name", "duration"), [("dumbbell", "1 s"), ("obs", "0.02 s"), ("aapn", "0.05 s")])
def test_every_event_is_on_its_track(name: str, duration: str, tmp_path: Path) -> None:
    events, packets = exported(name, duration, tmp_path)
    tracks = paths(packets)
    found = [p for p in packets if p.HasField("track_event")]
    assert [p.timestamp for p in found] == sorted(p.timestamp for p in found)
    begun = Counter(
        tracks[p.track_event.track_uuid] for p in found if p.track_event.type == p.track_event.TYPE_SLICE_BEGIN
    )
    expected: Counter[tuple[str, ...]] = Counter()
    for event, place, channel in events.select("event", "place", "channel").iter_rows():
        if event in ("pass", "slot", "reserve"):
            lane = {"pass": "packets", "slot": "slots", "reserve": f"wavelength {channel}"}[event]
            expected["links", place, lane] += 1
    assert begun == expected


def test_slices_do_not_overlap_and_queues_empty(tmp_path: Path) -> None:
    _, packets = exported("dumbbell", "1 s", tmp_path)
    depth: Counter[int] = Counter()
    level: dict[int, int] = {}
    for packet in packets:
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            depth[event.track_uuid] += 1
            assert depth[event.track_uuid] == 1
        elif event.type == event.TYPE_SLICE_END:
            depth[event.track_uuid] -= 1
            assert depth[event.track_uuid] == 0
        elif event.type == event.TYPE_COUNTER:
            assert event.counter_value >= 0
            level[event.track_uuid] = event.counter_value
    queues = [level[uuid] for uuid, path in paths(packets).items() if path[-1] == "queue"]
    assert queues
    assert set(queues) == {0}


def test_an_arrow_follows_a_packet_from_link_to_link(tmp_path: Path) -> None:
    _, packets = exported("dumbbell", "0.4 s", tmp_path)
    tracks = paths(packets)
    ways: dict[int, list[tuple[str, ...]]] = {}
    for packet in packets:
        for arrow in packet.track_event.flow_ids:
            ways.setdefault(arrow, []).append(tracks[packet.track_event.track_uuid])
    longest = max(ways.values(), key=len)
    assert [path[0] for path in longest[:2]] == ["flows", "links"]
    assert ("links", "left->right", "packets") in longest


def test_a_run_without_a_trace_says_how_to_get_one(tmp_path: Path) -> None:
    photocol.run(
        ROOT / "scenarios" / "dumbbell.toml", set={"run.duration": "0.1 s", "run.warm_up": "0 s"}, out=tmp_path / "run"
    )
    done = command("trace", tmp_path / "run", "--perfetto", tmp_path / "x")
    assert done.returncode == 2
    assert "--trace" in done.stderr
