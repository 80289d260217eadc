"""No correct run of any kind breaks a rule of the replay: each seed of the fuzzers, changed links, mutated scenarios.

At night 300 mutated scenarios are run (`PHOTOCOL_NIGHTLY=1`), by day 20 of them.
"""

from __future__ import annotations

import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import mutated_scenarios
import pytest
from command import photocol as command

import photocol
from photocol import _core
from photocol.runs.replay import RULES, coverage, kinds, load, replay
from photocol.runs.replay.traits import DISCIPLINES, KINDS, TRAITS

pytestmark = [pytest.mark.filterwarnings("ignore")]
ROOT = Path(__file__).resolve().parents[2]
SEEDS = sorted((ROOT / "fuzz" / "seeds").glob("*.toml"))
MUTATED = 300 if os.environ.get("PHOTOCOL_NIGHTLY") else 20
TRACED = {"run.warm_up": "0 s", "trace.enabled": True, "trace.limit": 100_000}
LINK = "left->right"
PHASE = {"duration": "1 ms", "capacity": "100 Mbps"}
VARIANTS: dict[str, dict[str, Any]] = {
    "packets overtake": {"link_defaults.jitter": "10 us", "link_defaults.jitter_order": "free"},
    "jitter with loss": {"link_defaults.jitter": "10 us", "link_defaults.loss": 0.01},
    "jitter without bound": {"link_defaults.jitter": "10 us", "link_defaults.jitter_law": "exponential"},
    "finish": {"link_phases": [{"link": LINK, "period": "3 ms", "mid_packet": "finish", "phases": [PHASE]}]},
    "cut": {"link_phases": [{"link": LINK, "period": "3 ms", "mid_packet": "cut", "phases": [PHASE]}]},
    "cut with loss": {
        "link_defaults.loss": 0.05,
        "link_phases": [
            {"link": LINK, "period": "1 ms", "mid_packet": "cut", "phases": [{**PHASE, "duration": "300 us"}]}
        ],
    },
    "no period": {"link_phases": [{"link": LINK, "phases": [PHASE, {"duration": "1 ms"}]}]},
    "a pause": {"link_phases": [{"link": LINK, "period": "3 ms", "phases": [{**PHASE, "capacity": "0 bps"}]}]},
    "a link goes down": {
        "event": [{"at": "5 ms", "link": LINK, "state": "down"}, {"at": "6 ms", "link": "left-right", "state": "up"}]
    },
    "phases and events": {
        "link_phases": [{"link": LINK, "period": "3 ms", "phases": [PHASE]}],
        "event": [{"at": "5 ms", "link": "left-right", "delay": "90 us"}],
    },
    "marks": {"link_defaults.queue": {"kind": "step", "threshold": "3 packets"}, "transport.one.algorithm": "dctcp"},
    "telemetry of one size": {"transport.one.algorithm": "powertcp"},
    "telemetry": {"transport.one.algorithm": "hpcc", "transport.one.telemetry_size": "growing"},
    "a Linux host": {"transport.one.algorithm": "linux-cubic"},
    "NDP": {"transport.one.algorithm": "ndp", "link_defaults.queue": {"kind": "ndp"}},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_no_property_of_links_or_hosts_is_called_a_breach(name: str, tmp_path: Path) -> None:
    table = tomllib.loads(mutated_scenarios.TEXTS["small"])
    photocol.run(table, set={**VARIANTS[name], **TRACED}, out=tmp_path / "run")
    assert replay(tmp_path / "run").breaches == []


def test_packets_that_a_queue_trims_are_no_breach_nor_those_that_it_sends_back(tmp_path: Path) -> None:
    table = tomllib.loads(mutated_scenarios.TEXTS["tree"])
    for buffer in ("24 kB", "12 kB", "6 kB"):
        photocol.run(table, set={"link_defaults.buffer": buffer, **TRACED}, out=tmp_path / buffer)
        found = replay(tmp_path / buffer)
        assert found.breaches == []
        assert any("PULLs look alike" in sentence for sentence in found.unchecked)


def test_packets_inside_the_packet_switch_of_racks_at_the_end_are_no_breach(tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "racks.toml").read_text()
    settings = {"run.duration": "4 ms", "switching.cut_through": False, "switching.places": 20, **TRACED}
    photocol.run(tomllib.loads(text), set=settings, out=tmp_path / "run")
    assert replay(tmp_path / "run").breaches == []


@pytest.mark.parametrize("file", SEEDS, ids=lambda file: file.stem)
def test_no_seed_of_the_fuzzers_breaks_a_rule(file: Path, tmp_path: Path) -> None:
    short = {"run.duration": mutated_scenarios.DURATIONS[file.stem]} if file.stem in mutated_scenarios.DURATIONS else {}
    photocol.run(file, set={**short, **TRACED}, out=tmp_path / "run")
    assert replay(tmp_path / "run").breaches == []


@pytest.mark.parametrize("seed", range(MUTATED))
def test_no_mutated_scenario_breaks_a_rule(seed: int, tmp_path: Path) -> None:
    said = mutated_scenarios.run_mutated(seed, tmp_path / "run")
    assert replay(tmp_path / "run").breaches == [], said


def test_the_list_knows_every_kind_that_a_scenario_can_have() -> None:
    schema = json.loads((ROOT / "schema" / "scenario.json").read_text())["$defs"]
    kinds = [one["properties"]["kind"]["const"] for one in schema["Switching"]["oneOf"]]
    queues = [one["const"] for one in schema["Queue"]["properties"]["kind"]["oneOf"]]
    assert set(kinds) == set(KINDS)
    assert set(queues) == set(DISCIPLINES)
    names = " ".join(trait.name for trait in TRAITS)
    words = [*schema["JitterOrder"]["oneOf"], *schema["MidPacket"]["oneOf"]]
    assert [one["const"] for one in words if f'"{one["const"]}"' not in names] == []
    assert {trait for rule in RULES for trait in rule.blind} <= set(TRAITS)


def test_the_list_of_kinds_of_host_is_all_that_is_not_tcp() -> None:
    kinds_of_host = set()
    for name, *_ in _core.catalogue("transports"):
        table = tomllib.loads(mutated_scenarios.TEXTS["small"])
        table["transport"]["one"]["algorithm"] = name
        if name == "udp":
            table["traffic"][0]["rate"] = "1 Mbps"
        if name != "python":  # A law of TCP, which is named by its class.
            told = photocol.check(table).to_dict()["transport"]["one"]
            kinds_of_host |= set() if kinds.is_tcp(told) else {name}
    assert kinds_of_host == set(kinds.KINDS)


def test_kinds_of_host_name_rules_that_there_are() -> None:
    assert {name for hidden in kinds.HIDES.values() for name in hidden} <= {rule.name for rule in RULES}


def test_a_kind_of_host_that_is_not_known_is_not_taken_for_tcp(tmp_path: Path) -> None:
    table = tomllib.loads(mutated_scenarios.TEXTS["small"])
    settings = {"transport.one.algorithm": "ndp", "link_defaults.queue": {"kind": "ndp"}}
    photocol.run(table, set={**settings, **TRACED}, out=tmp_path / "run")
    run = load(tmp_path / "run")
    told = {**run.scenario["transport"]["one"], "algorithm": "echoes"}
    strange = replace(run, scenario={**run.scenario, "transport": {"one": told}})
    assert [list(rule(strange)) for rule in RULES if list(rule(strange))] == []
    said = [sentence for rule in RULES for sentence in rule.unchecked(strange)]
    assert any("(a kind of host that is not in this list): what its hosts say" in sentence for sentence in said)


def test_a_kind_that_is_not_known_is_not_checked_and_not_called_broken(tmp_path: Path) -> None:
    photocol.run(tomllib.loads(mutated_scenarios.TEXTS["small"]), set=TRACED, out=tmp_path / "run")
    run = load(tmp_path / "run")
    strange = replace(run, scenario={**run.scenario, "switching": {"kind": "mirrors"}})
    assert [list(rule(strange)) for rule in RULES if list(rule(strange))] == []
    said = [sentence for rule in RULES for sentence in rule.unchecked(strange)]
    assert any(sentence.startswith("not checked: conservation (a kind of switching") for sentence in said)


def test_the_command_says_what_it_has_checked_and_what_not(tmp_path: Path) -> None:
    table = tomllib.loads(mutated_scenarios.TEXTS["small"])
    photocol.run(table, set={**VARIANTS["packets overtake"], **TRACED}, out=tmp_path / "run")
    done = command("verify", tmp_path / "run", "--trace")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "no idle transmitter (14 of 14 links)" in next(line for line in lines if line.startswith("trace: checked: "))
    skipped = "trace: not checked: order on the fibre at l0->left, l1->left and 12 more"
    assert any(line.startswith(skipped) and line.endswith("packets may overtake there") for line in lines)
    assert f"trace: {coverage.UNSEEN}" in lines
