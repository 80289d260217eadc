"""What paper 003 says of flow #1's rate and window, and of control intervals, in case 1.

The expected values and tolerances below were committed before the first run in which they were measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Outcome
from photocol.verdict import Finding, judge

from ._aapn import PHYSICAL, TOLD, XCP, XCP_CL, listed
from ._stated import row_of

if TYPE_CHECKING:
    from collections.abc import Callable

FAIR_KBS, SHORT_KBS = 56.25, 50.0
LEAST_KBS, GREATEST_KBS = 2.0, 105.0
DIP_KBS, PEAK_KBS = 37.0, 68.0
INTERVALS_S = (0.28, 0.36, 0.30)
RIPPLE_KBS = 0.1 * FAIR_KBS
"""A ripple of a tenth of the share is still one in shape."""


def _check_range(outcome: Outcome) -> Finding:
    row = row_of(outcome, XCP, PHYSICAL)
    least, greatest = row["rate_2_least"], row["rate_2_greatest"]
    return judge(
        agrees=_within_factor(least, LEAST_KBS) and _within_factor(greatest, GREATEST_KBS),
        in_shape=least <= 0.5 * SHORT_KBS and greatest >= 1.5 * SHORT_KBS,
        measured=f"{least:.1f} to {greatest:.1f} kB/s",
    )


def _check_intervals(outcome: Outcome) -> Finding:
    row = row_of(outcome, XCP_CL, TOLD)
    ours = [row[f"interval_{period}_s"] for period in (1, 2, 3)]
    return judge(
        agrees=all(abs(a - b) <= 0.01 for a, b in zip(ours, INTERVALS_S, strict=True)),
        in_shape=ours[0] < ours[2] < ours[1],
        measured=f"{listed(ours, '.3f')} s",
    )


def _check_dip(outcome: Outcome) -> Finding:
    rows = {step: row_of(outcome, XCP_CL, step) for step in (TOLD, PHYSICAL)}
    dips = {step: row["rate_dip"] for step, row in rows.items()}
    return judge(
        agrees=any(abs(dip / DIP_KBS - 1) <= 0.15 for dip in dips.values()),
        in_shape=dips[TOLD] <= 0.9 * SHORT_KBS,
        measured="; ".join(f"{step}: {dip:.1f} kB/s" for step, dip in dips.items())
        + f" (told, by measured instead of smoothed round trips: {rows[TOLD]['unsmoothed_dip']:.1f})",
    )


def _check_peak(outcome: Outcome) -> Finding:
    rows = {step: row_of(outcome, XCP_CL, step) for step in (TOLD, PHYSICAL)}
    peaks = {step: row["rate_peak"] for step, row in rows.items()}
    return judge(
        agrees=any(abs(peak / PEAK_KBS - 1) <= 0.15 and peak >= 1.1 * FAIR_KBS for peak in peaks.values()),
        in_shape=peaks[TOLD] >= 1.1 * FAIR_KBS,
        measured="; ".join(f"{step}: {peak:.1f} kB/s" for step, peak in peaks.items())
        + f" (told, by measured instead of smoothed round trips: {rows[TOLD]['unsmoothed_peak']:.1f})",
    )


def _check_early_peak(outcome: Outcome) -> Finding:
    row = row_of(outcome, XCP, PHYSICAL)
    at, height = row["early_peak_at_s"], row["early_peak"]
    return judge(
        agrees=6 <= at <= 10 and 1.03 <= height <= 1.5,
        in_shape=height >= 1.03,
        measured=f"at {at:.1f} s, {height:.3f} of the later mean",
    )


def _check_ripple_xcp(outcome: Outcome) -> Finding:
    ripple = row_of(outcome, XCP, PHYSICAL)["ripple_1"]
    return judge(
        agrees=_within_factor(ripple, 1.0),
        in_shape=ripple <= RIPPLE_KBS,
        measured=f"{ripple:.2f} kB/s",
    )


def _check_ripple_cl(outcome: Outcome) -> Finding:
    apart, _ = _ripples(outcome)
    return judge(agrees=_within_factor(apart, 3.0), in_shape=apart <= RIPPLE_KBS, measured=f"{apart:.2f} kB/s")


def _check_ripple_step(outcome: Outcome) -> Finding:
    apart, step = _ripples(outcome)
    return judge(
        agrees=_within_factor(step, 2.0) and step < apart,
        in_shape=step < apart,
        measured=f"{step:.2f} kB/s, {apart:.2f} outside the step",
    )


def _ripples(outcome: Outcome) -> tuple[float, float]:
    """XCP-CL's outside the step and in it, told."""
    row = row_of(outcome, XCP_CL, TOLD)
    return (row["ripple_1"] + row["ripple_3"]) / 2, row["ripple_2"]


def _within_factor(value: float, expected: float) -> bool:
    return expected / 2 <= value <= 2 * expected


def _claim(name: str, text: str, where: str, number: str, bounds: str, check: Callable[[Outcome], Finding]) -> Claim:
    reason = REASONS.get(name, "")
    return Claim(id=name, text=text, where=where, expected=number, tolerance=bounds, check=check, reason=reason)


OWN_ROUND_TRIP = (
    "what the rate does there depends on flow #1's own round trip and on how it is smoothed. By measured round trips "
    "and with the returns that its windows leave (`groups`) it is 35 kB/s at 200 s and 78 at 400 s, within 15 % of the "
    "paper's"
)
REASONS: dict[str, str] = {
    "rate-dip": OWN_ROUND_TRIP,
    "rate-peak": OWN_ROUND_TRIP,
    "ripple-xcp": "it is calmer still",
    "ripple-xcp-cl": "it is calmer. Before the step the two algorithms are one, so that the paper's 1 and 3 kB/s "
    "cannot both be what the algorithm does",
    "early-peak": "the window settles in the first seconds. In ns-2 timers expire falsely during the start, which "
    "takes some 20 s (docs/validation/xcp.md); that this is the peak has not been shown",
}
"""Known after the first run."""

CLAIMS = (
    _claim(
        "rates",
        "original XCP's rate of flow #1 in the step has extremes far apart",
        "§5.1.1, Fig. 5.3",
        "2 to 105 kB/s",
        "each within a factor of 2; in shape: below half of the share and above 1.5 of it",
        _check_range,
    ),
    _claim(
        "intervals",
        "the control interval is the mean round trip in each period",
        "§6.4",
        "0.28, 0.36, 0.30 s",
        "±0.01 s each, XCP-CL told; in shape: their order",
        _check_intervals,
    ),
    _claim(
        "rate-dip",
        "XCP-CL's rate of flow #1 dips at 200 s",
        "§5.1.2, Fig. 5.10",
        "37 kB/s",
        "15 % in one reading of the step; in shape: below 0.9 of the share of the step, told",
        _check_dip,
    ),
    _claim(
        "rate-peak",
        "XCP-CL's rate of flow #1 peaks at 400 s",
        "§5.1.2, Fig. 5.10",
        "68 kB/s",
        "15 % in one reading of the step, and above 1.1 of the share; in shape: above that, told",
        _check_peak,
    ),
    _claim(
        "early-peak",
        "the window of flow #1 has a small peak soon after the start",
        "§5.1.1, §5.1.2, Figs. 5.1, 5.8",
        "at 8 s, small",
        "greatest of 30 s at 6 to 10 s, 1.03 to 1.5 of the later mean; in shape: 1.03 of it at any time",
        _check_early_peak,
    ),
    _claim(
        "ripple-xcp",
        "before the step original XCP's rate of flow #1 hardly fluctuates",
        "§5.1.1, Figs. 5.3, 5.4",
        "about 1 kB/s",
        "half of the band of 95 % of the samples, within a factor of 2; in shape: a tenth of the share",
        _check_ripple_xcp,
    ),
    _claim(
        "ripple-xcp-cl",
        "before and after the step XCP-CL's rate of flow #1 fluctuates a little",
        "§5.1.2, Figs. 5.10, 5.11",
        "3 kB/s (before the step both algorithms are the same: the paper has 1 kB/s for the other)",
        "half of the band of 95 % of the samples, told, within a factor of 2; in shape: a tenth of the share",
        _check_ripple_cl,
    ),
    _claim(
        "ripple-step",
        "and less in the step",
        "§5.1.2, Figs. 5.10, 5.11",
        "2 kB/s",
        "the same, and less than outside the step; in shape: less than outside",
        _check_ripple_step,
    ),
)
