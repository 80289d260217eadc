"""A small experiment on disk and runners without an engine; a module, so that worker processes can import it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = '''
"""A made-up figure: the level rises with the buffer and saturates at one half."""

from photocol.experiment import (
    Claim,
    Evaluation,
    Experiment,
    Form,
    Metric,
    Plot,
    Setup,
    Source,
    Trial,
    UnderReadings,
    grid,
)
from photocol.verdict import judge


def measure(result):
    return {"level": result.summary["level"].value}


def draw(axes, table):
    axes.plot(table["buffer_bytes"], table["level"])
    axes.set_xlabel("buffer (bytes)")


def top(outcome):
    value = outcome.table["level"][-1]
    return judge(agrees=abs(value - EXPECTED) < 0.1, in_shape=False, measured=f"{value:.3f}")


def readings(outcome):
    other = judge(agrees=False, in_shape=False, measured="0.900")
    findings = {"of a half": top(outcome), "of nine tenths": other}
    return [UnderReadings(claim="the level ends at a half", where="§1", findings=findings)]


EXPECTED = 0.5
experiment = Experiment(
    id="900/figure",
    title="a made-up figure",
    source=Source(paper="Nobody, Nothing, 2026", figures="Figure 1", section="§1"),
    setup=lambda point: Setup(scenario="made-up.toml", settings={"buffer": point["buffer_bytes"]}),
    measure=measure,
    metrics=[Metric(name="level", label="level")],
    quick=Form(points=grid(transport=["a"], buffer_bytes=[1, 100]), replications=2, settings={"duration": "1 s"}),
    full=Form(points=grid(transport=["a", "b"], buffer_bytes=[1, 10, 100]), replications=5),
    claims=[
        Claim(id="top", text="the level ends at a half", where="§1", expected="0.5", tolerance="±0.1", check=top,
              reason="the made-up reason")
    ],
    plots=[Plot(name="figure", draw=draw)],
    describe=lambda outcome: [f"The level ends at {outcome.table['level'][-1]:.2f}."],
    readings=readings,
    notes=["nothing here is true"],
)
'''


def checkout(folder: Path, *, text: str = EXPERIMENT) -> Path:
    """A repository with the made-up experiment; returns the experiment's file."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "scenarios" / "made-up.toml").write_text("[run]\n")
    file = folder / "experiments" / "900" / "figure.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


@dataclass
class Figure:
    value: float
    unit: str = "1"


@dataclass
class Result:
    summary: dict[str, Figure]
    manifest: dict[str, object] = field(default_factory=lambda: {"packet_hops": 3_000_000, "cpu_s": 0.5})
    links: pl.DataFrame = field(default_factory=pl.DataFrame)
    flows: pl.DataFrame = field(default_factory=pl.DataFrame)


def saturating(scenario, *, seed, settings):
    """A level of b / (b + 1) / 2 and a little of the seed."""
    buffer = settings["buffer"]
    return Result(summary={"level": Figure(buffer / (buffer + 1) / 2 + seed / 1000)})


def failing_at_ten(scenario, *, seed, settings):
    if settings["buffer"] == 10:
        raise ValueError("the engine does not like ten")
    return saturating(scenario, seed=seed, settings=settings)


def slow(scenario, *, seed, settings):
    """The first job is quick, the others take a minute."""
    if seed > 1 or settings["buffer"] > 1:
        time.sleep(60)
    return saturating(scenario, seed=seed, settings=settings)
