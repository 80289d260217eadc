"""Paper 001's comparison under lost bursts, with senders of today: RACK-TLP, CUBIC, and undo on and off.

The paper compares TCP-ENG, which is told that a lost burst is no congestion, with Reno and SACK of its time (figure 5).
Here its rivals repair losses by RACK-TLP and PRR, open the window by CUBIC, and take needless reductions back. Forced
mode, as in 001/figure-5: nine segments in a row are a burst, lost with probability p; 20 flows, 80 ms, nothing queues.

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
QUICK_LOSSES = (1e-4, 1e-3, 1e-2, 1e-1)
LOSSES = tuple(10 ** (-5 + step / 2) for step in range(9))
ENG, SACK, RACK, CUBIC = "tcp-eng", "sack", "rack", "cubic"
LINUX, LINUX_NO_UNDO = "cubic-linux", "cubic-linux-no-undo"
SENDERS: dict[str, dict[str, Any]] = {
    ENG: {},
    SACK: {},
    RACK: {"algorithm": "sack", "recovery": "rack"},
    CUBIC: {},
    LINUX: {"algorithm": "cubic", "recovery": "linux"},
    LINUX_NO_UNDO: {"algorithm": "cubic", "recovery": "linux", "undo": "never"},
}
COLOURS = {
    ENG: "#D55E00",
    SACK: "#0072B2",
    RACK: "#56B4E9",
    CUBIC: "#009E73",
    LINUX: "#CC79A7",
    LINUX_NO_UNDO: "#E69F00",
}


def usual_window(loss: float) -> float:
    """The window of a sender that is friendly to TCP, by the square root."""
    return min(math.sqrt(1.5 * SEGMENTS / loss), WINDOW_MAX)


def setup(point: Point) -> Setup:
    """Twenty flows of one sender on a path without queues, for some hundred to a thousand lost bursts."""
    sender, loss = str(point["sender"]), float(point["loss"])
    lost = 1000 if loss > 2e-3 else 300 if loss > 5e-4 else 100
    counted = max(40.0, lost / FLOWS * SEGMENTS / loss / usual_window(loss) * RTT_S)
    transport = {
        "mss": MSS,
        "max_window": f"{WINDOW_MAX} packets",
        "initial_ssthresh": f"{max(2, round(usual_window(loss)))} packets",
    }
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
            "transport": {sender: transport | SENDERS[sender]},
            "traffic": [
                {
                    "transport": sender,
                    "flows": FLOWS,
                    "spread": "1 s",
                    "bursts": {"segments": SEGMENTS, "loss": loss, "notify": True},
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


def curve(outcome: Outcome, sender: str, metric: str = "throughput_mbps") -> dict[float, float]:
    """Loss to a metric's mean, ascending."""
    rows = outcome.table.filter(pl.col("sender") == sender).sort("loss")
    return dict(zip(rows["loss"].to_list(), rows[metric].to_list(), strict=True))


def ratios(outcome: Outcome, above: str, below: str) -> dict[float, float]:
    """The first sender's throughput over the second's by loss."""
    ours, theirs = curve(outcome, above), curve(outcome, below)
    return {loss: ours[loss] / theirs[loss] for loss in ours}


def listed(values: Mapping[float, float]) -> str:
    """The ratios in words, from little loss to much."""
    return ", ".join(f"{value:.2f} ({loss:.0e})" for loss, value in values.items())


def _survives(outcome: Outcome, rival: str) -> Finding:
    gain = ratios(outcome, ENG, rival)
    many = [value for loss, value in gain.items() if loss > 0.9e-3]
    return judge(
        agrees=min(gain.values()) >= 1.1,
        in_shape=min(many) >= 1.0,
        measured=f"over {rival} {listed(gain)}",
    )


def check_rack(outcome: Outcome) -> Finding:
    """TCP-ENG is significantly better than SACK with RACK-TLP."""
    return _survives(outcome, RACK)


def check_cubic(outcome: Outcome) -> Finding:
    """TCP-ENG is significantly better than CUBIC."""
    return _survives(outcome, CUBIC)


def check_linux(outcome: Outcome) -> Finding:
    """TCP-ENG is significantly better than CUBIC with what Linux repairs losses by."""
    return _survives(outcome, LINUX)


def check_timeouts(outcome: Outcome) -> Finding:
    """RACK-TLP has fewer timeouts than SACK at every p of 1e-3 or more."""
    rack, sack = (curve(outcome, name, "timeouts_per_flow") for name in (RACK, SACK))
    share = {loss: rack[loss] / sack[loss] for loss in sack if loss > 0.9e-3 and sack[loss] > 0}
    return judge(
        agrees=max(share.values()) <= 0.5,
        in_shape=max(share.values()) < 1.0,
        measured=f"RACK-TLP's over SACK's {listed(share)}",
    )


def check_repair(outcome: Outcome) -> Finding:
    """SACK with RACK-TLP carries at least as much as with RFC 6675."""
    ratio = ratios(outcome, RACK, SACK)
    return judge(agrees=min(ratio.values()) >= 0.98, in_shape=max(ratio.values()) > 1.0, measured=listed(ratio))


def check_undo(outcome: Outcome) -> Finding:
    """A lost burst is lost: there is nothing to take back."""
    ratio = ratios(outcome, LINUX, LINUX_NO_UNDO)
    off = max(abs(value - 1) for value in ratio.values())
    return judge(agrees=off <= 0.01, in_shape=off <= 0.05, measured=f"with over without {listed(ratio)}")


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Throughput against the loss, one curve a sender."""
    for sender, colour in COLOURS.items():
        rows = table.filter(pl.col("sender") == sender).sort("loss")
        dashed = sender == LINUX_NO_UNDO
        axes.plot(rows["loss"], rows["throughput_mbps"], "o:" if dashed else "o-", color=colour, label=sender)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("burst loss probability p")
    axes.set_ylabel("throughput of a flow (Mb/s)")
    axes.set_title(f"S = {SEGMENTS}, RTT 80 ms, forced losses", fontsize=9, color="0.3", loc="left")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="best", frameon=False, fontsize=8)


experiment = Experiment(
    id="modern/burst-losses",
    title="lost bursts: TCP-ENG beside RACK-TLP, CUBIC and undo (forced)",
    source=Source(paper="ours, after paper 001 (TCP-ENG)", figures="001's figure 5", section="001's §IV.A"),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
        Metric(name="timeouts_per_flow", label="timeouts of a flow", form=".1f"),
    ),
    quick=Form(
        points=grid(sender=list(SENDERS), loss=QUICK_LOSSES), replications=1, note="4 of 9 losses, one replication"
    ),
    full=Form(points=grid(sender=list(SENDERS), loss=LOSSES), replications=3),
    claims=(
        Claim(
            id="over-rack",
            text="TCP-ENG significantly outperforms SACK, now with RACK-TLP",
            where="001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=check_rack,
        ),
        Claim(
            id="over-cubic",
            text="TCP-ENG significantly outperforms CUBIC",
            where="ours, after 001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=check_cubic,
            reason="at p = 1e-4 CUBIC's window is as large as TCP-ENG's: 0.99 times",
        ),
        Claim(
            id="over-linux",
            text="TCP-ENG significantly outperforms CUBIC with recovery linux",
            where="ours, after 001 §IV.A, Fig. 5",
            expected="more at every loss; no number",
            tolerance="at least 1.1 times at every p; in shape: not less at any p from 1e-3 on",
            check=check_linux,
            reason="at p = 1e-4 CUBIC's window is as large as TCP-ENG's: 0.99 times",
        ),
        Claim(
            id="timeouts",
            text="RACK-TLP saves timeouts of lost bursts that are a whole window",
            where="ours; RFC 8985 §3",
            expected="fewer timeouts than SACK",
            tolerance="at most half from p = 1e-3 on; in shape: fewer",
            check=check_timeouts,
            reason="at p = 1e-3 two timeouts of 20 flows in either: a repair that is lost again. Half a round trip in "
            "which nothing leaves, one after which RACK knows and the next make 200 ms, the least timeout",
        ),
        Claim(
            id="repair",
            text="RACK-TLP carries at least what RFC 6675 does",
            where="ours",
            expected="ratio 1 or more",
            tolerance="at least 0.98 at every p; in shape: more at some",
            check=check_repair,
        ),
        Claim(
            id="undo",
            text="undo changes nothing: lost bursts are lost, and no reduction is needless",
            where="ours",
            expected="ratio 1",
            tolerance="within 1 % at every p; in shape: within 5 %",
            check=check_undo,
        ),
    ),
    plots=(Plot(name="throughput", draw=draw),),
    notes=(
        "TCP-ENG with its default reading (ben-only): α of GAIMD in the round after a BEN, else 1; every lost burst "
        "brings one. 001/figure-5 has the other reading.",
        "All senders start at the square root's window, so that a start says little.",
    ),
)
