"""Traffic matrices in many forms are the same demands; tables of rates are links or traffic as their titles say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from photocol import InputError, convert
from photocol.conversions.choices import Choices
from photocol.conversions.formats import recognised
from photocol.conversions.headings import attribute
from photocol.conversions.source import Source

if TYPE_CHECKING:
    from pathlib import Path

NETWORK = "from,to,capacity_gbps,delay_ms\na,b,10,1\nb,c,10,1\nc,d,10,1\nd,e,10,1\n"
RATES = {("a", "b"): 5, ("b", "c"): 3, ("a", "e"): 2, ("e", "a"): 7, ("d", "c"): 1}
"""Mb/s."""
NODES = "abcde"


def cell(source: str, target: str, nothing: str = "0") -> str:
    return str(RATES.get((source, target), nothing))


def rows(separator: str, nothing: str = "0") -> list[str]:
    return [separator.join(cell(source, target, nothing) for target in NODES) for source in NODES]


MATRICES: dict[str, tuple[str, dict[str, Any]]] = {
    "without names, commas": ("\n".join(rows(",")), {"capacity_unit": "Mbps"}),
    "without names, blanks": ("\n".join(rows(" ")) + "\n", {"capacity_unit": "1 Mbps"}),
    "without names, tabs": ("# Monday\n" + "\n".join(rows("\t")), {"capacity_unit": "Mbit/s"}),
    "with a unit in each cell": (
        "\n".join(",".join(f"{one} Mbps" for one in row.split(",")) for row in rows(",")),
        {},
    ),
    "names, empty corner": (
        ",a,b,c,d,e\n" + "\n".join(f"{name},{row}" for name, row in zip(NODES, rows(","), strict=True)),
        {"capacity_unit": "Mbps"},
    ),
    "names, unit in the corner": (
        "Mbps;a;b;c;d;e\n" + "\n".join(f"{name};{row}" for name, row in zip(NODES, rows(";"), strict=True)),
        {},
    ),
    "names, a title in the corner": (
        "demand (Mb/s),a,b,c,d,e\n" + "\n".join(f"{name},{row}" for name, row in zip(NODES, rows(","), strict=True)),
        {},
    ),
    "names without a corner": (
        "a b c d e\n" + "\n".join(f"{name} {row}" for name, row in zip(NODES, rows(" "), strict=True)),
        {"capacity_unit": "Mbps"},
    ),
    "rows in another order": (
        "Mbps,a,b,c,d,e\n"
        + "\n".join(f"{name},{row}" for name, row in reversed([*zip(NODES, rows(","), strict=True)])),
        {},
    ),
    "dashes, gaps and what a node has for itself": (
        "Mbps,a,b,c,d,e\n"
        + "\n".join(f"{name},{row}" for name, row in zip(NODES, rows(",", "-"), strict=True)).replace("a,-,", "a,99,"),
        {},
    ),
    "a table of traffic": (
        "from,to,traffic_mbps\n" + "\n".join(f"{a},{b},{rate}" for (a, b), rate in RATES.items()),
        {},
    ),
    "a table of demands": (
        "source\ttarget\tdemand (Mbit/s)\n" + "\n".join(f"{a}\t{b}\t{rate}" for (a, b), rate in RATES.items()),
        {},
    ),
    "a table of rates that is said to be demands": (
        "src,dst,bandwidth_mbps\n" + "\n".join(f"{a},{b},{rate}" for (a, b), rate in RATES.items()),
        {"as_": "demands"},
    ),
}


def made(place: Path, text: str, network: str = NETWORK, **choices: Any) -> Any:
    (place / "net.csv").write_text(network)
    (place / "traffic.csv").write_text(text)
    return convert(place / "net.csv", place / "traffic.csv", **choices)


def demands(converted: Any) -> dict[tuple[str, str], float]:
    units = {"bps": 1e-6, "kbps": 1e-3, "Mbps": 1.0, "Gbps": 1e3}
    found = {}
    for traffic in converted.to_dict()["traffic"]:
        number, unit = traffic["rate"].split()
        found[traffic["from"], traffic["to"]] = float(number) * units[unit]
    return found


@pytest.mark.parametrize("name", MATRICES)
def test_every_form_of_a_matrix_is_the_same_demands(name: str, tmp_path: Path) -> None:
    text, choices = MATRICES[name]
    converted = made(tmp_path, text, **choices)
    assert demands(converted) == RATES
    assert len(converted.to_dict()["link"]) == 4


def test_names_above_the_columns_are_those_of_the_rows_too(tmp_path: Path) -> None:
    converted = made(tmp_path, "c,a,b\n0,4,-\n1,0,8\n,2,0\n", capacity_unit="Mbps")
    assert demands(converted) == {("c", "a"): 4, ("a", "c"): 1, ("a", "b"): 8, ("b", "a"): 2}


@pytest.mark.parametrize("row", ["0 1e6 2", "0.5 1 2", "0 -1 2"])
def test_a_rate_in_place_of_a_node_is_refused(row: str, tmp_path: Path) -> None:
    """A matrix of which a field is missing is no list of links between nodes that are called 1e6."""
    with pytest.raises(InputError, match=r"traffic\.csv:1: found \"[^\"]+\"; allowed: a node, or in a traffic matrix"):
        made(tmp_path, f"{row}\n1 0 2\n1 1\n")


def test_a_matrix_counts_the_nodes_of_any_network(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(graphml("capacity_gbps", "10"))
    (tmp_path / "matrix.txt").write_text("0 4\n1 0\n")
    converted = convert(tmp_path / "net.graphml")
    assert len(converted.to_dict()["node"]) == 2
    (tmp_path / "matrix.csv").write_text(",x,y\nx,0,4\ny,1,0\n")
    converted = convert(tmp_path / "net.graphml", tmp_path / "matrix.csv", capacity_unit="Mbps")
    assert demands(converted) == {("x", "y"): 4, ("y", "x"): 1}


@pytest.mark.parametrize(
    ("rows", "is_one"),
    [
        ("0 1 2\n3 0 4\n5 6 0\n", True),
        ("0 1 5\n1 2 5\n2 0 5\n", False),  # three links with a weight each
        ("0 1\n1 0\n", False),  # two links
        ("1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5\n", True),
        ("1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5\n1 2 3 4 5\n", False),  # a row is missing
        ("from,to,rate\na,b,1\nb,a,2\n", False),
        ("x,a,b\na,0,1\nc,1,0\n", False),  # a row of another name
        (",a,b\na,0,1\nc,1,0\n", True),  # the same, and nothing else begins with an empty corner
        ("Mbps,a,b,c\na,0,1\n", True),  # the same with a unit there
        ("a,b,c\n0,1,2\n3,0,4\n5,6,0\n", True),  # names above only
        ("a,b,c\n7,1,2\n3,7,4\n5,6,7\n", False),  # somebody sends to himself
        ("from,to,rate\n0,1,5\n1,0,2\n2,1,0\n", False),  # titles, over links of numbers
        ("node1,node2,capacity_mbps\n0,1,5\n1,0,2\n2,1,0\n", False),
    ],
)
def test_a_matrix_is_recognised_by_its_form(rows: str, is_one: bool, tmp_path: Path) -> None:
    source = Source("file.csv", rows.encode(), tmp_path / "file.csv")
    assert (recognised(source, Choices()) == "matrix") == is_one


@pytest.mark.parametrize("size", [50, 400, 1200])
def test_large_matrices_are_recognised_and_read(size: int, tmp_path: Path) -> None:
    text = "\n".join(" ".join("0" if k == row else "1000" for k in range(size)) for row in range(size))
    source = Source("file.txt", text.encode(), tmp_path / "file.txt")
    assert recognised(source, Choices()) == "matrix"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("MBPS,a,b\na,0,1\nb,1,0\n", r"traffic\.csv:1: found \"MBPS\", which is no unit of a rate"),
        (",a,b\na,0,1\nb,1,0\nc,1,0\n", r"traffic\.csv:4: found 3 rows; allowed: 2"),
        ("a,b\n0,1\n1,0\n1,0\n", r"traffic\.csv:4: found 3 rows; allowed: 2"),
        ("Mbps,a,b\na,0,1\n", r"traffic\.csv:2: found 1 rows; allowed: 2"),
        ("Mbps,a,b\na,0,1\nc,1,0\n", r"traffic\.csv:3: found the row \"c\"; allowed: each name of the columns once"),
        ("Mbps,a,b\na,0,1\na,1,0\n", r"traffic\.csv:3: found the row \"a\"; allowed: each name of the columns once"),
        ("Mbps,a,b\na,0,1\nb,1\n", r"traffic\.csv:3: found 1 rates; allowed: 2"),
        ("Mbps,a,b\na,0,fast\nb,1,0\n", r"traffic\.csv:2: rate: found \"fast\""),
        ("Mbps,a,b\na,0,-1\nb,1,0\n", r"traffic\.csv:2: rate: found \"-1\""),
        ("Mbps,a,x\na,0,1\nx,1,0\n", r"traffic\.csv:2: there is no node \"x\""),
        ("0 1 2 3 4 5\n" * 6, r"traffic\.csv:1: there is no node \"5\""),
    ],
)
def test_what_is_wrong_in_a_matrix_is_said_at_its_line(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        made_as_matrix(tmp_path, text)


def made_as_matrix(place: Path, text: str) -> Any:
    """The network is in a form of its own, so that `format` may name that of the traffic."""
    from photocol.conversions import edges, matrix
    from photocol.conversions.scenario import Conversion

    choices = Choices()
    network = edges.read(Source("net.csv", NETWORK.encode(), place / "net.csv"), choices)
    return Conversion(
        [network, matrix.read(Source("traffic.csv", text.encode(), place / "traffic.csv"), choices)], choices
    )


LINKED = "from,to,{}\na,b,5\nc,b,3\n"
OTHER = "from,to,{}\na,b,5\na,e,3\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LINKED.format("rate_mbps"), "demands"),
        (LINKED.format("Data_Rate (Mbps)"), "demands"),
        (LINKED.format("demand_mbps"), "demands"),
        (LINKED.format("capacity_mbps"), "links"),
        (OTHER.format("capacity_mbps"), "links"),
        ("from,to,rate_mbps,delay_ms\na,b,5,1\na,e,3,1\n", "links"),
        ("from,to,rate_mbps\na,b,5\na,elsewhere,3\n", "links"),
        (LINKED.format("bandwidth_mbps"), "asks"),
        (OTHER.format("rate_mbps"), "asks"),
        (OTHER.format("bandwidth_mbps"), "asks"),
        ("from,to,speed\na,b,5 Mbps\na,e,3 Mbps\n", "asks"),
    ],
)
def test_a_table_of_rates_beside_a_network(text: str, kind: str, tmp_path: Path) -> None:
    if kind == "asks":
        with pytest.raises(InputError, match=r"traffic\.csv:1: .*allowed: --as links or --as demands"):
            made(tmp_path, text)
        assert all("rate" in one for one in made(tmp_path, text, as_="demands").to_dict()["traffic"])
        kind = "links"
    said = made(tmp_path, text, as_="links") if "elsewhere" not in text and kind == "links" else made(tmp_path, text)
    of_demands = [one for one in said.to_dict()["traffic"] if "rate" in one]
    assert len(of_demands) == (2 if kind == "demands" else 0)


def test_without_a_network_a_table_of_rates_is_one(tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text(LINKED.format("rate_mbps"))
    assert len(convert(tmp_path / "net.csv").to_dict()["link"]) == 2
    with pytest.raises(InputError, match="as: found 'both'; allowed: links, demands"):
        convert(tmp_path / "net.csv", as_="both")


def graphml(name: str, value: str, kind: str = "double") -> str:
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        f'<key id="d0" for="edge" attr.name="{name}" attr.type="{kind}"/>'
        '<graph edgedefault="undirected"><node id="x"/><node id="y"/>'
        f'<edge source="x" target="y"><data key="d0">{value}</data></edge></graph></graphml>'
    )


TEN_GBPS = [
    ("capacity_gbps", "10"), ("Capacity_Gbps", "10"), ("capacity (Gbps)", "10"), ("capacity [Gb/s]", "10.0"),
    ("capacityGbps", "10"), ("capacity-gbps", "10"), ("capacity_gbit_s", "10"), ("capacity in Gbps", "10"),
    ("link_capacity_gbps", "10"), ("linkCapacityGbps", "10"), ("link_capacity", "10 Gbps"), ("bandwidth", "10Gbps"),
    ("bandwidth", "10 Gbit/s"), ("bandwidth", "1e10"), ("bandwidth_mbps", "10000"), ("bandwidthMbps", "10000"),
    ("Bandwidth (Mbit/s)", "1e4"), ("bw_gbps", "10"), ("bw", "10G"), ("speed", "10 G"), ("speed_gbps", "10"),
    ("cap_gbps", "10"), ("data_rate", "10 Gb/s"), ("max_bandwidth_gbps", "10"), ("LinkSpeedRaw", "10000000000.0"),
]  # fmt: skip
FIVE_MS = [
    ("delay_ms", "5"), ("delayMs", "5"), ("delay", "5"), ("delay", "5 ms"), ("delay (ms)", "5.0"),
    ("Delay [us]", "5000"),
    ("latency_ms", "5"), ("latency", "0.005s"), ("link_delay", "5ms"), ("propagation_delay_ms", "5"),
    ("prop_delay", "5000 us"), ("delay_us", "5000"), ("delay in ms", "5"), ("linkDelayMs", "5"), ("length_km", "1000"),
    ("distance", "1000"), ("linkLengthKm", "1000"), ("fiber_length (km)", "1000"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), TEN_GBPS)
def test_capacities_of_graphml_as_people_write_them(name: str, value: str, tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(graphml(name, value))
    [link] = convert(tmp_path / "net.graphml").to_dict()["link"]
    assert link["capacity"] == "10 Gbps"


@pytest.mark.parametrize(("name", "value"), FIVE_MS)
def test_delays_of_graphml_as_people_write_them(name: str, value: str, tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(graphml(name, value))
    [link] = convert(tmp_path / "net.graphml").to_dict()["link"]
    assert link.get("delay", link.get("length")) in ("5 ms", "1000 km")


@pytest.mark.parametrize("name", ["label", "edge_type", "LinkSpeed", "LinkSpeedUnits", "LinkNote", "weight", "id"])
def test_other_attributes_stay_what_they_are(name: str) -> None:
    assert attribute(name) == (name.lower(), "")


def test_capacities_that_are_rather_without_a_unit_are_told(tmp_path: Path) -> None:
    (tmp_path / "net.graphml").write_text(graphml("bandwidth", "10"))
    told = [one for one in convert(tmp_path / "net.graphml").warnings if "without a unit" in one]
    assert told == [
        f"{tmp_path}/net.graphml: capacities are numbers without a unit: taken as bit/s, as the 10 in line 1 "
        "(capacity_unit says another)"
    ]
    [link] = convert(tmp_path / "net.graphml", capacity_unit="Gbps").to_dict()["link"]
    assert link["capacity"] == "10 Gbps"
