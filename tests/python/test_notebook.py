"""What things show of themselves in a notebook, and what a notebook's user may hand in."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from command import SMALL

import photocol
from photocol import Claims, Figure, InputError, ScenarioError
from photocol.models import Answer

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '"><script>alert(1)</script>&\u202eevil'
ALLOWED = {"p", "bdi", "span", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"}


class Reader(HTMLParser):
    """Which elements a text of HTML opens, and its words."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self.opened.add(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def read(thing: object) -> Reader:
    reader = Reader()
    reader.feed(thing._repr_html_())  # type: ignore[attr-defined]
    assert reader.opened <= ALLOWED
    return reader


@pytest.fixture(scope="module")
def hostile() -> photocol.Result:
    return photocol.run(SMALL, set={"run.name": HOSTILE, "traffic.0.name": HOSTILE})


def test_a_result_shows_summary_tables_and_scenario(hostile: photocol.Result) -> None:
    words = read(hostile).words
    assert HOSTILE in words, "as text"
    assert hostile.fingerprint in words
    assert f"{hostile.summary['goodput']!r}" in words
    assert "duration" in words
    assert "Mb/s" in read(hostile.summary).words
    assert "Mb/s" in read(hostile.summary["goodput"]).words


def test_a_figure_tells_its_digits_where_one_points_at_it() -> None:
    assert (
        'title="97333312.5 bps; Student t, 95%, 5 replications"'
        in Figure(97333312.5, "bps", 809.0, 5, "Student t, 95%")._repr_html_()
    )


def test_a_scenario_can_be_checked_shown_and_run(tmp_path: Path) -> None:
    checked = photocol.check(SMALL, set={"run.name": HOSTILE, "traffic.0.flows": 3})
    assert (checked.seed, checked.runs, checked.duration_s) == (7, 1, 2.0)
    assert HOSTILE in read(checked).words
    assert checked.to_dict()["run"]["name"] == HOSTILE
    links = len(photocol.run(SMALL).links)
    assert links == 2 * 5, "a bottleneck and two accesses a pair, both ways"
    assert f"6 nodes, {links} directed links" in read(checked).words
    assert len(photocol.run(checked).flows) == 3
    assert len(photocol.run(checked, set={"traffic.0.flows": 2}).flows) == 2
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    assert photocol.run(photocol.check(file)).fingerprint == photocol.run(SMALL).fingerprint
    with pytest.raises(ScenarioError, match="bottleneck_delay"):
        photocol.check(SMALL.replace("bottleneck_delay", "botleneck_delay"))


def test_relative_files_of_a_checked_scenario_are_found_where_it_was(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "base.toml").write_text(SMALL)
    (tmp_path / "more.toml").write_text('extends = "base.toml"\n')
    checked = photocol.check(tmp_path / "more.toml")
    monkeypatch.chdir("/")
    assert photocol.run(checked).fingerprint == photocol.run(SMALL).fingerprint


def test_settings_may_be_lists_and_dicts(tmp_path: Path) -> None:
    given = {"probe.flows": [0], "traffic.0.pairs": (("l0", "r0"),), "topology": {**topology(), "pairs": np.int64(1)}}
    result = photocol.run(SMALL, set=given, out=tmp_path / "run")
    assert set(result.series["entity"]) == {"flow 0", "left->right"}
    assert set(result.flows["source"]) == {"l0"}
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["set"] == {
        "probe.flows": [0],
        "traffic.0.pairs": [["l0", "r0"]],
        "topology": {**topology(), "pairs": 1},
    }
    array = photocol.run(SMALL, set={"probe.flows": np.array([1])})
    assert set(array.series["entity"]) == {"flow 1", "left->right"}


def topology() -> dict[str, object]:
    return dict(tomllib.loads(SMALL)["topology"])


@pytest.mark.parametrize("value", [None, [None], object(), {"a": float("nan")}, b"bytes"])
def test_what_no_scenario_can_have_is_named(value: object) -> None:
    with pytest.raises(InputError, match=r"run\.name"):
        photocol.run(SMALL, set={"run.name": value})  # type: ignore[dict-item]


def test_tables_speak_arrow(hostile: photocol.Result) -> None:
    for name in ("flows", "links", "series", "drops"):
        frame = getattr(hostile, name)
        assert pl.DataFrame(Capsule(frame)).equals(frame)
    summary = pl.DataFrame(Capsule(hostile.summary))
    assert summary.columns == ["name", "value", "unit", "half_width", "n", "method"]
    goodput = summary.row(by_predicate=pl.col("name") == "goodput", named=True)
    assert (goodput["value"], goodput["unit"]) == (hostile.summary["goodput"].value, "bps")


def test_pandas_is_one_word_away(hostile: photocol.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = hostile.summary.to_pandas().set_index("name")
    assert summary.loc["goodput", "value"] == hostile.summary["goodput"].value
    assert list(hostile.flows.to_pandas().columns) == hostile.flows.columns

    def gone(_frame: pl.DataFrame) -> None:
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    monkeypatch.setattr(pl.DataFrame, "to_pandas", gone)
    with pytest.raises(InputError, match=r"pandas is not installed: pip install photocol\[pandas\]"):
        hostile.summary.to_pandas()


class Capsule:
    """Nothing but the Arrow interface of a thing, so that no reader takes another way."""

    def __init__(self, thing: Any) -> None:
        self.__arrow_c_stream__ = thing.__arrow_c_stream__


def test_claims_are_read_shown_and_tabulated(tmp_path: Path) -> None:
    one = dict.fromkeys(("id", "where", "expected", "tolerance", "measured", "reason"), "x")
    claim = {**one, "claim": HOSTILE, "verdict": "disagrees"}
    (tmp_path / "claims.json").write_text(json.dumps({"experiment": "002/x", "form": "quick", "claims": [claim]}))
    claims = Claims.load(tmp_path)
    assert HOSTILE in read(claims).words
    assert pl.DataFrame(Capsule(claims))["verdict"].to_list() == ["disagrees"]
    assert "claims of the paper: 1 × disagrees" in repr(claims)  # a directory that does not say whose they are
    told = {"experiment": "002/x", "form": "quick", "claims": [{**claim, "whose": "ours"}]}
    (tmp_path / "claims.json").write_text(json.dumps(told))
    assert Claims.load(tmp_path).frame()["whose"].to_list() == ["ours"]
    (tmp_path / "claims.json").write_text("{")
    with pytest.raises(InputError, match="damaged"):
        Claims.load(tmp_path)
    with pytest.raises(InputError, match="no judged claims"):
        Claims.load(tmp_path / "nowhere")


def test_a_model_shows_its_source() -> None:
    words = read(Answer.of("erlang-b", {"load": 5, "servers": 8})).words
    assert "blocking" in words
    assert "source: " in words


def test_the_package_is_a_command() -> None:
    done = subprocess.run([sys.executable, "-m", "photocol", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"photocol {photocol.__version__}\n"
