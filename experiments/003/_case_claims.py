"""What paper 003 says of all its three cases, as claims; those on XCP-CL once for each reading of the step.

The expected values are the paper's. The tolerances were committed before the first run in which claims were judged
for one reading of the step at a time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from photocol.claims import Predicate, Values, above, at_least, at_most, below, beside, near, rises, within
from photocol.experiment import Claim, Outcome
from photocol.verdict import Finding, judge

from ._aapn import MIXED_READINGS, PACKET, PHYSICAL, TOLD, XCP, XCP_CL, listed
from ._readings import reading_of, round_trip_s
from ._stated import figure, periods, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ._stated import Stated

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
EMPTY = 0.005
"""Packets in the mean that are no queue."""
ALIVE = 0.9
"""The utilization in the step below which windows of XCP-CL are what a collapse left of them."""


class Said(NamedTuple):
    """A statement of the paper on XCP-CL, and what it is under a reading of the step."""

    id: str
    text: str
    expected: str
    tolerance: str
    check: Callable[[str], Callable[[Outcome], Finding]]
    reason: str = ""
    """If only what the controller is told changes."""


def under_steps(said: Said, where: str, reasons: Mapping[str, str] | None = None) -> tuple[Claim, ...]:
    """Claims of a statement for each reading of the step, told first; these reasons have the claim's id."""
    return tuple(
        Claim(
            id=f"{said.id}-{step}",
            text=f"{said.text}, {MEANT[step]}",
            where=where,
            expected=said.expected,
            tolerance=said.tolerance,
            check=said.check(step),
            reason=(reasons or {}).get(f"{said.id}-{step}") or (MIXED_READINGS if step == PHYSICAL else said.reason),
        )
        for step in STEPS
    )


def alive(step: str, metric: str = "utilization_2") -> Predicate:
    """XCP-CL's windows are not what a collapse left of them."""
    return at_least(figure(metric, XCP_CL, step, ".2f", name="utilization"), ALIVE)


def _empty(step: str) -> Predicate:
    """No queue and no drop; in shape: a tenth of original XCP's."""
    (drops, queue), (most, longest) = ((_drops(one, step), figure("queue_2", one, step)) for one in (XCP_CL, XCP))
    none = at_most(drops, 0) & below(queue, EMPTY)
    few = at_most(drops, most * 0.1) & at_most(queue, (longest * 0.1).each(lambda tenth: max(EMPTY, tenth)))
    told = (drops.told(".0f", " drops"), queue.told(".3f", " packets wait"), most.told(".0f", name="original XCP"))
    return none.in_shape(few).saying(*told, longest)


def _drops(algorithm: str, step: str) -> Values:
    return reduce(add, (figure(f"drops_{period}", algorithm, step) for period in (1, 2, 3)))


def _fair_rate(stated: Stated, step: str) -> Predicate:
    rates = periods("rate", XCP_CL, step, ".1f", " kB/s")
    return near(rates / by_period(stated.fair_kbs), 1, by=0.05, in_shape=0.15).saying(rates)


def _windows(stated: Stated, step: str) -> Predicate:
    """Flow #1's windows; in shape: their order, and the shares times our round trips."""
    ours = periods("window", XCP_CL, step)

    def shares(outcome: Outcome) -> dict[int, float]:
        trips = [round_trip_s(reading_of(outcome), 0, period) for period in range(3)]
        return {n + 1: stated.fair_kbs[n] * 1e3 * trip / PACKET for n, trip in enumerate(trips)}

    expected = Values(shares, ".1f", name="the shares times our round trips are")
    near_shares = near(ours / expected, 1, by=0.15) & rises(ours.at(1, 3, 2))
    stands = alive(step) & near(ours / by_period(stated.cl_windows), 1, by=0.1)
    return stands.in_shape(alive(step) & near_shares).saying(ours, expected, alive(step))


def _dips(stated: Stated, step: str) -> Predicate:
    """The two dips, the first deeper."""
    dips = beside({n: figure(f"dip_{n}_to_{n + 1}", XCP_CL, step, ".2f") for n in (1, 2)})
    deeper = alive(step) & rises(dips) & below(dips.at(2), 0.99)
    return (deeper & near(dips, by_period(stated.cl_dips), by=0.1)).in_shape(deeper).saying(dips)


def _settles(stated: Stated, step: str) -> Predicate:
    """Within a factor of two of the stated times."""
    times = beside({n: figure(f"settles_{n}_s", XCP_CL, step, ".1f", " s") for n in (2, 3)})
    least, most = (
        {n: factor * time for n, time in zip((2, 3), stated.cl_settles_s, strict=True)} for factor in (0.5, 2)
    )
    return (alive(step) & within(times, least, most, in_shape=at_most(times, most))).saying(times, alive(step))


def _fairness(step: str) -> Predicate:
    """Spreads of goodputs, original XCP's more."""
    xcp, ours = (figure("unfairness_2", one, step, name=name) for one, name in ((XCP, "XCP"), (XCP_CL, "XCP-CL")))
    fair = at_most(ours, 0.05) & at_least(xcp, ours * 2)
    return fair.in_shape(at_most(ours, 0.1) & above(xcp, ours)).saying(xcp, ours)


def by_period(numbers: Sequence[float]) -> dict[int, float]:
    """Numbers of the periods, or of the steps between them, from the first on."""
    return dict(enumerate(numbers, 1))


def _check_table(step: str, outcome: Outcome) -> Finding:
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


def twice(of: Values, expected: float) -> Predicate:
    """Within a factor of two."""
    return within(of, expected / 2, 2 * expected)


def _of_xcp(stated: Stated, reasons: Mapping[str, str]) -> tuple[Claim, ...]:
    """Claims on original XCP, which collapses only if the rate really changes."""
    least, greatest = stated.xcp_swing
    levels = beside({one: figure("utilization_1", one, PHYSICAL) for one in (XCP, XCP_CL)})
    times = beside({one: figure("full_after_s", one, PHYSICAL, ".1f", " s") for one in (XCP, XCP_CL)})
    full = at_least(levels, 0.97) & at_most(times, 2 * max(3.0, stated.cl_full_s))
    collapsed, again = (figure(f"utilization_{period}", XCP, PHYSICAL) for period in (2, 3))
    swings = {
        name: [figure(f"window_2_{end}", one, step, ".1f", " packets") for end in ("least", "greatest")]
        for name, one, step in (("XCP", XCP, PHYSICAL), ("XCP-CL (told)", XCP_CL, TOLD))
    }
    swing, calm = (high / low.each(lambda low: max(low, 1e-9)) for low, high in swings.values())
    apart = at_least(swing, calm * 2)
    settles = figure("settles_3_s", XCP, PHYSICAL, ".1f", " s", "the window settles after")
    found = (
        Claim(
            id="full",
            text="before the step both fill the link within seconds",
            where=stated.section,
            expected=f"utilization 1 after 3 s (XCP), {stated.cl_full_s:g} s (XCP-CL)",
            tolerance="0.97 in the second half of the period, and above 0.95 within twice the time; in shape: 0.9",
            check=full.in_shape(at_least(levels, 0.9)),
        ),
        Claim(
            id="collapse",
            text="original XCP loses most of the link while it believes more than there is (physical step)",
            where=stated.section,
            expected=f"utilization {stated.xcp_utilization:g}",
            tolerance="±0.1; in shape: at most twice",
            check=near(
                collapsed, stated.xcp_utilization, by=0.1, in_shape=at_most(collapsed, 2 * stated.xcp_utilization)
            ),
        ),
        Claim(
            id="swing",
            text="original XCP's window of flow #1 finds no rest during the step",
            where=stated.section,
            expected=f"{least:g} to {greatest:g} packets",
            tolerance="greatest over least within a factor of 2 of the paper's, and at least twice XCP-CL's (told); in "
            "shape: at least 2, and twice XCP-CL's",
            check=(twice(swing, greatest / least) & apart)
            .in_shape(at_least(swing, 2) & apart)
            .saying(
                *(
                    beside(dict(zip(("least", "greatest"), ends, strict=True))).told(".1f", name=name)
                    for name, ends in swings.items()
                )
            ),
        ),
        Claim(
            id="recovers",
            text="after the step original XCP is full again, and its window settles",
            where=stated.section,
            expected=f"utilization 1; {stated.xcp_settles_s:g} s",
            tolerance="0.97, and within 10 % of the later mean after the stated time, within a factor of 2; in shape: "
            "0.97",
            check=(at_least(again, 0.97) & twice(settles, stated.xcp_settles_s)).in_shape(at_least(again, 0.97)),
            reason=SOONER,
        ),
    )
    return tuple(replace(claim, reason=reasons.get(claim.id) or claim.reason) for claim in found)


def _of_xcp_cl(stated: Stated) -> tuple[Said, ...]:
    """Statements on XCP-CL."""
    return (
        Said(
            "stays-full",
            "XCP-CL keeps the link full during the step",
            "utilization 1",
            "0.97; in shape: 0.9",
            lambda step: at_least(figure("utilization_2", XCP_CL, step), 0.97, in_shape=0.9),
        ),
        Said(
            "empty",
            "XCP-CL never queues and never drops at the edge node, with one packet of buffer",
            "0 packets, 0 drops",
            "no drop at all and less than 0.005 packets in the mean; in shape: at most a tenth of original XCP's",
            _empty,
        ),
        Said(
            "fair-rate",
            "XCP-CL gives flow #1 its share in all three periods",
            f"{listed(stated.fair_kbs, '.4g')} kB/s",
            "5 % in each; in shape: 15 %",
            partial(_fair_rate, stated),
        ),
        Said(
            "windows",
            "windows of flow #1 under XCP-CL",
            f"{listed(stated.cl_windows, 'g')} packets",
            "10 % each, with a link that is at least 0.9 full in the step; in shape: their order, and 15 % of share "
            "times our round trip",
            partial(_windows, stated),
        ),
        Said(
            "dips",
            "XCP-CL's utilization dips at the two steps, more at the first",
            listed(stated.cl_dips, "g"),
            "±0.1 each; in shape: any size; the first deeper, the second below 0.99, with a link that is at least "
            "0.9 full in the step",
            partial(_dips, stated),
            "it is shallower. How deep it is depends on how far the ways back grow, which the paper does not state: in "
            "case 1 with delays back as forth (`as-forth`) it is 0.71 and 0.98, within 0.1 of the paper's",
        ),
        Said(
            "settles",
            "XCP-CL's window of flow #1 settles after the two steps",
            f"{listed(stated.cl_settles_s, 'g')} s",
            "within 10 % of the later mean after the stated times, within a factor of 2, with a link that is at least "
            "0.9 full in the step; in shape: sooner",
            partial(_settles, stated),
            SOONER,
        ),
        Said(
            "fairness",
            "during the step XCP-CL is fair and original XCP is not (table 5.3)",
            "good, bad",
            "spread of five flows' goodputs at most 0.05, XCP's twice that; in shape: at most 0.1, XCP's more",
            _fairness,
            UNTOUCHED,
        ),
        Said(
            "table-5.3",
            "table 5.3: in the step window, fairness, queue and utilization of XCP-CL are good and XCP's bad",
            "bad, bad, non-zero, bad for XCP; good, good, zero, good for XCP-CL",
            "good: greatest window at most 1.5 of the least, spread of goodputs at most 0.05, less than 0.005 packets "
            "of queue, utilization 0.97; all eight cells; in shape: three of four of each",
            lambda step: partial(_check_table, step),
            UNTOUCHED,
        ),
    )


def claims(stated: Stated, reasons: Mapping[str, str]) -> tuple[Claim, ...]:
    """All of a case; a reason for a claim under one reading of the step has the claim's id with the reading."""
    found = list(_of_xcp(stated, reasons))
    for said in _of_xcp_cl(stated):
        found += under_steps(said, "§5.4, table 5.3" if said.id == "table-5.3" else stated.section, reasons)
    return tuple(found)
