"""Which circuit is up when, on the page of a run: the schedule is the plan's, and the picture works in a browser."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from command import SMALL
from test_page_network import CAUGHT
from test_report import look, needs_browser

import photocol
from photocol import control
from photocol.report import build
from photocol.report.run_page import page

if TYPE_CHECKING:
    from browser import Page

ROOT = Path(__file__).resolve().parents[2]
SHORT = {"run.duration": "2 ms", "run.warm_up": "0 s"}


@pytest.fixture(scope="module")
def rotor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen racks and three switches that turn together: five slices of 100 µs are a cycle."""
    out = tmp_path_factory.mktemp("runs") / "rotor"
    photocol.run(ROOT / "scenarios" / "rotornet.toml", set=SHORT | {"traffic.0.size": "100 kB"}, out=out)
    return out


@pytest.fixture(scope="module")
def ocs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight nodes with ports at two switches, which a policy sets for four collectives."""
    out = tmp_path_factory.mktemp("runs") / "ocs"
    photocol.run(ROOT / "scenarios" / "ocs.toml", out=out)
    return out


def circuits(run: Path) -> dict[str, Any]:
    found = page(run)["circuits"]
    assert isinstance(found, dict)
    return found


def test_the_page_has_the_schedule_and_the_flows_between_racks(rotor: Path) -> None:
    found = circuits(rotor)
    assert found["racks"] == [f"t{rack}" for rack in range(16)]
    assert found["switches"] == ["r0", "r1", "r2"]
    assert found["period_s"] == pytest.approx(500e-6, rel=1e-12)
    # Port i to port i + 1, i + 2, i + 3 in the first slice, whose last 10 µs are dark.
    switch, begins, lasts, to = found["holds"][0]
    assert (switch, begins, lasts) == (0, 0.0, pytest.approx(90e-6, rel=1e-12))
    assert to == [(rack + 1) % 16 for rack in range(16)]
    planned = control.circuit_schedule(
        np.zeros((16, 16)), "offsets", slice="100 us", reconfiguration="10 us", switches=3
    )
    assert [row[3] for row in found["holds"]] == [hold.outputs for hold in planned.holds]
    flows = photocol.Result.load(rotor).flows
    assert len(found["flows"]) == flows.height == 32
    for shown, row in zip(found["flows"], flows.iter_rows(named=True), strict=True):
        assert (f"t{shown['from']}h", f"t{shown['to']}h") == (row["source"][:-1], row["destination"][:-1])
        assert shown["end_s"] == (None if row["delivered_s"] is None else pytest.approx(row["delivered_s"], rel=1e-12))


def test_circuits_beside_a_packet_network_are_shown_too_and_other_networks_have_none(tmp_path: Path) -> None:
    photocol.run(ROOT / "scenarios" / "racks.toml", set=SHORT | {"traffic.0.spread": "1 ms"}, out=tmp_path / "racks")
    found = circuits(tmp_path / "racks")
    assert found["switches"] == ["circuit"]
    assert len(found["holds"]) == len(found["racks"]) - 1
    photocol.run(SMALL, out=tmp_path / "run")
    assert page(tmp_path / "run")["circuits"] is None


def test_circuits_that_a_policy_sets_are_shown_as_they_were(ocs: Path) -> None:
    """A matching of eight pairs each; partners of halving and doubling are rank xor 4, 2, 1, 2, 4, in four rounds."""
    found = circuits(ocs)
    assert (found["racks"], found["switches"]) == ([f"n{rank}" for rank in range(8)], ["o0", "o1"])
    result = photocol.Result.load(ocs)
    assert found["period_s"] == result.summary["duration"].value
    assert found["until_s"] == pytest.approx(float(result.summary["work_time"]), rel=1e-12)
    for switch in (0, 1):
        own = sorted(hold for hold in found["holds"] if hold[0] == switch)
        partners = [4, 2, 1, 2] * 4 + [4]
        assert [hold[3] for hold in own] == [[rank ^ partner for rank in range(8)] for partner in partners]
        ends = [begins + lasts for _, begins, lasts, _ in own]
        # A turn of 20 us lies between two matchings, and before the first.
        assert [hold[1] for hold in own] == pytest.approx([end + 20e-6 for end in [0.0, *ends[:-1]]], abs=1e-12)


@needs_browser
@pytest.mark.parametrize("width", [1200, 420])
def test_the_matching_of_a_moment_is_drawn_between_the_nodes(ocs: Path, tmp_path: Path, width: int) -> None:
    """In the middle of the work of 3.46 ms, in the third round; and while both switches turn first."""
    seen: list[list[str]] = []

    async def judge(page: Page) -> None:
        for value in (-1, 0, 100):
            choose = f"const one = document.querySelector('#slider'); one.value = {value}; "
            await page.ask(f"(() => {{ {choose} one.dispatchEvent(new Event('input')); }})()")
            await page.settle()
            texts = "[...document.querySelectorAll('#topology .circuit title, #lit')].map((one) => one.textContent)"
            seen.append([re.sub("[\u2068\u2069]", "", text) for text in await page.ask(texts)])

    look(build.write(ocs), tmp_path / "profile", judge, width=width)
    whole, turning, [*chords, said] = seen
    assert whole == [""]
    assert turning == ["Circuits at 8.657 µs, by switch: o0 (dark)o1 (dark)"]
    assert said.endswith("by switch: o0o1")
    at = 100.5 / 200 * circuits(ocs)["until_s"]
    up = photocol.Result.load(ocs).probes["circuits"].filter(pl.col("start_s") <= at, pl.col("end_s") > at)
    expected = {f"{source} to {far} by {switch}" for source, far, switch in up.select("from", "to", "switch").rows()}
    assert (len(chords), set(chords)) == (16, expected)


@needs_browser
@pytest.mark.parametrize("width", [1200, 420])
def test_a_rack_is_chosen_a_cycle_is_shown_and_saved(rotor: Path, tmp_path: Path, width: int) -> None:
    saved: list[str] = []

    async def judge(page: Page) -> None:
        await page.ask("document.querySelector('#circuits .controls button').click()")
        choose = "const one = document.querySelector('#circuits select'); one.value = '3'; "
        await page.ask(f"(() => {{ {choose} one.dispatchEvent(new Event('change')); }})()")
        await page.settle()
        assert await page.ask("document.querySelector('#circuits .drawn').textContent") == ""
        saved.extend(await page.ask(CAUGHT))

    look(build.write(rotor), tmp_path / "profile", judge, width=width)
    tables = [list(csv.DictReader(io.StringIO(text))) for text in saved if text.startswith("begins_s")]
    assert len(tables) == 1
    # Fifteen circuits of a rack in a cycle, each with its own far rack.
    assert {row["from"] for row in tables[0]} == {"t3"}
    assert sorted(row["to"] for row in tables[0]) == sorted(f"t{rack}" for rack in range(16) if rack != 3)
    lasts = [float(row["ends_s"]) - float(row["begins_s"]) for row in tables[0]]
    assert lasts == pytest.approx([90e-6] * 15, rel=1e-6)


def test_a_page_without_circuits_says_why_the_scenario_cannot_be_read_again(rotor: Path, tmp_path: Path) -> None:
    """A run keeps the text of its scenario; the table of circuits that it names lay beside it."""
    assert "Circuits" not in str(page(rotor)["note"])
    shutil.copytree(rotor, tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    manifest["scenario"] = manifest["scenario"].replace('matchings = "offsets"', 'matchings = "gone.csv"')
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))
    made = page(tmp_path / "run")
    assert made["circuits"] is None
    assert "Circuits are not drawn, for the scenario cannot be read again: " in made["note"]
    assert "gone.csv" in made["note"]


@needs_browser
def test_circuits_of_short_slices_begin_with_one_cycle(rotor: Path, tmp_path: Path) -> None:
    """Twenty thousand cycles of 500 µs in 10 s have no slices that can be told apart; four cycles of 2 ms do."""
    settings = {"run.duration": "10 s", "run.warm_up": "0 s", "traffic.0.size": "100 kB"}
    photocol.run(ROOT / "scenarios" / "rotornet.toml", set=settings, out=tmp_path / "long")
    own = "photocol.views.views.find((one) => one.figure.id === 'circuits').timeline"
    empty = "document.querySelector('#circuits .drawn').textContent"

    async def judge(page: Page) -> None:
        await page.settle()
        assert await page.ask(empty) == ""
        low, high = await page.ask(f"(({{ low, high }}) => [low, high])({own})")
        assert high - low == pytest.approx(500e-6)
        # The other pictures have all of the time, and what is done in them leaves this one as it is.
        assert await page.ask("photocol.views.timeline.high") == 10
        await page.ask("photocol.views.timeline.show(1, 2)")
        await page.settle()
        assert await page.ask(empty) == ""

    look(build.write(tmp_path / "long"), tmp_path / "profile", judge)

    async def judge_short(page: Page) -> None:
        await page.settle()
        assert await page.ask(empty) == ""
        assert await page.ask(f"{own} === photocol.views.timeline")

    look(build.write(rotor), tmp_path / "short", judge_short)
