"""Rules of serving against a second program, and the figures of London under Starlink's shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orbits_by_hand import NOBODY, Rule, handovers, seen, served

from photocol.orbits import Constellation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from photocol.orbits import Route

STARLINK = {"planes": 72, "satellites_per_plane": 22, "inclination": 53, "altitude": "550 km", "phasing": 39}
"""53:1584/72/39, as it was filed; Hypatia's has other phases and goes round 15.19 times a day."""
BEYOND_S = 900.0
"""The second program looks so far: longer than any pass of the shells here."""


def constellation(**keys: Any) -> Constellation:
    return Constellation.from_toml({"kind": "constellation", "stations": ["London"], "lasers": "none", **keys})


def both(made: Constellation, rule: Rule, duration_s: float, step_s: float) -> tuple[tuple[int, float], ...]:
    """Handovers and share of the time connected, by photocol and by the second program."""
    steps = round(duration_s / step_s)
    times = np.arange(round((duration_s + BEYOND_S) / step_s)) * step_s
    chosen, carries = served(seen(made, 0, times), rule, steps)
    found = made.service(duration_s, step_s)[0]
    return (found.handovers, found.share), (handovers(chosen), sum(one != NOBODY for one in carries) / steps)


def test_london_under_starlink_by_the_satellite_that_stays_longest() -> None:
    """Two handovers of 10 s in 600 s: 580 s are connected, 97 %."""
    made = constellation(shell=STARLINK, serving="longest", acquisition="10 s")
    ours, theirs = both(made, Rule("longest", wait=20), 600, 0.5)
    assert ours == theirs
    assert ours == (2, pytest.approx(580 / 600))


def test_london_under_starlink_by_the_nearest_each_15_s() -> None:
    """Seventeen of 39 choices are others, each for 10 s: 430 s are connected, 72 %."""
    made = constellation(shell=STARLINK, serving="every 15 s", acquisition="10 s")
    ours, theirs = both(made, Rule("nearest", period=30, wait=20), 600, 0.5)
    assert ours == theirs
    assert ours == (17, pytest.approx(430 / 600))


def test_london_under_the_published_form_of_the_shell() -> None:
    """Other phases and 509 km: one handover less by the nearest, as many by the longest."""
    nearest = constellation(shell="starlink-550", serving="every 15 s", acquisition="10 s")
    ours, theirs = both(nearest, Rule("nearest", period=15, wait=10), 600, 1)
    assert ours == theirs == (16, pytest.approx(440 / 600))
    longest = constellation(shell="starlink-550", serving="longest", acquisition="10 s")
    assert both(longest, Rule("longest", wait=10), 600, 1)[0] == (2, pytest.approx(580 / 600))


def test_the_nearest_at_each_step_is_handed_over_more_often_than_the_longest() -> None:
    made = constellation(shell=STARLINK, serving="nearest", acquisition="2 s")
    ours, theirs = both(made, Rule("nearest", wait=2), 300, 1)
    assert ours == theirs
    assert ours[0] > 2 > both(constellation(shell=STARLINK, serving="longest"), Rule("longest"), 300, 1)[0][0]


@settings(max_examples=40)
@given(
    planes=st.integers(1, 12),
    per_plane=st.integers(1, 16),
    rule=st.builds(
        Rule,
        choice=st.sampled_from(["nearest", "longest"]),
        period=st.sampled_from([0, 7, 15]),
        offset=st.integers(0, 20),
        wait=st.integers(0, 12),
    ),
    elevation=st.sampled_from([5, 25]),
    latitude=st.integers(-90, 90),
)
def test_every_rule_gives_what_the_second_program_gives(
    planes: int, per_plane: int, rule: Rule, elevation: int, latitude: int
) -> None:
    """Sparse shells too, in which a station sees nobody for a while."""
    serving: dict[str, Any] = {"serving": rule.choice}
    if rule.period:
        serving = {"serving": f"every {rule.period} s", "serving_choice": rule.choice}
        serving["serving_offset"] = f"{rule.offset} s"
    shell = {"planes": planes, "satellites_per_plane": per_plane, "inclination": 60, "altitude": "550 km"}
    made = constellation(
        shell=shell | {"phases": "alternating"},
        stations=[{"name": "here", "latitude": latitude, "longitude": 10}],
        min_elevation=elevation,
        acquisition=f"{rule.wait} s",
        **serving,
    )
    ours, theirs = both(made, rule, 400, 1)
    assert ours == theirs


def test_a_link_carries_from_its_acquisition_on_if_all_satellites_serve() -> None:
    """Each link for itself: in sight for ten seconds, or since the start."""
    keys: dict[str, Any] = {"shell": "kuiper-630", "stations": ["London", "Rome"], "lasers": "none"}
    plain, slow = constellation(**keys), constellation(**keys, acquisition="10 s")
    times = np.arange(120.0)
    stations = [seen(plain, station, times) for station in (0, 1)]
    wanted = np.full(len(times), np.inf)
    for step in range(len(times)):
        since = [np.logical_and.reduce(one.sight[max(step - 10, 0) : step + 1]) for one in stations]
        ways = np.where(since[0] & since[1], stations[0].metres[step] + stations[1].metres[step], np.inf)
        wanted[step] = ways.min()
    found, at_once = (lengths(made.routes([("London", "Rome")], 120, 1).tables()[0]) for made in (slow, plain))
    assert found == pytest.approx(wanted, rel=1e-12)
    assert (found >= at_once).all()
    assert (found > at_once).any()


def lengths(route: Route) -> NDArray[np.float64]:
    """Metres one way, infinite where the pair is cut off."""
    return np.nan_to_num(route.round_trip_ms * 299_792.458 / 2, nan=np.inf)
