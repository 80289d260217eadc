"""DLCC with hosts that run BBR: figures 8 and 9 with a law that answers neither artificial ACKs nor marks by halving.

000/hosts-of-today asks which form of artificial ACKs suits SACK, CUBIC and RACK. BBR does not halve for duplicate ACKs,
and has no ECN; what is left of DLCC's gain?

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from photocol.claims import MOSTLY, SOMEWHERE, Values, above, at_least, at_most, below, beside, values
from photocol.experiment import Claim, Experiment, Form, Plot, Point, Setup, Source, grid

from . import _hosts as kinds
from . import _slots as slots
from ._hosts import FORM_NAMES, ROUND_TRIPS, SACK_FORM
from ._slots import METRICS, NONE, ONE, PAPER, TWO

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def without(metric: str, form: str, hosts: str) -> Values:
    """A metric without control by round trip."""
    rows = (pl.col("form") == NONE) & (pl.col("hosts") == hosts)
    found = Values(lambda outcome: values(metric, "rtt_ms").read(slots.where(outcome, rows)))
    return found.told(form, " Mb/s", hosts)


LOST = {hosts: without("loss_mbps", ".3f", hosts) for hosts in HOSTS}
CARRIED = {hosts: without("goodput_mbps", ".2f", hosts) for hosts in HOSTS}


def of_bbr(form: str, metric: str) -> Values:
    """A metric with a form over that without control, of hosts with BBR by round trip."""
    return kinds.over_none(form, metric, "hosts", "rtt_ms").among(lambda at: at[0] != "cubic")


GAINS = beside({FORM_NAMES[form]: of_bbr(form, "goodput_mbps") for form in FORMS[1:]})

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
            check=at_most(GAINS, 1.1, in_shape=below(GAINS, 2)),
        ),
        Claim(
            id="losses",
            text="BBR loses more than CUBIC where nobody controls",
            whose="ours",
            where="ours",
            expected="more at every round trip",
            tolerance="so; in shape: at one",
            check=above(LOST["bbr"], LOST["cubic"], in_shape=SOMEWHERE).saying(*LOST.values()),
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
            check=below(of_bbr(SACK_FORM, "loss_mbps"), 0.9, in_shape=MOSTLY(1)),
        ),
        Claim(
            id="goodput",
            text="without control hosts with BBR carry what hosts with CUBIC do",
            whose="ours",
            where="ours",
            expected="ratio 1 or more",
            tolerance="so; in shape: 0.9",
            check=at_least(CARRIED["bbr"] / CARRIED["cubic"], 1, in_shape=0.9).saying(*CARRIED.values()),
            reason="ProbeRTT: every 10 s all flows keep four packets in flight for 0.2 s and a round trip. Where they "
            "never do, BBR carries CUBIC's 55.0 Mb/s with 60 and with 560 ms (50 s)",
        ),
    ),
    plots=(Plot(name="goodput", draw=kinds.picture("goodput_mbps", "goodput (Mb/s)", STYLES, FORMS)),),
    notes=(
        "CUBIC with recovery linux, BBR with RACK-TLP; no ECN, which BBR does not have. Minimum RTO 0.2 s, as Linux.",
        slots.LOTS,
    ),
)
