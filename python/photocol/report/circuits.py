"""Which circuit is up when: of racks between which circuits come and go, and of switches that a policy sets."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.runs.scenario import ScenarioText, load
from photocol.runs.work import tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from photocol._core import CircuitSchedule
    from photocol.runs.results import Result

    Found = tuple[list[str], list[str], CircuitSchedule]
    """Racks, switches and their schedule."""

MOST_FLOWS = 5000
MOST_OUTPUTS = 1 << 18
"""Of larger schedules a page has the first racks."""
MOST_TURNS = 20_000
"""Of more circuits that a policy has set, the first are shown."""
_PS = 1e-12


def scheduled(manifest: Mapping[str, Any]) -> Found | None:
    """The racks, switches and schedule of the scenario of a run; None without any.

    Raises ScenarioError or ValueError where the scenario cannot be read again, as one whose file is gone.
    """
    text = str(manifest.get("scenario", ""))
    if "switching" not in tomllib.loads(text):
        return None
    return load(ScenarioText(text=text, folder=str(Path.cwd()), name="scenario.toml")).circuits()


def circuits(found: Found | None, links: pl.DataFrame, flows: pl.DataFrame) -> dict[str, Any] | None:
    """A schedule and the flows between its racks, as JSON can hold them; None without one."""
    if found is None:
        return None
    racks, switches, schedule = found
    holds = schedule.holds()
    shown = max(1, min(len(racks), MOST_OUTPUTS // max(1, len(holds))))
    return {
        "period_s": schedule.week_ps * _PS,
        "racks": racks,
        "switches": switches,
        "holds": [[switch, start * _PS, lasts * _PS, outputs[:shown]] for switch, start, lasts, outputs in holds],
        "flows": _flows(racks, links, flows),
    }


def _flows(racks: list[str], links: pl.DataFrame, flows: pl.DataFrame) -> list[dict[str, Any]]:
    """The first flows from rack to rack. A host is at the rack that it has a link to."""
    number = {name: place for place, name in enumerate(racks)}
    ends = links.select("from", "to").unique(maintain_order=True).iter_rows()
    rack_of = number | {host: number[rack] for host, rack in ends if rack in number and host not in number}
    found = []
    for row in flows.head(MOST_FLOWS).iter_rows(named=True):
        source, last = rack_of.get(row["source"]), rack_of.get(row["destination"])
        if source is None or last is None or source == last:
            continue
        took = row["completion_s"]
        end = None if took is None or not math.isfinite(took) else row["start_s"] + took
        found.append(
            {"name": f"flow {row['flow']}", "from": source, "to": last, "start_s": row["start_s"], "end_s": end}
        )
    return found


def set_by_policy(explained: Mapping[str, Any]) -> dict[str, Any] | None:
    """The nodes between which switches of light are set as work asks for it, and the switches; None without."""
    switching = explained.get("switching", {})
    if switching.get("kind") != "ocs":
        return None
    nodes = explained.get("node", [])
    switches = [
        node["name"] for node in nodes if node["role"] == "core" and node["name"] != switching.get("packet_switch")
    ]
    return {"racks": [node["name"] for node in nodes if node["role"] != "core"], "switches": switches, "flows": []}


def turns(result: Result) -> list[list[Any]]:
    """Circuits that a policy has set so far, in the first replication: switch, from, to, begin and end in seconds."""
    if "circuits" not in result.probes:
        return []
    every = result.probes["circuits"]
    table = every.filter(pl.col("run") == every["run"].min()).head(MOST_TURNS)
    ends = table.select("switch", "from", "to", "start_s", "end_s").iter_rows()
    return [[*row[:4], row[4] if row[4] is not None and math.isfinite(row[4]) else None] for row in ends]


def as_they_were(result: Result) -> dict[str, Any] | None:
    """What `circuits` gives, of those that a policy set in the first replication: each matching as it was, once.

    `until_s` is the end of the last task. None where no policy sets circuits.
    """
    try:
        found = set_by_policy(tomllib.loads(str(result.manifest.get("scenario", ""))))
    except tomllib.TOMLDecodeError:
        return None
    if found is None:
        return None
    duration_s = float(result.summary["duration"])
    number = {name: place for place, name in enumerate(found["racks"])}
    holds: dict[tuple[int, float, float], list[int]] = {}
    for switch, source, far, begins, ends in turns(result):
        key = (found["switches"].index(switch), begins, (duration_s if ends is None else ends) - begins)
        holds.setdefault(key, [-1] * len(number))[number[source]] = number[far]
    shown = max(1, min(len(number), MOST_OUTPUTS // max(1, len(holds))))
    return {
        **found,
        "period_s": duration_s,
        "holds": [[*key, outputs[:shown]] for key, outputs in holds.items()],
        "until_s": _until(result, duration_s),
    }


def _until(result: Result, duration_s: float) -> float:
    """The end of the last task of the first replication, if all are done."""
    work = tasks(result)
    if work.is_empty():
        return duration_s
    ends = work.filter(pl.col("run") == work["run"].min())["end_s"]
    return duration_s if ends.null_count() else float(ends.max())  # type: ignore[arg-type]
