"""The curves of 003/buffers and 003/case-1 are the figures of their tables, sample by sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import photocol
from photocol.experiments.catalogue import experiments_folder, find_experiments, load_experiment

FOUND = find_experiments(experiments_folder(start=Path(__file__).resolve().parents[2]))


def curves(name: str, **wanted: object) -> tuple[dict[str, float], pl.DataFrame]:
    """The figures and the curves of the first point of a quick form that is as wanted, with seed 1."""
    experiment = load_experiment(FOUND[name])
    point = next(p for p in experiment.quick.points if all(p[axis] == value for axis, value in wanted.items()))
    result = photocol.run(experiment.setup(point).scenario, seed=1)
    assert experiment.curves is not None
    frame = experiment.curves(result).with_columns(**{axis: pl.lit(value) for axis, value in point.items()})
    for plot in experiment.plots:
        if plot.of == "curves":
            plot.draw(Figure().subplots(), frame)
    return dict(experiment.measure(result)), frame


def test_the_curves_of_appendix_d_have_the_means_of_its_table() -> None:
    """Ten packets of buffer, original XCP: 220 to 400 s. A drop share is of 5625 packets a second."""
    figures, frame = curves("003/buffers", algorithm="xcp", step="physical", sender="one-way", buffer_packets=10)
    step = frame.filter((pl.col("t_s") > 220) & (pl.col("t_s") <= 400))
    mean = {name: float(step[name].mean()) for name in ("queuing_ms", "drops_interval", "drop_percent", "drops")}
    assert mean["queuing_ms"] == pytest.approx(figures["queuing_ms"], rel=0.01)
    assert mean["drops_interval"] == pytest.approx(figures["drops"], rel=0.03)
    assert mean["drop_percent"] == pytest.approx(figures["drop_percent"], rel=0.01)
    sample = float(frame["t_s"][1] - frame["t_s"][0])
    assert mean["drop_percent"] == pytest.approx(100 * mean["drops"] / (5625 * sample))


def test_five_flows_have_their_fair_rates_before_the_step() -> None:
    """45 Mb/s for 100 flows are 56.25 kB/s each."""
    _, frame = curves("003/case-1", algorithm="xcp-cl", step="told", sender="one-way")
    calm = frame.filter((pl.col("t_s") > 100) & (pl.col("t_s") <= 200))
    rates = np.array([calm[f"rate_{flow}"].mean() for flow in (1, 21, 41, 61, 81)])
    assert rates == pytest.approx(56.25, rel=0.04)
