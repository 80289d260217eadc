"""Paper 003, figure C.1: window W(t) and queue x(t) of TCP with RED as a fluid, beside packets; which K oscillates.

The paper shows the block diagram; the case is that of its source (Hollot et al., INFOCOM 2001): 60 flows, 3750
packets/s, 0.2 s of round trip without a queue, and RED with a filter of K = 0.005 and of K = 5 per second. Packets of
500 B over 15 Mb/s are that case; RED either marks them (ECN), which is what the fluid describes, or drops them.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from photocol.claims import Values, above, at_least, below, beside, near, values, within
from photocol.experiment import Claim, Evaluation, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

from ._courses import Courses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from photocol.experiment import RunResult

FLOWS = 60
PACKETS_PER_S = 3750
PACKET_BYTES = 500
MIN_TH, MAX_TH, MAX_P, BUFFER = 150, 700, 0.1, 800
X0, W0 = 194.4, 15.74
FLUID, MARKS, DROPS = "fluid", "marks", "drops"
KS = (0.005, 0.05, 0.5, 5.0)
STEP_S = 0.2
WATCHED = 10


def setup(point: Point) -> Evaluation | Setup:
    """The fluid, or packets through RED with the weight that has the same K."""
    k, duration = float(point["k_per_s"]), float(point["simulated_s"])
    if point["what"] == FLUID:
        inputs = {"averaging": k, "duration": duration, "samples": round(duration / STEP_S) + 1}
        return Evaluation(model="tcp-fluid", inputs=inputs)
    return Setup(scenario=scenario(k=k, duration_s=duration, marks=point["what"] == MARKS))


def scenario(*, k: float, duration_s: float, marks: bool) -> dict[str, object]:
    """Sixty flows over one link. K = −ln(1 − w)/δ with a sample for each packet, δ = 1/μ."""
    red = {
        "kind": "red",
        "min_th": f"{MIN_TH} packets",
        "max_th": f"{MAX_TH} packets",
        "max_p": MAX_P,
        "q_weight": -math.expm1(-k / PACKETS_PER_S),
        "mean_packet_size": PACKET_BYTES,
        "ecn": marks,
    }
    return {
        "run": {"name": "figure-C.1", "duration": f"{duration_s} s", "warm_up": f"{0.75 * duration_s} s"},
        "topology": {
            "kind": "dumbbell",
            "pairs": FLOWS,
            "bottleneck_capacity": f"{PACKETS_PER_S * PACKET_BYTES * 8} bps",
            "bottleneck_delay": "80 ms",
            "access_capacity": "1 Gbps",
            "access_delay": "10 ms",
            "bottleneck_buffer": f"{BUFFER} packets",
        },
        "link": [{"from": "left", "to": "right", "duplex": False, "queue": red}],
        "transport": {"sack": {"packet_size": PACKET_BYTES, "ecn": marks}},
        "traffic": [{"transport": "sack", "flows": FLOWS, "spread": "1 s"}],
        "probe": {"interval": f"{STEP_S} s", "flows": list(range(WATCHED)), "links": ["left->right"]},
    }


def traces(result: RunResult) -> pl.DataFrame:
    """Columns t_s, window and queue in packets: W is the mean of ten flows."""
    if result.manifest.get("model") == "tcp-fluid":
        from photocol.models import model

        inputs = result.manifest["inputs"]
        assert isinstance(inputs, dict), "a model's manifest has its inputs"
        fluid = model("tcp-fluid", **inputs)
        return pl.DataFrame({"t_s": fluid["time_s"], "window": fluid["window"], "queue": fluid["queue"]})
    series = result.series
    queue = series.filter(pl.col("quantity") == "queue").select("t_s", queue="value")
    windows = series.filter(pl.col("quantity") == "cwnd").group_by("t_s").agg(window=pl.col("value").mean())
    payload = PACKET_BYTES - 40
    return queue.join(windows, on="t_s").sort("t_s").select("t_s", pl.col("window") / payload, "queue")


def last_quarter(result: RunResult, column: str) -> NDArray[np.float64]:
    """The samples of the last quarter of the time."""
    samples = traces(result)[column].to_numpy()
    return samples[3 * len(samples) // 4 :]


def period(queue: NDArray[np.float64]) -> float:
    """The period, at most 50 s, with the most power in the queue; 0 for one that does not move."""
    if float(np.std(queue)) < 1e-3:
        return 0.0
    power = np.abs(np.fft.rfft(queue - queue.mean())) ** 2
    frequency = np.fft.rfftfreq(len(queue), STEP_S)
    return float(1.0 / frequency[np.argmax(np.where(frequency > 1 / 50, power, 0.0))])


def measure(result: RunResult) -> Mapping[str, float]:
    """Over the last quarter of the time."""
    queue, window = last_quarter(result, "queue"), last_quarter(result, "window")
    return {
        "queue_mean": float(queue.mean()),
        "queue_deviation": float(queue.std()),
        "window_mean": float(window.mean()),
        "period_s": period(queue),
    }


def curves(result: RunResult) -> pl.DataFrame:
    """The first 200 s of the traces: all samples of 40 s, then every fifth."""
    found = traces(result).filter(pl.col("t_s") <= 200)
    return pl.concat([found.filter(pl.col("t_s") < 40), found.filter(pl.col("t_s") >= 40).gather_every(5)])


def by_k(metric: str, what: str) -> Values:
    """A metric by K."""
    return values(metric, "k_per_s", what=what)


def deviations(what: str, form: str = ".0%") -> Values:
    """Of the queue over its mean, by K."""
    return (by_k("queue_deviation", what) / by_k("queue_mean", what)).told(form, " of the mean queue")


SLOW, BELOW, ABOVE, FAST = KS
SETTLES, MARKED, DROPPED = deviations(FLUID, ".1%"), deviations(MARKS), deviations(DROPS)
QUEUE, WINDOW = by_k("queue_mean", MARKS).at(SLOW), by_k("window_mean", MARKS).at(SLOW)
PERIODS = beside({what: by_k("period_s", what).at(FAST).renamed(lambda _: None) for what in (MARKS, FLUID)})
SAME_PERIOD = PERIODS.at(MARKS) / by_k("period_s", FLUID).at(FAST)


def picture(name: str, column: str, label: str, k: float, until_s: float, level: float) -> Plot:
    """The fluid beside marked packets; dotted, the equilibrium."""
    curves = {what: ({"what": what, "k_per_s": k}, column) for what in (MARKS, FLUID)}
    return Courses(curves=curves, label=label, told="", until_s=until_s, level=level).plot(name)


experiment = Experiment(
    id="003/figure-C.1",
    title="TCP and RED as a fluid and with packets: which averages oscillate",
    source=Source(paper="AAPN signalling and XCP-CL, a thesis (paper 003)", figures="Figure C.1", section="Appendix C"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="queue_mean", label="mean queue (packets)", form=".1f"),
        Metric(name="queue_deviation", label="its deviation (packets)", form=".1f"),
        Metric(name="window_mean", label="mean window (packets)", form=".2f"),
        Metric(name="period_s", label="period with the most power (s)", form=".2f"),
    ),
    quick=Form(
        points=grid(what=(FLUID, MARKS, DROPS), k_per_s=KS, simulated_s=[600]),
        replications=1,
        note="600 s instead of 2000 s and one replication instead of five; with K = 0.005, whose filter takes 200 s, "
        "the queue has not quite settled.",
    ),
    full=Form(points=grid(what=(FLUID, MARKS, DROPS), k_per_s=KS, simulated_s=[2000]), replications=5),
    claims=(
        Claim(
            id="fluid",
            text="RED with K = 0.005 is stable, with K = 5 it is not",
            where="Appendix C, [HoMi01b]",
            expected="the fluid settles with K = 0.005 and oscillates with K = 5",
            tolerance="deviation of the queue below 3 % and above 10 % of its mean; in shape: three times as much",
            check=(below(SETTLES.at(SLOW), 0.03) & above(SETTLES.at(FAST), 0.1))
            .in_shape(above(SETTLES.at(FAST), SETTLES.at(SLOW) * 3))
            .saying(SETTLES.at(SLOW, FAST)),
        ),
        Claim(
            id="packets",
            text="the same with packets that RED marks",
            where="Appendix C, [HoMi01b]",
            expected="the queue moves by far more with K = 5",
            tolerance="twice the deviation over the mean; in shape: more",
            check=at_least(
                MARKED.at(FAST), MARKED.at(SLOW) * 2, in_shape=above(MARKED.at(FAST), MARKED.at(SLOW))
            ).saying(MARKED.at(SLOW, FAST)),
        ),
        Claim(
            id="boundary",
            text="the average becomes too fast between K = 0.05 and K = 0.5",
            whose="ours",
            where="the model's phase margin, 0.81 and −0.09 rad",
            expected="the deviation rises there",
            tolerance="by half at least; in shape: it rises",
            check=at_least(
                MARKED.at(ABOVE), MARKED.at(BELOW) * 1.5, in_shape=above(MARKED.at(ABOVE), MARKED.at(BELOW))
            ).saying(MARKED.at(BELOW, ABOVE)),
        ),
        Claim(
            id="equilibrium",
            text="queue and window settle at the fluid's equilibrium",
            where="Appendix C; x₀ = 194 packets, W₀ = 15.7 packets",
            expected="x = 194, W = 15.7 packets with K = 0.005",
            tolerance="x within 25 %, W within 10 %; in shape: x from 75 to 389, W within 30 %",
            check=(near(QUEUE / X0, 1, by=0.25) & near(WINDOW / W0, 1, by=0.1))
            .in_shape(within(QUEUE, MIN_TH / 2, 2 * X0) & near(WINDOW / W0, 1, by=0.3))
            .saying(QUEUE.told(".0f", " packets", "x ="), WINDOW.told(".1f", " packets", "W =")),
        ),
        Claim(
            id="period",
            text="packets oscillate as fast as the fluid",
            where="Appendix C, K = 5",
            expected="one period",
            tolerance="within 25 %; in shape: within a factor of two",
            check=near(SAME_PERIOD, 1, by=0.25, in_shape=within(SAME_PERIOD, 0.5, 2)).saying(PERIODS.told(".2f", " s")),
        ),
        Claim(
            id="drops",
            text="dropping instead of marking changes nothing about it",
            whose="ours",
            where="ours",
            expected="the same K oscillate",
            tolerance="twice the deviation with 5 as with 0.005, half more with 0.5 as with 0.05; in shape: more at 5",
            check=(
                at_least(DROPPED.at(FAST), DROPPED.at(SLOW) * 2) & at_least(DROPPED.at(ABOVE), DROPPED.at(BELOW) * 1.5)
            )
            .in_shape(above(DROPPED.at(FAST), DROPPED.at(SLOW)))
            .saying(DROPPED),
        ),
    ),
    curves=curves,
    plots=(
        picture("queue-slow", "queue", "queue x(t) (packets), K = 0.005", KS[0], 200, X0),
        picture("queue-fast", "queue", "queue x(t) (packets), K = 5", KS[-1], 40, X0),
        picture("window-fast", "window", "window W(t) (packets), K = 5", KS[-1], 40, W0),
    ),
    notes=(
        "RED: thresholds 150 and 700 packets, max_p 0.1, buffer 800 packets, the model's defaults; the weight of the "
        "average is 1 − exp(−K/μ), a sample for each packet.",
        "The fluid has p per packet; RED makes the gaps uniform between 1 and 1/p packets, so it marks nearly 2p. By "
        "that alone the packets' queue settles near 167 instead of 194 packets.",
        "The mean window of a fluid halves at W; that of a sawtooth has W² p = 3/2 and not 2, which takes another 4 % "
        "off what is above the lower threshold.",
        "Senders: SACK, an ACK for each segment, greedy; all start within a second in slow start, the fluid at W = 1.",
    ),
)
