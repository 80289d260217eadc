"""How the claims of paper 002 about its figures 3, 4 and 5 are checked.

The tolerances below were committed before the first run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from photocol.verdict import Finding, judge

from ._curves import (
    ON_PLATEAU,
    PACED,
    PACKET_BYTES,
    PLAIN,
    SIX_PACKETS_BYTES,
    first_reaching,
    kb,
    listed,
    over,
    plateau,
)
from ._schemes import FULL_TARGET, NAMES, SCHEMES, XCP, curve

if TYPE_CHECKING:
    from photocol.experiment import Outcome

WAVELENGTH_XCP = FULL_TARGET[2]


def utilization(outcome: Outcome, scheme: str) -> dict[int, float]:
    """Mean utilization of the 56 core outputs against the RAM."""
    return curve(outcome.table, scheme, "utilization")


def at_six(outcome: Outcome, scheme: str, column: str = "utilization") -> float:
    """A metric with six packets of RAM."""
    return curve(outcome.table, scheme, column)[SIX_PACKETS_BYTES]


def ratios(outcome: Outcome, pair: tuple[str, str], column: str) -> dict[int, float]:
    """The first scheme over the second, by RAM; 1 where both are zero."""
    above, below = (curve(outcome.table, scheme, column) for scheme in pair)
    return {ram: over(above[ram], below[ram]) for ram in above}


def check_plateau(outcome: Outcome) -> Finding:
    """TCP, Paced TCP and XCP end at about 0.70."""
    levels = {scheme: utilization(outcome, scheme) for scheme in (PLAIN, PACED, XCP)}
    ends = {scheme: plateau(one) for scheme, one in levels.items()}
    flat = all(plateau(one) <= 1.03 * sorted(one.items())[-2][1] for one in levels.values())
    return judge(
        agrees=all(abs(end - 0.70) <= 0.05 for end in ends.values()),
        in_shape=flat and max(ends.values()) < 0.95,
        measured=", ".join(f"{end:.3f} ({NAMES[scheme]})" for scheme, end in ends.items()) + " with the most RAM",
    )


def _check_knee(outcome: Outcome, scheme: str) -> Finding:
    levels = utilization(outcome, scheme)
    share = levels[SIX_PACKETS_BYTES] / plateau(levels)
    knee, plain = (first_reaching(one, ON_PLATEAU * plateau(one)) for one in (levels, utilization(outcome, PLAIN)))
    return judge(
        agrees=share >= ON_PLATEAU,
        in_shape=knee <= plain / 5,
        measured=f"{share:.1%} of its plateau with 9 kB; {ON_PLATEAU:.0%} from {kb(knee)} on",
    )


def check_xcp_knee(outcome: Outcome) -> Finding:
    """XCP is on its plateau with six packets."""
    return _check_knee(outcome, XCP)


def check_paced_knee(outcome: Outcome) -> Finding:
    """Paced TCP is on its plateau with six packets."""
    return _check_knee(outcome, PACED)


def check_plain_knee(outcome: Outcome) -> Finding:
    """TCP needs hundreds of kilobytes for the level that XCP has."""
    level = ON_PLATEAU * plateau(utilization(outcome, XCP))
    knee, xcp = (first_reaching(utilization(outcome, scheme), level) for scheme in (PLAIN, XCP))
    return judge(
        agrees=100_000 <= knee <= 1_000_000,
        in_shape=knee >= 3 * xcp,
        measured=f"TCP Reno reaches {ON_PLATEAU:.0%} of XCP's plateau from {kb(knee)} on",
    )


def check_highest(outcome: Outcome) -> Finding:
    """ACKs on another wavelength give the highest utilization of all schemes."""
    best = utilization(outcome, WAVELENGTH_XCP)
    others = [utilization(outcome, scheme) for scheme in SCHEMES if scheme != WAVELENGTH_XCP]
    highest = [ram for ram in best if all(best[ram] > other[ram] for other in others)]
    return judge(
        agrees=len(highest) == len(best),
        in_shape=len(highest) > len(best) / 2,
        measured=f"highest with {len(highest)} of {len(best)} sizes of RAM ({', '.join(map(kb, highest)) or 'none'})",
    )


def check_half(outcome: Outcome) -> Finding:
    """With six packets TCP has half of the proposed schemes' utilization."""
    shares = [at_six(outcome, PLAIN) / at_six(outcome, scheme) for scheme in FULL_TARGET]
    return judge(
        agrees=all(abs(share - 0.5) <= 0.1 for share in shares),
        in_shape=all(share <= 0.8 for share in shares),
        measured=f"TCP Reno / XCP = {shares[0]:.2f}, {shares[1]:.2f}, {shares[2]:.2f}",
    )


def check_alike(outcome: Outcome, ram: int, column: str) -> Finding:
    """With so little RAM all schemes drop alike."""
    rates = {scheme: curve(outcome.table, scheme, column)[ram] for scheme in SCHEMES}
    spread = max(rates.values()) / min(rates.values()) if min(rates.values()) > 0 else math.inf
    return judge(
        agrees=spread <= 1.5,
        in_shape=spread <= 3,
        measured=f"highest / lowest = {spread:.2f}; " + ", ".join(f"{rate:.1e} ({s})" for s, rate in rates.items()),
    )


def check_overshoots(outcome: Outcome) -> Finding:
    """With TU 100 % and room for ten packets or more hardly anything is dropped.

    An excess of 1 % of the wavelength for a control interval of 50 ms is 62.5 kB, more than 15 to 60 kB can keep.
    """
    rates = {
        ram: max(curve(outcome.table, scheme, "core_drop_rate")[ram] for scheme in FULL_TARGET)
        for ram in utilization(outcome, XCP)
        if ram >= 10 * PACKET_BYTES
    }
    paced = curve(outcome.table, PACED, "core_drop_rate")
    return judge(
        agrees=max(rates.values()) <= 1e-5,
        in_shape=all(rate <= max(1e-5, paced[ram] / 10) for ram, rate in rates.items()),
        measured=f"at most {listed(rates, '.1e')}",
    )


def check_faster(outcome: Outcome) -> Finding:
    """XCP's drop rate falls faster with the RAM, and is much lower than Paced TCP's."""
    between = {
        ram: ratio for ram, ratio in ratios(outcome, (XCP, PACED), "core_drop_rate").items() if 4_500 <= ram <= 300_000
    }
    much = sum(ratio <= 0.5 for ratio in between.values())
    return judge(
        agrees=much == len(between),
        in_shape=sum(ratio < 1 for ratio in between.values()) > len(between) / 2,
        measured=f"XCP / Paced TCP = {listed(between)}",
    )
