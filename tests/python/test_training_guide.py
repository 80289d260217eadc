"""The guide on training shows what is so: its code runs, and its numbers are those of commands, models and a run."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from command import photocol

import photocol as package
from photocol.training import Model, Parallelism, model_names, read_model, training_graph
from photocol.training.model import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "training.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_code_of_the_page_runs() -> None:
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(block, names)
    assert isinstance(names["extra_s"], dict)


def test_the_page_shows_what_the_command_prints(tmp_path: Path) -> None:
    command = next(line for line in PAGE.splitlines() if line.startswith("photocol training dense-7b"))
    done = photocol(*shlex.split(command)[1:], cwd=tmp_path)
    assert blocks("text")[0] == done.stdout


def test_the_table_of_models_is_that_of_their_files() -> None:
    shown = []
    for name in sorted(model_names(), key=["dense-7b", "dense-70b", "moe-8x7b"].index):
        layers = read_model(name).layers
        text = (ROOT / "python" / "photocol" / "training" / "models" / f"{name}.toml").read_text()
        found = dict(re.findall(r"^(\w+) = (\d+)", text, re.MULTILINE))
        weights = sum(layer.parameter_bytes + layer.expert_parameter_bytes for layer in layers) / 2e9
        experts = f"{found['experts']} x " if "experts" in found else ""
        widths = f"{len(layers)} | {found['hidden']} | {experts}{found['intermediate']}"
        shown.append(f"| `{name}` | {widths} | {weights:.2f} billion | {layers[0].forward_ps / 1e9:.2f} ms |")
    assert "\n".join(shown) in PAGE


def test_every_column_and_key_of_a_model_is_named() -> None:
    keys = tomllib.loads((ROOT / "python" / "photocol" / "training" / "models" / "moe-8x7b.toml").read_text())
    assert [name for name in (*COLUMNS[1:], *keys) if f"`{name}`" not in PAGE] == []


def test_the_step_of_the_page_takes_as_long_as_it_says() -> None:
    result = package.run(ROOT / "scenarios" / "training.toml")
    assert f"the step takes {result.summary['work_time']:.3f} s." in PAGE


@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 2), (2, 8), (3, 6), (4, 4), (4, 8), (4, 16), (8, 16)])
def test_transfers_cost_each_schedule_what_the_page_says(stages: int, micro_batches: int) -> None:
    layer = read_model("dense-7b").layers[:1] * stages
    model = Model(name="even", layers=layer)
    c_s = 1e-4
    expected = {
        "gpipe": 2 * (stages - 1),
        "1f1b": 2 * (stages - 1) * micro_batches / stages + 2 * (stages - 2),
    }
    for schedule, count in expected.items():
        graph = training_graph(model, Parallelism(pipeline=stages, micro_batches=micro_batches, schedule=schedule))
        free, slow = (max(end for _, end in graph.times_s(lambda _, s=one: s).values()) for one in (0.0, c_s))
        assert slow - free == pytest.approx(count * c_s, rel=1e-9)
