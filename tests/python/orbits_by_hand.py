"""A second program for rules of serving: every step of a run at once, all satellites, nothing clever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from photocol.orbits import Constellation

NOBODY = -1


@dataclass(frozen=True)
class Rule:
    """What is chosen, at which multiples of a period behind an offset, and how long a new link takes, in steps."""

    choice: str
    period: int = 0
    offset: int = 0
    wait: int = 0


@dataclass(frozen=True)
class Seen:
    """Of one station: whether a satellite is in sight and how far it is, by step and satellite."""

    sight: NDArray[np.bool_]
    metres: NDArray[np.float64]


def seen(made: Constellation, station: int, times: NDArray[np.float64]) -> Seen:
    """All satellites at all times, by the links of the constellation."""
    links = made.links(times)
    shape = (len(times), len(made.satellites))
    sight, metres = np.zeros(shape, dtype=bool), np.full(shape, np.inf)
    for column in np.nonzero(links.ground[:, 0] == station)[0]:
        sight[:, links.ground[column, 1]] = links.ground_in_sight[:, column]
        metres[:, links.ground[column, 1]] = links.ground_m[:, column]
    return Seen(sight, metres)


def chooses(step: int, rule: Rule, *, has_one: bool) -> bool:
    """Whether a station chooses at a step."""
    if step == 0:
        return True
    if rule.period:
        return (step - rule.offset) % rule.period == 0
    return rule.choice == "nearest" or not has_one


def served(station: Seen, rule: Rule, steps: int) -> tuple[list[int], list[int]]:
    """By step the satellite that has been chosen, and the one that carries: -1 is none."""
    # How many more steps each satellite stays in sight; `sight` reaches beyond the run for that.
    stays = np.zeros(station.sight.shape, dtype=int)
    for step in range(len(stays) - 2, -1, -1):
        stays[step] = np.where(station.sight[step + 1], stays[step + 1] + 1, 0)
    chosen, carries = list[int](), list[int]()
    now, ready = NOBODY, 0
    for step in range(steps):
        if chooses(step, rule, has_one=now != NOBODY and bool(station.sight[step, now])):
            best = NOBODY
            for satellite in np.nonzero(station.sight[step])[0].tolist():
                if best == NOBODY:
                    best = satellite
                elif rule.choice == "nearest":
                    best = satellite if station.metres[step, satellite] < station.metres[step, best] else best
                else:
                    best = satellite if stays[step, satellite] > stays[step, best] else best
            if best != now:
                now, ready = best, step + rule.wait if step else 0
        chosen.append(now)
        carries.append(now if now != NOBODY and station.sight[step, now] and step >= ready else NOBODY)
    return chosen, carries


def handovers(chosen: list[int]) -> int:
    """How often one satellite is followed by another."""
    some = [one for one in chosen if one != NOBODY]
    return sum(some[place] != some[place - 1] for place in range(1, len(some)))
