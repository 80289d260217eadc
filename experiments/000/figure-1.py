"""Paper 000, figure 1: the five events of one loss, as a timeline.

One TCP flow fills the link; a burst of UDP makes the core switch lose slots. Times are the agents' own counters (the
loss, the notification, the duplicate at the egress edge, the discard) and samples of the sender's window every
millisecond.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from . import _slots as slots
from ._slots import NONE, PAPER, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

RTT_MS = 500.0
T0, T1 = RTT_MS / 6, RTT_MS / 12
"""T0 = T3 = T/3 and T1 = T2 = T/6 with RTT = 2T, in ms."""
BURST_S = 20.0
EVENTS = ("rate_cut", "halved", "duplicate", "discard")
WORDS = {
    "rate_cut": "2 edge node: notification, lower optical rate",
    "halved": "3 sender: four ACKs, window halved",
    "duplicate": "4 egress edge: the receiver's duplicate ACK",
    "discard": "5 ingress edge: duplicate discarded",
}
EXPECTED_MS = {"rate_cut": T1, "halved": T1 + T0, "duplicate": T1 + 2 * T0, "discard": 3 * T1 + 2 * T0}
TOLERANCE_MS = 5.0


def setup(point: Point) -> Setup:
    """One flow of 6500 packets at most, which is a little more than the link holds, and one burst."""
    scenario = slots.scenario()
    scenario["traffic"][0].update(flows=1)
    del scenario["traffic"][0]["spread"]
    scenario["traffic"][1] = {
        "name": "burst",
        "transport": "udp",
        "from": "u",
        "to": "c",
        "rate": "16.5 Mbps",
        "start": f"{BURST_S} s",
        "stop": f"{BURST_S + 0.2} s",
    }
    scenario["transport"]["reno"]["max_window"] = "6500 packets"
    scenario["run"].update(duration="22 s", warm_up="1 s")
    scenario["probe"] = {"interval": "1 ms", "flows": [0]}
    return Setup(scenario=scenario, settings=slots.settings(str(point["scheme"]), RTT_MS, 30))


def measure(result: RunResult) -> Mapping[str, float]:
    """Times after the first loss in ms; -1 for what does not happen."""
    figures = result.summary
    windows = result.series.filter(pl.col("quantity") == "cwnd").sort("t_s")
    before = windows.filter(pl.col("t_s") < BURST_S)["value"][-1]
    cut = windows.filter(pl.col("t_s") > BURST_S, pl.col("value") < 0.75 * before)["t_s"]
    halved = cut[0] if len(cut) else float("nan")
    names = {"loss": "dlcc_first_loss", "rate_cut": "dlcc_first_rate_cut"}
    names |= {"duplicate": "dlcc_first_duplicate_ack", "discard": "dlcc_first_discard"}
    times = {event: figures[name].value for event, name in names.items() if name in figures}
    start = times.get("loss", BURST_S + (T0 + T1) / 1000)
    found = {event: 1000 * (times[event] - start) if event in times else -1.0 for event in EVENTS if event != "halved"}
    return {"halved_ms": 1000 * (halved - start), **{f"{event}_ms": value for event, value in found.items()}}


def check_times(outcome: Outcome) -> Finding:
    """Each event at its time."""
    row = outcome.table.filter(pl.col("scheme") == TWO)
    found = {event: row[f"{event}_ms"].item() for event in EVENTS}
    off = {event: found[event] - EXPECTED_MS[event] for event in EVENTS}
    return judge(
        agrees=all(abs(value) <= TOLERANCE_MS for value in off.values()),
        in_shape=list(found.values()) == sorted(found.values()),
        measured="; ".join(f"{event} {found[event]:.1f} ms, expected {EXPECTED_MS[event]:.1f}" for event in EVENTS),
    )


def check_sooner(outcome: Outcome) -> Finding:
    """The sender halves after T1 + T0 instead of 2(T2 + T3) + T1 + T0."""
    with_, without = (outcome.table.filter(pl.col("scheme") == scheme)["halved_ms"].item() for scheme in (TWO, NONE))
    expected = (T1 + T0, 3 * (T1 + T0))
    off = max(abs(with_ - expected[0]), abs(without - expected[1]))
    return judge(
        agrees=off <= 20,
        in_shape=with_ < without,
        measured=f"{with_:.0f} ms with DLCC, {without:.0f} without; expected {expected[0]:.0f} and {expected[1]:.0f}",
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """The events along the time."""
    row = table.filter(pl.col("scheme") == TWO)
    axes.plot([0], [0], "o", color="#D55E00")
    axes.annotate("1 core: a slot is lost", (0, 0), textcoords="offset points", xytext=(8, -3), fontsize=8)
    for place, event in enumerate(EVENTS, start=1):
        time = row[f"{event}_ms"].item()
        axes.plot([time], [place], "o", color="#0072B2")
        axes.plot([EXPECTED_MS[event]], [place], "|", color="0.3", markersize=14)
        axes.annotate(WORDS[event], (time, place), textcoords="offset points", xytext=(8, -3), fontsize=8)
    axes.set_yticks([])
    axes.set_xlim(-20, 560)
    axes.set_ylim(-0.8, len(EVENTS) + 0.8)
    axes.invert_yaxis()
    axes.set_xlabel("time after the loss (ms); bars: sums of T0 to T3")


experiment = Experiment(
    id="000/figure-1",
    title="DLCC: the events of one loss",
    source=Source(paper=PAPER, figures="Figure 1", section="§III.C"),
    setup=setup,
    measure=measure,
    metrics=tuple(Metric(name=f"{event}_ms", label=f"{event.replace('_', ' ')} (ms)", form=".1f") for event in EVENTS),
    quick=Form(points=grid(scheme=(NONE, TWO)), replications=1, note="the same run as the full form"),
    full=Form(points=grid(scheme=(NONE, TWO)), replications=1),
    claims=(
        Claim(
            id="times",
            text="notification, four ACKs, the receiver's duplicates and their discard follow a loss in this order",
            where="§III.C, Fig. 1",
            expected="T1, T1 + T0, T2 + 2 T3 (at the egress edge), 2 T3 + 2 T2 + T1 after the loss",
            tolerance="each within 5 ms, 60 slots; in shape: in this order",
            check=check_times,
        ),
        Claim(
            id="sooner",
            text="the sender halves its window sooner than by the receiver's own duplicates",
            where="§III.C",
            expected="after T0 + T1 instead of 2(T2 + T3) + T1 + T0",
            tolerance="both within 20 ms; in shape: sooner",
            check=check_sooner,
        ),
    ),
    plots=(Plot(name="figure-1", draw=draw),),
    notes=("T0 = T3 is not stated, and it gives the abstract's factor of six.",),
)
