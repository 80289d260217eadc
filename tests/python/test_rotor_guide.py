"""What the guide to rotor switches says in words is so: transports, files, NDP, and lost throughput."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command import photocol

from photocol import Result, run
from photocol.cli import WRONG_INPUT

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guide" / "rotor.md").read_text()
READY = tomllib.loads((ROOT / "scenarios" / "rotornet.toml").read_text())
PAYLOAD, HEADER = 1436, 64
"""Bytes of a packet of NDP: 1500 in all."""


def ready(tmp_path: Path, **tables: dict[str, Any]) -> Path:
    """The ready scenario with these tables changed, as a file."""
    file = tmp_path / "rotor.json"
    file.write_text(json.dumps(READY | {name: {**READY.get(name, {}), **keys} for name, keys in tables.items()}))
    return file


def test_the_transports_that_do_not_work_are_those_that_the_page_names() -> None:
    [said] = re.findall(r"Every transport works but (.*?), whose laws read telemetry", " ".join(PAGE.split()))
    listed = json.loads(photocol("list", "transports", "--json").stdout)["transports"]
    scenario = ROOT / "scenarios" / "rotornet.toml"
    refused = [
        one["name"]
        for one in listed
        if "writes nothing into packets"
        in photocol("check", scenario, "--set", f"traffic.0.transport={one['name']}").stderr
    ]
    assert set(refused) == set(re.findall(r"`(.*?)`", said)) != set()


@pytest.mark.parametrize(("name", "is_read"), [("week.csv", True), ("week.json", False)])
def test_a_schedule_is_taken_as_csv(name: str, is_read: bool, tmp_path: Path) -> None:
    assert "`photocol schedule` writes as CSV (`-o week.csv`)" in PAGE
    demand = tmp_path / "demand.json"
    demand.write_text(json.dumps([[int(i != j) for j in range(16)] for i in range(16)]))
    words = ["--slice", "100 us", "--reconfiguration", "10 us", "--switches", "3", "--algorithm", "random"]
    assert photocol("schedule", demand, *words, "-o", tmp_path / name).returncode == 0
    file = ready(tmp_path)
    scenario = json.loads(file.read_text())
    file.write_text(json.dumps(scenario | {"switching": {"kind": "rotor", "file": name}}))
    done = photocol("check", file)
    assert done.returncode == (0 if is_read else WRONG_INPUT), done.stderr
    assert is_read or "allowed: week_ps,reconfiguration_ps,switch" in done.stderr


def ndp(**switching: str) -> tuple[Result, dict[str, Any]]:
    """The incast of the page."""
    [block] = [one for one in re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S) if "ndp" in one]
    scenario = tomllib.loads(block)
    scenario["switching"] |= switching
    return run(scenario), scenario["traffic"][0]


@pytest.mark.filterwarnings("ignore:.* do not trim packets")
def test_an_incast_of_ndp_takes_little_longer_than_its_bytes_on_the_last_link() -> None:
    result, traffic = ndp()
    size = int(traffic["size"].removesuffix(" kB")) * 1000
    wire_bits = 8 * traffic["senders"] * (size + -(-size // PAYLOAD) * HEADER)
    assert 1 < result.summary["mean_request_time"] / (wire_bits / 10e9) < 1.05
    assert result.summary["timeouts"] == result.summary["dropped_packets"] == 0
    trimmed = dict(result.links.select("link", "marked_units").rows())
    assert trimmed.pop("t0->t0h0") > 0
    assert not any(trimmed.values()), "only the link with a queue for it trims"


@pytest.mark.filterwarnings("ignore:.* do not trim packets")
def test_detours_of_ndp_are_sent_twice() -> None:
    assert 'With\n`"vlb"` some packets are under way for longer than `resend_after`' in PAGE
    assert ndp(routes="vlb")[0].summary["timeouts"] > 0


def lost(buffer: str, tmp_path: Path) -> tuple[Result, dict[str, float]]:
    """The shares of the lost throughput, with packets that wait for their circuit."""
    switching = {"routes": "direct", "buffer": buffer}
    result = run(ready(tmp_path, switching=switching, probe={"lost_throughput": True}, run={"duration": "40 ms"}))
    return result, {name: float(share) for name, share in result.summary.items() if name.startswith("lost_to_")}


def test_waits_with_drops_are_lost_to_nights_and_others_to_the_rest_and_the_sender(tmp_path: Path) -> None:
    result, shares = lost("20 packets", tmp_path)
    assert set(result.drops["cause"]) == {"waiting for a circuit"}
    assert shares["lost_to_nights"] > 0
    assert shares["lost_to_congestion"] == 0
    result, shares = lost("unlimited", tmp_path)
    assert result.drops.is_empty()
    assert shares["lost_to_nights"] == shares["lost_to_congestion"] == 0
    assert shares["lost_to_rest"] > 0.2
    assert shares["lost_to_sender"] > 0.2
    ended = shares["lost_to_rest"] + shares["lost_to_sender"] + shares["lost_to_application"]
    assert ended == pytest.approx(1, abs=1e-9)
