"""Paper 000, figures 3, 4 and 6: 10 000 TCP flows that halve one by one beside UDP whose rate jumps (analysis).

Loss rate, loss per period and edge buffer from the equations of §V.F, in the printed and the corrected reading.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from photocol.experiment import Claim, Metric, Outcome, Plot
from photocol.verdict import Finding, judge

from . import _dlcc as dlcc
from ._dlcc import CONTROLS, CORRECTED, PRINTED, SHARES, curves

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_flat(outcome: Outcome) -> Finding:
    """The loss rate hardly depends on the round-trip time."""
    spread = {
        share: max(rates) / min(rates)
        for share, rates in curves(outcome.table, CORRECTED, "loss_rate_per_duration").items()
    }
    per_rtt = {
        share: rates[-1] / rates[0] for share, rates in curves(outcome.table, CORRECTED, "loss_rate_per_rtt").items()
    }
    return judge(
        agrees=max(spread.values()) <= 1.1,
        in_shape=max(spread.values()) <= 2,
        measured=f"divided by the duration of congestion it varies by a factor of {_listed(spread)}; divided by 2T "
        f"it grows by a factor of {_listed(per_rtt)}",
    )


def check_control(outcome: Outcome) -> Finding:
    """Control gains more than six here, and the more the longer the round trip and the larger R."""
    ratios = {share: _ratios(outcome, share) for share in SHARES}
    lowest = min(min(one) for one in ratios.values())
    grows = all(b > a for one in ratios.values() for a, b in itertools.pairwise(one))
    ordered = all(a < b for low, high in itertools.pairwise(SHARES) for a, b in _pairs(ratios, low, high))
    return judge(
        agrees=lowest >= 6 and grows and ordered,
        in_shape=lowest >= 6,
        measured=f"the loss without control is {lowest:.2f} to {max(map(max, ratios.values())):.2f} times that with; "
        f"it {'grows' if grows else 'does not always grow'} with the round trip and "
        f"{'grows' if ordered else 'does not always grow'} with R",
    )


def describe(outcome: Outcome) -> list[str]:
    """How far the readings are apart."""
    corrected, printed = (
        curves(outcome.table, reading, "loss_per_change_packets")[0.3] for reading in (CORRECTED, PRINTED)
    )
    return [
        f"As printed, the loss per period at R = 0.3 is {printed[0] / corrected[0]:.2f} (60 ms) to "
        f"{printed[-1] / corrected[-1]:.2f} (560 ms) of the corrected value."
    ]


def _ratios(outcome: Outcome, share: float) -> list[float]:
    without, with_ = (
        curves(outcome.table, CORRECTED, f"loss_per_change{name}_packets")[share] for name in ("", "_dlcc")
    )
    return [a / b for a, b in zip(without, with_, strict=True)]


def _pairs(ratios: Mapping[float, list[float]], low: float, high: float) -> list[tuple[float, float]]:
    return list(zip(ratios[low], ratios[high], strict=True))


def _listed(factors: Mapping[float, float]) -> str:
    return ", ".join(f"{factor:.2f} (R = {share})" for share, factor in factors.items())


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
            check=check_flat,
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
            check=check_control,
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
