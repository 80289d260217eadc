"""95 % intervals cover the true mean in 93 to 97 % of the cases, found by simulation of an M/M/1 queue.

At load ρ = 0.5 the mean number of packets that wait is ρ² / (1 − ρ) = 0.5. A thousand intervals of five replications
each, 5 s of 500 packets a second after half a second of warm-up, more than forty times the queue's relaxation time of
1 ms / (1 − √ρ)² = 11.7 ms. The standard deviation of the coverage that is found is √(0.95 · 0.05 / 1000) = 0.7 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from photocol.sweeps.campaign.job import jobs_of, perform
from photocol.sweeps.campaign.study import Setup, Study
from photocol.sweeps.campaign.table import outcome_of

ROOT = Path(__file__).resolve().parents[2]
MEAN = 0.5
INTERVALS, REPLICATIONS = 1000, 5
SETTINGS = {
    "traffic.0.sizes": "exponential",
    "traffic.0.rate": "5 Mbps",
    "run.duration": "5.5 s",
    "run.warm_up": "0.5 s",
}


@dataclass(frozen=True)
class Queue:
    """The origin of runs of the queue."""

    def study(self) -> Study:
        return Study(
            setup=lambda _: Setup(scenario=ROOT / "scenarios" / "md1.toml", settings=SETTINGS),
            measure=lambda result: {"waiting": result.links["mean_queue"][2]},
            metrics=frozenset({"waiting"}),
        )


def test_95_percent_intervals_cover_the_mean_of_an_mm1_queue_as_often_as_they_say() -> None:
    covered, means = 0, []
    for number in range(INTERVALS):
        seeds = range(1 + number * REPLICATIONS, 1 + (number + 1) * REPLICATIONS)
        rows = [perform(job) for job in jobs_of(Queue(), [{"load": 0.5}], seeds=seeds)]
        [interval] = outcome_of(["waiting"], [{"load": 0.5}], rows).table.iter_rows(named=True)
        covered += abs(interval["waiting"] - MEAN) <= interval["waiting_half_width"]
        means.append(interval["waiting"])
    assert 0.93 <= covered / INTERVALS <= 0.97, covered
    # 5000 runs of 2500 packets: the mean of all is far closer than any of the intervals is wide.
    assert abs(sum(means) / INTERVALS - MEAN) < 0.01
