"""What senders of QUIC did as qlog: a file for each flow, JSON text sequences (RFC 7464).

Schemas: draft-ietf-quic-qlog-main-schema and draft-ietf-quic-qlog-quic-events. Times are milliseconds since the start
of the run. A simulated packet has no frames and no encryption, so `packet_sent` says its number and its length.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.runs import storage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from photocol.runs.results import Result

NO_RECOVERY = "nothing of QUIC was recorded; it is with [probe] recovery = true"
_SEPARATOR, _END = "\x1e", "\n"
_PS_PER_MS = 1_000_000_000
_PS_PER_S = 1_000_000_000_000
_SPACE = "application_data"
_TYPE = "1RTT"
_MILLISECONDS = {
    "min_rtt_s": "min_rtt",
    "smoothed_rtt_s": "smoothed_rtt",
    "latest_rtt_s": "latest_rtt",
    "rtt_variance_s": "rtt_variance",
}
_WHOLE = {
    "pto_count": "pto_count",
    "congestion_window": "congestion_window",
    "bytes_in_flight": "bytes_in_flight",
    "ssthresh": "ssthresh",
    "pacing_rate_bps": "pacing_rate",
}
_TIMERS = {"loss": "ack", "pto": "pto"}
"""By the words of the table: qlog calls the timer of RFC 9002 §6.1.2 "ack"."""

Row = dict[str, Any]


def export(result: Result, folder: Path) -> list[Path]:
    """Write `flow-N.sqlog` for each flow of the first replication that sent by QUIC, and return the files.

    Raises InputError if the run was not recorded, or no flow is QUIC's.
    """
    packets, metrics = (result.probes.get(name) for name in ("recovery_packets", "recovery_metrics"))
    if packets is None or metrics is None or metrics.is_empty():
        raise InputError(NO_RECOVERY)
    folder.mkdir(parents=True, exist_ok=True)
    first = pl.col("run") == metrics["run"].min()
    by_flow = packets.filter(first).partition_by("flow", as_dict=True)
    files = []
    for (flow,), rows in metrics.filter(first).partition_by("flow", as_dict=True).items():
        sent = by_flow.get((flow,), packets.clear())
        file = folder / f"flow-{flow}.sqlog"
        records = [_header(f"flow {flow}"), *_events(sent.to_dicts(), rows.to_dicts())]
        storage.replace(file, partial(_write, records))
        files.append(file)
    return files


def _write(records: list[Row], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as output:
        for one in records:
            output.write(_SEPARATOR + json.dumps(one, separators=(",", ":"), allow_nan=False) + _END)


def _header(title: str) -> Row:
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": title,
        "description": "simulated by photocol",
        "trace": {
            "common_fields": {
                "time_format": "relative_to_epoch",
                "reference_time": {"clock_type": "monotonic", "epoch": "unknown"},
            },
            "vantage_point": {"type": "client"},
            "event_schemas": ["urn:ietf:params:qlog:events:quic-13"],
        },
    }


def _events(packets: list[Row], metrics: list[Row]) -> Iterator[Row]:
    """Both tables in one order; packets that one ACK acknowledges are one event."""
    acked: list[Row] = []
    known: Row = {}
    for row in sorted([*packets, *metrics], key=lambda one: one["order"]):
        is_acked = row.get("event") == "packets_acked"
        if acked and not (is_acked and row["at_ps"] == acked[0]["at_ps"] and row["order"] == acked[-1]["order"] + 1):
            yield _acknowledged(acked)
            acked = []
        if is_acked:
            acked.append(row)
        elif "event" in row:
            yield _packet(row)
        else:
            yield from _changes(row, known)
            known = row
    if acked:
        yield _acknowledged(acked)


def _event(row: Row, name: str, data: Row) -> Row:
    return {"time": row["at_ps"] / _PS_PER_MS, "name": f"quic:{name}", "data": data}


def _acknowledged(rows: list[Row]) -> Row:
    numbers = [row["packet_number"] for row in rows]
    return _event(rows[0], "packets_acked", {"packet_number_space": _SPACE, "packet_numbers": numbers})


def _packet(row: Row) -> Row:
    header = {"packet_type": _TYPE, "packet_number": row["packet_number"]}
    if row["event"] == "packet_sent":
        return _event(row, "packet_sent", {"header": header, "raw": {"length": row["bytes"]}})
    return _event(row, "packet_lost", {"header": header, "trigger": row["reason"]})


def _changes(row: Row, known: Row) -> Iterator[Row]:
    changed = {name for name in row if row[name] != known.get(name) and not _is_missing(row[name])}
    data = {ours: row[name] * 1e3 for name, ours in _MILLISECONDS.items() if name in changed}
    data |= {ours: int(row[name]) for name, ours in _WHOLE.items() if name in changed}
    if data:
        yield _event(row, "recovery_metrics_updated", data)
    timer, before = row["timer"], known.get("timer", "")
    has_expired = bool(before) and round(known["timer_due_s"] * _PS_PER_S) <= row["at_ps"]
    if before and (has_expired or timer != before):
        yield _timer(row, before, {"event_type": "expired" if has_expired else "cancelled"})
    if timer and (has_expired or timer != before or "timer_due_s" in changed):
        due_ms = row["timer_due_s"] * 1e3 - row["at_ps"] / _PS_PER_MS
        yield _timer(row, timer, {"event_type": "set", "delta": max(due_ms, 0.0)})


def _timer(row: Row, timer: str, data: Row) -> Row:
    return _event(row, "timer_updated", {"timer_type": _TIMERS[timer], "packet_number_space": _SPACE, **data})


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
