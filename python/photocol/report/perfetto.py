"""A trace as Perfetto reads it: tracks for ports, wavelengths and flows; slices, counters, arrows along packets.

The messages are those of the published protobuf definitions, by the package `perfetto`. It counts whole nanoseconds:
times are rounded down to them, and what lasts less than one is an instant.
"""

from __future__ import annotations

import importlib
import itertools
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

_SEQUENCE = 1
_ROOTS = ("links", "flows", "nodes")
_PS_PER_NS = 1000
_AT_ONCE = 50_000
"""Packets of a file that are made before they are written."""

Row = dict[str, Any]


def export(events: pl.DataFrame, file: Path) -> None:
    """Write the trace of a run to `file`. Raises InputError without the package `perfetto`."""
    protos = _protos()
    maker = _Maker(protos)
    storage.replace(file, lambda new: _write(protos, maker, events, new))


def _write(protos: Any, maker: _Maker, events: pl.DataFrame, file: Path) -> None:
    with file.open("wb") as output:
        trace = protos.Trace()
        for packet in itertools.chain(maker.packets(events)):
            trace.packet.append(packet)
            if len(trace.packet) >= _AT_ONCE:
                output.write(trace.SerializeToString())
                trace = protos.Trace()
        output.write(trace.SerializeToString())


def _protos() -> Any:
    try:
        return importlib.import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    except ImportError as error:
        raise InputError("this needs the package perfetto: pip install 'photocol[perfetto]'") from error


class _Maker:
    """Makes packets: a track when it is first used, then what happens on it, in the order of time."""

    def __init__(self, protos: Any) -> None:
        self._protos = protos
        self._tracks: dict[tuple[str, ...], int] = {}
        self._arrows: dict[tuple[int, str, int], int] = {}
        self._ids = itertools.count(1)
        self._waiting: dict[str, int] = {}

    def packets(self, events: pl.DataFrame) -> Iterator[Any]:
        """All packets of a file."""
        for name in _ROOTS:
            yield from self._track((name,))
        moments = (moment for row in events.iter_rows(named=True) for moment in self._moments(row))
        # Ends come before beginnings of the same nanosecond, so that slices do not overlap.
        for _, _, path, kind, said in sorted(moments, key=lambda moment: moment[:2]):
            yield from self._track(path)
            yield self._packet(path, kind, said)

    def _moments(self, row: Row) -> Iterator[tuple[int, int, tuple[str, ...], str, Mapping[str, Any]]]:
        """What an event becomes: (nanosecond, order within it, track, kind, what is said)."""
        at, place, name = row["t_ps"] // _PS_PER_NS, row["place"], row["event"]
        begins = (row["t_ps"] + row["wait_ps"]) // _PS_PER_NS
        ends = (row["t_ps"] + row["wait_ps"] + row["lasts_ps"]) // _PS_PER_NS
        if name in ("pass", "reserve", "slot"):
            lane = {"pass": "packets", "slot": "slots", "reserve": f"wavelength {row['channel']}"}[name]
            path: tuple[str, ...] = ("links", place, lane)
            kind = "begin" if ends > begins else "instant"
            yield begins, 1, path, kind, {"ns": begins, "name": _label(row), "arrow": self._arrow(row), "row": row}
            if ends > begins:
                yield ends, 0, path, "end", {"ns": ends}
            if name == "pass" and row["wait_ps"]:
                yield from self._queue(row, at, begins)
        elif row["flow"] is not None and name in ("send", "resend", "ack", "sack"):
            path = ("flows", f"flow {row['flow']}")
            yield at, 1, path, "instant", {"ns": at, "name": name, "arrow": self._arrow(row), "row": row}
            if name == "ack":
                yield at, 1, (*path, "cwnd"), "counter", {"ns": at, "value": row["value"]}
        else:
            path = ("nodes" if name in ("land", "rate") else "links", place, "lost" if row["cause"] else name)
            yield at, 1, path, "instant", {"ns": at, "name": _label(row), "arrow": self._arrow(row), "row": row}

    def _queue(
        self, row: Row, at: int, begins: int
    ) -> Iterator[tuple[int, int, tuple[str, ...], str, Mapping[str, Any]]]:
        path = ("links", row["place"], "queue")
        yield at, 1, path, "counter", {"ns": at, "step": 1}
        yield begins, 0, path, "counter", {"ns": begins, "step": -1}

    def _arrow(self, row: Row) -> int | None:
        """The number of the arrow that follows a packet from its sender; a segment sent again has one of its own."""
        if row["flow"] is None or row["class"] not in ("data", "datagram", "ack"):
            return None
        key = (row["flow"], row["class"], row["unit"])
        if row["event"] in ("send", "resend") or key not in self._arrows:
            self._arrows[key] = len(self._arrows) + 1 if row["event"] != "resend" else next(self._ids) + 2**32
        return self._arrows[key]

    def _track(self, path: tuple[str, ...]) -> Iterator[Any]:
        """The description of a track that is not known yet, and of those above it."""
        if path in self._tracks:
            return
        if len(path) > 1:
            yield from self._track(path[:-1])
        self._tracks[path] = len(self._tracks) + 1
        packet = self._protos.TracePacket(trusted_packet_sequence_id=_SEQUENCE)
        descriptor = packet.track_descriptor
        descriptor.uuid, descriptor.name = self._tracks[path], path[-1]
        if len(path) > 1:
            descriptor.parent_uuid = self._tracks[path[:-1]]
        if path[-1] in ("cwnd", "queue") and len(path) == 3:
            descriptor.counter.unit_name = {"cwnd": "B", "queue": "packets"}[path[-1]]
        yield packet

    def _packet(self, path: tuple[str, ...], kind: str, said: Mapping[str, Any]) -> Any:
        types = self._protos.TrackEvent
        packet = self._protos.TracePacket(trusted_packet_sequence_id=_SEQUENCE, timestamp=said["ns"])
        event = packet.track_event
        event.track_uuid = self._tracks[path]
        if kind == "counter":
            event.type = types.TYPE_COUNTER
            event.counter_value = self._level(path, said)
            return packet
        event.type = {"begin": types.TYPE_SLICE_BEGIN, "end": types.TYPE_SLICE_END, "instant": types.TYPE_INSTANT}[kind]
        if kind != "end":
            event.name = said["name"]
            if said["arrow"] is not None:
                event.flow_ids.append(said["arrow"])
            _annotate(event, said["row"])
        return packet

    def _level(self, path: tuple[str, ...], said: Mapping[str, Any]) -> int:
        if "value" in said:
            return int(said["value"])
        self._waiting[path[1]] = self._waiting.get(path[1], 0) + int(said["step"])
        return self._waiting[path[1]]


def _label(row: Row) -> str:
    """The name of a slice: what it is, of which flow, and why it was lost."""
    what = row["event"] if row["event"] in ("slot", "rate") else row["class"]
    whose = "" if row["flow"] is None else f" flow {row['flow']}"
    why = "" if row["cause"] is None else f": {row['event']}, {row['cause']}"
    return f"{what}{whose}{why}"


def _annotate(event: Any, row: Row) -> None:
    for name in ("unit", "bytes", "value"):
        if row[name] is not None:
            note = event.debug_annotations.add()
            note.name, note.uint_value = name, row[name]
