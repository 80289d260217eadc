"""Paths of the experiment on satellites: changes as in the file for `[[link_trace]]`, rises and the rest by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import photocol
from photocol.orbits.routes import Change, Route
from photocol.orbits.traces import link_trace

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
NAN = float("nan")


@pytest.fixture(name="paths")
def helper(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The helper of the experiment, with a path of 200 s made by hand in the place of a pair's.

    80 ms, from 20 s on 90, from 60 s on 76 and from 100 s on cut off; 84 ms from 120 s on.
    """
    spec = importlib.util.spec_from_file_location("orbit_paths", ROOT / "experiments" / "orbit" / "_paths.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    trips = np.repeat([80.0, 90.0, 76.0, NAN, 84.0], [200, 400, 400, 200, 800])
    changes = [Change(step, step / 10, (1,) * (step != 1000)) for step in (0, 200, 600, 1000, 1200)]
    made = Route("Manila", "Dalian", np.arange(2000) / 10, trips, tuple(changes))
    monkeypatch.setattr(module, "route", lambda _: made)
    return module


def test_the_changes_of_the_scenario_give_the_run_of_the_file(paths: ModuleType, tmp_path: Path) -> None:
    made = paths.scenario("manila-dalian", {"transport": "newreno"})
    file = tmp_path / "path.csv"
    file.write_text(link_trace(paths.route("")))
    events = made.pop("event")
    assert len(events) == 5
    traced = {**made, "link_trace": [{"link": "manila-dalian", "file": str(file), "mid_packet": "finish"}]}
    one, other = photocol.run({**made, "event": events}), photocol.run(traced)
    assert one.fingerprints == other.fingerprints
    assert photocol.run({**made, "event": events[:-1]}).fingerprints != one.fingerprints


def test_the_first_lasting_rise_is_found_and_what_is_settled_of_it(paths: ModuleType) -> None:
    """10 ms over the least from 20 to 60 s, and 8 ms from 120 s on; ten seconds are to settle."""
    assert np.nanmax(paths.over_least_ms("")[:600]) == pytest.approx(10)
    assert paths.after_the_rise("") == slice(300, 600)


def test_a_way_is_shorter_once_and_not_over_a_cut_off(paths: ModuleType) -> None:
    assert paths.shorter_ms("").tolist() == pytest.approx([7.0])


def test_steps_after_a_change_and_without_a_route_are_not_steady(paths: ModuleType) -> None:
    wanted = np.ones(2000, dtype=bool)
    for begin, end in ((200, 210), (600, 610), (1000, 1210)):
        wanted[begin:end] = False
    assert paths.steady("").tolist() == wanted.tolist()
