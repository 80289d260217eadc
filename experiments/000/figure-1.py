"""Paper 000, figure 1: the five events of one loss, as a timeline.

One TCP flow fills the link; a burst of UDP makes the core switch lose slots. Times are the agents' own counters (the
loss, the notification, the duplicate at the egress edge, the discard), samples of the sender's window every
millisecond, and the packets of a capture at the sender (the artificial ACKs, the segment that is sent again).

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import at_least, beside, near, rises, steps, values
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

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
COUNTERS = {
    "loss": "dlcc_first_loss",
    "rate_cut": "dlcc_first_rate_cut",
    "duplicate": "dlcc_first_duplicate_ack",
    "discard": "dlcc_first_discard",
}
FIRST_PORT = 1024
"""The data of flow n leave from this port + n."""
DATA, AGAIN, ACK = "data", "again", "ack"
PACKETS = {
    DATA: ("segments that leave", ".", "#0072B2"),
    ACK: ("ACKs that arrive", ".", "#009E73"),
    AGAIN: ("segments sent again", "x", "#D55E00"),
}
SHOWN_MS = (-150.0, 560.0)
WORDS = {
    "loss": "1 core: a slot is lost",
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
    settings = slots.settings(str(point["scheme"]), RTT_MS, 30)
    return Setup(scenario=scenario, settings=settings, captured=(0,))


def measure(result: RunResult) -> Mapping[str, float]:
    """Times after the first loss in ms; -1 for what does not happen."""
    figures = result.summary
    windows = result.series.filter(pl.col("quantity") == "cwnd").sort("t_s")
    before = windows.filter(pl.col("t_s") < BURST_S)["value"][-1]
    cut = windows.filter(pl.col("t_s") > BURST_S, pl.col("value") < 0.75 * before)["t_s"]
    halved = cut[0] if len(cut) else float("nan")
    times = {event: figures[name].value for event, name in COUNTERS.items() if name in figures}
    start = loss_s(result)
    found = {event: 1000 * (times[event] - start) if event in times else -1.0 for event in EVENTS if event != "halved"}
    resent_s = packets(result).filter(pl.col("kind") == AGAIN)["t_s"].min()
    return {
        "halved_ms": 1000 * (halved - start),
        "resent_ms": 1000 * (float(resent_s) - start),
        **{f"{event}_ms": value for event, value in found.items()},
    }


def loss_s(result: RunResult) -> float:
    """When the core lost the first slot; without notifications nobody counts that: when the burst came there."""
    figures = result.summary
    return figures[COUNTERS["loss"]].value if COUNTERS["loss"] in figures else BURST_S + (T0 + T1) / 1000


def packets(result: RunResult) -> pl.DataFrame:
    """The capture from the burst on: t_s, byte and kind of every packet, at the sender."""
    captured = result.packets
    assert captured is not None, "the set-up asks for a capture"
    data = captured.filter(pl.col("payload_bytes") > 0).with_columns(
        high=pl.col("seq").cum_max().shift(1, fill_value=0)
    )
    kind = pl.when(pl.col("seq") < pl.col("high")).then(pl.lit(AGAIN)).otherwise(pl.lit(DATA))
    acks = captured.filter(pl.col("payload_bytes") == 0, pl.col("destination_port") == FIRST_PORT)
    both = (
        data.select("t_s", byte="seq", kind=kind),
        acks.select("t_s", byte="ack", kind=pl.lit(ACK)),
    )
    return pl.concat(both).filter(pl.col("t_s") > BURST_S).sort("t_s", maintain_order=True)


def curves(result: RunResult) -> pl.DataFrame:
    """What the capture and the counters say around the loss: when, kB above the lost segment, and what it is."""
    start, seen = loss_s(result), packets(result)
    lost = seen.filter(pl.col("kind") == AGAIN)["byte"].first()
    seen = seen.select(
        t_ms=1000 * (pl.col("t_s") - start), kilobytes=(pl.col("byte") - lost) / 1000, kind="kind"
    ).filter(pl.col("t_ms").is_between(*SHOWN_MS))
    figures = result.summary
    times = {event: figures[name].value for event, name in COUNTERS.items() if name in figures}
    events = [{"t_ms": 1000 * (at - start), "kilobytes": 0.0, "kind": event} for event, at in times.items()]
    return pl.concat([seen, pl.DataFrame(events, schema=seen.schema)])


EVENTS_MS = beside({event: values(f"{event}_ms", scheme=TWO) for event in EVENTS}).told(".1f", " ms")
HALVED_MS = values("halved_ms", "scheme", form=".0f", unit=" ms").at(TWO, NONE)


def told_ms(shown: pl.DataFrame) -> float:
    """When the fourth ACK for the lost segment came: the third duplicate."""
    return float(shown.filter(pl.col("kind") == ACK, pl.col("kilobytes") == 0)["t_ms"].sort()[3])


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """What the sender sent and heard, from the capture, and what the agents counted."""
    shown = table.filter(pl.col("scheme") == TWO)
    for kind, (words, style, colour) in PACKETS.items():
        rows = shown.filter(pl.col("kind") == kind)
        axes.plot(
            rows["t_ms"], rows["kilobytes"], style, color=colour, markersize=2 if style == "." else 4, label=words
        )
    axes.plot(
        [told_ms(shown)], [0], "o", color=PACKETS[ACK][2], markersize=10, mfc="none", label="four artificial ACKs"
    )
    low, high = axes.get_ylim()[0], 2 * shown["kilobytes"].max()
    axes.set_ylim(low, high)
    for place, (event, words) in enumerate(WORDS.items()):
        rows = shown.filter(pl.col("kind") == event)
        time = told_ms(shown) if event == "halved" else rows["t_ms"].item()
        axes.axvline(time, color="0.6", linewidth=0.8)
        axes.plot([EXPECTED_MS.get(event, 0.0)], [low], "|", color="0.2", markersize=14)
        axes.annotate(words, (time, high - (0.05 + 0.06 * place) * (high - low)), fontsize=8)
    axes.set_xlim(*SHOWN_MS)
    axes.set_xlabel("time after the loss (ms); bars: sums of T0 to T3")
    axes.set_ylabel("bytes at the sender, above the lost segment (kB)")
    axes.legend(frameon=False, fontsize=8, loc="lower right")


experiment = Experiment(
    id="000/figure-1",
    title="DLCC: the events of one loss",
    source=Source(paper=PAPER, figures="Figure 1", section="§III.C"),
    setup=setup,
    measure=measure,
    metrics=tuple(
        Metric(name=f"{event}_ms", label=f"{event.replace('_', ' ')} (ms)", form=".1f") for event in (*EVENTS, "resent")
    ),
    curves=curves,
    quick=Form(points=grid(scheme=(NONE, TWO)), replications=1, note="the same run as the full form"),
    full=Form(points=grid(scheme=(NONE, TWO)), replications=1),
    claims=(
        Claim(
            id="times",
            text="notification, four ACKs, the receiver's duplicates and their discard follow a loss in this order",
            where="§III.C, Fig. 1",
            expected="T1, T1 + T0, T2 + 2 T3 (at the egress edge), 2 T3 + 2 T2 + T1 after the loss",
            tolerance="each within 5 ms, 60 slots; in shape: in this order",
            check=near(EVENTS_MS, EXPECTED_MS, by=TOLERANCE_MS, in_shape=at_least(steps(EVENTS_MS), 0)),
        ),
        Claim(
            id="sooner",
            text="the sender halves its window sooner than by the receiver's own duplicates",
            where="§III.C",
            expected="after T0 + T1 instead of 2(T2 + T3) + T1 + T0",
            tolerance="both within 20 ms; in shape: sooner",
            check=near(HALVED_MS, {TWO: T1 + T0, NONE: 3 * (T1 + T0)}, by=20, in_shape=rises(HALVED_MS)),
        ),
    ),
    plots=(Plot(name="figure-1", draw=draw, of="curves"),),
    notes=("T0 = T3 is not stated, and it gives the abstract's factor of six.",),
)
