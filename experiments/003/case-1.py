"""Paper 003, case 1: 45 Mb/s, 40 from 200 to 400 s; figures 5.1 to 5.14, and table 5.3's first two columns.

Figures 5.1, 5.2, 5.8, 5.9: windows (`windows-*`); 5.3, 5.4, 5.10, 5.11: flow #1's rate, window over round trip
(`rate`); 5.5, 5.12: rates of five flows (`rates-*`); 5.6, 5.13: utilization (`utilization`); 5.7, 5.14: queue at the
edge node (`queue`).
"""

from ._cases import case
from ._rates import CLAIMS
from ._readings import AS_FORTH, CONSTANT, KEPT, SIX_NODES
from ._stated import Stated

experiment = case(
    Stated(
        number=1,
        mbps=45,
        allocated_mbps=40,
        figures="Figures 5.1 to 5.14, table 5.3",
        section="§5.1, §5.4",
        xcp_windows=(16, 17),
        xcp_swing=(6, 34),
        xcp_settles_s=22,
        xcp_utilization=0.4,
        cl_windows=(16, 23, 17),
        cl_settles_s=(30, 20),
        cl_full_s=5,
        cl_dips=(0.75, 0.97),
    ),
    quick_period_s=200,
    reasons={},
    more_claims=CLAIMS,
    readings=(CONSTANT, KEPT, AS_FORTH, SIX_NODES),
)
