"""Paper 001's comparison under lost bursts with BBR, which takes no loss for congestion without being told.

TCP-ENG is told that a lost burst is no congestion. BBR needs no telling: version 1 does not answer losses, version 3
bears up to 2 % of them. Forced mode, as in 001/figure-5: nine segments in a row are a burst, lost with probability p;
20 flows, 80 ms, nothing queues.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Metric, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

FLOWS, SEGMENTS, WINDOW_MAX, MSS, RTT_S = 20, 9, 1000, 1000, 0.08
RARE, SOME, MANY, MOST = 1e-4, 1e-3, 1e-2, 1e-1
LOSSES = (RARE, SOME, MANY, MOST)
ENG, SACK, BBR, BBR3 = "tcp-eng", "sack", "bbr", "bbr3"
SENDERS = (ENG, SACK, BBR, BBR3)
COLOURS = {ENG: "#D55E00", SACK: "#0072B2", BBR: "#009E73", BBR3: "#CC79A7"}


def setup(point: Point) -> Setup:
    """Twenty flows of one sender on a path without queues, for as long as the square root's window needs."""
    sender, loss = str(point["sender"]), float(point["loss"])
    usual = min(math.sqrt(1.5 * SEGMENTS / loss), WINDOW_MAX)
    lost = 300 if loss > 2e-3 else 100
    counted = max(20.0, lost / FLOWS * SEGMENTS / loss / usual * RTT_S)
    transport: dict[str, Any] = {"mss": MSS, "max_window": f"{WINDOW_MAX} packets"}
    if sender in (ENG, SACK):
        transport["initial_ssthresh"] = f"{max(2, round(usual))} packets"
    fast = "100 Gbps"
    return Setup(
        scenario={
            "run": {"name": "bursts", "duration": f"{1.25 * counted:.3f} s", "warm_up": f"{0.25 * counted:.3f} s"},
            "topology": {
                "kind": "dumbbell",
                "bottleneck_capacity": fast,
                "bottleneck_delay": "38 ms",
                "bottleneck_buffer": "unlimited",
                "access_capacity": fast,
                "access_delay": "1 ms",
                "access_buffer": "unlimited",
            },
            "transport": {sender: transport},
            "traffic": [
                {
                    "transport": sender,
                    "flows": FLOWS,
                    "spread": "1 s",
                    "bursts": {"segments": SEGMENTS, "loss": loss, "notify": sender == ENG},
                }
            ],
        }
    )


def measure(result: RunResult) -> Mapping[str, float]:
    """Throughput and timeouts of a flow."""
    return {
        "throughput_mbps": result.summary["goodput"].value / FLOWS / 1e6,
        "timeouts_per_flow": result.summary["timeouts"].value / FLOWS,
    }


def curve(outcome: Outcome, sender: str) -> dict[float, float]:
    """Loss to throughput, ascending."""
    rows = outcome.table.filter(pl.col("sender") == sender).sort("loss")
    return dict(zip(rows["loss"].to_list(), rows["throughput_mbps"].to_list(), strict=True))


def listed(values: Mapping[float, float]) -> str:
    """Values in words, from little loss to much."""
    return ", ".join(f"{value:.2f} ({loss:.0e})" for loss, value in values.items())


def check_eng(outcome: Outcome) -> Finding:
    """TCP-ENG is significantly better than BBR."""
    ours, theirs = curve(outcome, ENG), curve(outcome, BBR)
    gain = {loss: ours[loss] / theirs[loss] for loss in ours}
    return judge(
        agrees=min(gain.values()) >= 1.1,
        in_shape=min(value for loss, value in gain.items() if loss > 0.9e-3) >= 1.0,
        measured=f"over bbr {listed(gain)}",
    )


def check_flat(outcome: Outcome) -> Finding:
    """BBR's throughput does not depend on the loss of bursts up to 1 %."""
    levels = curve(outcome, BBR)
    kept = {loss: value / levels[RARE] for loss, value in levels.items() if loss <= 1.1 * MANY}
    return judge(
        agrees=min(kept.values()) >= 0.8,
        in_shape=min(kept.values()) >= 0.5,
        measured=f"over that at 1e-4 {listed(kept)}",
    )


def check_threshold(outcome: Outcome) -> Finding:
    """Version 3 gives way where a tenth of the bursts is lost, and not where a hundredth is."""
    third, first = curve(outcome, BBR3), curve(outcome, BBR)
    ratio = {loss: third[loss] / first[loss] for loss in third}
    return judge(
        agrees=ratio[MANY] >= 0.7 and ratio[MOST] <= 0.5,
        in_shape=ratio[MOST] < ratio[MANY],
        measured=f"version 3 over version 1 {listed(ratio)}",
    )


def check_sack(outcome: Outcome) -> Finding:
    """Both versions carry more than SACK at every loss of 1e-3 or more."""
    sack = curve(outcome, SACK)
    gain = {
        sender: {loss: value / sack[loss] for loss, value in curve(outcome, sender).items() if loss > 0.9e-3}
        for sender in (BBR, BBR3)
    }
    return judge(
        agrees=all(value >= 2 for values in gain.values() for value in values.values()),
        in_shape=all(value > 1 for values in gain.values() for value in values.values()),
        measured="; ".join(f"{sender} {listed(values)}" for sender, values in gain.items()),
    )


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Throughput against the loss, one curve a sender."""
    for sender, colour in COLOURS.items():
        rows = table.filter(pl.col("sender") == sender).sort("loss")
        axes.plot(rows["loss"], rows["throughput_mbps"], "o-", color=colour, label=sender)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("burst loss probability p")
    axes.set_ylabel("throughput of a flow (Mb/s)")
    axes.set_title(f"S = {SEGMENTS}, RTT 80 ms, forced losses", fontsize=9, color="0.3", loc="left")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="best", frameon=False, fontsize=8)


experiment = Experiment(
    id="modern/bbr-burst-losses",
    title="lost bursts: TCP-ENG beside BBR and BBR version 3 (forced)",
    source=Source(paper="ours, after paper 001 (TCP-ENG)", figures="001's figure 5", section="001's §IV.A"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
        Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".1f"),
    ),
    quick=Form(points=grid(sender=SENDERS, loss=LOSSES), replications=1, note="one replication of three"),
    full=Form(points=grid(sender=SENDERS, loss=LOSSES), replications=3),
    claims=(
        Claim(
            id="over-bbr",
            text="TCP-ENG significantly outperforms what is there, now BBR",
            where="001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=check_eng,
        ),
        Claim(
            id="flat",
            text="BBR carries the same whether bursts are lost or not",
            where="ours; draft-cardwell-iccrg-bbr-congestion-control-00 §1",
            expected="as much at p = 1e-2 as at 1e-4",
            tolerance="at least 0.8 of it; in shape: half",
            check=check_flat,
        ),
        Claim(
            id="threshold",
            text="BBR version 3 gives way beyond 2 % of losses",
            where="ours; draft-ietf-ccwg-bbr-06 §5.5.10",
            expected="as version 1 at p = 1e-2, less at 1e-1",
            tolerance="at least 0.7 and at most 0.5 of version 1; in shape: less at 1e-1 than at 1e-2",
            check=check_threshold,
        ),
        Claim(
            id="over-sack",
            text="both versions carry more than SACK",
            where="ours",
            expected="twice at p = 1e-3 or more",
            tolerance="at least 2 everywhere; in shape: more",
            check=check_sack,
        ),
    ),
    plots=(Plot(name="throughput", draw=draw),),
    notes=(
        "Nothing queues and nothing is slower than the hosts: the greatest window of 1000 packets is all that bounds "
        "BBR's rate, 100 Mb/s at 80 ms.",
        "TCP-ENG with its default reading (ben-only), as in modern/burst-losses.",
    ),
)
