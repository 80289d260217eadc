"""Paper 004, §5.2.8: whether the datagrams in the background have the Hurst parameter that they are asked for.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.claims import near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, grid

from ._lb import source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

INTERVAL_S = 0.02
SCALES = (5, 10, 20, 50, 100, 200, 500)
"""Over which counts are averaged, in intervals: from 0.1 to 10 s."""
SOURCES, MEAN_MBPS = 182, 15


def scenario(hurst: float) -> dict[str, Any]:
    """All 182 sources of NSFNET through one link that is never full."""
    return {
        "run": {"name": "background", "duration": "1000 s"},
        "topology": {"kind": "custom"},
        "node": [{"name": "a"}, {"name": "b"}],
        "link": [{"from": "a", "to": "b", "capacity": "100 Gbps", "delay": "1 ms", "buffer": "unlimited"}],
        "transport": {"datagrams": {"algorithm": "udp", "packet_size": "1000 B"}},
        "traffic": [
            {
                "transport": "datagrams",
                "from": "a",
                "to": "b",
                "flows": SOURCES,
                "load": "on-off",
                "rate": f"{2 * MEAN_MBPS} Mbps",
                "on": {"law": "pareto", "mean": "10 ms", "hurst": hurst},
                "off": {"law": "pareto", "mean": "10 ms", "hurst": hurst},
            }
        ],
        "probe": {"interval": f"{INTERVAL_S} s", "links": "all"},
    }


def make(point: Point) -> Setup:
    """A Hurst parameter."""
    return Setup(scenario=scenario(float(point["hurst"])))


def counts(result: RunResult) -> list[float]:
    """Packets offered in each interval."""
    offered = result.series.filter((pl.col("quantity") == "offered") & (pl.col("entity").str.contains("a->b")))
    totals = offered.sort("t_s")["value"].to_list()
    return [after - before for before, after in pairwise(totals)]


def variance_of_means(values: Sequence[float], scale: int) -> float:
    """Of the means over so many intervals."""
    means = [sum(values[at : at + scale]) / scale for at in range(0, len(values) - scale + 1, scale)]
    mean = sum(means) / len(means)
    return sum((one - mean) ** 2 for one in means) / (len(means) - 1)


def estimated(values: Sequence[float]) -> float:
    """H from the slope 2H − 2 of the variance of means against their scale, both by their logarithms."""
    points = [(math.log(scale), math.log(variance_of_means(values, scale))) for scale in SCALES]
    x, y = (sum(point[axis] for point in points) / len(points) for axis in (0, 1))
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    return 1 + slope / 2


def measure(result: RunResult) -> dict[str, float]:
    """The estimate and the mean rate of a source."""
    values = counts(result)
    rate = sum(values) * 8000 / (len(values) * INTERVAL_S) / SOURCES / 1e6
    return {"estimated_h": estimated(values), "mean_mbps": rate, "cpu_s": float(str(result.manifest["cpu_s"]))}


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Estimated against asked."""
    asked, found = table["hurst"].to_list(), table["estimated_h"].to_list()
    axes.plot(asked, found, "o")
    axes.plot(asked, asked, "-", color="0.7")
    axes.set_xlabel("Hurst parameter asked for")
    axes.set_ylabel("estimated")


ESTIMATED = values("estimated_h", "hurst", form=".3f")


experiment = Experiment(
    id="004/background",
    title="the Hurst parameter of the datagrams in the background",
    source=source("§5.2.8", "§5.2.8"),
    setup=make,
    measure=measure,
    metrics=(
        Metric(name="estimated_h", label="estimated H"),
        Metric(name="mean_mbps", label="mean rate of a source (Mb/s)", form=".2f"),
        Metric(name="cpu_s", label="CPU time of a run (s)", form=".1f"),
    ),
    quick=Form(
        points=grid(hurst=(0.75,)), replications=1, settings={"run.duration": "100 s"}, note="100 s instead of 1000 s"
    ),
    full=Form(points=grid(hurst=(0.6, 0.75, 0.9)), replications=3, settings={"run.duration": "400 s"}),
    claims=(
        Claim(
            id="hurst",
            text="the background traffic has a Hurst parameter of 0.75",
            where="§5.2.8",
            expected="0.75",
            tolerance="within 0.05 by the variance of means over 0.1 to 10 s; in shape: 0.1",
            check=near(values("estimated_h", form=".3f", hurst=0.75), 0.75, by=0.05, in_shape=0.1).telling(ESTIMATED),
        ),
        Claim(
            id="rate",
            text="each source sends 15 Mb/s on average",
            where="§5.2.8",
            expected="15 Mb/s",
            tolerance="within 2 %; in shape: 10 %",
            check=near(values("mean_mbps", form=".2f", unit=" Mb/s", hurst=0.75), 15, by=0.3, in_shape=1.5),
        ),
    ),
    plots=(Plot(name="hurst", draw=draw),),
)
