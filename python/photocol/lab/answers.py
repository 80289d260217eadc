"""What the page is told of a scenario and of a run so far, in the form in which report pages hold it."""

from __future__ import annotations

import json
import math
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol import _core
from photocol.files import content
from photocol.lab import controls, spans
from photocol.plot.completion import completions_by_size
from photocol.report import columns, run_page
from photocol.report.circuits import circuits, set_by_policy, turns
from photocol.runs import law_source
from photocol.runs.replay import picoseconds
from photocol.runs.runner import in_memory
from photocol.runs.scenario import load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from photocol.runs.results import Result

_FLOWS_DRAWN = 8
"""As many as a picture has curves for."""
_FLOWS_TOGETHER = 40
"""Of more flows without an end a picture has the median of so many, and a band."""
_LINKS_DRAWN = 250
"""In larger networks only the links between switches are sampled, or those that the scenario names."""
_SAMPLES_DRAWN = 250
"""About half the pixels of a picture."""
_MOST_SAMPLES = 2500
"""Of a scenario that says how often: those are seen when one zooms."""
_FIRST_DRAWN = ["cwnd", "bytes_arrived", "srtt", "queue", "mean_queue", "utilization", "offered", "dropped"]
_FIRST_DRAWN += ["believed_capacity"]
"""Quantities that are drawn while a run goes on; at its end all are there."""
_MOST_NAMED = 1000
_MOST_FLOWS = 100_000
_QUICK = 1
_MOST_SHOWN_BYTES = 1 << 18
_TINY = """[run]
duration = "10 ms"
[topology]
kind = "dumbbell"
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "1 ms"
bottleneck_buffer = "9 packets"
[[traffic]]
transport = "sack"
"""


def warm_up() -> None:
    """Do once what every answer needs, before there is a question: imports take longer than an answer."""
    loaded = load(_TINY)
    controls.of(_TINY, loaded.explain())
    simulation = _core.Simulation(load(_TINY, probes(_TINY, loaded)), 1, 0)
    simulation.advance(1.0)
    json.dumps(Picture(loaded).of(simulation.so_far(), simulation.now_s))


def known(loaded: _core.Scenario, text: str) -> dict[str, Any]:
    """A scenario that is right."""
    return {
        "kind": "known",
        "text": text,
        "name": loaded.name,
        "seed": loaded.seed,
        "runs": loaded.runs,
        "duration_s": loaded.duration_s,
        "warnings": [*loaded.warnings, *loaded.notes],
    }


def shown_file(file: str, digest: str) -> dict[str, str]:
    """A file of a law, for a person to look at: each line that Python sees is a line."""
    text = re.sub("\r\n?", "\n", law_source.text(content(Path(file), _MOST_SHOWN_BYTES), Path(file)))
    return {"file": file, "sha256": digest, "text": text}


def probes(text: str, loaded: _core.Scenario) -> dict[str, Any]:
    """Settings by which there is something to draw; samples do not change a run, nor its fingerprint.

    The scenario is built for it, so its laws are executed.
    """
    said, explained = tomllib.loads(text).get("probe", {}), tomllib.loads(loaded.explain())
    given_s = picoseconds(said["interval"]) / 1e12 if "interval" in said else math.inf
    often_s, seldom_s = loaded.duration_s / _MOST_SAMPLES, loaded.duration_s / _SAMPLES_DRAWN
    if any("work" in one for one in explained.get("traffic", ())):
        # Work is often done in a small part of the time.
        seldom_s /= 4
    settings: dict[str, Any] = {"probe.interval": f"{min(max(often_s, given_s), seldom_s):.6g} s"}
    simulation = _core.Simulation(loaded, loaded.seed, 0)
    begun = in_memory(simulation.so_far(), {"scenario": "", "seed": loaded.seed, "name": ""})
    if 2 * len(explained.get("link", [])) <= _LINKS_DRAWN:
        settings["probe.links"] = "all"
    elif "links" not in said and (chosen := _between_switches(begun, explained)):
        settings["probe.links"] = chosen
    flows = said.get("flows", [])
    if flows != "all":
        several = _FLOWS_DRAWN < simulation.flows <= _MOST_FLOWS
        settings["probe.flows"] = sorted({*flows, *_told_apart(begun, loaded.duration_s if several else 0.0)})
    return settings


def _between_switches(begun: Result, explained: Mapping[str, Any]) -> list[str]:
    """The links that join no host; none if these are too many too."""
    hosts = {node["name"] for node in explained.get("node", ()) if node.get("role") == "host"}
    inner = begun.links.filter(~pl.col("from").is_in(hosts) & ~pl.col("to").is_in(hosts))
    # Of fibres side by side the first has the plain name.
    names = inner.filter(pl.col("link") == pl.format("{}->{}", "from", "to"))["link"].unique(maintain_order=True)
    return names.to_list() if len(names) <= _LINKS_DRAWN else []


def _told_apart(begun: Result, duration_s: float) -> list[int]:
    """The flows that are drawn: the first ones, or where all have sizes the largest of each part of the time."""
    if begun.flows["size_bytes"].null_count():
        return list(range(_FLOWS_TOGETHER))
    first = list(range(_FLOWS_DRAWN))
    if duration_s <= 0:
        return first
    part = (begun.flows["start_s"] / duration_s * _FLOWS_DRAWN).floor().alias("part")
    largest = begun.flows.with_columns(part).sort("size_bytes", "flow", descending=[True, False])
    chosen = largest.group_by("part", maintain_order=True).agg(pl.col("flow").first())["flow"].to_list()
    return [*chosen, *(flow for flow in first if flow not in chosen)][:_FLOWS_DRAWN]


class Picture:
    """What is drawn of one run, again and again while it goes on."""

    def __init__(self, scenario: _core.Scenario) -> None:
        self._scenario = scenario
        self._explained = scenario.explain()
        self._said = tomllib.loads(self._explained)
        self._by_policy = set_by_policy(self._said)
        self._manifest = {"scenario": self._explained, "seed": scenario.seed, "name": scenario.name}
        warm_up = self._said.get("run", {}).get("warm_up", "0 s")
        self._measured_from_s = picoseconds(warm_up) / 1e12
        self._is_placed = False

    def of(self, raw: _core.Results, now_s: float, *, is_over: bool = False) -> dict[str, Any]:
        """Everything up to now; where the nodes are is said once."""
        result = in_memory(raw, self._manifest)
        duration_s = self._scenario.duration_s
        series = result.series if is_over else result.series.filter(pl.col("quantity").is_in(_FIRST_DRAWN))
        series = pl.concat([series, spans.under_way(result, now_s, duration_s)])
        measures = now_s > self._measured_from_s
        times = completions_by_size(result)
        return {
            "now_s": now_s,
            "duration_s": duration_s,
            "measured_from_s": self._measured_from_s,
            "active_until_s": spans.active_until(result, duration_s) if is_over else None,
            "summary": spans.told(run_page.summary_rows(result), result) if measures else None,
            "tasks": spans.tasks(result),
            "turns": turns(result),
            "links": _links(result),
            "series": columns.samples(series, _QUICK),
            "completions": columns.rows("Completion times by size", "completions", times, leave=("run",)),
            "hops": raw.packet_hops,
            "flows": _classes(result),
            **self._places(result),
        }

    def _places(self, result: Result) -> Mapping[str, Any]:
        if self._is_placed:
            return {}
        self._is_placed = True
        ends = result.links.select("link", "from", "to", "class").hash_rows().to_list()
        said = self._explained.partition("\n[")[0]
        lit = self._by_policy or circuits(self._scenario.circuits(), result.links, result.flows.clear())
        drawn = _placed((tuple(ends), said), lambda: run_page.network(result, self._manifest, lit))
        return {"network": drawn, "circuits": lit, "days": spans.days(self._said)}


_known: dict[Any, Any] = {}


def _placed(key: Any, place: Callable[[], Any]) -> Any:
    """The network drawn last, where it is the same: springs take their time to settle."""
    if key not in _known:
        _known.clear()
        _known[key] = place()
    return _known[key]


def _classes(result: Result) -> dict[str, str]:
    """What the first flows are, where not all are alike: their traffic, or their transport."""
    several = [name for name in ("traffic", "transport") if result.flows[name].n_unique() > 1]
    first = result.flows.head(_MOST_NAMED)
    return {f"flow {flow}": name for flow, name in first.select("flow", several[0]).iter_rows()} if several else {}


def _links(result: Result) -> list[list[float]]:
    """Utilization, offered and dropped units of each link of the network, in its order."""
    rows = [row for row in result.links.iter_rows(named=True) if row["class"] != "control"]
    return [[row["utilization"] or 0.0, row["offered_units"], row["dropped_units"]] for row in rows]
