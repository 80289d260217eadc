"""CUBIC's response function (RFC 9438 §5.1, tables 1 and 2): the average window if every 1/p-th packet is lost.

One flow over a path on which nothing queues, in the simulator with its SACK recovery; the law by itself is tested
against the same tables beside its code.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.claims import near, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, zipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

TABLE = {(0.1, 100): 12, (0.1, 1_000): 38, (0.1, 10_000): 187, (0.01, 1_000): 38, (0.01, 10_000): 120}
"""(Round trip in seconds, packets for a loss) to the average window in segments."""
LOSSES = 300


def setup(point: Point) -> Setup:
    """One greedy flow; three hundred losses at the window of the table, a quarter of which are left out."""
    rtt_s, every = float(point["rtt_s"]), int(point["every"])
    window = TABLE[rtt_s, every]
    duration = LOSSES * every / window * rtt_s
    fast = "100 Gbps"
    return Setup(
        scenario={
            "run": {"name": "cubic-response", "duration": f"{duration:.3f} s", "warm_up": f"{0.25 * duration:.3f} s"},
            "topology": {
                "kind": "dumbbell",
                "pairs": 1,
                "bottleneck_capacity": fast,
                "bottleneck_delay": f"{1e3 * (rtt_s / 2 - 0.002):g} ms",
                "bottleneck_buffer": "unlimited",
                "access_capacity": fast,
                "access_delay": "1 ms",
                "access_buffer": "unlimited",
            },
            "link": [{"from": "left", "to": "right", "duplex": False, "loss_every": every}],
            "transport": {"cubic": {"fast_convergence": False, "initial_ssthresh": f"{window} packets"}},
            "traffic": [{"transport": "cubic", "flows": 1}],
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """The window from what is delivered in a round trip."""
    rtt_s = result.flows["mean_rtt_s"][0]
    return {"window": result.summary["goodput"].value * rtt_s / 8 / 1460}


WINDOWS = (values("window", ("rtt_s", "every")) / TABLE).told(".2f")
WINDOWS = WINDOWS.renamed(lambda place: f"1/p = {place[1]}, {1e3 * place[0]:g} ms")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """The window against 1/p; crosses are the table."""
    for rtt_s, colour in ((0.1, "#0072B2"), (0.01, "#D55E00")):
        rows = table.filter(table["rtt_s"] == rtt_s).sort("every")
        axes.plot(rows["every"], rows["window"], "o-", color=colour, label=f"{1e3 * rtt_s:g} ms")
        expected = [TABLE[rtt_s, every] for every in rows["every"].to_list()]
        axes.plot(rows["every"], expected, "x", color="0.3", markersize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("packets for a loss")
    axes.set_ylabel("average window (segments)")
    axes.legend(frameon=False)


POINTS = zipped(rtt_s=[rtt for rtt, _ in TABLE], every=[every for _, every in TABLE])

experiment = Experiment(
    id="modern/cubic-response",
    title="CUBIC's response function",
    source=Source(
        paper="RFC 9438, CUBIC for Fast and Long-Distance Networks", figures="Tables 1 and 2", section="§5.1"
    ),
    setup=setup,
    measure=measure,
    metrics=(Metric(name="window", label="average window (segments)", form=".1f"),),
    quick=Form(points=POINTS, replications=1),
    full=Form(points=POINTS, replications=1),
    claims=(
        Claim(
            id="table",
            text="the average window at a loss every 1/p packets",
            where="§5.1, tables 1 and 2, C = 0.4",
            expected="12, 38 and 187 segments at 0.1 s; 38 and 120 at 0.01 s",
            tolerance="within 10 % at every point; in shape: within 30 %",
            check=near(WINDOWS, 1, 0.1, 0.3),
            reason="at p = 1e-2 one of ten rounds from loss to loss is the repair's, in which the window does not grow",
        ),
    ),
    plots=(Plot(name="response", draw=draw),),
    notes=("Without fast convergence, which a single flow has no use for; the tables have none either.",),
)
