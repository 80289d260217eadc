"""Bad input of constellations: a message with key or file, line and range, and nothing else."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tle_lines import Orbit, checked, lines

from photocol import InputError
from photocol.conversions.keys import read_toml
from photocol.orbits import Constellation

SHELL = {"planes": 4, "satellites_per_plane": 4, "inclination": 53, "altitude": "550 km"}
GOOD: dict[str, Any] = {"kind": "constellation", "shell": SHELL, "stations": ["London", "Paris"]}


def message(table: dict[str, Any], folder: Path | str = ".") -> str:
    with pytest.raises(InputError) as error:
        Constellation.from_toml(table, folder=folder)
    return str(error.value)


def shell(**keys: Any) -> dict[str, Any]:
    return GOOD | {"shell": SHELL | keys}


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        (GOOD | {"kind": "dumbbell"}, 'topology.kind: found "dumbbell"; allowed: "constellation"'),
        (GOOD | {"statoins": 1}, "topology.statoins: is no key here; did you mean 'stations'? allowed: kind, "),
        (GOOD | {"shell": "starlnk-550"}, "did you mean 'starlink-550'? \"kuiper-630\", "),
        ({"kind": "constellation", "stations": ["London"]}, "topology.shell: is missing; allowed: kuiper-630, "),
        (GOOD | {"shell": []}, "topology.shell: found []; allowed: at least one"),
        (GOOD | {"shell": 3}, "topology.shell: found 3; allowed: the name of a shell or a table"),
        (shell(planes=0), "topology.shell.planes: found 0; allowed: a whole number from 1 to 20000"),
        (shell(planes=True), "topology.shell.planes: found True; allowed: a whole number from 1 to 20000"),
        (shell(planes=1000, satellites_per_plane=100), "found 1000 x 100 satellites; allowed: at most 20000 in all"),
        (GOOD | {"shell": ["starlink-550"] * 13}, "topology.shell: found 20592 satellites; allowed: at most 20000"),
        (shell(inclination=181), "topology.shell.inclination: found 181; allowed: a number from 0 to 180 degrees"),
        (shell(altitude="-100 km"), 'topology.shell.altitude: found "-100 km"; allowed: 100 km to 100000 km'),
        (shell(altitude="550"), 'topology.shell.altitude: found "550"; allowed: 100 km to 100000 km, with a unit'),
        (shell(altitude=550), "topology.shell.altitude: found 550; allowed: 100 km to 100000 km, with a unit"),
        (
            shell(revolutions_per_day=15.19),
            "topology.shell.altitude: 550 km is 15.055 revolutions a day, and revolutions_per_day = 15.19 is 508.9 km",
        ),
        (
            GOOD | {"shell": {k: v for k, v in SHELL.items() if k != "altitude"} | {"revolutions_per_day": 17.5}},
            "topology.shell.revolutions_per_day: found 17.5, which is 111 km under the ground; allowed: 0.250 to 16.6",
        ),
        (GOOD | {"shell": {k: v for k, v in SHELL.items() if k != "altitude"}}, "topology.shell.altitude: is missing"),
        (GOOD | {"shell": {"planes": 3}}, "topology.shell.satellites_per_plane: is missing"),
        (shell(phasing=4), "topology.shell.phasing: found 4; allowed: a whole number from 0 to 3"),
        (shell(phasing=1, phases="alternating"), 'topology.shell.phasing: goes with phases = "adding"'),
        (shell(pattern="rose"), 'topology.shell.pattern: found "rose"; allowed: "delta", "star"'),
        (shell(epoch="yesterday"), 'topology.shell.epoch: found "yesterday"; allowed: a date and time from 1957 to'),
        (GOOD | {"start": "1900-01-01"}, "topology.start: found"),
        (GOOD | {"stations": ["Londn"]}, "topology.stations[0]: found \"Londn\"; allowed: did you mean 'London'? "),
        (GOOD | {"stations": ["Atlantis"]}, "one of 136 names, as Tokyo, Delhi, Shanghai, or a table"),
        (GOOD | {"stations": []}, "topology.stations: allowed: a list of 1 to 1000 names"),
        (GOOD | {"stations": ["Paris", "PARIS"]}, 'topology.stations[1]: the station "Paris" is there twice'),
        (GOOD | {"stations": [{"name": "x", "latitude": 91, "longitude": 0}]}, "found 91; allowed: a number from -90"),
        (GOOD | {"stations": [{"name": "x", "latitude": 1}]}, "topology.stations[0].longitude: is missing"),
        (GOOD | {"min_elevation": 90}, "topology.min_elevation: found 90; allowed: a number from 0 to 89 degrees"),
        (GOOD | {"min_elevation": -1}, "topology.min_elevation: found -1; allowed: a number from 0 to 89 degrees"),
        (GOOD | {"min_elevation": float("nan")}, "topology.min_elevation: found nan; allowed: a number from 0 to 89"),
        (GOOD | {"ground_limit": "range"}, "topology.ground_range: is missing"),
        (GOOD | {"ground_limit": "range", "ground_range": 5}, "topology.ground_range: found 5; allowed: a number from"),
        (GOOD | {"ground_range": "900 km"}, 'topology.ground_range: does not go with ground_limit = "elevation"'),
        (GOOD | {"lasers": "grid"}, "no such file"),
        (
            GOOD | {"lasers": [[0, 16]]},
            "topology.lasers[0]: found [0, 16]; allowed: two numbers of satellites from 0 to 15",
        ),
        (
            GOOD | {"lasers": [[0, 1], [1, 0]]},
            "topology.lasers[1]: found 1 and 0; allowed: two satellites, each pair once",
        ),
        (GOOD | {"lasers": [[2, 2]]}, "topology.lasers[0]: found 2 and 2; allowed: two satellites, each pair once"),
        (GOOD | {"lasers": [[0, n] for n in range(1, 10)]}, "topology.lasers[8]: found more than 8 lasers"),
        (GOOD | {"lasers": "+grid", "relay": "ground"}, 'topology.lasers: found "+grid"; allowed: "none" with relay'),
        (GOOD | {"clearance": "2000 km"}, "topology.clearance: found"),
        (GOOD | {"serving": "every day"}, 'topology.serving: found "every day"; allowed: every 0.001 s to 86400 s'),
        (GOOD | {"serving": "nearst"}, 'topology.serving: found "nearst"; allowed: did you mean \'nearest\'? "all", '),
        (GOOD | {"serving": "nearest", "serving_offset": "3 s"}, "topology.serving_offset: goes with serving = "),
        (GOOD | {"acquisition": "61 s"}, 'topology.acquisition: found "61 s"; allowed: 0 s to 60 s, with a unit'),
        (GOOD | {"step": "600 s"}, "topology.step: found 600 s; allowed: up to 281 s, the longest pass"),
        (GOOD | {"step": "0 s"}, 'topology.step: found "0 s"; allowed: 0.001 s to 3600 s, with a unit'),
        (GOOD | {"orbit": "sgp8"}, 'topology.orbit: found "sgp8"; allowed: did you mean \'sgp4\'? "sgp4", "circular"'),
    ],
)
def test_a_key_that_is_wrong_is_named_with_its_range(table: dict[str, Any], wanted: str, tmp_path: Path) -> None:
    if wanted == "no such file":
        with pytest.raises(OSError, match="No such file"):
            Constellation.from_toml(table, folder=tmp_path)
    else:
        assert wanted in message(table, tmp_path)


def test_the_longest_pass_is_that_of_a_satellite_overhead() -> None:
    """550 km, 25 degrees: 2 (acos(R cos e / r) - e) = 16.8 degrees at the speed less that of the ground, 281 s."""
    import math

    r, ground = 6_928_135.0, 6_378_137.0
    half = math.acos(ground * math.cos(math.radians(25)) / r) - math.radians(25)
    turning = math.sqrt(3.986008e14 / r**3) - 2 * math.pi / 86_164.1 * math.cos(math.radians(53))
    assert 2 * half / turning == pytest.approx(281, abs=0.5)


def test_routes_refuse_what_they_cannot_have() -> None:
    made = Constellation.from_toml(GOOD)
    for pairs, duration, step, wanted in (
        ([("London", "Pari")], 10, None, "there is no station 'Pari'; did you mean 'Paris'? allowed: London, Paris"),
        ([("London", "London")], 10, None, "allowed: two names of stations that differ"),
        (["London"], 10, None, "allowed: two names of stations that differ"),
        ([], 10, None, "there are no pairs of stations; allowed: at least one"),
        ([("London", "Paris")], 0.01, None, "duration: found 0.01 s; allowed: 1 to 10000000 steps of 0.1 s"),
        ([("London", "Paris")], 1e7, None, "duration: found 1e+07 s; allowed: 1 to 10000000 steps of 0.1 s"),
        ([("London", "Paris")], 1000, 600, "step: found 600 s; allowed: 0.001 to 281 s, the longest pass"),
        ([("London", "Paris")], float("nan"), None, "duration: found nan s"),
    ):
        with pytest.raises(InputError) as error:
            made.routes(pairs, duration, step)
        assert wanted in str(error.value)
    with pytest.raises(InputError, match="times are seconds"):
        made.positions([[0.0]])


def tle(folder: Path, text: str) -> str:
    (folder / "a.tle").write_text(text)
    return message({"kind": "constellation", "tle": "a.tle", "lasers": "none", "stations": ["London"]}, folder)


def changed(line: str, place: int, text: str) -> str:
    """A line with other columns, from 0, and the checksum that belongs to them."""
    return checked(line[:place] + text + line[place + len(text) : 68])


ONE, TWO = lines(Orbit())
OTHER = lines(Orbit(number=7))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            f"{ONE}\n{TWO[:-1]}{(int(TWO[-1]) + 1) % 10}\n",
            f'a.tle:2: the checksum is "{(int(TWO[-1]) + 1) % 10}"; allowed',
        ),
        (f"# a\n{ONE}\n{TWO}\nA\nB\n", "a.tle:4: found"),
        (f"A\n{ONE}\n{TWO}\n{OTHER[0]}\n{TWO}\n", 'a.tle:5: line 2 is of satellite "00001"; allowed: "00007"'),
        (f"{ONE}\n", "a.tle:1: the file ends behind line 1"),
        (f"{ONE}\n{ONE}\n", "a.tle:2: found"),
        (f"{ONE}\n{TWO[:60]}\n", "60 columns; allowed: line 2 of a satellite, 69 columns"),
        ("", "a.tle:1: there are no satellites; allowed: at least one"),
        (f"3 1\n{ONE}\n{TWO}\n", "a.tle:1: found 3 planes of 1 and 1 satellites"),
        (
            f"{ONE}\n{changed(TWO, 52, '17.50000000')}\n",
            "a.tle:2: the satellite's lowest altitude is -112 km; allowed: above",
        ),
        (f"{ONE}\n{changed(TWO, 26, '5000000')}\n", "a.tle:2: the satellite's lowest altitude is -29"),
        (
            f"{ONE}\n{changed(TWO, 8, '190.0000')}\n",
            'a.tle:2: inclination: found "190.0000"; allowed: a number from 0 to 180',
        ),
        (f"{ONE}\n{changed(TWO, 52, '99.00000000')}\n", "a.tle:2: revolutions a day: found"),
        (f"{changed(ONE, 20, '000')}\n{TWO}\n", "a.tle:1: day of the epoch: found"),
        (f"{changed(ONE, 20, '3x7')}\n{TWO}\n", "a.tle:1: day of the epoch: found"),
    ],
)
def test_elements_that_are_wrong_are_named_with_their_line(text: str, wanted: str, tmp_path: Path) -> None:
    assert wanted in tle(tmp_path, text)


def test_a_grid_needs_planes(tmp_path: Path) -> None:
    (tmp_path / "a.tle").write_text("\n".join([*lines(Orbit()), *OTHER]))
    table = {"kind": "constellation", "tle": "a.tle", "stations": ["London"]}
    assert 'topology.lasers: "+grid" needs the planes of the file' in message(table, tmp_path)
    assert "topology.planes: found 3; allowed: a whole number from 1 to 2" in message(table | {"planes": 3}, tmp_path)
    made = Constellation.from_toml(table | {"planes": 2}, folder=tmp_path)
    assert made.links([0.0]).lasers.tolist() == [[0, 1]]


def test_an_orbit_that_is_no_circle_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.tle").write_text("\n".join(lines(Orbit(eccentricity=0.1, turns=10.0))))
    table = {"kind": "constellation", "tle": "a.tle", "lasers": "none", "stations": ["London"], "orbit": "circular"}
    assert "00001 has an eccentricity of 0.1; allowed: up to 0.02" in message(table, tmp_path)


def test_a_satellite_for_which_sgp4_has_no_answer_is_named(tmp_path: Path) -> None:
    """A drag of 0.9 an earth radius brings it down within days."""
    (tmp_path / "a.tle").write_text("\n".join(lines(Orbit(turns=16.2, drag=" 90000+0"))))
    table = {"kind": "constellation", "tle": "a.tle", "lasers": "none", "stations": ["London"]}
    made = Constellation.from_toml(table | {"start": "2024-05-30T00:00:00"}, folder=tmp_path)
    with pytest.raises(InputError, match=r"00001: SGP4 at 0 s: "):
        made.positions([0.0])


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sgp4.api", None)
    assert message(GOOD | {"orbit": "sgp4"}) == (
        "orbit \"sgp4\" needs the package sgp4: pip install 'photocol[orbits]'"
    )
    Constellation.from_toml(GOOD).positions([0.0])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("name,latitude\nA,1\n", 'c.csv:1: there is no column "longitude"'),
        ("name,latitude,longitude\nA,91,0\n", 'c.csv:2: latitude: found "91"; allowed: a number from -90 to 90'),
        ("name,latitude,longitude\nA,1,0\n\nA,2,0\n", 'c.csv:4: the station "A" is there twice'),
        ("name,latitude,longitude\nA,1\n", "c.csv:2: found 2 columns; allowed: 3"),
        ("name,latitude,longitude\n,1,1\n", "c.csv:2: the name is empty"),
        ("name,latitude,longitude\n", "c.csv:1: there are no stations"),
    ],
)
def test_a_table_of_stations_that_is_wrong_is_named_with_its_line(text: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(text)
    assert wanted in message({"kind": "constellation", "shell": SHELL, "cities": "c.csv"}, tmp_path)


def test_stations_come_from_a_table_all_or_by_name(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("City;Lat;Lon;population\nSão-Paulo;-23.5;-46.6;22.9\nX;90;0;0\n")
    table = {"kind": "constellation", "shell": SHELL, "cities": "c.csv"}
    made = Constellation.from_toml(table, folder=tmp_path)
    assert [(one.name, one.latitude_deg, one.population_m) for one in made.stations] == [
        ("São-Paulo", -23.5, 22.9),
        ("X", 90.0, 0.0),
    ]
    chosen = Constellation.from_toml(table | {"stations": ["sao paulo"]}, folder=tmp_path)
    assert [one.name for one in chosen.stations] == ["São-Paulo"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0,1\n1,0\n", "l.csv:2: found 1 and 0; allowed: two satellites, each pair once"),
        ("one,other\n0,16\n", 'l.csv:2: satellite: found "16"; allowed: a whole number from 0 to 15'),
        ("0,1,2\n", "l.csv:1: found 3 columns"),
    ],
)
def test_a_list_of_lasers_that_is_wrong_is_named_with_its_line(text: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text(text)
    assert wanted in message(GOOD | {"lasers": "l.csv"}, tmp_path)
    (tmp_path / "l.csv").write_text("from,to\n3,1\n0,1\n")
    made = Constellation.from_toml(GOOD | {"lasers": "l.csv"}, folder=tmp_path)
    assert made.links([0.0]).lasers.tolist() == [[0, 1], [1, 3]]


TEXT = """
[topology]
kind = "constellation"
min_elevation = 95 # degrees
stations = [
  "London",
]

[[topology.shell]]
planes = 4
satellites_per_plane = 4
inclination = 53
altitude = "550 km"

[[topology.shell]]
planes = 0
"""


def test_a_file_says_the_line_and_the_column(tmp_path: Path) -> None:
    file = tmp_path / "leo.toml"
    file.write_text(TEXT)
    for change, wanted in (
        ("", "16:10: topology.shell[1].planes: found 0; allowed: a whole number"),
        ("planes = 3\nsatellites_per_plane = 3\n", "15:1: topology.shell[1].inclination: is missing"),
    ):
        file.write_text(TEXT.replace("planes = 0\n", change) if change else TEXT)
        table, places = read_toml(file)
        with pytest.raises(InputError) as error:
            Constellation.from_toml(table["topology"], folder=tmp_path, places=places)
        assert str(error.value).startswith(f"{file}:{wanted}")
    file.write_text(TEXT[: TEXT.rindex("[[")])
    table, places = read_toml(file)
    with pytest.raises(InputError, match=r"leo.toml:4:17: topology.min_elevation: found 95"):
        Constellation.from_toml(table["topology"], folder=tmp_path, places=places)
    file.write_text("[topology\n")
    with pytest.raises(InputError, match=r"leo.toml: .*line 1"):
        read_toml(file)


KEYS = ["kind", "shell", "stations", "lasers", "serving", "step", "min_elevation", "relay", "orbit", "seam", "start"]
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(alphabet="every 15skm+grid\x00é", max_size=12),
    st.lists(st.integers(-3, 20), max_size=3),
    st.dictionaries(st.sampled_from(["name", "planes", "altitude"]), st.integers(-2, 9), max_size=3),
)


@settings(max_examples=300)
@given(key=st.sampled_from(KEYS), value=VALUES, inner=st.booleans())
def test_whatever_stands_there_is_refused_or_a_constellation(key: str, value: Any, inner: bool) -> None:
    table = shell(**{key: value}) if inner else GOOD | {key: value}
    try:
        Constellation.from_toml(table).positions([0.0])
    except (InputError, OSError):
        return


@settings(max_examples=300)
@given(
    line=st.integers(0, 1),
    place=st.integers(0, 68),
    text=st.text(alphabet="0123456789 -+.eEA\r\n\t\x00é", min_size=1, max_size=6),
    is_summed=st.booleans(),
)
def test_whatever_stands_in_elements_is_refused_with_its_line_or_read(
    line: int, place: int, text: str, is_summed: bool
) -> None:
    both = [ONE, TWO]
    both[line] = both[line][:place] + text + both[line][place + len(text) :]
    if is_summed and len(both[line]) == 69:
        both[line] = checked(both[line][:68])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "a.tle").write_text("\n".join(both), encoding="utf-8", newline="")
        table = {"kind": "constellation", "tle": "a.tle", "lasers": "none", "stations": ["London"]}
        try:
            Constellation.from_toml(table, folder=folder).positions([0.0])
        except InputError as error:
            assert re.search(r"a\.tle:\d+: |SGP4 at 0 s|topology\.start|longest pass", str(error))
