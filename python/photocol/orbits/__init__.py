"""Constellations in low orbits: where satellites are, which links they have, and the shortest routes over them.

`earth` and `elements` are the ground; `shells` and `tle` give elements, `propagation` moves them. `cities` and
`stations` are places on the ground, `grid` says which satellites have lasers, `sight` how long links are and which are
there, `serving` which satellites a station may use. `bounds`, `search` and `window` find the shortest paths, `routes`
goes through a run. `traces` makes links of them, `contacts` what the engine runs, and `kept` keeps that.
`gravity` has traffic by inhabitants. `shell_keys` and `reading` read the table of a scenario.
`Constellation` is what users have.
"""

from __future__ import annotations

from photocol.orbits.constellation import Constellation, Service
from photocol.orbits.routes import Block, Change, Route, Routes
from photocol.orbits.sight import Links
from photocol.orbits.stations import Station

__all__ = ["Block", "Change", "Constellation", "Links", "Route", "Routes", "Service", "Station"]
