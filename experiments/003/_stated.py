"""What paper 003 states of a case, and the runs by which that is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from photocol.claims import Values, beside, values

from ._aapn import FLOWS, ONE_WAY, PHYSICAL, SACK, TOLD, XCP, XCP_CL, find

if TYPE_CHECKING:
    from photocol.experiment import Outcome

COMBINATIONS = (
    (XCP, PHYSICAL, ONE_WAY),
    (XCP_CL, PHYSICAL, ONE_WAY),
    (XCP_CL, TOLD, ONE_WAY),
    (XCP, TOLD, ONE_WAY),
    (XCP, PHYSICAL, SACK),
    (XCP_CL, PHYSICAL, SACK),
)
JUDGED = 4
"""Claims are judged by the first ones."""


@dataclass(frozen=True, kw_only=True)
class Stated:
    """The paper's numbers of a case."""

    number: int
    mbps: float
    allocated_mbps: float
    """From 200 to 400 s."""
    figures: str
    section: str
    xcp_windows: tuple[float, float]
    """Flow #1 before and after the step, in packets."""
    xcp_swing: tuple[float, float]
    """Its least and greatest window between."""
    xcp_settles_s: float
    """After 400 s."""
    xcp_utilization: float
    """During the step."""
    cl_windows: tuple[float, float, float]
    cl_settles_s: tuple[float, float]
    """After 200 and after 400 s."""
    cl_full_s: float
    cl_dips: tuple[float, float]
    """Least utilization at 200 and at 400 s."""

    @property
    def fair_kbs(self) -> tuple[float, float, float]:
        """A flow's share in the three periods."""
        share = [mbps * 1e3 / 8 / FLOWS for mbps in (self.mbps, self.allocated_mbps)]
        return (share[0], share[1], share[0])


def row_of(outcome: Outcome, algorithm: str, step: str, sender: str = ONE_WAY) -> dict[str, Any]:
    """The row of a combination, under the one reading of the outcome."""
    return find(outcome.table, algorithm=algorithm, step=step, sender=sender)


def figure(metric: str, algorithm: str, step: str, form: str = ".3f", unit: str = "", name: str = "") -> Values:
    """A metric of a combination, under the one reading of the outcome."""
    return values(metric, algorithm=algorithm, step=step, sender=ONE_WAY).told(form, unit, name)


def periods(metric: str, algorithm: str, step: str, form: str = ".1f", unit: str = "") -> Values:
    """A metric of a combination by period."""
    return beside({n: figure(f"{metric}_{n}", algorithm, step, form, unit) for n in (1, 2, 3)})
