"""Signals, kills and full disks: what is finished is kept, what is said is true, nothing is left lying about."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import LONG, SMALL, arguments, photocol
from experiment_fakes import checkout

import photocol as package
from photocol import _core
from photocol.runs import storage
from photocol.runs.runner import advance
from photocol.runs.scenario import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAUSED = """
import pathlib, sys, time
from photocol.{room} import {module}
from photocol.cli import main
folder = pathlib.Path(sys.argv[1])
whole = {module}.{function}
def paused(*words, **named):
    (folder / "reached").touch()
    while not (folder / "go").exists():
        time.sleep(0.01)
    return whole(*words, **named)
{module}.{function} = paused
from photocol.runs import runner
one = runner.Execution._replicate
def counted(self, run, *rest):
    if run == 3:
        (folder / "three").touch()
    return one(self, run, *rest)
runner.Execution._replicate = counted
if __name__ == "__main__":
    sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.01)


class Paused:
    """A command that stops at the call of a function, `room.module.function`, until it is told to go on."""

    def __init__(self, folder: Path, where: str, *words: str | Path) -> None:
        room, module, function = where.split(".")
        script = folder / "paused.py"
        script.write_text(PAUSED.format(room=room, module=module, function=function))
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(folder), *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )

    def await_file(self, name: str) -> None:
        wait_for(lambda: (self.folder / name).exists() or self.process.poll() is not None)

    def end(self) -> tuple[int, str, str]:
        (self.folder / "go").touch()
        stdout, stderr = self.process.communicate(timeout=60)
        return self.process.returncode, stdout, stderr


def test_a_second_signal_while_results_are_saved_loses_nothing(small: Path) -> None:
    out = small.parent / "out"
    command = Paused(small.parent, "runs.storage._flush", "run", small, "--runs", "1000000", "--out", out)
    command.await_file("three")
    command.process.send_signal(signal.SIGINT)
    command.await_file("reached")
    for again in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        command.process.send_signal(again)
    status, stdout, stderr = command.end()
    kept = len(json.loads((out / "manifest.json").read_text())["runs"])
    assert status == 130, stderr
    assert stderr == f"photocol: interrupted; {kept} of 1000000 replications are finished and in {out}\n"
    assert "goodput" in stdout
    assert pl.read_parquet(out / "flows.parquet")["run"].n_unique() == kept >= 3


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_last_record_is_written(small: Path, sent: signal.Signals, status: int) -> None:
    out = small.parent / "out"
    command = Paused(small.parent, "runs.storage._flush", "run", small, "--out", out)
    command.await_file("reached")
    command.process.send_signal(sent)
    returned, _, stderr = command.end()
    assert (returned, stderr) == (status, f"photocol: interrupted; 1 of 1 replications are finished and in {out}\n")
    assert package.Result.load(out).manifest["seed"] == 7


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("words", [("run", "small.toml"), ("check", "small.toml")])
def test_a_signal_before_anything_runs(small: Path, words: tuple[str], sent: signal.Signals, status: int) -> None:
    command = Paused(small.parent, "cli.run.loaded_scenario", *words)
    command.await_file("reached")
    command.process.send_signal(sent)
    command.process.wait(timeout=60)
    assert command.end() == (status, "", "photocol: interrupted\n")


IMPORTING = """
import pathlib, sys, time
folder = pathlib.Path(sys.argv[1])
class Pause:
    def find_spec(self, name, *_):
        if name == "click":
            (folder / "reached").touch()
            while True:
                time.sleep(0.01)
sys.meta_path.insert(0, Pause())
from photocol.cli import main
sys.exit(main(["check", "small.toml"]))
"""


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_while_the_commands_are_imported(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    command = [sys.executable, "-c", IMPORTING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for((tmp_path / "reached").exists)
        process.send_signal(sent)
        assert process.communicate(timeout=60) == ("", "photocol: interrupted\n")
    assert process.returncode == status


def test_two_signals_while_a_figure_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout(tmp_path)
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(tmp_path / "experiments"))
    scenario = SMALL.replace("[[traffic]]", "[transport.a]\nalgorithm = 'reno'\n[[traffic]]")
    (tmp_path / "scenarios" / "made-up.toml").write_text(scenario)
    file = tmp_path / "experiments" / "900" / "figure.py"
    text = file.read_text().replace('{"buffer": point["buffer_bytes"]}', "{}").replace('{"duration": "1 s"}', "{}")
    file.write_text(text.replace('result.summary["level"].value', "0.5"))
    out = tmp_path / "o"
    command = Paused(tmp_path, "experiments.record._write_tables", "reproduce", "900", "--jobs", "1", "--out", out)
    command.await_file("reached")
    command.process.send_signal(signal.SIGINT)
    command.process.send_signal(signal.SIGINT)
    status, _, stderr = command.end()
    assert (status, stderr) == (130, "photocol: interrupted\n")
    assert json.loads((out / "900" / "figure" / "claims.json").read_text())["jobs_missing"] == 0
    assert not list((out / "900" / "figure").rglob(".*"))


def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    long, small, out = tmp_path / "long.toml", tmp_path / "small.toml", tmp_path / "out"
    long.write_text(LONG)
    small.write_text(SMALL)
    with subprocess.Popen(arguments("run", long, "--out", out, "--pcap", "0")) as process:
        wait_for(lambda: any(path.suffix == ".pcapng" for path in tmp_path.iterdir()))
        process.kill()
    dead = process.pid
    (tmp_path / f".out.{dead}.unfinished").mkdir()
    (tmp_path / f".out.{dead}.unfinished" / "flows.parquet").touch()
    (tmp_path / f".other.{dead}.unfinished").mkdir()
    (tmp_path / f".out.{os.getppid()}.unfinished").mkdir()
    (tmp_path / ".out.notes").touch()
    assert (tmp_path / f".out.{dead}.pcapng").exists()
    assert photocol("run", small, "--quiet", "--out", out).returncode == 0
    hidden = sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("."))
    # Those of a living process, of another target, and what is none of ours stay.
    assert hidden == sorted([f".other.{dead}.unfinished", f".out.{os.getppid()}.unfinished", ".out.notes"])


def test_a_run_looks_up_however_much_time_a_slice_may_cover() -> None:
    """5000 h in 1024 slices of time would be 17 578 s each, minutes of work; so many events come before."""
    scenario = load(SMALL.replace('"2 s"', '"5000 h"').replace('"0.1 s"', '"1 h"'))
    simulation = _core.Simulation(scenario, 1, 0)
    simulation.advance(scenario.duration_s / 1024, 1 << 14)
    assert 0 < simulation.now_s < 60


class Rounding:
    """A simulation whose time is whole picoseconds, rounded down; it notes the effort it is allowed."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.efforts: list[int] = []

    def advance(self, until_s: float, effort: int) -> None:
        self.now_s = math.floor(until_s * 1e12) / 1e12 if until_s < 1e-3 else 1e-3
        self.efforts.append(effort)


def test_the_effort_of_a_slice_grows_only_where_it_was_the_limit() -> None:
    """Times as floats are seldom whole picoseconds: a slice that ends below its limit by less has come to it."""
    simulation = Rounding()
    assert list(advance(simulation, 1e-3))[-1] == 1e-3
    assert set(simulation.efforts) == {1 << 14}


class Standing:
    """A simulation in which somebody asks to be woken at once, for ever."""

    now_s = 0.5

    def advance(self, until_s: float, effort: int) -> None:
        """Spends the effort."""


def test_a_run_whose_time_stands_still_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("photocol.runs.runner._MOST_AT_ONCE", 1 << 20)
    with pytest.raises(package.RunError, match=r"^it does not get past 0\.5 s of simulated time; this is a bug"):
        list(advance(Standing(), 1.0))


def test_bursts_that_wait_for_a_wavelength_let_time_pass_with_either_signalling() -> None:
    """A queue at an ingress node asks again when a wavelength is free from where the booking begins, not at once."""
    for signalling in ("jet", "jit"):
        said = {"switching.signalling": signalling, "run.duration": "60 ms", "run.warm_up": "0 s"}
        with pytest.warns(UserWarning, match="start after the end"):
            result = package.run("scenarios/obs.toml", set=said)
        assert result.summary["mean_ingress_wait"] > 0, signalling


def test_a_run_that_takes_more_memory_than_allowed_ends(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = iter(range(0, 10**15, 3 * 10**9))
    monkeypatch.setattr("photocol.runs.machine._memory_bytes", lambda: next(taken))
    done = photocol("run", small, "--out", small.parent / "out")
    assert done.returncode == 1
    assert done.stderr.startswith("photocol: the run failed: it has taken 9.0 GB of memory by ")
    assert done.stderr.endswith(" s of simulated time; allowed: 8 GB, see run.memory\n")
    assert not (small.parent / "out").exists()


def test_samples_that_fit_nowhere_are_wrong_input(small: Path) -> None:
    done = photocol("run", small, "--set", "probe.interval=1 ps")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("--set: probe.interval: 3.8e13 samples would take about 7.6 PB of memory; allowed: ")


def on_a_full_disk(place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """What a command says where `place` holds 16 kB; skips where nobody may mount that."""
    place.mkdir()
    mount = 'mount -t tmpfs -o size=16k none "$0" && exec "$@"'
    shell = ["unshare", "-m", "sh", "-c", mount, str(place)]
    try:
        trial = subprocess.run([*shell, "true"], check=False, timeout=60)
    except FileNotFoundError:
        pytest.skip("no unshare here: a full disk is only acted, in the next test")
    if trial.returncode != 0:
        pytest.skip("nobody may mount a small disk here: a full disk is only acted, in the next test")
    return subprocess.run([*shell, *command], capture_output=True, text=True, check=False)


def test_a_full_disk_names_the_file(small: Path) -> None:
    place = small.parent / "full"
    done = on_a_full_disk(place, *arguments("run", small, "--runs", "40", "--out", place / "out"))
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith(f"photocol: {place / 'out'}/")
    assert lines[0].endswith(": No space left on device")


def test_a_capture_on_a_full_disk_names_the_file(small: Path) -> None:
    place = small.parent / "full"
    capture = place / "packets.pcapng"
    done = on_a_full_disk(place, *arguments("run", small, "--quiet", "--pcap", capture))
    assert done.returncode == 1
    assert done.stderr == (
        f"photocol: the run failed: {capture}: the capture file could not be written: No space left on device\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        "parquet: underlying IO error: No space left on device (os error 28)",
        # What is said where the end of a table finds no room.
        "parquet: File out of specification: Invalid thrift: transport error",
    ],
)
def test_polars_words_of_a_full_disk_become_an_error_with_the_file(
    words: str, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_self: pl.DataFrame, _file: Path) -> None:
        raise pl.exceptions.ComputeError(words)

    monkeypatch.setattr(storage.shutil, "disk_usage", lambda _: SimpleNamespace(free=0))

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    out = small.parent / "out"
    done = photocol("run", small, "--out", out)
    assert (done.returncode, done.stderr) == (1, f"photocol: {out / 'flows.parquet'}: No space left on device\n")
    assert sorted(small.parent.iterdir()) == [small]


def test_converting_anew_on_a_full_disk_leaves_the_scenario_that_was_there(tmp_path: Path) -> None:
    place = tmp_path / "full"
    (tmp_path / "net.csv").write_text(
        "from,to,capacity_mbps,delay_ms\n" + "".join(f"n{k},n{k + 1},100,1\n" for k in range(99))
    )
    script = f"echo '# mine' > {place}/net.toml; head -c 65536 /dev/zero > {place}/rest 2>/dev/null; "
    command = " ".join(
        map(shlex.quote, arguments("convert", tmp_path / "net.csv", "--to", place / "net.toml", "--force"))
    )
    done = on_a_full_disk(place, "sh", "-c", f"{script}{command}; status=$?; cat {place}/net.toml; exit $status")
    assert (done.returncode, done.stdout) == (1, "# mine\n"), done.stderr
    assert done.stderr.splitlines()[-1] == f"photocol: {place / 'net.toml'}: No space left on device"


def test_a_pdf_on_a_full_disk_names_the_file(small: Path) -> None:
    photocol("run", small, "--out", small.parent / "run", "--quiet")
    place = small.parent / "full"
    script = f"head -c 65536 /dev/zero > {place}/rest 2>/dev/null; "
    command = arguments("plot", small.parent / "run", "--format", "pdf", "--only", "goodput", "--out", place)
    done = on_a_full_disk(place, "sh", "-c", script + " ".join(map(shlex.quote, command)))
    assert (done.returncode, done.stderr) == (1, f"photocol: {place / 'goodput.pdf'}: No space left on device\n")


def test_an_error_without_a_file_gets_one(tmp_path: Path) -> None:
    def fill(_folder: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left on device") as error:
        storage.write_directory(tmp_path / "run", fill)
    assert error.value.filename == str(tmp_path / "run")
