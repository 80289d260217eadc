"""What paper 003 leaves open about its network: the way back, and the number of edge nodes.

Tables 4.1 to 4.3 have the delays of the way forth. §6.4 states the control intervals, which are mean round trips: 0.28,
0.36 and 0.30 s in the three periods. Less the mean delays forth (126, 210 and 148 ms) that leaves 154, 150 and 152 ms
for the way back: one constant within the two digits of the intervals. ns-2's `$ns delay` changes one direction of a
link only, so a script that changes delays in its usual form leaves the way back as it was.

§4.3 and tables 4.1 to 4.3 have M = 2 edge nodes, the introduction of chapter 5 has M = 6 "each with 100 greedy FTP
flows". §4.3 adds that for any even M "the sub-network is the same".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from photocol.experiment import Claim, Outcome, Point

DELAYS_MS = ((110, 170, 140), (130, 190, 210), (150, 250, 110), (130, 290, 150), (110, 150, 130))
"""One way forth, end to end, of each group in the three periods (tables 4.1 to 4.3)."""
CONSTANT, GROUPS, KEPT, AS_FORTH = "constant", "groups", "kept", "as-forth"
"""The way back: 152 ms always; per group, with this mean; each group's delay of the first period; as the way forth."""
SIX_NODES = "six-nodes"
MILLIONTH_LESS = "millionth-less"
"""The allocated rate, which decides a tie: at 1 Gb/s fifty packets come while exactly 49 leave at 980 Mb/s."""
BACK_MS = 152.0
FIRST_GROUP_BACK_MS = (170.0, 270.0, 160.0)
"""What flow #1's windows over its rates (0.28, 0.44, 0.30 s) leave for its way back."""

READINGS: dict[str, dict[str, Any]] = {
    CONSTANT: {"way_back": CONSTANT},
    GROUPS: {"way_back": GROUPS},
    KEPT: {"way_back": KEPT},
    AS_FORTH: {"way_back": AS_FORTH},
    SIX_NODES: {"way_back": GROUPS, "edge_nodes": 6},
    MILLIONTH_LESS: {"way_back": GROUPS, "allocated_ppm": -1.0},
}
"""Name of a reading → arguments of `_aapn.scenario`."""
DEFAULT = CONSTANT
"""What claims are judged under, but for the three cases and the first fast change.

There flow #1's windows over its rates are stated or follow, in five figures, and leave `groups`.
"""
NOTE = (
    "Readings of the network: `constant`, 152 ms back for all flows at all times, which is what the control intervals "
    "of §6.4 leave beside the stated delays forth; `groups`, this in the mean and 170, 270, 160 ms for flow #1, which "
    "is what its windows leave; `kept`, each group's delay of the first period, what ns-2's `$ns delay` leaves on a "
    "duplex link; `as-forth`, delays back equal delays forth, the default before; `six-nodes`, three pairs of edge "
    "nodes with 100 flows each and `groups`; `millionth-less`, `groups` with an allocated rate a millionth "
    "less, so that the edge node's waiting place is free just after, not just before, the packet that comes in the "
    "same instant by the paper's round figures. "
)


def note(default: str) -> str:
    """The readings in words, and which one claims are judged under."""
    return f"{NOTE}Claims are judged under `{default}`, the full form has it alone."


def back_ms(way_back: str, group: int, period: int) -> float:
    """What the whole way back takes for a group of flows in a period (0, 1, 2)."""
    if way_back == CONSTANT:
        return BACK_MS
    if way_back == GROUPS:
        first, groups = FIRST_GROUP_BACK_MS[period], len(DELAYS_MS)
        return first if group == 0 else (groups * BACK_MS - first) / (groups - 1)
    return float(DELAYS_MS[group][0 if way_back == KEPT else period])


def round_trip_s(reading: str, group: int, period: int) -> float:
    """Propagation forth and back."""
    return (DELAYS_MS[group][period] + back_ms(READINGS[reading]["way_back"], group, period)) / 1e3


def mean_round_trip_s(reading: str, period: int) -> float:
    """Over all groups, which are equally large."""
    return sum(round_trip_s(reading, group, period) for group in range(len(DELAYS_MS))) / len(DELAYS_MS)


def with_readings(
    points: Sequence[Point], others: Mapping[str, Sequence[Point]], default: str = DEFAULT
) -> tuple[Point, ...]:
    """All points under the default reading, and some of them under others."""
    return (
        *({**point, "reading": default} for point in points),
        *({**point, "reading": reading} for reading, chosen in others.items() for point in chosen),
    )


def under(outcome: Outcome, reading: str) -> Outcome:
    """What was measured under a reading."""
    here = pl.col("reading") == reading
    curves = None if outcome.curves is None else outcome.curves.filter(here)
    return replace(
        outcome, table=outcome.table.filter(here), replications=outcome.replications.filter(here), curves=curves
    )


def reading_of(outcome: Outcome) -> str:
    """The reading of an outcome that has one."""
    [reading] = outcome.table["reading"].unique()
    return str(reading)


def by_default(claims: Sequence[Claim], default: str = DEFAULT) -> tuple[Claim, ...]:
    """The claims, judged under the default reading."""

    def judged(claim: Claim) -> Claim:
        return replace(claim, check=lambda outcome: claim.check(under(outcome, default)))

    return tuple(judged(claim) for claim in claims)


def side_by_side(claims: Sequence[Claim], outcome: Outcome) -> list[str]:
    """A sentence for each claim: its verdict and what was measured, under each reading that was run."""
    readings = [reading for reading in READINGS if not under(outcome, reading).table.is_empty()]
    if len(readings) == 1:
        return []
    return [f"Claim `{claim.id}` under each reading: {_findings(claim, outcome, readings)}." for claim in claims]


def _findings(claim: Claim, outcome: Outcome, readings: Sequence[str]) -> str:
    findings = {reading: claim.check(under(outcome, reading)) for reading in readings}
    return "; ".join(f"{reading}, {finding.verdict} ({finding.measured})" for reading, finding in findings.items())
