"""`photocol convert` and the public data that lie beside a checkout, in `../shared`; skipped where they do not."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import photocol as package
from photocol import convert

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
OPERA = SHARED / "data" / "opera"
CASES = SHARED / "cases"

with_opera = pytest.mark.skipif(not OPERA.is_dir(), reason="no public data: ../shared/data/opera is not there")
with_cases = pytest.mark.skipif(not CASES.is_dir(), reason="no public data: ../shared/cases is not there")


@with_opera
@pytest.mark.parametrize("name", ["flows-1-percent.htsim.gz", "flows-1-percent-clos-3to1.htsim.gz"])
def test_every_flow_of_opera_is_read(name: str, tmp_path: Path) -> None:
    lines = pl.read_csv(OPERA / name, separator=" ", has_header=False, new_columns=["from", "to", "bytes", "start_ns"])
    made = convert(OPERA / name, to=tmp_path / "opera.toml")
    assert [flow.size for flow in made.flows] == lines["bytes"].to_list()
    assert [flow.start_ps for flow in made.flows] == [1000 * start for start in lines["start_ns"].to_list()]
    assert {int(flow.source) for flow in made.flows} == set(lines["from"].to_list())
    checked = package.check(tmp_path / "opera.toml")
    assert checked.duration_s >= lines["start_ns"].max() / 1e9


@with_opera
def test_the_first_flows_of_opera_run(tmp_path: Path) -> None:
    convert(OPERA / "flows-1-percent.htsim.gz", to=tmp_path / "opera.toml")
    with pytest.warns(UserWarning, match="flows start after the end of the run"):
        result = package.run(tmp_path / "opera.toml", set={"run.duration": "50 ms"})
    assert result.flows["completed"].sum() > 10
    first = result.flows.sort("start_s")[0]
    assert (first["source"][0], first["destination"][0], first["size_bytes"][0]) == ("176", "638", 1870)


@with_opera
@pytest.mark.parametrize(("name", "points"), [("datamining-cdf.csv", 17), ("websearch-cdf.csv", 16)])
def test_the_distributions_of_opera_are_read(name: str, points: int) -> None:
    made = convert(OPERA / name)
    law = made.tables["traffic"][0]["size_law"]["points"]
    assert len(law) == points
    assert (law[0][1], law[-1][1]) == (0.0, 1.0)


@with_cases
@pytest.mark.parametrize(
    "name", ["17-missing-graphml/small.graphml", "06-gml-numeric-entities/written-by-networkx.gml"]
)
def test_the_networks_of_the_cases_run(name: str, tmp_path: Path) -> None:
    made = convert(CASES / name, to=tmp_path / "case.toml")
    names = [node["name"] for node in made.tables["node"]]
    assert names == (["A", "B"] if "17" in name else ["Köln", 'R&D "West"'])
    assert package.run(tmp_path / "case.toml", set={"run.duration": "20 ms"}).manifest["packet_hops"] > 0
