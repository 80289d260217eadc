"""Probes as Python sees them: what they declare is what a run has, and the example of docs/guide/add-a-probe.md."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import photocol
from photocol import _core
from photocol.plot.probes import PAGE_TABLES, PICTURES, PROBES
from photocol.runs.meanings import meaning

ROOT = Path(__file__).resolve().parents[2]
NAMES = [name for name, _, _ in _core.probes()]
SMALL = {"run.duration": "2 s", "run.warm_up": "0 s"}


@pytest.fixture(scope="module")
def plain() -> photocol.Result:
    """Without probes."""
    return photocol.run(ROOT / "scenarios" / "dumbbell.toml", set=SMALL)


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_adds_what_it_declares(name: str, plain: photocol.Result, tmp_path: Path) -> None:
    [((columns, figures, percentiles), tables)] = [lists for one, *lists in _core.probes() if one == name]
    run = photocol.run(ROOT / "scenarios" / "dumbbell.toml", set={**SMALL, f"probe.{name}": True})
    assert run.fingerprint == plain.fingerprint
    # There are no nights in this network.
    declared = [column for column, _ in columns if "nights" not in column]
    assert [column for column in run.flows.columns if column not in plain.flows.columns] == declared
    assert {named: frame.columns for named, frame in run.probes.items()} == {
        named: [column for column, _ in its] for named, its in tables
    }
    names = {figure for figure, _ in figures}
    for figure in set(run.summary) - set(plain.summary):
        assert figure in names or re.sub(r"_p[0-9_]+$", "", figure) in dict(percentiles), figure
        assert meaning(figure), figure
    loaded = photocol.Result.load(run.save(tmp_path / "run"))
    assert {named: frame.columns for named, frame in loaded.probes.items()} == {
        named: frame.columns for named, frame in run.probes.items()
    }


def test_pictures_and_tables_of_the_page_are_of_probes() -> None:
    of_work = {name for name, _ in _core.work()[1]}
    assert {probe.name for probe in PROBES} <= {*NAMES, *of_work}
    assert len(PICTURES) + len(PAGE_TABLES) >= len(PROBES)


def test_a_picture_of_a_probe_is_found_by_its_name(plain: photocol.Result) -> None:
    for name, picture in PICTURES.items():
        assert name in dir(plain.plot)
        with pytest.raises(ValueError, match=re.escape(picture.missing)):
            getattr(plain.plot, name)()
    with pytest.raises(AttributeError, match="did you mean 'delay_percentiles'"):
        _ = plain.plot.delay_percentile


def test_the_table_of_the_guide_is_one() -> None:
    [code] = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guide/add-a-probe.md").read_text(), re.DOTALL)
    module: dict[str, Any] = {"__name__": "hours"}
    exec(code, module)

    run = SimpleNamespace(probes={})
    assert module["PROBE"].page_table.table(run).is_empty()
    # Two replications.
    run.probes["hours"] = pl.DataFrame({"run": [0, 0, 1], "hour": [0, 1, 1], "packets": [6, 5, 7]})
    assert module["PROBE"].page_table.table(run).rows() == [(0, 6), (1, 12)]
