"""`photocol convert`: networks and traffic matrices of others, and the gaps that such files have."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from command import photocol

import photocol as package
from photocol import InputError, convert
from photocol.cli.convert import convert as command
from photocol.conversions.choices import Choices
from photocol.conversions.formats import FORMATS

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d0"/>
  <key attr.name="label" attr.type="string" for="node" id="d1"/>
  <key attr.name="Latitude" attr.type="double" for="node" id="d2"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="d3"/>
  <key attr.name="delay" attr.type="string" for="edge" id="d4"><default>7 ms</default></key>
  <graph edgedefault="undirected">
    <node id="0"><data key="d1">Quito</data><data key="d2">0</data><data key="d3">0</data></node>
    <node id="1"><data key="d1">Dakar</data><data key="d2">0</data><data key="d3">90</data></node>
    <node id="2"><data key="d1">Dakar</data></node>
    <edge source="0" target="1"><data key="d0">1e9</data><data key="d4"/></edge>
    <edge source="1" target="2"><data key="d0">2.5e9</data></edge>
  </graph>
</graphml>
"""
GML = """graph [
  directed 0
  node [ id 0 label "K&#246;ln" Latitude 50.94 Longitude 6.96 weight NAN ]
  node [ id 1 label "Ulm" Latitude NAN Longitude 9.99 ]
  node [ id 2 ]
  # a comment
  edge [ source 0 target 1 LinkSpeed "10" LinkSpeedUnits "G" length 400 ]
  edge [ source 1 target 2 capacity "2.5 Gbps" delay "3 ms" ]
  edge [ source 1 target 0 LinkLabel "10GE" ]
  edge [ source 2 target 2 ]
]
"""
SNDLIB_XML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0">
 <networkStructure>
  <nodes coordinatesType="geographical">
   <node id="Köln"><coordinates><x>6.96</x><y>50.94</y></coordinates></node>
   <node id="Ulm"><coordinates><x>9.99</x><y>48.40</y></coordinates></node>
  </nodes>
  <links>
   <link id="L"><source>Köln</source><target>Ulm</target>
    <preInstalledModule><capacity>1000.0</capacity><cost>0</cost></preInstalledModule></link>
  </links>
 </networkStructure>
 <demands>
  <demand id="D"><source>Köln</source><target>Ulm</target><demandValue> 12.5 </demandValue></demand>
  <demand id="none"><source>Ulm</source><target>Köln</target><demandValue>0</demandValue></demand>
 </demands>
</network>
"""
SNDLIB_NATIVE = """?SNDlib native format; type: network; version: 1.0
# network three
NODES (
  A ( 18.60 54.20 )
  B ( 14.50 53.40 )
  C
)
LINKS (
  L1 ( A B ) 155.00 0.00 0.00 0.00 ( 622.00 1.00 )
  L2 ( B C ) 0.00 0.00 0.00 0.00 ( 622.00 1.00 )
)
DEMANDS (
  D1 ( A C ) 1 12.5 UNLIMITED
)
ADMISSIBLE_PATHS (
  D1 (
    P1 ( L1 L2 )
  )
)
"""
MATRIX = """?SNDlib native format; type: network; version: 1.0
META (
  granularity = 5min
  unit = KBITPERSEC
)
NODES (
  A
  B
)
LINKS (
)
DEMANDS (
  A_B ( A B ) 1 250 UNLIMITED
)
"""
REPETITA = """NODES 3
label x y
0_A 1.0 2.0
1_B 2.0 3.0
2_C 3.0 4.0

EDGES 3
label src dest weight bw delay
edge_0 0 1 10 1000000 500
edge_1 1 0 10 1000000 500
edge_2 1 2 7 500000 800
"""
DEMANDS = "DEMANDS 3\nlabel src dest bw\nd0 0 1 300\nd1 1 0 1500\nd2 0 2 9\n"
HPCC = "4 1 3\n0\n0 1 100Gbps 0.001ms 0\n0 2 25Gbps 1us 0\n3 0 25Gbps 0.001ms 0.01\n\nFirst line: total node #\n"
EDGES = "from,to,capacity_mbps,delay (ms),length_km\na,b,10,5,\nb,c,,,300\nd,e,1,,\n"


def made(place: Path, name: str, text: str, *others: Path, **choices: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The scenario that is written from a file of this text, read back, and the warnings; it is valid and runs."""
    file = place / name
    file.write_text(text, encoding="latin-1" if "ISO-8859-1" in text else "utf-8")
    written = convert(file, *others, to=place / "made.toml", force=True, **choices)
    assert package.check(place / "made.toml").name == "made"
    assert package.run(place / "made.toml", set={"run.duration": "50 ms"}).manifest["packet_hops"] > 0
    return tomllib.loads((place / "made.toml").read_text(encoding="utf-8")), written.warnings


def links(scenario: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """`a-b` to what the link says of itself."""
    return {
        f"{one['from']}-{one['to']}": {key: value for key, value in one.items() if key not in ("from", "to")}
        for one in scenario["link"]
    }


def roles(scenario: dict[str, Any]) -> dict[str, str]:
    return {node["name"]: node["role"] for node in scenario["node"]}


def test_graphml_with_its_defaults_and_labels_that_meet(tmp_path: Path) -> None:
    scenario, warnings = made(tmp_path, "net.graphml", GRAPHML)
    # A quarter of the equator is π/2 · 6371 km = 10 007 543 m; an empty delay is none.
    assert links(scenario) == {
        "Quito-Dakar": {"capacity": "1 Gbps", "length": "10007543 m"},
        "Dakar-Dakar (2)": {"capacity": "2500 Mbps", "delay": "7 ms"},
    }
    assert scenario["node"][1] == {"name": "Dakar", "role": "core", "latitude": 0.0, "longitude": 90.0}
    assert roles(scenario) == {"Quito": "core", "Dakar": "core", "Dakar (2)": "core"}
    assert warnings[0].endswith("net.graphml: renamed, nodes with the label of another (1): Dakar (2)")
    assert warnings[-1] == "no file has traffic: 3 greedy flows are between random nodes"


def test_the_direction_of_graphml_is_that_of_the_graph_or_of_the_edge(tmp_path: Path) -> None:
    text = GRAPHML.replace("undirected", "directed").replace('<edge source="1"', '<edge directed="false" source="1"')
    scenario, _ = made(tmp_path, "net.graphml", text)
    assert {name: link.get("duplex", True) for name, link in links(scenario).items()} == {
        "Quito-Dakar": False,
        "Dakar-Dakar (2)": True,
    }
    # Quito cannot be answered: random pairs are between the two others.
    assert scenario["traffic"] == [
        {"transport": "cubic", "pairs": "random", "among": ["Dakar", "Dakar (2)"], "flows": 2}
    ]
    scenario, _ = made(tmp_path, "net.graphml", text, directed=False)
    assert all("duplex" not in link for link in links(scenario).values())


def test_gml_with_entities_gaps_loops_and_doubles(tmp_path: Path) -> None:
    scenario, warnings = made(tmp_path, "net.gml", GML, delay="2 ms")
    assert links(scenario) == {
        "Köln-Ulm": {"capacity": "10 Gbps", "length": "400 km"},
        "Ulm-2": {"capacity": "2500 Mbps", "delay": "3 ms"},
    }
    assert [one.rpartition(": ")[0].rpartition(": ")[2] for one in warnings[:2]] == [
        "left out, links from a node to itself (1)",
        "left out, links between nodes that are linked already (1)",
    ]
    scenario, warnings = made(tmp_path, "net.gml", GML, duplicates="keep", capacity="5 Gbps")
    assert scenario["link"][2] == {"from": "Ulm", "to": "Köln", "parallel": True}
    assert scenario["link_defaults"] == {"capacity": "5 Gbps", "delay": "1 ms"}
    assert any(one.endswith("5 Gbps, for links without a capacity (1): Ulm-Köln") for one in warnings)
    assert any("for links without delay, length and coordinates that differ (1): Ulm-Köln" in one for one in warnings)
    with pytest.raises(InputError, match=r"net\.gml:9: Ulm-Köln is there already, in line 7; allowed: each pair once"):
        made(tmp_path, "net.gml", GML, duplicates="error")


def test_sndlib_xml_in_the_encoding_it_declares(tmp_path: Path) -> None:
    scenario, warnings = made(tmp_path, "net.xml", SNDLIB_XML)
    # Haversine on 6371 km between (50.94, 6.96) and (48.40, 9.99): 356.7 km.
    [(name, link)] = links(scenario).items()
    assert (name, link["capacity"]) == ("Köln-Ulm", "1 Gbps")
    assert abs(int(link["length"].removesuffix(" m")) - 356_700) < 100
    assert scenario["traffic"] == [
        {"name": "D", "transport": "udp", "from": "Köln", "to": "Ulm", "load": "poisson", "rate": "12500 kbps"}
    ]
    assert roles(scenario) == {"Köln": "host", "Ulm": "host"}
    assert [one.partition(": ")[2] for one in warnings] == [
        "left out, demands that are not 8 bps to 1000 Tbps (1): none"
    ]


def test_a_transport_said_for_demands_is_told_that_they_are_datagrams(tmp_path: Path) -> None:
    file = tmp_path / "net.xml"
    file.write_text(SNDLIB_XML, encoding="iso-8859-1")
    for transport in ("linux-cubic", "cubic"):
        (said,) = [one for one in convert(file, transport=transport).warnings if "datagrams" in one]
        assert f"transport {transport} is for flows; demands are streams of datagrams (udp)" in said
    assert not any("datagrams" in one for one in convert(file).warnings)


def test_sndlib_native_and_a_matrix_of_its_own_unit(tmp_path: Path) -> None:
    matrix = tmp_path / "matrix.txt"
    matrix.write_text(MATRIX)
    scenario, warnings = made(tmp_path, "net.txt", SNDLIB_NATIVE, matrix, scale=2)
    assert links(scenario)["A-B"]["capacity"] == "155 Mbps"
    assert links(scenario)["B-C"] == {}
    assert [(one["name"], one["rate"]) for one in scenario["traffic"]] == [("D1", "25 Mbps"), ("A_B", "500 kbps")]
    # B has two links: traffic ends there and passes.
    assert roles(scenario) == {"A": "host", "B": "edge", "C": "host"}
    assert any("10 Gbps, for links without a capacity (1): B-C" in one for one in warnings)


def test_repetita_with_its_demands(tmp_path: Path) -> None:
    demands = tmp_path / "net.0000.demands"
    demands.write_text(DEMANDS)
    scenario, warnings = made(tmp_path, "net.graph", REPETITA, demands)
    assert links(scenario) == {
        "0_A-1_B": {"capacity": "1 Gbps", "delay": "500 us", "cost": 10},
        "1_B-2_C": {"duplex": False, "capacity": "500 Mbps", "delay": "800 us", "cost": 7},
    }
    assert [(one["from"], one["to"], one["rate"]) for one in scenario["traffic"]] == [
        ("0_A", "1_B", "300 kbps"),
        ("1_B", "0_A", "1500 kbps"),
    ]
    assert roles(scenario) == {"0_A": "host", "1_B": "edge", "2_C": "core"}
    assert any("outside the largest: 2_C" in one for one in warnings)
    assert any("left out, demands without a way there and back (1): 0_A to 2_C" in one for one in warnings)


def test_the_network_of_hpcc_with_its_flows(tmp_path: Path) -> None:
    flows = tmp_path / "flow.txt"
    flows.write_text("1\n1 3 3 100 5000 0\n")
    scenario, warnings = made(tmp_path, "topology.txt", HPCC, flows)
    assert links(scenario) == {
        "0-1": {"capacity": "100 Gbps", "delay": "1 us"},
        "0-2": {"capacity": "25 Gbps", "delay": "1 us"},
        "3-0": {"capacity": "25 Gbps", "delay": "1 us"},
    }
    assert roles(scenario) == {"0": "core", "1": "host", "2": "host", "3": "host"}
    assert scenario["traffic"] == [{"name": "flows", "transport": "cubic", "file": "made.flows.csv"}]
    assert [one.partition(": ")[2] for one in warnings] == ["error rates are left out, of links: 1"]


def test_lists_of_links(tmp_path: Path) -> None:
    scenario, warnings = made(tmp_path, "net.csv", EDGES)
    assert links(scenario) == {
        "a-b": {"capacity": "10 Mbps", "delay": "5 ms"},
        "b-c": {"length": "300 km"},
        "d-e": {"capacity": "1 Mbps"},
    }
    assert any("the network has 2 parts without a way there and back" in one for one in warnings)
    assert scenario["traffic"][0]["among"] == ["a", "b", "c"]
    scenario, warnings = made(tmp_path, "net.edgelist", "u v 3\nv w 1\n")
    assert list(links(scenario)) == ["u-v", "v-w"]
    assert "columns from the third on are left out" in warnings[0]
    # Numbers that rise to 1 or 100 are a distribution; these are nodes.
    scenario, _ = made(tmp_path, "net.txt", "0 1\n1 2\n2 0\n")
    assert list(links(scenario)) == ["0-1", "1-2", "2-0"]


def test_light_in_fibre_takes_5_us_a_kilometre(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("from,to,length_km\na,b,300\n")
    link = package.check(convert(tmp_path / "net.csv").to_dict()).to_dict()["link"][0]
    assert link["delay"] == "1500 us"


def test_choices_are_checked(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text(EDGES)
    for choices, message in (
        ({"capacty": "1 Gbps"}, "convert has no choice 'capacty'; did you mean 'capacity'?"),
        ({"capacity": "10"}, 'capacity: found "10"; allowed: 8 bps to 1000 Tbps, with a unit'),
        ({"delay": "0 s"}, "delay: found '0 s'; allowed: more than zero"),
        ({"delay_unit": "Gbps"}, "delay_unit: found 'Gbps'; allowed: a unit such as ms"),
        ({"duplicates": "last"}, "duplicates: found 'last'; allowed: first, keep, error"),
        ({"scale": float("nan")}, "scale: found nan; allowed: 0 to 1e+06"),
        ({"format": "pdf"}, "format: found 'pdf'; allowed: graphml, gml"),
        ({"transport": "cubik"}, "net.csv: what is found makes no valid scenario: traffic.0.transport: there is"),
    ):
        with pytest.raises(InputError) as wrong:
            convert(tmp_path / "net.csv", **choices)
        assert message in str(wrong.value)


def test_the_command_says_what_it_did_and_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text(EDGES)
    done = photocol("convert", "net.csv", "--to", "net.toml", "--capacity", "1 Gbps", cwd=tmp_path)
    assert done.stdout == "scenario from edges: nodes 5, links 3\nwritten to net.toml; photocol run net.toml\n"
    assert "net.toml: warning: net.csv: 1 Gbps, for links without a capacity (1): b-c\n" in done.stderr
    assert photocol("check", "net.toml", cwd=tmp_path).returncode == 0
    again = photocol("convert", "net.csv", "--to", "net.toml", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (
        2,
        "net.toml is there already; allowed: another name, or force (--force)\n",
    )
    assert photocol("convert", "net.csv", "--to", "net.toml", "--force", "--quiet", cwd=tmp_path).stderr == ""
    wrong = photocol("convert", "no.csv", "--to", "no.toml", cwd=tmp_path)
    assert (wrong.returncode, wrong.stderr) == (1, "photocol: no.csv: No such file or directory\n")


def test_the_guide_lists_every_format_and_every_choice() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "other-peoples-files.md").read_text()
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == sorted(FORMATS)
    options = {option for parameter in command.params for option in parameter.opts}
    choices = {f"--{field.name.strip('_').replace('_', '-')}" for field in fields(Choices)}
    assert choices <= options
    said = set(re.findall(r"--[a-z][a-z-]+", page)) - {"--to"}
    assert said <= options | {"--undirected"}
    assert choices <= said


def test_the_warnings_of_the_example_are_those_that_the_guide_tells(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "other-peoples-files.md").read_text()
    text, flows = re.findall(r"`(?:net.csv|flows.txt)`:\n\n```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "flows.txt").write_text(flows)
    (tmp_path / "net.csv").write_text(text)
    made_of = convert(tmp_path / "net.csv", tmp_path / "flows.txt", capacity="2.5 Gbps", delay="2 ms")
    assert [one.partition(": ")[2] for one in made_of.warnings] == [
        "left out, links between nodes that are linked already (1): Lyon-Paris",
        "2.5 Gbps, for links without a capacity (1): Milan-Rome",
        "2 ms, for links without delay, length and coordinates that differ (1): Lyon-Milan",
    ]
