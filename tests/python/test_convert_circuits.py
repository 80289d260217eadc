"""`photocol convert`: contact plans, OrbCC's courses, the schedules of Opera and OpenOptics, as events of links."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import photocol as package
from photocol import InputError, convert
from photocol.conversions import ion
from photocol.conversions.choices import Choices
from photocol.conversions.source import read

if TYPE_CHECKING:
    from pathlib import Path

PLAN = "start,end,from,to,rate_mbps,delay\n1,2,a,b,10,0.1\n2,3,a,b,20,0.1\n5,6,a,b,10,0.2\n0,6,b,a,10,0.1\n"
ION = """## begin ionadmin
1 1 ''
a contact +10 +100 1 2 125000
a contact +0 +100 2 1 125000
a range +0 +100 1 2 1
m horizon +0
"""
OPERA = """4 1 1 4
6 88000000 2000000 10000000
1 0 3 2
1 0 3 2
-1 -1 -1 -1
2 3 0 1
2 3 0 1
-1 -1 -1 -1
0
0 1 1
"""
OPTICS = {
    "nb_node": 4,
    "time_slice_duration_us": 50,
    "guardband_us": 2,
    "ocs_tor_link_bw_gbps": 10,
    "tor_host_link_bw_gbps": 40,
    "circuits": [[0, 0, 1, 0, 0], [0, 2, 3, 0, 0], [1, 0, 2, 0, 0], [1, 1, 3, 0, 0]],
}


def made(place: Path, name: str, text: str, *others: Path, **choices: Any) -> dict[str, Any]:
    """The scenario that is written from a file of this text; it is valid."""
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text(text)
    convert(place / name, *others, to=place / "made.toml", force=True, **choices)
    assert package.check(place / "made.toml").warnings == ()
    return tomllib.loads((place / "made.toml").read_text())


def test_a_contact_plan_is_links_that_come_and_go(tmp_path: Path) -> None:
    scenario = made(tmp_path, "plan.csv", PLAN)
    assert scenario["event"] == [
        {"at": "0 s", "link": "a->b", "state": "down"},
        {"at": "1 s", "link": "a->b", "state": "up"},
        {"at": "2 s", "link": "a->b", "capacity": "20 Mbps"},
        {"at": "3 s", "link": "a->b", "state": "down"},
        {"at": "5 s", "link": "a->b", "capacity": "10 Mbps", "delay": "200 ms", "state": "up"},
    ]
    assert scenario["link"] == [{"from": "b", "to": "a", "capacity": "10 Mbps", "delay": "100 ms"}]
    assert scenario["topology"] == {"kind": "custom", "reroute_after": "1 us", "routing": "first"}
    assert scenario["run"]["duration"] == "6 s"
    paused = made(tmp_path, "plan.csv", PLAN, between="pause", duration="4 s")
    assert [one.get("capacity") for one in paused["event"]] == ["8 bps", "10 Mbps", "20 Mbps", "8 bps"]
    assert paused["topology"] == {"kind": "custom", "routing": "first"}


def test_a_contact_carries_what_its_rate_and_time_allow(tmp_path: Path) -> None:
    scenario = made(tmp_path, "plan.csv", PLAN)
    source = {"transport": {"algorithm": "udp", "packet_size": 1000}, "traffic": {"rate": "40 Mbps"}}
    scenario |= {"transport": {"cbr": source["transport"]}}
    scenario["traffic"] = [{"transport": "cbr", "from": "a", "to": "b", **source["traffic"]}]
    carried = package.run(scenario).links.filter(pl.col("link") == "a->b")["carried_units"][0] * 1000
    # 1 s of 10 Mb/s, 1 s of 20 Mb/s, 1 s of 10 Mb/s: 5 MB, but for a packet at each change.
    assert abs(carried - 5_000_000) <= 4000


def test_the_commands_of_ion(tmp_path: Path) -> None:
    scenario = made(tmp_path, "host1.rc", ION)
    # 125 000 B/s are 1 Mb/s; a range counts in both directions.
    assert scenario["link"] == [{"from": "2", "to": "1", "capacity": "1 Mbps", "delay": "1 s"}]
    assert scenario["event"] == [
        {"at": "0 s", "link": "1->2", "state": "down"},
        {"at": "10 s", "link": "1->2", "state": "up"},
    ]
    dated = ION.replace("+0 ", "2030/01/01-00:00:00 ").replace("+10 ", "2030/01/01-00:00:10 ")
    assert made(tmp_path, "host1.rc", dated.replace("+100", "2030/01/01-00:01:40")) == scenario


def contacts(place: Path, text: str, **choices: Any) -> tuple[list[tuple[str, str, int, int, Any, Any]], list[str]]:
    """Source, target, times in seconds, bit/s and seconds of light of each contact of a plan; and what was told."""
    (place / "plan.ionrc").write_text(text)
    one = ion.read_ion(read(place / "plan.ionrc"), Choices(**choices))
    found = []
    for contact in one.contacts:
        light = None if contact.delay_ps is None else contact.delay_ps // 10**12
        times = (contact.start_ps // 10**12, contact.end_ps // 10**12)
        found.append((contact.source, contact.target, *times, contact.bps, light))
    return found, one.warnings


BOTH = "a contact +0 +100 1 2 1000\na contact +0 +100 2 1 1000\n"


# ionrc(5), "add range": from the smaller to the greater number it holds for the way back, unless one is said for that;
# from the greater to the smaller it says nothing of the way back.
@pytest.mark.parametrize(
    ("ranges", "there", "back"),
    [
        ("a range +0 +999 1 2 1\n", 1, 1),
        ("a range +0 +999 1 2 1\na range +0 +999 2 1 3\n", 1, 3),
        ("a range +0 +999 2 1 3\na range +0 +999 1 2 1\n", 1, 3),
        ("a range +0 +999 2 1 3\n", None, 3),
        ("", None, None),
    ],
)
def test_a_range_of_ion_has_a_direction(ranges: str, there: int | None, back: int | None, tmp_path: Path) -> None:
    for text in (BOTH + ranges, ranges + BOTH):
        found, told = contacts(tmp_path, text)
        assert [(one[0], one[5]) for one in found] == [("1", there), ("2", back)]
        assert any("no range says the delay" in one for one in told) == (there is None)
    # 9 is less than 10 as a number, not as a text.
    found, _ = contacts(tmp_path, "a contact +0 +9 9 10 1000\na contact +0 +9 10 9 1000\na range +0 +9 9 10 4\n")
    assert [one[5] for one in found] == [4, 4]


def test_a_contact_of_ion_has_the_ranges_of_its_time(tmp_path: Path) -> None:
    ranges = "a range +0 +30 1 2 1\na range +30 +60 1 2 2\na range +20 +40 2 1 7\n"
    found, told = contacts(tmp_path, BOTH + ranges)
    assert [(one[0], *one[2:4], one[5]) for one in found] == [
        ("1", 0, 30, 1),
        ("1", 30, 60, 2),
        ("1", 60, 100, None),
        ("2", 0, 20, 1),
        ("2", 20, 30, 7),
        ("2", 30, 40, 7),
        ("2", 40, 60, 2),
        ("2", 60, 100, None),
    ]
    assert told == ["no range says the delay of contacts, or of a part (2): 1->2, 2->1"]


def test_what_makes_no_link_in_a_plan_of_ion_is_told(tmp_path: Path) -> None:
    # ionrc(5): a registration begins at -1, a hypothetical contact ends at 0. Every node has a contact with itself.
    text = "a contact -1 -1 1 1 0\na contact -1 -1 2 2 0\na contact 0 0 1 2 0\n"
    text += "a contact +0 +9 1 1 1000\na range +0 +9 1 1 0\n"
    found, told = contacts(
        tmp_path, f"## begin ionadmin\n1 1 ''\n{text}{BOTH}m production 1000000\ns\n## end ionadmin\n"
    )
    assert len(found) == 2
    assert told[:4] == [
        "left out, registrations: 2",
        "left out, hypothetical contacts: 1",
        "left out, contacts of a node with itself: 1",
        "left out, ranges of a node with itself: 1",
    ]
    plan = "start,end,from,to\n0,1,a,a\n0,1,a,b\n0,1,b,a\n"
    (tmp_path / "plan.csv").write_text(plan)
    assert "left out, contacts of a node with itself: 1" in convert(tmp_path / "plan.csv").warnings[0]


def test_the_reference_time_of_ion_moves(tmp_path: Path) -> None:
    # tests/cgr-test/global.ionrc has "@ +1200" between its contacts: each counts from the last. "@ 0" is the beginning.
    text = "a contact +0 +10 1 2 1000\n@ +1200\na contact +0 +10 1 2 1000\n@ +1200\na contact +5 +10 1 2 1000\n"
    found, _ = contacts(tmp_path, f"{text}@ 0\na contact +20 +30 1 2 1000\n")
    assert [one[2:4] for one in found] == [(0, 10), (1200, 1210), (2405, 2410), (20, 30)]
    dated = (
        "@ 2030/01/01-00:00:00\na contact +5 +10 1 2 1000\na contact 2030/01/01-00:01:00 2030/01/01-00:02:00 1 2 1000\n"
    )
    assert contacts(tmp_path, dated)[0] == [("1", "2", 5, 10, 8000, None), ("1", "2", 60, 120, 8000, None)]
    _, told = contacts(tmp_path, dated.replace("@ 2030/01/01-00:00:00\n", "").replace("+10 1 2", "+10 1 3"))
    assert "times such as +5 count from the earliest date: no date behind @ says another" in told


def test_commands_of_ion_change_and_delete(tmp_path: Path) -> None:
    text = f"{BOTH}a contact +200 +300 1 2 1000\na range +0 +999 1 2 5\nc contact +200 1 2 2000\nd contact +0 2 1\n"
    assert contacts(tmp_path, text)[0] == [("1", "2", 0, 100, 8000, 5), ("1", "2", 200, 300, 16000, 5)]
    found, _ = contacts(tmp_path, f"{text}d range * 1 2\na contact +0 +100 2 1 3000\nd contact * 1 2\n")
    assert found == [("2", "1", 0, 100, 24000, None)]
    # The same command again changes nothing.
    assert contacts(tmp_path, BOTH + BOTH)[0] == contacts(tmp_path, BOTH)[0]


def test_a_plan_with_one_way_contacts_only_counts_both_ways(tmp_path: Path) -> None:
    for name, text in (
        ("plan.ionrc", "a contact +0 +10 1 2 125000\na contact +20 +30 2 3 125000\na range +0 +30 1 2 1\n"),
        ("plan.csv", "from,to,start,end,rate_mbps,delay\n1,2,0,10,1,1\n2,3,20,30,1,1\n"),
    ):
        (tmp_path / name).write_text(text)
        made_of = convert(tmp_path / name)
        assert {one["link"] for one in made_of.to_dict()["event"]} <= {"1<->2", "2<->3"}
        assert all(one.get("duplex", True) for one in made_of.to_dict()["link"])
        assert any("no two nodes have a way there and back: contacts count in both" in one for one in made_of.warnings)
        with pytest.raises(InputError, match="no file has two nodes with a way there and back"):
            convert(tmp_path / name, directed=True)


def test_ranges_and_contacts_cost_no_more_than_they_are(tmp_path: Path) -> None:
    """A thousand contacts and two thousand ranges in turn: each contact has a piece for each range in it."""
    text = "".join(f"a contact +{10 * at} +{10 * at + 9} 1 2 1000\n" for at in range(1000))
    text += "".join(f"a range +{5 * at} +{5 * at + 5} 1 2 {1 + at % 2}\n" for at in range(2000))
    found, _ = contacts(tmp_path, text)
    assert len(found) == 2000


def test_the_courses_of_orbcc(tmp_path: Path) -> None:
    trips = tmp_path / "baseRtts" / "run1.json"
    trips.parent.mkdir()
    trips.write_text('{"0": 6, "5.118": 60, "10.05": 6}')
    text = '{"0": 53, "5.118": 60, "10.05": 70}'
    scenario = made(tmp_path, "bandwidths/run1.json", text, trips, handover_every="5 s")
    # Three links share the round trip: a sixth each way.
    assert [(one["from"], one["to"], one["capacity"], one["delay"]) for one in scenario["link"]] == [
        ("client", "router1", "10 Gbps", "1 ms"),
        ("router1", "router2", "53 Mbps", "1 ms"),
        ("router2", "server", "10 Gbps", "1 ms"),
    ]
    middle = [one for one in scenario["event"] if one["link"] == "router1<->router2"]
    assert middle == [
        {"at": "5 s", "link": "router1<->router2", "state": "down"},
        {"at": "5118 ms", "link": "router1<->router2", "capacity": "60 Mbps", "delay": "10 ms", "state": "up"},
        {"at": "10 s", "link": "router1<->router2", "state": "down"},
    ]
    assert scenario["traffic"] == [{"transport": "cubic", "from": "client", "to": "server"}]
    assert (
        made(tmp_path, "bandwidths/run1.json", text, buffer="340 packets")["link_defaults"]["buffer"] == "340 packets"
    )
    soft = made(tmp_path, "bandwidths/run1.json", text)
    assert soft["event"] == [{"at": "5118 ms", "link": "router1<->router2", "capacity": "60 Mbps"}]
    assert soft["run"]["duration"] == "10050 ms"


def test_the_schedule_of_opera(tmp_path: Path) -> None:
    scenario = made(tmp_path, "opera.txt", OPERA)
    assert len(scenario["link"]) == 8
    assert scenario["link_defaults"] == {"capacity": "10 Gbps", "delay": "500 ns"}
    pairs = [["tor0->tor1", "tor1->tor0", "tor2->tor3", "tor3->tor2"]]
    pairs.append(["tor0->tor2", "tor1->tor3", "tor2->tor0", "tor3->tor1"])
    assert [(one["at"], sorted(one["link"]), one["capacity"]) for one in scenario["event"]] == [
        ("0 s", pairs[1], "8 bps"),
        ("90 us", pairs[0], "8 bps"),
        ("100 us", pairs[1], "10 Gbps"),
        ("190 us", pairs[1], "8 bps"),
    ]
    assert scenario["run"]["duration"] == "200 us"
    again = made(tmp_path, "opera.txt", OPERA, cycles=3)
    assert again["run"]["duration"] == "600 us"
    assert [one["at"] for one in again["event"]][4:6] == ["200 us", "290 us"]


def test_a_circuit_that_goes_on_has_no_break(tmp_path: Path) -> None:
    # Switch dark in its last slice, the same matching in both superslices.
    text = OPERA.replace("2 3 0 1", "1 0 3 2").replace("-1 -1 -1 -1", "1 0 3 2")
    scenario = made(tmp_path, "opera.txt", text, cycles=2)
    assert "event" not in scenario


@pytest.mark.parametrize("form", ["json", "csv"])
def test_the_circuits_of_openoptics(form: str, tmp_path: Path) -> None:
    rows = "".join(",".join(map(str, row)) + "\n" for row in OPTICS["circuits"])  # type: ignore[attr-defined]
    choices = {} if form == "json" else {"slice": "50 us", "guard": "2 us"}
    text = json.dumps(OPTICS) if form == "json" else f"time_slice,node1,node2,port1,port2\n{rows}"
    scenario = made(tmp_path, f"circuits.{form}", text, **choices)
    assert [(one["at"], one["link"], one["capacity"]) for one in scenario["event"]] == [
        ("0 s", ["tor0<->tor1", "tor2<->tor3", "tor0<->tor2", "tor1<->tor3"], "8 bps"),
        ("2 us", ["tor0<->tor1", "tor2<->tor3"], "10 Gbps"),
        ("50 us", ["tor0<->tor1", "tor2<->tor3"], "8 bps"),
        ("52 us", ["tor0<->tor2", "tor1<->tor3"], "10 Gbps"),
    ]
    assert scenario["run"]["duration"] == "100 us"
    assert [node["role"] for node in scenario["node"]] == ["core"] * 4 + ["host"] * 4


def test_a_circuit_carries_its_slices_and_keeps_what_waits(tmp_path: Path) -> None:
    scenario = made(tmp_path, "circuits.json", json.dumps(OPTICS), cycles=20, duration="2 ms")
    scenario["link_defaults"]["buffer"] = "1000 packets"
    scenario["transport"] = {"cbr": {"algorithm": "udp", "packet_size": 1000}}
    scenario["traffic"] = [{"transport": "cbr", "from": "0", "to": "1", "rate": "9 Gbps"}]
    result = package.run(scenario)
    carried = result.links.filter(pl.col("link") == "tor0->tor1")["carried_units"][0] * 1000
    # 48 of every 100 us at 10 Gb/s for 2 ms: 1.2 MB, but for a packet at each of 20 changes.
    assert abs(carried - 1_200_000) <= 20 * 1000


def test_too_many_events_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"opera\.txt: 1000000 cycles of 8 contacts are too many; allowed: 500000 in all"
    ):
        made(tmp_path, "opera.txt", OPERA, cycles=1_000_000)


WRONG = {
    "a.csv": ("start,end,from,to\n0,5,a,b\n4,6,a,b\n", r"a\.csv:3: the contact of a to b overlaps the one of line 2"),
    "b.csv": ("start,end,from,to\n5,5,a,b\n", r"b\.csv:2: the contact ends before it starts; allowed: an end after"),
    "c.csv": ("start,end,from,to\n0,1e9,a,b\n", r'c\.csv:2: end: found "1e9"; allowed: 0 s to 213 days'),
    "d.csv": ("start,end,from,to,rate\n0,1,a,b,5\n", r'd\.csv:2: rate: found "5"; allowed: 8 bps to 1000 Tbps'),
    "e.csv": ("start,end,from,to\n0,1,a,a\n", r"e\.csv:2: a contact needs two nodes; allowed: two names that differ"),
    "f.rc": ("a contact +0 +1 1\n", r"f\.rc:1: found .*; allowed: a contact start end from to value"),
    "g.rc": ("a contact 2030/13/01-00:00:00 +1 1 2 9\n", r"g\.rc:1: found .*; allowed: yyyy/mm/dd-hh:mm:ss"),
    "h.json": ('{"0": 5, "0": 6}', r'h\.json:1: the key "0" is there twice'),
    "i.json": ('{"0": 5,\n "5": "fast"}', r'i\.json:2: value: found "fast"; allowed: 8 bps to 1000 Tbps'),
    "j.json": ('{"5": 5, "6": 6}', r"j\.json:1: there is no value at 0; allowed: a table that begins with it"),
    "k.json": ('{"0": 5,\n "5": }', r"k\.json:2: not JSON: Expecting value"),
    "l.json": ('{"0": 5}', r"l\.json:1: there are fewer than two times"),
    "m.txt": (OPERA.replace("4 1 1 4", "5 1 1 4"), r"m\.txt:1: found 5 hosts; allowed: 1 at each of 4 racks"),
    "n.txt": (OPERA.replace("2 3 0 1", "2 4 0 1"), r'n\.txt:6: neighbour: found "4"; allowed: .* from -1 to 3'),
    "o.txt": ("4 1 1 4\n6 1 1 1\n1 0 3 2\n", r"o\.txt:3: found 0 neighbours; allowed: 4, for each uplink"),
    "p.json": ('{"circuits": [[0, 0, 1]]}', r"p\.json:1: the time of a slice is not known .*; allowed: slice, such as"),
    "q.json": ('{"circuits": [[0, 0]]}', r"q\.json:1: found .*; allowed: \[time_slice, node1, node2, port1, port2\]"),
    "r.json": ("[" * 100_000, r"r\.json:1: (too many lists within lists|found)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_line_and_what_is_allowed(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        convert(tmp_path / name)
