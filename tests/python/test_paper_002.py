"""What the experiments of paper 002 compute, against values by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.sweeps.campaign.study import Setup
from photocol.verdict import Verdict

if TYPE_CHECKING:
    from types import ModuleType

    from photocol.experiment import Experiment

ROOT = Path(__file__).resolve().parents[2]
FOUND = find_experiments(experiments_folder(start=ROOT))


def experiment(name: str) -> Experiment:
    return load_experiment(FOUND[f"002/{name}"])


def module(name: str) -> ModuleType:
    """The module in which an experiment is."""
    return sys.modules[experiment(name).setup.__module__]


def chosen(name: str, **point: Any) -> dict[str, Any]:
    """The settings of a point."""
    setup = experiment(name).setup(point)
    assert isinstance(setup, Setup)
    return dict(setup.settings)


@pytest.mark.parametrize(("ram", "expected"), [(1_000, "0 packets"), (1_500, "1500 B"), (9_000, "9000 B")])
def test_one_kilobyte_has_no_room_for_a_packet(ram: int, expected: str) -> None:
    assert chosen("macroflows", scheme="same-100", ram_bytes=ram)["link_defaults.core.buffer"] == expected
    assert chosen("baseline", transport="reno", buffer_bytes=ram)["link_defaults.core.buffer"] == expected


def test_the_drop_rate_of_the_data_wavelength_leaves_acks_out() -> None:
    # A core output drops 10 of 100 on the data wavelength and none of 100 on that of ACKs; an edge output drops none.
    links = pl.DataFrame(
        {
            "from": ["0", "0", "e0"],
            "to": ["1", "1", "0"],
            "wavelength": [0, 1, 0],
            "class": ["all"] * 3,
            "utilization": [0.5, 0.1, 0.4],
            "dropped_units": [10, 0, 0],
            "offered_units": [100, 100, 100],
            "mean_queue": [0.0] * 3,
            "max_queue": [0] * 3,
        }
    )
    summary = {"core_drop_rate": SimpleNamespace(value=0.05), "goodput": SimpleNamespace(value=1e9)}
    found = experiment("macroflows").measure(SimpleNamespace(links=links, summary=summary))  # type: ignore[arg-type]
    assert (found["core_drop_rate"], found["data_drop_rate"], found["edge_drop_rate"]) == (0.05, 0.1, 0.0)


def test_acks_closer_than_a_packet_lasts_are_compressed() -> None:
    # Flow 0 at 0, 5 and 17 µs: one gap below 12 µs, one of just 12. Flow 1 at 1 and 2 µs. What is sent does not count.
    rows = [(0, 0, "ack"), (1, 1, "ack"), (1, 0, "send"), (2, 1, "ack"), (5, 0, "ack"), (17, 0, "ack")]
    trace = pl.DataFrame(
        {"t_ps": [at * 10**6 for at, *_ in rows], "flow": [row[1] for row in rows], "event": [row[2] for row in rows]}
    )
    gaps = module("ack-compression").gaps(SimpleNamespace(trace=trace))
    assert sorted(gaps.to_list()) == [10**6, 5 * 10**6, 12 * 10**6]
    # 1500 B at 1 Gb/s.
    spacing = module("ack-compression").SPACING_PS
    assert spacing == 1500 * 8 * 1000
    assert (gaps < spacing).mean() == pytest.approx(2 / 3)


def test_the_weight_of_the_queue_is_the_paper_s_and_xcp_s() -> None:
    beta = module("parameters").beta
    assert (beta(0.2), beta(0.4)) == (0.056, 0.226)


def test_sums_of_the_sweep_of_parameters() -> None:
    # Four by four values of α, and three more of γ.
    assert len(experiment("parameters").full.points) == 4 * 4 + 3


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [((3.2e-2, 3.6e-2), Verdict.AGREES), ((1e-2, 3e-2), Verdict.IN_SHAPE), ((1e-2, 3.1e-2), Verdict.DISAGREES)],
)
def test_drop_rates_are_alike_within_one_and_a_half_times(rates: tuple[float, float], verdict: Verdict) -> None:
    claims = {claim.id: claim for claim in experiment("macroflows").claims}
    schemes = ("reno", "paced-reno", *(f"{share}-{tu}" for tu in (100, 30) for share in ("same", "separate")))
    schemes += ("separate-wavelength-100", "separate-wavelength-30")
    table = pl.DataFrame({"scheme": schemes, "ram_bytes": [1_000] * 8, "data_drop_rate": [rates[0]] * 7 + [rates[1]]})
    assert claims["no-packet"].check(SimpleNamespace(table=table)).verdict is verdict  # type: ignore[arg-type]
