"""Other people's forms where a scenario names them: `topology.kind = "file"`, `traffic.file`, `size_law.file`."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import test_convert_networks as networks
import test_convert_traffic as traffic
from command import photocol
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import photocol as package
from photocol import ScenarioError
from photocol.conversions.formats import FORMATS
from photocol.conversions.parts import FLOWS, NETWORKS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
"""Runs say what was left out; the tests ask `check` for it."""

RANDOM = {"transport": "reno", "pairs": "random", "flows": 1}


def scenario(file: Path, **topology: Any) -> dict[str, Any]:
    """A scenario of this network, with a flow."""
    return {
        "run": {"duration": "20 ms"},
        "topology": {"kind": "file", "path": str(file), **topology},
        "link_defaults": {"capacity": "7 Gbps"},
        "traffic": [RANDOM],
    }


def links(file: Path, **topology: Any) -> dict[str, dict[str, Any]]:
    """The links of a scenario of this network."""
    return links_of(scenario(file, **topology))


def links_of(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """`a-b` to what a link has, of a scenario that runs; `a->b` for one direction."""
    explained = package.check(made).to_dict()
    assert package.run(made).flows.height == 1
    kept = ("capacity", "delay", "cost")
    return {
        f"{one['from']}{'->' if one.get('duplex') is False else '-'}{one['to']}": {
            key: one[key] for key in kept if key in one
        }
        for one in explained["link"]
    }


def written(place: Path, name: str, text: str) -> Path:
    file = place / name
    file.write_text(text, encoding="latin-1" if "ISO-8859-1" in text else "utf-8")
    return file


def test_graphml(tmp_path: Path) -> None:
    # A quarter of the equator is 10 007 543 m, at 5 us a kilometre 50 037 715 us.
    found = links(written(tmp_path, "net.graphml", networks.GRAPHML))
    assert found == {
        "Quito-Dakar": {"capacity": "1 Gbps", "delay": "50037715 ns"},
        "Dakar-Dakar (2)": {"capacity": "2500 Mbps", "delay": "7 ms"},
    }


def test_gml(tmp_path: Path) -> None:
    file = written(tmp_path, "net.gml", networks.GML)
    # 400 km at 5 us; what the file does not say is as link_defaults says.
    assert links(file, missing_delay="9 ms") == {
        "Köln-Ulm": {"capacity": "10 Gbps", "delay": "2 ms"},
        "Ulm-2": {"capacity": "2500 Mbps", "delay": "3 ms"},
    }
    kept = links(file, missing_delay="9 ms", duplicate_links="keep")
    assert kept["Ulm-Köln"] == {"capacity": "7 Gbps", "delay": "9 ms"}
    assert [one.rpartition(": ")[2] for one in package.check(scenario(file)).warnings] == [
        "1 links from a node to itself are left out",
        "1 links between nodes that are linked already are left out",
    ]
    doubled = scenario(file, duplicate_links="error")
    with pytest.raises(ScenarioError, match=r"net\.gml:9:1: topology\.path: Ulm and Köln are linked already"):
        package.check(doubled)


def test_sndlib_in_both_forms(tmp_path: Path) -> None:
    found = links(written(tmp_path, "net.xml", networks.SNDLIB_XML))
    # 356.7 km at 5 us, the installed capacity in Mb/s.
    assert found["Köln-Ulm"]["capacity"] == "1 Gbps"
    assert int(found["Köln-Ulm"]["delay"].removesuffix(" ns")) == pytest.approx(1_783_500, rel=1e-3)
    native = written(tmp_path, "net.txt", networks.SNDLIB_NATIVE)
    found = links(native, missing_delay="2 ms")
    assert (found["A-B"]["capacity"], found["B-C"]) == ("155 Mbps", {"capacity": "7 Gbps", "delay": "2 ms"})
    warnings = package.check(scenario(native, missing_delay="2 ms")).warnings
    assert any("1 demands are left out; photocol convert makes traffic of them" in one for one in warnings)


def test_repetita(tmp_path: Path) -> None:
    made = scenario(written(tmp_path, "net.graph", networks.REPETITA))
    with pytest.raises(ScenarioError, match='there is no path from "0_A" to "2_C" and back'):
        package.check(made)
    found = links_of(made | {"traffic": [{**RANDOM, "among": ["0_A", "1_B"]}]})
    # Both directions of the first are alike, so they are written as one.
    assert found == {
        "0_A-1_B": {"capacity": "1 Gbps", "delay": "500 us", "cost": 10},
        "1_B->2_C": {"capacity": "500 Mbps", "delay": "800 us", "cost": 7},
    }


def test_lists_of_links_and_hpcc(tmp_path: Path) -> None:
    found = links(written(tmp_path, "net.csv", "from,to,capacity_mbps,delay (ms),length_km\na,b,10,5,\nb,c,,,300\n"))
    assert found == {
        "a-b": {"capacity": "10 Mbps", "delay": "5 ms"},
        "b-c": {"capacity": "7 Gbps", "delay": "1500 us"},
    }
    checked = package.check(scenario(written(tmp_path, "topology.txt", networks.HPCC)))
    roles = {node["name"]: node["role"] for node in checked.to_dict()["node"]}
    assert roles == {"0": "core", "1": "host", "2": "host", "3": "host"}


def test_the_form_and_the_unit_may_be_said(tmp_path: Path) -> None:
    file = written(tmp_path, "net", "a b\nb c\n")
    assert list(links(file, format="edges", missing_delay="1 ms")) == ["a-b", "b-c"]
    with pytest.raises(ScenarioError, match="format: found 'edgs'; did you mean 'edges'") as wrong:
        package.check(scenario(file, format="edgs"))
    assert all(name in str(wrong.value) for name in NETWORKS)
    triangle = written(tmp_path, "net.xml", networks.SNDLIB_XML)
    assert links(triangle, format="xml", capacity_unit="1 kbps")["Köln-Ulm"]["capacity"] == "1 Mbps"


def test_a_packed_file_and_one_with_a_mark(tmp_path: Path) -> None:
    packed = tmp_path / "net.gml.gz"
    packed.write_bytes(gzip.compress(networks.GML.encode("utf-8-sig")))
    assert "Köln-Ulm" in links(packed)


def test_a_run_keeps_the_network_and_the_digest_of_it(tmp_path: Path) -> None:
    file = written(tmp_path, "net.csv", "from,to,capacity_mbps,delay_ms\na,b,10,5\n")
    run = ["run", "s.toml", "--out", "out", "--quiet"]
    (tmp_path / "s.toml").write_text(
        'run.duration = "1 s"\n[topology]\nkind = "file"\npath = "net.csv"\n[[traffic]]\ntransport = "reno"\n'
        'from = "a"\nto = "b"\n'
    )
    assert photocol(*run, cwd=tmp_path).returncode == 0
    digest = json.loads((tmp_path / "out" / "manifest.json").read_text())["scenario_sha256"]
    assert photocol(*run[:2], "--out", "same", "--quiet", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "same" / "manifest.json").read_text())["scenario_sha256"] == digest
    file.write_text("from,to,capacity_mbps,delay_ms\na,b,10,6\n")
    assert photocol(*run[:2], "--out", "other", "--quiet", cwd=tmp_path).returncode == 0
    assert json.loads((tmp_path / "other" / "manifest.json").read_text())["scenario_sha256"] != digest
    # The run has all that it was made of.
    file.unlink()
    verified = photocol("verify", "out", cwd=tmp_path)
    assert (verified.returncode, "same bits" in verified.stdout) == (0, True), verified.stderr


def test_a_sweep_over_networks(tmp_path: Path) -> None:
    for name, delay in (("near", 5), ("far", 6)):
        (tmp_path / f"{name}.csv").write_text(f"from,to,capacity_mbps,delay_ms\na,b,10,{delay}\n")
    (tmp_path / "s.toml").write_text(
        'run.duration = "100 ms"\n[topology]\nkind = "file"\npath = "near.csv"\n[[traffic]]\ntransport = "udp"\n'
        'rate = "1 Mbps"\nfrom = "a"\nto = "b"\n[probe]\ndelays = true\n'
    )
    swept = photocol("sweep", "s.toml", "--grid", "topology.path=near.csv,far.csv", "--out", "sw", cwd=tmp_path)
    assert swept.returncode == 0, swept.stderr
    assert (tmp_path / "sw" / "table.csv").read_text().count("far.csv") == 1


WRONG = {
    "bomb.graphml": (
        '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>\n<graphml>&c;</graphml>',
        r"bomb\.graphml:1:1: topology\.path: found a document type \(DTD\); allowed: XML without one",
    ),
    "deep.xml": ("<network>" + "<a>" * 100, r"deep\.xml:1:1: topology\.path: too many elements within elements"),
    "cut.gml": (
        "graph [\n  node [ id 0 ]\n  node [ id 1\n",
        r"cut\.gml:3:1: topology\.path: the file ends inside this",
    ),
    "edge.gml": (
        "graph [\n node [ id 0 ]\n edge [ source 0 target 7 ]\n]",
        r'edge\.gml:3:1: topology\.path: target: there is no node "7"; allowed: the nodes of the file',
    ),
    "far.gml": (
        "graph [ node [ id 0 ] node [ id 1 ]\nedge [ source 0 target 1 ] ]",
        r'far\.gml:2:1: topology\.path: the link between "0" and "1" has no delay, no length, and its ends have no '
        r'coordinates that differ; allowed: one of these in the file, or topology\.missing_delay = "1 ms"',
    ),
    "flows.txt": (
        traffic.HPCC,
        r"flows\.txt:1:1: topology\.path: found HPCC list of flows; allowed: networks: graphml, gml, sndlib-xml",
    ),
    "what.bin": ("Lorem ipsum", r'what\.bin:1:1: topology\.path: found "Lorem ipsum", which begins as no known format'),
    "empty.gml": ("", r'empty\.gml:1:1: topology\.path: found 0 "graph \[ … \]"; allowed: one'),
    "none.csv": ("from,to\n", r"topology\.path: the file has 0 nodes and 0 links; allowed: 1 to 1000000 in all"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_stands_at_its_line(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    with pytest.raises(ScenarioError, match=message):
        package.check(scenario(written(tmp_path, name, text)))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r'topology\.path: found ".*none\.gml": there is no such file'):
        package.check(scenario(tmp_path / "none.gml"))
    with pytest.raises(ScenarioError, match=r"topology\.path: .*is not a file but a device or a pipe"):
        package.check(scenario(Path("/dev/zero"), format="gml"))
    with pytest.raises(ScenarioError, match=r"topology\.path: .*cannot be read"):
        package.check(scenario(tmp_path))


STAR = {
    "run": {"duration": "20 ms"},
    "topology": {"kind": "star", "leaves": 4},
    "link_defaults": {"capacity": "10 Gbps", "delay": "20 us"},
}


@pytest.mark.parametrize(
    ("name", "text", "first"),
    [
        ("flow.txt", traffic.HPCC.replace(" 2\n", " 0.002\n"), (0.002, "n0", "n1", 100_000)),
        ("flows.htsim", traffic.HTSIM, (0.001636369, "n2", "n0", 1870)),
        ("m.cm", traffic.MATRIX, (0.0, "n0", "n1", 2_000_000)),
        ("t.csv", traffic.TABLE.replace("a,b", "n0,n3").replace("b,a", "n3,n0"), (0.00025, "n0", "n3", 1500)),
    ],
)
def test_lists_of_flows(name: str, text: str, first: tuple[float, str, str, int], tmp_path: Path) -> None:
    made = STAR | {"traffic": [{"transport": "reno", "file": str(written(tmp_path, name, text))}]}
    flows = package.run(made).flows.sort("start_s").select("start_s", "source", "destination", "size_bytes")
    assert flows.row(0) == first


def test_numbers_of_hosts_in_a_table_of_ones_own(tmp_path: Path) -> None:
    file = written(tmp_path, "f.csv", "start_s,source,destination,size_bytes\n0,1,n3,9000\n")
    made = STAR | {"traffic": [{"transport": "reno", "file": str(file)}]}
    assert package.run(made).flows["source"].to_list() == ["n1"]
    file.write_text("start_s,source,destination,size_bytes\n0,4,n3,9000\n")
    with pytest.raises(ScenarioError, match=r'f\.csv:2:3: traffic\.0\.file: there is no node "4"'):
        package.check(made)


RING = "from,to,capacity_gbps,delay_us\n1,2,1,5\n2,3,1,5\n3,1,1,5\n"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        # Each number is a name. 0 is none: so 0, 1 and 2 are the nodes "1", "2" and "3".
        (["1 2", "3 1"], [("1", "2"), ("3", "1")]),
        (["0 1", "1 2"], [("1", "2"), ("2", "3")]),
    ],
)
def test_numbers_are_names_or_places_in_a_whole_list(
    pairs: list[str], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    lists = {
        "f.csv": "start_s,source,destination\n" + "".join(f"0,{pair.replace(' ', ',')}\n" for pair in pairs),
        "f.htsim": "".join(f"{pair} 1000 0\n" for pair in pairs),
        "g.csv": "from,to,size,start\n" + "".join(f"{pair.replace(' ', ',')},1000,0\n" for pair in pairs),
    }
    made = scenario(written(tmp_path, "ring.csv", RING))
    for name, text in lists.items():
        made["traffic"] = [{"transport": "reno", "file": str(written(tmp_path, name, text))}]
        flows = package.run(made).flows.sort("flow")
        assert list(zip(flows["source"], flows["destination"], strict=True)) == expected, name
        told = any(
            'numbers count nodes from 0, although some are names of nodes: "0" is none' in one
            for one in package.check(made).warnings
        )
        assert told == (pairs[0] == "0 1"), name
    made["traffic"] = [{"transport": "reno", "file": str(written(tmp_path, "h.csv", lists["f.csv"] + "0,3,1\n"))}]
    if pairs[0] == "0 1":
        with pytest.raises(ScenarioError, match=r'h\.csv:4:3: traffic\.0\.file: there is no node "3"; allowed: 0 to 2'):
            package.check(made)


def test_quotes_hold_in_heads_and_rows_of_the_engines_own_tables(tmp_path: Path) -> None:
    flows = '"start_s","source","destination","size_bytes"\n"0","n0","n\n""1""","9000"\n'
    made = {
        "run": {"duration": "20 ms"},
        "topology": {"kind": "star", "leaves": 2},
        "link_defaults": {"capacity": "10 Mbps", "delay": "20 us"},
        "traffic": [{"transport": "reno", "file": str(written(tmp_path, "flows.csv", flows))}],
    }
    # The field with the line break is one, and stands where it begins.
    with pytest.raises(ScenarioError, match=r'flows\.csv:2:10: traffic\.0\.file: there is no node "n\\n\\"1\\""'):
        package.check(made)
    written(tmp_path, "flows.csv", flows.replace('n\n""1""', "n1"))
    assert package.run(made).flows["size_bytes"].to_list() == [9000]
    trace = '"time_ms" , "capacity_mbps"\n# a comment\n"0","5"\n"10",""\n'
    made["traffic"] = [{"transport": "udp", "from": "n0", "to": "n1", "rate": "9 Mbps"}]
    made["link_trace"] = [{"link": "n0->hub", "file": str(written(tmp_path, "trace.csv", trace))}]
    carried = package.run(made).links.filter(pl.col("link") == "n0->hub")["carried_bits"][0]
    # 20 ms of 5 Mb/s, but for the last packet.
    assert 100_000 - 12_000 <= carried <= 100_000


def test_a_file_of_sizes_has_a_unit(tmp_path: Path) -> None:
    table = {"transport": "reno", "pairs": "random", "arrivals": "poisson", "load_share": 0.01}
    for text, unit, points in (
        ("1 0\n6 0.5\n100 1\n", "1460 B", [1460, 8760, 146_000]),
        ("1 1 0\n6 1 0.5\n100 1 1\n", "1500 B", [1500, 9000, 150_000]),
        ("0.5 0\n1 100\n", "1 kB", [500, 1000]),
    ):
        law = {"law": "cdf", "file": str(written(tmp_path, "sizes", text)), "size_unit": unit}
        found = package.check(STAR | {"traffic": [table | {"size_law": law}]}).to_dict()["traffic"][0]["size_law"]
        assert [size for size, share in found["points"] if (size, share) != (0, 0.0)] == points
        assert "size_unit" not in found
    law = {"law": "cdf", "points": [["1 kB", 1]], "size_unit": "1 kB"}
    with pytest.raises(ScenarioError, match=r"size_unit: .*goes with file"):
        package.check(STAR | {"traffic": [table | {"size_law": law}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strat_s,source,destination\n", r':1:1: traffic\.0\.file: unknown column "strat_s"; did you mean "start_s"'),
        ("2\n0 1 3 100 9 0\n", r":1:1: traffic\.0\.file: the first line says 2 flows, the file has 1"),
        ("1\n0 9 3 100 9 0\n", r':2:1: traffic\.0\.file: there is no node "9"'),
        ("graph [ ]", r":1:1: traffic\.0\.file: found GML .*; allowed: lists of flows: flows, hpcc, htsim, htsim-cm"),
        ("Lorem ipsum\n", r':1:1: traffic\.0\.file: found "Lorem ipsum", which begins as no known format'),
    ],
)
def test_lists_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    made = STAR | {"traffic": [{"transport": "reno", "file": str(written(tmp_path, "flows", text))}]}
    with pytest.raises(ScenarioError, match=message):
        package.check(made)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        # Per cent; packets of 1460 bytes; the mean in the first line.
        (traffic.PERCENT, [["10 kB", 0.15], ["20 kB", 0.5], ["30 kB", 1.0]]),
        (traffic.PFABRIC, [["1460 B", 0.0], ["8760 B", 0.5], ["146 kB", 1.0]]),
        (traffic.HOMA, [["3 B", 0.01], ["1 kB", 1.0]]),
        ("10000 0.15\n20000,1\n", [["10 kB", 0.15], ["20 kB", 1.0]]),
    ],
)
def test_distributions_of_sizes(text: str, points: list[list[Any]], tmp_path: Path) -> None:
    law = {"law": "cdf", "file": str(written(tmp_path, "sizes", text))}
    table = {"transport": "reno", "pairs": "random", "arrivals": "poisson", "load_share": 0.01, "size_law": law}
    made = STAR | {"traffic": [table]}
    found = package.check(made).to_dict()["traffic"][0]["size_law"]["points"]
    sizes = {"kB": 1000, "B": 1}
    expected = [[int(size.split()[0]) * sizes[size.split()[1]], share] for size, share in points]
    assert [point for point in found if point[1] > 0 or point[0] > 1] == expected
    said = package.check(made).warnings
    assert any("taken as packets of 1460 B" in one for one in said) == (text == traffic.PFABRIC)


def test_sizes_that_are_wrong(tmp_path: Path) -> None:
    law = {"law": "cdf", "file": str(written(tmp_path, "sizes", "10 0\n20 1.5\n"))}
    table = {"transport": "reno", "pairs": "random", "arrivals": "poisson", "load_share": 0.01, "size_law": law}
    with pytest.raises(ScenarioError, match=r"sizes:2:1: traffic\.0\.size_law\.file: the last share is 1\.5; allowed"):
        package.check(STAR | {"traffic": [table]})


def test_the_guide_and_the_key_name_the_forms() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "other-peoples-files.md").read_text()
    section = page.partition("## In a scenario")[2].partition("\n## ")[0]
    assert set(NETWORKS) | set(FLOWS) <= set(FORMATS)
    for name in (*NETWORKS, *FLOWS):
        assert f"`{name}`" in section, name
    config = (Path(__file__).resolve().parents[2] / "crates" / "sim" / "src" / "topology" / "file.rs").read_text()
    said = config.partition("/// The file, relative")[2].partition("pub format")[0]
    assert re.findall(r'"([a-z-]+)"', said) == list(NETWORKS)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_bytes_are_refused_or_make_a_network(data: st.DataObject, tmp_path: Path) -> None:
    name = data.draw(st.sampled_from(NETWORKS))
    small = {"graphml": networks.GRAPHML, "gml": networks.GML, "sndlib-native": networks.SNDLIB_NATIVE}
    text = small.get(name, networks.EDGES).encode()
    start = data.draw(st.integers(0, len(text)))
    file = tmp_path / "file"
    file.write_bytes(text[:start] + data.draw(st.binary(max_size=8)) + text[start + data.draw(st.integers(0, 20)) :])
    try:
        package.check(scenario(file, format=name, missing_delay="1 ms"))
    except ScenarioError as wrong:
        assert wrong.key is None or wrong.key.startswith(("topology", "traffic", "run")), wrong
