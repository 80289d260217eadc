"""Paper 001, eqs. (2) and (3), and the closed forms of GAIMD and Reno, against the senders packet by packet.

The forced mode with single segments (S = 1): every transmission is lost with probability p by itself.

The expected values and tolerances below were committed before the first full run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from photocol import model
from photocol.claims import Predicate, Values, beside, first, near, values, within
from photocol.experiment import Claim, Experiment, Form, Metric, Plot, Point, Setup, Source, grid

from ._bursts import RTT_S, scenario, usual_window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from photocol.experiment import RunResult

FLOWS = 20
LOSSES = tuple(10 ** (-4 + step / 2) for step in range(5))
QUICK_LOSSES = (1e-4, 1e-3, 1e-2)
BETAS = (0.5, 0.75, 0.875, 0.96875)
RELATIONS = ("triple-duplicate", "timeout")
GAIMD = {f"gaimd {beta} {relation}": (beta, relation) for beta in BETAS for relation in RELATIONS}
PLAIN = ("sack", "newreno", "reno")
SENDERS = (*GAIMD, *PLAIN)
RTO_S = 0.2


def setup(point: Point) -> Setup:
    """Twenty flows of one sender."""
    name = str(point["sender"])
    algorithm = name.split()[0]
    settings: dict[str, dict[str, Any]] = {}
    if name in GAIMD:
        beta, relation = GAIMD[name]
        share = 1.0 if relation == RELATIONS[0] else 2 * (1 + beta) / 3
        start = round(share * usual_window(1, float(point["loss"])))
        settings = {algorithm: {"beta": beta, "relation": relation, "initial_ssthresh": f"{start} packets"}}
    return Setup(scenario=scenario(1, float(point["loss"]), {algorithm: FLOWS}, settings))


def measure(result: RunResult) -> Mapping[str, float]:
    """Throughput of a flow."""
    return {
        "throughput_mbps": result.summary["goodput"].value / FLOWS / 1e6,
        "timeouts_per_loss": result.summary["timeouts"].value
        / max(1.0, result.summary["timeouts"].value + result.summary["fast_retransmits"].value),
    }


def closed_form(sender: str, loss: float) -> float:
    """Throughput in Mb/s: Yang and Lam's for GAIMD, PFTK for the others."""
    if sender not in GAIMD:
        found = model("pftk", loss=loss, rtt=RTT_S, rto=RTO_S, window_max=1000)
    else:
        beta, relation = GAIMD[sender]
        alpha = 3 * (1 - beta) / (1 + beta) if relation == RELATIONS[0] else 4 * (1 - beta**2) / 3
        found = model("gaimd", loss=loss, rtt=RTT_S, rto=RTO_S, alpha=alpha, beta=beta)
    return float(found["rate_segments_per_s"]) * 8e-3


def along(sender: str) -> Values:
    """Throughput in Mb/s by loss."""
    return values("throughput_mbps", "loss", form=".2f", sender=sender)


def as_closed(senders: Sequence[str], bound: float) -> Predicate:
    """The senders have the throughput of the closed form."""
    forms = {name: along(name) / partial(closed_form, name) - 1 for name in senders}
    off = beside(forms).told("+.0%")
    return near(off, 0, by=bound, in_shape=2 * bound).saying(off)


RARE = {f"β = {beta}": along(f"gaimd {beta} {RELATIONS[0]}") / along("sack") for beta in BETAS}
FRIENDLY = beside(RARE).among(lambda at: at[1] < 2e-3)
TIMEOUT = {beta: first(along(f"gaimd {beta} {RELATIONS[1]}")) / first(along("sack")) for beta in BETAS}
TIMES = beside({f"β = {beta:g}": of for beta, of in TIMEOUT.items()}).told(".2f", name="times SACK's")
OF_EXPECTED = beside({beta: of / (2 * (1 + beta) / 3) for beta, of in TIMEOUT.items()})


def draw(axes: Axes, table: pl.DataFrame) -> None:
    """Simulation over closed form."""
    for sender in SENDERS:
        rows = table.filter(pl.col("sender") == sender).sort("loss")
        ratio = [
            value / closed_form(sender, loss) for loss, value in rows.select("loss", "throughput_mbps").iter_rows()
        ]
        style = "--" if sender.endswith("timeout") else "-"
        axes.plot(rows["loss"], ratio, style, marker="o", markersize=3, linewidth=1.1, label=sender)
    axes.axhline(1.0, color="0.45", linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("loss probability p of a segment")
    axes.set_ylabel("simulation / closed form")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="best", frameon=False, fontsize=7, ncols=2)


experiment = Experiment(
    id="001/relations",
    title="GAIMD, SACK and Reno against their closed forms; friendliness of α(β)",
    source=Source(
        paper="Shihada, Ho and Zhang, TCP-ENG (paper 001); Yang and Lam 2000; Padhye et al. 2000",
        figures="equations (2), (3)",
        section="§III",
    ),
    setup=setup,
    measure=measure,
    metrics=(
        Metric(name="throughput_mbps", label="throughput of a flow (Mb/s)", form=".3f"),
        Metric(name="timeouts_per_loss", label="share of timeouts", form=".3f"),
    ),
    quick=Form(points=grid(sender=SENDERS, loss=QUICK_LOSSES), replications=1, note="3 of 5 losses, one replication"),
    full=Form(points=grid(sender=SENDERS, loss=LOSSES), replications=3),
    claims=(
        Claim(
            id="gaimd",
            whose="ours",
            text="GAIMD has the rate of its closed form",
            where="Yang and Lam 2000",
            expected="the closed form with timeouts of 0.2 s",
            tolerance="within 15 % for all (α, β) and p up to 1e-2; in shape: within 30 %",
            check=as_closed(tuple(GAIMD), 0.15),
            reason="only β = 31/32 with (3) at p = 1e-2 is outside, by 17 %: its window of 16 often loses more than "
            "one segment (2144 repaired in 1766 events, one replication), which are one cut, while the form counts "
            "each: √1.21 = 1.10. And the form takes 7 % off for timeouts, which are 29 of the events. Together 1.18",
        ),
        Claim(
            id="reno",
            whose="ours",
            text="SACK, NewReno and Reno have the rate of PFTK",
            where="Padhye et al. 2000, full model",
            expected="the full model with timeouts of 0.2 s",
            tolerance="within 25 % for p up to 1e-2; in shape: within 50 %",
            check=as_closed(PLAIN, 0.25),
        ),
        Claim(
            id="friendly",
            text="α of (2) makes GAIMD friendly: the throughput of SACK for every β",
            where="§III, eq. (2)",
            expected="1",
            tolerance="within 10 % for p up to 1e-3; in shape: within 25 %",
            check=within(FRIENDLY, 0.9, 1.1, in_shape=(0.75, 1.25)),
        ),
        Claim(
            id="timeout",
            text="α of (3) takes more where losses show in duplicate ACKs",
            where="eqs. (2), (3)",
            expected="2(1 + β)/3 times: 1, 1.17, 1.25, 1.31",
            tolerance="within 10 % of that at p = 1e-4; in shape: within 25 %",
            check=near(OF_EXPECTED, 1, by=0.1, in_shape=0.25).saying(TIMES),
        ),
    ),
    plots=(Plot(name="relations", draw=draw),),
    notes=(
        "Every transmission is lost by itself; PFTK takes losses to be correlated in a round, which matters where a "
        "window loses more than one.",
    ),
)
