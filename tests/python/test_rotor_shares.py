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


LINKS = 4
"""Of each rack, in the published throughputs."""


def skewed(racks: int, skew: float) -> Matrix:
    """So much of a permutation, the rest uniform."""
    return (1 - skew) * uniform(racks) + skew * permutation(racks, racks // 2)


def chessboard(racks: int) -> Matrix:
    """Racks of other parity get three times as much; the fullest line is 1."""
    row, column = np.indices((racks, racks))
    board = np.where((row + column) % 2, 1.5, 0.5) * (1 - np.eye(racks))
    return board / board.sum(axis=0).max()


def opera(racks: int) -> Matrix:
    """N matchings, one of which joins each rack with itself: what circuits carry, in shares of a rack's uplinks."""
    plan = control.circuit_schedule(np.zeros((racks, racks)), "opera", slice="10 us", switches=LINKS)
    return plan.light / (LINKS * plan.week_ps)


# inet-tub/rdcn-throughput, Vermilion/nsdi-throughput-results.txt, rows "rotornet": throughput of single hops and of
# several. The latter of its chessboards is left out: 0.699 for 8 racks, where all circuits between racks of other
# parity carry 0.625 of what is wanted there, whatever the hops.
PUBLISHED = {
    (8, 0.0): (0.875, 0.875),
    (8, 0.1): (0.546875, 0.813953488372093),
    (8, 0.2): (0.39772727272727276, 0.7608695652173914),
    (8, 0.3): (0.3125, 0.7142857142857144),
    (8, 0.4): (0.2573529411764706, 0.6730769230769231),
    (8, 0.5): (0.21874999999999997, 0.6363636363636364),
    (8, 0.6): (0.19021739130434784, 0.603448275862069),
    (8, 0.7): (0.16826923076923078, 0.5737704918032789),
    (8, 0.8): (0.15086206896551724, 0.546875),
    (8, 0.9): (0.13671875, 0.5223880597014926),
    (8, 1.0): (0.125, 0.5),
    (16, 0.5): (0.1171875, 0.6521739130434784),
    (16, 0.9): (0.0689338235294118, 0.5244755244755246),
    (16, 1.0): (0.0625, 0.5),
    (32, 1.0): (0.03125, 0.5),
    (48, 1.0): (0.020833333333333332, 0.4999999999999999),
}
CHESSBOARDS = {8: 0.625, 16: 0.6458333333333333, 32: 0.65625, 48: 0.6597222222222222}
"""Single hops."""


@pytest.mark.parametrize(("racks", "skew"), PUBLISHED)
def test_throughput_of_one_and_of_two_hops_is_the_published_one(racks: int, skew: float) -> None:
    demand, capacity = skewed(racks, skew), opera(racks)
    found = throughput(demand, capacity, direct), throughput(demand, capacity)
    assert found == pytest.approx(PUBLISHED[racks, skew], rel=1e-6)


@pytest.mark.parametrize("racks", CHESSBOARDS)
def test_single_hops_of_a_chessboard_carry_the_published_share(racks: int) -> None:
    assert throughput(chessboard(racks), opera(racks), direct) == pytest.approx(CHESSBOARDS[racks], rel=1e-6)


# The same list, rows "vermilion" with k = 6 of 64 racks. Its single hops of some skewed matrices say more than 1, which
# full lines rule out; such rows are left out.
VERMILION = {"chessboard": 0.8819444444444444, "uniform": 0.984375, "permutation": 0.8359375, "skew": 0.835693359375}


@pytest.mark.parametrize("name", VERMILION)
def test_a_schedule_for_its_demand_carries_no_less_than_vermilions_of_64_racks(name: str) -> None:
    racks, week_ps = 64, 10**9
    demands = {"chessboard": chessboard(racks), "uniform": uniform(racks), "permutation": permutation(racks, 32)}
    demand = demands.get(name, skewed(racks, 0.5))
    # All that four links of 100 Gb/s carry in a millisecond.
    wanted = np.floor(demand * LINKS * 100e9 / 8 * week_ps * 1e-12)
    plan = control.circuit_schedule(wanted, "solstice", week="1 ms", switches=LINKS)
    scale = plan.coverage(wanted, "100 Gbps").scale
    assert VERMILION[name] < scale <= 1.0001
    # Rotor switches, which do not look at it, carry what the program of single hops says.
    turning = control.circuit_schedule(wanted, "offsets", week="1 ms", switches=LINKS)
    light = turning.light / (LINKS * week_ps)
    found = turning.coverage(wanted, "100 Gbps").scale
    assert found == pytest.approx(throughput(demand, light, direct), rel=1e-4)
