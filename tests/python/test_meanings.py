"""A summary as people read it: a sentence for each figure, no rows of zeros, one rate of loss."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from command import photocol as command

import photocol
from photocol.runs.meanings import MEANINGS, figures, headline, meaning, shown

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates" / "sim" / "src"


def figures_of_the_simulator() -> set[str]:
    """The names that its sources give to figures of the summary."""
    found = set()
    for file in SOURCES.rglob("*.rs"):
        if "test" in file.name:
            continue
        text = file.read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        found |= set(re.findall(r'Figure \{ name: "(\w+)"', text))
        if file.is_relative_to(SOURCES / "study" / "report"):
            found |= set(re.findall(r'\badd\(\s*"(\w+)"', text))
        if file.name == "report.rs":
            found |= set(re.findall(r'\badd\("(\w+)"', text))
        found |= set(re.findall(r'\("(\w+_drops)", When::', text))
        found |= set(re.findall(r'\("(\w+_overtaken)", Way::', text))
        if file.name == "latency.rs":
            found |= set(re.findall(r'"(\w*latency_p\d+)"', text))
        if file.name == "figures.rs":
            found |= set(re.findall(r'\(\s*"(\w+)",\s*(?:Key::|Hop::|0\.\d|sum\(|ratio\(|mean_s\(|held|after)', text))
            found |= set(re.findall(r'\(Sum::\w+, "(\w+)"', text))
    return found


def test_every_figure_of_the_simulator_has_a_sentence() -> None:
    names = figures_of_the_simulator()
    assert {"goodput", "burst_loss_rate", "dlcc_holes", "slots_dark", "control_plans", "fairness_index"} <= names
    assert sorted(name for name in names if not meaning(name)) == []


def test_every_sentence_is_one_of_a_figure_there_is() -> None:
    assert sorted(set(MEANINGS) - figures_of_the_simulator()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("completion_time_p99_9", "99.9 % do not exceed"),
        ("short_slowdown_p50", "flows of up to 100 kB"),
        ("mean_long_slowdown", "flows above 10 MB"),
        ("lost_to_window_limits", "window limits"),
        ("dlcc_first_rate_cut", "first rate cut"),
    ],
)
def test_names_in_series_have_sentences_too(name: str, said: str) -> None:
    assert said in meaning(name)


def test_a_sentence_is_one_and_ends() -> None:
    assert [name for name, said in figures().items() if not said.endswith(".") or len(said) > 200] == []
    assert meaning("no_figure") == ""


def test_zeros_have_no_rows_and_the_rate_of_loss_always_has_one() -> None:
    kept = shown({"core_drop_rate": 0.5, "drop_rate": 0.0, "timeouts": 0.0, "goodput": 3.0})
    assert kept.rows == ("drop_rate", "goodput")
    assert kept.zero == ("timeouts",)


def test_what_is_missing_has_no_row_and_no_value() -> None:
    """Work that was not done has no time."""
    kept = shown({"goodput": 3.0, "work_time": math.nan, "drop_rate": math.nan, "timeouts": 0.0})
    assert kept == (("goodput",), ("timeouts",), ("work_time", "drop_rate"))
    summary = photocol.run(
        {
            "run": {"duration": "1 ms"},
            "topology": {"kind": "ocs", "hosts": 4, "capacity": "1 Gbps", "delay": "1 us"},
            "switching": {"kind": "ocs", "policy": "per-step", "reconfiguration": "1 us"},
            "transport": {"udp": {"packet_size": 8000}},
            "traffic": [{"transport": "udp", "rate": "1 Gbps", "work": {"collective": "all-reduce", "size": "8 MB"}}],
        }
    ).summary
    assert "nan" not in repr(summary)
    assert repr(summary).splitlines()[-1].split(maxsplit=1) == ["missing", "work_time, work_bound, work_slowdown"]
    assert ">missing<" in summary._repr_html_()


def test_where_bursts_are_switched_the_loss_is_of_bursts() -> None:
    figures = {"drop_rate": 0.1, "offered_packets": 9.0, "dropped_packets": 1.0, "burst_loss_rate": 0.2, "goodput": 1.0}
    assert shown(figures).rows == ("burst_loss_rate", "goodput")
    assert headline(figures) == ["goodput", "burst_loss_rate"]


def test_datagrams_have_no_rows_of_tcp_and_the_summary_has_all() -> None:
    result = photocol.run("md1", set={"run.duration": "1 s", "run.warm_up": "0 s"})
    lines = repr(result.summary).splitlines()
    [last] = [number for number, line in enumerate(lines) if line.startswith("zero ")]
    assert [line for line in lines[:last] if "retransmi" in line or "timeouts" in line] == []
    assert "retransmissions" in "".join(lines[last:])
    assert max(map(len, lines)) <= 120
    assert result.summary["retransmissions"] == 0
    assert any(line.split()[0] == "drop_rate" and line.endswith("of packets") for line in lines)
    assert 'title="Packets dropped over packets offered' in result.summary._repr_html_()


def test_explained_on_the_command_line_every_figure_has_its_sentence() -> None:
    settings = ("--set", "run.duration=0.1 s", "--set", "run.warm_up=0 s")
    done = command("run", "obs", *settings, "--explain")
    assert done.returncode == 0
    said = {line.split()[0]: line for line in done.stdout.split("\n\n")[0].splitlines()}
    assert said["burst_loss_rate"].endswith(MEANINGS["burst_loss_rate"])
    assert "of bursts" in said["burst_loss_rate"]
    assert "timeouts" in said
    plain = command("run", "obs", *settings).stdout.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in plain if "loss_rate" in line or "drop_rate" in line] == ["burst_loss_rate"]
