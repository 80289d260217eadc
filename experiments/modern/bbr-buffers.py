"""Paper 002's buffer figure with senders that measure: BBR, BBR version 3, and DCTCP over queues that mark.

Utilization and drop rate of NSFNET's core outputs against the optical RAM per output, as 002/baseline has them for Reno
and paced Reno: which of the paper's claims outlive laws that do not wait for losses?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from ._buffers import METRICS, QUICK, SIX_PACKETS, curve, drop_rate, measure, share, utilization

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from photocol.experiment import Value

RENO, PACED_RENO, BBR, BBR3, DCTCP = "reno", "paced-reno", "bbr", "bbr3", "dctcp"
SENDERS: dict[str, dict[str, Any]] = {
    RENO: {"algorithm": "reno"},
    PACED_RENO: {"algorithm": "reno", "paced": True},
    BBR: {"algorithm": "bbr"},
    BBR3: {"algorithm": "bbr3"},
    DCTCP: {"algorithm": "dctcp"},
}
STYLES = {
    RENO: ("#0072B2", "o--"),
    PACED_RENO: ("#D55E00", "s--"),
    BBR: ("#009E73", "o-"),
    BBR3: ("#CC79A7", "s-"),
    DCTCP: ("#E69F00", "^-"),
}
TWENTY_PACKETS = 30_000
QUICK_POINTS = (
    *grid(sender=(RENO, DCTCP), buffer_bytes=(1_500, SIX_PACKETS, TWENTY_PACKETS, 1_000_000)),
    *grid(sender=(PACED_RENO, BBR, BBR3), buffer_bytes=(SIX_PACKETS, 1_000_000)),
)
"""What the claims look at."""
BUFFERS = (1_500, 3_000, 4_500, 6_000, SIX_PACKETS, 15_000, TWENTY_PACKETS, 60_000, 150_000, 300_000, 1_000_000)


def setup(point: Point) -> Setup:
    """The network of 002/baseline with one sender and one buffer at every core output; for DCTCP half of it marks."""
    sender, buffer = str(point["sender"]), int(point["buffer_bytes"])
    settings: dict[str, Value] = {f"transport.reno.{key}": value for key, value in SENDERS[sender].items()}
    settings["link_defaults.core.buffer"] = f"{buffer} B"
    if sender == DCTCP:
        settings["link_defaults.core.queue.kind"] = "step"
        settings["link_defaults.core.queue.threshold"] = f"{buffer // 2} B"
    return Setup(scenario="nsfnet-buffers.toml", settings=settings)


def check_plateau(outcome: Outcome) -> Finding:
    """With much RAM all senders end where the traffic matrix ends them."""
    ends = {sender: curve(outcome, sender)[max(BUFFERS)] for sender in SENDERS}
    off = max(abs(end / ends[RENO] - 1) for end in ends.values())
    named = ", ".join(f"{end:.3f} ({sender})" for sender, end in ends.items())
    return judge(agrees=off <= 0.05, in_shape=off <= 0.15, measured=named)


def check_knee(outcome: Outcome) -> Finding:
    """Senders that pace by what they have measured need no more than six packets."""
    shares = {sender: share(outcome, sender) for sender in (PACED_RENO, BBR, BBR3)}
    least = min(shares[BBR], shares[BBR3])
    return judge(
        agrees=least >= max(shares[PACED_RENO] - 0.03, 0.75),
        in_shape=least >= 0.75,
        measured=", ".join(f"{value:.1%} ({sender})" for sender, value in shares.items()),
    )


def check_drops(outcome: Outcome) -> Finding:
    """With six packets BBR drops no more than Reno."""
    rates = {sender: curve(outcome, sender, "drop_rate")[SIX_PACKETS] for sender in (RENO, PACED_RENO, BBR, BBR3)}
    most = max(rates[BBR], rates[BBR3])
    return judge(
        agrees=most <= rates[RENO],
        in_shape=rates[BBR3] <= rates[RENO],
        measured=", ".join(f"{value:.1e} ({sender})" for sender, value in rates.items()),
    )


def check_marks(outcome: Outcome) -> Finding:
    """Marks instead of drops: DCTCP drops a tenth of what Reno does with twenty packets."""
    rates = {sender: curve(outcome, sender, "drop_rate")[TWENTY_PACKETS] for sender in (RENO, DCTCP)}
    ratio = rates[DCTCP] / rates[RENO] if rates[RENO] > 0 else float("inf")
    return judge(
        agrees=ratio <= 0.1,
        in_shape=ratio < 1,
        measured=", ".join(f"{value:.1e} ({sender})" for sender, value in rates.items()),
    )


def check_dctcp(outcome: Outcome) -> Finding:
    """DCTCP carries at least as much as Reno at every buffer."""
    ours, theirs = curve(outcome, DCTCP), curve(outcome, RENO)
    ratio = {buffer: ours[buffer] / theirs[buffer] for buffer in ours}
    return judge(
        agrees=min(ratio.values()) >= 0.97,
        in_shape=sum(value >= 0.97 for value in ratio.values()) > len(ratio) / 2,
        measured=", ".join(f"{value:.2f} at {buffer / 1000:g} kB" for buffer, value in ratio.items()),
    )


def draw_utilization(axes: Axes, table: pl.DataFrame) -> None:
    """002's figure 3 with other senders."""
    utilization(axes, table, STYLES)


def draw_drop_rate(axes: Axes, table: pl.DataFrame) -> None:
    """002's figure 4 with other senders."""
    drop_rate(axes, table, STYLES)


experiment = Experiment(
    id="modern/bbr-buffers",
    title="buffer size at core outputs: BBR, BBR version 3 and DCTCP on NSFNET",
    source=Source(paper="ours, after paper 002", figures="002's figures 3 and 4", section="002's §3.2"),
    setup=setup,
    measure=measure,
    metrics=METRICS,
    quick=Form(
        points=QUICK_POINTS,
        replications=1,
        settings=QUICK,
        note="4 of 11 buffers, of paced senders 2; 1 of 5 replications, and 7 of 40 seconds, as 002/baseline.",
    ),
    full=Form(points=grid(sender=list(SENDERS), buffer_bytes=BUFFERS), replications=5),
    claims=(
        Claim(
            id="plateau",
            text="with large buffers the utilization levels off because the traffic matrix limits it",
            whose="ours",
            where="002 §3.2, Fig. 3",
            expected="one plateau for all senders",
            tolerance="within 5 % of Reno's; in shape: within 15 %",
            check=check_plateau,
        ),
        Claim(
            id="knee",
            text="a paced sender has high utilization with six packets, BBR too",
            whose="ours",
            where="ours, after 002 §3.2, Fig. 3",
            expected="BBR's share of its plateau is paced Reno's",
            tolerance="at most 3 points less and at least 75 %, for both versions; in shape: at least 75 %",
            check=check_knee,
        ),
        Claim(
            id="drops",
            text="a paced sender drops less, BBR too",
            whose="ours",
            where="ours, after 002 §3.2, Fig. 4",
            expected="no more than Reno at 9 kB",
            tolerance="both versions; in shape: version 3",
            check=check_drops,
            reason="BBR's rate does not answer drops, and version 3's only those of more than 2 % of a round trip's "
            "packets",
        ),
        Claim(
            id="marks",
            text="where queues mark, DCTCP hardly drops",
            whose="ours",
            where="ours; RFC 8257 §1",
            expected="a tenth of Reno's drop rate at 30 kB",
            tolerance="at most a tenth; in shape: less",
            check=check_marks,
            reason="windows that leave in bursts overflow the ten packets above the threshold before a mark can be "
            "answered: with pacing, DCTCP drops a tenth of what Reno does (2.4e-4 of 2.6e-3, 7 s). Slow start is not "
            "why",
        ),
        Claim(
            id="dctcp-carries",
            text="DCTCP carries what Reno does with less buffer",
            whose="ours",
            where="ours; RFC 8257 §1",
            expected="ratio 1 or more at every buffer",
            tolerance="at least 0.97 everywhere; in shape: at more than half of the buffers",
            check=check_dctcp,
        ),
    ),
    plots=(Plot(name="utilization", draw=draw_utilization), Plot(name="drop-rate", draw=draw_drop_rate)),
    notes=(
        "All but the sender is that of 002/baseline, the greatest window of 20 packets and the initial window of 2 "
        "included.",
        "DCTCP's queues mark from half of the buffer on (step). BBR has no answer to marks; its queues are drop-tail.",
    ),
)
