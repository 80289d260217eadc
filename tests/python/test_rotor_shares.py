"""Shares of rotor switches' uplinks against linear programs, which know routes and circuits and no formula.

A program has a variable for each path of one or two hops and one for the throughput; each pair of racks has the
capacity that the light of `photocol schedule` gives it. The formulas are those of docs/guide/rotor.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

from photocol import control

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

SLICE, DARK = 60, 9
"""Microseconds."""
DUTY = (SLICE - DARK) / SLICE
RACKS = range(4, 13)
EXACT = 1e-7
"""Solvers of linear programs stop there."""


class Path(NamedTuple):
    """From a rack to another one, over a third one unless that is the last one too."""

    source: int
    middle: int
    last: int

    def links(self) -> Iterator[tuple[int, int]]:
        yield self.source, self.middle
        if self.middle != self.last:
            yield self.middle, self.last


def capacities(racks: int, rule: str = "offsets") -> Matrix:
    """What circuits carry from each rack to each, in shares of a rack's uplinks."""
    nothing = np.zeros((racks, racks))
    plan = control.circuit_schedule(nothing, rule, slice=f"{SLICE} us", reconfiguration=f"{DARK} us")
    return plan.light / plan.week_ps


def permutation(racks: int, shift: int) -> Matrix:
    """Each rack sends all that it has to one other rack."""
    return np.roll(np.eye(racks), shift, axis=1)


def uniform(racks: int) -> Matrix:
    return (1 - np.eye(racks)) / (racks - 1)


def direct(source: int, last: int, racks: int) -> list[int]:
    """The first hops that a packet may take."""
    return [last]


def any_rack(source: int, last: int, racks: int) -> list[int]:
    return [rack for rack in range(racks) if rack != source]


def other_rack(source: int, last: int, racks: int) -> list[int]:
    return [rack for rack in range(racks) if rack not in (source, last)]


def throughput(demand: Matrix, capacity: Matrix, first_hops=any_rack, *, is_drawn: bool = False) -> float:
    """By how much the demand can be multiplied at most. First hops that are drawn are equally frequent."""
    racks = len(demand)
    wanted = [(source, last) for source, last in zip(*np.nonzero(demand), strict=True) if source != last]
    paths = [Path(*pair[:1], middle, *pair[1:]) for pair in wanted for middle in first_hops(*pair, racks)]
    scale = len(paths)
    # A row for each link: what all paths put on it is at most its capacity.
    used = [(source * racks + last, number) for number, path in enumerate(paths) for source, last in path.links()]
    most = coo_array((np.ones(len(used)), np.transpose(used)), shape=(racks**2, scale + 1))
    # And rows of what is equal: all paths of a pair and its demand, or each path and its part of it.
    counts = {pair: len(first_hops(*pair, racks)) for pair in wanted}
    place = {pair: number for number, pair in enumerate(wanted)}
    rows = [number if is_drawn else place[path.source, path.last] for number, path in enumerate(paths)]
    owed = {
        row: demand[path.source, path.last] / (counts[path.source, path.last] if is_drawn else 1)
        for row, path in zip(rows, paths, strict=True)
    }
    sums = [(row, number, 1.0) for number, row in enumerate(rows)] + [(row, scale, -part) for row, part in owed.items()]
    row, column, value = zip(*sums, strict=True)
    equal = coo_array((value, (row, column)), shape=(max(rows) + 1, scale + 1))
    goal = np.append(np.zeros(scale), -1.0)
    found = linprog(goal, most, capacity.ravel(), equal, np.zeros(equal.shape[0]), method="highs")
    assert found.status == 0, found.message
    return -found.fun


@pytest.mark.parametrize("racks", RACKS)
def test_direct_circuits_carry_one_of_n_minus_1_of_a_permutation_and_all_of_uniform_traffic(racks: int) -> None:
    capacity = capacities(racks)
    for shift in (1, racks // 2):
        found = throughput(permutation(racks, shift), capacity, direct)
        assert found == pytest.approx(DUTY / (racks - 1), rel=EXACT)
    assert throughput(uniform(racks), capacity, direct) == pytest.approx(DUTY, rel=EXACT)


@pytest.mark.parametrize("racks", RACKS)
def test_vlb_carries_half_of_a_permutation_by_its_reading_of_the_first_hop(racks: int) -> None:
    capacity = capacities(racks)
    for shift in (1, racks // 2):
        demand = permutation(racks, shift)
        drawn = [throughput(demand, capacity, hops, is_drawn=True) for hops in (any_rack, other_rack)]
        assert drawn[0] == pytest.approx(DUTY / 2, rel=EXACT)
        assert drawn[1] == pytest.approx(DUTY * (racks - 2) / (2 * (racks - 1)), rel=EXACT)
        # Whoever may choose the shares of the paths does best.
        best = throughput(demand, capacity)
        assert best == pytest.approx(DUTY * racks / (2 * (racks - 1)), rel=EXACT)


@pytest.mark.parametrize("racks", RACKS)
def test_vlb_carries_uniform_traffic_by_the_mean_of_its_hops(racks: int) -> None:
    capacity = capacities(racks)
    found = throughput(uniform(racks), capacity, is_drawn=True)
    assert found == pytest.approx(DUTY * (racks - 1) / (2 * racks - 3), rel=EXACT)
    assert throughput(uniform(racks), capacity) == pytest.approx(DUTY, rel=EXACT)


@pytest.mark.parametrize("rule", ["offsets", "round-robin", "random"])
def test_whatever_the_matchings_pairs_have_equal_light(rule: str) -> None:
    expected = DUTY * (1 - np.eye(12)) / 11
    assert capacities(12, rule) == pytest.approx(expected, rel=1e-12)
