"""Which links a constellation has and how long they are: counts, lengths and limits against closed forms."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from photocol.orbits import Constellation, Station
from photocol.orbits.cities import cities
from photocol.orbits.earth import EQUATOR_M, POLE_M
from photocol.orbits.grid import Seam, Wrap, as_array, grid_of, plus_grid
from photocol.orbits.shells import NAMED, Pattern, Phases, Shell
from photocol.orbits.sight import Rules, Sight
from photocol.orbits.stations import read_stations

CITIES = Path(__file__).resolve().parents[3] / "shared" / "data" / "leo" / "cities.csv"
with_cities = pytest.mark.skipif(not CITIES.is_file(), reason="no public data: ../shared/data/leo is not there")


def constellation(**keys: Any) -> Constellation:
    return Constellation.from_toml({"kind": "constellation", "stations": ["London"], **keys})


@pytest.mark.parametrize(
    ("name", "lasers", "least_km", "most_km"),
    [("kuiper-630", 2312, 152, 1765), ("starlink-550", 3168, 619, 1961), ("telesat-1015", 702, 268, 3541)],
)
def test_the_grid_of_a_named_shell_has_the_reference_s_count_and_lengths(
    name: str, lasers: int, least_km: float, most_km: float
) -> None:
    """Counts and lengths over 200 s, to the kilometre; all of them stay above the air."""
    links = constellation(shell=name).links(np.arange(200.0))
    assert links.laser_m.shape == (200, lasers)
    assert links.laser_m.min() / 1000 == pytest.approx(least_km, abs=1.0)
    assert links.laser_m.max() / 1000 == pytest.approx(most_km, abs=1.0)
    assert links.laser_in_sight.all()


@given(planes=st.integers(1, 9), per_plane=st.integers(1, 9), shift=st.integers(0, 8), seam=st.sampled_from(Seam))
def test_no_link_is_there_twice_and_nobody_has_more_than_four(
    planes: int, per_plane: int, shift: int, seam: Seam
) -> None:
    pairs = plus_grid(planes, per_plane, seam, shift % planes)
    assert all(one < other < planes * per_plane for one, other in pairs)
    assert len(set(pairs)) == len(pairs)
    degrees = Counter(itertools.chain.from_iterable(pairs))
    assert max(degrees.values(), default=0) <= 4
    in_planes = sum(one // per_plane == other // per_plane for one, other in pairs)
    # A ring of one has no link and a ring of two has one.
    assert in_planes == planes * {1: 0, 2: 1}.get(per_plane, per_plane)
    if seam is Seam.OPEN:
        assert len(pairs) - in_planes == (planes - 1) * per_plane
    elif planes > 2:
        assert len(pairs) - in_planes == planes * per_plane


def test_the_last_plane_of_a_star_is_linked_inside_and_not_to_the_first() -> None:
    pairs = grid_of(NAMED["iridium"], Seam.OPEN, Wrap.PHASE)
    last = [pair for pair in pairs if pair[0] >= 55]
    assert sorted(last) == sorted([(55, 56), (55, 65), *((n, n + 1) for n in range(56, 65))])
    assert [pair for pair in pairs if pair[0] < 11 and pair[1] >= 55] == []
    assert len(constellation(shell="iridium").links([0.0]).lasers) == 6 * 11 + 5 * 11
    closed = constellation(shell="iridium", seam="closed").links([0.0])
    assert len(closed.lasers) == 6 * 11 + 6 * 11
    # Across the seam satellites meet others that go the other way: those links are too long at times.
    seam = (closed.lasers[:, 0] < 11) & (closed.lasers[:, 1] >= 55)
    assert seam.sum() == 11
    assert closed.laser_in_sight[:, ~seam].all()
    assert not closed.laser_in_sight[:, seam].all()


def test_the_wrap_by_phase_has_links_as_long_as_the_others_and_that_by_index_has_not() -> None:
    """53:24/4/2, phases that add up: going once round shifts by F = 2 of 6 slots, which is 120 degrees."""
    shell = Shell("a", 4, 6, 53.0, 15.0, phasing=2)
    elements = shell.elements()
    turns = (elements.anomaly / (2 * np.pi)) % 1.0

    def ahead(pairs: list[tuple[int, int]]) -> set[float]:
        """By what part of a turn the satellite of the first plane is ahead of the last plane's."""
        wraps = [(one, other) for one, other in pairs if one < 6 and other >= 18]
        assert len(wraps) == 6
        return {round(float((turns[one] - turns[other]) % 1.0), 9) for one, other in wraps}

    # Between all other planes the next one is F / T = 2 / 24 of a turn ahead.
    assert ahead(grid_of(shell, Seam.CLOSED, Wrap.PHASE)) == {round(2 / 24, 9)}
    assert ahead(grid_of(shell, Seam.CLOSED, Wrap.INDEX)) == {round((2 / 24 - 2 / 6) % 1.0, 9)}


def test_phases_that_alternate_close_by_index_as_the_published_shell_does() -> None:
    pairs = grid_of(NAMED["kuiper-630"], Seam.CLOSED, Wrap.PHASE)
    assert pairs == grid_of(NAMED["kuiper-630"], Seam.CLOSED, Wrap.INDEX)
    assert {(0, 1), (0, 33), (0, 34), (0, 33 * 34)} == {pair for pair in pairs if 0 in pair}


@pytest.mark.parametrize(("altitude_km", "longest_km"), [(630, 5443.0), (550, 5016.6), (1015, 7197.5)])
def test_a_laser_is_as_long_as_the_air_allows(altitude_km: float, longest_km: float) -> None:
    """2 sqrt((R + h)^2 - (R + 80 km)^2), as the reference has it; the sine of half the angle gives two such places."""
    radius, clear = EQUATOR_M + 1000 * altitude_km, EQUATOR_M + 80_000
    longest = 2 * math.sqrt(radius**2 - clear**2)
    assert longest / 1000 == pytest.approx(longest_km, abs=0.1)
    for length, is_clear in ((longest - 1, True), (longest + 1, False)):
        half = math.asin(length / 2 / radius)
        places = radius * np.array([[[math.cos(half), math.sin(half), 0], [math.cos(half), -math.sin(half), 0]]])
        sight = Sight([], as_array([(0, 1)]), Rules(clear, 25.0))
        links = sight.links(np.zeros(1), places)
        assert links.laser_m[0, 0] == pytest.approx(length, abs=1e-5)
        assert bool(links.laser_in_sight[0, 0]) is is_clear


def test_a_laser_may_have_a_longest_length_of_its_own() -> None:
    links = constellation(shell="kuiper-630", laser_length="1500 km").links([0.0])
    assert (links.laser_in_sight == (links.laser_m <= 1_500_000)).all()
    assert 0 < links.laser_in_sight.sum() < 2312


@pytest.mark.parametrize(
    ("altitude_km", "elevation", "range_km"), [(630, 30, 1124.1), (550, 25, 1123.4), (1015, 10, 2791.7)]
)
def test_a_ground_link_is_as_long_as_its_elevation_allows(
    altitude_km: float, elevation: float, range_km: float
) -> None:
    """sqrt((R sin e)^2 + 2Rh + h^2) - R sin e; exact at a pole and on the equator, where normal and radius agree."""

    def longest(radius: float, altitude: float) -> float:
        below = radius * math.sin(math.radians(elevation))
        return math.sqrt(below**2 + 2 * radius * altitude + altitude**2) - below

    assert longest(6_378_135, 1000 * altitude_km) / 1000 == pytest.approx(range_km, abs=0.1)
    pole, equator = Station("pole", 90, 0), Station("equator", 0, 0)
    for station, ground in ((pole, POLE_M), (equator, EQUATOR_M)):
        up = np.array([0.0, 0.0, 1.0]) if station is pole else np.array([1.0, 0.0, 0.0])
        for extra_m, is_seen in ((-5.0, True), (5.0, False)):
            length = longest(ground, 1000 * altitude_km) + extra_m
            # From the triangle of station, satellite and centre: the angle at the centre.
            outer = ground + 1000 * altitude_km
            cosine = (ground**2 + outer**2 - length**2) / (2 * ground * outer)
            places = outer * (cosine * up + math.sqrt(1 - cosine**2) * np.array([0.0, 1.0, 0.0]))
            links = Sight([station], as_array([]), Rules(EQUATOR_M, elevation)).links(np.zeros(1), places[None, None])
            assert links.ground.tolist() == [[0, 0]]
            assert links.ground_m[0, 0] == pytest.approx(length, abs=1e-3)
            assert bool(links.ground_in_sight[0, 0]) is is_seen


def seen_by_brute_force(made: Constellation, elevation: float, times: np.ndarray) -> set[tuple[int, int, int]]:
    """Instant, station and satellite of all in sight, from every pair of them."""
    found = set()
    places = made.positions(times)
    for number, station in enumerate(made.stations):
        latitude, longitude = math.radians(station.latitude_deg), math.radians(station.longitude_deg)
        up = [
            math.cos(latitude) * math.cos(longitude),
            math.cos(latitude) * math.sin(longitude),
            math.sin(latitude),
        ]
        flattening = 1 / 298.257223563
        e2 = flattening * (2 - flattening)
        n = 6_378_137.0 / math.sqrt(1 - e2 * up[2] ** 2)
        away = places - np.array([n * up[0], n * up[1], n * (1 - e2) * up[2]])
        degrees = np.degrees(np.arcsin(away @ np.array(up) / np.linalg.norm(away, axis=2)))
        found |= {(int(t), number, int(s)) for t, s in np.argwhere(degrees >= elevation)}
    return found


@pytest.mark.parametrize("elevation", [0.0, 10.0, 30.0, 60.0])
@pytest.mark.parametrize("shell", ["kuiper-630", "oneweb"])
def test_satellites_in_sight_are_those_of_a_search_over_all(shell: str, elevation: float) -> None:
    """Poles and the equator among the stations: none is forgotten by the first, coarse choice."""
    stations = ["London", "Quito", {"name": "north", "latitude": 90, "longitude": 0}]
    stations += [{"name": "south", "latitude": -90, "longitude": 77}, "Reykjavik"]
    made = constellation(shell=shell, stations=stations, min_elevation=elevation)
    times = np.linspace(0, 40, 9)
    links = made.links(times)
    rows = {(int(t), *links.ground[column].tolist()) for t, column in np.argwhere(links.ground_in_sight)}
    wanted = seen_by_brute_force(made, elevation, times)
    assert rows == wanted
    assert len(wanted) > (0 if elevation == 60.0 else 50)


def test_the_poles_see_a_polar_shell_and_not_an_inclined_one() -> None:
    poles = [{"name": name, "latitude": latitude, "longitude": 0} for name, latitude in (("n", 90), ("s", -90))]
    for shell, sees in (("oneweb", True), ("kuiper-630", False)):
        links = constellation(shell=shell, stations=poles).links([0.0])
        assert [(links.ground_in_sight[0] & (links.ground[:, 0] == pole)).any() for pole in (0, 1)] == [sees, sees]


def test_a_range_in_the_place_of_an_elevation_may_lead_below_the_horizon() -> None:
    """Telesat's 5845 km: more than the 3738.7 km to the horizon, so satellites are seen through the Earth."""
    far = constellation(shell="telesat-1015", ground_limit="range", ground_range=5_845_200).links([0.0])
    assert far.ground_m[far.ground_in_sight].max() > 5_500_000
    near = constellation(shell="telesat-1015", min_elevation=0).links([0.0])
    assert near.ground_m[near.ground_in_sight].max() < 3_760_000
    text = constellation(shell="telesat-1015", ground_limit="range", ground_range="5845.2 km").links([0.0])
    assert (text.ground_in_sight == far.ground_in_sight).all()


def test_through_the_earth_tokyo_and_sydney_need_one_satellite() -> None:
    """7800 km apart: over Telesat's shell a satellite sees both at 5845 km and at no elevation above 10 degrees."""
    pair, keys = [("Tokyo", "Sydney")], {"shell": "telesat-1015", "stations": ["Tokyo", "Sydney"]}
    far = constellation(**keys, ground_limit="range", ground_range="5845.2 km").routes(pair, 60, 1).tables()[0]
    assert {len(change.nodes) for change in far.changes} == {3}
    near = constellation(**keys).routes(pair, 60, 1).tables()[0]
    assert min(len(change.nodes) for change in near.changes) > 3


def test_cities_have_plain_names_and_places_on_earth() -> None:
    assert 100 <= len(cities()) <= 150
    for name, (north, east, millions) in cities().items():
        assert name.isascii()
        assert name == name.strip()
        assert -90 < north < 90
        assert -180 < east <= 180
        assert 0 < millions < 50


@with_cities
def test_cities_are_where_a_list_of_others_has_them() -> None:
    """Those of one name, within 15 km: where the centre of a large city is can be argued about."""
    others = {station.name: station for station in read_stations(CITIES)}
    both = [name for name in cities() if name in others]
    assert len(both) > 40
    for name in both:
        (north, east, _), other = cities()[name], others[name]
        narrow = math.cos(math.radians(north))
        assert 111.2 * math.hypot(north - other.latitude_deg, (east - other.longitude_deg) * narrow) < 15, name


def test_shells_stand_behind_one_another_and_no_laser_leads_between_them() -> None:
    made = constellation(shell=["iridium", {"name": "oneweb", "pattern": "delta"}])
    assert len(made.satellites) == 66 + 648
    assert made.satellites[66] == "OneWeb 0"
    links = made.links([0.0])
    assert ((links.lasers[:, 0] < 66) == (links.lasers[:, 1] < 66)).all()
    alone = constellation(shell="iridium")
    assert np.abs(made.positions([7.0])[:, :66] - alone.positions([7.0])).max() == 0


@given(
    planes=st.integers(1, 6),
    per_plane=st.integers(1, 6),
    pattern=st.sampled_from(Pattern),
    phases=st.sampled_from(Phases),
    altitude=st.integers(300, 3000),
    tilt=st.integers(0, 180),
)
def test_lengths_are_distances(
    planes: int, per_plane: int, pattern: Pattern, phases: Phases, altitude: int, tilt: int
) -> None:
    shell = {"planes": planes, "satellites_per_plane": per_plane, "inclination": tilt, "altitude": f"{altitude} km"}
    made = constellation(shell=shell | {"pattern": str(pattern), "phases": str(phases)}, min_elevation=5)
    times = np.array([0.0, 30.0])
    places, links = made.positions(times), made.links(times)
    for instant in range(2):
        for (one, other), length in zip(links.lasers, links.laser_m[instant], strict=True):
            between = math.dist(places[instant, one], places[instant, other])
            assert length == pytest.approx(max(between, 2**-10), abs=1e-5), "no link is shorter than a millimetre"
    assert np.linalg.norm(places, axis=2) == pytest.approx(6_378_135 + 1000 * altitude, abs=1e-3)
