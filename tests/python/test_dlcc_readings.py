"""What the experiments of paper 000 compute: closed forms of a jump, shares of a gain, weakest verdicts."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import polars as pl
import pytest
from matplotlib.figure import Figure

from photocol import model
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Finding, Verdict

FOUND = find_experiments(experiments_folder(start=Path(__file__).resolve().parents[2]))


def helper(name: str) -> Any:
    """A helper of the experiments of paper 000."""
    load_experiment(FOUND["000/classical"])
    return importlib.import_module(f"photocol_experiments.000.{name}")


@pytest.mark.parametrize(("flows", "rtt_ms"), [(1000, 60), (1000, 180), (10_000, 180)])
def test_the_closed_form_of_a_jump_has_the_mean_of_the_model(flows: int, rtt_ms: int) -> None:
    network = helper("_section5").Network(flows, rtt_ms / 1000)
    cells = [0.3 * (number + 0.5) / 400 for number in range(400)]
    rises = [(before, after) for before in cells for after in cells if after > before]
    said = model("dlcc-unsynchronized", rtt=rtt_ms / 1000, udp_max=0.3, flows=flows)
    changes = len(cells) ** 2
    lost = sum(network.lost(*jump) for jump in rises) / changes
    assert lost == pytest.approx(said["loss_per_change_packets"], rel=0.01)
    lost = sum(network.lost_with_control(*jump) for jump in rises) / changes
    assert lost == pytest.approx(said["loss_per_change_dlcc_packets"], rel=0.01)
    for artificial_acks, name in ((False, "one_control"), (True, "two_controls")):
        grown = sum(network.buffered(*jump, artificial_acks=artificial_acks) for jump in rises) / changes
        assert grown == pytest.approx(said[f"edge_buffer_{name}_packets"], rel=0.01)


def test_a_network_is_read_from_its_runs_name_and_has_the_papers_sawtooth() -> None:
    section5 = helper("_section5")
    network = section5.Network(1000, 0.18)
    assert section5.Network.named(network.name) == network
    # 112.5 packets a round trip for each flow: 56.25 round trips of 0.18 s from half of it to the whole.
    assert network.sawtooth_s == pytest.approx(10.125)
    assert len(network.jumps) == 8


def test_the_price_of_a_gain_is_drops_before_the_core_and_delays_by_packet() -> None:
    links = pl.DataFrame(
        {
            "class": ["all", "all", "all", "data"],
            "to": ["x", "x", "ec", "x"],
            "dropped_bits": [1_000_000, 500_000, 7_000_000, 1_000_000],
        }
    )
    flows = pl.DataFrame(
        {
            "transport": ["udp", "udp", "udp", "reno", "reno"],
            "delays": [1, 3, 0, 9, 9],
            "delay_mean_s": [0.1, 0.3, None, 5.0, 5.0],
            "mean_rtt_s": [None, None, None, 0.5, 0.7],
        }
    )
    result = SimpleNamespace(links=links, flows=flows, summary={"measured_time": SimpleNamespace(value=2.0)})
    found = helper("_slots").price(result)
    # 1.5 Mb of both edge nodes in 2 s; (0.1 + 3 · 0.3)/4; the mean of two flows.
    assert found == pytest.approx({"edge_loss_mbps": 0.75, "udp_delay_s": 0.25, "tcp_rtt_s": 0.6})
    nobody = flows.filter(pl.col("transport") == "none")
    silent = SimpleNamespace(links=links, flows=nobody, summary=result.summary)
    assert helper("_slots").price(silent) == {"edge_loss_mbps": 0.75, "udp_delay_s": 0.0, "tcp_rtt_s": 0.0}


def test_the_edges_backlog_between_rises_is_that_of_two_round_trips_before_each() -> None:
    section5 = helper("_section5")
    network = section5.Network(1000, 0.06)
    # A queue that grows by 100 packets a second: 12 in two round trips of 60 ms.
    series = section5.Series([(number / 1000, number / 10) for number in range(int(1000 * network.end_s))])
    assert section5.quiet_growth(network, series) == pytest.approx(12, abs=0.2)


def test_a_series_grows_between_its_samples() -> None:
    series = helper("_section5").Series([(1.0, 2.0), (2.0, 5.0), (3.0, 9.0)])
    assert [series.at(time) for time in (0.5, 1.0, 2.9, 4.0)] == [0.0, 2.0, 5.0, 9.0]
    assert (series.grown(1.5, 3.0), series.most(0.0, 2.5)) == (7.0, 5.0)


def test_a_gain_is_shared_between_smoothing_and_the_controls() -> None:
    parts = helper("_classical").parts
    assert parts(20.0, 35.0, 40.0) == (
        "20.0 to 40.0 Mb/s (× 2.00): memory and smoothing +15.0 (75 %), controls +5.0 (25 %)"
    )
    assert parts(20.0, 35.0, 20.5).endswith("no gain to share")


def test_quartiles_lie_between_neighbours() -> None:
    assert helper("_classical").quartiles([4.0, 1.0, 3.0, 2.0]) == (1.0, 1.75, 2.5, 3.25, 4.0)


def test_the_weakest_verdict_under_the_laws_of_silences_counts() -> None:
    slots = helper("_slots")
    verdicts = {"constant": Verdict.AGREES, "uniform": Verdict.IN_SHAPE}
    table = pl.DataFrame({"silences": list(verdicts), "x": [1, 2]})

    def check(outcome: Outcome) -> Finding:
        [law] = outcome.table["silences"]
        return Finding(verdict=verdicts[law], measured=f"{outcome.replications['x'].item()}")

    found = slots.under_each(Outcome(table=table, replications=table), check)
    assert found == Finding(verdict=Verdict.IN_SHAPE, measured="silences constant: 1; silences uniform: 2")


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((1.3, 1.2, 1.25), Verdict.AGREES),
        ((1.9, 1.1, 1.2), Verdict.IN_SHAPE),
        # The same with any number of flows, and no benefit with two of them.
        ((0.95, 1.05, 0.95), Verdict.DISAGREES),
    ],
)
def test_a_benefit_that_is_none_is_not_independent_of_the_flows(ratios: tuple[float, ...], verdict: Verdict) -> None:
    experiment = load_experiment(FOUND["000/sensitivity"])
    [claim] = [claim for claim in experiment.claims if claim.id == "flows"]
    rows = [
        {"silences": law, "variant": variant, "scheme": scheme, "goodput_mbps": goodput}
        for law in ("constant", "uniform")
        for variant, ratio in zip(("ten flows", "default", "two hundred flows"), ratios, strict=True)
        for scheme, goodput in (("none", 10.0), ("two-controls", 10.0 * ratio))
    ]
    table = pl.DataFrame(rows)
    assert claim.check(Outcome(table=table, replications=table)).verdict == verdict


@pytest.mark.parametrize(
    "name", ["classical", "ablation", "bursts", "places", "section-5", "udp-shares", "sensitivity"]
)
@pytest.mark.parametrize("form", ["quick", "full"])
def test_all_that_is_said_of_a_table_can_be_said(name: str, form: Literal["quick", "full"]) -> None:
    """Claims, readings and sentences, of a table with every point of the form and drawn metrics."""
    experiment = load_experiment(FOUND[f"000/{name}"])
    draw = random.Random(7)
    rows = [
        {**point, "seed": seed, **{metric.name: draw.uniform(1, 9) for metric in experiment.metrics}}
        for point in experiment.form(form).points
        for seed in (1, 2)
    ]
    replications = pl.DataFrame(rows)
    table = replications.filter(pl.col("seed") == 1).drop("seed")
    table = table.with_columns(pl.lit(0.1).alias(f"{metric.name}_half_width") for metric in experiment.metrics)
    outcome = Outcome(table=table, replications=replications)
    assert all(claim.check(outcome).measured for claim in experiment.claims)
    assert all(experiment.describe(outcome))
    under = [list(reading.findings) for reading in experiment.readings(outcome)]
    assert all(names == under[0] for names in under)
    figure = Figure()
    for plot in experiment.plots:
        plot.draw(figure.subplots(), outcome.table)
        figure.clear()


def test_places_needed_are_the_fewest_that_are_enough() -> None:
    load_experiment(FOUND["000/places"])
    needed = vars(importlib.import_module("photocol_experiments.000.places"))["needed"]
    assert needed({5: 10.0, 20: 30.0, 50: 40.0}, 30.0) == 20
    assert needed({5: 10.0}, 30.0) == float("inf")
