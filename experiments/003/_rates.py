"""What paper 003 says of flow #1's rate and window, and of control intervals, in case 1.

The expected values and tolerances below were committed before the first run in which they were measured.
"""

from __future__ import annotations

from photocol.claims import Predicate, Values, at_least, at_most, below, beside, near, rises, within
from photocol.experiment import Claim

from ._aapn import PHYSICAL, TOLD, XCP, XCP_CL
from ._case_claims import Said, alive, twice, under_steps
from ._stated import figure

FAIR_KBS, SHORT_KBS = 56.25, 50.0
LEAST_KBS, GREATEST_KBS = 2.0, 105.0
DIP_KBS, PEAK_KBS = 37.0, 68.0
INTERVALS_S = (0.28, 0.36, 0.30)
RIPPLE_KBS = 0.1 * FAIR_KBS
"""A ripple of a tenth of the share is still one in shape."""


def _xcp(metric: str, form: str = ".1f", unit: str = " kB/s") -> Values:
    """A metric of original XCP with the physical step."""
    return figure(metric, XCP, PHYSICAL, form, unit)


LEAST, GREATEST, RIPPLE = _xcp("rate_2_least"), _xcp("rate_2_greatest"), _xcp("ripple_1", ".2f")
EARLY_S, EARLY = _xcp("early_peak_at_s", ".1f", " s"), _xcp("early_peak", ".3f", " of the later mean")
INTERVALS = beside({n: figure(f"interval_{n}_s", XCP_CL, TOLD, ".3f", " s") for n in (1, 2, 3)})
OUTSIDE = (figure("ripple_1", XCP_CL, TOLD) + figure("ripple_3", XCP_CL, TOLD)) * 0.5
OUTSIDE, IN_STEP = OUTSIDE.told(".2f", " kB/s outside the step"), figure("ripple_2", XCP_CL, TOLD, ".2f", " kB/s")


def _smoothed(of: str, step: str) -> Values:
    return figure(f"smoothed_{of}", XCP_CL, step, ".1f", " kB/s", "by smoothed round trips")


def dip(step: str) -> Predicate:
    """37 kB/s in a link that is not left empty."""
    rate = figure("rate_dip", XCP_CL, step, ".1f", " kB/s")
    found = near(rate / DIP_KBS, 1, by=0.15) & alive(step)
    return found.in_shape(at_most(rate, 0.9 * SHORT_KBS) & alive(step)).saying(rate, _smoothed("dip", step))


def peak(step: str) -> Predicate:
    """68 kB/s in a link that is not left empty."""
    rate = figure("rate_peak", XCP_CL, step, ".1f", " kB/s")
    above_share = at_least(rate, 1.1 * FAIR_KBS) & alive(step)
    found = near(rate / PEAK_KBS, 1, by=0.15) & above_share
    return found.in_shape(above_share).saying(rate, _smoothed("peak", step))


def _claim(name: str, text: str, where: str, number: str, bounds: str, check: Predicate) -> Claim:
    return Claim(
        id=name, text=text, where=where, expected=number, tolerance=bounds, check=check, reason=REASONS.get(name, "")
    )


REASONS: dict[str, str] = {
    "ripple-xcp": "it is calmer still",
    "ripple-xcp-cl": "it is calmer. Before the step the two algorithms are one, so that the paper's 1 and 3 kB/s "
    "cannot both be what the algorithm does",
    "ripple-step": "not explained: under each reading of the ways back (0.5 to 1.2 kB/s in the step, 0.3 to 0.6 "
    "outside) the rate is calmer outside the step",
    "early-peak": "the window settles in the first seconds. In ns-2 timers expire falsely during the start, which "
    "takes some 20 s (docs/validation/xcp.md); that this is the peak has not been shown",
}
"""Known after the first run."""

WHERE = "§5.1.2, Fig. 5.10"
CLAIMS = (
    _claim(
        "rates",
        "original XCP's rate of flow #1 in the step has extremes far apart",
        "§5.1.1, Fig. 5.3",
        "2 to 105 kB/s",
        "each within a factor of 2; in shape: below half of the share and above 1.5 of it",
        (twice(LEAST, LEAST_KBS) & twice(GREATEST, GREATEST_KBS)).in_shape(
            at_most(LEAST, 0.5 * SHORT_KBS) & at_least(GREATEST, 1.5 * SHORT_KBS)
        ),
    ),
    Claim(
        id="intervals",
        text="the way back, computed from the control intervals, gives them back",
        whose="ours",
        where="§6.4",
        expected="0.28, 0.36, 0.30 s",
        tolerance="±0.01 s each, XCP-CL told; in shape: their order",
        check=near(INTERVALS, dict(enumerate(INTERVALS_S, 1)), by=0.01, in_shape=rises(INTERVALS.at(1, 3, 2))),
    ),
    *under_steps(
        Said(
            "rate-dip",
            "XCP-CL's rate of flow #1 dips at 200 s",
            "37 kB/s",
            "15 %, with a link that is at least 0.9 full in the step; in shape: below 0.9 of the share of the step",
            dip,
        ),
        WHERE,
    ),
    *under_steps(
        Said(
            "rate-peak",
            "XCP-CL's rate of flow #1 peaks at 400 s",
            "68 kB/s",
            "15 % and above 1.1 of the share, with a link that is at least 0.9 full in the step; in shape: above that",
            peak,
        ),
        WHERE,
    ),
    _claim(
        "early-peak",
        "the window of flow #1 has a small peak soon after the start",
        "§5.1.1, §5.1.2, Figs. 5.1, 5.8",
        "at 8 s, small",
        "greatest of 30 s at 6 to 10 s, 1.03 to 1.5 of the later mean; in shape: 1.03 of it at any time",
        (within(EARLY_S, 6, 10) & within(EARLY, 1.03, 1.5)).in_shape(at_least(EARLY, 1.03)),
    ),
    _claim(
        "ripple-xcp",
        "before the step original XCP's rate of flow #1 hardly fluctuates",
        "§5.1.1, Figs. 5.3, 5.4",
        "about 1 kB/s",
        "half of the band of 95 % of the samples, within a factor of 2; in shape: a tenth of the share",
        twice(RIPPLE, 1.0).in_shape(at_most(RIPPLE, RIPPLE_KBS)),
    ),
    _claim(
        "ripple-xcp-cl",
        "before and after the step XCP-CL's rate of flow #1 fluctuates a little",
        "§5.1.2, Figs. 5.10, 5.11",
        "3 kB/s (before the step both algorithms are the same: the paper has 1 kB/s for the other)",
        "half of the band of 95 % of the samples, told, within a factor of 2; in shape: a tenth of the share",
        twice(OUTSIDE, 3.0).in_shape(at_most(OUTSIDE, RIPPLE_KBS)),
    ),
    _claim(
        "ripple-step",
        "and less in the step",
        "§5.1.2, Figs. 5.10, 5.11",
        "2 kB/s",
        "the same, and less than outside the step; in shape: less than outside",
        (twice(IN_STEP, 2.0) & below(IN_STEP, OUTSIDE)).in_shape(below(IN_STEP, OUTSIDE)).saying(IN_STEP, OUTSIDE),
    ),
)
