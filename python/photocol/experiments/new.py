"""The file of a new experiment: that of docs/guide/add-an-experiment.md, with blanks to fill."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from photocol.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

BLANK = "___"
NAME, FIGURE = "@NAME@", "@FIGURE@"
TEMPLATE = '''"""___: what is measured, against what.

The expected values and tolerances below were written before the first run.
"""

import polars as pl

from photocol.claims import near, rises, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Setup, Source, grid
from photocol.plot import Lines


def setup(point):
    """What a point runs: a scenario of `scenarios/`, and the keys that differ from it."""
    return Setup(scenario="___.toml", settings={"___": f"{point['___']} Mbps"})


def measure(result):
    """One run's metrics. The result is a `photocol.Result`."""
    [measured] = result.links.filter(pl.col("link") == "___")["___"]
    return {"___": measured}


def expected(place):
    """What the source has at a place of the axis."""
    return ___


measured = values("___", "___")
labels = ("___ (unit)", "___ (unit)")

experiment = Experiment(
    id="@NAME@",
    title="___",
    source=Source(paper="___", figures="___", section="§___"),
    setup=setup,
    measure=measure,
    metrics=[Metric(name="___", label="___ (unit)")],
    quick=Form(points=grid(___=[1, 2]), replications=10, settings={"run.duration": "___ s"}, note="___"),
    full=Form(points=grid(___=[1, 2, 3, 4]), replications=10),
    claims=[
        Claim(
            id="___",
            text="___",
            where="§___",
            expected="___",
            tolerance="within 10 % everywhere; in shape: it rises",
            check=near(measured / expected, 1, by=0.1, in_shape=rises(measured)),
        )
    ],
    plots=[Plot(name="@FIGURE@", draw=Lines("___", "___", labels, expected={"formula": expected}))],
)
'''
"""With the names of the experiment and of its figure left out."""


def write_experiment(folder: Path, name: str) -> Path:
    """Write the file of `paper/figure` into a folder `experiments`. Raises InputError where it cannot."""
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name):
        raise InputError(f"an experiment is called PAPER/FIGURE, as 004/loss, not {name!r}")
    file = folder / f"{name}.py"
    if file.exists():
        raise InputError(f"{file} is there already")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEMPLATE.replace(NAME, name).replace(FIGURE, file.stem), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    return file
