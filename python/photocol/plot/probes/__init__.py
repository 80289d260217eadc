"""The probes of which there is a picture or a table on the page, one a file; work is among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.plot.probes import flow_delays, tasks

if TYPE_CHECKING:
    from photocol.plot.probes.probe import Picture

PROBES = (flow_delays.PROBE, tasks.PROBE, tasks.COLLECTIVES, tasks.UNDONE)

PICTURES: dict[str, Picture] = {one.picture.name: one.picture for one in PROBES if one.picture is not None}
PAGE_TABLES = [one.page_table for one in PROBES if one.page_table is not None]
