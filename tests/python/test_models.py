"""Closed-form models from Python and from the command line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from command import photocol as command

import photocol
from photocol import models


def test_a_number_knows_its_unit() -> None:
    found = photocol.model("erlang-b", load=1, servers=1)
    assert found["blocking"] == 0.5
    assert (found["carried_load"], found["carried_load"].unit) == (0.5, "erlang")


def test_arrays_are_broadcast() -> None:
    found = photocol.model("erlang-b", load=np.array([[1.0], [2.0]]), servers=[1, 2, 3])["blocking"]
    assert found.shape == (2, 3)
    assert found[1, 1] == pytest.approx(0.4)
    one_by_one = [[photocol.model("erlang-b", load=a, servers=n)["blocking"] for n in (1, 2, 3)] for a in (1, 2)]
    np.testing.assert_array_equal(found, one_by_one)


def test_numpy_scalars_are_numbers_and_empty_arrays_give_empty_arrays() -> None:
    assert photocol.model("erlang-b", load=np.float64(1), servers=np.int64(1))["blocking"] == 0.5
    assert photocol.model("erlang-b", load=np.empty((0, 3)))["blocking"].shape == (0, 3)


def test_an_output_that_is_a_list_has_one_dimension_more() -> None:
    mesh = {"servers": [4, 4], "routes": [[0, 1], [1]], "loads": [2, 1]}
    one = photocol.model("erlang-fixed-point", **mesh)
    many = photocol.model("erlang-fixed-point", **mesh, scale=[1, 2, 3])
    assert many["link_blocking"].shape == (3, 2)
    np.testing.assert_array_equal(many["link_blocking"][0], one["link_blocking"])


def test_text_may_have_a_unit() -> None:
    assert photocol.model("pftk", rtt="60 ms") == photocol.model("pftk", rtt=0.06)


def test_a_million_points_of_tcp_eng_are_one_call() -> None:
    loss = np.geomspace(1e-6, 0.2, 1_000_000)
    found = photocol.model("tcp-eng", loss=loss)["throughput_bps"]
    assert found.shape == loss.shape
    assert np.all(np.diff(found) < 0)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"loss": 0}, "tcp-eng: loss = 0: must be more than 0 and less than 1"),
        ({"loss": [0.1, 1]}, "tcp-eng, point 1: loss = 1: must be more than 0 and less than 1"),
        ({"loss": float("nan")}, "tcp-eng: loss = NaN: must be more than 0 and less than 1"),
        ({"loss": "10 ms"}, "loss = 10 ms: must be a number"),
        ({"reading": "as printed"}, "reading = as printed: must be one of corrected, as_printed"),
        ({"loss": object()}, "tcp-eng: an input is a number, a text or a list of numbers; given: loss (object)"),
    ],
)
def test_what_cannot_be_is_named(inputs: dict[str, object], message: str) -> None:
    with pytest.raises(photocol.InputError, match=f"^{re.escape(message)}$"):
        photocol.model("tcp-eng", **inputs)


def test_a_wrong_name_is_named_with_the_nearest() -> None:
    with pytest.raises(photocol.InputError, match="no model 'tcp_eng'; nearest: tcp-eng"):
        photocol.model("tcp_eng")
    with pytest.raises(photocol.InputError, match="tcp-eng has no input 'p'; it has: loss, "):
        photocol.model("tcp-eng", p=[0.1])
    with pytest.raises(photocol.InputError, match="erlang-b has no input 'servrs'; nearest: servers; it has: load, "):
        photocol.model("erlang-b", servrs=3)
    for answer in (photocol.model("erlang-b"), photocol.model("erlang-b", load=[1, 2])):
        with pytest.raises(KeyError, match="erlang-b has no output 'blockng'; did you mean 'blocking'"):
            answer["blockng"]


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(photocol.InputError, match=r"^erlang-b: load, servers: shape mismatch"):
        photocol.model("erlang-b", load=[1, 2], servers=[1, 2, 3])


@pytest.mark.alone
def test_a_long_evaluation_can_be_interrupted() -> None:
    # What a shell starts in the background ignores SIGINT, and so would its children.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import numpy as np, photocol; photocol.model('tcp-fluid'); print('ready', flush=True); "
        "photocol.model('tcp-fluid', capacity=np.linspace(3000, 4000, 1_000_000))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize("name", models.names())
def test_every_model_answers_in_json_and_in_words(name: str) -> None:
    told = json.loads(command("model", name, "--json").stdout)
    about = models.describe(name)
    assert (told["model"], told["source"]) == (name, about["source"])
    assert list(told["outputs"]) == [one["name"] for one in about["outputs"]]
    words = command("model", name)
    assert words.returncode == 0
    for one in about["inputs"]:
        assert one["meaning"] in words.stdout
    assert name in command("list", "models").stdout


def test_the_command_takes_settings_and_refuses_wrong_ones() -> None:
    done = command("model", "erlang-b", "--set", "load=2", "--set", "servers=2", "--json")
    assert json.loads(done.stdout)["outputs"]["blocking"] == {"value": pytest.approx(0.4), "unit": "1"}
    for words, message in [
        (("erlang-b", "--set", "load=-1"), "erlang-b: load = -1: must be at least 0 and at most 1000000"),
        (("erlang-b", "--set", "load"), "--set 'load': must be path=value"),
        (("erlang-c",), "no model 'erlang-c'; nearest: erlang-b"),
    ]:
        done = command("model", *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(message)
        assert done.stderr.count("\n") == 1
