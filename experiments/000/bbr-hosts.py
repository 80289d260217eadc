"""DLCC with hosts that run BBR: figures 8 and 9 with a law that answers neither artificial ACKs nor marks by halving.

000/hosts-of-today asks which form of artificial ACKs suits SACK, CUBIC and RACK. BBR does not halve for duplicate ACKs,
and has no ECN; what is left of DLCC's gain?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.experiment import Claim, Experiment, Form, Outcome, Plot, Point, Setup, Source, grid
from photocol.verdict import Finding, judge

from . import _slots as slots
from ._slots import METRICS, NONE, ONE, PAPER, RTTS_MS, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

SACK_FORM = "dlcc-sack"
FORMS = (NONE, ONE, TWO, SACK_FORM)
FORM_NAMES = {NONE: "no control", ONE: "1 control", TWO: "dlcc-paper", SACK_FORM: "dlcc-sack"}
HOSTS: Mapping[str, Mapping[str, Value]] = {
    "cubic": {"transport.reno.algorithm": "cubic", "transport.reno.recovery": "linux"},
    "bbr": {"transport.reno.algorithm": "bbr"},
    "bbr3": {"transport.reno.algorithm": "bbr3"},
}
COLOURS = dict(zip(FORMS, ("#000000", "#56B4E9", "#D55E00", "#009E73"), strict=True))
UDP_PERCENT, ROUND_TRIPS = 30, tuple(rtt for rtt in RTTS_MS if rtt != 500)


def setup(point: Point) -> Setup:
    """A form of artificial ACKs with hosts of a kind."""
    form, hosts = str(point["form"]), str(point["hosts"])
    more = {"switching.dlcc.ops_acks": "dlcc-sack"} if form == SACK_FORM else {}
    keys = {**HOSTS[hosts], "transport.reno.min_rto": "0.2 s", **more}
    return slots.setup(form if form in (NONE, ONE) else TWO, float(point["rtt_ms"]), UDP_PERCENT, keys)


def over_none(outcome: Outcome, hosts: str, form: str, metric: str) -> list[float]:
    """A metric with a form over that without control, by round trip."""
    table = outcome.table.filter(pl.col("hosts") == hosts).sort("rtt_ms")
    with_, without = (table.filter(pl.col("form") == name)[metric].to_list() for name in (form, NONE))
    return [above / below if below else float("inf") for above, below in zip(with_, without, strict=True)]


def check_gain(outcome: Outcome) -> Finding:
    """No form of control brings hosts with BBR a tenth more goodput."""
    best = {
        f"{hosts}, {FORM_NAMES[form]}": max(over_none(outcome, hosts, form, "goodput_mbps"))
        for hosts in ("bbr", "bbr3")
        for form in FORMS[1:]
    }
    return judge(
        agrees=max(best.values()) <= 1.1,
        in_shape=max(best.values()) < 2,
        measured="; ".join(f"{name} at most {ratio:.2f}" for name, ratio in best.items()),
    )


def check_losses(outcome: Outcome) -> Finding:
    """Without control BBR loses more than CUBIC, since it does not give way."""
    table = outcome.table.filter(pl.col("form") == NONE).sort("rtt_ms")
    lost = {hosts: table.filter(pl.col("hosts") == hosts)["loss_mbps"].to_list() for hosts in HOSTS}
    each = [bbr > cubic for bbr, cubic in zip(lost["bbr"], lost["cubic"], strict=True)]
    return judge(
        agrees=all(each),
        in_shape=any(each),
        measured="; ".join(f"{hosts} {slots.listed(values, '.3f')} Mb/s" for hosts, values in lost.items()),
    )


def check_optical(outcome: Outcome) -> Finding:
    """The optical layer's part of DLCC lowers the losses of BBR hosts too."""
    ratio = {hosts: over_none(outcome, hosts, SACK_FORM, "loss_mbps") for hosts in ("bbr", "bbr3")}
    every = [value for values in ratio.values() for value in values]
    return judge(
        agrees=max(every) < 0.9,
        in_shape=sum(value < 1 for value in every) > len(every) / 2,
        measured="; ".join(f"{hosts} {slots.listed(values)}" for hosts, values in ratio.items()),
    )


def check_goodput(outcome: Outcome) -> Finding:
    """Without control hosts with BBR carry at least what hosts with CUBIC do."""
    table = outcome.table.filter(pl.col("form") == NONE).sort("rtt_ms")
    carried = {hosts: table.filter(pl.col("hosts") == hosts)["goodput_mbps"].to_list() for hosts in HOSTS}
    ratio = [bbr / cubic for bbr, cubic in zip(carried["bbr"], carried["cubic"], strict=True)]
    return judge(
        agrees=min(ratio) >= 1,
        in_shape=min(ratio) >= 0.9,
        measured="; ".join(f"{hosts} {slots.listed(values)} Mb/s" for hosts, values in carried.items()),
    )


def draw_goodput(axes: Axes, table: pl.DataFrame) -> None:
    """As figure 8."""
    for hosts, style in zip(HOSTS, (":^", "-o", "--s"), strict=True):
        for form in FORMS:
            rows = table.filter(pl.col("hosts") == hosts, pl.col("form") == form).sort("rtt_ms")
            name = f"{FORM_NAMES[form]}, {hosts}"
            axes.plot(rows["rtt_ms"], rows["goodput_mbps"], style, color=COLOURS[form], markersize=3, label=name)
    axes.set_xlabel("round-trip time (ms)")
    axes.set_ylabel("goodput (Mb/s)")
    axes.grid(visible=True, color="0.9", linewidth=0.6)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=7)


experiment = Experiment(
    id="000/bbr-hosts",
    title="DLCC with BBR, version 1 and 3 (simulation)",
    source=Source(paper=PAPER, figures="as Figures 8 and 9", section="what the paper does not ask"),
    setup=setup,
    measure=slots.measure,
    metrics=METRICS,
    quick=Form(
        points=grid(hosts=tuple(HOSTS), form=(NONE, TWO, SACK_FORM, ONE), rtt_ms=(60, 420)),
        replications=1,
        settings={"run.duration": "100 s", "run.warm_up": "50 s"},
        note="two of six round trips, 50 s, one of three replications",
    ),
    full=Form(
        points=grid(hosts=tuple(HOSTS), form=FORMS, rtt_ms=ROUND_TRIPS),
        replications=3,
        settings={"run.duration": "2677 s", "run.warm_up": "100 s"},
    ),
    claims=(
        Claim(
            id="gain",
            text="DLCC brings hosts with BBR nothing",
            where="ours, after §VIII",
            expected="goodput of no control",
            tolerance="at most 1.1 times; in shape: less than the paper's 2",
            check=check_gain,
        ),
        Claim(
            id="losses",
            text="BBR loses more than CUBIC where nobody controls",
            where="ours",
            expected="more at every round trip",
            tolerance="so; in shape: at one",
            check=check_losses,
        ),
        Claim(
            id="optical",
            text="DLCC with ACKs that have SACK blocks lowers the losses of BBR hosts",
            where="ours, after §VII",
            expected="less",
            tolerance="below 0.9 of it everywhere; in shape: less in most cases",
            check=check_optical,
        ),
        Claim(
            id="goodput",
            text="without control hosts with BBR carry what hosts with CUBIC do",
            where="ours",
            expected="ratio 1 or more",
            tolerance="so; in shape: 0.9",
            check=check_goodput,
        ),
    ),
    plots=(Plot(name="goodput", draw=draw_goodput),),
    notes=(
        "CUBIC with recovery linux, BBR with RACK-TLP; no ECN, which BBR does not have. Minimum RTO 0.2 s, as Linux.",
    ),
)
