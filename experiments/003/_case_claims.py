"""What paper 003 says of all its three cases, as claims; those on XCP-CL once for each reading of the step.

The expected values are the paper's. The tolerances were committed before the first run in which claims were judged
for one reading of the step at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from photocol.experiment import Claim, Outcome
from photocol.verdict import Finding, judge

from ._aapn import MIXED_READINGS, PACKET, PHYSICAL, TOLD, XCP, XCP_CL, listed
from ._readings import reading_of, round_trip_s
from ._stated import row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._stated import Stated

    Judge = Callable[[Stated, Outcome, str], Finding]

STEPS = (TOLD, PHYSICAL)
MEANT = {
    TOLD: "if only what the controller is told changes",
    PHYSICAL: "if the rate really changes",
}
"""The readings of the step in words."""
SOONER = (
    "it settles sooner. In ns-2 a minimum RTO of 0.2 s lets timers expire for nothing while queues move, which costs "
    "some 20 s after each change (docs/validation/xcp.md)"
)
UNTOUCHED = (
    "nothing happens to original XCP, which is told nothing, while the rate stays as it is: the paper's numbers of it "
    "are of a rate that really changes, and those of XCP-CL of one that does not"
)
REASONS = {
    "dips": "it is shallower. How deep it is depends on how far the ways back grow, which the paper does not state: in "
    "case 1 with delays back as forth (`as-forth`) it is 0.71 and 0.98, within 0.1 of the paper's",
    "fairness-told": UNTOUCHED,
    "table-5.3-told": UNTOUCHED,
    "recovers": SOONER,
    "settles": SOONER,
}
"""Known; a case may have others."""
EMPTY = 0.005
"""Packets in the mean that are no queue."""
ALIVE = 0.9
"""The utilization in the step below which windows of XCP-CL are what a collapse left of them."""


def _check_full(stated: Stated, outcome: Outcome) -> Finding:
    found = [row_of(outcome, algorithm, PHYSICAL) for algorithm in (XCP, XCP_CL)]
    levels, times = [row["utilization_1"] for row in found], [row["full_after_s"] for row in found]
    return judge(
        agrees=min(levels) >= 0.97 and max(times) <= 2 * max(3.0, stated.cl_full_s),
        in_shape=min(levels) >= 0.9,
        measured=f"XCP {levels[0]:.3f}, above 0.95 from {times[0]:.1f} s; XCP-CL {levels[1]:.3f}, {times[1]:.1f} s",
    )


def _check_collapse(stated: Stated, outcome: Outcome) -> Finding:
    level = row_of(outcome, XCP, PHYSICAL)["utilization_2"]
    return judge(
        agrees=abs(level - stated.xcp_utilization) <= 0.1,
        in_shape=level <= 2 * stated.xcp_utilization,
        measured=f"{level:.3f}",
    )


def _check_swing(stated: Stated, outcome: Outcome) -> Finding:
    swings = {}
    for algorithm, step in ((XCP, PHYSICAL), (XCP_CL, TOLD)):
        row = row_of(outcome, algorithm, step)
        swings[algorithm] = (row["window_2_least"], row["window_2_greatest"])
    ratios = {algorithm: high / max(low, 1e-9) for algorithm, (low, high) in swings.items()}
    expected = stated.xcp_swing[1] / stated.xcp_swing[0]
    return judge(
        agrees=expected / 2 <= ratios[XCP] <= 2 * expected and ratios[XCP] >= 2 * ratios[XCP_CL],
        in_shape=ratios[XCP] >= 2 and ratios[XCP] >= 2 * ratios[XCP_CL],
        measured=f"XCP {swings[XCP][0]:.1f} to {swings[XCP][1]:.1f} packets, XCP-CL (told) {swings[XCP_CL][0]:.1f} to "
        f"{swings[XCP_CL][1]:.1f}",
    )


def _check_recovers(stated: Stated, outcome: Outcome) -> Finding:
    row = row_of(outcome, XCP, PHYSICAL)
    return judge(
        agrees=row["utilization_3"] >= 0.97 and within_factor(row["settles_3_s"], stated.xcp_settles_s),
        in_shape=row["utilization_3"] >= 0.97,
        measured=f"utilization {row['utilization_3']:.3f}; the window settles after {row['settles_3_s']:.1f} s",
    )


def _check_stays(_: Stated, outcome: Outcome, step: str) -> Finding:
    level = row_of(outcome, XCP_CL, step)["utilization_2"]
    return judge(agrees=level >= 0.97, in_shape=level >= 0.9, measured=f"{level:.3f}")


def _check_empty(_: Stated, outcome: Outcome, step: str) -> Finding:
    row, xcp = row_of(outcome, XCP_CL, step), row_of(outcome, XCP, step)
    drops, most = _drops(row), _drops(xcp)
    return judge(
        agrees=drops == 0 and row["queue_2"] < EMPTY,
        in_shape=drops <= 0.1 * most and row["queue_2"] <= max(EMPTY, 0.1 * xcp["queue_2"]),
        measured=f"{drops:.0f} drops, {row['queue_2']:.3f} packets wait; original XCP {most:.0f} and "
        f"{xcp['queue_2']:.3f}",
    )


def _check_fair_rate(stated: Stated, outcome: Outcome, step: str) -> Finding:
    row = row_of(outcome, XCP_CL, step)
    ours = [row[f"rate_{period}"] for period in (1, 2, 3)]
    worst = max(abs(one / fair - 1) for one, fair in zip(ours, stated.fair_kbs, strict=True))
    return judge(agrees=worst <= 0.05, in_shape=worst <= 0.15, measured=f"{listed(ours, '.1f')} kB/s")


def _check_windows(stated: Stated, outcome: Outcome, step: str) -> Finding:
    row = row_of(outcome, XCP_CL, step)
    ours = [row[f"window_{period}"] for period in (1, 2, 3)]
    trips = [round_trip_s(reading_of(outcome), 0, period) for period in range(3)]
    expected = [rate * 1e3 * trip / PACKET for rate, trip in zip(stated.fair_kbs, trips, strict=True)]
    level = row["utilization_2"]
    near = all(abs(a / b - 1) <= 0.15 for a, b in zip(ours, expected, strict=True))
    return judge(
        agrees=level >= ALIVE and all(abs(a / b - 1) <= 0.1 for a, b in zip(ours, stated.cl_windows, strict=True)),
        in_shape=level >= ALIVE and near and ours[0] < ours[2] < ours[1],
        measured=f"{listed(ours, '.1f')}; the shares times our round trips are {listed(expected, '.1f')}; utilization "
        f"in the step {level:.2f}",
    )


def _check_dips(stated: Stated, outcome: Outcome, step: str) -> Finding:
    row = row_of(outcome, XCP_CL, step)
    dips, alive = [row["dip_1_to_2"], row["dip_2_to_3"]], row["utilization_2"] >= ALIVE
    near = all(abs(a - b) <= 0.1 for a, b in zip(dips, stated.cl_dips, strict=True))
    return judge(
        agrees=alive and near and dips[0] < dips[1] < 0.99,
        in_shape=alive and dips[0] < dips[1] < 0.99,
        measured=listed(dips, ".2f"),
    )


def _check_settles(stated: Stated, outcome: Outcome, step: str) -> Finding:
    row = row_of(outcome, XCP_CL, step)
    times, level = [row[f"settles_{n}_s"] for n in (2, 3)], row["utilization_2"]
    near = all(within_factor(a, b) for a, b in zip(times, stated.cl_settles_s, strict=True))
    return judge(
        agrees=level >= ALIVE and near,
        in_shape=level >= ALIVE and all(a <= 2 * b for a, b in zip(times, stated.cl_settles_s, strict=True)),
        measured=f"{listed(times, '.1f')} s; utilization in the step {level:.2f}",
    )


def _check_fairness(_: Stated, outcome: Outcome, step: str) -> Finding:
    xcp, ours = row_of(outcome, XCP, step)["unfairness_2"], row_of(outcome, XCP_CL, step)["unfairness_2"]
    return judge(
        agrees=ours <= 0.05 and xcp >= 2 * ours,
        in_shape=ours <= 0.1 and xcp > ours,
        measured=f"XCP {xcp:.3f}; XCP-CL {ours:.3f}",
    )


def _check_table(_: Stated, outcome: Outcome, step: str) -> Finding:
    """The cells of table 5.3: each figure on the side of its limit that the paper says."""
    worse, better = _cells(outcome, XCP, step), _cells(outcome, XCP_CL, step)
    return judge(
        agrees=not any(worse.values()) and all(better.values()),
        in_shape=sum(worse.values()) <= 1 and sum(better.values()) >= len(better) - 1,
        measured=f"good are, of XCP: {_names(worse)}; of XCP-CL: {_names(better)}",
    )


def _cells(outcome: Outcome, algorithm: str, step: str) -> dict[str, bool]:
    row = row_of(outcome, algorithm, step)
    return {
        "window": row["window_2_greatest"] <= 1.5 * row["window_2_least"],
        "fairness": row["unfairness_2"] <= 0.05,
        "queue": row["queue_2"] < EMPTY,
        "utilization": row["utilization_2"] >= 0.97,
    }


def _names(cells: Mapping[str, bool]) -> str:
    return ", ".join(name for name, good in cells.items() if good) or "none"


def _drops(row: Mapping[str, Any]) -> float:
    return float(sum(row[f"drops_{period}"] for period in (1, 2, 3)))


def within_factor(value: float, expected: float) -> bool:
    """Within a factor of two."""
    return expected / 2 <= value <= 2 * expected


def _of_xcp(stated: Stated, reasons: Mapping[str, str]) -> tuple[Claim, ...]:
    """Claims on original XCP, which collapses only if the rate really changes."""

    def claim(id_: str, text: str, expected: str, tolerance: str, check: Callable[[Stated, Outcome], Finding]) -> Claim:
        return Claim(
            id=id_,
            text=text,
            where=stated.section,
            expected=expected,
            tolerance=tolerance,
            check=lambda outcome: check(stated, outcome),
            reason=reasons.get(id_) or REASONS.get(id_, ""),
        )

    least, greatest = stated.xcp_swing
    return (
        claim(
            "full",
            "before the step both fill the link within seconds",
            f"utilization 1 after 3 s (XCP), {stated.cl_full_s:g} s (XCP-CL)",
            "0.97 in the second half of the period, and above 0.95 within twice the time; in shape: 0.9",
            _check_full,
        ),
        claim(
            "collapse",
            "original XCP loses most of the link while it believes more than there is (physical step)",
            f"utilization {stated.xcp_utilization:g}",
            "±0.1; in shape: at most twice",
            _check_collapse,
        ),
        claim(
            "swing",
            "original XCP's window of flow #1 finds no rest during the step",
            f"{least:g} to {greatest:g} packets",
            "greatest over least within a factor of 2 of the paper's, and at least twice XCP-CL's (told); in shape: at "
            "least 2, and twice XCP-CL's",
            _check_swing,
        ),
        claim(
            "recovers",
            "after the step original XCP is full again, and its window settles",
            f"utilization 1; {stated.xcp_settles_s:g} s",
            "0.97, and within 10 % of the later mean after the stated time, within a factor of 2; in shape: 0.97",
            _check_recovers,
        ),
    )


def _of_xcp_cl(stated: Stated) -> tuple[tuple[str, str, str, str, Judge], ...]:
    """Claims on XCP-CL: id, text, expected, tolerance, check."""
    return (
        (
            "stays-full",
            "XCP-CL keeps the link full during the step",
            "utilization 1",
            "0.97; in shape: 0.9",
            _check_stays,
        ),
        (
            "empty",
            "XCP-CL never queues and never drops at the edge node, with one packet of buffer",
            "0 packets, 0 drops",
            "no drop at all and less than 0.005 packets in the mean; in shape: at most a tenth of original XCP's",
            _check_empty,
        ),
        (
            "fair-rate",
            "XCP-CL gives flow #1 its share in all three periods",
            f"{listed(stated.fair_kbs, '.4g')} kB/s",
            "5 % in each; in shape: 15 %",
            _check_fair_rate,
        ),
        (
            "windows",
            "windows of flow #1 under XCP-CL",
            f"{listed(stated.cl_windows, 'g')} packets",
            "10 % each, with a link that is at least 0.9 full in the step; in shape: their order, and 15 % of share "
            "times our round trip",
            _check_windows,
        ),
        (
            "dips",
            "XCP-CL's utilization dips at the two steps, more at the first",
            listed(stated.cl_dips, "g"),
            "±0.1 each; in shape: any size; the first deeper, the second below 0.99, with a link that is at least "
            "0.9 full in the step",
            _check_dips,
        ),
        (
            "settles",
            "XCP-CL's window of flow #1 settles after the two steps",
            f"{listed(stated.cl_settles_s, 'g')} s",
            "within 10 % of the later mean after the stated times, within a factor of 2, with a link that is at least "
            "0.9 full in the step; in shape: sooner",
            _check_settles,
        ),
        (
            "fairness",
            "during the step XCP-CL is fair and original XCP is not (table 5.3)",
            "good, bad",
            "spread of five flows' goodputs at most 0.05, XCP's twice that; in shape: at most 0.1, XCP's more",
            _check_fairness,
        ),
        (
            "table-5.3",
            "table 5.3: in the step window, fairness, queue and utilization of XCP-CL are good and XCP's bad",
            "bad, bad, non-zero, bad for XCP; good, good, zero, good for XCP-CL",
            "good: greatest window at most 1.5 of the least, spread of goodputs at most 0.05, less than 0.005 packets "
            "of queue, utilization 0.97; all eight cells; in shape: three of four of each",
            _check_table,
        ),
    )


def claims(stated: Stated, reasons: Mapping[str, str]) -> tuple[Claim, ...]:
    """All of a case; a reason for a claim under one reading of the step has the claim's id with the reading."""

    def under(step: str, id_: str, check: Judge) -> tuple[str, Callable[[Outcome], Finding], str]:
        name = f"{id_}-{step}"
        usual = MIXED_READINGS if step == PHYSICAL else REASONS.get(name, REASONS.get(id_, ""))
        return name, lambda outcome: check(stated, outcome, step), reasons.get(name) or usual

    found = list(_of_xcp(stated, reasons))
    for id_, text, expected, tolerance, check in _of_xcp_cl(stated):
        where = "§5.4, table 5.3" if id_ == "table-5.3" else stated.section
        for step in STEPS:
            name, judged, reason = under(step, id_, check)
            found.append(
                Claim(
                    id=name,
                    text=f"{text}, {MEANT[step]}",
                    where=where,
                    expected=expected,
                    tolerance=tolerance,
                    check=judged,
                    reason=reason,
                )
            )
    return tuple(found)
