"""Paper 004: one tolerance for one statement, like beside like, and no single replication decides."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment
from photocol.sweeps.campaign.table import Outcome
from photocol.verdict import Verdict

if TYPE_CHECKING:
    from photocol.experiment import Claim, Experiment

ROOT = Path(__file__).resolve().parents[2]
FOUND = find_experiments(experiments_folder(start=ROOT))


def experiment(name: str) -> Experiment:
    return load_experiment(FOUND[f"004/{name}"])


def claim_of(name: str, claim_id: str) -> Claim:
    return next(claim for claim in experiment(name).claims if claim.id == claim_id)


def test_up_to_300_percent_has_one_tolerance() -> None:
    said = [
        claim for name in ("delay", "loss", "readings") for claim in experiment(name).claims if "300 %" in claim.text
    ]
    assert len(said) == 4
    for claim in said:
        assert "2.5 to 4.5 times; in shape: at least 1.5" in claim.tolerance


def delays(ratio: float) -> Outcome:
    rows = [
        {"link_ms": 2.5, "sender": sender, "delta_ms": delta, "completion_s": seconds}
        for delta, (sender, seconds) in product((1, 50), (("HS-RR-TCP", 80.0), ("HS-TCP-SACK", 80.0 * ratio)))
    ]
    return Outcome(table=pl.DataFrame(rows), replications=pl.DataFrame())


def test_the_ratio_of_the_delays_agrees_from_2_5_on() -> None:
    check = claim_of("delay", "ratio").check
    found = [check(delays(ratio)).verdict for ratio in (1.4, 1.6, 2.6, 4.6)]
    assert found == [Verdict.DISAGREES, Verdict.IN_SHAPE, Verdict.AGREES, Verdict.IN_SHAPE]


def losses(sack: list[float], rr: list[float]) -> Outcome:
    rows = [
        {"where": "core", "sender": sender, "loss": 1e-3, "seed": seed, "completion_s": seconds}
        for sender, times in (("HS-TCP-SACK", sack), ("HS-RR-TCP", rr))
        for seed, seconds in enumerate(times)
    ]
    table = pl.DataFrame(
        {"where": ["core"] * 2, "sender": ["HS-TCP-SACK", "HS-RR-TCP"], "loss": [1e-3] * 2, "gigabytes": [1.0] * 2}
    )
    return Outcome(table=table, replications=pl.DataFrame(rows))


def test_a_replication_whose_paths_stop_changing_on_the_shorter_one_does_not_decide() -> None:
    check = claim_of("loss", "edge").check
    # 6 % of the median; of the means, 800 and 940 s, HS-RR-TCP would be the slower.
    assert check(losses([1000, 1000, 400], [940, 940, 940])).verdict is Verdict.AGREES
    assert check(losses([1000, 1000, 1000], [1000, 1010, 990])).verdict is Verdict.DISAGREES


def scenario_of(reading: str, kind: str) -> dict[str, Any]:
    setup = experiment("nsfnet").setup({"reading": reading, "kind": kind})
    return dict(setup.scenario)  # type: ignore[union-attr, arg-type]


def test_claims_over_nsfnet_compare_networks_that_differ_in_their_paths_only() -> None:
    one, two = (scenario_of("§1, least congested", kind) for kind in ("HS-TCP, one path", "HS-TCP, two paths"))
    balancing = two["switching"].pop("balancing")
    assert one == two
    # §1: congested from ρ_max on; §4: ACKs take the shorter path.
    assert (balancing["choice"], balancing["comparison"], balancing["traffic"]) == (
        "least-congested",
        "at-least",
        "data",
    )
    assert one["switching"]["assembly"]["queues"] == "class"


def test_eight_pairs_of_nsfnet_have_all_their_traffic_on_two_paths() -> None:
    balancing = scenario_of("§1, eight pairs, all traffic", "HS-RR-TCP, two paths")["switching"]["balancing"]
    assert balancing["traffic"] == "all"
    expected = [(0, 4), (1, 5), (3, 9), (5, 7), (6, 13), (1, 12), (8, 0), (12, 8)]
    assert [(int(one), int(other)) for one, other in balancing["pairs"]] == expected


def test_a_reading_without_runs_on_one_path_has_those_of_the_reading_with_the_same_bursts() -> None:
    rows = [
        ("§1, least congested", "HS-TCP, one path", 300.0),
        ("§1, shared bursts", "HS-TCP, one path", 200.0),
        *(("§1, eight pairs, all traffic", kind, 160.0) for kind in ("HS-TCP, two paths", "HS-RR-TCP, two paths")),
        *(("§1, least congested", kind, 270.0) for kind in ("HS-TCP, two paths", "HS-RR-TCP, two paths")),
    ]
    metrics = {"completion_s_half_width": 1.0, "completed": 40.0, "burst_loss": 0.03}
    table = pl.DataFrame(rows, schema=["reading", "kind", "completion_s"], orient="row")
    table = table.with_columns(**{name: pl.lit(value) for name, value in metrics.items()})
    outcome = Outcome(table=table, replications=pl.DataFrame())
    [both] = [
        one for one in experiment("nsfnet").readings(outcome) if one.claim.startswith("load balancing with HS-RR")
    ]
    assert both.findings["§1, eight pairs, all traffic"].measured.startswith("0.800")
    assert both.findings["§1, least congested"].measured.startswith("0.900")
    assert both.findings["§1, shared bursts"].verdict is Verdict.NOT_RUN


def test_what_is_measured_of_losses_is_in_their_order() -> None:
    losses = (1e-3, 0.0, 1e-2, 1e-5, 1e-4)
    rows = [
        {"sender": sender, "where": "core", "loss": loss, "completion_s": 100.0, "seed": seed}
        for sender, loss, seed in product(("HS-RR-TCP", "HS-TCP-SACK"), losses, (1, 2))
    ]
    outcome = Outcome(table=pl.DataFrame(rows), replications=pl.DataFrame(rows))
    measured = claim_of("loss", "never-slower").check(outcome).measured
    assert measured == ", ".join(f"1.000 at {loss:g}" for loss in sorted(losses)) + ": at least 1.000"
