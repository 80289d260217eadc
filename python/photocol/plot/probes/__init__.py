"""The probes of which there is a picture or a table on the page, one a file; work and satellites are among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.plot.probes import flow_delays, globe, round_trips, tasks

if TYPE_CHECKING:
    from photocol.plot.probes.probe import Picture

PROBES = (flow_delays.PROBE, tasks.PROBE, tasks.COLLECTIVES, tasks.UNDONE)

_OF_PROBES = [one.picture for one in PROBES if one.picture is not None]
PICTURES: dict[str, Picture] = {one.name: one for one in (*_OF_PROBES, round_trips.PICTURE, globe.PICTURE)}
PAGE_TABLES = [*(one.page_table for one in PROBES if one.page_table is not None), round_trips.PAGE_TABLE]
