"""Paper 000, figures 3, 4 and 6: 10 000 TCP flows that halve one by one beside UDP whose rate jumps (analysis).

Loss rate, loss per period and edge buffer from the equations of §V.F, in the printed and the corrected reading.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from photocol.claims import Values, at_least, at_most, beside, first, last, least, most, rises
from photocol.experiment import Claim, Metric, Outcome, Plot

from . import _dlcc as dlcc
from ._dlcc import CONTROLS, CORRECTED, PRINTED, RTTS_MS, SHARES, curves

if TYPE_CHECKING:
    from collections.abc import Mapping


def by_share(metric: str) -> dict[float, Values]:
    """A metric in the corrected reading along the round trips, by share."""
    return {share: dlcc.along(metric, share) for share in SHARES}


def named(found: Mapping[float, Values], name: str) -> Values:
    """A number for each share."""
    return beside({f"R = {share}": one for share, one in found.items()}).told(".2f", name=name)


VARIES = named(
    {share: most(one) / least(one) for share, one in by_share("loss_rate_per_duration").items()},
    "divided by the duration of congestion it varies by a factor of",
)
GROWS = named(
    {share: last(one) / first(one) for share, one in by_share("loss_rate_per_rtt").items()},
    "divided by 2T it grows by a factor of",
)
PLAIN, CONTROLLED = by_share("loss_per_change_packets"), by_share("loss_per_change_dlcc_packets")
GAINS = {share: PLAIN[share] / CONTROLLED[share] for share in SHARES}
AT_ONCE = [named({share: gain.at(rtt_ms) for share, gain in GAINS.items()}, "") for rtt_ms in RTTS_MS]
GAIN = named(GAINS, "the loss without control over that with")
GROWING = reduce(and_, map(rises, (*GAINS.values(), *AT_ONCE)))
"""With the round trip at every share, and with the share at every round trip."""


def describe(outcome: Outcome) -> list[str]:
    """How far the readings are apart."""
    corrected, printed = (
        curves(outcome.table, reading, "loss_per_change_packets")[0.3] for reading in (CORRECTED, PRINTED)
    )
    return [
        f"As printed, the loss per period at R = 0.3 is {printed[0] / corrected[0]:.2f} (60 ms) to "
        f"{printed[-1] / corrected[-1]:.2f} (560 ms) of the corrected value."
    ]


METRICS = (
    Metric(name="loss_rate_per_duration", label="loss rate in congestion without", form=".4f"),
    Metric(name="loss_rate_per_duration_dlcc", label="with DLCC", form=".5f"),
    Metric(name="loss_rate_per_rtt", label="P_L of (2) without", form=".4f"),
    Metric(name="loss_rate_per_rtt_dlcc", label="with DLCC", form=".5f"),
    Metric(name="loss_per_change_packets", label="loss per period without (packets)", form=".0f"),
    Metric(name="loss_per_change_dlcc_packets", label="with DLCC (packets)", form=".0f"),
    Metric(name="edge_buffer_one_control_packets", label="edge buffer, 1 control (packets)", form=".0f"),
    Metric(name="edge_buffer_two_controls_packets", label="2 controls (packets)", form=".0f"),
)

experiment = dlcc.analysis(
    "000/many-flows",
    "DLCC with 10 000 flows that halve one by one: loss and edge buffer (analysis)",
    "Figures 3, 4 and 6",
    model="dlcc-unsynchronized",
    inputs={"flows": 10_000},
    metrics=METRICS,
    claims=(
        Claim(
            id="flat-in-rtt",
            text="the loss rate is virtually unaffected by the round-trip time",
            where="§VI, Fig. 3",
            expected="flat",
            tolerance="divided by the duration of congestion it varies by at most 10 % for each R; in shape: by at "
            "most a factor of 2, while the round-trip time varies by 9.3",
            check=at_most(VARIES, 1.1, in_shape=2).telling(GROWS),
            reason="the overload falls while flows halve, so its mean falls from r towards r/2 as congestion lasts "
            "longer; with the overload constant, as printed, the rate is flat and exactly 6 times that with control",
        ),
        dlcc.grows_with_r("Fig. 3", "loss_rate_per_duration", 1.2, ".4f", "at least a fifth more"),
        Claim(
            id="control",
            text="control is superior, especially for 10 000 flows that halve one by one",
            where="§VI, Figs. 3 and 4",
            expected="a ratio of at least 6, growing with the round-trip time and R",
            tolerance="all of it for the loss per period; in shape: at least 6 everywhere",
            check=(at_least(GAIN, 6) & GROWING).in_shape(at_least(GAIN, 6)).saying(GAIN),
        ),
        dlcc.edge_buffer("Fig. 6"),
    ),
    plots=(
        Plot(
            name="figure-3",
            draw=dlcc.lines(
                {"loss_rate_per_duration": "-", "loss_rate_per_duration_dlcc": "--"},
                "loss rate during congestion",
                CONTROLS,
            ),
        ),
        Plot(
            name="figure-3-per-rtt",
            draw=dlcc.lines(
                {"loss_rate_per_rtt": "-", "loss_rate_per_rtt_dlcc": "--"}, "P_L of (2), divided by 2T", CONTROLS
            ),
        ),
        Plot(
            name="figure-4",
            draw=dlcc.lines(
                {"loss_per_change_packets": "-", "loss_per_change_dlcc_packets": "--"},
                "lost optical packets per period",
                CONTROLS,
            ),
        ),
        Plot(
            name="figure-6",
            draw=dlcc.lines(
                dlcc.BUFFERS,
                "extra edge buffer (packets)",
                "solid: 1 control, dashed: 2 controls (both readings coincide)",
            ),
        ),
    ),
    describe=describe,
    notes=(
        "The paper divides a loss that lasts D by 2T; divided by D it is a rate. Both are in the table.",
        "T0 = T3 is assumed, so T0 = T/3 and T1 = T/6.",
    ),
)
