"""Traffic by gravity: between two stations in proportion to the product of their inhabitants.

It is the plain gravity model of traffic matrices (Zhang et al., SIGMETRICS 2003, section 2.1): what a pair has is
total * P_i * P_j / sum of the products. Distance does not enter, and nobody sends to himself.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

from photocol.conversions.found import Demand
from photocol.conversions.source import shown
from photocol.conversions.writer import rate, toml
from photocol.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from photocol.orbits.stations import Station

MOST_PAIRS = 10_000
"""Of one scenario; each is two tables."""
LEAST_BPS = 8
"""The slowest source that a scenario may have."""
_HEADS = 1_000_000
"""Inhabitants of a million: products are those of whole numbers."""


def heaviest(stations: Sequence[Station], most: int | None = None) -> list[tuple[Station, Station]]:
    """The pairs of stations with the largest products, at most so many, those of equal ones that stand first.

    Those with a product of 0 have no traffic. Raises InputError where a population is missing, and without `most` where
    they are too many to be meant.
    """
    pairs = [pair for pair in itertools.combinations(stations, 2) if _product(pair) > 0]
    if most is None and len(pairs) > MOST_PAIRS:
        raise InputError(f"there are {len(pairs)} pairs of stations; allowed: {MOST_PAIRS}, the heaviest by --most")
    return sorted(pairs, key=_product, reverse=True)[:most]


def demands(pairs: Iterable[tuple[Station, Station]], total_bps: int) -> list[Demand]:
    """Both directions of each pair, in whole bit/s whose sum is the total.

    Each is rounded down, and those with the largest remainders have the bit/s that are left. Raises InputError where a
    pair would have less than a source may send.
    """
    both = [one for pair in pairs for one in (pair, pair[::-1])]
    products = [_product(one) for one in both]
    whole = sum(products)
    if not whole:
        raise InputError("no pair of stations has inhabitants at both ends, so there is no traffic; allowed: some")
    shares = [divmod(total_bps * product, whole) for product in products]
    left = total_bps - sum(share for share, _ in shares)
    up = set(sorted(range(len(shares)), key=lambda place: -shares[place][1])[:left])
    found = [
        Demand(name=f"{one.name} to {other.name}", source=one.name, target=other.name, bps=share + (place in up))
        for place, ((one, other), (share, _)) in enumerate(zip(both, shares, strict=True))
    ]
    least = min(found, key=lambda one: one.bps)
    if least.bps < LEAST_BPS:
        raise InputError(
            f"{least.name} would have {least.bps} bps of the {rate(total_bps)}; allowed: {LEAST_BPS} bps at least, "
            "by a larger rate or fewer pairs (--most)"
        )
    return found


def flows(demand: Demand, transport: str, size_bytes: int) -> dict[str, Any]:
    """A table of `[[traffic]]`: flows of one size that start as a Poisson process, whose payload has the rate."""
    starts = {"arrivals": "poisson", "flows_per_second": demand.bps / (8 * size_bytes), "size": f"{size_bytes} B"}
    ends = {"from": demand.source, "to": demand.target}
    return {"name": demand.name, "transport": transport} | ends | starts


def scenario(base: str, traffic: list[dict[str, Any]]) -> str:
    """A scenario over another one, with this traffic alone."""
    tables = toml(["Traffic by gravity: in proportion to the product of inhabitants."], {"traffic": traffic})
    return f"extends = {json.dumps(base, ensure_ascii=False)}\n\n{tables}"


def _product(pair: tuple[Station, Station]) -> int:
    return _heads(pair[0]) * _heads(pair[1])


def _heads(station: Station) -> int:
    """Inhabitants, in whole numbers."""
    if station.population_m is None:
        where = f"{station.where}: " if station.where else ""
        raise InputError(
            f"{where}the population of {shown(station.name)} is missing; allowed: 0 to 100 millions, which traffic by "
            "gravity needs"
        )
    return round(station.population_m * _HEADS)
