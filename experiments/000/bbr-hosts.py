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

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import FORM_NAMES, ROUND_TRIPS, SACK_FORM
from ._slots import METRICS, NONE, ONE, PAPER, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from photocol.experiment import Value

FORMS = (NONE, ONE, TWO, SACK_FORM)
HOSTS: Mapping[str, Mapping[str, Value]] = {
    "cubic": kinds.LINUX_CUBIC,
    "bbr": {"transport.reno.algorithm": "bbr"},
    "bbr3": {"transport.reno.algorithm": "bbr3"},
}
STYLES = {"cubic": ":^", "bbr": "-o", "bbr3": "--s"}


def setup(point: Point) -> Setup:
    """A form of artificial ACKs with hosts of a kind."""
    return kinds.setup(point, HOSTS[str(point["hosts"])])


def over_none(outcome: Outcome, hosts: str, form: str, metric: str) -> list[float]:
    """A metric with a form over that without control, by round trip."""
    return kinds.over_none(kinds.of(outcome, hosts), form, metric)


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
    kinds.draw(axes, table, "goodput_mbps", label="goodput (Mb/s)", forms=FORMS, styles=STYLES)


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
        settings=kinds.QUICK,
        note="two of six round trips, 50 s, one of three replications",
    ),
    full=Form(
        points=grid(hosts=tuple(HOSTS), form=FORMS, rtt_ms=ROUND_TRIPS),
        replications=3,
        settings=kinds.FULL_RUN,
    ),
    claims=(
        Claim(
            id="gain",
            text="DLCC brings hosts with BBR nothing",
            whose="ours",
            where="ours, after §VIII",
            expected="goodput of no control",
            tolerance="at most 1.1 times; in shape: less than the paper's 2",
            check=check_gain,
        ),
        Claim(
            id="losses",
            text="BBR loses more than CUBIC where nobody controls",
            whose="ours",
            where="ours",
            expected="more at every round trip",
            tolerance="so; in shape: at one",
            check=check_losses,
            reason="losses are what UDP's bursts displace from a full link, and while the flows are in ProbeRTT it is "
            "not full: where they never are (bbr_probe_rtt = 1000 s, 60 and 560 ms, 50 s) BBR loses CUBIC's 0.330 Mb/s",
        ),
        Claim(
            id="optical",
            text="DLCC with ACKs that have SACK blocks lowers the losses of BBR hosts",
            whose="ours",
            where="ours, after §VII",
            expected="less",
            tolerance="below 0.9 of it everywhere; in shape: less in most cases",
            check=check_optical,
        ),
        Claim(
            id="goodput",
            text="without control hosts with BBR carry what hosts with CUBIC do",
            whose="ours",
            where="ours",
            expected="ratio 1 or more",
            tolerance="so; in shape: 0.9",
            check=check_goodput,
            reason="ProbeRTT: every 10 s all flows keep four packets in flight for 0.2 s and a round trip. Where they "
            "never do, BBR carries CUBIC's 55.0 Mb/s with 60 and with 560 ms (50 s)",
        ),
    ),
    plots=(Plot(name="goodput", draw=draw_goodput),),
    notes=(
        "CUBIC with recovery linux, BBR with RACK-TLP; no ECN, which BBR does not have. Minimum RTO 0.2 s, as Linux.",
        slots.LOTS,
    ),
)
