"""`photocol training`, files of models, and what is refused with its place."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import photocol
from hypothesis import given
from hypothesis import strategies as st

from photocol import InputError
from photocol.cli import DONE, FAILED, WRONG_INPUT
from photocol.cli.completion import training_models
from photocol.training import Parallelism, model_names, read_model, training_graph

if TYPE_CHECKING:
    from photocol.training import Model

ROOT = Path(__file__).resolve().parents[2]
ROWS = """layer,forward,backward,parameters,activations,count
first,2 ms,0.004,10 MB,1 MB,
others,1,2,3000,400,3
"""
TRANSFORMER = """
layers = 3
hidden = 8
intermediate = 16
heads = 4
sequence = 10
flops_per_second = 1e9
"""


def model_of(text: str, file: Path) -> Model:
    file.write_text(text)
    return read_model(file)


def test_a_table_of_layers_is_read(tmp_path: Path) -> None:
    model = model_of(ROWS, tmp_path / "mine.csv")
    first, *others = model.layers
    assert (model.name, len(others)) == ("mine", 3)
    assert (first.forward_ps, first.backward_ps) == (2 * 10**9, 4 * 10**9)
    assert (first.parameter_bytes, first.activation_bytes, first.exchanged_bytes) == (10_000_000, 1_000_000, 0)
    assert (others[0].forward_ps, others[0].parameter_bytes) == (10**12, 3000)


def test_a_transformer_is_read(tmp_path: Path) -> None:
    model = model_of(TRANSFORMER, tmp_path / "mine.toml")
    layer = model.layers[0]
    assert len(model.layers) == 3
    # 4 x 8 x 8 and 3 x 8 x 16 weights; 10 tokens of 2 x 640 + 4 x 10 x 8 operations.
    assert layer.parameter_bytes == 2 * 640
    assert layer.forward_ps == 10 * 1600 * 1000
    narrow = model_of(TRANSFORMER + "key_value_heads = 2\n", tmp_path / "mine.toml").layers[0]
    assert narrow.parameter_bytes == 2 * (640 - 64)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("parameters", "weights", "mine.csv:1: found the columns layer, forward, backward, weights"),
        (",count", ",layer", "mine.csv:1: found the columns"),
        ("2 ms", "2 pounds", 'mine.csv:2: forward: found "2 pounds"; allowed: 0 s to 86400 s'),
        ("3000", "-1", 'mine.csv:3: parameters: found "-1"; allowed: 0 B to 1 PB'),
        ("400,3", "400,3,9", "mine.csv:3: found 7 columns; allowed: 6"),
        ("400,3", "400,0", 'mine.csv:3: count: found "0"; allowed: a whole number from 1 to 1000'),
        ("400,3", "400,1000", "mine.csv:3: there are more than 1000 layers"),
        ("0.004", "", 'mine.csv:2: backward: found ""'),
        (ROWS[ROWS.index("first") :], "", "mine.csv:1: there is no layer"),
    ],
)
def test_a_wrong_table_is_refused_with_its_line(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in ROWS
    with pytest.raises(InputError) as error:
        model_of(ROWS.replace(old, new, 1), tmp_path / "mine.csv")
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("layers = 3", "layers = 0", "mine.toml:2:10: layers: found 0; allowed: a whole number from 1 to 1000"),
        ("layers = 3", "", "layers: is missing"),
        ("layers = 3", "layers = 3\nlayer = 3", "layer: is no key here; did you mean 'layers'?"),
        ("hidden = 8", "hidden = 16777216", "mine.toml:3:10: hidden: a layer has or sends too many bytes"),
        ("1e9", "1e6\nmicro_batch = 65536\nvalue_bytes = 8", ""),
        ("hidden = 8", "hidden = 100000", "a layer takes "),
        (
            "layers = 3",
            "experts_per_token = 2\nlayers = 3",
            "experts_per_token: found 2; allowed: a whole number from 1",
        ),
        ("layers = 3", "layers = [", "mine.toml: "),
    ],
)
def test_a_wrong_transformer_is_refused_with_its_key(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in TRANSFORMER
    text = TRANSFORMER.replace(old, new, 1).replace("1e9", "1e6")
    if not told:
        assert model_of(text, tmp_path / "mine.toml").layers
        return
    with pytest.raises(InputError) as error:
        model_of(text, tmp_path / "mine.toml")
    assert told in str(error.value)


LETTERS = st.text(alphabet='layersforwdbckptmin=[]0123456789.-e,; \n"MB', max_size=120)


@given(LETTERS, st.integers(0, 200), st.sampled_from([".csv", ".toml"]))
def test_no_text_is_more_than_wrong(text: str, place: int, ending: str) -> None:
    whole = {".csv": ROWS, ".toml": TRANSFORMER}[ending]
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(InputError):
        assert model_of(whole[:place] + text + whole[place:], Path(folder) / f"mine{ending}").layers


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"data": 0}, "data is 0, must be a whole number from 1 to 4096"),
        ({"data": 64, "tensor": 65}, "data x tensor x pipeline are 4160 ranks; allowed: up to 4096"),
        ({"data": 4, "expert": 3}, "expert is 3; allowed: what divides data, which is 4"),
        ({"data": 2, "expert": 2}, "expert is 2, and the model has no experts; allowed: 1"),
        ({"pipeline": 33}, "pipeline is 33; allowed for dense-7b: up to 32, its layers"),
        ({"schedule": "1f1"}, "schedule is '1f1'; did you mean '1f1b'? allowed: gpipe, 1f1b"),
        ({"buckets": 0}, "buckets is 0, must be a whole number from 1 to 1000"),
    ],
)
def test_a_parallelism_that_cannot_be_is_refused(how: dict[str, int], told: str) -> None:
    with pytest.raises(InputError) as error:
        training_graph(read_model("dense-7b"), Parallelism(**how))
    assert told in str(error.value)


def test_a_graph_of_too_many_tasks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("photocol.conversions.collectives.MOST_TASKS", 1000)
    assert len(training_graph(read_model("dense-7b"), Parallelism(micro_batches=15)).tasks) == 2 * 32 * 15
    with pytest.raises(InputError, match="there are more than 1000 tasks; allowed: up to that, with fewer chunks"):
        training_graph(read_model("dense-7b"), Parallelism(micro_batches=16))


def test_the_command_says_what_the_graph_has(tmp_path: Path) -> None:
    words = ("training", "dense-7b", "--data", "2", "--pipeline", "4", "--chunks", "2", "--buckets", "2")
    file = tmp_path / "tasks.csv"
    done = photocol(*words, "--out", file)
    assert (done.returncode, done.stderr) == (DONE, "")
    how = Parallelism(data=2, pipeline=4, chunks=2, buckets=2)
    graph = training_graph(read_model("dense-7b"), how)
    assert file.read_text() == graph.text
    assert len(list(csv.reader(file.read_text().splitlines()))) == len(graph.tasks) + 1
    assert done.stdout.splitlines() == [
        f"dense-7b: 8 ranks, {len(graph.tasks)} tasks",
        # 11 turns of 8 layers of 4.832 ms and twice that; 3 of 11 are bubbles.
        "with free communication 1.276 s, of which the busiest rank waits for 27.3%",
        # 2 (2 − 1) x 12.95 GB, and 8 micro-batches of 33.6 MB over three boundaries, there and back, twice.
        "sent: gradients 25.9 GB, pipeline 3.22 GB",
        str(file),
    ]
    found = json.loads(photocol(*words, "--json").stdout)
    assert (found["model"], found["ranks"], found["tasks"]) == ("dense-7b", 8, len(graph.tasks))
    assert found["sent_bytes"] == graph.sent_bytes
    assert found["computing_s"] == pytest.approx(found["least_s"] * 8 / 11)


def test_the_command_refuses_what_is_not_there(tmp_path: Path) -> None:
    done = photocol("training", "dense-7c")
    assert done.returncode == WRONG_INPUT
    assert "found 'dense-7c'; did you mean 'dense-7b'? allowed: dense-70b, dense-7b, moe-8x7b, or a file" in done.stderr
    gone = photocol("training", tmp_path / "gone.csv")
    assert (gone.returncode, "gone.csv" in gone.stderr) == (FAILED, True)
    assert photocol("training", "dense-7b", "--schedule", "1f1b1").returncode == WRONG_INPUT


def test_the_help_names_every_model() -> None:
    help_text = photocol("training", "--help").stdout
    assert [name for name in model_names() if name not in help_text] == []


def test_a_shell_is_offered_the_models() -> None:
    from click import Context

    from photocol.cli.commands import app

    context = Context(app)
    assert [one.value for one in training_models(context, app.params[0], "dense")] == ["dense-70b", "dense-7b"]
    assert [one.type for one in training_models(context, app.params[0], "mine")] == ["file"]


def test_the_graph_of_the_ready_made_scenario_is_that_of_its_command(tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "training.toml").read_text()
    (line,) = re.findall(r"^# (photocol training .* --out scenarios/traces/training\.csv)$", text, re.MULTILINE)
    file = tmp_path / "tasks.csv"
    done = photocol(*shlex.split(line)[1:-1], file)
    assert done.returncode == DONE
    assert (ROOT / "scenarios" / "traces" / "training.csv").read_text() == file.read_text()
    (least,) = re.findall(r"with free communication (\S+) s", done.stdout)
    assert f"With free communication the step takes {least} s." in text
