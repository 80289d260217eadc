"""Records and pages say what is so: known reasons, experiments and keys that exist, verdicts in their order."""

from __future__ import annotations

import contextlib
import json
import random
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from photocol import verdict
from photocol.experiments.baselines import TABLE, baselines_in
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.experiments.drawn import Drawn, Picks
from photocol.experiments.record import UNEXPLAINED
from photocol.sweeps.campaign.table import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from photocol.experiment import Experiment
    from photocol.verdict import Finding

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
FOUND = find_experiments(experiments_folder(start=ROOT))
PAGES = sorted(
    {
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("bench/*.md"),
        *ROOT.glob("experiments/*/*.md"),
        *ROOT.glob("scenarios/**/*.toml"),
    }
)
SOURCES = sorted({*ROOT.glob("experiments/**/*.py"), *ROOT.glob("experiments/*.toml")})

STALE: dict[str, list[str]] = {}
"""Claims recorded as unexplained whose reason is known since; 004/nsfnet is run anew with its issue."""

INVERTED = {"002/readings": ["literal"]}
"""Claims that can agree without agreeing in shape; each paper's issue mends its own."""


FEWER_AXES: list[str] = []
"""Records from before their experiment had all of its axes; they go when the experiment is recorded anew."""


def test_records_have_the_axes_of_their_experiments() -> None:
    fewer = [
        one.experiment
        for one in baselines_in(RESULTS)
        if set(load_experiment(FOUND[one.experiment]).axes) - set(table_of(one.experiment).columns)
    ]
    assert sorted(fewer) == FEWER_AXES


def test_no_record_has_a_path_of_the_machine_that_made_it() -> None:
    named = [Path(one["file"]) for record in baselines_in(RESULTS) for one in record.manifest.get("code", {}).values()]
    assert [file for file in named if file.is_absolute() or not (ROOT / file).is_file()] == []


def table_of(name: str) -> pl.DataFrame:
    """The recorded table of an experiment."""
    return pl.read_csv(RESULTS / name / TABLE, infer_schema_length=None)


def test_no_record_is_unexplained_whose_experiment_has_a_reason() -> None:
    stale: dict[str, list[str]] = {}
    for one in baselines_in(RESULTS):
        known = {claim.id for claim in load_experiment(FOUND[one.experiment]).claims if claim.reason}
        unexplained = [claim["id"] for claim in one.claims if claim["reason"] == UNEXPLAINED]
        if found := [claim for claim in unexplained if claim in known]:
            stale[one.experiment] = found
    assert stale == STALE


def experiments_named(text: str) -> set[str]:
    """What looks like an experiment: a paper or a study, a slash, a name; no file and no part of a path."""
    folders = "00[0-4]|modern|circuits|orbit|quic|rotor|told"
    named = re.findall(rf"(?<![\w/.-])((?:{folders})/[\w-]+(?:\.\w+)*)(?![\w/{{-])", text)
    return {name for name in named if not name.endswith((".md", ".py", ".csv", ".png", ".svg"))}


@pytest.mark.parametrize("page", PAGES + SOURCES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_experiment_that_a_page_names_exists(page: Path) -> None:
    assert sorted(experiments_named(page.read_text()) - set(FOUND)) == []


def test_an_experiment_that_does_not_exist_is_found() -> None:
    text = "`004/figure-6`, 004/nsfnet; results/004/other, 003/slots.md, 002/baseline."
    assert experiments_named(text) == {"004/figure-6", "004/nsfnet", "002/baseline"}


SCHEMA = json.loads((ROOT / "schema" / "scenario.json").read_bytes())
TABLES = [table for table in SCHEMA["properties"] if table not in ("extends", "force", "trace")]


def branches(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part of the schema, each of its alternatives and what it refers to."""
    yield part
    for other in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        yield from branches(other)
    if "$ref" in part:
        yield from branches(SCHEMA["$defs"][part["$ref"].rsplit("/", 1)[1]])


def is_key(words: list[str], part: dict[str, Any] = SCHEMA) -> bool:
    """Whether a scenario may have this key, written as for `--set`."""
    if not words:
        return True
    word, rest = words[0], words[1:]
    for one in branches(part):
        inner = one.get("properties", {}).get(word)
        if inner is None and word.isdecimal():
            inner = one.get("items")
        if inner is None:
            inner = one.get("additionalProperties") or None
        if isinstance(inner, dict) and is_key(rest, inner):
            return True
    return False


def keys_named(text: str) -> set[str]:
    """Keys of a scenario in backticks or quotes, with the table in front."""
    return set(re.findall(rf'[`"]((?:{"|".join(TABLES)})(?:\.[\w-]+)+)(?: ?=[^`"]*)?[`"]', text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_key_that_a_page_names_exists(page: Path) -> None:
    assert [key for key in sorted(keys_named(page.read_text())) if not is_key(key.split("."))] == []


def test_a_key_that_does_not_exist_is_found() -> None:
    named = keys_named("`run.duration`, `run.length`, `traffic.0.rate=1`, `topology.bottleneck_buffer`, `run.py`")
    assert sorted(key for key in named if not is_key(key.split("."))) == ["run.length", "run.py"]


def test_what_agrees_agrees_in_shape_too() -> None:
    """Some 15 s: every claim of every experiment judges tables that are moved by chance."""
    experiments = {name: load_experiment(file) for name, file in FOUND.items()}
    with judged() as conditions:
        found = {name: set(inverted(name, one, conditions)) for name, one in experiments.items()}
    new = {name: claims - set(INVERTED.get(name, [])) for name, claims in found.items()}
    assert {name: claims for name, claims in new.items() if claims} == {}
    gone = {name: set(claims) - {claim.id for claim in experiments[name].claims} for name, claims in INVERTED.items()}
    assert {name: claims for name, claims in gone.items() if claims} == {}


Conditions = list[tuple[bool, bool]]
"""Whether something agreed, and agreed in shape, each time it was judged."""


def inverted(name: str, experiment: Experiment, conditions: Conditions) -> list[str]:
    """Claims that agree without agreeing in shape on some table: the recorded one, or one scattered about it."""
    recorded = RESULTS / name / TABLE
    if not recorded.is_file() or name in FEWER_AXES:
        return []
    outcomes = scattered(experiment, table_of(name))
    pairs = [(claim, outcome) for claim in experiment.claims for outcome in outcomes]
    return sorted({claim.id for claim, outcome in pairs if is_stricter(claim.check, outcome, conditions)})


def scattered(experiment: Experiment, table: pl.DataFrame) -> list[Outcome]:
    """Thirty outcomes whose metrics are the table's times log-normal factors, narrow and wide."""
    draw = random.Random(1)
    metrics = [metric.name for metric in experiment.metrics if metric.name in table.columns]
    table = table.with_columns(pl.col(metrics).cast(pl.Float64))
    picks = Picks(set(table.columns) - set(metrics))
    outcomes = []
    for turn in range(30):
        width = (0.0, 0.03, 0.1, 0.3, 0.6, 1.0)[turn % 6]
        columns = {
            metric: [None if value is None else value * draw.lognormvariate(0, width) for value in table[metric]]
            for metric in metrics
        }
        drawn = table.with_columns(
            **{metric: pl.Series(values, dtype=pl.Float64) for metric, values in columns.items()}
        )
        replications = drawn.select(*experiment.axes, *metrics).with_columns(seed=pl.lit(1))
        outcomes.append(Outcome(table=Drawn(drawn, picks), replications=replications))
    return outcomes


@contextlib.contextmanager
def judged() -> Iterator[Conditions]:
    """The conditions that the modules loaded so far judge by, written down as they do."""
    conditions: Conditions = []

    def judge(*, agrees: bool, in_shape: bool, measured: str) -> Finding:
        conditions.append((bool(agrees), bool(in_shape)))
        return verdict.judge(agrees=agrees, in_shape=in_shape, measured=measured)

    with pytest.MonkeyPatch.context() as patch:
        for module in list(sys.modules.values()):
            if module is not verdict and getattr(module, "judge", None) is verdict.judge:
                patch.setattr(module, "judge", judge)
        yield conditions


def is_stricter(check: Callable[[Outcome], Finding], outcome: Outcome, conditions: Conditions) -> bool:
    """Whether the check finds that something agrees and does not agree in shape; a check that fails finds nothing."""
    conditions.clear()
    with contextlib.suppress(Exception):  # The table lacks what the check reads.
        check(outcome)
    return any(agrees and not in_shape for agrees, in_shape in conditions)


def test_a_claim_whose_shape_is_stricter_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = Outcome(table=pl.DataFrame({"x": [1.0]}), replications=pl.DataFrame())
    module = ModuleType("claims")
    module.judge = verdict.judge  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "claims", module)
    with judged() as conditions:
        assert is_stricter(lambda _: module.judge(agrees=True, in_shape=False, measured="1"), outcome, conditions)
        assert not is_stricter(lambda _: module.judge(agrees=True, in_shape=True, measured="1"), outcome, conditions)
