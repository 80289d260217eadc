"""What the laboratory draws beside curves: bars of work, days, flows under way, tiers and rings, from arithmetic."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest

import photocol
from photocol import _core
from photocol.lab import answers, spans
from photocol.report import shapes
from photocol.runs import bundled
from photocol.runs.scenario import load

FAT_TREE = """[run]
duration = "10 ms"
[topology]
kind = "fat-tree"
k = 4
capacity = "1 Gbps"
delay = "1 us"
[[traffic]]
transport = "cubic"
pairs = [["h0", "h15"]]
"""


def drawn(text: str) -> dict[str, Any]:
    """The picture of a run at its end."""
    loaded = load(text, answers.probes(text, load(text)))
    picture = answers.Picture(loaded)
    simulation = _core.Simulation(loaded, loaded.seed, 0)
    simulation.advance(loaded.duration_s)
    return picture.of(simulation.finish(), loaded.duration_s, is_over=True)


def test_a_fat_tree_stands_in_four_tiers() -> None:
    """k = 4: 16 hosts, 8 edge switches, 8 aggregation switches and 4 of the core (Al-Fares et al. 2008)."""
    nodes = drawn(FAT_TREE)["network"]["nodes"]
    heights = sorted({node["y"] for node in nodes})
    assert [sum(node["y"] == height for node in nodes) for height in heights] == [4, 8, 8, 16]
    for height in heights:
        row = sorted(node["x"] for node in nodes if node["y"] == height)
        steps = [b - a for a, b in pairwise(row)]
        assert max(steps) - min(steps) < 1e-3
    hosts = sorted((node["x"], node["name"]) for node in nodes if node["role"] == "host")
    assert [name for _, name in hosts] == [f"h{k}" for k in range(16)]


@pytest.mark.parametrize(
    ("nodes", "links", "core"),
    [
        ("abc", ["ab", "bc"], "b"),  # two tiers are no tree
        ("abcd", ["ab", "cd", "bc", "bd", "ad"], "bd"),  # a link within a tier
        ("abcdx", ["ab", "bc", "cd"], "bc"),  # a node that nothing joins
    ],
)
def test_other_networks_have_no_tiers(nodes: str, links: list[str], core: str) -> None:
    assert shapes.tiers(list(nodes), [(a, b) for a, b in links], set(core)) is None


def test_racks_stand_in_a_ring_with_their_hosts_outside() -> None:
    racks = [f"t{k}" for k in range(8)]
    hosts = [f"{rack}h{k}" for rack in racks for k in range(2)]
    links = [(host, host[:2]) for host in hosts] + [(rack, "r0") for rack in racks]
    at = shapes.ring([*racks, *hosts, "r0"], links, racks, {"r0"})
    assert all(math.isclose(math.hypot(*at[rack]), 1) for rack in racks)
    for one, other in pairwise([*racks, racks[0]]):
        assert math.isclose(math.dist(at[one], at[other]), 2 * math.sin(math.pi / 8))
    for host in hosts:
        nearest = min(racks, key=lambda rack: math.dist(at[rack], at[host]))
        assert nearest == host[:2]
        assert math.hypot(*at[host]) > 1
    assert at["r0"] == (0, 0)


def test_work_has_a_bar_for_each_transfer_and_computation() -> None:
    """A ring of 4 ranks has 2 · 3 steps, in each of which each rank sends once: 24 bars, and a computation each."""
    text = """[run]
duration = "50 ms"
[topology]
kind = "star"
leaves = 4
[link_defaults]
capacity = "1 Gbps"
delay = "1 us"
[[traffic]]
transport = "cubic"
work = { collective = "all-reduce", algorithm = "ring", size = "40 kB", rounds = 1, compute = "1 ms" }
"""
    picture = drawn(text)
    tasks = picture["tasks"]
    assert tasks["rows"] == [f"rank {rank}" for rank in range(4)]
    kinds = [bar[3] for bar in tasks["bars"]]
    assert (kinds.count(0), kinds.count(1), tasks["left"]) == (24, 4, 0)
    assert {bar[4] for bar in tasks["bars"] if bar[3] == 0} == set(range(6))
    ends = [bar[2] for bar in tasks["bars"]]
    assert picture["active_until_s"] == max(ends) == photocol.run(text).summary["work_time"]


def test_light_is_drawn_below_the_ranks_and_at_its_moment() -> None:
    text = bundled.found("ocs").read_text()
    picture = drawn(text)
    assert picture["tasks"]["rows"][-2:] == ["o0", "o1"]
    assert picture["circuits"]["racks"] == [f"n{k}" for k in range(8)]
    assert picture["circuits"]["switches"] == ["o0", "o1"]
    for switch in ("o0", "o1"):
        begin = min(turn[3] for turn in picture["turns"] if turn[0] == switch)
        first = [turn for turn in picture["turns"] if turn[0] == switch and turn[3] == begin]
        # A matching: each end once.
        assert len({turn[1] for turn in first}) == len({turn[2] for turn in first}) == len(first)


@pytest.mark.parametrize(("name", "racks", "switches"), [("rotornet", 16, 3), ("opera", 16, 4), ("racks", 25, 1)])
def test_schedules_of_light_have_racks_in_a_ring(name: str, racks: int, switches: int) -> None:
    text = bundled.found(name).read_text()
    loaded = load(bundled.found(name), answers.probes(text, load(bundled.found(name))))
    simulation = _core.Simulation(loaded, loaded.seed, 0)
    simulation.advance(loaded.duration_s, 1000)
    picture = answers.Picture(loaded).of(simulation.so_far(), simulation.now_s)
    assert (len(picture["circuits"]["racks"]), len(picture["circuits"]["switches"])) == (racks, switches)
    at = {node["name"]: (node["x"] - 0.5, node["y"] - 0.5) for node in picture["network"]["nodes"]}
    far = [math.hypot(*at[rack]) for rack in picture["circuits"]["racks"]]
    assert max(far) - min(far) < 0.02


def test_days_are_the_phases_with_most_capacity() -> None:
    phases = [{"duration": "180 us", "capacity": "80 Gbps"}, {"duration": "20 us", "capacity": "0 bps"}]
    one = {"link": "a->b", "period": "4.8 ms", "offset": "0.6 ms", "phases": phases}
    expected = {"period_s": 4.8e-3, "offset_s": 0.6e-3, "days": [[0.0, 180e-6]]}
    assert spans.days({"link_phases": [one, {**one, "link": "b->a"}]}) == expected
    # Links with days of their own have no common shade.
    assert spans.days({"link_phases": [one, {**one, "offset": "1 ms"}]}) is None
    assert spans.days({}) is None


def test_flows_under_way_are_counted_by_traffic() -> None:
    """Each flow of 125 kB takes 100 ms at 10 Mb/s, and more; the second begins at 1 s."""
    text = """[run]
duration = "2 s"
[topology]
kind = "dumbbell"
pairs = 1
bottleneck_capacity = "10 Mbps"
bottleneck_delay = "1 ms"
[[traffic]]
name = "early"
transport = "cubic"
size = "125 kB"
[[traffic]]
name = "late"
transport = "cubic"
size = "125 kB"
start = "1 s"
"""
    result = photocol.run(text)
    table = spans.under_way(result, 2.0, 2.0)
    for name, start in (("early", 0.0), ("late", 1.0)):
        rows = table.filter(table["entity"] == name).select("t_s", "value").rows()
        end = start + float(result.flows.filter(result.flows["traffic"] == name)["completion_s"][0])
        # Samples are 8 ms apart; one counts what was there since the one before.
        assert all(value == float(start <= t < end + 0.008) for t, value in rows if not 0 <= t - end - 0.008 < 1e-9)
        assert sum(value for _, value in rows) * 0.008 == pytest.approx(end - start, abs=0.017)


def test_the_summary_has_goodput_by_traffic_and_the_place_of_the_longest_queue() -> None:
    result = photocol.run("quic")
    rows = {row["name"]: row for row in spans.told([{"name": "max_queue", "of": ""}], result)}
    assert rows["max_queue"]["of"] == "at left->right"
    # All flows of quic send to the end, at 30 s.
    parts = [row["value"] for name, row in rows.items() if name.startswith("goodput of ")]
    assert len(parts) == result.flows["traffic"].n_unique()
    by_hand = dict.fromkeys(result.flows["traffic"].unique(), 0.0)
    for row in result.flows.iter_rows(named=True):
        first = result.flows.filter(result.flows["traffic"] == row["traffic"])["start_s"].min()
        by_hand[row["traffic"]] += 8 * row["bytes_arrived"] / (30 - first)
    assert {name: rows[f"goodput of {name}"]["value"] for name in by_hand} == pytest.approx(by_hand)


def test_the_largest_flow_of_each_part_of_the_time_has_a_curve() -> None:
    text = bundled.found("web-search").read_text()
    loaded = load(bundled.found("web-search"))
    chosen = answers.probes(text, loaded)["probe.flows"]
    flows = photocol.run("web-search").flows
    starts = flows.filter(flows["flow"].is_in(chosen))["start_s"].sort().to_list()
    eighth = loaded.duration_s / 8
    assert [int(start / eighth) for start in starts] == list(range(8))
    for flow in chosen:
        row = flows.row(flow, named=True)
        low = int(row["start_s"] / eighth) * eighth
        of_part = flows.filter((flows["start_s"] >= low) & (flows["start_s"] < low + eighth))
        assert row["size_bytes"] == of_part["size_bytes"].max()


@pytest.mark.parametrize("name", [name for name, _ in bundled.scenarios()])
def test_every_ready_made_scenario_has_a_useful_first_picture(name: str) -> None:
    """What the page has after the first 300 000 events: a network, curves or bars that are not zero."""
    file = bundled.found(name)
    loaded = load(file, answers.probes(file.read_text(), load(file)))
    picture = answers.Picture(loaded)
    simulation = _core.Simulation(loaded, loaded.seed, 0)
    simulation.advance(loaded.duration_s, 300_000)
    first = picture.of(simulation.so_far(), simulation.now_s)
    assert len(first["network"]["nodes"]) >= 2
    quantities = {part["quantity"] for part in first["series"]["parts"]}
    assert quantities & {"cwnd", "bytes_arrived"}
    assert quantities & {"queue", "utilization"}
    assert len(json.dumps(first, allow_nan=False)) < 2_000_000


def test_in_a_large_network_links_between_switches_are_sampled() -> None:
    """200 hosts around 2 switches that have two fibres to one another, one of them in one direction only."""
    text = """[run]
duration = "1 ms"
[[traffic]]
transport = "cubic"
from = "h0"
to = "h1"
"""
    names = [*(f"h{k}" for k in range(200)), "x", "y"]
    text += "".join(f'[[node]]\nname = "{one}"\nrole = "{"core" if one in "xy" else "host"}"\n' for one in names)
    ends = [*((f"h{k}", "xy"[k % 2], "true", "") for k in range(200)), ("x", "y", "true", "")]
    ends.append(("x", "y", "false", "parallel = true\n"))
    text += "".join(
        f'[[link]]\nfrom = "{a}"\nto = "{b}"\ncapacity = "1 Gbps"\ndelay = "1 us"\nduplex = {both}\n{more}'
        for a, b, both, more in ends
    )
    chosen = answers.probes(text, load(text))
    assert chosen["probe.links"] == ["x->y", "y->x"]
    assert load(text, chosen).duration_s == 1e-3
