"""Which circuit is up when, for the page of a run between whose racks circuits come and go."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from photocol.errors import InputError
from photocol.runs.scenario import ScenarioText, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

MOST_FLOWS = 5000
MOST_OUTPUTS = 1 << 18
"""Of larger schedules a page has the first racks."""
_PS = 1e-12


def circuits(manifest: Mapping[str, Any], links: pl.DataFrame, flows: pl.DataFrame) -> dict[str, Any] | None:
    """The schedule and the flows between its racks, as JSON can hold them; None without one, or if its file is gone."""
    text = str(manifest.get("scenario", ""))
    try:
        if "switching" not in tomllib.loads(text):
            return None
        found = load(ScenarioText(text=text, folder=str(Path.cwd()), name="scenario.toml")).circuits()
    except (InputError, ValueError):  # of TOML and of scenarios, too
        return None
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
