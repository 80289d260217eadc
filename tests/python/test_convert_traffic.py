"""`photocol convert`: lists of flows and distributions of sizes, as other simulators and generators write them."""

from __future__ import annotations

import gzip
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import photocol as package
from photocol import InputError, convert

if TYPE_CHECKING:
    from pathlib import Path

    from photocol.conversions.convert import Converted

HPCC = "2\n0 1 3 100 100000 2\n2 3 3 100 50000 2.01\n\nFirst line: # of flows\nsrc dst 3 port size start\n"
HTSIM = "2 0 1870 1636369\n0 1 1850000 3929208\n"
MATRIX = """Nodes 4
Connections 3
Triggers 1
0->1 id 1 start 0 size 2000000
2->3 id 2 start 500000 size 0 prio 3 send_done_trigger 1
1->0 id 3 trigger 1 size 1000
trigger id 1 oneshot
"""
TABLE = "source,destination,bytes,start_ms\na,b,1500,0.25\nb,a,1e6,10\n"
PERCENT = "0 0\n10000 15\n20000 50\n30000 100\n"
PFABRIC = "1 1 0\n6 1 0.5\n100 1 1\n"
HOMA = "129\n3 0.01\n1000 1.0\n"
COMMAS = "size,share\n,\n100,0\n180,0.085\n1000000,1\n"


def converted(place: Path, name: str, text: str, *others: Path, **choices: Any) -> Converted:
    """What a file of this text becomes; the written scenario is valid and runs."""
    (place / name).write_text(text)
    made = convert(place / name, *others, to=place / "made.toml", force=True, **choices)
    assert package.check(place / "made.toml").name == "made"
    assert package.run(
        place / "made.toml", set={"run.duration": "2.1 s" if name == "hpcc.txt" else "11 ms"}
    ).flows.height
    return made


def listed(made: Converted) -> list[tuple[int, str, str, int | None]]:
    return [(flow.start_ps, flow.source, flow.target, flow.size) for flow in made.flows]


def test_flows_of_hpcc(tmp_path: Path) -> None:
    made = converted(tmp_path, "hpcc.txt", HPCC)
    assert listed(made) == [(2 * 10**12, "0", "1", 100_000), (2_010 * 10**9, "2", "3", 50_000)]
    written = (tmp_path / "made.flows.csv").read_text()
    assert written == "start_s,source,destination,size_bytes\n2,0,1,100000\n2.01,2,3,50000\n"
    scenario = tomllib.loads((tmp_path / "made.toml").read_text())
    assert scenario["traffic"] == [{"name": "flows", "transport": "cubic", "file": "made.flows.csv"}]
    assert scenario["run"]["duration"] == "3 s"
    assert [node["role"] for node in scenario["node"]] == ["core", "host", "host", "host", "host"]
    assert made.warnings == ("no file has a network: 4 hosts are around a switch, each with 10 Gbps and 1 us",)


def test_hpcc_reads_as_many_flows_as_its_first_line_says(tmp_path: Path) -> None:
    made = converted(tmp_path, "hpcc.txt", HPCC.replace("2\n", "1\n", 1))
    assert len(made.flows) == 1
    assert "the first line says 1 flows: 1 more are left out, as HPCC does" in made.warnings[0]
    with pytest.raises(InputError, match=r"hpcc.txt:1: the first line says 3 flows, the file has 2; allowed"):
        converted(tmp_path, "hpcc.txt", HPCC.replace("2\n", "3\n", 1))


def test_flows_of_opera_and_rotornet(tmp_path: Path) -> None:
    made = converted(tmp_path, "flows.htsim", HTSIM)
    assert listed(made) == [(1_636_369_000, "2", "0", 1870), (3_929_208_000, "0", "1", 1_850_000)]
    made = converted(tmp_path, "flows.htsim", HTSIM, time_unit="ps")
    assert made.flows[0].start_ps == 1_636_369
    packed = tmp_path / "flows.htsim.gz"
    packed.write_bytes(gzip.compress(HTSIM.encode()))
    assert listed(convert(packed)) == listed(converted(tmp_path, "flows.htsim", HTSIM))


def test_the_connection_matrix_of_htsim(tmp_path: Path) -> None:
    made = converted(tmp_path, "one.cm", MATRIX)
    # A start is in picoseconds; the size 0 is a flow without end.
    assert listed(made) == [(0, "0", "1", 2_000_000), (500_000, "2", "3", None)]
    assert (tmp_path / "made.flows.csv").read_text().splitlines()[2] == "0.0000005,2,3,"
    assert [one.partition(": ")[2] for one in made.warnings[:2]] == [
        "1 flows that start when another ends are left out: a list has times",
        "1 triggers and failures are left out",
    ]


def test_a_connection_matrix_whose_flows_wait_for_others_is_work(tmp_path: Path) -> None:
    """A flow without end lets nothing go, so then it is a list.

    The third flow goes when the second is done, 0.5 µs and two ways of 2 µs later at the earliest.
    """
    made = converted(tmp_path, "one.cm", MATRIX.replace("size 0 ", "size 5000 "))
    (traffic,) = tomllib.loads((tmp_path / "made.toml").read_text())["traffic"]
    assert traffic == {"transport": "cubic", "work": {"file": "one.cm"}}
    assert [node["name"] for node in made.tables["node"]] == ["switch", "h0", "h1", "h2", "h3"]
    table = package.run(tmp_path / "made.toml").probes["tasks"]
    start_s = dict(zip(table["name"], table["start_s"], strict=True))
    assert start_s["1"] == 0
    assert 4.5e-6 < start_s["3"] < 10e-6


def test_a_graph_of_goal_goes_over_a_network_or_around_a_switch(tmp_path: Path) -> None:
    """Ranks are counted as the file says, hosts come in the order of the network."""
    network = tmp_path / "net.csv"
    network.write_text("from,to,capacity_gbps,delay_us\ns,a,1,5\ns,b,1,5\ns,c,1,5\n")
    folder = tmp_path / "jobs"
    folder.mkdir()
    job = folder / "job.goal"
    job.write_text("num_ranks 3\nrank 0 {\nm: send 1000b to 1 tag 1\n}\nrank 1 {\nm: recv 1000b from 0 tag 1\n}\n")
    alone = convert(job)
    assert len(alone.tables["node"]) == 4
    made = convert(network, job, to=tmp_path / "made.toml", transport="sack")
    assert made.to_dict()["traffic"][0]["work"] == {"file": str(job)}
    assert tomllib.loads((tmp_path / "made.toml").read_text())["traffic"][0]["work"] == {"file": "jobs/job.goal"}
    for scenario in (alone.to_dict(), tmp_path / "made.toml"):
        assert package.run(scenario).summary["unfinished_tasks"] == 0
    with pytest.raises(InputError, match=r"job.goal:3: "):
        job.write_text("num_ranks 1\nrank 0 {\nm: send 1000b to 1 tag 1\n}\n")
        convert(job)


CALLS = "num_ranks 3\nrank 0 {\nm: send 1000b to 2 tag 1\n}\nrank 2 {\nm: recv 1000b from 0 tag 1\n}\n"


def test_ranks_of_work_are_nodes_of_a_network_without_roles_and_hosts_beside_those_of_flows(tmp_path: Path) -> None:
    job, network, list_ = (tmp_path / name for name in ("job.goal", "net.csv", "flows.csv"))
    job.write_text(CALLS)
    network.write_text("from,to,capacity_gbps,delay_us\na,b,1,5\nb,c,1,5\n")
    list_.write_text("source,target,size,start\nx,y,1000,0\n")
    for inputs in ((job, network), (job, list_)):
        assert package.run(convert(*inputs).to_dict()).summary["unfinished_tasks"] == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "job.goal",
            CALLS.replace("num_ranks 3", "num_ranks 2000000000"),
            "found 2000000000 ranks; allowed: at most 4096",
        ),
        (
            "job.toml",
            "[run]\nduration = '1 s'\n",
            "found a scenario; allowed: a .toml that is an index of Chakra's traces",
        ),
    ],
)
def test_work_that_is_none_is_told(name: str, text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=f"{name}:1: {said}"):
        convert(tmp_path / name)


def test_an_input_is_not_written_over_and_folders_are_there(tmp_path: Path) -> None:
    job = tmp_path / "job.goal"
    job.write_text(CALLS)
    table = tmp_path / "net.flows.csv"
    table.write_text("source,target,size,start\nx,y,1000,0\n")
    with pytest.raises(InputError, match=r"net\.flows\.csv is read and would be written over"):
        convert(table, to=tmp_path / "net.toml", force=True)
    with pytest.raises(InputError, match="there is no folder"):
        convert(job, to=tmp_path / "none" / "made.toml")


@pytest.mark.parametrize(
    "flow", ["0->1 id 1 start 0 size 1000 send_done_trigger 1", "0->1 id 1 start 0 size 1000\n1->0 id 2 trigger 1"]
)
def test_a_matrix_in_which_no_flow_with_an_end_waits_is_a_list(flow: str, tmp_path: Path) -> None:
    count = 1 + flow.count("\n")
    text = f"Nodes 2\nConnections {count}\n{flow}\ntrigger id 1 oneshot\n"
    (tmp_path / "one.cm").write_text(text)
    made = convert(tmp_path / "one.cm")
    assert len(made.flows) == 1 and "work" not in made.to_dict()["traffic"][0]


def test_a_table_of_flows_over_a_network(tmp_path: Path) -> None:
    network = tmp_path / "net.csv"
    network.write_text("from,to,capacity_gbps,delay_us\na,s,1,5\ns,b,1,5\n")
    made = converted(tmp_path, "flows.csv", TABLE, network)
    assert listed(made) == [(250_000_000, "a", "b", 1500), (10 * 10**9, "b", "a", 1_000_000)]
    assert {node["name"]: node["role"] for node in made.tables["node"]} == {"a": "host", "s": "core", "b": "host"}
    # 1500 B of data over two links of 1 Gb/s: the flow is done long before 11 ms.
    done = package.run(tmp_path / "made.toml", set={"run.duration": "11 ms"}).flows
    assert done["bytes_arrived"][0] == 1500


def test_numbers_are_nodes_in_the_order_of_the_network(tmp_path: Path) -> None:
    network = tmp_path / "net.csv"
    network.write_text("from,to\nx,y\ny,z\n")
    made = converted(tmp_path, "flows.htsim", HTSIM, network)
    assert [(flow.source, flow.target) for flow in made.flows] == [("z", "x"), ("x", "y")]
    with pytest.raises(InputError, match=r'flows.htsim:1: there is no node "3"; allowed: the 3 nodes of the network'):
        converted(tmp_path, "flows.htsim", "3 0 1 1\n", network)
    with pytest.raises(InputError, match=r"flows.csv:2: there is no node \"yy\"; did you mean 'y'\?"):
        converted(tmp_path, "flows.csv", "from,to,size,start\nyy,x,1,0\n", network)


POINTS = {
    "percent": (PERCENT, [["1 B", 0.0], ["10000 B", 0.15], ["20000 B", 0.5], ["30000 B", 1.0]]),
    "pfabric": (PFABRIC, [["1460 B", 0.0], ["8760 B", 0.5], ["146000 B", 1.0]]),
    "homa": (HOMA, [["3 B", 0.01], ["1000 B", 1.0]]),
    "commas.csv": (COMMAS, [["100 B", 0.0], ["180 B", 0.085], ["1000000 B", 1.0]]),
}


@pytest.mark.parametrize("name", POINTS)
def test_distributions_in_two_or_three_columns_as_fractions_or_per_cent(name: str, tmp_path: Path) -> None:
    text, points = POINTS[name]
    made = converted(tmp_path, name, text, load=0.1)
    [traffic] = made.tables["traffic"]
    assert traffic["size_law"] == {"law": "cdf", "points": points}
    assert (traffic["load_share"], traffic["arrivals"], traffic["pairs"]) == (0.1, "poisson", "random")
    assert made.formats == {str(tmp_path / name): "sizes"}


def test_the_unit_of_sizes_can_be_said(tmp_path: Path) -> None:
    made = converted(tmp_path, "pfabric", PFABRIC, size_unit=1, load=1e-4)
    assert made.tables["traffic"][0]["size_law"]["points"][1] == ["6 B", 0.5]
    assert not any("1460" in warning for warning in made.warnings)


def test_flows_within_a_node_are_left_out(tmp_path: Path) -> None:
    made = converted(tmp_path, "flows.htsim", f"5 5 10 0\n{HTSIM}")
    assert len(made.flows) == 2
    assert "1 flows from a node to itself are left out" in made.warnings[0]


def test_a_file_that_cannot_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "flows.htsim.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(InputError, match=r"flows\.htsim\.gz: cannot be unpacked"):
        convert(tmp_path / "flows.htsim.gz")
