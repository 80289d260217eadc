"""What is on the page of a run."""

from __future__ import annotations

import contextlib
import math
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.plot.completion import completions_by_size
from photocol.plot.flow_delays import flow_delays
from photocol.plot.over_time import over_time, queues
from photocol.report import columns
from photocol.report.levels import levels
from photocol.report.places import Degrees, places
from photocol.runs.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MOST_EVENTS = 1_000_000
MOST_FLOWS = 20_000
_FACTS = ("version", "seed", "fingerprint", "started", "events", "packet_hops", "wall_s", "cpu_s", "peak_memory_bytes")


def page(folder: Path) -> dict[str, Any]:
    """Everything, as JSON can hold it. Raises InputError for a damaged run."""
    result = Result.load(folder)
    manifest = result.manifest
    events = result.trace
    network = _network(result, manifest)
    held = None if events is None or not events.height else columns.trace(events, MOST_EVENTS)
    duration_s = _duration(result)
    if held is not None and events is not None:
        last_ps = events.select((pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")).max()).item()
        held["until_s"] = min(duration_s, (_until(manifest) or last_ps / 1e12) * 1.000001)
        held["levels"] = levels(events, math.ceil(held["until_s"] * 1e12))
    return {
        "kind": "run",
        "name": str(manifest.get("name") or folder.name),
        "subtitle": _subtitle(manifest),
        "note": _note(manifest, held),
        "duration_s": duration_s,
        "summary": _summary(result),
        "network": network,
        "trace": held,
        "series": columns.samples(pl.concat([result.series, over_time(result)], how="diagonal_relaxed")),
        "tables": _tables(result),
        "command": str(manifest.get("command", "")),
        "facts": [[key, manifest[key]] for key in _FACTS if manifest.get(key) is not None],
        "scenario": str(manifest.get("scenario", "")),
    }


def _duration(result: Result) -> float:
    figure = result.summary.get("duration")
    return float(figure) if figure is not None else 1.0


def _until(manifest: Mapping[str, Any]) -> float | None:
    said = manifest.get("trace", {})
    return said.get("whole_until_s") if isinstance(said, dict) else None


def _subtitle(manifest: Mapping[str, Any]) -> str:
    runs = len(manifest.get("runs", ()))
    several = f"{runs} replications; pictures show the first" if runs > 1 else "one run"
    return f"photocol {manifest.get('version', '')}, seed {manifest.get('seed', '')}, {several}"


def _note(manifest: Mapping[str, Any], held: Mapping[str, Any] | None) -> str | None:
    """What is missing, and how to get it."""
    from photocol.runs.trace import sentence

    if held is None:
        return (
            "This run has no trace, so there are no pictures of packets, bursts and slots. "
            "Run it again with --trace to get them; [probe] gives windows and queues over time."
        )
    if held["cut_s"] is not None:
        return (
            f"The page has the first {held['events']:,} events of the trace, up to {held['cut_s']:.6g} s; what is "
            "drawn beyond are shares of the time and losses (network; wavelengths, slots and lines)."
        )
    said = manifest.get("trace")
    return f"The {sentence(said)}." if isinstance(said, dict) and said.get("left_out") else None


def _summary(result: Result) -> list[dict[str, Any]]:
    return [{"name": name, **figure.to_dict()} for name, figure in result.summary.items()]


def _first(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("run") == 0) if "run" in frame.columns else frame


def _network(result: Result, manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    """Nodes with places, links with what they did in the first replication."""
    table = _first(result.links)
    rows = [row for row in table.iter_rows(named=True) if row["class"] != "control"]
    if not rows:
        return None
    said = _said_of_nodes(manifest)
    nodes = list(dict.fromkeys(name for row in rows for name in (row["from"], row["to"])))
    ends = [(row["from"], row["to"]) for row in rows]
    at = places(nodes, ends, _on_map(said, nodes))
    links = [
        {
            "name": row["link"],
            "from": row["from"],
            "to": row["to"],
            "utilization": row["utilization"] or 0.0,
            "offered": row["offered_units"],
            "dropped": row["dropped_units"],
            "lane": ends[:number].count((row["from"], row["to"])) if len(rows) < 1000 else 0,
        }
        for number, row in enumerate(rows)
    ]
    roles = {name: str(node.get("role", "host")) for name, node in said.items()}
    listed = [{"name": name, "role": roles.get(name, "host"), "x": at[name][0], "y": at[name][1]} for name in nodes]
    return {"nodes": listed, "links": links}


def _said_of_nodes(manifest: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What the scenario says of its nodes, by name."""
    try:
        said = tomllib.loads(str(manifest.get("scenario", ""))).get("node", [])
    except tomllib.TOMLDecodeError:
        said = []
    return {str(node.get("name")): node for node in said if isinstance(node, dict)}


def _on_map(said: Mapping[str, Mapping[str, Any]], nodes: Sequence[str]) -> dict[str, Degrees]:
    """The coordinates of those nodes that have some."""
    here = {name: (said.get(name, {}).get("latitude"), said.get(name, {}).get("longitude")) for name in nodes}
    return {
        name: (float(north), float(east))
        for name, (north, east) in here.items()
        if north is not None and east is not None
    }


def _tables(result: Result) -> list[dict[str, Any]]:
    several = len(result.manifest.get("runs", ())) > 1
    leave = () if several else ("run",)
    flows = result.flows
    tables = [
        columns.rows("Links", "links", result.links, leave=leave),
        columns.rows("Flows", "flows", flows.head(MOST_FLOWS), leave=leave),
        columns.rows("Drops", "drops", result.drops, leave=leave),
    ]
    for title, name, table in (
        ("Completion times by size (bytes)", "completions", completions_by_size(result)),
        ("Sampled queues after the warm-up (packets)", "queues", queues(result)),
        ("Packets of flows: delays of those sent once (from the trace)", "delays", flow_delays(result)),
    ):
        tables += [columns.rows(title, name, table, leave=leave)] if table.height else []
    with contextlib.suppress(InputError):
        tables.append(columns.rows("Bursts by source and path (from the trace)", "bursts", result.bursts))
    if flows.height > MOST_FLOWS:
        tables[1]["note"] = f"The first {MOST_FLOWS:,} of {flows.height:,} flows; all are in flows.parquet."
    return tables
