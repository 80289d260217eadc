"""Routes within one window against Bellman and Ford at each step, where links bend, come and go as they like."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from photocol.orbits.routes import Plan, Routes
from photocol.orbits.serving import Clock, Serving
from photocol.orbits.sight import Links

if TYPE_CHECKING:
    from numpy.typing import NDArray

SATELLITES, STATIONS = 6, 3
LASERS = np.array(list(itertools.combinations(range(SATELLITES), 2)))
GROUND = np.array(list(itertools.product(range(STATIONS), range(SATELLITES))))
INSTANTS = 21


def routes(links: Links, *, has_lasers: bool) -> Routes:
    sky = cast("Any", type("Sky", (), {})())
    sky.lasers, sky.places = links.lasers, [None] * STATIONS
    sky.links = lambda *_: links
    moving = cast("Any", type("Moving", (), {"__len__": lambda _: SATELLITES, "places": lambda *_: None})())
    plan = Plan(moving, sky, Serving(), 0, has_lasers)
    pairs = list(itertools.permutations(range(STATIONS), 2))
    return Routes(plan, ["a", "b", "c"], pairs, Clock(100_000_000), INSTANTS)


def shortest(links: Links, instant: int, *, has_lasers: bool) -> NDArray[np.float64]:
    """Between all stations, by as many rounds as there are nodes."""
    nodes = SATELLITES + STATIONS
    found = np.full((STATIONS, nodes), np.inf)
    found[np.arange(STATIONS), SATELLITES + np.arange(STATIONS)] = 0.0
    ways = []
    if has_lasers:
        ways += [
            (*pair, links.laser_m[instant, k]) for k, pair in enumerate(LASERS) if links.laser_in_sight[instant, k]
        ]
    ways += [
        (SATELLITES + station, satellite, links.ground_m[instant, k])
        for k, (station, satellite) in enumerate(GROUND)
        if links.ground_in_sight[instant, k]
    ]
    for source in range(STATIONS):
        row = found[source]
        for _ in range(nodes):
            for one, other, metres in ways:
                for here, there in ((one, other), (other, one)):
                    # With lasers a station is left at the start only.
                    if not has_lasers or here < SATELLITES or here == SATELLITES + source:
                        row[there] = min(row[there], row[here] + metres)
    return found[:, SATELLITES:]


def compare(links: Links, *, has_lasers: bool) -> None:
    blocks = list(routes(links, has_lasers=has_lasers))
    assert len(blocks) == 1
    for instant in range(INSTANTS):
        wanted = shortest(links, instant, has_lasers=has_lasers)
        for place, (one, other) in enumerate(itertools.permutations(range(STATIONS), 2)):
            assert blocks[0].metres[instant, place] == wanted[one, other], (instant, one, other)
            assert (blocks[0].nodes[place][instant] == ()) == np.isinf(wanted[one, other])


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.1, 0.3, 1.0]), bend=st.sampled_from([0.0, 3.0, 100.0]))
def test_every_step_has_the_shortest_path(seed: int, share: float, bend: float) -> None:
    """Lengths of 200 to 230 m that bend by up to so many metres; links that are there at a stretch, or always."""
    random = np.random.default_rng(seed)
    x = np.linspace(-1, 1, INSTANTS)[:, None]

    def lengths(count: int) -> NDArray[np.float64]:
        start = random.integers(200, 230, count)
        metres = start + random.integers(-9, 9, count) * x + bend * random.uniform(-1, 1, count) * (1 - x**2)
        return np.rint(metres * 64) / 64

    def there(count: int) -> NDArray[np.bool_]:
        begin, end = random.integers(0, INSTANTS, (2, count))
        steps = np.arange(INSTANTS)[:, None]
        return np.where(random.random(count) < share, True, (steps >= begin) & (steps <= end))

    links = Links(
        np.arange(INSTANTS) / 10,
        LASERS,
        lengths(len(LASERS)),
        there(len(LASERS)),
        GROUND,
        lengths(len(GROUND)),
        there(len(GROUND)),
    )
    for has_lasers in (True, False):
        compare(links, has_lasers=has_lasers)


def still() -> Links:
    """Station 0 over satellites 0, 1, 2 to station 1, 10 m each; nothing else carries."""
    laser_m, ground_m = np.full((INSTANTS, len(LASERS)), 10.0), np.full((INSTANTS, len(GROUND)), 10.0)
    lasers, ground = np.zeros(laser_m.shape, dtype=bool), np.zeros(ground_m.shape, dtype=bool)
    lasers[:, [laser(0, 1), laser(1, 2)]] = True
    ground[:, [0, SATELLITES + 2]] = True
    return Links(np.arange(INSTANTS) / 10, LASERS, laser_m, lasers, GROUND, ground_m, ground)


def laser(one: int, other: int) -> int:
    return next(k for k, pair in enumerate(LASERS.tolist()) if pair == [one, other])


def found(links: Links) -> list[tuple[int, ...]]:
    compare(links, has_lasers=True)
    return next(iter(routes(links, has_lasers=True))).nodes[0]


LONG = (6, 0, 1, 2, 7)


def test_a_path_that_stays_is_found() -> None:
    assert found(still()) == [LONG] * INSTANTS


@pytest.mark.parametrize("middle", [1, 10, 19])
def test_a_link_between_two_nodes_of_the_path_that_is_there_for_a_step_is_found(middle: int) -> None:
    links = still()
    links.ground_in_sight[middle, 1] = True
    wanted = [LONG] * INSTANTS
    wanted[middle] = (6, 1, 2, 7)
    assert found(links) == wanted


@pytest.mark.parametrize("middle", [1, 10, 19])
def test_a_path_that_is_there_for_a_step_is_found(middle: int) -> None:
    links = still()
    links.laser_in_sight[:, laser(0, 1)] = False
    links.laser_in_sight[middle, laser(0, 1)] = True
    wanted: list[tuple[int, ...]] = [()] * INSTANTS
    wanted[middle] = LONG
    assert found(links) == wanted
    links = still()
    links.ground_in_sight[:, 0] = False
    links.ground_in_sight[middle, 0] = True
    assert found(links) == wanted


@pytest.mark.parametrize("middle", [1, 10, 19])
def test_a_path_that_is_lost_for_a_step_is_missed(middle: int) -> None:
    links = still()
    links.laser_in_sight[middle, laser(1, 2)] = False
    wanted: list[tuple[int, ...]] = [LONG] * INSTANTS
    wanted[middle] = ()
    assert found(links) == wanted


def test_a_path_that_is_shorter_in_the_middle_by_bending_is_found() -> None:
    """Over satellite 3 it is 5 m longer at both ends and 5 m shorter in the middle."""
    links = still()
    links.laser_in_sight[:, [laser(0, 3), laser(2, 3)]] = True
    x = np.linspace(-1, 1, INSTANTS)
    links.laser_m[:, laser(0, 3)] = 10 + np.rint(640 * (x**2 - 0.5)) / 64
    wanted = [LONG if abs(one) > 0.5**0.5 else (6, 0, 3, 2, 7) for one in x]
    assert found(links) == wanted
    assert 0 < wanted.count(LONG) < INSTANTS
