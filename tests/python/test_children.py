"""No command executes a module that lies in the working directory, or beside the scenario."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import SMALL
from experiment_fakes import EXPERIMENT, checkout

from photocol import children
from photocol.cli.commands import app

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(children.__file__).parent
PROGRAMS = Path(sys.executable).parent
OTHERS = ("click", "dask", "distributed", "matplotlib", "numpy", "pandas", "photocol", "polars", "pyarrow")
COMMANDS = {
    "check": ["check", "s.toml", "--explain"],
    "completion": ["completion", "bash"],
    "convert": ["convert", "net.csv", "--to", "c.toml"],
    "export": ["export", "--ro-crate", "out"],
    "gravity": ["gravity", "leo.toml", "--to", "g.toml", "--rate", "1 Gbps"],
    "list": ["list", "experiments"],
    "model": ["model", "erlang-b", "--set", "load=5", "--set", "servers=8"],
    "new": ["new", "experiment", "901/figure"],
    "orbits": ["orbits", "leo.toml", "--duration", "1 s"],
    "plot": ["plot", "out", "--only", "goodput"],
    "report": ["report", "out"],
    "reproduce": ["reproduce", "900/figure", "--jobs", "2", "--out", "r"],
    "run": ["run", "s.toml", "--threads", "2", "--trace", "--out", "again"],
    "schedule": ["schedule", "m.json", "--frame", "4", "--algorithm", "bvn"],
    "schema": ["schema"],
    "sweep": ["sweep", "s.toml", "--grid", "run.seed=1,2,3", "--jobs", "2", "--quiet", "--out", "s"],
    "training": ["training", "dense-7b", "--data", "2", "--out", "steps.csv"],
    "trace": ["trace", "out", "--perfetto", "p.json"],
    "verify": ["verify", "swept", "--jobs", "2"],
}
"""A command line of each command; `bench`, `emulate` and `lab` are tests of their own."""


def planted(folder: Path) -> Path:
    """Modules in a folder, named like those that Python and photocol import, which leave their names."""
    names = {*sys.stdlib_module_names, *OTHERS} - {"__main__"}
    marks = folder / "executed"
    marks.mkdir(exist_ok=True)
    for name in sorted(names):
        (folder / f"{name}.py").write_text(f"open({str(marks / name)!r}, 'w').close()\n")
    return marks


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scenario, a run and a sweep of it, and the planted modules beside them."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "s.toml").write_text(SMALL.replace('"2 s"', '"0.2 s"').replace('"0.5 s"', '"0.1 s"'))
    (folder / "leo.toml").write_text(
        '[topology]\nkind = "constellation"\nshell = "iridium"\nstations = ["Rome", "Oslo"]\n'
    )
    (folder / "net.csv").write_text("from,to,capacity_mbps,delay_ms\na,b,100,1\nb,c,100,1\n")
    (folder / "m.json").write_text("[[0, 1], [1, 0]]")
    text = EXPERIMENT.replace('result.summary["level"].value', "0.5").replace('"duration"', '"run.duration"')
    checkout(folder, text=text.replace('{"buffer": point["buffer_bytes"]}', "{}"))
    (folder / "scenarios" / "made-up.toml").write_text((folder / "s.toml").read_text())
    carried_out(folder, "photocol", "run", "s.toml", "--trace", "--quiet", "--out", "out")
    carried_out(folder, "photocol", "sweep", "s.toml", "--grid", "run.seed=1,2", "--quiet", "--out", "swept")
    planted(folder)
    return folder


def bare() -> dict[str, str]:
    """The environment of a terminal, where nobody has asked Python for care."""
    return {name: value for name, value in os.environ.items() if name not in (children.SAFE_PATH, "PYTHONPATH")}


def carried_out(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAMS / program), *words]
    return subprocess.run(command, cwd=folder, env=bare(), capture_output=True, text=True, timeout=300, check=False)


def executed(folder: Path) -> list[str]:
    found = sorted(path.name for path in (folder / "executed").iterdir())
    shutil.rmtree(folder / "executed")
    (folder / "executed").mkdir()
    return found


def test_every_command_has_a_line_here() -> None:
    assert {*COMMANDS, "bench", "emulate", "lab"} == set(app.commands)


def test_what_is_planted_is_executed_by_a_python_that_takes_no_care(place: Path) -> None:
    """So that the other tests here can fail."""
    subprocess.run([sys.executable, "-c", "import queue"], cwd=place, env=bare(), check=True)
    assert "queue" in executed(place)


def test_python_itself_executes_what_lies_there_before_the_command_can_act(place: Path) -> None:
    words = ["-m", "photocol", "--version"]
    subprocess.run([sys.executable, *words], cwd=place, env=bare(), capture_output=True, check=False)
    assert "importlib" in executed(place)
    subprocess.run([sys.executable, "-P", *words], cwd=place, env=bare(), capture_output=True, check=True)
    assert executed(place) == []


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_no_command_executes_what_lies_there(place: Path, command: str) -> None:
    done = carried_out(place, "photocol", *COMMANDS[command])
    assert (executed(place), done.returncode) == ([], 0), done.stderr


def test_no_process_of_the_benchmarks_does(place: Path) -> None:
    measure = 'from photocol.cli import bench; print(bench._threaded_apart("dumbbell-100", 1))'
    words = [sys.executable, "-P", "-c", measure]
    done = subprocess.run(words, cwd=place, env=bare(), capture_output=True, text=True, timeout=300, check=False)
    assert (executed(place), done.returncode) == ([], 0), done.stderr


@pytest.mark.alone
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIP: photocol-node needs Linux")
@pytest.mark.parametrize(
    "words",
    [("demo", "--loopback", "--no-ip", "--port", "0", "--seconds", "1"), ("measure", "--seconds", "1", "--loopback")],
)
def test_no_process_of_the_control_plane_does(place: Path, words: tuple[str, ...]) -> None:
    done = carried_out(place, "photocol-node", *words)
    assert (executed(place), done.returncode) == ([], 0), done.stderr


@contextlib.contextmanager
def entered(folder: Path) -> Iterator[tuple[http.client.HTTPConnection, dict[str, str]]]:
    """The lab in a process of its own, and the headers of a browser that has come in."""
    words = [str(PROGRAMS / "photocol"), "lab", "s.toml", "--no-browser"]
    process = subprocess.Popen(words, cwd=folder, env=bare(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        page = Path(process.stdout.readline().strip()).read_text()
        found = re.search(r'http://(127.0.0.1:\d+)/enter.*value="([^"]+)"', page, re.DOTALL)
        assert found is not None, page
        connection = http.client.HTTPConnection(found[1], timeout=60)
        connection.request("POST", "/enter", f"token={found[2]}", {"Origin": "null"})
        answer = connection.getresponse()
        answer.read()
        yield connection, {"Cookie": answer.headers["Set-Cookie"].split(";")[0], "Origin": f"http://{found[1]}"}
        connection.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


def test_no_process_of_the_lab_does(place: Path) -> None:
    with entered(place) as (connection, known):
        asked = {"do": "run", "tab": "t", "of": {"kind": "file", "name": "s.toml"}}
        asked["text"] = (place / "s.toml").read_text()
        connection.request("POST", "/api/ask", json.dumps(asked), known)
        said = connection.getresponse().read().decode()
    assert executed(place) == []
    assert '"kind":"end"' in said


def test_one_module_starts_processes_of_python() -> None:
    """The interpreter is named once; `multiprocessing`, which names it too, starts its processes in `safe_path`."""
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in PACKAGE.rglob("*.py")}
    assert [name for name, text in texts.items() if "sys.executable" in text] == ["children.py"]
    starts = [name for name, text in texts.items() if re.search(r"multiprocessing\.get_context|ProcessPool", text)]
    assert starts == ["sweeps/campaign/local.py"]
    assert "children.safe_path()" in texts[starts[0]]
