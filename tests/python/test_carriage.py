"""The star by hand of 003/carriage: ages of requests by arithmetic, and real octets."""

from __future__ import annotations

from pathlib import Path

import pytest

from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = load_experiment(find_experiments(experiments_folder(start=ROOT))["003/carriage"])


def figures(carriage: str, fibre_us: int) -> dict[str, float]:
    trial = EXPERIMENT.setup({"carriage": carriage, "fibre_us": fibre_us})
    return trial.function(seed=1, seconds=0.1, **trial.arguments)


def test_in_band_the_masters_information_is_half_of_the_signalling_slots_old() -> None:
    """Six requests pass the core 15 µs into slots 0 to 5, the plan is made 20 µs into slot 6: (6 + … + 1)/6 slots and
    5 µs, and 100 µs on the way to the core."""
    found = figures("in-band", 100)
    assert found["age_us"] == pytest.approx(3.5 * 200 + 5 + 100, abs=0.1)
    assert found["oldest_us"] == pytest.approx(6 * 200 + 5 + 100, abs=0.1)
    # a = ⌈(6·200 + 4·100 + 3·20)/3600⌉ = 1 and b = ⌈(2·100 + 20)/3600⌉ = 1: two frames and up to 17 slots.
    assert 2 * 3600 < found["age_used_us"] < 2 * 3600 + 17 * 200
    assert (found["data_share_lost"], found["slots_lost"]) == (pytest.approx(1 / 3), 0)


def test_in_every_slot_it_is_as_old_as_the_way() -> None:
    """a + b = ⌈(4·100 + 3·20)/200⌉ + ⌈(2·100 + 20)/200⌉ = 3 + 2 slots from the request to the light."""
    found = figures("every-slot", 100)
    assert 100 <= found["age_us"] <= 100 + 20 + 20
    assert found["age_used_us"] == pytest.approx(5 * 200 + 100, abs=50)
    # A header of 64 octets and a tag of 16 come before what is said.
    assert 80 < found["octets_up"] < found["octets_down"] < found["most_octets"] < 400
    assert found["data_share_lost"] == pytest.approx(found["octets_down"] / 1125)
