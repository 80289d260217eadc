"""`photocol convert`: rules that hold for every form: units, quotes, numbers of nodes, counts, whose file it is."""

from __future__ import annotations

import csv
import io
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_convert_fuzz import SMALL

from photocol import InputError, convert
from photocol.conversions.choices import Choices
from photocol.conversions.formats import FORMATS, recognised
from photocol.conversions.source import UNNAMED, Source
from photocol.conversions.table import records
from photocol.conversions.units import scale


def source(text: str | bytes) -> Source:
    return Source("file", text if isinstance(text, bytes) else text.encode(), Path("file"))


def scenario(place: Path, name: str, text: str, *others: tuple[str, str], **choices: Any) -> dict[str, Any]:
    """The scenario of files of these names and texts."""
    for other, content in ((name, text), *others):
        (place / other).write_text(content)
    return convert(place / name, *(place / other for other, _ in others), **choices).to_dict()


# ns-3's DataRate (src/network/utils/data-rate.cc) names these units: b is bits, B is bytes, Ki is 1024.
NS_3 = {
    f"{prefix}{what}{per}": each * bits
    for prefix, each in {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}.items()
    for what, bits in {"b": 1, "B": 8}.items()
    for per in ("ps", "/s")
}
NS_3 |= {
    f"{prefix}{what}/s": each * bits
    for prefix, each in {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}.items()
    for what, bits in {"b": 1, "B": 8}.items()
}
# IEC 80000-13: bit and byte in words, Ti and T; iperf writes Mbits/sec and MBytes/sec.
WORDS = {
    "bit/s": 1,
    "kbit/s": 10**3,
    "Gbits/s": 10**9,
    "Mbits/sec": 10**6,
    "MBytes/sec": 8 * 10**6,
    "byte/s": 8,
    "kbytes/s": 8000,
    "Tbps": 10**12,
    "TiB/s": 2**43,
    "gbps": 10**9,
    "mbps": 10**6,
    "Mibps": 2**20,
}
NEITHER = ["MBPS", "GBPS", "MB/S", "BPS", "Mb", "MB", "mbit", "ibps", "Xbps", "Mbpss", ""]


@pytest.mark.parametrize("unit", NS_3 | WORDS)
def test_bits_and_bytes_are_told_apart_in_every_unit_of_a_rate(unit: str) -> None:
    assert scale(unit, "bps") == (NS_3 | WORDS)[unit]


@pytest.mark.parametrize("unit", NEITHER)
def test_a_rate_that_says_neither_bits_nor_bytes_is_none(unit: str) -> None:
    assert scale(unit, "bps") is None


def test_sizes_and_times() -> None:
    sizes = {
        "B": 1,
        "kB": 1000,
        "MiB": 2**20,
        "bytes": 1,
        "kbit": 125,
        "bit": Decimal("0.125"),
        "kb": None,
        "Mbps": None,
    }
    assert {unit: scale(unit, "B") for unit in sizes} == sizes
    times = {"s": 1, "ms": Decimal("0.001"), "MS": Decimal("0.001"), "µs": Decimal("1e-6"), "min": 60, "m": None}
    assert {unit: scale(unit, "s") for unit in times} == times


@pytest.mark.parametrize(
    ("head", "field", "capacity"),
    [
        ("capacity_MBps", "125", "1 Gbps"),
        ("capacity_mbps", "125", "125 Mbps"),
        ("Capacity [MiB/s]", "1", "8388608 bps"),
        ("bandwidth (Gbit/s)", "2.5", "2500 Mbps"),
        ("data_rate_kBytes/s", "1", "8 kbps"),
        ('"rate (MB/s)"', "125", "1 Gbps"),
        ("capacity", "125MBps", "1 Gbps"),
        ("capacity", "1 KiB/s", "8192 bps"),
        ("capacity_mbps", "12.5 GB/s", "100 Gbps"),
    ],
)
def test_a_rate_is_the_same_in_a_field_and_in_a_head(head: str, field: str, capacity: str, tmp_path: Path) -> None:
    [link] = scenario(tmp_path, "net.csv", f"from,to,{head}\na,b,{field}\n")["link"]
    assert link["capacity"] == capacity
    plan = f"start,end,from,to,{head}\n0,1,a,b,{field}\n0,1,b,a,{field}\n"
    assert scenario(tmp_path, "plan.csv", plan)["link"][0]["capacity"] == capacity


@pytest.mark.parametrize(
    "head", ["capacity_MBPS", "capacity (MBPS)", "capacity_mbit", "bandwidth [lanes]", "delay (km)", "length_ms"]
)
def test_a_quantity_in_a_unit_that_is_none_is_refused_and_not_left_out(head: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf'net\.csv:1: the column "{re.escape(head)}": .* is no unit; allowed: '):
        scenario(tmp_path, "net.csv", f"from,to,{head}\na,b,1\n")
    assert scenario(tmp_path, "net.csv", "from,to,capacity_class,rate_limit\na,b,gold,none\n")["link"][0]["from"] == "a"


def test_units_in_the_names_of_attributes(tmp_path: Path) -> None:
    gml = "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 capacity_MBps 125 delay_us 7 ] ]"
    [link] = scenario(tmp_path, "net.gml", gml)["link"]
    assert (link["capacity"], link["delay"]) == ("1 Gbps", "7 us")
    graphml = (
        '<graphml><key id="c" for="edge" attr.name="bandwidth (MB/s)"><default>250</default></key>'
        '<key id="d" for="edge" attr.name="latency_us"/><graph><node id="0"/><node id="1"/>'
        '<edge source="0" target="1"><data key="d">9</data></edge></graph></graphml>'
    )
    [link] = scenario(tmp_path, "net.graphml", graphml)["link"]
    assert (link["capacity"], link["delay"]) == ("2 Gbps", "9 us")


@pytest.mark.parametrize(
    ("head", "field", "size"),
    [
        ("size", "1500", 1500),
        ("size_kB", "1.5", 1500),
        ("size (MiB)", "1", 2**20),
        ("flow_size_kbit", "8", 1000),
        ("bytes", "1e6", 10**6),
        ("size", "1.5 kB", 1500),
    ],
)
def test_sizes_of_flows_have_units_too(head: str, field: str, size: int, tmp_path: Path) -> None:
    made = scenario(tmp_path, "flows.csv", f"from,to,start_ms,{head}\na,b,1,{field}\n")
    assert made["traffic"][0]["list"][0]["size"] == f"{size} B"
    with pytest.raises(
        InputError, match=r'flows\.csv:1: the column "size_kb": "kb" is no unit; allowed: such as B, kB'
    ):
        scenario(tmp_path, "flows.csv", "from,to,start,size_kb\na,b,1,1\n")


# RFC 4180, section 2, rules 5 to 7.
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"aaa","b\r\nbb","ccc"\r\nzzz,yyy,xxx', [["aaa", "b\r\nbb", "ccc"], ["zzz", "yyy", "xxx"]]),
        ('"aaa","b""bb","ccc"', [["aaa", 'b"bb', "ccc"]]),
        ('"a;b";"c,d"\n1;2', [["a;b", "c,d"], ["1", "2"]]),
        ("a\tb\t", [["a", "b", ""]]),
        ('"New York"  "St. Louis" \n a b', [["New York", "St. Louis"], ["a", "b"]]),
        ('# a comment\n\n "x" ,y \n"#z",', [["x", "y"], ["#z", ""]]),
        ("a\tb\n\tc", [["a", "b"], ["", "c"]]),
    ],
)
def test_rows_by_rfc_4180(text: str, rows: list[list[str]]) -> None:
    assert [fields for _, fields in records(source(text))] == rows


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=4), min_size=1, max_size=5))
def test_any_table_that_is_written_by_rfc_4180_is_read(rows: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    expected = [[field.strip() for field in row] for row in rows]
    # A byte-order mark at the start of a file is none of its letters.
    assert [fields for _, fields in records(source(text.getvalue()))] == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("net.csv", '"from","to","capacity (Mb/s)"\n"New\nYork","Rome, NY","100"\n'),
        ("flows.csv", '"source","target","size","start (ms)"\n"New\nYork","Rome, NY","100","1"\n'),
        ("plan.csv", '"from","to","start","end"\n"New\nYork","Rome, NY","0","1"\n"Rome, NY","New\nYork","0","1"\n'),
    ],
)
def test_quotes_hold_in_heads_and_rows_of_every_table(name: str, text: str, tmp_path: Path) -> None:
    nodes = [node["name"] for node in scenario(tmp_path, name, text)["node"]]
    assert {"New York", "Rome, NY"} <= set(nodes)


def test_quotes_hold_in_a_distribution_of_sizes(tmp_path: Path) -> None:
    made = scenario(tmp_path, "sizes.cdf", '"size","share"\n"1000","0.5"\n"2000","1"\n')
    assert made["traffic"][0]["size_law"]["points"] == [["1000 B", 0.5], ["2000 B", 1.0]]


RING = "from,to\n1,2\n2,3\n3,1\n"


def ends(made: dict[str, Any]) -> list[tuple[str, str]]:
    return [(flow["source"], flow["destination"]) for flow in made["traffic"][0]["list"]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Each is a name. 0 is none: places then, 0 for "1", 1 for "2", 2 for "3", though 1 and 2 are names too.
        (["1 2", "3 1"], [("1", "2"), ("3", "1")]),
        (["0 1", "1 2"], [("1", "2"), ("2", "3")]),
    ],
)
def test_numbers_are_names_or_places_in_a_whole_file(
    rows: list[str], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    lists = {
        "f.htsim": "".join(f"{row} 1000 0\n" for row in rows),
        "flow.txt": f"{len(rows)}\n" + "".join(f"{row} 3 100 1000 0\n" for row in rows),
        "f.csv": "from,to,size,start\n" + "".join(f"{row.replace(' ', ',')},1000,0\n" for row in rows),
        "f.cm": f"Nodes 9\nConnections {len(rows)}\n"
        + "".join(f"{row.replace(' ', '->')} start 0 size 1000\n" for row in rows),
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        (tmp_path / "ring.csv").write_text(RING)
        made = convert(tmp_path / "ring.csv", tmp_path / name)
        assert ends(made.to_dict()) == expected, name
        told = any(
            "numbers count nodes from 0, although some are names of nodes: 0 is none" in w for w in made.warnings
        )
        assert told == ("0" in rows[0])


def test_a_place_beyond_the_nodes_is_no_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'f\.htsim:2: there is no node "3"; .*allowed: the 3 nodes of the network by'):
        scenario(tmp_path, "ring.csv", RING, ("f.htsim", "0 1 9 0\n3 1 9 0\n"))


def test_the_numbers_of_repetita_are_places_by_its_form(tmp_path: Path) -> None:
    graph = "NODES 3\nlabel x y\n1 0 0\n2 0 0\n0 0 0\n\nEDGES 2\nlabel src dest weight bw delay\n"
    graph += "e 0 1 1 1000 1\ne 1 0 1 1000 1\n"
    demands = "DEMANDS 1\nlabel src dest bw\nd 0 1 300\n"
    [demand] = scenario(tmp_path, "net.graph", graph, ("net.demands", demands))["traffic"]
    assert (demand["from"], demand["to"]) == ("1", "2")


COUNTS = {
    "hpcc-network": "999999 1 3\n0\n0 1 100Gbps 0.001ms 0\n0 2 25Gbps 1us 0\n3 0 25Gbps 0.001ms 0.01\n",
    "opera": "999424 1024 1 976\n1 100 0 0\n" + " ".join(["-1"] * 976) + "\n",
    "openoptics": '{"nb_node": 4096, "time_slice_duration_us": 50, "circuits": [[0, 0, 1]]}',
    "repetita": "NODES 1000000\nlabel x y\na 0 0\n",
    "repetita-demands": "DEMANDS 1000000\nlabel src dest bw\n",
    "hpcc": "1000000\n0 1 3 100 9 0\n",
}


@pytest.mark.parametrize("name", COUNTS)
def test_a_count_without_the_things_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"file:1: .*; allowed: |it is cut off"):
        FORMATS[name].read(source(COUNTS[name]), Choices(format=name))


def elements(name: str, content: bytes) -> int:
    """How many things a file makes; none if it is refused."""
    try:
        one = FORMATS[name].read(source(content), Choices(format=name, slice="50 us"))
    except InputError:
        return 0
    things = len(one.nodes) + len(one.links) + len(one.contacts) + len(one.demands) + len(one.flows) + len(one.sizes)
    return things + len(one.warnings) + len(one.renamed)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_makes_no_more_than_it_has_letters(name: str, data: st.DataObject) -> None:
    """With any of its numbers made large: at most a thing for each byte, and for each node that it may count unnamed a
    node, a host and a link."""
    text = SMALL[name]
    places = [match.span() for match in re.finditer(rb"\d+", text)]
    start, end = data.draw(st.sampled_from(places))
    number = data.draw(st.sampled_from([b"999", b"4095", b"65535", b"999999", b"1000000", b"4294967295", b"1e6"]))
    changed = text[:start] + number + text[end:]
    assert elements(name, changed) <= len(changed) + 3 * UNNAMED


OTHERS = {
    # bobzhuyb/ns3-rdma, windows/ns-3-dev/x64/Release/mix/flow.txt: priority, packets, start, end.
    "ns3-rdma": "2\n2 1 3 10000000 2.0 9.5\n3 1 3 10000000 2.0 9.5\n\n\nFirst line: flow #\n",
    "ns3-rdma, few packets": "2\n2 1 3 1000 2 9\n3 1 3 2000 2 9\n",
    # conweave-project/conweave-ns3, scratch/network-load-balance.cc: no port.
    "conweave": "1\n2 1 3 100000 2.001\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_list_of_another_program_under_the_same_name_is_not_read_as_hpccs(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"flow\.txt:[12]: "):
        scenario(tmp_path, "flow.txt", OTHERS[name])


def test_the_form_that_the_user_says_counts(tmp_path: Path) -> None:
    made = scenario(tmp_path, "flow.txt", "1\n2 1 3 1000 2 9\n", format="hpcc")
    assert made["traffic"][0]["list"][0] == {"start": "9 s", "source": "2", "destination": "1", "size": "2 B"}


def test_a_trace_of_links_and_a_list_of_monitored_nodes_are_no_network(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r'trace\.csv:1: found the titles "start, capacity"; allowed: source and target'
    ):
        scenario(tmp_path, "trace.csv", "time_s,capacity_mbps\n0,10\n1,20\n")
    # HPCC's trace.txt: how many nodes are monitored, and which.
    with pytest.raises(InputError, match=r"trace\.txt:1: found \"2\", which begins as no known format"):
        scenario(tmp_path, "trace.txt", "2\n0 1\n")


def test_powertcp_and_opera_are_told_apart() -> None:
    # inet-tub/ns3-datacenter, examples/PowerTCP and Reverie: racks in the head, rates without a unit.
    heads = ["5 2 1 4", "5 2 2 4 25 100"]
    links = "3 4\n0 3 25000000000.0 1us 0\n1 3 25000000000.0 1us 0\n2 4 25000000000.0 1us 0\n3 4 100000000000.0 5us 0\n"
    for head in heads:
        file = source(f"{head}\n{links}")
        assert recognised(file, Choices()) == "hpcc-network"
        found = FORMATS["hpcc-network"].read(file, Choices())
        assert [node.role for node in found.nodes] == ["host", "host", "host", "core", "core"]
        assert [(link.source, link.target, link.bps, link.delay_ps) for link in found.links[2:]] == [
            ("2", "4", 25 * 10**9, 10**6),
            ("3", "4", 10**11, 5 * 10**6),
        ]
    # Four switches in a line of four numbers, and links of five fields: still no schedule.
    file = source("9 4 1 5\n5 6 7 8\n" + "".join(f"{host} {5 + host % 4} 25Gbps 1us 0\n" for host in range(5)))
    assert recognised(file, Choices()) == "hpcc-network"


def test_an_empty_list_of_flows_sends_nothing(tmp_path: Path) -> None:
    network = "3 1 2\n0\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n"
    assert scenario(tmp_path, "topology.txt", network, ("flow.txt", "0\n"))["traffic"] == []


def test_what_is_more_than_a_count_is_told() -> None:
    found = FORMATS["hpcc-network"].read(source("3 1 1\n0\n0 1 1Gbps 1us 0\n0 2 1Gbps 1us 0\n"), Choices())
    assert found.warnings == ["the first line says 1 links: 1 more are left out, as HPCC does"]
    graph = "NODES 2\nlabel x y\na 0 0\nb 0 0\nEDGES 1\nlabel\ne 0 1 1 1000 1\nf 1 0 1 1000 1\n"
    found = FORMATS["repetita"].read(source(graph), Choices())
    assert found.warnings == ["left out, lines behind those that EDGES counts: 1"]


SECOND = {
    "a.graphml": (
        "<graphml>\n<graph/>\n<graph/></graphml>",
        r"a\.graphml:3: found 2 <graph> in this <graphml>; allowed",
    ),
    "b.xml": (
        "<network><networkStructure><nodes/>\n<nodes/></networkStructure></network>",
        r"b\.xml:2: found 2 <nodes> in this <networkStructure>; allowed: one",
    ),
    "c.xml": (
        "<network><networkStructure><nodes/></networkStructure><demands/>\n<demands/></network>",
        r"c\.xml:2: found",
    ),
}


@pytest.mark.parametrize("name", SECOND)
def test_what_would_be_lost_in_a_second_part_is_refused(name: str, tmp_path: Path) -> None:
    text, message = SECOND[name]
    with pytest.raises(InputError, match=message):
        scenario(tmp_path, name, text)


NATIVE = """?SNDlib native format; type: network; version: 1.0
NODES (
  A ( 31.00 20.00 )
  B ( 70.00 60.00 )
  C ( 482.00 398.00 )
)
LINKS (
  L1 ( A B ) 2500.00 0 0 0 ( )
  L2 ( B C ) 2500.00 0 0 0 ( )
)
"""


def test_coordinates_are_degrees_or_not_in_a_whole_file(tmp_path: Path) -> None:
    # SNDlib's france: x from 31 to 482, y from 20 to 398; two of the nodes alone would be on earth.
    (tmp_path / "france.txt").write_text(NATIVE)
    made = convert(tmp_path / "france.txt")
    assert all("length" not in link for link in made.to_dict()["link"])
    assert "coordinates are not degrees, as those of C in line 5 (482.00, 398.00): all are left out" in made.warnings[0]
    (tmp_path / "earth.txt").write_text(NATIVE.replace("482.00 398.00", "82.00 39.00"))
    assert all("length" in link for link in convert(tmp_path / "earth.txt").to_dict()["link"])
    xml = (
        '<network><networkStructure><nodes coordinatesType="pixel"><node id="A"><coordinates><x>1</x><y>2</y>'
        '</coordinates></node><node id="B"><coordinates><x>3</x><y>2</y></coordinates></node></nodes>'
        '<links><link id="L">'
        "<source>A</source><target>B</target></link></links></networkStructure></network>"
    )
    (tmp_path / "net.xml").write_text(xml)
    made = convert(tmp_path / "net.xml")
    assert "length" not in made.to_dict()["link"][0]
    assert "coordinates are pixels: all are left out" in made.warnings[0]


def test_a_node_of_sndlib_may_have_designs_and_options(tmp_path: Path) -> None:
    # The example of SNDlib's description of the native form.
    text = NATIVE.replace("A ( 31.00 20.00 )", "A ( 13.4 52.5 ) () ()").replace("C ( 482.00 398.00 )", "C ( ) ( )")
    nodes = scenario(tmp_path, "net.txt", text)["node"]
    assert [(node.get("longitude"), node.get("latitude")) for node in nodes] == [
        (13.4, 52.5),
        (70.0, 60.0),
        (None, None),
    ]


# Of SNDlib's 26 networks abilene and geant say MBITPERSEC, brain BITSPERSEC; its matrices the first.
@pytest.mark.parametrize(
    ("unit", "rate"),
    [("BITSPERSEC", "250 bps"), ("BITPERSEC", "250 bps"), ("KBITPERSEC", "250 kbps"), ("MBITSPERSEC", "250 Mbps")],
)
def test_the_unit_of_a_matrix_is_that_of_its_demands_and_capacities(unit: str, rate: str, tmp_path: Path) -> None:
    text = NATIVE.replace("NODES", f"META (\n unit = {unit}\n)\nNODES").replace("2500.00", "250")
    made = scenario(tmp_path, "net.txt", text + "DEMANDS (\n D ( A C ) 1 250 UNLIMITED\n)\n")
    assert made["traffic"][0]["rate"] == rate
    assert made["link"][0]["capacity"] == rate
