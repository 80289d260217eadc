"""The command line end to end: exit status, messages, files, signals."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from command import LONG, SMALL, arguments, environment, photocol, photocol_process
from experiment_fakes import checkout

import photocol as package
from photocol.runs.runner import Execution

if TYPE_CHECKING:
    from collections.abc import Callable

DONE, FAILED, WRONG_INPUT = 0, 1, 2


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


def test_the_version() -> None:
    done = photocol_process("--version")
    assert (done.returncode, done.stdout) == (DONE, f"photocol {package.__version__}\n")


def test_help_is_quick_and_lists_the_commands() -> None:
    done = photocol()
    assert done.returncode == DONE
    for command in ("run", "check", "schema", "list", "plot", "bench", "reproduce"):
        assert re.search(rf"^  {command} ", done.stdout, re.MULTILINE)


def test_run_prints_a_table_and_writes_nothing(small: Path) -> None:
    done = photocol("run", small, cwd=small.parent)
    assert (done.returncode, done.stderr) == (DONE, "")
    assert re.search(r"^goodput +\d\.\d\d Mb/s$", done.stdout, re.MULTILINE)
    assert "fingerprint" in done.stdout
    assert list(small.parent.iterdir()) == [small]


def test_json_is_summary_json_and_nothing_else(small: Path) -> None:
    out = small.parent / "out"
    done = photocol_process("run", small, "--json", "--out", out)
    assert done.stdout == (out / "summary.json").read_text()
    assert json.loads(done.stdout)["goodput"]["unit"] == "bps"
    assert done.stderr == ""


def test_quiet_says_nothing(small: Path) -> None:
    done = photocol("run", small, "--quiet", "--out", small.parent / "out")
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "", "")


def test_the_command_of_the_manifest_repeats_the_run(small: Path) -> None:
    out = small.parent / "out"
    words = ["--seed", "3", "--runs", "2", "--set", "traffic.0.flows=3", "--shuffle-ties", "5"]
    assert photocol("run", small, "--out", out, *words).returncode == DONE
    manifest = json.loads((out / "manifest.json").read_text())
    moved = out.rename(small.parent / "elsewhere")
    small.unlink()
    command = shlex.split(manifest["command"])
    assert command[0] == "photocol"
    again = photocol(*command[1:], "--out", "again", cwd=moved)
    assert again.returncode == DONE, again.stderr
    repeated = json.loads((moved / "again" / "manifest.json").read_text())
    keys = ("fingerprint", "scenario_sha256", "command", "events", "packet_hops")
    assert [repeated[key] for key in keys] == [manifest[key] for key in keys]


def test_a_former_run_is_replaced_and_anything_else_refused(small: Path) -> None:
    out = small.parent / "out"
    for seed in ("1", "2"):
        assert photocol("run", small, "--quiet", "--out", out, "--seed", seed).returncode == DONE
    assert json.loads((out / "manifest.json").read_text())["seed"] == 2
    foreign = small.parent / "home"
    foreign.mkdir()
    (foreign / "letters.txt").write_text("dear")
    done = photocol("run", small, "--out", foreign)
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert "not a photocol run" in done.stderr
    assert [path.name for path in foreign.iterdir()] == ["letters.txt"]


def test_a_finished_run_of_another_scenario_is_replaced_only_by_force(small: Path) -> None:
    out = small.parent / "out"
    assert photocol("run", small, "--quiet", "--out", out).returncode == DONE
    before = (out / "manifest.json").read_bytes()
    file = small.parent / "other.toml"
    file.write_text(SMALL.replace("flows = 4", "flows = 3"))
    other = ["run", file, "--quiet", "--out", out]
    done = photocol(*other)
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert done.stderr == (
        f"{out} holds a run of another scenario, 'small' with seed 7; write beside it with --out {out}-2, "
        "or replace it with --force (force=True)\n"
    )
    assert (out / "manifest.json").read_bytes() == before
    assert photocol(*other, "--force").returncode == DONE
    assert (out / "manifest.json").read_bytes() != before
    result = package.run(SMALL)
    with pytest.raises(package.InputError, match="another scenario"):
        result.save(out)
    result.save(out, force=True)
    with pytest.raises(package.InputError, match="another scenario"):
        package.run(SMALL.replace("flows = 4", "flows = 3"), out=out)


def test_a_finished_run_of_the_same_file_is_replaced_whatever_was_set(small: Path) -> None:
    """A `--set` is to the scenario what `--seed` is: part of the command line, and none of the file."""
    out = small.parent / "out"
    words = ("run", small, "--quiet", "--out", out)
    said = []
    for more in ((), ("--set", "traffic.0.flows=3"), ("--set", "traffic.0.flows=2", "--trace", "flows=0"), ()):
        assert photocol(*words, *more).returncode == DONE
        said.append(json.loads((out / "manifest.json").read_text())["set"].get("traffic.0.flows"))
    assert said == [None, "3", "2", None]
    package.run(SMALL, set={"traffic.0.flows": 1}).save(out)
    package.run(SMALL, set={"traffic.0.flows": 5}).save(out)
    small.write_text(SMALL.replace("20 packets", "21 packets"))
    assert photocol(*words, "--set", "traffic.0.flows=5").returncode == WRONG_INPUT


def test_a_place_where_nothing_can_be_written_is_refused_before_the_run(small: Path) -> None:
    for place, why in (
        ("/proc/photocol", "/proc: No such file or directory"),
        (f"{small}/out", f"{small}: Not a directory"),
    ):
        done = photocol("run", small, "--out", place)
        assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
        assert done.stderr == f"{place} cannot be written: {why}\n"
    done = photocol("run", small, "--out", "/proc")
    assert done.stderr == "/proc holds something that is not a photocol run; it is left alone\n"


def test_a_json_scenario_is_the_same_run(small: Path) -> None:
    file = small.with_suffix(".json")
    file.write_text(json.dumps(tomllib.loads(SMALL), indent=1))
    summaries = [photocol("run", one, "--json").stdout for one in (small, file)]
    assert summaries[0] == summaries[1] != ""
    file.write_text('{\n "run": {"durration": "1 s"}\n}')
    done = photocol("check", file)
    assert done.returncode == WRONG_INPUT
    assert done.stderr.startswith(f'{file}:2:10: run.durration: unknown key "durration"; did you mean "duration"?')


def test_no_escape_character_reaches_the_terminal(small: Path) -> None:
    escape = "\x1b[31m"
    wrong = small.parent / f"{escape}.toml"
    wrong.write_text(f'"\\u001b[5m{escape[1:]}" = 1')
    for words in (
        ["run", wrong],
        ["run", f"{escape}missing.toml"],
        ["run", small, "--set", f"{escape}=1"],
        ["run", small, "--out", small.parent / f"{escape}.toml"],
        ["model", escape],
        ["reproduce", escape],
        [escape],
    ):
        done = photocol(*words)
        assert done.returncode == WRONG_INPUT, words
        assert "\x1b" not in done.stderr + done.stdout, words
        assert len(done.stderr) < 2000


def test_check_validates_and_explains(small: Path) -> None:
    done = photocol("check", small)
    assert (done.returncode, done.stdout, done.stderr) == (DONE, f"{small}: valid\n", "")
    explained = photocol("check", small, "--explain", "--set", "run.seed=11").stdout
    assert "seed = 11" in explained
    resolved = small.parent / "resolved.toml"
    resolved.write_text(explained)
    assert photocol("check", resolved, "--explain").stdout == explained


WRONG = {
    "unknown key": (SMALL.replace("flows = 4", "flowz = 4"), ["flowz", "flows", ":18:"]),
    "wrong unit": (SMALL.replace('"10 Mbps"', '"10 ms"'), ["bottleneck_capacity", ":10:"]),
    "zero capacity": (SMALL.replace('"10 Mbps"', '"0 bps"'), ["bottleneck_capacity", ":10:"]),
    "not TOML": ("[run\n", [":1:"]),
    "unknown node": (SMALL.replace('"r1"', '"r9"'), ["r9"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_scenarios_are_one_message_and_status_2(case: str, tmp_path: Path) -> None:
    text, wanted = WRONG[case]
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    done = photocol("run", file, "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert done.stderr.startswith(f"{file}:")
    assert "Traceback" not in done.stderr
    assert all(word in done.stderr for word in wanted), done.stderr
    assert not (tmp_path / "out").exists()
    assert photocol("check", file).stderr == done.stderr


def test_random_bytes_and_missing_files_are_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(256)))
    for name in ("noise", "missing.toml", "."):
        done = photocol_process("run", tmp_path / name)
        assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_name_that_is_nearly_a_ready_made_scenarios_is_told_which(tmp_path: Path) -> None:
    for command in ("run", "check"):
        done = photocol(command, "dumbell", cwd=tmp_path)
        assert done.returncode == WRONG_INPUT
        assert done.stderr == "dumbell: there is no such file; nearest ready-made scenario: dumbbell\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "cp437", "ascii"])
def test_terminals_of_any_encoding_are_written_to(encoding: str, small: Path) -> None:
    def spoken(*words: str) -> str:
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        done = subprocess.run(
            [sys.executable, "-m", "photocol", *words],
            env=environment,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode("utf-8" if encoding == "ascii" else encoding)  # click takes ASCII for UTF-8.

    assert "\u2026" in spoken("list", "topologies") or r"\u2026" in spoken("list", "topologies")
    assert json.loads(spoken("schema")) == json.loads(photocol("schema").stdout), "escapes are read back"
    assert tomllib.loads(spoken("check", str(small), "--explain")) == tomllib.loads(
        photocol("check", small, "--explain").stdout
    )
    assert "95" in spoken("plot", "--help")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["run"], "SCENARIO"),
        (["run", "small.toml", "--sed", "3"], "--seed"),
        (["run", "small.toml", "--seed", "three"], "--seed"),
        (["run", "small.toml", "--seed", "-3"], "seed is -3"),
        (["run", "small.toml", "--runs", "0"], "runs is 0"),
        (["run", "small.toml", "--threads", "0"], "--threads"),
        (["run", "small.toml", "--set", "run.seed"], "path=value"),
        (["run", "small.toml", "--set", "run.sed=3"], "run.sed"),
        (["run", "small.toml", "--pcap", "0"], "a capture needs a file"),
        (["run", "small.toml", "--pcap", "x.pcapng", "--pcap", "9"], "no flow 9"),
        (["run", "small.toml", "--pcap", "--quiet"], "Option '--pcap' requires an argument; found '--quiet'"),
        (["run", "small.toml", "--out", "--seed", "3"], "Option '--out' requires an argument; found '--seed'"),
        (["check", "."], ".: not a regular file"),
        (["schedule", ".", "--frame", "4"], ".: cannot be read: this is a folder, not a file"),
        (["list", "planets"], "planets"),
        (["plot", "."], "manifest.json"),
        (["simulate"], "simulate"),
        (["reproduce", "099/none"], "099/none"),
    ],
)
def test_wrong_words_are_one_message_and_status_2(words: list[str], wanted: str, small: Path) -> None:
    done = photocol(*words, cwd=small.parent)
    assert (done.returncode, done.stdout) == (WRONG_INPUT, "")
    assert wanted in done.stderr
    message, _, usage = done.stderr.strip().partition("\n\n")
    assert len(message.splitlines()) == 1, done.stderr
    assert usage.startswith("Usage: photocol ") or not usage, "a misused command shows its help"
    assert list(small.parent.iterdir()) == [small]


def test_more_threads_than_are_used_are_mentioned_in_one_line(small: Path) -> None:
    done = photocol("run", small, "--threads", "4", "--quiet", "--set", 'link_defaults.delay="1 us"')
    assert (done.returncode, len(done.stderr.splitlines())) == (DONE, 1), done.stderr
    assert "1 of 4 threads worked: " in done.stderr


def test_list_names_things_with_a_sentence_and_a_source() -> None:
    transports = photocol("list", "transports").stdout
    for name in ("reno", "newreno", "sack", "highspeed", "udp"):
        assert re.search(rf"^  {name} +\S.*\. \[.+\]$", transports, re.MULTILINE), name
    topologies = photocol("list", "topologies").stdout
    assert "nsfnet" in topologies
    switching = photocol("list", "switching").stdout
    for name in ("aapn", "packets"):
        assert re.search(rf"^  {name} +\S.*\. \[.+\]$", switching, re.MULTILINE), name
    everything = photocol("list").stdout
    assert transports in everything
    assert topologies in everything
    assert switching in everything


def test_a_broken_experiment_is_named_and_the_others_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = checkout(tmp_path)
    (sound.parent / "broken.py").write_text("def (")
    monkeypatch.setenv("PHOTOCOL_EXPERIMENTS", str(tmp_path / "experiments"))
    done = photocol("list", "experiments")
    assert done.returncode == FAILED
    assert re.search(r"^  900/figure +a made-up figure\. \[.+\]$", done.stdout, re.MULTILINE)
    assert done.stderr.startswith(f"photocol: not listed: {sound.parent / 'broken.py'}: SyntaxError: ")
    assert len(done.stderr.splitlines()) == 1
    assert photocol("list").returncode == FAILED
    assert "transports:" in photocol("list").stdout


def test_the_schema_is_json_and_the_committed_one() -> None:
    printed = photocol("schema").stdout
    assert json.loads(printed)["type"] == "object"
    committed = Path(__file__).parents[2] / "schema" / "scenario.json"
    assert committed.read_text() == printed


def test_plot_draws_what_there_is(small: Path) -> None:
    out = small.parent / "out"
    photocol("run", small, "--quiet", "--out", out)
    done = photocol("plot", out)
    assert done.returncode == DONE, done.stderr
    drawn = {path.name for path in (out / "plots").iterdir()}
    assert {"link_utilization.png", "goodput.png", "series_cwnd.png", "series_queue.png"} <= drawn
    assert all(Path(line).is_file() for line in done.stdout.splitlines())
    (out / "plots" / "mine.txt").write_text("kept while the run is")
    assert photocol("run", small, "--quiet", "--out", out).returncode == DONE


def started(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(arguments(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.alone
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_a_run_and_leaves_nothing(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(LONG)
    with started("run", file, "--out", tmp_path / "out", "--pcap", "0") as process:
        wait_for(lambda: any(path.suffix == ".pcapng" for path in tmp_path.iterdir()))
        time.sleep(0.2)
        process.send_signal(sent)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (status, "")
    assert stderr == "photocol: interrupted; 0 of 1 replications are finished\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.alone
def test_an_interrupted_campaign_keeps_the_finished_replications(small: Path) -> None:
    out = small.parent / "out"
    with started("run", small, "--runs", "1000000", "--out", out) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    kept = json.loads((out / "manifest.json").read_text())
    assert 0 < len(kept["runs"]) < 1_000_000
    assert f"--runs {len(kept['runs'])}" in kept["command"]
    assert f"{len(kept['runs'])} of 1000000 replications are finished and in {out}" in stderr
    assert "goodput" in stdout
    assert pl.read_parquet(out / "flows.parquet")["run"].n_unique() == len(kept["runs"])


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.alone
def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(LONG)
    mine, theirs = pty.openpty()
    with subprocess.Popen(
        arguments("run", file), stdout=subprocess.PIPE, stderr=theirs, env=environment(COLUMNS="120", TERM="xterm")
    ) as process:
        os.close(theirs)
        shown = read_until(mine, b"packet-hops/s")
        process.send_signal(signal.SIGINT)
        shown += read_until(mine, b"interrupted")
    os.close(mine)
    assert process.returncode == 130
    assert b"packet-hops/s" in shown
    assert b"of 1e+04 s" in shown


def read_until(terminal: int, wanted: bytes) -> bytes:
    """What a terminal shows up to the wanted words, or up to its end."""
    shown = b""
    with contextlib.suppress(OSError):
        while wanted not in shown:
            shown += os.read(terminal, 4096)
    return shown


def test_a_closed_pipe_is_no_traceback(small: Path) -> None:
    command = shlex.join(arguments("check", str(small), "--explain"))
    done = subprocess.run(f"{command} | true", shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_a_run_that_fails_is_status_1(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_execution: Execution, _progress: object = None) -> None:
        raise package.RunError("packets are not conserved")

    monkeypatch.setattr(Execution, "complete", fail)
    done = photocol("run", small)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert done.stderr == "photocol: the run failed: packets are not conserved\n"


def test_a_word_that_is_none_is_told_the_nearest() -> None:
    done = photocol("list", "topologes")
    assert done.returncode == WRONG_INPUT
    assert "'topologes' is none of the words here; did you mean 'topologies'? allowed: topologies, " in done.stderr
