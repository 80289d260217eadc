"""What paper 003 says of all its three cases, as claims.

The expected values and tolerances below were committed before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from photocol.experiment import Claim, Outcome
from photocol.verdict import Finding, judge

from ._aapn import MIXED_READINGS, OTHER_ROUND_TRIPS, PACKET, PHYSICAL, TOLD, XCP, XCP_CL, listed
from ._readings import reading_of, round_trip_s
from ._stated import row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._stated import Stated

REASONS = {
    "stays-full": MIXED_READINGS,
    "empty": MIXED_READINGS,
    "fair-rate": MIXED_READINGS,
    "fairness": MIXED_READINGS,
    "windows": OTHER_ROUND_TRIPS,
    "swing": "windows are sampled every 0.3 s, so also while a flow waits for its timer with a window of one packet; "
    "the paper samples them at ACKs, where such a flow has none",
    "dips": "samples of 0.3 s see deeper than the paper's, which are as long as the longest round trip (0.58 s)",
    "recovers": "it settles sooner. In ns-2 a minimum RTO of 0.2 s lets timers expire for nothing while queues move, "
    "which costs some 20 s after each change (docs/validation/xcp.md)",
    "settles": "it settles sooner. In ns-2 a minimum RTO of 0.2 s lets timers expire for nothing while queues move, "
    "which costs some 20 s after each change (docs/validation/xcp.md)",
}
"""Known after the first runs; a case may have others."""


def _check_full(stated: Stated, outcome: Outcome) -> Finding:
    found = [row_of(outcome, algorithm, PHYSICAL) for algorithm in (XCP, XCP_CL)]
    levels, times = [row["utilization_1"] for row in found], [row["full_after_s"] for row in found]
    return judge(
        agrees=min(levels) >= 0.97 and max(times) <= 2 * max(3.0, stated.cl_full_s),
        in_shape=min(levels) >= 0.9,
        measured=f"XCP {levels[0]:.3f}, above 0.95 from {times[0]:.1f} s; XCP-CL {levels[1]:.3f}, {times[1]:.1f} s",
    )


def _check_collapse(stated: Stated, outcome: Outcome) -> Finding:
    level, other = (row_of(outcome, algorithm, PHYSICAL)["utilization_2"] for algorithm in (XCP, XCP_CL))
    return judge(
        agrees=abs(level - stated.xcp_utilization) <= 0.1,
        in_shape=level <= 0.8 * other,
        measured=f"{level:.3f} (XCP-CL: {other:.3f})",
    )


def _check_stays(outcome: Outcome) -> Finding:
    levels = {step: row_of(outcome, XCP_CL, step)["utilization_2"] for step in (PHYSICAL, TOLD)}
    return judge(
        agrees=min(levels.values()) >= 0.97,
        in_shape=max(levels.values()) >= 0.97 or min(levels.values()) >= 0.9,
        measured="; ".join(f"{step}: {level:.3f}" for step, level in levels.items()),
    )


def _check_empty(outcome: Outcome) -> Finding:
    """Zero queue and zero drops: which reading gives both?"""
    found = {step: row_of(outcome, XCP_CL, step) for step in (PHYSICAL, TOLD)}
    drops = {step: sum(row[f"drops_{period}"] for period in (1, 2, 3)) for step, row in found.items()}
    queues = {step: row["queue_2"] for step, row in found.items()}
    zero = [step for step in found if drops[step] == 0 and queues[step] < 0.005]
    return judge(
        agrees=PHYSICAL in zero,
        in_shape=bool(zero),
        measured="; ".join(f"{step}: {drops[step]:.0f} drops, {queues[step]:.3f} packets wait" for step in found),
    )


def _check_fair_rate(stated: Stated, outcome: Outcome) -> Finding:
    fair = stated.fair_kbs
    off = {}
    for step in (PHYSICAL, TOLD):
        row = row_of(outcome, XCP_CL, step)
        off[step] = [row[f"rate_{period + 1}"] / fair[period] for period in range(3)]
    worst = {step: max(abs(one - 1) for one in ratios) for step, ratios in off.items()}
    return judge(
        agrees=max(worst.values()) <= 0.05,
        in_shape=min(worst.values()) <= 0.05 or max(worst.values()) <= 0.15,
        measured="; ".join(
            f"{step}: {listed([ratio * share for ratio, share in zip(ratios, fair, strict=True)], '.1f')} kB/s"
            for step, ratios in off.items()
        ),
    )


def _check_windows(stated: Stated, outcome: Outcome) -> Finding:
    rows = [row_of(outcome, XCP_CL, step) for step in (PHYSICAL, TOLD)]
    ours = [[row[f"window_{period}"] for period in (1, 2, 3)] for row in rows]
    fits = [all(abs(a / b - 1) <= 0.1 for a, b in zip(one, stated.cl_windows, strict=True)) for one in ours]
    trips = [round_trip_s(reading_of(outcome), 0, period) for period in range(3)]
    expected = [rate * 1e3 * trip / PACKET for rate, trip in zip(stated.fair_kbs, trips, strict=True)]
    near = [all(abs(a / b - 1) <= 0.15 for a, b in zip(one, expected, strict=True)) for one in ours]
    return judge(
        agrees=any(fits),
        in_shape=any(near) and all(one[0] < one[2] < one[1] for one in ours),
        measured=f"physical {listed(ours[0], '.1f')}; told {listed(ours[1], '.1f')}; the shares times our round trips "
        f"are {listed(expected, '.1f')}",
    )


def _check_swing(stated: Stated, outcome: Outcome) -> Finding:
    swings = {}
    for algorithm in (XCP, XCP_CL):
        row = row_of(outcome, algorithm, PHYSICAL)
        swings[algorithm] = (row["window_2_least"], row["window_2_greatest"])
    ratios = {algorithm: high / low for algorithm, (low, high) in swings.items()}
    expected = stated.xcp_swing[1] / stated.xcp_swing[0]
    return judge(
        agrees=expected / 2 <= ratios[XCP] <= 2 * expected,
        in_shape=ratios[XCP] >= 2 and ratios[XCP] >= 2 * ratios[XCP_CL],
        measured=f"XCP {swings[XCP][0]:.0f} to {swings[XCP][1]:.0f} packets, XCP-CL {swings[XCP_CL][0]:.0f} to "
        f"{swings[XCP_CL][1]:.0f}",
    )


def _check_dips(stated: Stated, outcome: Outcome) -> Finding:
    found = {step: [row_of(outcome, XCP_CL, step)[name] for name in DIPS] for step in (PHYSICAL, TOLD)}
    near = [all(abs(a - b) <= 0.1 for a, b in zip(dips, stated.cl_dips, strict=True)) for dips in found.values()]
    return judge(
        agrees=any(near),
        in_shape=any(dips[0] < dips[1] < 0.99 for dips in found.values()),
        measured="; ".join(f"{step}: {listed(dips, '.2f')}" for step, dips in found.items()),
    )


DIPS = ("dip_1_to_2", "dip_2_to_3")


def _check_recovers(stated: Stated, outcome: Outcome) -> Finding:
    row = row_of(outcome, XCP, PHYSICAL)
    return judge(
        agrees=row["utilization_3"] >= 0.97 and abs(row["settles_3_s"] - stated.xcp_settles_s) <= 10,
        in_shape=row["utilization_3"] >= 0.97,
        measured=f"utilization {row['utilization_3']:.3f}; the window settles after {row['settles_3_s']:.1f} s",
    )


def _check_settles(stated: Stated, outcome: Outcome) -> Finding:
    found = {step: [row_of(outcome, XCP_CL, step)[f"settles_{n}_s"] for n in (2, 3)] for step in (PHYSICAL, TOLD)}
    near = [all(abs(a - b) <= 10 for a, b in zip(one, stated.cl_settles_s, strict=True)) for one in found.values()]
    return judge(
        agrees=any(near),
        in_shape=any(max(one) <= 2 * max(stated.cl_settles_s) for one in found.values()),
        measured="; ".join(f"{step}: {listed(one, '.1f')} s" for step, one in found.items()),
    )


def _check_fairness(outcome: Outcome) -> Finding:
    xcp = row_of(outcome, XCP, PHYSICAL)["unfairness_2"]
    real, told = (row_of(outcome, XCP_CL, step)["unfairness_2"] for step in (PHYSICAL, TOLD))
    return judge(
        agrees=max(real, told) <= 0.05 and xcp >= 2 * max(real, told),
        in_shape=min(real, told) <= 0.05 and xcp >= 2 * min(real, told),
        measured=f"XCP {xcp:.3f}; XCP-CL {real:.3f} (physical), {told:.3f} (told)",
    )


def _check_table(outcome: Outcome) -> Finding:
    """The cells of table 5.3: each figure on the side of its limit that the paper says."""
    worse = _cells(outcome, XCP, PHYSICAL)
    better = {step: _cells(outcome, XCP_CL, step) for step in (PHYSICAL, TOLD)}
    bad = not any(worse.values())
    good = [step for step, cells in better.items() if all(cells.values())]
    return judge(
        agrees=bad and len(good) == len(better),
        in_shape=bad and bool(good),
        measured=f"good are, of XCP: {_names(worse)}; of XCP-CL: "
        + "; ".join(f"{step}, {_names(cells)}" for step, cells in better.items()),
    )


def _cells(outcome: Outcome, algorithm: str, step: str) -> dict[str, bool]:
    row = row_of(outcome, algorithm, step)
    return {
        "window": row["window_2_greatest"] <= 1.5 * row["window_2_least"],
        "fairness": row["unfairness_2"] <= 0.05,
        "queue": row["queue_2"] < 0.005,
        "utilization": row["utilization_2"] >= 0.97,
    }


def _names(cells: Mapping[str, bool]) -> str:
    return ", ".join(name for name, good in cells.items() if good) or "none"


def claims(stated: Stated, reasons: Mapping[str, str]) -> tuple[Claim, ...]:
    where, shares = stated.section, stated.fair_kbs

    def claim(id_: str, text: str, expected: str, tolerance: str, check: Callable[[Outcome], Finding]) -> Claim:
        return Claim(
            id=id_,
            text=text,
            where=where,
            expected=expected,
            tolerance=tolerance,
            check=check,
            reason=reasons.get(id_) or REASONS.get(id_, ""),
        )

    least, greatest = stated.xcp_swing
    return (
        claim(
            "full",
            "before the step both fill the link within seconds",
            f"utilization 1 after 3 s (XCP), {stated.cl_full_s:g} s (XCP-CL)",
            "0.97 in the second half of the period, and above 0.95 within twice the time; in shape: 0.9",
            lambda outcome: _check_full(stated, outcome),
        ),
        claim(
            "collapse",
            "original XCP loses most of the link while it believes more than there is (physical step)",
            f"utilization {stated.xcp_utilization:g}",
            "±0.1; in shape: at most 0.8 of XCP-CL's",
            lambda outcome: _check_collapse(stated, outcome),
        ),
        claim(
            "stays-full",
            "XCP-CL keeps the link full during the step",
            "utilization 1",
            "0.97 in both readings; in shape: 0.97 in one, or 0.9 in both",
            _check_stays,
        ),
        claim(
            "empty",
            "XCP-CL never queues and never drops at the edge node, with one packet of buffer",
            "0 packets, 0 drops",
            "no drop at all and less than 0.005 packets in the mean when the step is physical; in shape: in the other "
            "reading",
            _check_empty,
        ),
        claim(
            "fair-rate",
            "XCP-CL gives flow #1 its share in all three periods",
            f"{listed(shares, '.4g')} kB/s",
            "5 % in both readings; in shape: 5 % in one, or 15 % in both",
            lambda outcome: _check_fair_rate(stated, outcome),
        ),
        claim(
            "windows",
            "windows of flow #1 under XCP-CL",
            f"{listed(stated.cl_windows, 'g')} packets",
            "10 % in one reading; in shape: their order, and 15 % of share times our round trip",
            lambda outcome: _check_windows(stated, outcome),
        ),
        claim(
            "swing",
            "original XCP's window of flow #1 finds no rest during the step",
            f"{least:g} to {greatest:g} packets",
            "greatest over least within a factor of 2 of the paper's; in shape: at least 2, and twice XCP-CL's",
            lambda outcome: _check_swing(stated, outcome),
        ),
        claim(
            "dips",
            "XCP-CL's utilization dips at the two steps, more at the first",
            listed(stated.cl_dips, "g"),
            "±0.1 in one reading; in shape: the first is deeper, the second below 0.99",
            lambda outcome: _check_dips(stated, outcome),
        ),
        claim(
            "recovers",
            "after the step original XCP is full again, and its window settles",
            f"utilization 1; {stated.xcp_settles_s:g} s",
            "0.97, and within 10 % of the later mean after the stated time ± 10 s; in shape: 0.97",
            lambda outcome: _check_recovers(stated, outcome),
        ),
        claim(
            "settles",
            "XCP-CL's window of flow #1 settles after the two steps",
            f"{listed(stated.cl_settles_s, 'g')} s",
            "within 10 % of the later mean after the stated times ± 10 s, in one reading; in shape: twice the longer",
            lambda outcome: _check_settles(stated, outcome),
        ),
        claim(
            "fairness",
            "during the step XCP-CL is fair and original XCP is not (table 5.3)",
            "good, bad",
            "spread of five flows' goodputs at most 0.05 in both readings, XCP's twice that; in shape: in one reading",
            _check_fairness,
        ),
        Claim(
            id="table-5.3",
            text="table 5.3: in the step window, fairness, queue and utilization of XCP-CL are good and XCP's bad",
            where="§5.4, table 5.3",
            expected="bad, bad, non-zero, bad for XCP; good, good, zero, good for XCP-CL",
            tolerance="good: greatest window at most 1.5 of the least, spread of goodputs at most 0.05, less than "
            "0.005 packets of queue, utilization 0.97; all eight cells in both readings of the step; in shape: in one",
            check=_check_table,
            reason=reasons.get("table-5.3", MIXED_READINGS),
        ),
    )
