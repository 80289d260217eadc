"""How far packets arrive out of order, as Python sees it: docs/guide/reordering.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import photocol as command

import photocol

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = "load-balanced-bursts"
SMALL = {"traffic.0.size": "2 MB", "switching.balancing.policy": "random"}


@pytest.fixture(scope="module")
def asked() -> photocol.Result:
    """Ten flows whose bursts are sprayed."""
    more = {"probe.reordering": True, "probe.interval": "100 ms", "probe.flows": [0]}
    return photocol.run(SCENARIO, set={**SMALL, **more})


def test_flows_table_and_samples_agree(asked: photocol.Result) -> None:
    flows, densities = asked.flows, asked.reordering
    assert densities is not None
    extents = densities.filter(pl.col("metric") == "extent").group_by("flow").agg(pl.col("packets").sum())
    found = dict(extents.iter_rows())
    assert found == dict(zip(flows["flow"], flows["reordered_packets"], strict=True))
    assert float(asked.summary["reordered_packets"]) == flows["reordered_packets"].sum() > 0
    samples = asked.series.filter(pl.col("quantity") == "reordered_packets")["value"].to_list()
    assert samples == sorted(samples)
    assert 0 < samples[-1] <= flows["reordered_packets"][0]
    three = densities.filter((pl.col("metric") == "n-reordering") & (pl.col("value") >= 3))["packets"].sum()
    assert three == flows["three_reordered_packets"].sum()


def test_nothing_changes_but_what_is_told(asked: photocol.Result) -> None:
    plain = photocol.run(SCENARIO, set=SMALL)
    assert plain.reordering is None
    assert "reordered_packets" not in plain.flows.columns
    assert plain.fingerprint == asked.fingerprint


def test_a_run_that_is_saved_has_its_densities(asked: photocol.Result, tmp_path: Path) -> None:
    asked.save(tmp_path / "run")
    loaded = photocol.Result.load(tmp_path / "run").reordering
    assert loaded is not None
    assert loaded.equals(asked.reordering)  # type: ignore[arg-type]


def test_a_threshold_needs_what_it_is_for() -> None:
    with pytest.raises(photocol.ScenarioError, match="goes with reordering = true"):
        photocol.check(SCENARIO, set={"probe.displacement_threshold": 5})


def test_paths_that_share_links_are_allowed_with_a_note() -> None:
    said = command("check", SCENARIO).stdout
    assert 'note: the paths from "A" to "F" share "A->B" and "E->F"' in said
    known = json.loads(command("check", SCENARIO, "--json").stdout)
    assert len(known["notes"]) == 2
