"""Flows that come at a load, beside a queue that is calculated by hand."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import photocol

ROOT = Path(__file__).parents[2]
MSS, PACKET = 1460, 1500
CAPACITY_BPS = 100e6

QUEUE: dict[str, Any] = {
    "run": {"duration": "60 s", "warm_up": "5 s"},
    "topology": {
        "kind": "dumbbell",
        "bottleneck_capacity": "100 Mbps",
        "bottleneck_delay": "1 us",
        "access_capacity": "1 Tbps",
        "access_delay": "1 us",
        "bottleneck_buffer": "unlimited",
        "access_buffer": "unlimited",
    },
    # All of a flow leaves at once, so that the bottleneck serves whole flows in the order of their starts.
    "transport": {
        "at-once": {"algorithm": "sack", "initial_window": 100_000, "min_rto": "50 s", "initial_rto": "50 s"}
    },
    "traffic": [
        {
            "transport": "at-once",
            "arrivals": "poisson",
            "load_share": 0.5,
            "size_law": {"law": "exponential", "mean": "125 kB"},
        }
    ],
}
"""A first-in-first-out queue of whole flows: M/M/1 with a mean service of 10 ms, load 0.5."""


@pytest.fixture(scope="module")
def queue() -> photocol.Result:
    return photocol.run(QUEUE)


def test_flows_leave_a_queue_as_lindley_says(queue: photocol.Result) -> None:
    flows = queue.flows.filter(pl.col("completed")).sort("start_s")
    free = 0.0
    for start, end, size in flows.select("start_s", "end_s", "bytes_acked").iter_rows():
        wire = size + math.ceil(size / MSS) * (PACKET - MSS)
        free = max(start, free) + 8 * wire / CAPACITY_BPS
        # Beside the queue: six microseconds of fibre, fast links, an ACK of 3.2 us that may wait for the one before it.
        assert 6e-6 < end - free < 20e-6, (start, end, size)
    assert queue.summary["retransmissions"].value == 0


def test_the_mean_is_that_of_m_m_1(queue: photocol.Result) -> None:
    # With headers a flow of mean size lasts 125 kB · 1500/1460 and half a header more: 10.28 ms, and the load is 0.514.
    # The mean time is 10.28/(1 − 0.514) = 21.15 ms. 2750 flows, correlated over some four: standard error about 4 %.
    found = queue.summary["completion_time_p50"].value / math.log(2)
    assert found == pytest.approx(21.15e-3, rel=0.15)
    flows = queue.flows.filter(pl.col("completed") & (pl.col("start_s") >= 5))
    mean = (flows["end_s"] - flows["start_s"]).mean()
    assert mean == pytest.approx(21.15e-3, rel=0.15)
    assert len(flows) == pytest.approx(55 * 50, abs=4 * math.sqrt(55 * 50))


def test_percentiles_and_slowdowns_are_those_of_the_table(queue: photocol.Result) -> None:
    counted = queue.flows.filter(pl.col("delivered_s").is_not_null() & (pl.col("start_s") >= 5))
    times = sorted((counted["delivered_s"] - counted["start_s"]).to_list())
    for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99_9", 0.999)):
        rank = math.ceil(share * len(times) - 1e-9)
        assert queue.summary[f"completion_time_{name}"].value == times[rank - 1]
    assert queue.summary["mean_slowdown"].value == pytest.approx(counted["slowdown"].mean(), rel=1e-12)
    assert counted["slowdown"].min() > 1 - 1e-9
    short = counted.filter(pl.col("bytes_acked") <= 100_000)
    assert queue.summary["mean_short_slowdown"].value == pytest.approx(short["slowdown"].mean(), rel=1e-12)


def test_the_load_is_what_the_link_carries() -> None:
    # 8333 flows in half a second on eight links; the standard deviation of a size is about 1.5 means, so their sum is
    # known to 1.6 %.
    sizes = "{ law = 'pareto', mean = '30 kB', shape = 1.5, most = '300 kB' }"
    settings = {"traffic.0.size_law": sizes, "run.duration": "0.6 s", "run.warm_up": "0.1 s"}
    result = photocol.run(ROOT / "scenarios" / "web-search.toml", set=settings)
    # Payload 0.5, with headers 0.514 and a bit more for short last packets; and the ACKs of the way back, 40 B for each
    # packet, which are 0.014.
    ports = result.links.filter(pl.col("from") == "hub")
    assert ports["utilization"].mean() == pytest.approx(0.53, abs=0.035)


def test_requests_of_an_incast_are_told(tmp_path: Path) -> None:
    settings = {"run.duration": "0.5 s", "link_defaults.core.buffer": "unlimited"}
    result = photocol.run(ROOT / "scenarios" / "incast.toml", set=settings, out=tmp_path / "out")
    assert result.summary["requests_completed"].value == 10
    # 32 · 20 kB and headers of 14 packets each need 5.26 ms of the port.
    assert result.summary["mean_request_time"].value > 32 * (20_000 + 14 * 40) * 8 / 1e9


def said_link(page: str, begin: str) -> str:
    """The one link of a node that begins so, which a page names as `load_link`."""
    [link] = re.findall(rf'load_link ?= ?"({begin}\w*->\w+)"', (ROOT / "docs" / "guide" / page).read_text())
    return str(link)


@pytest.mark.parametrize(
    ("name", "link", "hosts", "gbps"),
    [
        ("fat-tree", said_link("data-centres.md", "h0"), 16, 1),
        ("rotornet", None, 32, 10),
    ],
)
def test_a_share_of_a_hosts_link_is_one_of_all_hosts_links(name: str, link: str | None, hosts: int, gbps: int) -> None:
    """Starts are Poisson, so their number is within four times its root; uplinks would have given another. Over rotor
    switches no link need be named."""
    share, size, duration = 0.2, 10_000, 20e-3
    traffic = {"transport": "sack", "pairs": "random", "arrivals": "poisson", "load_share": share, "size": "10 kB"}
    times = {"run.duration": "20 ms", "run.warm_up": "0 s"}
    if link is not None:
        traffic["load_link"] = link
    found = photocol.run(ROOT / "scenarios" / f"{name}.toml", set=times | {"traffic": [traffic], "transport": {}})
    expected = share * gbps * 1e9 * hosts * duration / (8 * size)
    assert abs(found.summary["flows"] - expected) < 4 * math.sqrt(expected)


def test_without_a_link_the_share_is_that_of_the_one_which_the_flows_load_most() -> None:
    """Leaves with twice as much to their hosts: the same load of the uplinks is half that of the hosts' links."""
    network = {"kind": "leaf-spine", "leaves": 4, "spines": 4, "hosts": 4, "host_capacity": "1 Gbps"}
    network |= {"oversubscription": 2, "routing": "ecmp"}
    traffic = {"transport": "sack", "pairs": "random", "arrivals": "poisson", "load_share": 0.2, "size": "10 kB"}
    scenario = {"run": {"duration": "0.1 s"}, "topology": network}
    of_hosts, of_most = (
        float(photocol.run(scenario | {"traffic": [traffic | named]}).summary["flows"])
        for named in ({"load_link": "h0->l0"}, {})
    )
    # Of 15 other hosts 12 are at other leaves, and their flows share four uplinks of half a host's rate.
    assert of_most / of_hosts == pytest.approx(0.5 / (12 / 15), rel=0.1)


LAWS = re.findall(
    r'^\| `"([\w-]+)"`(?:, `"[\w-]+"`)? \|  *\| .*?: (\d+) points, (lines|steps); mean ([\d.]+) ([kM]B) \|$',
    (ROOT / "docs" / "guide" / "traffic.md").read_text(),
    re.MULTILINE,
)
"""The laws that are tables, as the guide describes them."""


@pytest.mark.parametrize(("law", "points", "between", "mean", "unit"), LAWS)
def test_pages_state_the_points_and_the_mean_of_each_table(
    law: str, points: str, between: str, mean: str, unit: str
) -> None:
    text = (ROOT / "crates" / "sim" / "src" / "model" / "published" / f"{law}.txt").read_text()
    table = [(float(size), float(share)) for size, share in map(str.split, text.splitlines())]
    pieces = list(pairwise(table))
    own = sum((high - low) * ((a + b) / 2 if between == "lines" else b) for (a, low), (b, high) in pieces)
    assert len(table) == int(points)
    assert f"{own / {'kB': 1e3, 'MB': 1e6}[unit]:.3g}" == mean
    page = (ROOT / "docs" / "reference" / "scenario" / "traffic.md").read_text()
    section = page.partition(f'`law = "{law}"`\n')[2].partition("\n### ")[0]
    assert f"the table of {points} points" in section
    assert f"Mean {mean} {unit}" in section


def test_every_table_is_in_the_guide() -> None:
    names = {file.stem for file in (ROOT / "crates" / "sim" / "src" / "model" / "published").iterdir()}
    assert {law for law, *_ in LAWS} == names
