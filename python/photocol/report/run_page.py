"""What is on the page of a run."""

from __future__ import annotations

import contextlib
import math
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.errors import InputError
from photocol.plot.completion import completions_by_size
from photocol.plot.over_time import THROUGHPUT, over_time, queues
from photocol.plot.probes import PAGE_TABLES
from photocol.plot.probes.round_trips import why_unknown
from photocol.plot.tables import with_kinds
from photocol.plot.trace_delays import flow_delays
from photocol.quantity import readable
from photocol.report import columns
from photocol.report.circuits import as_they_were, circuits, scheduled
from photocol.report.emulated import emulated
from photocol.report.globe import globe
from photocol.report.levels import levels
from photocol.report.places import Degrees, fitted, places
from photocol.report.shapes import ring
from photocol.runs import meanings
from photocol.runs.replay import picoseconds
from photocol.runs.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from photocol.report.circuits import Found

MOST_EVENTS = 1_000_000
MOST_FLOWS = 20_000
_FACTS = {"version": "", "seed": "", "fingerprint": "", "started": "", "events": "1", "packet_hops": "1"}
_FACTS |= {"wall_s": "s", "cpu_s": "s", "peak_memory_bytes": "B"}
"""Keys of the manifest, and the units of those that are quantities."""


def page(folder: Path) -> dict[str, Any]:
    """Everything, as JSON can hold it. Raises InputError for a damaged run."""
    result = Result.load(folder)
    manifest = result.manifest
    events = result.trace
    schedule, why = _scheduled(manifest)
    lit = as_they_were(result) or circuits(schedule, _first(result.links), _first(result.flows))
    drawn = network(result, manifest, lit)
    held = None if events is None or not events.height else columns.trace(events, MOST_EVENTS)
    duration_s = _duration(result)
    if held is not None and events is not None:
        last_ps = events.select((pl.col("t_ps") + pl.col("wait_ps") + pl.col("lasts_ps")).max()).item()
        held["from_s"] = _traced_from(manifest)
        held["until_s"] = min(duration_s, (_until(manifest) or last_ps / 1e12) * 1.000001)
        held["levels"] = levels(events, math.ceil(held["until_s"] * 1e12))
    return {
        "kind": "run",
        "name": str(manifest.get("name") or folder.name),
        "subtitle": f"{_subtitle(manifest)}{_span(result, held)}",
        "note": " ".join(filter(None, (_note(manifest, held, duration_s), why, _no_globe(result)))) or None,
        "duration_s": duration_s,
        "measured_from_s": _measured_from(result),
        "summary": summary_rows(result),
        "network": drawn,
        "circuits": lit,
        "globe": globe(result),
        "trace": held,
        "series": columns.samples(_samples(result)),
        "tables": _tables(result),
        "command": str(manifest.get("command", "")),
        "command_hint": _hint(manifest),
        "facts": [*_facts(manifest), *_set(manifest)],
        "scenario": str(manifest.get("scenario", "")),
    }


def _scheduled(manifest: Mapping[str, Any]) -> tuple[Found | None, str]:
    """The schedule of circuits, and why there is none on the page though the run may have had one."""
    try:
        return scheduled(manifest), ""
    except (InputError, ValueError) as error:  # of scenarios and of TOML
        return None, f"Circuits are not drawn, for the scenario cannot be read again: {error}."


def _hint(manifest: Mapping[str, Any]) -> str:
    """Where the command is to be given, and what it repeats."""
    why = manifest.get("why_not_repeatable")
    once = f"This run cannot be repeated: {why}. The scenario without what they sent: " if why else ""
    return f"{once}{'in' if once else 'In'} the directory of the run, which has scenario.toml:"


def _no_globe(result: Result) -> str:
    """Why there are no satellites on the page though the run had some."""
    why = why_unknown(result)
    return f"Satellites and their routes are not drawn, for the file of contacts cannot be read: {why}." if why else ""


def _samples(result: Result) -> pl.DataFrame:
    """The samples and what follows from them; flows are named with their traffic where there are several."""
    return with_kinds(pl.concat([result.series, _derived(result)], how="diagonal_relaxed"), result.flows)


def _derived(result: Result) -> pl.DataFrame:
    """What follows from the samples; the throughput of single flows is the page's goodput."""
    return over_time(result).filter(pl.col("quantity") != THROUGHPUT)


def _facts(manifest: Mapping[str, Any]) -> list[list[str]]:
    return [_fact(key, manifest[key], unit) for key, unit in _FACTS.items() if manifest.get(key) is not None]


def _set(manifest: Mapping[str, Any]) -> list[list[str]]:
    """What `--set`, or `set` in Python, has changed of the file."""
    said = manifest.get("set")
    changes = [f"{name} = {value}" for name, value in said.items()] if isinstance(said, dict) else []
    return [["set beside the file", "; ".join(changes)]] if changes else []


def _fact(key: str, value: Any, unit: str) -> list[str]:
    """As people read it: `cpu_s` 0.0064 is "CPU time" and "6.40 ms"."""
    name = key.removesuffix("_bytes").replace("_", " ")
    name = {"wall s": "wall-clock time", "cpu s": "CPU time"}.get(name, name)
    return [name, readable(float(value), unit) if unit else str(value)]


def _duration(result: Result) -> float:
    figure = result.summary.get("duration")
    return float(figure) if figure is not None else 1.0


def _measured_from(result: Result) -> float:
    """The end of the warm-up, which the figures of links, goodput and losses leave out."""
    measured = result.summary.get("measured_time")
    return 0.0 if measured is None else _duration(result) - float(measured)


def _traced_from(manifest: Mapping[str, Any]) -> float:
    """The beginning of the trace, in seconds: the end of the warm-up unless the scenario says otherwise."""
    try:
        return picoseconds(tomllib.loads(str(manifest.get("scenario", "")))["trace"]["from"]) / 1e12
    except (KeyError, ValueError):
        return 0.0


def _span(result: Result, held: Mapping[str, Any] | None) -> str:
    begin, end = _measured_from(result), _duration(result)
    traced = f"; the trace covers {readable(held['from_s'], 's')} to {readable(held['until_s'], 's')}" if held else ""
    if not begin:
        return traced
    return f"{traced}; figures cover {readable(begin, 's')} to {readable(end, 's')}, pictures are grey before"


def _until(manifest: Mapping[str, Any]) -> float | None:
    said = manifest.get("trace", {})
    return said.get("whole_until_s") if isinstance(said, dict) else None


def _subtitle(manifest: Mapping[str, Any]) -> str:
    runs = len(manifest.get("runs", ()))
    several = f"{runs} replications; pictures show the first" if runs > 1 else "one run"
    return f"photocol {manifest.get('version', '')}, seed {manifest.get('seed', '')}, {several}"


def _note(manifest: Mapping[str, Any], held: Mapping[str, Any] | None, duration_s: float) -> str | None:
    """What is missing, and how to get it."""
    from photocol.runs.trace import sentence

    if held is None:
        again = "--set trace.enabled=true" if "emulation" in manifest else "--trace"
        return (
            "This run has no trace, so there are no pictures of packets, bursts and slots. "
            f"Run it again with {again} to get them, of the time that the figures cover; "
            "[probe] gives windows and queues over time."
        )
    if held["cut_s"] is not None:
        return (
            f"The page has the first {held['events']:,} events of the trace, up to {held['cut_s']:.6g} s; what is "
            "drawn beyond are shares of the time and losses (network; wavelengths, slots and lines)."
        )
    said = manifest.get("trace")
    if not isinstance(said, dict) or not said.get("left_out"):
        return None
    fitted_s = float(said.get("whole_until_s", 0)) - held["from_s"]
    return f"The {sentence(said)}. {_end_instead(fitted_s, duration_s)}"


def _end_instead(fitted_s: float, duration_s: float) -> str:
    """How to trace the end of the run: nine tenths of the time that fitted, for it may be busier than the beginning."""
    begin = max(0.0, duration_s - 0.9 * fitted_s)
    return f"For the end of the run: --trace 'from={begin:.4g} s'."


def summary_rows(result: Result) -> list[dict[str, Any]]:
    """Every figure with a sentence; those that are looked at first are marked by their place among them."""
    first = meanings.headline(result.summary)
    return [
        {
            "name": name,
            **figure.to_dict(),
            "of": meanings.counted(name),
            "meaning": meanings.meaning(name),
            "first": first.index(name) if name in first else None,
        }
        for name, figure in result.summary.items()
    ]


def _first(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("run") == 0) if "run" in frame.columns else frame


def network(result: Result, manifest: Mapping[str, Any], lit: Mapping[str, Any] | None = None) -> dict[str, Any] | None:
    """Nodes with places, links with what they did in the first replication; racks between circuits in a ring."""
    table = _first(result.links)
    rows = [row for row in table.iter_rows(named=True) if row["class"] != "control"]
    if not rows:
        return None
    said = _said_of_nodes(manifest)
    nodes = list(dict.fromkeys(name for row in rows for name in (row["from"], row["to"])))
    ends = [(row["from"], row["to"]) for row in rows]
    roles = {name: str(node.get("role", "host")) for name, node in said.items()}
    core = [name for name in nodes if roles.get(name) == "core"]
    racks = [] if lit is None else [rack for rack in lit["racks"] if rack in said]
    if lit is not None and racks:
        at = fitted(ring(nodes, ends, racks, set(lit["switches"])))
    else:
        at = places(nodes, ends, _on_map(said, nodes), core)
    links = [
        {
            "name": row["link"],
            "from": row["from"],
            "to": row["to"],
            "utilization": row["utilization"] or 0.0,
            "offered": row["offered_units"],
            "dropped": row["dropped_units"],
        }
        for row in rows
    ]
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
        *emulated(result.manifest),
        columns.rows("Links", "links", result.links, leave=leave),
        columns.rows("Flows", "flows", flows.head(MOST_FLOWS), leave=leave),
        columns.rows("Drops", "drops", result.drops, leave=leave),
    ]
    for title, name, table in (
        ("Completion times by size (bytes)", "completions", completions_by_size(result)),
        ("Sampled queues after the warm-up (packets)", "queues", queues(result)),
        *((one.title, one.name, one.table(result)) for one in PAGE_TABLES),
        ("Packets of flows: delays of those sent once (from the trace)", "delays", flow_delays(result)),
    ):
        tables += [columns.rows(title, name, table, leave=leave)] if table.height else []
    with contextlib.suppress(InputError):
        tables.append(columns.rows("Bursts by source and path (from the trace)", "bursts", result.bursts))
    if flows.height > MOST_FLOWS:
        flow_table = next(table for table in tables if table["id"] == "table-flows")
        flow_table["note"] = f"The first {MOST_FLOWS:,} of {flows.height:,} flows; all are in flows.parquet."
    return tables
